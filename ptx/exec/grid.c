/*
 * Grids: the resident blocks and their time slices.
 *
 * A kernel that needs the one-thread order (manual, Order) runs its blocks on one host thread, others run on several;
 * each worker takes the next block, or cluster of blocks, when one has ended. Without races between blocks the result
 * is the same. The first worker begins alone; the others start when it has executed so much that starting them (some 20
 * microseconds each) costs little, or when a block waits. Usually a block runs to its end before the next one starts. A
 * block that waits yields, and more blocks become resident, as many as the GPU would hold, in time slices. When all of
 * them wait and no memory changes, that is a deadlock. How many slices run before it is detected depends on the number
 * of workers. Therefore the instructions of a waiting block are counted only up to the end of its first slice without a
 * change, and the report is about the waiting block with the lowest number.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/exec/cluster.h"

/* Memory for contexts while blocks make progress; when all wait, more blocks become resident than fit it. */
static const uint64_t CONTEXT_BYTES = 48ull << 20;

static uint64_t context_bytes(const struct launch *la)
{
    const struct code *c = la->code;
    uint64_t warp = (uint64_t)c->frame_bytes + (uint64_t)c->local_total * LANES + ptx_sreg_bank_bytes() +
                    sizeof(struct warp);
    return la->shared_bytes + warp * la->nwarps * (la->warp_size / LANES);
}

/* Adds the worker's instructions to the launch's sum; the first worker shows it. */
static void show_progress(struct worker *k)
{
    struct launch *la = k->launch;
    atomic_fetch_add(&la->instructions, k->count[STAT_THREAD_INSTRUCTIONS] - k->shown);
    k->shown = k->count[STAT_THREAD_INSTRUCTIONS];
    if (la->progress && k->first)
        la->progress(la->owner, la->blocks_done, la->nblocks, la->instructions);
}

static void block_done(struct worker *k)
{
    k->count[STAT_BLOCKS]++;
    atomic_fetch_add(&k->launch->blocks_done, 1);
    show_progress(k);
}

struct residents {
    struct worker *k;
    struct block **active;       /* in the order of their time slices */
    uint32_t n;
    struct block **spare;        /* free contexts */
    uint32_t nspare;
};

/* ---- what stays from launch to launch ---- */

static bool fits_pool(const struct launch *la)
{
    const struct grid_pool *p = la->pool;
    return p->threads == la->threads_per_block && p->shared == la->shared_bytes + la->shared_reserved &&
           p->block->warps[0].local_cap == launch_private_bytes(la) &&
           p->block->special_bytes >= ptx_sreg_used_bytes(la->code->sregs);
}

static struct block *take_pooled(struct worker *k)
{
    struct grid_pool *p = k->launch->pool;
    struct block *b = p && k->first ? p->block : NULL;
    if (b && fits_pool(k->launch))
        block_renew(b, k);
    else if (b) {
        block_free(b);
        b = NULL;
    }
    if (p && k->first)
        p->block = NULL;
    return b;
}

/* One context stays in the pool. */
static void release_context(struct worker *k, struct block *b)
{
    struct launch *la = k->launch;
    struct grid_pool *p = la->pool;
    if (!p || !k->first || p->block) {
        block_free(b);
        return;
    }
    p->block = b;
    p->threads = la->threads_per_block;
    p->shared = la->shared_bytes + la->shared_reserved;
}

static struct worker *take_workers(struct launch *la, uint32_t n)
{
    struct worker *k = la->pool && n == 1 ? la->pool->worker : NULL;
    if (!k)
        return mem_zero(n, sizeof *k, "workers of a launch");
    la->pool->worker = NULL;
    memset(k, 0, sizeof *k);
    return k;
}

static void release_workers(struct launch *la, struct worker *k, uint32_t n)
{
    if (la->pool && n == 1)
        la->pool->worker = k;
    else
        free(k);
}

void grid_pool_free(struct grid_pool *p)
{
    block_free(p->block);
    free(p->worker);
}

/* ---- blocks ---- */

static struct block *take_context(struct residents *r)
{
    struct block *b = r->nspare ? r->spare[--r->nspare] : take_pooled(r->k);
    return b ? b : block_new(r->k);
}

