/*
 * Behaviour of memory instructions: ld and st of every type in every space and vector width, sign extension
 * into wider registers, packing moves, address conversion, fences and prefetches.
 */
#include "regress/conformance/behave/behave.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/program/ir.h"
#include "regress/conformance/ref/ref.h"

enum { THREADS = 64, CELL = 16 };                /* each thread has CELL bytes of a space */

struct space { const char *suffix, *base; bool writable; };

/*
 * How a space is addressed: the base is the address of the thread's cell, made in the prologue of the body.
 */
static const struct space spaces[] = {
    { ".global", "global", true }, { ".shared", "shared", true },  { ".local", "local", true },
    { ".const", "const", false },  { "", "generic global", true }, { "", "generic shared", true },
    { "", "generic local", true }, { "", "generic const", false },
};
enum { NSPACES = sizeof spaces / sizeof *spaces };

static uint64_t fill_word(uint32_t at, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)behave_fill(at + (uint32_t)i) << 8 * i;
    return v;
}

static void print_module(FILE *f)
{
    fputs(".const .align 16 .b8 cdata[1024] = {", f);
    for (uint32_t i = 0; i < 1024; i++)
        fprintf(f, "%s%u", i ? "," : "", behave_fill(i));
    fputs("};\n.shared .align 16 .b8 sdata[2048];\n", f);
}

/*
 * %d1 = address of the cell for loads and stores of the space; %d2 the global cell whose bytes it gets first.
 */
static void print_cell(FILE *f, int s)
{
    static const char *const symbols[] = { "", "sdata", "lbuf", "cdata", "", "sdata", "lbuf", "cdata" };
    static const char *const conversions[] = { "", "", "", "", "", "shared", "local", "const" };
    fputs("  .local .align 16 .b8 lbuf[16];\n  mul.wide.u32 %d3, %t, 16;\n  add.u64 %d2, %b, %d3;\n", f);
    if (!symbols[s][0]) {
        fputs("  mov.u64 %d1, %d2;\n", f);
    } else {
        fprintf(f, "  mov.u64 %%d1, %s;\n", symbols[s]);
        if (strcmp(symbols[s], "lbuf"))
            fputs("  add.u64 %d1, %d1, %d3;\n", f);
        if (conversions[s][0])
            fprintf(f, "  cvta.%s.u64 %%d1, %%d1;\n", conversions[s]);
    }
}

static void print_fill(FILE *f, int s)
{
    if (spaces[s].writable)
        fprintf(f,
                "  ld.global.v4.b32 {%%r2,%%r3,%%r4,%%r5}, [%%d2];\n"
                "  st%s.v4.b32 [%%d1], {%%r2,%%r3,%%r4,%%r5};\n",
                spaces[s].suffix);
}

static bool loadable(uint8_t t)
{
    char c = ptx_type_class((enum ptx_type)t);
    if (!ptx_type_size((enum ptx_type)t))        /* less than a byte */
        return false;
    return c == 'u' || c == 's' || c == 'b' ? t != T_U16X2 && t != T_S16X2 : t == T_F32 || t == T_F64;
}

/* A register wide enough for the extension: 64 bits, except that floats need their own size. */
static const char *reg_of(uint8_t t) { return t == T_F32 ? "f" : t == T_F64 ? "e" : "d"; }

static uint64_t loaded(uint8_t t, uint32_t at)
{
    int n = ptx_type_size((enum ptx_type)t);
    return (uint64_t)ref_value(t, fill_word(at, n));
}

