/* Finds presets: the folders that are searched, and the descriptions in presets. */
#include "frontend/lib/config_load.h"

#include <dirent.h>
#include <dlfcn.h>
#include <libconfig.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "frontend/session/env.h"

bool config_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool config_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The folder of the program or library that contains this code. */
static char *own_folder(void)
{
    Dl_info info;
    bool library = dladdr(&config_keys, &info) && info.dli_fname && info.dli_fname[0] == '/' &&
                   strstr(info.dli_fname, ".so");
    return library ? mem_string_n(info.dli_fname, (size_t)(strrchr(info.dli_fname, '/') - info.dli_fname))
                   : file_own_folder();
}

/*
 * The i-th folder that may contain presets; false = no more. The command is in bin/ and libsimtx in lib/, beside
 * share/; libcudart in cuda/lib64/, which is beside share/ in the build and in share/simtx/ in the installation.
 */
static bool preset_folder(int i, char folder[PATH_MAX])
{
    static const char *const places[] = { "../share/simtx/configs", "../../share/simtx/configs",
                                          "../../../simtx/configs" };
    const char *env = getenv(SIMTX_ENV_CONFIG_DIR);
    folder[0] = 0;
    if (i == 0)
        return snprintf(folder, PATH_MAX, "%s", env ? env : "") < PATH_MAX;
    if (i > (int)(sizeof places / sizeof *places))
        return false;
    char *own = own_folder();
    if (snprintf(folder, PATH_MAX, "%s/%s", own, places[i - 1]) >= PATH_MAX)
        folder[0] = 0;
    free(own);
    return true;
}

bool config_is_path(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".cfg"));
}

char *simtx_config_find(const char *name)
{
    char folder[PATH_MAX], *path = NULL;
    if (config_is_path(name))
        return config_is_file(name) ? strdup(name) : NULL;
    for (int i = 0; preset_folder(i, folder); i++) {
        if (!folder[0])
            continue;
        if (asprintf(&path, "%s/%s.cfg", folder, name) < 0)
            return NULL;
        if (config_is_file(path))
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

bool simtx_config_about(const char *name, char about[200], bool *machine)
{
    char *path = simtx_config_find(name);
    config_t cfg;
    const char *text = "";
    int whole = 0;
    config_init(&cfg);
    bool ok = path && config_read_file(&cfg, path);
    if (ok) {
        config_lookup_string(&cfg, "about", &text);
        config_lookup_bool(&cfg, "machine", &whole);
        *machine = whole || config_lookup(&cfg, "parent");
        snprintf(about, 200, "%s", text);
    }
    config_destroy(&cfg);
    free(path);
    return ok;
}
