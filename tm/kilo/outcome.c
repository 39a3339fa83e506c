/*
 * The end of a commit at the core (KILO TM, 4.5): replies of the commit units and the final outcome of every lane. A
 * transaction that passed in all units commits: a read-only one with the last reply, another when its writes are in
 * memory.
 */
#include "tm/kilo/log_unit.h"

static uint64_t with_entries(struct kilo_core *k, uint32_t slot, uint64_t lanes)
{
    uint64_t some = 0;
    for (uint64_t m = lanes; m; m &= m - 1) {
        const struct tm_lane *l = tm_lane(k->tm, slot, (unsigned)__builtin_ctzll(m));
        some |= l->reads.n || l->writes.n ? m & -m : 0;
    }
    return some;
}

static void begin(struct kilo_core *k, uint32_t slot, uint64_t lanes)
{
    struct kilo_warp *w = &k->warp[slot];
    w->batch = kilo_batch_new(k);
    w->batch->b.lanes = w->batch->left = lanes;
    w->batch->b.slot = (uint16_t)slot;
    w->failed = w->hazards = w->validated = 0;
}

void kilo_commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct kilo_core *k = core;
    uint64_t some = with_entries(k, slot, lanes);
    if (some) {
        begin(k, slot, some);
        kilo_allocate_entries(k, slot, now);
    }
    for (uint64_t m = lanes & ~some; m; m &= m - 1)
        tm_decide(k->tm, slot, (unsigned)__builtin_ctzll(m), true, 0, TM_VALIDATION, now);
}

/*
 * The watchdog compares each word when its message arrives. This is sufficient to abort, but does not show that all
 * words were current at the same time: other transactions may commit between two comparisons. A held fault needs this
 * proof. So the read set of its lane is validated by the commit units like that of a read-only transaction.
 */
void kilo_validate(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct kilo_core *k = core;
    uint64_t some = 0;
    for (uint64_t m = lanes; m; m &= m - 1)
        some |= tm_lane(k->tm, slot, (unsigned)__builtin_ctzll(m))->reads.n ? m & -m : 0;
    if (some && tm_fault_held(k->tm, slot)) {
        begin(k, slot, some);
        k->warp[slot].fault_validation = true;
        kilo_allocate_entries(k, slot, now);
    } else if (k->cfg.watchdog_ideal && some) {
        k->warp[slot].to_compare = some;
    } else if (some) {
        begin(k, slot, some);
        kilo_transfer_validation(k, slot, some);
    }
    if (lanes & ~some)
        tm_validated(k->tm, slot, lanes & ~some, 0, now);
}

/* The lane has its outcome. With the last lane the batch is freed, before the warp continues. */
static void decide(struct kilo_core *k, uint32_t slot, unsigned lane, bool commits, uint64_t now)
{
    struct kilo_warp *w = &k->warp[slot];
    uint64_t cid = kilo_cid(&w->batch->b, lane);
    w->overflows[lane] = 0;
    w->batch->left &= ~(UINT64_C(1) << lane);
    if (!w->batch->left && !w->batch->retiring)
        w->batch->busy = false;
    if (w->fault_validation) {
        uint64_t bit = UINT64_C(1) << lane;
        w->fault_validation = false;
        tm_unused_key(k->tm, cid, now);
        tm_validated(k->tm, slot, commits ? bit : 0, commits ? 0 : bit, now);
        return;
    }
    tm_decide(k->tm, slot, lane, commits, cid, w->hazards >> lane & 1 ? TM_HAZARD : TM_VALIDATION, now);
}

/* All units have replied: sends the final outcome to those that passed. A unit that failed the lane has retired its
 * entry. The lane is decided unless it must wait for writes. */
static void send_outcome(struct kilo_core *k, uint32_t slot, unsigned lane, uint64_t now)
{
    struct kilo_warp *w = &k->warp[slot];
    bool fails = w->failed >> lane & 1;
    for (uint64_t m = w->sent[lane] & ~w->failing[lane]; m; m &= m - 1)
        kilo_message(k, fails ? KILO_FAIL : KILO_PASS, (uint32_t)__builtin_ctzll(m), UINT64_C(1) << lane, false,
                     &w->batch->b);
    w->replies[lane] = fails ? 0 : w->wrote[lane];
    if (!w->replies[lane])
        decide(k, slot, lane, !fails, now);
}

