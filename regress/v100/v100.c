/*
 * The preset v100 beside publications about the chip: measures each figure of the table, and requires it to be within
 * 10 % of the published one or to have a note in the table, and docs/v100.md to show what was measured.
 * Usage: v100 DOCUMENT [--write]
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "regress/v100/measure.h"

enum { TEXT = 1 << 16 };

struct figure {
    const char *what, *unit, *source;
    double published;
    double (*measure)(const char *argument);
    const char *argument, *note;                 /* note: the number of the explanation in the document; NULL = none */
};

static const struct figure figures[] = {
#define FIGURE(what, published, unit, source, measure, argument, note) \
    { what, unit, source, published, measure_##measure, argument, note },
#include "regress/v100/figures.def"
#undef FIGURE
};

enum { FIGURES = sizeof figures / sizeof *figures };

static const char begin[] = "<!-- measured; `make v100-doc` writes this part -->\n",
                  end[] = "<!-- end of the measured part -->\n";

/* Significant digits by size: 3.97, 28.0, 2155. */
static void number(char *text, size_t size, double v)
{
    snprintf(text, size, "%.*f", v >= 1000 ? 0 : v >= 10 ? 1 : 2, v);
}

static size_t add_row(char *text, size_t size, const struct figure *f, double measured)
{
    char published[30], got[30];
    snprintf(published, sizeof published, "%.10g", f->published);
    number(got, sizeof got, measured);
    return (size_t)snprintf(text, size, "| %s | %s | %s | %s | %+.0f %% | %s%s |\n", f->what, f->unit, published, got,
                            100 * (measured / f->published - 1), f->source, f->note ? f->note : "");
}

/* Measures all figures; returns how many are off without an explanation. */
static int measure_all(char *text, size_t size)
{
    int failed = 0;
    size_t n = (size_t)snprintf(text, size, "| figure | unit | published | simtx | difference | source |\n"
                                            "|---|---|---|---|---|---|\n");
    for (const struct figure *f = figures; f < figures + FIGURES; f++) {
        double measured = f->measure(f->argument);
        bool near = fabs(measured / f->published - 1) <= 0.1;
        n += add_row(text + n, size - n, f, measured);
        if (near == !f->note)
            continue;
        failed++;
        printf("FAILED  %s: %.3f, published %.10g%s\n", f->what, measured, f->published,
               near ? ": needs no explanation" : "");
    }
    return failed;
}

static void write_document(const char *path, const char *document, const char *from, const char *to, const char *table)
{
    FILE *f = fopen(path, "w");
    if (!f || fprintf(f, "%.*s%s%s", (int)(from - document), document, table, to) < 0 || fclose(f)) {
        fprintf(stderr, "v100: cannot write %s\n", path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static char table[TEXT];
    if (argc < 2)
        return 2;
    char *document = file_read(argv[1], NULL);
    char *from = document ? strstr(document, begin) : NULL, *to = document ? strstr(document, end) : NULL;
    if (!from || !to) {
        fprintf(stderr, "v100: %s has no measured part\n", argv[1]);
        return 1;
    }
    from += strlen(begin);
    int failed = measure_all(table, sizeof table);
    bool same = strlen(table) == (size_t)(to - from) && !strncmp(table, from, strlen(table));
    if (argc > 2 && !strcmp(argv[2], "--write"))
        write_document(argv[1], document, from, to, table);
    else if (!same) {
        printf("FAILED  %s does not have the measured figures: make v100-doc\n", argv[1]);
        failed++;
    }
    free(document);
    printf("v100: %d passed, %d failed\n", FIGURES + 1 - failed, failed);
    return failed ? 1 : 0;
}
