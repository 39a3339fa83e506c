/*
 * Validation wait and the local outcome (KILO TM, section 4.5): outcomes are told in the order of commit IDs. An entry
 * with a hazard reads again when its youngest writer has retired; the pointer goes on, and the outcome is told when the
 * reads are back. A value that differed once makes the transaction fail, whatever is read later.
 */
#include "tm/kilotm/unit/cu_state.h"

void cu_reply(struct commit_unit *u, enum kilo_kind kind, const struct kilo_batch *b, uint64_t lanes)
{
    struct cu_reply *r = fifo_push(&u->replies);
    *r = (struct cu_reply){ b, lanes, kind };
}

void cu_reply_lane(struct commit_unit *u, enum kilo_kind kind, const struct entry *e)
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

/* The local outcome goes to the core. */
static void answer(struct commit_unit *u, struct entry *e)
{
    cu_unneeded(u, e, READS);
    if (e->state == PASS) {
        e->state = PASS_ACK_WAIT;
        cu_reply_lane(u, KILO_CU_PASS, e);
    } else {
        e->state = RETIRED;
        cu_reply_lane(u, e->by_hazard ? KILO_CU_HAZARD : KILO_CU_FAIL, e);
    }
}

static void decide(struct commit_unit *u, struct entry *e, uint64_t cid)
{
    e->state = e->stale ? FAIL : PASS;
    if (e->stale) {
        cu_unneeded(u, e, READS);
        cu_unneeded(u, e, WRITES);
    }
    if (cid < u->pass)
        answer(u, e);
}

void cu_validated(struct commit_unit *u, struct entry *e, uint64_t cid)
{
    bool again = e->revalidate && !e->stale;
    if (e->reading || e->resend == RESEND_REVALIDATION)
        return;
    if ((e->state == VALIDATION_WAIT && !again) || e->state == REVALIDATION_WAIT)
        decide(u, e, cid);
}

/* May the entry be validated again now? */
static bool due(const struct commit_unit *u, const struct entry *e)
{
    return e->state == VALIDATION_WAIT && e->revalidate && !e->stale && u->retire > e->ycid;
}

static void read_again(struct commit_unit *u, struct entry *e, uint64_t cid)
{
    const struct word_set *s = &e->set[READS];
    uint32_t chunk = s->first;
    if (s->overflow) {
        e->resend = RESEND_REVALIDATION;
        cu_reply_lane(u, KILO_RESEND_READ, e);
        return;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        if (i && i % CHUNK_ENTRIES == 0)
            chunk = u->chunk[chunk].next;
        cu_queue_read(u, ACCESS_READ, cid, u->chunk[chunk].entry[i % CHUNK_ENTRIES]);
    }
}

static void revalidate(struct commit_unit *u, struct entry *e, uint64_t cid, uint64_t now)
{
    cu_add(u, STAT_CU_REVALIDATIONS, 1);
    cu_add(u, STAT_CU_REVALIDATION_WAIT, now - e->since);
    hist_add(u->hists, HIST_CU_REVALIDATION_DISTANCE, cid - e->ycid);
    e->state = REVALIDATION_WAIT;
    read_again(u, e, cid);
    cu_validated(u, e, cid);
}

/* An entry waits at the pass pointer. True: the pointer moves past it. */
static bool pass_waiting_entry(struct commit_unit *u, struct entry *e, uint64_t cid, uint64_t now)
{
    if (due(u, e)) {
        u->pass++;
        revalidate(u, e, cid, now);
        return true;
    }
    if (!u->cfg.pass_waiting) {
        u->stall |= STALL_PASS;
        return false;
    }
    *(uint64_t *)fifo_push(&u->waiting) = cid;
    u->pass++;
    return true;
}

bool cu_step_pass(struct commit_unit *u, uint64_t now)
{
    uint64_t cid = u->pass;
    struct entry *e = cu_entry(u, cid);
    if (cid == u->hazard)
        return false;
    if (e->state == VALIDATION_WAIT)
        return pass_waiting_entry(u, e, cid, now);
    u->pass++;
    if (e->state == PASS || e->state == FAIL)
        answer(u, e);
    return true;
}

/* Of the entries that the pointer has passed while they waited: the first that may go on. */
bool cu_step_waiting(struct commit_unit *u, uint64_t now)
{
    if (!u->waiting.n || u->waiting_seen == u->retire)
        return false;
    for (uint32_t i = u->waiting.n; i; i--) {
        uint64_t cid = *(uint64_t *)fifo_front(&u->waiting);
        struct entry *e = cu_entry(u, cid);
        fifo_pop(&u->waiting);
        if (cid < u->retire || e->state != VALIDATION_WAIT)
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
