/* A task of a job array: does its runs as a pool of one. */
#include "frontend/sweep/slurm.h"

#include <stdlib.h>

#include "frontend/cli/cmd.h"
#include "frontend/sweep/slurm_plan.h"

int slurm_task(int argc, char **argv)
{
    const char *id = getenv("SLURM_ARRAY_TASK_ID");
    struct batch b = { .command = "simtx sweep task", .continues = "the same `simtx sweep FILE --slurm`", .jobs = 1 };
    if (argc != 3 || !id)
        cmd_usage_error(b.command, "expected PLAN FIRST RUNS and SLURM_ARRAY_TASK_ID: this is the command of a task");
    int runs = atoi(argv[2]), first = (atoi(argv[1]) + atoi(id)) * runs, code = CMD_FAILED;
    if (runs > 0 && first >= 0 && slurm_plan_read(&b, argv[0], first, runs)) {
        for (int i = 0; i < b.nruns; i++) {
            batch_reuse(&b, &b.runs[i]);
            if (b.runs[i].state == BATCH_FAILED)
                b.runs[i].state = BATCH_WAITING;
        }
        bool ended = batch_local(&b);
        code = !ended ? 130 : batch_count(&b, BATCH_FAILED) ? CMD_FAILED : CMD_OK;
    }
    slurm_plan_free(&b);
    return code;
}
