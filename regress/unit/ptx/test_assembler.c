/*
 * gpu.combine_accesses and gpu.if_conversion. Which accesses are combined and which branches converted: kernels that
 * each test one rule, with the result of ptxas 13.0 for sm_75 and sm_90. Where simtx differs, the row has both. And
 * random kernels compute the same with these keys, with scheduled instructions, and without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/lib/simtx.h"

/* ---- what is combined: accesses are of 32 bits unless a width is given ---- */

/* %r9 is `s` plus a number shifted left by `shift`; %r8 is an unknown number. */
static const char HEAD[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n%s\n"
    ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .b32 %%r<90>; .reg .b64 %%d<50>; .reg .f32 %%f<200>;\n"
    ".reg .f64 %%g<20>; .reg .pred %%p<4>;\n%s\nmov.u32 %%r1, %%tid.x;\nld.param.u32 %%r8, [n];\n"
    "ld.param.u64 %%d1, [out];\ncvta.to.global.u64 %%d2, %%d1;\nmul.wide.u32 %%d3, %%r1, 16;\n"
    "add.s64 %%d4, %%d2, %%d3;\n"
    "mov.u32 %%r3, s;\nshl.b32 %%r4, %%r8, %d;\nadd.s32 %%r9, %%r3, %%r4;\n%s\nret;\n}\n";

#define S   ".shared .align 4 .b8 s[4096];"
#define LD(f, at) "ld.shared.f32 %f" #f ", [" at "];\n"
#define ST(at) "st.shared.f32 [" at "], %f1;\n"
#define SAME(accesses) accesses, accesses
#define FOUR LD(2, "%r9") LD(3, "%r9+4") LD(4, "%r9+8") LD(5, "%r9+12")

struct rule {
    const char *name, *variables;
    int shift;
    const char *body;
    const char *ptxas, *simtx;
};

static const struct rule rules[] = {
    { "four words", S, 4, FOUR, SAME("ld.128") },
    { "in any order", S, 4, LD(5, "%r9+12") LD(3, "%r9+4") LD(2, "%r9") LD(4, "%r9+8"), SAME("ld.128") },
    { "two", S, 4, LD(2, "%r9") LD(3, "%r9+4"), SAME("ld.64") },
    { "two that are not neighbours", S, 4, LD(2, "%r9") LD(3, "%r9+8"), SAME("ld ld") },
    { "from the second word on", S, 4, LD(2, "%r9+4") LD(3, "%r9+8") LD(4, "%r9+12") LD(5, "%r9+16"),
      "ld.128 ld", "ld ld.64 ld" },
    { "three", S, 4, LD(2, "%r9") LD(3, "%r9+4") LD(4, "%r9+8"), "ld.128", "ld.64 ld" },
    { "without the third", S, 4, LD(2, "%r9") LD(3, "%r9+4") LD(4, "%r9+12"), "ld.128", "ld.64 ld" },
    { "multiple of 4", S, 2, FOUR, SAME("ld ld ld ld") },
    { "multiple of 8", S, 3, FOUR, SAME("ld.64 ld.64") },
    { "unknown", S, 4, "mov.u32 %r9, %r8;\n" FOUR, SAME("ld ld ld ld") },
    { "after 12 bytes", ".shared .align 4 .b8 a[12]; " S, 4, "ld.shared.f32 %f6, [a];\n" FOUR, SAME("ld ld ld ld ld") },
    { "product by 12", S, 4, "mad.lo.u32 %r9, %r8, 12, %r3;\n" FOUR, SAME("ld ld ld ld") },
    { "product by 48", S, 4, "mad.lo.u32 %r9, %r8, 48, %r3;\n" FOUR, SAME("ld.128") },
    { "mask", S, 4, "and.b32 %r9, %r8, 4080;\nadd.s32 %r9, %r9, %r3;\n" FOUR, SAME("ld.128") },
    { "or", S, 4, "shl.b32 %r31, %r1, 6;\nor.b32 %r30, %r31, %r4;\nadd.s32 %r9, %r3, %r30;\n" FOUR, SAME("ld.128") },
    { "choice", S, 4, "setp.gt.u32 %p1, %r8, 3;\nshl.b32 %r31, %r8, 5;\nselp.b32 %r30, %r31, %r4, %p1;\n"
      "add.s32 %r9, %r3, %r30;\n" FOUR, SAME("ld.128") },
    { "guarded address", S, 4, "mov.u32 %r30, 0;\nsetp.gt.u32 %p1, %r8, 3;\n@%p1 shl.b32 %r30, %r8, 4;\n"
      "add.s32 %r9, %r3, %r30;\n" FOUR, SAME("ld.128") },
    { "generic and back", S, 4, "cvt.u64.u32 %d10, %r9;\ncvta.shared.u64 %d11, %d10;\ncvta.to.shared.u64 %d12, %d11;\n"
      LD(2, "%d12") LD(3, "%d12+4") LD(4, "%d12+8") LD(5, "%d12+12"), SAME("ld.128") },
    { "generic addresses", S, 4, "cvt.u64.u32 %d10, %r9;\ncvta.shared.u64 %d11, %d10;\n"
      "ld.f32 %f2, [%d11];\nld.f32 %f3, [%d11+4];\n", SAME("ld ld") },
    { "other registers", S, 4, "add.s32 %r10, %r9, 4;\nadd.s32 %r11, %r10, 4;\n"
      LD(2, "%r9") LD(3, "%r10") LD(4, "%r11") LD(5, "%r9+12"), SAME("ld.128") },
    { "loop", S, 4, "mov.u32 %r30, %r9;\nX:\n" LD(2, "%r30") LD(3, "%r30+4") LD(4, "%r30+8") LD(5, "%r30+12")
      "add.s32 %r30, %r30, 16;\nsetp.lt.u32 %p1, %r30, %r8;\n@%p1 bra X;\n", SAME("ld.128") },
    { "copy in a loop", S, 4, "mov.u32 %r30, %r9;\nX:\nand.b32 %r31, %r30, -1;\nbar.sync 0;\n" LD(2, "%r31")
      LD(3, "%r31+4")
      "add.s32 %r30, %r30, 4;\nsetp.lt.u32 %p1, %r30, %r8;\n@%p1 bra X;\n", SAME("ld ld") },
    { "variable", S, 4, LD(2, "s") LD(3, "s+4") LD(4, "s+8") LD(5, "s+12"), SAME("ld.128") },
    { "double precision", S, 4, "ld.shared.f64 %g1, [%r9];\nld.shared.f64 %g2, [%r9+8];\n", SAME("ld.128") },
    { "pairs", S, 4, "ld.shared.v2.f32 {%f2, %f3}, [%r9];\nld.shared.v2.f32 {%f4, %f5}, [%r9+8];\n", SAME("ld.128") },
    { "two types", S, 4, LD(2, "%r9") "ld.shared.u32 %r20, [%r9+4];\n", SAME("ld.64") },
    { "half words", S, 4, "ld.shared.u16 %r20, [%r9];\nld.shared.u16 %r21, [%r9+2];\n", SAME("ld ld") },
    { "volatile", S, 4, "ld.volatile.shared.f32 %f2, [%r9];\nld.volatile.shared.f32 %f3, [%r9+4];\n", SAME("ld ld") },
    { "store between", S, 4, LD(2, "%r9") LD(3, "%r9+4") ST("%r8") LD(4, "%r9+8") LD(5, "%r9+12"),
      SAME("ld.64 st ld.64") },
    { "store elsewhere between", S, 4, LD(2, "%r9") LD(3, "%r9+4") ST("%r9+64") LD(4, "%r9+8") LD(5, "%r9+12"),
      SAME("ld.64 st ld.64") },
    { "global store between", S, 4, LD(2, "%r9") LD(3, "%r9+4") "st.global.f32 [%d4+8], %f3;\n" LD(4, "%r9+8")
      LD(5, "%r9+12"), SAME("ld.128") },
    { "barrier between", S, 4, LD(2, "%r9") LD(3, "%r9+4") "bar.sync 0;\n" LD(4, "%r9+8") LD(5, "%r9+12"),
      SAME("ld.64 ld.64") },
    { "atomic between", S, 4, LD(2, "%r9") LD(3, "%r9+4") "atom.shared.add.u32 %r30, [%r8], 1;\n" LD(4, "%r9+8")
      LD(5, "%r9+12"), SAME("ld.64 ld.64") },
    { "exchange between", S, 4, LD(2, "%r9") LD(3, "%r9+4") "shfl.sync.bfly.b32 %f10, %f3, 1, 31, -1;\n" LD(4, "%r9+8")
      LD(5, "%r9+12"), SAME("ld.128") },
    { "far apart", S, 4, LD(2, "%r9") LD(10, "%r9+64") LD(11, "%r9+128") LD(12, "%r9+192") LD(3, "%r9+4"),
      SAME("ld.64 ld ld ld") },
    { "dynamic shared memory", ".extern .shared .align 4 .b8 s[];", 4, FOUR, SAME("ld.128") },
    { "four stores", S, 4, ST("%r9") ST("%r9+4") ST("%r9+8") ST("%r9+12"), SAME("st.128") },
    { "two stores", S, 4, ST("%r9") ST("%r9+4"), SAME("st.64") },
    { "three stores", S, 4, ST("%r9") ST("%r9+4") ST("%r9+8"), "st st.64", "st.64 st" },
    { "load between stores", S, 4, ST("%r9") ST("%r9+4") LD(2, "%r8") ST("%r9+8") ST("%r9+12"),
      SAME("st.64 ld st.64") },
    { "stores of double precision", S, 4, "st.shared.f64 [%r9], %g1;\nst.shared.f64 [%r9+8], %g1;\n", SAME("st.128") },
    { "local memory", ".local .align 16 .b8 s[4096];", 4, "st.local.f32 [%r9], %f1;\nst.local.f32 [%r9+4], %f1;\n"
      "ld.local.f32 %f2, [%r4];\nld.local.f32 %f3, [%r4+4];\n", SAME("st.64 ld.64") },
    { "global memory", S, 4, "ld.global.f32 %f2, [%d4];\nld.global.f32 %f3, [%d4+4];\n", SAME("ld ld") },
    { "guarded", S, 4, "setp.gt.u32 %p1, %r1, 7;\n@%p1 ld.shared.f32 %f2, [%r9];\n@%p1 ld.shared.f32 %f3, [%r9+4];\n",
      "ld.64", "ld ld" },
};

/* The accesses of a disassembly: "ld.128 st ...". */
static void list_accesses(const char *text, char *out, size_t size)
{
    size_t n = 0;
    out[0] = 0;
    for (const char *p = text; (p = strpbrk(p, "ls")) != NULL; p++) {
        char word[64];
        if (p == text || p[-1] != ' ' || sscanf(p, "%63s", word) != 1 || strstr(word, ".param") ||
            (strncmp(word, "ld.", 3) && strncmp(word, "st.", 3)))
            continue;
        int bits = (strstr(word, "64") ? 64 : 32) * (strstr(word, ".v4") ? 4 : strstr(word, ".v2") ? 2 : 1);
        const char *global = strstr(word, "st.global");
        if (!global)
            n += (size_t)snprintf(out + n, size - n, bits > 32 ? "%s%.2s.%d" : "%s%.2s", n ? " " : "", word, bits);
    }
}

static void what_is_combined(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *r = &rules[i];
        bool module = strstr(r->variables, ".extern") != NULL;
        char text[4096], accesses[256], *message = NULL;
        int n = snprintf(text, sizeof text, HEAD, module ? r->variables : "", module ? "" : r->variables, r->shift,
                         r->body);
        assert_in_range(n, 1, sizeof text - 1);
        char *list = simtx_ptx_list(text, (size_t)n, r->name, SIMTX_PTX_COMBINED, &message);
        if (!list)
            fail_msg("%s: %s", r->name, message);
        list_accesses(list, accesses, sizeof accesses);
        if (strcmp(accesses, r->simtx))
            fail_msg("%s: %s, ptxas %s, expected %s\n%s", r->name, accesses, r->ptxas, r->simtx, list);
        free(list);
        free(message);
    }
}

