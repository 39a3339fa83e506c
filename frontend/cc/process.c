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

/* A terminal sends Ctrl-C to the program, too. */
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

/* How they are blocked; *old: how they were. */
static void block(sigset_t *old)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < ENDING; i++)
        sigaddset(&set, ending[i]);
    sigprocmask(SIG_BLOCK, &set, old);
}

static void end_if_interrupted(void)
{
    if (!interrupted)
        return;
    cc_tempdir_clear();
    signal(interrupted, SIG_DFL);
    raise(interrupted);
}

__attribute__((noreturn)) static void execute(const struct words *cmd, const sigset_t *mask)
{
    set_actions(&(struct sigaction){.sa_handler = SIG_DFL});
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(cmd->at[0], cmd->at);
    fprintf(stderr, "simtx-cc: error: cannot start %s: %s\n", cmd->at[0], strerror(errno));
    _exit(127);
}

/* Blocked until `running` names the process, so that no signal is lost. */
static void start(const struct words *cmd)
{
    sigset_t mask;
    block(&mask);
    pid_t pid = fork();
    if (pid < 0)
        cc_fail("cannot start %s: %s", cmd->at[0], strerror(errno));
    if (pid == 0)
        execute(cmd, &mask);
    running = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

int cc_process(const struct words *cmd)
{
    int status = 0;
    set_actions(&(struct sigaction){.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART});
    end_if_interrupted();
    start(cmd);
    while (waitpid((pid_t)running, &status, 0) < 0)
        if (errno != EINTR)
            cc_fail("cannot wait for %s: %s", cmd->at[0], strerror(errno));
    running = 0;
    end_if_interrupted();
    return status;
}
