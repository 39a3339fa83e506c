/*
 * One compilation: source and headers are written to a temporary folder, simtx-cc compiles the device code to PTX, and
 * its messages become the log. For each name expression the source gets a variable that is initialised with its
 * address: that instantiates templates, and the PTX names the function or variable in the initialiser.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "frontend/nvrtc/nvrtc_impl.h"

extern char **environ;

struct work {
    char folder[PATH_MAX - 256];
    char source[PATH_MAX], ptx[PATH_MAX], log[PATH_MAX], compiler[PATH_MAX];
};

/* The log of a compilation for which the compiler has not run. Returns false. */
__attribute__((format(printf, 2, 3))) static bool fails(struct _nvrtcProgram *p, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&p->log, format, ap);
    va_end(ap);
    if (n < 0)
        p->log = NULL;
    p->log_bytes = n < 0 ? 0 : (size_t)n + 1;
    return false;
}

/* ---- files ---- */

static bool cannot_write(struct _nvrtcProgram *p, const char *path)
{
    return fails(p, "nvrtc: error: cannot write %s: %s\n", path, strerror(errno));
}

static bool open_work(struct work *w, struct _nvrtcProgram *p)
{
    const char *tmp = getenv("TMPDIR");
    if (snprintf(w->folder, sizeof w->folder, "%s/simtx-nvrtc-XXXXXX", tmp && *tmp ? tmp : "/tmp") >=
        (int)sizeof w->folder)
        return fails(p, "nvrtc: error: the path in TMPDIR is too long\n");
    if (!mkdtemp(w->folder))
        return cannot_write(p, w->folder);
    snprintf(w->source, sizeof w->source, "%s/program.cu", w->folder);
    snprintf(w->ptx, sizeof w->ptx, "%s/program.ptx", w->folder);
    snprintf(w->log, sizeof w->log, "%s/log", w->folder);
    return true;
}

static bool write_text(const char *path, const char *head, const char *text, const char *tail)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    bool ok = fputs(head, f) >= 0 && fputs(text, f) >= 0 && fputs(tail, f) >= 0;
    return fclose(f) == 0 && ok;
}

/* *bytes counts the terminating 0. */
static char *read_text(const char *path, size_t *bytes)
{
    char *text = file_read(path, bytes);
    if (text)
        ++*bytes;
    return text;
}

/* No absolute path, and no component "..". */
static bool is_below_folder(const char *name)
{
    if (*name == '/')
        return false;
    for (size_t n; *name; name += n + (name[n] == '/')) {
        n = strcspn(name, "/");
        if (n == 2 && !strncmp(name, "..", 2))
            return false;
    }
    return true;
}

/* The folders of a header's name, which may be "a/b.h". */
static bool make_folders(const struct work *w, const char *name)
{
    char path[PATH_MAX];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%s/include/%.*s", w->folder, (int)(slash - name), name);
        if (mkdir(path, 0700) && errno != EEXIST)
            return false;
    }
    return true;
}

static bool write_header(const struct work *w, struct _nvrtcProgram *p, const char *name, const char *text)
{
    char path[PATH_MAX];
    if (!is_below_folder(name))
        return fails(p, "nvrtc: error: the name of the header '%s' leads out of its folder\n", name);
    if (snprintf(path, sizeof path, "%s/include/%s", w->folder, name) >= (int)sizeof path)
        return fails(p, "nvrtc: error: the name of the header '%s' is too long\n", name);
    return (make_folders(w, name) && write_text(path, "", text, "")) || cannot_write(p, path);
}

static bool write_headers(const struct work *w, struct _nvrtcProgram *p)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/include", w->folder);
    bool ok = !mkdir(path, 0700) || cannot_write(p, path);
    for (int i = 0; ok && i < p->headers.n; i++)
        ok = write_header(w, p, p->include_names.text[i], p->headers.text[i]);
    return ok;
}

static char *name_variables(const struct _nvrtcProgram *p)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    if (p->expressions.n)
        fputs("\n#line 1 \"name expressions\"\n", f);
    for (int i = 0; i < p->expressions.n; i++)
        fprintf(f, "extern \"C\" { __device__ const void *" NVRTC_NAME_VARIABLE "%d = (const void *)(%s); }\n", i,
                p->expressions.text[i]);
    return fclose(f) ? NULL : text;
}

/* What precedes the source; its name as a string of C. */
static char *source_head(const char *name)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    fputs("#ifdef __SIMTX_RTC_DEVICE_DEFAULT\n#pragma clang force_cuda_host_device begin\n#endif\n#line 1 \"", f);
    for (; *name; name++)
        fprintf(f, *name == '\n' ? "\\n" : strchr("\"\\", *name) ? "\\%c" : "%c", *name);
    fputs("\"\n", f);
    return fclose(f) ? NULL : text;
}

