/*
 * The pool: up to `jobs` child processes `simtx run` at a time, each in a process group of its own, with the limits of
 * the batch. A child ends when this process ends, however it ends. Ctrl-C ends the children; finished runs are kept.
 */
#include "frontend/sweep/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/host_clock.h"
#include "frontend/session/env.h"

enum { STEP_MS = 50, KILL_AFTER_MS = 5000 };

static volatile sig_atomic_t interrupted;
static sigset_t outer_mask;              /* signals that were blocked before the batch */

static void on_interrupt(int signal)
{
    interrupted = 1;
}

/* ---- one child ---- */

/* A hard limit of the user that is lower stays, and bounds the other one. */
static bool set_limit(int what, uint64_t limit, uint64_t hard)
{
    struct rlimit now;
    if (!limit || getrlimit(what, &now))
        return !limit;
    hard = hard < now.rlim_max ? hard : now.rlim_max;
    return !setrlimit(what, &(struct rlimit){ limit < hard ? limit : hard, hard });
}

/* RLIMIT_DATA and not RLIMIT_AS: simtx reserves address ranges without using them. */
static bool set_limits(const struct batch *b)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    return set_limit(RLIMIT_CPU, b->cpu_seconds, b->cpu_seconds + 5) && set_limit(RLIMIT_DATA, b->memory, b->memory);
}

/* simtx WORD ... with --stats, and --trace, before the "--" that ends the options. */
static char **child_words(const struct batch_run *run)
{
    int n = 0, at = 0;
    while (run->argv[n])
        n++;
    char **argv = mem_zero((size_t)n + 6, sizeof *argv, "the words of a command");
    argv[at++] = "simtx";
    for (int i = 0; i < n; i++) {
        if (!strcmp(run->argv[i], "--") && at == i + 1) {
            argv[at++] = "--stats";
            argv[at++] = run->part;
            if (run->trace) {
                argv[at++] = "--trace";
                argv[at++] = run->trace;
            }
        }
        argv[at++] = run->argv[i];
    }
    return argv;
}

__attribute__((noreturn)) static void exec_child(const struct batch *b, const struct batch_run *run, char **argv)
{
    static const char *const own[] = { SIMTX_ENV_CONFIG, SIMTX_ENV_SET, SIMTX_ENV_STATS, SIMTX_ENV_PROGRESS,
                                       SIMTX_ENV_VERBOSE, SIMTX_ENV_DEVICES, SIMTX_ENV_PTX, SIMTX_ENV_SAVE_AT,
                                       SIMTX_ENV_SAVE, SIMTX_ENV_RESTORE };
    int fd = open(run->output, O_WRONLY | O_CREAT | O_TRUNC, 0666), in = open("/dev/null", O_RDONLY);
    if (fd < 0 || in < 0 || dup2(in, 0) < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
        _exit(127);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        unsetenv(own[i]);
    if (set_limits(b))
        execv("/proc/self/exe", argv);
    dprintf(2, "simtx sweep: cannot start simtx with the limits of the study: %s\n", strerror(errno));
    _exit(127);
}

__attribute__((noreturn)) static void child(const struct batch *b, const struct batch_run *run, pid_t parent,
                                            char **argv)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &outer_mask, NULL);
    if (getppid() != parent)
        _exit(127);
    exec_child(b, run, argv);
}

/* Names that no other process uses, on any host that shares the folder. */
static void name_files(const struct batch *b, struct batch_run *run)
{
    static unsigned started;
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    run->part = mem_format("%s/runs/%s.%s-%d-%u.part", b->folder, run->name, host, (int)getpid(), started);
    run->output = mem_format("%s/runs/%s.%s-%d-%u.out", b->folder, run->name, host, (int)getpid(), started);
    if (run->timeline)
        run->trace = mem_format("%s/runs/%s.%s-%d-%u.trace.part", b->folder, run->name, host, (int)getpid(), started);
    started++;
}

/* False: no process can be started; the run waits. */
static bool start(const struct batch *b, struct batch_run *run)
{
    pid_t parent = getpid();
    name_files(b, run);
    char **argv = child_words(run);
    run->started = host_seconds();
    run->pid = fork();
    if (run->pid == 0)
        child(b, run, parent, argv);
    free(argv);
    if (run->pid < 0) {
        int reason = errno;
        batch_drop(run);
        errno = reason;
        return false;
    }
    setpgid(run->pid, run->pid);
    run->state = BATCH_RUNNING;
    return true;
}

