/*
 * The parser's results: positions, operands, scopes, initialisers, constant expressions, calls, linking,
 * and the round trip text -> module -> text -> module, which must give the same instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/program/program.h"

#define HEAD ".version 7.5\n.target sm_70\n.address_size 64\n"
#define KERNEL HEAD ".visible .entry k(.param .u64 p0, .param .u32 p1)\n{\n" \
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>;\n" \
    ".reg .f64 %fd<9>;" \
    ".shared .align 16 .b8 sh[256];\n"

static struct ptx_module *parse(const char *text)
{
    struct diag d = { 0 };
    struct ptx_module *m = ptx_parse(text, strlen(text), "test", &d);
    if (d.errors)
        print_error("%s", d.text);
    assert_int_equal(d.errors, 0);
    diag_free(&d);
    assert_non_null(m);
    return m;
}

static struct ptx_module *parse_body(const char *body)
{
    size_t n = strlen(KERNEL) + strlen(body) + 16;
    char *text = malloc(n);
    assert_non_null(text);
    snprintf(text, n, "%s%s\nret;\n}\n", KERNEL, body);
    struct ptx_module *m = parse(text);
    free(text);
    return m;
}

static const struct ptx_inst *inst(const struct ptx_module *m, uint32_t i)
{
    const struct ptx_func *k = ptx_find_func(m, "k");
    assert_non_null(k);
    assert_true(i < k->ninsts);
    return &k->insts[i];
}

static void test_positions(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("  add.s32\t%r1, %r2, 7;\r\n/* a\nb */ @!%p2 mov.u32 %r3, %tid.y;");
    assert_int_equal(inst(m, 0)->loc.line, 8);
    assert_int_equal(inst(m, 0)->loc.col, 3);
    assert_int_equal(inst(m, 0)->opd[2].loc.col, 21);
    const struct ptx_inst *mov = inst(m, 1);
    assert_int_equal(mov->loc.line, 10);
    assert_int_equal(mov->loc.col, 12);
    assert_string_equal(mov->guard->name, "%p2");
    assert_true(mov->guard_negated);
    assert_int_equal(mov->opd[1].kind, OPD_SREG);
    assert_int_equal(mov->opd[1].sreg, SR_TID);
    assert_int_equal(mov->opd[1].comp, 2);
    ptx_module_free(m);
}

static void test_modifiers(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("mad .lo .cc.u32 %r1, %r2, %r3, %r4;\n"
                                      "atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1+4], %r2, %r3;\n"
                                      "bar.red.and.pred %p1, 0, 64, !%p2;\nbar.red.popc.u32 %r1, 0, %p2;\n"
                                      "set.gt.and.u32.f32 %r1, %f1, %f2, !%p1;\n"
                                      "ld.shared::cta.u32 %r1, [sh];");
    const struct ptx_inst *in = inst(m, 0);
    assert_int_equal(in->mod[PG_MULW], MOD(MULW, LO));
    assert_int_equal(in->mod[PG_CC], MOD(CC, CC));
    in = inst(m, 1);
    assert_int_equal(in->mod[PG_SEM], MOD(SEM, ACQ_REL));
    assert_int_equal(in->mod[PG_SCOPE], MOD(SCOPE, GPU));
    assert_int_equal(in->mod[PG_ATOM], MOD(ATOM, CAS));
    assert_int_equal(in->opd[1].kind, OPD_MEM);
    assert_true(in->opd[1].has_reg);
    assert_int_equal(in->opd[1].imm, 4);
    in = inst(m, 2);
    assert_int_equal(in->mod[PG_BAROP], MOD(BAROP, RED));
    assert_int_equal(in->mod[PG_REDOP], MOD(REDOP, AND));
    assert_int_equal(in->opd[2].imm, 64);
    assert_true(in->opd[3].negated);
    in = inst(m, 3);
    assert_int_equal(in->opd[2].kind, OPD_NONE);     /* the number of threads was left out */
    assert_int_equal(in->opd[3].kind, OPD_REG);
    in = inst(m, 4);
    assert_int_equal(in->mod[PG_CMP], MOD(CMP, GT));
    assert_int_equal(in->mod[PG_BOOL], MOD(BOOL, AND));
    assert_int_equal(in->type[0], T_U32);
    assert_int_equal(in->type[1], T_F32);
    assert_int_equal(inst(m, 5)->mod[PG_SPACE], MOD(SPACE, SHARED));
    ptx_module_free(m);
}

