/*
 * Spellings that nvcc accepts and clang does not: launches written `kernel << < grid, block >> > (...)`; alignas after
 * a memory space, `__shared__ alignas(16) float x[4]`; registers with one % in assembly that has operands,
 * `asm("mov.u32 %0, %smid;" : "=r"(id))`; __cluster_dims__ with any constant expression. A source with one of them is
 * compiled through an overlay (clang's -ivfsoverlay) that has `<<<`, __align (a macro of simtx/nvcc.h) or %%smid on the
 * same line, or the shape of clusters as the first statement of the kernel (__cluster_shape), so messages and
 * dependencies name the source itself. Files beside it that it includes with quotes are treated alike.
 */
#include "cc.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum { MOST_FILES = 256, LARGEST = 64 << 20 };
#define LETTER "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define WORD LETTER "0123456789"
#define BLANK " \t\r\n"

struct overlay {
    struct cc *cc;
    struct words seen;
    FILE *map;
    const char *map_path;
    int changed;
};

/* With room for every % to be doubled and for every __cluster_dims__ to be written once more. */
static char *read_source(const char *path)
{
    struct stat st;
    size_t size;
    bool read = stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < LARGEST;
    char *text = read ? file_read(path, &size) : NULL;
    char *roomy = text ? realloc(text, 2 * size + 1) : NULL;
    if (!roomy)
        free(text);
    return roomy;
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

/* In the literal that starts at s, doubles each % before the name of a register; the end of the literal. */
static char *double_signs(char *s, bool *changed)
{
    char *end = skip_quiet(s);
    for (char *p = s; p < end; p++) {
        if (*p != '%')
            continue;
        if (p[1] == '%') {
            p++;
        } else if (p[1] && strchr("abchknqwz", p[1]) && isdigit((unsigned char)p[2])) {
            continue;                            /* an operand of host code with a modifier: %b0 */
        } else if (strspn(p + 1, LETTER)) {
            memmove(p + 1, p, strlen(p) + 1);
            p++;
            end++;
            *changed = true;
        }
    }
    return end;
}

static char *next_piece(char *s)
{
    char *end = skip_quiet(s);
    return end == s ? s + 1 : end;
}

/* The first `:` or closing bracket that belongs to the bracket that opens at s; NULL: neither. */
static char *operands(char *s)
{
    int depth = 0;
    while (*s) {
        depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
        if (depth == 0 || (depth == 1 && *s == ':'))
            return s;
        s = next_piece(s);
    }
    return NULL;
}

/* At the text after the word asm: the end of the assembly text. */
static char *assembly(char *s, bool *changed)
{
    char *open = s + strspn(s, BLANK);
    if (!strncmp(open, "volatile", 8) || !strncmp(open, "__volatile__", 12))
        open += strspn(open, WORD);
    open += strspn(open, BLANK);
    char *end = *open == '(' ? operands(open) : NULL;
    if (!end || *end != ':')
        return s;
    for (s = open + 1; *s && *s != ':' && *s != ')';)
        s = *s == '"' && s[-1] != 'R' ? double_signs(s, changed) : next_piece(s);
    return s;
}

/* ---- the shape of clusters ---- */

#define SHAPE_WORD "__cluster_dims__"
#define SHAPE_STATEMENT "__cluster_shape("

/* After the brackets that open at s, without what belongs to the preprocessor; NULL: they have no end. */
static char *after_brackets(char *s)
{
    int depth = 0;
    while (*s && *s != '#') {
        depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
        s = next_piece(s);
        if (depth == 0)
            return s;
    }
    return NULL;
}

/* The brace that opens the body of the function whose declaration goes on at s; NULL: none, or a conditional part of
 * the preprocessor comes before it. */
static char *body(char *s)
{
    while (s && *s && !strchr(";{}#", *s))
        s = *s == '(' ? after_brackets(s) : next_piece(s);
    return s && *s == '{' ? s : NULL;
}

static bool in_directive(const char *text, const char *s)
{
    while (s > text && (s[-1] != '\n' || (s - 1 > text && s[-2] == '\\')))
        s--;
    return s[strspn(s, " \t")] == '#';
}

/* Copies n bytes on one line, without comments. */
static void copy_line(char *to, char *from, size_t n)
{
    for (char *s = from, *end = from + n; s < end;) {
        char *next = next_piece(s), quiet = *s == '/' && next > s + 1;
        for (; s < next; s++)
            *to++ = quiet || *s == '\n' ? ' ' : *s;
    }
}

/* At __cluster_dims__(SHAPE) before a kernel's body: moves the shape into the body, where it may depend on template
 * parameters. The text becomes no longer than with the shape twice. */
static char *move_shape(const char *text, char *s, bool *changed)
{
    char *open = s + sizeof SHAPE_WORD - 1 + strspn(s + sizeof SHAPE_WORD - 1, BLANK);
    char *end = *open == '(' ? after_brackets(open) : NULL, *brace = end ? body(end) : NULL;
    if (!brace || in_directive(text, s))
        return s + sizeof SHAPE_WORD - 1;
    size_t before = sizeof SHAPE_STATEMENT - 1, shape = (size_t)(end - open) - 1;         /* with the bracket */
    char *statement = brace + 1;
    memmove(statement + before + shape, statement, strlen(statement) + 1);
    memcpy(statement, SHAPE_STATEMENT, before);
    copy_line(statement + before, open + 1, shape);
    for (char *p = s; p < end; p++)
        *p = *p == '\n' ? '\n' : ' ';
    *changed = true;
    return end;
}

static bool one_of(const char *s, size_t n, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == n && !memcmp(s, *words, n))
            return true;
    return false;
}

