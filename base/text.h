/* Texts in places of limited size. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

/* Appends to the text in a place of `size` bytes; what does not fit is left out. */
void text_append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