static void test_operands(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("setp.eq.s32 %p1|%p2, %r1, %r2;\nsetp.eq.s32 %p1, %r1, %r2;\n"
                                      "shfl.sync.up.b32 %r1|_, %r2, 1, 0, -1;\nmov.b64 {%r1, _}, %rd1;\n"
                                      "vadd.u32.u32.u32 %r1, %r2.h1, %r3.b2, %r4;\n"
                                      "ld.global.v2.f32 {%f1, %f2}, [%rd1+-16];\nst.shared.u32 [sh+8], 5;\n"
                                      "mov.u64 %rd1, sh;\n"
                                      "vadd4.u32.u32.u32 %r1.b10, %r2.b3210, %r3.b7654, %r4;");
    const struct ptx_inst *in = inst(m, 0);
    assert_string_equal(in->opd[1].reg->name, "%p2");
    assert_string_equal(in->opd[3].reg->name, "%r2");
    assert_int_equal(inst(m, 1)->opd[1].kind, OPD_NONE);
    assert_int_equal(inst(m, 1)->nopd, 5);
    assert_int_equal(inst(m, 2)->opd[1].kind, OPD_SINK);
    in = inst(m, 3);
    assert_int_equal(in->opd[0].kind, OPD_VEC);
    assert_int_equal(in->opd[0].n, 2);
    assert_int_equal(in->opd[0].elem[1].kind, OPD_SINK);
    in = inst(m, 4);
    assert_int_equal(in->opd[1].bytesel, 6);
    assert_int_equal(in->opd[2].bytesel, 3);
    assert_int_equal(inst(m, 5)->opd[1].imm, -16);
    in = inst(m, 6);
    assert_true(in->opd[0].has_var);
    assert_string_equal(in->opd[0].var->name, "sh");
    assert_int_equal(in->opd[0].imm, 8);
    assert_int_equal(inst(m, 7)->opd[1].kind, OPD_VAR);
    in = inst(m, 8);
    assert_int_equal(in->opd[0].bytesel, 8);
    assert_int_equal(in->opd[0].imm, 0x10);
    assert_int_equal(in->opd[0].n, 2);
    assert_int_equal(in->opd[2].imm, 0x7654);
    ptx_module_free(m);
}

static void test_scopes(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("mov.u32 %r3, 1;\n{ .reg .b64 %r<5>; mov.u64 %r3, 2;\n"
                                      "{ .reg .b16 %r3; mov.u16 %r3, 3; bra L; L: }\nmov.u64 %r3, 4; }\n"
                                      "mov.u32 %r3, 5;\nL: bra L;");
    static const int type[] = { T_B32, T_B64, T_B16, T_NONE, T_B64, T_B32 };
    for (uint32_t i = 0; i < 6; i++)
        if (type[i])
            assert_int_equal(inst(m, i)->opd[0].reg->type, type[i]);
    assert_ptr_equal(inst(m, 0)->opd[0].reg, inst(m, 5)->opd[0].reg);
    assert_ptr_equal(inst(m, 1)->opd[0].reg, inst(m, 4)->opd[0].reg);
    assert_int_equal(inst(m, 3)->opd[0].label, 4);   /* the inner L */
    assert_int_equal(inst(m, 6)->opd[0].label, 6);   /* the outer one */
    ptx_module_free(m);
}

static int64_t constant(const char *expression)
{
    char body[200];
    snprintf(body, sizeof body, "mov.b64 %%rd1, %s;", expression);
    struct ptx_module *m = parse_body(body);
    assert_int_equal(inst(m, 0)->opd[1].kind, OPD_IMM);
    int64_t v = inst(m, 0)->opd[1].imm;
    ptx_module_free(m);
    return v;
}

