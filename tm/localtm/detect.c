/*
 * Conflict detection (GPU-LocalTM, section 3.3). Each bank takes the accesses of an instruction one after another, in
 * the order of lanes. A pass is at most one lane a bank; its lanes are checked in all banks in parallel, so until it
 * completes, a bank has no information of the other banks.
 *   1. Fast conflict detection looks up the word's bit in the filters of the block's threads. If the bit of another
 *      thread is set, there is a conflict: the lane's words in this bank are restored. If no bit is set, the access is
 *      new: the old value and the owner are saved. If only the thread's own bit is set:
 *   2. Ownership detection looks up the owner. If it is the thread, nothing is done. If the word has no owner, the
 *      filter hit was an alias, and the access is new.
 *   3. Conflict broadcast: lanes with a conflict in one bank are restored in all others.
 * So two lanes of a pass that conflict in opposite orders in two banks both abort. The words of such lanes are free for
 * the next pass (localtm.broadcast_passes; without it the whole instruction is one pass).
 *
 * With localtm.read_write_filters a read conflicts with writes only; it sets its bit, and no old value is saved.
 */
#include "tm/localtm/localtm.h"

enum { WORD = 4 };

/* Cycles of a bank for an instruction, and the lanes with a conflict there. Valid for the banks in `used`. */
struct bank_work { uint32_t shadow, restore; uint64_t conflicts; };
struct work { uint64_t used, conflicts; struct bank_work bank[LOCALTM_BANKS]; };

/* An access to one word. */
struct word_access {
    uint32_t thread, word, bank;
    unsigned bit;
    uint64_t lane;                   /* as a mask */
    enum localtm_filter filter;      /* in which it sets its bit */
};

/* The range of words of a lane's access. */
static void words_of(const struct mem_op *op, unsigned lane, uint32_t *first, uint32_t *end)
{
    *first = (uint32_t)(op->address[lane] / WORD);
    *end = (uint32_t)((op->address[lane] + op->width + WORD - 1) / WORD);
}

static bool others_have_bit(const struct localtm_block *b, const struct localtm_cell *own, enum localtm_filter f,
                            const struct word_access *a)
{
    return b->threads_with[f][a->bank][a->bit] > (own->filter[f] >> a->bit & 1);
}

static bool is_conflict(const struct localtm_block *b, const struct localtm_cell *own, const struct word_access *a)
{
    return others_have_bit(b, own, LOCALTM_FILTER_WRITE, a)
        || (a->filter == LOCALTM_FILTER_WRITE && others_have_bit(b, own, LOCALTM_FILTER_READ, a));
}

/* Has a thread of the warp whose read filter has the word's bit really read the word? */
static bool warp_has_read(struct localtm_core *k, const struct localtm_block *b, uint32_t slot,
                          const struct word_access *a)
{
    for (uint64_t m = tm_lanes_in(k->c, slot); m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint32_t thread = k->warp[slot].first + lane;
        if (thread == a->thread || !(localtm_cell(k, b, thread, a->bank)->filter[LOCALTM_FILTER_READ] >> a->bit & 1))
            continue;
        const struct tm_set *reads = &tm_lane(k->c, slot, lane)->shared_reads;
        for (uint32_t i = 0; i < reads->n; i++)
            if (reads->w[i].address == (uint64_t)a->word * WORD)
                return true;
    }
    return false;
}

static bool is_false(struct localtm_core *k, const struct localtm_block *b, const struct word_access *a)
{
    if (localtm_is_owned(b, a->word) && localtm_owner(b, a->word) != a->thread)
        return false;
    for (uint32_t i = 0; k->cfg.read_write_filters && a->filter == LOCALTM_FILTER_WRITE && i < b->b->warps; i++)
        if (warp_has_read(k, b, b->b->slot[i], a))
            return false;
    return true;
}

static void conflict(struct localtm_core *k, struct localtm_block *b, const struct word_access *a, struct bank_work *w)
{
    k->count[STAT_LOCALTM_CONFLICTS]++;
    k->count[STAT_LOCALTM_FALSE] += is_false(k, b, a);
    w->conflicts |= a->lane;
    w->restore += k->cost.entry * localtm_clear(k, b, a->thread, a->bank, true);
}

static void set_bit(struct localtm_block *b, struct localtm_cell *own, const struct word_access *a)
{
    if (!(own->filter[a->filter] >> a->bit & 1)) {
        own->filter[a->filter] |= UINT64_C(1) << a->bit;
        b->threads_with[a->filter][a->bank][a->bit]++;
    }
    b->filter_banks[a->thread] |= UINT64_C(1) << a->bank;
}

/* An access without conflict that makes the thread the owner of the word. */
static void own_word(struct localtm_core *k, struct localtm_block *b, struct localtm_cell *own,
                     const struct word_access *a, struct bank_work *w)
{
    bool hit = own->filter[LOCALTM_FILTER_WRITE] >> a->bit & 1;
    bool own_already = hit && localtm_is_owned(b, a->word) && localtm_owner(b, a->word) == a->thread;
    set_bit(b, own, a);
    if (own_already) {
        k->count[STAT_LOCALTM_AGAIN]++;
        w->shadow += k->cost.own;
        return;
    }
    k->count[hit ? STAT_LOCALTM_ALIAS : STAT_LOCALTM_NEW]++;
    w->shadow += hit ? k->cost.alias : k->cost.new_word;
    localtm_own(k, b, a->thread, a->bank, a->word);
}