/* Four words that are used one after the other; and 120 words of which the parts of a whole are used far apart, so that
 * nearly all would be live at once. The limit is 64. */
static void registers_are_limited(void **state)
{
    static char text[1 << 16], body[1 << 15];
    char accesses[4096], *message = NULL;
    size_t n = 0;
    (void)state;
    for (int i = 0; i < 50; i++) {
        for (int k = 0; k < 4; k++)
            n += (size_t)snprintf(body + n, sizeof body - n, "ld.shared.f32 %%f%d, [%%r9+%d];\n", 10 + k,
                                  16 * i + 4 * k);
        n += (size_t)snprintf(body + n, sizeof body - n, "fma.rn.f32 %%f1, %%f10, %%f11, %%f1;\n"
                              "fma.rn.f32 %%f1, %%f12, %%f13, %%f1;\n");
    }
    n += (size_t)snprintf(body + n, sizeof body - n, "st.global.f32 [%%d4], %%f1;\n");
    int size = snprintf(text, sizeof text, HEAD, "", S, 4, body);
    char *list = simtx_ptx_list(text, (size_t)size, "few", SIMTX_PTX_COMBINED, &message);
    assert_non_null(list);
    list_accesses(list, accesses, sizeof accesses);
    assert_int_equal(strlen(accesses), 50 * strlen("ld.128 ") - 1);
    free(list);
    free(message);
    n = 0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 30; i++)
            n += (size_t)snprintf(body + n, sizeof body - n, "ld.shared.f32 %%f%d, [%%r9+%d];\n"
                                  "fma.rn.f32 %%f1, %%f%d, %%f1, %%f1;\n", 10 + 30 * k + i, 16 * i + 4 * k,
                                  10 + 30 * k + i);
    n += (size_t)snprintf(body + n, sizeof body - n, "st.global.f32 [%%d4], %%f1;\n");
    size = snprintf(text, sizeof text, HEAD, "", S, 4, body);
    list = simtx_ptx_list(text, (size_t)size, "many", SIMTX_PTX_COMBINED, NULL);
    assert_non_null(list);
    list_accesses(list, accesses, sizeof accesses);
    assert_non_null(strstr(accesses, "ld"));
    assert_null(strstr(accesses, "128"));
    free(list);
}

