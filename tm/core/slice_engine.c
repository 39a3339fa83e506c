/*
 * Transactional memory at every L2 slice: passes messages and accesses to the protocol's engine, if it has one, and
 * reports plain stores and atomics to the oracle.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/core/tm_impl.h"

struct tm_slice {
    const struct engine_kind *kind;  /* of the protocol; NULL = none */
    void *engine;
    struct oracle_events *events;
    const struct tm_gpu *gpu;
    struct engine_home home;
};

static void *new_engine(void *shared, const struct engine_home *home)
{
    struct tm_gpu *t = shared;
    struct tm_slice *s = mem_zero(1, sizeof *s, "a slice's transactional engine");
    *s = (struct tm_slice){ .kind = t->protocol->engine, .events = tm_slice_events(t, home->slice), .home = *home,
                            .gpu = t };
    if (s->kind)
        s->engine = s->kind->new_engine(t, home);
    return s;
}

static void free_engine(void *engine)
{
    struct tm_slice *s = engine;
    if (s->kind)
        s->kind->free_engine(s->engine);
    free(s);
}

static bool take(void *engine, struct packet *k, uint64_t now)
{
    struct tm_slice *s = engine;
    return s->kind->take(s->engine, k, now);
}

static void performed(void *engine, struct packet *k, uint64_t now)
{
    struct tm_slice *s = engine;
    s->kind->performed(s->engine, k, now);
}

static uint64_t run(void *engine, uint64_t now)
{
    struct tm_slice *s = engine;
    return s->kind ? s->kind->run(s->engine, now) : NEVER;
}

static bool before(void *engine, const struct packet *k, uint64_t now)
{
    struct tm_slice *s = engine;
    return !s->gpu->active || !s->kind || !s->kind->before || s->kind->before(s->engine, k, now);
}

static void report_atomic(struct tm_slice *s, const struct packet *k, uint64_t cycle)
{
    const struct atom_payload *a = k->atom;
    uint64_t mask[2] = { 0 };
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
        if (a->lanes[lane / LANES] >> lane % LANES & 1)
            mask[a->offset[lane] / 64] |= UINT64_C(15) << (a->offset[lane] & 60);
    oracle_atomic(s->events, k->line, mask, engine_bytes(&s->home, k->mapped), cycle);
}

/* Accesses by the engine (k->own) are no plain accesses. Private memory is not checked: only its warp accesses it.
 * Requests of a coherence protocol have kinds of their own. */
static void accessed(void *engine, const struct packet *k, uint64_t now)
{
    struct tm_slice *s = engine;
    if (!s->gpu->active)
        return;
    if (k->own) {
        if (s->kind->accessed)
            s->kind->accessed(s->engine, k, now);
        return;
    }
    uint64_t cycle = s->events ? clock_convert(s->home.clocks, CLK_L2, CLK_CORE, now) : 0;
    if (s->events && k->kind != MSG_READ && k->type == ACCESS_GLOBAL_STORE && (k->mask[0] | k->mask[1]))
        oracle_plain(s->events, k->line, k->mask, engine_bytes(&s->home, k->mapped), k->data, cycle);
    else if (s->events && k->kind != MSG_READ && k->atom)
        report_atomic(s, k, cycle);
    if (s->kind && s->kind->accessed)
        s->kind->accessed(s->engine, k, now);
}

static void note(void *engine, struct packet *k, uint64_t now)
{
    struct tm_slice *s = engine;
    s->kind->note(s->engine, k, now);
}

static void copied(void *engine, uint64_t now)
{
    struct tm_slice *s = engine;
    s->kind->copied(s->engine, now);
}

static void settle(void *engine, uint64_t until)
{
    struct tm_slice *s = engine;
    if (s->kind && s->kind->settle)
        s->kind->settle(s->engine, until);
}

static bool idle(const void *engine)
{
    const struct tm_slice *s = engine;
    return !s->kind || !s->kind->idle || s->kind->idle(s->engine);
}

static void dump(const void *engine, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct tm_slice *s = engine;
    if (s->kind && s->kind->dump)
        s->kind->dump(s->engine, line, ctx);
}

const struct engine_kind tm_slice_engine = {
    .new_engine = new_engine, .free_engine = free_engine, .take = take, .performed = performed, .run = run,
    .before = before, .accessed = accessed, .note = note,
    .copied = copied, .settle = settle, .idle = idle, .dump = dump
};
