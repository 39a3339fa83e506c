/* The inside of the timeline, shared by trace.c (the file, blocks, warps, requests) and trace_tx.c (transactions). */
#ifndef TIMING_TRACE_IMPL_H
#define TIMING_TRACE_IMPL_H

#include "timing/machine/trace.h"

/* Numbers of processes: viewers keep 0 for the idle process of a host. Threads count from 1 for the same reason. */
enum { LAUNCHES_PID = 1, FIRST_SM_PID = 2, FIRST_TID = 1 };

struct text { char *at; size_t len, cap; };

/* The attempt of a warp slot that is going on. */
struct watched_tx {
    bool open;
    uint64_t from, commit;               /* cycles: beginning; tx_commit, NEVER = its lanes have not come to it */
    uint32_t attempt;                    /* of this transaction, from 1 */
    uint64_t lanes;
    uint32_t committed, aborted;
    uint32_t reads, writes;              /* words of the sets of the decided lanes */
    uint64_t aborted_at;                 /* the last aborts: told when others follow in another cycle */
    uint64_t together;                   /* their lanes */
    const char *why;
};

struct sm_watch {
    struct text text;
    struct trace_cfg cfg;
    uint64_t origin;
    uint16_t sm;
    uint32_t slots;
    uint64_t requests;                   /* numbers of asynchronous events */
    bool *named;                         /* by warp slot, and [slots] of the SM: the viewer knows its name */
    struct watched_tx *tx;               /* by warp slot */
    struct sm_watch *next;
};

void trace_add(struct text *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* To cycles of the timeline, and to what of them lies in the configured range; false: nothing does. */
bool trace_cut(const struct trace_cfg *c, uint64_t origin, uint64_t *from, uint64_t *to);
/* Lanes as elements of an event's arguments: their number, and which they are, as a mask. */
void trace_lanes(struct text *x, uint64_t lanes);
/* The beginning of an event that takes time; the caller closes it. False: it lies outside the range. */
bool trace_slice(struct sm_watch *w, uint32_t slot, const char *category, const char *name, uint64_t from,
                 uint64_t to);

#endif