/* ---- which branches are converted ---- */

/* The branch leads to L over n copies of a line; its condition, %p1, is not uniform. */
struct branch {
    const char *name, *before, *line, *after;
    int ptxas, simtx;                /* copies up to which it is converted */
};

#define CHAIN "fma.rn.f32 %f1, %f1, %f2, %f2;\n"
#define OVER  "@%p1 bra L;\n"

static const struct branch branches[] = {
    { "chain", OVER, CHAIN, "L:\n", 8, 8 },
    { "negated", "@!%p1 bra L;\n", CHAIN, "L:\n", 8, 8 },
    { "uniform", "@%p1 bra.uni L;\n", CHAIN, "L:\n", 6, 6 },
    { "uniform by a parameter", "setp.gt.u32 %p3, %r8, 5;\n@%p3 bra L;\n", CHAIN, "L:\n", 6, 8 },
    { "double precision", OVER, "fma.rn.f64 %g1, %g1, %g1, %g1;\n", "L:\n", 8, 8 },
    { "special functions", OVER, "ex2.approx.ftz.f32 %f1, %f1;\n", "L:\n", 8, 8 },
    { "stores", OVER, "st.global.f32 [%d4+128], %f1;\n", "L:\n", 8, 8 },
    { "load of shared memory, then a chain", OVER "ld.shared.f32 %f1, [%r9];\n", CHAIN, "L:\n", 7, 7 },
    { "load of global memory, then a chain", OVER "ld.global.f32 %f1, [%d4];\n", CHAIN, "L:\n", 19, 7 },
    { "store, then a chain", OVER "st.global.f32 [%d4+128], %f1;\n", CHAIN, "L:\n", 7, 7 },
    { "comparison and choice", OVER,
      "setp.lt.f32 %p2, %f1, %f2;\nselp.f32 %f1, %f2, %f1, %p2;\nadd.f32 %f1, %f1, %f2;\n", "L:\n", 2, 2 },
    { "atomic", OVER, "atom.global.add.u32 %r5, [%d4+128], %r5;\n", "L:\n", 0, 0 },
    { "reduction", OVER, "red.global.add.u32 [%d4+128], %r5;\n", "L:\n", 0, 0 },
    { "fence", OVER, "membar.gl;\n", "L:\n", 0, 0 },
    { "exchange", OVER, "shfl.sync.bfly.b32 %f1, %f1, 1, 31, -1;\n", "L:\n", 0, 0 },
    { "division", OVER, "div.rn.f32 %f1, %f1, %f2;\n", "L:\n", 0, 0 },
    { "barrier", OVER, "bar.sync 0;\n", "L:\n", 7, 0 },
    { "guarded", "setp.lt.u32 %p3, %r5, 9;\n" OVER, "@%p3 fma.rn.f32 %f1, %f1, %f2, %f2;\n", "L:\n", 7, 0 },
    { "branch within", "setp.lt.u32 %p3, %r5, 9;\n" OVER CHAIN "@%p3 bra L;\n", CHAIN, "L:\n", 0, 0 },
    { "two sides", "@%p1 bra E;\n", CHAIN, "bra L;\nE:\nfma.rn.f32 %f1, %f2, %f1, %f1;\nL:\n", 7, 7 },
    { "other side", "@%p1 bra E;\n" CHAIN "bra L;\nE:\n", "fma.rn.f32 %f1, %f2, %f1, %f1;\n", "L:\n", 8, 7 },
    { "write of the predicate", OVER, "setp.lt.f32 %p1, %f1, %f2;\nadd.f32 %f1, %f1, %f2;\n", "L:\n", 7, 0 },
    { "second way in", "@%p2 bra M;\n" OVER "M:\n", CHAIN, "L:\n", 0, 0 },
};

