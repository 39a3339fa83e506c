/* Random instructions from the rows of ops.def, and the kernel around them. See gen.h. */
#include "regress/fuzz/gen.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/isa/ops_check.h"

struct text { char *s; size_t size, len; };

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->s + t->len, t->size - t->len, fmt, ap);
    va_end(ap);
    if (n > 0)
        t->len = t->len + (size_t)n < t->size ? t->len + (size_t)n : t->size - 1;
}

/* ---- modifiers and types ---- */

static const struct { uint8_t group, mod; const char *word; } words[] = {
#define X(g, e, s) { PG_##g, MOD(g, e), s },
    PTX_MODIFIERS(X)
#undef X
};

enum { WORDS = sizeof words / sizeof *words };

static bool word_allowed(const struct ptx_form *f, uint32_t i)
{
    return words[i].group != PG_RND || f->rnd >> (words[i].mod - MOD(RND, RN)) & 1;
}

static void choose_word(struct random *r, const struct ptx_form *f, uint8_t group, uint8_t *mod)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        if (words[i].group == group && word_allowed(f, i) && random_once(r, ++n))
            mod[group] = words[i].mod;
}

static uint8_t choose_type(struct random *r, ptx_typeset set)
{
    uint32_t n = 0;
    uint8_t type = T_NONE;
    for (uint8_t t = 1; t < T_COUNT; t++)
        if (set >> t & 1 && random_once(r, ++n))
            type = t;
    return type;
}

static const struct ptx_form *choose_form(struct random *r, enum ptx_op op)
{
    const struct ptx_form *f = NULL;
    uint32_t n = 0;
    for (int i = 0; i < ptx_form_count; i++)
        if (ptx_forms[i].op == op && random_once(r, ++n))
            f = &ptx_forms[i];
    return f;
}

static enum ptx_op choose_op(struct random *r)
{
    for (;;) {
        enum ptx_op op = (enum ptx_op)(1 + random_below(r, OP_COUNT - 1));
        bool ends = op == OP_TRAP || op == OP_BRKPT || op == OP_EXIT || op == OP_RET;
        if (op != OP_CALL && (!ends || random_once(r, 8)))
            return op;
    }
}

/* ---- operands ---- */

/* Registers 0 .. 3 of each size hold addresses and numbers that stay; results go to 4 .. 11. */
static void put_register(struct random *r, struct text *t, int bytes, bool result)
{
    uint32_t n = result ? 4 + random_below(r, 8) : random_below(r, 12);
    put(t, bytes == 8 ? "%%rd%u" : bytes == 4 ? "%%r%u" : "%%h%u", n);
}

static void put_number(struct random *r, struct text *t, enum ptx_type type)
{
    static const char *const numbers[] = { "0",          "1",          "-1",        "2",    "31",
                                           "32",         "33",         "255",       "4096", "0x7fffffff",
                                           "0x80000000", "0x7f800001", "0x55aa1234" };
    if (ptx_type_class(type) == 'f' && ptx_type_size(type) == 4)
        put(t, random_once(r, 2) ? "0f7FC00000" : "0f3F800001");
    else if (type == T_F64)
        put(t, random_once(r, 2) ? "0d7FF0000000000000" : "0d3FF8000000000000");
    else
        put(t, "%s", numbers[random_below(r, sizeof numbers / sizeof *numbers)]);
}

static void put_source(struct random *r, struct text *t, enum ptx_type type, bool twice)
{
    int bytes = ptx_type_size(type) * (twice ? 2 : 1);
    if (type == T_PRED)
        put(t, "%%p%u", random_below(r, 8));
    else if (random_once(r, 4))
        put_number(r, t, type);
    else
        put_register(r, t, bytes, false);
}

static void put_result(struct random *r, struct text *t, enum ptx_type type, bool twice)
{
    if (type == T_PRED)
        put(t, "%%p%u", random_below(r, 8));
    else
        put_register(r, t, ptx_type_size(type) * (twice ? 2 : 1), true);
}

static void put_vector(struct random *r, struct text *t, const struct ptx_inst *in, bool result)
{
    uint8_t v = in->mod[PG_VEC];
    int n = v == MOD(VEC, V2) ? 2 : v == MOD(VEC, V4) ? 4 : v == MOD(VEC, V8) ? 8 : 1;
    for (int i = 0; i < n; i++) {
        put(t, "%s", i ? ", " : n > 1 ? "{" : "");
        if (result)
            put_result(r, t, (enum ptx_type)in->type[0], false);
        else
            put_source(r, t, (enum ptx_type)in->type[0], false);
    }
    put(t, "%s", n > 1 ? "}" : "");
}

static const char *const places[] = { "%rd0", "%rd1", "%rd2", "%rd3", "%rd4", "%rd5", "%r2", "shared_data",
                                      "local_data", "global_data", "const_data", "buffer" };

