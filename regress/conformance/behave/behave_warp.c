/*
 * Behaviour of warp-wide instructions: shfl by the ISA's pseudo code for every mode and segment mask, vote,
 * match, redux, activemask and bar.warp, with all lanes and with half of them. Lane numbers are those of
 * 32-lane PTX warps, also when two of them share a wavefront of 64.
 */
#include "regress/conformance/behave/behave.h"

#include <stdlib.h>

enum { THREADS = 64 };

static uint32_t value_of(uint32_t i) { return i * 1000 + 7; }

/* PTX ISA 9.7.9.6: the source lane, or the lane itself when it is out of range. */
static uint32_t shfl_source(int mode, uint32_t lane, uint32_t b, uint32_t c, bool *in_range)
{
    int bval = (int)(b & 31), cval = (int)(c & 31), mask = (int)(c >> 8 & 31), l = (int)lane;
    int max = (l & mask) | (cval & ~mask), min = l & mask, j;
    switch (mode) {
    case 0: j = l - bval; *in_range = j >= max; break;
    case 1: j = l + bval; *in_range = j <= max; break;
    case 2: j = l ^ bval; *in_range = j <= max; break;
    default: j = min | (bval & ~mask); *in_range = j <= max; break;
    }
    return *in_range ? (uint32_t)j : lane;
}

/* b: a constant, or 100 for one that differs by lane. active: lanes of each warp that execute. */
static void shfl_test(struct behave_ctx *x, int mode, uint32_t b, uint32_t c, uint32_t active, bool sync)
{
    static const char *const modes[] = { "up", "down", "bfly", "idx" };
    char body[1024], name[96];
    FILE *f = fmemopen(body, sizeof body, "w");
    fprintf(f,
            "  mad.lo.u32 %%r5, %%i, 1000, 7;\n  and.b32 %%r6, %%t, 31;\n  mov.u32 %%r7, 1;\n"
            "  shl.b32 %%r7, %%r7, %%r6;\n  and.b32 %%r7, %%r7, 0x%x;\n  setp.eq.u32 %%p2, %%r7, 0;\n"
            "  @%%p2 bra DONE;\n",
            active);
    fprintf(f,
            b == 100 ? "  mul.lo.u32 %%r8, %%r6, 5;\n  and.b32 %%r8, %%r8, 31;\n" : "  mov.u32 %%r8, %u;\n",
            b);
    fprintf(f, "  shfl%s.%s.b32 %%r9|%%p1, %%r5, %%r8, 0x%x", sync ? ".sync" : "", modes[mode], c);
    if (sync)
        fprintf(f, ", 0x%x", active);
    fputs(
        ";\n  selp.u32 %r10, 1, 0, %p1;\n  st.global.u32 [%o], %r9;\n  st.global.u32 [%o+8], %r10;\nDONE:\n",
        f);
    fclose(f);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t i = 0; i < THREADS; i++) {
        if (!(active >> i % 32 & 1))
            continue;
        bool ok;
        uint32_t j = shfl_source(mode, i % 32, b == 100 ? i * 5 & 31 : b, c, &ok);
        words[i * BEHAVE_WORDS] = active >> j & 1 ? value_of(i / 32 * 32 + j) : 0;    /* PTX does not define the 0 */
        words[i * BEHAVE_WORDS + 1] = ok;
    }
    snprintf(name, sizeof name, "shfl.%s b=%u c=0x%x of lanes 0x%x", modes[mode], b, c, active);
    behave_table(x, name, NULL, body, THREADS, words, 3);
}

static void shuffles(struct behave_ctx *x)
{
    static const uint32_t bs[] = { 0, 1, 3, 16, 31, 33, 100 };
    static const uint32_t cs[] = { 0x1f, 0, 0x1c1f, 0x1c00, 0x101f, 0x1000, 0x181f, 0x0c05, 0x1f1f };
    for (int mode = 0; mode < 4; mode++)
        for (size_t i = 0; i < sizeof bs / sizeof *bs; i++)
            for (size_t j = 0; j < sizeof cs / sizeof *cs; j++) {
                shfl_test(x, mode, bs[i], cs[j], 0xffffffff, true);
                if ((i + j) % 3 == 0)
                    shfl_test(x, mode, bs[i], cs[j], 0x0f0f3355, true);
                if (j == 0)
                    shfl_test(x, mode, bs[i], cs[j], 0xffffffff, false);
            }
}

