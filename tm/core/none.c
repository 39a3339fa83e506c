/*
 * Transactions without a protocol for global memory (tm.global = none). Accesses to global memory are performed as
 * outside transactions, and an abort does not undo them. Attempts that reach tx_commit commit after the cycles that the
 * protocol for shared memory needs. Reads are never stale: that protocol keeps the words of an attempt from other
 * lanes.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/core/tm_impl.h"

struct plain {
    struct tm_core *c;
    uint32_t *slot, slots;           /* warps that are committing */
    uint64_t *due;                   /* by slot: core cycle of the outcome */
};

static void *new_core(struct tm_core *c, void *shared)
{
    struct plain *p = mem_zero(1, sizeof *p, "plain transactions at an SM");
    (void)shared;
    p->c = c;
    p->slot = mem_zero(tm_slots(c), sizeof *p->slot, "warps that commit");
    p->due = mem_zero(tm_slots(c), sizeof *p->due, "warps that commit");
    return p;
}

static void free_core(void *core)
{
    struct plain *p = core;
    free(p->slot);
    free(p->due);
    free(p);
}

static void attempt(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    (void)core, (void)slot, (void)lanes, (void)now;
}

static void commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct plain *p = core;
    p->slot[p->slots++] = slot;
    p->due[slot] = now + tm_shared_commit(p->c, slot, lanes, now);
    tm_run_at(p->c, p->due[slot]);
}

static void decide(struct plain *p, uint32_t slot, uint64_t now)
{
    for (uint64_t m = tm_lanes_in(p->c, slot); m; m &= m - 1)
        tm_decide(p->c, slot, (unsigned)__builtin_ctzll(m), true, 0, 0, now);
}

static uint64_t run(void *core, uint64_t now)
{
    struct plain *p = core;
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < p->slots;) {
        uint32_t slot = p->slot[i];
        if (p->due[slot] > now) {
            next = clock_earlier(next, p->due[slot]);
            i++;
            continue;
        }
        for (uint32_t k = i + 1; k < p->slots; k++)
            p->slot[k - 1] = p->slot[k];
        p->slots--;
        decide(p, slot, now);
    }
    return next;
}

static void validate(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct plain *p = core;
    tm_validated(p->c, slot, lanes, 0, now);
}

static bool idle(const void *core)
{
    return !((const struct plain *)core)->slots;
}

const struct tm_protocol tm_plain = {
    .name = "none", .plain = true, .new_core = new_core, .free_core = free_core, .attempt = attempt, .commit = commit,
    .validate = validate, .run = run, .idle = idle
};
