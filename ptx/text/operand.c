/*
 * Operands: registers, constants, symbols, vectors, addresses. Uses of labels are recorded until their scope ends.
 */
#include <stdio.h>
#include <string.h>

#include "ptx/text/parser.h"

bool operand_error(struct parser *p, const struct node *n, const char *msg)
{
    diag_error(p->d, n->loc.line, n->loc.col, "%s", msg);
    return false;
}

static bool usable_variable(struct parser *p, const struct node *n, const struct ptx_var *v)
{
    if (ptx_type_class((enum ptx_type)v->type) != 'o' || v->space == SP_PARAM)
        return true;
    diag_error(p->d, n->loc.line, n->loc.col, "'%s' is a .%s, which only texture and surface instructions access",
               v->name, ptx_type_name((enum ptx_type)v->type));
    return false;
}

/* Video selectors: .b0 .. .b3, .h0, .h1; the SIMD forms have several digits (ops.def has their encoding). */
static bool selector(const struct name *suffix, struct ptx_operand *o)
{
    const char *s = suffix->s + 1;
    bool bytes = *s == 'b';
    int n = (int)suffix->len - 2;
    if ((*s != 'b' && *s != 'h') || n < 1 || n > 4)
        return false;
    uint32_t digits = 0;
    for (int i = 0; i < n; i++) {
        unsigned d = (unsigned)(s[1 + i] - '0');
        if (d > (bytes ? 7u : 3u))
            return false;
        digits = digits << 4 | d;
    }
    o->imm = digits;
    o->n = (uint8_t)n;
    if (n > 1)
        o->bytesel = bytes ? 8 : 7;
    else if (digits > (bytes ? 3 : 1))
        return false;
    else
        o->bytesel = (uint8_t)(bytes ? 1 + digits : 5 + digits);
    return true;
}

static bool is_video(const struct ptx_inst *in)
{
    return in->op >= OP_VADD && in->op <= OP_VSET4;
}

static bool vector_operand(struct parser *p, const struct ptx_inst *in, const struct node *n,
                           struct ptx_operand *o);

/* register + constant: an addition before the instruction computes the sum in a new register. */
static struct ptx_reg *emit_sum(struct parser *p, struct ptx_reg *r, uint64_t addend, struct ptx_loc loc)
{
    char name[32];
    int len = snprintf(name, sizeof name, "%%simtx_sum%zu", p->nregs), bytes = ptx_type_size((enum ptx_type)r->type);
    struct ptx_inst *add = inst_append(p);
    add->op = OP_ADD;
    add->type[0] = bytes == 2 ? T_U16 : bytes == 4 ? T_U32 : T_U64;
    add->nopd = 3;
    add->loc = loc;
    add->opd[0] = add->opd[1] = add->opd[2] = (struct ptx_operand){ .kind = OPD_REG, .reg = r, .loc = loc };
    add->opd[0].reg = reg_new(p, arena_strndup(p->arena, name, (size_t)len), (enum ptx_type)r->type, loc);
    add->opd[2] = (struct ptx_operand){ .kind = OPD_IMM, .imm = (int64_t)addend, .loc = loc };
    return add->opd[0].reg;
}

static bool is_sum_type(enum ptx_type t)
{
    int bytes = ptx_type_size(t);
    return ptx_type_class(t) != 'f' && (bytes == 2 || bytes == 4 || bytes == 8);
}

/* A register, a variable or a function, with an offset. */
static bool set_address(struct parser *p, const struct node *n, const struct value *v, struct ptx_operand *o)
{
    if (v->generic || v->mask)
        return operand_error(p, n, "generic() and masks are for initialisers");
    if (v->reg) {
        o->kind = OPD_REG;
        o->reg = v->reg;
        if (v->var || (v->u && !is_sum_type((enum ptx_type)v->reg->type)))
            return operand_error(p, n, "the only arithmetic on a register is the addition of a constant to an integer");
        if (v->u)
            o->reg = emit_sum(p, v->reg, v->u, n->loc);
        return true;
    }
    o->kind = v->var ? OPD_VAR : OPD_FUNC;
    o->imm = (int64_t)v->u;
    if (v->var) {
        o->var = v->var;
        return true;
    }
    o->func = v->func;
    return v->u == 0 ? true : operand_error(p, n, "a function's address takes no offset");
}

