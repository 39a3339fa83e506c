/* The folder of benchmarks (program_folder.h). */
#include "frontend/sweep/program_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "frontend/cli/cmd.h"

void program_missing(const char *command, const char *path)
{
    cmd_usage_error(command, "%s: %s; build the benchmarks (`make kernels`) or name their folder with --programs", path,
                    strerror(errno));
}

char *program_folder(const char *command, const char *name)
{
    char own[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = 0;
    char *slash = strrchr(own, '/');
    if (slash)
        *slash = 0;
    char *path = name ? mem_string(name) : mem_format("%s/../kernels", own);
    char *full = realpath(path, NULL);
    if (!full)
        program_missing(command, path);
    free(path);
    return full;
}
