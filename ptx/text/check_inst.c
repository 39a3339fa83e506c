/*
 * Legality of instructions: types and modifiers against the FORM rows, operands against the signature's letters
 * (register widths by the rules of PTX ISA 9.4 and 9.5), ranges of constants, calls against their prototypes.
 * unsupported_ops.c reports opcodes of PTX that are not supported.
 */
#include <stdio.h>
#include <string.h>

#include "ptx/matrix/matrix.h"
#include "ptx/text/parser.h"

bool check_fits_bits(uint64_t v, int bits)
{
    if (bits >= 64)
        return true;
    int64_t s = (int64_t)v;
    return v >> bits == 0 || (s < 0 && s >= -(1ll << (bits - 1)));
}

static bool error_at(struct parser *p, struct ptx_loc l, const char *msg)
{
    diag_error(p->d, l.line, l.col, "%s", msg);
    return false;
}

/* ---- types and modifiers ---- */

enum { MEMO_SIZE = 4096 };

static struct form_memo *memo_slot(struct parser *p, const struct ptx_inst *in)
{
    if (!p->memo)
        p->memo = arena_alloc(p->scratch, MEMO_SIZE * sizeof *p->memo);
    uint32_t h = in->op * 2654435761u;
    for (int i = 0; i < 3; i++)
        h = (h ^ in->type[i]) * 16777619u;
    for (int i = 0; i < PG_COUNT; i++)
        h = (h ^ in->mod[i]) * 16777619u;
    return &p->memo[(h ^ h >> 12) & (MEMO_SIZE - 1)];
}

static bool memo_hit(const struct form_memo *m, const struct ptx_inst *in)
{
    return m->used && m->op == in->op && !memcmp(m->type, in->type, sizeof m->type) &&
           !memcmp(m->mod, in->mod, sizeof m->mod);
}

static bool types_fit(const struct ptx_form *f, const struct ptx_inst *in)
{
    for (int i = 0; i < 3; i++)
        if (f->type[i] ? in->type[i] == T_NONE || !(f->type[i] >> in->type[i] & 1) : in->type[i] != T_NONE)
            return false;
    return true;
}

static size_t put_word(char *buf, size_t n, size_t size, const char *word)
{
    int k = n < size ? snprintf(buf + n, size - n, " .%s", word) : 0;
    return n + (size_t)k;
}

static void explain_types(struct parser *p, const struct ptx_inst *in)
{
    int want = 0, have = 0;
    for (int i = 0; i < 3; i++)
        have += in->type[i] != T_NONE;
    ptx_typeset legal[3] = { 0 };
    for (int i = 0; i < ptx_form_count; i++) {
        const struct ptx_form *f = &ptx_forms[i];
        if (f->op != in->op || !(f->need & G(PACK)) != !in->mod[PG_PACK])
            continue;
        int n = (f->type[0] != 0) + (f->type[1] != 0) + (f->type[2] != 0);
        if (n > want)
            want = n;
        bool prefix = true;
        for (int k = 0; k < 3 && prefix; k++) {
            legal[k] |= f->type[k];
            prefix = in->type[k] != T_NONE && (f->type[k] >> in->type[k] & 1);
        }
    }
    struct ptx_loc l = p->inst_loc;
    if (have != want) {
        diag_error(p->d, l.line, l.col, "'%s' takes %d type%s, not %d", p->opcode->s, want,
                   want == 1 ? "" : "s", have);
        return;
    }
    for (int k = 0; k < 3; k++) {
        if (in->type[k] == T_NONE || (legal[k] >> in->type[k] & 1))
            continue;
        char buf[256];
        size_t n = 0;
        buf[0] = 0;
        for (int t = 1; t < T_COUNT; t++)
            if (legal[k] >> t & 1)
                n = put_word(buf, n, sizeof buf, ptx_type_name((enum ptx_type)t));
        diag_error(p->d, l.line, l.col, "'%s' does not take type .%s; it takes%s", p->opcode->s,
                   ptx_type_name((enum ptx_type)in->type[k]), buf);
        return;
    }
    diag_error(p->d, l.line, l.col, "'%s' does not take these types together", p->opcode->s);
}

static ptx_groupset groups_of(const struct ptx_inst *in)
{
    ptx_groupset have = 0;
    for (int g = 0; g < PG_COUNT; g++)
        if (in->mod[g])
            have |= (ptx_groupset)1 << g;
    return have;
}

static void list_group(char *buf, size_t size, ptx_groupset groups, enum ptx_op op)
{
    size_t n = 0;
    buf[0] = 0;
    for (int m = 1; m <= PTX_MODIFIER_COUNT; m++)
        if ((groups >> modifier_group((uint8_t)m) & 1) && ptx_takes_word(op, (uint8_t)m))
            n = put_word(buf, n, size, ptx_modifier_name((uint8_t)m));
}

