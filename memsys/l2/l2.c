/* A cycle of an L2 slice: from the port through the pipeline to the tags; the next cycle with an event. */
#include "memsys/l2/l2.h"
#include "memsys/xbar/xbar.h"

static void receive(struct l2_slice *s, const struct l2_now *t)
{
    struct packet *p;
    while ((p = port_receive(s->request, t->l2))) {
        p->stamp[STAMP_L2_QUEUE] = t->core;
        packet_push(&s->in[p->vn].wait, p);
    }
}

/* Packets of partition_send in an earlier cycle. Those of this cycle wait, so that the order of visits has no
 * effect. */
static void take_unasked(struct l2_slice *s, uint64_t now)
{
    if (s->unsolicited_at >= now)
        return;
    for (struct packet *p; (p = packet_pop(&s->unsolicited));)
        packet_push(&s->out[p->vn], p);
}

/* Stages of the pipeline before a request's look-up. */
static uint32_t stages_of(const struct packet *p, unsigned vn, const struct partition_cfg *c)
{
    uint32_t own = p->stages;
    if (!own && p->kind == MSG_ATOMIC)
        own = c->l2.atomic_latency;
    else if (!own && p->kind >= MSG_PROTOCOL && c->control_vns >> vn & 1)
        own = c->l2.control_latency;
    return own ? own : c->l2.latency;
}

/* The pipeline is a queue, but what is for an order policy, with its own latency, passes what is looked up later. */
static void push(struct l2_input *q, uint32_t latency, struct l2_pipe_entry new)
{
    uint32_t at = q->head + q->n++, before;
    for (;; at = before) {
        at = at < latency ? at : at - latency;
        before = at ? at - 1 : latency - 1;
        if (at == q->head || new.p->kind < MSG_POLICY || q->pipe[before].ready <= new.ready)
            break;
        q->pipe[at] = q->pipe[before];
    }
    q->pipe[at] = new;
}

/* One request a cycle enters the pipeline from the input queue. */
static void enter(struct l2_slice *s, unsigned vn, const struct l2_now *t)
{
    const struct partition_cfg *c = &s->part->cfg;
    struct l2_input *q = &s->in[vn];
    if (!q->wait.n || q->n == c->l2.latency || q->wait.head->kind >= MSG_ENGINE)
        return;
    struct packet *p = packet_pop(&q->wait);
    if (!p->own)
        port_return(s->request, t->xbar + c->credit_latency, vn, xbar_flits(p->bytes, c->flit_bytes));
    push(q, c->l2.latency, (struct l2_pipe_entry){ p, t->l2 + stages_of(p, vn, c) });
}

/* Looks up a request's line. L2_SERVED: it has performed, or waits in an MSHR entry. */
static enum l2_result look_up(struct l2_slice *s, struct packet *p, const struct l2_now *t)
{
    uint32_t e = mshr_find(&s->mshr, p->mapped), i = TAG_NONE;
    if (s->copier && l2_held(s, p))
        return L2_BLOCKED_COPY;
    if (s->engine && !p->own && !l2_engine_before(s, p, t))
        return L2_BLOCKED_ENGINE;
    if (s->transaction && l2_coherence_has(s, p))
        return l2_coherence_other(s, p, t);
    if (e != MSHR_NONE)
        return l2_merge_miss(s, e, p, t);
    if (!s->tags.tag)
        return l2_miss(s, TAG_NONE, p, t);
    i = tags_find(&s->tags, p->mapped);
    if (i == TAG_NONE && s->without_way)
        return L2_BLOCKED_OLDER;
    if (l2_needs(s, p) & ~(i == TAG_NONE ? 0 : s->tags.tag[i].valid))
        return l2_miss(s, i, p, t);
    bool allocate = i == TAG_NONE;
    enum l2_result why = l2_cannot_perform(s, p, s->data_free, t->l2);
    if (!why && allocate)
        why = l2_make_room(s, p->mapped, &i, t);
    if (why)
        return why;
    s->part->count[allocate ? STAT_L2_WRITE_MISSES : l2_stats(p)->hits]++;
    l2_perform(s, &s->data_free, i, p, t);
    return L2_SERVED;
}

/*
 * Is the head still rejected for the reason of its last look-up? With one input nothing else changes the tags and the
 * MSHRs in its path, so a request that lacked only the reply queue or the data array needs no other look-up.
 */
static enum l2_result still_blocked(const struct l2_slice *s, const struct l2_input *q, uint64_t now)
{
    bool lacked = q->blocked_by == L2_BLOCKED_REPLY_QUEUE || q->blocked_by == L2_BLOCKED_DATA_ARRAY;
    return lacked && s->inputs == 1 ? l2_cannot_perform(s, q->pipe[q->head].p, s->data_free, now) : L2_SERVED;
}

/* Offers the head of a network's pipeline to the tags. */
static bool serve(struct l2_slice *s, unsigned vn, const struct l2_now *t)
{
    const struct partition_calls *calls = &s->part->cfg.calls;
    struct l2_input *q = &s->in[vn];
    struct packet *p = q->pipe[q->head].p;
    unsigned kind = p->kind;
    enum l2_result why = still_blocked(s, q, t->l2);
    if (!q->mapped || s->copier)     /* a plain access is for the newest version, until its look-up is served */
        p->mapped = calls->map ? calls->map(calls->ctx, p) : p->line;
    q->mapped = true;
    if (p->kind < MSG_PROTOCOL)
        q->blocked_by = why ? why : look_up(s, p, t);
    else if (p->kind < MSG_POLICY && s->transaction)
        q->blocked_by = l2_coherence_message(s, p, t);
    else
        q->blocked_by = calls->message(calls->ctx, s->id, p, t->l2) ? L2_SERVED : L2_BLOCKED_POLICY;
    q->counted_to = t->l2;
    if (q->blocked_by)
        return false;
    if (s->part->served && kind < MSG_PROTOCOL && vn < s->request->vns)
        s->part->served(s->part->served_ctx, s->number, t->l2, kind, p);
    q->mapped = false;
    q->head = q->head + 1 == s->part->cfg.l2.latency ? 0 : q->head + 1;
    q->n--;
    return true;
}