static bool is_converted(const struct branch *b, int n)
{
    char text[8192], body[4096], *message = NULL;
    size_t used = (size_t)snprintf(body, sizeof body, "ld.global.f32 %%f1, [%%d4];\nld.global.f32 %%f2, [%%d4+4];\n"
                                   "ld.global.u32 %%r5, [%%d4+8];\nsetp.gt.u32 %%p1, %%r5, 77;\n%s", b->before);
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(body + used, sizeof body - used, "%s", b->line);
    snprintf(body + used, sizeof body - used, "%sst.global.f32 [%%d4+64], %%f1;\n", b->after);
    int size = snprintf(text, sizeof text, HEAD, "", S, 4, body);
    char *list = simtx_ptx_list(text, (size_t)size, b->name, SIMTX_PTX_IF_CONVERTED, &message);
    if (!list)
        fail_msg("%s: %s", b->name, message);
    bool stays = strstr(list, "%p1 bra") || strstr(list, "%p3 bra");
    free(list);
    free(message);
    return !stays;
}

static void which_branches_are_converted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        const struct branch *b = &branches[i];
        for (int n = 1; n <= 10; n++)
            if (is_converted(b, n) != (n <= b->simtx))
                fail_msg("%s: with %d copies it is%s converted; ptxas converts up to %d", b->name, n,
                         is_converted(b, n) ? "" : " not", b->ptxas);
    }
}

