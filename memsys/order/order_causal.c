/* Causality order of the PTX memory model as a graph, and a search for an access that causes an earlier one. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/order/order_causal.h"

void order_causal_free(struct order_causal *c)
{
    free(c->node);
    *c = (struct order_causal){ 0 };
}

void order_causal_clear(struct order_causal *c, uint32_t nodes)
{
    if (nodes > c->cap) {
        c->cap = nodes;
        c->node = mem_resize(c->node, nodes, sizeof *c->node, "the nodes of the ordering oracle");
    }
    c->n = nodes;
    if (nodes)
        memset(c->node, 0, nodes * sizeof *c->node);
}

/* ---- synchronization ---- */

/* Does the scope of each include the other's thread? */
static bool in_scope(const struct order_event *a, const struct order_event *b)
{
    return !((a->sem | b->sem) & ORDER_SEM_BLOCK) || (a->sm == b->sm && a->block == b->block);
}

static bool morally_strong(const struct order_event *a, const struct order_event *b)
{
    return (a->sem & b->sem & ORDER_SEM_STRONG) && in_scope(a, b);
}

/* The end of the pattern to which this access belongs: itself, or the fence, if its scope includes the other end. */
static uint32_t pattern(const struct order_causal *c, uint32_t node, bool itself, uint32_t fence, uint32_t other)
{
    if (itself && in_scope(c->node[node].e, c->node[other].e))
        return node + 1;
    return fence;
}

/* The read observes the write, directly or through atomics. */
static void synchronize(const struct order_causal *c, struct order_graph *g, uint32_t write, uint32_t read)
{
    const struct order_node *w = &c->node[write], *r = &c->node[read];
    uint32_t release = pattern(c, write, w->e->sem & ORDER_SEM_RELEASE, w->before, read);
    uint32_t acquire = pattern(c, read, r->e->sem & ORDER_SEM_ACQUIRE, r->after, write);
    if (release && acquire && in_scope(c->node[release - 1].e, c->node[acquire - 1].e))
        order_graph_edge(g, release - 1, acquire - 1, ORDER_SW);
}

/* Every write that a read observes through a chain of morally strong reads of atomics. */
static void observe(const struct order_causal *c, struct order_graph *g, uint32_t read)
{
    for (uint32_t to = read, w = c->node[read].writer; w; to = w - 1, w = c->node[to].writer) {
        if (!morally_strong(c->node[w - 1].e, c->node[to].e))
            return;
        synchronize(c, g, w - 1, read);
        if (to == read)
            order_graph_edge(g, w - 1, read, ORDER_RF);
        if (!c->node[w - 1].e->reads)
            return;
    }
}

void order_causal_relate(const struct order_causal *c, struct order_graph *g)
{
    const uint8_t sc = ORDER_SEM_FENCE | ORDER_SEM_SC;
    uint32_t last = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct order_event *e = c->node[i].e;
        if (c->node[i].writer)
            observe(c, g, i);
        if ((e->sem & (sc | ORDER_SEM_BLOCK)) != sc)
            continue;
        if (last)
            order_graph_edge(g, last - 1, i, ORDER_SC);
        last = i + 1;
    }
}

/* ---- violations ---- */

/* Fills `low`. Few edges lead backward, so few rounds are needed. */
static void find_low(struct order_causal *c, const struct order_graph *g)
{
    bool changed = true;
    for (uint32_t i = 0; i < c->n; i++)
        c->node[i].low = i;
    while (changed) {
        changed = false;
        for (uint32_t i = c->n; i-- > 0;)
            for (uint32_t e = g->first[i]; e; e = g->edge[e].next)
                if (g->edge[e].relation != ORDER_RF && c->node[g->edge[e].to].low < c->node[i].low) {
                    c->node[i].low = c->node[g->edge[e].to].low;
                    changed = true;
                }
    }
}

/* The relation by which b, which is before a in the replay, precedes it; ORDER_PO: none. */
static enum order_relation conflict(const struct order_causal *c, uint32_t b, uint32_t a)
{
    const struct order_node *x = &c->node[b], *y = &c->node[a];
    if ((x->e->sem | y->e->sem) & ORDER_SEM_FENCE || x->e->line != y->e->line || x->e->width != y->e->width ||
        x->e->offset[x->lane] != y->e->offset[y->lane])
        return ORDER_PO;
    if (y->e->writes)
        return x->e->writes ? ORDER_CO : ORDER_FR;
    return y->writer == b + 1 ? ORDER_RF : ORDER_PO;
}

/* Breadth first from a, over nodes that cause one before it; their colour is a's number + 1. An observation can only be
 * the first step. */
static uint32_t search(const struct order_causal *c, struct order_graph *g, uint32_t a)
{
    uint32_t head = 0, tail = 0;
    g->queue[tail++] = a;
    g->colour[a] = a + 1;
    while (head < tail) {
        uint32_t from = g->queue[head++];
        for (uint32_t e = g->first[from]; e; e = g->edge[e].next) {
            uint32_t to = g->edge[e].to;
            if (g->colour[to] == a + 1 || c->node[to].low >= a || (g->edge[e].relation == ORDER_RF && from != a))
                continue;
            g->colour[to] = a + 1;
            g->came[to] = e;
            if (to < a && conflict(c, to, a) != ORDER_PO)
                return to + 1;
            g->queue[tail++] = to;
        }
    }
    return 0;
}

static bool causes_earlier(const struct order_causal *c, const struct order_graph *g, uint32_t a)
{
    for (uint32_t e = g->first[a]; e; e = g->edge[e].next)
        if (c->node[g->edge[e].to].low < a)
            return true;
    return false;
}

static uint32_t store_path(const struct order_causal *c, const struct order_graph *g, uint32_t a, uint32_t b,
                           struct order_step *path, uint32_t room)
{
    uint32_t n = 1;
    for (uint32_t at = b; at != a; at = g->from[g->came[at]])
        n++;
    uint32_t i = n - 1;
    if (i < room)
        path[i] = (struct order_step){ b, conflict(c, b, a) };
    for (uint32_t at = b; at != a; at = g->from[g->came[at]])
        if (--i < room)
            path[i] = (struct order_step){ g->from[g->came[at]], g->edge[g->came[at]].relation };
    return n;
}

uint32_t order_causal_violation(struct order_causal *c, struct order_graph *g, struct order_step *path, uint32_t room)
{
    find_low(c, g);
    if (c->n)
        memset(g->colour, 0, c->n * sizeof *g->colour);
    for (uint32_t a = 0; a < c->n; a++) {
        const struct order_event *e = c->node[a].e;
        if (e->sem & ORDER_SEM_FENCE || e->sm == ORDER_ENGINE || !causes_earlier(c, g, a))
            continue;
        uint32_t b = search(c, g, a);
        if (b)
            return store_path(c, g, a, b - 1, path, room);
    }
    return 0;
}
