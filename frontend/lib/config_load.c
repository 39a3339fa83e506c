/*
 * Loads configurations from libconfig files (http://hyperrealm.github.io/libconfig); nested groups and settings form
 * the dotted keys. There are three kinds of files. A file with a parent, `parent = "gtx480";`, contains the differences
 * from the parent, which is loaded first. A file with `machine = true;` describes a whole machine: keys that it does
 * not set have their defaults. Any other file is an overlay, which changes some keys. `about` is the description in
 * lists. A value may have a source: `sms = (15, "Fermi whitepaper, page 7");` Kernel keys are set by `kernel = ({ name
 * = "gemm"; registers = 24; });` The name 30sm, for any number, is an overlay without a file.
 */
#include "frontend/lib/config_load.h"

#include "base/alloc.h"
#include "timing/machine/machine.h"

#include <libconfig.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARENTS_MAX = 16 };

/* State while names are loaded. */
struct loading {
    simtx_config *config;
    struct diag *diag;
    int depth;                       /* nesting depth of parents */
    bool preset;                     /* the file is a preset, rather than one of the user's */
    const char *before;              /* the name before this one; NULL = none */
};

static bool load_names(struct loading *l, const char *names);

/* ---- one file ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A scalar as text; NULL when the setting is not a scalar. */
static const char *scalar_text(const config_setting_t *s, char buf[64])
{
    switch (config_setting_type(s)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64: snprintf(buf, 64, "%lld", config_setting_get_int64(s)); return buf;
    case CONFIG_TYPE_FLOAT: snprintf(buf, 64, "%.17g", config_setting_get_float(s)); return buf;
    case CONFIG_TYPE_BOOL: return config_setting_get_bool(s) ? "true" : "false";
    case CONFIG_TYPE_STRING: return config_setting_get_string(s);
    default: return NULL;
    }
}

/* Does the setting have the type of the key? Unknown keys are reported by config_set. */
static bool type_fits(const char *name, const config_setting_t *s)
{
    enum config_key k = config_find(name);
    int type = config_setting_type(s);
    bool integer = type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
    if (k == KEY_NONE)
        return strncmp(name, "kernel.", 7) || integer;
    switch (config_keys[k].type) {
    case CONFIG_INT: return integer;
    case CONFIG_REAL: return integer || type == CONFIG_TYPE_FLOAT;
    case CONFIG_BOOL: return type == CONFIG_TYPE_BOOL;
    default: return type == CONFIG_TYPE_STRING;
    }
}

static const char *type_wanted(const char *name)
{
    static const char *const words[] = { "an integer", "a number", "true or false", "a string in quotes",
                                         "a string in quotes" };
    enum config_key k = config_find(name);
    return words[k == KEY_NONE ? CONFIG_INT : config_keys[k].type];
}

/* Messages name the file that contains the setting; with @include this may be another file. */
static void at_setting(struct diag *d, const config_setting_t *s)
{
    const char *file = config_setting_source_file(s);
    if (file)
        d->file = file;
}

static void set_scalar(struct loading *l, const char *name, const config_setting_t *s, const char *source)
{
    char buf[64], origin[300];
    const char *text = scalar_text(s, buf);
    int line = (int)config_setting_source_line(s);
    at_setting(l->diag, s);
    if (!text || !type_fits(name, s)) {
        diag_error(l->diag, line, 1, "%s: expected %s", name, type_wanted(name));
        return;
    }
    snprintf(origin, sizeof origin, "%s:%d", base_name(l->diag->file), line);
    if (config_set(l->config, name, text, origin, source, l->diag, line) && l->preset && config_find(name) != KEY_NONE)
        config_mark_preset(l->config, config_find(name));
}

/* (value, "source") */
static void set_sourced(struct loading *l, const char *name, const config_setting_t *s)
{
    const config_setting_t *value = config_setting_get_elem(s, 0), *source = config_setting_get_elem(s, 1);
    at_setting(l->diag, s);
    if (config_setting_length(s) != 2 || config_setting_type(source) != CONFIG_TYPE_STRING)
        diag_error(l->diag, (int)config_setting_source_line(s), 1,
                   "%s: expected a value or (value, \"source\")", name);
    else
        set_scalar(l, name, value, config_setting_get_string(source));
}

static void set_setting(struct loading *l, const char *prefix, const config_setting_t *s);

static void set_group(struct loading *l, const char *name, const config_setting_t *group)
{
    for (int i = 0; i < config_setting_length(group); i++)
        set_setting(l, name, config_setting_get_elem(group, (unsigned)i));
}

