/*
 * What a block with transactions takes of an SM (GPU-LocalTM, section 4.3): a vector register for the filters of a
 * thread in a bank, a second one for every register of its own, a scalar register a warp for its conflict mask, and
 * shadow memory: for each of the N words that the kernel declares a word for its old value and a byte for its owner. N
 * is whole rows of the banks, as the old value of a word must lie in its bank: of 64 kB a kernel may declare 29056
 * bytes, less than the 29127 of the formula without rows.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tm/localtm/localtm.h"

enum { WORD = 4, ROW_BYTES_A_BANK = WORD + WORD + 1, REGISTER_BITS = 32 };

bool local_check(const struct simtx_config *c, char *error, size_t size)
{
    int64_t bits = config_int(c, KEY_LOCALTM_FILTER_BITS);
    bool power = !(bits & (bits - 1));
    if (!power)
        snprintf(error, size, "localtm.filter_bits = %" PRId64 ": filters need a power of two", bits);
    return power;
}

/* Bytes of shared memory that a block reaches. */
static uint32_t reach(const struct simtx_config *c)
{
    uint32_t all = (uint32_t)config_int(c, KEY_GPU_SHARED_PER_SM);
    uint32_t group = (uint32_t)config_int(c, KEY_LOCALTM_GROUP_BYTES);
    return group && group < all ? group : all;
}

static uint32_t filter_registers(const struct simtx_config *c)
{
    uint32_t bits = (uint32_t)config_int(c, KEY_LOCALTM_FILTER_BITS) * (config_bool(c, KEY_LOCALTM_READ_WRITE) ? 2 : 1);
    return (bits + REGISTER_BITS - 1) / REGISTER_BITS;
}

void local_need(const struct simtx_config *c, uint32_t shared, uint32_t warps, struct banks_need *n)
{
    uint32_t banks = (uint32_t)config_int(c, KEY_SHARED_BANKS), most = reach(c) / (banks * ROW_BYTES_A_BANK);
    uint32_t rows = shared / (banks * WORD) + (shared % (banks * WORD) != 0);
    uint32_t threads = (uint32_t)config_int(c, KEY_LOCALTM_THREADS);
    *n = (struct banks_need){
        .threads = threads,
        .registers = threads * banks * filter_registers(c),
        .register_copies = 2,
        .shared = rows <= most ? rows * banks * ROW_BYTES_A_BANK : 0,
        .shared_most = most * banks * WORD,
        .blocks = (uint32_t)config_int(c, KEY_LOCALTM_SCALAR) / (warps ? warps : 1)
    };
}

/* ---- the same in words ---- */

static void explain_shared(const struct simtx_config *c, const struct banks_need *n, char *text, size_t size)
{
    uint32_t total = reach(c), banks = (uint32_t)config_int(c, KEY_SHARED_BANKS);
    uint32_t values = (uint32_t)((uint64_t)total * WORD / ROW_BYTES_A_BANK), owners = total - 2 * values;
    bool group = total != (uint32_t)config_int(c, KEY_GPU_SHARED_PER_SM);
    snprintf(text, size, ": values and backups take 2 x %u bytes and owners %u, of %u%s (by the papers' formula %u and "
             "%u; rows of %u banks are whole)", n->shared_most, n->shared_most / WORD, total,
             group ? " (localtm.group_bytes)" : "", values, owners, banks);
}

void local_explain(const struct simtx_config *c, enum banks_limit limit, const struct banks_need *n, char *text,
                   size_t size)
{
    switch (limit) {
    case BANKS_THREADS: snprintf(text, size, " (localtm.threads: the owner of a word is one byte)"); break;
    case BANKS_SHARED: explain_shared(c, n, text, size); break;
    case BANKS_REGISTERS:
        snprintf(text, size, ": filters take %u, and shadow registers double a thread's", n->registers);
        break;
    case BANKS_BLOCKS:
        snprintf(text, size, ": localtm.scalar_registers = %" PRId64 ", of which a warp takes one for its conflict "
                 "mask", config_int(c, KEY_LOCALTM_SCALAR));
        break;
    }
}
