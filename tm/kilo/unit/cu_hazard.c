/*
 * Hazard detection (KILO TM, section 4.5.2), in the order of commit IDs, a word in each cycle. For each read of an
 * entry the unit looks up the youngest older writer. If it had not retired when the entry's first message arrived, it
 * may have written after the first validation: a hazard. Then each write makes the entry the last writer of its word.
 * The bloom filter array instead compares a log entry at its arrival, with all entries of the ring at once.
 */
#include "tm/kilo/unit/cu_state.h"

static void set_hazard(struct commit_unit *u, struct cu_entry *e, uint64_t cid, uint64_t writer, uint64_t now)
{
    if (!e->revalidate)
        e->since = now;
    if (writer > e->ycid)
        e->ycid = writer;
    e->revalidate = true;
    if (u->cfg.fail_at_hazard)
        e->stale = e->by_hazard = true;
    if (e->state == CU_STATE_PASS)
        e->state = CU_STATE_VALIDATION_WAIT;
    cu_validated(u, e, cid);
}

static uint64_t youngest_writer(struct commit_unit *u, const struct cu_entry *e, uint32_t address, uint64_t exact)
{
    bool in_table;
    if (u->cfg.hazards != CU_HAZARDS_LWH)
        return exact;
    uint64_t writer = lwh_lookup(&u->lwh, address >> u->line_shift, &in_table);
    cu_add(u, STAT_CU_LWH_LOOKUPS, 1);
    cu_add(u, STAT_CU_LWH_TABLE, in_table);
    cu_add(u, STAT_CU_LWH_FILTER, !in_table && writer >= e->rcid);
    cu_add(u, STAT_CU_LWH_FALSE, writer >= e->rcid && writer > exact);
    u->missed += writer < exact;
    return writer;
}

static void check_read(struct commit_unit *u, struct cu_entry *e, uint64_t cid, uint32_t address, uint64_t now)
{
    uint64_t exact = exact_lookup(&u->exact, address);
    if (u->cfg.hazards == CU_HAZARDS_BF_ARRAY) {
        /* A writer may have retired between the entry's first message and this read's. */
        e->true_hazard |= exact >= e->rcid;
        u->missed += exact >= u->retire && exact > e->ycid && e->state != CU_STATE_FAIL;
        return;
    }
    uint64_t writer = youngest_writer(u, e, address, exact);
    e->true_hazard |= exact >= e->rcid;
    if (writer >= e->rcid)
        set_hazard(u, e, cid, writer, now);
}

/* The oldest writer that can cause a hazard for an entry which has not been checked. */
static uint64_t oldest_rcid(const struct commit_unit *u)
{
    uint64_t oldest = u->retire;
    for (uint64_t cid = u->hazard; cid < u->head; cid++) {
        const struct cu_entry *e = cu_entry(u, cid);
        if (e->state != CU_STATE_UNUSED && e->rcid < oldest)
            oldest = e->rcid;
    }
    return oldest;
}

static void insert_write(struct commit_unit *u, const struct cu_entry *e, uint64_t cid, uint32_t address)
{
    if (exact_full(&u->exact))
        exact_rebuild(&u->exact, oldest_rcid(u));
    exact_insert(&u->exact, address, cid);
    if (u->cfg.hazards != CU_HAZARDS_LWH)
        return;
    cu_add(u, STAT_CU_LWH_INSERTS, 1);
    cu_add(u, STAT_CU_LWH_EVICTIONS, lwh_insert(&u->lwh, address >> u->line_shift, cid));
}

void cu_hazard_word(struct commit_unit *u, struct cu_entry *e, uint64_t cid, enum cu_set_kind k, struct kilo_entry word,
                    uint64_t now)
{
    uint32_t address = word.address & ~UINT32_C(3);
    if (k == CU_READS)
        check_read(u, e, cid, address, now);
    else
        insert_write(u, e, cid, address);
}

void cu_hazard_set_done(struct commit_unit *u, struct cu_entry *e, enum cu_set_kind k)
{
    if (k == CU_READS && e->revalidate) {
        cu_add(u, STAT_CU_HAZARDS, 1);
        cu_add(u, STAT_CU_FALSE_HAZARDS, !e->true_hazard);
    }
    u->at.set = k + 1;
    u->at.i = 0;
}

/* True: no words remain. */
static bool skip_empty(struct commit_unit *u, struct cu_entry *e)
{
    while (u->at.set <= CU_WRITES && !e->set[u->at.set].n)
        cu_hazard_set_done(u, e, u->at.set);
    return u->at.set > CU_WRITES;
}

static void request_resend(struct commit_unit *u, struct cu_entry *e)
{
    e->resend = u->at.set == CU_READS ? CU_RESEND_HAZARD_READS : CU_RESEND_HAZARD_WRITES;
    cu_reply_lane(u, u->at.set == CU_READS ? KILO_RESEND_READ : KILO_RESEND_WRITE, e);
}

/* The next word of the entry. True: it was the last. */
static bool one_word(struct commit_unit *u, struct cu_entry *e, uint64_t now)
{
    const struct cu_word_set *s = &e->set[u->at.set];
    uint32_t i = u->at.i++;
    if (i % CU_CHUNK_ENTRIES == 0)
        u->at.chunk = i ? u->chunk[u->at.chunk].next : s->first;
    cu_hazard_word(u, e, u->hazard, u->at.set, u->chunk[u->at.chunk].entry[i % CU_CHUNK_ENTRIES], now);
    if (u->at.i == s->n)
        cu_hazard_set_done(u, e, u->at.set);
    return skip_empty(u, e);
}

