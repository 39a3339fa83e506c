/*
 * The command: golden BUILD [--accept] [--dir DIR] [--table NAME] [--program NAME] [--set KEY=VALUE] [--jobs N]
 *
 * Runs everything, or one table, or one program, prints what differs from the tables and counts; --accept writes the
 * tables. The current folder is the root of the sources.
 */
#include "regress/golden/golden.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct choice {
    const char *table, *program;         /* NULL: all */
    bool accept;
    int jobs;
};

static struct suite suite = { .dir = "regress/golden", .extra = "" };

__attribute__((noreturn)) static void usage(void)
{
    die("usage: golden BUILD [--accept] [--dir DIR] [--table NAME] [--program NAME] [--set KEY=VALUE] [--jobs N]");
}

static void take_option(struct choice *c, const char *option, const char *value)
{
    if (!strcmp(option, "--dir"))
        suite.dir = value;
    else if (!strcmp(option, "--table"))
        c->table = value;
    else if (!strcmp(option, "--program"))
        c->program = value;
    else if (!strcmp(option, "--set"))
        suite.extra = format("%s --set %s", suite.extra, value);
    else if (!strcmp(option, "--jobs"))
        c->jobs = atoi(value);
    else
        usage();
}

static void read_options(struct choice *c, int argc, char **argv)
{
    if (argc < 2)
        usage();
    suite.build = argv[1];
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--accept"))
            c->accept = true;
        else if (i + 1 < argc)
            take_option(c, argv[i], argv[i + 1]), i++;
        else
            usage();
    }
    if (c->jobs < 1)
        c->jobs = 1;
}

/* The user's own settings would change the results. */
static void clear_settings(void)
{
    extern char **environ;
    for (char **e = environ; *e;) {
        char name[64];
        if (!strncmp(*e, "SIMTX_", 6) && strcspn(*e, "=") < sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(*e, "="), *e);
            unsetenv(name);
            e = environ;
        } else {
            e++;
        }
    }
}

static bool chosen(const struct choice *c, const struct table *t, const struct program *p)
{
    return (!c->table || !strcmp(c->table, t->name)) && (!c->program || !strcmp(c->program, p->name)) &&
           suite_wants(&suite, t, p);
}

static struct run *plan(const struct choice *c, int *n)
{
    struct run *runs = keep((size_t)(suite.ntables * suite.nprograms + 1) * sizeof *runs);
    for (int t = 0; t < suite.ntables; t++)
        for (int p = 0; p < suite.nprograms; p++)
            if (chosen(c, &suite.tables[t], &suite.programs[p]))
                runs[(*n)++] = (struct run){ .table = &suite.tables[t], .program = &suite.programs[p] };
    return runs;
}

/* Every table with its part of the runs. */
static bool judge(const struct choice *c, const struct run *runs, int n, struct counts *counts)
{
    bool written = true;
    for (int t = 0, at = 0; t < suite.ntables; t++) {
        int first = at;
        while (at < n && runs[at].table == &suite.tables[t])
            at++;
        if (c->table && strcmp(c->table, suite.tables[t].name))
            continue;
        compare_table(&suite, &suite.tables[t], runs + first, at - first, counts);
        if (c->accept)
            written &= write_table(&suite, &suite.tables[t], runs + first, at - first);
    }
    return written;
}

/* The process's exit status. */
static int accept_result(bool written, int mistakes)
{
    puts(written ? "The tables are written; say in the commit why figures changed."
                 : "Not written: tables with a run that failed.");
    return !written || mistakes;
}

static int compare_result(struct counts *counts, int mistakes)
{
    if (counts->failed)
        puts("If this is intended: `make golden-accept` writes the tables, and the commit says why figures changed.");
    *(mistakes ? &counts->failed : &counts->passed) += 1;
    printf("golden: %d passed, %d failed\n", counts->passed, counts->failed);
    return counts->failed != 0;
}

int main(int argc, char **argv)
{
    struct choice c = { .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN) };
    struct counts counts = { 0, 0 };
    int n = 0;
    read_options(&c, argc, argv);
    clear_settings();
    suite_read(&suite);
    int mistakes = suite_mistakes(&suite);
    struct run *runs = plan(&c, &n);
    if (!n)
        die("golden: nothing to run: no such table or program, or the table does not run it");
    run_all(&suite, runs, n, c.jobs);
    bool written = judge(&c, runs, n, &counts);
    int status = c.accept ? accept_result(written, mistakes) : compare_result(&counts, mistakes);
    free_kept();
    return status;
}
