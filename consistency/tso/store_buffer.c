/*
 * Total store order with store buffers (Singh, Aga and Narayanasamy, MICRO 2015, sections 3.3 and 6.2): a store waits
 * in the buffer of its warp, or of the SM, until the warp's loads and stores before it have performed; later loads do
 * not wait for it. A store that need not wait goes to the L1 at once. An entry is occupied until its store has
 * performed.
 *
 * A warp issues a store when its own buffer has an entry for each of the lines that the store accesses, so no store
 * blocks other warps' accesses in the load/store unit. A store to more lines than the buffer has entries issues when
 * the warp has nothing outstanding, as without a buffer. With one buffer for the SM, a store that finds no free entry
 * waits in the load/store unit.
 *
 * A load takes bytes from the buffer only if the youngest store to each of its bytes is of the same lane: other lanes
 * are other threads, which must not see a store before all do. A load that overlaps other buffered stores waits
 * until these have been sent.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/config/config.h"
#include "base/stats.h"
#include "consistency/queue.h"
#include "consistency/tso/tso.h"
#include "memsys/clock.h"

enum { FORWARD_MAX = 64 };           /* buffered stores to its line that a load is compared with; if more, it waits */

struct buffered_warp {
    struct order_outstanding stores; /* sent, not performed */
    uint64_t loads_sent, loads_performed;
    uint64_t held, direct;           /* instruction + 1 of the last store held, and of the last one not held */
};

struct store_buffer {
    struct lsu *lsu;
    uint64_t *count;
    bool unified;
    uint32_t warps, entries, queues, turn, held;
    uint64_t rejected;               /* instruction + 1 whose rejection has been counted */
    uint32_t *used;                  /* by queue: entries */
    struct order_queue *queue;       /* of each warp; unified: one */
    struct buffered_warp *warp;
};

static uint32_t queue_of(const struct store_buffer *b, uint32_t warp)
{
    return b->unified ? 0 : warp;
}

/* ---- life ---- */

static struct store_buffer *new_buffer(const struct order_site *site, bool unified)
{
    static const char what[] = "store buffers of total store order";
    struct store_buffer *b = mem_zero(1, sizeof *b, what);
    b->count = site->count;
    b->unified = unified;
    b->warps = site->warps;
    b->entries = (uint32_t)config_int(site->config, unified ? KEY_TSO_UNIFIED_ENTRIES : KEY_TSO_BUFFER_ENTRIES);
    b->queues = unified ? 1 : site->warps;
    b->used = mem_zero(b->queues, sizeof *b->used, what);
    b->queue = mem_zero(b->queues, sizeof *b->queue, what);
    b->warp = mem_zero(site->warps, sizeof *b->warp, what);
    return b;
}

static void *new_of_warps(const struct order_site *site)
{
    return new_buffer(site, false);
}

static void *new_unified(const struct order_site *site)
{
    return new_buffer(site, true);
}

static void free_buffer(void *state)
{
    struct store_buffer *b = state;
    free(b->used);
    free(b->queue);
    free(b->warp);
    free(b);
}

static void attach(void *state, struct lsu *u)
{
    ((struct store_buffer *)state)->lsu = u;
}

/* ---- issue ---- */

static bool may_issue(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    const struct store_buffer *b = state;
    (void)warp;
    if (a->kind == ORDER_STORE)
        return !w->acquires && (b->unified || w->stores + w->next_lines <= b->entries || order_none_outstanding(w));
    return a->writes ? tso_may_write(w) : order_is_access(a) ? tso_may_read(w) : order_none_outstanding(w);
}

/* ---- the stage ---- */

/* The warp's buffered stores to the line, youngest first; n > FORWARD_MAX: the rest are not in the list. */
static uint32_t stores_to(const struct order_queue *q, const struct stage_access *load, struct stage_access **list)
{
    uint32_t n = 0;
    for (struct stage_access *s = q->n ? q->head : NULL; s; s = s->next)
        n += s->line == load->line && s->warp == load->warp;
    uint32_t i = n;
    for (struct stage_access *s = q->n && n <= FORWARD_MAX ? q->head : NULL; s; s = s->next)
        if (s->line == load->line && s->warp == load->warp)
            list[--i] = s;
    return n;
}

static enum stage_answer reject(struct store_buffer *b, const struct stage_access *a, enum stat why)
{
    if (b->rejected != a->instruction + 1)
        b->count[why]++;
    b->rejected = a->instruction + 1;
    return STAGE_REJECTED;
}

