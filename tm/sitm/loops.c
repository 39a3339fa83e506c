/*
 * Possible dependency loops (Figures 18 and 19 of the paper), counted in the exact graph of all attempts that run or
 * have committed (rules/dependency_graph.h). It has no effect on the run. An access enters the graph when its slice
 * registers it (R3, R5), since the slice evaluates dependencies then. An access that the tables reject has none. Stores
 * that are not registered (exact decision, exclusive mode) enter when the SM issues them. An attempt leaves when its
 * lane aborts. SMs and slices queue events. The serial step enters them into the graph in the order (cycle, slices
 * before SMs, number), so the count does not depend on windows or host threads.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/sitm/rules/dependency_graph.h"
#include "tm/sitm/sitm.h"

enum event_kind { EVENT_BEGIN, EVENT_READ, EVENT_WRITE, EVENT_COMMIT, EVENT_ABORT };

struct sitm_event {
    uint64_t at;
    uint32_t number;                 /* of the source's events in a step */
    uint32_t lane;                   /* of the GPU: warp number x 32 + lane */
    uint32_t value;                  /* BEGIN: snapshot, READ and WRITE: word, COMMIT: version */
    uint32_t epoch;                  /* BEGIN */
    uint32_t source;                 /* slice, or number of slices + SM */
    uint8_t kind;                    /* enum event_kind */
};

struct sitm_loops {
    struct sitm_gpu *gpu;
    struct sitm_graph graph;
    uint32_t *node;                  /* by lane of the GPU: its running attempt, or SITM_NONE */
    struct sitm_event *event;        /* of this step */
    uint32_t events, events_cap, epoch;
    uint64_t counted;                /* loops of earlier kernels */
};

static void queue(struct sitm_events *q, struct sitm_event e)
{
    q->event = mem_grow(q->event, q->n, &q->cap, sizeof *q->event, "accesses that may form loops");
    e.number = q->n;
    q->event[q->n++] = e;
}

/* ---- at a slice ---- */

void sitm_loops_register(struct sitm_unit *u, uint32_t warp, const struct sitm_access *a, uint32_t lanes, bool write,
                         uint64_t at)
{
    while (u->gpu->loops && lanes) {
        uint32_t lane = sitm_lane(&lanes);
        queue(&u->loops, (struct sitm_event){ .at = at, .source = u->home.slice, .lane = warp * SITM_LANES + lane,
                                              .kind = write ? EVENT_WRITE : EVENT_READ, .value = a->word[lane] });
    }
}

/* ---- at an SM ---- */

static void queue_lane(struct sitm_core *x, uint32_t slot, uint32_t lane, struct sitm_event e)
{
    e.at = tm_now(x->tm);
    e.source = x->gpu->slices + tm_sm(x->tm);
    e.lane = sitm_warp_number(x, slot) * SITM_LANES + lane;
    queue(&x->loops, e);
}

static void queue_lanes(struct sitm_core *x, uint32_t slot, uint32_t lanes, struct sitm_event e)
{
    while (x->gpu->loops && lanes)
        queue_lane(x, slot, sitm_lane(&lanes), e);
}

void sitm_loops_begin(struct sitm_core *x, uint32_t slot, const struct sitm_message *snapshot)
{
    queue_lanes(x, slot, snapshot->lanes,
                (struct sitm_event){ .kind = EVENT_BEGIN, .value = snapshot->version, .epoch = snapshot->epoch });
}

void sitm_loops_store(struct sitm_core *x, uint32_t slot, uint32_t lane, uint64_t address)
{
    uint32_t word = (uint32_t)((address - x->gpu->kilo->base) / x->gpu->cfg.granularity);
    queue_lane(x, slot, lane, (struct sitm_event){ .kind = EVENT_WRITE, .value = word });
}

void sitm_loops_commit(struct sitm_core *x, uint32_t slot, uint32_t lanes, uint32_t version)
{
    queue_lanes(x, slot, lanes, (struct sitm_event){ .kind = EVENT_COMMIT, .value = version });
}