/* kernel = ({ name = "gemm"; registers = 24; }, ...): mangled names are not valid names of groups. */
static void set_kernels(struct loading *l, const config_setting_t *list)
{
    for (int i = 0; i < config_setting_length(list); i++) {
        const config_setting_t *k = config_setting_get_elem(list, (unsigned)i);
        const char *name = NULL;
        char prefix[600];
        at_setting(l->diag, k);
        if (!config_setting_is_group(k) || !config_setting_lookup_string(k, "name", &name)) {
            diag_error(l->diag, (int)config_setting_source_line(k), 1,
                       "kernel: expected ({ name = \"...\"; key = value; }, ...)");
            continue;
        }
        snprintf(prefix, sizeof prefix, "kernel.%s", name);
        for (int j = 0; j < config_setting_length(k); j++) {
            const config_setting_t *s = config_setting_get_elem(k, (unsigned)j);
            if (strcmp(config_setting_name(s), "name"))
                set_setting(l, prefix, s);
        }
    }
}

/* Settings at the top level that are not keys. */
static bool of_the_file(const char *name)
{
    return !strcmp(name, "parent") || !strcmp(name, "about") || !strcmp(name, "machine");
}

static void set_setting(struct loading *l, const char *prefix, const config_setting_t *s)
{
    char name[1200];
    int n = snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", config_setting_name(s));
    if (n >= (int)sizeof name) {
        at_setting(l->diag, s);
        diag_error(l->diag, (int)config_setting_source_line(s), 1, "name is too long");
    } else if (config_setting_is_group(s)) {
        set_group(l, name, s);
    } else if (config_setting_is_list(s) && !strcmp(name, "kernel")) {
        set_kernels(l, s);
    } else if (config_setting_is_list(s)) {
        set_sourced(l, name, s);
    } else if (*prefix || !of_the_file(name)) {
        set_scalar(l, name, s, NULL);
    }
}

/* Does the setting exist with this type? Reports an error when it has another type. */
static bool typed(struct loading *l, const config_setting_t *s, int type, const char *wanted)
{
    if (s && config_setting_type(s) != type)
        diag_error(l->diag, (int)config_setting_source_line(s), 1, "%s: expected %s", config_setting_name(s), wanted);
    return s && config_setting_type(s) == type;
}

static void begin_machine(struct loading *l)
{
    if (l->before)
        diag_error(l->diag, 0, 0, "is a whole machine and would undo %s: name one machine, and name it first",
                   l->before);
    config_reset_machine(l->config);
}

static void load_parent(struct loading *l, const config_setting_t *parent, const char *path)
{
    int line = (int)config_setting_source_line(parent);
    if (l->depth == PARENTS_MAX) {
        diag_error(l->diag, line, 1, "more than %d parents: does a preset name itself?", PARENTS_MAX);
        return;
    }
    l->depth++;
    bool ok = load_names(l, config_setting_get_string(parent));
    l->diag->file = path;
    if (!ok)
        diag_note(l->diag, line, 1, "named as parent here");
    l->depth--;
}

/* Loads the parent, then applies the settings of the file. */
static void apply(struct loading *l, const config_setting_t *root, const char *path)
{
    const config_setting_t *parent = config_setting_get_member(root, "parent");
    const config_setting_t *machine = config_setting_get_member(root, "machine");
    typed(l, config_setting_get_member(root, "about"), CONFIG_TYPE_STRING, "a string in quotes");
    if (typed(l, machine, CONFIG_TYPE_BOOL, "true or false") && config_setting_get_bool(machine))
        begin_machine(l);
    if (typed(l, parent, CONFIG_TYPE_STRING, "the name of a preset in quotes"))
        load_parent(l, parent, path);
    set_group(l, "", root);
    l->diag->file = NULL;
}

/* ---- names ---- */

static bool not_found(struct loading *l, const char *name)
{
    char **presets = simtx_config_presets();
    size_t n = 0;
    while (presets && presets[n])
        n++;
    const char *near = config_is_path(name) ? NULL : diag_nearest(name, (const char *const *)presets, n);
    l->diag->file = NULL;
    if (config_is_folder(name))
        diag_error(l->diag, 0, 0, "%s is a folder, not a configuration file", name);
    else if (config_is_path(name))
        diag_error(l->diag, 0, 0, "%s: no such configuration file", name);
    else if (near)
        diag_error(l->diag, 0, 0, "no preset is called %s, did you mean %s? (`simtx config list --presets` shows all)",
                   name, near);
    else
        diag_error(l->diag, 0, 0,
                   "no preset is called %s (`simtx config list --presets` shows all; a file needs a / or .cfg)", name);
    for (size_t i = 0; i < n; i++)
        free(presets[i]);
    free(presets);
    return false;
}