static void test_expressions(void **state)
{
    (void)state;
    assert_int_equal(constant("2 + 3 * 4 - 1"), 13);
    assert_int_equal(constant("-(1 << 40) >> 38"), -4);
    assert_int_equal(constant("0xFFFFFFFFFFFFFFFF / 2"), INT64_MAX);
    assert_int_equal(constant("-1 / 2"), 0);
    assert_int_equal(constant("-7 % 3"), -1);
    assert_int_equal(constant("17%5"), 2);
    assert_int_equal(constant("(-1 < 0) + (-1 < 0U)"), 1);
    assert_int_equal(constant("010 + 0b101 + 0x1F"), 8 + 5 + 31);
    assert_int_equal(constant("6 & 3 | 8 ^ 1"), (6 & 3) | (8 ^ 1));
    assert_int_equal(constant("1 ? 2 : 0 ? 3 : 4"), 2);
    assert_int_equal(constant("!5 || (2 && 3)"), 1);
    assert_int_equal(constant("1 << 64"), 0);
    assert_int_equal(constant("(.s64)2.9"), 2);
    assert_int_equal(constant("WARP_SZ * 2"), 64);
    assert_int_equal(constant("0d3FF0000000000000"), 0x3FF0000000000000);
}

static void test_floats(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("mov.f32 %f1, 1.5;\nmov.f64 %fd1, 0f3FC00000;\n"
                                      "add.f32 %f1, %f2, -2.0;\n"
                                      "mov.b32 %f1, 0f80000000;\nmov.f64 %fd1, 1e3;");
    assert_int_equal(inst(m, 0)->opd[1].imm, 0x3FC00000);
    assert_true(inst(m, 0)->opd[1].is_f32);
    assert_int_equal(inst(m, 1)->opd[1].imm, 0x3FF8000000000000);
    assert_int_equal(inst(m, 2)->opd[2].imm, 0xC0000000);
    assert_int_equal(inst(m, 3)->opd[1].kind, OPD_IMM);
    assert_int_equal(inst(m, 3)->opd[1].imm, 0x80000000);
    assert_int_equal(inst(m, 4)->opd[1].imm, 0x408F400000000000);
    ptx_module_free(m);
}

static void test_initialisers(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD
        ".func f() { ret; }\n.global .align 8 .b8 bytes[6] = {1, 0xFF, -1};\n"
        ".global .u16 grid[2][3] = {{1, 2}, {4, 5, 6}};\n.global .u16 flat[2][3] = {1, 2, 3, 4};\n"
        ".const .f32 pi[] = {3.5, 0f40000000};\n.global .u64 table[4] = {f, bytes+2, generic(grid)};\n"
        ".global .v2 .u32 pair[2] = {{1, 2}, {3}};\n.global .b8 masked[2] = {0xFF(bytes), 0xFF00(bytes)};\n");
    static const uint8_t bytes[6] = { 1, 0xff, 0xff, 0, 0, 0 };
    static const uint16_t grid[6] = { 1, 2, 0, 4, 5, 6 }, flat[6] = { 1, 2, 3, 4, 0, 0 };
    static const float pi[2] = { 3.5f, 2.0f };
    static const uint32_t pair[4] = { 1, 2, 3, 0 };
    struct ptx_var *v = ptx_find_var(m, "bytes");
    assert_int_equal(v->size, 6);
    assert_int_equal(v->align, 8);
    assert_memory_equal(v->init, bytes, 6);
    assert_memory_equal(ptx_find_var(m, "grid")->init, grid, 12);
    assert_memory_equal(ptx_find_var(m, "flat")->init, flat, 12);
    assert_int_equal(ptx_find_var(m, "pi")->size, 8);
    assert_memory_equal(ptx_find_var(m, "pi")->init, pi, 8);
    assert_memory_equal(ptx_find_var(m, "pair")->init, pair, 16);
    const struct ptx_reloc *r = ptx_find_var(m, "table")->relocs;
    assert_ptr_equal(r->func, ptx_find_func(m, "f"));
    assert_int_equal(r->next->offset, 8);
    assert_ptr_equal(r->next->var, v);
    assert_int_equal(r->next->addend, 2);
    assert_true(r->next->next->generic);
    r = ptx_find_var(m, "masked")->relocs;
    assert_int_equal(r->shift, 0);
    assert_int_equal(r->next->shift, 8);
    assert_int_equal(r->next->size, 1);
    ptx_module_free(m);
}

