/* Commands: their execution, and their display in nvcc's form (-v, --dryrun). */
#include "cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

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

static int run_to(const struct cc *cc, const struct words *cmd, int messages)
{
    if (cc->dryrun || cc->verbose)
        print_command(cmd);
    if (cc->dryrun)
        return 0;
    cc_tempdir();
    fflush(NULL);
    int status = cc_process(cmd, messages);
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "simtx-cc: error: %s ended by signal %d\n", cmd->at[0], WTERMSIG(status));
        return 1;
    }
    return WEXITSTATUS(status);
}

int cc_run(const struct cc *cc, const struct words *cmd)
{
    return run_to(cc, cmd, -1);
}

/* The messages go into memory first, not into a file: the disk may be full. */
int cc_compile(const struct cc *cc, const struct words *cmd)
{
    struct words colored = {0};
    int messages = memfd_create("messages", MFD_CLOEXEC);
    words_append(&colored, cmd);
    if (isatty(STDERR_FILENO))
        words_add(&colored, "-fcolor-diagnostics");
    int rc = run_to(cc, messages < 0 ? cmd : &colored, messages);
    if (messages >= 0)
        cc_explain(messages, rc != 0);
    words_free(&colored);
    return rc;
}
