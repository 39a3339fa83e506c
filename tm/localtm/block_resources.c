/*
 * What a block with transactions takes of an SM (GPU-LocalTM, section 4.3): a vector register for the filters of a
 * thread in a bank, a second one for every register of its own, a scalar register a warp for its conflict mask, and
 * shadow memory: for each of the N words that the kernel declares a word for its old value and a byte for its owner. N
 * is whole rows of the banks, as the old value of a word must lie in its bank: of 64 kB a kernel may declare 29056
 * bytes, less than the 29127 of the formula without rows.
 */
#include <stdio.h>

#include "tm/localtm/localtm.h"

enum { WORD = 4, ROW_BYTES_A_BANK = WORD + WORD + 1, REGISTER_BITS = 32 };

/* Bytes of shared memory that a block reaches. */
static uint32_t reach(const struct local_cfg *c)
{
    return c->group_bytes && c->group_bytes < c->shared_per_sm ? c->group_bytes : c->shared_per_sm;
}

static uint32_t filter_registers(const struct local_cfg *c)
{
    uint32_t bits = c->filter_bits * (c->read_write_filters ? 2 : 1);
    return (bits + REGISTER_BITS - 1) / REGISTER_BITS;
}

void local_need(const struct simtx_config *config, uint32_t shared, uint32_t warps, struct banks_need *n)
{
    struct local_cfg c;
    local_configure(&c, config);
    uint32_t most = reach(&c) / (c.banks * ROW_BYTES_A_BANK);
    uint32_t rows = shared / (c.banks * WORD) + (shared % (c.banks * WORD) != 0);
    *n = (struct banks_need){
        .threads = c.threads,
        .registers = c.threads * c.banks * filter_registers(&c),
        .register_copies = 2,
        .shared = rows <= most ? rows * c.banks * ROW_BYTES_A_BANK : 0,
        .shared_most = most * c.banks * WORD,
        .blocks = c.scalar_registers / (warps ? warps : 1)
    };
}

/* ---- the same in words ---- */

static void explain_shared(const struct local_cfg *c, const struct banks_need *n, char *text, size_t size)
{
    uint32_t total = reach(c);
    uint32_t values = (uint32_t)((uint64_t)total * WORD / ROW_BYTES_A_BANK), owners = total - 2 * values;
    bool group = total != c->shared_per_sm;
    snprintf(text, size, ": values and backups take 2 x %u bytes and owners %u, of %u%s (by the papers' formula %u and "
             "%u; rows of %u banks are whole)", n->shared_most, n->shared_most / WORD, total,
             group ? " (localtm.group_bytes)" : "", values, owners, c->banks);
}

void local_explain(const struct simtx_config *config, enum banks_limit limit, const struct banks_need *n, char *text,
                   size_t size)
{
    struct local_cfg c;
    local_configure(&c, config);
    switch (limit) {
    case BANKS_THREADS: snprintf(text, size, " (localtm.threads: the owner of a word is one byte)"); break;
    case BANKS_SHARED: explain_shared(&c, n, text, size); break;
    case BANKS_REGISTERS:
        snprintf(text, size, ": filters take %u, and shadow registers double a thread's", n->registers);
        break;
    case BANKS_BLOCKS:
        snprintf(text, size, ": localtm.scalar_registers = %u, of which a warp takes one for its conflict mask",
                 c.scalar_registers);
        break;
    }
}
