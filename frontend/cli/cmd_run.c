/*
 * `simtx run`: starts a CUDA program with simtx's libcudart first in the library search path. The ELF file of the
 * program is checked before: it must load libcudart or libcuda dynamically. Afterwards a byte in a pipe shows whether
 * the program has loaded simtx's libcudart.
 */
#include "frontend/cli/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "frontend/lib/config_load.h"
#include "frontend/lib/saved/saved_file.h"
#include "frontend/session/env.h"
#include "frontend/session/session.h"
#include "frontend/lib/simtx.h"

static const char COMMAND[] = "simtx run";
static const char USAGE[] =
    "usage: simtx run [options] [--] PROGRAM [ARGUMENT ...]\n\n"
    "Runs a CUDA program, built with simtx-cc or with clang and -lcudart, on the simulated GPU. The output of the\n"
    "program is unchanged; `simtx run` ends with its exit code or signal. Messages of simtx go to stderr.\n";

enum { OPT_ANY_PROGRAM, OPT_PTX, OPT_SAVE_AT, OPT_SAVE, OPT_RESTORE };
static const struct cmd_option OPTIONS[] = {
    [OPT_ANY_PROGRAM] = { "--any-program", NULL,
                          "do not check that the program itself needs libcudart (one of its libraries may)" },
    [OPT_PTX] = { "--ptx", "FILE", "use the device code in this PTX file instead of the program's" },
    [OPT_SAVE_AT] = { "--save-at", "POINT", "save the device's state before a launch, kernel:NAME[,launch:N]" },
    [OPT_SAVE] = { "--save", "FILE", "the file of --save-at (default: saved.state)" },
    [OPT_RESTORE] = { "--restore", "FILE", "skip the launches before the point of a saved state, and go on from it" },
    { NULL, NULL, NULL }
};

__attribute__((noreturn, format(printf, 2, 3)))
static void reject(const char *program, const char *fmt, ...)
{
    va_list ap;
    fprintf(stderr, "%s: %s: ", COMMAND, program);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(CMD_USAGE);
}

/* ---- the program and the library ---- */

static bool find_in_path(const char *name, char path[PATH_MAX])
{
    const char *dirs = getenv("PATH");
    char *copy = mem_string(dirs ? dirs : "/usr/bin:/bin"), *next = copy;
    bool found = false;
    while (next && !found) {
        const char *dir = strsep(&next, ":");
        int n = snprintf(path, PATH_MAX, "%s/%s", *dir ? dir : ".", name);
        struct stat st;
        found = n < PATH_MAX && access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    }
    free(copy);
    return found;
}

static void find_program(const char *name, char path[PATH_MAX])
{
    struct stat st;
    if (!strchr(name, '/')) {
        if (!find_in_path(name, path))
            reject(name, access(name, F_OK) ? "no such program on PATH" : "not on PATH; did you mean ./%s?",
                   name);
        return;
    }
    if (snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX)
        reject("program", "its path is too long");
    if (stat(path, &st))
        reject(name, "%s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        reject(name, "is a folder");
    if (!S_ISREG(st.st_mode) || access(path, X_OK))
        reject(name, "is not an executable file");
}

static char *find_library(void)
{
    char *folder = cmd_library_folder();
    if (folder)
        return folder;
    char *own = file_own_folder();
    fprintf(stderr,
            "%s: simtx's libcudart.so is not in its folder (%s/../cuda/lib64); run `make` or install simtx again\n",
            COMMAND, own);
    exit(CMD_USAGE);
}

/* ---- checks of the program ---- */

struct elf_facts {
    int class, machine, type;
    bool dynamic, fatbin, simtx_static;   /* simtx_static: linked with our libcudart_static.a */
    char cudart[128], driver[128];   /* names of the needed libraries, "" = not needed */
};

static void read_needed(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct elf_facts *f)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t n = data && sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
    for (size_t i = 0; i < n; i++) {
        GElf_Dyn dyn;
        if (!gelf_getdyn(data, (int)i, &dyn) || dyn.d_tag != DT_NEEDED)
            continue;
        const char *name = elf_strptr(elf, sh->sh_link, dyn.d_un.d_val);
        if (name && !strncmp(name, "libcudart.so", 12))
            snprintf(f->cudart, sizeof f->cudart, "%s", name);
        if (name && !strncmp(name, "libcuda.so", 10))
            snprintf(f->driver, sizeof f->driver, "%s", name);
    }
}

/* False: it is not an ELF file. */
static bool read_elf(const char *path, struct elf_facts *f)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    memset(f, 0, sizeof *f);
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    GElf_Ehdr eh;
    bool ok = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &eh);
    size_t names = 0;
    if (ok) {
        f->class = eh.e_ident[EI_CLASS];
        f->machine = eh.e_machine;
        f->type = eh.e_type;
        elf_getshdrstrndx(elf, &names);
    }
    for (Elf_Scn *scn = NULL; ok && (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr sh;
        if (!gelf_getshdr(scn, &sh))
            continue;
        const char *name = elf_strptr(elf, names, sh.sh_name);
        f->simtx_static |= name && !strcmp(name, ".simtx_cudart");
        f->fatbin |= name && (!strcmp(name, ".nv_fatbin") || !strcmp(name, ".hip_fatbin"));
        if (sh.sh_type == SHT_DYNAMIC) {
            f->dynamic = true;
            read_needed(elf, scn, &sh, f);
        }
    }
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool is_script(const char *path)
{
    char head[2] = "";
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, 2, f) : 0;
    if (f)
        fclose(f);
    return n == 2 && head[0] == '#' && head[1] == '!';
}

