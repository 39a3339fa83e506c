/*
 * The session of a process: its configuration, its files of statistics, the progress line, and its end. A signal
 * handler may only set flags and write to a pipe; a thread that reads the pipe does the rest: it stops the running
 * launch, writes the statistics, and ends the process by the same signal. The state is one static structure because
 * signals and exit handlers are per process.
 */
#include "frontend/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/host_clock.h"
#include "base/text.h"
#include "frontend/lib/config_load.h"
#include "frontend/session/env.h"
#include "frontend/session/atomic_file.h"

enum { GPUS_MAX = 16, CRASH_WAIT_MS = 2000 };

static const int ending_signals[] = { SIGINT, SIGTERM };
static const int crash_signals[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };

static struct session {
    pthread_mutex_t launching;       /* held while a kernel runs */
    pthread_mutex_t writing;         /* protects gpu, removed, written */
    pid_t pid;                       /* process that started the session; a forked child reports nothing */
    simtx_config *config;
    simtx_gpu *volatile gpu[GPUS_MAX];
    json_t *removed;                 /* statistics of removed GPUs, an array */
    unsigned created;                /* number of GPUs created so far */
    bool started, quiet, verbose, progress;
    bool written;                    /* statistics were written */
    bool file_failed;                /* a file could not be written or restored, or --detail chose no launch */
    int wake[2], done[2];            /* pipes: to the signal thread, and its acknowledgement of a crash */
    volatile sig_atomic_t signal;
    double signal_time;              /* when the first signal arrived */
    /* the progress line */
    bool shown;
    double last;
    char kernel[80];
    uint64_t blocks_done, blocks, cycles;
    char *where;                     /* lines on where the interrupted launch was, or NULL */
} session = { .launching = PTHREAD_MUTEX_INITIALIZER, .writing = PTHREAD_MUTEX_INITIALIZER };

static bool env_is(const char *name, const char *value)
{
    const char *s = getenv(name);
    return s && !strcmp(s, value);
}

/* ---- the pipe to `simtx run` ---- */

static struct { int fd; struct stat stat; } launcher = { .fd = -1 };

/* The program may have closed the descriptor and opened a file of its own under the same number. */
static bool is_launcher(const struct stat *s)
{
    return s->st_dev == launcher.stat.st_dev && s->st_ino == launcher.stat.st_ino;
}

static void send_to_launcher(char byte)
{
    struct stat s;
    if (launcher.fd < 0 || fstat(launcher.fd, &s) || !is_launcher(&s))
        return;
    ssize_t n = write(launcher.fd, &byte, 1);
    (void)n;
}

__attribute__((constructor)) static void send_loaded(void)
{
    const char *s = getenv(SIMTX_ENV_HANDSHAKE);
    char *end;
    if (!s || !*s)
        return;
    long fd = strtol(s, &end, 10);
    if (*end == 0 && fd > 2 && fd < 1 << 20 && !fstat((int)fd, &launcher.stat)) {
        launcher.fd = (int)fd;
        fcntl(launcher.fd, F_SETFD, FD_CLOEXEC);
        send_to_launcher(SIMTX_HANDSHAKE_LOADED);
    }
    unsetenv(SIMTX_ENV_HANDSHAKE);
}

/* The run continues, but `simtx run` reports a failure. */
static void set_file_failed(void)
{
    session.file_failed = true;
    send_to_launcher(SIMTX_HANDSHAKE_UNWRITTEN);
}

/* ---- configuration ---- */

/* The file name with %p replaced by the process number; a number other than 0 is inserted before the ending. */
static char *own_path(const char *pattern, unsigned number)
{
    const char *p = strstr(pattern, "%p");
    char *path = NULL, *own = NULL;
    if (!p)
        path = strdup(pattern);
    else if (asprintf(&path, "%.*s%d%s", (int)(p - pattern), pattern, (int)getpid(), p + 2) < 0)
        path = NULL;
    if (!path || !number)
        return path;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = *name ? strchr(name + 1, '.') : NULL;
    int head = dot ? (int)(dot - path) : (int)strlen(path);
    if (asprintf(&own, "%.*s.%u%s", head, path, number, path + head) < 0)
        own = NULL;
    free(path);
    return own;
}

