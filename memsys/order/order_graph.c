/* Cycles: a depth-first search with an explicit stack finds one, a breadth-first search the shortest through a node. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/order/order_graph.h"

const char *const order_relation_names[] = { "po", "rf", "co", "fr", "sw", "sc" };

/* Colours of the depth-first search. */
enum { UNSEEN, OPEN, DONE };

void order_graph_free(struct order_graph *g)
{
    free(g->edge);
    free(g->from);
    free(g->first);
    free(g->queue);
    free(g->came);
    free(g->colour);
    *g = (struct order_graph){ 0 };
}

void order_graph_clear(struct order_graph *g, uint32_t nodes)
{
    static const char what[] = "the graph of the ordering oracle";
    if (nodes > g->nodes_cap) {
        g->nodes_cap = nodes;
        g->first = mem_resize(g->first, nodes, sizeof *g->first, what);
        g->queue = mem_resize(g->queue, nodes, sizeof *g->queue, what);
        g->came = mem_resize(g->came, nodes, sizeof *g->came, what);
        g->colour = mem_resize(g->colour, nodes, sizeof *g->colour, what);
    }
    g->nodes = nodes;
    g->edges = 1;
    if (nodes)
        memset(g->first, 0, nodes * sizeof *g->first);
}

void order_graph_edge(struct order_graph *g, uint32_t from, uint32_t to, enum order_relation relation)
{
    g->edge = mem_grow(g->edge, g->edges, &g->edges_cap, sizeof *g->edge, "the graph of the ordering oracle");
    g->from = mem_grow(g->from, g->edges, &g->from_cap, sizeof *g->from, "the graph of the ordering oracle");
    g->edge[g->edges] = (struct order_edge){ to, g->first[from], (uint8_t)relation };
    g->from[g->edges] = from;
    g->first[from] = g->edges++;
}

/* Depth first from one node. `came` holds the edge of each open node that is followed next. */
static bool search(struct order_graph *g, uint32_t start, uint32_t *on)
{
    uint32_t depth = 0;
    if (g->colour[start] != UNSEEN)
        return false;
    g->queue[depth++] = start;
    g->colour[start] = OPEN;
    g->came[start] = g->first[start];
    while (depth) {
        uint32_t n = g->queue[depth - 1], e = g->came[n];
        if (!e) {
            g->colour[n] = DONE;
            depth--;
            continue;
        }
        uint32_t to = g->edge[e].to;
        g->came[n] = g->edge[e].next;
        if (g->colour[to] == OPEN) {
            *on = to;
            return true;
        }
        if (g->colour[to] == UNSEEN) {
            g->colour[to] = OPEN;
            g->came[to] = g->first[to];
            g->queue[depth++] = to;
        }
    }
    return false;
}

bool order_graph_cyclic(struct order_graph *g, const uint32_t *start, uint32_t n, uint32_t *on)
{
    if (g->nodes)
        memset(g->colour, 0, g->nodes * sizeof *g->colour);
    for (uint32_t i = 0; i < n; i++)
        if (search(g, start[i], on))
            return true;
    return false;
}

/* Breadth first until an edge leads back to `on`; returns that edge. `came`: the edge by which a node was found. */
static uint32_t closing_edge(struct order_graph *g, uint32_t on)
{
    uint32_t head = 0, tail = 0;
    memset(g->colour, 0, g->nodes * sizeof *g->colour);
    g->queue[tail++] = on;
    g->colour[on] = DONE;
    while (head < tail)
        for (uint32_t e = g->first[g->queue[head++]]; e; e = g->edge[e].next) {
            uint32_t to = g->edge[e].to;
            if (to == on)
                return e;
            if (g->colour[to] == DONE)
                continue;
            g->colour[to] = DONE;
            g->came[to] = e;
            g->queue[tail++] = to;
        }
    return 0;
}

uint32_t order_graph_cycle(struct order_graph *g, uint32_t on, struct order_step *step, uint32_t room)
{
    uint32_t n = 0, last = closing_edge(g, on);
    for (uint32_t e = last; e; e = g->from[e] == on ? 0 : g->came[g->from[e]])
        n++;
    uint32_t at = n;
    for (uint32_t e = last; e; e = g->from[e] == on ? 0 : g->came[g->from[e]])
        if (--at < room)
            step[at] = (struct order_step){ g->from[e], g->edge[e].relation };
    return n;
}