void sitm_loops_abort(struct sitm_core *x, uint32_t slot, uint32_t lanes)
{
    queue_lanes(x, slot, lanes, (struct sitm_event){ .kind = EVENT_ABORT });
}

/* ---- the serial step ---- */

static int in_order(const void *a, const void *b)
{
    const struct sitm_event *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void take(struct sitm_loops *l, struct sitm_events *q)
{
    for (uint32_t i = 0; i < q->n; i++) {
        l->event = mem_grow(l->event, l->events, &l->events_cap, sizeof *l->event, "accesses that may form loops");
        l->event[l->events++] = q->event[i];
    }
    q->n = 0;
}

static void gather(struct sitm_loops *l, void *const *cores, uint32_t n)
{
    l->events = 0;
    for (uint32_t i = 0; i < l->gpu->slices; i++)
        take(l, &l->gpu->unit[i]->loops);
    for (uint32_t i = 0; i < n; i++)
        take(l, &sitm_core(cores[i])->loops);
    if (l->events)
        qsort(l->event, l->events, sizeof *l->event, in_order);
}

/* After a reset version numbers start again, and no attempt before it can be on a loop with one after it. */
static void begin(struct sitm_loops *l, const struct sitm_event *e)
{
    if (e->epoch != l->epoch)
        sitm_graph_prune(&l->graph, SITM_GRAPH_ALL);
    l->epoch = e->epoch;
    l->node[e->lane] = sitm_graph_begin(&l->graph, e->value);
}

/* An attempt that is over has no node. */
static void enter(struct sitm_loops *l, const struct sitm_event *e)
{
    uint32_t node = l->node[e->lane];
    if (e->kind == EVENT_BEGIN)
        begin(l, e);
    if (e->kind == EVENT_BEGIN || node == SITM_NONE)
        return;
    if (e->kind == EVENT_READ)
        sitm_graph_read(&l->graph, node, e->value);
    else if (e->kind == EVENT_WRITE)
        sitm_graph_write(&l->graph, node, e->value);
    else if (e->kind == EVENT_COMMIT)
        sitm_graph_commit(&l->graph, node, e->value);
    else
        sitm_graph_abort(&l->graph, node);
    if (e->kind >= EVENT_COMMIT)
        l->node[e->lane] = SITM_NONE;
}

void sitm_loops_step(struct sitm_loops *l, void *const *cores, uint32_t n)
{
    bool over = false;
    gather(l, cores, n);
    for (uint32_t i = 0; i < l->events; i++) {
        enter(l, &l->event[i]);
        over |= l->event[i].kind >= EVENT_COMMIT;
    }
    if (over)
        sitm_graph_prune(&l->graph, sitm_manager_undecided_oldest(l->gpu->manager));
}

uint64_t sitm_loops_end_kernel(struct sitm_loops *l)
{
    uint64_t loops = l->graph.loops - l->counted;
    sitm_graph_prune(&l->graph, SITM_GRAPH_ALL);
    l->counted = l->graph.loops;
    l->epoch = 0;
    return loops;
}

/* ---- life ---- */

struct sitm_loops *sitm_loops_new(struct sitm_gpu *g)
{
    struct sitm_loops *l = mem_zero(1, sizeof *l, "the count of dependency loops");
    uint32_t lanes = g->warps * SITM_LANES;
    l->gpu = g;
    sitm_graph_init(&l->graph);
    l->node = mem_alloc(lanes, sizeof *l->node, "the count of dependency loops");
    for (uint32_t i = 0; i < lanes; i++)
        l->node[i] = SITM_NONE;
    return l;
}

void sitm_loops_free(struct sitm_loops *l)
{
    if (!l)
        return;
    sitm_graph_end(&l->graph);
    free(l->node);
    free(l->event);
    free(l);
}