static bool set_value(struct parser *p, const struct node *n, const struct value *v, struct ptx_operand *o)
{
    switch (v->kind) {
    case VALUE_INT:
        o->kind = OPD_IMM;
        o->imm = (int64_t)v->u;
        return true;
    case VALUE_FLOAT:
        o->kind = OPD_FIMM;
        o->imm = (int64_t)v->u;
        o->is_f32 = v->is_f32;
        return true;
    case VALUE_SREG:
        o->kind = OPD_SREG;
        o->sreg = v->sreg;
        o->comp = v->comp;
        o->imm = (int64_t)v->u;
        return true;
    case VALUE_SINK:
        o->kind = OPD_SINK;
        return true;
    case VALUE_VECREG:
        o->kind = OPD_VEC;
        o->n = (uint8_t)v->vec->n;
        o->elem = arena_alloc(p->arena, o->n * sizeof *o->elem);
        for (int i = 0; i < o->n; i++) {
            o->elem[i].kind = OPD_REG;
            o->elem[i].reg = v->vec->vec[i];
            o->elem[i].loc = n->loc;
        }
        return true;
    case VALUE_ADDR:
        return set_address(p, n, v, o);
    default:
        return v->kind == VALUE_BAD ? false : operand_error(p, n, "a list of targets cannot stand here");
    }
}

bool operand_simple(struct parser *p, const struct ptx_inst *in, const struct node *n, struct ptx_operand *o)
{
    o->loc = n->loc;
    if (n->kind == NODE_VEC)
        return vector_operand(p, in, n, o);
    if (n->kind == NODE_UNARY && (n->op == '!' || n->op == '-') && n->kid[0]->kind == NODE_NAME) {
        struct binding *b = name_lookup(p, n->kid[0]->name);
        if (b && b->kind == BIND_REG) {
            bool ok = operand_simple(p, in, n->kid[0], o);
            o->negated = true;
            if (n->op == '-' ? in->op != OP_VMAD : b->reg->type != T_PRED)
                return operand_error(p, n, n->op == '-' ? "a register cannot be negated here"
                                                        : "only a predicate can be negated with '!'");
            return ok;
        }
    }
    if (n->kind == NODE_NAME && n->suffix && is_video(in)) {
        struct node plain = *n;
        plain.suffix = NULL;
        if (!operand_simple(p, in, &plain, o))
            return false;
        return selector(n->suffix, o) ? true : operand_error(p, n, "unknown part of a register");
    }
    struct value v = node_eval(p, n);
    return set_value(p, n, &v, o);
}

static bool vector_operand(struct parser *p, const struct ptx_inst *in, const struct node *n,
                           struct ptx_operand *o)
{
    bool ok = true, product = ptx_is_warpgroup_product((enum ptx_op)in->op);
    if (n->n < 1 || n->n > (product ? PTX_MAX_ELEMENTS : 8))
        return operand_error(p, n, product ? "a matrix has 1 to 128 registers in each thread"
                                           : "a vector operand has 1 to 8 elements");
    o->kind = OPD_VEC;
    o->n = (uint8_t)n->n;
    o->elem = arena_alloc(p->arena, n->n * sizeof *o->elem);
    int k = 0;
    for (const struct node *e = n->first; e; e = e->next, k++) {
        if (e->kind == NODE_VEC)
            return operand_error(p, e, "a vector cannot hold a vector");
        ok &= operand_simple(p, in, e, &o->elem[k]);
    }
    return ok;
}

