/* Enumeration of the instruction table's combinations, and their spelling: see combo.h. */
#include "regress/conformance/combo.h"

#include <string.h>

#include "base/alloc.h"
#include "ptx/isa/ops_check.h"

bool combo_is_video(uint16_t op) { return op >= OP_VADD && op <= OP_VSET4; }

bool combo_has_vectors(uint16_t op)
{
    return ptx_has_lane_functions(op) && ptx_ops[op].unit != PTX_UNIT_WARP && op != OP_CVTA;
}

char combo_class(uint8_t type)
{
    return type == T_PRED ? 'p' : ptx_type_size(type) <= 2 ? 'h' : ptx_type_size(type) == 4 ? 'r' : 'd';
}

static uint8_t widened(uint8_t type)
{
    return type == T_U16 ? T_U32 : type == T_S16 ? T_S32 : type == T_U32 ? T_U64 : T_S64;
}

/* Sources that a conversion has: three or two with .pack, two f32 for a packed pair, else one. */
static int cvt_sources(const struct ptx_inst *in)
{
    uint8_t to = in->type[0];
    if (in->mod[PG_PACK])
        return in->type[2] ? 3 : 2;
    bool pair = to == T_F16X2 || to == T_BF16X2 || to == T_E4M3X2 || to == T_E5M2X2;
    return pair && in->type[1] == T_F32 ? 2 : 1;
}

static void add_source(struct combo *c, char letter)
{
    const uint8_t *t = c->in.type;
    uint8_t type = letter == 'b'   ? t[1]
                   : letter == 'c' ? t[2]
                   : letter == 'A' ? widened(t[0])
                   : letter == 'u' ? T_U32
                   : letter == 'q' ? T_PRED
                                   : t[0];
    c->src_type[c->nsrc++] = type;
}

/* Operands from the signature: which are written depends on modifiers (boolean operation, packed cvt, video
 * forms). */
static void find_operands(struct combo *c, bool video_three)
{
    const char *sig = ptx_sig((enum ptx_op)c->in.op, c->in.mod);
    c->dst_type = sig[0] == 'p'   ? T_PRED
                  : sig[0] == 'e' ? T_U32
                  : sig[0] == 'D' ? widened(c->in.type[0])
                                  : c->in.type[0];
    c->pair = sig[1] == '|';
    for (const char *s = strchr(sig, ','); s; s = strchr(s + 1, ',')) {
        bool optional = s[2] == '?';
        if (s[1] == 'i')
            continue;
        if (optional && combo_is_video(c->in.op) && !video_three)
            continue;
        if (optional && c->in.op == OP_CVT && c->nsrc == cvt_sources(&c->in))
            continue;
        if (optional && s[1] == 'q' && !c->in.mod[PG_BOOL])
            continue;
        add_source(c, s[1]);
    }
    c->set_carry = c->in.mod[PG_CC] != 0;
    c->use_carry = c->in.op == OP_ADDC || c->in.op == OP_SUBC || c->in.op == OP_MADC;
}

static void push(struct combo_list *list, const struct combo *c)
{
    if (list->n == list->cap) {
        list->cap = list->cap ? 2 * list->cap : 1024;
        list->at = mem_resize(list->at, list->cap, sizeof *list->at, "combinations");
    }
    list->at[list->n++] = *c;
}

/* A small generator of its own, so that the list is the same in every run. */
static uint32_t pick(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 16) % n;
}

static void push_scalar_video(struct combo_list *list, struct combo c, uint32_t *state)
{
    for (int v = 0; v < 6; v++) {
        struct combo k = c;
        bool three = c.in.mod[PG_VOP2] || c.in.op == OP_VMAD || v >= 3;
        if (three && !c.in.mod[PG_VOP2] && c.in.op != OP_VMAD)
            k.in.opd[0].bytesel = (uint8_t)(1 + pick(state, 6));
        k.in.opd[1].bytesel = (uint8_t)(v ? pick(state, 7) : 0);
        k.in.opd[2].bytesel = (uint8_t)(v ? pick(state, 7) : 0);
        if (c.in.op == OP_VMAD && !c.in.mod[PG_VPO]) {
            k.in.opd[1].negated = v == 1;
            k.in.opd[2].negated = v == 2;
            k.in.opd[3].negated = v == 3;
        }
        find_operands(&k, three);
        push(list, &k);
    }
}

