/*
 * Blocks on an SM. A block occupies the lowest free warp slots, of all schedulers or of one; slot w belongs to
 * scheduler w mod schedulers. The block ends when all its warps have ended and none of their accesses is outstanding;
 * with core.exit_past_stores, when those that are outstanding are on their way to L2 and no register waits for them.
 * The next block of the same grid reuses the context (registers, shared memory) of an ended block.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/huge.h"
#include "timing/core/sm_impl.h"

/* ---- grids ---- */

static const uint8_t *private_line(void *sm, uint64_t line)
{
    return lsu_private_line(((struct sm *)sm)->lsu, line);
}

static struct sm_grid *grid_of(struct sm *s, const struct grid *g)
{
    for (uint32_t i = 0; i < s->ngrids; i++)
        if (s->grid[i]->grid == g)
            return s->grid[i];
    s->grid = mem_resize(s->grid, s->ngrids + 1, sizeof *s->grid, "the grids of an SM");
    struct sm_grid *n = huge_zero(1, sizeof *n, "a grid on an SM");
    n->grid = g;
    n->worker.launch = (struct launch *)(uintptr_t)&g->launch;
    n->worker.clock = &s->now;
    n->worker.private_line = private_line;
    n->worker.private_write = tx_private_write;
    n->worker.private_ctx = s;
    if (s->profile)
        profile_init(&n->profile, g->launch.program->nfuncs);
    s->grid[s->ngrids++] = n;
    return n;
}

static struct block *take_context(struct sm_grid *g)
{
    return g->nspare ? g->spare[--g->nspare] : block_new(&g->worker);
}

static void give_context(struct sm_grid *g, struct block *b)
{
    g->spare = mem_grow(g->spare, g->nspare, &g->cap, sizeof *g->spare, "spare blocks");
    g->spare[g->nspare++] = b;
}

void sm_grid_count(struct sm *s, const struct grid *g)
{
    struct worker *k = &grid_of(s, g)->worker;
    stats_add(g->launch.count, k->count);
    memset(k->count, 0, sizeof k->count);
}

/* Frees blocks that still run: the grid faulted or was interrupted. */
static void drop_blocks(struct sm *s, const struct sm_grid *g)
{
    for (uint32_t i = 0; i < s->cfg.blocks; i++)
        if (s->block[i].block && s->block[i].grid == g)
            block_free(s->block[i].block);
}

void sm_grid_end(struct sm *s, const struct grid *g)
{
    uint32_t i = 0;
    while (i < s->ngrids && s->grid[i]->grid != g)
        i++;
    if (i == s->ngrids)
        return;
    struct sm_grid *n = s->grid[i];
    drop_blocks(s, n);
    sm_profile_clear_charges(s);
    profile_end(&n->profile);
    for (uint32_t k = 0; k < n->nspare; k++)
        block_free(n->spare[k]);
    free(n->spare);
    huge_free(n);
    s->grid[i] = s->grid[--s->ngrids];
}

/* ---- scoreboards: the function with the most registers determines their size ---- */

static void grow_scoreboards(struct sm *s, uint32_t regs)
{
    uint32_t words = regs > 64 * TINST_WORDS ? (regs + 63) / 64 : TINST_WORDS;
    if (words <= s->pending_words)
        return;
    uint64_t *bits = huge_zero((size_t)s->cfg.warps * 2 * words, sizeof *bits, "scoreboards");
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        uint64_t *row = bits + (size_t)i * 2 * words;
        for (uint32_t k = 0; k < s->pending_words; k++) {
            row[k] = s->slot[i].pending[k];
            row[words + k] = s->slot[i].pending[s->pending_words + k];
        }
        s->slot[i].pending = row;
    }
    huge_free(s->pending);
    s->pending = bits;
    s->pending_words = words;
}

/* core.guard_latency: the function with the most predicates determines the size of guards_from. */
static void grow_predicates(struct sm *s, uint32_t n)
{
    if (!s->cfg.guard_latency || n <= s->predicates)
        return;
    uint64_t *from = huge_zero((size_t)s->cfg.warps * n, sizeof *from, "the predicates of warps");
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        uint64_t *row = from + (size_t)i * n;
        for (uint32_t k = 0; k < s->predicates; k++)
            row[k] = s->slot[i].guards_from[k];
        s->slot[i].guards_from = row;
    }
    huge_free(s->guards_from);
    s->guards_from = from;
    s->predicates = n;
}

/* ---- start ---- */