/* ---- random kernels ---- */

enum { KERNELS = 400, OPS = 60, THREADS = 64, REGS = 12, AREA = 64, OUT_WORDS = REGS + 2 * AREA / 4 };

static uint32_t seed;

static unsigned pick(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

/* Each thread has 64 bytes of s and of l. Addresses: %r40, aligned; %r41, 4 bytes times a number that the code does not
 * tell; %r42, which changes; %d40, the generic address of %r40. */
static size_t add_op(char *t, size_t size, int i)
{
    static const char *const types[] = { "f32", "u32", "b32" };
    unsigned a = pick(REGS - 4), b = pick(REGS), word = pick(8), op = pick(25);
    const char *type = types[pick(3)], *space = pick(4) ? "shared" : "local", *base = pick(3) ? "%r40" : "%r41";
    const char *guard = pick(6) ? "" : "@%p1 ";
    if (!strcmp(space, "local"))
        base = "%r43";
    else if (!pick(3))
        base = "%r42";
    if (op < 8)
        return (size_t)snprintf(t, size, "%sld.%s.%s %%r%u, [%s+%u];\n", guard, space, type, b, base, 4 * word);
    if (op < 14)
        return (size_t)snprintf(t, size, "%sst.%s.%s [%s+%u], %%r%u;\n", guard, space, type, base, 4 * word, b);
    switch (op) {
    case 14: return (size_t)snprintf(t, size, "ld.%s.v2.u32 {%%r%u, %%r%u}, [%s+%u];\n", space, a, a + 1,
                                     strcmp(base, "%r41") && strcmp(base, "%r42") ? base : "%r40", word / 2 * 8);
    case 15: return (size_t)snprintf(t, size, "st.%s.v2.u32 [%s+%u], {%%r%u, %%r%u};\n", space,
                                     strcmp(base, "%r41") && strcmp(base, "%r42") ? base : "%r40", word / 2 * 8, b, a);
    case 16: return (size_t)snprintf(t, size, "add.u32 %%r%u, %%r%u, %%r%u;\n", a, b, a + 1);
    case 17: return (size_t)snprintf(t, size, "xor.b32 %%r%u, %%r%u, %d;\n", b, a, i + 1);
    case 18: return (size_t)snprintf(t, size, "st.u32 [%%d40+%u], %%r%u;\n", 4 * word, b);
    case 19: return (size_t)snprintf(t, size, "ld.u32 %%r%u, [%%d40+%u];\n", b, 4 * word);
    case 20: return (size_t)snprintf(t, size, "%sadd.s32 %%r42, %%r40, %u;\n", guard, 4 * pick(4));
    case 21: return pick(2) ? (size_t)snprintf(t, size, "%smov.u32 %%r42, %s;\n", guard, pick(2) ? "%r40" : "%r41")
                            : (size_t)snprintf(t, size, "mad.lo.u32 %%r42, %%r51, %u, %%r40;\n", 4 * pick(4));
    case 22: return (size_t)snprintf(t, size, "shfl.sync.bfly.b32 %%r%u, %%r%u, 1, 31, -1;\n", a, b);
    case 23: return (size_t)snprintf(t, size, "setp.gt.u32 %%p%u, %%r%u, %u;\n", 2 + pick(2), b, 40000 * pick(3));
    default: return (size_t)snprintf(t, size, "@%%p2 bra X%d;\nxor.b32 %%r%u, %%r%u, 5;\nX%d:\n", i, a, b, i);
    }
}

/* Four neighbouring words in a random order, most of them of one base, with other instructions between them. */
static size_t add_burst(char *t, size_t size, int i)
{
    const char *of = pick(4) ? "%r40" : "%r42";
    bool store = pick(3) == 0;
    unsigned first = pick(2) * 4, order = pick(24);
    size_t n = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned word = first + ((order & 1 ? 3 - k : k) ^ (order >> 1 & 3));
        const char *base = pick(8) ? of : "%r44";               /* the number of %r40 */
        n += store ? (size_t)snprintf(t + n, size - n, "st.shared.u32 [%s+%u], %%r%u;\n", base, 4 * word, pick(REGS))
                   : (size_t)snprintf(t + n, size - n, "ld.shared.u32 %%r%u, [%s+%u];\n", pick(REGS), base, 4 * word);
        if (!pick(3))
            n += add_op(t + n, size - n, i * 4 + (int)k);
    }
    return n;
}

