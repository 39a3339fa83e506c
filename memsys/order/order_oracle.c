/* The ordering oracle: the final part of the histories, its program order, its replay, its cycles. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/order/order_causal.h"
#include "memsys/order/order_oracle.h"
#include "memsys/order/order_shadow.h"

enum { CYCLE_MAX = 64 };

static const char what[] = "the ordering oracle";

/* An access of a warp in the replay. node: of its first lane; the others follow. last: cycle in which it, or an access
 * before it in program order, binds, whichever is later. */
struct replayed { const struct order_event *e; uint64_t last; uint32_t node; };

struct reader { uint32_t node, next; };

struct order_oracle {
    struct order_oracle_cfg cfg;
    struct order_history *history;   /* of the SMs, then of the slices */
    uint32_t histories;
    uint32_t due;                    /* accesses with which the next replay begins */
    struct order_shadow shadow;
    struct order_graph graph;
    struct order_causal causal;
    uint64_t part;                   /* number of the part that is replayed */
    struct replayed *replay;         /* of this step, in the order of the replay */
    struct replayed **chain;         /* the same by thread and program order */
    struct reader *reader;           /* from 1 */
    uint32_t *backward;              /* nodes to which program order leads backward in the replay */
    uint32_t n, replay_cap, chain_cap, readers, readers_cap, nbackward, backward_cap;
    struct order_oracle_counts count;
    char *text;                      /* the violation */
};

struct order_oracle *order_oracle_new(const struct order_oracle_cfg *c)
{
    struct order_oracle *o = mem_zero(1, sizeof *o, what);
    o->cfg = *c;
    o->due = c->batch;
    o->part = 1;
    o->histories = c->sms + c->slices;
    o->history = mem_zero(o->histories, sizeof *o->history, what);
    for (uint32_t i = 0; i < o->histories; i++) {
        o->history[i].sm = i < c->sms ? (uint16_t)i : ORDER_ENGINE;
        o->history[i].fences = c->causal;
    }
    return o;
}

void order_oracle_free(struct order_oracle *o)
{
    if (!o)
        return;
    for (uint32_t i = 0; i < o->histories; i++)
        order_history_free(&o->history[i]);
    order_shadow_free(&o->shadow);
    order_graph_free(&o->graph);
    order_causal_free(&o->causal);
    free(o->history);
    free(o->replay);
    free(o->chain);
    free(o->reader);
    free(o->backward);
    free(o->text);
    free(o);
}

struct order_history *order_oracle_history(struct order_oracle *o, uint32_t sm)
{
    return &o->history[sm];
}

struct order_history *order_oracle_slice(struct order_oracle *o, uint32_t slice)
{
    return &o->history[o->cfg.sms + slice];
}

static uint32_t recorded(const struct order_oracle *o)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->histories; i++)
        n += o->history[i].n;
    return n;
}

bool order_oracle_due(const struct order_oracle *o)
{
    return recorded(o) >= o->due;
}

void order_oracle_exclude(struct order_oracle *o, uint64_t line, const uint64_t mask[2])
{
    struct order_line *l = order_shadow_line(&o->shadow, line, o->part);
    l->excluded[0] |= mask[0];
    l->excluded[1] |= mask[1];
}

struct order_oracle_counts order_oracle_counts(const struct order_oracle *o)
{
    return o->count;
}

/* ---- the part to be replayed ---- */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* By time; then as recorded, SM by SM. */
static int in_time(const void *x, const void *y)
{
    const struct order_event *a = ((const struct replayed *)x)->e, *b = ((const struct replayed *)y)->e;
    int c = compare(a->bound.cycle, b->bound.cycle);
    c = c ? c : compare(a->bound.turn, b->bound.turn);
    c = c ? c : compare(a->sm, b->sm);
    return c ? c : compare((uintptr_t)a, (uintptr_t)b);
}

