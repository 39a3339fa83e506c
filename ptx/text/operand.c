/*
 * Instructions: modifier words become types and one byte a group; operands get the positions of the opcode's signature
 * (ops.h); uses of labels are recorded until their scope ends. The calling convention of PTX 1.x, which has parameters
 * in registers, becomes ld and st of .param variables here; no other file handles it.
 */
#include <stdio.h>
#include <string.h>

#include "ptx/text/parser.h"

/* ---- head of an instruction ---- */

void inst_abandon(struct parser *p)
{
    p->guard = NULL;
    p->guard_negated = false;
    p->opcode = NULL;
    p->nmods = p->moved = 0;
    p->results = NULL;
}

void inst_guard(struct parser *p, struct name *n, bool negated, struct ptx_loc loc)
{
    p->guard = n;
    p->guard_negated = negated;
    p->guard_loc = loc;
}

void inst_begin(struct parser *p, struct name *n, struct ptx_loc loc)
{
    p->opcode = n;
    p->inst_loc = loc;
    p->nmods = 0;
}

void inst_mod(struct parser *p, struct name *n, struct ptx_loc loc)
{
    if (p->nmods < PARSE_MAX_INST_MODS) {
        p->mod_loc[p->nmods] = loc;
        p->mods[p->nmods++] = n;
    } else if (p->nmods == PARSE_MAX_INST_MODS) {
        diag_error(p->d, loc.line, loc.col, "too many modifiers");
        p->nmods++;
    }
}

struct ptx_inst *inst_append(struct parser *p)
{
    if (p->ninsts == p->insts_cap) {
        size_t cap = p->insts_cap ? p->insts_cap * 2 : 512;
        struct ptx_inst *insts = arena_alloc(p->scratch, cap * sizeof *insts);
        if (p->ninsts)
            memcpy(insts, p->insts, p->ninsts * sizeof *insts);
        p->insts = insts;
        p->insts_cap = cap;
    }
    struct ptx_inst *in = &p->insts[p->ninsts++];
    memset(in, 0, sizeof *in);
    in->src_file = p->src_file;
    in->src_line = p->src_line;
    return in;
}

static void report_modifier(struct parser *p, const struct name *n, struct ptx_loc loc)
{
    const char *candidates[PTX_MODIFIER_COUNT + T_COUNT];
    const char *near = NULL;
    size_t k = 0;
    for (int i = 1; i <= PTX_MODIFIER_COUNT; i++)
        if (ptx_ops[p->opcode->op].groups >> modifier_group((uint8_t)i) & 1)
            candidates[k++] = ptx_modifier_name((uint8_t)i);
    for (int t = 1; t < T_COUNT && !n->vec; t++)
        candidates[k++] = ptx_type_name((enum ptx_type)t);
    if (!n->type)
        near = diag_nearest(n->s + 1, candidates, k);
    if (near && strcmp(near, n->s + 1))
        diag_error(p->d, loc.line, loc.col, "'%s' has no modifier '%s'; did you mean '.%s'?", p->opcode->s,
                   n->s, near);
    else
        diag_error(p->d, loc.line, loc.col, "'%s' has no modifier '%s'", p->opcode->s, n->s);
}

static bool add_modifier(struct parser *p, struct ptx_inst *in, const struct name *n, struct ptx_loc loc)
{
    ptx_groupset groups = ptx_ops[in->op].groups;
    uint8_t best = 0;
    for (int k = 0; k < n->nmod; k++) {
        uint8_t g = modifier_group(n->mod[k]);
        if ((groups >> g & 1) && (!best || g < modifier_group(best)) && !in->mod[g])
            best = n->mod[k];
    }
    if (best) {
        in->mod[modifier_group(best)] = best;
        return true;
    }
    for (int k = 0; k < n->nmod; k++)
        if (groups >> modifier_group(n->mod[k]) & 1) {
            uint8_t had = in->mod[modifier_group(n->mod[k])];
            if (had == n->mod[k])
                diag_error(p->d, loc.line, loc.col, "modifier '%s' is written twice", n->s);
            else
                diag_error(p->d, loc.line, loc.col, "modifiers '.%s' and '%s' exclude each other",
                           ptx_modifier_name(had), n->s);
            return false;
        }
    report_modifier(p, n, loc);
    return false;
}

