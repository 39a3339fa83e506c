/*
 * Bank conflicts of shared memory: a group is the lanes that one pass could serve, and needs as many passes as there
 * are words (lanes, for atomics and without broadcast) for its most requested bank.
 */
#include "memsys/lsu/coalesce.h"

enum { BANK_BYTES = 4, BANKS_MAX = 64 };

/* The words of the lanes considered so far: the first one of each bank, which is mostly the only one, and the
 * others. */
struct bank_use {
    uint64_t banks;                  /* bit per bank: it has a word */
    uint32_t first[BANKS_MAX], others[BANKS_MAX];
    uint8_t words[BANKS_MAX];        /* by bank */
    uint32_t nothers, passes;
};

static bool among_others(const struct bank_use *u, uint32_t word)
{
    for (uint32_t i = 0; i < u->nothers; i++)
        if (u->others[i] == word)
            return true;
    return false;
}

static void add_word(struct bank_use *u, uint32_t word, uint32_t bank, bool share)
{
    uint64_t bit = UINT64_C(1) << bank;
    if (!(u->banks & bit)) {
        u->banks |= bit;
        u->first[bank] = word;
        u->words[bank] = 1;
        return;
    }
    if (share && (u->first[bank] == word || among_others(u, word)))
        return;
    u->others[u->nothers++] = word;
    if (++u->words[bank] > u->passes)
        u->passes = u->words[bank];
}

/* Can one pass serve several lanes at one word? Not inside transactions, which check lanes one by one. */
static bool shares(const struct mem_op *op, const struct shared_cfg *c)
{
    return c->broadcast && !op->attempt && op->kind != MOP_ATOM && op->kind != MOP_RED;
}

/* The common case of one word a lane: does each bank have only one word, which the lanes share? */
static bool one_word_a_bank(const struct mem_op *op, uint64_t lanes, uint32_t last_bank)
{
    uint32_t first[BANKS_MAX];
    uint64_t banks = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t word = (uint32_t)(op->address[__builtin_ctzll(lanes)] / BANK_BYTES), bank = word & last_bank;
        if (banks >> bank & 1 && first[bank] != word)
            return false;
        first[bank] = word;
        banks |= UINT64_C(1) << bank;
    }
    return true;
}

static uint32_t group_passes(const struct mem_op *op, uint64_t lanes, uint32_t words, const struct shared_cfg *c)
{
    struct bank_use u;
    uint32_t banks = c->banks;
    bool share = shares(op, c), power = (banks & (banks - 1)) == 0;
    if (share && power && words == 1 && one_word_a_bank(op, lanes, banks - 1))
        return 1;
    u.banks = 0;
    u.nothers = 0;
    u.passes = 1;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t word = (uint32_t)(op->address[__builtin_ctzll(lanes)] / BANK_BYTES);
        for (uint32_t i = 0; i < words; i++, word++)
            add_word(&u, word, power ? word & (banks - 1) : word % banks, share);
    }
    return u.passes;
}

/* Lanes at one address, or in a row that is not longer than all banks together, take one pass. */
static bool without_conflicts(const struct mem_op *op, uint32_t group, uint32_t words, const struct shared_cfg *c)
{
    return shares(op, c) && op->pattern != MEM_PATTERN_SCATTERED && group * words <= c->banks;
}

uint32_t shared_passes(const struct mem_op *op, const struct shared_cfg *c)
{
    uint32_t words = op->width > BANK_BYTES ? op->width / BANK_BYTES : 1, group = c->lanes, passes = 0;
    if (words > 1) {
        uint32_t fit = c->banks / words;
        group = fit < 1 ? 1 : fit < group ? fit : group;
    }
    bool conflict_free = without_conflicts(op, group, words, c);
    for (uint32_t from = 0; from < WARP_LANES && op->served_by[SERVE_SHARED] >> from; from += group) {
        uint64_t lanes = op->served_by[SERVE_SHARED] & mask_all(group) << from;
        if (lanes)
            passes += conflict_free ? 1 : group_passes(op, lanes, words, c);
    }
    return passes;
}