/* Processes all words of an entry at once: the signatures were compared at arrival, this updates the exact history. */
static bool update_exact(struct commit_unit *u, struct cu_entry *e, uint64_t now)
{
    while (!skip_empty(u, e) && e->state != CU_STATE_FAIL)
        if (e->set[u->at.set].overflow)
            cu_hazard_set_done(u, e, u->at.set);
        else
            one_word(u, e, now);
    return true;
}

/* The work of a cycle on an entry. True: the entry is complete. */
static bool detect(struct commit_unit *u, struct cu_entry *e, uint64_t now)
{
    if (u->cfg.hazards == CU_HAZARDS_BF_ARRAY)
        return update_exact(u, e, now);
    if (skip_empty(u, e))
        return true;
    if (!e->set[u->at.set].overflow)
        return one_word(u, e, now);
    if (!u->cfg.resend)
        return true;
    request_resend(u, e);
    return false;
}

static void next_entry(struct commit_unit *u, struct cu_entry *e)
{
    if (u->at.set == CU_READS)
        cu_hazard_set_done(u, e, CU_READS);
    u->at.set = cu_first_set(u);
    u->at.i = 0;
    u->hazard++;
}

static bool incomplete(const struct cu_entry *e)
{
    return e->state == CU_STATE_UNUSED || e->state == CU_STATE_FILL;
}

static bool undecided(const struct cu_entry *e)
{
    return e->state == CU_STATE_VALIDATION_WAIT || e->state == CU_STATE_PASS;
}

/* ---- by warp ---- */

/* The next word of the reads of an entry. False: there is none. */
static bool one_read(struct commit_unit *u, struct cu_entry *e, uint64_t cid, uint64_t now)
{
    const struct cu_word_set *s = &e->set[CU_READS];
    uint32_t i = u->at.i;
    if (!undecided(e) || i == s->n)
        return false;
    if (i % CU_CHUNK_ENTRIES == 0)
        u->at.chunk = i ? u->chunk[u->at.chunk].next : s->first;
    u->at.i++;
    cu_hazard_word(u, e, cid, CU_READS, u->chunk[u->at.chunk].entry[i % CU_CHUNK_ENTRIES], now);
    return true;
}

/*
 * Checks a word of the reads of the warp at the hazard pointer, all of which precede the warp's first write: its lanes
 * do not conflict, so no entry can have a hazard with another of its warp, not even a false one. False: nothing to do,
 * or the log of an entry is not complete.
 */
static bool check_warp(struct commit_unit *u, uint64_t last, uint64_t now)
{
    while (u->checked <= last) {
        struct cu_entry *e = cu_entry(u, u->checked);
        if (u->checked >= u->head || incomplete(e)) {
            u->stall |= CU_STALL_FILL;
            return false;
        }
        if (one_read(u, e, u->checked, now))
            return true;
        cu_hazard_set_done(u, e, CU_READS);
        u->checked++;
    }
    return false;
}

bool cu_step_hazard(struct commit_unit *u, uint64_t now)
{
    struct cu_entry *e = cu_entry(u, u->hazard);
    if (u->hazard == u->head)
        return false;
    if (incomplete(e)) {
        u->stall |= CU_STALL_FILL;
        return false;
    }
    if (e->resend)
        return false;
    if (cu_first_set(u) == CU_WRITES && u->checked <= cu_last_cid(e->batch)) {
        bool acted = check_warp(u, cu_last_cid(e->batch), now);
        if (u->checked <= cu_last_cid(e->batch))
            return acted;
    }
    if (!undecided(e) || detect(u, e, now))
        next_entry(u, e);
    return true;
}

/* ---- bloom filter array ---- */

static uint64_t cid_of_slot(const struct commit_unit *u, uint64_t slot)
{
    return u->retire + ((slot - u->retire) & (u->ring_size - 1));
}

/* A write is a hazard for younger readers; a read has a hazard with older writers. */
static void for_matches(struct commit_unit *u, enum bf_kind k, uint64_t cid, uint32_t line, uint64_t now)
{
    for (uint32_t w = 0; w < u->bf.words; w++)
        for (uint64_t m = bf_match(&u->bf, k, w, line); m; m &= m - 1) {
            uint64_t other = cid_of_slot(u, 64 * w + (unsigned)__builtin_ctzll(m));
            if (cu_by_warp(u) && cu_entry(u, other)->batch == cu_entry(u, cid)->batch)
                continue;
            if (k == BF_WRITES && other < cid)
                set_hazard(u, cu_entry(u, cid), cid, other, now);
            else if (k == BF_READS && other > cid && cu_entry(u, other)->state != CU_STATE_FAIL)
                set_hazard(u, cu_entry(u, other), other, cid, now);
        }
}

void cu_bf_arrival(struct commit_unit *u, uint64_t cid, enum cu_set_kind k, uint32_t address, uint64_t now)
{
    uint32_t line = (address & ~UINT32_C(3)) >> u->line_shift, slot = (uint32_t)(cid & (u->ring_size - 1));
    bf_insert(&u->bf, k == CU_READS ? BF_READS : BF_WRITES, slot, line);
    for_matches(u, k == CU_READS ? BF_WRITES : BF_READS, cid, line, now);
}