/* In chains, accesses of one instruction are adjacent. */
static int in_program_order(const void *x, const void *y)
{
    const struct replayed *r = *(struct replayed *const *)x, *s = *(struct replayed *const *)y;
    const struct order_event *a = r->e, *b = s->e;
    int c = compare(a->sm, b->sm);
    c = c ? c : compare(a->slot, b->slot);
    c = c ? c : compare(a->instruction, b->instruction);
    return c ? c : compare((uintptr_t)r, (uintptr_t)s);
}

static bool same_warp(const struct order_event *a, const struct order_event *b)
{
    return a->sm == b->sm && a->slot == b->slot && a->slot != ORDER_BULK && a->block == b->block && a->warp == b->warp;
}

static void collect(struct order_oracle *o)
{
    o->n = 0;
    for (uint32_t i = 0; i < o->histories; i++)
        for (uint32_t k = 0; k < o->history[i].n; k++) {
            o->replay = mem_grow(o->replay, o->n, &o->replay_cap, sizeof *o->replay, what);
            o->replay[o->n++] = (struct replayed){ .e = &o->history[i].event[k] };
        }
    if (o->n)
        qsort(o->replay, o->n, sizeof *o->replay, in_time);
    for (uint32_t i = 0; i < o->n; i++) {
        o->chain = mem_grow(o->chain, i, &o->chain_cap, sizeof *o->chain, what);
        o->chain[i] = &o->replay[i];
    }
    if (o->n)
        qsort(o->chain, o->n, sizeof *o->chain, in_program_order);
}

/* Sets `last` of each access: the latest cycle of its warp's accesses so far. */
static void find_last(struct order_oracle *o)
{
    const struct order_event *before = NULL;
    uint64_t last = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        struct replayed *r = o->chain[i];
        last = before && same_warp(before, r->e) && last > r->e->bound.cycle ? last : r->e->bound.cycle;
        r->last = last;
        before = r->e;
    }
}

/* The number of accesses before the last cut that is not after cycle `final`. */
static uint32_t cut(const struct order_oracle *o, uint64_t final)
{
    uint64_t last = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i <= o->n; i++) {
        uint64_t at = i < o->n ? o->replay[i].e->bound.cycle : final;
        if (at > final)
            at = final;
        if (last < at)
            n = i;
        if (i == o->n || o->replay[i].e->bound.cycle >= final)
            break;
        last = o->replay[i].last > last ? o->replay[i].last : last;
    }
    return n;
}

static uint32_t node_of(const struct replayed *r, unsigned lane)
{
    return r->node + (uint32_t)__builtin_popcountll(r->e->lanes & ((UINT64_C(1) << lane) - 1));
}

/* Does the policy have a model that relates accesses to different words? */
static bool has_graph(const struct order_oracle *o)
{
    return o->cfg.sequential || o->cfg.causal;
}

static void name_nodes(struct order_oracle *o, const struct replayed *r)
{
    uint32_t node = r->node;
    for (uint64_t m = r->e->lanes; m; m &= m - 1)
        o->causal.node[node++] = (struct order_node){ .e = r->e, .lane = (uint32_t)__builtin_ctzll(m) };
}

static void number_nodes(struct order_oracle *o, uint32_t n)
{
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < n; i++) {
        o->replay[i].node = nodes;
        nodes += (uint32_t)__builtin_popcountll(o->replay[i].e->lanes);
    }
    order_graph_clear(&o->graph, has_graph(o) ? nodes : 0);
    order_causal_clear(&o->causal, o->cfg.causal ? nodes : 0);
    for (uint32_t i = 0; o->cfg.causal && i < n; i++)
        name_nodes(o, &o->replay[i]);
    o->readers = 1;
    o->nbackward = 0;
}

/* ---- program order ---- */

static void relate(struct order_oracle *o, uint32_t from, uint32_t to, enum order_relation r)
{
    if (from != to && has_graph(o)) {
        order_graph_edge(&o->graph, from, to, r);
        o->count.relations++;
    }
}

