/*
 * Beside every L2 slice: the protocol's unit, if it has one, and the oracle's ear for plain stores and atomics, which
 * performed beside transactions.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/core/tm_impl.h"

struct tm_slice {
    const struct engine_kind *kind;  /* the protocol's; NULL = none */
    void *unit;
    struct oracle_note *note;
    const struct tm_gpu *gpu;
    struct engine_home home;
};

static void *new_engine(void *shared, const struct engine_home *home)
{
    struct tm_gpu *t = shared;
    struct tm_slice *s = mem_zero(1, sizeof *s, "a slice's transactional unit");
    *s = (struct tm_slice){ .kind = t->protocol->engine, .note = tm_slice_note(t, home->slice), .home = *home,
                            .gpu = t };
    if (s->kind)
        s->unit = s->kind->new_engine(t, home);
    return s;
}

static void free_engine(void *unit)
{
    struct tm_slice *s = unit;
    if (s->kind)
        s->kind->free_engine(s->unit);
    free(s);
}

static bool take(void *unit, struct packet *k, uint64_t now)
{
    struct tm_slice *s = unit;
    return s->kind->take(s->unit, k, now);
}

static void performed(void *unit, struct packet *k, uint64_t now)
{
    struct tm_slice *s = unit;
    s->kind->performed(s->unit, k, now);
}

static uint64_t run(void *unit, uint64_t now)
{
    struct tm_slice *s = unit;
    return s->kind ? s->kind->run(s->unit, now) : NEVER;
}

static bool before(void *unit, const struct packet *k, uint64_t now)
{
    struct tm_slice *s = unit;
    return !s->gpu->active || !s->kind || !s->kind->before || s->kind->before(s->unit, k, now);
}

static void note_atomic(struct tm_slice *s, const struct packet *k, uint64_t cycle)
{
    const struct atom_payload *a = k->atom;
    uint64_t mask[2] = { 0 };
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
        if (a->lanes[lane / LANES] >> lane % LANES & 1)
            mask[a->offset[lane] / 64] |= UINT64_C(15) << (a->offset[lane] & 60);
    oracle_plain(s->note, k->mapped, mask, NULL, cycle);
}

/* Private memory is nobody else's. */
static void accessed(void *unit, const struct packet *k, uint64_t now)
{
    struct tm_slice *s = unit;
    if (!s->gpu->active)
        return;
    if (k->own) {
        if (s->kind->accessed)
            s->kind->accessed(s->unit, k, now);
        return;
    }
    uint64_t cycle = s->note ? clock_convert(s->home.clocks, CLK_L2, CLK_CORE, now) : 0;
    if (s->note && k->kind == MSG_WRITE && k->type == ACCESS_GLOBAL_STORE && (k->mask[0] | k->mask[1]))
        oracle_plain(s->note, k->mapped, k->mask, k->data, cycle);
    else if (s->note && k->kind == MSG_ATOMIC && k->atom)
        note_atomic(s, k, cycle);
    if (s->kind && s->kind->accessed)
        s->kind->accessed(s->unit, k, now);
}

static void settle(void *unit, uint64_t until)
{
    struct tm_slice *s = unit;
    if (s->kind && s->kind->settle)
        s->kind->settle(s->unit, until);
}

static bool idle(const void *unit)
{
    const struct tm_slice *s = unit;
    return !s->kind || !s->kind->idle || s->kind->idle(s->unit);
}

static void dump(const void *unit, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct tm_slice *s = unit;
    if (s->kind && s->kind->dump)
        s->kind->dump(s->unit, line, ctx);
}

const struct engine_kind tm_slice_engine = {
    .new_engine = new_engine, .free_engine = free_engine, .take = take, .performed = performed, .run = run,
    .before = before, .accessed = accessed, .settle = settle, .idle = idle, .dump = dump
};
