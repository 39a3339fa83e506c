/* Lists of strings that own them, such as the words of a command. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdint.h>
#include <stdio.h>

/* at[n] is NULL when n > 0: `at` can be the arguments of execv. {0} is an empty list. */
struct words { char **at; uint32_t n, cap; };

void words_add(struct words *w, const char *word);               /* a copy */
void words_give(struct words *w, char *word);                    /* a string that the list frees */
void words_format(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void words_append(struct words *w, const struct words *more);    /* copies */
void words_free(struct words *w);

/* Prints the word as a shell reads it, in quotes if it needs them. */
void word_print_quoted(const char *word, FILE *f);

#endif
