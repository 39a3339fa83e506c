/*
 * Bulk copies (cp.async.bulk) in both modes, by small kernels: the bytes that a barrier object counts against a plain
 * model of its phases, for random sequences; in timing mode when the bytes arrive, part by part, how long waits for
 * groups take, and the rate beside that of cp.async. Every direction and misuse:
 * regress/conformance/behave/behave_bulk.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/lib/config_load.h"
#include "frontend/lib/simtx.h"

enum { RESULTS = 64, BUFFER = 1 << 16 };

static const char head[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 buf)\n{\n"
    "    .shared .align 128 .b8 tile[16384];\n    .shared .align 8 .b64 bar;\n"
    "    .reg .pred %p, %q, %first;\n    .reg .b32 %r<16>;\n    .reg .b64 %rd<16>;\n"
    "    ld.param.u64 %rd1, [out];\n    ld.param.u64 %rd2, [buf];\n    mov.u32 %r1, %tid.x;\n"
    "    setp.eq.u32 %first, %r1, 0;\n    mov.u32 %r2, tile;\n    mad.lo.u32 %r3, %r1, 16, %r2;\n"
    "    mul.wide.u32 %rd3, %r1, 16;\n    add.u64 %rd4, %rd2, %rd3;\n"
    "    @%first mbarrier.init.shared.b64 [bar], 1;\n    bar.sync 0;\n";

#define DONE ".mbarrier::complete_tx::bytes"
#define EXPECT(BYTES) "    @%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], " #BYTES ";\n"
#define LOAD(BYTES) "    @%first cp.async.bulk.shared::cluster.global" DONE " [tile], [%rd2], " #BYTES ", [bar];\n"
#define STORE(TO, BYTES) \
    "    @%first cp.async.bulk.global.shared::cta.bulk_group [%rd2+" #TO "], [tile], " #BYTES ";\n" \
    "    cp.async.bulk.commit_group;\n"
#define WAIT(LABEL, PARITY) \
    #LABEL ": mbarrier.test_wait.parity.shared.b64 %p, [bar], " #PARITY ";\n    @!%p bra " #LABEL ";\n"
/* Result N = cycles since the start of the measurement; the start. */
#define START "    mov.u64 %rd5, %clock64;\n"
#define TIME(N) "    mov.u64 %rd6, %clock64;\n    sub.u64 %rd6, %rd6, %rd5;\n" \
                "    @%first st.global.u32 [%rd1+4*" #N "], %rd6;\n"
#define END "    ret;\n}\n"

/* config: NULL = v100. extra: a setting, or NULL. */
struct machine { bool timing; uint32_t grid, host_threads; const char *config, *extra; };

static const struct machine functional = { .grid = 1, .host_threads = 1 };
static const struct machine timed = { .timing = true, .grid = 1, .host_threads = 1 };

static simtx_gpu *new_gpu(const struct machine *x)
{
    char *message = NULL, assignments[200];
    simtx_config *c = simtx_config_new();
    snprintf(assignments, sizeof assignments, "gpu.sms=4;sim.mode=%s;sim.threads=%u;%s",
             x->timing ? "timing" : "functional", x->host_threads, x->extra ? x->extra : "");
    if (simtx_config_build(c, x->config ? x->config : "v100", assignments, "the test", &message))
        fail_msg("%s", message);
    simtx_gpu *g = simtx_gpu_new(c, 0, NULL);
    assert_non_null(g);
    simtx_config_free(c);
    return g;
}

/* Runs a kernel of 128 threads a block. cluster: blocks of a cluster; 0 = there are none. The buffer's word i is
 * 1000 + i before; it is copied to `buffer`, if that is not NULL. */
static simtx_status run_in_clusters(simtx_gpu *g, const char *body, uint32_t grid, uint32_t cluster,
                                    uint32_t out[RESULTS], uint32_t *buffer)
{
    static char text[1 << 16];
    simtx_module *m;
    void *results, *buf;
    snprintf(text, sizeof text, "%s%s", head, body);
    if (simtx_module_load(g, text, strlen(text), "k.ptx", &m))
        fail_msg("%s", simtx_last_message(g));
    assert_int_equal(simtx_malloc(g, RESULTS * sizeof *out, SIMTX_MEM_DEVICE, &results), SIMTX_OK);
    assert_int_equal(simtx_malloc(g, BUFFER, SIMTX_MEM_DEVICE, &buf), SIMTX_OK);
    memset(results, 0, RESULTS * sizeof *out);
    for (uint32_t i = 0; i < BUFFER / 4; i++)
        ((uint32_t *)buf)[i] = 1000 + i;
    const void *args[] = { &results, &buf };
    simtx_launch_params p = { .grid = { grid, 1, 1 }, .block = { 128, 1, 1 }, .args = args,
                              .cluster = { cluster, cluster != 0, cluster != 0 } };
    simtx_status status = simtx_launch(simtx_module_kernel(m, "k"), &p, NULL, NULL);
    memcpy(out, results, RESULTS * sizeof *out);
    if (buffer)
        memcpy(buffer, buf, BUFFER);
    return status;
}

