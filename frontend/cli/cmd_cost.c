/* `simtx cost`: hardware cost, the bytes of the structures of protocols and policies in a configuration. */
#include "frontend/cli/cmd.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/lib/config_load.h"
#include "frontend/cli/cost.h"

static const char COMMAND[] = "simtx cost";
static const char USAGE[] =
    "usage: simtx cost CONFIG [options]\n\n"
    "Prints the bytes of every structure of the configured protocols and policies, per L2 slice, core or GPU, and in\n"
    "total. They are computed from the fields of a structure and the configuration keys. CONFIG is as for\n"
    "`simtx config show`. A structure that is unlimited in the configuration (its key is 0) has no size.\n";

enum { OPT_JSON, OPT_SET };
static const struct cmd_option OPTIONS[] = {
    [OPT_JSON] = { "--json", NULL, "as JSON" },
    [OPT_SET] = { "--set", "KEY=VALUE", "set a key; may be repeated" },
    { NULL, NULL, NULL }
};

static const char *const PLACES[] = { [COST_SLICE] = "L2 slice", [COST_CORE] = "core", [COST_GPU] = "GPU" };

static void add_line(char **list, const char *line)
{
    mem_append(list, "%s%s", *list ? "\n" : "", line);
}

/* 245760 as "240 kB": 1 kB is 1024 bytes, as in the papers. */
static void size_text(double bytes, char out[24])
{
    if (bytes < 1024)
        snprintf(out, 24, "%.0f B", bytes);
    else if (bytes < 1024.0 * 1024)
        snprintf(out, 24, "%.4g kB", bytes / 1024);
    else
        snprintf(out, 24, "%.4g MB", bytes / (1024.0 * 1024));
}

static json_t *row_json(const struct cost_row *row, const struct cost *k)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:b, s:f, s:f}", "name", row->name, "what", row->what, "place",
                          PLACES[row->place], "bounded", k->bounded, "bits_per_entry", k->bits, "copies", k->copies);
    if (k->bounded) {
        json_object_set_new(o, "entries", json_integer((json_int_t)k->entries));
        json_object_set_new(o, "bytes", json_integer((json_int_t)k->bytes));
        json_object_set_new(o, "bytes_all", json_integer((json_int_t)(k->bytes * k->copies)));
    }
    return o;
}

static void print_row(const struct cost_row *row, const struct cost *k)
{
    char one[24] = "unlimited", all[24] = "", entries[24] = "unlimited";
    if (k->bounded) {
        size_text(k->bytes, one);
        size_text(k->bytes * k->copies, all);
        snprintf(entries, sizeof entries, "%.0f", k->entries);
    }
    printf("%-62s %9s %6.4g b  %-11s %10s %4.0f x %10s\n", row->what, entries, k->bits, PLACES[row->place], one,
           k->copies, all);
}

static void print_sums(const double bytes[3], double gpu)
{
    char text[24];
    for (int i = 0; i < 3; i++) {
        size_text(bytes[i], text);
        if (bytes[i] > 0)
            printf("%s: %s\n", PLACES[i], text);
    }
    size_text(gpu, text);
    printf("whole GPU: %s\n", text);
}

static void report(const simtx_config *c, bool json)
{
    double bytes[3] = { 0 }, gpu = 0;
    json_t *list = json_array();
    if (!json)
        printf("%-62s %9s %8s  %-11s %10s %6s %10s\n", "structure", "entries", "entry", "place", "bytes", "copies",
               "all");
    for (int i = 0; i < cost_row_count; i++) {
        struct cost k = cost_of_row(c, &cost_rows[i]);
        if (!k.present)
            continue;
        if (json)
            json_array_append_new(list, row_json(&cost_rows[i], &k));
        else
            print_row(&cost_rows[i], &k);
        bytes[cost_rows[i].place] += k.bounded ? k.bytes : 0;
        gpu += k.bounded ? k.bytes * k.copies : 0;
    }
    if (json) {
        json_t *o = json_pack("{s:o, s:I}", "structures", list, "bytes_all", (json_int_t)gpu);
        json_dumpf(o, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
        json_decref(o);
    } else {
        print_sums(bytes, gpu);
        json_decref(list);
    }
}

int cmd_cost(int argc, char **argv)
{
    struct cmd_args a = { COMMAND, USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    const char *name = NULL;
    char *sets = NULL, *message = NULL;
    bool json = false;
    int which;
    while ((which = cmd_args_next(&a)) != CMD_ARG_END) {
        if (which == CMD_ARG_WORD && name)
            cmd_usage_error(COMMAND, "one configuration at a time, got '%s' too", a.value);
        if (which == CMD_ARG_WORD)
            name = a.value;
        json |= which == OPT_JSON;
        if (which == OPT_SET)
            add_line(&sets, a.value);
    }
    if (!name)
        cmd_usage_error(COMMAND, "no configuration given; `simtx config list --presets` lists them");
    simtx_config *c = simtx_config_new();
    int code = simtx_config_build(c, name, sets, "--set", &message) ? CMD_USAGE : CMD_OK;
    if (code == CMD_OK)
        report(c, json);
    fputs(message ? message : "", stderr);
    free(message);
    free(sets);
    simtx_config_free(c);
    return code;
}
