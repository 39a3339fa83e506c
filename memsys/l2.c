/* An L2 slice: from the port through the pipeline to the tags; when it acts next. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "memsys/l2.h"
#include "memsys/xbar.h"

void l2_configure(struct l2_cfg *c, const struct simtx_config *config)
{
    uint32_t lines = (uint32_t)config_int(config, KEY_L2_SLICE_KB) * 1024 / LINE_BYTES;
    *c = (struct l2_cfg){
        .ways = (uint32_t)config_int(config, KEY_L2_WAYS), .mshrs = (uint32_t)config_int(config, KEY_L2_MSHRS),
        .merges = (uint32_t)config_int(config, KEY_L2_MERGES), .latency = (uint32_t)config_int(config, KEY_L2_LATENCY),
        .dram_latency = (uint32_t)config_int(config, KEY_DRAM_LATENCY),
        .miss_queue = (uint32_t)config_int(config, KEY_L2_MISS_QUEUE),
        .reply_queue = (uint32_t)config_int(config, KEY_L2_REPLY_QUEUE),
        .bytes_per_cycle = (uint32_t)config_int(config, KEY_L2_BYTES_PER_CYCLE),
        .sectored = config_bool(config, KEY_L2_SECTORED),
        .write_allocate_fetch = config_bool(config, KEY_L2_WRITE_FETCH),
        .hash = config_bool(config, KEY_L2_HASH),
        .atomic_cycles = {
            (uint32_t)config_int(config, KEY_L2_ATOMIC_ADD), (uint32_t)config_int(config, KEY_L2_ATOMIC_EXCH),
            (uint32_t)config_int(config, KEY_L2_ATOMIC_CAS), (uint32_t)config_int(config, KEY_L2_ATOMIC_FLOAT)
        },
        .atomic_warp_cycles = (uint32_t)config_int(config, KEY_L2_ATOMIC_WARP)
    };
    c->sets = lines / c->ways;
}

/* ---- construction ---- */

/* The address bits that make the lowest `count` bits of a field. */
static uint64_t field_bits(const struct addrmap *m, enum addr_field f, unsigned count)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < m->nruns[f]; i++) {
        const struct addr_run *r = &m->run[f][i];
        for (unsigned b = 0; r->mask >> b; b++)
            if (r->to + b < count)
                bits |= UINT64_C(1) << (r->from + b);
    }
    return bits;
}

/* What makes an address come to this channel and slice tells its lines nothing apart. */
static void index_tags(struct tags *t, const struct addrmap *m)
{
    uint32_t slices = m->slices_per_channel;
    uint64_t bits = field_bits(m, ADDR_CHANNEL, 32);
    if ((slices & (slices - 1)) == 0)
        bits |= field_bits(m, ADDR_BANK, (unsigned)__builtin_ctz(slices));
    tags_share(t, m->base, m->split < 0 ? 0 : (unsigned)m->split, m->split < 0 ? 1 : m->channels);
    for (int b = 63; b >= 0; b--)
        if (bits >> b & 1)
            tags_cut(t, (unsigned)b);
}

static void *zeroed(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p)
        abort();
    return p;
}

void l2_init(struct slice *s, struct partition *part, uint32_t number, struct port *request, struct port *reply)
{
    const struct partition_cfg *c = &part->cfg;
    *s = (struct slice){
        .part = part, .number = number, .id = c->channel * c->slices + number, .request = request, .reply = reply,
        .next = c->walk ? 0 : NEVER, .list_head = MSHR_NONE, .list_tail = MSHR_NONE,
        .transfer_places = c->l2.miss_queue + c->l2.dram_latency
    };
    for (uint32_t v = 0; v < request->vns; v++)
        s->in[v].pipe = zeroed(c->l2.latency, sizeof *s->in[v].pipe);
    if (c->l2.sets) {
        uint32_t lines = c->l2.sets * c->l2.ways;
        tags_init(&s->tags, c->l2.sets, c->l2.ways, LINE_BYTES, REPLACE_LRU, c->l2.hash);
        index_tags(&s->tags, c->map);
        s->protocol = zeroed(lines, sizeof *s->protocol);
        s->dirty = zeroed((lines + 63) / 64, sizeof *s->dirty);
    }
    mshr_init(&s->mshr, c->l2.mshrs, c->l2.merges);
    s->miss = zeroed(c->l2.mshrs, sizeof *s->miss);
    s->transfer = zeroed(s->transfer_places, sizeof *s->transfer);
}

