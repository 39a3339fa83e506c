/*
 * Stepping (ptx/exec/step.h, ptx/memory/access.h) against functional mode: the same programs must leave the same
 * memory, print the same, count the same instructions and fault with the same words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#include "regress/random/gen.h"
#include "regress/unit/ptx/step_cases.h"
#include "regress/unit/ptx/step_driver.h"

enum { OUT_BYTES = 512 * GEN_OUT_BYTES, RANDOM_PROGRAMS = 60 };

struct outcome {
    bool ok;
    char *out, sum[GEN_SUM_BYTES];
    uint64_t count[STAT_END];
    char *printed;
    char fault[sizeof((struct fault *)0)->text];
};

static void fill(char *at, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes; i += 8) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(at + i, (uint64_t[]){ seed ^ seed >> 29 }, 8);
    }
}

static struct outcome run(const char *ptx, const struct step_shape *s, uint64_t seed, bool stepped)
{
    struct outcome r = { 0 };
    struct step_gpu g;
    char *why;
    if (!step_gpu_open(&g, ptx, "k", s, &why)) {
        print_message("%s", why);
        fail();
    }
    char *in = step_gpu_alloc(&g, GEN_IN_BYTES), *out = step_gpu_alloc(&g, OUT_BYTES);
    char *sum = step_gpu_alloc(&g, GEN_SUM_BYTES);
    fill(in, GEN_IN_BYTES, seed);
    fill(sum, GEN_SUM_BYTES, seed + 1);
    memcpy(g.param, (char *[]){ in, out, sum }, 3 * sizeof in);
    r.ok = stepped ? step_run(&g) : grid_run(&g.launch);
    r.out = malloc(OUT_BYTES);
    assert_non_null(r.out);
    memcpy(r.out, out, OUT_BYTES);
    memcpy(r.sum, sum, GEN_SUM_BYTES);
    memcpy(r.count, g.count, sizeof r.count);
    r.printed = g.printed ? strdup(g.printed) : strdup("");
    memcpy(r.fault, g.launch.fault.text, sizeof r.fault);
    step_gpu_close(&g);
    free(why);
    return r;
}

static void forget(struct outcome *r)
{
    free(r->out);
    free(r->printed);
}

static void show(const char *how, const struct outcome *r)
{
    const uint64_t *n = r->count;
    print_message("%s: %llu/%llu instructions, %llu barriers; %s%s\n", how,
                  (unsigned long long)n[STAT_WARP_INSTRUCTIONS], (unsigned long long)n[STAT_THREAD_INSTRUCTIONS],
                  (unsigned long long)n[STAT_BARRIERS], r->fault, r->printed);
}

/* Runs it both ways; what differs is said in words. */
static bool same(const char *ptx, const struct step_shape *s, uint64_t seed, struct outcome *want)
{
    *want = run(ptx, s, seed, false);
    struct outcome got = run(ptx, s, seed, true);
    bool ended = got.ok && want->ok;             /* how far other warps came before a fault is open */
    const char *differs = got.ok != want->ok || strcmp(got.fault, want->fault)          ? "fault"
                          : strcmp(got.printed, want->printed)                         ? "printed text"
                          : ended && memcmp(got.sum, want->sum, sizeof got.sum)         ? "sums"
                          : ended && memcmp(got.out, want->out, OUT_BYTES)              ? "output"
                          : ended && memcmp(got.count, want->count, sizeof got.count) ? "counts"
                                                                                       : NULL;
    if (differs) {
        print_message("%s differs (%u lanes, %s)\n", differs, s->warp_size, s->independent ? "independent" : "stack");
        show("stepped", &got);
        show("functional", want);
    }
    for (unsigned i = 0; differs && i < OUT_BYTES; i += 4)
        if (memcmp(got.out + i, want->out + i, 4)) {
            print_message("output byte %u: 0x%x, functional 0x%x\n", i, *(unsigned *)(void *)(got.out + i),
                          *(unsigned *)(void *)(want->out + i));
            break;
        }
    forget(&got);
    return !differs;
}

