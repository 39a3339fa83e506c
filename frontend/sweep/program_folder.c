/* The folder of benchmarks (program_folder.h). */
#include "frontend/sweep/program_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "frontend/cli/cmd.h"

void program_missing(const char *command, const char *path)
{
    cmd_usage_error(command, "%s: %s; build the benchmarks (`make kernels`) or name their folder with --programs", path,
                    strerror(errno));
}

char *program_folder(const char *command, const char *name)
{
    char *own = file_own_folder();
    char *path = name ? mem_string(name) : mem_format("%s/../kernels", own);
    char *full = realpath(path, NULL);
    if (!full)
        program_missing(command, path);
    free(path);
    free(own);
    return full;
}
