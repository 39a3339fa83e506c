/*
 * Reads the file of a study, a libconfig file as those of configs/:
 *
 *     programs = ["ht --version {version}", ...];     required; words between blanks
 *     configs = ["kilotm", ...];                      presets, overlays, files; joined by +
 *     overlays = ["", "tm-ideal"];                    each is added to each of configs
 *     arguments: { version = ["tm", "fgl"]; };        each replaces {version} in the programs' arguments
 *     keys: { tm: { warps = [1, 2, 4]; }; };          configuration keys, as in a configuration file, with lists
 *     seeds = [1, 2, 3];                              sim.seed, and {seed} in the programs' arguments
 *     exclude = ({ config = "kilotm"; tm: { warps = [2, 4]; }; }, ...);
 *     columns = ["cycles", ...];                      statistics in the table
 *     mode = "timing"; detail = "kernel:NAME";
 *     restore = "FILE";                               a saved state, with {NAME} as in the arguments
 *     limits: { cpu_seconds = 600; memory_mb = 4000; };
 */
#include "frontend/sweep/study.h"

#include <errno.h>
#include <libconfig.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"

struct reading { struct study *s; struct diag d; };

static int line_of(const config_setting_t *s)
{
    return (int)config_setting_source_line(s);
}

#define WRONG(r, s, ...) diag_error(&(r)->d, line_of(s), 1, __VA_ARGS__)

/* ---- values ---- */

/* The shortest text that reads as the same number. */
static char *real_text(double x)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    return mem_string(text);
}

/* NULL: not a scalar. */
static char *scalar(const config_setting_t *s)
{
    switch (config_setting_type(s)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64: return mem_format("%lld", config_setting_get_int64(s));
    case CONFIG_TYPE_FLOAT: return real_text(config_setting_get_float(s));
    case CONFIG_TYPE_BOOL: return mem_string(config_setting_get_bool(s) ? "true" : "false");
    case CONFIG_TYPE_STRING: return mem_string(config_setting_get_string(s));
    default: return NULL;
    }
}

static bool is_list(const config_setting_t *s)
{
    return config_setting_is_array(s) || config_setting_is_list(s);
}

static void add_value(struct reading *r, const config_setting_t *s, char ***value, uint32_t *n, uint32_t *cap)
{
    char *text = scalar(s);
    for (uint32_t i = 0; text && i < *n; i++)
        if (!strcmp((*value)[i], text)) {
            WRONG(r, s, "the value '%s' is in the list twice", text);
            free(text);
            return;
        }
    if (!text) {
        WRONG(r, s, "expected a number, a string, true or false");
        return;
    }
    *value = mem_grow(*value, *n, cap, sizeof **value, "the values of a study");
    (*value)[(*n)++] = text;
}

/* A scalar, or a list of scalars. */
static void add_values(struct reading *r, const config_setting_t *s, char ***value, uint32_t *n, uint32_t *cap)
{
    if (!is_list(s)) {
        add_value(r, s, value, n, cap);
        return;
    }
    for (int i = 0; i < config_setting_length(s); i++)
        add_value(r, config_setting_get_elem(s, (unsigned)i), value, n, cap);
    if (config_setting_length(s) == 0)
        WRONG(r, s, "%s: the list is empty", config_setting_name(s));
}

static bool is_text(struct reading *r, const config_setting_t *s)
{
    if (config_setting_type(s) == CONFIG_TYPE_STRING)
        return true;
    WRONG(r, s, "%s: expected a string in quotes", config_setting_name(s));
    return false;
}

static uint64_t positive(struct reading *r, const config_setting_t *s)
{
    int type = config_setting_type(s);
    long long v = type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64 ? config_setting_get_int64(s) : 0;
    if (v < 1)
        WRONG(r, s, "%s: expected a positive integer", config_setting_name(s));
    return (uint64_t)v;
}

/* ---- axes ---- */

static int find_axis(const struct study *y, const char *name)
{
    for (uint32_t i = 0; i < y->naxes; i++)
        if (!strcmp(y->axis[i].name, name))
            return (int)i;
    return -1;
}

