/*
 * Instructions: modifier words become types and one byte a group; operands get the positions of the opcode's signature
 * (ops.h), calls their lists (call_operand.c).
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

/* The types that some form of the instruction takes. */
static ptx_typeset types_of(uint16_t op)
{
    ptx_typeset types = 0;
    for (int i = 0; i < ptx_form_count; i++)
        if (ptx_forms[i].op == op)
            types |= ptx_forms[i].type[0] | ptx_forms[i].type[1] | ptx_forms[i].type[2];
    return types;
}

static void report_modifier(struct parser *p, const struct name *n, struct ptx_loc loc)
{
    const char *candidates[PTX_MODIFIER_COUNT + T_COUNT];
    const char *near = NULL;
    ptx_typeset types = types_of(p->opcode->op);
    size_t k = 0;
    for (int i = 1; i <= PTX_MODIFIER_COUNT; i++)
        if ((ptx_ops[p->opcode->op].groups >> modifier_group((uint8_t)i) & 1) &&
            ptx_takes_word(p->opcode->op, (uint8_t)i))
            candidates[k++] = ptx_modifier_name((uint8_t)i);
    for (int t = 1; t < T_COUNT && !n->vec; t++)
        if (types >> t & 1)
            candidates[k++] = ptx_type_name((enum ptx_type)t);
    if (!n->type)
        near = diag_nearest(n->s + 1, candidates, k);
    if (near && strcmp(near, n->s + 1))
        diag_error(p->d, loc.line, loc.col, "'%s' has no modifier '%s'; did you mean '.%s'?", p->opcode->s,
                   n->s, near);
    else if (!types && !ptx_ops[p->opcode->op].groups)
        diag_error(p->d, loc.line, loc.col, "'%s' takes no modifiers, found '%s'", p->opcode->s, n->s);
    else
        diag_error(p->d, loc.line, loc.col, "'%s' has no modifier '%s'", p->opcode->s, n->s);
}

static bool add_modifier(struct parser *p, struct ptx_inst *in, const struct name *n, struct ptx_loc loc)
{
    ptx_groupset groups = ptx_ops[in->op].groups;
    uint8_t best = 0;
    for (int k = 0; k < n->nmod; k++) {
        uint8_t g = modifier_group(n->mod[k]);
        bool takes = (groups >> g & 1) && ptx_takes_word((enum ptx_op)in->op, n->mod[k]);
        if (takes && (!best || g < modifier_group(best)) && !in->mod[g])
            best = n->mod[k];
    }
    if (best && modifier_group(best) == PG_DST && in->mod[PG_SPACE]) {
        diag_error(p->d, loc.line, loc.col, "the state space of the destination comes before that of the source");
        return false;
    }
    if (best) {
        in->mod[modifier_group(best)] = best;
        return true;
    }
    for (int k = 0; k < n->nmod; k++)
        if ((groups >> modifier_group(n->mod[k]) & 1) && ptx_takes_word((enum ptx_op)in->op, n->mod[k])) {
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

/* The shape of wgmma.mma_async: too many for words of a group. */
static bool read_wgmma_shape(struct ptx_inst *in, const struct name *word)
{
    int n, k, end = 0;
    if (!ptx_is_warpgroup_product((enum ptx_op)in->op) || in->wgmma_n ||
        sscanf(word->s, ".m64n%3dk%3d%n", &n, &k, &end) != 2 || word->s[end] || n <= 0 || k <= 0)
        return false;
    in->wgmma_n = (uint16_t)n;
    in->wgmma_k = (uint16_t)k;
    return true;
}

static bool resolve_modifiers(struct parser *p, struct ptx_inst *in)
{
    int ntypes = 0;
    bool ok = true;
    for (int i = 0; i < p->nmods && i < PARSE_MAX_INST_MODS; i++) {
        const struct name *n = p->mods[i];
        if (n->type && ntypes < (ptx_is_matrix_product((enum ptx_op)in->op) ? 4 : 3))
            in->type[ntypes++] = n->type;
        else if (in->op == OP_MOV && !p->moved && (n->vec == 2 || n->vec == 4))
            p->moved = n->vec;
        else if (!read_wgmma_shape(in, n))
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
        if (first && e[i].letter == 'y')
            ok &= tensor_operand(p, in, first, &in->opd[k]) && check_operand(p, in, e[i].second, &in->opd[k + 1]);
        else if (first)
            ok &= operand_read(p, in, e[i].letter, first, &in->opd[k]) &&
                  check_operand(p, in, e[i].letter, &in->opd[k]);
        if (e[i].second && second)
            ok &= operand_read(p, in, e[i].second, second, &in->opd[k + 1]) &&
                  check_operand(p, in, e[i].second, &in->opd[k + 1]);
        k += e[i].second != 0;
    }
    in->nopd = (uint8_t)k;
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

typedef void reduce_fn(struct parser *p, const struct ptx_inst *in);

static reduce_fn *const reducers[OP_COUNT] = {
#define REDUCED(id, reduce) [OP_##id] = reduce_##reduce,
#include "ptx/isa/ops.def"
};

static bool resolve_guard(struct parser *p, struct ptx_inst *in)
{
    if (!p->guard)
        return true;
    struct binding *b = name_lookup(p, p->guard);
    char hint[300];
    if (b && b->kind == BIND_REG && b->reg->type == T_PRED) {
        in->guard = b->reg;
        in->guard_negated = p->guard_negated;
        return true;
    }
    if (b)
        diag_error(p->d, p->guard_loc.line, p->guard_loc.col, "'%s' is not a predicate register",
                   p->guard->s);
    else
        diag_error(p->d, p->guard_loc.line, p->guard_loc.col, "undefined predicate '%s'%s", p->guard->s,
                   name_hint(p, p->guard, hint, sizeof hint));
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

/* An opcode may have several words (`cp.async.wait_group`): as many as there are in the table. */
static void join_opcode(struct parser *p)
{
    char text[128];
    int n = snprintf(text, sizeof text, "%s", p->opcode->s), words = 0;
    for (int i = 0; i < p->nmods && i < PARSE_MAX_INST_MODS && n < (int)sizeof text; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%s", p->mods[i]->s);
        struct name *joined = n < (int)sizeof text ? name_find(p, text, (size_t)n) : NULL;
        if (joined && joined->op) {
            p->opcode = joined;
            words = i + 1;
        }
    }
    p->nmods -= words;
    memmove(p->mods, p->mods + words, (size_t)p->nmods * sizeof *p->mods);
    memmove(p->mod_loc, p->mod_loc + words, (size_t)p->nmods * sizeof *p->mod_loc);
}

static bool build(struct parser *p, struct ptx_inst *in, struct list operands)
{
    if (p->opcode->begins_op && p->nmods <= PARSE_MAX_INST_MODS) {
        tensor_words(p);
        join_opcode(p);
    }
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
    ok &= in->op == OP_CALL ? call_operands(p, in, operands) : place_operands(p, in, operands);
    int before = p->d->errors;
    if (ok)
        check_rules(p, in);
    return ok && (!reducers[in->op] || p->d->errors == before);    /* only what is legal can be reduced */
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
        else if (reducers[in.op])
            reducers[in.op](p, &in);
        else
            *inst_append(p) = in;
        call_emit_results(p, &in);
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
