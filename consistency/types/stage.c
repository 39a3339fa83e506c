/* The stage of an SM: type-wait queues, unsafe queues, safe queue, and counts of accesses that have not performed. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/config/config.h"
#include "base/stats.h"
#include "consistency/protocols.h"
#include "consistency/types/types.h"
#include "memsys/clock.h"

/* ---- life ---- */

void types_configure(struct types_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "consistency/types/config.def"
#include "base/config/config_copy.h"
    c->shift = (unsigned)__builtin_ctz(c->sector);
    c->slices = (uint32_t)(config_int(config, KEY_DRAM_CHANNELS) * config_int(config, KEY_L2_SLICES));
    c->sms = (uint32_t)config_int(config, KEY_GPU_SMS);
}

static void *new_state(const struct order_site *site)
{
    struct types *t = mem_zero(1, sizeof *t, "type-aware sequential consistency");
    types_configure(&t->cfg, site->config);
    t->sc.coherent = coherence_of(site->config);
    t->count = site->count;
    t->warps = site->warps;
    t->warp = mem_zero(site->warps, sizeof *t->warp, "type-aware sequential consistency");
    t->order = mem_zero(site->warps, sizeof *t->order, "type-aware sequential consistency");
    types_cache_init(&t->cache, t->cfg.cache, t->cfg.cache_ways);
    types_sync_init(&t->sync, t->cfg.sync_table);
    return t;
}

static void free_state(void *state)
{
    struct types *t = state;
    for (struct packet *p; (p = packet_pop(&t->drains));)
        packet_return(p);
    free(t->warp);
    free(t->order);
    free(t->cache.entry);
    free(t->sync.record);
    free(t);
}

static void attach(void *state, struct lsu *u)
{
    ((struct types *)state)->lsu = u;
}

/* ---- issue ---- */

/* A barrier waits until all outstanding accesses of the warp are safe. An access that the stage has not received does
 * not count as safe. */
static bool may_issue(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    const struct types *t = state;
    const struct types_warp *k = &t->warp[warp];
    if (order_is_access(a))
        return !w->acquires && !k->blocked;
    if (a->kind == ORDER_BARRIER)
        return (int64_t)w->loads + w->stores <= k->safe;
    return sc_may_pass(&t->sc, w, a);
}

static bool unsafe_pending(const void *state, uint32_t warp)
{
    return types_unsafe_pending(&((const struct types *)state)->warp[warp]);
}

/* ---- queues ---- */

static bool is_store(const struct stage_access *a)
{
    return a->kind != MOP_LOAD;
}

static int32_t performances(const struct stage_access *a)
{
    return a->kind == MOP_ATOM || a->kind == MOP_RED ? 2 : 1;
}

static void count_safe(struct types *t, const struct stage_access *a)
{
    t->warp[a->warp].safe++;
    t->safe_in[types_counter(types_sector(t, a->line))]++;
    t->count[STAT_TYPES_SAFE]++;
}

static void count_unsafe(struct types *t, const struct stage_access *a)
{
    t->unsafe_in[types_counter(types_sector(t, a->line))] += performances(a);
    t->count[STAT_TYPES_UNSAFE]++;
}

static const enum stat waits[] = {
    [TYPES_UNKNOWN] = STAT_TYPES_ASKED, [TYPES_CONFLICTS] = STAT_TYPES_CONFLICTS,
    [TYPES_SYNC_FULL] = STAT_TYPES_SYNC_FULL,
    [TYPES_UNSAFE_FULL] = STAT_TYPES_UNSAFE_FULL, [TYPES_SAFE_FULL] = STAT_TYPES_SAFE_FULL
};

/* Counts each reason for which an access waits once. user: a bit for each reason; bit 63: the stage holds it. */
static void count_wait(struct types *t, struct stage_access *a, enum types_class why)
{
    if (!(a->user >> why & 1))
        t->count[waits[why]]++;
    a->user |= UINT64_C(1) << why;
}

/* The same for the oldest instruction of the load/store unit. */
static void count_rejection(struct types *t, const struct stage_access *a, enum stat why)
{
    if (t->rejected != a->instruction + 1)
        t->count[why]++;
    t->rejected = a->instruction + 1;
}

static void set_blocked(struct types *t, struct types_warp *w, bool blocked)
{
    t->blocked += (uint32_t)blocked - w->blocked;
    w->blocked = blocked;
}

/* Moves the head of a type-wait queue to the queue of its class; false: it stays. It keeps its reservation unless it
 * waits for the synchronization table, where records of shared memory wait for rights of their warps. */
