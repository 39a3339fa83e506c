/*
 * The axioms of the PTX memory model (PTX ISA, chapter Memory Consistency Model) on a part of the replay. Reads-from
 * and coherence order lead forward in the replay, and an atomic reads and writes at one time; so coherence, atomicity,
 * causality and SC per location can fail only where causality order leads backward: a causes b, both access one word,
 * and b is before a in the replay. Then
 *   - both write: causality contradicts coherence order;
 *   - a writes: b reads an older value than a's;
 *   - b writes: a reads the value from its own future.
 * Causality order is program order, synchronization (a release pattern whose write an acquire pattern reads, also
 * through a chain of atomics) and the order of fence.sc operations, which is taken as that of their issue; before it
 * one observation, a morally strong read of a write. A store has its value when it issues, so no value comes from thin
 * air.
 */
#ifndef MEMSYS_ORDER_CAUSAL_H
#define MEMSYS_ORDER_CAUSAL_H

#include "memsys/order/order_graph.h"
#include "memsys/order/order_history.h"

/* What one lane does with one instruction. Nodes are numbered in the order of the replay; other nodes: number + 1, 0 =
 * none. before, after: the nearest fences of the lane. low: the first node that it causes. */
struct order_node {
    const struct order_event *e;
    uint32_t lane, writer, before, after, low;
};

struct order_causal { struct order_node *node; uint32_t n, cap; };

void order_causal_free(struct order_causal *c);
/* Nodes 0 to nodes - 1; the caller sets all but `low`. */
void order_causal_clear(struct order_causal *c, uint32_t nodes);
/* Adds synchronization, the order of fence.sc and observation to a graph that has program order. */
void order_causal_relate(const struct order_causal *c, struct order_graph *g);
/* Is there a node that causes an earlier one with which it conflicts? path: from one to the other, at most `room` nodes
 * are stored; the relation of the last one is that by which it precedes the first. Returns the length, 0 = none. */
uint32_t order_causal_violation(struct order_causal *c, struct order_graph *g, struct order_step *path, uint32_t room);

#endif