static simtx_status run_on(simtx_gpu *g, const char *body, uint32_t grid, uint32_t out[RESULTS], uint32_t *buffer)
{
    return run_in_clusters(g, body, grid, 0, out, buffer);
}

static void run(const char *body, const struct machine *x, uint32_t out[RESULTS], uint32_t *buffer)
{
    simtx_gpu *g = new_gpu(x);
    if (run_on(g, body, x->grid, out, buffer))
        fail_msg("%s", simtx_last_message(g));
    simtx_gpu_free(g);
}

/* ---- bytes against a model ---- */

struct model { uint32_t pending, expected, phase; int64_t bytes; };

static uint32_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % n;
}

static void settle(struct model *m)
{
    if (m->pending || m->bytes)
        return;
    m->pending = m->expected;
    m->phase++;
}

/* Appends an operation of the first thread; the model performs it. */
static int add_operation(char *text, size_t size, struct model *m, bool copies)
{
    uint32_t bytes = 16 * (1 + random_below(20)), kind = random_below(copies ? 6 : 4);
    if (kind == 0 && m->pending) {
        m->pending--;
        settle(m);
        return snprintf(text, size, "    @%%first mbarrier.arrive.shared.b64 _, [bar];\n");
    }
    if (kind == 1 && m->pending) {
        m->bytes += bytes;
        m->pending--;
        settle(m);
        return snprintf(text, size, "    @%%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], %u;\n", bytes);
    }
    if (kind <= 2) {
        m->bytes += bytes;
        settle(m);
        return snprintf(text, size, "    @%%first mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], %u;\n", bytes);
    }
    bytes = m->bytes > 0 && random_below(2) ? (uint32_t)m->bytes : bytes;
    m->bytes -= bytes;
    settle(m);
    if (kind == 3)
        return snprintf(text, size, "    @%%first mbarrier.complete_tx.shared.b64 [bar], %u;\n", bytes);
    return snprintf(text, size, "    @%%first cp.async.bulk.shared::c%s" DONE " [tile], [%%rd2], %u, [bar];\n",
                    kind == 4 ? "luster.global" : "ta.global", bytes);
}

/* Result i: the parity of the phase after operation i, as the test of parity 0 gives it. */
static void check_sequence(uint32_t seed, const struct machine *x)
{
    static char text[1 << 15];
    uint32_t out[RESULTS], want[RESULTS], n = 40;
    struct model m = { .pending = 3, .expected = 3 };
    size_t at = 0;
    random_state = seed;
    at += (size_t)snprintf(text, sizeof text, "    @%%first mbarrier.init.shared.b64 [bar], 3;\n");
    for (uint32_t i = 0; i < n; i++) {
        at += (size_t)add_operation(text + at, sizeof text - at, &m, !x->timing);
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "    mbarrier.test_wait.parity.shared.b64 %%p, [bar], 0;\n"
                               "    selp.u32 %%r7, 1, 0, %%p;\n"
                               "    @%%first st.global.u32 [%%rd1+%u], %%r7;\n", 4 * i);
        want[i] = m.phase & 1;
    }
    snprintf(text + at, sizeof text - at, END);
    run(text, x, out, NULL);
    for (uint32_t i = 0; i < n; i++)
        if (out[i] != want[i])
            fail_msg("seed %u, operation %u: the test gives %u, the model %u", seed, i, out[i], want[i]);
}

static void bytes_are_those_of_the_model(void **state)
{
    for (uint32_t seed = 1; seed <= 24; seed++) {
        check_sequence(seed, &functional);
        if (seed % 4 == 0)
            check_sequence(seed, &timed);
    }
}

/* ---- time ---- */

