/* Steps of the instructions that use the stack of a lane (ptx/exec/stack.c). */
#include "ptx/program/decode.h"
#include "ptx/exec/stack.h"

static uint64_t value_at(const struct lanes *l, operand o, uint32_t size, int lane)
{
    const void *v = lanes_at(l, o);
    return size == 8 ? ((const uint64_t *)v)[lane] : ((const uint32_t *)v)[lane];
}

static void write_top(struct lanes *l, const struct dinst *d, int lane)
{
    void *out = lanes_at(l, d->dst);
    uint32_t top = half_of(l)->top[lane];
    if (d->size == 8)
        ((uint64_t *)out)[lane] = top;
    else
        ((uint32_t *)out)[lane] = top;
}

static int run_alloca(struct lanes *l, const struct dinst *d)
{
    uint64_t align = (uint64_t)d->in->opd[2].imm;
    align = d->in->opd[2].kind == OPD_IMM && align > STACK_ALIGN ? align : STACK_ALIGN;
    for (uint32_t m = l->mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        if (!stack_allocate(half_of(l), d, lane, value_at(l, d->src[0], d->size, lane), align))
            return CONTROL_FAULT;
        write_top(l, d, lane);
    }
    return CONTROL_NEXT;
}

static int run_stacksave(struct lanes *l, const struct dinst *d)
{
    for (uint32_t m = l->mask; m; m &= m - 1)
        write_top(l, d, __builtin_ctz(m));
    return CONTROL_NEXT;
}

static int run_stackrestore(struct lanes *l, const struct dinst *d)
{
    for (uint32_t m = l->mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        if (!stack_restore(half_of(l), d, lane, value_at(l, d->src[0], d->size, lane)))
            return CONTROL_FAULT;
    }
    return CONTROL_NEXT;
}

static void add_step(struct decoder *x, ptx_fn *fn, operand from, operand to)
{
    struct dinst *d = decoder_add_counting_step(x);
    d->size = (uint8_t)ptx_type_size((enum ptx_type)x->in->type[0]);
    d->src[0] = from;
    d->dst = to;
    d->fn = fn;
    decoder_guard(x, d);
    x->code->uses_stack = !x->f->is_entry;
}

static operand result(struct decoder *x)
{
    return x->in->opd[0].kind == OPD_REG ? decoder_reg(x, x->in->opd[0].reg) : x->scratch;
}

void decode_alloca(struct decoder *x)
{
    operand bytes = decoder_source(x, &x->in->opd[1], (enum ptx_type)x->in->type[0]);
    add_step(x, run_alloca, bytes, result(x));
}

void decode_stacksave(struct decoder *x)
{
    add_step(x, run_stacksave, 0, result(x));
}

void decode_stackrestore(struct decoder *x)
{
    operand state = decoder_source(x, &x->in->opd[0], (enum ptx_type)x->in->type[0]);
    add_step(x, run_stackrestore, state, 0);
}