static void check_cudart(const char *name, const struct elf_facts *f, const char *library)
{
    char path[PATH_MAX + 160];
    if (!f->cudart[0] && (f->driver[0] || f->simtx_static))
        return;                              /* both load libcudart */
    if (!f->cudart[0] && f->fatbin)
        reject(name, "has CUDA code but not the shared runtime library: its libcudart is linked statically.\n"
                     "Link it with -lcudart (nvcc: -cudart shared), or build it with simtx-cc");
    if (!f->cudart[0])
        reject(name, "is not a CUDA program: it does not need libcudart.so.\n"
                     "Build it with simtx-cc, or with clang++ and -lcudart; --any-program skips this check");
    snprintf(path, sizeof path, "%s/%s", library, f->cudart);
    if (access(path, R_OK))
        reject(name,
               "needs %s, which simtx does not provide; build it with simtx-cc, or with clang++ --cuda-path=%.*s",
               f->cudart, (int)(strrchr(library, '/') - library), library);
}

static void check_program(const char *name, const char *path, const char *library, bool any)
{
    struct elf_facts f, self;
    if (any)
        return;
    if (!read_elf(path, &f))
        reject(name, is_script(path) ? "is a script; name the program that it starts, or use --any-program"
                                     : "is not an ELF program");
    if (!read_elf("/proc/self/exe", &self) || f.class != self.class || f.machine != self.machine)
        reject(name, "is a program for another kind of machine");
    if (f.type != ET_EXEC && f.type != ET_DYN)
        reject(name, "is an object file, not a program; link it");
    check_cudart(name, &f, library);
}

/* ---- device code from a file ---- */

/* The file is checked before the program starts. The library gets its full path, since the program may change its
 * folder. */
static void replace_code(const char *file)
{
    char path[PATH_MAX], *message = NULL;
    size_t size = 0;
    char *text = file_read(file, &size);
    if (!text || !realpath(file, path))
        reject(file, "%s", strerror(errno));
    simtx_status status = simtx_ptx_check(text, size, file, &message);
    if (message)
        fputs(message, stderr);
    if (status)
        exit(CMD_PTX);
    free(message);
    free(text);
    setenv(SIMTX_ENV_PTX, path, 1);
}

/* ---- saved states ---- */

struct saving { const char *point, *file, *restore; };

static char *full_path(const char *name)
{
    char folder[PATH_MAX];
    return name[0] == '/' || !getcwd(folder, sizeof folder) ? mem_string(name) : mem_format("%s/%s", folder, name);
}

/* Reports before the program starts that FILE cannot be written; the library creates it only when it saves. */
static void check_writable(const char *file)
{
    if (!saved_file_writable(file))
        cmd_usage_error(COMMAND, "cannot write %s: %s", file, strerror(errno));
}

/* Checks the options and exports them for the library. */
static void export_saving(const struct saving *s, const simtx_config *config)
{
    char *message = NULL, *file = full_path(s->restore ? s->restore : s->file ? s->file : "saved.state");
    if (s->file && !s->point)
        cmd_usage_error(COMMAND, "--save needs --save-at");
    if (s->point && s->restore)
        cmd_usage_error(COMMAND, "--save-at and --restore exclude each other");
    if (s->point && !simtx_point_valid(s->point))
        cmd_usage_error(COMMAND, "--save-at %s: expected kernel:NAME[,launch:N] or launch:N", s->point);
    if (s->restore && simtx_restore_check(config, file, &message)) {
        fprintf(stderr, "%s: %s", COMMAND, message ? message : "out of memory\n");
        exit(CMD_USAGE);
    }
    if (s->point) {
        check_writable(file);
        setenv(SIMTX_ENV_SAVE_AT, s->point, 1);
        setenv(SIMTX_ENV_SAVE, file, 1);
    } else if (s->restore) {
        setenv(SIMTX_ENV_RESTORE, file, 1);
    }
    free(file);
}

/* The host's addresses, which may be among the data that it copies, are the same in the run that saves and in that
 * which restores. Where the system does not allow it they differ. */
static void fix_addresses(void)
{
    int before = personality(0xffffffff);            /* reads it */
    if (before >= 0 && (getenv(SIMTX_ENV_SAVE_AT) || getenv(SIMTX_ENV_RESTORE)))
        personality((unsigned long)before | ADDR_NO_RANDOMIZE);
}

/* ---- the child process ---- */

static volatile pid_t child;

