/*
 * CTA barriers (PTX ISA 9.7.13.1 and .2): sixteen a block, each with the arrived threads, the expected number, and a
 * reduction. A warp arrives with all its lanes; of independent lanes each group arrives by itself.
 */
#include <string.h>

#include "ptx/exec/check.h"
#include "ptx/watch/watch.h"

static uint32_t value_at(struct warp *w, operand o, int lane)
{
    return ((const uint32_t *)lanes_at(&w->half[lane / LANES].l, o))[lane % LANES];
}

static bool predicate_at(struct warp *w, operand o, int lane)
{
    return *(const uint32_t *)lanes_at(&w->half[lane / LANES].l, o) >> lane % LANES & 1;
}

/* Threads that an arrival counts for: in a barrier with a thread count all existing lanes of a PTX warp count as 32. */
static uint32_t weight(const struct warp *w, const struct barrier *b, uint64_t lanes)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->block->launch->warp_size / LANES; i++) {
        uint32_t part = (uint32_t)(lanes >> LANES * i), whole = (uint32_t)(w->exist >> LANES * i);
        n += b->expected && part && part == whole ? LANES : (uint32_t)__builtin_popcount(part);
    }
    return n;
}

static void write_results(struct warp *w, const struct dinst *d, const struct barrier *b, uint64_t lanes)
{
    uint8_t op = d->in->mod[PG_REDOP];
    for (uint64_t m = lanes; m; m &= m - 1) {
        int lane = __builtin_ctzll(m), i = lane % LANES;
        struct lanes *x = &w->half[lane / LANES].l;
        uint32_t *out = lanes_at(x, d->dst);
        if (op == MOD(REDOP, POPC))
            out[i] = b->popc;
        else {
            uint32_t yes = op == MOD(REDOP, AND) ? b->all : b->any;
            *out = (*out & ~(1u << i)) | yes << i;
        }
    }
}

/* The barrier instruction of a waiting group, whose pc is the step after it. */
static const struct dinst *barrier_step(const struct warp *w, const struct simt_entry *e)
{
    return &w->frame[e->frame].code->insts[e->pc - 1];
}

static void release_warp(struct warp *w, struct barrier *b, uint32_t id)
{
    for (uint32_t i = 0; i < w->nentry; i++) {
        struct simt_entry *e = &w->entry[i];
        if (e->waits != WAIT_BARRIER || e->barrier != id)
            continue;
        e->waits = WAIT_NONE;
        if (b->red) {
            warp_set_frame(w, e->frame);
            write_results(w, barrier_step(w, e), b, e->mask & w->exist);
            warp_set_frame(w, simt_top(w)->frame);
        }
    }
    if (w->state == WARP_BARRIER)
        w->state = WARP_READY;
    w->block->released |= 1ull << w->index % 64;
}

static void complete(struct block *blk, struct barrier *b, uint32_t id)
{
    blk->worker->count[STAT_BARRIERS] += id < MAX_BARRIERS;
    blk->worker->changes++;              /* progress, for loops that wait */
    watch_complete(blk, id);
    for (uint32_t i = 0; i < blk->nwarps; i++)
        if (b->waiting_mask[i])
            release_warp(&blk->warps[i], b, id);
    memset(b->arrived_mask, 0, blk->nwarps * sizeof *b->arrived_mask);
    memset(b->waiting_mask, 0, blk->nwarps * sizeof *b->waiting_mask);
    b->arrived = b->expected = b->popc = 0;
    b->active = false;
    b->red = 0;
}

static bool is_complete(const struct block *blk, const struct barrier *b)
{
    return b->active && b->arrived >= (b->expected ? b->expected : blk->live_threads);
}

static bool is_at_end(const struct warp *w, const struct simt_entry *e)
{
    const struct dinst *d = &w->frame[e->frame].code->insts[e->pc];
    if (!d->counts)
        d++;                                     /* a join marker */
    return e->frame == 0 && (!d->in || ((d->in->op == OP_RET || d->in->op == OP_EXIT) && !d->in->guard));
}

/*
 * Lanes that branched to the kernel's end (`if (i >= n) return;`) are in an entry below, where the stack makes them
 * wait for the others. A barrier must not wait for them, so they exit now.
 */
