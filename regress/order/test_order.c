/*
 * Order policies with a stage of their own, in the whole machine: results stay right, what they hold counts as
 * outstanding at fences, barriers and exits, every performance is told, messages reach both ends; and sequential
 * consistency forbids what relaxed ordering shows.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "regress/coherence/toys.h"
#include "regress/order/toys.h"
#include "regress/witness/programs.h"

/* Threads hand numbers through shared memory, with global stores before and behind the barrier. */
#define HANDS \
    ".visible .entry hands(.param .u64 words, .param .u64 seen, .param .u32 p0, .param .u32 p1, .param .u32 p2,\n" \
    "    .param .u32 p3, .param .u32 p4, .param .u32 p5, .param .u32 p6, .param .u32 p7)\n{\n" \
    ".shared .align 4 .b8 cell[128]; .reg .u32 %i, %b, %v<4>; .reg .u64 %m, %a, %c;\n" \
    "ld.param.u64 %m, [words]; mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %v0, %b, 32, %i;\n" \
    "mul.wide.u32 %a, %v0, 4; add.u64 %a, %a, %m; st.global.u32 [%a], %v0; mul.wide.u32 %c, %i, 4;\n" \
    ".reg .u64 %s; mov.u64 %s, cell; add.u64 %c, %c, %s; st.shared.u32 [%c], %v0; bar.sync 0;\n" \
    "xor.b32 %v1, %i, 31; mul.wide.u32 %c, %v1, 4; add.u64 %c, %c, %s; ld.shared.u32 %v2, [%c];\n" \
    "st.global.u32 [%a+4096], %v2; ret;\n}\n"

static const char hands[] = ".version 7.0\n.target sm_70\n.address_size 64\n" HANDS;
enum { BLOCKS = 16 };

static void open_with(struct lab *l, const char *text, const struct order_policy *p, const struct coherence *c,
                      const char *setting)
{
    const char *const settings[] = { "xbar.vns=3", setting, NULL };
    toy_totals = (struct toy_totals){ 0 };
    lab_open(l, text, settings, &(struct machine_plugins){ .order = p, .coherence = c });
}

static void run_kernels(const struct order_policy *p, const struct coherence *c)
{
    struct lab l;
    open_with(&l, programs, p, c, "sim.shadow=true");
    uint32_t sum = 0;
    lab_run(&l, "mix", MIX_BLOCKS, (uint32_t[LAB_PARAMS]){ 0 });
    for (unsigned i = 0; i < 64; i++)
        sum += l.words[i];
    assert_int_equal(sum, MIX_SUM);
    lab_run(&l, "turns", 4, (uint32_t[LAB_PARAMS]){ 2, 1, X, X + 1, 10 });
    assert_int_equal(l.words[X], 20);
    lab_close(&l);
}

/* What the stages accepted was sent and has performed, each access once. */
static void check_totals(void)
{
    assert_true(toy_totals.accepted > 0);
    assert_int_equal(toy_totals.sent, toy_totals.accepted);
    assert_int_equal(toy_totals.loads, toy_totals.expected_loads);
    assert_int_equal(toy_totals.stores, toy_totals.expected_stores);
    assert_int_equal(toy_totals.taken, toy_totals.asked);
    assert_int_equal(toy_totals.granted, toy_totals.asked);
    assert_int_equal(toy_totals.thanked, toy_totals.asked);
}

static void held_accesses_all_perform(void **state)
{
    run_kernels(&toy_delay, NULL);
    check_totals();
    run_kernels(&toy_ask, NULL);
    check_totals();
    assert_true(toy_totals.asked > 0);
}

static void policies_and_protocols_go_together(void **state)
{
    run_kernels(&toy_delay, &toy_msi);
    check_totals();
    run_kernels(&toy_ask, &toy_through);
    check_totals();
    run_kernels(&toy_sc, &toy_msi);
}

static void shared_memory_asks(void **state)
{
    struct lab l;
    open_with(&l, hands, &toy_delay, NULL, "sim.shadow=true");
    lab_run(&l, "hands", BLOCKS, (uint32_t[LAB_PARAMS]){ 0 });
    for (uint32_t i = 0; i < BLOCKS * 32; i++) {
        assert_int_equal(l.words[i], i);
        assert_int_equal(l.words[1024 + i], i ^ 31);
    }
    lab_close(&l);
    check_totals();
    assert_int_equal(toy_totals.shared, 2 * BLOCKS);
    assert_true(toy_totals.shared_refused > 0);
}

/* A warp goes on with the message that lets it, not only with the next performance. */
static void messages_wake_warps(void **state)
{
    struct lab l;
    open_with(&l, hands, &toy_ask, NULL, "sim.shadow=true");
    lab_run(&l, "hands", BLOCKS, (uint32_t[LAB_PARAMS]){ 0 });
    lab_close(&l);
    check_totals();
    assert_int_equal(toy_totals.overlapped, BLOCKS);
}

/* Weak outcomes of message passing (first 1, second 0) or store buffering (0, 0), over delays. */
static unsigned weak(const struct order_policy *p, const struct coherence *c, const char *kernel, uint32_t first)
{
    unsigned n = 0;
    struct lab l;
    open_with(&l, programs, p, c, "sim.seed=1");
    for (uint32_t d = 0; d < 60; d++) {
        const uint32_t stride = SLICE_WORDS * SLICES;
        lab_run(&l, kernel, 4, (uint32_t[LAB_PARAMS]){ 0, 1, X, X + SLICE_WORDS, d % 2 * 7, d, stride, d % 3 });
        n += l.seen[0] == first && l.seen[1] == 0;
    }
    lab_close(&l);
    return n;
}

static void relaxed_outcomes_need_fences(void **state)
{
    assert_true(weak(&order_rmo_ptx, NULL, "message", 1) > 0);
    assert_true(weak(&toy_delay, NULL, "buffer", 0) > 0);
    assert_int_equal(weak(&toy_delay, NULL, "message_membar", 1), 0);
    assert_int_equal(weak(&toy_delay, NULL, "buffer_membar", 0), 0);
    assert_int_equal(weak(&toy_ask, NULL, "message_fence", 1), 0);
    assert_int_equal(weak(&toy_ask, NULL, "buffer_fence", 0), 0);
}

static void sequential_consistency_needs_none(void **state)
{
    static const struct coherence *const protocols[] = { NULL, &toy_msi, &toy_through };
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(weak(&toy_sc, protocols[k], "message", 1), 0);
        assert_int_equal(weak(&toy_sc, protocols[k], "buffer", 0), 0);
    }
}

static char *run_all(const char *host, const void *p)
{
    struct lab l;
    open_with(&l, programs, p, NULL, host);
    lab_run(&l, "mix", MIX_BLOCKS, (uint32_t[LAB_PARAMS]){ 0 });
    lab_run(&l, "turns", 4, (uint32_t[LAB_PARAMS]){ 0, 3, X, X + 64, 5 });
    char *text = lab_statistics(&l);
    lab_close(&l);
    return text;
}

static void statistics_do_not_depend_on_the_host(void **state)
{
    static const struct order_policy *const policies[] = { &toy_delay, &toy_sc, &toy_ask };
    for (unsigned p = 0; p < 3; p++)
        lab_check_host(run_all, policies[p]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_accesses_all_perform),
        cmocka_unit_test(policies_and_protocols_go_together),
        cmocka_unit_test(shared_memory_asks),
        cmocka_unit_test(messages_wake_warps),
        cmocka_unit_test(relaxed_outcomes_need_fences),
        cmocka_unit_test(sequential_consistency_needs_none),
        cmocka_unit_test(statistics_do_not_depend_on_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