static void test_call_forms(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD
        ".func (.reg .b32 r) add2(.reg .b32 a, .reg .b32 b)\n{\n"
        ".reg .pred %p;\nadd.s32 r, a, b;\n@%p ret;\n}\n"
        ".visible .entry k() { .reg .b32 %r<4>; .reg .b64 %rd;\n"
        "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n"
        "call (%r1), add2, (%r2, 3);\ncall.uni (%r1), %rd, (%r2, %r3), proto;\nT: .branchtargets A, B;\n"
        "brx.idx %r1, T;\nA: ret;\nB: exit;\n}\n");
    const struct ptx_func *f = ptx_find_func(m, "add2");
    /* two loads, add, guarded store and return, store and return at the end */
    static const int ops[] = { OP_LD, OP_LD, OP_ADD, OP_ST, OP_RET, OP_ST, OP_RET };
    assert_int_equal(f->ninsts, 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(f->insts[i].op, ops[i]);
    assert_non_null(f->insts[3].guard);
    const struct ptx_call *c = inst(m, 0)->call;
    assert_ptr_equal(c->target.func, f);
    assert_int_equal(c->narg, 2);
    assert_int_equal(c->arg[1].imm, 3);
    c = inst(m, 1)->call;
    assert_int_equal(c->target.kind, OPD_REG);
    assert_string_equal(c->table->name, "proto");
    assert_int_equal(c->table->nparams, 2);
    const struct ptx_table *t = inst(m, 2)->opd[1].table;
    assert_int_equal(t->n, 2);
    assert_int_equal(t->labels[0], 3);
    assert_int_equal(t->labels[1], 4);
    ptx_module_free(m);
}

static void test_headers(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD
        ".file 1 \"dir/a.cu\"\n.func g(.param .align 8 .b8 x[24]) .noreturn;\n"
        ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 4 .b8 s[12])\n"
        ".maxntid 64, 2\n.reqntid 32\n.minnctapersm 3\n.maxnreg 40\n{\n.loc 1 42 7\nret;\n}\n");
    const struct ptx_func *k = ptx_find_func(m, "k");
    assert_int_equal(k->maxntid[0], 64);
    assert_int_equal(k->maxntid[1], 2);
    assert_int_equal(k->maxntid[2], 1);
    assert_int_equal(k->reqntid[0], 32);
    assert_int_equal(k->minnctapersm, 3);
    assert_int_equal(k->maxnreg, 40);
    assert_int_equal(k->nparams, 2);
    assert_true(k->params->ptr);
    assert_int_equal(k->params->align, 8);
    assert_int_equal(k->params->next->size, 12);
    assert_int_equal(k->insts[0].src_line, 42);
    assert_string_equal(m->src_files[1], "dir/a.cu");
    assert_true(ptx_find_func(m, "g")->noreturn);
    assert_int_equal(m->sm, 70);
    assert_int_equal(m->version_minor, 5);
    ptx_module_free(m);
}

static void test_text_ends(void **state)
{
    (void)state;
    static const char text[] = HEAD ".visible .entry k() { ret; }\0\0\0";
    struct diag d = { 0 };
    for (size_t cut = 0; cut < 4; cut++) {       /* with padding, and not even ended by a newline */
        struct ptx_module *m = ptx_parse(text, sizeof text - 1 - cut, "t", &d);
        assert_non_null(m);
        ptx_module_free(m);
    }
    /* every prefix of a text is refused or accepted, and nothing else happens */
    for (size_t n = 0; n < sizeof text; n++)
        ptx_module_free(ptx_parse(text, n, "t", &d));
    assert_true(d.errors > 0);
    diag_free(&d);
}

