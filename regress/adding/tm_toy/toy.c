/*
 * A protocol as small as one can be: loads and stores cost nothing beside what the loads read. A transaction is decided
 * some cycles after tx_commit: it commits when all words that it has read still have the same values, and then its
 * writes are in memory at once. Commits happen one after another in the serial step.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/oracle/oracle.h"
#include "tm/tm.h"

struct toy { struct tm_gpu *gpu; uint64_t commits; };            /* of the machine */

struct toy_warp { uint64_t commit, validate, due; };             /* lanes; core cycle of the outcome */

struct toy_core {                                                /* of an SM */
    struct tm_core *tm;
    uint32_t asking;                                             /* warps that wait for an outcome */
    struct toy_warp warp[];                                      /* by slot */
};

/* ---- life ---- */

static void *new_gpu_state(struct tm_gpu *gpu, const struct simtx_config *c)
{
    struct toy *s = mem_zero(1, sizeof *s, "the toy protocol");
    s->gpu = gpu;
    return s;
}

static void *new_core(struct tm_core *tm, void *shared)
{
    struct toy_core *k = mem_zero(1, sizeof *k + tm_slots(tm) * sizeof *k->warp, "the toy protocol at an SM");
    k->tm = tm;
    return k;
}

static bool one_cycle_windows(const struct simtx_config *c)
{
    return true;
}

/* ---- calls of the common part ---- */

static void attempt(void *core, uint32_t slot, uint64_t lanes, uint64_t now) { }

static void load(void *core, struct tm_load *l, uint64_t now) { }

static void store(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now) { }

static void ask(struct toy_core *k, uint32_t slot, struct toy_warp asked)
{
    k->warp[slot] = asked;
    k->asking++;
    tm_run_at(k->tm, asked.due);
}

static void commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct toy_core *k = core;
    uint64_t due = now + (uint64_t)config_int(tm_config(k->tm), KEY_TOY_COMMIT);
    ask(k, slot, (struct toy_warp){ .commit = lanes, .due = due });
}

static void validate(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    ask(core, slot, (struct toy_warp){ .validate = lanes, .due = now });
}

/* No engine sends any. */
static void message(void *core, struct packet *k, uint64_t now)
{
    packet_return(k);
}

/* The serial step decides; tm_run_at has requested the cycle. */
static uint64_t run(void *core, uint64_t now)
{
    return NEVER;
}

static bool idle(const void *core)
{
    return !((const struct toy_core *)core)->asking;
}

/* ---- the serial step ---- */

static bool current(struct toy_core *k, const struct tm_lane *l)
{
    tm_count(k->tm)[STAT_TOY_COMPARED] += l->reads.n;
    for (const struct tm_word *w = l->reads.w; w < l->reads.w + l->reads.n; w++)
        if (*(const uint32_t *)(uintptr_t)w->address != w->value)
            return false;
    return true;
}

/* Every write is reported to the oracle. */
static void write_back(struct toy *s, struct toy_core *k, const struct tm_set *writes, uint64_t now)
{
    for (const struct tm_word *w = writes->w; w < writes->w + writes->n; w++) {
        uint8_t *memory = (uint8_t *)(uintptr_t)w->address;
        struct oracle_events *events = tm_slice_events(s->gpu, tm_slice(k->tm, w->address));
        if (events)
            oracle_tx_write(events, w->address, *(uint32_t *)memory, now);
        for (unsigned b = 0; b < 4; b++)
            if (w->bytes >> b & 1)
                memory[b] = (uint8_t)(w->value >> 8 * b);
    }
}

/* Its number is the commit's key: the oracle replays commits in this order. */
static void decide(struct toy *s, struct toy_core *k, uint32_t slot, unsigned lane, uint64_t now)
{
    const struct tm_lane *l = tm_lane(k->tm, slot, lane);
    bool commits = current(k, l);
    if (commits)
        write_back(s, k, &l->writes, now);
    tm_decide(k->tm, slot, lane, commits, commits ? ++s->commits : 0, TM_VALIDATION, now);
}

static void answer(struct toy *s, struct toy_core *k, uint32_t slot, uint64_t now)
{
    struct toy_warp asked = k->warp[slot];
    uint64_t good = 0;
    k->warp[slot] = (struct toy_warp){ 0 };
    k->asking--;
    for (uint64_t m = asked.commit; m; m &= m - 1)
        decide(s, k, slot, (unsigned)__builtin_ctzll(m), now);
    for (uint64_t m = asked.validate; m; m &= m - 1)
        good |= current(k, tm_lane(k->tm, slot, (unsigned)__builtin_ctzll(m))) ? m & -m : 0;
    if (asked.validate)
        tm_validated(k->tm, slot, good, asked.validate & ~good, now);
}

/* In the order of SMs and warp slots, whoever simulates them. */
static void step(void *shared, void *const *cores, uint32_t n, uint64_t now)
{
    for (uint32_t i = 0; i < n; i++) {
        struct toy_core *k = cores[i];
        for (uint32_t slot = 0; k->asking && slot < tm_slots(k->tm); slot++)
            if ((k->warp[slot].commit | k->warp[slot].validate) && k->warp[slot].due < now)
                answer(shared, k, slot, now);
    }
}

const struct tm_protocol tm_toy = {
    .name = "toy", .global_step = one_cycle_windows, .new_gpu_state = new_gpu_state, .free_gpu_state = free,
    .new_core = new_core, .free_core = free, .attempt = attempt, .load = load, .store = store, .commit = commit,
    .validate = validate, .message = message, .run = run, .idle = idle, .step = step
};
