/*
 * Coherence protocols in the whole machine: kernels give functional mode's results, the witnesses of stale lines see
 * fresh ones, fences keep their promise, and the host's ways of simulating change nothing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "regress/coherence/toys.h"
#include "regress/witness/programs.h"


static const struct coherence *const PROTOCOLS[] = { &toy_msi, &toy_msi_home_atomics, &toy_through };
enum { PROTOCOLS_N = sizeof PROTOCOLS / sizeof *PROTOCOLS, SETTINGS = 7 };
#define NETWORKS "xbar.vns=3"

static void open_with(struct lab *l, const char *text, const struct coherence *p, const char *const settings[SETTINGS])
{
    const char *all[SETTINGS + 2] = { NETWORKS };
    memcpy(all + 1, settings, SETTINGS * sizeof *all);
    lab_open(l, text, all, &(struct machine_plugins){ .coherence = p });
}

/* sim.shadow compares device memory with that of functional mode; the checks of conservation are on. */
static void kernels_give_the_same_results(void **state)
{
    static const char *const settings[][SETTINGS] = {
        { "sim.shadow=true", "l1.kb=32" },
        { "sim.shadow=true", "l1.kb=1", "l1.ways=1", "l2.slice_kb=1", "l2.ways=2" },
        { "sim.shadow=true", "l1.kb=1", "l1.ways=2", "l1.mshrs=1", "l2.mshrs=2", "l2.slice_kb=1", "l2.ways=8" },
        { "sim.flush=false", "l2.slice_kb=1", "l2.ways=1", "l1.miss_queue=1", "l2.reply_queue=1", "l2.mshrs=1" },
    };
    for (unsigned p = 0; p < PROTOCOLS_N; p++)
        for (unsigned s = 0; s < sizeof settings / sizeof *settings; s++) {
            struct lab l;
            open_with(&l, programs, PROTOCOLS[p], settings[s]);
            for (int again = 0; again < 2; again++) {
                uint32_t added = 0;
                lab_run(&l, "mix", MIX_BLOCKS, (uint32_t[LAB_PARAMS]){ 0 });
                for (unsigned i = 0; i < 64; i++)
                    added += l.words[i];
                assert_int_equal(added, MIX_SUM);
                lab_run(&l, "turns", 4, (uint32_t[LAB_PARAMS]){ 2, 1, X, X + 1, 10 });
                assert_int_equal(l.words[X], 20);
            }
            lab_close(&l);
        }
}

static void lines_in_l1_are_fresh(void **state)
{
    static const char *const settings[SETTINGS] = { NULL };
    for (unsigned p = 0; p < PROTOCOLS_N; p++) {
        struct lab l;
        open_with(&l, programs, PROTOCOLS[p], settings);
        lab_run(&l, "stale_cg", 4, (uint32_t[LAB_PARAMS]){ 0, 1, X, X });
        assert_int_equal(l.seen[0], 0);
        assert_int_equal(l.seen[1], 1);
        lab_run(&l, "bytes", 2, (uint32_t[LAB_PARAMS]){ 0, 1 });
        for (uint32_t k = 0; k < 8 * 32; k++)
            assert_int_equal(l.words[k] & 0xff, (8 - k / 32) * 16);
        lab_close(&l);
    }
}

static void fences_order(void **state)
{
    static const char *const settings[SETTINGS] = { NULL };
    for (unsigned p = 0; p < PROTOCOLS_N; p++) {
        struct lab l;
        open_with(&l, programs, PROTOCOLS[p], settings);
        for (uint32_t d = 0; d < 40; d++) {
            const uint32_t stride = SLICE_WORDS * SLICES;
            const uint32_t params[LAB_PARAMS] = { 0, 1, X, X + SLICE_WORDS, d % 3 * 5, d, stride, d % 2 * 2 };
            lab_run(&l, "message_membar", 4, params);
            assert_false(l.seen[0] == 1 && l.seen[1] == 0);
            lab_run(&l, "buffer_membar", 4, params);
            assert_false(l.seen[0] == 0 && l.seen[1] == 0);
        }
        lab_close(&l);
    }
}

static char *run_all(const char *host, const void *p)
{
    const char *const settings[SETTINGS] = { host, "l1.kb=1", "l1.ways=1", "l2.slice_kb=1", "l2.ways=2" };
    struct lab l;
    open_with(&l, programs, p, settings);
    lab_run(&l, "mix", MIX_BLOCKS, (uint32_t[LAB_PARAMS]){ 0 });
    lab_run(&l, "turns", 4, (uint32_t[LAB_PARAMS]){ 0, 3, X, X + 64, 5 });
    char *text = lab_statistics(&l);
    lab_close(&l);
    return text;
}

static void statistics_do_not_depend_on_the_host(void **state)
{
    for (unsigned p = 0; p < PROTOCOLS_N; p++)
        lab_check_host(run_all, PROTOCOLS[p]);
}

/* A machine that a protocol does not fit says so. */
static void misfits_are_named(void **state)
{
    static const struct { const char *setting, *message, *second; } CASES[] = {
        { "xbar.vns=1", "needs 3 virtual networks, but xbar.vns = 1" },
        { "l1.kb=0", "coherence.protocol: msi needs an L1 and an L2" },
        { "tm.global=kilotm", "msi does not work with the transactional memory kilotm", "kilotm.ideal_commit=true" },
    };
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *const settings[] = { NETWORKS, CASES[i].setting, CASES[i].second, NULL };
        struct machine_plugins plugins = { .coherence = &toy_msi };
        struct lab l;
        lab_open(&l, programs, settings, &plugins);
        const uint32_t none = 0;
        const void *args[] = { &l.words, &l.seen, &none, &none, &none, &none, &none, &none, &none, &none };
        simtx_launch_params p = { .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .args = args };
        assert_int_equal(simtx_launch(simtx_module_kernel(l.module, "mix"), &p, NULL, NULL), SIMTX_INVALID_CONFIG);
        assert_non_null(strstr(simtx_last_message(l.gpu), CASES[i].message));
        lab_close(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_give_the_same_results),
        cmocka_unit_test(lines_in_l1_are_fresh),
        cmocka_unit_test(fences_order),
        cmocka_unit_test(statistics_do_not_depend_on_the_host),
        cmocka_unit_test(misfits_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