static const char *choose_place(struct random *r, uint8_t space)
{
    static const char *const global[] = { "%rd0", "%rd3", "global_data" };
    static const char *const shared[] = { "%r2", "shared_data", "%r2" };
    if (random_once(r, 12))
        return places[random_below(r, sizeof places / sizeof *places)];
    if (space == MOD(SPACE, GLOBAL))
        return global[random_below(r, 3)];
    if (space == MOD(SPACE, SHARED))
        return shared[random_below(r, 3)];
    return space == MOD(SPACE, LOCAL) ? "local_data" : space == MOD(SPACE, CONST) ? "const_data"
           : space == MOD(SPACE, PARAM) ? "buffer" : places[random_below(r, 4)];
}

static void put_memory(struct random *r, struct text *t, const struct ptx_inst *in)
{
    const char *base = choose_place(r, in->mod[PG_SPACE]);
    long offset =
        random_once(r, 12) ? (long)random_below(r, 1u << 20) - (1 << 18) : (long)random_below(r, 4) * 16;
    put(t, "[%s%+ld]", base, offset);
}

static void put_moved(struct random *r, struct text *t, enum ptx_type type)
{
    static const char *const symbols[] = { "shared_data", "local_data", "global_data",
                                           "const_data",  "helper",     "deep" };
    int bytes = ptx_type_size(type);
    uint32_t which = random_below(r, 6);
    if (which == 0 && bytes >= 4)
        put(t, "%s", symbols[random_below(r, 6)]);
    else if (which == 1) {
        enum ptx_sreg s = (enum ptx_sreg)(1 + random_below(r, SR_COUNT - 1));
        put(t, "%%%s%s", ptx_sreg_name(s), random_once(r, 3) ? ".x" : "");
    } else if (which == 2 && bytes >= 4)
        put(t, bytes == 4 ? "{%%h%u, %%h%u}" : "{%%r%u, %%r%u}", random_below(r, 12), random_below(r, 12));
    else
        put_source(r, t, type, false);
}

static void put_operand(struct random *r, struct text *t, const struct ptx_inst *in, char letter,
                        uint32_t labels)
{
    enum ptx_type a = (enum ptx_type)in->type[0], b = (enum ptx_type)in->type[1],
                  c = (enum ptx_type)in->type[2];
    switch (letter) {
    case 'd': put_result(r, t, a, false); break;
    case 'D': put_result(r, t, a, true); break;
    case 'a': put_source(r, t, a, false); break;
    case 'A': put_source(r, t, a, true); break;
    case 'b': put_source(r, t, b, false); break;
    case 'c': put_source(r, t, c, false); break;
    case 'p': put(t, "%%p%u", random_below(r, 8)); break;
    case 'q': put(t, "%s%%p%u", random_once(r, 4) ? "!" : "", random_below(r, 8)); break;
    case 'u': put_source(r, t, T_U32, false); break;
    case 'e': put_result(r, t, T_U32, false); break;
    case 'm': put_memory(r, t, in); break;
    case 'v': put_vector(r, t, in, false); break;
    case 'V': put_vector(r, t, in, true); break;
    case 'l': in->op == OP_BRX ? put(t, "table") : put(t, "L%u", random_below(r, labels)); break;
    case 'i': put(t, "%u", random_below(r, 256)); break;
    case 'x': put_source(r, t, T_U64, false); break;
    case 's': put_moved(r, t, a); break;
    default: put(t, "0"); break;
    }
}

static void put_operands(struct random *r, struct text *t, const struct ptx_inst *in, uint32_t labels)
{
    const char *sig = ptx_sig((enum ptx_op)in->op, in->mod);
    for (const char *s = sig; *s; s++) {
        bool optional = s[1] == '?' || (s[1] && s[2] == '?');
        if (*s == ',' || *s == '?')
            continue;
        if (*s == '|') {
            if (random_once(r, 2))
                put(t, "|%%p%u", random_below(r, 8));
            s++;
            continue;
        }
        if (optional && random_once(r, 2))
            break;
        put(t, "%s", s == sig ? " " : ", ");
        put_operand(r, t, in, *s, labels);
    }
}

/* ---- one line ---- */

static void put_guard(struct random *r, struct text *t, bool always)
{
    if (always || random_once(r, 4))
        put(t, "@%s%%p%u ", random_once(r, 3) ? "!" : "", random_below(r, 8));
}

