/* Arguments from option files: `@FILE`, `--options-file FILE`, `-optf FILE`. Words are separated by white space; quotes
 * and backslashes protect it as in a shell. Files may name further files. */
#include "cc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

enum { DEEPEST = 16 };

/* Reads one word from *p to `word`, which has room for the rest of the text; false at the end. */
static bool next_word(const char **p, char *word)
{
    const char *s = *p + strspn(*p, " \t\r\n\v\f");
    char quote = 0;
    if (!*s)
        return false;
    for (; *s && (quote || !isspace((unsigned char)*s)); s++) {
        if (*s == quote)
            quote = 0;
        else if (!quote && (*s == '"' || *s == '\''))
            quote = *s;
        else if (*s == '\\' && quote != '\'' && s[1])
            *word++ = *++s;
        else
            *word++ = *s;
    }
    *word = 0;
    *p = s;
    return true;
}

static void expand(struct words *out, char **v, size_t n, int depth);

static void expand_file(struct words *out, const char *path, int depth)
{
    if (depth == DEEPEST)
        cc_fail("option file %s: files include one another more than %d deep", path, DEEPEST);
    char *text = file_read(path, NULL);
    if (!text)
        cc_fail("option file %s: %s", path, strerror(errno));
    char *word = mem_alloc(strlen(text) + 1, 1, "a word of an option file");
    struct words words = {0};
    for (const char *p = text; next_word(&p, word); )
        words_add(&words, word);
    expand(out, words.at, words.n, depth + 1);
    words_free(&words);
    free(word);
    free(text);
}

/* The file that the argument names, or that the next one names (*i advances); NULL: no option file. */
static const char *option_file(char **v, size_t n, size_t *i)
{
    static const char *const names[] = {"--options-file", "-optf", "-options-file"};
    const char *a = v[*i];
    if (a[0] == '@' && a[1])
        return a + 1;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t length = strlen(names[k]);
        if (strncmp(a, names[k], length))
            continue;
        if (a[length] == '=')
            return a + length + 1;
        if (!a[length] && *i + 1 == n)
            cc_fail("option %s needs a value", a);
        if (!a[length])
            return v[++*i];
    }
    return NULL;
}

static void expand(struct words *out, char **v, size_t n, int depth)
{
    for (size_t i = 0; i < n; i++) {
        const char *file = option_file(v, n, &i);
        if (file)
            expand_file(out, file, depth);
        else
            words_add(out, v[i]);
    }
}

struct words cc_expand(int argc, char **argv)
{
    struct words out = {0};
    expand(&out, argv, (size_t)argc, 0);
    return out;
}