static char *repeated(const char *before, const char *word, int times, const char *after)
{
    size_t n = strlen(word), at = strlen(before);
    char *s = malloc(at + n * (size_t)times + strlen(after) + 1);
    assert_non_null(s);
    memcpy(s, before, at);
    for (int i = 0; i < times; i++, at += n)
        memcpy(s + at, word, n);
    strcpy(s + at, after);
    return s;
}

static void test_depth(void **state)
{
    (void)state;
    static const char *const words[] = { "(", "-", "{", "[", "1+", "1?", "!" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char *s = repeated(KERNEL "mov.u32 %r1, ", words[i], 100000, ";\n}\n");
        struct diag d = { 0 };
        assert_null(ptx_parse(s, strlen(s), "t", &d));
        assert_true(d.errors > 0);
        diag_free(&d);
        free(s);
    }
    char *s = repeated(KERNEL, "{", 100000, "\n");
    struct diag d = { 0 };
    assert_null(ptx_parse(s, strlen(s), "t", &d));
    assert_non_null(strstr(d.text, "nested"));
    diag_free(&d);
    free(s);
}

static struct ptx_module *link_texts(const char *a, const char *b, struct diag *d)
{
    struct ptx_module *m[2] = { parse(a), parse(b) };
    return ptx_link(m, 2, d);
}

static void test_linking(void **state)
{
    (void)state;
    struct diag d = { 0 };
    struct ptx_module *m = link_texts(
        HEAD ".extern .func f(.param .b32 a);\n.extern .global .u32 v;\n.weak .func w() { ret; }\n"
             ".visible .entry k() { .reg .b32 %r; .param .b32 x; call f, (x);\n"
             "ld.global.u32 %r, [v]; call w; ret; }\n",
        HEAD ".visible .func f(.param .b32 a) { ret; }\n.visible .global .u32 v = 7;\n"
             ".visible .func w() { exit; }\n", &d);
    assert_int_equal(d.errors, 0);
    assert_non_null(m);
    const struct ptx_func *f = inst(m, 0)->call->target.func;
    assert_false(f->has_body);
    assert_true(f->def->has_body);
    const struct ptx_var *v = inst(m, 1)->opd[1].var;
    assert_int_equal(v->def->init[0], 7);
    assert_int_equal(inst(m, 2)->call->target.func->def->insts[0].op, OP_EXIT);   /* the strong one */
    assert_ptr_equal(ptx_find_var(m, "v"), v->def);
    ptx_module_free(m);

    assert_null(link_texts(HEAD ".visible .func f() { ret; }\n", HEAD ".visible .func f() { ret; }\n", &d));
    assert_non_null(strstr(d.text, "'f' is defined in two modules"));
    diag_free(&d);
    d = (struct diag){ 0 };
    assert_null(link_texts(HEAD ".extern .global .u64 v;\n", HEAD ".visible .global .u32 v;\n", &d));
    assert_non_null(strstr(d.text, "another type or space"));
    diag_free(&d);

    d = (struct diag){ 0 };
    m = parse(HEAD ".extern .func __cxa_pure_virtual();\n.global .u64 table[2] = {__cxa_pure_virtual, 0};\n");
    m = ptx_link(&m, 1, &d);
    assert_non_null(m);
    assert_int_equal(ptx_find_func(m, "__cxa_pure_virtual")->insts[0].op, OP_TRAP);
    ptx_module_free(m);
}

/* ---- round trip ---- */

static void append(char **buf, size_t *len, const char *s)
{
    size_t n = strlen(s);
    *buf = realloc(*buf, *len + n + 1);
    assert_non_null(*buf);
    memcpy(*buf + *len, s, n + 1);
    *len += n;
}