/*
 * A branch over a few instructions, or around two sides, by a predicate that some of them may write. Some sides start
 * with registers of their own, which begin with a parameter of the kernel: a value that is the same in all blocks.
 */
static size_t add_if(char *t, size_t size, int i)
{
    bool two = pick(3) == 0;
    unsigned ops = 1 + pick(4);
    size_t n = (size_t)snprintf(t, size, "@%s%%p%u bra %c%d;\n", pick(2) ? "!" : "", 2 + pick(2), two ? 'E' : 'L', i);
    if (pick(2))
        n += (size_t)snprintf(t + n, size - n, "ld.param.u32 %%q%d, [n];\nshl.b32 %%q%d, %%q%d, 2;\n"
                              "add.u32 %%q%d, %%q%d, %%r40;\nld.shared.u32 %%q%d, [%%q%d];\n"
                              "xor.b32 %%r%u, %%r%u, %%q%d;\n", 4 * i, 4 * i + 1, 4 * i, 4 * i + 2, 4 * i + 1,
                              4 * i + 3, 4 * i + 2, pick(REGS), pick(REGS), 4 * i + 3);
    for (unsigned k = 0; k < ops; k++)
        n += add_op(t + n, size - n, 1000 + i * 16 + (int)k);
    if (two) {
        n += (size_t)snprintf(t + n, size - n, "bra L%d;\nE%d:\n", i, i);
        for (unsigned k = 0; k < ops; k++)
            n += add_op(t + n, size - n, 1008 + i * 16 + (int)k);
    }
    return n + (size_t)snprintf(t + n, size - n, "L%d:\n", i);
}

/* A branch by a table, whose labels move when instructions before them are removed. */
static size_t add_table(char *t, size_t size)
{
    size_t n = (size_t)snprintf(t, size, "T: .branchtargets T0, T1, T2;\nrem.u32 %%r46, %%r50, 3;\n"
                                "brx.idx %%r46, T;\n");
    for (int i = 0; i < 3; i++) {
        n += (size_t)snprintf(t + n, size - n, "T%d:\n", i);
        n += add_op(t + n, size - n, 2000 + i);
        n += (size_t)snprintf(t + n, size - n, "bra TE;\n");
    }
    return n + (size_t)snprintf(t + n, size - n, "TE:\n");
}

