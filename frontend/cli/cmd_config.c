/* `simtx config`: lists presets and keys, shows and compares configurations, explains keys. */
#include "frontend/cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "frontend/lib/config_load.h"

static const char USAGE[] =
    "usage: simtx config list                     presets, and every key with unit, default and meaning\n"
    "       simtx config show [NAME ...]          the resolved values; where each was set and its source\n"
    "       simtx config diff A B                 keys in which two configurations differ\n"
    "       simtx config explain KEY ...          one key in full, and its value in each preset that sets it\n\n"
    "NAME is a preset, a file (with / or .cfg), or several joined by +; later ones override earlier ones. 30sm,\n"
    "for any number, is an overlay that sets gpu.sms.\n";

enum { OPT_JSON, OPT_MARKDOWN, OPT_PRESETS, OPT_KEYS, OPT_SET };
static const struct cmd_option OPTIONS[] = {
    [OPT_JSON] = { "--json", NULL, "as JSON" },
    [OPT_MARKDOWN] = { "--markdown", NULL, "list: as tables for the manual" },
    [OPT_PRESETS] = { "--presets", NULL, "list: only the presets" },
    [OPT_KEYS] = { "--keys", NULL, "list: only the keys" },
    [OPT_SET] = { "--set", "KEY=VALUE", "show: set a key; may be repeated" },
    { NULL, NULL, NULL }
};

/* The command line. */
struct request {
    char **words;                    /* the words after list, show, diff or explain */
    int n;
    bool option[OPT_SET];
    char *sets;                      /* lines */
};