/* A terminal sends Ctrl-C to the program, too. Signals from processes reach only `simtx run`, which forwards them. */
static void forward_signal(int sig, siginfo_t *info, void *context)
{
    if (child > 0 && info->si_code <= 0)
        kill(child, sig);
}

static void install_handlers(void)
{
    static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
    struct sigaction sa = { .sa_sigaction = forward_signal, .sa_flags = SA_SIGINFO | SA_RESTART };
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &sa, NULL);
}

__attribute__((noreturn)) static void run_program(const char *path, char **argv, const char *library, int fd)
{
    const char *old = getenv("LD_LIBRARY_PATH");
    char number[16], *paths = old && *old ? mem_format("%s:%s", library, old) : mem_string(library);
    snprintf(number, sizeof number, "%d", fd);
    setenv("LD_LIBRARY_PATH", paths, 1);
    setenv(SIMTX_ENV_HANDSHAKE, number, 1);
    fix_addresses();
    execv(path, argv);
    fprintf(stderr, "%s: %s: %s\n", COMMAND, path, strerror(errno));
    _exit(126);
}

/* Returns the program's exit code, or ends by its signal. */
static int end_as_program(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    int sig = WTERMSIG(status);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    signal(sig, SIG_DFL);
    raise(sig);
    return 128 + sig;
}

/* Whether the statistics file was replaced or changed since `before`. */
static bool statistics_written(const char *file, const struct stat *before)
{
    struct stat st;
    return stat(file, &st) || !S_ISREG(st.st_mode) || st.st_ino != before->st_ino || st.st_size != before->st_size ||
           st.st_mtim.tv_sec != before->st_mtim.tv_sec || st.st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

/* Reads the bytes that the library wrote to the pipe; the program has ended. */
static void read_handshake(int fd, bool *loaded, bool *unwritten)
{
    char byte;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (read(fd, &byte, 1) == 1) {
        *loaded |= byte == SIMTX_HANDSHAKE_LOADED;
        *unwritten |= byte == SIMTX_HANDSHAKE_UNWRITTEN;
    }
}

static int wait_for(int fd, const char *stats, const struct stat *before)
{
    int status = 0;
    bool loaded = false, unwritten = false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return CMD_FAILED;
    read_handshake(fd, &loaded, &unwritten);
    bool could_not_start = WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
    if (!loaded && !could_not_start && !WIFSIGNALED(status)) {
        fprintf(stderr,
                "%s: the program ended without using simtx's CUDA runtime: it loaded another libcudart "
                        "(an RPATH in the program overrides simtx) or none\n", COMMAND);
        return CMD_FAILED;
    }
    if (stats && !unwritten && !statistics_written(stats, before)) {
        const char *why = WIFSIGNALED(status) ? "a signal ended the program"
                                              : "the program used no GPU, or ended by _exit";
        fprintf(stderr, "%s: %s: no statistics were written to %s\n", COMMAND, why, stats);
        if (!before->st_size && S_ISREG(before->st_mode))
            unlink(stats);                   /* empty: only the check of --stats made it */
    }
    if (unwritten && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return CMD_FAILED;
    return end_as_program(status);
}

int cmd_run(int argc, char **argv)
{
    struct cmd_args a = { COMMAND, USAGE, OPTIONS, true, true, argc, 1, argv, NULL };
    char path[PATH_MAX], *message = NULL;
    const char *ptx = NULL, *stats;
    struct stat before = { .st_size = 0 };
    struct saving saving = { NULL, NULL, NULL };
    bool any = false;
    int which, fd[2];
    while ((which = cmd_args_next(&a)) >= 0) {
        any |= which == OPT_ANY_PROGRAM;
        ptx = which == OPT_PTX ? a.value : ptx;
        saving.point = which == OPT_SAVE_AT ? a.value : saving.point;
        saving.file = which == OPT_SAVE ? a.value : saving.file;
        saving.restore = which == OPT_RESTORE ? a.value : saving.restore;
    }
    if (which != CMD_ARG_WORD)
        cmd_usage_error(COMMAND, "no program given");
    char **program = argv + a.at - 1;
    cmd_export_common(COMMAND);
    const simtx_config *config = session_config(&message);
    if (!config) {
        fputs(message ? message : "", stderr);
        free(message);
        return CMD_USAGE;
    }
    export_saving(&saving, config);
    if (ptx)
        replace_code(ptx);
    find_program(program[0], path);
    char *library = find_library();
    check_program(program[0], path, library, any);
    stats = getenv(SIMTX_ENV_STATS);
    if (stats && (!*stats || strstr(stats, "%p") || stat(stats, &before)))
        stats = NULL;
    if (pipe(fd))
        reject(program[0], "%s", strerror(errno));
    fcntl(fd[0], F_SETFD, FD_CLOEXEC);
    install_handlers();
    child = fork();
    if (child < 0)
        reject(program[0], "%s", strerror(errno));
    if (child == 0)
        run_program(path, program, library, fd[1]);
    free(library);
    close(fd[1]);
    return wait_for(fd[0], stats, &before);
}
