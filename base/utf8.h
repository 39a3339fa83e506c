/* Texts from outside, in files that must be UTF-8 (JSON, XML). */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/* A copy with '?' for each byte that belongs to no allowed character. */
char *utf8_clean(const char *text);
/* Bytes of the whole characters at the beginning of text, at most `most`. */
int utf8_prefix(const char *text, int most);

#endif