/* Starts the next block, or with clusters all blocks of the next one. */
static bool start_blocks(struct residents *r)
{
    struct launch *la = r->k->launch;
    uint32_t n = cluster_blocks(la);
    uint64_t i = atomic_fetch_add(&la->next_block, n);
    if (i >= la->nblocks)
        return false;
    for (uint32_t rank = 0; rank < n; rank++) {
        uint64_t linear = launch_block(la, i + rank);
        struct block *b = take_context(r);
        block_start(b, linear, (uint32_t)(linear % la->sms));
        r->active[r->n++] = b;
    }
    if (n > 1)
        cluster_start(r->active + r->n - n, n);
    return true;
}

/* Runs a time slice of the block; true: the block has ended. Counts the instructions of slices without a change. */
static bool run_slice(struct worker *k, struct block *b)
{
    const uint64_t threads = k->count[STAT_THREAD_INSTRUCTIONS], warps = k->count[STAT_WARP_INSTRUCTIONS];
    uint64_t changes = k->changes;
    bool done = block_run(b, k->launch->block_quantum) == BLOCK_DONE, waits = !done && b->spinning;
    bool idle = waits && b->waits && changes == k->changes;
    b->idle_threads = idle ? b->idle_threads + k->count[STAT_THREAD_INSTRUCTIONS] - threads : 0;
    b->idle_warps = idle ? b->idle_warps + k->count[STAT_WARP_INSTRUCTIONS] - warps : 0;
    b->waits = waits;
    return done;
}

/* One time slice for each resident block. Returns the number that wait. */
static uint32_t run_slices(struct residents *r)
{
    struct launch *la = r->k->launch;
    uint32_t waiting = 0, kept = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        struct block *b = r->active[i];
        bool stop = r->k->fault || launch_interrupted(la);
        if (!stop && run_slice(r->k, b)) {
            block_done(r->k);
            cluster_leave(b);
            r->spare[r->nspare++] = b;
            continue;
        }
        waiting += !stop && b->waits;
        r->active[kept++] = b;
        show_progress(r->k);
    }
    r->n = kept;
    return waiting;
}

enum { FINISHED = -1 };              /* a worker that runs no more blocks */

static void note_fault_block(struct launch *la, uint64_t order)
{
    uint64_t seen = la->fault_block;
    while (order < seen && !atomic_compare_exchange_weak(&la->fault_block, &seen, order))
        ;
}

/*
 * Do all blocks of all workers wait? `seen` is the epoch before this worker's last time slices, in which every block
 * waited. The epoch advances after every change. So when all workers have recorded the same epoch, and it is still the
 * current one, no memory has changed since the last check of any of them.
 */
static bool all_workers_wait(struct worker *k, int64_t seen)
{
    struct launch *la = k->launch;
    atomic_store(&k->waits_at, seen);
    for (uint32_t i = 0; i < la->host_threads; i++) {
        int64_t at = atomic_load(&la->workers[i].waits_at);
        if (at != seen && at != FINISHED)
            return false;
    }
    return atomic_load(&la->epoch) == seen;
}

static bool blocks_left(const struct launch *la)
{
    uint64_t next = la->next_block;
    return next < la->nblocks && (la->cluster_blocks > 1 ? next : launch_block(la, next)) <= la->fault_block;
}

/* More blocks become resident when all wait, and in the one-thread order also when they only run long. */
static uint64_t next_want(const struct launch *la, const struct residents *r, uint64_t want, uint64_t most,
                          bool all_wait)
{
    uint64_t calm = CONTEXT_BYTES / context_bytes(la);
    if (all_wait)
        return want * 2 < most ? want * 2 : most;
    return la->serial && r->n == want && want < calm && want < most ? want + 1 : want;
}

static void *run_worker(void *arg);

/* The first worker starts the others; if a host thread cannot be created, there are fewer. */
static void start_others(struct worker *k)
{
    struct launch *la = k->launch;
    if (k->parallel)
        return;
    k->parallel = la->host_threads > 1;
    while (la->started < la->host_threads) {
        struct worker *other = &la->workers[la->started];
        atomic_store(&other->waits_at, 0);
        if (pthread_create(&other->thread, NULL, run_worker, other)) {
            atomic_store(&other->waits_at, FINISHED);
            return;
        }
        la->started++;
    }
}