static bool is_approximated(uint8_t op)
{
    return op == OP_DIV || op == OP_RCP || op == OP_SQRT || op == OP_RSQRT || op == OP_SIN || op == OP_COS ||
           op == OP_LG2 || op == OP_EX2;
}

/*
 * Modifiers that old texts leave out (PTX ISA 9.7.3, the notes of each instruction): mad rounds to nearest, for targets
 * before sm_20; versions before 1.4 approximate .f32 and round .f64 to nearest.
 */
static void imply_modifiers(const struct parser *p, struct ptx_inst *in)
{
    bool f32 = in->type[0] == T_F32, f64 = in->type[0] == T_F64;
    bool before_3 = p->m->version_major < 3, before_1_4 = p->m->version_major == 1 && p->m->version_minor < 4;
    if (!(f32 || f64) || in->mod[PG_RND] || in->mod[PG_APPROX])
        return;
    if (in->op == OP_MAD && (before_3 || p->m->sm < 20))
        in->mod[PG_RND] = MOD(RND, RN);
    if (!before_1_4 || !is_approximated((uint8_t)in->op))
        return;
    if (f64 && in->op != OP_RSQRT)
        in->mod[PG_RND] = MOD(RND, RN);
    else
        in->mod[PG_APPROX] = MOD(APPROX, APPROX);
    if (f32)
        in->mod[PG_FTZ] = MOD(FTZ, FTZ);
}

static bool resolve_modifiers(struct parser *p, struct ptx_inst *in)
{
    int ntypes = 0;
    bool ok = true;
    for (int i = 0; i < p->nmods && i < PARSE_MAX_INST_MODS; i++) {
        const struct name *n = p->mods[i];
        if (n->type && ntypes < 3)
            in->type[ntypes++] = n->type;
        else if (in->op == OP_MOV && !p->moved && (n->vec == 2 || n->vec == 4))
            p->moved = n->vec;
        else
            ok &= add_modifier(p, in, n, p->mod_loc[i]);
    }
    /* a sub-space (param::entry, shared::cta) implies its space */
    if (in->mod[PG_PARAMSUB] && !in->mod[PG_SPACE])
        in->mod[PG_SPACE] = MOD(SPACE, PARAM);
    if (in->mod[PG_SHAREDSUB] && !in->mod[PG_SPACE])
        in->mod[PG_SPACE] = MOD(SPACE, SHARED);
    imply_modifiers(p, in);
    return ok;
}

/* ---- operands ---- */

static bool operand_error(struct parser *p, const struct node *n, const char *msg)
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
        break;
    default:
        return v->kind == VALUE_BAD ? false : operand_error(p, n, "a list of targets cannot stand here");
    }
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
    bool ok = true;
    if (n->n < 1 || n->n > 8)
        return operand_error(p, n, "a vector operand has 1 to 8 elements");
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

static bool has_sum(const struct node *n)
{
    bool sum = n->kind == NODE_BINARY;
    for (const struct node *e = n->kind == NODE_VEC ? n->first : NULL; e; e = e->next)
        sum |= e->kind == NODE_BINARY;
    return sum;
}

static bool operand(struct parser *p, const struct ptx_inst *in, char letter, const struct node *n,
                    struct ptx_operand *o)
{
    if (letter == 'm')
        return memory_operand(p, in, n, o);
    if (letter == 'l')
        return label_operand(p, in, n, o);
    if (letter == 't')
        return texture_operand(p, in, n, o);
    if (strchr("dDpeV", letter) && has_sum(n))
        return operand_error(p, n, "the result needs a register");
    if (n->kind == NODE_MEM)
        return operand_error(p, n, "a memory operand cannot stand here");
    if (n->kind == NODE_LIST && n->n != 1)
        return operand_error(p, n, "a list in parentheses cannot stand here");
    return operand_simple(p, in, n, o);
}