/* Reports why no FORM row fits: the types fit none, or the nearest row has no such modifier, or needs another. */
static void explain_form(struct parser *p, const struct ptx_inst *in)
{
    ptx_groupset have = groups_of(in), allowed = 0, need = 0;
    const struct ptx_form *near = NULL;
    struct ptx_loc l = p->inst_loc;
    for (int i = 0; i < ptx_form_count; i++) {
        const struct ptx_form *f = &ptx_forms[i];
        if (f->op != in->op || !types_fit(f, in))
            continue;
        if (!near)
            near = f;
        allowed |= f->groups;
        need |= f->need;
        if (!(have & ~f->groups))
            near = f;
    }
    if (!near) {
        explain_types(p, in);
        return;
    }
    const char *type = ptx_type_name((enum ptx_type)in->type[0]);
    for (int g = 0; g < PG_COUNT; g++)
        if ((have >> g & 1) && !(allowed >> g & 1)) {
            diag_error(p->d, l.line, l.col, "'%s' with type .%s does not take '.%s'", p->opcode->s, type,
                       ptx_modifier_name(in->mod[g]));
            return;
        }
    if (!(have & ~near->groups) && near->need && !(have & near->need)) {
        char buf[256];
        list_group(buf, sizeof buf, need, (enum ptx_op)in->op);
        diag_error(p->d, l.line, l.col, "'%s%s%s' needs a modifier: one of%s", p->opcode->s, *type ? "." : "",
                   type, buf);
        return;
    }
    if (in->mod[PG_RND] && !(have & ~near->groups)) {
        diag_error(p->d, l.line, l.col, "'%s' does not take rounding '.%s' here", p->opcode->s,
                   ptx_modifier_name(in->mod[PG_RND]));
        return;
    }
    diag_error(p->d, l.line, l.col, "'%s': this combination of types and modifiers does not exist",
               p->opcode->s);
}

/* The opcode with its modifiers. */
static void spell(const struct parser *p, char *buf, size_t size)
{
    size_t n = (size_t)snprintf(buf, size, "%s", p->opcode->s);
    for (int i = 0; i < p->nmods && n < size; i++)
        if (!p->mods[i]->type)
            n += (size_t)snprintf(buf + n, size - n, "%s", p->mods[i]->s);
}

/* An instruction that the module's target or version lacks runs here all the same: it may be inline assembly. */
static void warn_since(struct parser *p, const struct ptx_inst *in)
{
    const struct ptx_module *m = p->m;
    struct ptx_since s = ptx_since(in);
    bool target = s.only ? m->sm == s.sm && m->target[strlen(m->target) - 1] == 'a' : m->sm >= s.sm;
    if (target && m->version_major * 10 + m->version_minor >= s.version)
        return;
    char text[160];
    spell(p, text, sizeof text);
    diag_warn(p->d, p->inst_loc.line, p->inst_loc.col, "'%s' needs .target sm_%d%s and .version %d.%d at least, not %s "
              "and %d.%d: ptxas rejects it", text, s.sm, s.only ? "a" : "", s.version / 10, s.version % 10, m->target,
              m->version_major, m->version_minor);
}

bool check_modifiers(struct parser *p, struct ptx_inst *in)
{
    if (memo_hit(memo_slot(p, in), in))
        return true;
    if (!ptx_form_find(in)) {
        explain_form(p, in);
        return false;
    }
    warn_since(p, in);
    return true;
}

/* ---- operands ---- */

static enum ptx_type twice(enum ptx_type t)
{
    switch (t) {
    case T_U8: return T_U16;
    case T_S8: return T_S16;
    case T_U16: return T_U32;
    case T_S16: return T_S32;
    case T_U32: return T_U64;
    case T_S32: return T_S64;
    default: return t;
    }
}

static enum ptx_type letter_type(const struct ptx_inst *in, char letter)
{
    switch (letter) {
    case 'd': case 'a': case 'v': case 'V': case 's': return (enum ptx_type)in->type[0];
    case 'b': return (enum ptx_type)in->type[1];
    case 'c': return (enum ptx_type)in->type[2];
    case 'D': case 'A': return twice((enum ptx_type)in->type[0]);
    case 'p': case 'q': return T_PRED;
    case 'u': case 'e': case 'w': return T_U32;
    case 'h': case 'z': return T_U16;
    default: return T_B64;
    }
}

static bool is_destination(char letter)
{
    return letter == 'd' || letter == 'D' || letter == 'e' || letter == 'p' || letter == 'V' ||
           letter == 'F' || letter == 'W';
}

/* ld, st and cvt take registers wider than the type (PTX ISA 9.4.1); floating point in a floating-point register has
 * its exact width. */
static bool relaxed(const struct ptx_inst *in)
{
    return in->op == OP_LD || in->op == OP_LDU || in->op == OP_ST || in->op == OP_CVT || in->op == OP_SULD ||
           in->op == OP_SUST;
}

