/*
 * Sequential consistency as Singh, Aga and Narayanasamy enforce it without further hardware (MICRO 2015, section 3.4):
 * an access to global or shared memory issues when all accesses of its warp before it have performed. Fences then order
 * nothing, but without a coherence protocol they also make the L1 fetch its lines again, and wait for the loads before
 * them.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "consistency/protocols.h"
#include "consistency/sc/sc.h"

void *sc_new(const struct order_site *site)
{
    struct sc *s = mem_zero(1, sizeof *s, "sequential consistency");
    s->coherent = coherence_of(site->config);
    return s;
}

static bool may_issue(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    (void)warp;
    return order_is_access(a) ? sc_all_performed(w) : sc_may_pass(state, w, a);
}

const struct order_policy order_sc = {
    .name = "sc", .model = ORDER_MODEL_SC, .new_state = sc_new, .free_state = free, .may_issue = may_issue
};
