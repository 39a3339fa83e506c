/* simtx-cc, also called nvcc: compiles CUDA C++ for the simulator with stock clang and the CUDA directory of
 * this installation.  It understands the options that Makefiles give nvcc (CUDA Compiler Driver NVCC,
 * "Command Option Description"), translates them to clang's, and passes clang's own options on.  options.c
 * contains the table. */
#include "cc.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void cc_fail(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "simtx-cc: error: ");
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

void cc_note(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "simtx-cc: note: ");
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

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

static void list_append(struct list *l, const struct list *more)
{
    for (size_t i = 0; i < more->n; i++)
        list_add(l, more->v[i]);
}

/* The CUDA directory: build/bin -> build/cuda, PREFIX/bin -> PREFIX/share/simtx/cuda. */
static bool find_tree(char tree[PATH_MAX])
{
    static const char *const places[] = {"../cuda", "../share/simtx/cuda"};
    char self[PATH_MAX], probe[PATH_MAX + 32];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = 0;
    *(strrchr(self, '/') + 1) = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(probe, sizeof probe, "%s%s", self, places[i]);
        if (!realpath(probe, tree))
            continue;
        snprintf(probe, sizeof probe, "%s/include/cuda.h", tree);
        if (access(probe, R_OK) == 0)
            return true;
    }
    return false;
}

static void print_command(const struct list *cmd)
{
    for (size_t i = 0; i < cmd->n; i++) {
        const char *s = cmd->v[i];
        bool plain =
            *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%") ==
                      strlen(s);
        fputs(i ? " " : "", stdout);
        if (plain) {
            fputs(s, stdout);
            continue;
        }
        putchar('\'');
        for (; *s; s++)
            fputs(*s == '\'' ? "'\\''" : (char[]){*s, 0}, stdout);
        putchar('\'');
    }
    putchar('\n');
}

