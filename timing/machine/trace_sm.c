/* The timeline of an SM: blocks, instructions and waits of warps, requests. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "timing/machine/trace_impl.h"

static void end(struct trace_source *source)
{
    struct trace_sm *w = (struct trace_sm *)source;
    free(w->tx);
    free(w->named);
}

struct trace_sm *trace_sm_new(struct trace *t, uint16_t sm, uint32_t slots)
{
    if (trace_config(t)->sm >= 0 && trace_config(t)->sm != sm)
        return NULL;
    struct trace_sm *w = mem_zero(1, sizeof *w, "the timeline of an SM");
    trace_source_add(t, &w->out, end);
    w->named = mem_zero(2 * slots + 1, sizeof *w->named, "the timeline of an SM");
    w->tx = mem_zero(slots, sizeof *w->tx, "the timeline of an SM");
    w->sm = sm;
    w->slots = slots;
    return w;
}

/* ---- names ---- */

static void name_sm(struct trace_sm *w)
{
    char name[16];
    if (w->named[2 * w->slots])
        return;
    snprintf(name, sizeof name, "SM %u", w->sm);
    trace_name_process(&w->out.text, TRACE_FIRST_SM_PID + w->sm, name);
    w->named[2 * w->slots] = true;
}

/* A thread is a warp slot or, after these, the transactions of one; the viewer shows these below it. */
static void name_thread(struct trace_sm *w, uint32_t thread)
{
    char name[48];
    bool tx = thread >= w->slots;
    uint32_t slot = tx ? thread - w->slots : thread;
    name_sm(w);
    if (w->named[thread])
        return;
    snprintf(name, sizeof name, tx ? "warp slot %u: transactions" : "warp slot %u", slot);
    trace_name_thread(&w->out.text, TRACE_FIRST_SM_PID + w->sm, TRACE_FIRST_TID + thread, 2 * slot + tx, name);
    w->named[thread] = true;
}

uint32_t trace_tx_thread(struct trace_sm *w, uint32_t slot)
{
    name_thread(w, w->slots + slot);
    return TRACE_FIRST_TID + w->slots + slot;
}

/* ---- slices ---- */

static bool slice(struct trace_sm *w, uint32_t thread, const char *category, const char *name, uint64_t from,
                  uint64_t to)
{
    if (!trace_cut(&w->out.cfg, w->out.origin, &from, &to))
        return false;
    name_thread(w, thread);
    trace_add(&w->out.text, ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%.200s\",\"pid\":%u,\"tid\":%u,"
        "\"ts\":%" PRIu64 ",\"dur\":%" PRIu64, category, name, TRACE_FIRST_SM_PID + w->sm, TRACE_FIRST_TID + thread,
        from, to - from);
    return true;
}

bool trace_tx_slice(struct trace_sm *w, uint32_t slot, const char *name, uint64_t from, uint64_t to)
{
    return slice(w, w->slots + slot, "transaction", name, from, to);
}

void trace_block(struct trace_sm *w, uint32_t slot, const char *kernel, uint64_t block, uint64_t from, uint64_t to)
{
    if (slice(w, slot, "block", kernel, from, to))
        trace_add(&w->out.text, ",\"args\":{\"block\":%" PRIu64 "}}", block);
}

void trace_state(struct trace_sm *w, uint32_t slot, const char *state, uint64_t from, uint64_t to)
{
    if (slice(w, slot, "wait", state, from, to))
        trace_add(&w->out.text, "}");
}

void trace_issue(struct trace_sm *w, uint32_t slot, const struct dinst *d, uint64_t lanes, uint64_t at)
{
    if (slice(w, slot, "issue", d->in ? ptx_ops[d->in->op].text : "ret", at, at + 1)) {
        trace_add(&w->out.text, ",\"args\":{\"line\":%d,", d->in ? d->in->loc.line : 0);
        if (d->in && d->in->op == OP_PMEVENT)
            trace_add(&w->out.text, "\"event\":%" PRId64 ",", d->in->opd[0].imm);
        trace_lanes(&w->out.text, lanes);
        trace_add(&w->out.text, "}}");
    }
}

/* ---- requests: the events of one are one line ---- */

/* The beginning ('b') or end ('e') of a request or of a segment of its path, after a comma or a comma and a new line;
 * the caller closes it. */
static void add_async(struct trace_sm *w, const char *after, char phase, const char *name, uint64_t id, uint64_t at)
{
    trace_add(&w->out.text, "%s{\"ph\":\"%c\",\"cat\":\"memory\",\"name\":\"%s\",\"id\":\"%u.%" PRIu64 "\",\"pid\":%u,"
        "\"tid\":%u,\"ts\":%" PRIu64, after, phase, name, w->sm, id, TRACE_FIRST_SM_PID + w->sm, TRACE_FIRST_TID, at);
}

static void add_segment(struct trace_sm *w, const char *name, uint64_t id, uint64_t from, uint64_t to)
{
    if (from >= to || !trace_cut(&w->out.cfg, w->out.origin, &from, &to))
        return;
    add_async(w, ",", 'b', name, id, from);
    trace_add(&w->out.text, "}");
    add_async(w, ",", 'e', name, id, to);
    trace_add(&w->out.text, "}");
}

/* The segments follow each other from issue to reply, as in the request histograms. */
static void add_segments(struct trace_sm *w, const struct packet *p, uint64_t id)
{
    const uint64_t *t = p->stamp;
    bool dram = t[STAMP_DRAM_QUEUE] && t[STAMP_DRAM] > t[STAMP_DRAM_QUEUE];
    add_segment(w, "L1", id, t[STAMP_ISSUE], t[STAMP_SENT]);
    add_segment(w, "crossbar", id, t[STAMP_SENT], t[STAMP_L2_QUEUE]);
    add_segment(w, "L2", id, t[STAMP_L2_QUEUE], dram ? t[STAMP_DRAM_QUEUE] : t[STAMP_REPLY]);
    if (dram) {
        add_segment(w, "DRAM", id, t[STAMP_DRAM_QUEUE], t[STAMP_DRAM]);
        add_segment(w, "L2", id, t[STAMP_DRAM], t[STAMP_REPLY]);
    }
    add_segment(w, "reply", id, t[STAMP_REPLY], t[STAMP_FILL]);
}

void trace_request(struct trace_sm *w, const struct packet *p)
{
    static const char *const names[ACCESS_TYPES] = {
        "global load", "global store", "atomic", "local load", "local store", "local write-back", "constant", "texture",
        "instructions"
    };
    uint64_t from = p->stamp[STAMP_ISSUE], to = p->stamp[STAMP_FILL], id = w->requests++;
    if (!trace_cut(&w->out.cfg, w->out.origin, &from, &to))
        return;
    name_sm(w);
    add_async(w, ",\n", 'b', names[p->type], id, from);
    trace_add(&w->out.text, ",\"args\":{\"address\":\"0x%" PRIx64 "\",\"sectors\":%d,\"slice\":%u}}", p->line,
        __builtin_popcount(p->sectors), p->slice);
    add_segments(w, p, id);
    add_async(w, ",", 'e', names[p->type], id, to);
    trace_add(&w->out.text, "}");
}
