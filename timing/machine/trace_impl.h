/*
 * Internals of the timeline, shared by trace.c (the file), trace_sm.c (blocks, warps, requests), trace_tx.c
 * (transactions) and trace_memory.c (L2 slices and DRAM banks).
 */
#ifndef TIMING_TRACE_IMPL_H
#define TIMING_TRACE_IMPL_H

#include "timing/machine/trace.h"

/* Process and thread numbers in the file: viewers reserve process 0 and thread 0 for the idle process. */
enum {
    TRACE_LAUNCHES_PID = 1, TRACE_FIRST_SM_PID = 2, TRACE_L2_PID = 1100, TRACE_FIRST_CHANNEL_PID = 1101,
    TRACE_FIRST_TID = 1
};

struct trace_text { char *at; size_t len, cap; };

/* What an SM or a memory partition writes while it runs; the first member of its struct. A line of the text is one
 * event, or several that the file has all or none of. */
struct trace_source {
    struct trace_text text;
    struct trace_cfg cfg;
    uint64_t origin;
    void (*end)(struct trace_source *w);         /* frees what the struct owns */
    struct trace_source *next;
};

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
    struct trace_source out;
    uint16_t sm;
    uint32_t slots;
    uint64_t requests;                   /* number of the next asynchronous event */
    bool *named;                         /* by warp slot, by its transactions, and of the SM: its name is written */
    struct trace_tx *tx;                 /* by warp slot */
};

const struct trace_cfg *trace_config(const struct trace *t);
/* Adds the source to the timeline. */
void trace_source_add(struct trace *t, struct trace_source *w, void (*end)(struct trace_source *w));

void trace_add(struct trace_text *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Converts cycles to those of the timeline and cuts them to the configured range; false = nothing remains. */
bool trace_cut(const struct trace_cfg *c, uint64_t origin, uint64_t *from, uint64_t *to);
/* Names a process or one of its threads; sort: its place among the others. */
void trace_name_process(struct trace_text *x, uint32_t pid, const char *name);
void trace_name_thread(struct trace_text *x, uint32_t pid, uint32_t tid, uint32_t sort, const char *name);
/* Writes lanes as arguments of an event: their number and their mask. */
void trace_lanes(struct trace_text *x, uint64_t lanes);
/* Begins an event with a duration, of a warp slot's transactions; the caller closes it. False = it is outside the
 * range. */
bool trace_tx_slice(struct trace_sm *w, uint32_t slot, const char *name, uint64_t from, uint64_t to);
uint32_t trace_tx_thread(struct trace_sm *w, uint32_t slot);         /* its tid; the thread has a name then */

#endif