/* The last access of each lane, index in `replay` + 1, 0 = none; the node of its last fence + 1. */
struct lanes_before { uint32_t access[WARP_LANES], fence[WARP_LANES]; };

static void follow(struct order_oracle *o, struct lanes_before *b, uint32_t at)
{
    const struct replayed *r = &o->replay[at];
    for (uint64_t m = r->e->lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint32_t before = b->access[lane];
        if (before) {
            relate(o, node_of(&o->replay[before - 1], lane), node_of(r, lane), ORDER_PO);
            if (before - 1 > at) {
                o->backward = mem_grow(o->backward, o->nbackward, &o->backward_cap, sizeof *o->backward, what);
                o->backward[o->nbackward++] = node_of(r, lane);
            }
        }
        b->access[lane] = at + 1;
        if (o->cfg.causal)
            o->causal.node[node_of(r, lane)].before = b->fence[lane];
        if (r->e->sem & ORDER_SEM_FENCE)
            b->fence[lane] = node_of(r, lane) + 1;
    }
}

/* Against program order: the next fence of each node. */
static void find_next_fences(struct order_oracle *o, uint32_t n)
{
    uint32_t fence[WARP_LANES] = { 0 };
    const struct order_event *after = NULL;
    for (uint32_t i = o->n; i-- > 0;) {
        const struct replayed *r = o->chain[i];
        if ((uint32_t)(r - o->replay) >= n)
            continue;
        if (after && !same_warp(after, r->e))
            memset(fence, 0, sizeof fence);
        for (uint64_t m = r->e->lanes; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            o->causal.node[node_of(r, lane)].after = fence[lane];
            if (r->e->sem & ORDER_SEM_FENCE)
                fence[lane] = node_of(r, lane) + 1;
        }
        after = r->e;
    }
}

static void relate_program_order(struct order_oracle *o, uint32_t n)
{
    struct lanes_before b = { .access = { 0 } };
    const struct order_event *before = NULL;
    for (uint32_t i = 0; i < o->n; i++) {
        uint32_t at = (uint32_t)(o->chain[i] - o->replay);
        if (at >= n)
            continue;
        if (before && !same_warp(before, o->replay[at].e))
            b = (struct lanes_before){ .access = { 0 } };
        follow(o, &b, at);
        before = o->replay[at].e;
    }
    o->count.backward += o->nbackward;
}

/* ---- the replay ---- */

static void describe(struct order_oracle *o, const struct order_event *e, unsigned lane)
{
    if (e->sem & ORDER_SEM_FENCE)
        mem_append(&o->text, "SM %u, block %" PRIu64 ", warp %u, lane %u, PTX line %d: fence%s, cycle %" PRIu64, e->sm,
                   e->block, e->warp, lane, e->source, e->sem & ORDER_SEM_SC ? ".sc" : "", e->bound.cycle);
    if (e->sem & ORDER_SEM_FENCE)
        return;
    if (e->sm == ORDER_ENGINE)
        mem_append(&o->text, "engine of L2 slice %u", e->slot);
    else if (e->slot == ORDER_BULK)
        mem_append(&o->text, "SM %u, block %" PRIu64 ", bulk copy, PTX line %d", e->sm, e->block, e->source);
    else
        mem_append(&o->text, "SM %u, block %" PRIu64 ", warp %u, lane %u, PTX line %d", e->sm, e->block, e->warp, lane,
                   e->source);
    mem_append(&o->text, ": %s of %u bytes at %#" PRIx64 ", cycle %" PRIu64,
               e->reads && e->writes ? "atomic" : e->writes ? "store" : "load", e->width, e->line + e->offset[lane],
               e->bound.cycle);
}

static void begin_report(struct order_oracle *o, const char *violation)
{
    mem_append(&o->text, "order policy %s, coherence protocol %s, configuration %s, seed %" PRIu64 ": %s\n",
               o->cfg.policy, o->cfg.protocol, o->cfg.configuration, o->cfg.seed, violation);
}

