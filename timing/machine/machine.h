/*
 * The machine: SMs and memory partitions, the crossbars between them, and the block dispatcher. Simulated time advances
 * in windows of core cycles, in which the components exchange messages in rounds (machine_window.c). In a round each
 * component runs, on any host thread, up to the cycle at which a message might arrive that has not been sent; at the
 * end of a window all are at the same cycle. Therefore the results depend neither on the number of host threads nor on
 * the length of the window. After a window without events the clock jumps to the next event.
 */
#ifndef TIMING_MACHINE_H
#define TIMING_MACHINE_H

#include "base/diag.h"
#include "timing/core/sm.h"

struct sim_cfg {
#define CONFIG_ROWS "timing/machine/config.def"
#include "base/config/config_fields.h"
};
void sim_configure(struct sim_cfg *c, const struct simtx_config *config);

struct machine;
struct trace;
struct series;
struct coherence;
struct tm_protocol;

/* Protocols and policies that are not part of simtx: each replaces the one that the configuration selects; NULL =
 * none. */
struct machine_plugins {
    const struct coherence *coherence;
    const struct order_policy *order;
    const struct tm_protocol *tm;
};

/* Checks the rules of the selected protocols and policies; config_check must have accepted the configuration. False
 * with all violations in d. */
bool machine_check(const struct simtx_config *config, const struct machine_plugins *plugins, struct diag *d);
/* NULL with all violated rules of machine_check in d. The configuration must exist as long as the machine. */
struct machine *machine_new(const struct simtx_config *config, const struct machine_plugins *plugins,
                            struct devmem *mem, struct diag *d);
void machine_free(struct machine *m);

/* The progress of a run, reported about ten times per second of host time. cycles: of this run. */
struct machine_progress { uint64_t cycles, thread_instructions, commits, blocks_done, blocks; double seconds; };

enum machine_result {
    MACHINE_OK,
    MACHINE_FAULT,                   /* a grid faulted: its launch.fault is the fault with the lowest (cycle, SM) */
    MACHINE_INTERRUPTED,
    MACHINE_HANG,                    /* no component can act, or all warps spin in loops: see machine_report */
    MACHINE_BROKEN,                  /* a conservation law is violated, an error in simtx: see machine_report */
    MACHINE_NO_MEMORY                /* device memory cannot hold the private memory of all resident warps */
};

/*
 * Runs grids concurrently until all have ended. The caller fills in the launch of each grid, except `timed`, `fault`
 * and `interrupted`. The counters of a grid (launch.count) receive the figures of functional mode; sum receives the
 * counters of all components, which cannot be divided among grids. Both must be 0 before, and may be the same. After a
 * run with another result than MACHINE_OK, the caches are empty and the components idle.
 */
enum machine_result machine_run(struct machine *m, struct grid *grids, uint32_t n, struct counters *sum);
/* The report on the last run: what is wrong (MACHINE_HANG, MACHINE_BROKEN), or where most warps are
 * (MACHINE_INTERRUPTED); NULL: there is none. The text belongs to the machine. */
const char *machine_report(const struct machine *m);
void machine_set_progress(struct machine *m, void (*fn)(void *ctx, const struct machine_progress *p), void *ctx);
/* Later runs are also recorded in this timeline or time series, which must exist until the machine is freed or another
 * one is set. NULL = none. */
void machine_set_trace(struct machine *m, struct trace *t);
void machine_set_series(struct machine *m, struct series *s);

/* Misses of later runs fetch blocks of so many bytes into L2, a value of l2.fetch_bytes. */
void machine_set_fetch(struct machine *m, uint32_t bytes);

/* The host has copied to these device addresses, between runs: with l2.copies they are allocated in L2. */
void machine_copied(struct machine *m, uint64_t address, uint64_t bytes);

/* DRAM has other bytes at these device addresses than before, between runs: L2 has no line of them any more. */
void machine_overwritten(struct machine *m, uint64_t address, uint64_t bytes);

/* Frees the machine's data for a program that is about to be freed. */
void machine_remove_program(struct machine *m, const struct program *p);

#endif
