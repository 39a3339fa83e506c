/*
 * The toy for shared memory. One warp of a block at a time is in a transaction, and its lanes run their transactions
 * one after another (tm.serial). So there are no conflicts, nothing is rolled back, and the banks do no extra work.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/core/shared_protocol.h"

struct toy_banks {                   /* of an SM */
    uint32_t begin;
    struct tm_block *block[];        /* by warp slot; its `protocol` is the element of the warp inside, NULL = none */
};

static bool check(const struct simtx_config *c, char *error, size_t size)
{
    bool fits = config_bool(c, KEY_TM_SERIAL) && !config_choice(c, KEY_TM_GLOBAL);
    if (!fits)
        snprintf(error, size, "tm.shared = toy needs tm.serial = true and tm.global = none: it cannot roll back");
    return fits;
}

/* As without transactions. */
static void resources(const struct simtx_config *c, uint32_t shared, uint32_t warps, struct tm_block_resources *n)
{
    *n = (struct tm_block_resources){
        .threads = UINT32_MAX, .register_copies = 1, .shared = shared,
        .shared_most = (uint32_t)config_int(c, KEY_GPU_SHARED_PER_SM), .blocks = UINT32_MAX
    };
}

static void *new_core(struct tm_core *tm)
{
    struct toy_banks *k = mem_zero(1, sizeof *k + tm_slots(tm) * sizeof *k->block, "the toy protocol at an SM");
    k->begin = (uint32_t)config_int(tm_config(tm), KEY_TOY_BEGIN);
    return k;
}

static void block_starts(void *core, struct tm_block *b)
{
    b->protocol = NULL;
    for (uint32_t i = 0; i < b->warps; i++)
        ((struct toy_banks *)core)->block[b->slot[i]] = b;
}

static void block_ends(void *core, struct tm_block *b) { }

/* A warp that may not begin is woken when another one has left its transaction. */
static bool may_begin(void *core, uint32_t slot)
{
    struct tm_block **me = &((struct toy_banks *)core)->block[slot];
    if (!(*me)->protocol)
        (*me)->protocol = me;
    return (*me)->protocol == me;
}

static void ended(void *core, uint32_t slot, uint64_t now)
{
    ((struct toy_banks *)core)->block[slot]->protocol = NULL;
}

static bool may_run(void *core, uint32_t slot)
{
    return true;
}

/* What tx_begin costs the warp. */
static uint32_t attempt(void *core, uint32_t slot, uint64_t lanes, bool first, uint64_t now)
{
    return ((const struct toy_banks *)core)->begin;
}

static struct tm_access_result access(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now)
{
    return (struct tm_access_result){ .conflicts = 0, .cycles = 0 };
}

static uint32_t commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    return 0;
}

static void committed(void *core, uint32_t slot, uint64_t lanes, uint64_t now) { }

static void aborted(void *core, uint32_t slot, uint64_t lanes, uint64_t now) { }

static bool serialise(void *core, uint32_t slot, uint64_t lanes, uint64_t lost, uint64_t now)
{
    return false;
}

static uint64_t run(void *core, uint64_t now)
{
    return NEVER;
}

const struct tm_shared_protocol tm_toy_shared = {
    .name = "toy", .check = check, .resources = resources, .new_core = new_core, .free_core = free,
    .block_starts = block_starts, .block_ends = block_ends, .may_begin = may_begin, .may_run = may_run,
    .attempt = attempt, .access = access, .commit = commit, .committed = committed, .aborted = aborted,
    .serialise = serialise, .ended = ended, .run = run
};