static bool reg_fits(const struct ptx_inst *in, enum ptx_type reg, enum ptx_type want)
{
    if (reg == T_PRED || want == T_PRED)
        return reg == want;
    int rs = ptx_type_size(reg), ws = ptx_type_size(want);
    char rc = ptx_type_class(reg), wc = ptx_type_class(want);
    bool r_int = rc == 'u' || rc == 's', w_int = wc == 'u' || wc == 's';
    bool classes = rc == 'b' || wc == 'b' || rc == wc || (r_int && w_int);
    bool wider = rs > ws && relaxed(in) && (rc != 'f' || wc != 'f');
    return classes && (rs == ws || wider);
}

static bool check_register(struct parser *p, const struct ptx_inst *in, const struct ptx_operand *o,
                           enum ptx_type want)
{
    if (reg_fits(in, (enum ptx_type)o->reg->type, want))
        return true;
    diag_error(p->d, o->loc.line, o->loc.col, "register '%s' is .%s, but '%s' needs .%s here", o->reg->name,
               ptx_type_name((enum ptx_type)o->reg->type), ptx_ops[in->op].text, ptx_type_name(want));
    return false;
}

static bool check_immediate(struct parser *p, const struct ptx_inst *in, const struct ptx_operand *o,
                            enum ptx_type want)
{
    int bits = ptx_type_size(want) * 8;
    char class = ptx_type_class(want);
    if (want == T_PRED)
        return true;             /* as in C: zero is false, anything else true (PTX ISA 4.5.3) */
    if (class == 'f') {
        diag_error(p->d, o->loc.line, o->loc.col, "'%s' needs a floating-point constant of type .%s here",
                   ptx_ops[in->op].text, ptx_type_name(want));
        return false;
    }
    if (check_fits_bits((uint64_t)o->imm, bits))
        return true;
    diag_error(p->d, o->loc.line, o->loc.col, "constant %lld does not fit %d bits", (long long)o->imm, bits);
    return false;
}

/* Converts a constant to the width of its operand, float or double; for .b types it is a pattern of bits. */
static bool check_float(struct parser *p, const struct ptx_inst *in, struct ptx_operand *o,
                        enum ptx_type want)
{
    int size = ptx_type_size(want);
    char class = ptx_type_class(want);
    double d;
    float f;
    if (class == 'b' || (in->op == OP_MOV && class != 'f' && want != T_PRED)) {
        if (size == (o->is_f32 ? 4 : 8)) {
            o->kind = OPD_IMM;
            o->is_f32 = false;
            return true;
        }
    } else if (want == T_F64 && o->is_f32) {
        uint32_t bits = (uint32_t)o->imm;
        memcpy(&f, &bits, 4);
        d = (double)f;
        memcpy(&o->imm, &d, 8);
        o->is_f32 = false;
        return true;
    } else if (want == T_F32 && !o->is_f32) {
        uint32_t bits;
        memcpy(&d, &o->imm, 8);
        f = (float)d;
        memcpy(&bits, &f, 4);
        o->imm = bits;
        o->is_f32 = true;
        return true;
    } else if (want == T_F32 || want == T_F64) {
        return true;
    }
    diag_error(p->d, o->loc.line, o->loc.col, "a floating-point constant cannot stand for type .%s",
               ptx_type_name(want));
    return false;
}

/* PTX 1.x had narrower special registers, and its way to read them stays legal (PTX ISA section 10). */
static bool legacy_sreg(const struct ptx_inst *in, enum ptx_sreg s, enum ptx_type want)
{
    if (in->op != OP_MOV || ptx_type_class(want) == 'f')
        return false;
    bool was_16 = s == SR_TID || s == SR_NTID || s == SR_CTAID || s == SR_NCTAID;
    return ptx_type_size(want) == (was_16 ? 2 : s == SR_GRIDID ? 4 : 0);
}

static bool check_sreg(struct parser *p, const struct ptx_inst *in, const struct ptx_operand *o,
                       enum ptx_type want)
{
    enum ptx_type have = ptx_sreg_type((enum ptx_sreg)o->sreg);
    if (reg_fits(in, have, want) || (want != T_PRED && legacy_sreg(in, (enum ptx_sreg)o->sreg, want)))
        return true;
    diag_error(p->d, o->loc.line, o->loc.col, "special register '%%%s' is .%s, but '%s' needs .%s here",
               ptx_sreg_name((enum ptx_sreg)o->sreg), ptx_type_name(have), ptx_ops[in->op].text,
               ptx_type_name(want));
    return false;
}

static bool check_symbol(struct parser *p, const struct ptx_inst *in, const struct ptx_operand *o)
{
    if (in->op != OP_MOV && in->op != OP_CVTA) {
        error_at(p, o->loc, "an address is taken with mov or cvta; a memory operand stands in [ ]");
        return false;
    }
    int size = ptx_type_size((enum ptx_type)in->type[0]);
    bool near = o->kind == OPD_VAR && o->var->space != SP_GLOBAL;
    if (ptx_type_class((enum ptx_type)in->type[0]) != 'f' && (size == 8 || (size == 4 && near)))
        return true;
    return error_at(p, o->loc, "an address has 64 bits");
}

