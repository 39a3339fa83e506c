/*
 * Diagnostics: messages with file:line:column and a caret line. They are collected in a struct diag, so that all errors
 * of an input are reported together; its owner prints the text.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>

struct diag {
    char *text;          /* all messages so far, each ended by a newline; NULL when there are none */
    size_t len, cap;
    int errors, warnings;
    const char *file;    /* name shown before positions, may be NULL */
    const char *source;  /* the text that positions refer to (for the caret line), may be NULL */
    size_t source_len;
};

/* An error at a position (line and column start at 1; line 0 = no position). `%s` style format. */
void diag_error(struct diag *d, int line, int col, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void diag_warn(struct diag *d, int line, int col, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A note that explains the message before it. */
void diag_note(struct diag *d, int line, int col, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
bool diag_full(const struct diag *d);   /* true when further errors are not reported */
void diag_free(struct diag *d);

/* The candidate nearest to `word` by edit distance, among equally near ones one with the same first letter, or NULL
 * when none is near; for "did you mean". */
const char *diag_nearest(const char *word, const char *const *candidates, size_t n);

#endif