static void put_call(struct random *r, struct text *t)
{
    static const char *const calls[] = {
        "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r5; st.param.b32 [b], %r6; "
        "call (c), helper, (a, b); ld.param.b32 %r7, [c]; }",
        "{ .param .b32 a; .param .b32 c; and.b32 %r8, %r8, 7; st.param.b32 [a], %r8; call (c), deep, (a); "
        "ld.param.b32 %r7, [c]; }",
        "{ .param .b32 a; .param .b32 c; st.param.b32 [a], %r8; call (c), deep, (a); ld.param.b32 %r7, [c]; "
        "}",
        "call (%r9), %rd5, (%r5, %r6), proto;",
        "mov.u64 %rd5, helper;",
        "call (%r9), %rd6, (%r5, %r6), proto;",
        "call (%rd7), malloc, (%rd0);",
        "call (%rd7), malloc, (64);",
        "call free, (%rd7);",
        "call (%r9), vprintf, (%rd3, %rd1);",
        "call body, (%rd0);",
        "tx_begin; red.global.add.u32 [%rd0], 1; tx_commit;",
        "brx.idx %r1, table;",
        "bar.sync 0;",
        "barrier.sync 1, 32;",
        "mov.b64 {%r4, %r5}, %rd8;",
        "shfl.sync.idx.b32 %r4|%p1, %r5, 3, 31, -1;",
        "add.cc.u32 %r4, %r5, %r6;",
        "addc.cc.u32 %r5, %r6, %r7;",
    };
    put(t, "%s", calls[random_below(r, sizeof calls / sizeof *calls)]);
}

static void put_branch(struct random *r, struct text *t, uint32_t here, uint32_t labels)
{
    uint32_t to = random_below(r, labels);
    if (to > here || random_once(r, 24)) {
        put_guard(r, t, false);
        put(t, "bra L%u;", to);
    } else
        put(t, "sub.s32 %%left, %%left, 1; setp.gt.and.s32 %%more, %%left, 0, %%p%u; @%%more bra L%u;",
            random_below(r, 8), to);
}

void gen_instruction(struct random *r, uint32_t here, uint32_t labels, char *out, size_t size)
{
    struct text t = { out, size, 0 };
    struct ptx_inst in = { 0 };
    out[0] = 0;
    if (random_once(r, 12)) {
        put_call(r, &t);
        return;
    }
    in.op = (uint16_t)choose_op(r);
    if (in.op == OP_BRA) {
        put_branch(r, &t, here, labels);
        return;
    }
    const struct ptx_form *f = choose_form(r, (enum ptx_op)in.op);
    for (int i = 0; f && i < 3; i++)
        in.type[i] = choose_type(r, f->type[i]);
    for (uint8_t g = 0; f && g < PG_COUNT; g++)
        if ((f->groups >> g & 1) && (f->need >> g & 1 || random_once(r, 3)))
            choose_word(r, f, g, in.mod);
    put_guard(r, &t, in.op == OP_EXIT || in.op == OP_RET || in.op == OP_TRAP || in.op == OP_BRKPT);
    put(&t, "%s", ptx_ops[in.op].text);
    for (int g = 0; g < PG_COUNT; g++)
        if (in.mod[g])
            put(&t, ".%s", ptx_modifier_name(in.mod[g]));
    for (int i = 0; i < 3; i++)
        if (in.type[i])
            put(&t, ".%s", ptx_type_name((enum ptx_type)in.type[i]));
    put_operands(r, &t, &in, labels);
    put(&t, ";");
}

/* ---- a kernel ---- */

static const char head[] =
    ".version 7.5\n.target sm_80\n.address_size 64\n"
    ".global .align 16 .b8 global_data[256] = {37, 100, 32, 37, 115, 10, 0, 8, 9};\n"
    ".const .align 16 .b8 const_data[64] = {1, 2, 3, 4};\n"
    ".shared .align 16 .b8 shared_data[512];\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
    ".extern .func free(.param .b64 p);\n"
    ".func (.param .b32 r) helper(.param .b32 a, .param .b32 b)\n{\n"
    ".reg .b32 %r<3>;\nld.param.b32 %r0, [a]; ld.param.b32 %r1, [b]; mad.lo.u32 %r2, %r0, %r1, 3;\n"
    "st.param.b32 [r], %r2; ret;\n}\n"
    ".func (.param .b32 r) deep(.param .b32 n)\n{\n"
    ".reg .b32 %r<3>; .reg .pred %p;\nld.param.b32 %r0, [n]; setp.le.s32 %p, %r0, 0; @%p bra END;\n"
    "{ .param .b32 a; .param .b32 c; sub.s32 %r1, %r0, 1; st.param.b32 [a], %r1; call (c), deep, (a);\n"
    "ld.param.b32 %r2, [c]; add.s32 %r0, %r0, %r2; }\nEND: st.param.b32 [r], %r0; ret;\n}\n";