/* The same for the lanes of a warp together, when all units have replied to all of them. */
static void send_outcomes(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    struct kilo_warp *w = &k->warp[slot];
    uint64_t lanes = w->batch->b.lanes;
    for (uint32_t s = 0; s < k->slices; s++) {
        uint64_t passed_here = 0;
        for (uint64_t m = lanes; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            passed_here |= (w->sent[lane] & ~w->failing[lane]) >> s & 1 ? m & -m : 0;
        }
        if (passed_here & ~w->failed)
            kilo_message(k, KILO_PASS, s, passed_here & ~w->failed, false, &w->batch->b);
        if (passed_here & w->failed)
            kilo_message(k, KILO_FAIL, s, passed_here & w->failed, false, &w->batch->b);
    }
    uint64_t failed = w->failed;
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        w->replies[lane] = failed & m & -m ? 0 : w->wrote[lane];
    }
    for (uint64_t m = lanes; m; m &= m - 1)
        if (failed & m & -m || !w->wrote[__builtin_ctzll(m)])
            decide(k, slot, (unsigned)__builtin_ctzll(m), !(failed & m & -m), now);
}

static void lane_validated(struct kilo_core *k, uint32_t slot, unsigned lane, uint64_t now)
{
    struct kilo_warp *w = &k->warp[slot];
    w->validated |= UINT64_C(1) << lane;
    if (!k->gpu->group_outcomes)
        send_outcome(k, slot, lane, now);
    else if (w->validated == w->batch->b.lanes)
        send_outcomes(k, slot, now);
}

static void validated(struct kilo_core *k, uint32_t slot, unsigned lane, uint64_t now)
{
    struct kilo_warp *w = &k->warp[slot];
    struct kilo_core_batch *b = w->batch;
    b->left &= ~(UINT64_C(1) << lane);
    if (b->left)
        return;
    b->busy = false;
    tm_validated(k->tm, slot, b->b.lanes & ~w->failed, b->b.lanes & w->failed, now);
}

static void lane_reply(struct kilo_core *k, enum kilo_kind kind, uint32_t slot, unsigned lane, uint64_t slice,
                       uint64_t now)
{
    struct kilo_warp *w = &k->warp[slot];
    w->replies[lane] &= ~slice;
    if (kind == KILO_CU_HAZARD)
        w->hazards |= UINT64_C(1) << lane;
    if (kind == KILO_CU_FAIL || kind == KILO_CU_HAZARD || kind == KILO_STALE) {
        w->failed |= UINT64_C(1) << lane;
        w->failing[lane] |= slice;
    }
    if (w->replies[lane])
        return;
    if (kind == KILO_VALID || kind == KILO_STALE)
        validated(k, slot, lane, now);
    else if (kind == KILO_CU_DONE_COMMIT)
        decide(k, slot, lane, true, now);
    else
        lane_validated(k, slot, lane, now);
}

static void impossible(struct kilo_core *k, uint32_t slot, unsigned lane)
{
    tm_impossible(k->tm, slot, lane, NULL, "a transaction's read or write set at one L2 slice is larger than a commit "
                  "unit's buffer (kilotm.read_buffer, kilotm.write_buffer); --set kilotm.resend=true sends it again");
}

static void take(struct kilo_core *k, const struct packet *p, unsigned lane, uint64_t now)
{
    uint32_t slot = p->token;
    switch ((enum kilo_kind)p->kind) {
    case KILO_RESEND_READ:
    case KILO_RESEND_WRITE: kilo_transfer_again(k, slot, lane, p->slice, p->kind == KILO_RESEND_WRITE); break;
    case KILO_CU_IMPOSSIBLE: impossible(k, slot, lane); break;
    default: lane_reply(k, (enum kilo_kind)p->kind, slot, lane, UINT64_C(1) << p->slice, now); break;
    }
}

void kilo_reply(void *core, struct packet *p, uint64_t now)
{
    struct kilo_core *k = core;
    kilo_count(k, p);
    if (p->kind == KILO_RETIRED)
        kilo_retired(k, p->payload, now);
    else if (p->kind == KILO_ALLOC_PASS || p->kind == KILO_ALLOC_FAIL)
        kilo_alloc_reply(k, p->token, p->slice, p->kind == KILO_ALLOC_PASS, now);
    else
        for (uint64_t m = p->mask[0]; m; m &= m - 1)
            take(k, p, (unsigned)__builtin_ctzll(m), now);
    packet_return(p);
    tm_run_at(k->tm, now);
}
