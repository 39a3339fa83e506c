/* Watched accesses (watch.h): where each lane's access goes, what is compared with it, and the reports. */
#include "ptx/watch/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "ptx/exec/check.h"
#include "ptx/exec/cluster.h"
#include "ptx/matrix/matrix_rows.h"
#include "ptx/memory/async_copy.h"
#include "ptx/memory/bulk_async.h"
#include "ptx/memory/tensor_async.h"
#include "ptx/memory/unwritten.h"
#include "ptx/watch/races.h"

struct watch {
    struct order order;
    struct races races;
    uint8_t *unwritten;              /* of shared memory */
    uint32_t bytes;                  /* of shared memory */
};

/* ---- a block ---- */

static bool wants(const struct block *b, enum check c)
{
    return b->launch->check[c] != CHECK_OFF;
}

void watch_free(struct watch *s)
{
    if (!s)
        return;
    order_free(&s->order);
    races_free(&s->races);
    free(s->unwritten);
    free(s);
}

static struct watch *new_watch(const struct block *b)
{
    struct watch *s = mem_zero(1, sizeof *s, "the watched accesses of a block");
    order_make(&s->order, b->launch);
    s->bytes = b->shared_bytes;
    s->unwritten = mem_zero(s->bytes / 8 + 1, 1, "the map of unwritten shared memory");
    return s;
}

void watch_start(struct block *b)
{
    if (!b->launch->watched) {
        watch_free(b->watch);
        b->watch = NULL;
        return;
    }
    if (!b->watch)
        b->watch = new_watch(b);
    order_restart(&b->watch->order);
    if (wants(b, CHECK_RACES))
        races_restart(&b->watch->races, b->watch->bytes);
    unwritten_set(b->watch->unwritten, 0, b->watch->bytes, true);
}

/* ---- an access of a lane ---- */

enum where { NOWHERE, IN_SHARED, IN_CLUSTER, IN_GLOBAL };

/* address: an offset in shared memory, or a device address. */
struct target { enum where where; uint64_t address; unsigned bytes; };

/* An instruction as its lanes execute it. */
struct watched {
    struct warp *w;
    struct watch *s;
    const struct dinst *d;
    uint8_t kind;                    /* enum mem_op_kind */
    bool strong, reads, writes;
};

static struct target in_shared(const struct watched *x, uint64_t address, unsigned bytes)
{
    const struct block *b = x->w->block;
    if (cluster_part(address) && (x->kind == MOP_BULK || cluster_reaches(x->d))) {
        if (cluster_rank(b, address) != b->rank)
            return (struct target){ IN_CLUSTER, address, bytes };
        address &= CLUSTER_OFFSET_MASK;
    }
    bool inside = address <= x->s->bytes && bytes <= x->s->bytes - address;
    return (struct target){ inside ? IN_SHARED : NOWHERE, address, bytes };
}

/* Where the lane's access goes; illegal ones go nowhere. cp.async: what it writes. */
static struct target target_of(const struct watched *x, struct half *h, int lane)
{
    const struct dinst *d = x->d;
    unsigned bytes = (unsigned)d->size * d->vec;
    if (d->in->op == OP_CP_ASYNC)
        return in_shared(x, async_copy_to(h, d, lane), bytes);
    uint64_t a = mem_address(&h->l, d, lane), window = a >> WINDOW_BITS << WINDOW_BITS;
    switch (d->space) {
    case SP_SHARED: return in_shared(x, ptx_inst_space(d->in) == SP_GENERIC ? a : (uint32_t)a, bytes);
    case SP_GENERIC:
        if (window == WINDOW_SHARED)
            return in_shared(x, a - WINDOW_SHARED, bytes);
        return (struct target){ window ? NOWHERE : IN_GLOBAL, a, bytes };
    case SP_GLOBAL: return (struct target){ window ? NOWHERE : IN_GLOBAL, a, bytes };
    default: return (struct target){ .where = NOWHERE };
    }
}

/* ---- reports ---- */

/* "; 'tile' + 16": the variable of shared memory, if one is known. */
static void name_variable(const struct ptx_var *v, uint64_t address, char *text, size_t size)
{
    for (; v && !*text; v = v->next)
        if (v->space == SP_SHARED && !v->unsized && address - v->address < v->size)
            snprintf(text, size, " ('%.80s' + %llu)", v->name, (unsigned long long)(address - v->address));
}

