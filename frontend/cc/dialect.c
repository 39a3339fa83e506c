/*
 * Spellings that nvcc accepts and clang does not: launches written `kernel << < grid, block >> > (...)`; alignas after
 * a memory space, `__shared__ alignas(16) float x[4]`; registers with one % in assembly that has operands,
 * `asm("mov.u32 %0, %smid;" : "=r"(id))`; __cluster_dims__ with any constant expression. A source with one of them is
 * compiled through an overlay (clang's -ivfsoverlay) that has `<<<`, __align (a macro of simtx/nvcc.h) or %%smid on the
 * same line, or the shape of clusters as the first statement of the kernel (__cluster_shape), so messages and
 * dependencies name the source itself. Files that it includes are treated alike, if they lie beside the including file
 * or in a folder of -I, -iquote or -isystem.
 */
#include "cc.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum { MOST_FILES = 1024, LARGEST = 64 << 20 };
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

/* The text of a file in an allocation of twice its size: each % may be doubled in place, and a copy of each
 * __cluster_dims__(...) inserted (__cluster_shape, the inserted word, is as long). NULL: no file that can be read. */
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

static bool one_of(const char *s, size_t n, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == n && !memcmp(s, *words, n))
            return true;
    return false;
}

/* The end of the line at s, which goes on after a backslash at its end. */
static char *end_of_line(char *s)
{
    for (s += strcspn(s, "\n"); *s && (s[-1] == '\\' || (s[-1] == '\r' && s[-2] == '\\'));)
        s += 1 + strcspn(s + 1, "\n");
    return s;
}

/* The end of the comment or literal that starts at s; s itself when none does. */
static char *skip_quiet(char *s)
{
    if (s[0] == '/' && s[1] == '/')
        return end_of_line(s);
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

/* At the first quote of R"DELIMITER(text)DELIMITER": its end. */
static char *skip_raw(char *s)
{
    char close[20];
    size_t n = strcspn(s + 1, "(\n");
    if (s[1 + n] != '(' || n > sizeof close - 4)
        return skip_quiet(s);
    snprintf(close, sizeof close, ")%.*s\"", (int)n, s + 1);
    char *end = strstr(s, close);
    return end ? end + strlen(close) : s + strlen(s);
}

/* The end of the word at s, of the number with its separators (1'000), or of the raw string that the word begins. */
static char *skip_word(char *s)
{
    static const char *const raw[] = {"R", "LR", "uR", "UR", "u8R", NULL};
    char *end = s + strspn(s, WORD);
    if (isdigit((unsigned char)*s))
        while (*end == '\'' && strspn(end + 1, WORD))
            end += 1 + strspn(end + 1, WORD);
    return *end == '"' && one_of(s, (size_t)(end - s), raw) ? skip_raw(end) : end;
}

/* Joins `<<<` or `>>>` written in pieces at s (`<< <`, `< <<`) by moving the blanks before it; its end, or NULL. */
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

/* At `<` or `>`: the text after it, with the pieces joined. `a < < <` never occurs in valid C++, so three pieces are a
 * launch, except in `operator<< <T>`; `>` joins only after `<<<`, because `>> >` also closes
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

/* The end of the comment, literal, word or character at s. */
static char *next_piece(char *s)
{
    char *end = skip_quiet(s);
    if (end == s)
        end = skip_word(s);
    return end == s ? s + 1 : end;
}

/* The first `:` in the parentheses that open at s, or their end; NULL: neither. */
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
        s = *s == '"' ? double_signs(s, changed) : next_piece(s);
    return s;
}

/* ---- the shape of clusters ---- */

#define SHAPE_WORD "__cluster_dims__"
#define SHAPE_STATEMENT "__cluster_shape("

/* The end of the parentheses that open at s; NULL: they have none, or a directive of the preprocessor precedes it. */
static char *after_parentheses(char *s)
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

