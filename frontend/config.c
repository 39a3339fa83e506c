/*
 * Loading configurations: small libconfig files (http://hyperrealm.github.io/libconfig) whose groups and
 * settings spell the dotted keys of base/config.def. A file may name a parent, `parent = "gtx480";`, which is
 * loaded first, so that it holds only the differences. A value may carry its source: `sms = (15, "Fermi
 * whitepaper, page 7");` Keys of kernels: `kernel = ({ name = "gemm"; registers = 24; });`
 */
#include "frontend/config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <libconfig.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/env.h"

enum { PARENTS_MAX = 16 };

/* What loading one file needs to know; `depth` counts parents. */
struct loading {
    simtx_config *config;
    struct diag *diag;
    int depth;
};

static bool load_names(struct loading *l, const char *names);

/* ---- where presets are ---- */

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The folder of the program or library that holds this code. */
static bool own_folder(char folder[PATH_MAX])
{
    Dl_info info;
    ssize_t n;
    if (dladdr(&config_keys, &info) && info.dli_fname && info.dli_fname[0] == '/' &&
        strstr(info.dli_fname, ".so")) {
        n = snprintf(folder, PATH_MAX, "%s", info.dli_fname);
    } else {
        n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    }
    if (n <= 0 || n >= PATH_MAX)
        return false;
    folder[n] = 0;
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    return slash != NULL;
}

/*
 * The i-th folder that may hold presets; false when there are no more. Built and installed, the command is in
 * bin/, libsimtx in lib/ and libcudart in cuda/lib64/ beside share/ or under share/simtx/.
 */
static bool preset_folder(int i, char folder[PATH_MAX])
{
    static const char *const places[] = { "../share/simtx/configs", "../../share/simtx/configs",
                                         "../../configs" };
    const char *env = getenv(SIMTX_ENV_CONFIG_DIR);
    char own[PATH_MAX];
    folder[0] = 0;
    if (i == 0)
        return snprintf(folder, PATH_MAX, "%s", env ? env : "") < PATH_MAX;
    if (i > (int)(sizeof places / sizeof *places))
        return false;
    if (own_folder(own) && snprintf(folder, PATH_MAX, "%s/%s", own, places[i - 1]) >= PATH_MAX)
        folder[0] = 0;
    return true;
}

static bool is_path(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".cfg"));
}

char *simtx_config_find(const char *name)
{
    char folder[PATH_MAX], *path = NULL;
    if (is_path(name))
        return is_file(name) ? strdup(name) : NULL;
    for (int i = 0; preset_folder(i, folder); i++) {
        if (!folder[0])
            continue;
        if (asprintf(&path, "%s/%s.cfg", folder, name) < 0)
            return NULL;
        if (is_file(path))
            return path;
        free(path);
    }
    return NULL;
}

static int preset_filter(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 4 && !strcmp(e->d_name + n - 4, ".cfg");
}

char **simtx_config_presets(void)
{
    char folder[PATH_MAX];
    struct dirent **list = NULL;
    int n = -1;
    for (int i = 0; n < 0 && preset_folder(i, folder); i++)
        if (folder[0])
            n = scandir(folder, &list, preset_filter, alphasort);
    char **names = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof *names);
    for (int i = 0; i < n; i++) {
        if (names)
            names[i] = strndup(list[i]->d_name, strlen(list[i]->d_name) - 4);
        free(list[i]);
    }
    free(list);
    return names;
}

/* ---- one file ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A scalar as text; NULL when the setting is none. */
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

/* Whether a setting's type is the one that the key wants; a key that does not exist is reported elsewhere. */
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

/* Messages name the file that the setting stands in, which @include may make another one. */
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
    config_set(l->config, name, text, origin, source, l->diag, line);
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

/* kernel = ({ name = "gemm"; registers = 24; }, ...): mangled names cannot be spelled as groups. */
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
    } else if (*prefix || strcmp(name, "parent")) {
        set_scalar(l, name, s, NULL);
    }
}