static size_t write_kernel(char *t, size_t size)
{
    size_t n = (size_t)snprintf(t, size, ".version 8.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
        ".reg .b32 %%r<60>; .reg .b64 %%d<60>; .reg .pred %%p<4>; .reg .b32 %%q<%d>;\n"
        ".shared .align 16 .b8 s[%d]; .local .align 16 .b8 l[%d];\n"
        "mov.u32 %%r50, %%tid.x;\nld.param.u32 %%r51, [n];\nmov.u32 %%r52, s;\nmad.lo.u32 %%r40, %%r50, %d, %%r52;\n"
        "shl.b32 %%r53, %%r51, 2;\nadd.s32 %%r41, %%r40, %%r53;\nmov.u32 %%r42, %%r40;\nmov.u32 %%r43, l;\n"
        "mov.u32 %%r44, %%r40;\n"
        "cvt.u64.u32 %%d41, %%r40;\ncvta.shared.u64 %%d40, %%d41;\nsetp.gt.u32 %%p1, %%r50, 20;\n"
        "setp.gt.u32 %%p2, %%r50, 40;\nsetp.gt.u32 %%p3, %%r50, 30;\n", 4 * OPS, THREADS * AREA, AREA, AREA);
    for (int i = 0; i < REGS; i++)
        n += (size_t)snprintf(t + n, size - n, "mad.lo.u32 %%r%d, %%r50, %d, %d;\n", i, 1000 + i, 7 * i);
    for (int w = 0; w < AREA / 4; w++)
        n += (size_t)snprintf(t + n, size - n, "mad.lo.u32 %%r54, %%r50, %d, %d;\n"
                              "st.volatile.shared.u32 [%%r40+%d], %%r54;\n"
                              "st.volatile.local.u32 [%%r43+%d], %%r54;\n", 50 + w, w, 4 * w, 4 * w);
    n += (size_t)snprintf(t + n, size - n, "mov.u32 %%r45, 0;\nAGAIN:\n");
    for (int i = 0; i < OPS; i++)
        switch (pick(8)) {
        case 0:
        case 1: n += add_burst(t + n, size - n, i); break;
        case 2: n += add_if(t + n, size - n, i); break;
        default: n += add_op(t + n, size - n, 4 * OPS + i);
        }
    n += add_table(t + n, size - n);
    n += (size_t)snprintf(t + n, size - n, "add.u32 %%r45, %%r45, 1;\nsetp.lt.u32 %%p0, %%r45, 3;\n@%%p0 bra AGAIN;\n");
    n += (size_t)snprintf(t + n, size - n, "ld.param.u64 %%d1, [out];\ncvta.to.global.u64 %%d2, %%d1;\n"
                          "mad.wide.u32 %%d3, %%r50, %d, %%d2;\n", 4 * OUT_WORDS);
    for (int i = 0; i < REGS; i++)
        n += (size_t)snprintf(t + n, size - n, "st.global.u32 [%%d3+%d], %%r%d;\n", 4 * i, i);
    for (int w = 0; w < AREA / 4; w++)
        n += (size_t)snprintf(t + n, size - n, "ld.volatile.shared.u32 %%r54, [%%r40+%d];\n"
                              "st.global.u32 [%%d3+%d], %%r54;\n"
                              "ld.volatile.local.u32 %%r54, [%%r43+%d];\nst.global.u32 [%%d3+%d], %%r54;\n", 4 * w,
                              4 * (REGS + 2 * w), 4 * w, 4 * (REGS + 2 * w + 1));
    return n + (size_t)snprintf(t + n, size - n, "ret;\n}\n");
}

static void run(const char *text, const char *const *keys, uint32_t *out)
{
    char *message = NULL;
    uint32_t n = 1;
    simtx_config *c = simtx_config_new();
    for (; *keys; keys++)
        if (simtx_config_set(c, *keys, &message))
            fail_msg("%s", message);
    simtx_arg args[] = { { SIMTX_ARG_OUT, out, OUT_WORDS * THREADS * 4 }, { SIMTX_ARG_VALUE, &n, sizeof n } };
    memset(out, 0, OUT_WORDS * THREADS * 4);
    if (simtx_run_ptx(c, text, "k", (simtx_dim3){ 1, 1, 1 }, (simtx_dim3){ THREADS, 1, 1 }, 0, args, 2, NULL, &message))
        fail_msg("%s\n%s", message, text);
    simtx_config_free(c);
}

