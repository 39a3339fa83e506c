/* `simtx config`: presets and keys, resolved values with their origin, differences, explanations. */
#include "frontend/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "frontend/config.h"

static const char USAGE[] =
    "usage: simtx config list [--markdown]        presets, and every key with unit, default and meaning\n"
    "       simtx config show [NAME ...]          the resolved values; where each was set and its source\n"
    "       simtx config diff A B                 keys in which two configurations differ\n"
    "       simtx config explain KEY ...          one key in full\n\n"
    "NAME is a preset, a file (with / or .cfg), or several joined by +, later ones laid over earlier ones.\n";

enum { OPT_MARKDOWN, OPT_SET };
static const struct option_row OPTIONS[] = {
    [OPT_MARKDOWN] = { "--markdown", NULL, "list: a table for the manual" },
    [OPT_SET] = { "--set", "KEY=VALUE", "show: set a key on top; may be repeated" },
    { NULL, NULL, NULL }
};

/* ---- list ---- */

/* The range or the choices of a key. */
static void values_text(const struct config_key_info *k, char *buf, size_t size)
{
    switch (k->type) {
    case CONFIG_INT:
    case CONFIG_REAL: snprintf(buf, size, "%.15g to %.15g", k->min, k->max); break;
    case CONFIG_BOOL: snprintf(buf, size, "true, false"); break;
    case CONFIG_ENUM: {
        int n = 0;
        for (const char *p = k->choices; *p && n + 3 < (int)size; p++)
            n += snprintf(buf + n, size - (size_t)n, *p == '|' ? ", " : "%c", *p);
        break;
    }
    case CONFIG_TEXT: snprintf(buf, size, "text"); break;
    }
}

static void list_row(const struct config_key_info *k, const char *name, bool markdown)
{
    char values[128];
    values_text(k, values, sizeof values);
    if (markdown)
        printf("| `%s` | %s | %s | %s | %s |\n", name, k->fallback ? k->fallback : "unset", values, k->unit,
               k->help);
    else
        printf("  %-30s %-18s %-18s %s\n", name, k->fallback ? k->fallback : "unset", k->unit, k->help);
}

static void list_keys(bool markdown)
{
    if (markdown)
        puts("| key | default | values | unit | meaning |\n|---|---|---|---|---|");
    for (int i = 0; i < KEY_COUNT; i++)
        list_row(&config_keys[i], config_keys[i].name, markdown);
    for (int i = 0; i < KERNEL_KEY_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "kernel.NAME.%s", config_kernel_keys[i].name);
        list_row(&config_kernel_keys[i], name, markdown);
    }
}

static int cmd_list(bool markdown)
{
    if (!markdown) {
        char **presets = simtx_config_presets();
        puts("Presets:");
        for (int i = 0; presets && presets[i]; i++) {
            printf("  %s\n", presets[i]);
            free(presets[i]);
        }
        free(presets);
        puts("\nKeys (name, default, unit, meaning):");
    }
    list_keys(markdown);
    return CMD_OK;
}

/* ---- show, diff ---- */

static int fail(simtx_config *c, char *message)
{
    fputs(message ? message : "", stderr);
    free(message);
    simtx_config_free(c);
    return CMD_USAGE;
}

/* name may be NULL: the defaults. NULL after a message. */
static simtx_config *make(char **names, int n, char **sets, int nsets)
{
    simtx_config *c = simtx_config_new();
    char *message = NULL;
    simtx_status s = SIMTX_OK;
    for (int i = 0; i < n && !s; i++)
        s = simtx_config_load_all(c, names[i], &message);
    for (int i = 0; i < nsets && !s; i++)
        s = simtx_config_assign(c, sets[i], "--set", &message);
    if (!s)
        s = simtx_config_check(c, &message);
    if (!s)
        return c;
    fail(c, message);
    return NULL;
}

static int cmd_show(char **names, int n, char **sets, int nsets)
{
    simtx_config *c = make(names, n, sets, nsets);
    const char *kernel, *text, *origin;
    enum kernel_key key;
    if (!c)
        return CMD_USAGE;
    for (int i = 0; i < KEY_COUNT; i++) {
        enum config_key k = (enum config_key)i;
        const char *at = config_origin(c, k), *source = config_source(c, k);
        char value[160];
        snprintf(value, sizeof value, "%s %s", config_text(c, k), config_keys[k].unit);
        printf("%-30s = %-26s # %s%s%s\n", config_keys[k].name, value, at ? at : "default",
               *source ? ": " : "", source);
    }
    for (size_t i = 0; config_kernel_at(c, i, &kernel, &key, &text, &origin); i++)
        printf("kernel.%s.%s = %s # %s\n", kernel, config_kernel_keys[key].name, text, origin);
    simtx_config_free(c);
    return CMD_OK;
}

