/*
 * Calls, and the values that a .param variable carries: vectors and predicates of calls, and the parameters in
 * registers of PTX 1.x's calling convention, which become ld and st here; no other file handles it.
 */
#include <stdio.h>

#include "ptx/text/parser.h"

/* ---- values that a .param variable carries: register parameters, predicates and vectors of calls ---- */

static struct ptx_operand reg_operand(struct ptx_reg *r, struct ptx_loc loc)
{
    return (struct ptx_operand){ .kind = OPD_REG, .reg = r, .loc = loc };
}

static struct ptx_operand new_operand(struct parser *p, enum ptx_type type, struct ptx_loc loc)
{
    char name[32];
    int len = snprintf(name, sizeof name, "%%simtx_value%zu", p->nregs);
    return reg_operand(reg_new(p, arena_strndup(p->arena, name, (size_t)len), type, loc), loc);
}

/* The ld or st between a register and a .param or .local variable. */
static struct ptx_inst variable_access(bool store, struct ptx_operand reg, struct ptx_var *v, int64_t offset)
{
    struct ptx_inst in = { .op = store ? OP_ST : OP_LD, .nopd = 3, .loc = reg.loc };
    in.type[0] = v->type;
    in.mod[PG_SPACE] = v->space == SP_LOCAL ? MOD(SPACE, LOCAL) : MOD(SPACE, PARAM);
    in.opd[store] = reg;
    in.opd[!store] = (struct ptx_operand){ .kind = OPD_MEM, .has_var = true, .var = v, .imm = offset, .loc = reg.loc };
    return in;
}

/* A predicate as 0 or 1 in a register of 32 bits, and back. */
static struct ptx_inst from_predicate(struct ptx_operand to, struct ptx_operand predicate)
{
    struct ptx_inst in = { .op = OP_SELP, .nopd = 4, .loc = to.loc };
    in.type[0] = T_B32;
    in.opd[0] = to;
    in.opd[1] = (struct ptx_operand){ .kind = OPD_IMM, .imm = 1, .loc = to.loc };
    in.opd[2] = (struct ptx_operand){ .kind = OPD_IMM, .loc = to.loc };
    in.opd[3] = predicate;
    return in;
}

static struct ptx_inst to_predicate(struct ptx_operand predicate, struct ptx_operand from)
{
    struct ptx_inst in = { .op = OP_SETP, .nopd = 5, .loc = from.loc };
    in.type[0] = T_B32;
    in.mod[PG_CMP] = MOD(CMP, NE);
    in.opd[0] = predicate;
    in.opd[2] = from;
    in.opd[3] = (struct ptx_operand){ .kind = OPD_IMM, .loc = from.loc };
    return in;
}

/* like: the instruction whose guard and place it has, or NULL. */
static void emit_like(struct parser *p, struct ptx_inst in, const struct ptx_inst *like)
{
    in.src_file = p->src_file;
    in.src_line = p->src_line;
    if (like) {
        in.loc = like->loc;
        in.guard = like->guard;
        in.guard_negated = like->guard_negated;
    }
    *inst_append(p) = in;
}

/* One register; a predicate is 0 or 1 in the variable. */
static void emit_move(struct parser *p, struct ptx_operand reg, bool predicate, struct ptx_var *v, int64_t offset,
                      bool store, const struct ptx_inst *like)
{
    struct ptx_operand value = predicate ? new_operand(p, T_B32, reg.loc) : reg;
    if (predicate && store)
        emit_like(p, from_predicate(value, reg), like);
    emit_like(p, variable_access(store, value, v, offset), like);
    if (predicate && !store)
        emit_like(p, to_predicate(reg, value), like);
}

void inst_emit_param_move(struct parser *p, const struct reg_param *r, const struct ptx_inst *like)
{
    int64_t bytes = ptx_type_size((enum ptx_type)r->var->type);
    for (int i = 0; i < r->var->vec; i++)
        emit_move(p, reg_operand(r->reg[i], r->var->loc), r->is_predicate, r->var, i * bytes, r->is_return, like);
}

/* They have no guard: a lane whose guard is false loads and stores the value that is there. */
void inst_emit_move(struct parser *p, struct ptx_reg *r, struct ptx_var *v, bool store, const struct ptx_inst *like)
{
    struct ptx_inst plain = *like;
    plain.guard = NULL;
    emit_move(p, reg_operand(r, like->loc), r->type == T_PRED, v, 0, store, &plain);
}

void inst_emit_return_values(struct parser *p, const struct ptx_inst *like)
{
    for (const struct reg_param *r = p->reg_params; r; r = r->next)
        if (r->is_return && r->declared)
            inst_emit_param_move(p, r, like);
}

