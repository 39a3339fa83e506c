/*
 * A file that is written whole or not at all: under another name in the same folder, then renamed. A full disk or an
 * interruption leaves the old file as it was. What is no regular file (a terminal, a pipe) is written directly, as is
 * a file in a folder that takes no new ones.
 */
#ifndef SESSION_REPLACE_H
#define SESSION_REPLACE_H

#include <stdbool.h>
#include <stdio.h>

struct replacement {
    FILE *file;                      /* to write to */
    char *path, *beside;             /* beside: NULL when path itself is written */
};

/* false with errno when there is no way to write the file. */
bool replace_begin(struct replacement *r, const char *path);
/* written: all of it was, as far as the caller knows. false with errno when it was not; the old file then stays. */
bool replace_end(struct replacement *r, bool written);

#endif