/* Runs a command and returns its exit status; with --dryrun only shows it. */
static int run(const struct cc *cc, const struct list *cmd)
{
    if (cc->dryrun) {
        print_command(cmd);
        return 0;
    }
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

static bool has_cuda(const struct cc *cc)
{
    for (size_t i = 0; i < cc->n_inputs; i++)
        if (cc->inputs[i].kind == IN_CUDA)
            return true;
    return false;
}

/* Adds the options for device code, which every command needs. */
static void add_cuda(const struct cc *cc, struct list *cmd)
{
    list_addf(cmd, "--cuda-path=%s", cc->cuda_path);
    list_addf(cmd, "--cuda-gpu-arch=sm_%d", cc->arch);
    list_add(cmd, "--no-cuda-version-check");
    list_append(cmd, &cc->device_opts);
}

static void add_common(const struct cc *cc, struct list *cmd)
{
    static const char *const quiet[] = {"-Wno-unknown-cuda-version",
                                        "-Wno-unknown-warning-option",
                                        "-Wno-unused-command-line-argument",
                                        "-Wno-ignored-optimization-argument",
                                        "-Wno-register",
                                        "-Wno-reserved-user-defined-literal"};
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        list_add(cmd, quiet[i]);
    list_append(cmd, &cc->opts);
    list_addf(cmd, "-O%s", cc->opt_level);
    list_add(cmd, "-isystem");
    list_addf(cmd, "%s/include", cc->tree);
}

static void add_input(struct list *cmd, const struct input *in)
{
    static const char *const lang[] = {
        [IN_CUDA] = "cuda", [IN_CXX] = "c++", [IN_C] = "c", [IN_LINK] = "none"};
    list_add(cmd, "-x");
    list_add(cmd, lang[in->kind]);
    list_add(cmd, in->file);
}

/* "dir/name.cu" -> "name.ext" */
static char *derived_name(const char *file, const char *ext)
{
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    const char *dot = strrchr(base, '.');
    char *out;
    if (asprintf(&out, "%.*s.%s", dot ? (int)(dot - base) : (int)strlen(base), base, ext) < 0)
        cc_fail("out of memory");
    return out;
}

/* One source to an object, PTX, preprocessed text or dependencies. */
static int compile_one(const struct cc *cc, const struct input *in, const char *output)
{
    struct list cmd = {0};
    list_add(&cmd, cc->clang);
    if (in->kind == IN_CUDA)
        add_cuda(cc, &cmd);
    add_common(cc, &cmd);
    if (in->kind != IN_C && cc->std)
        list_addf(&cmd, "-std=%s", cc->std);
    if (cc->mode == MODE_PTX) {
        list_add(&cmd, "--cuda-device-only");
        list_add(&cmd, "-S");
    } else if (cc->mode == MODE_PREPROCESS) {
        list_add(&cmd, cc->preprocess);
        if (in->kind == IN_CUDA)
            list_add(&cmd, "--cuda-host-only");
    } else {
        list_add(&cmd, "-c");
        list_append(&cmd, &cc->deps);
    }
    add_input(&cmd, in);
    if (output) {
        list_add(&cmd, "-o");
        list_add(&cmd, output);
    }
    int rc = run(cc, &cmd);
    list_free(&cmd);
    return rc;
}

static int compile_each(const struct cc *cc)
{
    static const char *const ext[] = {[MODE_OBJECT] = "o", [MODE_PTX] = "ptx"};
    int sources = 0;
    for (size_t i = 0; i < cc->n_inputs; i++)
        sources += cc->inputs[i].kind != IN_LINK;
    if (sources > 1 && cc->output)
        cc_fail("-o names one file, but %d sources are compiled; remove -o or compile them one by one",
                sources);
    for (size_t i = 0; i < cc->n_inputs; i++) {
        const struct input *in = &cc->inputs[i];
        if (in->kind == IN_LINK) {
            cc_note("%s: ignored, since this command does not link", in->file);
            continue;
        }
        if (cc->mode == MODE_PTX && in->kind != IN_CUDA)
            cc_fail("%s is not CUDA source, so there is no PTX; give -x cu if it is", in->file);
        char *name = cc->mode == MODE_PREPROCESS || cc->output ? NULL : derived_name(in->file, ext[cc->mode]);
        int rc = compile_one(cc, in, cc->output ? cc->output : name);
        free(name);
        if (rc)
            return rc;
    }
    return 0;
}

/* Compiles and links in one clang command; C sources are compiled to objects first: their -std and -x differ. */
static int build(struct cc *cc)
{
    struct list temps = {0};
    int rc = 0;
    for (size_t i = 0; i < cc->n_inputs && !rc; i++) {
        struct input *in = &cc->inputs[i];
        if (in->kind != IN_C)
            continue;
        list_addf(&temps, "%s/%zu.o", cc->dryrun ? "/tmp" : cc_tempdir(), i);
        const char *object = temps.v[temps.n - 1];
        rc = compile_one(cc, in, object);
        *in = (struct input){IN_LINK, object};
    }

    struct list cmd = {0};
    list_add(&cmd, cc->clang);
    if (has_cuda(cc))
        add_cuda(cc, &cmd);
    add_common(cc, &cmd);
    if (cc->std)
        list_addf(&cmd, "-std=%s", cc->std);
    list_append(&cmd, &cc->deps);
    for (size_t i = 0; i < cc->n_inputs; i++)
        add_input(&cmd, &cc->inputs[i]);
    list_add(&cmd, "-x");
    list_add(&cmd, "none");
    list_add(&cmd, "-o");
    list_add(&cmd, cc->output ? cc->output : "a.out");
    list_append(&cmd, &cc->link_opts);
    if (!cc->no_cudart) {
        list_addf(&cmd, "-L%s/lib64", cc->tree);
        list_addf(&cmd, "-Wl,-rpath,%s/lib64", cc->tree);
        list_add(&cmd, "-lcudart");
    }
    if (!rc)
        rc = run(cc, &cmd);
    for (size_t i = 0; i < temps.n && !cc->dryrun; i++)
        unlink(temps.v[i]);
    list_free(&cmd);
    list_free(&temps);
    return rc;
}

int main(int argc, char **argv)
{
    char tree[PATH_MAX];
    struct cc cc = {.arch = CC_DEFAULT_ARCH, .tree = find_tree(tree) ? tree : NULL};
    if (cc_parse(&cc, argc, argv)) {
        cc_free(&cc);
        return 0;
    }
    if (!cc.tree)
        cc_fail(
            "no CUDA directory beside simtx-cc (looked for ../cuda and ../share/simtx/cuda from its folder); "
            "run `make` or reinstall");
    cc_clang_find(&cc);
    cc_finish(&cc);
    if (has_cuda(&cc)) {
        cc_clang_cuda(&cc);
        cc_clang_warn(&cc);
    }
    int rc = cc.mode == MODE_LINK ? build(&cc) : compile_each(&cc);
    cc_free(&cc);
    return rc;
}
