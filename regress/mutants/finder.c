/* Processes and reports of finders (finder.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "regress/mutants/finder.h"

enum { SLEEP = 20 };                 /* limit of wall-clock time, in limits of processor time */

const char *finder_check(const char *const kinds[][2], const char *message)
{
    while (!strstr(message, (*kinds)[0]))
        kinds++;
    return (*kinds)[1];
}

void finder_clock(unsigned seconds)
{
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
    alarm(seconds * SLEEP);
}

static const char *how_it_died(int status)
{
    switch (WIFSIGNALED(status) ? WTERMSIG(status) : 0) {
    case 0: return "exit of the process";
    case SIGVTALRM: case SIGALRM: return "hang (time limit)";
    case SIGABRT: return "the simulator's own check";
    default: return "crash";
    }
}

static struct finding *shared_finding(void)
{
    static struct finding *f;
    if (!f)
        f = mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED)
        abort();
    *f = (struct finding){ "", "", "" };
    return f;
}

bool finder_try(void (*run)(void *ctx, struct finding *found), void *ctx, unsigned seconds, struct finding *found)
{
    struct finding *f = shared_finding();
    int status;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        finder_clock(seconds);
        run(ctx, f);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        abort();
    if (status)
        snprintf(f->check, FINDING_TEXT, "%s", how_it_died(status));
    *found = *f;
    return found->check[0];
}

int finder_tells(const struct finding *found)
{
    if (found->check[0])
        printf("found\t%s\t%s\t%s\n", found->check, found->where, found->count);
    else
        printf("survives\t\t%s\t%s\n", found->where, found->count);
    return 0;
}

int finder_tells_wrong(const char *why)
{
    printf("wrong\t%s\n", why);
    return 0;
}