/* A setting whose name has dots, which libconfig's syntax does not have: "l2.ways = 4;". */
static bool is_dotted(const char *line)
{
    const char *name = line + strspn(line, " \t");
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_."), blanks = strspn(name + n, " \t");
    return memchr(name, '.', n) && strchr("=:", name[n + blanks]) && name[n + blanks];
}

/* The error message of libconfig does not name an @include file that cannot be opened: the name is in the line. */
static void read_error(struct diag *d, int line, const char *what)
{
    FILE *f = fopen(d->file, "r");
    char *text = NULL, *name = NULL;
    size_t size = 0;
    for (int i = 0; f && i < line && getline(&text, &size, f) > 0; i++)
        ;
    if (text && strstr(text, "@include") && (name = strchr(text, '"')))
        diag_error(d, line, 1, "%s %.*s", what, (int)strcspn(name + 1, "\"\n"), name + 1);
    else
        diag_error(d, line, 1, "%s%s", what,
                   text && is_dotted(text) ? "; a key with dots is written as groups, l2: { ways = 16; };" : "");
    free(text);
    if (f)
        fclose(f);
}

static bool load_file(struct loading *l, const char *path)
{
    int before = l->diag->errors;
    config_t cfg;
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    config_init(&cfg);
    config_set_include_dir(&cfg, folder);
    l->diag->file = path;
    if (!config_read_file(&cfg, path)) {
        if (config_error_type(&cfg) == CONFIG_ERR_PARSE) {
            l->diag->file = config_error_file(&cfg) ? config_error_file(&cfg) : path;
            read_error(l->diag, config_error_line(&cfg), config_error_text(&cfg));
        } else {
            diag_error(l->diag, 0, 0, "cannot read the file");
        }
    } else {
        apply(l, config_root_setting(&cfg), path);
    }
    l->diag->file = NULL;
    config_destroy(&cfg);
    return l->diag->errors == before;
}

/* 30sm: an overlay that sets gpu.sms. */
static bool is_sm_count(const char *name)
{
    size_t n = strspn(name, "0123456789");
    return n > 0 && !strcmp(name + n, "sm");
}

static bool load_sm_count(struct loading *l, const char *name)
{
    char count[64];
    snprintf(count, sizeof count, "%.*s", (int)strspn(name, "0123456789"), name);
    return config_set(l->config, "gpu.sms", count, name, NULL, l->diag, 0);
}

static bool load_name(struct loading *l, const char *name)
{
    bool ok, outer = l->preset;
    char *path = simtx_config_find(name);
    l->preset = !config_is_path(name);
    if (path)
        ok = load_file(l, path);
    else
        ok = is_sm_count(name) ? load_sm_count(l, name) : not_found(l, name);
    l->preset = outer;
    l->before = ok ? name : NULL;
    free(path);
    return ok;
}

static bool name_missing(struct loading *l, const char *names)
{
    l->diag->file = NULL;
    diag_error(l->diag, 0, 0, "%s: a name is missing beside a +", names);
    return false;
}

/* Loads one line: the path of an existing file, or names separated by '+'. */
static bool load_line(struct loading *l, char *line)
{
    bool ok = true, missing = false;
    char *names = mem_string(line), *next = line;
    const char *outer = l->before;
    if (!l->depth)
        l->before = NULL;
    if (config_is_path(line) && config_is_file(line))
        ok = load_name(l, line);
    else
        while (next) {
            char *name = strsep(&next, "+");
            missing |= !*name;
            ok &= !*name || load_name(l, name);
        }
    if (missing)
        ok = name_missing(l, names);
    l->before = outer;
    free(names);
    return ok;
}

/* Loads all lines, even after errors. */
static bool load_names(struct loading *l, const char *names)
{
    char *copy = mem_string(names), *next = copy;
    bool ok = true;
    while (next) {
        char *line = strsep(&next, "\n");
        if (*line)
            ok &= load_line(l, line);
    }
    free(copy);
    return ok;
}

/* ---- assignments ---- */

