/*
 * Commit (KILO TM, section 4.5), in the order of commit IDs: the writes of a transaction that passed in all units are
 * issued to memory; with merging, those of a warp when its last entry is reached. When the last of them has been
 * performed, the unit sends CU_DONE_COMMIT. A read-only entry retires without a message.
 */
#include "tm/kilo/unit/cu_state.h"

void cu_commit_word(struct commit_unit *u, struct cu_entry *e, uint64_t cid, struct kilo_entry word)
{
    e->writing++;
    if (cu_merges(u))
        cu_merge_write(u, cid, word);
    else
        cu_queue_write(u, cid, word);
}

void cu_written(struct commit_unit *u, struct cu_entry *e)
{
    if (e->state != CU_STATE_COMMIT_SENT)
        return;
    if (e->writing)
        return;
    cu_unneeded(u, e, CU_WRITES);
    if (u->cfg.warps.group_replies) {
        e->held = true;
        cu_group_written(u, e);
        return;
    }
    e->state = CU_STATE_RETIRED;
    cu_reply_lane(u, KILO_CU_DONE_COMMIT, e);
}

static void send_writes(struct commit_unit *u, struct cu_entry *e, uint64_t cid)
{
    const struct cu_word_set *s = &e->set[CU_WRITES];
    uint32_t chunk = s->first;
    for (uint32_t i = 0; i < s->n; i++) {
        if (i && i % CU_CHUNK_ENTRIES == 0)
            chunk = u->chunk[chunk].next;
        cu_commit_word(u, e, cid, u->chunk[chunk].entry[i % CU_CHUNK_ENTRIES]);
    }
    e->state = CU_STATE_COMMIT_SENT;
    cu_written(u, e);
}

/* True: the commit pointer advances. */
static bool begin_commit(struct commit_unit *u, struct cu_entry *e, uint64_t cid)
{
    if (!e->set[CU_WRITES].n) {
        e->state = CU_STATE_RETIRED;
        return true;
    }
    if (!e->set[CU_WRITES].overflow) {
        send_writes(u, e, cid);
        return true;
    }
    if (e->resend)
        return false;
    e->resend = CU_RESEND_COMMIT;
    cu_reply_lane(u, KILO_RESEND_WRITE, e);
    return false;
}

bool cu_step_commit(struct commit_unit *u)
{
    struct cu_entry *e = cu_entry(u, u->commit);
    if (u->commit == u->pass)
        return false;
    bool passed = e->state == CU_STATE_COMMIT_READY ? begin_commit(u, e, u->commit) : e->state >= CU_STATE_COMMIT_SENT;
    if (passed && u->write_group.n && u->commit == cu_last_cid(e->batch))
        cu_queue_merged(u);
    u->commit += passed;
    if (!passed)
        u->stall |= CU_STALL_COMMIT;
    return passed;
}
