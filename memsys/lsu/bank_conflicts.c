/*
 * Bank conflicts of shared memory: a group is the lanes that one pass could serve, and needs as many passes as there
 * are words (lanes, for atomics and without broadcast) for its most requested bank. Groups of a wide load may share a
 * pass (shared.merge).
 */
#include "base/num.h"
#include "memsys/lsu/coalesce.h"

enum { BANK_BYTES = 4, BANKS_MAX = 64 };

/* The different words of each bank that the lanes considered so far access. */
struct bank_use {
    uint64_t banks;                  /* bit per bank: it has a word */
    uint8_t words[BANKS_MAX];        /* by bank: how many */
    uint32_t word[BANKS_MAX][WARP_LANES];
    uint32_t passes;                 /* the most words of a bank */
};

static void add_word(struct bank_use *u, uint32_t word, uint32_t bank, bool share)
{
    uint64_t bit = UINT64_C(1) << bank;
    if (!(u->banks & bit))
        u->words[bank] = 0;
    u->banks |= bit;
    for (uint32_t i = 0; share && i < u->words[bank]; i++)
        if (u->word[bank][i] == word)
            return;
    u->word[bank][u->words[bank]++] = word;
    if (u->words[bank] > u->passes)
        u->passes = u->words[bank];
}

/* Can one pass serve several lanes at one word? Not inside transactions, which check lanes one by one. */
static bool shares(const struct mem_op *op, const struct shared_cfg *c)
{
    return c->broadcast && !op->attempt && op->kind != MOP_ATOM && op->kind != MOP_RED;
}

/* The first words of the lanes, in order; returns their number. */
static uint32_t first_words(const struct mem_op *op, uint64_t lanes, uint32_t *word)
{
    uint32_t first = (uint32_t)__builtin_ctzll(lanes), n = 0;
    if (!(lanes >> first & ((lanes >> first) + 1))) {    /* neighbouring lanes */
        n = num_ones(lanes);
        for (uint32_t i = 0; i < n; i++)
            word[i] = (uint32_t)(op->address[first + i] / BANK_BYTES);
        return n;
    }
    for (; lanes; lanes &= lanes - 1)
        word[n++] = (uint32_t)(op->address[__builtin_ctzll(lanes)] / BANK_BYTES);
    return n;
}

/*
 * Lanes whose words are at a constant distance, and which share equal words: the passes, else 0. With a power of two of
 * banks, lanes at a distance of d words return to a bank after banks / gcd(d, banks) lanes.
 */
static uint32_t constant_distance(const uint32_t *word, uint32_t n, uint32_t banks)
{
    uint32_t distance = n > 1 ? word[1] - word[0] : 0, other = 0;
    for (uint32_t i = 1; i < n; i++)
        other |= word[i] - word[i - 1] - distance;
    uint32_t gcd = (distance | banks) & -(distance | banks), period = banks / gcd;
    return other ? 0 : distance ? (n + period - 1) / period : 1;
}

/* Does each bank have only one word, which the lanes share? */
static bool one_word_a_bank(const uint32_t *word, uint32_t n, uint32_t last_bank)
{
    uint32_t first[BANKS_MAX];
    uint64_t banks = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bank = word[i] & last_bank;
        if (banks >> bank & 1 && first[bank] != word[i])
            return false;
        first[bank] = word[i];
        banks |= UINT64_C(1) << bank;
    }
    return true;
}

/* All lanes access `words` words from their first one on. */
static uint32_t most_words_a_bank(const uint32_t *word, uint32_t n, uint32_t words, uint32_t banks, bool share)
{
    struct bank_use u;
    u.banks = u.passes = 0;
    bool power = (banks & (banks - 1)) == 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < words; k++)
            add_word(&u, word[i] + k, power ? (word[i] + k) & (banks - 1) : (word[i] + k) % banks, share);
    return u.passes;
}

