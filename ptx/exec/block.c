/* Blocks: the context of a resident block, the start of a block in it, and time slices of its warps. */
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"
#include "ptx/exec/cluster.h"
#include "ptx/watch/watch.h"

/* Bytes of a PTX warp's memory whose size does not change, and what it consists of. */
struct half_sizes { size_t special, local, params; };

static size_t whole_lines(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static struct half_sizes half_sizes(const struct launch *la, uint32_t local_cap)
{
    return (struct half_sizes){
        .special = whole_lines(ptx_sreg_used_bytes(la->code->sregs)),
        .local = whole_lines((size_t)(local_cap ? local_cap : 16) * LANES),
        .params = la->timed ? whole_lines((local_cap / 4 + 1) * sizeof(uint32_t)) : 0
    };
}

static void make_half(struct half *h, struct warp *w, struct worker *k, int index, char *memory,
                      const struct half_sizes *n)
{
    h->warp = w;
    h->worker = k;
    h->index = (uint8_t)index;
    h->special = h->l.base[2] = memory;
    h->local = memory + n->special;
    h->param_lanes = n->params ? memset(h->local + n->local, 0, n->params) : NULL;
}

uint32_t launch_private_bytes(const struct launch *la)
{
    uint32_t stack = code_local_is_known(la->code) ? 0 : la->stack_bytes;
    return (uint32_t)(la->code->local_total + stack + 15) & ~15u;
}

struct block *block_new(struct worker *k)
{
    const struct launch *la = k->launch;
    struct block *b = huge_zero(1, sizeof *b, "a block");
    b->launch = k->launch;
    b->worker = k;
    b->nwarps = la->nwarps;
    b->shared_bytes = la->shared_bytes;
    b->warps = huge_zero(b->nwarps, sizeof *b->warps, "the warps of a block");
    b->shared = huge_alloc(1, (la->shared_bytes + la->shared_reserved + 511) & ~255u, "the shared memory of a block");
    b->barrier_masks = huge_zero((size_t)b->nwarps * BLOCK_BARRIERS * 2, sizeof *b->barrier_masks,
                                 "the barriers of a block");
    for (int i = 0; i < BLOCK_BARRIERS; i++) {
        b->barriers[i].arrived_mask = b->barrier_masks + (size_t)i * 2 * b->nwarps;
        b->barriers[i].waiting_mask = b->barriers[i].arrived_mask + b->nwarps;
    }
    uint32_t cap = launch_private_bytes(la), halves = la->warp_size / LANES;
    const struct half_sizes n = half_sizes(la, cap);
    size_t bytes = n.special + n.local + n.params;
    char *memory = b->memory = huge_alloc(b->nwarps * halves, bytes, "the registers and local memory of a block");
    b->special_bytes = n.special;
    for (uint32_t i = 0; i < b->nwarps; i++) {
        struct warp *w = &b->warps[i];
        w->block = b;
        w->index = i;
        w->local_cap = cap;
        w->halves = (uint8_t)halves;
        w->isa = (uint8_t)la->program->isa;
        for (uint32_t q = 0; q < halves; q++, memory += bytes)
            make_half(&w->half[q], w, k, (int)q, memory, &n);
    }
    return b;
}

void block_renew(struct block *b, struct worker *k)
{
    b->launch = k->launch;
    b->worker = k;
    for (uint32_t i = 0; i < b->nwarps; i++) {
        b->warps[i].launched = 0;
        for (uint32_t q = 0; q < b->warps[i].halves; q++)
            b->warps[i].half[q].worker = k;
    }
}

void block_free(struct block *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; i < b->nwarps; i++) {
        struct warp *w = &b->warps[i];
        for (int q = 0; q < MAX_HALVES; q++)
            huge_free(w->half[q].regs);
        txn_free(w);
        free(w->entry);
        free(w->frame);
        free(w->saved_top);
    }
    huge_free(b->warps);
    huge_free(b->memory);
    huge_free(b->shared);
    huge_free(b->barrier_masks);
    free(b->warpgroups);
    watch_free(b->watch);
    huge_free(b);
}

/* ---- special registers: only those that the kernel and what it calls read ---- */

