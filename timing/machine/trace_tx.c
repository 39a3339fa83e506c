/*
 * Transactions in the timeline: a slice for every attempt of a warp, in it one for its commit, and an instant for lanes
 * that abort, those of one cycle and reason together.
 */
#include <inttypes.h>

#include "memsys/clock.h"
#include "timing/machine/trace_impl.h"

static void tell_aborts(struct sm_watch *w, uint32_t slot)
{
    struct watched_tx *t = &w->tx[slot];
    uint64_t at = t->aborted_at, end = at + 1;
    if (t->together && trace_cut(&w->cfg, w->origin, &at, &end)) {
        trace_add(&w->text, ",\n{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"transaction\",\"name\":\"abort: %s\",\"pid\":%u,"
                  "\"tid\":%u,\"ts\":%" PRIu64 ",\"args\":{", t->why, FIRST_SM_PID + w->sm, FIRST_TID + slot, at);
        trace_lanes(&w->text, t->together);
        trace_add(&w->text, "}}");
    }
    t->together = 0;
}

static void close_attempt(struct sm_watch *w, uint32_t slot, uint64_t at)
{
    struct watched_tx *t = &w->tx[slot];
    if (!t->open)
        return;
    tell_aborts(w, slot);
    if (trace_slice(w, slot, "transaction", "attempt", t->from, at)) {
        trace_add(&w->text, ",\"args\":{\"attempt\":%u,", t->attempt);
        trace_lanes(&w->text, t->lanes);
        trace_add(&w->text, ",\"committed\":%u,\"aborted\":%u,\"reads\":%u,\"writes\":%u}}", t->committed, t->aborted,
                  t->reads, t->writes);
    }
    if (t->commit < at && trace_slice(w, slot, "transaction", "commit", t->commit, at))
        trace_add(&w->text, ",\"args\":{\"committed\":%u,\"aborted\":%u}}", t->committed, t->aborted);
    t->open = false;
}

void watch_attempt(struct sm_watch *w, uint32_t slot, uint64_t lanes, uint64_t at)
{
    struct watched_tx *t = &w->tx[slot];
    close_attempt(w, slot, at);
    *t = (struct watched_tx){ .open = true, .from = at, .commit = NEVER, .attempt = t->attempt + 1, .lanes = lanes };
}

void watch_commit(struct sm_watch *w, uint32_t slot, uint64_t at)
{
    w->tx[slot].commit = at;
}

void watch_committed(struct sm_watch *w, uint32_t slot, uint32_t reads, uint32_t writes)
{
    struct watched_tx *t = &w->tx[slot];
    t->committed++;
    t->reads += reads;
    t->writes += writes;
}

void watch_aborted(struct sm_watch *w, uint32_t slot, unsigned lane, uint32_t reads, uint32_t writes, const char *why,
                   uint64_t at)
{
    struct watched_tx *t = &w->tx[slot];
    if (t->together && (t->aborted_at != at || t->why != why))
        tell_aborts(w, slot);
    t->aborted++;
    t->reads += reads;
    t->writes += writes;
    t->together |= UINT64_C(1) << lane;
    t->aborted_at = at;
    t->why = why;
}

void watch_transaction_over(struct sm_watch *w, uint32_t slot, uint64_t at)
{
    close_attempt(w, slot, at);
    w->tx[slot].attempt = 0;
}
