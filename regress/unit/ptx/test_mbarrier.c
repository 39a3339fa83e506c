/*
 * Barrier objects in both modes, by small kernels of one warp: phases and bytes as the ISA counts them, and copies that
 * arrive (cp.async.mbarrier.arrive). In timing mode a test directly after copies must fail, since global memory takes
 * longer (fetches take no time here), and the data must be there when it succeeds. Random sequences:
 * kernels/features/barrier_objects.cu.
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

enum { LANES = 32, RESULTS = 64 };

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
    "    .shared .align 16 .b8 tile[8192];\n    .shared .align 8 .b64 bar;\n"
    "    .reg .pred %p, %q, %lane0;\n    .reg .b32 %r<16>;\n    .reg .b64 %rd<16>;\n"
    "    ld.param.u64 %rd1, [out];\n    ld.param.u64 %rd2, [in];\n    mov.u32 %r1, %tid.x;\n"
    "    setp.eq.u32 %lane0, %r1, 0;\n    mul.wide.u32 %rd3, %r1, 4;\n    add.u64 %rd4, %rd1, %rd3;\n"
    "    mul.wide.u32 %rd5, %r1, 16;\n    add.u64 %rd6, %rd2, %rd5;\n    mov.u32 %r2, tile;\n"
    "    mad.lo.u32 %r3, %r1, 16, %r2;\n    xor.b32 %r4, %r1, 1;\n    mad.lo.u32 %r5, %r4, 16, %r2;\n"
    "    mov.u32 %r6, 0;\n";

/* Stores a test as bit N of %r6. */
#define BIT(N, TEST) "    " TEST "\n    selp.u32 %r7, 1, 0, %p;\n    bfi.b32 %r6, %r7, %r6, " #N ", 1;\n"
#define TEST(N) BIT(N, "mbarrier.test_wait.shared.b64 %p, [bar], %rd7;")
#define PARITY(N, P) BIT(N, "mbarrier.test_wait.parity.shared.b64 %p, [bar], " #P ";")
#define INIT(N) "    @%lane0 mbarrier.init.shared.b64 [bar], " #N ";\n    bar.sync 0;\n"
#define COPY "    cp.async.cg.shared.global [%r3], [%rd6], 16;\n"
#define WAIT(P) "W:  mbarrier.test_wait.parity.shared.b64 %p, [bar], " #P ";\n    @!%p bra W;\n"
#define STORE_BITS "    st.global.u32 [%rd4], %r6;\n    ret;\n}\n"
/* The first word that the neighbour copied goes to out[32 + lane]. */
#define STORE "    ld.shared.u32 %r8, [%r5];\n    st.global.u32 [%rd4+128], %r8;\n" STORE_BITS

static void run(const char *body, bool timing, uint32_t out[RESULTS])
{
    char text[6000], *message = NULL;
    simtx_config *c = simtx_config_new();
    simtx_module *m;
    void *results, *in;
    assert_int_equal(simtx_config_load(c, "v100", &message), SIMTX_OK);
    assert_int_equal(simtx_config_set(c, "gpu.sms=1", &message), SIMTX_OK);
    assert_int_equal(simtx_config_set(c, "core.perfect_fetch=true", &message), SIMTX_OK);
    assert_int_equal(simtx_config_set(c, timing ? "sim.mode=timing" : "sim.mode=functional", &message), SIMTX_OK);
    simtx_gpu *g = simtx_gpu_new(c, 0, NULL);
    assert_non_null(g);
    snprintf(text, sizeof text, "%s%s", head, body);
    if (simtx_module_load(g, text, strlen(text), "k.ptx", &m))
        fail_msg("%s", simtx_last_message(g));
    assert_int_equal(simtx_malloc(g, RESULTS * sizeof *out, SIMTX_MEM_DEVICE, &results), SIMTX_OK);
    assert_int_equal(simtx_malloc(g, LANES * 32, SIMTX_MEM_DEVICE, &in), SIMTX_OK);
    memset(results, 0, RESULTS * sizeof *out);
    for (uint32_t i = 0; i < LANES * 8; i++)
        ((uint32_t *)in)[i] = 1000 + i;
    const void *args[] = { &results, &in };
    simtx_launch_params p = { .grid = { 1, 1, 1 }, .block = { LANES, 1, 1 }, .args = args };
    if (simtx_launch(simtx_module_kernel(m, "k"), &p, NULL, NULL))
        fail_msg("%s", simtx_last_message(g));
    memcpy(out, results, RESULTS * sizeof *out);
    simtx_gpu_free(g);
    simtx_config_free(c);
}

static void run_and_check_bits(const char *body, uint32_t bits)
{
    uint32_t out[RESULTS];
    for (int timing = 0; timing < 2; timing++) {
        run(body, timing, out);
        for (int i = 0; i < LANES; i++)
            assert_int_equal(out[i], bits);
    }
}

/* The second arrival of all lanes completes the phase: 64 are expected. Lane 0 of the second is not the last one. */
static void arrivals_complete_a_phase(void **state)
{
    run_and_check_bits(INIT(64) PARITY(0, 0) PARITY(1, 1) "    mbarrier.arrive.shared.b64 %rd7, [bar];\n" TEST(2)
                       "    mbarrier.arrive.shared.b64 %rd8, [bar];\n" TEST(3) PARITY(4, 0) PARITY(5, 1)
                       "    mbarrier.arrive.shared.b64 %rd7, [bar], 2;\n" TEST(6) PARITY(7, 0) PARITY(8, 1) STORE_BITS,
                       1 << 1 | 1 << 3 | 1 << 4 | 1 << 6 | 1 << 8);
}