static enum stage_answer accept_load(struct store_buffer *b, struct stage_access *a, uint64_t now)
{
    struct stage_access *list[FORWARD_MAX];
    uint32_t n = stores_to(&b->queue[queue_of(b, a->warp)], a, list);
    if (!n)
        return STAGE_PASSES;
    switch (n > FORWARD_MAX ? STAGE_OVERLAPS : stage_forward(b->lsu, a, list, n, now)) {
    case STAGE_APART: return STAGE_PASSES;
    case STAGE_BOUND:
        b->warp[a->warp].loads_sent++;
        b->count[STAT_TSO_FORWARDED]++;
        return STAGE_FORWARDED;
    default: return reject(b, a, STAT_TSO_OVERLAPS);
    }
}

/* May the store go to the L1 at once? Either all accesses of an instruction enter the buffer, or none. */
static bool is_direct(const struct store_buffer *b, const struct order_queue *q, const struct stage_access *a)
{
    const struct buffered_warp *w = &b->warp[a->warp];
    return !q->n && w->held != a->instruction + 1 && w->loads_performed == w->loads_sent &&
           order_may_follow(&w->stores, a->instruction);
}

static enum stage_answer accept_store(struct store_buffer *b, struct stage_access *a)
{
    uint32_t q = queue_of(b, a->warp);
    struct buffered_warp *w = &b->warp[a->warp];
    if (is_direct(b, &b->queue[q], a)) {
        w->stores.instruction = a->instruction;
        w->direct = a->instruction + 1;
        return STAGE_PASSES;
    }
    if (b->used[q] == b->entries)
        return reject(b, a, STAT_TSO_FULL);
    b->used[q]++;
    b->held++;
    w->held = a->instruction + 1;
    a->user = w->loads_sent;
    order_queue_push(&b->queue[q], a);
    b->count[STAT_TSO_BUFFERED]++;
    return STAGE_HELD;
}

static enum stage_answer accept(void *state, struct stage_access *a, uint64_t now)
{
    if (a->kind == MOP_STORE)
        return accept_store(state, a);
    return a->kind == MOP_LOAD ? accept_load(state, a, now) : STAGE_PASSES;
}

/* May the oldest store of the queue be sent? The loads before it had been sent when it entered: `user` of them. */
static bool may_send(const struct store_buffer *b, const struct order_queue *q)
{
    const struct buffered_warp *w = q->n ? &b->warp[q->head->warp] : NULL;
    return w && order_may_follow(&w->stores, q->head->instruction) && w->loads_performed >= q->head->user;
}

static struct stage_access *choose(void *state, uint64_t now)
{
    const struct store_buffer *b = state;
    (void)now;
    for (uint32_t k = 0; b->held && k < b->queues; k++) {
        struct order_queue *q = &b->queue[(b->turn + k) % b->queues];
        if (may_send(b, q)) {
            b->warp[q->head->warp].stores.instruction = q->head->instruction;
            return q->head;
        }
    }
    return NULL;
}

static void sent(void *state, struct stage_access *a, uint64_t now)
{
    struct store_buffer *b = state;
    struct buffered_warp *w = &b->warp[a->warp];
    uint32_t q = queue_of(b, a->warp);
    (void)now;
    if (a->kind != MOP_STORE) {
        w->loads_sent++;
        return;
    }
    w->stores.n++;
    if (a->instruction + 1 == w->direct)
        return;
    order_queue_pop(&b->queue[q]);
    b->turn = (q + 1) % b->queues;
    b->held--;
}

/* A store of another instruction than the one sent last is that of an atomic, which has no entry. */
static void performed(void *state, const struct stage_performed *p, uint64_t now)
{
    struct store_buffer *b = state;
    struct buffered_warp *w = &b->warp[p->warp];
    (void)now;
    if (!p->store) {
        w->loads_performed++;
    } else if (p->instruction == w->stores.instruction) {
        w->stores.n--;
        b->used[queue_of(b, p->warp)] -= p->instruction + 1 != w->direct;
    }
}

static uint64_t next(const void *state, uint64_t now)
{
    const struct store_buffer *b = state;
    for (uint32_t q = 0; b->held && q < b->queues; q++)
        if (may_send(b, &b->queue[q]))
            return now + 1;
    return NEVER;
}

static const struct order_stage stage = {
    .attach = attach, .accept = accept, .choose = choose, .sent = sent, .performed = performed, .next = next
};

const struct order_policy order_tso_store_buffer = {
    .name = "tso-store-buffer", .model = ORDER_MODEL_TSO, .new_state = new_of_warps, .free_state = free_buffer,
    .may_issue = may_issue, .counts_lines = 1 << ORDER_STORE, .stage = &stage
};
const struct order_policy order_tso_store_buffer_unified = {
    .name = "tso-store-buffer-unified", .model = ORDER_MODEL_TSO, .new_state = new_unified,
    .free_state = free_buffer, .may_issue = may_issue, .stage = &stage
};