static bool check_scalar(struct parser *p, const struct ptx_inst *in, char letter, struct ptx_operand *o,
                         enum ptx_type want)
{
    if (o->negated && letter != 'q' && in->op != OP_VMAD)
        return error_at(p, o->loc, "this operand cannot be negated");
    if (is_destination(letter)) {
        if (o->kind == OPD_REG)
            return check_register(p, in, o, want);
        if (o->kind == OPD_SINK)
            return true;
        return error_at(p, o->loc, "the result needs a register");
    }
    switch (o->kind) {
    case OPD_REG: return check_register(p, in, o, want);
    case OPD_IMM: return check_immediate(p, in, o, want);
    case OPD_FIMM: return check_float(p, in, o, want);
    case OPD_SREG: return check_sreg(p, in, o, want);
    case OPD_VAR: case OPD_FUNC: return check_symbol(p, in, o);
    case OPD_SINK: return error_at(p, o->loc, "'_' can only be a result");
    default: return error_at(p, o->loc, "a vector { } cannot stand here");
    }
}

/* mov packs and unpacks: the elements are equal parts of the type. */
static bool check_mov_vector(struct parser *p, const struct ptx_inst *in, char letter, struct ptx_operand *o)
{
    int bytes = ptx_type_size((enum ptx_type)in->type[0]);
    if (ptx_type_class((enum ptx_type)in->type[0]) != 'b' || (o->n != 2 && o->n != 4) || bytes % o->n)
        return error_at(p, o->loc, "mov takes a vector of 2 or 4 parts with types .b16 to .b128");
    if (letter == 's' && in->opd[0].kind == OPD_VEC)
        return error_at(p, o->loc, "mov takes one vector, not two");
    static const enum ptx_type part[] = { [1] = T_B8, [2] = T_B16, [4] = T_B32, [8] = T_B64 };
    bool ok = true;
    for (int i = 0; i < o->n; i++)
        ok &= check_scalar(p, in, letter == 'V' ? 'd' : 'a', &o->elem[i], part[bytes / o->n]);
    return ok;
}

static bool check_vector(struct parser *p, const struct ptx_inst *in, char letter, struct ptx_operand *o)
{
    if (in->op == OP_MOV && !p->moved)
        return check_mov_vector(p, in, letter, o);
    int want = p->moved ? p->moved : in->mod[PG_VEC] ? 2 << (in->mod[PG_VEC] - MOD(VEC, V2)) : 1;
    if (o->n != want) {
        diag_error(p->d, o->loc.line, o->loc.col, "the vector has %d elements, the instruction %d", o->n,
                   want);
        return false;
    }
    bool ok = true;
    for (int i = 0; i < o->n; i++)
        ok &= check_scalar(p, in, letter, &o->elem[i], letter_type(in, letter));
    return ok;
}

/* The space of a memory operand. */
static enum ptx_space operand_space(const struct ptx_inst *in, int k)
{
    switch (in->op) {
    case OP_CP_ASYNC: return k ? SP_GLOBAL : SP_SHARED;
    case OP_MAP_COPY: return k ? SP_SHARED : SP_GLOBAL;
    case OP_BULK_LOAD: case OP_BULK_LOAD_CTA: case OP_BULK_MULTICAST: return k == 1 ? SP_GLOBAL : SP_SHARED;
    case OP_BULK_STORE: case OP_BULK_REDUCE: case OP_BULK_PREFETCH: return k ? SP_SHARED : SP_GLOBAL;
    case OP_BULK_SEND: case OP_BULK_REDUCE_SEND: case OP_ST_ASYNC: case OP_ST_ASYNC_WEAK: case OP_RED_ASYNC:
    case OP_TENSOR_LOAD: case OP_TENSOR_LOAD_CTA: case OP_TENSOR_MULTICAST: case OP_TENSOR_STORE: case OP_TENSOR_REDUCE:
        return SP_SHARED;
    default: return ptx_inst_space(in);
    }
}

static bool check_memory(struct parser *p, const struct ptx_inst *in, const struct ptx_operand *o)
{
    if (o->has_reg) {
        char class = ptx_type_class((enum ptx_type)o->reg->type);
        int size = ptx_type_size((enum ptx_type)o->reg->type);
        if ((size == 4 || size == 8) && class != 'f')
            return true;
        diag_error(p->d, o->loc.line, o->loc.col,
                   "register '%s' is .%s; an address is .b64, .u64 or 32 bits wide",
                   o->reg->name, ptx_type_name((enum ptx_type)o->reg->type));
        return false;
    }
    enum ptx_space space = operand_space(in, (int)(o - in->opd));
    if (!o->has_var)
        return true;
    const struct ptx_var *v = o->var;
    if (space != SP_GENERIC && space != v->space) {
        diag_error(p->d, o->loc.line, o->loc.col, "'%s' is in .%s, not in .%s", v->name,
                   ptx_space_name((enum ptx_space)v->space), ptx_space_name(space));
        return false;
    }
    int count = in->mod[PG_VEC] ? 2 << (in->mod[PG_VEC] - MOD(VEC, V2)) : 1;
    int64_t bytes = (int64_t)ptx_type_size((enum ptx_type)in->type[0]) * count;
    if (v->space == SP_PARAM && !v->unsized && (o->imm < 0 || o->imm > (int64_t)v->size - bytes)) {
        diag_error(p->d, o->loc.line, o->loc.col,
                   "access to %lld bytes at offset %lld of parameter '%s' of %llu bytes",
                   (long long)bytes, (long long)o->imm, v->name, (unsigned long long)v->size);
        return false;
    }
    return true;
}

