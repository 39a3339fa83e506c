/*
 * Tables of deliberate faults (*.faults; docs/mutants.md describes a row): reads them, checks that each text that a
 * fault replaces stands exactly once in its file, writes the changed files, and judges the results of the runs.
 *
 *   table check                     each text stands exactly once in its file
 *   table rules BUILD               make's rules for the changed objects and the finders linked with them
 *   table runs few|all              a line for each run: fault, finder, the finder's arguments
 *   table change FAULT DIR          the changed files, under DIR
 *   table judge few|all BUILD       whether the runs found the faults that they must find
 *   table page BUILD                the results as Markdown
 *
 * followed by the names of the tables.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"

enum { ROWS = 1000, FINDERS = 40, MOST = 12, LINE = 2000, NAME = 300 };

/* A text of whole lines and what replaces it. */
struct hunk { char *file, *text, *becomes; };
/* A program that looks for a fault. survives: why it is not found; NULL = it must be. */
struct by { char *finder, *args, *survives; };
struct row {
    const char *table;
    unsigned line;
    char *name, *part, *wrong;
    struct hunk hunk[MOST];
    struct by by[MOST];
    char *object[MOST];              /* sources that include a changed file, to be compiled with it */
    unsigned hunks, bys, objects;
};
/* few: `make test` runs it on every few-th of its faults; 0 = on none. */
struct finder { char *name, *title, *text; unsigned few; };

static struct row row[ROWS];
static struct finder finder[FINDERS];
static unsigned rows, finders, passed, failed;

/* ---- reading ---- */

__attribute__((format(printf, 1, 2), noreturn)) static void stop(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

static char *whole_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    char *text = NULL;
    size_t room = 0;
    if (!f)
        return NULL;
    ssize_t n = getdelim(&text, &room, 0, f);
    fclose(f);
    return n < 0 ? mem_string("") : text;
}

/* Splits off the first word; returns the rest. */
static char *rest_of(char *s)
{
    char *space = strchr(s, ' ');
    if (!space)
        return s + strlen(s);
    *space = 0;
    return space + 1;
}

static struct by *by_of(struct row *r, const char *name)
{
    for (unsigned i = 0; i < r->bys; i++)
        if (!strcmp(r->by[i].finder, name))
            return &r->by[i];
    return NULL;
}

static bool finder_line(const char *key, char *value)
{
    struct finder *f = &finder[finders - 1];
    if (!strcmp(key, "title"))
        f->title = mem_string(value);
    else if (!strcmp(key, "few"))
        f->few = (unsigned)atoi(value);
    else if (!strcmp(key, "text"))
        mem_append(&f->text, "%s\n", value);
    else
        return false;
    return true;
}

static bool survives_line(struct row *r, char *value)
{
    char *why = rest_of(value);
    struct by *b = by_of(r, value);
    if (b && *why)
        b->survives = mem_string(why);
    return b && *why;
}

static bool row_line(const char *key, char *value)
{
    struct row *r = &row[rows - 1];
    char *args;
    if (r->hunks == MOST || r->bys == MOST || r->objects == MOST)
        return false;
    if (!strcmp(key, "part"))
        r->part = mem_string(value);
    else if (!strcmp(key, "wrong"))
        r->wrong = mem_string(value);
    else if (!strcmp(key, "object"))
        r->object[r->objects++] = mem_string(value);
    else if (!strcmp(key, "survives"))
        return survives_line(r, value);
    else if (!strcmp(key, "file"))
        r->hunk[r->hunks++] = (struct hunk){ mem_string(value), mem_string(""), mem_string("") };
    else if (!strcmp(key, "by") && (args = rest_of(value)) && !by_of(r, value))
        r->by[r->bys++] = (struct by){ mem_string(value), mem_string(args), NULL };
    else
        return false;
    return true;
}

/* A line of a text: -, + or, of both, a space. */
static bool text_line(const char *s)
{
    struct row *r = &row[rows - 1];
    if (!rows || !r->hunks)
        return false;
    struct hunk *h = &r->hunk[r->hunks - 1];
    if (*s != '+')
        mem_append(&h->text, "%s\n", s + 1);
    if (*s != '-')
        mem_append(&h->becomes, "%s\n", s + 1);
    return true;
}

