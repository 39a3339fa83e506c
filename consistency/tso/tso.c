/*
 * Total store order without a store buffer (Singh, Aga and Narayanasamy, MICRO 2015, section 3.3): a load waits for the
 * warp's loads before it, a store or atomic for all its accesses; a load may issue while a store is outstanding. Fences
 * and barriers wait for all. Accesses to shared memory perform in the order in which they issue, so nothing waits for
 * them; they themselves wait for global accesses as others do.
 */
#include "consistency/tso/tso.h"

static bool may_issue(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    (void)state;
    (void)warp;
    return a->writes ? tso_may_write(w) : order_is_access(a) ? tso_may_read(w) : order_none_outstanding(w);
}

const struct order_policy order_tso = { .name = "tso", .model = ORDER_MODEL_TSO, .may_issue = may_issue };
