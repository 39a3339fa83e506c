/*
 * A preset beside publications about the chip: measures each figure of the machine's table, and requires it to be
 * within 10 % of the published one or to have a note in the table, and the document to show what was measured. MACHINE
 * is the preset's name and FIGURES its table, in the form that v100.def explains (machines.mk).
 * Usage: MACHINE DOCUMENT [--write]
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "regress/machines/document.h"
#include "regress/machines/measure.h"

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
#include FIGURES
#undef FIGURE
};

enum { N_FIGURES = sizeof figures / sizeof *figures };

static const char begin[] = "<!-- measured; `make " MACHINE "-doc` writes this part -->\n",
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

/* Measures all figures; returns how many are off without an explanation, or have one and are not off. */
static int measure_all(char *text, size_t size)
{
    int failed = 0;
    size_t n = (size_t)snprintf(text, size, "| figure | unit | published | simtx | difference | source |\n"
                                            "|---|---|---|---|---|---|\n");
    for (const struct figure *f = figures; f < figures + N_FIGURES; f++) {
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

int main(int argc, char **argv)
{
    static char table[TEXT];
    if (argc < 2)
        return 2;
    int failed = measure_all(table, sizeof table);
    if (!document_has(argv[1], begin, end, table, argc > 2 && !strcmp(argv[2], "--write"))) {
        printf("FAILED  %s does not have the measured figures: make " MACHINE "-doc\n", argv[1]);
        failed++;
    }
    printf(MACHINE ": %d passed, %d failed\n", N_FIGURES + 1 - failed, failed);
    return failed ? 1 : 0;
}
