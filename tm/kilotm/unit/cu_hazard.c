/*
 * Hazard detection (KILO TM, section 4.5.2), in the order of commit IDs: each read of an entry, a cycle each, asks for
 * the youngest older writer; one that had not retired when the entry's first message came may have written after the
 * first validation. Then each write, a cycle each, makes the entry the last writer. The bloom filter array compares at
 * the arrival of a log entry instead, with all entries of the ring at once.
 */
#include "tm/kilotm/unit/cu_state.h"

static void set_hazard(struct commit_unit *u, struct entry *e, uint64_t cid, uint64_t writer, uint64_t now)
{
    if (!e->revalidate)
        e->since = now;
    if (writer > e->ycid)
        e->ycid = writer;
    e->revalidate = true;
    if (u->cfg.fail_at_hazard)
        e->stale = e->by_hazard = true;
    if (e->state == PASS)
        e->state = VALIDATION_WAIT;
    cu_validated(u, e, cid);
}

static uint64_t youngest_writer(struct commit_unit *u, const struct entry *e, uint32_t address, uint64_t exact)
{
    bool in_table;
    if (u->cfg.hazards != HAZARD_LWH)
        return exact;
    uint64_t writer = lwh_lookup(&u->lwh, address >> u->line_shift, &in_table);
    cu_add(u, STAT_CU_LWH_LOOKUPS, 1);
    cu_add(u, STAT_CU_LWH_TABLE, in_table);
    cu_add(u, STAT_CU_LWH_FILTER, !in_table && writer >= e->rcid);
    cu_add(u, STAT_CU_LWH_FALSE, writer >= e->rcid && writer > exact);
    u->missed += writer < exact;
    return writer;
}

static void check_read(struct commit_unit *u, struct entry *e, uint64_t cid, uint32_t address, uint64_t now)
{
    uint64_t exact = exact_lookup(&u->exact, address);
    if (u->cfg.hazards == HAZARD_BF_ARRAY) {
        /* A writer may have retired between the entry's first message and this read's. */
        e->true_hazard |= exact >= e->rcid;
        u->missed += exact >= u->retire && exact > e->ycid && e->state != FAIL;
        return;
    }
    uint64_t writer = youngest_writer(u, e, address, exact);
    e->true_hazard |= exact >= e->rcid;
    if (writer >= e->rcid)
        set_hazard(u, e, cid, writer, now);
}

/* No entry that is still to be checked can meet a hazard with an older writer than this. */
static uint64_t oldest_rcid(const struct commit_unit *u)
{
    uint64_t oldest = u->retire;
    for (uint64_t cid = u->hazard; cid < u->head; cid++) {
        const struct entry *e = cu_entry(u, cid);
        if (e->state != UNUSED && e->rcid < oldest)
            oldest = e->rcid;
    }
    return oldest;
}

static void insert_write(struct commit_unit *u, const struct entry *e, uint64_t cid, uint32_t address)
{
    if (exact_full(&u->exact))
        exact_rebuild(&u->exact, oldest_rcid(u));
    exact_insert(&u->exact, address, cid);
    if (u->cfg.hazards != HAZARD_LWH)
        return;
    cu_add(u, STAT_CU_LWH_INSERTS, 1);
    cu_add(u, STAT_CU_LWH_EVICTIONS, lwh_insert(&u->lwh, address >> u->line_shift, cid));
}

void cu_hazard_word(struct commit_unit *u, struct entry *e, uint64_t cid, enum set_kind k, struct kilo_entry word,
                    uint64_t now)
{
    uint32_t address = word.address & ~UINT32_C(3);
    if (k == READS)
        check_read(u, e, cid, address, now);
    else
        insert_write(u, e, cid, address);
}

void cu_hazard_set_done(struct commit_unit *u, struct entry *e, enum set_kind k)
{
    if (k == READS && e->revalidate) {
        cu_add(u, STAT_CU_HAZARDS, 1);
        cu_add(u, STAT_CU_FALSE_HAZARDS, !e->true_hazard);
    }
    u->at.set = k + 1;
    u->at.i = 0;
}

