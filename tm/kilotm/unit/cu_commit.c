/*
 * The commit stage (KILO TM, section 4.5): in the order of commit IDs, the writes of a transaction that passed
 * everywhere go to memory; when the last of them is there, the core is told. A read-only entry ends without a message.
 */
#include "tm/kilotm/unit/cu_state.h"

void cu_commit_word(struct commit_unit *u, struct entry *e, uint64_t cid, struct kilo_entry word)
{
    e->writing++;
    cu_queue_write(u, cid, word);
}

void cu_written(struct commit_unit *u, struct entry *e)
{
    if (e->state != COMMIT_SENT)
        return;
    if (e->writing)
        return;
    cu_unneeded(u, e, WRITES);
    e->state = RETIRED;
    cu_reply_lane(u, KILO_CU_DONE_COMMIT, e);
}

static void send_writes(struct commit_unit *u, struct entry *e, uint64_t cid)
{
    const struct word_set *s = &e->set[WRITES];
    uint32_t chunk = s->first;
    for (uint32_t i = 0; i < s->n; i++) {
        if (i && i % CHUNK_ENTRIES == 0)
            chunk = u->chunk[chunk].next;
        cu_commit_word(u, e, cid, u->chunk[chunk].entry[i % CHUNK_ENTRIES]);
    }
    e->state = COMMIT_SENT;
    cu_written(u, e);
}

/* True: the commit pointer moves on. */
static bool begin_commit(struct commit_unit *u, struct entry *e, uint64_t cid)
{
    if (!e->set[WRITES].n) {
        e->state = RETIRED;
        return true;
    }
    if (!e->set[WRITES].overflow) {
        send_writes(u, e, cid);
        return true;
    }
    if (e->resend)
        return false;
    e->resend = RESEND_COMMIT;
    cu_reply_lane(u, KILO_RESEND_WRITE, e);
    return false;
}

bool cu_step_commit(struct commit_unit *u)
{
    struct entry *e = cu_entry(u, u->commit);
    if (u->commit == u->pass)
        return false;
    bool passed = e->state == COMMIT_READY ? begin_commit(u, e, u->commit) : e->state >= COMMIT_SENT;
    u->commit += passed;
    if (!passed)
        u->stall |= STALL_COMMIT;
    return passed;
}