static void add_axis(struct reading *r, enum study_axis_kind kind, const char *name, const config_setting_t *s)
{
    struct study *y = r->s;
    if (s && find_axis(y, name) >= 0)
        WRONG(r, s, "there is an axis '%s' already", name);
    y->axis = mem_grow(y->axis, y->naxes, &y->axes_cap, sizeof *y->axis, "the axes of a study");
    struct study_axis *a = &y->axis[y->naxes++];
    *a = (struct study_axis){ .kind = kind, .name = mem_string(name) };
    if (s) {
        add_values(r, s, &a->value, &a->n, &a->cap);
        a->listed = is_list(s);
    }
}

/* An axis with one value that the file does not give. */
static void add_fixed(struct reading *r, enum study_axis_kind kind, const char *name, const char *value)
{
    add_axis(r, kind, name, NULL);
    struct study_axis *a = &r->s->axis[r->s->naxes - 1];
    a->value = mem_grow(NULL, 0, &a->cap, sizeof *a->value, "the values of a study");
    a->value[a->n++] = mem_string(value);
}

/* What the members of nested groups mean: NAME is the path to one, with dots. */
typedef void member_fn(struct reading *r, const char *name, const config_setting_t *s, void *to);

static void each_member(struct reading *r, const char *path, const config_setting_t *group, member_fn *fn, void *to)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
        char *name = mem_format("%s%s%s", path, *path ? "." : "", config_setting_name(s));
        if (config_setting_is_group(s))
            each_member(r, name, s, fn, to);
        else
            fn(r, name, s, to);
        free(name);
    }
}

static void add_key(struct reading *r, const char *name, const config_setting_t *s, void *unused)
{
    add_axis(r, STUDY_KEY, name, s);
}

static void add_argument(struct reading *r, const char *name, const config_setting_t *s, void *unused)
{
    add_axis(r, STUDY_ARGUMENT, name, s);
}

static bool is_group(struct reading *r, const config_setting_t *s)
{
    if (config_setting_is_group(s))
        return true;
    WRONG(r, s, "%s: expected a group { ... }", config_setting_name(s));
    return false;
}

/* ---- settings of the file ---- */

static void read_programs(struct reading *r, const config_setting_t *s) { add_axis(r, STUDY_PROGRAM, "program", s); }
static void read_configs(struct reading *r, const config_setting_t *s) { add_axis(r, STUDY_CONFIG, "config", s); }
static void read_overlays(struct reading *r, const config_setting_t *s) { add_axis(r, STUDY_OVERLAY, "overlay", s); }
static void read_seeds(struct reading *r, const config_setting_t *s) { add_axis(r, STUDY_SEED, "seed", s); }

static void read_arguments(struct reading *r, const config_setting_t *s)
{
    if (is_group(r, s))
        each_member(r, "", s, add_argument, NULL);
}

static void read_keys(struct reading *r, const config_setting_t *s)
{
    if (is_group(r, s))
        each_member(r, "", s, add_key, NULL);
}

static void read_columns(struct reading *r, const config_setting_t *s)
{
    struct study *y = r->s;
    add_values(r, s, &y->column, &y->ncolumns, &y->columns_cap);
    for (uint32_t i = 0; i < y->ncolumns; i++) {
        const char *near = batch_value_known(y->column[i]) ? NULL : batch_value_nearest(y->column[i]);
        if (!batch_value_known(y->column[i]))
            WRONG(r, s, "columns: there is no statistic '%s'%s%s (`simtx stats` lists them)", y->column[i],
                  near ? ", did you mean " : "", near ? near : "");
    }
}

static void read_mode(struct reading *r, const config_setting_t *s)
{
    const char *mode = is_text(r, s) ? config_setting_get_string(s) : "timing";
    if (strcmp(mode, "timing") && strcmp(mode, "functional"))
        WRONG(r, s, "mode = \"%s\": expected \"timing\" or \"functional\"", mode);
    r->s->timing = strcmp(mode, "functional");
}

static void read_detail(struct reading *r, const config_setting_t *s)
{
    if (is_text(r, s))
        r->s->detail = mem_string(config_setting_get_string(s));
}

static void read_restore(struct reading *r, const config_setting_t *s)
{
    if (is_text(r, s))
        r->s->restore = mem_string(config_setting_get_string(s));
}

static void read_name(struct reading *r, const config_setting_t *s)
{
    if (!is_text(r, s))
        return;
    free(r->s->name);
    r->s->name = mem_string(config_setting_get_string(s));
    if (!*r->s->name || strchr(r->s->name, '/'))
        WRONG(r, s, "name: expected a name for the folder of results");
}