/* As many registers as the matrix has; one of them may stand without braces. */
static bool check_fragment(struct parser *p, const struct ptx_inst *in, char letter, struct ptx_operand *o)
{
    struct matrix_registers want = matrix_registers(in, (int)(o - in->opd));
    int n = o->kind == OPD_VEC ? o->n : 1;
    if (matrix_check(in))
        return true;                     /* an illegal shape, reported after the operands */
    if (n != want.n) {
        diag_error(p->d, o->loc.line, o->loc.col, "this matrix has %d register%s in each thread, not %d", want.n,
                   want.n == 1 ? "" : "s", n);
        return false;
    }
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok &= check_scalar(p, in, letter, o->kind == OPD_VEC ? &o->elem[i] : o, want.type);
    return ok;
}

/* As many as the tensor has dimensions. */
static bool check_coordinates(struct parser *p, const struct ptx_inst *in, struct ptx_operand *o)
{
    int want = ptx_tensor_dims(in);
    bool ok = true;
    if (o->n != want) {
        diag_error(p->d, o->loc.line, o->loc.col, "a tensor of %d dimension%s has %d coordinate%s, not %d", want,
                   want == 1 ? "" : "s", want, want == 1 ? "" : "s", o->n);
        return false;
    }
    for (int i = 0; i < want; i++)
        ok &= check_scalar(p, in, 'w', &o->elem[i], T_B32);
    return ok;
}

/* As many as the tensor has dimensions besides the channels and the images. */
static bool check_offsets(struct parser *p, const struct ptx_inst *in, struct ptx_operand *o)
{
    int want = ptx_tensor_dims(in) - 2;
    bool ok = true;
    if (in->mod[PG_LOD] != MOD(LOD, IM2COL))
        return error_at(p, o->loc, "offsets are for the mode .im2col");
    if (o->kind != OPD_VEC || o->n != want) {
        diag_error(p->d, o->loc.line, o->loc.col, "a vector { } of %d offset%s is expected", want,
                   want == 1 ? "" : "s");
        return false;
    }
    for (int i = 0; i < want; i++)
        ok &= check_scalar(p, in, 'z', &o->elem[i], T_B16);
    return ok;
}

/* The bytes that an asynchronous copy reads, or whether it reads none. */
static bool check_amount(struct parser *p, const struct ptx_inst *in, struct ptx_operand *o)
{
    bool predicate = o->kind == OPD_REG && o->reg->type == T_PRED;
    return check_scalar(p, in, predicate ? 'q' : 'u', o, predicate ? T_PRED : T_U32);
}

bool check_operand(struct parser *p, const struct ptx_inst *in, char letter, struct ptx_operand *o)
{
    switch (letter) {
    case 'm':
        return check_memory(p, in, o);
    case 'l': case 'f': case 't': case 'y':
        return true;
    case 'w':
        return check_coordinates(p, in, o);
    case 'z':
        return check_offsets(p, in, o);
    case 'F': case 'n': case 'W':
        return check_fragment(p, in, letter, o);
    case 'N':
        return o->kind == OPD_VEC ? check_fragment(p, in, letter, o) : check_scalar(p, in, letter, o, T_B64);
    case 'k':
        return check_amount(p, in, o);
    case 'r':
        return check_scalar(p, in, letter, o, T_F32);
    case 'o':
        return texture_check_extra(p, in, o);
    case 'i':
        return o->kind == OPD_IMM || error_at(p, o->loc, "an integer constant is expected");
    case 'v': case 'V': case 's':
        if (o->kind == OPD_VEC)
            return check_vector(p, in, letter, o);
        if (in->mod[PG_VEC] || p->moved)
            return error_at(p, o->loc, "a vector { } is expected");
        break;
    default:
        break;
    }
    return check_scalar(p, in, letter, o, letter_type(in, letter));
}

/* ---- rules on single instructions ---- */

static bool in_range(struct parser *p, const struct ptx_operand *o, int64_t max, const char *what)
{
    if (o->kind != OPD_IMM || (o->imm >= 0 && o->imm <= max))
        return true;
    diag_error(p->d, o->loc.line, o->loc.col, "%s must be 0 to %lld", what, (long long)max);
    return false;
}

/* A constant number of arrivals, or of bytes, at a barrier object (PTX ISA 9.7.13.15.6). */
static void check_arrivals(struct parser *p, const struct ptx_operand *o, int least, const char *what)
{
    enum { MOST = (1 << 20) - 1 };
    if (o->kind == OPD_IMM && (o->imm < least || o->imm > MOST))
        diag_error(p->d, o->loc.line, o->loc.col, "a number of %s is %d to %d, not %lld", what, least, MOST,
                   (long long)o->imm);
}

