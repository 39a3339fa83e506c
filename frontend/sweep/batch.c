/* The runs of a batch: how many are in which state, how long they will take, how one is repeated alone. */
#include "frontend/sweep/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"

void batch_run_free(struct batch_run *run)
{
    for (char **a = run->argv; a && *a; a++)
        free(*a);
    free(run->argv);
    free(run->name);
    free(run->key);
    free(run->error);
}

int batch_count(const struct batch *b, enum batch_state state)
{
    int n = 0;
    for (int i = 0; i < b->nruns; i++)
        n += b->runs[i].wanted && b->runs[i].state == state;
    return n;
}

static bool is_open(const struct batch_run *run)
{
    return run->wanted && (run->state == BATCH_WAITING || run->state == BATCH_RUNNING);
}

/* Estimates of open runs, multiplied by how much longer the finished runs took than estimated. */
double batch_estimate(const struct batch *b)
{
    double done = 0, estimated = 0, open = 0;
    for (int i = 0; i < b->nruns; i++) {
        const struct batch_run *run = &b->runs[i];
        if (run->state == BATCH_DONE && run->seconds > 0) {
            done += run->seconds;
            estimated += run->estimate;
        }
        open += is_open(run) ? run->estimate : 0;
    }
    return open * (done > 0 && estimated > 0 ? done / estimated : 1) / b->jobs;
}

void batch_command_print(const struct batch_run *run, FILE *f)
{
    fputs("simtx", f);
    for (char **a = run->argv; *a; a++) {
        fputc(' ', f);
        word_print_quoted(*a, f);
    }
}

void batch_failure_print(const struct batch *b, const struct batch_run *run, FILE *f)
{
    fprintf(f, "%s: %s failed: %s", b->command, run->name, run->error ? run->error : "\n");
    fputs("  alone: ", f);
    batch_command_print(run, f);
    fputc('\n', f);
}

void batch_failures_print(const struct batch *b, FILE *f)
{
    for (int i = 0; i < b->nruns; i++) {
        const struct batch_run *run = &b->runs[i];
        if (run->wanted && run->state == BATCH_FAILED)
            batch_failure_print(b, run, f);
    }
}
