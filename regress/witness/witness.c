/*
 * Witnesses that a value is bound where and when its access is performed: programs whose results a simulator that binds
 * values when instructions issue cannot show. One of them, (d), a store whose bytes come late or never, is a finder of
 * deliberate faults: regress/mutants/store.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "regress/witness/programs.h"

static const char *const defaults[] = { NULL };

/* ---- (a) L1 keeps what it has read ---- */

static void see_stale(const char *kernel, const char *setting, uint32_t first, uint32_t second, uint32_t again)
{
    const char *const settings[] = { setting, NULL };
    struct lab l;
    lab_open(&l, programs, settings, NULL);
    lab_run(&l, kernel, 4, (uint32_t[LAB_PARAMS]){ first, second, X, X });
    assert_int_not_equal(l.seen[4], l.seen[5]);      /* two SMs */
    assert_int_equal(l.seen[0], 0);
    assert_int_equal(l.seen[1], again);
    assert_int_equal(l.seen[2], 1);
    assert_int_equal(l.seen[3], 1);
    lab_close(&l);
}

static void a_line_in_l1_goes_stale(void **state)
{
    see_stale("stale_cg", "l1.global=true", 0, 1, 0);
    see_stale("stale_volatile", "l1.global=true", 3, 0, 0);
    see_stale("stale_cg", "l1.global=false", 0, 1, 1);
    see_stale("stale_volatile", "l1.kb=0", 2, 1, 1);
}

static void not_stale(const char *text, const char *const *kernels, unsigned n, uint32_t blocks)
{
    static const char *const settings[][3] = {
        { "l1.global=true", "l1.sectored=true", NULL }, { "l1.global=true", "l1.sectored=false", NULL },
        { "l1.global=false", "l1.acquire=false", NULL }, { "l1.global=true", "l1.acquire=false", NULL }
    };
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < n; k++) {
            struct lab l;
            lab_open(&l, text, settings[i], NULL);
            lab_run(&l, kernels[k], blocks, (uint32_t[LAB_PARAMS]){ 0, 1, X, X + 1 });
            assert_int_equal(l.seen[0], 0);
            assert_int_equal(l.seen[1], i < 3);
            lab_close(&l);
        }
}

static void what_was_announced_is_not_stale(void **state)
{
    static const char *const kernels[] = { "beside_membar", "beside_fence", "beside_load", "beside_atom" };
    not_stale(programs, kernels, sizeof kernels / sizeof *kernels, 4);
}

static void what_was_announced_in_a_cluster_is_not_stale(void **state)
{
    static const char *const kernels[] = { "beside_try_wait", "beside_own", "beside_other", "beside_atom",
                                           "beside_barrier" };
    not_stale(cluster_programs, kernels, sizeof kernels / sizeof *kernels, 2);
}

/* ---- (b) message passing, store buffering ---- */

struct sweep { const char *kernel; uint32_t weak_first, weak_second; };      /* the outcome that is counted */

/* Runs over placements of blocks and words, stores in the way, delays; the number of such outcomes. */
static unsigned outcomes(const struct sweep *s)
{
    static const uint32_t place[][2] = { { 0, 1 }, { 3, 0 }, { 1, 2 } };
    static const uint32_t slices[][2] = { { 0, 1 }, { 3, 2 }, { 1, 1 } };
    unsigned weak = 0;
    struct lab l;
    lab_open(&l, programs, defaults, NULL);
    for (unsigned i = 0; i < 9; i++)
        for (uint32_t d = 0; d < 24; d++) {
            const uint32_t *p = place[i % 3], *q = slices[i / 3];
            uint32_t x = X + q[0] * SLICE_WORDS, y = X + q[1] * SLICE_WORDS + 32;
            lab_run(&l, s->kernel, 4, (uint32_t[LAB_PARAMS]){
                p[0], p[1], x, y, d % 3 * 5, d, SLICE_WORDS * SLICES, d % 2 * 2 });
            assert_true(l.words[x] == 1 && l.words[y] == 1);
            weak += l.seen[0] == s->weak_first && l.seen[1] == s->weak_second;
        }
    lab_close(&l);
    return weak;
}

static void message_passing_is_weak_without_fences(void **state)
{
    assert_true(outcomes(&(struct sweep){ "message", 1, 0 }) > 0);
    assert_int_equal(outcomes(&(struct sweep){ "message_membar", 1, 0 }), 0);
    assert_int_equal(outcomes(&(struct sweep){ "message_fence", 1, 0 }), 0);
    assert_true(outcomes(&(struct sweep){ "message_fence", 1, 1 }) > 0);
}

static void store_buffering_is_weak_without_fences(void **state)
{
    assert_true(outcomes(&(struct sweep){ "buffer", 0, 0 }) > 0);
    assert_int_equal(outcomes(&(struct sweep){ "buffer_membar", 0, 0 }), 0);
    assert_int_equal(outcomes(&(struct sweep){ "buffer_fence", 0, 0 }), 0);
    assert_true(outcomes(&(struct sweep){ "buffer_fence", 1, 1 }) > 0);
}

/* ---- (c) bytes of one line ---- */

static void bytes_of_two_sms_do_not_hurt_each_other(void **state)
{
    static const char *const settings[][2] = {
        { "l1.store_hit=update", NULL }, { "l1.store_hit=evict", NULL }, { "l1.kb=0", NULL }, { "l2.slice_kb=0", NULL }
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct lab l;
        lab_open(&l, programs, settings[i], NULL);
        lab_run(&l, "bytes", 2, (uint32_t[LAB_PARAMS]){ 0, 1 });
        for (uint32_t k = 0; k < 8 * 32; k++) {
            uint32_t even = (8 - k / 32) * 16, odd = (9 - k / 32) * 16 + 1;
            assert_int_equal(l.words[k], even | (odd & 0xff) << 8 | (even + 4) << 16 | ((odd + 4) & 0xff) << 24);
        }
        assert_int_equal(l.seen[0], 0);
        assert_int_equal(l.seen[1], 0);
        lab_close(&l);
    }
}

/* ---- (e) what the host does is not seen ---- */

static char *run_all(const char *host, const void *arg)
{
    static const char *const kernels[] = { "stale_cg", "message", "message_membar", "buffer", "buffer_fence", "bytes" };
    const char *const settings[] = { host, NULL };
    struct lab l;
    lab_open(&l, programs, settings, NULL);
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        lab_run(&l, kernels[i], 4, (uint32_t[LAB_PARAMS]){ 2, 1, X, X + SLICE_WORDS, 3, 20, SLICE_WORDS * SLICES, 1 });
    char *text = lab_statistics(&l);
    lab_close(&l);
    return text;
}

static void statistics_do_not_depend_on_the_host(void **state)
{
    lab_check_host(run_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_in_l1_goes_stale),
        cmocka_unit_test(what_was_announced_is_not_stale),
        cmocka_unit_test(what_was_announced_in_a_cluster_is_not_stale),
        cmocka_unit_test(message_passing_is_weak_without_fences),
        cmocka_unit_test(store_buffering_is_weak_without_fences),
        cmocka_unit_test(bytes_of_two_sms_do_not_hurt_each_other),
        cmocka_unit_test(statistics_do_not_depend_on_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
