/*
 * Relaxed ordering as PTX defines it. Loads and stores issue without waiting. A fence, a release, an exit and, with
 * rmo-ptx, a barrier wait until the warp's earlier global accesses have performed; accesses after an acquire wait for
 * it (PTX ISA, memory consistency model: release and acquire patterns, causality order). A fence of CTA scope waits
 * like the others: causality is transitive, and threads of its block may pass on values that they have read. rmo-paper
 * is the weaker model of Singh, Aga and Narayanasamy (MICRO 2015, section 3.2): the threads of a block have one path to
 * memory, so barriers, and fences, releases and acquires of CTA scope, do not wait.
 */
#include "consistency/order.h"

static bool may_issue(const struct order_warp *w, const struct order_access *a)
{
    switch (a->kind) {
    case ORDER_FENCE:
    case ORDER_FENCE_CTA:
    case ORDER_BARRIER:
    case ORDER_EXIT: return order_none_outstanding(w);
    default: return !w->acquires && (!a->release || order_none_outstanding(w));
    }
}

static bool rmo_ptx(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    (void)state;
    (void)warp;
    return may_issue(w, a);
}

static bool rmo_no_drain(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    return a->kind == ORDER_BARRIER || rmo_ptx(state, warp, w, a);
}

static bool rmo_paper(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    (void)state;
    (void)warp;
    if (!order_is_access(a))
        return a->kind == ORDER_FENCE_CTA || a->kind == ORDER_BARRIER || order_none_outstanding(w);
    return w->acquires == w->block_acquires && (!a->release || a->block || order_none_outstanding(w));
}

const struct order_policy order_rmo_ptx = { .name = "rmo-ptx", .model = ORDER_MODEL_PTX, .may_issue = rmo_ptx };
const struct order_policy order_rmo_no_drain = { .name = "rmo-no-drain", .may_issue = rmo_no_drain };
const struct order_policy order_rmo_paper = { .name = "rmo-paper", .may_issue = rmo_paper };
