/* What the policies of sequential consistency have in common. */
#ifndef CONSISTENCY_SC_SC_H
#define CONSISTENCY_SC_SC_H

#include "consistency/order.h"

struct sc { bool coherent; };                                    /* the L1s are kept coherent */

/* new_state of sc. */
void *sc_new(const struct order_site *site);

/* Have all accesses of the warp performed, those to shared memory included? */
static inline bool sc_all_performed(const struct order_warp *w)
{
    return order_none_outstanding(w) && !w->shared && !w->acquires;
}

/* May the warp pass the fence, barrier or exit? */
static inline bool sc_may_pass(const struct sc *s, const struct order_warp *w, const struct order_access *a)
{
    bool fence = a->kind == ORDER_FENCE || a->kind == ORDER_FENCE_CTA;
    return (fence && s->coherent) || order_none_outstanding(w);
}

#endif
