/*
 * What an oracle has found wrong: the first finding is kept in words, the others are only counted.
 */
#ifndef TM_FINDINGS_H
#define TM_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct findings { uint64_t n; char text[4096]; };

/* True: it is the first one, and findings_explain may add to its text. */
bool findings_add(struct findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void findings_explain(struct findings *f, const char *more);     /* on a line of its own */
/* Is there any? Then text: the first one, and how many there are. */
bool findings_tell(const struct findings *f, char *text, size_t size);

#endif