static void describe_shared(const struct watched *x, uint64_t address, char *text, size_t size)
{
    const struct launch *la = x->w->block->launch;
    *text = 0;
    name_variable(la->code->func->vars, address, text, size);
    for (const struct ptx_module *m = la->program->module; m && !*text; m = m->next)
        name_variable(m->vars, address, text, size);
    if (!*text && la->dynamic_shared && address - la->dynamic_offset < la->dynamic_shared)
        snprintf(text, size, " (dynamic shared memory + %llu)", (unsigned long long)(address - la->dynamic_offset));
}

static const struct code *code_with(const struct program *p, const struct dinst *d)
{
    for (uint32_t i = 0; i < p->nfuncs; i++) {
        const struct code *c = p->func_at[i]->code;
        if (c && d >= c->insts && d < c->insts + c->ninsts)
            return c;
    }
    return NULL;
}

static const char *verb(const struct dinst *d, bool past)
{
    if (ptx_is_mbarrier_test((enum ptx_op)d->in->op))
        return past ? "has read" : "reads";
    switch (ptx_mem_kind((enum ptx_op)d->in->op)) {
    case MOP_STORE: return past ? "has written" : "writes";
    case MOP_ATOM:
    case MOP_RED: return past ? "has updated" : "updates";
    default: return d->in->op == OP_CP_ASYNC ? (past ? "has written" : "writes") : past ? "has read" : "reads";
    }
}

static int report_race(const struct watched *x, int lane, const struct target *t, const struct race_access *other)
{
    const struct block *b = x->w->block;
    uint32_t id[3];
    char variable[120], place[600];
    if (check_pair_tolerated(x->w, x->d, other->d->in, CHECK_RACES, lane))
        return CONTROL_NEXT;
    warp_thread(&b->warps[other->event.warp], other->event.lane, id);
    describe_shared(x, t->address, variable, sizeof variable);
    fault_describe(code_with(b->launch->program, other->d), other->d, place, sizeof place);
    return check_pair_failed(x->w, x->d, other->d->in, CHECK_RACES, FAULT_RACE, lane, t->address,
                             "%s %u bytes at 0x%llx of shared memory%s, which thread (%u,%u,%u) %s; nothing orders the "
                             "two\n  the other access is at %s",
                             verb(x->d, false), t->bytes, (unsigned long long)t->address, variable, id[0], id[1], id[2],
                             verb(other->d, true), place);
}

static int report_unwritten(const struct watched *x, int lane, const struct target *t)
{
    char where[400];
    if (check_tolerated(x->w, x->d, CHECK_UNINITIALISED, lane))
        return CONTROL_NEXT;
    if (t->where == IN_SHARED)
        describe_shared(x, t->address, where, sizeof where);
    else
        fault_describe_address(x->w->block->launch, t->address, where, sizeof where);
    return check_failed(x->w, x->d, CHECK_UNINITIALISED, FAULT_UNINITIALISED, lane, t->address,
                        "%s %u bytes at 0x%llx%s%s, some of which nothing has written", verb(x->d, false), t->bytes,
                        (unsigned long long)t->address, t->where == IN_SHARED ? " of shared memory" : ", ", where);
}

/* ---- checks of an access ---- */

/* The bytes [from, from + n) of what a lane stores, as a number. */
static uint32_t stored(const struct half *h, const struct dinst *d, int lane, unsigned from, unsigned n)
{
    uint32_t v = 0;
    if (from % d->size + n <= d->size) {
        operand of = ((const operand *)d->extra)[from / d->size];
        memcpy(&v, (const char *)lanes_at(&h->l, of) + (unsigned)lane * d->target + from % d->size, n);
        return v;
    }
    for (unsigned i = 0; i < n; i++) {
        operand of = ((const operand *)d->extra)[(from + i) / d->size];
        const uint8_t *reg = (const uint8_t *)lanes_at(&h->l, of) + (unsigned)lane * d->target;
        v |= (uint32_t)reg[(from + i) % d->size] << 8 * i;
    }
    return v;
}

static int check_race(const struct watched *x, struct half *h, int lane, const struct target *t)
{
    struct watch *s = x->s;
    int in_warp = lane + LANES * h->index;
    struct race_access now = {
        .d = x->d, .writes = x->writes, .strong = x->strong, .has_value = x->d->in->op == OP_ST,
        .event = { s->order.time[x->w->index], (uint16_t)x->w->index, (uint8_t)in_warp }
    }, other, first = { 0 };
    races_fit(&s->races, (uint32_t)t->address, t->bytes);
    unsigned grain = s->races.grain;
    for (unsigned at = 0; at < t->bytes; at += grain) {
        if (now.has_value)
            now.value = stored(h, x->d, lane, at, grain);
        if (races_add(&s->races, &s->order, (uint32_t)t->address + at, &now, &other) && !first.d)
            first = other;
    }
    return first.d ? report_race(x, in_warp, t, &first) : CONTROL_NEXT;
}