/* The place in the SM of the next block to start: the lowest free one. */
static uint32_t free_place(const struct sm *s)
{
    uint32_t place = 0;
    while (s->block[place].block)
        place++;
    return place;
}

uint32_t sm_block_schedulers(const struct sm *s)
{
    uint32_t n = s->cfg.schedulers, place = free_place(s), warps = sm_block_next(s)->grid->launch.nwarps;
    if (!s->cfg.block_on_one_scheduler || warps > s->cfg.warps / n)
        return (UINT32_C(1) << n) - 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = (place + i) % n;
        if ((uint32_t)__builtin_popcountll(s->free_slots[k]) >= warps)
            return UINT32_C(1) << k;
    }
    return 0;
}

static struct slot *lowest_free(const struct sm *s, uint32_t k)
{
    return &s->slot[(uint32_t)__builtin_ctzll(s->free_slots[k]) * s->cfg.schedulers + k];
}

/* Takes the lowest free slot of these schedulers (bit set). */
static uint16_t take_slot(struct sm *s, uint32_t schedulers)
{
    struct slot *w = NULL;
    for (uint32_t m = schedulers; m; m &= m - 1) {
        uint32_t k = (unsigned)__builtin_ctz(m);
        if (s->free_slots[k] && (!w || lowest_free(s, k) < w))
            w = lowest_free(s, k);
    }
    s->free_slots[w->sched] &= ~w->bit;
    s->nfree_slots--;
    return w->index;
}

static void place_private(const struct sm *s, uint32_t slot, struct warp *warp, const struct grid *g)
{
    uint32_t halves = g->launch.warp_size / LANES;
    uint64_t base = g->local_base + ((uint64_t)s->cfg.index * s->cfg.warps + slot) * g->local_bytes;
    for (uint32_t i = 0; i < halves; i++)
        warp->half[i].local_device = base + i * (g->local_bytes / halves);
}

static void start_transactions(struct sm *s, struct slot *w, const struct grid *g)
{
    const struct code *c = g->launch.code;
    uint64_t number = (uint64_t)s->cfg.index * s->cfg.warps + w->index;
    w->tm = g->launch.tm;
    w->in_tx = w->doomed = w->validate = w->validating = w->controlled = w->locked = false;
    w->atomics = w->stops = 0;
    w->fault_lane = -1;
    w->has_local = c->local_total || !code_local_is_known(c);
    w->states = (struct thread_states){ .since = s->now };
    if (w->tm)
        tm_core_warp_starts(s->tm, w->index, w->warp, g->log_base + number * g->log_bytes);
}

static void start_warp(struct sm *s, struct resident_block *r, struct slot *w, struct warp *warp)
{
    const struct grid *g = r->grid->grid;
    w->warp = warp;
    w->block = r;
    w->ended = false;
    w->hold = SM_NO_HOLD;
    w->waking = false;
    w->order = (struct order_warp){ 0 };
    w->code = w->pending_code = g->code->of_func[g->launch.code->func->index];
    w->seq = UINT32_MAX;
    if (s->profile)
        sm_profile_start(s, w);
    start_transactions(s, w, g);
    thread_states_account(s, w);
    fetch_start(s, w, 0);
    warp_advance(s, w);
    fetch_consider(s, w);
    warp_consider(s, w);
}

static void start_block(struct sm *s, struct resident_block *r, const struct block_start *b, uint32_t schedulers)
{
    uint64_t mine[SM_SCHEDULERS_MAX] = { 0 };
    r->grid = grid_of(s, b->grid);
    r->block = take_context(r->grid);
    r->alive = r->block->nwarps;
    r->start = s->now;
    r->arrived = false;
    memcpy(r->cluster_sm, b->cluster_sm, sizeof r->cluster_sm);
    s->blocks++;
    s->live += r->alive;
    grow_scoreboards(s, b->grid->code->max_regs);
    grow_predicates(s, b->grid->code->max_predicates);
    for (uint32_t i = 0; i < r->block->nwarps; i++) {
        r->slot[i] = take_slot(s, schedulers);
        mine[s->slot[r->slot[i]].sched] |= s->slot[r->slot[i]].bit;
        place_private(s, r->slot[i], &r->block->warps[i], b->grid);
    }
    block_start(r->block, b->linear, s->cfg.index);
    if (b->grid->launch.tm)
        tm_core_block_starts(s->tm, (uint32_t)(r - s->block), r->block, r->slot);
    for (uint32_t k = 0; k < s->cfg.schedulers; k++)
        if (mine[k])
            sched_add(&s->sched[k], mine[k]);
    for (uint32_t i = 0; i < r->block->nwarps; i++)
        start_warp(s, r, &s->slot[r->slot[i]], &r->block->warps[i]);
}