static void report_value(struct order_oracle *o, const struct order_event *e, unsigned lane, unsigned b,
                         const struct order_line *l)
{
    begin_report(o, "a read returns another value than that of the latest write");
    mem_append(&o->text, "  ");
    describe(o, e, lane);
    mem_append(&o->text, "\n  byte %u of the line is %#x, the latest write (PTX line %d, 0: none) is "
               "%#x\n", b, e->read[b], l->source[b / 4], l->byte[b]);
}

static bool knows(const struct order_line *l, unsigned b)
{
    return (l->known[b / 64] & ~l->excluded[b / 64]) >> b % 64 & 1;
}

static void set_byte(struct order_line *l, unsigned b, uint8_t value, bool known)
{
    uint64_t bit = UINT64_C(1) << b % 64;
    l->byte[b] = value;
    l->known[b / 64] = known ? l->known[b / 64] | bit : l->known[b / 64] & ~bit;
}

/* The bytes that one lane reads. */
static bool check_bytes(struct order_oracle *o, const struct order_event *e, unsigned lane, struct order_line *l)
{
    for (unsigned b = e->offset[lane]; b < e->offset[lane] + (unsigned)e->width; b++) {
        if (knows(l, b) && l->byte[b] != e->read[b]) {
            report_value(o, e, lane, b, l);
            return false;
        }
        set_byte(l, b, e->read[b], true);
    }
    return true;
}

static void read_word(struct order_oracle *o, uint32_t node, struct order_line *l, unsigned w)
{
    if (l->writer[w])
        relate(o, l->writer[w] - 1, node, ORDER_RF);
    o->reader = mem_grow(o->reader, o->readers, &o->readers_cap, sizeof *o->reader, what);
    o->reader[o->readers] = (struct reader){ node, l->readers[w] };
    l->readers[w] = o->readers++;
}

static void write_word(struct order_oracle *o, const struct order_event *e, uint32_t node, struct order_line *l,
                       unsigned w)
{
    if (l->writer[w] && o->cfg.sequential)
        relate(o, l->writer[w] - 1, node, ORDER_CO);
    for (uint32_t r = l->readers[w]; r; r = o->reader[r].next)
        relate(o, o->reader[r].node, node, ORDER_FR);
    l->writer[w] = node + 1;
    l->readers[w] = 0;
    l->source[w] = e->source;
}

static void relate_lane(struct order_oracle *o, const struct replayed *r, unsigned lane, struct order_line *l)
{
    const struct order_event *e = r->e;
    uint32_t node = node_of(r, lane);
    for (unsigned w = e->offset[lane] / 4; w <= (e->offset[lane] + e->width - 1u) / 4; w++) {
        if (e->reads && o->cfg.sequential)
            read_word(o, node, l, w);
        if (e->reads && o->cfg.causal)
            o->causal.node[node].writer = l->writer[w];
        if (e->writes)
            write_word(o, e, node, l, w);
    }
}

/* Lanes of one access bind together: first all read, then the highest lane's write remains. */
static bool replay(struct order_oracle *o, const struct replayed *r)
{
    const struct order_event *e = r->e;
    if (e->sem & ORDER_SEM_FENCE)
        return true;
    struct order_line *l = order_shadow_line(&o->shadow, e->line, o->part);
    for (uint64_t m = e->lanes; m && e->reads && e->read_known; m &= m - 1)
        if (!check_bytes(o, e, (unsigned)__builtin_ctzll(m), l))
            return false;
    for (uint64_t m = e->lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        relate_lane(o, r, lane, l);
        for (unsigned b = e->offset[lane]; e->writes && b < e->offset[lane] + (unsigned)e->width; b++)
            set_byte(l, b, e->written[b], e->written_known);
    }
    return true;
}

/* ---- cycles ---- */

