/*
 * Order policies for tests. toy_delay: stores of a warp leave in order, each after a random time; loads pass them, but
 * for those to their own line. toy_sc: an access of a warp begins when all before it have performed (Lamport, IEEE
 * Transactions on Computers C-28, 1979). toy_ask: a store asks the partition of its line first. What they did is added
 * up when their states are freed.
 */
#ifndef REGRESS_ORDER_TOYS_H
#define REGRESS_ORDER_TOYS_H

#include "consistency/order.h"

extern const struct order_policy toy_delay, toy_sc, toy_ask;

struct toy_totals {
    uint64_t accepted, sent, loads, stores;     /* loads, stores: performed; atomics are both */
    uint64_t expected_loads, expected_stores;
    uint64_t shared, shared_refused;
    uint64_t asked, taken, granted, thanked;             /* messages of toy_ask at both ends */
    uint64_t overlapped;             /* instructions that were let go with a grant, before their store had performed */
};
extern struct toy_totals toy_totals;

#endif
