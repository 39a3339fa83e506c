/*
 * Stepping (ptx/step.h, ptx/access.h) against functional mode: the same programs must leave the same memory, print the same, count the
 * same instructions and fault with the same words.
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
#include "regress/unit/step_cases.h"
#include "regress/unit/step_driver.h"

enum { OUT_BYTES = 512 * GEN_OUT_BYTES, RANDOM_PROGRAMS = 60 };

struct outcome {
    bool ok;
    char *out, sum[GEN_SUM_BYTES];
    struct launch_counts counts;
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
    char *in = step_gpu_alloc(&g, GEN_IN_BYTES), *out = step_gpu_alloc(&g, OUT_BYTES), *sum = step_gpu_alloc(&g, GEN_SUM_BYTES);
    fill(in, GEN_IN_BYTES, seed);
    fill(sum, GEN_SUM_BYTES, seed + 1);
    memcpy(g.param, (char *[]){ in, out, sum }, 3 * sizeof in);
    r.ok = stepped ? step_run(&g) : grid_run(&g.launch);
    r.out = malloc(OUT_BYTES);
    assert_non_null(r.out);
    memcpy(r.out, out, OUT_BYTES);
    memcpy(r.sum, sum, GEN_SUM_BYTES);
    r.counts = g.launch.counts;
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
                          : ended && memcmp(&got.counts, &want->counts, sizeof got.counts) ? "counts"
                                                                                       : NULL;
    if (differs)
        print_message("%s differs (%u lanes, %s): stepped %llu/%llu instructions, %llu barriers, '%s' '%s'; functional %llu/%llu, %llu, "
                      "'%s' '%s'\n",
                      differs, s->warp_size, s->independent ? "independent" : "stack", (unsigned long long)got.counts.warp_instructions,
                      (unsigned long long)got.counts.thread_instructions, (unsigned long long)got.counts.barriers, got.fault,
                      got.printed, (unsigned long long)want->counts.warp_instructions,
                      (unsigned long long)want->counts.thread_instructions, (unsigned long long)want->counts.barriers, want->fault,
                      want->printed);
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
        struct step_shape s = { .grid = p->grid, .block = p->block, .warp_size = seed % 2 ? 32 : 64, .independent = seed / 2 % 2,
                                .quantum = 1ull << 40 };     /* turns of independent lanes depend on who comes last to a barrier */
        struct outcome want;
        if (!same(text, &s, seed, &want)) {
            print_message("random program %llu\n", (unsigned long long)seed);
            fail();
        }
        assert_true(want.ok && want.counts.warp_instructions > 0);
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
        struct step_shape s = { .grid = 2, .block = c->block ? c->block : 64, .warp_size = shape % 2 ? 64 : 32, .independent = shape / 2 };
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

int main(void)
{
    struct CMUnitTest tests[1 + 64] = { cmocka_unit_test(test_random) };
    for (unsigned i = 0; i < step_ncases; i++)
        tests[1 + i] = (struct CMUnitTest){ step_cases[i].name, test_case, NULL, NULL, (void *)(uintptr_t)&step_cases[i] };
    return _cmocka_run_group_tests("step", tests, 1 + step_ncases, NULL, NULL);
}