static const struct replayed *access_of(const struct order_oracle *o, uint32_t node, uint32_t n)
{
    uint32_t low = 0, high = n - 1;
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (o->replay[middle].node <= node)
            low = middle;
        else
            high = middle - 1;
    }
    return &o->replay[low];
}

static unsigned lane_of(const struct replayed *r, uint32_t node)
{
    uint64_t m = r->e->lanes;
    for (uint32_t i = r->node; i < node; i++)
        m &= m - 1;
    return (unsigned)__builtin_ctzll(m);
}

static void report_steps(struct order_oracle *o, const struct order_step *step, uint32_t length, uint32_t n)
{
    for (uint32_t i = 0; i < length && i < CYCLE_MAX; i++) {
        const struct replayed *r = access_of(o, step[i].node, n);
        mem_append(&o->text, "  ");
        describe(o, r->e, lane_of(r, step[i].node));
        mem_append(&o->text, "\n    %s to the %s\n", order_relation_names[step[i].relation],
                   i + 1 < length ? "next" : "first");
    }
    if (length > CYCLE_MAX)
        mem_append(&o->text, "  and %u more\n", length - CYCLE_MAX);
}

static void report_cycle(struct order_oracle *o, uint32_t on, uint32_t n)
{
    struct order_step step[CYCLE_MAX];
    uint32_t length = order_graph_cycle(&o->graph, on, step, CYCLE_MAX);
    begin_report(o, "no interleaving of the threads explains these accesses (po: program order, rf: reads from, co: "
                    "coherence order, fr: reads before)");
    report_steps(o, step, length, n);
}

/* Without an edge that leads backward nothing causes an earlier access. */
static bool check_causality(struct order_oracle *o, uint32_t n)
{
    struct order_step step[CYCLE_MAX];
    if (!o->nbackward)
        return true;
    find_next_fences(o, n);
    order_causal_relate(&o->causal, &o->graph);
    uint32_t length = order_causal_violation(&o->causal, &o->graph, step, CYCLE_MAX);
    if (length) {
        begin_report(o, "the PTX memory model forbids these accesses (po: program order, sw: synchronizes with, sc: "
                        "order of fence.sc, rf: reads from, co: coherence order, fr: reads before)");
        report_steps(o, step, length, n);
    }
    return !length;
}

/* ---- steps ---- */

/* Removes the events that have been replayed: those before cycle `from`, in every history. */
static void discard(struct order_oracle *o, uint64_t from)
{
    for (uint32_t i = 0; i < o->histories; i++) {
        struct order_history *h = &o->history[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < h->n; k++)
            if (h->event[k].bound.cycle >= from)
                h->event[kept++] = h->event[k];
        h->n = kept;
    }
}

const char *order_oracle_step(struct order_oracle *o, uint64_t final)
{
    uint32_t on;
    if (o->text)
        return o->text;
    collect(o);
    find_last(o);
    uint32_t n = cut(o, final);
    number_nodes(o, n);
    if (has_graph(o))
        relate_program_order(o, n);
    for (uint32_t i = 0; i < n; i++)
        if (!replay(o, &o->replay[i]))
            return o->text;
    if (o->cfg.causal && !check_causality(o, n))
        return o->text;
    if (o->cfg.sequential && order_graph_cyclic(&o->graph, o->backward, o->nbackward, &on)) {
        report_cycle(o, on, n);
        return o->text;
    }
    o->count.accesses += n;
    o->count.parts += n > 0;
    o->part++;
    if (n)
        discard(o, n < o->n ? o->replay[n].e->bound.cycle : UINT64_MAX);
    o->due = 2 * recorded(o) > o->cfg.batch ? 2 * recorded(o) : o->cfg.batch;
    return NULL;
}

const char *order_oracle_finish(struct order_oracle *o)
{
    const char *text = order_oracle_step(o, UINT64_MAX);
    order_shadow_clear(&o->shadow);
    return text;
}
