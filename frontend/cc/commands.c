/* Commands: their execution, and their display in nvcc's form (-v, --dryrun). */
#include "cc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int cc_run(const struct cc *cc, const struct words *cmd)
{
    if (cc->dryrun || cc->verbose)
        print_command(cmd);
    if (cc->dryrun)
        return 0;
    cc_tempdir();
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        cc_fail("cannot start %s: %s", cmd->at[0], strerror(errno));
    if (pid == 0) {
        execvp(cmd->at[0], cmd->at);
        fprintf(stderr, "simtx-cc: error: cannot start %s: %s\n", cmd->at[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            cc_fail("cannot wait for %s: %s", cmd->at[0], strerror(errno));
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "simtx-cc: error: %s ended by signal %d\n", cmd->at[0], WTERMSIG(status));
        return 1;
    }
    return WEXITSTATUS(status);
}

const char *cc_temp(struct cc *cc, const char *name)
{
    words_format(&cc->temps, "%s/%s", cc->dryrun ? "/tmp" : cc_tempdir(), name);
    return cc->temps.at[cc->temps.n - 1];
}
