/* Options of the backends, and the choice between them. */
#include "frontend/sweep/backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/cli/cmd.h"
#include "frontend/sweep/slurm.h"

static const struct cmd_option NAMES[] = { BACKEND_OPTIONS(0) };

void backend_init(struct backend *k, struct batch *b)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *k = (struct backend){ .task_runs = 1 };
    b->jobs = processors > 0 ? (int)processors : 1;
    b->progress = isatty(STDERR_FILENO);
    b->continues = "the same command";
}

static int number(const struct batch *b, int option, const char *text, int most)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > most)
        cmd_usage_error(b->command, "%s %s: expected a number from 1 to %d", NAMES[option].name, text, most);
    return (int)n;
}

void backend_take(struct backend *k, struct batch *b, int option, const char *value)
{
    switch (option) {
    case 0: k->slurm = false; /* fall through */
    case 1: b->jobs = value ? number(b, option, value, 1024) : b->jobs; break;
    case 2: k->slurm = true; break;
    case 3: k->partition = value; break;
    case 4: k->array_limit = number(b, option, value, 1000000); break;
    case 5: k->task_runs = number(b, option, value, 1000000); break;
    case 6: k->sbatch = value; break;
    }
}

static void lock(const struct batch *b)
{
    if (!batch_lock(b))
        cmd_usage_error(b->command, "%s: %s%s", b->folder, errno == EWOULDBLOCK ? "another " : strerror(errno),
                        errno == EWOULDBLOCK ? "simtx runs in this folder" : "");
}

/* Tasks in the queue would do the same runs. */
static void check_queue(const struct batch *b)
{
    struct slurm_queue q;
    if (!slurm_queue(b, &q))
        cmd_usage_error(b->command, "%s: squeue has failed, and tasks of this folder may still run; repeat the command "
                        "when Slurm answers, or remove %s/slurm if there are no tasks", b->folder, b->folder);
    if (q.pending + q.running > 0)
        cmd_usage_error(b->command, "%s: %d tasks are in Slurm's queue; `simtx sweep status`, `simtx sweep cancel`",
                        b->folder, q.pending + q.running);
}

int backend_run(const struct backend *k, struct batch *b, char *const *collect)
{
    lock(b);
    if (slurm_used(b))
        check_queue(b);
    batch_clean(b);
    if (!k->slurm)
        return batch_local(b) ? 0 : 130;
    if (batch_count(b, BATCH_WAITING) == 0)
        return 0;
    batch_discard(b);
    return slurm_submit(k, b, collect) ? BACKEND_SUBMITTED : CMD_FAILED;
}
