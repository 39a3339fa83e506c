/*
 * A directed graph whose edges say "performs before", and the shortest cycle through one of its nodes. Nodes are
 * numbers; edges form a list for each node. Its room is kept from one use to the next.
 */
#ifndef MEMSYS_ORDER_GRAPH_H
#define MEMSYS_ORDER_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/* Program order, reads-from, coherence order, from-read (Alglave et al., "Herding Cats", TOPLAS 36, 2014); of the PTX
 * model: synchronizes-with, order of fence.sc. */
enum order_relation { ORDER_PO, ORDER_RF, ORDER_CO, ORDER_FR, ORDER_SW, ORDER_SC };

struct order_edge { uint32_t to, next; uint8_t relation; };      /* next: of the same node, 0 = none */

/* One step of a cycle: the node, and the relation to the next node. */
struct order_step { uint32_t node; enum order_relation relation; };

struct order_graph {
    struct order_edge *edge;         /* from 1 */
    uint32_t *first, *queue, *came;  /* by node: its edges; of a search: nodes in order, the edge that reached it */
    uint32_t *colour;                /* by node: number of the search that has visited it */
    uint32_t *from;                  /* by edge: its node */
    uint32_t nodes, edges, nodes_cap, edges_cap, from_cap;
};

extern const char *const order_relation_names[];

void order_graph_free(struct order_graph *g);
/* Nodes 0 to nodes - 1 without edges. */
void order_graph_clear(struct order_graph *g, uint32_t nodes);
void order_graph_edge(struct order_graph *g, uint32_t from, uint32_t to, enum order_relation relation);
/* Is there a cycle that is reachable from one of these nodes? *on: a node of it. */
bool order_graph_cyclic(struct order_graph *g, const uint32_t *start, uint32_t n, uint32_t *on);
/* The shortest cycle through a node that is on one: at most `room` steps are stored. Returns its length. */
uint32_t order_graph_cycle(struct order_graph *g, uint32_t on, struct order_step *step, uint32_t room);

#endif