/* The message when a switch is neither 0 nor 1; NULL = none. */
static char *check_switches(void)
{
    static const char *const switches[] = { SIMTX_ENV_QUIET, SIMTX_ENV_VERBOSE, SIMTX_ENV_PROGRESS };
    char *text = NULL;
    for (size_t i = 0; i < sizeof switches / sizeof *switches && !text; i++) {
        const char *s = getenv(switches[i]);
        if (s && *s && strcmp(s, "0") && strcmp(s, "1") &&
            asprintf(&text, "error: %s is '%s', expected 0 or 1\n", switches[i], s) < 0)
            return strdup("");
    }
    return text;
}

static char *check_folder(void)
{
    const char *folder = getenv(SIMTX_ENV_CONFIG_DIR);
    char *text = NULL;
    if (folder && *folder && !config_is_folder(folder) &&
        asprintf(&text, "error: %s is '%s', which is not a folder\n", SIMTX_ENV_CONFIG_DIR, folder) < 0)
        return strdup("");
    return text;
}

bool session_environment(char **message)
{
    *message = check_switches();
    if (!*message)
        *message = check_folder();
    return !*message;
}

const simtx_config *session_config(char **message)
{
    if (session.config)
        return session.config;
    if (!session_environment(message))
        return NULL;
    simtx_config *c = simtx_config_new();
    if (simtx_config_build(c, getenv(SIMTX_ENV_CONFIG), getenv(SIMTX_ENV_SET), "--set or " SIMTX_ENV_SET, message)) {
        simtx_config_free(c);
        return NULL;
    }
    session.config = c;
    return c;
}

/* The configuration of the next GPU: output files get names that no other GPU of the process uses. */
static simtx_config *own_config(char **message)
{
    static const char *const files[] = { "trace.file", "stats.window_file", "profile.file" };
    const simtx_config *shared = session_config(message);
    simtx_config *c = shared ? simtx_config_copy(shared) : NULL;
    for (size_t i = 0; c && i < sizeof files / sizeof *files; i++) {
        const char *pattern = simtx_config_get(c, files[i]);
        char *path = *pattern ? own_path(pattern, session.created) : NULL, *assignment = NULL;
        if (path && asprintf(&assignment, "%s=%s", files[i], path) >= 0)
            simtx_config_set(c, assignment, NULL);
        free(assignment);
        free(path);
    }
    return c;
}

/* ---- statistics ---- */

static json_t *command_json(void)
{
    char buf[4096];
    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t n = f ? fread(buf, 1, sizeof buf - 1, f) : 0;
    if (f)
        fclose(f);
    json_t *words = json_array();
    buf[n] = 0;
    for (const char *p = buf; p < buf + n; p += strlen(p) + 1) {
        json_t *word = json_string(p);
        json_array_append_new(words, word ? word : json_string("(not UTF-8)"));
    }
    return words;
}

static json_t *gpu_json(const simtx_gpu *g)
{
    char *text = simtx_stats_json(g);
    json_t *o = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return o;
}

/* All GPUs: removed ones, then the others in the order of their numbers. */
static json_t *all_gpus(void)
{
    json_t *list = session.removed ? json_copy(session.removed) : json_array();
    for (int i = 0; i < GPUS_MAX; i++) {
        json_t *o = session.gpu[i] ? gpu_json(session.gpu[i]) : NULL;
        if (o)
            json_array_append_new(list, o);
    }
    return list;
}

/* The command, the first GPU's statistics, and a list of the other GPUs' statistics. */
static json_t *report_json(void)
{
    json_t *list = all_gpus(), *first = json_array_get(list, 0), *root = json_object(), *value;
    const char *key;
    if (!first) {
        json_decref(list);
        json_decref(root);
        return NULL;
    }
    json_object_set(root, "simtx", json_object_get(first, "simtx"));
    json_object_set(root, "mode", json_object_get(first, "mode"));
    json_object_set_new(root, "command", command_json());
    json_object_foreach(first, key, value)
        if (!json_object_get(root, key))
            json_object_set(root, key, value);
    json_array_remove(list, 0);
    if (json_array_size(list))
        json_object_set(root, "other_devices", list);
    json_decref(list);
    return root;
}