static bool move_head(struct types *t, struct types_warp *w)
{
    struct stage_access *a = w->waiting.head;
    enum types_class class = types_classify(t, a);
    set_blocked(t, w, class == TYPES_CONFLICTS);
    if (class < TYPES_IS_SAFE) {
        count_wait(t, a, class);
        if (class == TYPES_SYNC_FULL)
            types_end_reservation(t, a);
        return false;
    }
    types_record(t, a, class);
    order_queue_pop(&w->waiting);
    if (class == TYPES_IS_SAFE) {
        count_safe(t, a);
        order_queue_push(&t->safe, a);
        stage_wake(t->lsu, a->warp);             /* it may wait at a barrier */
    } else {
        count_unsafe(t, a);
        order_queue_push(&w->unsafe, a);
    }
    types_end_reservation(t, a);
    return true;
}

static void move_heads(struct types *t, uint32_t warp)
{
    struct types_warp *w = &t->warp[warp];
    bool was_blocked = w->blocked, moved = false;
    while (w->waiting.n && move_head(t, w))
        moved = true;
    if (moved)
        types_release(t, warp);
    if (was_blocked && !w->blocked)
        stage_wake(t->lsu, warp);
}

static uint64_t head_age(const struct types *t, uint32_t warp)
{
    return t->warp[warp].waiting.head->instruction;
}

/* Lists the warps with unclassified accesses in `order`, that with the oldest access first; returns their number. */
static uint32_t order_heads(struct types *t)
{
    uint32_t n = 0;
    for (uint32_t w = 0; t->held && w < t->warps; w++) {
        if (!t->warp[w].waiting.n)
            continue;
        uint32_t k = n++;
        for (; k && head_age(t, t->order[k - 1]) > head_age(t, w); k--)
            t->order[k] = t->order[k - 1];
        t->order[k] = w;
    }
    return n;
}

/* Classifies the accesses that have become classifiable. Only then are rights requested: the way of a right whose
 * reservation has ended is for the oldest head, not for the next access of the warp that has used it. */
static void update(struct types *t, uint64_t now)
{
    if (!t->changed)
        return;
    while (t->changed) {
        t->changed = false;
        uint32_t n = order_heads(t);
        for (uint32_t i = 0; i < n; i++)
            move_heads(t, t->order[i]);
    }
    uint32_t n = order_heads(t);
    for (uint32_t i = 0; i < n; i++)
        types_ask(t, t->warp[t->order[i]].waiting.head, true, now);
}

/* Can the access go to the L1 at once? It is safe, no access waits before it, and it passes no unsafe access. */
static bool goes_directly(struct types *t, const struct stage_access *a)
{
    const struct types_warp *w = &t->warp[a->warp];
    return !w->waiting.n && !t->safe.n && !types_unsafe_pending(w) && types_classify(t, a) == TYPES_IS_SAFE;
}

static void offer(struct types *t, const struct stage_access *a, bool unsafe, uint64_t now)
{
    t->offered.instruction = a->instruction;
    t->offered.line = a->line;
    t->offered.unsafe = unsafe;
    t->offered.counted = a->user && !unsafe;
    t->offered.at = now;
    t->offered.early = 0;
}

static enum stage_answer accept(void *state, struct stage_access *a, uint64_t now)
{
    struct types *t = state;
    struct types_warp *w = &t->warp[a->warp];
    update(t, now);
    if (stage_has_port(t->lsu) && goes_directly(t, a)) {
        offer(t, a, false, now);
        return STAGE_PASSES;
    }
    if (w->waiting.n == t->cfg.wait_queue || (is_store(a) && t->stores == t->cfg.stores)) {
        count_rejection(t, a, w->waiting.n == t->cfg.wait_queue ? STAT_TYPES_TQ_FULL : STAT_TYPES_STORES_FULL);
        return STAGE_REJECTED;
    }
    order_queue_push(&w->waiting, a);
    a->user = UINT64_C(1) << 63;
    t->stores += is_store(a);
    t->held++;
    types_ask(t, a, false, now);
    move_heads(t, a->warp);
    if (w->waiting.n)
        types_ask(t, w->waiting.head, true, now);
    return STAGE_HELD;
}

/* An unsafe access must not pass a safe one to its line. */
static bool line_in_safe_queue(const struct types *t, uint64_t line)
{
    for (const struct stage_access *a = t->safe.n ? t->safe.head : NULL; a; a = a->next)
        if (a->line == line)
            return true;
    return false;
}

static struct types_warp *unsafe_to_send(struct types *t)
{
    for (uint32_t k = 0; k < t->warps; k++) {
        struct types_warp *w = &t->warp[(t->turn + k) % t->warps];
        if (w->unsafe.n && order_may_follow(&w->sent, w->unsafe.head->instruction) &&
            !line_in_safe_queue(t, w->unsafe.head->line))
            return w;
    }
    return NULL;
}