static void load_test(struct behave_ctx *x, const char *module, int s, uint8_t t, int vec)
{
    char body[2048], name[64];
    FILE *f = fmemopen(body, sizeof body, "w");
    const char *r = reg_of(t), *type = ptx_type_name((enum ptx_type)t);
    int size = ptx_type_size((enum ptx_type)t);
    print_cell(f, s);
    print_fill(f, s);
    if (vec == 1)
        fprintf(f, "  ld%s.%s %%%s8, [%%d1];\n", spaces[s].suffix, type, r);
    else if (vec == 2)
        fprintf(f, "  ld%s.v2.%s {%%%s8,%%%s9}, [%%d1];\n", spaces[s].suffix, type, r, r);
    else
        fprintf(f, "  ld%s.v4.%s {%%%s8,%%%s9,%%%s10,%%%s11}, [%%d1];\n", spaces[s].suffix, type, r, r, r, r);
    for (int k = 0; k < vec; k++)
        fprintf(f, "  st.global.%s [%%o+%d], %%%s%d;\n",
                t == T_F32   ? "f32"
                : t == T_F64 ? "f64"
                             : "b64",
                8 * k, r, 8 + k);
    fclose(f);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t i = 0; i < THREADS; i++)
        for (int k = 0; k < vec; k++) {
            uint64_t v = loaded(t, CELL * i + (uint32_t)(size * k));
            words[i * BEHAVE_WORDS + (uint32_t)k] = t == T_F32 ? (uint32_t)v : v;
        }
    snprintf(name, sizeof name, "ld %s v%d %s", spaces[s].base, vec, type);
    behave_table(x, name, module, body, THREADS, words, 0xff);
}

/* Stores the low part of wide registers into a cleared cell and reads all of it back. */
static void store_test(struct behave_ctx *x, const char *module, int s, uint8_t t, int vec)
{
    char body[2048], name[64];
    FILE *f = fmemopen(body, sizeof body, "w");
    const char *r = reg_of(t), *type = ptx_type_name((enum ptx_type)t);
    int size = ptx_type_size((enum ptx_type)t);
    print_cell(f, s);
    fprintf(f, "  mov.b64 %%d20, 0;\n  st%s.v2.b64 [%%d1], {%%d20,%%d20};\n", spaces[s].suffix);
    for (int k = 0; k < vec; k++)
        fprintf(f, "  ld.global.%s %%%s%d, [%%b+%d];\n",
                t == T_F32   ? "f32"
                : t == T_F64 ? "f64"
                             : "b64",
                r, 8 + k, 40 + 8 * k);
    if (vec == 1)
        fprintf(f, "  st%s.%s [%%d1], %%%s8;\n", spaces[s].suffix, type, r);
    else if (vec == 2)
        fprintf(f, "  st%s.v2.%s [%%d1], {%%%s8,%%%s9};\n", spaces[s].suffix, type, r, r);
    else
        fprintf(f, "  st%s.v4.%s [%%d1], {%%%s8,%%%s9,%%%s10,%%%s11};\n", spaces[s].suffix, type, r, r, r, r);
    fprintf(f, "  ld%s.v2.b64 {%%d20,%%d21}, [%%d1];\n  st.global.v2.b64 [%%o], {%%d20,%%d21};\n",
            spaces[s].suffix);
    fclose(f);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t i = 0; i < THREADS; i++)
        for (int k = 0; k < vec; k++)
            memcpy((char *)&words[i * BEHAVE_WORDS] + size * k,
                   (uint64_t[]){ fill_word((uint32_t)(40 + 8 * k), 8) }, (size_t)size);
    snprintf(name, sizeof name, "st %s v%d %s", spaces[s].base, vec, type);
    behave_table(x, name, module, body, THREADS, words, 3);
}

static void widths(struct behave_ctx *x, const char *module)
{
    for (int s = 0; s < NSPACES; s++)
        for (uint8_t t = 1; t < T_COUNT; t++)
            for (int vec = 1; vec <= 4; vec *= 2) {
                if (!loadable(t) || t == T_B128 || vec * ptx_type_size((enum ptx_type)t) > CELL)
                    continue;
                load_test(x, module, s, t, vec);
                /* a store through the buffer would overwrite what other threads load */
                if (spaces[s].writable && s != 0 && s != 4)
                    store_test(x, module, s, t, vec);
            }
}