static bool reads(const struct launch *la, enum ptx_sreg s)
{
    return la->code->sregs[s / 64] >> s % 64 & 1;
}

static void set_same(struct half *h, enum ptx_sreg s, int comp, uint64_t v)
{
    void *at = h->special + ptx_sreg_offset(s, comp);
    if (ptx_sreg_type(s) == T_U64)
        for (int i = 0; i < LANES; i++)
            ((uint64_t *)at)[i] = v;
    else
        for (int i = 0; i < LANES; i++)
            ((uint32_t *)at)[i] = (uint32_t)v;
}

static void set_vector(const struct launch *la, struct half *h, enum ptx_sreg s, const uint32_t v[3])
{
    for (int c = 0; c < 4 && reads(la, s); c++)
        set_same(h, s, c, c < 3 ? v[c] : 0);
}

static void set_threads(struct half *h, const struct launch *la, uint32_t first)
{
    uint32_t *x = (uint32_t *)(void *)(h->special + ptx_sreg_offset(SR_TID, 0));
    uint32_t *y = (uint32_t *)(void *)(h->special + ptx_sreg_offset(SR_TID, 1));
    uint32_t *z = (uint32_t *)(void *)(h->special + ptx_sreg_offset(SR_TID, 2));
    uint32_t tx = first % la->block[0], ty = first / la->block[0] % la->block[1];
    uint32_t tz = first / la->block[0] / la->block[1];
    for (int i = 0; i < LANES; i++) {
        x[i] = tx;
        y[i] = ty;
        z[i] = tz;
        if (++tx == la->block[0]) {
            tx = 0;
            if (++ty == la->block[1]) {
                ty = 0;
                tz++;
            }
        }
    }
}

static void set_lanes(struct half *h, const struct launch *la)
{
    static const enum ptx_sreg which[] = { SR_LANEID, SR_LANEMASK_EQ, SR_LANEMASK_LE, SR_LANEMASK_LT, SR_LANEMASK_GE,
                                           SR_LANEMASK_GT };
    for (size_t k = 0; k < sizeof which / sizeof *which; k++) {
        uint32_t *v = (uint32_t *)(void *)(h->special + ptx_sreg_offset(which[k], 0));
        for (int i = 0; i < LANES && reads(la, which[k]); i++) {
            uint32_t bit = 1u << i;
            v[i] = which[k] == SR_LANEID        ? (uint32_t)i
                   : which[k] == SR_LANEMASK_EQ ? bit
                   : which[k] == SR_LANEMASK_LE ? bit | (bit - 1)
                   : which[k] == SR_LANEMASK_LT ? bit - 1
                   : which[k] == SR_LANEMASK_GE ? ~(bit - 1)
                                                : ~(bit | (bit - 1));
        }
    }
}

/* The blocks along one dimension of a cluster. */
static uint32_t cluster_side(const struct launch *la, int c)
{
    return la->cluster[c] ? la->cluster[c] : 1;
}

