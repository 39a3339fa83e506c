/*
 * Bank conflicts of shared memory: lanes are taken in groups that one pass could serve, and a group needs as many
 * passes as its busiest bank has words to serve (lanes, for atomics and without broadcast).
 */
#include "memsys/lsu/coalesce.h"

enum { BANK_BYTES = 4, BANKS_MAX = 64 };

/* What the lanes so far want: of each bank its first word, which is mostly the only one, and all others. */
struct bank_use {
    uint64_t banks;                  /* that have a word */
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

static void want_word(struct bank_use *u, uint32_t word, uint32_t bank, bool share)
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

/* May lanes be served together at one word? Inside transactions each is looked at for itself. */
static bool shares(const struct mem_op *op, const struct shared_cfg *c)
{
    return c->broadcast && !op->attempt && op->kind != MOP_ATOM && op->kind != MOP_RED;
}

static uint32_t group_passes(const struct mem_op *op, uint64_t lanes, uint32_t words, const struct shared_cfg *c)
{
    struct bank_use u;
    uint32_t banks = c->banks;
    bool share = shares(op, c), power = (banks & (banks - 1)) == 0;
    u.banks = 0;
    u.nothers = 0;
    u.passes = 1;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t word = (uint32_t)(op->address[__builtin_ctzll(lanes)] / BANK_BYTES);
        for (uint32_t i = 0; i < words; i++, word++)
            want_word(&u, word, power ? word & (banks - 1) : word % banks, share);
    }
    return u.passes;
}

/* Lanes at one place, or in a row that is no longer than all banks together, take one pass. */
static bool without_conflicts(const struct mem_op *op, uint32_t group, uint32_t words, const struct shared_cfg *c)
{
    return shares(op, c) && op->pattern != LANES_ANYWHERE && group * words <= c->banks;
}

uint32_t shared_passes(const struct mem_op *op, const struct shared_cfg *c)
{
    uint32_t words = op->width > BANK_BYTES ? op->width / BANK_BYTES : 1, group = c->lanes_per_pass, passes = 0;
    if (words > 1) {
        uint32_t fit = c->banks / words;
        group = fit < 1 ? 1 : fit < group ? fit : group;
    }
    bool apart = without_conflicts(op, group, words, c);
    for (uint32_t from = 0; from < WARP_LANES && op->served_by[SERVE_SHARED] >> from; from += group) {
        uint64_t lanes = op->served_by[SERVE_SHARED] & mask_all(group) << from;
        if (lanes)
            passes += apart ? 1 : group_passes(op, lanes, words, c);
    }
    return passes;
}
