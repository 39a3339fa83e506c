/*
 * Decoding of the instructions that have lane functions (lanes.h): arithmetic, logic, conversions, comparisons, moves,
 * warp-level operations.
 */
#include <string.h>

#include "ptx/exec/check.h"
#include "ptx/program/decode.h"

int decode_run_warpsync(struct lanes *l, const struct dinst *d)
{
    (void)l;
    (void)d;
    return CONTROL_WARPSYNC;
}

/* ---- the carry flag of subtractions ---- */

static int run_inverted_carry(struct lanes *l, const struct dinst *d)
{
    l->cc = ~l->cc;
    int r = d->rounded(l, d);
    l->cc = ~l->cc;
    return r;
}

/* With gpu.sub_carry = inverted, CC.CF is 0 where a subtraction borrows: the borrow is inverted before and after it. */
static void set_carry(const struct decoder *x, struct dinst *d)
{
    bool subtracts = x->in->op == OP_SUBC || (x->in->op == OP_SUB && x->in->mod[PG_CC]);
    if (!subtracts || !x->p->inverted_carry)
        return;
    d->rounded = d->fn;
    d->fn = run_inverted_carry;
}

/* ---- member masks ---- */

typedef uint32_t word4 __attribute__((vector_size(16)));

/* Executing lanes that their own member mask leaves out. */
static uint32_t left_out(const struct lanes *l, const struct dinst *d)
{
    const word4 *member = lanes_at(l, d->src[d->target]);
    word4 bit = { 1, 2, 4, 8 }, named = { 0 };
    for (int i = 0; i < LANES / 4; i++, bit <<= 4)
        named |= member[i] & bit;
    return l->mask & ~(named[0] | named[1] | named[2] | named[3]);
}

static int run_checked(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    for (uint32_t m = left_out(l, d); m; m &= m - 1) {
        int i = __builtin_ctz(m), lane = i + h->index * LANES;
        if (!check_tolerated(h->warp, d, CHECK_WARP, lane) &&
            check_failed(h->warp, d, CHECK_WARP, FAULT_WARP, lane, 0,
                         "lane %d executes it with the member mask 0x%08x, which leaves the lane out; the result is "
                         "undefined (PTX ISA 9.7.13)", i, ((const uint32_t *)lanes_at(l, d->src[d->target]))[i]))
            return CONTROL_FAULT;
    }
    return d->rounded(l, d);
}

/* The member mask is src[d->target]. A constant of all lanes leaves none out. */
void decode_member_check(struct dinst *d, const struct ptx_operand *member)
{
    if (member->kind == OPD_IMM && (uint32_t)member->imm == UINT32_MAX)
        return;
    d->rounded = d->fn;
    d->fn = run_checked;
}

/* With independent lanes a .sync instruction waits until all lanes of its member mask have arrived. */
static bool needs_meeting(const struct decoder *x)
{
    return x->p->independent && x->in->mod[PG_SYNC];
}

static enum ptx_type element_type(const struct ptx_inst *in, int n)
{
    switch (ptx_type_size((enum ptx_type)in->type[0]) / (n ? n : 1)) {
    case 1: return T_B8;
    case 2: return T_B16;
    case 4: return T_B32;
    default: return T_B64;
    }
}

/* mov between a scalar and {..}: the elements are the parts of the scalar, the first the least significant. */
static void decode_mov_vector(struct decoder *x)
{
    const struct ptx_operand *to = &x->in->opd[0], *from = &x->in->opd[1];
    operand src[4] = { 0 };
    struct decoder_destination dst[8];
    int n = from->kind == OPD_VEC ? from->n : to->n;
    if (n > 4) {
        decoder_error(x, "a vector of more than 4 elements is not supported here");
        return;
    }
    enum ptx_type part = element_type(x->in, n);
    operand *list = arena_alloc(x->p->arena, (size_t)n * sizeof *list);
    if (from->kind == OPD_VEC)
        for (int i = 0; i < n; i++)
            src[i] = decoder_source(x, &from->elem[i], part);
    else
        src[0] = decoder_source(x, from, (enum ptx_type)x->in->type[0]);
    int ndst = to->kind == OPD_VEC ? n : 1;
    for (int i = 0; i < ndst; i++) {
        const struct ptx_operand *o = to->kind == OPD_VEC ? &to->elem[i] : to;
        dst[i] = decoder_destination(x, o, to->kind == OPD_VEC ? part : (enum ptx_type)x->in->type[0]);
        list[i] = dst[i].at;
    }
    struct dinst *d = decoder_add_counting_step(x);
    d->vec = (uint8_t)n;
    d->dst = list[0];
    d->dst2 = ndst > 1 ? list[1] : x->scratch;
    d->extra = list;
    memcpy(d->src, src, sizeof src);
    d->fn = lanes_select(x->p->isa, x->in, d);
    decoder_guard(x, d);
    for (int i = 0; i < ndst; i++)
        decoder_widen(x, &dst[i]);
}

/* Where the generic addresses of cvta's state space start. */
static const struct lanes_window *window_of(const struct decoder *x)
{
    struct lanes_window *w = arena_alloc(x->p->arena, sizeof *w);
    enum ptx_space s = ptx_inst_space(x->in);
    if (s == SP_SHARED)
        w->base = WINDOW_SHARED;
    else if (s == SP_LOCAL || (s == SP_PARAM && !x->f->is_entry))
        w->base = WINDOW_LOCAL;
    else
        w->base = s == SP_PARAM ? x->p->param_address : 0;
    return w;
}

void decode_lanes(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    const char *sig = ptx_sig((enum ptx_op)in->op, in->mod);
    operand src[4] = { 0 };
    struct decoder_destination dst[2] = { { .at = x->scratch }, { .at = x->scratch } };
    int nsrc = 0, ndst = 0;
    int64_t imm = 0;
    if (in->op == OP_MOV && (in->opd[0].kind == OPD_VEC || in->opd[1].kind == OPD_VEC)) {
        decode_mov_vector(x);
        return;
    }
    for (int k = 0; k < in->nopd; k++) {
        char c = ptx_sig_letter(sig, k);
        if (!c)
            break;
        if (c == 'i')
            imm = in->opd[k].imm;
        else if (strchr("dDpeV", c))
            dst[ndst++ & 1] = decoder_destination(x, &in->opd[k], decoder_letter_type(in, c));
        else if (nsrc < 4)
            src[nsrc++] = decoder_source(x, &in->opd[k], decoder_letter_type(in, c));
    }
    struct dinst *d = decoder_add_counting_step(x);
    d->dst = dst[0].at;
    d->dst2 = dst[1].at;
    d->imm = imm;
    d->extra = in->op == OP_CVTA ? window_of(x) : NULL;
    memcpy(d->src, src, sizeof src);
    d->fn = lanes_select(x->p->isa, in, d);
    set_carry(x, d);
    if (d->fn && in->mod[PG_SYNC]) {
        d->target = (uint32_t)nsrc - 1;      /* the member mask is the last source */
        decode_member_check(d, &in->opd[in->nopd - 1]);
    }
    if (d->fn && needs_meeting(x)) {
        d->guarded = d->fn;
        d->fn = decode_run_warpsync;
        decoder_warp_guard(x, d);
    } else
        decoder_guard(x, d);
    decoder_widen(x, &dst[0]);
    decoder_widen(x, &dst[1]);
}