/* True: no words are left. */
static bool skip_empty(struct commit_unit *u, struct entry *e)
{
    while (u->at.set <= WRITES && !e->set[u->at.set].n)
        cu_hazard_set_done(u, e, u->at.set);
    return u->at.set > WRITES;
}

static void ask_again(struct commit_unit *u, struct entry *e)
{
    e->resend = u->at.set == READS ? RESEND_HAZARD_READS : RESEND_HAZARD_WRITES;
    cu_reply_lane(u, u->at.set == READS ? KILO_RESEND_READ : KILO_RESEND_WRITE, e);
}

/* The next word of the entry. True: it was the last. */
static bool one_word(struct commit_unit *u, struct entry *e, uint64_t now)
{
    const struct word_set *s = &e->set[u->at.set];
    uint32_t i = u->at.i++;
    if (i % CHUNK_ENTRIES == 0)
        u->at.chunk = i ? u->chunk[u->at.chunk].next : s->first;
    cu_hazard_word(u, e, u->hazard, u->at.set, u->chunk[u->at.chunk].entry[i % CHUNK_ENTRIES], now);
    if (u->at.i == s->n)
        cu_hazard_set_done(u, e, u->at.set);
    return skip_empty(u, e);
}

/* All that is left of an entry at once: the signatures have been compared at arrival, this only follows exactly. */
static bool follow(struct commit_unit *u, struct entry *e, uint64_t now)
{
    while (!skip_empty(u, e) && e->state != FAIL)
        if (e->set[u->at.set].overflow)
            cu_hazard_set_done(u, e, u->at.set);
        else
            one_word(u, e, now);
    return true;
}

/* One cycle's work on an entry. True: it is done. */
static bool detect(struct commit_unit *u, struct entry *e, uint64_t now)
{
    if (u->cfg.hazards == HAZARD_BF_ARRAY)
        return follow(u, e, now);
    if (skip_empty(u, e))
        return true;
    if (!e->set[u->at.set].overflow)
        return one_word(u, e, now);
    if (!u->cfg.resend)
        return true;
    ask_again(u, e);
    return false;
}

static void leave(struct commit_unit *u, struct entry *e)
{
    if (u->at.set == READS)
        cu_hazard_set_done(u, e, READS);
    u->at.set = READS;
    u->at.i = 0;
    u->hazard++;
}

bool cu_step_hazard(struct commit_unit *u, uint64_t now)
{
    struct entry *e = cu_entry(u, u->hazard);
    if (u->hazard == u->head)
        return false;
    if (e->state == UNUSED || e->state == FILL) {
        u->stall |= STALL_FILL;
        return false;
    }
    if (e->resend)
        return false;
    if ((e->state != VALIDATION_WAIT && e->state != PASS) || detect(u, e, now))
        leave(u, e);
    return true;
}

/* ---- bloom filter array ---- */

static uint64_t cid_of_slot(const struct commit_unit *u, uint64_t slot)
{
    return u->retire + ((slot - u->retire) & (u->ring_size - 1));
}

/* A write is a hazard of younger readers, a read one of its own entry with older writers. */
static void for_matches(struct commit_unit *u, enum bf_kind k, uint64_t cid, uint32_t line, uint64_t now)
{
    for (uint32_t w = 0; w < u->bf.words; w++)
        for (uint64_t m = bf_match(&u->bf, k, w, line); m; m &= m - 1) {
            uint64_t other = cid_of_slot(u, 64 * w + (unsigned)__builtin_ctzll(m));
            if (k == BF_WRITES && other < cid)
                set_hazard(u, cu_entry(u, cid), cid, other, now);
            else if (k == BF_READS && other > cid && cu_entry(u, other)->state != FAIL)
                set_hazard(u, cu_entry(u, other), other, cid, now);
        }
}

void cu_bf_arrival(struct commit_unit *u, uint64_t cid, enum set_kind k, uint32_t address, uint64_t now)
{
    uint32_t line = (address & ~UINT32_C(3)) >> u->line_shift, slot = (uint32_t)(cid & (u->ring_size - 1));
    bf_insert(&u->bf, k == READS ? BF_READS : BF_WRITES, slot, line);
    for_matches(u, k == READS ? BF_WRITES : BF_READS, cid, line, now);
}