/* At the start of a word: its end, or that of the alignas, the shape of clusters or the assembly text that follows. */
static char *word(const char *text, char *s, bool *changed)
{
    static const char *const spaces[] = {"__shared__", "__device__", "__constant__", "__managed__", NULL};
    static const char *const assemblies[] = {"asm", "__asm__", "__asm", NULL};
    size_t n = strspn(s, WORD);
    char *next = s + n + strspn(s + n, BLANK);
    if (one_of(s, n, assemblies))
        return assembly(s + n, changed);
    if (n == sizeof SHAPE_WORD - 1 && !memcmp(s, SHAPE_WORD, n))
        return move_shape(text, s, changed);
    if (!one_of(s, n, spaces) || strspn(next, WORD) != 7 || memcmp(next, "alignas", 7))
        return s + n;
    memcpy(next, "__align", 7);
    *changed = true;
    return next + 7;
}

static bool rewrite(char *text)
{
    bool open = false, changed = false;
    for (char *s = text; *s;) {
        char *next = skip_quiet(s);
        if (next == s)
            next = strspn(s, WORD) ? word(text, s, &changed) : bracket(text, s, &open, &changed);
        s = next;
    }
    return changed;
}

static void start_map(struct overlay *o)
{
    char name[32];
    snprintf(name, sizeof name, "overlay%u.yaml", o->cc->overlays++);
    o->map_path = cc_temp(o->cc, name);
    o->map = fopen(o->map_path, "w");
    if (!o->map)
        cc_fail("cannot write %s: %s", o->map_path, strerror(errno));
    fputs("{ 'version': 0, 'use-external-names': false, 'roots': [\n", o->map);
}

static void add_file(struct overlay *o, const char *path, const char *text)
{
    char real[PATH_MAX], name[32];
    if (!realpath(path, real))
        return;
    if (!o->map)
        start_map(o);
    snprintf(name, sizeof name, "overlay%u.cu", o->cc->overlays++);
    const char *copy = cc_temp(o->cc, name);
    FILE *f = fopen(copy, "wb");
    if (!f || fputs(text, f) < 0 || fclose(f))
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
    for (uint32_t i = 0; i < o->seen.n; i++)
        if (!strcmp(o->seen.at[i], path))
            return;
    if (o->seen.n == MOST_FILES)
        return;
    char *text = read_source(path);
    if (!text)
        return;
    words_add(&o->seen, path);
    visit_includes(o, path, text);
    if (rewrite(text))
        add_file(o, path, text);
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
    bool failed = ferror(o.map);
    if (fclose(o.map) || failed)
        cc_fail("cannot write %s", o.map_path);
    return o.map_path;
}