/* A test directly after the copy fails; when the wait succeeds every thread sees its word. */
static void bytes_arrive_later(void **state)
{
    uint32_t out[RESULTS];
    run(EXPECT(2048) LOAD(2048)
        "    mbarrier.test_wait.parity.shared.b64 %p, [bar], 0;\n    selp.u32 %r7, 1, 0, %p;\n"
        "    @%first st.global.u32 [%rd1], %r7;\n" WAIT(W, 0)
        "    ld.shared.u32 %r8, [%r3];\n    mov.u32 %r9, 1000;\n    mad.lo.u32 %r9, %r1, 4, %r9;\n"
        "    setp.ne.u32 %p, %r8, %r9;\n    @%p atom.global.add.u32 %r10, [%rd1+4], 1;\n" END, &timed, out, NULL);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 0);
}

/* The object expects the first 128 of 16384 bytes; the other 127 lines arrive after them, at most one a cycle. */
static void parts_complete_one_after_the_other(void **state)
{
    uint32_t out[RESULTS];
    run("    bar.sync 0;\n" START EXPECT(128) LOAD(16384) WAIT(W, 0) TIME(0) EXPECT(16256) WAIT(V, 1) TIME(1) END,
        &timed, out, NULL);
    assert_true(out[0] > 0);
    assert_true(out[1] >= out[0] + 100);
}

/* A wait for the reading of the source is over before L2 has acknowledged the lines; for the older of two groups,
 * before both are complete. */
static void groups_are_waited_for(void **state)
{
    uint32_t out[RESULTS], *buffer = malloc(BUFFER);
    run(EXPECT(8192) LOAD(8192) WAIT(W, 0) "    bar.sync 0;\n" START STORE(16384, 8192) STORE(32768, 8192)
        "    cp.async.bulk.wait_group.read 1;\n" TIME(0) "    cp.async.bulk.wait_group.read 0;\n" TIME(1)
        "    cp.async.bulk.wait_group 1;\n" TIME(2) "    cp.async.bulk.wait_group 0;\n" TIME(3) END, &timed, out,
        buffer);
    assert_true(out[0] > 64 && out[1] >= out[0] + 64);           /* 64 lines each */
    assert_true(out[3] > out[1] + 200 && out[3] > out[2]);       /* the way to L2 and back: about 200 without a queue */
    for (uint32_t i = 0; i < 2048; i++) {
        assert_int_equal(buffer[4096 + i], 1000 + i);
        assert_int_equal(buffer[8192 + i], 1000 + i);
    }
    free(buffer);
}

/* The block ends when its copies are complete, even if no thread waits for them. */
static void a_block_ends_after_its_copies(void **state)
{
    uint32_t out[RESULTS], *buffer = malloc(BUFFER);
    run(EXPECT(4096) LOAD(4096) WAIT(W, 0) STORE(32768, 4096) END, &timed, out, buffer);
    for (uint32_t i = 0; i < 1024; i++)
        assert_int_equal(buffer[8192 + i], 1000 + i);
    free(buffer);
}

#define LOOP_BEGIN "    mov.u32 %r5, 0;\nT:\n    bar.sync 0;\n" START
#define LOOP_END TIME(0) "    xor.b32 %r5, %r5, 1;\n    bar.sync 0;\n    setp.eq.u32 %q, %r5, 1;\n    @%q bra T;\n" END
#define COPY(AT) "    cp.async.cg.shared.global [%r3+" #AT "], [%rd4+" #AT "], 16;\n"

/* 16 KB that L2 has, by one bulk copy and by cp.async of all threads: the same path, so about the same time. */
static void the_rate_is_that_of_other_copies(void **state)
{
    uint32_t bulk[RESULTS], others[RESULTS];
    run(LOOP_BEGIN EXPECT(16384) LOAD(16384)
        "W:\n    mbarrier.try_wait.parity.shared.b64 %p, [bar], %r5;\n    @!%p bra W;\n" LOOP_END, &timed, bulk, NULL);
    run(LOOP_BEGIN COPY(0) COPY(2048) COPY(4096) COPY(6144) COPY(8192) COPY(10240) COPY(12288) COPY(14336)
        "    cp.async.wait_all;\n" LOOP_END, &timed, others, NULL);
    assert_true(bulk[0] > others[0] / 2 && bulk[0] < others[0] + others[0] / 2);
}