static const char registers[] =
    ".reg .pred %p<8>; .reg .pred %more; .reg .b16 %h<12>; .reg .b32 %r<12>; .reg .b64 %rd<12>;\n"
    ".reg .s32 %left; .reg .b64 %out; .reg .b32 %t; .local .align 16 .b8 local_data[128];\n"
    "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n"
    "mov.u32 %left, 60; ld.param.u64 %rd0, [buffer];\n"
    "mov.u64 %rd1, shared_data; cvta.shared.u64 %rd1, %rd1; mov.u64 %rd2, local_data; cvta.local.u64 %rd2, "
    "%rd2;\n"
    "mov.u64 %rd3, global_data; mov.u32 %r0, %tid.x; mov.u32 %r1, %laneid; mov.u32 %r2, shared_data;\n"
    "mov.u32 %r3, %ctaid.x; mad.lo.u32 %t, %r3, 100, %r0; mul.wide.u32 %out, %t, 128; add.u64 %out, %out, "
    "%rd0;\n"
    "add.u64 %out, %out, 4096; mul.wide.u32 %rd11, %r0, 16; add.u64 %rd11, %rd11, %rd0;\n"
    "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd11]; ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%rd11+16];\n"
    "ld.global.v2.u64 {%rd4, %rd5}, [%rd11+32]; ld.global.v2.u64 {%rd6, %rd7}, [%rd11+48]; mov.u64 %rd8, "
    "%rd4;\n"
    "ld.global.v4.u16 {%h0, %h1, %h2, %h3}, [%rd11+64]; ld.global.v4.u16 {%h4, %h5, %h6, %h7}, [%rd11+72];\n"
    "setp.lt.u32 %p0, %r0, 16; setp.lt.s32 %p1, %r4, %r5; setp.eq.u32 %p2, %r1, 0; setp.ne.u32 %p3, %r3, 0;\n"
    "mov.pred %p4, %p0; mov.pred %p5, %p1; mov.pred %p6, %p2; mov.pred %p7, %p3; mov.u64 %rd9, %rd0; mov.u64 "
    "%rd10, %rd1;\n"
    "mov.u16 %h8, %h0; mov.u16 %h9, %h1; mov.u16 %h10, %h2; mov.u16 %h11, %h3;\n";

static const char tail[] =
    "st.global.v4.u32 [%out], {%r4, %r5, %r6, %r7}; st.global.v4.u32 [%out+16], {%r8, %r9, %r10, %r11};\n"
    "st.global.v2.u64 [%out+32], {%rd4, %rd5}; st.global.v2.u64 [%out+48], {%rd6, %rd7};\n"
    "st.global.v2.u64 [%out+64], {%rd8, %rd9}; st.global.v2.u64 [%out+80], {%rd10, %rd11};\n"
    "st.global.v4.u16 [%out+96], {%h4, %h5, %h6, %h7}; st.global.v4.u16 [%out+104], {%h8, %h9, %h10, %h11};\n"
    "selp.b32 %t, 1, 0, %p0; st.global.u32 [%out+112], %t; selp.b32 %t, 1, 0, %p4; st.global.u32 [%out+116], "
    "%t;\n"
    "ret;\n}\n";

enum { RECORD = 6, GROUP = 3, LINE = 600 };

static uint64_t record(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 0; i < RECORD; i++)
        v = v << 8 | p[i];
    return v;
}

/* Instructions with a label before every third; a table of the first labels for brx.idx. */
static void put_body(struct text *t, const uint8_t *from, size_t n)
{
    uint32_t labels = (uint32_t)(n / GROUP) + 1;
    char line[LINE];
    put(t, "%s", registers);
    put(t, "table: .branchtargets L0");
    for (uint32_t i = 1; i < labels && i < 40; i++)
        put(t, ", L%u", i);
    put(t, ";\n");
    for (size_t i = 0; i < n; i++) {
        struct random r = random_from(record(from + i * RECORD));
        if (i % GROUP == 0)
            put(t, "L%zu:\n", i / GROUP);
        gen_instruction(&r, (uint32_t)(i / GROUP), labels, line, sizeof line);
        put(t, "%s\n", line);
    }
    if (n % GROUP == 0)
        put(t, "L%zu:\n", n / GROUP);
    put(t, "%s", tail);
}

char *gen_kernel(const uint8_t *from, size_t n)
{
    size_t size = sizeof head + 2 * (sizeof registers + sizeof tail + 4096) + n * (LINE + 16);
    struct text t = { mem_alloc(size, 1, "a kernel"), size, 0 };
    size_t inner = n / 4;
    put(&t, "%s.func body(.param .b64 buffer)\n{\n", head);
    put_body(&t, from, inner);
    put(&t, ".visible .entry k(.param .u64 buffer)\n{\n");
    put_body(&t, from + inner * RECORD, n - inner);
    return t.s;
}