static void check_barrier(struct parser *p, const struct ptx_inst *in)
{
    if (in->mod[PG_BAROP] == MOD(BAROP, WARP))
        return;
    int first = in->mod[PG_BAROP] == MOD(BAROP, RED);
    const struct ptx_operand *count = &in->opd[first + 1];
    in_range(p, &in->opd[first], 15, "the number of a barrier");
    if (count->kind == OPD_IMM && (count->imm <= 0 || count->imm % 32))
        diag_error(p->d, count->loc.line, count->loc.col,
                   "the number of threads must be a positive multiple of 32");
}

static void check_hint(struct parser *p, const struct ptx_inst *in)
{
    const struct ptx_operand *o = &in->opd[in->nopd - 1];
    if (!in->mod[PG_L2HINT] && o->kind != OPD_NONE)
        error_at(p, o->loc, in->op == OP_ATOM && in->mod[PG_ATOM] != MOD(ATOM, CAS)
                 ? "only atom.cas takes two values, and a cache policy needs .L2::cache_hint"
                 : "one operand more is a cache policy; it needs .L2::cache_hint");
    if (in->mod[PG_L2HINT] && o->kind == OPD_NONE)
        error_at(p, in->loc, ".L2::cache_hint needs a cache policy as last operand");
}

static void check_not_kernel_parameter(struct parser *p, const struct ptx_operand *o)
{
    for (const struct ptx_var *v = p->func->params; o->has_var && p->func->is_entry && v; v = v->next)
        if (v == o->var)
            diag_error(p->d, o->loc.line, o->loc.col, "'%s' is a parameter of a kernel, which cannot be written",
                       v->name);
}

/* An access without a state space takes that of the variable that it names. */
static void infer_space(struct ptx_inst *in)
{
    static const uint8_t word[SP_COUNT] = {
        [SP_CONST] = MOD(SPACE, CONST), [SP_GLOBAL] = MOD(SPACE, GLOBAL), [SP_LOCAL] = MOD(SPACE, LOCAL),
        [SP_PARAM] = MOD(SPACE, PARAM), [SP_SHARED] = MOD(SPACE, SHARED),
    };
    for (int k = 0; k < 2 && !ptx_names_spaces((enum ptx_op)in->op); k++)
        if (in->opd[k].kind == OPD_MEM && in->opd[k].has_var && !INST_SPACE(in))
            in->mod[PG_SPACE] = word[in->opd[k].var->space];
}

/* Constants: 4, 8 or 16 bytes, with .cg 16; no more are read; groups are counted from 0. */
static void check_copy(struct parser *p, const struct ptx_inst *in)
{
    const struct ptx_operand *bytes = &in->opd[2], *read = &in->opd[3];
    bool global = in->mod[PG_CACHE] == MOD(CACHE, CG);
    if (bytes->imm != 16 && (global || (bytes->imm != 4 && bytes->imm != 8)))
        error_at(p, bytes->loc, global ? "cp.async.cg copies 16 bytes" : "cp.async.ca copies 4, 8 or 16 bytes");
    else if (read->kind == OPD_IMM)
        in_range(p, read, bytes->imm, "the bytes that cp.async reads");
}

static void check_bulk_size(struct parser *p, const struct ptx_operand *bytes)
{
    if (bytes->kind == OPD_IMM && (bytes->imm < 0 || bytes->imm % 16))
        error_at(p, bytes->loc, "the size of a bulk copy is a multiple of 16");
}

/* The lanes of a group of four are numbered by as many as give metadata. */
static void check_metadata(struct parser *p, const struct ptx_inst *in, const struct ptx_operand *metadata)
{
    int lanes = matrix_metadata_lanes(in);
    if (metadata[0].kind != OPD_REG)
        error_at(p, metadata[0].loc, "the metadata of a sparse matrix is in a register");
    if (lanes == 4 && metadata[1].imm != 0)
        error_at(p, metadata[1].loc, "the selector of metadata must be 0 here");
    else
        in_range(p, &metadata[1], 4 / lanes - 1, "the selector of metadata");
}

/* The constants of wgmma.mma_async: the signs of floating-point A and B; are 16-bit matrices in memory transposed? */
static void check_wgmma(struct parser *p, const struct ptx_inst *in)
{
    int first = ptx_wgmma_predicate((enum ptx_op)in->op) + 1;
    bool wide = in->type[1] == T_F16 || in->type[1] == T_BF16, in_memory = in->opd[1].kind != OPD_VEC;
    int want = in->type[0] == T_S32 ? 0 : !wide ? 2 : in_memory ? 4 : 3, have = 0;
    while (first + have < in->nopd && in->opd[first + have].kind != OPD_NONE)
        have++;
    if (have != want)
        diag_error(p->d, in->loc.line, in->loc.col, "'%s' takes %d constant%s after the predicate here, not %d",
                   ptx_ops[in->op].text, want, want == 1 ? "" : "s", have);
    for (int i = 0; i < have && have == want; i++) {
        const struct ptx_operand *o = &in->opd[first + i];
        if (i < 2 ? o->imm != 1 && o->imm != -1 : o->imm != 0 && o->imm != 1)
            error_at(p, o->loc, i < 2 ? "the sign of a matrix is 1 or -1" : "a matrix is transposed, 1, or not, 0");
    }
    for (int i = 0; in->opd[0].kind == OPD_VEC && i < in->opd[0].n; i++)
        if (in->opd[0].elem[i].kind != OPD_REG)
            error_at(p, in->opd[0].elem[i].loc, "the sum is also a source: it needs a register");
}