/* Global stores go to the output itself. */
static void global_stores(struct behave_ctx *x)
{
    for (uint8_t t = 1; t < T_COUNT; t++)
        for (int vec = 1; vec <= 4; vec *= 2) {
            int size = ptx_type_size((enum ptx_type)t);
            if (!loadable(t) || t == T_B128 || vec * size > CELL)
                continue;
            for (int generic = 0; generic < 2; generic++) {
                char body[2048], name[64];
                FILE *f = fmemopen(body, sizeof body, "w");
                const char *r = reg_of(t), *type = ptx_type_name((enum ptx_type)t),
                           *sp = generic ? "" : ".global";
                for (int k = 0; k < vec; k++)
                    fprintf(f, "  ld.global.%s %%%s%d, [%%b+%d];\n",
                            t == T_F32   ? "f32"
                            : t == T_F64 ? "f64"
                                         : "b64",
                            r, 8 + k, 40 + 8 * k);
                if (vec == 1)
                    fprintf(f, "  st%s.%s [%%o], %%%s8;\n", sp, type, r);
                else if (vec == 2)
                    fprintf(f, "  st%s.v2.%s [%%o], {%%%s8,%%%s9};\n", sp, type, r, r);
                else
                    fprintf(f, "  st%s.v4.%s [%%o], {%%%s8,%%%s9,%%%s10,%%%s11};\n", sp, type, r, r, r, r);
                fclose(f);
                uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
                for (uint32_t i = 0; i < THREADS; i++)
                    for (int k = 0; k < vec; k++)
                        memcpy((char *)&words[i * BEHAVE_WORDS] + size * k,
                               (uint64_t[]){ fill_word((uint32_t)(40 + 8 * k), 8) }, (size_t)size);
                snprintf(name, sizeof name, "st %s v%d %s", generic ? "generic" : "global", vec, type);
                behave_table(x, name, NULL, body, THREADS, words, 0xff);
            }
        }
}

/* Every memory ordering, scope, cache operator and eviction hint: the value is what counts. */
static void orderings(struct behave_ctx *x)
{
    static const char *const loads[] = { "ld.weak.global",
                                         "ld.volatile.global",
                                         "ld.relaxed.cta.global",
                                         "ld.relaxed.gpu.global",
                                         "ld.relaxed.sys.global",
                                         "ld.acquire.cta.global",
                                         "ld.acquire.gpu.global",
                                         "ld.acquire.sys.global",
                                         "ld.global.ca",
                                         "ld.global.cg",
                                         "ld.global.cs",
                                         "ld.global.lu",
                                         "ld.global.cv",
                                         "ld.global.nc",
                                         "ld.global.L1::no_allocate",
                                         "ld.global.L1::evict_first",
                                         "ld.global.L2::128B",
                                         "ld.volatile",
                                         "ld.relaxed.gpu",
                                         "ldu.global" };
    static const char *const stores[] = { "st.weak.global",
                                          "st.volatile.global",
                                          "st.relaxed.cta.global",
                                          "st.relaxed.gpu.global",
                                          "st.release.gpu.global",
                                          "st.release.sys.global",
                                          "st.global.wb",
                                          "st.global.cg",
                                          "st.global.cs",
                                          "st.global.wt",
                                          "st.global.L1::evict_last",
                                          "st.volatile",
                                          "st.release.cta",
                                          "st.relaxed.sys" };
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        for (size_t j = i % 3; j < sizeof stores / sizeof *stores; j += 3) {
            char body[256], name[96];
            snprintf(body, sizeof body, "  %s.u32 %%r2, [%%b+16];\n  %s.u32 [%%o], %%r2;\n",
                     loads[i], stores[j]);
            uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
            for (uint32_t k = 0; k < THREADS; k++)
                words[k * BEHAVE_WORDS] = fill_word(16, 4);
            snprintf(name, sizeof name, "%s, %s", loads[i], stores[j]);
            behave_table(x, name, NULL, body, THREADS, words, 0xff);
        }
}

static bool expect_params(uint32_t i, uint32_t k, uint64_t *w)
{
    /* a struct parameter of 16 bytes, passed by st.param in the caller */
    static const uint64_t rest[] = { 0x11, 0x2222, 0x33333333, 0x4444444444444444, 0xffffffffffffff91 };
    if (k > 5)
        return false;
    *w = k == 0 ? i + 0x11 : rest[k - 1];
    return true;
}

