/*
 * Transactions in the timeline: a slice for every attempt of a warp, a slice in it for its commit, and an instant for
 * aborted lanes; lanes that abort in the same cycle for the same reason share an instant.
 */
#include <inttypes.h>

#include "memsys/clock.h"
#include "timing/machine/trace_impl.h"

static void write_aborts(struct trace_sm *w, uint32_t slot)
{
    struct trace_tx *t = &w->tx[slot];
    uint64_t at = t->aborted_at, end = at + 1;
    if (t->aborted_lanes && trace_cut(&w->out.cfg, w->out.origin, &at, &end)) {
        uint32_t thread = trace_tx_thread(w, slot);
        trace_add(&w->out.text,
                  ",\n{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"transaction\",\"name\":\"abort: %s\",\"pid\":%u,"
                  "\"tid\":%u,\"ts\":%" PRIu64 ",\"args\":{",
                  t->reason, TRACE_FIRST_SM_PID + w->sm, thread, at);
        trace_lanes(&w->out.text, t->aborted_lanes);
        trace_add(&w->out.text, "}}");
    }
    t->aborted_lanes = 0;
}

static void close_attempt(struct trace_sm *w, uint32_t slot, uint64_t at)
{
    struct trace_tx *t = &w->tx[slot];
    if (!t->open)
        return;
    write_aborts(w, slot);
    if (trace_tx_slice(w, slot, "attempt", t->from, at)) {
        trace_add(&w->out.text, ",\"args\":{\"attempt\":%u,", t->attempt);
        trace_lanes(&w->out.text, t->lanes);
        trace_add(&w->out.text, ",\"committed\":%u,\"aborted\":%u,\"reads\":%u,\"writes\":%u}}", t->committed,
                  t->aborted, t->reads, t->writes);
    }
    if (t->commit < at && trace_tx_slice(w, slot, "commit", t->commit, at))
        trace_add(&w->out.text, ",\"args\":{\"committed\":%u,\"aborted\":%u}}", t->committed, t->aborted);
    t->open = false;
}

void trace_tx_attempt(struct trace_sm *w, uint32_t slot, uint64_t lanes, uint64_t at)
{
    struct trace_tx *t = &w->tx[slot];
    close_attempt(w, slot, at);
    *t = (struct trace_tx){ .open = true, .from = at, .commit = NEVER, .attempt = t->attempt + 1, .lanes = lanes };
}

void trace_tx_commit(struct trace_sm *w, uint32_t slot, uint64_t at)
{
    w->tx[slot].commit = at;
}

void trace_tx_committed(struct trace_sm *w, uint32_t slot, uint32_t reads, uint32_t writes)
{
    struct trace_tx *t = &w->tx[slot];
    t->committed++;
    t->reads += reads;
    t->writes += writes;
}

void trace_tx_aborted(struct trace_sm *w, uint32_t slot, unsigned lane, uint32_t reads, uint32_t writes,
                      const char *reason, uint64_t at)
{
    struct trace_tx *t = &w->tx[slot];
    if (t->aborted_lanes && (t->aborted_at != at || t->reason != reason))
        write_aborts(w, slot);
    t->aborted++;
    t->reads += reads;
    t->writes += writes;
    t->aborted_lanes |= UINT64_C(1) << lane;
    t->aborted_at = at;
    t->reason = reason;
}

void trace_tx_end(struct trace_sm *w, uint32_t slot, uint64_t at)
{
    close_attempt(w, slot, at);
    w->tx[slot].attempt = 0;
}