/* The brace that opens the kernel's body; s is after __cluster_dims__(...). NULL if it is not certain:
 * - the declaration ends without a body, or a directive of the preprocessor comes first;
 * - another declaration may have begun, since the body is in a macro of the program. Signs of that are a word that
 *   begins declarations, after one that does not, and a second pair of parentheses that is not of an attribute. */
static char *body(char *s)
{
    static const char *const beginnings[] = {
        "__global__", "__device__", "__host__", "__constant__", "__managed__", "__shared__", "struct", "class", "union",
        "enum", "namespace", "template", "typedef", "using", "extern", "static", "inline", "constexpr", NULL};
    static const char *const attributes[] = {
        "__launch_bounds__", "__maxnreg__", "__block_size__", "__attribute__", "__attribute", "__declspec", "__align__",
        "__cluster_dims__", "alignas", "noexcept", "requires", NULL};
    bool begun = false, parameters = false, attribute = false;
    while (s && *s && !strchr(";{}#=[)", *s)) {
        size_t n = strspn(s, WORD);
        bool beginning = one_of(s, n, beginnings), list = *s == '(' && !attribute;
        if ((beginning && begun) || (list && parameters))
            return NULL;
        parameters |= list;
        attribute = n ? one_of(s, n, attributes) : attribute && *s != '(';
        begun |= n && !beginning && !attribute;
        s = *s == '(' ? after_parentheses(s) : next_piece(s);
    }
    return s && *s == '{' && parameters ? s : NULL;
}

static bool in_directive(const char *text, const char *s)
{
    while (s > text && (s[-1] != '\n' || (s - 1 > text && s[-2] == '\\')))
        s--;
    return s[strspn(s, " \t")] == '#';
}

/* Copies n bytes on one line, without comments and the backslashes of continued lines. */
static void copy_line(char *to, char *from, size_t n)
{
    for (char *s = from, *end = from + n; s < end;) {
        char *next = next_piece(s);
        bool blank = (*s == '/' && next > s + 1) || (*s == '\\' && strchr("\r\n", s[1]));
        for (; s < next; s++)
            *to++ = blank || strchr("\r\n", *s) ? ' ' : *s;
    }
}

/* At __cluster_dims__(SHAPE) in a kernel's declaration: writes blanks there, and __cluster_shape(SHAPE) after the brace
 * that opens the kernel's body, where SHAPE may depend on template parameters. Returns the end of the blanks. Without a
 * body the text stays: it is a macro then, whose shape must be numbers (host_defines.h). */
static char *move_shape(const char *text, char *s, bool *changed)
{
    char *word_end = s + sizeof SHAPE_WORD - 1, *open = word_end + strspn(word_end, BLANK);
    char *end = *open == '(' ? after_parentheses(open) : NULL, *brace = end ? body(end) : NULL;
    if (!brace || in_directive(text, s))
        return word_end;
    size_t before = sizeof SHAPE_STATEMENT - 1, shape = (size_t)(end - open) - 1;   /* to the `)`, inclusive */
    char *statement = brace + 1;
    memmove(statement + before + shape, statement, strlen(statement) + 1);
    memcpy(statement, SHAPE_STATEMENT, before);
    copy_line(statement + before, open + 1, shape);
    for (char *p = s; p < end; p++)
        *p = strchr("\r\n", *p) ? *p : ' ';
    *changed = true;
    return end;
}