static void push_simd_video(struct combo_list *list, struct combo c, uint32_t *state)
{
    int parts = ptx_ops[c.in.op].text[strlen(ptx_ops[c.in.op].text) - 1] == '2' ? 2 : 4;
    for (int v = 0; v < 6; v++) {
        struct combo k = c;
        for (int s = 1; s <= 2 && v; s++) {
            k.in.opd[s].bytesel = parts == 2 ? 7 : 8;
            for (int i = 0; i < parts; i++)
                k.in.opd[s].imm |= (int64_t)pick(state, (uint32_t)(2 * parts)) << 4 * i;
        }
        uint32_t mask = v > 1 ? 1 + pick(state, (1u << parts) - 1) : 0;
        for (int i = 0; i < parts; i++)
            if (mask >> i & 1)
                k.in.opd[0].imm |= (int64_t)i << 4 * k.in.opd[0].n++;
        if (k.in.opd[0].n == 1)
            k.in.opd[0].bytesel = (uint8_t)((parts == 2 ? 5 : 1) + k.in.opd[0].imm);
        else if (mask)
            k.in.opd[0].bytesel = parts == 2 ? 7 : 8;
        find_operands(&k, true);
        push(list, &k);
    }
}

/* The immediate of lop3 stands before the predicate source, where there is one. */
static struct ptx_operand *lop3_table(struct combo *c) { return &c->in.opd[c->in.mod[PG_BOOL] ? 5 : 4]; }

static void push_all(struct combo_list *list, struct combo c)
{
    uint32_t state = (uint32_t)list->n;
    if (c.in.op >= OP_VADD2 && c.in.op <= OP_VSET4) {
        push_simd_video(list, c, &state);
    } else if (combo_is_video(c.in.op)) {
        push_scalar_video(list, c, &state);
    } else if (c.in.op == OP_LOP3) {
        find_operands(&c, false);
        struct ptx_operand *table = lop3_table(&c);
        for (table->imm = 0; table->imm < 256; table->imm++) {
            c.in.opd[6].negated = c.in.mod[PG_BOOL] && table->imm & 1;
            push(list, &c);
        }
    } else {
        find_operands(&c, false);
        bool pred = c.nsrc && c.src_type[c.nsrc - 1] == T_PRED;
        push(list, &c);
        if (pred && (c.in.op == OP_SETP || c.in.op == OP_SET || c.in.op == OP_SELP)) {
            c.in.opd[c.in.op == OP_SETP ? 4 : 3].negated = true;
            push(list, &c);
        }
    }
}

static void check_and_push(struct combo_list *list, struct combo c)
{
    const char *why;
    if (c.in.op == OP_MOV && c.in.type[0] == T_B128)
        return;                                  /* has no load or store of its own: behave.c */
    c.in.nopd = (uint8_t)(c.in.op == OP_CVT ? 1 + cvt_sources(&c.in) : 2);
    for (int i = 0; i < PTX_MAX_OPD; i++)
        c.in.opd[i].kind = i < c.in.nopd ? OPD_REG : OPD_NONE;
    if (ptx_form_ok(&c.in, &why) && ptx_form_find(&c.in) == c.form)
        push_all(list, c);
}

static void walk_groups(struct combo_list *list, struct combo *c, int group)
{
    while (group < PG_COUNT && !(c->form->groups >> group & 1))
        group++;
    if (group == PG_COUNT) {
        check_and_push(list, *c);
        return;
    }
    walk_groups(list, c, group + 1);
    for (int m = 1; m <= PTX_MODIFIER_COUNT; m++) {
        const char *word = ptx_modifier_name((uint8_t)m);
        if (ptx_modifier_find((enum ptx_group)group, word, (int)strlen(word)) != m)
            continue;
        c->in.mod[group] = (uint8_t)m;
        walk_groups(list, c, group + 1);
    }
    c->in.mod[group] = 0;
}