/* ---- the signature ---- */

struct sig_entry { char letter, second; bool optional; };

static int read_sig(const char *sig, struct sig_entry e[PTX_MAX_OPD])
{
    int n = 0;
    for (; *sig; sig++) {
        if (*sig == ',')
            continue;
        e[n] = (struct sig_entry){ .letter = *sig };
        if (sig[1] == '|') {
            e[n].second = sig[2];
            sig += 2;
        }
        if (sig[1] == '?') {
            e[n].optional = true;
            sig++;
        }
        n++;
    }
    return n;
}

static bool wrong_count(struct parser *p, int min, int max, uint32_t have)
{
    struct ptx_loc l = p->inst_loc;
    if (min == max)
        diag_error(p->d, l.line, l.col, "'%s' takes %d operand%s here, not %u", p->opcode->s, min,
                   min == 1 ? "" : "s",
                   have);
    else
        diag_error(p->d, l.line, l.col, "'%s' takes %d to %d operands here, not %u", p->opcode->s, min, max,
                   have);
    return false;
}

static bool place_operands(struct parser *p, struct ptx_inst *in, struct list l)
{
    struct sig_entry e[PTX_MAX_OPD];
    int n = read_sig(ptx_sig((enum ptx_op)in->op, in->mod), e), required = 0;
    for (int i = 0; i < n; i++)
        required += !e[i].optional;
    if (l.n < (uint32_t)required || l.n > (uint32_t)n)
        return wrong_count(p, required, n, l.n);
    uint32_t spare = l.n - (uint32_t)required;
    const struct node *node = l.first;
    bool ok = true;
    int k = 0;
    for (int i = 0; i < n; i++, k++) {
        bool present = !e[i].optional || spare > 0;
        if (e[i].optional && present)
            spare--;
        const struct node *first = present ? node : NULL, *second = NULL;
        if (present)
            node = node->next;
        if (first && e[i].second && first->kind == NODE_BINARY && first->op == '|') {
            second = first->kid[1];
            first = first->kid[0];
        }
        if (first)
            ok &= operand(p, in, e[i].letter, first, &in->opd[k]) &&
                  check_operand(p, in, e[i].letter, &in->opd[k]);
        if (e[i].second && second)
            ok &= operand(p, in, e[i].second, second, &in->opd[k + 1]) &&
                  check_operand(p, in, e[i].second, &in->opd[k + 1]);
        k += e[i].second != 0;
    }
    in->nopd = (uint8_t)k;
    return ok;
}

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
static void emit_access(struct parser *p, struct ptx_operand reg, bool predicate, struct ptx_var *v, int64_t offset,
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
        emit_access(p, reg_operand(r->reg[i], r->var->loc), r->is_predicate, r->var, i * bytes, r->is_return, like);
}

/* They have no guard: a lane whose guard is false loads and stores the value that is there. */
void inst_emit_move(struct parser *p, struct ptx_reg *r, struct ptx_var *v, bool store, const struct ptx_inst *like)
{
    struct ptx_inst plain = *like;
    plain.guard = NULL;
    emit_access(p, reg_operand(r, like->loc), r->type == T_PRED, v, 0, store, &plain);
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
        if (e->kind == NODE_MEM || (result && has_sum(e)))
            return operand_error(p, e, "a call passes registers, constants or .param variables");
        ok &= operand_simple(p, in, e, o);
        if (ok && o->kind == OPD_REG && o->reg->type == T_PRED)
            pass_predicate(p, o, result);
        else if (ok && o->kind == OPD_VEC)
            ok = pass_vector(p, o, result);
    }
    return ok;
}

static bool place_call(struct parser *p, struct ptx_inst *in, struct list l)
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

/* ---- vector moves (PTX ISA 6.4.3) ---- */

static bool names_register(const struct ptx_operand *o, int from, int n, const struct ptx_reg *r)
{
    for (int i = from; i < n; i++)
        if (o->elem[i].kind == OPD_REG && o->elem[i].reg == r)
            return true;
    return false;
}

