/*
 * Grids: which blocks are resident and whose turn it is.
 *
 * A kernel that needs the one-thread order (decisions A3) runs its blocks on one host thread. Usually a block runs to
 * its end before the next one starts; one that waits gives way, and more blocks become resident, as many as the GPU
 * would hold, taking turns. When all of them wait and nobody changes memory, that is a deadlock. Other kernels run
 * their blocks on several host threads, each block to its end; without races between blocks the result is the same.
 */
#include <stdlib.h>
#include <string.h>

#include "ptx/exec.h"

/* Contexts of blocks that make progress may take this much; blocks that wait are admitted beyond it. */
static const uint64_t CONTEXT_BYTES = 48ull << 20;

static uint64_t context_bytes(const struct launch *la)
{
    const struct code *c = la->code;
    uint64_t warp = (uint64_t)c->frame_bytes + (uint64_t)c->local_total * LANES + sreg_bytes() + sizeof(struct warp);
    return la->shared_bytes + warp * la->nwarps * (la->warp_size / LANES);
}

static bool interrupted(const struct launch *la)
{
    return la->interrupt && *la->interrupt;
}

/* Adds what the worker did to the launch's sum; the first worker shows it. */
static void show_progress(struct worker *k)
{
    struct launch *la = k->launch;
    atomic_fetch_add(&la->instructions, k->counts.thread_instructions - k->shown);
    k->shown = k->counts.thread_instructions;
    if (la->progress && k->first)
        la->progress(la->owner, la->blocks_done, la->nblocks, la->instructions);
}

static void block_done(struct worker *k)
{
    k->counts.blocks_done++;
    atomic_fetch_add(&k->launch->blocks_done, 1);
    show_progress(k);
}

/* ---- one thread ---- */

struct residents {
    struct worker *k;
    struct block **active;       /* in the order of their turns */
    uint32_t n;
    struct block **spare;        /* contexts to use again */
    uint32_t nspare;
};

static struct block *take_context(struct residents *r)
{
    return r->nspare ? r->spare[--r->nspare] : block_new(r->k);
}

static void admit(struct residents *r)
{
    struct launch *la = r->k->launch;
    struct block *b = take_context(r);
    block_start(b, atomic_fetch_add(&la->next_block, 1));
    r->active[r->n++] = b;
}

/* One turn for each resident block. Returns how many wait. */
static uint32_t run_turns(struct residents *r)
{
    struct launch *la = r->k->launch;
    uint32_t waiting = 0, kept = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        struct block *b = r->active[i];
        enum block_result res = r->k->fault || interrupted(la) ? BLOCK_MORE : block_turn(b, la->block_turn);
        if (res == BLOCK_DONE) {
            block_done(r->k);
            r->spare[r->nspare++] = b;
            continue;
        }
        waiting += res == BLOCK_MORE && b->spinning;
        r->active[kept++] = b;
        show_progress(r->k);
    }
    r->n = kept;
    return waiting;
}

static void run_serial(struct worker *k)
{
    struct launch *la = k->launch;
    uint64_t most = la->nblocks < la->resident ? la->nblocks : la->resident;
    uint64_t calm = CONTEXT_BYTES / context_bytes(la);
    struct residents r = { .k = k, .active = calloc(most + 1, sizeof *r.active),
                           .spare = calloc(most + 1, sizeof *r.spare) };
    uint64_t want = 1;
    if (!r.active || !r.spare)
        abort();
    while (!k->fault && !interrupted(la)) {
        while (r.n < want && la->next_block < la->nblocks)
            admit(&r);
        if (!r.n)
            break;
        uint64_t changes = k->changes, before = k->counts.blocks_done;
        uint32_t waiting = run_turns(&r);
        if (k->fault || interrupted(la))
            break;
        bool all_wait = r.n && waiting == r.n;
        bool full = r.n >= most || la->next_block >= la->nblocks;
        if (all_wait && full && changes == k->changes && before == k->counts.blocks_done) {
            fault_wait(r.active[0]);
            break;
        }
        if (all_wait)
            want = want * 2 < most ? want * 2 : most;
        else if (r.n == want)
            want = want < calm && want < most ? want + 1 : want;
    }
    for (uint32_t i = 0; i < r.n; i++)
        block_free(r.active[i]);
    for (uint32_t i = 0; i < r.nspare; i++)
        block_free(r.spare[i]);
    free(r.active);
    free(r.spare);
}

/* ---- several threads ---- */

static void note_fault_block(struct launch *la, uint64_t linear)
{
    uint64_t seen = la->fault_block;
    while (linear < seen && !atomic_compare_exchange_weak(&la->fault_block, &seen, linear))
        ;
}

static void *run_worker(void *arg)
{
    struct worker *k = arg;
    struct launch *la = k->launch;
    struct block *b = block_new(k);
    for (;;) {
        uint64_t linear = atomic_fetch_add(&la->next_block, 1);
        if (linear >= la->nblocks || linear > la->fault_block || interrupted(la))
            break;
        block_start(b, linear);
        enum block_result res;
        while ((res = block_turn(b, la->block_turn)) == BLOCK_MORE && !b->spinning && !interrupted(la))
            show_progress(k);
        if (res == BLOCK_MORE && !interrupted(la))
            fault_wait(b);
        if (k->fault) {
            note_fault_block(la, linear);
            break;
        }
        if (res == BLOCK_DONE)
            block_done(k);
    }
    block_free(b);
    return NULL;
}

static void add_counts(struct launch_counts *to, const struct launch_counts *from)
{
    to->warp_instructions += from->warp_instructions;
    to->thread_instructions += from->thread_instructions;
    to->barriers += from->barriers;
    to->transactions += from->transactions;
    to->blocks_done += from->blocks_done;
}

bool grid_run(struct launch *la)
{
    bool serial = la->serial || la->host_threads < 2 || la->nblocks < 2;
    uint32_t n = serial ? 1 : la->host_threads;
    struct worker *k = calloc(n, sizeof *k);
    if (!k)
        abort();
    la->host_threads = n;
    atomic_store(&la->fault_block, UINT64_MAX);
    for (uint32_t i = 0; i < n; i++) {
        k[i].launch = la;
        k[i].parallel = !serial;
        k[i].first = i == 0;
    }
    if (serial)
        run_serial(&k[0]);
    else {
        uint32_t started = 1;
        while (started < n && !pthread_create(&k[started].thread, NULL, run_worker, &k[started]))
            started++;
        run_worker(&k[0]);
        for (uint32_t i = 1; i < started; i++)
            pthread_join(k[i].thread, NULL);
    }
    const struct fault *first = NULL;
    for (uint32_t i = 0; i < n; i++) {
        add_counts(&la->counts, &k[i].counts);
        if (k[i].fault && (!first || k[i].fault->linear_block < first->linear_block))
            first = k[i].fault;
    }
    if (first)
        la->fault = *first;
    la->interrupted = interrupted(la);
    free(k);
    return !first && !la->interrupted;
}