void l2_end(struct slice *s)
{
    for (uint32_t v = 0; v < s->request->vns; v++)
        free(s->in[v].pipe);
    tags_end(&s->tags);
    free(s->protocol);
    free(s->dirty);
    mshr_end(&s->mshr);
    free(s->miss);
    free(s->transfer);
}

void l2_clear(struct slice *s)
{
    if (!s->tags.clock)
        return;
    uint32_t lines = s->tags.sets * s->tags.ways;
    tags_clear(&s->tags);
    memset(s->protocol, 0, lines * sizeof *s->protocol);
    memset(s->dirty, 0, (lines + 63) / 64 * sizeof *s->dirty);
    s->dirty_lines = 0;
}

/* ---- a cycle ---- */

static void receive(struct slice *s, const struct l2_now *t)
{
    struct packet *p;
    while ((p = port_receive(s->request, t->l2))) {
        p->stamp[STAGE_L2_QUEUE] = t->core;
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
    if (!q->wait.n || q->n == c->l2.latency)
        return;
    struct packet *p = packet_pop(&q->wait);
    port_return(s->request, t->xbar + c->credit_latency, vn, flits_of(p->bytes, c->flit_bytes));
    uint32_t at = q->head + q->n++;
    q->pipe[at < c->l2.latency ? at : at - c->l2.latency] = (struct l2_slot){ p, t->l2 + c->l2.latency };
}

/* Looks up a request's line. NULL = it is performed, or waits for its line; else what blocks it. */
static const char *look_up(struct slice *s, struct packet *p, const struct l2_now *t)
{
    uint32_t e = mshr_find(&s->mshr, p->mapped), i = TAG_NONE;
    if (e != MSHR_NONE)
        return l2_join(s, e, p, t);
    if (!s->tags.tag)
        return l2_miss(s, TAG_NONE, p, t);
    i = tags_find(&s->tags, p->mapped);
    if (l2_needs(s, p) & ~(i == TAG_NONE ? 0 : s->tags.tag[i].valid))
        return l2_miss(s, i, p, t);
    bool placed = i == TAG_NONE;
    const char *why = l2_cannot_perform(s, p, t->l2);
    if (!why && placed)
        why = l2_make_room(s, p->mapped, &i, t->l2);
    if (why)
        return why;
    enum stat hit = l2_stat(p, STAT_L2_READ_HITS, STAT_L2_WRITE_HITS, STAT_L2_ATOMIC_HITS);
    s->part->count[placed ? STAT_L2_WRITE_MISSES : hit]++;
    l2_perform(s, i, p, t);
    return NULL;
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
    else
        q->why = calls->message(calls->ctx, s->id, p, t->l2) ? NULL : "the protocol does not take it yet";
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
    uint32_t vns = s->request->vns;
    for (uint32_t k = 0; k < vns; k++)
        s->in[k].why = NULL;
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

/* When it acts next, if neither messages nor credits come. moved: this cycle something left a place that others want. */
static uint64_t plan(const struct slice *s, uint64_t now, bool moved)
{
    uint64_t next = NEVER;
    bool stuck = s->list_stuck || (s->flushing && s->dirty_lines);
    for (uint32_t v = 0; v < s->request->vns; v++) {
        const struct l2_input *q = &s->in[v];
        if ((q->wait.n && q->n < s->part->cfg.l2.latency) || (q->why && q->pipe[q->head].p->kind >= MSG_PROTOCOL))
            return now + 1;
        if (q->why)
            stuck = true;
        else if (q->n && q->pipe[q->head].ready < next)
            next = q->pipe[q->head].ready;
        if (s->out[v].n && !(s->no_credit >> v & 1))
            return now + 1;
    }
    if ((stuck && moved) || s->unasked.n || (s->list_head != MSHR_NONE && !s->list_stuck))
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
    bool moved = l2_finish_atomic(s, t->l2);
    moved |= l2_perform_waiting(s, t);
    moved |= look_ups(s, t);
    for (uint32_t v = 0; v < s->request->vns; v++)
        enter(s, v, t);
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
        uint64_t credit = clock_first(s->part->cfg.clocks, CLK_L2, CLK_XBAR, port_credit_next(s->reply));
        if (credit < next)
            next = credit;
    }
    return next > s->part->l2_from ? next : s->part->l2_from;
}

void l2_settle(struct slice *s, uint64_t until)
{
    for (uint32_t v = 0; v < s->request->vns; v++) {
        struct l2_input *q = &s->in[v];
        const struct packet *p = q->why ? q->pipe[q->head].p : NULL;
        if (p && p->kind < MSG_PROTOCOL && until > q->since) {
            enum stat c = l2_stat(p, STAT_L2_READ_BLOCKED, STAT_L2_WRITE_BLOCKED, STAT_L2_ATOMIC_BLOCKED);
            s->part->count[c] += until - q->since;
            q->since = until;
        }
    }
}

bool l2_idle(const struct slice *s)
{
    uint32_t n = s->mshr.n + s->transfers + s->unasked.n + (s->atomic != NULL);
    for (uint32_t v = 0; v < s->request->vns; v++)
        n += s->in[v].wait.n + s->in[v].n + s->out[v].n;
    return n == 0;
}

/* ---- reports ---- */

struct report { void (*line)(void *ctx, const char *text); void *ctx; };

static void dump_packet(const struct report *r, const char *what, const struct packet *p)
{
    static const char *const kinds[] = { "read", "write", "atomic", "read reply", "write ack", "atomic reply" };
    char text[200];
    snprintf(text, sizeof text, "  %s: %s of line %#" PRIx64 ", SM %u, warp %u, issued at %" PRIu64, what,
             p->kind < MSG_PROTOCOL ? kinds[p->kind] : "protocol message", p->line, p->sm, p->warp,
             p->stamp[STAGE_ISSUE]);
    r->line(r->ctx, text);
}

static void dump_network(const struct slice *s, unsigned vn, const struct report *r)
{
    const struct l2_input *q = &s->in[vn];
    char text[200];
    if (!q->wait.n && !q->n && !s->out[vn].n)
        return;
    snprintf(text, sizeof text, "  network %u: %u requests waiting, %u in the pipeline, %u replies%s", vn, q->wait.n, q->n,
             s->out[vn].n, s->no_credit >> vn & 1 ? " without credits" : "");
    r->line(r->ctx, text);
    if (q->n)
        dump_packet(r, q->why ? q->why : "on its way to the tags", q->pipe[q->head].p);
    if (s->out[vn].n)
        dump_packet(r, "to be sent", s->out[vn].head);
}

void l2_dump(const struct slice *s, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct report r = { line, ctx };
    char text[200];
    if (l2_idle(s))
        return;
    snprintf(text, sizeof text, "L2 slice %u: %u lines missing, %u transfers to DRAM waiting%s", s->id, s->mshr.n,
             s->transfers, s->part->dram_waiters >> s->number & 1 ? " (its queue is full)" : "");
    line(ctx, text);
    for (uint32_t v = 0; v < s->request->vns; v++)
        dump_network(s, v, &r);
    if (s->atomic)
        dump_packet(&r, "in the atomic unit", s->atomic);
    for (uint32_t e = 0; e < s->mshr.touched; e++) {
        const struct mshr_entry *x = &s->mshr.entry[e];
        if (!x->busy)
            continue;
        snprintf(text, sizeof text, "  missing line %#" PRIx64 ": %u DRAM requests under way, %u requests wait", x->line,
                 s->miss[e].outstanding, x->n);
        line(ctx, text);
        if (x->n)
            dump_packet(&r, "first of them", mshr_first(&s->mshr, e));
    }
}