static void read_limits(struct reading *r, const config_setting_t *s)
{
    for (int i = 0; is_group(r, s) && i < config_setting_length(s); i++) {
        const config_setting_t *m = config_setting_get_elem(s, (unsigned)i);
        if (!strcmp(config_setting_name(m), "cpu_seconds"))
            r->s->cpu_seconds = positive(r, m);
        else if (!strcmp(config_setting_name(m), "memory_mb"))
            r->s->memory = positive(r, m) << 20;
        else
            WRONG(r, m, "limits: expected cpu_seconds or memory_mb, not %s", config_setting_name(m));
    }
}

bool study_value_matches(const struct study_axis *a, const char *value, const char *pattern)
{
    size_t word = strcspn(value, " ");
    if (!strcmp(value, pattern))
        return true;
    return a->kind == STUDY_PROGRAM && strlen(pattern) == word && !strncmp(pattern, value, word);
}

static bool axis_has(const struct study_axis *a, const char *pattern)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (study_value_matches(a, a->value[i], pattern))
            return true;
    return false;
}

static void add_condition(struct reading *r, const char *name, const config_setting_t *s, void *to)
{
    struct study_exclusion *e = to;
    struct study_condition c = { .axis = find_axis(r->s, name) };
    if (c.axis < 0) {
        WRONG(r, s, "exclude: '%s' is no axis of this study", name);
        return;
    }
    add_values(r, s, &c.value, &c.n, &c.cap);
    for (uint32_t i = 0; i < c.n; i++)
        if (!axis_has(&r->s->axis[c.axis], c.value[i]))
            WRONG(r, s, "exclude: '%s' is no value of %s", c.value[i], name);
    e->condition = mem_grow(e->condition, e->n, &e->cap, sizeof *e->condition, "the exclusions of a study");
    e->condition[e->n++] = c;
}

static void add_exclusion(struct reading *r, const config_setting_t *group)
{
    struct study *y = r->s;
    struct study_exclusion e = { NULL, 0, 0 };
    if (!config_setting_is_group(group) || config_setting_length(group) == 0) {
        WRONG(r, group, "exclude: expected ({ config = \"...\"; ... }, ...)");
        return;
    }
    each_member(r, "", group, add_condition, &e);
    y->exclusion = mem_grow(y->exclusion, y->nexclusions, &y->exclusions_cap, sizeof e, "the exclusions of a study");
    y->exclusion[y->nexclusions++] = e;
}

static void read_exclude(struct reading *r, const config_setting_t *s)
{
    if (config_setting_is_group(s))
        add_exclusion(r, s);
    else if (!config_setting_is_list(s))
        WRONG(r, s, "exclude: expected ({ config = \"...\"; ... }, ...)");
    else
        for (int i = 0; i < config_setting_length(s); i++)
            add_exclusion(r, config_setting_get_elem(s, (unsigned)i));
}

/* In the order in which they are read, which is that of the axes; exclude refers to these. */
static const struct { const char *name; void (*read)(struct reading *r, const config_setting_t *s); } settings[] = {
    { "name", read_name }, { "programs", read_programs }, { "configs", read_configs }, { "overlays", read_overlays },
    { "arguments", read_arguments }, { "keys", read_keys }, { "seeds", read_seeds }, { "exclude", read_exclude },
    { "columns", read_columns }, { "mode", read_mode }, { "detail", read_detail },
    { "restore", read_restore }, { "limits", read_limits },
};

enum { SETTINGS = sizeof settings / sizeof *settings };

static void check_names(struct reading *r, const config_setting_t *root)
{
    const char *names[SETTINGS];
    for (int i = 0; i < SETTINGS; i++)
        names[i] = settings[i].name;
    for (int i = 0; i < config_setting_length(root); i++) {
        const config_setting_t *s = config_setting_get_elem(root, (unsigned)i);
        int at = 0;
        while (at < SETTINGS && strcmp(names[at], config_setting_name(s)))
            at++;
        const char *near = at == SETTINGS ? diag_nearest(config_setting_name(s), names, SETTINGS) : NULL;
        if (at == SETTINGS)
            WRONG(r, s, "unknown setting %s%s%s", config_setting_name(s), near ? ", did you mean " : "",
                  near ? near : "");
    }
}