/* in: what the lines belong to: 0, 'f' of a finder, 'r' of a row. */
static bool read_line(char *s, const char *table, unsigned line, char *in)
{
    if (!*s || *s == '#')
        return true;
    if (strchr(" -+", *s))
        return *in == 'r' && text_line(s);
    char *value = rest_of(s);
    if (!strcmp(s, "finder") && finders < FINDERS) {
        finder[finders++] = (struct finder){ .name = mem_string(value) };
        *in = 'f';
        return true;
    }
    if (!strcmp(s, "fault") && rows < ROWS) {
        row[rows++] = (struct row){ .name = mem_string(value), .table = table, .line = line };
        *in = 'r';
        return true;
    }
    return *in == 'f' ? finder_line(s, value) : *in == 'r' && row_line(s, value);
}

static void read_table(const char *name)
{
    char s[LINE], in = 0;
    unsigned line = 0;
    FILE *f = fopen(name, "r");
    if (!f)
        stop("%s: cannot be read", name);
    while (fgets(s, LINE, f)) {
        line++;
        s[strcspn(s, "\n")] = 0;
        if (!read_line(s, name, line, &in))
            stop("%s:%u: not understood", name, line);
    }
    fclose(f);
}

/* ---- checking ---- */

__attribute__((format(printf, 3, 4))) static bool holds(bool good, const struct row *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!good) {
        printf("%s:%u: fault %s: ", r->table, r->line, r->name);
        vprintf(format, args);
        putchar('\n');
    }
    va_end(args);
    return good;
}

/* Where the lines next stand in the file, from `from` on; NULL = they do not. */
static const char *next_place(const char *file, const char *text, const char *from)
{
    for (const char *at = strstr(from, text); at; at = strstr(at + 1, text))
        if (at == file || at[-1] == '\n')
            return at;
    return NULL;
}

static bool stands_once(const struct row *r, const struct hunk *h)
{
    char *file = whole_file(h->file);
    unsigned n = 0;
    if (!holds(*h->text, r, "no text for %s", h->file) || !holds(file != NULL, r, "there is no %s", h->file)) {
        free(file);
        return false;
    }
    for (const char *at = next_place(file, h->text, file); at; at = next_place(file, h->text, at + 1))
        n++;
    free(file);
    return holds(n == 1, r, "its text stands %u times in %s, not once:\n%s", n, h->file, h->text);
}

static const struct finder *finder_called(const char *name)
{
    for (unsigned i = 0; i < finders; i++)
        if (!strcmp(finder[i].name, name))
            return &finder[i];
    return NULL;
}

static bool is_source(const char *file)
{
    size_t n = strlen(file);
    return n > 2 && !strcmp(file + n - 2, ".c");
}

static bool row_is_whole(const struct row *r)
{
    bool good = holds(r->part && r->wrong && r->hunks && r->bys, r, "part, wrong, by and file are needed");
    for (unsigned i = 0; i < r->bys; i++)
        good &= holds(finder_called(r->by[i].finder) != NULL, r, "there is no finder %s", r->by[i].finder);
    for (const struct row *o = row; o < r; o++)
        good &= holds(strcmp(o->name, r->name), r, "another fault has this name");
    for (unsigned i = 0; i < r->hunks; i++) {
        good &= stands_once(r, &r->hunk[i]);
        good &= holds(is_source(r->hunk[i].file) || r->objects, r,
                      "%s is no source: an object line must name one that includes it", r->hunk[i].file);
    }
    return good;
}

static void do_check(char **args)
{
    for (unsigned i = 0; i < rows; i++) {
        bool good = row_is_whole(&row[i]);
        passed += good;
        failed += !good;
    }
    printf("mutant-texts: %u passed, %u failed\n", passed, failed);
}

/* ---- changing files ---- */

static const struct row *row_called(const char *name)
{
    for (unsigned i = 0; i < rows; i++)
        if (!strcmp(row[i].name, name))
            return &row[i];
    stop("there is no fault %s", name);
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
}

/* A file that has these bytes already keeps its modification time, so that it is not compiled again. */
static void write_changed(const char *dir, const char *file, const char *text)
{
    char path[NAME];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    char *was = whole_file(path);
    if (!was || strcmp(was, text)) {
        make_folders(path);
        FILE *f = fopen(path, "w");
        if (!f || fputs(text, f) < 0 || fclose(f))
            stop("%s: cannot be written", path);
    }
    free(was);
}

