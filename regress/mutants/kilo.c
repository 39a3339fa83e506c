/*
 * Finder of faults of KILO TM: small programs run on the machine, with more and more transactions, in three setups,
 * until a check fails.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "regress/mutants/finder.h"
#include "regress/tm/programs.h"

enum { SECONDS = 5 };

static const struct { uint32_t blocks, times; } sizes[] = {
    { 1, 1 }, { 2, 1 }, { 4, 1 }, { 8, 1 }, { 16, 2 }
};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* As published; histories in which all addresses alias, and buffers of two words; exact histories. */
static const char *const setups[][6] = {
    { "kilotm.input=64" },
    { "kilotm.lwh_sets=2", "kilotm.lwh_ways=1", "kilotm.lwh_buckets=16", "kilotm.lwh_arrays=2", "kilotm.read_buffer=2",
      "kilotm.write_buffer=2" },
    { "kilotm.hazards=perfect", "kilotm.pass_waiting=true" },
};
static const char *const setup_names[] = { "", ", narrow", ", exact history" };
enum { SETUPS = sizeof setups / sizeof *setups };

struct run { enum tx_program program; unsigned size, setup; };

static void run(void *ctx, struct finding *found)
{
    static const char *const KINDS[][2] = {
        { "replay", "oracle" }, { "oracle", "oracle" }, { "hang", "hang" }, { "nothing moves", "hang" },
        { "no progress", "hang" }, { "commit unit", "commit unit's check when idle" },
        { "internal error", "conservation check" }, { "conservation", "conservation check" },
        { "", "fault of the kernel" }
    };
    const char *all[12] = { "tm.global=kilotm", "l1.local_writeback=true", "tm.watchdog=3000",
                            "sim.hang_cycles=200000" };
    const struct run *r = ctx;
    uint32_t blocks = sizes[r->size].blocks, times = sizes[r->size].times;
    unsigned n = 4;
    struct lab l;
    for (unsigned i = 0; i < 6 && setups[r->setup][i]; i++)
        all[n++] = setups[r->setup][i];
    snprintf(found->where, FINDING_TEXT, "%s%s", tx_names[r->program], setup_names[r->setup]);
    snprintf(found->count, FINDING_TEXT, "%u transactions", blocks * 32 * times);
    lab_open(&l, tx_programs, all, NULL);
    const char *message = tx_run(&l, r->program, blocks, times);
    if (message)
        snprintf(found->check, FINDING_TEXT, "%s", finder_check(KINDS, message));
    else if (!tx_is_right(&l, r->program, blocks, times))
        snprintf(found->check, FINDING_TEXT, "the program's result");
}

int main(void)
{
    struct finding found;
    struct run r;
    for (r.size = 0; r.size < SIZES; r.size++)
        for (r.setup = 0; r.setup < SETUPS; r.setup++)
            for (r.program = 0; r.program < TX_MIXED; r.program++)
                if (finder_try(run, &r, SECONDS, &found))
                    return finder_tells(&found);
    return finder_tells(&found);
}