static bool write_json(const json_t *root, FILE *f)
{
    return json_dumpf(root, f, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0 && fputc('\n', f) != EOF;
}

/* The run may have been long: the statistics go to a new file in the folder for temporary files. */
static void rescue(const json_t *root, const char *path, int reason)
{
    const char *folder = getenv("TMPDIR");
    char *name = NULL;
    int fd = asprintf(&name, "%s/simtx-stats.XXXXXX", folder && *folder ? folder : "/tmp") < 0 ? -1 : mkstemp(name);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    bool ok = f && write_json(root, f);
    if (f && fclose(f))
        ok = false;
    if (f && !ok)
        unlink(name);
    fprintf(stderr, "simtx: cannot write the statistics to %s: %s%s%s\n", path, strerror(reason),
            ok ? "; they are in " : "", ok ? name : "");
    free(name);
}

static void write_file(const char *pattern)
{
    char *path = own_path(pattern, 0);
    json_t *root = report_json();
    struct atomic_file r;
    bool ok = !root || (path && atomic_file_open(&r, path));
    if (root && ok)
        ok = atomic_file_close(&r, write_json(root, r.file));
    if (!ok) {
        rescue(root, path ? path : pattern, errno);
        set_file_failed();
    }
    json_decref(root);
    free(path);
}

/* Checked before the first launch; `simtx run` and `simtx launch` have checked a name without %p earlier. */
static bool statistics_writable(char **message)
{
    const char *pattern = getenv(SIMTX_ENV_STATS);
    char *path = pattern && *pattern ? own_path(pattern, 0) : NULL;
    bool ok = !path || atomic_file_writable(path);
    if (!ok && asprintf(message, "error: cannot write the statistics (--stats or %s) to %s: %s\n", SIMTX_ENV_STATS,
                        path, strerror(errno)) < 0)
        *message = NULL;
    free(path);
    return ok;
}

static void print_table(const simtx_gpu *g)
{
    char *text = simtx_stats_text(g);
    if (text)
        fputs(text, stderr);
    free(text);
}

static void print_tables(void)
{
    for (int i = 0; i < GPUS_MAX; i++)
        if (session.gpu[i])
            print_table(session.gpu[i]);
}

static void append_places(char *text, size_t size, const simtx_gpu *g, const char *check)
{
    unsigned n = simtx_check_places(g, check);
    if (n)
        text_append(text, size, "%s check.%s %u", *text ? "," : "", check, n);
}

/* How many places the checks have reported. */
static void print_checks(const simtx_gpu *g)
{
    char text[120] = "";
    append_places(text, sizeof text, g, "memory");
    append_places(text, sizeof text, g, "barrier");
    append_places(text, sizeof text, g, "warp");
    append_places(text, sizeof text, g, "races");
    append_places(text, sizeof text, g, "uninitialised");
    if (*text)
        fprintf(stderr, "simtx: places reported:%s\n", text);
}

static void print_all_checks(void)
{
    for (int i = 0; i < GPUS_MAX; i++)
        if (session.gpu[i])
            print_checks(session.gpu[i]);
}

/* The names of the first kernels of the statistics. */
static void print_kernels(const json_t *kernels)
{
    const size_t most = 5;
    for (size_t i = 0; i < json_array_size(kernels) && i < most; i++)
        fprintf(stderr, "%s %s", i ? "," : "", json_string_value(json_object_get(json_array_get(kernels, i), "name")));
    if (json_array_size(kernels) > most)
        fprintf(stderr, " and %zu more", json_array_size(kernels) - most);
    fputc('\n', stderr);
}

/* With a misspelt kernel name in --detail, all launches run in functional mode: the run fails. */
static void check_detail(const simtx_gpu *g, const json_t *stats)
{
    const char *mode = json_string_value(json_object_get(stats, "mode"));
    const json_t *kernels = json_object_get(stats, "kernels");
    if (!simtx_timing(g) || !mode || strcmp(mode, "functional") || !json_array_size(kernels))
        return;
    fputs("simtx: sim.detail (--detail) chose none of the launches: all ran in functional mode. Launched were", stderr);
    print_kernels(kernels);
    set_file_failed();
}

static void check_details(void)
{
    for (int i = 0; i < GPUS_MAX; i++)
        if (session.gpu[i] && simtx_timing(session.gpu[i])) {
            json_t *o = gpu_json(session.gpu[i]);
            check_detail(session.gpu[i], o);
            json_decref(o);
        }
}

static void write_statistics(void)
{
    pthread_mutex_lock(&session.writing);
    if (!session.written && session.pid == getpid()) {
        const char *pattern = getenv(SIMTX_ENV_STATS);
        session.written = true;
        check_details();
        print_all_checks();
        if (session.verbose)
            print_tables();
        if (pattern && *pattern)
            write_file(pattern);
    }
    pthread_mutex_unlock(&session.writing);
}

bool session_end(void)
{
    write_statistics();
    return !session.file_failed;
}

/* Closes the files that launches write; false after printing a message when one could not be written. */
static bool close_files(simtx_gpu *g)
{
    bool ok = simtx_close_files(g) == SIMTX_OK;
    if (!ok) {
        fprintf(stderr, "simtx: %s\n", simtx_last_message(g));
        set_file_failed();
    }
    return ok;
}

/* Only while no kernel runs. */
static void close_all_files(void)
{
    for (int i = 0; i < GPUS_MAX && session.pid == getpid(); i++)
        if (session.gpu[i])
            close_files(session.gpu[i]);
}

/* ---- progress ---- */

static void clear_line(void)
{
    if (session.shown)
        fputs("\r\033[K", stderr);
    session.shown = false;
}

static void show_warning(void *ctx, const char *text)
{
    (void)ctx;
    fprintf(stderr, "simtx: %s\n", text);
}

static void show_progress(void *ctx, const simtx_progress *p)
{
    const double first_after = 0.5, interval = 0.2;
    double t = host_seconds(), part = p->blocks ? (double)p->blocks_done / (double)p->blocks : 0;
    snprintf(session.kernel, sizeof session.kernel, "%s", p->kernel);
    session.blocks_done = p->blocks_done;
    session.blocks = p->blocks;
    session.cycles = p->cycles;
    if (!session.progress || p->seconds < first_after || t - session.last < interval)
        return;
    session.last = t;
    session.shown = true;
    fprintf(stderr, "\r\033[Ksimtx: %.40s  %llu of %llu blocks  %.0f %%  %.1f M inst/s", p->kernel,
            (unsigned long long)p->blocks_done, (unsigned long long)p->blocks, 100 * part,
            (double)p->thread_instructions / p->seconds / 1e6);
    if (p->cycles)
        fprintf(stderr, "  cycle %llu  IPC %.1f  %.0f k cycles/s", (unsigned long long)p->cycles,
                (double)p->thread_instructions / (double)p->cycles, (double)p->cycles / p->seconds / 1e3);
    if (p->commits)
        fprintf(stderr, "  %llu commits", (unsigned long long)p->commits);
    if (p->blocks_done) {
        unsigned left = (unsigned)(p->seconds / part * (1 - part) + 0.5);
        fprintf(stderr, "  %u:%02u to go", left / 60, left % 60);
    }
    fflush(stderr);
}

/* ---- signals ---- */

static void on_ending(int sig)
{
    int saved = errno;
    double t = host_seconds();
    if (!session.signal)
        session.signal_time = t;
    else if (t - session.signal_time > 1)       /* a second request, not a second delivery of the first */
        signal(sig, SIG_DFL), raise(sig);
    session.signal = sig;
    for (int i = 0; i < GPUS_MAX; i++)
        if (session.gpu[i])
            simtx_interrupt(session.gpu[i]);
    ssize_t n = write(session.wake[1], "E", 1);
    (void)n;
    errno = saved;
}

/* Makes the signal thread write the statistics. The caller may hold a lock that the thread needs, so it waits
 * for a limited time. */
static void save_run(void)
{
    struct pollfd done = { .fd = session.done[0], .events = POLLIN };
    ssize_t n = write(session.wake[1], "C", 1);
    (void)n;
    poll(&done, 1, CRASH_WAIT_MS);
}

/* SA_RESETHAND has removed the handler: the signal raised here ends the process when the handler returns. */
static void on_crash(int sig)
{
    save_run();
    raise(sig);
}

__attribute__((noreturn)) static void die_by_signal(void)
{
    int sig = session.signal;
    sigset_t set;
    signal(sig, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, sig);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), sig);
    _exit(128 + sig);
}