static void add_result(struct parser *p, struct ptx_inst in)
{
    struct call_result *r = arena_alloc(p->scratch, sizeof *r);
    *r = (struct call_result){ p->results, in };
    p->results = r;
}

/* A predicate of a call travels in a register of 32 bits. */
static void pass_predicate(struct parser *p, struct ptx_operand *o, bool result)
{
    struct ptx_operand value = new_operand(p, T_B32, o->loc);
    if (result)
        add_result(p, to_predicate(*o, value));
    else
        emit_like(p, from_predicate(value, *o), NULL);
    *o = value;
}

/* A vector of a call travels in a .param variable. */
static bool pass_vector(struct parser *p, struct ptx_operand *o, bool result)
{
    struct ptx_operand vector = *o;
    enum ptx_type type = vector.elem[0].kind == OPD_REG ? (enum ptx_type)vector.elem[0].reg->type : T_PRED;
    struct ptx_var *v = arena_alloc(p->arena, sizeof *v);
    uint32_t bytes = (uint32_t)ptx_type_size(type);
    *v = (struct ptx_var){ .name = "simtx_vector", .loc = o->loc, .space = SP_PARAM, .type = (uint8_t)type,
                           .vec = o->n, .align = bytes * o->n, .size = bytes * o->n, .func = p->func };
    *p->vars_end = v;
    p->vars_end = &v->next;
    *o = (struct ptx_operand){ .kind = OPD_VAR, .var = v, .loc = o->loc };
    for (int i = 0; i < vector.n; i++) {
        const struct ptx_operand *e = &vector.elem[i];
        if (e->kind != OPD_REG || type == T_PRED || e->reg->type != type || (vector.n != 2 && vector.n != 4)) {
            diag_error(p->d, vector.loc.line, vector.loc.col, "a call passes vectors of 2 or 4 registers of one type");
            return false;
        }
        struct ptx_inst in = variable_access(!result, *e, v, i * (int64_t)bytes);
        if (result)
            add_result(p, in);
        else
            emit_like(p, in, NULL);
    }
    return true;
}

/* ---- calls ---- */

static bool call_list(struct parser *p, const struct ptx_inst *in, const struct node *n,
                      struct ptx_operand **out,
                      int *count, bool result)
{
    bool ok = true;
    *out = arena_alloc(p->arena, n->n * sizeof **out + 1);
    *count = (int)n->n;
    int k = 0;
    for (const struct node *e = n->first; e; e = e->next, k++) {
        struct ptx_operand *o = &(*out)[k];
        if (e->kind == NODE_MEM || (result && node_has_sum(e)))
            return operand_error(p, e, "a call passes registers, constants or .param variables");
        ok &= operand_simple(p, in, e, o);
        if (ok && o->kind == OPD_REG && o->reg->type == T_PRED)
            pass_predicate(p, o, result);
        else if (ok && o->kind == OPD_VEC)
            ok = pass_vector(p, o, result);
    }
    return ok;
}

bool call_operands(struct parser *p, struct ptx_inst *in, struct list l)
{
    struct ptx_call *c = arena_alloc(p->arena, sizeof *c);
    const struct node *n = l.first;
    bool ok = true;
    in->call = c;
    if (n && n->kind == NODE_LIST) {
        ok &= call_list(p, in, n, &c->ret, &c->nret, true);
        n = n->next;
    }
    if (!n || n->kind != NODE_NAME) {
        diag_error(p->d, p->inst_loc.line, p->inst_loc.col, "a call needs a function or a register");
        return false;
    }
    ok &= operand_simple(p, in, n, &c->target);
    if (ok && c->target.kind != OPD_FUNC && c->target.kind != OPD_REG)
        ok = operand_error(p, n, "a call needs a function or a register");
    n = n->next;
    if (n && n->kind == NODE_LIST) {
        ok &= call_list(p, in, n, &c->arg, &c->narg, false);
        n = n->next;
    }
    if (n && n->kind == NODE_NAME) {
        label_use_add(p, (struct label_use){ .name = n->name, .loc = n->loc, .inst = (uint32_t)p->ninsts,
                                             .how = LABEL_USE_CALL });
        n = n->next;
    } else if (ok && !n && c->target.kind == OPD_REG) {
        diag_error(p->d, p->inst_loc.line, p->inst_loc.col,
                   "a call through a register needs a prototype or a .calltargets list");
        ok = false;
    }
    if (n)
        ok = operand_error(p, n, "unexpected operand of a call");
    return ok;
}

void call_emit_results(struct parser *p, const struct ptx_inst *like)
{
    for (const struct call_result *r = p->results; r; r = r->next)
        emit_like(p, r->inst, like);
}
