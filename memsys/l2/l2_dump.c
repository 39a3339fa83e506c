/* Reports of hangs: requests in an L2 slice, and what the heads of its queues wait for. */
#include <inttypes.h>
#include <stdio.h>

#include "memsys/l2/l2.h"

static const char *const head_of_network[] = {
    [L2_SERVED] = "in the pipeline",
#define L2_REASON(id, name, text) [L2_BLOCKED_##id] = text,
#include "memsys/l2/blocked.def"
};

struct report { const struct l2_slice *slice; void (*line)(void *ctx, const char *text); void *ctx; };

static const char *kind_of(const struct l2_slice *s, const struct packet *p)
{
    static const char *const kinds[] = { "read", "write", "atomic", "read reply", "write ack", "atomic reply" };
    const struct coherence *c = s->part->cfg.coherence;
    if (p->kind < MSG_PROTOCOL)
        return kinds[p->kind];
    return c && p->kind < MSG_POLICY ? c->message[p->kind - MSG_PROTOCOL].name : "protocol message";
}

static void dump_packet(const struct report *r, const char *what, const struct packet *p)
{
    char text[200], warp[32] = "";
    if (p->warp != UINT16_MAX)
        snprintf(warp, sizeof warp, ", warp slot %u", p->warp);
    snprintf(text, sizeof text, "  %s: %s of line %#" PRIx64 ", SM %u%s, issued at %" PRIu64, what,
             kind_of(r->slice, p), p->line, p->sm, warp, p->stamp[STAMP_ISSUE]);
    r->line(r->ctx, text);
}

static void dump_network(const struct l2_slice *s, unsigned vn, const struct report *r)
{
    const struct l2_input *q = &s->in[vn];
    char text[200];
    uint32_t out = vn < s->request->vns ? s->out[vn].n : 0;
    if (!q->wait.n && !q->n && !out)
        return;
    snprintf(text, sizeof text, "  network %u: %u requests waiting, %u in the pipeline, %u replies%s", vn, q->wait.n,
             q->n, out, s->no_credit >> vn & 1 ? " without credits" : "");
    r->line(r->ctx, text);
    if (q->n)
        dump_packet(r, head_of_network[q->blocked_by], q->pipe[q->head].p);
    if (out)
        dump_packet(r, "to be sent", s->out[vn].head);
}

void l2_dump(const struct l2_slice *s, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct report r = { s, line, ctx };
    char text[200];
    if (l2_idle(s))
        return;
    snprintf(text, sizeof text, "L2 slice %u: %u lines missing, %u transfers to DRAM waiting%s", s->id, s->mshr.n,
             s->transfers, s->part->dram_waiters >> s->number & 1 ? " (its queue is full)" : "");
    line(ctx, text);
    for (uint32_t v = 0; v < s->inputs; v++)
        dump_network(s, v, &r);
    if (s->copying)
        l2_copy_dump(s, line, ctx);
    if (s->engine && s->part->cfg.engine->dump)
        s->part->cfg.engine->dump(s->engine, line, ctx);
    if (s->atomic)
        dump_packet(&r, "in the atomic unit", s->atomic);
    for (uint32_t e = 0; e < s->mshr.touched; e++) {
        const struct mshr_entry *x = &s->mshr.entry[e];
        if (!x->busy)
            continue;
        snprintf(text, sizeof text, "  missing line %#" PRIx64 ": %u DRAM requests in flight, %u requests wait",
                 x->line, s->miss[e].outstanding, x->n);
        if (s->transaction && s->transaction[e].coherent)
            snprintf(text, sizeof text, "  line %#" PRIx64 " in state %s: %u DRAM requests, %u acknowledgements "
                     "pending, %u requests wait", x->line,
                     s->part->cfg.coherence->home_state[l2_coherence_state(s, x->line)], s->miss[e].outstanding,
                     s->transaction[e].pending_acks, x->n);
        line(ctx, text);
        if (x->n)
            dump_packet(&r, "first of them", mshr_first(&s->mshr, e));
    }
}