/* Blocks on four SMs: the times of all blocks and all bytes do not depend on the number of host threads. */
static void host_threads_do_not_matter(void **state)
{
    static const char body[] =
        EXPECT(4096) "    mov.u32 %r7, %ctaid.x;\n    mul.wide.u32 %rd7, %r7, 4096;\n    add.u64 %rd2, %rd2, %rd7;\n"
        START LOAD(4096) WAIT(W, 0) STORE(2048, 2048) "    cp.async.bulk.wait_group 0;\n    mov.u64 %rd6, %clock64;\n"
        "    sub.u64 %rd6, %rd6, %rd5;\n    mul.wide.u32 %rd8, %r7, 4;\n    add.u64 %rd8, %rd8, %rd1;\n"
        "    @%first st.global.u32 [%rd8], %rd6;\n" END;
    uint32_t one[RESULTS], four[RESULTS], *a = malloc(BUFFER), *b = malloc(BUFFER);
    const struct machine alone = { .timing = true, .grid = 16, .host_threads = 1 };
    const struct machine parallel = { .timing = true, .grid = 16, .host_threads = 4 };
    run(body, &alone, one, a);
    run(body, &parallel, four, b);
    assert_memory_equal(one, four, sizeof one);
    assert_memory_equal(a, b, BUFFER);
    for (uint32_t i = 0; i < 16 * 1024; i++)
        assert_int_equal(a[i], 1000 + (i % 1024 >= 512 ? i - 512 : i));
    free(a);
    free(b);
    assert_true(one[0] > 0 && one[15] > 0);
}

#define REDUCE(TO, BYTES) \
    "    @%first cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2+" #TO "], [tile], " #BYTES ";\n" \
    "    cp.async.bulk.commit_group;\n"
#define INCREMENT \
    "    ld.global.u32 %r8, [%rd4+32768];\n    add.u32 %r8, %r8, 1;\n    st.global.u32 [%rd4+32768], %r8;\n"

/* Each thread changes a word of the destination before the copies and after them: the ordering oracle finds no fault.
 * Also under a coherence protocol, where stores complete when they have performed, and with stores in a buffer. */
static void every_policy_completes_them(void **state)
{
    static const struct { const char *config, *extra; } settings[] = {
        { NULL, "order.policy=sc" }, { NULL, "order.policy=tso" }, { "gtx480-sc", "order.policy=rmo-ptx" },
        { "gtx480-sc+mesi", "order.policy=sc;order.check=full" },
        { "gtx480-sc+write-through", "order.policy=tso;order.check=full" },
        { "gtx480-sc+mesi+sc-types", "order.check=full" }, { "gtx480+shared48+mesi", "order.check=full" },
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        uint32_t out[RESULTS], *buffer = malloc(BUFFER);
        const struct machine x = { .timing = true, .grid = 1, .host_threads = 1, .config = settings[i].config,
                                   .extra = settings[i].extra };
        run(INCREMENT "    st.global.u32 [%rd2], 7;\n    fence.proxy.async;\n    bar.sync 0;\n" EXPECT(4096) LOAD(4096)
            WAIT(W, 0) STORE(32768, 4096) REDUCE(32768, 4096) "    cp.async.bulk.wait_group 0;\n"
            "    fence.proxy.async;\n    bar.sync 0;\n" INCREMENT END, &x, out, buffer);
        assert_int_equal(buffer[8192], 7 + 7 + 1);
        for (uint32_t k = 1; k < 1024; k++)
            assert_int_equal(buffer[8192 + k], 2 * (1000 + k) + (k % 4 == 0 && k < 512));
        free(buffer);
    }
}

#define LOAD_AFTER(FENCE) "    ld.global.u32 %r8, [%rd4];\n" START FENCE ";\n    ld.global.u32 %r9, [%rd4];\n" \
                          "    add.u32 %r10, %r9, %r8;\n"
#define STORE_BEFORE(FENCE) "    st.global.u32 [%rd4], %r10;\n" START FENCE ";\n"

/* The L1 keeps its lines at a proxy fence, but not at a fence of a scope; a proxy fence waits for global stores unless
 * it names shared memory. The times are those of the second pass, which has its instructions. */