/* The file's original text with the row's hunks for it applied. */
static char *changed(const struct row *r, const char *file, const char *original)
{
    char *text = mem_string("");
    const char *at = original;
    while (*at) {
        const struct hunk *here = NULL;
        for (const struct hunk *h = r->hunk; h < r->hunk + r->hunks; h++)
            if (!strcmp(h->file, file) && !strncmp(at, h->text, strlen(h->text)))
                here = h;
        if (here)
            mem_append(&text, "%s", here->becomes);
        char *end = strchr(at, '\n');
        size_t n = here ? strlen(here->text) : end ? (size_t)(end + 1 - at) : strlen(at);
        if (!here) {
            char *line = strndup(at, n);
            mem_append(&text, "%s", line);
            free(line);
        }
        at += n;
    }
    return text;
}

static void change(const struct row *r, const char *dir)
{
    if (!row_is_whole(r))
        exit(1);
    for (unsigned i = 0; i < r->hunks; i++) {
        char *original = whole_file(r->hunk[i].file), *text = changed(r, r->hunk[i].file, original);
        write_changed(dir, r->hunk[i].file, text);
        free(original);
        free(text);
    }
}

/* ---- make's rules ---- */

/* The object of a source that the row changes, or that includes a file that the row changes. */
static void object_rule(const struct row *r, const char *build, const char *source, bool is_changed)
{
    const char *slash = strrchr(source, '/');
    int folder = slash ? (int)(slash - source) : 0, stem = (int)strlen(source) - 2;
    char dir[NAME];
    snprintf(dir, sizeof dir, "%s/mutants/%s", build, r->name);
    if (is_changed)
        printf("%s/%s: %s/changed ;\n%s/%.*s.o: %s/%s\n", dir, source, dir, dir, stem, source, dir, source);
    else
        printf("%s/%.*s.o: %s %s/changed\n", dir, stem, source, source, dir);
    printf("\t@mkdir -p $(@D)\n\t$(CC) -iquote %.*s -I%s $(CFLAGS) -w -MMD -MP -c $< -o $@\n", folder, source, dir);
    printf("%s/objects: %s/%.*s.o\n", dir, dir, stem, source);
}

static bool is_first_of_file(const struct row *r, unsigned hunk)
{
    for (unsigned i = 0; i < hunk; i++)
        if (!strcmp(r->hunk[i].file, r->hunk[hunk].file))
            return false;
    return true;
}

/* The list of the row's objects is a file, on which the finders depend. */
static void row_rules(const struct row *r, const char *build)
{
    printf("%s/mutants/%s/changed: %s $(MUTANT_TABLE)", build, r->name, r->table);
    for (unsigned i = 0; i < r->hunks; i++)
        printf(" %s", r->hunk[i].file);
    printf("\n\t@$(MUTANT_TABLE) change %s %s/mutants/%s $(MUTANT_TABLES)\n\t@touch $@\n", r->name, build, r->name);
    for (unsigned i = 0; i < r->hunks; i++)
        if (is_source(r->hunk[i].file) && is_first_of_file(r, i))
            object_rule(r, build, r->hunk[i].file, true);
    for (unsigned i = 0; i < r->objects; i++)
        object_rule(r, build, r->object[i], false);
    printf("%s/mutants/%s/objects:\n\t@echo $^ > $@\n", build, r->name);
    for (unsigned i = 0; i < r->bys; i++)
        printf("%s/mutants/%s/%s: %s/mutants/%s/objects $(FINDER_NEEDS_%s)\n\t$(call LINK_FINDER,%s,$(shell cat $<))\n",
               build, r->name, r->by[i].finder, build, r->name, r->by[i].finder, r->by[i].finder);
}

/* Also for the finders without a fault, as fault "none". */
static void rules(const char *build)
{
    for (unsigned i = 0; i < finders; i++)
        printf("%s/mutants/none/%s: $(FINDER_NEEDS_%s)\n\t@mkdir -p $(@D)\n\t$(call LINK_FINDER,%s)\n", build,
               finder[i].name, finder[i].name, finder[i].name);
    for (unsigned i = 0; i < rows; i++)
        row_rules(&row[i], build);
}

/* ---- runs and their results ---- */

