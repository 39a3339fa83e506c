/*
 * Writes the generated litmus tests, or every Nth of them, into a folder, with a file of expectations for each model.
 * Usage: diy DIR [N]
 */
#include <stdio.h>
#include <stdlib.h>

#include "regress/litmus/generate.h"

struct output { const char *dir; int every, seen, written; FILE *expect[3]; };

static FILE *create(const char *dir, const char *name, const char *ending)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s%s", dir, name, ending);
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(1);
    }
    return f;
}

static void write_test(void *ctx, const struct generated *g)
{
    struct output *o = ctx;
    const char *const verdicts[] = { g->sc, g->tso, g->ptx };
    if (o->seen++ % o->every)
        return;
    FILE *f = create(o->dir, g->name, ".litmus");
    fputs(g->text, f);
    fclose(f);
    for (int i = 0; i < 3; i++)
        fprintf(o->expect[i], "%s %s\n", g->name, verdicts[i]);
    o->written++;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    struct output o = { .dir = argv[1], .every = argc > 2 ? atoi(argv[2]) : 1 };
    static const char *const models[] = { "expect.sc", "expect.tso", "expect.ptx" };
    for (int i = 0; i < 3; i++)
        o.expect[i] = create(o.dir, models[i], "");
    generate_tests(write_test, &o);
    for (int i = 0; i < 3; i++)
        fclose(o.expect[i]);
    printf("%d tests\n", o.written);
    return 0;
}