static void a_proxy_fence_orders_one_thread(void **state)
{
    uint32_t out[RESULTS];
    run("    mov.u32 %r5, 0;\nT:\n" LOAD_AFTER("    fence.acq_rel.gpu") TIME(0)
        LOAD_AFTER("    fence.proxy.async") TIME(1)
        LOAD_AFTER("    fence.proxy.alias") TIME(2) LOAD_AFTER("    fence.proxy.async.global") TIME(3)
        STORE_BEFORE("    fence.proxy.async") TIME(4) STORE_BEFORE("    fence.proxy.async.global") TIME(5)
        STORE_BEFORE("    fence.proxy.async.shared::cta") TIME(6)
        STORE_BEFORE("    fence.proxy.async.shared::cluster") TIME(7)
        STORE_BEFORE("    fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster") TIME(8)
        "    xor.b32 %r5, %r5, 1;\n    setp.eq.u32 %q, %r5, 1;\n    @%q bra T;\n" END, &timed, out, NULL);
    for (int i = 1; i <= 3; i++)
        assert_true(out[i] + 100 < out[0]);
    for (int i = 6; i <= 8; i++)
        assert_true(out[i] + 100 < out[4] && out[i] + 100 < out[5]);
}

/* A copy that reads past the allocation writes nothing, but completes its bytes, and the wait ends. */
static void a_tolerated_copy_completes_its_bytes(void **state)
{
    static const char body[] =
        "    st.shared.u32 [%r3], 77;\n    bar.sync 0;\n" EXPECT(256)
        "    @%first cp.async.bulk.shared::cluster.global" DONE " [tile], [%rd2+65408], 256, [bar];\n" WAIT(W, 0)
        "    ld.shared.u32 %r8, [%r3];\n    @%first st.global.u32 [%rd1], %r8;\n" END;
    for (int timing = 0; timing < 2; timing++) {
        uint32_t out[RESULTS];
        const struct machine x = { .timing = timing, .grid = 1, .host_threads = 1, .extra = "check.memory=off" };
        run(body, &x, out, NULL);
        assert_int_equal(out[0], 77);
    }
}

/*
 * Lanes 0 to 3 of a block of a cluster write 4 bytes each to the next block's tile, lanes 1 and 3 past the end of its
 * memory: they write nothing, but the object there has all 16 bytes, and its wait ends. The next phase, of 8 bytes that
 * nothing writes, is then incomplete.
 */
#define ASYNC_STORES(STORE) \
    "    st.shared.u32 [%r3], 77;\n    setp.lt.u32 %q, %r1, 4;\n    and.b32 %r4, %r1, 1;\n" \
    "    mad.lo.u32 %r5, %r4, 65536, %r3;\n    mov.u32 %r6, %cluster_ctarank;\n    mov.u32 %r7, %cluster_nctarank;\n" \
    "    add.u32 %r6, %r6, 1;\n    rem.u32 %r6, %r6, %r7;\n    mov.u32 %r9, bar;\n" \
    "    mapa.shared::cluster.u32 %r8, %r5, %r6;\n    mapa.shared::cluster.u32 %r9, %r9, %r6;\n" \
    "    add.u32 %r10, %r1, 100;\n" EXPECT(16) "    barrier.cluster.arrive;\n    barrier.cluster.wait;\n" \
    "    @%q " STORE ".u32 [%r8], %r10, [%r9];\n" WAIT(W, 0) EXPECT(8) \
    "    mbarrier.test_wait.parity.shared.b64 %p, [bar], 1;\n    selp.u32 %r11, 1, 0, %p;\n" \
    "    ld.shared.u32 %r8, [%r3];\n    mad.wide.u32 %rd7, %r1, 4, %rd1;\n    @%q st.global.u32 [%rd7], %r8;\n" \
    "    @%first st.global.u32 [%rd1+16], %r11;\n    barrier.cluster.arrive;\n    barrier.cluster.wait;\n" END
#define TO ".shared::cluster.mbarrier::complete_tx::bytes"

static void tolerated_asynchronous_stores_complete_their_bytes(void **state)
{
    static const struct { const char *body; uint32_t first; } store[] = {
        { ASYNC_STORES("st.async.weak" TO), 100 }, { ASYNC_STORES("red.async.relaxed.cluster" TO ".add"), 177 }
    };
    for (int i = 0; i < 2 * 2 * 2 * 2; i++) {
        uint32_t out[RESULTS], blocks = 1 + i / 4 % 2;
        const struct machine x = { .timing = i & 1, .host_threads = 1,
                                   .extra = i / 8 ? "check.memory=warn" : "check.memory=off" };
        simtx_gpu *g = new_gpu(&x);
        if (run_in_clusters(g, store[i / 2 % 2].body, 2 * blocks, blocks, out, NULL))
            fail_msg("%s", simtx_last_message(g));
        const uint32_t expected[] = { store[i / 2 % 2].first, 77, store[i / 2 % 2].first + 2, 77, 0 };
        assert_memory_equal(out, expected, sizeof expected);
        char *text = simtx_stats_json(g), *checks = strstr(text, "\"checks\"");
        assert_non_null(checks);
        assert_int_equal(strtol(strstr(checks, "\"memory\": ") + 10, NULL, 10), 2 * 2 * blocks);
        free(text);
        simtx_gpu_free(g);
    }
}