/* Special registers that are the same for all blocks are written once, when the context is new; also %ctaid. */
static void set_launch_registers(struct half *h, const struct launch *la, const struct block *b, uint32_t warp)
{
    set_vector(la, h, SR_NTID, la->block);
    set_vector(la, h, SR_NCTAID, la->grid);
    set_vector(la, h, SR_CTAID, b->id);
    uint32_t shape[3], clusters[3];
    for (int c = 0; c < 3; c++) {
        shape[c] = cluster_side(la, c);
        clusters[c] = la->grid[c] / shape[c];
    }
    set_vector(la, h, SR_NCLUSTERID, clusters);
    set_vector(la, h, SR_CLUSTER_NCTAID, shape);
    set_lanes(h, la);
    uint32_t total = la->code->shared_static + la->dynamic_shared;
    const struct { enum ptx_sreg s; uint64_t v; } rows[] = {
        { SR_WARPID, warp }, { SR_NWARPID, (la->threads_per_block + LANES - 1) / LANES }, { SR_NSMID, la->sms },
        { SR_GRIDID, la->grid_id }, { SR_TOTAL_SMEM_SIZE, total }, { SR_AGGR_SMEM_SIZE, total },
        { SR_DYNAMIC_SMEM_SIZE, la->dynamic_shared }, { SR_RESERVED_SMEM_OFFSET_BEGIN, 0 },
        { SR_RESERVED_SMEM_OFFSET_END, 0 }, { SR_RESERVED_SMEM_OFFSET_CAP, 0 },
        { SR_IS_EXPLICIT_CLUSTER, la->explicit_cluster ? UINT32_MAX : 0 },
        { SR_CLUSTER_NCTARANK, cluster_blocks(la) }, { SR_CURRENT_GRAPH_EXEC, 0 }, { SR_PM, 0 },
        { SR_PM64, 0 }, { SR_ENVREG, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (reads(la, rows[i].s))
            set_same(h, rows[i].s, 0, rows[i].v);
    if (reads(la, SR_TID)) {
        memset(h->special + ptx_sreg_offset(SR_TID, 3), 0, LANES * 4);
        set_threads(h, la, warp * LANES);
    }
}

/* The place of the block in its cluster, and of that in the grid. */
static void set_cluster_registers(struct half *h, const struct launch *la, const struct block *b)
{
    uint32_t id[3], inside[3];
    for (int c = 0; c < 3; c++) {
        id[c] = b->id[c] / cluster_side(la, c);
        inside[c] = b->id[c] % cluster_side(la, c);
    }
    set_vector(la, h, SR_CLUSTERID, id);
    set_vector(la, h, SR_CLUSTER_CTAID, inside);
    if (reads(la, SR_CLUSTER_CTARANK))
        set_same(h, SR_CLUSTER_CTARANK, 0, b->rank);
}

/* Launch-invariant values (ptx/program/invariant.c) are computed for all lanes, when the context is new. */
static void set_invariants(struct half *h, const struct code *c)
{
    struct lanes *x = &h->l;
    const struct flow *fl = c->flow;
    x->mask = x->active = x->exist = UINT32_MAX;
    for (uint32_t i = 0; i < fl->ninvariant; i++) {
        const struct dinst *end = &c->insts[c->of_inst[fl->invariant_inst[i] + 1]];
        for (const struct dinst *d = &c->insts[c->of_inst[fl->invariant_inst[i]]]; d < end; d++)
            d->fn(x, d);
    }
}

/* moved: the components of %ctaid that differ from those of the context's last block. */
static void start_warp(struct block *b, struct warp *w, uint32_t sm, const bool moved[3])
{
    const struct launch *la = b->launch;
    uint32_t first = w->index * la->warp_size, left = la->threads_per_block - first;
    uint64_t mask = mask_all(left < la->warp_size ? left : la->warp_size);
    bool fresh = !w->launched;
    simt_start(w, la->code, mask);
    w->state = WARP_READY;
    w->executed = 0;
    w->budget = (int64_t)la->quantum;
    w->chosen = false;
    w->spinning = false;
    w->spin_at = NULL;
    memset(&w->spin, 0, sizeof w->spin);
    w->spin.wait = w->spin.period = WARP_SPIN_FIRST;
    w->cluster_arrived = w->cluster_passed = w->cluster_waiting = 0;
    w->tx.open = false;
    w->attempt = 0;
    for (uint32_t q = 0; q < la->warp_size / LANES; q++) {
        struct half *h = &w->half[q];
        h->l.cc = 0;
        if (fresh)
            set_launch_registers(h, la, b, w->index * (la->warp_size / LANES) + q);
        for (int c = 0; c < 3 && reads(la, SR_CTAID); c++)
            if (moved[c])
                set_same(h, SR_CTAID, c, b->id[c]);
        set_cluster_registers(h, la, b);
        if (reads(la, SR_SMID))
            set_same(h, SR_SMID, 0, sm);
        if (fresh && !la->timed)
            set_invariants(h, la->code);
    }
}

static void reset_barriers(struct block *b)
{
    for (int i = 0; i < BLOCK_BARRIERS; i++) {
        struct barrier *r = &b->barriers[i];
        r->arrived = r->expected = r->popc = 0;
        r->active = false;
        r->red = 0;
    }
    memset(b->barrier_masks, 0, (size_t)b->nwarps * BLOCK_BARRIERS * 2 * sizeof *b->barrier_masks);
    b->barriers_used = false;
    if (b->warpgroups)
        memset(b->warpgroups, 0, WARPGROUPS_MAX * sizeof *b->warpgroups);
}

uint64_t launch_cluster_block(const struct launch *la, uint64_t i)
{
    const uint32_t *n = la->cluster, *grid = la->grid;
    uint64_t cluster = i / la->cluster_blocks, x = grid[0] / n[0], y = grid[1] / n[1];
    uint32_t rank = (uint32_t)(i % la->cluster_blocks);
    uint64_t at[3] = { cluster % x * n[0] + rank % n[0], cluster / x % y * n[1] + rank / n[0] % n[1],
                       cluster / x / y * n[2] + rank / n[0] / n[1] };
    return (at[2] * grid[1] + at[1]) * grid[0] + at[0];
}

/* Its rank, and its position in the order of launch_cluster_block. */
static void place_in_cluster(struct block *b)
{
    const struct launch *la = b->launch;
    uint64_t cluster = 0;
    b->rank = 0;
    for (int c = 2; c >= 0; c--) {
        uint32_t side = cluster_side(la, c);
        b->rank = b->rank * side + b->id[c] % side;
        cluster = cluster * (la->grid[c] / side) + b->id[c] / side;
    }
    b->order = cluster_blocks(la) > 1 ? cluster * cluster_blocks(la) + b->rank : b->linear;
    b->cluster = NULL;
    b->cluster_arrived = 0;
    b->cluster_used = b->cluster_complete = false;
}

void block_start(struct block *b, uint64_t linear, uint32_t sm)
{
    const struct launch *la = b->launch;
    b->linear = linear;
    uint64_t row = linear / la->grid[0];
    uint32_t id[3] = { (uint32_t)(linear % la->grid[0]), (uint32_t)(row % la->grid[1]), (uint32_t)(row / la->grid[1]) };
    bool moved[3];
    for (int c = 0; c < 3; c++) {
        moved[c] = id[c] != b->id[c];
        b->id[c] = id[c];
    }
    place_in_cluster(b);
    b->live_threads = la->threads_per_block;
    b->released = 0;
    b->spinning = b->waits = false;
    memset(b->shared, 0, b->shared_bytes + la->shared_reserved);
    if (b->barriers_used)
        reset_barriers(b);
    watch_start(b);
    for (uint32_t i = 0; i < b->nwarps; i++)
        start_warp(b, &b->warps[i], sm, moved);
}

/* One pass over the warps that are ready. */
struct pass { uint32_t ran, spun, done; uint64_t executed; bool fault; };

static struct pass run_pass(struct block *b)
{
    struct pass p = { 0 };
    for (uint32_t i = 0; i < b->nwarps && !launch_interrupted(b->launch); i++) {
        struct warp *w = &b->warps[i];
        if (w->state == WARP_READY) {
            w->budget = (int64_t)b->launch->quantum;
            uint64_t before = w->executed;
            warp_run(w);
            p.executed += w->executed - before;
            p.ran++;
            p.spun += w->state == WARP_READY && w->spinning;
            if (w->state == WARP_FAULT || b->worker->fault) {
                p.fault = true;
                return p;
            }
        }
        p.done += w->state == WARP_DONE;
    }
    return p;
}

enum block_result block_run(struct block *b, uint64_t quantum)
{
    uint64_t used = 0;
    b->spinning = false;
    for (;;) {
        uint64_t changes = b->worker->changes;
        struct pass p = run_pass(b);
        used += p.executed;
        if (p.fault)
            return BLOCK_FAULT;
        if (p.done == b->nwarps)
            return BLOCK_DONE;
        if (launch_interrupted(b->launch))
            return BLOCK_MORE;
        uint32_t ready = 0;
        for (uint32_t i = 0; i < b->nwarps; i++)
            ready += b->warps[i].state == WARP_READY;
        if (!ready && cluster_waits(b)) {
            b->spinning = true;
            return BLOCK_MORE;
        }
        if (!ready) {
            fault_no_progress(b);
            return BLOCK_FAULT;
        }
        if (p.spun && p.spun == p.ran && p.spun == ready && changes == b->worker->changes) {
            b->spinning = true;
            return BLOCK_MORE;
        }
        if (used >= quantum)
            return BLOCK_MORE;
    }
}
