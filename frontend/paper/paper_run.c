/*
 * Runs a grid: up to `jobs` child processes `simtx run` at a time, each in a process group of its own. A finished run
 * leaves runs/KEY.json (its statistics), KEY.log (what it printed) and KEY.key (its fingerprint and its seconds), which
 * a later call reuses. Ctrl-C ends the children; finished runs are kept.
 */
#include "frontend/paper/paper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/host_clock.h"
#include "frontend/cli/cmd.h"
#include "frontend/session/env.h"

enum { ERROR_LINES = 6, STEP_MS = 50, KILL_AFTER_MS = 5000 };

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    interrupted = 1;
}

static void run_path(const struct paper_grid *g, const struct paper_run *run, const char *end, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/runs/%s.%s", g->out, run->key, end);
}

/* ---- one child ---- */

__attribute__((noreturn)) static void exec_child(const struct paper_grid *g, const struct paper_run *run, int argc)
{
    static const char *const own[] = { SIMTX_ENV_CONFIG, SIMTX_ENV_SET, SIMTX_ENV_STATS, SIMTX_ENV_PROGRESS,
                                       SIMTX_ENV_VERBOSE, SIMTX_ENV_DEVICES, SIMTX_ENV_PTX };
    char log[PATH_MAX];
    char **argv = mem_zero((size_t)argc + 2, sizeof *argv, "the words of a command");
    run_path(g, run, "log", log);
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666), in = open("/dev/null", O_RDONLY);
    if (fd < 0 || in < 0 || dup2(in, 0) < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
        _exit(127);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        unsetenv(own[i]);
    argv[0] = "simtx";
    memcpy(argv + 1, run->argv, (size_t)argc * sizeof *argv);
    execv("/proc/self/exe", argv);
    _exit(127);
}

static void start(const struct paper_grid *g, struct paper_run *run)
{
    int argc = 0;
    pid_t parent = getpid();
    while (run->argv[argc])
        argc++;
    run->started = host_seconds();
    run->pid = fork();
    if (run->pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        if (getppid() != parent)
            _exit(127);
        exec_child(g, run, argc);
    }
    if (run->pid > 0)
        setpgid(run->pid, run->pid);
    run->state = run->pid > 0 ? PAPER_RUN_RUNNING : PAPER_RUN_FAILED;
    if (run->pid < 0)
        run->error = mem_string("cannot start a process\n");
}

/* The last lines of a text, in place. */
static char *last_lines(char *text, size_t size)
{
    int lines = 0;
    while (size > 0 && text[size - 1] == '\n')
        size--;
    char *at = text + size;
    while (at > text && lines < ERROR_LINES)
        lines += *--at == '\n';
    return lines == ERROR_LINES ? at + 1 : at;
}

static void remove_part(const struct paper_grid *g, const struct paper_run *run)
{
    char path[PATH_MAX];
    run_path(g, run, "part", path);
    unlink(path);
}

static void fail(const struct paper_grid *g, struct paper_run *run, const char *how)
{
    char path[PATH_MAX];
    size_t size;
    run_path(g, run, "log", path);
    char *log = cmd_read_file(path, &size);
    run->state = PAPER_RUN_FAILED;
    run->error = mem_format("%s\n%s", how, log ? last_lines(log, size) : "");
    free(log);
    remove_part(g, run);
    fprintf(stderr, "%ssimtx paper: %s failed: %s\n", g->progress ? "\r\033[K" : "", run->key, run->error);
}

/* The key is written after the statistics: a run with a key is complete. */
static bool keep_results(const struct paper_grid *g, struct paper_run *run)
{
    char part[PATH_MAX], json[PATH_MAX], key[PATH_MAX];
    run_path(g, run, "part", part);
    run_path(g, run, "json", json);
    run_path(g, run, "key", key);
    run->stats = json_load_file(part, 0, NULL);
    if (!run->stats || rename(part, json))
        return false;
    FILE *f = fopen(key, "w");
    if (!f)
        return false;
    fprintf(f, "%s%.3f\n", run->fingerprint, run->seconds);
    return fclose(f) == 0;
}