/* The histogram of loads has those of threads alone: 4 warps load a word once. */
static void parts_are_no_loads_of_threads(void **state)
{
    uint32_t out[RESULTS];
    simtx_gpu *g = new_gpu(&timed);
    assert_int_equal(run_on(g, EXPECT(4096) LOAD(4096) WAIT(W, 0)
                               "    @%first cp.async.bulk.prefetch.L2.global [%rd2], 65536;\n"
                               "    ld.global.u32 %r8, [%rd4];\n" END, 1, out, NULL), SIMTX_OK);
    char *text = simtx_stats_json(g), *loads = strstr(text, "\"load_latency\"");
    assert_non_null(loads);
    assert_non_null(loads = strstr(loads, "\"n\": "));
    assert_int_equal(strtol(loads + 5, NULL, 10), 4);
    free(text);
    simtx_gpu_free(g);
}

/* A wait spins while prefetches queued before its copy take longer than sim.hang_cycles: no hang. */
#define PREFETCHES \
    "    mov.u32 %r5, 0;\nP:\n    @%first cp.async.bulk.prefetch.L2.global [%rd2], 65536;\n" \
    "    add.u32 %r5, %r5, 1;\n    setp.lt.u32 %p, %r5, 20;\n    @%p bra P;\n" EXPECT(128) LOAD(128) WAIT(W, 0)

static void a_queue_of_copies_is_no_hang(void **state)
{
    uint32_t out[RESULTS];
    const struct machine x = { .timing = true, .grid = 1, .host_threads = 1, .extra = "sim.hang_cycles=1000" };
    run(START PREFETCHES TIME(0) END, &x, out, NULL);
    assert_true(out[0] > 10000);
}

static void a_report_has_the_copies(void **state)
{
    uint32_t out[RESULTS];
    const struct machine x = { .timing = true, .host_threads = 1, .extra = "sim.max_cycles=8000" };
    simtx_gpu *g = new_gpu(&x);
    assert_int_equal(run_on(g, PREFETCHES END, 1, out, NULL), SIMTX_HANG);
    assert_non_null(strstr(simtx_last_message(g), "bulk copies: "));
    simtx_gpu_free(g);
}

/* A kernel ends with a fault while copies are in flight; the next one on the same GPU has none of them. */
static void a_fault_leaves_no_copies(void **state)
{
    uint32_t out[RESULTS], *buffer = malloc(BUFFER);
    simtx_gpu *g = new_gpu(&timed);
    assert_int_equal(run_on(g, EXPECT(8192) LOAD(8192) STORE(32768, 8192) "    mov.u64 %rd9, 8;\n"
                               "    st.global.u32 [%rd9], 1;\n" END, 4, out, NULL), SIMTX_FAULT);
    assert_int_equal(run_on(g, EXPECT(4096) LOAD(4096) WAIT(W, 0) STORE(32768, 4096)
                               "    cp.async.bulk.wait_group 0;\n" END, 4, out, buffer), SIMTX_OK);
    for (uint32_t i = 0; i < 1024; i++)
        assert_int_equal(buffer[8192 + i], 1000 + i);
    simtx_gpu_free(g);
    free(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_the_model), cmocka_unit_test(bytes_arrive_later),
        cmocka_unit_test(parts_complete_one_after_the_other), cmocka_unit_test(groups_are_waited_for),
        cmocka_unit_test(a_block_ends_after_its_copies), cmocka_unit_test(the_rate_is_that_of_other_copies),
        cmocka_unit_test(host_threads_do_not_matter), cmocka_unit_test(every_policy_completes_them),
        cmocka_unit_test(parts_are_no_loads_of_threads),
        cmocka_unit_test(a_tolerated_copy_completes_its_bytes),
        cmocka_unit_test(tolerated_asynchronous_stores_complete_their_bytes),
        cmocka_unit_test(a_proxy_fence_orders_one_thread),
        cmocka_unit_test(a_queue_of_copies_is_no_hang),
        cmocka_unit_test(a_report_has_the_copies), cmocka_unit_test(a_fault_leaves_no_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
