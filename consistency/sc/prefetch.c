/*
 * Sequential consistency with prefetches (Singh, Aga and Narayanasamy, MICRO 2015, section 3.5; Gharachorloo, Gupta and
 * Hennessy, ICPP 1991). An access that must wait for earlier accesses of its warp waits in a queue of the warp, and its
 * line is prefetched meanwhile. A warp issues an access when the queue has an entry for each of the access's lines, so
 * no access blocks other warps' accesses in the load/store unit. An access to more lines than the queue has entries
 * issues when the warp has nothing outstanding, as without a queue. A prefetched line is an ordinary line of the L1:
 * another warp may evict it, and another SM may invalidate it, before the access is sent.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/config/config.h"
#include "base/stats.h"
#include "consistency/queue.h"
#include "consistency/sc/sc.h"
#include "memsys/clock.h"
#include "ptx/memory/access.h"

struct warp_queue {
    struct order_queue waiting;
    uint32_t atomics;                /* those of them that are atomics: each counts as a load and a store */
    struct order_outstanding sent;   /* accesses in L1 that have not performed */
};

struct prefetch {
    struct sc sc;                    /* first: sc_may_pass */
    struct lsu *lsu;
    uint64_t *count;
    uint32_t warps, entries, spare, turn, held;
    enum stage_line found;           /* whether the L1 has the chosen access's line */
    struct warp_queue *warp;
};

static void *new_state(const struct order_site *site)
{
    struct prefetch *s = mem_zero(1, sizeof *s, "sequential consistency with prefetches");
    struct sc *sc = sc_new(site);
    s->sc = *sc;
    free(sc);
    s->count = site->count;
    s->warps = site->warps;
    s->entries = (uint32_t)config_int(site->config, KEY_PREFETCH_QUEUE);
    s->spare = (uint32_t)config_int(site->config, KEY_PREFETCH_SPARE);
    s->warp = mem_zero(site->warps, sizeof *s->warp, "sequential consistency with prefetches");
    return s;
}

static void free_state(void *state)
{
    free(((struct prefetch *)state)->warp);
    free(state);
}

static void attach(void *state, struct lsu *u)
{
    ((struct prefetch *)state)->lsu = u;
}

static bool is_atomic(const struct stage_access *a)
{
    return a->kind != MOP_LOAD && a->kind != MOP_STORE;
}

/* Has the queue an entry for each line of the next access and of the accesses between issue and the stage? An atomic
 * counts twice until the stage has received it. */
static bool has_room(const struct prefetch *s, const struct warp_queue *q, const struct order_warp *w)
{
    int64_t before = (int64_t)w->loads + w->stores - q->sent.n - q->atomics;
    return before + w->next_lines <= s->entries || order_none_outstanding(w);
}

/* An access to shared memory issues when all earlier accesses of the warp have performed. */
static bool may_issue(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    const struct prefetch *s = state;
    if (!order_is_access(a))
        return sc_may_pass(&s->sc, w, a);
    if (a->kind == ORDER_SHARED)
        return sc_all_performed(w);
    return !w->shared && !w->acquires && has_room(s, &s->warp[warp], w);
}

static void prefetch(struct prefetch *s, struct stage_access *a, uint64_t now)
{
    a->user = !is_atomic(a) && stage_prefetch(s->lsu, a, s->spare, now);
    s->count[STAT_PREFETCH_ISSUED] += a->user;
    s->count[STAT_PREFETCH_DROPPED] += !is_atomic(a) && !a->user;
}

static enum stage_answer accept(void *state, struct stage_access *a, uint64_t now)
{
    struct prefetch *s = state;
    struct warp_queue *q = &s->warp[a->warp];
    if (!q->waiting.n && order_may_follow(&q->sent, a->instruction))
        return STAGE_PASSES;
    if (q->waiting.n == s->entries)
        return STAGE_REJECTED;
    prefetch(s, a, now);
    order_queue_push(&q->waiting, a);
    s->held++;
    if (is_atomic(a)) {
        q->atomics++;
        stage_wake(s->lsu, a->warp);
    }
    return STAGE_HELD;
}

static struct stage_access *choose(void *state, uint64_t now)
{
    struct prefetch *s = state;
    (void)now;
    for (uint32_t k = 0; s->held && k < s->warps; k++) {
        struct warp_queue *q = &s->warp[(s->turn + k) % s->warps];
        if (q->waiting.n && order_may_follow(&q->sent, q->waiting.head->instruction)) {
            s->found = stage_line(s->lsu, q->waiting.head->line);
            return q->waiting.head;
        }
    }
    return NULL;
}

static void count_use(struct prefetch *s)
{
    static const enum stat by[] = {
        [STAGE_LINE_ABSENT] = STAT_PREFETCH_EVICTED, [STAGE_LINE_IN_FLIGHT] = STAT_PREFETCH_LATE,
        [STAGE_LINE_PRESENT] = STAT_PREFETCH_USED
    };
    s->count[by[s->found]]++;
}

static void sent(void *state, struct stage_access *a, uint64_t now)
{
    struct prefetch *s = state;
    struct warp_queue *q = &s->warp[a->warp];
    (void)now;
    order_count_sent(&q->sent, a);
    if (a == q->waiting.head) {
        if (a->user)
            count_use(s);
        order_queue_pop(&q->waiting);
        q->atomics -= is_atomic(a);
        s->turn = (a->warp + 1) % s->warps;
        s->held--;
    }
    stage_wake(s->lsu, a->warp);
}

static bool shared(void *state, const struct stage_access *a, uint64_t now)
{
    const struct warp_queue *q = &((struct prefetch *)state)->warp[a->warp];
    (void)now;
    return !q->waiting.n && order_may_follow(&q->sent, a->instruction);
}

static void performed(void *state, const struct stage_performed *p, uint64_t now)
{
    (void)now;
    ((struct prefetch *)state)->warp[p->warp].sent.n--;
}

static uint64_t next(const void *state, uint64_t now)
{
    const struct prefetch *s = state;
    for (uint32_t w = 0; s->held && w < s->warps; w++)
        if (s->warp[w].waiting.n && order_may_follow(&s->warp[w].sent, s->warp[w].waiting.head->instruction))
            return now + 1;
    return NEVER;
}

static const struct order_stage stage = {
    .attach = attach, .accept = accept, .choose = choose, .sent = sent, .shared = shared, .performed = performed,
    .next = next
};

const struct order_policy order_sc_prefetch = {
    .name = "sc-prefetch", .model = ORDER_MODEL_SC, .new_state = new_state, .free_state = free_state,
    .may_issue = may_issue, .counts_lines = 1 << ORDER_LOAD | 1 << ORDER_STORE | 1 << ORDER_ATOMIC, .stage = &stage
};
