/* Launches written `kernel << < grid, block >> > (...)`: nvcc accepts them, clang does not. A source with such launches
 * is compiled through an overlay (clang's -ivfsoverlay) that shows `<<<` in its place at the same line and column, so
 * messages and dependencies name the source itself. Files beside it that it includes with quotes are treated alike. */
#include "cc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum { MOST_FILES = 256, LARGEST = 64 << 20 };

struct overlay {
    struct cc *cc;
    struct words seen;
    FILE *map;
    const char *map_path;
    int changed;
};

static char *read_source(const char *path, size_t *size)
{
    struct stat st;
    bool read = stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < LARGEST;
    return read ? file_read(path, size) : NULL;
}

/* The end of the comment or literal that starts at s; s itself when none does. */
static char *skip_quiet(char *s)
{
    if (s[0] == '/' && s[1] == '/')
        return s + strcspn(s, "\n");
    if (s[0] == '/' && s[1] == '*') {
        char *end = strstr(s + 2, "*/");
        return end ? end + 2 : s + strlen(s);
    }
    if (*s != '"' && *s != '\'')
        return s;
    char quote = *s++;
    while (*s && *s != quote && *s != '\n')
        s += *s == '\\' && s[1] ? 2 : 1;
    return *s ? s + 1 : s;
}

/* Joins a bracket written in pieces at s (`<< <`, `< <<`) by moving the blanks before it; returns its end, or NULL. */
static char *join(char *s, char c)
{
    char *p = s, *end = s;
    int n = 0;
    for (; *p == c || *p == ' ' || *p == '\t'; p++) {
        if (*p != c)
            continue;
        end = p + 1;
        if (++n == 3)
            break;
    }
    if (n != 3 || end - s == 3)
        return NULL;
    memset(s, ' ', (size_t)(end - s));
    memset(end - 3, c, 3);
    return end;
}

static bool after_operator(const char *text, const char *s)
{
    while (s > text && (s[-1] == ' ' || s[-1] == '\t'))
        s--;
    return s - text >= 8 && !memcmp(s - 8, "operator", 8);
}

/* At a bracket: the text after it, with the pieces joined. `a < < <` never occurs in valid C++, so three pieces are a
 * launch, except in `operator<< <T>`; closing brackets join only after an opening one, because `>> >` also closes
 * nested templates. */
static char *bracket(const char *text, char *s, bool *open, bool *changed)
{
    char *end = NULL;
    if (!strncmp(s, "<<<", 3) || !strncmp(s, ">>>", 3)) {
        *open = *s == '<';
        return s + 3;
    }
    if (*s == '<' && !after_operator(text, s))
        end = join(s, '<');
    else if (*s == '>' && *open)
        end = join(s, '>');
    if (!end)
        return s + 1;
    *open = end[-1] == '<';
    *changed = true;
    return end;
}

static bool join_launches(char *text)
{
    bool open = false, changed = false;
    for (char *s = text; *s;) {
        char *next = skip_quiet(s);
        if (next == s)
            next = bracket(text, s, &open, &changed);
        s = next;
    }
    return changed;
}

static void start_map(struct overlay *o)
{
    char name[32];
    snprintf(name, sizeof name, "overlay%u.yaml", o->cc->temps.n);
    o->map_path = cc_temp(o->cc, name);
    o->map = fopen(o->map_path, "w");
    if (!o->map)
        cc_fail("cannot write %s: %s", o->map_path, strerror(errno));
    fputs("{ 'version': 0, 'use-external-names': false, 'roots': [\n", o->map);
}

static void add_file(struct overlay *o, const char *path, const char *text, size_t size)
{
    char real[PATH_MAX], name[32];
    if (!realpath(path, real))
        return;
    if (!o->map)
        start_map(o);
    snprintf(name, sizeof name, "overlay%u.cu", o->cc->temps.n);
    const char *copy = cc_temp(o->cc, name);
    FILE *f = fopen(copy, "wb");
    if (!f || fwrite(text, 1, size, f) != size || fclose(f))
        cc_fail("cannot write %s: %s", copy, strerror(errno));
    fprintf(o->map, "%s{ 'type': 'file', 'name': '%s', 'external-contents': '%s' }\n", o->changed++ ? ", " : "", real,
            copy);
}

static void visit(struct overlay *o, const char *path);

/* #include "name": a file in the folder of the including one. */
static void visit_includes(struct overlay *o, const char *path, const char *text)
{
    const char *slash = strrchr(path, '/');
    int dir = slash ? (int)(slash - path) + 1 : 0;
    for (const char *s = text; (s = strstr(s, "#include")); s++) {
        const char *q = s + 8 + strspn(s + 8, " \t");
        size_t n = *q == '"' ? strcspn(q + 1, "\"\n") : 0;
        char file[PATH_MAX];
        if (n && snprintf(file, sizeof file, "%.*s%.*s", dir, path, (int)n, q + 1) < (int)sizeof file)
            visit(o, file);
    }
}

static void visit(struct overlay *o, const char *path)
{
    size_t size;
    for (uint32_t i = 0; i < o->seen.n; i++)
        if (!strcmp(o->seen.at[i], path))
            return;
    if (o->seen.n == MOST_FILES)
        return;
    char *text = read_source(path, &size);
    if (!text)
        return;
    words_add(&o->seen, path);
    visit_includes(o, path, text);
    if (join_launches(text))
        add_file(o, path, text, size);
    free(text);
}

const char *cc_dialect(struct cc *cc, const char *source)
{
    struct overlay o = {.cc = cc};
    if (cc->dryrun)
        return NULL;
    visit(&o, source);
    words_free(&o.seen);
    if (!o.map)
        return NULL;
    fputs("] }\n", o.map);
    if (fclose(o.map))
        cc_fail("cannot write %s", o.map_path);
    return o.map_path;
}
