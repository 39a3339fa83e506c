/*
 * Atomic replacement of a file: the data goes to a temporary file in the same folder, which is then renamed. A full
 * disk or an interruption leaves the old file unchanged. A file that is not regular (a terminal, a pipe) is written
 * directly; so is a file in a folder in which no file can be created.
 */
#ifndef SESSION_ATOMIC_FILE_H
#define SESSION_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct atomic_file {
    FILE *file;                      /* to write to */
    char *path, *temporary;          /* temporary: NULL = path is written directly */
};

/* Whether atomic_file_open would succeed; false with errno. Creates nothing. */
bool atomic_file_writable(const char *path);
/* False with errno when the file cannot be written. */
bool atomic_file_open(struct atomic_file *r, const char *path);
/* written: the caller wrote all data without an error. False with errno after any error; the old file then stays. */
bool atomic_file_close(struct atomic_file *r, bool written);

#endif
