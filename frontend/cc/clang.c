/* The clang that simtx-cc runs: its selection, its version, and the CUDA directory whose bitcode it can read
 * (frontend/libdevice/libdevice.mk builds one directory for each installed version). */
#include "cc.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CLANG_OLDEST = 14,     /* the oldest version that the tests cover */
    CLANG_SOUND = 16       /* older versions miscompile: see cc_clang_warn */
};

/* In order of preference; the Makefile defines the list. */
static const int versions[] = { CLANG_VERSIONS };

static bool on_path(const char *name)
{
    if (strchr(name, '/'))
        return access(name, X_OK) == 0;
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    while (path && *path) {
        size_t n = strcspn(path, ":");
        if (snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name) < (int)sizeof file && access(file, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

static void find(char name[PATH_MAX])
{
    const char *env = getenv("SIMTX_CLANG");
    if (env && *env) {
        if (snprintf(name, PATH_MAX, "%s", env) >= PATH_MAX || !on_path(name))
            cc_fail("SIMTX_CLANG is '%s', which is no executable program", env);
        return;
    }
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        snprintf(name, PATH_MAX, "clang++-%d", versions[i]);
        if (on_path(name))
            return;
    }
    strcpy(name, "clang++");
    if (!on_path(name))
        cc_fail("no clang++ on PATH; install it (apt install clang-%d) or name one with SIMTX_CLANG", versions[0]);
}

/* The output of `NAME -dumpversion`, at most size - 1 bytes. */
static void dumpversion(const char *name, char *text, size_t size)
{
    int ends[2], status;
    if (pipe(ends))
        cc_fail("cannot create a pipe");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execlp(name, name, "-dumpversion", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t n = 0;
    ssize_t got = 0;
    while (pid > 0 && n + 1 < size && (got = read(ends[0], text + n, size - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = 0;
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, &status, 0);
}

static int major_version(const char *name)
{
    char text[64], *end;
    dumpversion(name, text, sizeof text);
    long major = strtol(text, &end, 10);
    if (end == text || *end != '.' || major < 1 || major > 999)
        cc_fail("'%s -dumpversion' prints no version; SIMTX_CLANG must name a clang++", name);
    return (int)major;
}

/* The version of the clang that made the bitcode of a CUDA directory; 0: unknown. */
static int bitcode_version(const char *tree)
{
    char file[PATH_MAX];
    int version = 0;
    if (snprintf(file, sizeof file, "%s/nvvm/libdevice/clang-version", tree) >= (int)sizeof file)
        return 0;
    FILE *f = fopen(file, "r");
    if (!f)
        return 0;
    if (fscanf(f, "%d", &version) != 1)
        version = 0;
    fclose(f);
    return version;
}

void cc_clang_find(struct cc *cc)
{
    find(cc->clang);
    cc->clang_major = major_version(cc->clang);
}

void cc_clang_cuda(struct cc *cc)
{
    int made_by = bitcode_version(cc->tree);
    strcpy(cc->cuda_path, cc->tree);
    if (cc->clang_major >= made_by)
        return;
    size_t size = sizeof cc->cuda_path;
    if (snprintf(cc->cuda_path, size, "%s/clang-%d", cc->tree, cc->clang_major) >= (int)size ||
        access(cc->cuda_path, R_OK))
        cc_fail("%s is version %d, and the device math library in %s was made by clang %d, which older versions cannot "
                "read; use a newer clang, or install clang-%d and run `make` again",
                cc->clang, cc->clang_major, cc->tree, made_by, cc->clang_major);
}

void cc_clang_warn(const struct cc *cc)
{
    if (cc->clang_major < CLANG_OLDEST)
        cc_note("%s is version %d; simtx is tested with %d to %d", cc->clang, cc->clang_major, CLANG_OLDEST,
                versions[0]);
    else if (cc->clang_major < CLANG_SOUND)
        cc_note("warning: clang %d can miscompile device code at -O1 and above (comparisons of structs with padding "
                "that are passed by value); install clang-%d",
                cc->clang_major, versions[0]);
}