static void fail(const struct batch *b, struct batch_run *run, const char *how)
{
    batch_keep_failure(b, run, how);
    if (b->progress)
        fputs("\r\033[K", stderr);
    batch_failure_print(b, run, stderr);
}

static void finish(const struct batch *b, struct batch_run *run, int status)
{
    char how[160];
    run->seconds = host_seconds() - run->started;
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "exit status %d", WEXITSTATUS(status));
    if (interrupted && status) {
        run->state = BATCH_WAITING;
        batch_drop(run);
    } else if (status) {
        fail(b, run, how);
    } else if (!batch_keep(b, run)) {
        snprintf(how, sizeof how, errno ? "cannot keep the results: %s" : "the program wrote no statistics",
                 strerror(errno));
        fail(b, run, how);
    }
}

/* ---- all of them ---- */

static void show_progress(const struct batch *b)
{
    static double shown;
    if (!b->progress || host_seconds() - shown < 0.5)
        return;
    shown = host_seconds();
    int done = batch_count(b, BATCH_DONE), failed = batch_count(b, BATCH_FAILED);
    int running = batch_count(b, BATCH_RUNNING), left = (int)batch_estimate(b);
    fprintf(stderr, "\r\033[K%d of %d runs done, %d failed, %d running, about %d:%02d left", done,
            done + failed + running + batch_count(b, BATCH_WAITING), failed, running, left / 60, left % 60);
    fflush(stderr);
}

/* Has the process `simtx run` ended? If it was killed, its program still runs and is killed here: the process number,
 * which is the group's, is not reused before waitpid. */
static bool has_ended(const struct batch_run *run, int *status)
{
    siginfo_t info = { .si_pid = 0 };
    if (waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid != run->pid)
        return false;
    kill(-run->pid, SIGKILL);
    return waitpid(run->pid, status, 0) == run->pid;
}

/* Waits until a child ends, or a step; then finishes the runs whose processes have ended. */
static void collect(struct batch *b)
{
    int status;
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigtimedwait(&children, NULL, &(struct timespec){ .tv_nsec = STEP_MS * 1000000L });
    for (int i = 0; i < b->nruns; i++) {
        struct batch_run *run = &b->runs[i];
        if (run->state == BATCH_RUNNING && has_ended(run, &status))
            finish(b, run, status);
    }
}

/* The longest one is started first, so that the last ones are short. */
static struct batch_run *next(struct batch *b)
{
    struct batch_run *best = NULL;
    for (int i = 0; i < b->nruns; i++) {
        struct batch_run *run = &b->runs[i];
        if (run->wanted && run->state == BATCH_WAITING && (!best || run->estimate > best->estimate))
            best = run;
    }
    return best;
}

/* Children receive SIGTERM, and SIGKILL if that has not ended them. */
static void stop(struct batch *b)
{
    double begin = host_seconds(), sent = -1;
    while (batch_count(b, BATCH_RUNNING) && host_seconds() - begin < 2 * KILL_AFTER_MS / 1000.) {
        bool again = sent < 0 || host_seconds() - sent > KILL_AFTER_MS / 1000.;
        for (int i = 0; again && i < b->nruns; i++)
            if (b->runs[i].state == BATCH_RUNNING)
                kill(-b->runs[i].pid, sent < 0 ? SIGTERM : SIGKILL);
        sent = again ? host_seconds() : sent;
        collect(b);
    }
}

/* Not even one process can be started. */
static void stop_without_processes(const struct batch *b)
{
    fprintf(stderr, "%s: cannot start a process: %s\n", b->command, strerror(errno));
    interrupted = 1;
}

static void run_all(struct batch *b)
{
    struct batch_run *run;
    while (!interrupted && ((run = next(b)) != NULL || batch_count(b, BATCH_RUNNING))) {
        int running = batch_count(b, BATCH_RUNNING);
        if (!run || running >= b->jobs || (!start(b, run) && running))
            collect(b);
        else if (run->state == BATCH_WAITING)
            stop_without_processes(b);
        show_progress(b);
    }
    stop(b);
}

bool batch_local(struct batch *b)
{
    struct sigaction action = { .sa_handler = on_interrupt }, old_int, old_term;
    sigset_t children;
    interrupted = 0;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, &outer_mask);
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
    run_all(b);
    if (b->progress)
        fputs("\r\033[K", stderr);
    if (interrupted)
        fprintf(stderr, "%s: interrupted with %d runs done; %s continues\n", b->command, batch_count(b, BATCH_DONE),
                b->continues);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    sigprocmask(SIG_SETMASK, &outer_mask, NULL);
    return !interrupted;
}
