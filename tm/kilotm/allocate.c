/*
 * Before a warp's logs are sent (KILO TM, 4.5, 4.5.1): places in the rings of the commit units and commit IDs. With
 * finite rings each core has credits for its share of them, one for each lane that commits; they come back when every
 * unit has retired the whole batch. Or (kilotm.allocate) the units are asked, and asked again after a while if they had
 * no room: an older batch always gets its place first.
 */
#include "tm/kilotm/log_unit.h"

enum { ALLOC_FIRST = 100, ALLOC_MOST = 20000 };      /* core cycles until a refused unit is asked again: doubled */

static uint32_t lanes_of(const struct core_batch *b)
{
    return (uint32_t)__builtin_popcountll(b->b.lanes);
}

static void ask_units(struct kilo_core *k, uint32_t slot, uint64_t slices)
{
    struct kilo_warp *w = &k->warp[slot];
    for (uint64_t m = slices; m; m &= m - 1)
        kilo_message(k, KILO_CU_ALLOC, (uint32_t)__builtin_ctzll(m), w->batch->b.lanes, false, &w->batch->b);
    tm_run_at(k->tm, tm_now(k->tm));
}

void kilo_has_ids(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    struct kilo_warp *w = &k->warp[slot];
    if (!k->cfg.allocate) {
        transfer_begin(k, slot, w->batch->b.lanes, now + k->cfg.cid_latency);
        return;
    }
    w->unasked = 0;
    w->allocating = mask_all(k->slices);
    w->patience = ALLOC_FIRST;
    ask_units(k, slot, w->allocating);
}

/* The IDs are early enough when the messages arrive, unless the vendor may keep the warp waiting. */
static void want_ids(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    kilo_ticket(k, k->warp[slot].batch, now);
    if (!k->cfg.cid_bits)
        kilo_has_ids(k, slot, now);
}

void kilo_want_places(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    struct core_batch *b = k->warp[slot].batch;
    b->retiring = k->ring ? k->slices : 0;
    if (k->ring && !k->cfg.allocate && (k->nwaiting || k->credits < lanes_of(b))) {
        k->waiting[(k->first_waiting + k->nwaiting++) % k->slots] = slot;
        k->warp[slot].waits_since = now;
        return;
    }
    k->credits -= k->ring && !k->cfg.allocate ? lanes_of(b) : 0;
    want_ids(k, slot, now);
}

void kilo_retired(struct kilo_core *k, struct core_batch *b, uint64_t now)
{
    if (--b->retiring)
        return;
    b->busy = b->left != 0;          /* units that fail a lane may have retired it before the core hears */
    if (k->cfg.allocate)
        return;
    k->credits += lanes_of(b);
    while (k->nwaiting) {
        uint32_t slot = k->waiting[k->first_waiting];
        struct core_batch *next = k->warp[slot].batch;
        if (k->credits < lanes_of(next))
            return;
        k->credits -= lanes_of(next);
        k->first_waiting = (k->first_waiting + 1) % k->slots;
        k->nwaiting--;
        tm_count(k->tm)[STAT_CREDIT_WAITS] += now - k->warp[slot].waits_since;
        want_ids(k, slot, now);
    }
}

void kilo_allocated(struct kilo_core *k, uint32_t slot, uint32_t slice, bool passed, uint64_t now)
{
    struct kilo_warp *w = &k->warp[slot];
    uint64_t bit = UINT64_C(1) << slice;
    if (passed) {
        w->allocating &= ~bit;
        if (!w->allocating)
            transfer_begin(k, slot, w->batch->b.lanes, now + k->cfg.cid_latency);
        return;
    }
    if (!w->unasked) {
        w->ask_at = now + w->patience;
        w->patience = 2 * w->patience < ALLOC_MOST ? 2 * w->patience : ALLOC_MOST;
        k->refused++;
    }
    w->unasked |= bit;
    tm_run_at(k->tm, w->ask_at);
}

uint64_t allocate_run(struct kilo_core *k, uint64_t now)
{
    uint64_t next = NEVER;
    for (uint32_t slot = 0; k->refused && slot < k->slots; slot++) {
        struct kilo_warp *w = &k->warp[slot];
        if (!w->unasked)
            continue;
        if (w->ask_at > now) {
            next = w->ask_at < next ? w->ask_at : next;
            continue;
        }
        ask_units(k, slot, w->unasked);
        w->unasked = 0;
        k->refused--;
    }
    return next;
}