/* [symbol + register]: instructions before the access compute the sum in a new register. */
static struct ptx_reg *emit_address_sum(struct parser *p, const struct value *v, const struct node *n)
{
    char name[32];
    int len = snprintf(name, sizeof name, "%%simtx_sum%zu", p->nregs);
    struct ptx_reg *sum = reg_new(p, arena_strndup(p->arena, name, (size_t)len), T_B64, n->loc);
    struct ptx_reg *index = v->reg;
    if (ptx_type_size((enum ptx_type)index->type) == 4) {
        len = snprintf(name, sizeof name, "%%simtx_index%zu", p->nregs);
        struct ptx_reg *wide = reg_new(p, arena_strndup(p->arena, name, (size_t)len), T_B64, n->loc);
        struct ptx_inst *cvt = inst_append(p);
        cvt->op = OP_CVT;
        cvt->type[0] = T_U64;
        cvt->type[1] = T_U32;
        cvt->nopd = 3;
        cvt->loc = n->loc;
        cvt->opd[0] = (struct ptx_operand){ .kind = OPD_REG, .reg = wide, .loc = n->loc };
        cvt->opd[1] = (struct ptx_operand){ .kind = OPD_REG, .reg = index, .loc = n->loc };
        index = wide;
    }
    struct ptx_inst *mov = inst_append(p);
    mov->op = OP_MOV;
    mov->type[0] = T_U64;
    mov->nopd = 2;
    mov->loc = n->loc;
    mov->opd[0] = (struct ptx_operand){ .kind = OPD_REG, .reg = sum, .loc = n->loc };
    mov->opd[1] = (struct ptx_operand){ .kind = OPD_VAR, .var = v->var, .loc = n->loc };
    struct ptx_inst *add = inst_append(p);
    add->op = OP_ADD;
    add->type[0] = T_S64;
    add->nopd = 3;
    add->loc = n->loc;
    add->opd[0] = add->opd[1] = mov->opd[0];
    add->opd[2] = (struct ptx_operand){ .kind = OPD_REG, .reg = index, .loc = n->loc };
    return sum;
}

/* Old PTX texts may omit the '[ ]' around a vector's name; they are required here. */
static bool memory_operand(struct parser *p, const struct ptx_inst *in, const struct node *n,
                           struct ptx_operand *o)
{
    (void)in;
    o->loc = n->loc;
    o->kind = OPD_MEM;
    struct value v;
    if (n->kind == NODE_MEM && n->n == 1)
        v = node_eval(p, n->first);
    else if (n->kind == NODE_SUBSCRIPT)
        v = node_eval(p, n);
    else
        return operand_error(p, n, "an address in [ ] is expected");
    if (v.kind == VALUE_BAD)
        return false;
    if (v.kind == VALUE_INT) {
        o->imm = (int64_t)v.u;
        return true;
    }
    if (v.kind != VALUE_ADDR || v.func || v.generic || v.mask)
        return operand_error(p, n, "an address is a register or variable plus a constant");
    o->imm = (int64_t)v.u;
    if (v.reg && v.var) {
        int size = ptx_type_size((enum ptx_type)v.reg->type);
        if (size != 4 && size != 8)
            return operand_error(p, n, "an address register has 32 or 64 bits");
        v.reg = emit_address_sum(p, &v, n);
        o->has_reg = true;
        o->reg = v.reg;
        return true;
    }
    o->has_reg = v.reg != NULL;
    o->has_var = v.var != NULL;
    if (v.reg)
        o->reg = v.reg;
    else
        o->var = v.var;
    return !v.var || usable_variable(p, n, v.var);
}

/* The position of a label or table is filled in when its scope ends: it may be defined later. */
static bool label_operand(struct parser *p, const struct ptx_inst *in, const struct node *n,
                          struct ptx_operand *o)
{
    o->loc = n->loc;
    if (n->kind != NODE_NAME || n->suffix)
        return operand_error(p, n, "a label is expected");
    bool brx = in->op == OP_BRX;
    o->kind = brx ? OPD_TABLE : OPD_LABEL;
    label_use_add(p, (struct label_use){ .name = n->name, .loc = n->loc, .inst = (uint32_t)p->ninsts,
                                         .how = brx ? LABEL_USE_BRX : LABEL_USE_BRA });
    return true;
}

bool node_has_sum(const struct node *n)
{
    bool sum = n->kind == NODE_BINARY;
    for (const struct node *e = n->kind == NODE_VEC ? n->first : NULL; e; e = e->next)
        sum |= e->kind == NODE_BINARY;
    return sum;
}

bool operand_read(struct parser *p, const struct ptx_inst *in, char letter, const struct node *n, struct ptx_operand *o)
{
    if (letter == 'm')
        return memory_operand(p, in, n, o);
    if (letter == 'l')
        return label_operand(p, in, n, o);
    if (letter == 't')
        return texture_operand(p, in, n, o);
    if (strchr("dDpeVFW", letter) && node_has_sum(n))
        return operand_error(p, n, "the result needs a register");
    if (n->kind == NODE_MEM)
        return operand_error(p, n, "a memory operand cannot stand here");
    if (n->kind == NODE_LIST && n->n != 1)
        return operand_error(p, n, "a list in parentheses cannot stand here");
    return operand_simple(p, in, n, o);
}
