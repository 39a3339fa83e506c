/*
 * The ring of entries: the index of a commit ID is its remainder. An unlimited ring doubles when a commit ID does not
 * fit. With a limit, the allocation of commit IDs keeps them within the ring (credits, or CU_ALLOC).
 */
#include "base/alloc.h"
#include "tm/kilo/unit/cu_state.h"

static void grow(struct commit_unit *u)
{
    struct commit_unit old = *u;
    u->ring_size *= 2;
    u->ring = mem_zero(u->ring_size, sizeof *u->ring, "the ring of a commit unit");
    if (u->cfg.hazards == CU_HAZARDS_BF_ARRAY)
        bf_double(&u->bf);
    for (uint64_t cid = u->retire; cid < u->head; cid++) {
        *cu_entry(u, cid) = *cu_entry(&old, cid);
        if (u->cfg.hazards == CU_HAZARDS_BF_ARRAY)
            bf_clear(&u->bf, (uint32_t)((cid ^ old.ring_size) & (u->ring_size - 1)));
    }
    free(old.ring);
}

static void init_entry(struct commit_unit *u, struct cu_entry *e, const struct kilo_batch *b, unsigned lane)
{
    struct cu_word_set none = { .first = CU_NO_CHUNK, .last = CU_NO_CHUNK };
    *e = (struct cu_entry){ .batch = b, .lane = (uint8_t)lane, .state = CU_STATE_FILL, .rcid = u->retire,
                            .set = { none, none } };
    u->n_all++;
    cu_add(u, STAT_CU_ENTRIES, 1);
    cu_buffers_at_first(u, e);
}

struct cu_entry *cu_open(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, uint64_t *cid)
{
    *cid = kilo_cid(b, lane);
    if (*cid < u->retire)
        cu_protocol_error(u, *cid, "a message for an entry that has retired");
    if (u->cfg.ring && *cid - u->retire >= u->cfg.ring)
        cu_protocol_error(u, *cid, "a message for an entry beyond the ring");
    while (*cid - u->retire >= u->ring_size)
        grow(u);
    u->head = *cid >= u->head ? *cid + 1 : u->head;
    struct cu_entry *e = cu_entry(u, *cid);
    if (e->state == CU_STATE_UNUSED)
        init_entry(u, e, b, lane);
    return e;
}

bool cu_step_retire(struct commit_unit *u)
{
    struct cu_entry *e = cu_entry(u, u->retire);
    if (u->retire == u->commit)
        return false;
    if (e->state != CU_STATE_RETIRED) {
        u->stall |= CU_STALL_RETIRE;
        return false;
    }
    cu_buffers_end(u, e);
    if (u->cfg.hazards == CU_HAZARDS_BF_ARRAY && e->accessed)
        bf_clear(&u->bf, (uint32_t)(u->retire & (u->ring_size - 1)));
    u->n_all--;
    if (u->cfg.ring && u->calls.retired)
        u->calls.retired(u->calls.ctx, e->batch, e->lane);
    e->state = CU_STATE_UNUSED;
    u->retire++;
    return true;
}
