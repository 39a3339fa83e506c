/*
 * Allocation of ring entries and commit IDs, before a warp's logs are sent (KILO TM, 4.5, 4.5.1). With finite rings
 * each core has credits for its share of the entries, one for each lane that commits. They return when every unit has
 * retired the whole batch. With kilotm.allocate the core requests entries from the units by messages, and repeats a
 * rejected request later; an older batch always gets its entries first.
 */
#include "tm/kilo/log_unit.h"

enum { ALLOC_FIRST = 100, ALLOC_MOST = 20000 };      /* core cycles until a rejected request is repeated */

static uint32_t lanes_of(const struct kilo_core_batch *b)
{
    return (uint32_t)__builtin_popcountll(b->b.lanes);
}

static void send_alloc(struct kilo_core *k, uint32_t slot, uint64_t slices)
{
    struct kilo_warp *w = &k->warp[slot];
    for (uint64_t m = slices; m; m &= m - 1)
        kilo_message(k, KILO_CU_ALLOC, (uint32_t)__builtin_ctzll(m), w->batch->b.lanes, false, &w->batch->b);
    tm_run_at(k->tm, tm_now(k->tm));
}

void kilo_cids_allocated(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    struct kilo_warp *w = &k->warp[slot];
    if (!k->cfg.allocate) {
        kilo_transfer_begin(k, slot, w->batch->b.lanes, now + k->cfg.cid_latency);
        return;
    }
    w->rejected = 0;
    w->allocating = mask_all(k->slices);
    w->retry_delay = ALLOC_FIRST;
    send_alloc(k, slot, w->allocating);
}

/* Without kilotm.cid_bits the IDs are allocated before the first message arrives, so the transfer need not wait. */
static void request_cids(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    kilo_request_cids(k, k->warp[slot].batch, now);
    if (!k->cfg.cid_bits)
        kilo_cids_allocated(k, slot, now);
}

void kilo_allocate_entries(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    struct kilo_core_batch *b = k->warp[slot].batch;
    b->retiring = k->ring ? k->slices : 0;
    if (k->ring && !k->cfg.allocate && (k->credit_waits || k->credits < lanes_of(b))) {
        k->credit_queue[(k->credit_first + k->credit_waits++) % k->slots] = slot;
        k->warp[slot].credit_wait_from = now;
        return;
    }
    k->credits -= k->ring && !k->cfg.allocate ? lanes_of(b) : 0;
    request_cids(k, slot, now);
}

void kilo_retired(struct kilo_core *k, struct kilo_core_batch *b, uint64_t now)
{
    if (--b->retiring)
        return;
    b->busy = b->left != 0;          /* a unit that fails a lane may retire it before its CU_FAIL arrives */
    if (k->cfg.allocate)
        return;
    k->credits += lanes_of(b);
    while (k->credit_waits) {
        uint32_t slot = k->credit_queue[k->credit_first];
        struct kilo_core_batch *next = k->warp[slot].batch;
        if (k->credits < lanes_of(next))
            return;
        k->credits -= lanes_of(next);
        k->credit_first = (k->credit_first + 1) % k->slots;
        k->credit_waits--;
        tm_count(k->tm)[STAT_CREDIT_WAITS] += now - k->warp[slot].credit_wait_from;
        request_cids(k, slot, now);
    }
}

void kilo_alloc_reply(struct kilo_core *k, uint32_t slot, uint32_t slice, bool passed, uint64_t now)
{
    struct kilo_warp *w = &k->warp[slot];
    uint64_t bit = UINT64_C(1) << slice;
    if (passed) {
        w->allocating &= ~bit;
        if (!w->allocating)
            kilo_transfer_begin(k, slot, w->batch->b.lanes, now + k->cfg.cid_latency);
        return;
    }
    if (!w->rejected) {
        w->retry_at = now + w->retry_delay;
        w->retry_delay = 2 * w->retry_delay < ALLOC_MOST ? 2 * w->retry_delay : ALLOC_MOST;
        k->rejected_warps++;
    }
    w->rejected |= bit;
    tm_run_at(k->tm, w->retry_at);
}

uint64_t kilo_allocate_run(struct kilo_core *k, uint64_t now)
{
    uint64_t next = NEVER;
    for (uint32_t slot = 0; k->rejected_warps && slot < k->slots; slot++) {
        struct kilo_warp *w = &k->warp[slot];
        if (!w->rejected)
            continue;
        if (w->retry_at > now) {
            next = w->retry_at < next ? w->retry_at : next;
            continue;
        }
        send_alloc(k, slot, w->rejected);
        w->rejected = 0;
        k->rejected_warps--;
    }
    return next;
}
