/*
 * Conflict detection (GPU-LocalTM, section 3.3). Each bank takes the accesses of an instruction one after another,
 * lanes ascending, and knows nothing of what the other banks find until the instruction is over:
 *   1. The word's bit in the filters of the block's threads. Another thread's is set: a conflict, the lane is put back
 *      in this bank. None is set: the access is new; old value and owner are kept. Only its own is set:
 *   2. the owner is looked up. The thread itself: nothing to do; nobody: the filter was wrong, the access is new.
 *   3. Broadcast: lanes that have lost in one bank are put back in all others.
 * So two lanes that meet crosswise in two banks lose both.
 *
 * With localtm.read_write_filters a read loses against writes only; it sets its bit, and nothing is kept.
 */
#include "tm/localtm/localtm.h"

enum { WORD = 4 };

/* What an instruction costs a bank, and the lanes that have lost there. Valid for banks of `used`. */
struct bank_work { uint32_t shadow, restore; uint64_t lost; };
struct work { uint64_t used, conflicts; struct bank_work bank[LOCAL_BANKS]; };

/* An access to one word. */
struct word_access {
    uint32_t thread, word, bank;
    unsigned bit;
    uint64_t lane;                   /* as a mask */
    enum local_filter filter;        /* where it leaves its bit: is it a read or a write? */
};

/* Words of a lane's access. */
static void words_of(const struct mem_op *op, unsigned lane, uint32_t *first, uint32_t *end)
{
    *first = (uint32_t)(op->address[lane] / WORD);
    *end = (uint32_t)((op->address[lane] + op->width + WORD - 1) / WORD);
}

static bool known_to_others(const struct local_block *b, const struct local_cell *own, enum local_filter f,
                            const struct word_access *a)
{
    return b->known[f][a->bank][a->bit] > (own->filter[f] >> a->bit & 1);
}

static bool is_conflict(const struct local_block *b, const struct local_cell *own, const struct word_access *a)
{
    return known_to_others(b, own, FILTER_WRITE, a)
        || (a->filter == FILTER_WRITE && known_to_others(b, own, FILTER_READ, a));
}

/* Threads of the warp whose filters know a read of the word: has one of them read it indeed? */
static bool warp_has_read(struct local_core *k, const struct local_block *b, uint32_t slot, const struct word_access *a)
{
    for (uint64_t m = tm_lanes_in(k->c, slot); m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint32_t thread = k->warp[slot].first + lane;
        if (thread == a->thread || !(local_cell(k, b, thread, a->bank)->filter[FILTER_READ] >> a->bit & 1))
            continue;
        const struct tm_set *reads = &tm_lane(k->c, slot, lane)->shared_reads;
        for (uint32_t i = 0; i < reads->n; i++)
            if (reads->w[i].address == (uint64_t)a->word * WORD)
                return true;
    }
    return false;
}

static bool is_false(struct local_core *k, const struct local_block *b, const struct word_access *a)
{
    if (local_is_owned(b, a->word) && local_owner(b, a->word) != a->thread)
        return false;
    for (uint32_t i = 0; k->cfg.read_write_filters && a->filter == FILTER_WRITE && i < b->b->warps; i++)
        if (warp_has_read(k, b, b->b->slot[i], a))
            return false;
    return true;
}

static void lose(struct local_core *k, struct local_block *b, const struct word_access *a, struct bank_work *w)
{
    k->count[STAT_LOCALTM_CONFLICTS]++;
    k->count[STAT_LOCALTM_FALSE] += is_false(k, b, a);
    w->lost |= a->lane;
    w->restore += k->cost.entry * local_clear(k, b, a->thread, a->bank, true);
}

static void set_bit(struct local_block *b, struct local_cell *own, const struct word_access *a)
{
    if (!(own->filter[a->filter] >> a->bit & 1)) {
        own->filter[a->filter] |= UINT64_C(1) << a->bit;
        b->known[a->filter][a->bank][a->bit]++;
    }
    b->in[a->thread] |= UINT64_C(1) << a->bank;
}

