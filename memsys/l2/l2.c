/* A cycle of an L2 slice: from the port through the pipeline to the tags; when it acts next. */
#include "memsys/l2/l2.h"
#include "memsys/xbar/xbar.h"

static void receive(struct slice *s, const struct l2_now *t)
{
    struct packet *p;
    while ((p = port_receive(s->request, t->l2))) {
        p->stamp[STAMP_L2_QUEUE] = t->core;
        packet_push(&s->in[p->vn].wait, p);
    }
}

/* Packets that a protocol sent in an earlier cycle; those of this cycle wait, whichever slice was visited first. */
static void take_unasked(struct slice *s, uint64_t now)
{
    if (s->unasked_at >= now)
        return;
    for (struct packet *p; (p = packet_pop(&s->unasked));)
        packet_push(&s->out[p->vn], p);
}

/* One request a cycle goes from the input queue into the pipeline. */
static void enter(struct slice *s, unsigned vn, const struct l2_now *t)
{
    const struct partition_cfg *c = &s->part->cfg;
    struct l2_input *q = &s->in[vn];
    if (!q->wait.n || q->n == c->l2.latency || q->wait.head->kind >= MSG_UNIT)
        return;
    struct packet *p = packet_pop(&q->wait);
    if (!p->own)
        port_return(s->request, t->xbar + c->credit_latency, vn, xbar_flits(p->bytes, c->flit_bytes));
    uint32_t at = q->head + q->n++, stages = p->stages ? p->stages : c->l2.latency;
    q->pipe[at < c->l2.latency ? at : at - c->l2.latency] = (struct l2_slot){ p, t->l2 + stages };
}

/* Looks up a request's line. L2_SERVED: it is performed, or waits for its line; else what blocks it. */
static enum l2_blocked look_up(struct slice *s, struct packet *p, const struct l2_now *t)
{
    uint32_t e = mshr_find(&s->mshr, p->mapped), i = TAG_NONE;
    if (s->unit && !p->own && !l2_unit_before(s, p, t))
        return L2_BLOCKED_UNIT;
    if (e != MSHR_NONE)
        return s->busy && s->busy[e].coherent ? l2_coherence_beside(s, e, p, t) : l2_join(s, e, p, t);
    if (!s->tags.tag)
        return l2_miss(s, TAG_NONE, p, t);
    i = tags_find(&s->tags, p->mapped);
    if (l2_needs(s, p) & ~(i == TAG_NONE ? 0 : s->tags.tag[i].valid))
        return l2_miss(s, i, p, t);
    bool placed = i == TAG_NONE;
    enum l2_blocked why = l2_cannot_perform(s, p, t->l2);
    if (!why && placed)
        why = l2_make_room(s, p->mapped, &i, t);
    if (why)
        return why;
    s->part->count[placed ? STAT_L2_WRITE_MISSES : l2_stats(p)->hits]++;
    l2_perform(s, i, p, t);
    return L2_SERVED;
}

/* The head of a network's pipeline gets its turn at the tags. */
static bool serve(struct slice *s, unsigned vn, const struct l2_now *t)
{
    const struct partition_calls *calls = &s->part->cfg.calls;
    struct l2_input *q = &s->in[vn];
    struct packet *p = q->pipe[q->head].p;
    if (!q->mapped)
        p->mapped = calls->map ? calls->map(calls->ctx, p) : p->line;
    q->mapped = true;
    if (p->kind < MSG_PROTOCOL)
        q->why = look_up(s, p, t);
    else if (p->kind < MSG_POLICY && s->busy)
        q->why = l2_coherence_message(s, p, t);
    else
        q->why = calls->message(calls->ctx, s->id, p, t->l2) ? L2_SERVED : L2_BLOCKED_PROTOCOL;
    q->since = t->l2;
    if (q->why)
        return false;
    q->mapped = false;
    q->head = q->head + 1 == s->part->cfg.l2.latency ? 0 : q->head + 1;
    q->n--;
    return true;
}