static void print_json(json_t *o)
{
    json_dumpf(o, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    putchar('\n');
    json_decref(o);
}

/* ---- presets ---- */

struct preset { char *name; char about[200]; bool machine; };

/* All presets, machines before overlays; a name of NULL ends the list. */
static struct preset *presets_new(void)
{
    char **names = simtx_config_presets();
    size_t n = 0, k = 0;
    while (names && names[n])
        n++;
    struct preset *list = mem_zero(n + 2, sizeof *list, "the list of presets"), *all = mem_zero(n + 1, sizeof *all,
                                                                                                "the list of presets");
    for (size_t i = 0; i < n; i++) {
        all[i].name = names[i];
        if (!simtx_config_about(names[i], all[i].about, &all[i].machine))
            snprintf(all[i].about, sizeof all[i].about, "(cannot be read)");
    }
    for (int machine = 1; machine >= 0; machine--)
        for (size_t i = 0; i < n; i++)
            if (all[i].machine == machine)
                list[k++] = all[i];
    list[k].name = mem_string("Nsm");
    snprintf(list[k].about, sizeof list[k].about, "N SMs, as in 30sm: sets gpu.sms, the memory stays the same");
    free(all);
    free(names);
    return list;
}

static void presets_free(struct preset *list)
{
    for (struct preset *p = list; p->name; p++)
        free(p->name);
    free(list);
}

static const char *kind_of(const struct preset *p)
{
    return p->machine ? "machine" : "overlay";
}

static json_t *presets_json(void)
{
    struct preset *list = presets_new();
    json_t *a = json_array();
    for (struct preset *p = list; p->name; p++)
        json_array_append_new(a, json_pack("{s:s, s:s, s:s}", "name", p->name, "kind", kind_of(p), "about", p->about));
    presets_free(list);
    return a;
}

static void list_presets(bool markdown)
{
    struct preset *list = presets_new();
    if (markdown)
        puts("| preset | kind | what it is |\n|---|---|---|");
    for (struct preset *p = list; p->name; p++)
        if (markdown) {
            printf("| `%s` | %s | %s |\n", p->name, kind_of(p), p->about);
        } else {
            if (p == list || p->machine != p[-1].machine)
                puts(p->machine ? "Machines:" : "Overlays, joined to a machine by +:");
            printf("  %-18s %s\n", p->name, p->about);
        }
    presets_free(list);
}

/* ---- keys ---- */

/* The range or the choices of a key. */
static void values_text(const struct config_key_info *k, char *buf, size_t size)
{
    switch (k->type) {
    case CONFIG_INT:
    case CONFIG_REAL: config_range_text(k, buf, size); break;
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

static const char *default_of(const struct config_key_info *k)
{
    return !k->fallback ? "unset" : k->fallback[0] ? k->fallback : "(empty)";
}

static json_t *key_json(const struct config_key_info *k, const char *name)
{
    char values[128];
    values_text(k, values, sizeof values);
    return json_pack("{s:s, s:s?, s:s, s:s, s:s, s:s, s:b}", "name", name, "default", k->fallback, "values", values,
                     "unit", k->unit, "meaning", k->help, "source", k->source, "host_only", k->scope == CONFIG_HOST);
}

static void key_row(const struct config_key_info *k, const char *name, bool markdown)
{
    char values[128];
    values_text(k, values, sizeof values);
    if (markdown)
        printf("| `%s` | %s | %s | %s | %s |\n", name, default_of(k), values, k->unit, k->help);
    else
        printf("  %-30s %-18s %-18s %s\n", name, default_of(k), k->unit, k->help);
}

/* The i-th key; keys of kernels are named kernel.NAME.key. NULL at the end. */
static const struct config_key_info *key_at(int i, char name[64])
{
    if (i >= KEY_COUNT + KERNEL_KEY_COUNT)
        return NULL;
    const struct config_key_info *k = i < KEY_COUNT ? &config_keys[i] : &config_kernel_keys[i - KEY_COUNT];
    snprintf(name, 64, "%s%s", i < KEY_COUNT ? "" : "kernel.NAME.", k->name);
    return k;
}

static void list_keys(bool markdown)
{
    const struct config_key_info *k;
    char name[64];
    puts(markdown ? "| key | default | values | unit | meaning |\n|---|---|---|---|---|"
                  : "Keys (name, default, unit, meaning):");
    for (int i = 0; (k = key_at(i, name)) != NULL; i++)
        key_row(k, name, markdown);
}

static json_t *keys_json(void)
{
    json_t *a = json_array();
    const struct config_key_info *k;
    char name[64];
    for (int i = 0; (k = key_at(i, name)) != NULL; i++)
        json_array_append_new(a, key_json(k, name));
    return a;
}

static int cmd_list(const struct request *r)
{
    bool presets = !r->option[OPT_KEYS] || r->option[OPT_PRESETS];
    bool keys = !r->option[OPT_PRESETS] || r->option[OPT_KEYS];
    if (r->option[OPT_JSON]) {
        json_t *o = json_object();
        if (presets)
            json_object_set_new(o, "presets", presets_json());
        if (keys)
            json_object_set_new(o, "keys", keys_json());
        print_json(o);
        return CMD_OK;
    }
    if (presets)
        list_presets(r->option[OPT_MARKDOWN]);
    if (presets && keys)
        putchar('\n');
    if (keys)
        list_keys(r->option[OPT_MARKDOWN]);
    return CMD_OK;
}

/* ---- show ---- */

/* Builds a configuration. names, sets: lines, NULL = none. NULL after printing messages. */
static simtx_config *build(const char *names, const char *sets)
{
    simtx_config *c = simtx_config_new();
    char *message = NULL;
    if (!simtx_config_build(c, names, sets, "--set", &message) && !simtx_config_check_timing(c, &message))
        return c;
    fputs(message ? message : "simtx config: out of memory\n", stderr);
    free(message);
    simtx_config_free(c);
    return NULL;
}

static json_t *config_all_json(const simtx_config *c)
{
    json_t *o = json_object();
    const char *kernel, *text, *origin;
    enum kernel_key key;
    for (int i = 0; i < KEY_COUNT; i++) {
        enum config_key k = (enum config_key)i;
        json_object_set_new(o, config_keys[i].name,
                            json_pack("{s:o, s:s, s:s, s:s}", "value", config_value_json(c, k), "unit",
                                      config_keys[i].unit, "origin", config_place(c, k), "source",
                                      config_source(c, k)));
    }
    for (size_t i = 0; config_kernel_at(c, i, &kernel, &key, &text, &origin); i++) {
        char name[600];
        snprintf(name, sizeof name, "kernel.%s.%s", kernel, config_kernel_keys[key].name);
        json_object_set_new(o, name, json_pack("{s:I, s:s, s:s, s:s}", "value", (json_int_t)strtoll(text, NULL, 10),
                                               "unit", config_kernel_keys[key].unit, "origin", origin, "source", ""));
    }
    return o;
}

static void show_text(const simtx_config *c)
{
    const char *kernel, *text, *origin;
    enum kernel_key key;
    for (int i = 0; i < KEY_COUNT; i++) {
        enum config_key k = (enum config_key)i;
        const char *source = config_source(c, k);
        char value[160];
        snprintf(value, sizeof value, "%s %s", config_text(c, k), config_keys[k].unit);
        printf("%-30s = %-26s # %s%s%s\n", config_keys[k].name, value, config_place(c, k), *source ? ": " : "", source);
    }
    for (size_t i = 0; config_kernel_at(c, i, &kernel, &key, &text, &origin); i++)
        printf("kernel.%s.%s = %s # %s\n", kernel, config_kernel_keys[key].name, text, origin);
}

static int cmd_show(const struct request *r)
{
    char *names = NULL;
    struct diag warnings = { 0 };
    for (int i = 0; i < r->n; i++)
        mem_append(&names, "%s%s", names ? "\n" : "", r->words[i]);
    simtx_config *c = build(names, r->sets);
    free(names);
    if (!c)
        return CMD_USAGE;
    if (r->option[OPT_JSON])
        print_json(config_all_json(c));
    else
        show_text(c);
    config_warn(c, &warnings);
    fputs(warnings.text ? warnings.text : "", stderr);
    diag_free(&warnings);
    simtx_config_free(c);
    return CMD_OK;
}

/* ---- diff ---- */

static void diff_row(json_t *list, const char *name, const char *a, const char *b, const char *unit)
{
    json_array_append_new(list, json_pack("{s:s, s:s?, s:s?, s:s}", "key", name, "a", a, "b", b, "unit", unit));
}

/* Adds the kernel keys that `from` sets and that are different or unset in `to`. */
static void diff_kernels(json_t *list, const simtx_config *from, const simtx_config *to, bool swapped)
{
    const char *kernel, *text, *origin;
    enum kernel_key key;
    for (size_t i = 0; config_kernel_at(from, i, &kernel, &key, &text, &origin); i++) {
        char name[600];
        snprintf(name, sizeof name, "kernel.%s.%s", kernel, config_kernel_keys[key].name);
        const char *mine = config_get(from, name), *theirs = config_get(to, name);
        if (swapped ? !theirs : !theirs || strcmp(mine, theirs))
            diff_row(list, name, swapped ? theirs : mine, swapped ? mine : theirs, config_kernel_keys[key].unit);
    }
}

static json_t *differences(const simtx_config *a, const simtx_config *b)
{
    json_t *list = json_array();
    for (int i = 0; i < KEY_COUNT; i++) {
        enum config_key k = (enum config_key)i;
        if (strcmp(config_text(a, k), config_text(b, k)))
            diff_row(list, config_keys[k].name, config_text(a, k), config_text(b, k), config_keys[k].unit);
    }
    diff_kernels(list, a, b, false);
    diff_kernels(list, b, a, true);
    return list;
}

static const char *shown(const json_t *row, const char *field)
{
    const char *s = json_string_value(json_object_get(row, field));
    return !s ? "unset" : s[0] ? s : "(empty)";
}

static int cmd_diff(const struct request *r)
{
    simtx_config *a = build(r->words[0], NULL), *b = build(r->words[1], NULL);
    int status = a && b ? CMD_OK : CMD_USAGE;
    if (!status) {
        json_t *list = differences(a, b), *row;
        size_t i;
        if (r->option[OPT_JSON]) {
            print_json(list);
        } else {
            json_array_foreach(list, i, row)
                printf("%-30s %-20s %-20s %s\n", json_string_value(json_object_get(row, "key")), shown(row, "a"),
                       shown(row, "b"), json_string_value(json_object_get(row, "unit")));
            if (!json_array_size(list))
                puts("no differences");
            json_decref(list);
        }
    }
    simtx_config_free(a);
    simtx_config_free(b);
    return status;
}

/* ---- explain ---- */

/* The presets that set the key, themselves or by a parent: [{preset, value, origin, source}]. */
static json_t *setters(enum config_key k)
{
    json_t *list = json_array();
    struct preset *presets = presets_new();
    for (struct preset *p = presets; p->name; p++) {
        simtx_config *c = simtx_config_new();
        if (!simtx_config_load(c, p->name, NULL) && config_origin(c, k))
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "preset", p->name, "value", config_text(c, k),
                                                  "origin", config_origin(c, k), "source", config_source(c, k)));
        simtx_config_free(c);
    }
    presets_free(presets);
    return list;
}

static void explain_text(const struct config_key_info *k, const char *name, json_t *set)
{
    char values[128];
    json_t *row;
    size_t i;
    values_text(k, values, sizeof values);
    printf("%s\n    %s\n    values: %s%s%s\n    default: %s%s%s\n", name, k->help, values, k->unit[0] ? " " : "",
           k->unit, default_of(k), k->source[0] ? ", from " : "", k->source);
    if (k->scope == CONFIG_HOST)
        puts("    affects the speed or the output of the simulator, not the simulated results");
    json_array_foreach(set, i, row) {
        const char *source = shown(row, "source");
        printf("    %-18s %-10s %s%s%s\n", shown(row, "preset"), shown(row, "value"), shown(row, "origin"),
               *source == '(' ? "" : ": ", *source == '(' ? "" : source);
    }
}

static const struct config_key_info *find_info(const char *name)
{
    enum config_key k = config_find(name);
    const char *last = strrchr(name, '.');
    if (k != KEY_NONE)
        return &config_keys[k];
    for (int i = 0; last && !strncmp(name, "kernel.", 7) && i < KERNEL_KEY_COUNT; i++)
        if (!strcmp(last + 1, config_kernel_keys[i].name))
            return &config_kernel_keys[i];
    return NULL;
}

static void explain_unknown(const char *name)
{
    const char *names[KEY_COUNT];
    for (int i = 0; i < KEY_COUNT; i++)
        names[i] = config_keys[i].name;
    const char *near = diag_nearest(name, names, KEY_COUNT);
    fprintf(stderr, "simtx config: unknown key %s%s%s%s\n", name, near ? ", did you mean " : "", near ? near : "",
            near ? "?" : " (`simtx config list` shows all)");
}

static int cmd_explain(const struct request *r)
{
    int status = CMD_OK;
    json_t *all = json_array();
    for (int i = 0; i < r->n; i++) {
        const char *name = r->words[i];
        const struct config_key_info *k = find_info(name);
        if (!k) {
            explain_unknown(name);
            status = CMD_USAGE;
            continue;
        }
        enum config_key id = config_find(name);
        json_t *set = id == KEY_NONE ? json_array() : setters(id);
        if (r->option[OPT_JSON]) {
            json_t *o = key_json(k, name);
            json_object_set(o, "set_by", set);
            json_array_append_new(all, o);
        } else {
            explain_text(k, name, set);
        }
        json_decref(set);
    }
    if (r->option[OPT_JSON])
        print_json(json_incref(all));
    json_decref(all);
    return status;
}

/* ---- the command ---- */

static void add_set(struct request *r, const char *assignment)
{
    mem_append(&r->sets, "%s%s", r->sets ? "\n" : "", assignment);
}

static int run_request(const char *what, const struct request *r)
{
    static const char *const names[] = { "list", "show", "diff", "explain" };
    if (!strcmp(what, "list")) {
        if (r->n)
            cmd_usage_error("simtx config", "list: takes no names");
        return cmd_list(r);
    }
    if (!strcmp(what, "show"))
        return cmd_show(r);
    if (!strcmp(what, "diff")) {
        if (r->n != 2)
            cmd_usage_error("simtx config", "diff: expected two configurations");
        return cmd_diff(r);
    }
    if (!strcmp(what, "explain")) {
        if (!r->n)
            cmd_usage_error("simtx config", "explain: expected a key");
        return cmd_explain(r);
    }
    const char *near = diag_nearest(what, names, 4);
    cmd_usage_error("simtx config", "unknown command '%s'%s%s%s", what, near ? ", did you mean '" : "",
                    near ? near : ", expected list, show, diff or explain", near ? "'?" : "");
}

int cmd_config(int argc, char **argv)
{
    struct cmd_args a = { "simtx config", USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    struct request r = { .words = mem_zero((size_t)argc + 1, sizeof *r.words, "the words of the command") };
    const char *what = NULL;
    int which;
    while ((which = cmd_args_next(&a)) != CMD_ARG_END) {
        if (which == CMD_ARG_WORD && !*a.value)
            cmd_usage_error("simtx config", "a name is empty");
        if (which == CMD_ARG_WORD && !what)
            what = a.value;
        else if (which == CMD_ARG_WORD)
            r.words[r.n++] = (char *)a.value;
        else if (which == OPT_SET)
            add_set(&r, a.value);
        else
            r.option[which] = true;
    }
    if (!what)
        cmd_usage_error("simtx config", "no command given: list, show, diff or explain");
    int status = run_request(what, &r);
    free(r.words);
    free(r.sets);
    return status;
}