/* Has the program ended before the launch at which its state is saved or restored? */
static void check_saved(simtx_gpu *g)
{
    if (!simtx_saved_abandon(g))
        return;
    fputs("simtx: no launch was at the point of --save-at or of the saved state\n", stderr);
    set_file_failed();
}

static void check_all_saved(void)
{
    for (int i = 0; i < GPUS_MAX && session.pid == getpid(); i++)
        if (session.gpu[i])
            check_saved(session.gpu[i]);
}

/* A signal may interrupt a system call of the program, which then exits before the signal thread has acted. */
static void at_exit(void)
{
    check_all_saved();
    for (int i = 0; i < GPUS_MAX && !session.signal && session.pid == getpid(); i++)
        if (session.gpu[i])
            simtx_synchronize(session.gpu[i], NULL);      /* launches still queued */
    write_statistics();
    close_all_files();
    if (session.signal && session.pid == getpid())
        die_by_signal();
}

static void print_interrupted(void)
{
    fprintf(stderr, "simtx: interrupted");
    if (session.kernel[0])
        fprintf(stderr, "; last kernel %s, %llu of %llu blocks done", session.kernel,
                (unsigned long long)session.blocks_done, (unsigned long long)session.blocks);
    if (session.cycles)
        fprintf(stderr, ", core cycle %llu", (unsigned long long)session.cycles);
    fputc('\n', stderr);
    if (session.where)
        fputs(session.where, stderr);
}

