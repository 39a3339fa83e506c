/* The mechanisms of the preset, and the settings that leave them out. */
#include "regress/correlation/without.h"

#include <math.h>
#include <stdio.h>

enum { OFF_MAX = 5 };

static const struct mechanism { const char *name, *off[OFF_MAX]; } mechanisms[] = {
    { "L1 set hash", { "l1.hash=none" } },
    { "FIFO inputs of the crossbars", { "xbar.input=voq" } },
    { "acknowledgement for each sector stored", { "l2.sector_acks=false" } },
    { "reply for each sector read", { "l2.sector_replies=false" } },
    { "port of L2 for fills", { "l2.fill_port=false" } },
    { "no instruction prefetch", { "inst.prefetch=1" } },
    { "fetch past branches", { "core.fetch_past_branch=false" } },
    { "5 stages beside the pipelines (3)", { "core.stages=3" } },
    { "latency 1 of logic and conversions (4)", { "latency.logic=4", "latency.cvt=4" } },
    { "latency of square roots and reciprocals (as divisions)", { "latency.fp_sqrt=39", "interval.fp_sqrt=4" } },
    { "atomics stop their warp", { "core.atomic_stops=false" } },
    { "stages in front of L1, split of the way to L2",
      { "l1.pipelined=false", "l1.miss_cycles=2", "l2.latency=120", "l2.atomic_latency=0" } },
    { "queue of 2 memory instructions (4)", { "core.mem_queue=4" } },
    { "constant cache: latency, port, MSHRs", { "const.latency=8", "const.port=4", "const.mshrs=8" } },
    { "2 MSHRs of the instruction cache (4)", { "inst.mshrs=4" } },
    { "a block for each SM in a cycle (1)", { "core.dispatch=1" } },
    { "bank groups by low bits", { "dram.group_bits=high" } },
    { "copies by the host in L2", { "l2.copies=false" } },
    { "packed placement of buffers", { "memory.packing=gaps" } },
    { "local memory: allocation, end of kernel, layout",
      { "l1.local_allocate=true", "l1.local_drop=false", "memory.local_layout=warp" } },
};

/* The case that it moves most. */
static uint32_t most_moved(const struct comparison *all, const struct comparison *x, int run, double *factor)
{
    uint32_t most = 0;
    *factor = 1;
    for (uint32_t i = 0; i < x->cases; i++) {
        double f = (double)x->point[run][i].cycles / (double)all->point[run][i].cycles;
        if (fabs(log(f)) > fabs(log(*factor))) {
            *factor = f;
            most = i;
        }
    }
    return most;
}

static void print_row(const char *name, const struct comparison *all, const struct comparison *x, bool markdown)
{
    struct summary cold = summarise(x->point[COLD], x->cases), warm = summarise(x->point[WARM], x->cases);
    double factor;
    uint32_t most = most_moved(all, x, WARM, &factor);
    printf(markdown ? "| %s | %.1f %% | %.4f | %u | %.1f %% | %.4f | %u | %s %.2f |\n"
                    : "%-52s %6.1f %% %8.4f %3u   %6.1f %% %8.4f %3u   %s %.2f\n", name,
           100 * cold.distance, cold.r, cold.within, 100 * warm.distance, warm.r, warm.within, x->list[most].name,
           factor);
}

void print_without(const struct comparison *all, const char *dir, bool markdown)
{
    static struct comparison x;
    if (markdown)
        puts("| left out | cold: mean | r | within 15 % | copies fill L2: mean | r | within 15 % | moves most |\n"
             "|---|---|---|---|---|---|---|---|");
    print_row("nothing", all, all, markdown);
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
        const char *setting[OFF_MAX + 1] = { 0 };
        for (int k = 0; k < OFF_MAX; k++)
            setting[k] = mechanisms[i].off[k];
        compare(&x, dir, setting);
        print_row(mechanisms[i].name, all, &x, markdown);
    }
}