void sm_block_start(struct sm *s)
{
    struct block_start b = *sm_block_next(s);
    uint32_t schedulers = sm_block_schedulers(s);
    sm_account(s, s->now);
    fifo_pop(&s->start);
    start_block(s, &s->block[free_place(s)], &b, schedulers);
}

void sm_start(struct sm *s, const struct block_start *b)
{
    *(struct block_start *)fifo_push(&s->start) = *b;
    if (sm_block_fits(s) && sm_block_next(s)->at < s->core_at)
        s->core_at = sm_block_next(s)->at;
}

/* ---- end ---- */

void sm_block_warp_ended(struct sm *s, struct slot *w)
{
    sm_account(s, s->now);
    thread_states_account(s, w);
    w->ended = true;
    w->hold = SM_NO_HOLD;
    warp_move(s, w, SCHED_NONE);
    sched_ended(&s->sched[w->sched], w->bit);
    fetch_consider(s, w);
    s->live--;
    if (!--w->block->alive) {
        sm_cluster_exited(s, w->block);
        s->ending++;
        sm_block_check_end(s, w->block);
    }
}

static bool outstanding(const struct sm *s, const struct slot *w)
{
    const struct order_warp *o = &w->order;
    if (w->nalu || w->nmem || w->collecting || o->acquires || copies_pending(s, w))
        return true;
    if (s->cfg.exit_past_stores)
        return !lsu_all_sent(s->lsu, w->index, o->loads, o->stores);
    return o->loads || o->stores || lsu_warp_busy(s->lsu, w->index);
}

static void trace_slot(struct sm *s, const struct slot *w, uint64_t until)
{
    const struct resident_block *r = w->block;
    if (s->trace)
        trace_block(s->trace, w->index, r->grid->grid->launch.code->func->name, r->block->linear, r->start, until);
}

void sm_trace_end(struct sm *s)
{
    for (uint32_t i = 0; s->trace && i < s->cfg.warps; i++) {
        struct slot *w = &s->slot[i];
        if (!w->warp)
            continue;
        warp_trace(s, w, s->upto);
        trace_tx_end(s->trace, i, s->upto);
        trace_slot(s, w, s->upto);
    }
}

static void free_slot(struct sm *s, struct slot *w)
{
    trace_slot(s, w, s->now + 1);
    if (s->cfg.exit_past_stores)
        lsu_warp_ended(s->lsu, w->index);
    w->warp = NULL;
    w->block = NULL;
    s->free_slots[w->sched] |= w->bit;
    s->nfree_slots++;
}

static void note_end(struct sm *s, const struct grid *g)
{
    s->ended = mem_grow(s->ended, s->nended, &s->ended_cap, sizeof *s->ended, "blocks that ended");
    s->ended[s->nended++] = (struct block_end){ .at = s->now, .grid = (struct grid *)(uintptr_t)g, .sm = s->cfg.index };
}

void sm_block_check_end(struct sm *s, struct resident_block *r)
{
    uint64_t mine[SM_SCHEDULERS_MAX] = { 0 };
    if (r->alive)
        return;
    for (uint32_t i = 0; i < r->block->nwarps; i++) {
        if (outstanding(s, &s->slot[r->slot[i]]))
            return;
        mine[s->slot[r->slot[i]].sched] |= s->slot[r->slot[i]].bit;
    }
    sm_account(s, s->now);
    if (r->grid->grid->launch.tm)
        tm_core_block_ends(s->tm, (uint32_t)(r - s->block));
    for (uint32_t i = 0; i < r->block->nwarps; i++)
        free_slot(s, &s->slot[r->slot[i]]);
    for (uint32_t k = 0; k < s->cfg.schedulers; k++)
        if (mine[k])
            sched_remove(&s->sched[k], mine[k]);
    r->grid->worker.count[STAT_BLOCKS]++;
    give_context(r->grid, r->block);
    note_end(s, r->grid->grid);
    r->block = NULL;
    s->blocks--;
    s->ending--;
}

void sm_block_release_barrier(struct sm *s, struct resident_block *r, uint64_t at)
{
    for (uint64_t m = r->block->released; m; m &= m - 1) {
        struct slot *w = &s->slot[r->slot[__builtin_ctzll(m)]];
        if (w->hold == SM_STALL_BARRIER && !w->waking)
            warp_hold(s, w, SM_STALL_BARRIER, at);
    }
    r->block->released = 0;
}