static int cmd_diff(char **names)
{
    simtx_config *a = make(names, 1, NULL, 0), *b = a ? make(names + 1, 1, NULL, 0) : NULL;
    int differences = 0;
    for (int i = 0; b && i < KEY_COUNT; i++) {
        enum config_key k = (enum config_key)i;
        if (!strcmp(config_text(a, k), config_text(b, k)))
            continue;
        printf("%-30s %-20s %-20s %s\n", config_keys[k].name, config_text(a, k), config_text(b, k),
               config_keys[k].unit);
        differences++;
    }
    bool ok = b != NULL;
    simtx_config_free(a);
    simtx_config_free(b);
    if (ok && !differences)
        puts("no differences");
    return ok ? CMD_OK : CMD_USAGE;
}

/* ---- explain ---- */

static void explain(const struct config_key_info *k, const char *name)
{
    char values[128];
    values_text(k, values, sizeof values);
    printf("%s\n    %s\n    values: %s%s%s\n    default: %s%s%s\n", name, k->help, values,
           k->unit[0] ? " " : "", k->unit, k->fallback ? k->fallback : "unset", k->source[0] ? ", from " : "", k->source);
    if (k->scope == CONFIG_HOST)
        puts("    affects the simulator's speed on this machine, not what is simulated");
}

static int explain_key(const char *name)
{
    enum config_key k = config_find(name);
    const char *names[KEY_COUNT], *last = strrchr(name, '.');
    if (k != KEY_NONE) {
        explain(&config_keys[k], name);
        return CMD_OK;
    }
    for (int i = 0; last && !strncmp(name, "kernel.", 7) && i < KERNEL_KEY_COUNT; i++)
        if (!strcmp(last + 1, config_kernel_keys[i].name)) {
            explain(&config_kernel_keys[i], name);
            return CMD_OK;
        }
    for (int i = 0; i < KEY_COUNT; i++)
        names[i] = config_keys[i].name;
    const char *near = diag_nearest(name, names, KEY_COUNT);
    fprintf(stderr, "simtx config: unknown key %s%s%s%s\n", name, near ? ", did you mean " : "",
            near ? near : "", near ? "?" : "");
    return CMD_USAGE;
}

int cmd_config(int argc, char **argv)
{
    struct args a = { "simtx config", USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    char **words = calloc((size_t)argc + 1, sizeof *words), **sets = calloc((size_t)argc + 1, sizeof *sets);
    int n = 0, nsets = 0, which, status = CMD_OK;
    bool markdown = false;
    if (!words || !sets)
        abort();
    while ((which = args_next(&a)) != ARG_END) {
        if (which == ARG_WORD)
            words[n++] = (char *)a.value;
        else if (which == OPT_SET)
            sets[nsets++] = (char *)a.value;
        else
            markdown = true;
    }
    static const char *const names[] = { "list", "show", "diff", "explain" };
    const char *what = n ? words[0] : "";
    if (!n)
        usage_error("simtx config", "what? list, show, diff or explain");
    if (!strcmp(what, "list") && n == 1)
        status = cmd_list(markdown);
    else if (!strcmp(what, "show"))
        status = cmd_show(words + 1, n - 1, sets, nsets);
    else if (!strcmp(what, "diff") && n == 3)
        status = cmd_diff(words + 1);
    else if (!strcmp(what, "explain") && n > 1)
        for (int i = 1; i < n && status == CMD_OK; i++)
            status = explain_key(words[i]);
    else if (!strcmp(what, "list") || !strcmp(what, "diff") || !strcmp(what, "explain"))
        usage_error("simtx config", "%s: %s", what,
                    *what == 'l' ? "takes no names" : *what == 'd' ? "give two configurations" : "name a key");
    else {
        const char *near = diag_nearest(what, names, 4);
        usage_error("simtx config", "unknown command '%s'%s%s%s", what, near ? ", did you mean '" : "", near
                    ? near : "",
                    near ? "'?" : "");
    }
    free(words);
    free(sets);
    return status;
}