static void check_special(struct parser *p, const struct ptx_inst *in)
{
    switch (in->op) {
    case OP_LOP3:
        in_range(p, &in->opd[in->mod[PG_BOOL] ? 5 : 4], 255, "the table of lop3");
        break;
    case OP_PMEVENT:
        in_range(p, &in->opd[0], 15, "the number of an event");
        break;
    case OP_MAXNREG_INC: case OP_MAXNREG_DEC:
        if (in->opd[0].imm < 24 || in->opd[0].imm > 256 || in->opd[0].imm % 8)
            error_at(p, in->opd[0].loc, "the number of registers is a multiple of 8, from 24 to 256");
        break;
    case OP_ALLOCA:                      /* clang 19 writes 0 where it knows no alignment */
        if (in->opd[2].kind == OPD_IMM && (uint64_t)in->opd[2].imm & ((uint64_t)in->opd[2].imm - 1))
            error_at(p, in->opd[2].loc, "the alignment is a power of two");
        break;
    case OP_STACKRESTORE:
        if (in->opd[0].kind != OPD_REG)
            error_at(p, in->opd[0].loc, "the state of the stack is a register");
        break;
    case OP_BAR: case OP_BARRIER:
        check_barrier(p, in);
        break;
    case OP_ST:
        check_not_kernel_parameter(p, &in->opd[0]);
        check_hint(p, in);
        break;
    case OP_LD: case OP_ATOM: case OP_RED:
        check_hint(p, in);
        break;
    case OP_CP_ASYNC:
        check_copy(p, in);
        break;
    case OP_BULK_LOAD: case OP_BULK_LOAD_CTA: case OP_BULK_MULTICAST: case OP_BULK_SEND: case OP_BULK_STORE:
    case OP_BULK_REDUCE: case OP_BULK_REDUCE_SEND: case OP_BULK_PREFETCH:
        check_bulk_size(p, &in->opd[in->op == OP_BULK_PREFETCH ? 1 : 2]);
        break;
    case OP_MBARRIER_INIT: case OP_MBARRIER_ARRIVE: case OP_MBARRIER_ARRIVE_NO_COMPLETE: case OP_MBARRIER_DROP:
    case OP_MBARRIER_DROP_NO_COMPLETE:
        check_arrivals(p, &in->opd[in->op == OP_MBARRIER_INIT ? 1 : 2], 1, "arrivals");
        break;
    case OP_MBARRIER_EXPECT_TX: case OP_MBARRIER_COMPLETE_TX:
        check_arrivals(p, &in->opd[1], 0, "bytes");
        break;
    case OP_MBARRIER_ARRIVE_EXPECT_TX: case OP_MBARRIER_DROP_EXPECT_TX:
        check_arrivals(p, &in->opd[2], 0, "bytes");
        break;
    case OP_WGMMA_SP:
        check_metadata(p, in, &in->opd[3]);
        check_wgmma(p, in);
        break;
    case OP_WGMMA:
        check_wgmma(p, in);
        break;
    case OP_MMA_SP: case OP_MMA_SP_ORDERED:
        check_metadata(p, in, &in->opd[4]);
        break;
    case OP_CP_WAIT: case OP_BULK_WAIT: case OP_BULK_WAIT_READ: case OP_WGMMA_WAIT:
        if (in->opd[0].imm < 0)
            error_at(p, in->opd[0].loc, "the number of groups must not be negative");
        break;
    case OP_DISCARD: case OP_APPLYPRIORITY: case OP_FENCE_PROXY_MAP_ACQUIRE:
        if (in->opd[1].imm != 128)
            error_at(p, in->opd[1].loc, "the size must be 128");
        break;
    case OP_WMMA_LOAD_A: case OP_WMMA_LOAD_B: case OP_WMMA_LOAD_C: case OP_WMMA_STORE_D:
        wmma_check_stride(p, in);
        break;
    case OP_TENSOR_LOAD: case OP_TENSOR_LOAD_CTA: case OP_TENSOR_MULTICAST: case OP_TENSOR_PREFETCH:
        if (in->mod[PG_LOD] && in->opd[in->op == OP_TENSOR_PREFETCH ? 2 : 4].kind == OPD_NONE)
            error_at(p, in->loc, "the mode .im2col needs offsets");
        break;
    case OP_MAP_COPY:
        if (in->opd[2].imm != 128)
            error_at(p, in->opd[2].loc, "the size must be 128");
        break;
    case OP_CVTA:
        if (in->opd[1].kind == OPD_VAR && in->opd[1].var->space != ptx_inst_space(in))
            diag_error(p->d, in->opd[1].loc.line, in->opd[1].loc.col, "'%s' is in .%s, not in .%s",
                       in->opd[1].var->name, ptx_space_name((enum ptx_space)in->opd[1].var->space),
                       ptx_space_name(ptx_inst_space(in)));
        break;
    default:
        if (ptx_is_map_field((enum ptx_op)in->op))
            tensor_check_field(p, in);
        break;
    }
}