/* Keeps the lines after "interrupted" in the message of an interrupted launch: the positions of the warps. */
static void keep_where(const char *message)
{
    const char *line = strchr(message, '\n');
    free(session.where);
    session.where = line && line[1] ? mem_string(line + 1) : NULL;
}

__attribute__((noreturn)) static void end_interrupted(void)
{
    clear_line();
    if (!session.quiet)
        print_interrupted();
    check_all_saved();
    write_statistics();
    close_all_files();
    die_by_signal();
}

static void *signal_thread(void *arg)
{
    char request;
    while (read(session.wake[0], &request, 1) == 1) {
        if (request == 'E') {
            pthread_mutex_lock(&session.launching);    /* waits for the end of a running launch */
            end_interrupted();
        }
        write_statistics();
        if (!pthread_mutex_trylock(&session.launching))    /* not if the crash occurred while a kernel ran */
            close_all_files();
        ssize_t n = write(session.done[1], "D", 1);
        (void)n;
    }
    return NULL;
}

/* Installs the handler unless the program has one. */
static void install(int sig, void (*handler)(int), int flags)
{
    struct sigaction old, sa = { .sa_handler = handler, .sa_flags = flags };
    sigemptyset(&sa.sa_mask);
    if (sigaction(sig, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
        sigaction(sig, &sa, NULL);
}

static void watch_signals(void)
{
    pthread_t thread;
    sigset_t all, old;
    if (pipe2(session.wake, O_CLOEXEC) || pipe2(session.done, O_CLOEXEC))
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failed = pthread_create(&thread, NULL, signal_thread, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (failed)
        return;
    pthread_detach(thread);
    for (size_t i = 0; i < sizeof ending_signals / sizeof *ending_signals; i++)
        install(ending_signals[i], on_ending, SA_RESTART);
    for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
        install(crash_signals[i], on_crash, SA_RESETHAND);
    mem_on_failure(save_run);
}

/* ---- GPUs and launches ---- */

static bool records_timing(const simtx_config *c)
{
    return *simtx_config_get(c, "trace.file") || *simtx_config_get(c, "profile.file") ||
           strcmp(simtx_config_get(c, "stats.window"), "0") != 0;
}

static void start(simtx_gpu *g)
{
    const char *progress = getenv(SIMTX_ENV_PROGRESS);
    simtx_gpu_info info;
    session.started = true;
    session.pid = getpid();
    session.quiet = env_is(SIMTX_ENV_QUIET, "1");
    session.verbose = env_is(SIMTX_ENV_VERBOSE, "1");
    session.progress = progress && *progress ? !strcmp(progress, "1") : !session.quiet && isatty(2);
    simtx_gpu_get_info(g, &info);
    atexit(at_exit);
    watch_signals();
    if (!session.quiet)
        fprintf(stderr, "simtx: simulating on %s (%s mode)\n", info.name, simtx_timing(g) ? "timing" : "functional");
    if (!simtx_timing(g) && records_timing(session.config))
        fputs("simtx: --trace, --window and --profile record timing mode; without --timing or --detail their files "
              "stay empty\n", stderr);
}

static void add_gpu(simtx_gpu *g)
{
    pthread_mutex_lock(&session.writing);
    for (int i = 0; i < GPUS_MAX; i++)
        if (!session.gpu[i]) {
            session.gpu[i] = g;
            break;
        }
    pthread_mutex_unlock(&session.writing);
    if (!session.started)
        start(g);
    simtx_set_progress(g, show_progress, NULL);
    simtx_set_warning(g, show_warning, NULL);
}

/* Applies SIMTX_SAVE_AT or SIMTX_RESTORE. */
static simtx_status set_saved(simtx_gpu *g, char **message)
{
    const char *point = getenv(SIMTX_ENV_SAVE_AT), *file = getenv(SIMTX_ENV_SAVE), *restore = getenv(SIMTX_ENV_RESTORE);
    bool save = point && *point;
    if (restore && !*restore)
        restore = NULL;
    if (!save && !restore)
        return SIMTX_OK;
    if (session.created == 0)
        return restore ? simtx_restore(g, restore, message) : simtx_save_at(g, point, file ? file : "", message);
    if (asprintf(message, "a state of more than one device cannot be saved or restored\n") < 0)
        *message = NULL;
    return SIMTX_NOT_SUPPORTED;
}

simtx_gpu *session_new_gpu(int index, char **message)
{
    simtx_config *c = session.created || statistics_writable(message) ? own_config(message) : NULL;
    simtx_gpu *g = c ? simtx_gpu_new(c, index, message) : NULL;
    simtx_config_free(c);
    if (g && set_saved(g, message)) {
        set_file_failed();
        simtx_gpu_free(g);
        g = NULL;
    }
    session.created += g != NULL;
    if (g)
        add_gpu(g);
    return g;
}

bool session_remove_gpu(simtx_gpu *g)
{
    simtx_synchronize(g, NULL);
    pthread_mutex_lock(&session.writing);
    for (int i = 0; i < GPUS_MAX; i++) {
        if (session.gpu[i] != g)
            continue;
        session.gpu[i] = NULL;
        check_saved(g);
        print_checks(g);
        if (session.verbose)
            print_table(g);
        json_t *o = gpu_json(g);
        check_detail(g, o);
        if (!session.removed)
            session.removed = json_array();
        if (o)
            json_array_append_new(session.removed, o);
    }
    pthread_mutex_unlock(&session.writing);
    simtx_set_progress(g, NULL, NULL);
    return close_files(g);
}

void session_launch_begin(simtx_gpu *g)
{
    pthread_mutex_lock(&session.launching);
    session.last = 0;
}

void session_launch_end(simtx_gpu *g, simtx_status status)
{
    clear_line();
    if (status == SIMTX_INTERRUPTED && session.signal) {
        fflush(stdout);
        keep_where(simtx_last_message(g));
        end_interrupted();
    }
    pthread_mutex_unlock(&session.launching);
}
