/*
 * The exact decision (SITM_Oracle of the paper): the manager decides each lane by the graph of dependencies between
 * committed attempts. It reads the lane's read and write sets at the SM without a message. They do not change between
 * COMMIT_REQ and COMMIT_OK, so decisions depend only on the manager's order, not on the length of windows.
 *
 * Each committed attempt has a ticket. Attempts leave the graph in a serial order, and the oracle receives the tickets
 * in this order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/sitm/rules/dependency_graph.h"
#include "tm/sitm/sitm.h"

struct words { uint32_t *word, n, cap; };

struct sitm_exact {
    struct sitm_gpu *gpu;
    struct sitm_graph graph;
    struct words read, write;        /* of the lane that is being decided */
    uint32_t *ticket_of, tickets_cap;        /* by node */
    uint32_t tickets, epoch;         /* tickets so far; resets at the last decision */
    struct fifo left;                /* uint32_t: tickets that have left the graph, until the serial step */
    uint32_t ticket[SITM_MOST_IDS];  /* by ID: of the last commit */
    bool overwritten[SITM_MOST_IDS];         /* the last decision refused it: a word had a newer version */
};

static void leaves(void *ctx, uint32_t node)
{
    struct sitm_exact *e = ctx;
    *(uint32_t *)fifo_push(&e->left) = e->ticket_of[node];
}

/* ---- sets ---- */

static int ascending(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void add_word(struct words *w, uint32_t word)
{
    w->word = mem_grow(w->word, w->n, &w->cap, sizeof *w->word, "sets of the exact decision");
    w->word[w->n++] = word;
}

/* The granules of a set of global memory, and the words of one of shared memory, each once. */
static void collect(const struct sitm_gpu *g, struct tm_core *tm, uint32_t slot, const struct tm_set *set,
                    const struct tm_set *shared, struct words *w)
{
    uint32_t n = 0;
    w->n = 0;
    for (uint32_t i = 0; i < set->n; i++)
        add_word(w, (uint32_t)((set->w[i].address - g->kilo->base) / g->cfg.granularity));
    for (uint32_t i = 0; i < shared->n; i++)
        add_word(w, tm_shared_word(tm, slot, shared->w[i].address));
    if (w->n)
        qsort(w->word, w->n, sizeof *w->word, ascending);
    for (uint32_t i = 0; i < w->n; i++)
        if (!n || w->word[n - 1] != w->word[i])
            w->word[n++] = w->word[i];
    w->n = n;
}

/* ---- decision ---- */

static void prune(struct sitm_exact *e)
{
    const struct sitm_manager *m = e->gpu->manager;
    sitm_graph_prune(&e->graph, e->epoch != m->epoch ? SITM_GRAPH_ALL : sitm_manager_undecided_oldest(m));
    e->epoch = m->epoch;
}

static void give_ticket(struct sitm_exact *e, uint32_t node, uint32_t id)
{
    while (node >= e->tickets_cap)
        e->ticket_of = mem_grow(e->ticket_of, e->tickets_cap, &e->tickets_cap, sizeof *e->ticket_of,
                                "tickets of the exact decision");
    e->ticket_of[node] = e->ticket[id] = ++e->tickets;
}

static bool decide(void *ctx, uint32_t id, uint32_t version)
{
    struct sitm_exact *e = ctx;
    const struct sitm_gpu *g = e->gpu;
    const struct sitm_group *group = &g->manager->group[id / SITM_LANES];
    struct tm_core *tm = g->core[group->warp / g->slots]->tm;
    uint32_t slot = group->warp % g->slots, node;
    const struct tm_lane *lane = tm_lane(tm, slot, id % SITM_LANES);
    collect(g, tm, slot, &lane->reads, &lane->shared_reads, &e->read);
    collect(g, tm, slot, &lane->writes, &lane->shared_writes, &e->write);
    const struct sitm_sets sets = { e->read.word, e->write.word, e->read.n, e->write.n };
    prune(e);
    enum sitm_verdict verdict = sitm_graph_decide(&e->graph, group->snapshot, version, &sets, &node);
    e->overwritten[id] = verdict == SITM_VERDICT_WRITE;
    if (verdict == SITM_VERDICT_COMMIT)
        give_ticket(e, node, id);
    return verdict == SITM_VERDICT_COMMIT;
}

void sitm_exact_label(const struct sitm_exact *e, struct sitm_message *ok)
{
    for (uint32_t lane = 0; lane < SITM_LANES; lane++) {
        uint32_t id = sitm_id(ok->group, lane);
        ok->stamp[lane] = e->ticket[id];
        ok->overwritten |= (uint32_t)e->overwritten[id] << lane;
    }
}

void sitm_exact_report(struct sitm_exact *e, bool all)
{
    if (all)
        sitm_graph_prune(&e->graph, SITM_GRAPH_ALL);
    for (; e->left.n; fifo_pop(&e->left))
        tm_order_turn(e->gpu->tm, *(const uint32_t *)fifo_front(&e->left));
}

/* ---- life ---- */

static void start_graph(struct sitm_exact *e)
{
    sitm_graph_init(&e->graph);
    e->graph.leaves = leaves;
    e->graph.ctx = e;
    e->tickets = e->epoch = 0;
}

struct sitm_exact *sitm_exact_new(struct sitm_gpu *g)
{
    struct sitm_exact *e = mem_zero(1, sizeof *e, "the exact decision");
    e->gpu = g;
    fifo_init(&e->left, sizeof(uint32_t), "the exact decision");
    start_graph(e);
    return e;
}

void sitm_exact_free(struct sitm_exact *e)
{
    if (!e)
        return;
    sitm_graph_end(&e->graph);
    fifo_end(&e->left);
    free(e->read.word);
    free(e->write.word);
    free(e->ticket_of);
    free(e);
}

void sitm_exact_start(struct sitm_exact *e)
{
    if (!e)
        return;
    sitm_graph_end(&e->graph);
    start_graph(e);
    e->gpu->manager->decide = decide;
    e->gpu->manager->decide_ctx = e;
}