/* The parent first, then the file's own settings. */
static void apply(struct loading *l, const config_setting_t *root, const char *path)
{
    const config_setting_t *parent = config_setting_get_member(root, "parent");
    if (parent) {
        int line = (int)config_setting_source_line(parent);
        if (config_setting_type(parent) != CONFIG_TYPE_STRING) {
            diag_error(l->diag, line, 1, "parent: expected the name of a preset in quotes");
        } else if (l->depth == PARENTS_MAX) {
            diag_error(l->diag, line, 1, "more than %d parents: does a preset name itself?", PARENTS_MAX);
            return;
        } else {
            l->depth++;
            bool ok = load_names(l, config_setting_get_string(parent));
            l->diag->file = path;
            if (!ok)
                diag_note(l->diag, line, 1, "named as parent here");
            l->depth--;
        }
    }
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
    const char *near = is_path(name) ? NULL : diag_nearest(name, (const char *const *)presets, n);
    l->diag->file = NULL;
    if (is_path(name))
        diag_error(l->diag, 0, 0, "%s: no such configuration file", name);
    else if (near)
        diag_error(l->diag, 0, 0, "no preset is called %s, did you mean %s?", name, near);
    else
        diag_error(l->diag, 0, 0,
                   "no preset is called %s (`simtx config list` shows all; a file needs a / or .cfg)", name);
    for (size_t i = 0; i < n; i++)
        free(presets[i]);
    free(presets);
    return false;
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
            diag_error(l->diag, config_error_line(&cfg), 1, "%s", config_error_text(&cfg));
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

static bool load_name(struct loading *l, const char *name)
{
    char *path = simtx_config_find(name);
    bool ok = path ? load_file(l, path) : not_found(l, name);
    free(path);
    return ok;
}

/* One line: a path that exists is taken whole, whatever is in it; otherwise '+' separates names. */
static bool load_line(struct loading *l, char *line)
{
    bool ok = true;
    char *next = line;
    if (is_path(line) && is_file(line))
        return load_name(l, line);
    while (ok && next) {
        char *name = strsep(&next, "+");
        if (*name)
            ok = load_name(l, name);
    }
    return ok;
}

static bool load_names(struct loading *l, const char *names)
{
    char *copy = strdup(names), *next = copy;
    bool ok = copy != NULL;
    while (ok && next) {
        char *line = strsep(&next, "\n");
        if (*line)
            ok = load_line(l, line);
    }
    free(copy);
    return ok;
}

/* ---- interface ---- */

/* Hands the messages over, or throws them away when nobody wants them. */
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

const char *simtx_config_get(const simtx_config *c, const char *key)
{
    return config_get(c, key);
}

simtx_status simtx_config_check(const simtx_config *c, char **message)
{
    struct diag d = { 0 };
    return finish(&d, config_check(c, &d), message);
}

simtx_status simtx_config_load_all(simtx_config *c, const char *names, char **message)
{
    struct diag d = { 0 };
    struct loading l = { c, &d, 0 };
    return finish(&d, load_names(&l, names), message);
}

simtx_status simtx_config_load(simtx_config *c, const char *name_or_path, char **message)
{
    struct diag d = { 0 };
    struct loading l = { c, &d, 0 };
    return finish(&d, load_name(&l, name_or_path), message);
}

simtx_status simtx_config_assign(simtx_config *c, const char *assignment, const char *origin, char **message)
{
    struct diag d = { 0 };
    const char *eq = strchr(assignment, '=');
    bool ok = false;
    if (!eq || eq == assignment) {
        diag_error(&d, 0, 0, "%s: '%s' is not of the form key=value", origin, assignment);
    } else {
        size_t n = (size_t)(eq - assignment), blank = strspn(eq + 1, " \t");
        while (n && (assignment[n - 1] == ' ' || assignment[n - 1] == '\t'))
            n--;
        char *key = strndup(assignment, n);
        ok = key && config_set(c, key, eq + 1 + blank, origin, NULL, &d, 0);
        free(key);
    }
    return finish(&d, ok, message);
}

simtx_status simtx_config_set(simtx_config *c, const char *assignment, char **message)
{
    return simtx_config_assign(c, assignment, "set", message);
}