/* One look-up a cycle; round robin over the inputs. */
static bool look_ups(struct l2_slice *s, const struct l2_now *t)
{
    uint32_t vns = s->inputs;
    for (uint32_t k = 0; vns > 1 && k < vns; k++)
        s->in[k].blocked_by = L2_SERVED;
    for (uint32_t k = 0; k < vns; k++) {
        uint32_t vn = s->next_input + k < vns ? s->next_input + k : s->next_input + k - vns;
        struct l2_input *q = &s->in[vn];
        if (q->n && q->pipe[q->head].ready <= t->l2 && serve(s, vn, t)) {
            s->next_input = vn + 1 == vns ? 0 : vn + 1;
            return true;
        }
    }
    return false;
}

/* The next cycle with an event, if no message or credit arrives. moved: in this cycle an entry was freed. */
static uint64_t plan(const struct l2_slice *s, uint64_t now, bool moved)
{
    uint64_t next = NEVER;
    bool blocked = s->performable_blocked || (s->flushing && s->dirty_lines);
    for (uint32_t v = 0; v < s->inputs; v++) {
        const struct l2_input *q = &s->in[v];
        if (q->wait.n && q->n < s->part->cfg.l2.latency)
            return now + 1;
        if (q->blocked_by && q->pipe[q->head].p->kind >= MSG_PROTOCOL)
            return now + 1;
        if (q->blocked_by)
            blocked = true;
        else if (q->n && q->pipe[q->head].ready < next)
            next = q->pipe[q->head].ready;
        if (v < s->request->vns && s->out[v].n && !(s->no_credit >> v & 1))
            return now + 1;
    }
    if (s->engine && s->engine_next < next)
        next = s->engine_next;
    if (s->engine_blocked || s->copying)
        return now + 1;
    if ((blocked && moved) || s->unsolicited.n || s->ready.n || s->probing.n)
        return now + 1;
    if (s->performable_head != MSHR_NONE && !s->performable_blocked)
        return now + 1;
    if (blocked && s->data_free > now && s->data_free < next)
        next = s->data_free;
    if (s->performable_blocked && s->fill_free > now && s->fill_free < next)
        next = s->fill_free;
    if (s->atomic && s->atomic_free < next)
        next = s->atomic_free;
    if (s->transfers && !(s->part->dram_waiters >> s->number & 1) && s->transfer[s->transfer_head].ready < next)
        next = s->transfer[s->transfer_head].ready;
    return next > now ? next : now + 1;
}

void l2_run(struct l2_slice *s, const struct l2_now *t)
{
    receive(s, t);
    take_unasked(s, t->l2);
    l2_settle(s, t->l2);
    if (s->engine) {
        l2_engine_receive(s, t);
        l2_engine_run(s, t);
    }
    if (s->copying)
        l2_copy_run(s, t);
    bool moved = s->atomic && l2_finish_atomic(s, t->l2);
    if (s->performable_head != MSHR_NONE)
        moved |= l2_perform_waiting(s, t);
    if (s->ready.n)
        moved |= l2_coherence_run(s, t);
    moved |= look_ups(s, t);
    for (uint32_t v = 0; v < s->inputs; v++)
        enter(s, v, t);
    if (s->probing.n)
        moved |= l2_coherence_probe(s, t);
    if (s->flushing)
        moved |= l2_flush_line(s, t->l2);
    if (s->transfers)
        moved |= l2_send_to_dram(s, t);
    moved |= l2_send_reply(s, t);
    s->next = s->part->cfg.walk ? t->l2 + 1 : plan(s, t->l2, moved);
}

uint64_t l2_next(const struct l2_slice *s)
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

void l2_settle(struct l2_slice *s, uint64_t until)
{
    static const enum stat reason[] = {
#define L2_REASON(id, name, text) [L2_BLOCKED_##id] = STAT_L2_BLOCKED_##id,
#include "memsys/l2/blocked.def"
    };
    for (uint32_t v = 0; v < s->inputs; v++) {
        struct l2_input *q = &s->in[v];
        const struct packet *p = q->blocked_by ? q->pipe[q->head].p : NULL;
        if (p && p->kind < MSG_PROTOCOL && until > q->counted_to) {
            s->part->count[l2_stats(p)->blocked] += until - q->counted_to;
            s->part->count[reason[q->blocked_by]] += until - q->counted_to;
            q->counted_to = until;
        }
    }
}

bool l2_idle(const struct l2_slice *s)
{
    uint32_t n = s->mshr.n + s->transfers + s->unsolicited.n + (s->atomic != NULL);
    for (uint32_t v = 0; v < s->inputs; v++)
        n += s->in[v].wait.n + s->in[v].n;
    for (uint32_t v = 0; v < s->request->vns; v++)
        n += s->out[v].n;
    return n == 0 && !s->copying && l2_engine_idle(s);
}
