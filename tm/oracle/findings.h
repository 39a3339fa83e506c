/*
 * Violations found by an oracle: the text of the first one, and their number.
 */
#ifndef TM_FINDINGS_H
#define TM_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct findings { uint64_t n; char text[4096]; };

/* Adds a violation. True: it is the first one, and findings_explain may add to its text. */
bool findings_add(struct findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void findings_explain(struct findings *f, const char *more);     /* on a new line */
/* Is there any? Then describes in text the first one and gives their number. */
bool findings_describe(const struct findings *f, char *text, size_t size);

#endif