static bool write_source(const struct work *w, struct _nvrtcProgram *p)
{
    char *head = source_head(p->name), *tail = name_variables(p);
    bool ok = (head && tail && write_text(w->source, head, p->source, tail)) || cannot_write(p, w->source);
    free(head);
    free(tail);
    return ok;
}

/* ---- the compiler ---- */

/* simtx-cc, from this library's folder: of the build tree, or of an installation. */
static bool find_compiler(struct work *w)
{
    static const char *const places[] = {"../../bin/simtx-cc", "../../../../bin/simtx-cc"};
    Dl_info info;
    if (!dladdr((const void *)nvrtc_compile, &info))
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname) : 0;
    for (int i = 0; i < 2; i++) {
        snprintf(w->compiler, sizeof w->compiler, "%.*s/%s", folder, folder ? info.dli_fname : ".", places[i]);
        if (!access(w->compiler, X_OK))
            return true;
    }
    return false;
}

/* Has the compiler succeeded? If this program ignores SIGCHLD there is no status, but the PTX file. */
static bool wait_for(pid_t pid, const char *ptx)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return errno == ECHILD && !access(ptx, R_OK);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* With the default action of SIGCHLD, since the compiler waits for its own processes. */
static bool run(struct _nvrtcProgram *p, char **argv, const char *log, const char *ptx)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, children;
    pid_t pid;
    sigemptyset(&none);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &children);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawn(&pid, argv[0], &files, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return error ? fails(p, "nvrtc: error: cannot start %s: %s\n", argv[0], strerror(error)) : wait_for(pid, ptx);
}

static bool run_compiler(struct work *w, struct _nvrtcProgram *p, const struct text_list *arguments)
{
    char include[PATH_MAX];
    const char *fixed[] = {w->compiler, "-ptx", "-D__CUDACC_RTC__=1", include, "-o", w->ptx, w->source};
    enum { FIXED = sizeof fixed / sizeof *fixed };
    char **argv = calloc((size_t)arguments->n + FIXED + 1, sizeof *argv);
    if (!argv)
        return false;
    snprintf(include, sizeof include, "-I%s/include", w->folder);
    for (int i = 0; i < FIXED; i++)
        argv[i] = (char *)fixed[i];
    for (int i = 0; i < arguments->n; i++)
        argv[FIXED + i] = arguments->text[i];
    bool ok = run(p, argv, w->log, w->ptx);
    free(argv);
    return ok;
}

/* ---- lowered names ---- */

/* The identifier in the initialiser of a name variable, "... NAME_0 = generic(symbol);" or "= symbol;". */
static char *initialiser(const char *line)
{
    const char *p = strchr(line, '=');
    if (!p)
        return NULL;
    p += strspn(p, "= ");
    if (!strncmp(p, "generic(", 8))
        p += 8;
    return strndup(p, strcspn(p, ");, \n"));
}

/* Cuts the line that defines the variable out of the text, and gives the symbol in it. */
static char *take_name(char *ptx, int i)
{
    char variable[64];
    snprintf(variable, sizeof variable, NVRTC_NAME_VARIABLE "%d ", i);
    char *at = strstr(ptx, variable), *line = at, *end;
    if (!at)
        return NULL;
    while (line > ptx && line[-1] != '\n')
        line--;
    end = strchr(at, '\n');
    end = end ? end + 1 : at + strlen(at);
    char *name = initialiser(at);
    memmove(line, end, strlen(end) + 1);
    return name;
}

static bool take_names(struct _nvrtcProgram *p)
{
    bool ok = true;
    for (int i = 0; ok && i < p->expressions.n; i++) {
        char *name = take_name(p->ptx, i);
        ok = text_list_add(&p->lowered, name ? name : "");
        free(name);
    }
    p->ptx_bytes = strlen(p->ptx) + 1;
    return ok;
}

static bool compile(struct work *w, struct _nvrtcProgram *p, const struct text_list *arguments)
{
    if (!find_compiler(w))
        return fails(p, "nvrtc: error: simtx-cc is not in its folder beside this library\n");
    bool ok = write_headers(w, p) && write_source(w, p) && run_compiler(w, p, arguments);
    if (!p->log)
        p->log = read_text(w->log, &p->log_bytes);
    if (ok)
        p->ptx = read_text(w->ptx, &p->ptx_bytes);
    return ok && p->ptx && take_names(p);
}

bool nvrtc_compile(struct _nvrtcProgram *p, const struct text_list *arguments, bool *out_of_memory)
{
    struct work *w = calloc(1, sizeof *w);
    *out_of_memory = !w;
    if (!w)
        return false;
    bool ok = open_work(w, p);
    if (ok) {
        ok = compile(w, p, arguments);
        file_remove_folder(w->folder);
    }
    free(w);
    return ok;
}
