/* Internals of the timeline, shared by trace.c (the file, blocks, warps, requests) and trace_tx.c (transactions). */
#ifndef TIMING_TRACE_IMPL_H
#define TIMING_TRACE_IMPL_H

#include "timing/machine/trace.h"

/* Process and thread numbers in the file: viewers reserve process 0 and thread 0 for the idle process. */
enum { TRACE_LAUNCHES_PID = 1, TRACE_FIRST_SM_PID = 2, TRACE_FIRST_TID = 1 };

struct trace_text { char *at; size_t len, cap; };

/* The current attempt of a warp slot. */
struct trace_tx {
    bool open;
    uint64_t from, commit;               /* cycles: beginning; tx_commit, NEVER = not reached */
    uint32_t attempt;                    /* of this transaction, from 1 */
    uint64_t lanes;
    uint32_t committed, aborted;
    uint32_t reads, writes;              /* words of the sets of the decided lanes */
    uint64_t aborted_at;                 /* the last aborts, in this cycle; not written yet */
    uint64_t aborted_lanes;              /* their lanes */
    const char *reason;
};

struct trace_sm {
    struct trace_text text;
    struct trace_cfg cfg;
    uint64_t origin;
    uint16_t sm;
    uint32_t slots;
    uint64_t requests;                   /* number of the next asynchronous event */
    bool *named;                         /* by warp slot, and [slots] of the SM: its name is written */
    struct trace_tx *tx;                 /* by warp slot */
    struct trace_sm *next;
};

void trace_add(struct trace_text *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Converts cycles to those of the timeline and cuts them to the configured range; false = nothing remains. */
bool trace_cut(const struct trace_cfg *c, uint64_t origin, uint64_t *from, uint64_t *to);
/* Writes lanes as arguments of an event: their number and their mask. */
void trace_lanes(struct trace_text *x, uint64_t lanes);
/* Begins an event with a duration; the caller closes it. False = it is outside the range. */
bool trace_slice(struct trace_sm *w, uint32_t slot, const char *category, const char *name, uint64_t from,
                 uint64_t to);

#endif
