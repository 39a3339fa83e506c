/* The reference's choice of part by opcode; a packed pair is two evaluations of its halves. */
#include "regress/conformance/ref/ref.h"

uint8_t ref_half_of(uint8_t type)
{
    switch (type) {
    case T_F16X2: return T_F16;
    case T_BF16X2: return T_BF16;
    case T_U16X2: return T_U16;
    case T_S16X2: return T_S16;
    default: return T_NONE;
    }
}

static bool eval_scalar(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    switch (in->op) {
    case OP_CVT:
        return ref_cvt(in, l, r);
    case OP_SETP: case OP_SET: case OP_SELP: case OP_SLCT: case OP_TESTP:
        return ref_compare(in, l, r);
    default:
        break;
    }
    if (in->op >= OP_VADD && in->op <= OP_VSET4)
        return ref_video(in, l, r);
    if (ptx_type_class(in->type[0]) == 'f' && in->op != OP_MOV)
        return in->mod[PG_APPROX] ? ref_approx(in, l, r) : ref_float(in, l, r);
    return ref_int(in, l, r) || ref_bits(in, l, r);
}

bool ref_eval(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    *r = (struct ref_result){ .carry = l->carry };
    uint8_t half = ref_half_of(in->type[0]);
    bool pairs = half && in->op != OP_CVT && in->op != OP_SETP && in->op != OP_SET && in->op != OP_MOV;
    if (!pairs)
        return eval_scalar(in, l, r);
    struct ptx_inst part = *in;
    part.type[0] = half;
    struct ref_lane low = *l, high = *l;
    for (int i = 0; i < 4; i++) {
        low.src[i] &= 0xffff;
        high.src[i] = high.src[i] >> 16 & 0xffff;
    }
    struct ref_result rl = { 0 }, rh = { 0 };
    if (!eval_scalar(&part, &low, &rl) || !eval_scalar(&part, &high, &rh))
        return false;
    r->d = rh.d << 16 | rl.d;
    return true;
}