static void walk_types(struct combo_list *list, struct combo *c, int position)
{
    if (position == 3) {
        walk_groups(list, c, 0);
        return;
    }
    for (int t = 0; t < T_COUNT; t++) {
        ptx_typeset legal = c->form->type[position];
        if (legal ? !(t && legal >> t & 1) : t != T_NONE)
            continue;
        c->in.type[position] = (uint8_t)t;
        walk_types(list, c, position + 1);
    }
}

void combo_list_build(struct combo_list *list)
{
    for (int f = 0; f < ptx_form_count; f++) {
        if (!combo_has_vectors(ptx_forms[f].op))
            continue;
        struct combo c = { .form = &ptx_forms[f] };
        c.in.op = ptx_forms[f].op;
        walk_types(list, &c, 0);
    }
}

/* The order of the words in the ISA's syntax: before the types, and after them. */
static const uint8_t before[] = { PG_PACK,     PG_CMP,     PG_BOOL,    PG_APPROX, PG_TESTP, PG_DIR, PG_SHIFT, PG_MULW,
                                  PG_SHIFTAMT, PG_BFIMODE, PG_DPMODE,  PG_RND,    PG_FTZ, PG_SAT,   PG_RELU,
                                  PG_SATF,     PG_NAN,     PG_XORSIGN, PG_ABSMOD, PG_CC };
static const uint8_t after[] = { PG_VPO, PG_SAT, PG_SHIFT, PG_VSCALE, PG_CMP, PG_VOP2, PG_PRMT };

static void print_words(const struct combo *c, FILE *f, const uint8_t *groups, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (c->in.mod[groups[i]])
            fprintf(f, ".%s", ptx_modifier_name(c->in.mod[groups[i]]));
}

void combo_print_name(const struct combo *c, FILE *f)
{
    bool late = combo_is_video(c->in.op);
    fputs(ptx_ops[c->in.op].text, f);
    if (!late)
        print_words(c, f, before, sizeof before);
    for (int i = 0; i < 3; i++)
        if (c->in.type[i])
            fprintf(f, ".%s", ptx_type_name(c->in.type[i]));
    if (late)
        print_words(c, f, after, sizeof after);
    else
        print_words(c, f, after + sizeof after - 1, 1);
}

static void print_selector(const struct ptx_operand *o, FILE *f, bool mask, int parts)
{
    if (!o->bytesel)
        return;
    if (o->bytesel <= 6)
        fprintf(f, o->bytesel <= 4 ? ".b%d" : ".h%d", o->bytesel - (o->bytesel <= 4 ? 1 : 5));
    else
        fprintf(f, ".%c%0*llx", o->bytesel == 7 ? 'h' : 'b', mask ? o->n : parts, (unsigned long long)o->imm);
}

void combo_print_inst(const struct combo *c, FILE *f, const char *dst, const char *q, const char *const *src)
{
    bool video = combo_is_video(c->in.op);
    int parts = c->in.opd[1].bytesel == 7 ? 2 : 4;
    combo_print_name(c, f);
    fprintf(f, " %s", dst);
    if (video)
        print_selector(&c->in.opd[0], f, true, parts);
    if (q)
        fprintf(f, "|%s", q);
    for (int i = 0; i < c->nsrc; i++) {
        const struct ptx_operand *o = &c->in.opd[i + (c->pair ? 2 : 1)];
        if (c->in.op == OP_LOP3 && c->src_type[i] == T_PRED)
            fprintf(f, ", 0x%llx", (unsigned long long)o++->imm);
        fprintf(f, ", %s%s", o->negated ? video ? "-" : "!" : "", src[i]);
        if (video)
            print_selector(o, f, false, parts);
    }
    if (c->in.op == OP_LOP3 && !c->in.mod[PG_BOOL])
        fprintf(f, ", 0x%llx", (unsigned long long)c->in.opd[4].imm);
    fputs(";\n", f);
}