/* 32 arrivals with 16 bytes each; the phase ends with the last bytes. */
static void bytes_complete_a_phase(void **state)
{
    run_and_check_bits(INIT(32) "    mbarrier.arrive.expect_tx.shared.b64 %rd7, [bar], 16;\n" TEST(0)
                       "    mbarrier.complete_tx.shared.b64 [bar], 8;\n" TEST(1)
                       "    mbarrier.complete_tx.shared.b64 [bar], 8;\n" TEST(2)
                       "    @%lane0 mbarrier.expect_tx.shared.b64 [bar], 4;\n"
                       "    mbarrier.arrive.shared.b64 %rd7, [bar];\n" TEST(3)
                       "    @%lane0 mbarrier.complete_tx.shared.b64 [bar], 4;\n" TEST(4) STORE_BITS,
                       1 << 2 | 1 << 4);
}

/* 2^21 bytes in all are more than an object counts: the phase does not complete. */
static void too_many_bytes_complete_no_phase(void **state)
{
    run_and_check_bits(INIT(32) "    @%lane0 mbarrier.expect_tx.shared.b64 [bar], 1048575;\n"
                       "    @%lane0 mbarrier.expect_tx.shared.b64 [bar], 1048575;\n"
                       "    @%lane0 mbarrier.expect_tx.shared.b64 [bar], 2;\n"
                       "    mbarrier.arrive.shared.b64 %rd7, [bar];\n" TEST(0) STORE_BITS, 0);
}

/* Half of the arrivals are dropped: from then on 16 complete a phase. */
static void dropped_arrivals_are_not_expected(void **state)
{
    run_and_check_bits(INIT(64) "    setp.lt.u32 %q, %r1, 16;\n"
                       "    mbarrier.arrive_drop.noComplete.shared.b64 %rd7, [bar], 1;\n"
                       "    @%q mbarrier.arrive_drop.shared.b64 _, [bar];\n" TEST(0)
                       "    @!%q mbarrier.arrive.shared.b64 %rd8, [bar];\n" TEST(1)
                       "    mbarrier.test_wait.parity.shared.b64 %p, [bar], 1;\n    selp.u32 %r7, 1, 0, %p;\n"
                       "    bfi.b32 %r6, %r7, %r6, 2, 1;\n    @%q mbarrier.arrive.shared.b64 %rd8, [bar];\n"
                       PARITY(3, 1) STORE_BITS, 1 << 1 | 1 << 3);
}

static void check_copies(const char *body)
{
    uint32_t out[RESULTS];
    for (int timing = 0; timing < 2; timing++) {
        run(body, timing, out);
        for (uint32_t i = 0; i < LANES; i++) {
            if (timing)
                assert_int_equal(out[i], 0);             /* the test directly after the copies */
            assert_int_equal(out[LANES + i], 1000 + 4 * (i ^ 1));
        }
    }
}

/* The arrivals of the copies are the 32 that the object expects. */
static void copies_arrive_when_they_are_complete(void **state)
{
    check_copies(INIT(32) COPY "    cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" PARITY(0, 0) WAIT(0) STORE);
}

/* They come on top of the arrivals of the lanes. */
static void copies_arrive_besides_the_lanes(void **state)
{
    check_copies(INIT(32) COPY "    cp.async.mbarrier.arrive.shared.b64 [bar];\n"
                 "    mbarrier.arrive.shared.b64 %rd7, [bar];\n" TEST(0) WAIT(0) STORE);
}

#define ARRIVE "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"

/* Ten arrivals of a lane after one copy: the ninth stalls until the first eight are done, which takes as long as the
 * copy. */
static void many_arrivals_wait(void **state)
{
#define FIRST "    @%lane0 " ARRIVE
    check_copies(INIT(10) COPY "    mov.u32 %r9, %clock;\n" FIRST FIRST FIRST FIRST FIRST FIRST FIRST FIRST
                 PARITY(0, 0) FIRST FIRST "    mov.u32 %r10, %clock;\n    sub.u32 %r10, %r10, %r9;\n"
                 BIT(1, "setp.lt.u32 %p, %r10, 300;") WAIT(0) STORE);
}

/* A copy that begins after the arrival and ends before the copy that the arrival waits for: it hits in L1. */
static void later_copies_do_not_count(void **state)
{
#define LATER "    cp.async.ca.shared.global [%r3+4096], [%rd6+512], 16;\n"
    check_copies(INIT(32) LATER "    cp.async.wait_all;\n" COPY "    " ARRIVE LATER "    mov.u32 %r9, 10;\n"
                 "D:  sub.u32 %r9, %r9, 1;\n    setp.ne.u32 %q, %r9, 0;\n    @%q bra D;\n" PARITY(0, 0) WAIT(0) STORE);
}

/* Without a copy in flight the arrival is at once; with .noinc it is one of those that are expected. */
static void no_copies_no_wait(void **state)
{
    run_and_check_bits(INIT(32) "    cp.async.mbarrier.arrive.shared.b64 [bar];\n" PARITY(0, 0)
                       "    cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" PARITY(1, 0) STORE_BITS, 1 << 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrivals_complete_a_phase), cmocka_unit_test(too_many_bytes_complete_no_phase),
        cmocka_unit_test(bytes_complete_a_phase),
        cmocka_unit_test(dropped_arrivals_are_not_expected), cmocka_unit_test(copies_arrive_when_they_are_complete),
        cmocka_unit_test(copies_arrive_besides_the_lanes), cmocka_unit_test(many_arrivals_wait),
        cmocka_unit_test(later_copies_do_not_count), cmocka_unit_test(no_copies_no_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