/* One look-up a cycle; networks take turns. */
static bool look_ups(struct slice *s, const struct l2_now *t)
{
    uint32_t vns = s->inputs;
    for (uint32_t k = 0; k < vns; k++)
        s->in[k].why = L2_SERVED;
    for (uint32_t k = 0; k < vns; k++) {
        uint32_t vn = s->turn + k < vns ? s->turn + k : s->turn + k - vns;
        struct l2_input *q = &s->in[vn];
        if (q->n && q->pipe[q->head].ready <= t->l2 && serve(s, vn, t)) {
            s->turn = vn + 1 == vns ? 0 : vn + 1;
            return true;
        }
    }
    return false;
}

/* When it acts next, if no messages or credits come. moved: in this cycle something left a place that others want. */
static uint64_t plan(const struct slice *s, uint64_t now, bool moved)
{
    uint64_t next = NEVER;
    bool stuck = s->list_stuck || (s->flushing && s->dirty_lines);
    for (uint32_t v = 0; v < s->inputs; v++) {
        const struct l2_input *q = &s->in[v];
        if ((q->wait.n && q->n < s->part->cfg.l2.latency) || (q->why && q->pipe[q->head].p->kind >= MSG_PROTOCOL))
            return now + 1;
        if (q->why)
            stuck = true;
        else if (q->n && q->pipe[q->head].ready < next)
            next = q->pipe[q->head].ready;
        if (v < s->request->vns && s->out[v].n && !(s->no_credit >> v & 1))
            return now + 1;
    }
    if (s->unit && s->unit_next < next)
        next = s->unit_next;
    if (s->unit_busy)
        return now + 1;
    if ((stuck && moved) || s->unasked.n || s->work.n || s->calling.n || (s->list_head != MSHR_NONE && !s->list_stuck))
        return now + 1;
    if (stuck && s->data_free > now && s->data_free < next)
        next = s->data_free;
    if (s->atomic && s->atomic_free < next)
        next = s->atomic_free;
    if (s->transfers && !(s->part->dram_waiters >> s->number & 1) && s->transfer[s->transfer_head].ready < next)
        next = s->transfer[s->transfer_head].ready;
    return next > now ? next : now + 1;
}

void l2_run(struct slice *s, const struct l2_now *t)
{
    receive(s, t);
    take_unasked(s, t->l2);
    l2_settle(s, t->l2);
    if (s->unit) {
        l2_unit_take(s, t);
        l2_unit_run(s, t);
    }
    bool moved = l2_finish_atomic(s, t->l2);
    moved |= l2_perform_waiting(s, t);
    if (s->work.n)
        moved |= l2_coherence_work(s, t);
    moved |= look_ups(s, t);
    for (uint32_t v = 0; v < s->inputs; v++)
        enter(s, v, t);
    if (s->calling.n)
        moved |= l2_coherence_call(s, t);
    moved |= l2_flush_line(s, t->l2);
    moved |= l2_to_dram(s, t);
    moved |= l2_send_reply(s, t);
    s->next = s->part->cfg.walk ? t->l2 + 1 : plan(s, t->l2, moved);
}

uint64_t l2_next(const struct slice *s)
{
    uint64_t next = s->next, arrival = port_next(s->request);
    if (arrival < next)
        next = arrival;
    if (s->no_credit) {
        uint64_t credit = clock_convert(s->part->cfg.clocks, CLK_XBAR, CLK_L2, port_credit_next(s->reply));
        if (credit < next)
            next = credit;
    }
    return next;
}

void l2_settle(struct slice *s, uint64_t until)
{
    for (uint32_t v = 0; v < s->inputs; v++) {
        struct l2_input *q = &s->in[v];
        const struct packet *p = q->why ? q->pipe[q->head].p : NULL;
        if (p && p->kind < MSG_PROTOCOL && until > q->since) {
            s->part->count[l2_stats(p)->blocked] += until - q->since;
            q->since = until;
        }
    }
}

bool l2_idle(const struct slice *s)
{
    uint32_t n = s->mshr.n + s->transfers + s->unasked.n + (s->atomic != NULL);
    for (uint32_t v = 0; v < s->inputs; v++)
        n += s->in[v].wait.n + s->in[v].n;
    for (uint32_t v = 0; v < s->request->vns; v++)
        n += s->out[v].n;
    return n == 0 && l2_unit_idle(s);
}
