/*
 * Validation wait and the local outcome (KILO TM, section 4.5). Outcomes are sent in the order of commit IDs. An entry
 * with a hazard is validated again when its youngest writer has retired; the pass pointer advances, and the outcome is
 * sent when the reads have completed. A stale value in any validation makes the transaction fail.
 */
#include "tm/kilo/unit/cu_state.h"

void cu_reply(struct commit_unit *u, enum kilo_kind kind, const struct kilo_batch *b, uint64_t lanes)
{
    struct cu_reply *r = fifo_push(&u->replies);
    *r = (struct cu_reply){ b, lanes, kind };
}

void cu_reply_lane(struct commit_unit *u, enum kilo_kind kind, const struct cu_entry *e)
{
    cu_reply(u, kind, e->batch, UINT64_C(1) << e->lane);
}

bool cu_step_reply(struct commit_unit *u, uint64_t now)
{
    if (!u->replies.n)
        return false;
    const struct cu_reply *r = fifo_front(&u->replies);
    if (u->calls.reply(u->calls.ctx, r->kind, r->batch, r->lanes, now))
        fifo_pop(&u->replies);
    return true;
}

/* Sends the local outcome to the core. */
static void send_outcome(struct commit_unit *u, struct cu_entry *e)
{
    cu_unneeded(u, e, CU_READS);
    if (u->cfg.warps.group_replies) {
        cu_group_outcome(u, e);
        return;
    }
    if (e->state == CU_STATE_PASS) {
        e->state = CU_STATE_PASS_ACK_WAIT;
        cu_reply_lane(u, KILO_CU_PASS, e);
    } else {
        e->state = CU_STATE_RETIRED;
        cu_reply_lane(u, e->by_hazard ? KILO_CU_HAZARD : KILO_CU_FAIL, e);
    }
}

static void decide(struct commit_unit *u, struct cu_entry *e, uint64_t cid)
{
    e->state = e->stale ? CU_STATE_FAIL : CU_STATE_PASS;
    if (e->stale) {
        cu_unneeded(u, e, CU_READS);
        cu_unneeded(u, e, CU_WRITES);
    }
    if (cid < u->pass)
        send_outcome(u, e);
}

void cu_validated(struct commit_unit *u, struct cu_entry *e, uint64_t cid)
{
    bool again = e->revalidate && !e->stale;
    if (e->reading || e->resend == CU_RESEND_REVALIDATION)
        return;
    if ((e->state == CU_STATE_VALIDATION_WAIT && !again) || e->state == CU_STATE_REVALIDATION_WAIT)
        decide(u, e, cid);
}

/* May the entry be validated again now? */
static bool due(const struct commit_unit *u, const struct cu_entry *e)
{
    return e->state == CU_STATE_VALIDATION_WAIT && e->revalidate && !e->stale && u->retire > e->ycid;
}

static void repeat_reads(struct commit_unit *u, struct cu_entry *e, uint64_t cid)
{
    const struct cu_word_set *s = &e->set[CU_READS];
    uint32_t chunk = s->first;
    if (s->overflow) {
        e->resend = CU_RESEND_REVALIDATION;
        cu_reply_lane(u, KILO_RESEND_READ, e);
        return;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        if (i && i % CU_CHUNK_ENTRIES == 0)
            chunk = u->chunk[chunk].next;
        cu_queue_read(u, CU_ACCESS_READ, cid, u->chunk[chunk].entry[i % CU_CHUNK_ENTRIES]);
    }
}

static void revalidate(struct commit_unit *u, struct cu_entry *e, uint64_t cid, uint64_t now)
{
    cu_add(u, STAT_CU_REVALIDATIONS, 1);
    cu_add(u, STAT_CU_REVALIDATION_WAIT, now - e->since);
    hist_add(u->hists, HIST_CU_REVALIDATION_DISTANCE, cid - e->ycid);
    e->state = CU_STATE_REVALIDATION_WAIT;
    repeat_reads(u, e, cid);
    cu_validated(u, e, cid);
}

/* An entry waits at the pass pointer. True: the pointer advances. */
static bool pass_waiting_entry(struct commit_unit *u, struct cu_entry *e, uint64_t cid, uint64_t now)
{
    if (due(u, e)) {
        u->pass++;
        revalidate(u, e, cid, now);
        return true;
    }
    if (!u->cfg.pass_waiting) {
        u->stall |= CU_STALL_PASS;
        return false;
    }
    *(uint64_t *)fifo_push(&u->waiting) = cid;
    u->pass++;
    return true;
}

bool cu_step_pass(struct commit_unit *u, uint64_t now)
{
    uint64_t cid = u->pass;
    struct cu_entry *e = cu_entry(u, cid);
    if (cid == u->hazard)
        return false;
    if (e->state == CU_STATE_VALIDATION_WAIT)
        return pass_waiting_entry(u, e, cid, now);
    u->pass++;
    if (e->state == CU_STATE_PASS || e->state == CU_STATE_FAIL)
        send_outcome(u, e);
    return true;
}

/* Starts the revalidation of the first entry before the pass pointer that may proceed. */
bool cu_step_waiting(struct commit_unit *u, uint64_t now)
{
    if (!u->waiting.n || u->waiting_seen == u->retire)
        return false;
    for (uint32_t i = u->waiting.n; i; i--) {
        uint64_t cid = *(uint64_t *)fifo_front(&u->waiting);
        struct cu_entry *e = cu_entry(u, cid);
        fifo_pop(&u->waiting);
        if (cid < u->retire || e->state != CU_STATE_VALIDATION_WAIT)
            continue;
        if (due(u, e)) {
            revalidate(u, e, cid, now);
            return true;
        }
        *(uint64_t *)fifo_push(&u->waiting) = cid;
    }
    u->waiting_seen = u->retire;
    return false;
}