static void look_up(struct localtm_core *k, struct localtm_block *b, const struct word_access *a, struct bank_work *w)
{
    struct localtm_cell *own = localtm_cell(k, b, a->thread, a->bank);
    k->count[STAT_LOCALTM_ACCESSES]++;
    if (is_conflict(b, own, a)) {
        conflict(k, b, a, w);
    } else if (a->filter == LOCALTM_FILTER_READ) {
        k->count[STAT_LOCALTM_READS]++;
        set_bit(b, own, a);
    } else
        own_word(k, b, own, a, w);
}

static struct bank_work *work_of(struct work *work, uint32_t bank)
{
    if (!(work->used >> bank & 1)) {
        work->used |= UINT64_C(1) << bank;
        work->bank[bank] = (struct bank_work){ 0 };
    }
    return &work->bank[bank];
}

static void access_lane(struct localtm_core *k, uint32_t slot, const struct mem_op *op, unsigned lane,
                        struct work *work)
{
    const struct localtm_warp *x = &k->warp[slot];
    bool reads = k->cfg.read_write_filters && op->kind == MOP_LOAD;
    struct word_access a = { .thread = x->first + lane, .lane = UINT64_C(1) << lane,
                             .filter = reads ? LOCALTM_FILTER_READ : LOCALTM_FILTER_WRITE };
    uint32_t end;
    words_of(op, lane, &a.word, &end);
    for (; a.word < end; a.word++) {
        a.bank = a.word % k->cfg.banks;
        a.bit = a.word / k->cfg.banks & (k->cfg.filter_bits - 1);
        struct bank_work *w = work_of(work, a.bank);
        if (!(w->conflicts & a.lane))
            look_up(k, x->block, &a, w);
        work->conflicts |= w->conflicts & a.lane;
    }
}

/* The cycles of the slowest bank; of equals, the lowest one. Filter lookups are pipelined ahead of the accesses and add
 * their time once. */
static uint32_t count_work(struct localtm_core *k, const struct work *work)
{
    struct bank_work most = { 0 };
    uint32_t cycles = 0, bloom = work->used ? k->cost.filter : 0;
    for (uint64_t m = work->used; m; m &= m - 1) {
        const struct bank_work *w = &work->bank[__builtin_ctzll(m)];
        if (w->shadow + w->restore > cycles) {
            cycles = w->shadow + w->restore;
            most = *w;
        }
    }
    k->count[STAT_LOCALTM_BLOOM_CYCLES] += bloom;
    k->count[STAT_LOCALTM_SHADOW_CYCLES] += most.shadow;
    k->count[STAT_LOCALTM_RESTORE_CYCLES] += most.restore;
    return bloom + cycles;
}

static uint32_t broadcast(struct localtm_core *k, struct localtm_warp *x, uint64_t conflicts)
{
    struct localtm_entries e = { 0 };
    localtm_clear_lanes(k, x, conflicts, true, &e);
    uint32_t cycles = k->cost.entry * localtm_slowest(k, &e);
    k->count[STAT_LOCALTM_BROADCAST_CYCLES] += cycles;
    x->rolled_back |= conflicts;
    return cycles;
}

/* The banks of a lane's words. */
static uint64_t banks_of(const struct localtm_core *k, const struct mem_op *op, unsigned lane)
{
    uint64_t banks = 0;
    uint32_t word, end;
    for (words_of(op, lane, &word, &end); word < end; word++)
        banks |= UINT64_C(1) << word % k->cfg.banks;
    return banks;
}

/* The lanes of the next pass: of the lanes that the banks serve at once, those that are the first one of each of their
 * banks. */
static uint64_t next_pass(const struct localtm_core *k, const struct mem_op *op, uint64_t left)
{
    uint64_t pass = 0, used = 0;
    unsigned group = (unsigned)__builtin_ctzll(left) / k->cfg.lanes;
    for (uint64_t m = left; m && (unsigned)__builtin_ctzll(m) / k->cfg.lanes == group; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint64_t banks = banks_of(k, op, lane);
        pass |= (uint64_t)!(banks & used) << lane;
        used |= banks;
    }
    return pass;
}

/* Lanes that have been rolled back, but cannot abort while their warp has accesses in flight, conflict without lookup.
 * */
struct tm_access_result localtm_access(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now)
{
    struct localtm_core *k = core;
    struct localtm_warp *x = &k->warp[slot];
    struct tm_access_result r = { .conflicts = lanes & x->rolled_back };
    struct work work;
    work.used = work.conflicts = 0;
    for (uint64_t left = lanes & ~x->rolled_back, pass; left; left &= ~pass) {
        uint64_t before = work.conflicts;
        pass = k->cfg.broadcast_passes ? next_pass(k, op, left) : left;
        for (uint64_t m = pass; m; m &= m - 1)
            access_lane(k, slot, op, (unsigned)__builtin_ctzll(m), &work);
        if (work.conflicts & ~before)
            r.cycles += broadcast(k, x, work.conflicts & ~before);
    }
    r.cycles += count_work(k, &work);
    r.conflicts |= work.conflicts;
    return r;
}

/* Isolation is weak: plain accesses are performed in any case, and only counted. */
void localtm_plain(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now)
{
    struct localtm_core *k = core;
    const struct localtm_block *b = k->warp[slot].block;
    for (uint64_t m = lanes; m; m &= m - 1) {
        uint32_t word, end;
        words_of(op, (unsigned)__builtin_ctzll(m), &word, &end);
        for (; word < end; word++)
            k->count[STAT_LOCALTM_PLAIN] += localtm_is_owned(b, word);
    }
}
