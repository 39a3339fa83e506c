/* Command lines: lists of words, their execution, and their display in nvcc's form (-v, --dryrun). */
#include "cc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void list_add(struct list *l, const char *s)
{
    if (l->n + 1 >= l->cap) {
        l->cap = l->cap ? l->cap * 2 : 32;
        l->v = realloc(l->v, l->cap * sizeof *l->v);
        if (!l->v)
            cc_fail("out of memory");
    }
    l->v[l->n] = strdup(s);
    if (!l->v[l->n++])
        cc_fail("out of memory");
    l->v[l->n] = NULL;
}

void list_addf(struct list *l, const char *fmt, ...)
{
    char *s;
    va_list ap;
    va_start(ap, fmt);
    if (vasprintf(&s, fmt, ap) < 0)
        cc_fail("out of memory");
    va_end(ap);
    list_add(l, s);
    free(s);
}

void list_free(struct list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    *l = (struct list){0};
}

void list_append(struct list *l, const struct list *more)
{
    for (size_t i = 0; i < more->n; i++)
        list_add(l, more->v[i]);
}

static void print_word(const char *s)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
    if (*s && strspn(s, plain) == strlen(s)) {
        fputs(s, stderr);
        return;
    }
    putc('\'', stderr);
    for (; *s; s++)
        fputs(*s == '\'' ? "'\\''" : (char[]){*s, 0}, stderr);
    putc('\'', stderr);
}

static void print_command(const struct list *cmd)
{
    fputs("#$ ", stderr);
    for (size_t i = 0; i < cmd->n; i++) {
        fputs(i ? " " : "", stderr);
        print_word(cmd->v[i]);
    }
    putc('\n', stderr);
}

/* CMake reads these lines: the toolkit's folder, its headers, the default architecture, and from the line with the text
 * of LIBRARIES the program that links objects. That is nvcc, which knows where the runtime library is. */
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

int cc_run(const struct cc *cc, const struct list *cmd)
{
    if (cc->dryrun || cc->verbose)
        print_command(cmd);
    if (cc->dryrun)
        return 0;
    cc_tempdir();
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        cc_fail("cannot start %s: %s", cmd->v[0], strerror(errno));
    if (pid == 0) {
        execvp(cmd->v[0], cmd->v);
        fprintf(stderr, "simtx-cc: error: cannot start %s: %s\n", cmd->v[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            cc_fail("cannot wait for %s: %s", cmd->v[0], strerror(errno));
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "simtx-cc: error: %s ended by signal %d\n", cmd->v[0], WTERMSIG(status));
        return 1;
    }
    return WEXITSTATUS(status);
}

const char *cc_temp(struct cc *cc, const char *name)
{
    list_addf(&cc->temps, "%s/%s", cc->dryrun ? "/tmp" : cc_tempdir(), name);
    return cc->temps.v[cc->temps.n - 1];
}