static void emit_move(struct parser *p, const struct ptx_inst *like, struct ptx_operand to, struct ptx_operand from)
{
    struct ptx_inst in = *like;
    in.opd[0] = to;
    in.opd[1] = from;
    *inst_append(p) = in;
}

/* A source that an earlier element overwrites is saved in a new register first. */
static void save_overwritten(struct parser *p, const struct ptx_inst *in, int i)
{
    struct ptx_operand *from = &in->opd[1].elem[i], old = *from;
    if (old.kind != OPD_REG || !names_register(&in->opd[0], 0, i, old.reg))
        return;
    char name[32];
    int len = snprintf(name, sizeof name, "%%simtx_old%zu", p->nregs);
    from->reg = reg_new(p, arena_strndup(p->arena, name, (size_t)len), (enum ptx_type)old.reg->type, old.loc);
    emit_move(p, in, *from, old);
}

/* One move for each element. */
static void emit_vector_move(struct parser *p, const struct ptx_inst *in)
{
    for (int i = 0; i < p->moved; i++)
        save_overwritten(p, in, i);
    for (int i = 0; i < p->moved; i++)
        if (in->opd[0].elem[i].kind == OPD_REG)
            emit_move(p, in, in->opd[0].elem[i], in->opd[1].elem[i]);
}

/* ---- the end of an instruction ---- */

static bool resolve_guard(struct parser *p, struct ptx_inst *in)
{
    if (!p->guard)
        return true;
    struct binding *b = name_lookup(p, p->guard);
    if (b && b->kind == BIND_REG && b->reg->type == T_PRED) {
        in->guard = b->reg;
        in->guard_negated = p->guard_negated;
        return true;
    }
    if (b)
        diag_error(p->d, p->guard_loc.line, p->guard_loc.col, "'%s' is not a predicate register",
                   p->guard->s);
    else
        diag_error(p->d, p->guard_loc.line, p->guard_loc.col, "undefined predicate '%s'", p->guard->s);
    return false;
}

static void unknown_instruction(struct parser *p)
{
    const char *names[OP_COUNT];
    for (int i = 1; i < OP_COUNT; i++)
        names[i - 1] = ptx_ops[i].text;
    const char *near = diag_nearest(p->opcode->s, names, OP_COUNT - 1);
    if (near)
        diag_error(p->d, p->inst_loc.line, p->inst_loc.col, "unknown instruction '%s'; did you mean '%s'?",
                   p->opcode->s, near);
    else
        diag_error(p->d, p->inst_loc.line, p->inst_loc.col, "unknown instruction '%s'", p->opcode->s);
}

static bool build(struct parser *p, struct ptx_inst *in, struct list operands)
{
    if (inst_unsupported(p) || texture_unsupported(p, operands))
        return false;
    if (!p->opcode->op) {
        unknown_instruction(p);
        return false;
    }
    in->op = p->opcode->op;
    in->loc = p->inst_loc;
    bool ok = resolve_guard(p, in);
    if (!resolve_modifiers(p, in) || !check_modifiers(p, in))
        return false;
    ok &= in->op == OP_CALL ? place_call(p, in, operands) : place_operands(p, in, operands);
    if (ok)
        check_rules(p, in);
    return ok;
}

void inst_end(struct parser *p, struct list operands)
{
    struct ptx_inst in = { 0 };
    in.src_file = p->src_file;
    in.src_line = p->src_line;
    if (build(p, &in, operands)) {
        if (in.op == OP_RET)
            inst_emit_return_values(p, &in);
        if (p->moved)
            emit_vector_move(p, &in);
        else
            *inst_append(p) = in;
        for (const struct call_result *r = p->results; r; r = r->next)
            emit_like(p, r->inst, &in);
    } else {
        /* label uses recorded for this index need an instruction to fill in */
        struct ptx_inst *placeholder = inst_append(p);
        placeholder->call = in.call;
        placeholder->loc = p->inst_loc;
        if (!placeholder->call)
            placeholder->call = arena_alloc(p->arena, sizeof *placeholder->call);
    }
    inst_abandon(p);
}