static uint32_t group_passes(const struct mem_op *op, uint64_t lanes, uint32_t words, const struct shared_cfg *c)
{
    uint32_t word[WARP_LANES], n = first_words(op, lanes, word), passes = 0;
    bool share = shares(op, c), power = (c->banks & (c->banks - 1)) == 0;
    if (share && power && words == 1)
        passes = constant_distance(word, n, c->banks);
    if (share && power && words == 1 && !passes)
        passes = one_word_a_bank(word, n, c->banks - 1);
    return passes ? passes : most_words_a_bank(word, n, words, c->banks, share);
}

/* Lanes at one address, or in a row that is not longer than all banks together, take one pass. */
static bool without_conflicts(const struct mem_op *op, uint32_t group, uint32_t words, const struct shared_cfg *c)
{
    return shares(op, c) && op->pattern != MEM_PATTERN_SCATTERED && group * words <= c->banks;
}

/* The different places of `bytes` bytes that lanes access. */
static uint32_t different_places(const struct mem_op *op, uint64_t lanes, uint32_t bytes)
{
    uint64_t place[WARP_LANES];
    uint32_t n = 0, i;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t mine = op->address[__builtin_ctzll(lanes)] / bytes;
        for (i = 0; i < n && place[i] != mine; i++)
            continue;
        place[i] = mine;
        n += i == n;
    }
    return n;
}

static uint32_t runs_of_a_place(const struct mem_op *op, uint64_t lanes, uint32_t bytes)
{
    uint64_t last = UINT64_MAX;
    uint32_t n = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t mine = op->address[__builtin_ctzll(lanes)] / bytes;
        n += mine != last;
        last = mine;
    }
    return n;
}

/* A lane's bytes are aligned to their number: they are in one block, or are whole blocks that no other place has. */
uint32_t shared_block_accesses(const struct mem_op *op, const struct shared_cfg *c)
{
    uint64_t lanes = op->served_by[SERVE_SHARED];
    uint32_t bytes = op->width > c->block ? op->width : c->block, blocks = bytes / c->block;
    if (op->kind != MOP_LOAD)
        return blocks * runs_of_a_place(op, lanes, bytes);
    return (blocks * different_places(op, lanes, bytes) + c->ports - 1) / c->ports;
}

/* The rules of shared.merge are those of loads of 8 or 16 bytes, of which a lane receives all that it reads. */
static bool may_merge(const struct mem_op *op, uint32_t words, const struct shared_cfg *c)
{
    return c->merge != SHARED_MERGE_NONE && words > 1 && op->kind == MOP_LOAD && !op->rows && shares(op, c);
}

/* Have all lanes n and n ^ apart of the warp the same address? */
static bool partners_agree(const struct mem_op *op, uint64_t lanes, unsigned apart)
{
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        if (lanes >> (lane ^ apart) & 1 && op->address[lane] != op->address[lane ^ apart])
            return false;
    }
    return true;
}

/* The lanes that one pass may serve; those of an access wider than a word, as many as all banks have words for. */
static uint32_t lanes_of_a_pass(uint32_t words, const struct shared_cfg *c)
{
    uint32_t fit = c->banks / words;
    return words == 1 || fit > c->lanes ? c->lanes : fit < 1 ? 1 : fit;
}

uint32_t shared_passes(const struct mem_op *op, const struct shared_cfg *c)
{
    uint32_t words = op->width > BANK_BYTES ? op->width / BANK_BYTES : 1, passes = 0;
    uint64_t all = op->served_by[SERVE_SHARED], before = 0;
    bool merge = may_merge(op, words, c);
    bool uniform = merge && c->merge == SHARED_MERGE_UNIFORM && mem_at_one_address(op, all);
    uint32_t group = uniform ? c->lanes : lanes_of_a_pass(words, c);
    bool pairs = merge && 2 * group <= c->lanes && (partners_agree(op, all, 1) || partners_agree(op, all, 2));
    bool conflict_free = without_conflicts(op, group, words, c);
    for (uint32_t from = 0; from < WARP_LANES && all >> from; from += group) {
        uint64_t lanes = all & mask_all(group) << from;
        if (lanes)
            passes += conflict_free ? 1 : group_passes(op, lanes, words, c);
        bool second = pairs && from / group % 2 && lanes && before;
        passes -= second && group_passes(op, before | lanes, words, c) == 1;
        before = lanes;
    }
    return passes;
}
