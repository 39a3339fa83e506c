/* The process that runs at the moment. SIGHUP, SIGINT and SIGTERM are passed on to it; when it has ended, the temporary
 * files are removed, and simtx-cc ends by the same signal. */
#include "cc.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int ending[] = {SIGHUP, SIGINT, SIGTERM};
enum { ENDING = sizeof ending / sizeof *ending };

static volatile sig_atomic_t interrupted;      /* the signal; 0: none */
static volatile sig_atomic_t running;          /* the process; 0: none */

/* Only signals sent by processes are passed on (si_code <= 0): the terminal sends Ctrl-C to the child itself. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
    int error = errno;
    interrupted = sig;
    if (running && info->si_code <= 0)
        kill((pid_t)running, sig);
    errno = error;
}

/* A signal that is ignored, as under nohup, stays so. */
static void set_actions(const struct sigaction *new)
{
    struct sigaction old;
    for (int i = 0; i < ENDING; i++)
        if (!sigaction(ending[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(ending[i], new, NULL);
}

/* Blocks these signals; *old: the mask before. */
static void block(sigset_t *old)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < ENDING; i++)
        sigaddset(&set, ending[i]);
    sigprocmask(SIG_BLOCK, &set, old);
}

void cc_catch_signals(void)
{
    set_actions(&(struct sigaction){.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART});
}

/* Signals are blocked; `mask` lets the one through by which the process ends. */
static void end_if_interrupted(const sigset_t *mask)
{
    if (!interrupted)
        return;
    cc_tempdir_clear();
    signal(interrupted, SIG_DFL);
    raise(interrupted);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

void cc_end_if_interrupted(void)
{
    sigset_t mask;
    block(&mask);
    end_if_interrupted(&mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

__attribute__((noreturn)) static void execute(const struct words *cmd, int messages, const sigset_t *mask)
{
    if (messages >= 0)
        dup2(messages, STDERR_FILENO);
    set_actions(&(struct sigaction){.sa_handler = SIG_DFL});
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(cmd->at[0], cmd->at);
    fprintf(stderr, "simtx-cc: error: cannot start %s: %s\n", cmd->at[0], strerror(errno));
    _exit(127);
}

/* Signals are blocked until `running` names the process, so that none is lost. */
static void start(const struct words *cmd, int messages)
{
    sigset_t mask;
    block(&mask);
    end_if_interrupted(&mask);
    pid_t pid = fork();
    if (pid < 0)
        cc_fail("cannot start %s: %s", cmd->at[0], strerror(errno));
    if (pid == 0)
        execute(cmd, messages, &mask);
    running = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* No signal is passed on to the ID once it may be another process's: waitpid releases it after `running` is 0. */
static int wait_for(pid_t pid, const char *name)
{
    siginfo_t ended;
    int status = 0;
    while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) < 0)
        if (errno != EINTR)
            cc_fail("cannot wait for %s: %s", name, strerror(errno));
    running = 0;
    waitpid(pid, &status, 0);
    return status;
}

int cc_process(const struct words *cmd, int messages)
{
    start(cmd, messages);
    int status = wait_for((pid_t)running, cmd->at[0]);
    cc_end_if_interrupted();
    return status;
}
