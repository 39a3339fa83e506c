/*
 * The machine: SMs on one side, memory partitions on the other, crossbars between them, and the dispatcher that hands out blocks. Time goes
 * in windows: all components run the same window of core cycles, shared out over host threads, and only meet at its end; nothing that one
 * sends reaches another within the window, so the result does not depend on the number of threads or the length of the window.
 * Between windows the clock jumps to the next event.
 */
#ifndef TIMING_MACHINE_H
#define TIMING_MACHINE_H

#include "base/diag.h"
#include "timing/sm.h"

struct machine;

/* NULL with all violated rules in d. */
struct machine *machine_new(const struct simtx_config *config, struct devmem *mem, struct diag *d);
void machine_free(struct machine *m);

/* What a run reports while it goes on, about ten times a second of host time. */
struct machine_progress { uint64_t cycle, cycles_now, thread_instructions, blocks_done, blocks; double seconds; };

enum machine_result { MACHINE_OK, MACHINE_FAULT, MACHINE_INTERRUPTED, MACHINE_HANG };

/*
 * Runs grids to their end; several of different streams run side by side, those of one stream one after another. Fills in each launch's
 * counts, and on a fault the launch's fault. count and hists: what all components counted meanwhile; for side by side runs the share of each grid
 * is not separable and the row says so.
 */
enum machine_result machine_run(struct machine *m, struct grid *grids, uint32_t n, uint64_t *count, struct hists *hists);
uint64_t machine_cycle(const struct machine *m);
/* The report of the last MACHINE_HANG (text, kept by the machine). */
const char *machine_hang_report(const struct machine *m);
/* Dirty lines go to memory, caches are emptied: before the host or functional mode looks at device memory. */
void machine_flush(struct machine *m);
void machine_set_progress(struct machine *m, void (*fn)(void *ctx, const struct machine_progress *p), void *ctx);

#endif
