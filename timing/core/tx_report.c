/*
 * What transactions look like from outside: in the timeline, and in words what a warp waits for that transactional
 * memory holds back.
 */
#include <inttypes.h>
#include <stdio.h>

#include "timing/core/sm_impl.h"

const char *const tx_wait_name[] = { [TX_TURN] = "tx turn", [TX_OUTCOME] = "tx commit", [TX_PAUSE] = "tx back-off",
                                     [TX_VALIDATION] = "tx validation", [TX_QUIET] = "tx accesses",
                                     [TX_PROTOCOL] = "tx log" };

enum tx_wait tx_waits_for(const struct sm *s, const struct slot *w)
{
    if (w->warp->state == WARP_TX)
        return w->doomed ? TX_QUIET : TX_OUTCOME;
    if (w->hold == ST_TX)
        return TX_PAUSE;
    if (w->validating)
        return TX_VALIDATION;
    if (w->doomed || w->validate)
        return TX_QUIET;
    if (!w->in_tx)
        return w->controlled ? TX_TURN : TX_QUIET;
    return w->step && w->step->in->op == OP_TX_COMMIT && !tx_quiet(s, w) ? TX_QUIET : TX_PROTOCOL;
}

/* ---- timeline ---- */

void tx_watch_attempt(struct sm *s, struct slot *w)
{
    warp_renew(s, w);
    if (s->watch)
        watch_attempt(s->watch, w->index, txn_lanes(w->warp), s->now);
}

void tx_watch_over(struct sm *s, struct slot *w)
{
    warp_renew(s, w);
    if (s->watch)
        watch_transaction_over(s->watch, w->index, s->now);
}

void tx_watch_outcome(struct sm *s, const struct slot *w, uint64_t commits, uint64_t aborts)
{
    for (uint64_t m = commits | aborts; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        const struct tm_lane *l = tm_lane(s->tm, w->index, lane);
        uint32_t reads = l->reads.n + l->shared_reads.n, writes = l->writes.n + l->shared_writes.n;
        if (commits & m & -m)
            watch_committed(s->watch, w->index, reads, writes);
        else
            watch_aborted(s->watch, w->index, lane, reads, writes, tm_core_reason(s->tm, w->index, lane), s->now);
    }
}

/* ---- words ---- */

/* What the warp has under way, and what follows when it is over. */
static void say_quiet(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    const struct order_warp *o = &w->order;
    const char *then = w->doomed ? "its lanes that are aborted start again" : w->validate ? "its reads are validated"
                     : w->in_tx ? "it commits" : "it goes on";
    snprintf(buf, size, "what it has under way, before %s: %u results, %u instructions in operand collectors, "
             "%u loads, %u stores, %u accesses to shared memory%s", then, w->nmem, w->collecting, o->loads, o->stores,
              o->shared,
             lsu_warp_busy(s->lsu, w->index) ? ", accesses in the load/store unit" : "");
}

static void say_pause(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    uint64_t lanes = txn_lanes(w->warp);
    uint64_t at = lanes ? tm_lane(s->tm, w->index, (unsigned)__builtin_ctzll(lanes))->start : s->now;
    snprintf(buf, size, "its next attempt: back-off, and restoring registers, until cycle %" PRIu64, at);
}

void tx_say(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    size_t n;
    switch (tx_waits_for(s, w)) {
    case TX_TURN: tm_core_say_turn(s->tm, w->index, buf, size); return;
    case TX_PAUSE: say_pause(s, w, buf, size); return;
    case TX_QUIET: say_quiet(s, w, buf, size); return;
    case TX_OUTCOME: n = (size_t)snprintf(buf, size, "the outcome of its commit"); break;
    case TX_VALIDATION: n = (size_t)snprintf(buf, size, "the validation of its reads"); break;
    default: n = (size_t)snprintf(buf, size, "the transactional memory"); break;
    }
    tm_core_say(s->tm, w->index, buf + n, size - n);
}

bool sm_tx_waits(const struct sm *s, uint32_t slot, char *text, size_t size)
{
    const struct slot *w = &s->slot[slot];
    if (!w->warp || w->ended || w->place != PLACE_WAIT + ST_TX)
        return false;
    tx_say(s, w, text, size);
    return true;
}