/* Calls `does` for the runs in the order of the page; a finder without a fault (row NULL) comes first. */
static void for_runs(bool all, const char *build, void (*does)(const struct row *, const struct finder *,
                                                              const struct by *, const char *build))
{
    for (const struct finder *f = finder; f < finder + finders; f++) {
        unsigned n = 0;
        if (all || f->few)
            does(NULL, f, &(struct by){ f->name, "", "there is no fault" }, build);
        for (struct row *r = row; r < row + rows; r++) {
            const struct by *b = by_of(r, f->name);
            if (b && (all || (f->few && n % f->few == 0)))
                does(r, f, b, build);
            n += b != NULL;
        }
    }
}

static void print_run(const struct row *r, const struct finder *f, const struct by *b, const char *build)
{
    printf("%s %s%s%s\n", r ? r->name : "none", f->name, *b->args ? " " : "", b->args);
}

/* found, survives or wrong; by which check, or why; where; after how many transactions or the like. */
struct result { char text[LINE], *verdict, *check, *where, *count; };

static char *field(char **rest)
{
    static char none[1];
    char *f = strsep(rest, "\t");
    return f ? f : none;
}

static struct result *result_of(const struct row *r, const struct finder *f, const char *build)
{
    static struct result s;
    char path[NAME], *rest = s.text;
    snprintf(path, sizeof path, "%s/mutants/%s/%s.result", build, r ? r->name : "none", f->name);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(s.text, LINE, file))
        snprintf(s.text, LINE, "wrong\tit has not been run");
    if (file)
        fclose(file);
    s.text[strcspn(s.text, "\n")] = 0;
    s.verdict = field(&rest);
    s.check = field(&rest);
    s.where = field(&rest);
    s.count = field(&rest);
    return &s;
}

static void judge_run(const struct row *r, const struct finder *f, const struct by *b, const char *build)
{
    struct result *s = result_of(r, f, build);
    bool good = !strcmp(s->verdict, b->survives ? "survives" : "found");
    passed += good;
    failed += !good;
    if (!good)
        printf("fault %s, %s: %s %s %s%s%s\n", r ? r->name : "none", f->name, s->verdict, s->check, s->where,
               b->survives && r ? ", but the row says that it survives: " : "", b->survives && r ? b->survives : "");
}

static unsigned on_page, survivors;

static void page_run(const struct row *r, const struct finder *f, const struct by *b, const char *build)
{
    static const struct finder *last;
    struct result *s = result_of(r, f, build);
    if (f != last) {
        printf("\n## %s\n\n%s\n", f->title, f->text);
        printf("| fault | part | what is wrong | found by | in | after |\n|---|---|---|---|---|---|\n");
    }
    last = f;
    if (!r)
        return;
    on_page++;
    survivors += !strcmp(s->verdict, "survives");
    printf("| %s | %s | %s | %s | %s | %s |\n", r->name, r->part, r->wrong,
           strcmp(s->verdict, "found") ? s->verdict : s->check, b->survives ? b->survives : s->where, s->count);
}

static void do_rules(char **args)
{
    rules(args[0]);
}

static void do_runs(char **args)
{
    for_runs(!strcmp(args[0], "all"), "", print_run);
}

static void do_change(char **args)
{
    change(row_called(args[0]), args[1]);
}

static void do_judge(char **args)
{
    for_runs(!strcmp(args[0], "all"), args[1], judge_run);
    printf("mutants: %u passed, %u failed\n", passed, failed);
}

static void do_page(char **args)
{
    for_runs(true, args[0], page_run);
    printf("\n%u faults, %u searches: %u found the fault, %u did not.\n", rows, on_page, on_page - survivors,
           survivors);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; int args; void (*does)(char **args); } commands[] = {
        { "check", 0, do_check }, { "rules", 1, do_rules }, { "runs", 1, do_runs }, { "change", 2, do_change },
        { "judge", 2, do_judge }, { "page", 1, do_page }
    };
    enum { COMMANDS = sizeof commands / sizeof *commands };
    int c = 0;
    while (c < COMMANDS && (argc < 2 || strcmp(argv[1], commands[c].name)))
        c++;
    if (c == COMMANDS || argc < 3 + commands[c].args)
        stop("usage: table COMMAND ... TABLE...");
    for (int i = 2 + commands[c].args; i < argc; i++)
        read_table(argv[i]);
    commands[c].does(argv + 2);
    return failed != 0;
}
