/*
 * Replies for the lanes of a warp together (WarpTM): one message has the outcomes of all lanes that pass, one of those
 * that fail, when the last of them is known here; one tells that all writes of the warp are in memory. Until then the
 * entries stay in the ring.
 */
#include "tm/kilo/unit/cu_state.h"

typedef bool entry_test(const struct cu_entry *e);

/* Lanes of the batch with log entries here, whose ring entries satisfy the test. */
static uint64_t lanes_that(const struct commit_unit *u, const struct kilo_batch *b, entry_test *test)
{
    uint64_t lanes = 0, cid = b->first_cid;
    for (uint64_t m = b->lanes; m; m &= m - 1, cid++) {
        const struct cu_entry *e = cu_entry(u, cid);
        if (cid >= u->retire && cid < u->head && e->state != CU_STATE_UNUSED && e->accessed && test(e))
            lanes |= m & -m;
    }
    return lanes;
}

static bool undecided(const struct cu_entry *e)
{
    return e->state < CU_STATE_PASS_ACK_WAIT && !e->held;
}

static bool passes(const struct cu_entry *e)
{
    return e->state == CU_STATE_PASS;
}

static bool fails(const struct cu_entry *e)
{
    return e->state == CU_STATE_FAIL && !e->by_hazard;
}

static bool has_hazard(const struct cu_entry *e)
{
    return e->state == CU_STATE_FAIL && e->by_hazard;
}

static bool unwritten(const struct cu_entry *e)
{
    return e->set[CU_WRITES].n && e->state >= CU_STATE_PASS_ACK_WAIT && e->state <= CU_STATE_COMMIT_SENT && !e->held;
}

static bool written(const struct cu_entry *e)
{
    return e->state == CU_STATE_COMMIT_SENT && e->held;
}

/* One message for the lanes, whose entries get this state. */
static void reply(struct commit_unit *u, const struct kilo_batch *b, enum kilo_kind kind, uint64_t lanes,
                  enum cu_entry_state state)
{
    for (uint64_t m = lanes; m; m &= m - 1) {
        struct cu_entry *e = cu_entry(u, kilo_cid(b, (unsigned)__builtin_ctzll(m)));
        e->state = (uint8_t)state;
        e->held = false;
    }
    if (lanes)
        cu_reply(u, kind, b, lanes);
}

void cu_group_outcome(struct commit_unit *u, struct cu_entry *e)
{
    const struct kilo_batch *b = e->batch;
    e->held = true;
    if (lanes_that(u, b, undecided))
        return;
    uint64_t pass = lanes_that(u, b, passes), fail = lanes_that(u, b, fails), hazard = lanes_that(u, b, has_hazard);
    reply(u, b, KILO_CU_PASS, pass, CU_STATE_PASS_ACK_WAIT);
    reply(u, b, KILO_CU_FAIL, fail, CU_STATE_RETIRED);
    reply(u, b, KILO_CU_HAZARD, hazard, CU_STATE_RETIRED);
}

void cu_group_written(struct commit_unit *u, struct cu_entry *e)
{
    const struct kilo_batch *b = e->batch;
    if (!lanes_that(u, b, unwritten))
        reply(u, b, KILO_CU_DONE_COMMIT, lanes_that(u, b, written), CU_STATE_RETIRED);
}
