/* Lists of strings that own them, such as the words of a command. */
#include "base/words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void words_give(struct words *w, char *word)
{
    w->at = mem_grow(w->at, w->n + 1, &w->cap, sizeof *w->at, "a list of words");
    w->at[w->n++] = word;
    w->at[w->n] = NULL;
}

void words_add(struct words *w, const char *word)
{
    words_give(w, mem_string(word));
}

void words_format(struct words *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    words_give(w, mem_vformat(fmt, ap));
    va_end(ap);
}

void words_append(struct words *w, const struct words *more)
{
    for (uint32_t i = 0; i < more->n; i++)
        words_add(w, more->at[i]);
}

void words_free(struct words *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        free(w->at[i]);
    free(w->at);
    *w = (struct words){ NULL, 0, 0 };
}

void word_print_quoted(const char *word, FILE *f)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, f);
        return;
    }
    fputc('\'', f);
    for (; *word; word++)
        fprintf(f, *word == '\'' ? "'\\''" : "%c", *word);
    fputc('\'', f);
}