/* vote over p = (lane in yes) of the active lanes; both the old form and .sync. */
static void vote_test(struct behave_ctx *x, uint32_t active, uint32_t yes, bool sync, bool negated)
{
    static const char *const modes[] = { "all", "any", "uni" };
    char body[2048], name[64];
    FILE *f = fmemopen(body, sizeof body, "w");
    fprintf(f,
            "  and.b32 %%r6, %%t, 31;\n  mov.u32 %%r7, 1;\n  shl.b32 %%r7, %%r7, %%r6;\n"
            "  and.b32 %%r8, %%r7, 0x%x;\n  setp.eq.u32 %%p2, %%r8, 0;\n  @%%p2 bra DONE;\n"
            "  and.b32 %%r8, %%r7, 0x%x;\n  setp.ne.u32 %%p3, %%r8, 0;\n",
            active, yes);
    for (int m = 0; m < 3; m++) {
        fprintf(f, "  vote%s.%s.pred %%p4, %s%%p3", sync ? ".sync" : "", modes[m], negated ? "!" : "");
        if (sync)
            fprintf(f, ", 0x%x", active);
        fprintf(f, ";\n  selp.u64 %%d8, 1, 0, %%p4;\n  st.global.u64 [%%o+%d], %%d8;\n", 8 * m);
    }
    fprintf(f, "  vote%s.ballot.b32 %%r9, %s%%p3", sync ? ".sync" : "", negated ? "!" : "");
    if (sync)
        fprintf(f, ", 0x%x", active);
    fputs(";\n  st.global.u32 [%o+24], %r9;\n  activemask.b32 %r10;\n  st.global.u32 [%o+32], %r10;\nDONE:\n",
          f);
    fclose(f);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    uint32_t p = (negated ? ~yes : yes) & active;
    for (uint32_t i = 0; i < THREADS; i++)
        if (active >> i % 32 & 1) {
            uint64_t *w = &words[i * BEHAVE_WORDS];
            w[0] = p == active;
            w[1] = p != 0;
            w[2] = p == active || p == 0;
            w[3] = p;
            w[4] = active;
        }
    snprintf(name, sizeof name, "vote%s 0x%x of lanes 0x%x", sync ? ".sync" : "", yes, active);
    behave_table(x, name, NULL, body, THREADS, words, 0x1f);
}

static uint64_t match_value(uint32_t i, bool wide)
{
    return (uint64_t)(i % 32 % 5) * (wide ? 0x100000001 : 1);
}

static void match_test(struct behave_ctx *x, bool wide, uint32_t active, bool all_same)
{
    char body[2048], name[64], r = wide ? 'd' : 'r';
    FILE *f = fmemopen(body, sizeof body, "w");
    fprintf(f,
            "  and.b32 %%r6, %%t, 31;\n  mov.u32 %%r7, 1;\n  shl.b32 %%r7, %%r7, %%r6;\n"
            "  and.b32 %%r8, %%r7, 0x%x;\n  setp.eq.u32 %%p2, %%r8, 0;\n  @%%p2 bra DONE;\n"
            "  rem.u32 %%r20, %%r6, %d;\n  cvt.u64.u32 %%d20, %%r20;\n"
            "  mul.lo.u64 %%d20, %%d20, 0x100000001;\n",
            active, all_same ? 1 : 5);
    fprintf(f, "  match.any.sync.b%d %%r9, %%%c20, 0x%x;\n  st.global.u32 [%%o], %%r9;\n", wide ? 64 : 32, r,
            active);
    fprintf(f,
            "  match.all.sync.b%d %%r9|%%p4, %%%c20, 0x%x;\n  st.global.u32 [%%o+8], %%r9;\n"
            "  selp.u64 %%d8, 1, 0, %%p4;\n  st.global.u64 [%%o+16], %%d8;\n"
            "  match.all.sync.b%d %%r9, %%%c20, 0x%x;\n  st.global.u32 [%%o+24], %%r9;\nDONE:\n",
            wide ? 64 : 32, r, active, wide ? 64 : 32, r, active);
    fclose(f);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t i = 0; i < THREADS; i++) {
        if (!(active >> i % 32 & 1))
            continue;
        uint64_t *w = &words[i * BEHAVE_WORDS];
        bool same = true;
        for (uint32_t j = 0; j < 32; j++) {
            bool eq = all_same || match_value(j, wide) == match_value(i, wide);
            if (active >> j & 1) {
                w[0] |= (uint64_t)eq << j;
                same = same && eq;
            }
        }
        w[1] = w[3] = same ? active : 0;
        w[2] = same;
    }
    snprintf(name, sizeof name, "match b%d of lanes 0x%x%s", wide ? 64 : 32, active,
             all_same ? ", all equal" : "");
    behave_table(x, name, NULL, body, THREADS, words, 0xf);
}