/* Each {NAME} in a text must be an axis that may stand there. */
static void check_places(struct reading *r, const char *setting, const char *text)
{
    for (const char *at = text; (at = strchr(at, '{')) != NULL; at++) {
        size_t n = strcspn(at + 1, "}");
        if (!at[n + 1]) {
            diag_error(&r->d, 0, 0, "%s: '{' without '}' in \"%s\"", setting, text);
            return;
        }
        char *name = mem_string_n(at + 1, n);
        int axis = find_axis(r->s, name);
        if (axis < 0 || (r->s->axis[axis].kind != STUDY_ARGUMENT && r->s->axis[axis].kind != STUDY_SEED))
            diag_error(&r->d, 0, 0, "%s: {%s} is in neither `arguments` nor `seeds`", setting, name);
        free(name);
    }
}

/* {NAME} in a program's arguments must be an axis, and an axis of arguments must be used. */
static void check_arguments(struct reading *r)
{
    const struct study *y = r->s;
    const struct study_axis *programs = &y->axis[find_axis(y, "program")];
    for (uint32_t i = 0; i < programs->n; i++)
        check_places(r, "programs", programs->value[i] + strcspn(programs->value[i], " "));
    if (y->restore)
        check_places(r, "restore", y->restore);
    for (uint32_t a = 0; a < y->naxes; a++) {
        char *place = mem_format("{%s}", y->axis[a].name);
        bool used = y->axis[a].kind != STUDY_ARGUMENT;
        for (uint32_t i = 0; i < programs->n; i++)
            used |= strstr(programs->value[i], place) != NULL;
        if (!used)
            diag_error(&r->d, 0, 0, "arguments: no program has %s", place);
        free(place);
    }
}

static void add_default_columns(struct study *y)
{
    static const char *const columns[] = { "thread_instructions", "cycles", "ipc" };
    for (size_t i = 0; i < (y->timing ? 3 : 1); i++) {
        y->column = mem_grow(y->column, y->ncolumns, &y->columns_cap, sizeof *y->column, "the columns of a study");
        y->column[y->ncolumns++] = mem_string(columns[i]);
    }
}

static void read_all(struct reading *r, const config_setting_t *root)
{
    check_names(r, root);
    for (int i = 0; i < SETTINGS; i++) {
        const config_setting_t *s = config_setting_get_member(root, settings[i].name);
        if (s)
            settings[i].read(r, s);
        else if (settings[i].read == read_configs)
            add_fixed(r, STUDY_CONFIG, "config", "default");
        else if (settings[i].read == read_programs)
            diag_error(&r->d, 0, 0, "the setting `programs` is missing");
    }
    if (!r->d.errors)
        check_arguments(r);
    if (r->s->ncolumns == 0)
        add_default_columns(r->s);
}

/* "dir/warps.sweep" is called warps. */
static char *default_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return mem_string_n(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static void syntax_error(struct reading *r, const config_t *file)
{
    if (config_error_type(file) == CONFIG_ERR_FILE_IO)
        diag_error(&r->d, 0, 0, "%s", errno ? strerror(errno) : "cannot read the file");
    else
        diag_error(&r->d, config_error_line(file), 1, "%s", config_error_text(file));
}

struct study *study_read(const char *path, char **message)
{
    struct reading r = { .s = mem_zero(1, sizeof *r.s, "a study"), .d = { .file = path } };
    config_t file;
    r.s->name = default_name(path);
    r.s->timing = true;
    config_init(&file);
    errno = 0;
    if (config_read_file(&file, path) == CONFIG_TRUE)
        read_all(&r, config_root_setting(&file));
    else
        syntax_error(&r, &file);
    config_destroy(&file);
    *message = r.d.text ? mem_string(r.d.text) : NULL;
    if (r.d.errors) {
        study_free(r.s);
        r.s = NULL;
    }
    diag_free(&r.d);
    return r.s;
}

static void free_values(char **value, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        free(value[i]);
    free(value);
}

void study_free(struct study *s)
{
    for (uint32_t i = 0; i < s->naxes; i++) {
        free(s->axis[i].name);
        free_values(s->axis[i].value, s->axis[i].n);
    }
    for (uint32_t i = 0; i < s->nexclusions; i++) {
        for (uint32_t j = 0; j < s->exclusion[i].n; j++)
            free_values(s->exclusion[i].condition[j].value, s->exclusion[i].condition[j].n);
        free(s->exclusion[i].condition);
    }
    free_values(s->column, s->ncolumns);
    free(s->axis);
    free(s->exclusion);
    free(s->detail);
    free(s->restore);
    free(s->name);
    free(s);
}