static void run_blocks(struct worker *k, struct residents *r, uint64_t most)
{
    struct launch *la = k->launch;
    uint64_t want = 1;
    while (!k->fault && !la->deadlock && !launch_interrupted(la)) {
        if (k->first && k->count[STAT_WARP_INSTRUCTIONS] >= la->threads_after)
            start_others(k);
        while (r->n < want && blocks_left(la) && start_blocks(r))
            ;
        if (!r->n)
            break;
        int64_t seen = atomic_load(&la->epoch);
        uint64_t changes = k->changes, before = k->count[STAT_BLOCKS];
        uint32_t waiting = run_slices(r);
        if (k->fault || launch_interrupted(la))
            break;
        if (k->first && waiting)
            start_others(k);
        bool moved = changes != k->changes || before != k->count[STAT_BLOCKS];
        bool all_wait = r->n && waiting == r->n, full = r->n >= most || !blocks_left(la);
        if (moved)
            atomic_fetch_add(&la->epoch, 1);
        else if (all_wait && full) {
            if (la->fault_block != UINT64_MAX)
                break;                           /* they may wait for the block that faulted */
            if (all_workers_wait(k, seen))
                la->deadlock = true;
            sched_yield();
        }
        want = next_want(la, r, want, most, all_wait);
    }
}

static void *run_worker(void *arg)
{
    struct worker *k = arg;
    struct launch *la = k->launch;
    uint64_t share = la->resident / la->host_threads, most = la->nblocks < share ? la->nblocks : share;
    uint64_t room = most + cluster_blocks(la);       /* the last cluster may start with fewer than `most` resident */
    struct residents r = { .k = k, .active = mem_zero(room, sizeof *r.active, "resident blocks"),
                           .spare = mem_zero(room, sizeof *r.spare, "resident blocks") };
    run_blocks(k, &r, most ? most : 1);
    if (k->fault)
        note_fault_block(la, k->fault->order);
    for (uint32_t i = 0; i < r.nspare; i++)
        release_context(k, r.spare[i]);
    free(r.spare);
    k->left = r.active;
    k->nleft = r.n;
    atomic_store(&k->waits_at, FINISHED);
    return NULL;
}

/* Every block that is left waits. */
static void end_in_deadlock(struct worker *k, uint32_t n)
{
    struct block *first = NULL;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < k[i].nleft; j++) {
            struct block *b = k[i].left[j];
            k[i].count[STAT_THREAD_INSTRUCTIONS] -= b->idle_threads;
            k[i].count[STAT_WARP_INSTRUCTIONS] -= b->idle_warps;
            first = !first || b->order < first->order ? b : first;
        }
    fault_no_progress(first);
}

static void free_left(struct worker *k)
{
    for (uint32_t i = 0; i < k->nleft; i++) {
        cluster_leave(k->left[i]);
        block_free(k->left[i]);
    }
    free(k->left);
}

bool grid_run(struct launch *la)
{
    uint32_t n = la->serial || la->host_threads < 1 ? 1 : la->host_threads;
    n = n < la->nblocks ? n : (uint32_t)la->nblocks;
    struct worker *k = take_workers(la, n);
    la->host_threads = n;
    la->workers = k;
    la->started = 1;
    atomic_store(&la->fault_block, UINT64_MAX);
    atomic_store(&la->deadlock, false);
    atomic_store(&la->epoch, 1);
    for (uint32_t i = 0; i < n; i++) {
        k[i].launch = la;
        k[i].parallel = i > 0;
        k[i].first = i == 0;
        atomic_store(&k[i].waits_at, i ? FINISHED : 0);
    }
    run_worker(&k[0]);
    for (uint32_t i = 1; i < la->started; i++)
        pthread_join(k[i].thread, NULL);
    if (la->deadlock)
        end_in_deadlock(k, la->started);
    la->interrupted = launch_interrupted(la);
    if (la->interrupted)
        where_warps_are(la, k, la->started);
    const struct fault *first = NULL;
    for (uint32_t i = 0; i < n; i++) {
        free_left(&k[i]);
        stats_add(la->count, k[i].count);
        if (k[i].fault && (!first || k[i].fault->order < first->order))
            first = k[i].fault;
    }
    if (first)
        la->fault = *first;
    release_workers(la, k, n);
    return !first && !la->interrupted;
}
