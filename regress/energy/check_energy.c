/*
 * Computes the energy of a run from its counters and its configuration by formula.txt, and compares every part, the
 * total, the time, the power and the energy-delay product with those of the statistics, in the total and in each
 * launch. Usage: check_energy FORMULA STATISTICS; prints "PART NANOJOULES" for each part, or what is wrong.
 */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 128, PARTS = 32, WORD = 64 };

struct term { char part[WORD], kind[WORD], key[WORD], events[1000]; };

static struct term terms[TERMS];
static int n_terms, errors, launches = 1;

static void error(const char *what, const char *name, double is, double expected)
{
    printf("%s %s: %.12g, expected %.12g\n", what, name, is, expected);
    errors++;
}

static void read_formula(const char *path)
{
    char line[1200];
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        struct term *t = &terms[n_terms];
        if (*line != '#' && n_terms < TERMS &&
            sscanf(line, "%63s %63s %63s %999[^\n]", t->part, t->kind, t->key, t->events) == 4)
            n_terms++;
    }
    if (!n_terms) {
        printf("%s: no formula\n", path);
        exit(2);
    }
    fclose(f);
}

/* "a.b" is "b" in the object "a". */
static double figure(const json_t *o, const char *name)
{
    char path[WORD], *rest = path, *part;
    snprintf(path, sizeof path, "%s", name);
    while ((part = strsep(&rest, ".")))
        o = json_object_get(o, part);
    if (!json_is_number(o))
        error("no figure", name, NAN, 0);
    return json_number_value(o);
}

static double setting(const json_t *config, const char *group, const char *key)
{
    char name[2 * WORD];
    snprintf(name, sizeof name, "%s%s", group, key);
    const json_t *v = json_object_get(config, name);
    if (!json_is_number(v))
        error("no key", name, NAN, 0);
    return json_number_value(v);
}

static double events(const struct term *t, const json_t *row, const json_t *config)
{
    char list[1000], *rest = list, *word;
    double sum = 0;
    snprintf(list, sizeof list, "%s", t->events);
    while ((word = strsep(&rest, " "))) {
        char *key = word + strcspn(word, "*?"), relation = *key;
        bool minus = *word == '-';
        if (!*word)
            continue;
        *key = 0;
        double factor = relation ? setting(config, "", key + 1) : 1;
        double n = figure(row, word + minus) * (relation == '?' ? factor != 0 : factor);
        sum += minus ? -n : n;
    }
    return sum;
}

/* In nanojoules. */
static double energy(const struct term *t, const json_t *row, const json_t *config)
{
    double value = setting(config, "energy.", t->key) * events(t, row, config);
    if (!strcmp(t->kind, "chip"))
        return value * setting(config, "energy.", "scale") / 1000;
    if (!strcmp(t->kind, "power:core"))
        return value * 1000 / setting(config, "gpu.", "core_mhz");
    if (!strcmp(t->kind, "power:dram"))
        return value * 1000 / setting(config, "dram.", "mhz");
    return value / 1000;
}

/* Each launch's thousandths are rounded, and 12 digits are printed. */
static void compare(const char *what, const char *name, double is, double expected)
{
    if (!(fabs(is - expected) <= 0.0006 * launches + 1e-9 * fabs(expected)))
        error(what, name, is, expected);
}

static void check_row(const char *what, const json_t *row, const json_t *config, bool show)
{
    const json_t *reported = json_object_get(row, "energy"), *v;
    double total = 0, time = figure(reported, "time");
    const char *name;
    json_object_foreach((json_t *)reported, name, v) {
        double part = 0;
        bool is_part = false;
        for (int i = 0; i < n_terms; i++)
            if (!strcmp(terms[i].part, name)) {
                part += energy(&terms[i], row, config);
                is_part = true;
            }
        if (!is_part)
            continue;
        compare(what, name, json_number_value(v), part);
        total += json_number_value(v);
        if (show)
            printf("%s %.3f\n", name, json_number_value(v));
    }
    for (int i = 0; i < n_terms; i++)
        if (!json_object_get(reported, terms[i].part))
            error("no part", terms[i].part, NAN, 0);
    compare(what, "total", figure(reported, "total"), total);
    compare(what, "time", time, figure(row, "machine_cycles") * 1000 / setting(config, "gpu.", "core_mhz"));
    compare(what, "power", figure(reported, "power"), time ? total / time : 0);
    compare(what, "delay product in aJ s", figure(reported, "delay_product") * 1e18, total * time);
}

/* Every key is in the formula. */
static void check_keys(const json_t *config)
{
    const char *name;
    json_t *v;
    json_object_foreach((json_t *)config, name, v) {
        bool found = strncmp(name, "energy.", 7) || !strcmp(name, "energy.scale");
        for (int i = 0; i < n_terms && !found; i++)
            found = !strcmp(terms[i].key, name + 7);
        if (!found)
            error("formula.txt has no", name, json_number_value(v), 0);
    }
}

/* Every executed lane is counted for one pipeline. */
static void check_lanes(const json_t *total)
{
    double lanes = 0;
    const char *name;
    json_t *v;
    json_object_foreach(json_object_get(total, "lanes"), name, v)
        lanes += json_number_value(v);
    compare("total", "lanes of all pipelines", lanes, figure(total, "timed_thread_instructions"));
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    json_t *root = json_load_file(argv[2], 0, NULL), *launch;
    const json_t *config = json_object_get(root, "config"), *total = json_object_get(root, "total");
    size_t i;
    if (!json_object_get(total, "energy")) {
        printf("%s: no energy\n", argv[2]);
        return 1;
    }
    read_formula(argv[1]);
    check_keys(config);
    launches = (int)figure(total, "launches");
    check_row("total", total, config, true);
    launches = 1;
    json_array_foreach(json_object_get(root, "kernels"), i, launch)
        check_row("launch", launch, config, false);
    check_lanes(total);
    json_decref(root);
    return errors != 0;
}