static void finish(const struct paper_grid *g, struct paper_run *run, int status)
{
    char how[80];
    run->seconds = host_seconds() - run->started;
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "exit status %d", WEXITSTATUS(status));
    if (interrupted && status) {
        run->state = PAPER_RUN_WAITING;
        remove_part(g, run);
    } else if (status) {
        fail(g, run, how);
    } else if (keep_results(g, run)) {
        run->state = PAPER_RUN_DONE;
    } else {
        fail(g, run, "no statistics");
    }
}

/* ---- the grid ---- */

static int count(const struct paper_grid *g, enum paper_run_state state)
{
    int n = 0;
    for (int i = 0; i < g->nruns; i++)
        n += g->runs[i].wanted && g->runs[i].state == state;
    return n;
}

static void show_progress(const struct paper_grid *g)
{
    static double shown;
    if (!g->progress || host_seconds() - shown < 0.5)
        return;
    shown = host_seconds();
    int done = count(g, PAPER_RUN_DONE), failed = count(g, PAPER_RUN_FAILED), running = count(g, PAPER_RUN_RUNNING);
    double left = paper_grid_estimate(g);
    fprintf(stderr, "\r\033[K%d of %d runs done, %d failed, %d running, about %.0f:%02.0f left", done,
            done + failed + running + count(g, PAPER_RUN_WAITING), failed, running, (double)((int)left / 60),
            (double)((int)left % 60));
    fflush(stderr);
}

/* Finishes the runs whose processes have ended, and sleeps for a step. */
static void collect(struct paper_grid *g)
{
    int status;
    for (int i = 0; i < g->nruns; i++) {
        struct paper_run *run = &g->runs[i];
        if (run->state == PAPER_RUN_RUNNING && waitpid(run->pid, &status, WNOHANG) == run->pid)
            finish(g, run, status);
    }
    nanosleep(&(struct timespec){ .tv_nsec = STEP_MS * 1000000L }, NULL);
}

/* The longest one is started first, so that the last ones are short. */
static struct paper_run *next(struct paper_grid *g)
{
    struct paper_run *best = NULL;
    for (int i = 0; i < g->nruns; i++) {
        struct paper_run *run = &g->runs[i];
        if (run->wanted && run->state == PAPER_RUN_WAITING && (!best || run->estimate > best->estimate))
            best = run;
    }
    return best;
}

/* Children receive SIGTERM, and SIGKILL if that has not ended them. */
static void stop(struct paper_grid *g)
{
    for (int waited = 0; count(g, PAPER_RUN_RUNNING) && waited <= 2 * KILL_AFTER_MS; waited += STEP_MS) {
        for (int i = 0; i < g->nruns; i++)
            if (g->runs[i].state == PAPER_RUN_RUNNING && waited % KILL_AFTER_MS == 0)
                kill(-g->runs[i].pid, waited ? SIGKILL : SIGTERM);
        collect(g);
    }
}

bool paper_grid_run(struct paper_grid *g)
{
    struct sigaction action = { .sa_handler = on_interrupt }, old_int, old_term;
    struct paper_run *run;
    interrupted = 0;
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
    while (!interrupted && ((run = next(g)) != NULL || count(g, PAPER_RUN_RUNNING))) {
        if (run && count(g, PAPER_RUN_RUNNING) < g->jobs)
            start(g, run);
        else
            collect(g);
        show_progress(g);
    }
    stop(g);
    if (g->progress)
        fputs("\r\033[K", stderr);
    if (interrupted)
        fprintf(stderr, "simtx paper: interrupted with %d runs done; the same command continues\n",
                count(g, PAPER_RUN_DONE));
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    return !interrupted;
}