void check_rules(struct parser *p, struct ptx_inst *in)
{
    infer_space(in);
    struct form_memo *m = memo_slot(p, in);
    if (!memo_hit(m, in)) {
        const char *why;
        if (!ptx_form_ok(in, &why)) {
            diag_error(p->d, in->loc.line, in->loc.col, "'%s': %s", ptx_ops[in->op].text, why);
            return;
        }
        if (in->op != OP_CVT && !ptx_is_warpgroup_product((enum ptx_op)in->op)) {    /* operands matter, or the shape */
            m->used = true;
            m->op = in->op;
            memcpy(m->type, in->type, sizeof m->type);
            memcpy(m->mod, in->mod, sizeof m->mod);
        }
    }
    check_special(p, in);
}

/* ---- calls ---- */

static bool value_fits(struct parser *p, const struct ptx_operand *o, const struct ptx_var *param, bool ret)
{
    const char *what = ret ? "result" : "argument";
    uint64_t have;
    if (param->unsized)
        return true;
    switch (o->kind) {
    case OPD_VAR:
        if (o->var->space != SP_PARAM || o->imm) {
            diag_error(p->d, o->loc.line, o->loc.col, "'%s' is not a .param variable", o->var->name);
            return false;
        }
        have = o->var->size;
        break;
    case OPD_REG:
        have = (uint64_t)ptx_type_size((enum ptx_type)o->reg->type);
        break;
    case OPD_IMM: case OPD_FIMM:
        if (!ret)
            return true;
        /* fall through */
    default:
        diag_error(p->d, o->loc.line, o->loc.col, "this cannot be a call's %s", what);
        return false;
    }
    if (have == param->size)
        return true;
    diag_error(p->d, o->loc.line, o->loc.col, "%s of %llu bytes, but the parameter has %llu", what,
               (unsigned long long)have, (unsigned long long)param->size);
    return false;
}

static void check_values(struct parser *p, const struct ptx_inst *in, const struct ptx_operand *have, int n,
                         const struct ptx_var *params, bool ret)
{
    const char *what = ret ? "result" : "argument";
    int want = 0;
    bool open = false;
    for (const struct ptx_var *v = params; v; v = v->next) {
        want++;
        open = v->unsized;
    }
    if (n != want && !(open && n >= want - 1)) {
        diag_error(p->d, in->loc.line, in->loc.col, "call with %d %s%s, but the function has %d", n, what,
                   n == 1 ? "" : "s", want);
        return;
    }
    for (const struct ptx_var *v = params; v && n > 0; v = v->next, have++, n--)
        value_fits(p, have, v, ret);
}

static void check_call(struct parser *p, const struct ptx_inst *in)
{
    const struct ptx_call *c = in->call;
    const struct ptx_var *params, *rets;
    if (c->target.kind == OPD_FUNC) {
        params = c->target.func->params;
        rets = c->target.func->rets;
        if (c->target.func->is_entry) {
            diag_error(p->d, in->loc.line, in->loc.col, "'%s' is a kernel and cannot be called",
                       c->target.func->name);
            return;
        }
    } else {
        if (!c->table)
            return;              /* reported when its scope ended */
        if (ptx_type_size((enum ptx_type)c->target.reg->type) != 8) {
            diag_error(p->d, in->loc.line, in->loc.col, "the address of a function has 64 bits");
            return;
        }
        if (c->table->kind == TABLE_BRANCH || (c->table->kind == TABLE_CALL && !c->table->n)) {
            diag_error(p->d, in->loc.line, in->loc.col, "'%s' is no prototype or list of functions",
                       c->table->name);
            return;
        }
        const struct ptx_func *f = c->table->kind == TABLE_CALL ? c->table->funcs[0] : NULL;
        if (c->table->kind == TABLE_CALL && !f)
            return;              /* reported */
        params = f ? f->params : c->table->params;
        rets = f ? f->rets : c->table->rets;
    }
    check_values(p, in, c->ret, c->nret, rets, true);
    check_values(p, in, c->arg, c->narg, params, false);
}

/* ---- whole functions ---- */

void check_function(struct parser *p, struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->ninsts; i++) {
        const struct ptx_inst *in = &f->insts[i];
        if (in->op == OP_CALL)
            check_call(p, in);
        if (in->op == OP_BRX && in->opd[1].table && in->opd[1].table->kind != TABLE_BRANCH)
            diag_error(p->d, in->loc.line, in->loc.col, "'%s' is no .branchtargets list",
                       in->opd[1].table->name);
    }
}