static bool is_unwritten(const struct watched *x, const struct target *t)
{
    return t->where == IN_SHARED ? unwritten_any(x->s->unwritten, t->address, t->bytes)
                                 : devmem_is_unwritten(x->w->block->launch->mem, t->address, t->bytes);
}

static void set_written(const struct watched *x, const struct target *t)
{
    if (t->where == IN_SHARED)
        unwritten_set(x->s->unwritten, t->address, t->bytes, false);
    else
        devmem_mark(x->w->block->launch->mem, t->address, t->bytes, false);
}

/* Writes of other blocks of a cluster are not marked in this block's map. */
static bool knows_writes(const struct watched *x, const struct target *t)
{
    return t->where == IN_GLOBAL || (t->where == IN_SHARED && cluster_blocks(x->w->block->launch) == 1);
}

static int check_unwritten(const struct watched *x, int lane, const struct target *t)
{
    if (!wants(x->w->block, CHECK_UNINITIALISED) || !knows_writes(x, t))
        return CONTROL_NEXT;
    bool unwritten = x->reads && !x->w->tx.open && is_unwritten(x, t);
    if (x->writes || unwritten)          /* it is reported once */
        set_written(x, t);
    return unwritten ? report_unwritten(x, lane, t) : CONTROL_NEXT;
}

/* ---- order by strong accesses ---- */

static bool acquires(const struct watched *x)
{
    return x->strong && (x->kind == MOP_LOAD || x->kind == MOP_ATOM);
}

static bool releases(const struct watched *x)
{
    return x->strong && x->writes;
}

static void acquire(const struct watched *x, enum where where, uint64_t address, uint64_t lanes)
{
    struct order *o = &x->s->order;
    if (where == IN_SHARED)
        order_acquire(o, order_place(o, address), x->w->index, lanes);
    if (where != IN_SHARED || cluster_blocks(x->w->block->launch) > 1)
        order_acquire(o, o->outside, x->w->index, lanes);
}

static void release(const struct watched *x, enum where where, uint64_t address)
{
    const struct order *o = &x->s->order;
    if (where == IN_SHARED)
        order_release(o, order_place(o, address), x->w->index);
    if (where != IN_SHARED || cluster_blocks(x->w->block->launch) > 1)
        order_release(o, o->outside, x->w->index);
}

static int watch_lane(const struct watched *x, struct half *h, int lane)
{
    struct target t = target_of(x, h, lane);
    int r = CONTROL_NEXT, in_warp = lane + LANES * h->index;
    if (t.where == NOWHERE)
        return CONTROL_NEXT;
    if (acquires(x))
        acquire(x, t.where, t.address, 1ull << in_warp);
    bool synchronous = !x->w->tx.open && !ptx_is_async_store((enum ptx_op)x->d->in->op);
    if (t.where == IN_SHARED && wants(x->w->block, CHECK_RACES) && synchronous)
        r = check_race(x, h, lane, &t);
    if (!r)
        r = check_unwritten(x, in_warp, &t);
    if (releases(x))
        release(x, t.where, t.address);
    return r;
}

static bool is_strong(const struct warp *w, const struct dinst *d)
{
    return w->tx.open || d->shape->order_strong;
}

static void note_written(void *ctx, uint64_t to, uint32_t bytes)
{
    const struct watched *x = ctx;
    bool global = bulk_direction((enum ptx_op)x->d->in->op) == BULK_SHARED_TO_GLOBAL;
    struct target t = global ? (struct target){ IN_GLOBAL, to, bytes } : in_shared(x, to, bytes);
    if (knows_writes(x, &t))
        set_written(x, &t);
}

/* Bulk and tensor copies are asynchronous: only what they write is noted. */
static void note_bulk(struct watched *x, struct half *h, int lane)
{
    enum ptx_op op = (enum ptx_op)x->d->in->op;
    uint32_t bytes;
    if (!wants(x->w->block, CHECK_UNINITIALISED) || bulk_direction(op) == BULK_GLOBAL_TO_L2)
        return;
    if (ptx_is_tensor_copy(op)) {
        tensor_async_writes(h, x->d, lane, note_written, x);
        return;
    }
    uint64_t to = bulk_async_to(h, x->d, lane, &bytes);
    note_written(x, to, bytes);
}

