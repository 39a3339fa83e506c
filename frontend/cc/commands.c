/* Commands: their execution, and their display in nvcc's form (-v, --dryrun). */
#include "cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static void print_command(const struct words *cmd)
{
    fputs("#$ ", stderr);
    for (uint32_t i = 0; i < cmd->n; i++) {
        fputs(i ? " " : "", stderr);
        word_print_quoted(cmd->at[i], stderr);
    }
    putc('\n', stderr);
}

/* CMake reads these lines: the toolkit's folder, its headers, the default architecture, and from the line with the text
 * of LIBRARIES the program that links objects. That is nvcc, which adds the folder of the runtime library. */
void cc_print_settings(const struct cc *cc)
{
    const char *path = getenv("PATH");
    cc_note("settings and commands in nvcc's form");
    fprintf(stderr, "#$ _CUDART_=cudart\n#$ _HERE_=%s/bin\n#$ _THERE_=%s/bin\n#$ TOP=%s\n", cc->tree, cc->tree,
            cc->tree);
    fprintf(stderr, "#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n#$ PATH=%s\n", cc->tree, path ? path : "");
    fprintf(stderr, "#$ INCLUDES=-I%s/include\n#$ LIBRARIES=-L%s/lib64 -lcudart\n", cc->tree, cc->tree);
    fprintf(stderr, "#$ PTXAS_FLAGS=-arch compute_%d\n", cc->arch);
    fprintf(stderr, "#$ %s/bin/nvcc -L%s/lib64 -lcudart\n", cc->tree, cc->tree);
}

int cc_run(const struct cc *cc, const struct words *cmd)
{
    if (cc->dryrun || cc->verbose)
        print_command(cmd);
    if (cc->dryrun)
        return 0;
    cc_tempdir();
    fflush(NULL);
    int status = cc_process(cmd);
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "simtx-cc: error: %s ended by signal %d\n", cmd->at[0], WTERMSIG(status));
        return 1;
    }
    return WEXITSTATUS(status);
}
