/*
 * Tells whether a file is well-formed as far as XML goes: every element is closed in order, attributes are quoted,
 * text has no bare & or <. `<!DOCTYPE ...>` may come first. Usage: wellformed FILE...; the exit code counts bad ones.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64, NAME = 32 };

struct text { const char *at, *start; char open[DEPTH][NAME]; int depth; const char *wrong; };

static bool bad(struct text *t, const char *why)
{
    t->wrong = why;
    return false;
}

static void name(struct text *t, char out[NAME])
{
    int n = 0;
    while (isalnum((unsigned char)*t->at) || *t->at == '-' || *t->at == ':')
        if (n < NAME - 1)
            out[n++] = *t->at++;
        else
            t->at++;
    out[n] = 0;
}

static bool entity(struct text *t)
{
    size_t n = strspn(t->at + 1, "abcdefghijklmnopqrstuvwxyz0123456789#");
    if (n == 0 || t->at[n + 1] != ';')
        return bad(t, "bare &");
    t->at += n + 2;
    return true;
}

static bool attributes(struct text *t)
{
    char key[NAME];
    for (;;) {
        t->at += strspn(t->at, " \n");
        if (*t->at == '>' || *t->at == '/')
            return true;
        name(t, key);
        if (!key[0] || strncmp(t->at, "=\"", 2))
            return bad(t, "attribute without quotes");
        const char *end = strpbrk(t->at + 2, "\"<");
        if (!end || *end == '<')
            return bad(t, "attribute without end");
        t->at = end + 1;
    }
}

static bool element(struct text *t)
{
    char tag[NAME];
    bool closes = t->at[1] == '/';
    t->at += 1 + closes;
    name(t, tag);
    if (!tag[0])
        return bad(t, "bare <");
    if (!attributes(t))
        return false;
    if (closes) {
        if (!t->depth || strcmp(t->open[--t->depth], tag))
            return bad(t, "closes what is not open");
    } else if (*t->at == '/') {
        t->at++;
    } else if (t->depth == DEPTH) {
        return bad(t, "too deep");
    } else {
        strcpy(t->open[t->depth++], tag);
    }
    return *t->at++ == '>' ? true : bad(t, "> is missing");
}

static bool whole(struct text *t)
{
    if (!strncmp(t->at, "<!DOCTYPE", 9))
        t->at = strchr(t->at, '>') + 1;
    while (*t->at)
        if (*t->at == '<' ? !element(t) : *t->at == '&' ? !entity(t) : (t->at++, false))
            return false;
    return t->depth == 0 ? true : bad(t, "element without end");
}

static bool check(const char *path)
{
    static char buffer[1 << 24];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(buffer, 1, sizeof buffer - 1, f) : 0;
    if (f)
        fclose(f);
    buffer[n] = 0;
    struct text t = { .at = buffer, .start = buffer };
    if (n && whole(&t))
        return true;
    printf("%s: at %ld: %s\n", path, (long)(t.at - t.start), n ? t.wrong : "empty");
    return false;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    for (int i = 1; i < argc; i++)
        wrong += !check(argv[i]);
    return wrong;
}