static int occurrences(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        n++;
    return n;
}

static void random_kernels_compute_the_same(void **state)
{
    static char text[1 << 16];
    static const char *const keys[][4] = {
        { NULL }, { "gpu.combine_accesses=true" }, { "gpu.if_conversion=true" },
        { "gpu.combine_accesses=true", "gpu.if_conversion=true", "gpu.instruction_order=scheduled" }
    };
    static uint32_t want[OUT_WORDS * THREADS], got[OUT_WORDS * THREADS];
    int vectors = 0, conversions = 0;
    (void)state;
    for (uint32_t k = 1; k <= KERNELS; k++) {
        seed = k * 2654435761u;
        size_t n = write_kernel(text, sizeof text);
        run(text, keys[0], want);
        for (int i = 1; i < 4; i++) {
            run(text, keys[i], got);
            if (memcmp(want, got, sizeof want))
                fail_msg("kernel %u computes something else with %s ...:\n%s", k, keys[i][0], text);
        }
        char *list = simtx_ptx_list(text, n, "random", SIMTX_PTX_COMBINED | SIMTX_PTX_IF_CONVERTED, NULL);
        assert_non_null(list);
        vectors += occurrences(list, ".v2.") + occurrences(list, ".v4.") - occurrences(text, ".v2.");
        conversions += occurrences(text, " bra ") - occurrences(list, " bra ");
        free(list);
    }
    assert_in_range(vectors, KERNELS, OPS * KERNELS);        /* of each at least one a kernel */
    assert_in_range(conversions, KERNELS, OPS * KERNELS);
}

/* An address of 32 bits wraps, and the carry flag of lanes that skip an instruction stays. */
static void widths_and_carries(void **state)
{
    static const char *const keys[][4] = { { NULL }, { "gpu.combine_accesses=true", "gpu.if_conversion=true" } };
    static uint32_t want[OUT_WORDS * THREADS], got[OUT_WORDS * THREADS];
    static const char text[] =
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
        ".reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<3>;\n.shared .align 16 .b8 s[4096];\n"
        "mov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r1, 64, %r2;\nadd.u32 %r3, %r3, 32;\n"
        "add.u32 %r4, %r3, 4294967292;\nmov.u32 %r5, 11;\nmov.u32 %r6, 12;\nmov.u32 %r7, 13;\n"
        "st.shared.u32 [%r3+-4], %r5;\nst.shared.u32 [%r4], %r6;\nst.shared.u32 [%r3+-8], %r7;\n"
        "ld.volatile.shared.u32 %r8, [%r3+-4];\nld.volatile.shared.u32 %r9, [%r3+-8];\n"
        "setp.gt.u32 %p1, %r1, 20;\nadd.cc.u32 %r10, %r5, %r6;\n@%p1 bra L;\n"
        "add.cc.u32 %r11, 0xffffffff, 2;\nL:\naddc.u32 %r12, 0, 0;\n"
        "ld.param.u64 %d1, [out];\nmad.wide.u32 %d2, %r1, 12, %d1;\nst.global.u32 [%d2], %r8;\n"
        "st.global.u32 [%d2+4], %r9;\nst.global.u32 [%d2+8], %r12;\nret;\n}\n";
    (void)state;
    run(text, keys[0], want);
    run(text, keys[1], got);
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(want[3 * t], 12);
        assert_int_equal(want[3 * t + 1], 13);
        assert_int_equal(want[3 * t + 2], t <= 20);
    }
    assert_memory_equal(want, got, sizeof want);
    char *list = simtx_ptx_list(text, sizeof text - 1, "widths", SIMTX_PTX_COMBINED | SIMTX_PTX_IF_CONVERTED, NULL);
    assert_non_null(list);
    assert_null(strstr(list, " bra "));
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_combined),
        cmocka_unit_test(registers_are_limited),
        cmocka_unit_test(which_branches_are_converted),
        cmocka_unit_test(random_kernels_compute_the_same),
        cmocka_unit_test(widths_and_carries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
