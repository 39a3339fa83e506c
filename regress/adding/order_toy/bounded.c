/*
 * A bound on the accesses that a warp has outstanding. With a bound of 1 an instruction issues when all accesses of the
 * warp before it have performed, which is sequential consistency (Lamport, IEEE Transactions on Computers C-28, 1979),
 * as far as the accesses of a load or store are not ordered among themselves.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/config/config.h"
#include "base/stats.h"
#include "consistency/order.h"

struct bounded { uint32_t most; uint64_t *count; };              /* of an SM */

static void *new_state(const struct order_site *site)
{
    struct bounded *b = mem_zero(1, sizeof *b, "bounded ordering");
    b->most = (uint32_t)config_int(site->config, KEY_BOUNDED_ACCESSES);
    b->count = site->count;
    return b;
}

/* Fences, barriers and exits wait for all accesses, as in relaxed ordering. */
static bool may_issue(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    const struct bounded *b = state;
    bool access = a->kind <= ORDER_SHARED;
    return order_rmo_ptx.may_issue(NULL, warp, w, a) && (!access || w->loads + w->stores + w->shared < b->most);
}

static void performed(void *state, const struct stage_performed *p, uint64_t now)
{
    ((struct bounded *)state)->count[STAT_BOUNDED_PERFORMED]++;
}

/* It holds no accesses, and is notified of those that perform. */
static const struct order_stage stage = { .performed = performed };

const struct order_policy order_bounded = {
    .name = "bounded", .new_state = new_state, .free_state = free, .may_issue = may_issue, .stage = &stage
};
