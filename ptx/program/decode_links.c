/*
 * The link from each step to the next one, for the run loop of functional mode. A link skips the steps that its step
 * executes, too (decode_pairs.c), and hoisted instructions (invariant.c). If the function of the next step only returns
 * the code of a control instruction or of a join marker, the link has that code, and the loop does not call the
 * function.
 */
#include "ptx/program/decode.h"

static bool hoisted(const struct code *c, const struct dinst *d)
{
    return d->in && !code_is_join(d) && c->flow->hoisted[d->seq];
}

static uint32_t control_code(const struct dinst *d)
{
    if (code_is_join(d))
        return CONTROL_JOIN;
    return d->in && d->fn == decode_control_fn((enum ptx_op)d->in->op) ? d->in->op : 0;
}

void decode_links(struct decoder *x)
{
    struct code *c = x->code;
    for (uint32_t i = 0; i + 1 < c->ninsts; i++) {
        struct dinst *d = &c->insts[i];
        const struct dinst *to = d + d->covers;
        if (hoisted(c, d))
            d->stepping |= STEPS_HOISTED;
        while (hoisted(c, to))
            to++;
        d->next = (uint32_t)((const char *)to - (const char *)d);
        d->next_control = control_code(to);
    }
}