static void exit_lanes_at_end(struct warp *w)
{
    uint64_t above = simt_top(w)->mask;
    for (uint32_t i = w->nentry - 1; i-- > 0;) {
        const struct simt_entry *e = &w->entry[i];
        uint64_t waiting = e->mask & w->exist & ~above;
        above |= e->mask;
        if (!waiting || !is_at_end(w, e))
            continue;
        w->half[0].worker->count[STAT_THREAD_INSTRUCTIONS] += (uint64_t)__builtin_popcountll(waiting);
        simt_exit(w, waiting);
    }
}

/* The barrier will execute again. */
static void uncount(struct warp *w, uint64_t lanes)
{
    uint64_t *c = w->half[0].worker->count;
    c[STAT_WARP_INSTRUCTIONS]--;
    c[STAT_THREAD_INSTRUCTIONS] -= (uint64_t)__builtin_popcountll(lanes);
}

/* Entry `next` becomes the top, and the barrier of the top entry executes again later. False: there is none. */
static bool runs_instead(struct warp *w, uint64_t lanes, bool (*next)(struct warp *w, enum wait how), enum wait how)
{
    struct simt_entry *e = simt_top(w);
    e->pc--;
    if (!next(w, how)) {
        e->pc++;
        return false;
    }
    uncount(w, lanes);
    return true;
}

/* Lanes that leave a loop in different iterations, while other lanes leave it elsewhere, reach this barrier in several
 * groups. The earlier groups arrive with the last one. */
static uint64_t with_earlier_groups(struct warp *w, const struct dinst *d, uint64_t lanes, enum wait how)
{
    uint64_t joined = d->in->guard ? 0 : simt_join(w, simt_top(w)->pc - 1, how);
    w->half[0].worker->count[STAT_THREAD_INSTRUCTIONS] += (uint64_t)__builtin_popcountll(joined);
    return lanes | joined;
}

/* Lanes skip the barrier. False: a fault was raised. */
static bool tolerates_divergence(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    const struct dinst *where;
    int first = __builtin_ctzll(lanes);
    if (check_tolerated(w, d, CHECK_BARRIER, first))
        return true;
    uint64_t others = simt_other_lanes(w, &where);
    char place[256] = "elsewhere";
    if (where)
        fault_place(where, place, sizeof place);
    const char *then = w->block->launch->check[CHECK_BARRIER] == CHECK_FAULT
                           ? "a barrier in divergent code cannot complete under a SIMT stack (--simt independent runs "
                             "them on)"
                           : "the warp arrives with all its lanes";
    return !check_failed(w, d, CHECK_BARRIER, FAULT_BARRIER, first, 0,
                         "%d of the warp's %d lanes reach the barrier, the others (lane %d first) wait at %s; %s",
                         __builtin_popcountll(lanes), __builtin_popcountll(w->exist),
                         __builtin_ctzll(others ? others : 1), place, then);
}

/*
 * Where check.barrier tolerates that lanes skip a barrier, the warp arrives with all its lanes, as on hardware before
 * compute capability 7.0 (PTX ISA 9.7.13.1). Of several barriers that its lanes wait at, it arrives first at the one
 * reached first.
 */
static bool arrives_divergent(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    bool tolerant = w->block->launch->check[CHECK_BARRIER] != CHECK_FAULT;
    if (tolerant && !simt_top(w)->alone && runs_instead(w, lanes, simt_resume, WAIT_LANES))
        return false;
    simt_top(w)->alone = false;
    return tolerates_divergence(w, d, lanes);
}

/* The other side of a branch may leave the kernel (`if (i >= n) { out[i] = 0; return; }`): it runs first. */
bool barrier_gather(struct warp *w, const struct dinst *d, uint64_t *lanes, enum wait how)
{
    simt_top(w)->waits = WAIT_NONE;
    if (*lanes == w->exist)
        return true;
    exit_lanes_at_end(w);
    if (*lanes == w->exist)
        return true;
    if (!simt_top(w)->alone && runs_instead(w, *lanes, simt_defer, how))
        return false;
    *lanes = with_earlier_groups(w, d, *lanes, how);
    return true;
}

bool barrier_converges(struct warp *w, const struct dinst *d, uint64_t *lanes)
{
    if (w->block->launch->program->independent)
        return true;
    return barrier_gather(w, d, lanes, WAIT_LANES) && (*lanes == w->exist || arrives_divergent(w, d, *lanes));
}

/* The lanes that an arrival counts for. */
static uint64_t arriving(const struct warp *w, uint64_t lanes)
{
    return w->block->launch->program->independent ? lanes : w->exist;
}

