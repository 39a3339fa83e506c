/* What the policies of total store order have in common. */
#ifndef CONSISTENCY_TSO_TSO_H
#define CONSISTENCY_TSO_TSO_H

#include "consistency/order.h"

static inline bool tso_may_read(const struct order_warp *w)
{
    return !w->loads && !w->acquires;
}

static inline bool tso_may_write(const struct order_warp *w)
{
    return order_none_outstanding(w) && !w->acquires;
}

#endif
