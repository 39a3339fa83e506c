/*
 * Transactions in the timeline, and descriptions of what a warp waits for that transactional memory stalls.
 */
#include <inttypes.h>
#include <stdio.h>

#include "timing/core/sm_impl.h"

const char *const tx_wait_name[] = {
    [TX_WAIT_BEGIN] = "tx begin", [TX_WAIT_OUTCOME] = "tx commit", [TX_WAIT_BACKOFF] = "tx back-off",
    [TX_WAIT_VALIDATION] = "tx validation", [TX_WAIT_ACCESSES] = "tx accesses", [TX_WAIT_PROTOCOL] = "tx log"
};

enum tx_wait tx_waits_for(const struct sm *s, const struct slot *w)
{
    if (w->warp->state == WARP_TX)
        return w->doomed ? TX_WAIT_ACCESSES : TX_WAIT_OUTCOME;
    if (w->hold == SM_STALL_TX)
        return TX_WAIT_BACKOFF;
    if (w->validating)
        return TX_WAIT_VALIDATION;
    if (w->doomed || w->validate)
        return TX_WAIT_ACCESSES;
    if (!w->in_tx)
        return w->controlled ? TX_WAIT_BEGIN : TX_WAIT_ACCESSES;
    return w->step && w->step->in->op == OP_TX_COMMIT && !tx_no_accesses(s, w) ? TX_WAIT_ACCESSES : TX_WAIT_PROTOCOL;
}

/* ---- timeline ---- */

void tx_trace_attempt(struct sm *s, struct slot *w)
{
    warp_restart_wait(s, w);
    if (s->trace)
        trace_tx_attempt(s->trace, w->index, txn_lanes(w->warp), s->now);
}

void tx_trace_end(struct sm *s, struct slot *w)
{
    warp_restart_wait(s, w);
    if (s->trace)
        trace_tx_end(s->trace, w->index, s->now);
}

void tx_trace_outcome(struct sm *s, const struct slot *w, uint64_t commits, uint64_t aborts)
{
    for (uint64_t m = commits | aborts; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        const struct tm_lane *l = tm_lane(s->tm, w->index, lane);
        uint32_t reads = l->reads.n + l->shared_reads.n, writes = l->writes.n + l->shared_writes.n;
        if (commits & m & -m)
            trace_tx_committed(s->trace, w->index, reads, writes);
        else
            trace_tx_aborted(s->trace, w->index, lane, reads, writes, tm_core_reason(s->tm, w->index, lane), s->now);
    }
}

/* ---- descriptions ---- */

/* The outstanding accesses of the warp, and what follows when they have completed. */
static void describe_accesses(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    const struct order_warp *o = &w->order;
    const char *then = w->doomed ? "its aborted lanes restart" : w->validate ? "its reads are validated"
                     : w->in_tx ? "it commits" : "it continues";
    snprintf(buf, size, "its outstanding accesses, before %s: %u results, %u instructions in operand collectors, "
             "%u loads, %u stores, %u accesses to shared memory%s", then, w->nmem, w->collecting, o->loads, o->stores,
             o->shared, lsu_warp_busy(s->lsu, w->index) ? ", accesses in the load/store unit" : "");
}

static void describe_backoff(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    uint64_t lanes = txn_lanes(w->warp);
    uint64_t at = lanes ? tm_lane(s->tm, w->index, (unsigned)__builtin_ctzll(lanes))->start : s->now;
    snprintf(buf, size, "its next attempt: back-off, and restoring registers, until cycle %" PRIu64, at);
}

void tx_describe(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    size_t n;
    switch (tx_waits_for(s, w)) {
    case TX_WAIT_BEGIN: tm_core_describe_begin(s->tm, w->index, buf, size); return;
    case TX_WAIT_BACKOFF: describe_backoff(s, w, buf, size); return;
    case TX_WAIT_ACCESSES: describe_accesses(s, w, buf, size); return;
    case TX_WAIT_OUTCOME: n = (size_t)snprintf(buf, size, "the outcome of its commit"); break;
    case TX_WAIT_VALIDATION: n = (size_t)snprintf(buf, size, "the validation of its reads"); break;
    default: n = (size_t)snprintf(buf, size, "the transactional memory"); break;
    }
    tm_core_describe_wait(s->tm, w->index, buf + n, size - n);
}

bool sm_tx_waits(const struct sm *s, uint32_t slot, char *text, size_t size)
{
    const struct slot *w = &s->slot[slot];
    if (!w->warp || w->ended || w->set != SCHED_WAIT + SM_STALL_TX)
        return false;
    tx_describe(s, w, text, size);
    return true;
}