static const char *const round_trip[] = {
    "add.rn.ftz.sat.f32 %f1, %f2, 0f3F800000;", "mad.wide.u16 %r1, %h1, %h2, %r2;",
    "sub.cc.u32 %r1, %r2, -5;",
    "setp.ltu.and.ftz.f32 %p1|%p2, %f1, %f2, !%p3;", "set.eq.or.u32.f16x2 %r1, %r2, %r3, %p1;",
    "cvt.rni.sat.s32.f64 %r1, %fd1;", "cvt.rn.relu.bf16x2.f32 %r1, %f1, %f2;",
    "shf.l.wrap.b32 %r1, %r2, %r3, 7;",
    "lop3.b32 %r1, %r2, %r3, %r4, 150;", "lop3.or.b32 _|%p1, %r2, %r3, %r4, 150, !%p2;",
    "lop3.and.b32 %r1|%p1, %r2, 7, %r4, 8, %p2;", "cvt.sat.pack.s4.s32.b32 %r1, %r2, -5, %r3;",
    "cvt.sat.pack.u16.s32 %r1, %r2, %r3;", "cvt.rn.satfinite.relu.e4m3x2.f32 %h1, %f1, %f2;",
    "cvt.rn.satfinite.e5m2x2.f16x2 %h1, %r1;", "cvt.rn.f16x2.e4m3x2 %r1, %h1;",
    "elect.sync %r1|%p1, -1;", "elect.sync _|%p1, %r2;",
    "atom.global.add.v4.f32 {%f1, _, %f2, %f3}, [%rd1], {%f4, %f5, %f6, %f7};",
    "red.relaxed.gpu.global.max.noftz.L2::cache_hint.v2.bf16x2 [%rd1+8], {%r1, %r2}, %rd2;",
    "atom.shared.cas.L2::cache_hint.b32 %r1, [sh], %r2, 5, %rd2;",
    "ld.global.L1::evict_last.L2::evict_first.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, _, %r8}, [%rd1];",
    "st.global.v4.f64 [%rd1], {%fd1, %fd2, %fd3, %fd4};",
 "prmt.b32.f4e %r1, %r2, %r3, %r4;", "mov.b64 {%r1, _}, %rd1;",
    "mov.b32 %r1, {%h1, %h2};", "mov.u64 %rd1, sh+16;", "mov.u32 %r1, %ctaid.z;", "mov.u64 %rd1, %clock64;",
    "mov.u32 %r1, %envreg7;", "cvta.to.shared.u64 %rd1, %rd2;", "isspacep.global %p1, %rd1;",
    "ld.param.u64 %rd1, [p0];", "ld.acquire.gpu.global.v2.f32 {%f1, %f2}, [%rd1+-8];",
    "ld.global.nc.L1::evict_last.L2::128B.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];",
    "ld.volatile.shared.u8 %h1, [sh+3];",
    "st.release.sys.global.b64 [%rd1], 4;", "st.shared::cta.v2.u32 [sh], {%r1, 3};",
    "prefetch.global.L2 [%rd1];",
    "atom.relaxed.cta.shared.add.noftz.f16x2 %r1, [sh], %r2;", "atom.global.cas.b64 %rd1, [%rd2], %rd3, 9;",
    "red.release.gpu.global.max.s64 [%rd1], %rd2;", "fence.acq_rel.sys;", "membar.gl;", "bar.sync 0;",
    "bar.sync 1, 64;",
    "bar.arrive 2, 32;", "bar.red.popc.u32 %r1, 0, !%p1;", "bar.warp.sync -1;", "barrier.sync.aligned 3;",
    "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;", "vote.sync.ballot.b32 %r1, !%p1, -1;",
    "match.all.sync.b64 %r1|%p1, %rd1, -1;", "redux.sync.min.s32 %r1, %r2, -1;", "activemask.b32 %r1;",
    "vadd.s32.u32.u32.sat.max %r1, %r2.b1, %r3.h0, %r4;", "vmad.s32.s32.s32.sat.shr7 %r1, %r2, %r3, -%r4;",
    "vset.u32.s32.lt.add %r1, %r2, %r3, %r4;", "vshl.u32.u32.u32.wrap.add %r1, %r2.b0, %r3, %r4;",
    "vadd2.u32.u32.u32.sat %r1.h1, %r2.h10, %r3.h32, %r4;", "slct.ftz.u64.f32 %rd1, %rd2, %rd3, %f1;",
    "rcp.approx.ftz.f64 %fd1, %fd2;", "min.xorsign.abs.f32 %f1, %f2, %f3;", "testp.finite.f32 %p1, %f1;",
    "bfi.b64 %rd1, %rd2, %rd3, %r1, 8;", "dp4a.u32.s32 %r1, %r2, %r3, %r4;", "szext.clamp.s32 %r1, %r2, 8;",
    "@%p1 bra.uni END;", "@!%p2 exit;", "nanosleep.u32 100;", "tx_begin;", "tx_commit;", "trap;",
    "pmevent 3;",
};