static uint32_t redux_fold(int op, uint32_t r, uint32_t v)
{
    switch (op) {
    case 0: case 3: return r + v;
    case 1: return v < r ? v : r;
    case 2: return v > r ? v : r;
    case 4: return (int32_t)v < (int32_t)r ? v : r;
    case 5: return (int32_t)v > (int32_t)r ? v : r;
    case 6: return r & v;
    case 7: return r | v;
    default: return r ^ v;
    }
}

static void redux_test(struct behave_ctx *x, int op, uint32_t active)
{
    static const char *const ops[] = { "add.u32", "min.u32", "max.u32", "add.s32", "min.s32",
                                       "max.s32", "and.b32", "or.b32",  "xor.b32" };
    char body[1024], name[64];
    snprintf(body, sizeof body,
             "  and.b32 %%r6, %%t, 31;\n  mov.u32 %%r7, 1;\n  shl.b32 %%r7, %%r7, %%r6;\n"
             "  and.b32 %%r8, %%r7, 0x%x;\n  setp.eq.u32 %%p2, %%r8, 0;\n  @%%p2 bra DONE;\n"
             "  mul.lo.u32 %%r9, %%i, 0x9e3779b9;\n  redux.sync.%s %%r10, %%r9, 0x%x;\n"
             "  st.global.u32 [%%o], %%r10;\nDONE:\n",
             active, ops[op], active);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t half = 0; half < THREADS / 32; half++) {
        uint32_t r = 0;
        bool first = true;
        for (uint32_t j = 0; j < 32; j++)
            if (active >> j & 1) {
                uint32_t v = (half * 32 + j) * 0x9e3779b9u;
                r = first ? v : redux_fold(op, r, v);
                first = false;
            }
        for (uint32_t j = 0; j < 32; j++)
            words[(half * 32 + j) * BEHAVE_WORDS] = active >> j & 1 ? r : 0;
    }
    snprintf(name, sizeof name, "redux %s of lanes 0x%x", ops[op], active);
    behave_table(x, name, NULL, body, THREADS, words, 1);
}

/* Tiles of one warp execute the same instruction with masks of their own. */
static bool expect_tiles(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t tile = 0xffu << (i % 32 / 8 * 8);
    *w = k == 0 ? (tile & 0x55555555) : 28 + 64 * (i / 8);       /* 8 x first + (0 + 1 .. + 7) */
    return k < 2;
}

/* Odd lanes and even lanes exchange through shared memory around bar.warp.sync. */
static bool expect_warp_barrier(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = (i ^ 1) * 3;
    return k == 0;
}

static const struct behave_test tests[] = {
    { .name = "vote and redux by tiles with masks of their own",
      .body =
          "  and.b32 %r6, %t, 24;\n  mov.u32 %r7, 255;\n  shl.b32 %r7, %r7, %r6;\n  and.b32 %r8, %t, 1;\n"
          "  setp.eq.u32 %p1, %r8, 0;\n  vote.sync.ballot.b32 %r9, %p1, %r7;\n  st.global.u32 [%o], %r9;\n"
          "  redux.sync.add.u32 %r10, %i, %r7;\n  st.global.u32 [%o+8], %r10;\n",
      .expect = expect_tiles },
    { .name = "bar.warp.sync",
      .module = ".shared .align 4 .b32 cell[64];\n",
      .body =
          "  mov.u32 %r2, cell;\n  shl.b32 %r3, %t, 2;\n  add.u32 %r4, %r2, %r3;\n  mul.lo.u32 %r5, %t, 3;\n"
          "  st.shared.u32 [%r4], %r5;\n  bar.warp.sync 0xffffffff;\n  xor.b32 %r4, %r3, 4;\n"
          "  add.u32 %r4, %r2, %r4;\n  ld.shared.u32 %r6, [%r4];\n  st.global.u32 [%o], %r6;\n",
      .expect = expect_warp_barrier },
};

void behave_warp(struct behave_ctx *x)
{
    static const uint32_t actives[] = { 0xffffffff, 0x55555555, 0x0f0f3355, 0x80000000, 1 };
    shuffles(x);
    for (int i = 0; i < 5; i++) {
        uint32_t a = actives[i];
        for (int s = 0; s < 2; s++) {
            vote_test(x, a, 0xffffffff, s, false);
            vote_test(x, a, 0, s, false);
            vote_test(x, a, 0x33cc0ff1, s, false);
            vote_test(x, a, 0x33cc0ff1, s, true);
            match_test(x, s, a, false);
            match_test(x, s, a, true);
        }
        for (int op = 0; op < 9; op++)
            redux_test(x, op, a);
    }
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}