static struct stage_access *choose(void *state, uint64_t now)
{
    struct types *t = state;
    update(t, now);
    struct types_warp *w = unsafe_to_send(t);
    struct stage_access *a = w ? w->unsafe.head : t->safe.n ? t->safe.head : NULL;
    if (a)
        offer(t, a, w, now);
    return a;
}

/* ---- accesses that perform ---- */

static void unsafe_performed(struct types *t, uint32_t warp, uint64_t line)
{
    struct types_warp *w = &t->warp[warp];
    uint32_t i = 0;
    while (w->line[i] != line)
        i++;
    w->line[i] = w->line[--w->lines];
    w->sent.n--;
    t->unsafe_in[types_counter(types_sector(t, line))]--;
    types_release(t, warp);
}

static void safe_performed(struct types *t, uint32_t warp, uint64_t line)
{
    t->warp[warp].safe--;
    t->safe_in[types_counter(types_sector(t, line))]--;
}

static bool is_unsafe(const struct types_warp *w, const struct stage_performed *p)
{
    for (uint32_t i = 0; i < w->lines && p->instruction == w->sent.instruction; i++)
        if (w->line[i] == p->line)
            return true;
    return false;
}

static void performed(void *state, const struct stage_performed *p, uint64_t now)
{
    struct types *t = state;
    if (t->offered.at == now && !t->offered.counted && p->instruction == t->offered.instruction &&
        p->line == t->offered.line) {
        t->offered.early++;
        return;
    }
    if (is_unsafe(&t->warp[p->warp], p))
        unsafe_performed(t, p->warp, p->line);
    else
        safe_performed(t, p->warp, p->line);
    t->changed = true;
    if (t->drains.n)
        types_drained(t);
}

static void count_sent(struct types *t, struct types_warp *w, const struct stage_access *a)
{
    order_count_sent(&w->sent, a);
    for (int32_t i = 0; i < performances(a); i++)
        w->line[w->lines++] = a->line;
}

static void sent(void *state, struct stage_access *a, uint64_t now)
{
    struct types *t = state;
    struct types_warp *w = &t->warp[a->warp];
    bool unsafe = t->offered.unsafe;
    t->offered.at = 0;
    if (!a->user) {
        count_safe(t, a);
        t->count[STAT_TYPES_DIRECT]++;
    } else {
        order_queue_pop(unsafe ? &w->unsafe : &t->safe);
        t->held--;
        t->stores -= is_store(a);
        t->turn = unsafe ? (a->warp + 1) % t->warps : t->turn;
    }
    if (unsafe)
        count_sent(t, w, a);
    t->changed = true;
    for (uint32_t i = 0; i < t->offered.early; i++)
        performed(t, &(struct stage_performed){ a->warp, false, a->line, a->instruction }, now);
    if (!unsafe)                                 /* only now is `safe` right again: may_issue reads it */
        stage_wake(t->lsu, a->warp);
}

static bool shared(void *state, const struct stage_access *a, uint64_t now)
{
    update(state, now);
    enum types_class class = types_shared(state, a);
    if (class < TYPES_IS_SAFE)
        count_rejection(state, a, waits[class]);
    return class == TYPES_IS_SAFE;
}

/* ---- messages, time ---- */

static bool message(void *state, struct packet *p, uint64_t now)
{
    struct types *t = state;
    t->changed = true;
    if (p->kind == TYPES_GRANT) {
        types_granted(t, p, now);
        return false;
    }
    types_drain(t, p);
    return true;
}

static uint64_t next(const void *state, uint64_t now)
{
    const struct types *t = state;
    if (!t->held)
        return NEVER;
    return t->changed || t->safe.n || unsafe_to_send((struct types *)t) ? now + 1 : NEVER;
}

static const struct order_stage stage = {
    .probe_vns = 1 << TYPES_VN_DOWN, .attach = attach, .accept = accept, .choose = choose, .sent = sent,
    .shared = shared, .performed = performed, .message = message, .next = next
};

const struct order_policy order_sc_types = {
    .name = "sc-types", .model = ORDER_MODEL_SC_REORDERED, .new_state = new_state, .free_state = free_state,
    .may_issue = may_issue, .unsafe_pending = unsafe_pending, .stage = &stage,
    .vns = TYPES_VNS, .control_vns = 1 << TYPES_VN_UP, .new_partition = types_mac_new,
    .free_partition = types_mac_free, .message = types_mac_message
};