static bool assign(simtx_config *c, const char *assignment, const char *origin, struct diag *d)
{
    const char *eq = strchr(assignment, '=');
    if (!eq || eq == assignment) {
        diag_error(d, 0, 0, "%s: '%s' is not of the form key=value", origin, assignment);
        return false;
    }
    size_t n = (size_t)(eq - assignment), blank = strspn(eq + 1, " \t");
    while (n && (assignment[n - 1] == ' ' || assignment[n - 1] == '\t'))
        n--;
    char *key = mem_string_n(assignment, n);
    bool ok = config_set(c, key, eq + 1 + blank, origin, NULL, d, 0);
    free(key);
    return ok;
}

/* Does the text begin with KEY=? Values may contain ';' (dram.map): only a ';' before a key separates assignments. */
static bool begins_assignment(const char *text)
{
    static const char key[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.";
    text += strspn(text, " \t");
    size_t n = strspn(text, key);
    return n && text[n + strspn(text + n, " \t")] == '=';
}

static bool assign_all(simtx_config *c, const char *list, const char *origin, struct diag *d)
{
    bool ok = true;
    while (*list) {
        size_t n = strcspn(list, "\n;");
        while (list[n] == ';' && list[n + 1] && !begins_assignment(list + n + 1))
            n += 1 + strcspn(list + n + 1, "\n;");
        size_t blank = strspn(list, " \t");
        char *one = blank < n ? mem_string_n(list + blank, n - blank) : NULL;
        if (one)
            ok &= assign(c, one, origin, d);
        free(one);
        list += n + (list[n] != 0);
    }
    return ok;
}

/* ---- rules ---- */

/* Checks all rules, including those of the protocols and policies that timing mode uses. */
static bool check_all(const simtx_config *c, struct diag *d)
{
    return config_check(c, d) && machine_check(c, &(struct machine_plugins){ 0 }, d);
}

static bool check_for_mode(const simtx_config *c, struct diag *d)
{
    return config_choice(c, KEY_SIM_MODE) == SIM_MODE_TIMING ? check_all(c, d) : config_check(c, d);
}

/* ---- interface ---- */

/* Passes the messages to the caller, or frees them if message is NULL. */
static simtx_status finish(struct diag *d, bool ok, char **message)
{
    if (message)
        *message = ok ? NULL : d->text;
    if (ok || !message)
        diag_free(d);
    return ok ? SIMTX_OK : SIMTX_INVALID_CONFIG;
}

simtx_config *simtx_config_new(void)
{
    return config_new();
}

simtx_config *simtx_config_copy(const simtx_config *c)
{
    return config_copy(c);
}

void simtx_config_free(simtx_config *c)
{
    config_free(c);
}

json_t *config_value_json(const simtx_config *c, enum config_key k)
{
    switch (config_keys[k].type) {
    case CONFIG_INT: return json_integer(config_int(c, k));
    case CONFIG_REAL: return json_real(config_real(c, k));
    case CONFIG_BOOL: return json_boolean(config_bool(c, k));
    default: return json_string(config_text(c, k));
    }
}

const char *simtx_config_get(const simtx_config *c, const char *key)
{
    return config_get(c, key);
}

simtx_status simtx_config_check(const simtx_config *c, char **message)
{
    struct diag d = { 0 };
    return finish(&d, check_for_mode(c, &d), message);
}

simtx_status simtx_config_check_timing(const simtx_config *c, char **message)
{
    struct diag d = { 0 };
    return finish(&d, check_all(c, &d), message);
}

simtx_status simtx_config_build(simtx_config *c, const char *names, const char *assignments, const char *origin,
                                char **message)
{
    struct diag d = { 0 };
    struct loading l = { .config = c, .diag = &d };
    bool ok = load_names(&l, names ? names : "");
    ok &= assign_all(c, assignments ? assignments : "", origin, &d);
    return finish(&d, ok && check_for_mode(c, &d), message);
}

simtx_status simtx_config_load(simtx_config *c, const char *name_or_path, char **message)
{
    struct diag d = { 0 };
    struct loading l = { .config = c, .diag = &d };
    return finish(&d, load_name(&l, name_or_path), message);
}

simtx_status simtx_config_assign(simtx_config *c, const char *assignment, const char *origin, char **message)
{
    struct diag d = { 0 };
    return finish(&d, assign(c, assignment, origin, &d), message);
}

simtx_status simtx_config_set(simtx_config *c, const char *assignment, char **message)
{
    return simtx_config_assign(c, assignment, "set", message);
}