/* A word that no other thread knows, accessed so that it must be owned. */
static void own_word(struct local_core *k, struct local_block *b, struct local_cell *own, const struct word_access *a,
                     struct bank_work *w)
{
    bool knows = own->filter[FILTER_WRITE] >> a->bit & 1;
    bool again = knows && local_is_owned(b, a->word) && local_owner(b, a->word) == a->thread;
    set_bit(b, own, a);
    if (again) {
        k->count[STAT_LOCALTM_AGAIN]++;
        w->shadow += k->cost.again;
        return;
    }
    k->count[knows ? STAT_LOCALTM_ALIAS : STAT_LOCALTM_NEW]++;
    w->shadow += knows ? k->cost.alias : k->cost.fresh;
    local_keep(k, b, a->thread, a->bank, a->word);
}

static void look_up(struct local_core *k, struct local_block *b, const struct word_access *a, struct bank_work *w)
{
    struct local_cell *own = local_cell(k, b, a->thread, a->bank);
    k->count[STAT_LOCALTM_ACCESSES]++;
    if (is_conflict(b, own, a)) {
        lose(k, b, a, w);
    } else if (a->filter == FILTER_READ) {
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

static void access_lane(struct local_core *k, uint32_t slot, const struct mem_op *op, unsigned lane, struct work *work)
{
    const struct local_warp *x = &k->warp[slot];
    bool reads = k->cfg.read_write_filters && op->kind == MOP_LOAD;
    struct word_access a = { .thread = x->first + lane, .lane = UINT64_C(1) << lane,
                             .filter = reads ? FILTER_READ : FILTER_WRITE };
    uint32_t end;
    words_of(op, lane, &a.word, &end);
    for (; a.word < end; a.word++) {
        a.bank = a.word % k->cfg.banks;
        a.bit = a.word / k->cfg.banks & (k->cfg.filter_bits - 1);
        struct bank_work *w = work_of(work, a.bank);
        if (!(w->lost & a.lane))
            look_up(k, x->block, &a, w);
        work->conflicts |= w->lost & a.lane;
    }
}

/* Cycles of the bank that takes longest, the lowest one of several. Filters are looked up ahead of the accesses, one
 * behind the other, and add their time once. */
static uint32_t count_work(struct local_core *k, const struct work *work)
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

static uint32_t broadcast(struct local_core *k, struct local_warp *x, uint64_t lost)
{
    struct local_entries e = { 0 };
    local_clear_lanes(k, x, lost, true, &e);
    uint32_t cycles = k->cost.entry * local_slowest(k, &e);
    k->count[STAT_LOCALTM_BROADCAST_CYCLES] += cycles;
    x->gone |= lost;
    return cycles;
}

/* Lanes that have been put back, and whose abort waits for what their warp has under way, lose without a look. */
struct banks_result local_access(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now)
{
    struct local_core *k = core;
    struct local_warp *x = &k->warp[slot];
    struct banks_result r = { .conflicts = lanes & x->gone };
    struct work work;
    work.used = work.conflicts = 0;
    for (uint64_t m = lanes & ~x->gone; m; m &= m - 1)
        access_lane(k, slot, op, (unsigned)__builtin_ctzll(m), &work);
    r.cycles = count_work(k, &work);
    if (work.conflicts)
        r.cycles += broadcast(k, x, work.conflicts);
    r.conflicts |= work.conflicts;
    return r;
}

/* Weak isolation: they are performed in any case. */
void local_plain(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now)
{
    struct local_core *k = core;
    const struct local_block *b = k->warp[slot].block;
    for (uint64_t m = lanes; m; m &= m - 1) {
        uint32_t word, end;
        words_of(op, (unsigned)__builtin_ctzll(m), &word, &end);
        for (; word < end; word++)
            k->count[STAT_LOCALTM_PLAIN] += local_is_owned(b, word);
    }
}
