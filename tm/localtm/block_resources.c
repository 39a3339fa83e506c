/*
 * Resources that a block with transactions needs of an SM (GPU-LocalTM, section 4.3): a vector register for the filters
 * of a thread in a bank, a second register for each register of a thread, a scalar register for the conflict mask of a
 * warp, and shadow memory: for each of the N words that the kernel declares, a word for its old value and a byte for
 * its owner. N is whole rows of the banks, since the old value of a word must be in the same bank. So of 64 kB a kernel
 * may declare 29056 bytes, less than the 29127 of the paper's formula, which ignores rows.
 */
#include <stdio.h>

#include "tm/localtm/localtm.h"

enum { WORD = 4, ROW_BYTES_A_BANK = WORD + WORD + 1, REGISTER_BITS = 32 };

/* Bytes of shared memory that a block can address. */
static uint32_t addressable(const struct localtm_cfg *c)
{
    return c->group_bytes && c->group_bytes < c->shared_per_sm ? c->group_bytes : c->shared_per_sm;
}

static uint32_t filter_registers(const struct localtm_cfg *c)
{
    uint32_t bits = c->filter_bits * (c->read_write_filters ? 2 : 1);
    return (bits + REGISTER_BITS - 1) / REGISTER_BITS;
}

void localtm_resources(const struct simtx_config *config, uint32_t shared, uint32_t warps, struct tm_block_resources *n)
{
    struct localtm_cfg c;
    localtm_configure(&c, config);
    uint32_t most = addressable(&c) / (c.banks * ROW_BYTES_A_BANK);
    uint32_t rows = shared / (c.banks * WORD) + (shared % (c.banks * WORD) != 0);
    *n = (struct tm_block_resources){
        .threads = c.threads,
        .registers = c.threads * c.banks * filter_registers(&c),
        .register_copies = 2,
        .shared = rows <= most ? rows * c.banks * ROW_BYTES_A_BANK : 0,
        .shared_most = most * c.banks * WORD,
        .blocks = c.scalar_registers / (warps ? warps : 1)
    };
}

/* ---- texts ---- */

static void explain_shared(const struct localtm_cfg *c, const struct tm_block_resources *n, char *text, size_t size)
{
    uint32_t total = addressable(c);
    uint32_t values = (uint32_t)((uint64_t)total * WORD / ROW_BYTES_A_BANK), owners = total - 2 * values;
    bool group = total != c->shared_per_sm;
    snprintf(text, size, ": values and backups take 2 x %u bytes and owners %u, of %u%s (by the papers' formula %u and "
             "%u; rows of %u banks are whole)", n->shared_most, n->shared_most / WORD, total,
             group ? " (localtm.group_bytes)" : "", values, owners, c->banks);
}

void localtm_explain_limit(const struct simtx_config *config, enum tm_block_limit limit,
                           const struct tm_block_resources *n, char *text, size_t size)
{
    struct localtm_cfg c;
    localtm_configure(&c, config);
    switch (limit) {
    case TM_LIMIT_THREADS: snprintf(text, size, " (localtm.threads: the owner of a word is one byte)"); break;
    case TM_LIMIT_SHARED: explain_shared(&c, n, text, size); break;
    case TM_LIMIT_REGISTERS:
        snprintf(text, size, ": filters take %u, and shadow registers double a thread's", n->registers);
        break;
    case TM_LIMIT_BLOCKS:
        snprintf(text, size, ": localtm.scalar_registers = %u, of which a warp takes one for its conflict mask",
                 c.scalar_registers);
        break;
    }
}