/* The barrier of wgmma.wait_group is that of the warpgroup, whose threads must all exist. False: a fault. */
static bool warpgroup_barrier(struct warp *w, const struct dinst *d, int lane, uint32_t *id)
{
    uint32_t first = warpgroup_first(w, 0) / w->halves, n = WARPGROUP_THREADS / LANES / w->halves;
    for (uint32_t i = first; i < first + n; i++)
        if (i >= w->block->nwarps || w->block->warps[i].exist != mask_all(w->halves * LANES)) {
            fault_raise(w, d, FAULT_WARP, lane, 0, "waits with its warpgroup, warps %u to %u, of which warp %u lacks "
                        "threads: the block has too few, or they have exited", first, first + n - 1, i);
            return false;
        }
    *id = MAX_BARRIERS + first * w->halves / (WARPGROUP_THREADS / LANES);
    return true;
}

static struct barrier *open_barrier(struct warp *w, const struct dinst *d, uint64_t lanes, uint32_t *id)
{
    struct block *blk = w->block;
    int lane = __builtin_ctzll(lanes);
    bool group = d->in->op == OP_WGMMA_WAIT;
    *id = group ? 0 : value_at(w, d->src[0], lane);
    uint32_t count = group ? WARPGROUP_THREADS : d->vec ? value_at(w, d->src[1], lane) : 0;
    if (group && !warpgroup_barrier(w, d, lane, id))
        return NULL;
    if (!group && *id >= MAX_BARRIERS) {
        fault_raise(w, d, FAULT_BARRIER, lane, 0, "barrier number %u; a block has %d", *id, MAX_BARRIERS);
        return NULL;
    }
    struct barrier *b = &blk->barriers[*id];
    if (d->vec && (count == 0 || count % LANES || count > MAX_BLOCK_THREADS)) {
        fault_raise(w, d, FAULT_BARRIER, lane, 0, "barrier for %u threads; the count is a multiple of 32", count);
        return NULL;
    }
    if (b->active && b->expected != count) {
        fault_raise(w, d, FAULT_BARRIER, lane, 0, "barrier %u is waited for with %u threads here and %u elsewhere", *id,
                    count, b->expected);
        return NULL;
    }
    if (!b->active) {
        b->active = true;
        b->expected = count;
        b->all = true;
        b->any = false;
    }
    return b;
}

static void reduce(struct warp *w, const struct dinst *d, struct barrier *b, uint64_t lanes)
{
    b->red = d->in->mod[PG_REDOP];
    for (uint64_t m = lanes; m; m &= m - 1) {
        bool p = predicate_at(w, d->src[2], __builtin_ctzll(m));
        b->popc += p;
        b->all &= p;
        b->any |= p;
    }
}

bool barrier_arrive(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    struct block *blk = w->block;
    uint32_t id;
    if (!barrier_converges(w, d, &lanes))
        return false;
    blk->barriers_used = true;
    struct barrier *b = open_barrier(w, d, lanes, &id);
    if (!b)
        return false;
    uint64_t arrives = arriving(w, lanes);
    if (b->arrived_mask[w->index] & arrives && !b->expected) {
        fault_raise(w, d, FAULT_BARRIER, __builtin_ctzll(lanes), 0, "arrives at barrier %u twice", id);
        return false;
    }
    b->arrived += weight(w, b, arrives);
    watch_arrive(w, id);
    b->arrived_mask[w->index] |= arrives;
    if (d->in->mod[PG_BAROP] == MOD(BAROP, RED))
        reduce(w, d, b, lanes);
    bool waits = d->in->mod[PG_BAROP] != MOD(BAROP, ARRIVE);
    if (waits) {
        struct simt_entry *e = simt_top(w);
        e->waits = WAIT_BARRIER;
        e->barrier = (uint8_t)id;
        b->waiting_mask[w->index] |= lanes;
        if (!blk->launch->program->independent)
            w->state = WARP_BARRIER;
    }
    if (is_complete(blk, b))
        complete(blk, b, id);
    return w->state == WARP_READY && simt_top(w)->waits == WAIT_NONE;
}

void barrier_lanes_left(struct block *blk)
{
    for (uint32_t id = 0; blk->barriers_used && id < MAX_BARRIERS; id++) {
        struct barrier *b = &blk->barriers[id];
        if (b->active && !b->expected && is_complete(blk, b))
            complete(blk, b, id);
    }
}