static bool expect_addresses(uint32_t i, uint32_t k, uint64_t *w)
{
    static const uint64_t words[] = {
        1, 2, 4, 8,              /* isspacep of a global, shared, local, const address: only its own bit */
        1, 1, 1, 1               /* .to undoes cvta */
    };
    (void)i;
    *w = words[k];
    return true;
}

/* %d<n> = bits of isspacep of %d8: global, shared, local, const */
#define SPACES_OF(out)                                                                        \
    "  isspacep.global %p1, %d8;\n  isspacep.shared %p2, %d8;\n"                              \
    "  isspacep.local %p3, %d8;\n  isspacep.const %p4, %d8;\n  selp.u64 %d9, 1, 0, %p1;\n"    \
    "  @%p2 or.b64 %d9, %d9, 2;\n  @%p3 or.b64 %d9, %d9, 4;\n  @%p4 or.b64 %d9, %d9, 8;\n"   \
    "  st.global.u64 [%o+" out "], %d9;\n"
#define ROUND_TRIP(space, symbol, out)                                                        \
    "  mov.u64 %d10, " symbol ";\n  cvta." space ".u64 %d8, %d10;\n  cvta.to." space ".u64 %d11, %d8;\n"  \
    "  setp.eq.u64 %p1, %d10, %d11;\n  selp.u64 %d9, 1, 0, %p1;\n  st.global.u64 [%o+" out "], %d9;\n"

static bool expect_packs(uint32_t i, uint32_t k, uint64_t *w)
{
    (void)i;
    static const uint64_t words[] = {
        0x22221111, 0x4444333322221111, 0x2222222211111111, 0x8765432187654321, 0xcdef,
        0x1122,     0x1111111111111111, 0x2222222222222222
    };
    *w = words[k];
    return true;
}

static bool expect_allocations(uint32_t i, uint32_t k, uint64_t *w)
{
    (void)i;
    *w = k < 4 ? 0 : k - 3;
    return k < 7;
}

static bool expect_freed(uint32_t i, uint32_t k, uint64_t *w)
{
    (void)i;
    *w = 0;
    return k < 2;
}

static bool expect_restored(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = k == 2 && i >= 9 ? 5 : 0;
    return k < 3;
}

static bool expect_neutral(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = i;
    return k == 0;
}

static bool expect_b128(uint32_t i, uint32_t k, uint64_t *w)
{
    (void)i;
    *w = k < 2 ? fill_word(32 + 8 * k, 8) : 0;
    return true;
}

/* The kernel's own parameters, by every width and as a generic address: compared with the address in %o. */
static bool expect_kernel_params(uint32_t i, uint32_t k, uint64_t *w)
{
    (void)i;
    *w = 1;
    return k < 6;
}

#define SAME(out) \
    "  setp.eq.u64 %p1, %d8, %d9;\n  selp.u64 %d10, 1, 0, %p1;\n  st.global.u64 [%o+" out "], %d10;\n"

/* An element of shared and of local memory, each loaded, stored and added to through a pointer before its window. */
static bool expect_before_window(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = k == 0 ? i : k == 1 ? i + 5 : k == 2 ? i * 3 : 0;
    return k < 3;
}

/* Generic addresses from 4 GiB after the start of shared memory on: not those of shared memory again. */
#define FAR_ADDRESS(what, access)                                                                              \
    { .name = what " at a generic address after shared memory", .module = ".shared .align 16 .b8 cells[512];\n", \
      .fault = SIMTX_FAULT_OUT_OF_BOUNDS,                                                                      \
      .body = "  mov.u64 %d1, cells;\n  cvta.shared.u64 %d2, %d1;\n  add.u64 %d3, %d2, 0x100000000;\n  " access "\n" }