static void test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1, n = 0; n < RANDOM_PROGRAMS; seed++) {
        struct gen_program *p = gen_make(seed);
        char *text = gen_text(p, NULL);
        if (strstr(text, "tx_begin")) {          /* stepping leaves transactions to a protocol */
            free(text);
            gen_free(p);
            continue;
        }
        n++;
        /* the turns of independent lanes depend on who comes last to a barrier, so they are long */
        struct step_shape s = { .grid = p->grid, .block = p->block, .warp_size = seed % 2 ? 32 : 64,
                                .independent = seed / 2 % 2, .quantum = 1ull << 40 };
        struct outcome want;
        if (!same(text, &s, seed, &want)) {
            print_message("random program %llu\n", (unsigned long long)seed);
            fail();
        }
        assert_true(want.ok && want.count[STAT_WARP_INSTRUCTIONS] > 0);
        forget(&want);
        free(text);
        gen_free(p);
    }
    mpfr_free_cache();
}

static void test_case(void **state)
{
    const struct step_case *c = *state;
    for (int shape = 0; shape < 4; shape++) {
        struct step_shape s = { .grid = 2, .sms = 2, .block = c->block ? c->block : 64,
                                .warp_size = shape % 2 ? 64 : 32, .independent = shape / 2 };
        struct outcome want;
        if (!same(c->ptx, &s, 7, &want))
            fail();
        assert_int_equal(want.ok, !c->fault);
        if (c->fault && !strstr(want.fault, c->fault))
            fail_msg("fault: %s", want.fault);
        if (c->prints && !strstr(want.printed, c->prints))
            fail_msg("printed: %s", want.printed);
        forget(&want);
    }
}

/* With one warp the turns of independent lanes are the same however short. */
static void test_short_turns(void **state)
{
    (void)state;
    for (unsigned i = 0; i < step_ncases; i++) {
        struct step_shape s = { .grid = 2, .block = 32, .warp_size = 32, .independent = true, .quantum = 7 };
        struct outcome want;
        if (step_cases[i].block || step_cases[i].fault)
            continue;
        if (!same(step_cases[i].ptx, &s, 11, &want))
            fail_msg("%s", step_cases[i].name);
        forget(&want);
    }
}

/* Lanes of a warp take turns with a lock: those that hold it must come to run while the others spin. */
static void test_lock_in_warp(void **state)
{
    struct step_shape s = { .grid = 1, .block = 64, .warp_size = 32, .independent = true };
    struct outcome r = run(".version 8.3\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum)\n"
                           "{ .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<5>;\n"
                           "  ld.param.u64 %rd3, [sum]; ld.param.u64 %rd4, [out];\n"
                           "L: atom.global.cas.b32 %r2, [%rd4], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;\n"
                           "  ld.global.cg.u32 %r3, [%rd4+4]; add.u32 %r3, %r3, 1; st.global.cg.u32 [%rd4+4], %r3;"
                           " membar.gl;\n"
                           "  atom.global.exch.b32 %r2, [%rd4], 0; ret; }\n", &s, 1, true);
    (void)state;
    assert_true(r.ok);
    assert_int_equal(*(uint32_t *)(void *)(r.out + 4), 64);
    assert_true(r.count[STAT_WARP_INSTRUCTIONS] < 20000);
    forget(&r);
}

int main(void)
{
    enum { OTHERS = 3, CASES_MAX = 96 };
    struct CMUnitTest tests[OTHERS + CASES_MAX] = { cmocka_unit_test(test_random), cmocka_unit_test(test_short_turns),
                                                    cmocka_unit_test(test_lock_in_warp) };
    assert_true(step_ncases <= CASES_MAX);
    for (unsigned i = 0; i < step_ncases; i++)
        tests[OTHERS + i] = (struct CMUnitTest){ step_cases[i].name, test_case, NULL, NULL,
                                                 (void *)(uintptr_t)&step_cases[i] };
    return _cmocka_run_group_tests("step", tests, OTHERS + step_ncases, NULL, NULL);
}