static void same_operand(const struct ptx_operand *a, const struct ptx_operand *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->negated, b->negated);
    assert_int_equal(a->bytesel, b->bytesel);
    assert_int_equal(a->comp, b->comp);
    assert_int_equal(a->imm, b->imm);
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->is_f32, b->is_f32);
    if (a->kind == OPD_REG || (a->kind == OPD_MEM && a->has_reg))
        assert_string_equal(a->reg->name, b->reg->name);
    if (a->kind == OPD_VAR || (a->kind == OPD_MEM && a->has_var))
        assert_string_equal(a->var->name, b->var->name);
    for (int i = 0; a->kind == OPD_VEC && i < a->n; i++)
        same_operand(&a->elem[i], &b->elem[i]);
}

static void same_inst(const struct ptx_inst *a, const struct ptx_inst *b)
{
    assert_int_equal(a->op, b->op);
    assert_memory_equal(a->type, b->type, sizeof a->type);
    assert_memory_equal(a->mod, b->mod, sizeof a->mod);
    assert_int_equal(a->nopd, b->nopd);
    assert_int_equal(!a->guard, !b->guard);
    assert_int_equal(a->guard_negated, b->guard_negated);
    for (int i = 0; i < a->nopd; i++)
        same_operand(&a->opd[i], &b->opd[i]);
}

static void test_round_trip(void **state)
{
    (void)state;
    enum { N = sizeof round_trip / sizeof *round_trip };
    char *first = NULL, *second = NULL, line[512];
    size_t nfirst = 0, nsecond = 0;
    for (int i = 0; i < N; i++)
        append(&first, &nfirst, round_trip[i]);
    append(&first, &nfirst, "END:\n");
    struct ptx_module *a = parse_body(first);
    const struct ptx_func *k = ptx_find_func(a, "k");
    assert_int_equal(k->ninsts, N + 1);
    for (int i = 0; i < N; i++) {
        int n = ptx_print_inst(k, &k->insts[i], line, sizeof line);
        assert_int_equal(n, strlen(line));
        append(&second, &nsecond, line);
    }
    append(&second, &nsecond, "END:\n");
    struct ptx_module *b = parse_body(second);
    for (uint32_t i = 0; i < N; i++)
        same_inst(inst(a, i), inst(b, i));
    /* what is cut off still has its length */
    assert_true(ptx_print_inst(k, &k->insts[0], line, 5) > 5);
    assert_int_equal(strlen(line), 4);
    ptx_module_free(a);
    ptx_module_free(b);
    free(first);
    free(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions), cmocka_unit_test(test_modifiers), cmocka_unit_test(test_operands),
        cmocka_unit_test(test_scopes), cmocka_unit_test(test_expressions), cmocka_unit_test(test_floats),
        cmocka_unit_test(test_initialisers), cmocka_unit_test(test_call_forms),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_text_ends), cmocka_unit_test(test_depth), cmocka_unit_test(test_linking),
        cmocka_unit_test(test_round_trip),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("parse: %d passed, %d failed\n", (int)(sizeof tests / sizeof *tests) - failed, failed);
    return failed != 0;
}