/* At the start of a word: its end, or that of the alignas, the shape of clusters or the assembly text that follows. */
static char *word(const char *text, char *s, bool *changed)
{
    static const char *const spaces[] = {"__shared__", "__device__", "__constant__", "__managed__", NULL};
    static const char *const assemblies[] = {"asm", "__asm__", "__asm", NULL};
    size_t n = (size_t)(skip_word(s) - s);
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

static void map_file(struct overlay *o, const char *path, const char *copy)
{
    fprintf(o->map, "%s{ 'type': 'file', 'name': '%s', 'external-contents': '%s' }\n", o->changed++ ? ", " : "", path,
            copy);
}

/* The path as clang makes it absolute: with the shell's name of the current folder. */
static bool absolute(const char *path, char whole[PATH_MAX])
{
    struct stat here, named;
    const char *pwd = getenv("PWD");
    if (*path == '/' || !pwd || *pwd != '/' || stat(".", &here) || stat(pwd, &named) || here.st_dev != named.st_dev ||
        here.st_ino != named.st_ino)
        pwd = "";
    return (*pwd || *path == '/') && snprintf(whole, PATH_MAX, "%s%s%s", pwd, *pwd ? "/" : "", path) < PATH_MAX;
}

/* clang looks a file up by its path as written, and by the path without symbolic links. */
static void add_file(struct overlay *o, const char *path, const char *text)
{
    char real[PATH_MAX], whole[PATH_MAX], name[32];
    if (!realpath(path, real))
        return;
    if (!o->map)
        start_map(o);
    snprintf(name, sizeof name, "overlay%u.cu", o->cc->overlays++);
    const char *copy = cc_temp(o->cc, name);
    FILE *f = fopen(copy, "wb");
    if (!f || fputs(text, f) < 0 || fclose(f))
        cc_fail("cannot write %s: %s", copy, strerror(errno));
    map_file(o, real, copy);
    if (absolute(path, whole) && strcmp(whole, real))
        map_file(o, whole, copy);
}

static bool visit(struct overlay *o, const char *path);

/* The file of an #include in a folder whose name has n bytes, if it is there. */
static bool visit_in(struct overlay *o, const char *folder, size_t n, const char *name)
{
    char file[PATH_MAX];
    const char *slash = n && folder[n - 1] != '/' && *name != '/' ? "/" : "";
    if (*name == '/')
        n = 0;
    return snprintf(file, sizeof file, "%.*s%s%s", (int)n, folder, slash, name) < (int)sizeof file && visit(o, file);
}

/* The file of an #include in the first folder of the command line that has it; -iquote only for names in quotes. */
static void visit_in_folders(struct overlay *o, const char *name, bool quotes)
{
    static const char *const options[] = {"-iquote", "-I", "-isystem"};
    const struct words *w = &o->cc->opts;
    for (size_t k = !quotes; k < sizeof options / sizeof *options; k++) {
        size_t n = strlen(options[k]);
        for (uint32_t i = 0; i < w->n; i++) {
            if (strncmp(w->at[i], options[k], n))
                continue;
            const char *folder = w->at[i][n] || i + 1 == w->n ? w->at[i] + n : w->at[++i];
            if (visit_in(o, folder, strlen(folder), name))
                return;
        }
    }
}

/* #include "name" or <name>; with quotes, the folder of the including file comes first. */
static void visit_includes(struct overlay *o, const char *path, const char *text)
{
    const char *slash = strrchr(path, '/');
    for (const char *s = text; (s = strchr(s, '#')); s++) {
        const char *q = s + 1 + strspn(s + 1, " \t");
        if (strncmp(q, "include", 7))
            continue;
        q += 7 + strspn(q + 7, " \t");
        bool quotes = *q == '"';
        size_t n = quotes || *q == '<' ? strcspn(q + 1, quotes ? "\"\n" : ">\n") : 0;
        char name[PATH_MAX];
        if (!n || snprintf(name, sizeof name, "%.*s", (int)n, q + 1) >= (int)sizeof name)
            continue;
        if (!quotes || !visit_in(o, path, slash ? (size_t)(slash - path) + 1 : 0, name))
            visit_in_folders(o, name, quotes);
    }
}

/* False if there is no such file. */
static bool visit(struct overlay *o, const char *path)
{
    for (uint32_t i = 0; i < o->seen.n; i++)
        if (!strcmp(o->seen.at[i], path))
            return true;
    char *text = o->seen.n < MOST_FILES ? read_source(path) : NULL;
    if (!text)
        return false;
    words_add(&o->seen, path);
    visit_includes(o, path, text);
    if (rewrite(text))
        add_file(o, path, text);
    free(text);
    return true;
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