int watch_access(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    enum ptx_op op = (enum ptx_op)d->in->op;
    struct watched x = { .w = w, .s = w->block->watch, .d = d, .kind = d->shape->kind };
    int r = CONTROL_NEXT;
    if (!x.s || x.kind == MOP_PREFETCH || d->space == SP_TEX)
        return CONTROL_NEXT;
    x.strong = is_strong(w, d);
    bool elsewhere = d->space == SP_GLOBAL && op != OP_CP_ASYNC && !x.strong;
    if (elsewhere && !wants(w->block, CHECK_UNINITIALISED))
        return CONTROL_NEXT;
    x.writes = (x.kind != MOP_LOAD || op == OP_CP_ASYNC) && !ptx_is_mbarrier_test(op);
    bool only_writes = op == OP_CP_ASYNC || op == OP_MBARRIER_INIT || d->in->mod[PG_ATOM] == MOD(ATOM, EXCH);
    x.reads = x.kind != MOP_STORE && !only_writes;
    if (op == OP_LDMATRIX || op == OP_STMATRIX)
        lanes &= mask_all(8u * (unsigned)matrix_count(d)) * 0x100000001u;
    x.s->order.time[w->index]++;
    for (uint64_t m = lanes; m && !r; m &= m - 1) {
        struct half *h = &w->half[__builtin_ctzll(m) / LANES];
        int lane = __builtin_ctzll(m) % LANES;
        if (x.kind == MOP_BULK)
            note_bulk(&x, h, lane);
        else
            r = watch_lane(&x, h, lane);
    }
    return r;
}

void watch_returned(const struct mem_op *op)
{
    struct warp *w = op->warp;
    struct watched x = { .w = w, .s = w->block->watch, .kind = op->kind, .strong = is_strong(w, op->d) };
    if (!x.s || !acquires(&x))
        return;
    uint64_t lanes = op->lanes | op->combined;
    for (uint64_t m = op->served_by[SERVE_SHARED]; m; m &= m - 1)
        acquire(&x, IN_SHARED, op->address[__builtin_ctzll(m)], lanes);
    if (op->served_by[SERVE_GLOBAL] | op->served_by[SERVE_CLUSTER])
        acquire(&x, IN_GLOBAL, 0, lanes);
}

/* ---- functional mode ---- */

static int run_watched(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    if (!h->worker->launch->timed && watch_access(h->warp, d, (uint64_t)l->mask << LANES * h->index) == CONTROL_FAULT)
        return CONTROL_FAULT;
    return d->shape->unwatched(l, d);
}

void watch_step(struct dinst *d, struct mem_shape *shape)
{
    ptx_fn **inner = d->guarded ? &d->guarded : &d->fn;
    shape->unwatched = *inner;
    *inner = run_watched;
}

/* ---- synchronisation ---- */

void watch_arrive(struct warp *w, uint32_t barrier)
{
    struct watch *s = w->block->watch;
    if (s)
        order_release(&s->order, order_barrier(&s->order, barrier), w->index);
}

/* A barrier of all threads no longer waits for those that have exited: what they did happened before. Barriers with a
 * count get it, too: a race may be missed. */
static void add_exited(struct block *b, uint32_t *clock)
{
    for (uint32_t i = 0; i < b->nwarps; i++)
        if (b->warps[i].exist != b->warps[i].launched)
            order_release(&b->watch->order, clock, i);
}

void watch_complete(struct block *b, uint32_t barrier)
{
    struct watch *s = b->watch;
    if (!s)
        return;
    uint32_t *clock = order_barrier(&s->order, barrier);
    add_exited(b, clock);
    for (uint32_t i = 0; i < b->nwarps; i++)
        if (b->barriers[barrier].waiting_mask[i])
            order_acquire(&s->order, clock, i, b->barriers[barrier].waiting_mask[i]);
    memset(clock, 0, s->order.warps * sizeof *clock);
}

void watch_lanes_meet(struct warp *w, uint64_t lanes)
{
    if (w->block->watch && w->block->watch->order.lane_known)
        order_meet(&w->block->watch->order, w->index, lanes);
}

void watch_cluster_arrive(struct warp *w)
{
    struct watch *s = w->block->watch;
    if (s)
        order_release(&s->order, s->order.outside, w->index);
}

void watch_cluster_complete(struct block *b)
{
    struct watch *s = b->watch;
    if (s)
        add_exited(b, s->order.outside);
    for (uint32_t i = 0; s && i < b->nwarps; i++)
        order_acquire(&s->order, s->order.outside, i, b->warps[i].exist);
}