static const struct behave_test tests[] = {
    { .name = "generic pointers before the window of the address", .module = ".shared .b32 cells[64];\n",
      .body = "  .local .b32 lv[2];\n  mov.u64 %d1, cells;\n  cvta.shared.u64 %d1, %d1;\n"
              "  mul.wide.u32 %d2, %t, 4;\n  add.u64 %d1, %d1, %d2;\n  sub.u64 %d1, %d1, 256;\n"
              "  st.u32 [%d1+256], %i;\n  ld.u32 %r2, [%d1+256];\n  st.global.u32 [%o], %r2;\n"
              "  atom.add.u32 %r3, [%d1+256], 5;\n  ld.u32 %r3, [%d1+256];\n  st.global.u32 [%o+8], %r3;\n"
              "  mov.u64 %d3, lv;\n  cvta.local.u64 %d3, %d3;\n  sub.u64 %d3, %d3, 16;\n"
              "  mul.lo.u32 %r4, %i, 3;\n  st.u32 [%d3+20], %r4;\n  ld.u32 %r5, [%d3+20];\n"
              "  st.global.u32 [%o+16], %r5;\n",
      .expect = expect_before_window },
    FAR_ADDRESS("ld", "ld.u32 %r2, [%d3];"),
    FAR_ADDRESS("st", "st.u32 [%d3], 1;"),
    FAR_ADDRESS("atom", "atom.add.u32 %r2, [%d3], 1;"),
    FAR_ADDRESS("ldmatrix", "ldmatrix.sync.aligned.m8n8.x1.b16 {%r2}, [%d3];"),
    { .name = "kernel parameters by halves, bytes and generic address",
      .body = "  ld.param.u64 %d9, [t_out];\n"
              "  ld.param.u32 %r2, [t_out];\n  ld.param.u32 %r3, [t_out+4];\n  mov.b64 %d8, {%r2,%r3};\n"
              SAME("0")
              "  ld.param.v2.u32 {%r2,%r3}, [t_out];\n  mov.b64 %d8, {%r2,%r3};\n"
              SAME("8")
              "  mov.u64 %d1, t_out;\n  cvta.param.u64 %d1, %d1;\n  ld.u64 %d8, [%d1];\n"
              SAME("16")
              "  ld.param.u8 %d8, [t_out+1];\n  shr.u64 %d9, %d9, 8;\n  and.b64 %d9, %d9, 255;\n"
              SAME("24")
              "  isspacep.param %p2, %d1;\n  selp.u64 %d10, 1, 0, %p2;\n  st.global.u64 [%o+32], %d10;\n"
              "  isspacep.param %p2, %o;\n  selp.u64 %d10, 0, 1, %p2;\n  st.global.u64 [%o+40], %d10;\n",
      .expect = expect_kernel_params },
    { .name = "a struct in param space of a call",
      .module = ".func f(.param .align 8 .b8 s[32], .param .b64 o)\n{\n"
                "  .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .b16 %h<4>;\n  ld.param.u64 %d1, [o];\n"
                "  ld.param.u8 %h1, [s];\n  cvt.u64.u16 %d2, %h1;\n  st.global.u64 [%d1+8], %d2;\n"
                "  ld.param.u16 %d2, [s+2];\n  st.global.u64 [%d1+16], %d2;\n  ld.param.u32 %d2, [s+4];\n"
                "  st.global.u64 [%d1+24], %d2;\n  ld.param.u64 %d2, [s+8];\n"
                "  st.global.u64 [%d1+32], %d2;\n  ld.param.s8 %d2, [s+16];\n"
                "  st.global.u64 [%d1+40], %d2;\n  ld.param.b32 %r1, [s+20];\n  cvt.u64.u32 %d2, %r1;\n"
                "  st.global.u64 [%d1], %d2;\n  ret;\n}\n",
      .body = "  mov.b16 %h1, 0x11;\n  mov.b16 %h2, 0x2222;\n  add.u32 %r2, %i, 0x11;\n"
              "  mov.b16 %h3, 0x91;\n  {\n  .param .align 8 .b8 a[32];\n  .param .b64 b;\n"
              "  st.param.b8 [a], %h1;\n  st.param.b16 [a+2], %h2;\n  st.param.b32 [a+4], 0x33333333;\n"
              "  st.param.b64 [a+8], 0x4444444444444444;\n  st.param.b8 [a+16], %h3;\n"
              "  st.param.b32 [a+20], %r2;\n  st.param.b64 [b], %o;\n  call f, (a, b);\n  }\n",
      .expect = expect_params },
    { .name = "isspacep and cvta in every space",
      .module = ".global .b64 gv;\n.shared .b64 sv;\n.const .b64 cv = 1;\n",
      .body = "  .local .b64 lv;\n"
              "  mov.u64 %d10, gv;\n  cvta.global.u64 %d8, %d10;\n"
              SPACES_OF("0")
              "  mov.u64 %d10, sv;\n  cvta.shared.u64 %d8, %d10;\n"
              SPACES_OF("8")
              "  mov.u64 %d10, lv;\n  cvta.local.u64 %d8, %d10;\n"
              SPACES_OF("16")
              "  mov.u64 %d10, cv;\n  cvta.const.u64 %d8, %d10;\n"
              SPACES_OF("24")
              ROUND_TRIP("global", "gv", "32") ROUND_TRIP("shared", "sv", "40")
              ROUND_TRIP("local", "lv", "48") ROUND_TRIP("const", "cv", "56"),
      .expect = expect_addresses },
    { .name = "mov packs and unpacks",
      .body =
          "  mov.b16 %h1, 0x1111;\n  mov.b16 %h2, 0x2222;\n  mov.b16 %h3, 0x3333;\n  mov.b16 %h4, 0x4444;\n"
          "  mov.b32 %r2, {%h1,%h2};\n  st.global.u32 [%o], %r2;\n  mov.b64 %d2, {%h1,%h2,%h3,%h4};\n"
          "  st.global.u64 [%o+8], %d2;\n  mov.b32 %r3, 0x11111111;\n  mov.b32 %r4, 0x22222222;\n"
          "  mov.b64 %d3, {%r3,%r4};\n  st.global.u64 [%o+16], %d3;\n  mov.b64 %d4, 0x8765432112345678;\n"
          "  mov.b64 {_,%r5}, %d4;\n  mov.b64 %d5, {%r5,%r5};\n  st.global.u64 [%o+24], %d5;\n"
          "  mov.b32 %r6, 0xabcdcdef;\n  mov.b32 {%h5,_}, %r6;\n  st.global.u16 [%o+32], %h5;\n"
          "  .reg .b8 %c<2>;\n  mov.b16 %h6, 0x2211;\n  mov.b16 {%c0,%c1}, %h6;\n  mov.b16 %h9, {%c1,%c0};\n"
          "  st.global.u16 [%o+40], %h9;\n  .reg .b128 %q<4>;\n  mov.b64 %d6, 0x1111111111111111;\n"
          "  mov.b64 %d7, 0x2222222222222222;\n  mov.b128 %q1, {%d6,%d7};\n  mov.b128 %q2, %q1;\n"
          "  mov.b128 {%d8,%d9}, %q2;\n  st.global.v2.u64 [%o+48], {%d8,%d9};\n",
      .expect = expect_packs },
    { .name = "128-bit load and store",
      .body = "  .reg .b128 %q<2>;\n  ld.global.b128 %q1, [%b+32];\n  st.global.b128 [%o], %q1;\n",
      .expect = expect_b128 },
    { .name = "fences, prefetches and other instructions without effect on values",
      .body = "  membar.cta;\n  membar.gl;\n  membar.sys;\n  fence.sc.gpu;\n  fence.acq_rel.cta;\n"
              "  fence.acq_rel.sys;\n  prefetch.global.L1 [%b];\n  prefetch.global.L2 [%b+64];\n"
              "  prefetch.L1 [%b];\n  prefetchu.L1 [%b];\n  prefetch.global.L2::evict_last [%b];\n"
              "  pmevent 3;\n  setmaxnreg.inc.sync.aligned.u32 240;\n  setmaxnreg.dec.sync.aligned.u32 24;\n"
              "  griddepcontrol.launch_dependents;\n  griddepcontrol.wait;\n"
              "  nanosleep.u32 20;\n  st.global.u32 [%o], %i;\n",
      .expect = expect_neutral },
    { .name = "alloca: alignment, and addresses of two allocations",
      .body = "  and.b32 %r1, %i, 15;\n  add.u32 %r1, %r1, 1;\n  alloca.u32 %r2, %r1;\n  alloca.u32 %r3, %r1, 64;\n"
              "  cvt.u64.u32 %d1, %r1;\n  alloca.u64 %d2, %d1, 1;\n  alloca.u64 %d3, 0, 16;\n"
              "  and.b32 %r4, %r2, 7;\n  st.global.u32 [%o], %r4;\n  and.b32 %r4, %r3, 63;\n"
              "  st.global.u32 [%o+8], %r4;\n  and.b64 %d4, %d2, 7;\n  st.global.u64 [%o+16], %d4;\n"
              "  and.b64 %d4, %d3, 15;\n  st.global.u64 [%o+24], %d4;\n"
              "  st.local.u8 [%r2], 1;\n  st.local.u8 [%r3], 2;\n  st.local.u8 [%d2], 3;\n"
              "  ld.local.u8 %r5, [%r2];\n  ld.local.u8 %r6, [%r3];\n  ld.local.u8 %r7, [%d2];\n"
              "  st.global.u32 [%o+32], %r5;\n  st.global.u32 [%o+40], %r6;\n  st.global.u32 [%o+48], %r7;\n",
      .expect = expect_allocations },
    { .name = "stackrestore frees what was allocated since stacksave",
      .body = "  alloca.u64 %d1, 40;\n  stacksave.u64 %d2;\n  stacksave.u32 %r2;\n  alloca.u64 %d3, 100;\n"
              "  setp.eq.u64 %p1, %d1, %d3;\n  selp.u64 %d9, 1, 0, %p1;\n  st.global.u64 [%o], %d9;\n"
              "  stackrestore.u64 %d2;\n  alloca.u64 %d4, 100;\n  sub.u64 %d5, %d3, %d4;\n"
              "  st.global.u64 [%o+8], %d5;\n  stackrestore.u32 %r2;\n  mov.u64 %d6, 5;\n"
              "  setp.lt.u32 %p2, %i, 9;\n  @%p2 alloca.u64 %d6, 100;\n  sub.u64 %d7, %d3, %d6;\n"
              "  @!%p2 mov.u64 %d7, %d6;\n  st.global.u64 [%o+16], %d7;\n",
      .expect = expect_restored },
    { .name = "what a function allocates is free again when it returns",
      .module = ".func (.param .b64 q) f(.param .b64 n)\n{\n  .reg .b64 %d<3>;\n  ld.param.u64 %d1, [n];\n"
                "  alloca.u64 %d2, %d1;\n  st.param.u64 [q], %d2;\n  ret;\n}\n",
      .body = "  mov.u32 %r1, 0;\n  mov.u64 %d5, 0;\nAGAIN:\n  { .param .b64 a; .param .b64 q;\n"
              "  st.param.u64 [a], 64;\n  call (q), f, (a);\n  ld.param.u64 %d4, [q]; }\n"
              "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 mov.u64 %d5, %d4;\n"
              "  sub.u64 %d6, %d5, %d4;\n  add.u32 %r1, %r1, 1;\n  setp.lt.u32 %p1, %r1, 200;\n  @%p1 bra AGAIN;\n"
              "  alloca.u64 %d7, 64;\n  sub.u64 %d8, %d5, %d7;\n  st.global.u64 [%o], %d6;\n"
              "  st.global.u64 [%o+8], %d8;\n",
      .expect = expect_freed },
    { .name = "alloca of more than gpu.stack_limit",
      .body = "  mul.wide.u32 %d1, %i, 600;\n  alloca.u64 %d2, %d1;\n  st.global.u64 [%o], %d2;\n",
      .fault = SIMTX_FAULT_STACK_OVERFLOW },
    { .name = "alloca of nearly 2^64 bytes",
      .body = "  alloca.u64 %d2, -8, 4096;\n  st.global.u64 [%o], %d2;\n",
      .fault = SIMTX_FAULT_STACK_OVERFLOW },
    { .name = "stackrestore of a value that stacksave did not give",
      .body = "  stacksave.u64 %d1;\n  add.u64 %d1, %d1, 8;\n  stackrestore.u64 %d1;\n",
      .fault = SIMTX_FAULT_MALLOC },
};

void behave_memory(struct behave_ctx *x)
{
    char *module = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&module, &len);
    print_module(f);
    fclose(f);
    widths(x, module);
    free(module);
    global_stores(x);
    orderings(x);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}
