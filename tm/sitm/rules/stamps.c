/*
 * Post-dating. The repaired rule R8 follows the order of its steps. Figure 7 of the paper, as printed, differs: a
 * committed successor has PDTS = -1, the successor's CTS is assigned and may decrease, and -1 is either the least
 * number (signed) or the greatest (unsigned), without a meaning of its own in the comparison of line 11.
 */
#include "base/num.h"
#include "tm/sitm/rules/stamps.h"

void sitm_stamps_init(struct sitm_stamps *t, const struct sitm_rules *r)
{
    *t = (struct sitm_stamps){ .infinite = ((uint32_t)1 << r->stamp_bits) - 1, .delta = r->delta,
                               .postdating = r->postdating };
}

void sitm_stamps_begin(struct sitm_stamps *t, uint32_t id, uint32_t cts)
{
    t->of[id] = (struct sitm_stamp){ .cts = cts, .pdts = t->infinite, .state = SITM_STAMP_RUN };
}

uint32_t sitm_stamps_commit(struct sitm_stamps *t, uint32_t id, bool top)
{
    const struct sitm_stamp *a = &t->of[id];
    uint32_t up = num_least(a->cts + t->delta, t->infinite - 1);
    uint32_t prevts = !top ? a->cts : a->pdts != t->infinite ? a->pdts : up;
    sitm_stamps_commit_at(t, id, prevts);
    return prevts;
}

void sitm_stamps_commit_at(struct sitm_stamps *t, uint32_t id, uint32_t prevts)
{
    t->of[id].prevts = prevts;
    t->of[id].state = SITM_STAMP_COMMITTED;
}

void sitm_stamps_free(struct sitm_stamps *t, uint32_t id)
{
    t->of[id].state = SITM_STAMP_FREE;
}

/* Step 7: the successor starts after `stamp`. */
static enum sitm_edge_result start_after(const struct sitm_stamps *t, struct sitm_stamp *s, uint32_t stamp)
{
    if (stamp + 1 >= t->infinite)
        return SITM_EDGE_OVERFLOW;
    s->cts = num_most(s->cts, stamp + 1);
    return SITM_EDGE_OK;
}

/* Steps 3 to 7: the predecessor runs. */
static enum sitm_edge_result order_running(const struct sitm_stamps *t, struct sitm_stamp *p, struct sitm_stamp *s)
{
    bool committed = s->state == SITM_STAMP_COMMITTED;
    uint32_t high = committed ? s->prevts : s->pdts;
    if (high <= p->cts)
        return SITM_EDGE_LOOP;
    if (p->pdts < (committed ? s->prevts : s->cts))
        return SITM_EDGE_OK;
    if (committed) {
        p->pdts = num_least(p->pdts, high - 1);
        return SITM_EDGE_OK;
    }
    if (high != t->infinite)
        p->pdts = num_least(p->pdts, (p->cts + high) / 2);
    else if (p->pdts == t->infinite)
        p->pdts = num_least(p->cts + t->delta, t->infinite - 1);
    return start_after(t, s, p->pdts);
}

static enum sitm_edge_result repaired(const struct sitm_stamps *t, struct sitm_stamp *p, struct sitm_stamp *s)
{
    if (p->state != SITM_STAMP_COMMITTED)
        return order_running(t, p, s);
    if (p->prevts >= s->pdts)
        return SITM_EDGE_LOOP;
    return start_after(t, s, p->prevts);
}

/* A stamp as line 11, 6 and 17 of the figure compare it; none: what -1 counts as. */
static int64_t number(const struct sitm_stamps *t, uint32_t stamp, int64_t none)
{
    return stamp == t->infinite ? none : stamp;
}

/* Lines 1 to 15: the stamp that the predecessor returns. after: PDTS of the successor. */
static uint32_t printed_predecessor(const struct sitm_stamps *t, struct sitm_stamp *p, uint32_t after, int64_t none)
{
    if (p->state == SITM_STAMP_COMMITTED)
        return p->prevts;
    uint32_t midpoint = (p->cts + after) / 2;
    if (after == t->infinite || p->cts >= after) {
        if (p->pdts == t->infinite)
            p->pdts = num_least(p->cts + t->delta, t->infinite - 1);
    } else if (number(t, p->pdts, none) > midpoint) {
        p->pdts = midpoint;
    }
    return p->pdts;
}

static enum sitm_edge_result printed(const struct sitm_stamps *t, struct sitm_stamp *p, struct sitm_stamp *s)
{
    int64_t none = t->postdating == SITM_POSTDATING_PRINTED ? -1 : (int64_t)t->infinite;
    uint32_t after = s->state == SITM_STAMP_COMMITTED ? t->infinite : s->pdts;
    int64_t stamp = number(t, printed_predecessor(t, p, after, none), none);
    if (after != t->infinite && stamp >= after)
        return SITM_EDGE_LOOP;
    if (stamp + 1 >= t->infinite)
        return SITM_EDGE_OVERFLOW;
    s->cts = (uint32_t)(stamp + 1);
    return SITM_EDGE_OK;
}

enum sitm_edge_result sitm_stamps_edge(struct sitm_stamps *t, uint32_t before, uint32_t after)
{
    struct sitm_stamp *p = &t->of[before], *s = &t->of[after];
    if (p->state == SITM_STAMP_FREE || s->state == SITM_STAMP_FREE)
        return SITM_EDGE_OK;
    if (p->state == SITM_STAMP_COMMITTED && s->state == SITM_STAMP_COMMITTED)
        return SITM_EDGE_OK;
    return t->postdating == SITM_POSTDATING_REPAIRED ? repaired(t, p, s) : printed(t, p, s);
}
