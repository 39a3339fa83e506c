/*
 * Compares the figures on a page of `simtx report` with the statistics files that it is about. Prints the first
 * difference.
 *
 *     check figures PAGE FILE...       every figure cell: the figure of the total, or the sum over the launches of its
 *                                      kernel; every stall of the first total is on the page
 *     check shares PAGE FILE           the parts of the bar of scheduler cycles (of a run with one kernel)
 */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "regress/fail.h"

enum { FILES = 64, NAME = 200 };

static json_t *file[FILES];
static int files;

static const json_t *find(const json_t *o, const char *name)
{
    const char *dot = strchr(name, '.');
    char part[NAME];
    if (!dot)
        return json_object_get(o, name);
    snprintf(part, sizeof part, "%.*s", (int)(dot - name), name);
    return find(json_object_get(o, part), dot + 1);
}

/* The value of an attribute of the element at `at`. */
static void attribute(const char *at, const char *name, char value[NAME])
{
    char key[NAME];
    const char *end = strchr(at, '>');
    snprintf(key, sizeof key, " %s=\"", name);
    const char *from = strstr(at, key);
    if (!from || from > end)
        fail("a figure has no %s", name);
    from += strlen(key);
    snprintf(value, NAME, "%.*s", (int)strcspn(from, "\""), from);
}

/* The number in a cell, without the spaces between its digits. */
static double shown(const char *cell)
{
    static const char space[] = "\xe2\x80\xaf";
    char digits[NAME];
    size_t n = 0;
    for (const char *at = strchr(cell, '>') + 1; *at != '<' && n + 1 < sizeof digits;)
        if (!strncmp(at, space, 3))
            at += 3;
        else
            digits[n++] = *at++;
    digits[n] = 0;
    char *end;
    double v = strtod(digits, &end);
    return *end || end == digits ? NAN : v;
}

/* The figure of a kernel over its launches: a sum; of a ratio, that of its only launch, or NaN. */
static double of_kernel(const json_t *root, const char *kernel, const char *name)
{
    const json_t *launch;
    double sum = 0, ratio = NAN;
    int launches = 0;
    bool counted = false;
    size_t i;
    json_array_foreach(json_object_get(root, "kernels"), i, launch) {
        const json_t *v = find(launch, name);
        if (strcmp(json_string_value(json_object_get(launch, "name")), kernel))
            continue;
        launches++;
        counted |= json_is_integer(v);
        sum += json_number_value(v);
        ratio = v ? json_number_value(v) : NAN;
    }
    bool energy = !strncmp(name, "energy.", 7) && strncmp(name + 7, "power", 5) && strncmp(name + 7, "delay", 5);
    bool added = counted || energy;
    if (!strcmp(name, "launches"))
        return launches;
    return launches == 1 ? ratio : added ? sum : NAN;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 6e-4 * fabs(b) + (fabs(b) < 1e-300 ? 0 : 1e-12) || a == b;
}

static int check_cell(const char *cell)
{
    char run[NAME], line[NAME], name[NAME];
    attribute(cell, "data-run", run);
    attribute(cell, "data-line", line);
    attribute(cell, "data-name", name);
    const json_t *root = atoi(run) < files ? file[atoi(run)] : NULL;
    bool total = !strcmp(line, "total");
    if (!root)
        fail("a figure of run %s", run);
    double want = total ? json_number_value(find(json_object_get(root, "total"), name)) : of_kernel(root, line, name);
    if (isnan(want))
        return 0;
    if (!near(shown(cell), want) || (want == floor(want) && shown(cell) != want))
        fail("%s of %s, run %s: %.12g on the page, %.12g in the statistics", name, line, run, shown(cell), want);
    return 1;
}

static void check_stalls(const char *page)
{
    const char *key;
    json_t *v;
    char cell[NAME];
    json_object_foreach((json_t *)find(file[0], "total.stall"), key, v) {
        snprintf(cell, sizeof cell, "data-name=\"stall.%s\"", key);
        if (json_integer_value(v) && !strstr(page, cell))
            fail("stall.%s is not on the page", key);
    }
}

static int check_figures(const char *page)
{
    int n = 0, skipped = 0;
    for (const char *at = page; (at = strstr(at, "<td class=\"number\" data-run")); at++) {
        int compared = check_cell(at);
        n += compared;
        skipped += !compared;
    }
    check_stalls(page);
    printf("%d figures, %d ratios of several launches\n", n, skipped);
    return n < 7;
}

/* Each part of the first picture: its share to four digits, and a bar of that length. */
static int check_shares(const char *page)
{
    const json_t *total = json_object_get(file[0], "total");
    double slots = json_number_value(find(total, "issue.slots")), full = 0, all = 0;
    const char *end = strstr(page, "</svg>");
    int parts = 0;
    for (const char *at = page; (at = strstr(at, "<rect x=")) && at < end; at++) {
        const char *title = strstr(at, "<title>"), *close = strstr(at, "/>");
        char label[NAME], width[NAME], name[NAME + 8];
        if (!title || close < title)
            continue;
        double share = 0;
        if (sscanf(title, "<title>%199[^:]: %lf", label, &share) != 2)
            fail("a bar without a title");
        attribute(at, "width", width);
        snprintf(name, sizeof name, strcmp(label, "issued") ? "stall.%s" : "issue.%s", label);
        double want = 100 * json_number_value(find(total, name)) / slots;
        if (strcmp(label, "others") && !near(share, want))
            fail("%s: %g %% in the picture, %g %% in the statistics", label, share, want);
        full += atof(width);
        all += share;
        parts++;
    }
    printf("%d parts, %g %%, %g wide\n", parts, all, full);
    return parts < 3 || fabs(all - 100) > 0.1 || fabs(full - 648) > 1;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > FILES)
        fail("usage: check figures|shares PAGE FILE...");
    char *page = file_read(argv[2], NULL);
    if (!page)
        fail("%s cannot be read", argv[2]);
    for (int i = 3; i < argc; i++) {
        json_error_t e;
        if (!(file[files++] = json_load_file(argv[i], 0, &e)))
            fail("%s: %s", argv[i], e.text);
    }
    int status = !strcmp(argv[1], "figures") ? check_figures(page) : check_shares(page);
    while (files)
        json_decref(file[--files]);
    free(page);
    return status;
}
