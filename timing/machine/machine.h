/*
 * The machine: SMs on one side, memory partitions on the other, crossbars between them, and the dispatcher that hands
 * out blocks. Time goes in windows: all components run the same window of core cycles, shared out over host threads,
 * and only meet at its end; nothing that one sends reaches another within the window, so the result does not depend
 * on the number of threads or the length of the window. Between windows the clock jumps to the next event.
 */
#ifndef TIMING_MACHINE_H
#define TIMING_MACHINE_H

#include "base/diag.h"
#include "timing/core/sm.h"

struct sim_cfg {
#define CONFIG_ROWS "timing/machine/config.def"
#include "base/config_fields.h"
};
void sim_configure(struct sim_cfg *c, const struct simtx_config *config);

struct machine;
struct trace;
struct series;
struct coherence;
struct tm_protocol;

/* What takes the place of what the configuration names, for protocols and policies that are not part of simtx; NULL =
 * nothing. */
struct machine_plugins {
    const struct coherence *coherence;
    const struct order_policy *order;
    const struct tm_protocol *tm;
};

/* The rules of the protocols and policies that timing mode will use, for a configuration that config_check accepts;
 * false with all violations in d. */
bool machine_check(const struct simtx_config *config, const struct machine_plugins *plugins, struct diag *d);
/* NULL with all violated rules of machine_check in d. The configuration must live as long as the machine. */
struct machine *machine_new(const struct simtx_config *config, const struct machine_plugins *plugins,
                            struct devmem *mem, struct diag *d);
void machine_free(struct machine *m);

/* What a run reports while it goes on, about ten times a second of host time. cycles: of this run. */
struct machine_progress { uint64_t cycles, thread_instructions, commits, blocks_done, blocks; double seconds; };

enum machine_result {
    MACHINE_OK,
    MACHINE_FAULT,                   /* launch.fault of the grid that faulted: the fault of the lowest (cycle, SM) */
    MACHINE_INTERRUPTED,
    MACHINE_HANG,                    /* nothing moves, or only loops that wait for something: machine_report */
    MACHINE_BROKEN,                  /* a conservation law does not hold, an error of the simulator: machine_report */
    MACHINE_NO_MEMORY                /* the private memory of all resident warps does not fit beside the allocations */
};

/*
 * Runs grids to their end, side by side; each grid's launch is filled in but for `timed`, fault and `interrupted`,
 * which are filled in here. A grid's own counters (launch.count) get the figures of functional mode; sum gets what all
 * components counted, which cannot be divided among grids. Both start at 0, and may be the same. A run that does
 * not end well leaves empty caches and idle components.
 */
enum machine_result machine_run(struct machine *m, struct grid *grids, uint32_t n, struct counters *sum);
/* The words on the last MACHINE_HANG or MACHINE_BROKEN, kept by the machine. */
const char *machine_report(const struct machine *m);
void machine_set_progress(struct machine *m, void (*fn)(void *ctx, const struct machine_progress *p), void *ctx);
/* The runs from now on are written there too; it must live until the machine's end or another call. NULL = none. */
void machine_set_trace(struct machine *m, struct trace *t);
void machine_set_series(struct machine *m, struct series *s);

/* A program is about to be freed: forget what was prepared for it. */
void machine_forget(struct machine *m, const struct program *p);

#endif
