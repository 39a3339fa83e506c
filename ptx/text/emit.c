/* Instructions that the parser makes in place of one that it has read (REDUCED rows of ops.def). */
#include <stdio.h>
#include <string.h>

#include "ptx/text/parser.h"

struct ptx_operand emit_constant(int64_t v)
{
    return (struct ptx_operand){ .kind = OPD_IMM, .imm = v };
}

struct ptx_operand emit_register(struct parser *p, const struct ptx_inst *like, enum ptx_type t)
{
    char name[32];
    int len = snprintf(name, sizeof name, "%%simtx_new%zu", p->nregs);
    struct ptx_reg *r = reg_new(p, arena_strndup(p->arena, name, (size_t)len), t, like->loc);
    return (struct ptx_operand){ .kind = OPD_REG, .reg = r, .loc = like->loc };
}

struct ptx_inst *emit_one(struct parser *p, const struct ptx_inst *like, enum ptx_op op, enum ptx_type t,
                          int operands)
{
    struct ptx_inst *in = inst_append(p);
    in->op = (uint16_t)op;
    in->type[0] = (uint8_t)t;
    in->nopd = (uint8_t)operands;
    in->loc = like->loc;
    return in;
}

struct ptx_inst *emit_guarded(struct parser *p, const struct ptx_inst *like, enum ptx_op op, enum ptx_type t,
                              int operands)
{
    struct ptx_inst *in = emit_one(p, like, op, t, operands);
    in->guard = like->guard;
    in->guard_negated = like->guard_negated;
    return in;
}

struct ptx_operand emit_vector(struct parser *p, const struct ptx_operand *from, int n)
{
    struct ptx_operand v = { .kind = OPD_VEC, .n = (uint8_t)n };
    v.elem = arena_alloc(p->arena, (size_t)n * sizeof *v.elem);
    memcpy(v.elem, from, (size_t)n * sizeof *v.elem);
    return v;
}

struct ptx_inst *emit_access(struct parser *p, const struct ptx_inst *like, bool store, enum ptx_type t,
                             struct ptx_operand data, struct ptx_operand address)
{
    struct ptx_inst *in = emit_guarded(p, like, store ? OP_ST : OP_LD, t, 3);
    in->mod[PG_VEC] = data.kind != OPD_VEC ? 0 : data.n == 2 ? MOD(VEC, V2) : MOD(VEC, V4);
    in->opd[store ? 1 : 0] = data;
    in->opd[store ? 0 : 1] = address;
    return in;
}
