/*
 * Bank conflicts of shared memory: lanes are taken in groups that one pass could serve, and a group needs as many
 * passes as its busiest bank has words to serve (lanes, for atomics and without broadcast). That every lane has banks
 * of its own, the usual case, is seen from the set of banks alone.
 */
#include "memsys/coalesce.h"

enum { BANK_BYTES = 4, BANKS_MAX = 64 };

struct bank_use {
    uint32_t word[BANKS_MAX];        /* words wanted so far in this group */
    uint8_t per_bank[BANKS_MAX];
    uint32_t n, passes;
    uint64_t banks;                  /* that have a word */
};

static uint32_t bank_of(uint32_t word, uint32_t banks)
{
    return (banks & (banks - 1)) == 0 ? word & (banks - 1) : word % banks;
}

static bool has_word(const struct bank_use *u, uint32_t word)
{
    for (uint32_t i = 0; i < u->n; i++)
        if (u->word[i] == word)
            return true;
    return false;
}

static void want_word(struct bank_use *u, uint32_t word, uint32_t banks, bool share)
{
    uint32_t bank = bank_of(word, banks);
    if (share && u->banks >> bank & 1 && has_word(u, word))
        return;
    u->banks |= UINT64_C(1) << bank;
    u->word[u->n++] = word;
    if (++u->per_bank[bank] > u->passes)
        u->passes = u->per_bank[bank];
}

static uint32_t first_word(const struct mem_op *op, uint64_t lanes)
{
    return (uint32_t)(op->address[__builtin_ctzll(lanes)] / BANK_BYTES);
}

/* Words of a lane lie in banks side by side, which do not wrap around when their number divides that of banks. */
static bool all_apart(const struct mem_op *op, uint64_t lanes, uint32_t words, uint32_t banks)
{
    uint64_t used = 0;
    uint32_t want = words * (uint32_t)__builtin_popcountll(lanes);
    if (banks % words)
        return false;
    for (; lanes; lanes &= lanes - 1)
        used |= mask_all(words) << bank_of(first_word(op, lanes), banks);
    return (uint32_t)__builtin_popcountll(used) == want;
}

static uint32_t group_passes(const struct mem_op *op, uint64_t lanes, uint32_t words, const struct shared_cfg *c)
{
    struct bank_use u;
    if (all_apart(op, lanes, words, c->banks))
        return 1;
    u.n = u.passes = 0;
    u.banks = 0;
    for (uint32_t i = 0; i < c->banks; i++)
        u.per_bank[i] = 0;
    bool share = c->broadcast && op->kind != MOP_ATOM && op->kind != MOP_RED;
    for (; lanes; lanes &= lanes - 1)
        for (uint32_t i = 0; i < words; i++)
            want_word(&u, first_word(op, lanes) + i, c->banks, share);
    return u.passes;
}

uint32_t shared_passes(const struct mem_op *op, const struct shared_cfg *c)
{
    uint32_t words = op->width > BANK_BYTES ? op->width / BANK_BYTES : 1, group = c->lanes_per_pass, passes = 0;
    if (words > 1) {
        uint32_t fit = c->banks / words;
        group = fit < 1 ? 1 : fit < group ? fit : group;
    }
    for (uint32_t from = 0; from < WARP_LANES; from += group) {
        uint64_t lanes = op->served_by[SERVE_SHARED] & mask_all(group) << from;
        if (lanes)
            passes += group_passes(op, lanes, words, c);
    }
    return passes;
}
