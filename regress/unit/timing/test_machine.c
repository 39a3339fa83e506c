/*
 * The machine as the library shows it: the same statistics however it is simulated, launches side by side, errors of
 * launches that waited, hangs, faults, interruption, and which launches run in timing mode.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "frontend/lib/simtx.h"
#include "regress/drop_host.h"

/* 50 instructions */
#define ADD10 \
    "  add.u32 %r0, %r0, 1; add.u32 %r0, %r0, 2; add.u32 %r0, %r0, 3; add.u32 %r0, %r0, 4; add.u32 %r0, %r0, 5;\n" \
    "  add.u32 %r0, %r0, 6; add.u32 %r0, %r0, 7; add.u32 %r0, %r0, 8; add.u32 %r0, %r0, 9; add.u32 %r0, %r0, 10;\n"
#define LONG ADD10 ADD10 ADD10 ADD10 ADD10

static const char PTX[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    /* a bit of everything: shared memory, barrier, private array, atomics, divergence, loads and stores of all kinds */
    ".visible .entry mix(.param .u64 out, .param .u32 n)\n{\n"
    "  .reg .pred %p; .reg .b32 %r<12>; .reg .b64 %d<6>; .shared .b32 s[128]; .local .b32 l[4];\n"
    "  ld.param.u64 %d1, [out]; ld.param.u32 %r9, [n];\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "  and.b32 %r5, %r3, 3; mul.wide.u32 %d2, %r5, 4; mov.u64 %d3, l; add.u64 %d3, %d3, %d2;\n"
    "  st.local.u32 [%d3], %r4;\n"
    "  mul.wide.u32 %d2, %r3, 4; mov.u64 %d4, s; add.u64 %d4, %d4, %d2;\n"
    "  xor.b32 %r6, %r3, 1; mul.wide.u32 %d2, %r6, 4; mov.u64 %d5, s; add.u64 %d5, %d5, %d2;\n"
    "LOOP:\n"
    "  st.shared.u32 [%d4], %r4; bar.sync 0; ld.shared.u32 %r7, [%d5]; bar.sync 0;\n"
    "  and.b32 %r8, %r7, 5; setp.eq.u32 %p, %r8, 0; @%p bra SKIP;\n"
    "  atom.global.add.u32 %r8, [%d1], %r7; ld.volatile.global.u32 %r8, [%d1+64];\n"
    "SKIP:\n"
    "  sub.u32 %r9, %r9, 1; setp.ne.u32 %p, %r9, 0; @%p bra LOOP;\n"
    "  ld.local.u32 %r10, [%d3]; add.u32 %r10, %r10, %r7;\n"
    "  mov.u32 %r11, %r4; mul.wide.u32 %d2, %r11, 4; add.u64 %d2, %d2, %d1; st.global.u32 [%d2+256], %r10;\n"
    "  ret;\n}\n"
    /* loads of one line, each after a chain of additions */
    ".visible .entry sparse(.param .u64 out, .param .u32 n)\n{\n"
    "  .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %d;\n"
    "  ld.param.u64 %d, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;\n"
    "LOOP:\n"
    "  add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 2; add.u32 %r2, %r2, 3; add.u32 %r2, %r2, 4; add.u32 %r2, %r2, 5;\n"
    "  ld.volatile.global.u32 %r0, [%d]; xor.b32 %r2, %r2, %r0; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 2;\n"
    "  sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra LOOP;\n  st.global.u32 [%d+128], %r2;\n  ret;\n}\n"
    /* ends by a branch over a long path, in a function that does not return */
    ".func leave()\n{\n  exit;\n}\n"
    ".visible .entry early(.param .u64 out, .param .u32 n)\n{\n"
    "  .reg .pred %p; .reg .b32 %r<2>;\n"
    "  ld.param.u32 %r1, [n]; setp.ne.u32 %p, %r1, 12345; @%p bra DONE;\n" LONG
    "DONE:\n  call leave;\n" LONG "  ret;\n}\n"
    /* counts down, then stores its number */
    ".visible .entry slow(.param .u64 out, .param .u32 value, .param .u32 n)\n{\n"
    "  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d;\n"
    "  ld.param.u64 %d, [out]; ld.param.u32 %r1, [value]; ld.param.u32 %r2, [n];\n"
    "LOOP:\n  sub.u32 %r2, %r2, 1; setp.ne.u32 %p, %r2, 0; @%p bra LOOP;\n"
    "  ld.param.u32 %r3, [value]; st.global.u32 [%d], %r3;\n  ret;\n}\n"
    /* counts in shared memory, so that no register shows it, then stores a number */
    ".visible .entry quiet(.param .u64 out)\n{\n"
    "  .reg .pred %p; .reg .b32 %r; .reg .b64 %d; .shared .b32 n;\n"
    "  ld.param.u64 %d, [out];\n"
    "LOOP:\n  ld.shared.u32 %r, [n]; add.u32 %r, %r, 1; st.shared.u32 [n], %r; setp.lt.u32 %p, %r, 2000; "
    "mov.u32 %r, 7;\n"
    "  @%p bra LOOP;\n  st.global.u32 [%d], %r;\n  ret;\n}\n"
    ".visible .entry copy(.param .u64 to, .param .u64 from)\n{\n"
    "  .reg .b32 %r; .reg .b64 %d<3>;\n"
    "  ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from]; ld.global.u32 %r, [%d2]; st.global.u32 [%d1], %r;\n  ret;\n}\n"
    ".visible .entry spin(.param .u64 flag)\n{\n"
    "  .reg .pred %p; .reg .b32 %r; .reg .b64 %d;\n"
    "  ld.param.u64 %d, [flag];\n"
    "LOOP:\n  ld.volatile.global.u32 %r, [%d]; setp.eq.u32 %p, %r, 0; @%p bra LOOP;\n  ret;\n}\n"
    ".visible .entry when(.param .u64 out)\n{\n"
    "  .reg .b64 %d<3>;\n"
    "  ld.param.u64 %d1, [out]; mov.u64 %d2, %globaltimer; st.global.u64 [%d1], %d2;\n  ret;\n}\n"
    ".visible .entry wild(.param .u64 out)\n{\n"
    "  .reg .b32 %r; .reg .b64 %d<3>;\n"
    "  ld.param.u64 %d1, [out]; mov.u32 %r, %ctaid.x; mul.wide.u32 %d2, %r, 4; add.u64 %d1, %d1, %d2;\n"
    "  st.global.u32 [%d1], %r;\n  ret;\n}\n";

struct session { simtx_config *config; simtx_gpu *gpu; simtx_module *module; uint32_t *memory; };

enum { WORDS = 8192 };

static void open_with(struct session *s, const char *const *settings)
{
    static const char *const always[] = { "sim.mode=timing", "gpu.sms=3", "dram.channels=2", NULL };
    char *message = NULL;
    s->config = simtx_config_new();
    for (int i = 0; always[i]; i++)
        assert_int_equal(simtx_config_set(s->config, always[i], NULL), SIMTX_OK);
    for (int i = 0; settings && settings[i]; i++)
        if (simtx_config_set(s->config, settings[i], &message))
            fail_msg("%s", message);
    s->gpu = simtx_gpu_new(s->config, 0, &message);
    if (!s->gpu)
        fail_msg("%s", message);
    if (simtx_module_load(s->gpu, PTX, sizeof PTX - 1, "machine.ptx", &s->module))
        fail_msg("%s", simtx_last_message(s->gpu));
    assert_int_equal(simtx_malloc(s->gpu, WORDS * 4, SIMTX_MEM_DEVICE, (void **)&s->memory), SIMTX_OK);
}

static void open_gpu(struct session *s, const char *setting)
{
    open_with(s, (const char *const[]){ setting, NULL });
}

static void close_gpu(struct session *s)
{
    simtx_gpu_free(s->gpu);
    simtx_config_free(s->config);
}

static simtx_launch_params shape(unsigned grid, unsigned block, const void *const *args, uint64_t stream)
{
    return (simtx_launch_params){ .grid = { grid, 1, 1 }, .block = { block, 1, 1 }, .args = args, .stream = stream };
}

static simtx_status launch_slow(struct session *s, unsigned word, uint32_t value, uint32_t n, uint64_t stream)
{
    uint32_t *to = s->memory + word;
    const void *args[] = { &to, &value, &n };
    simtx_launch_params p = shape(1, 32, args, stream);
    return simtx_launch_async(simtx_module_kernel(s->module, "slow"), &p, NULL);
}

static simtx_status launch_one(struct session *s, const char *kernel, unsigned grid, uint64_t stream,
                               simtx_fault *fault)
{
    const void *args[] = { &s->memory };
    simtx_launch_params p = shape(grid, 32, args, stream);
    return simtx_launch_async(simtx_module_kernel(s->module, kernel), &p, fault);
}

static json_t *stats_of(const struct session *s)
{
    char *text = simtx_stats_json(s->gpu);
    json_t *o = json_loads(text, 0, NULL);
    assert_non_null(o);
    free(text);
    return o;
}

static json_t *kernel_of(json_t *root, size_t i)
{
    return json_array_get(json_object_get(root, "kernels"), i);
}

static long long number(const json_t *o, const char *key)
{
    assert_true(json_is_integer(json_object_get(o, key)));
    return json_integer_value(json_object_get(o, key));
}

/* ---- how it is simulated ---- */

static void launch_shape(struct session *s, const char *kernel, unsigned grid, unsigned block, uint32_t n)
{
    const void *args[] = { &s->memory, &n };
    simtx_launch_params p = shape(grid, block, args, 0);
    if (simtx_launch(simtx_module_kernel(s->module, kernel), &p, NULL, NULL))
        fail_msg("%s: %s", kernel, simtx_last_message(s->gpu));
}

/* Statistics and memory after the same launches. */
static char *run_mix(const char *setting, const char *const *machine, uint32_t memory[WORDS])
{
    struct session s;
    open_with(&s, (const char *const[]){ setting, machine[0], machine[1], machine[2], NULL });
    for (int i = 0; i < 2; i++)
        launch_shape(&s, "mix", 40, 128, 9);
    launch_shape(&s, "sparse", 2, 64, 20);
    launch_shape(&s, "early", 7, 32, 1);
    memcpy(memory, s.memory, WORDS * 4);
    json_t *root = stats_of(&s);
    drop_host(root);
    char *text = json_dumps(root, JSON_INDENT(1));
    json_decref(root);
    close_gpu(&s);
    return text;
}

static void the_same_however_simulated(void **state)
{
    static const char *const settings[] = { "sim.threads=2", "sim.threads=3", "sim.threads=7", "sim.sync_window=1",
                                            "sim.sync_window=3", "sim.no_skip=true" };
    static const char *const machines[][4] = {
        { "xbar.mhz=700" }, { "dram.refresh=true" }, { "gpu.warp_size=64" }, { "l1.pipelined=true" },
        { "xbar.input=fifo" }, { "memory.local_layout=word" }, { "core.fetch_past_branch=true" },
        { "l2.sector_replies=true" }, { "l2.parameters=true", "sim.flush=false" },
        { "l2.parameters=true", "coherence.protocol=mesi", "xbar.vns=4" }, { "core.exit_past_stores=true" },
        { "core.exit_past_stores=true", "gpu.sms=1", "gpu.max_blocks_per_sm=1" },
        { "core.guard_latency=9" }, { "tlb.l1.entries=2", "tlb.l1.page_kb=4", "tlb.l2.page_kb=8" },
        { "tlb.l1.entries=1", "tlb.l2.latency=4", "tlb.walk_latency=1" },           /* as short as a window */
        { "tlb.l1.entries=1", "coherence.protocol=mesi", "xbar.vns=4" },
        { "l15.kb=64", "inst.launch_kb=16", "inst.prefetch=4" },
        { "gpu.sms=1", "gpu.max_blocks_per_sm=1", "core.perfect_fetch=true" },      /* idle between blocks */
        { "l2.latency=1", "xbar.latency=2", "core.perfect_fetch=true" },            /* replies within a window */
    };
    uint32_t memory[WORDS], again[WORDS];
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        char *text = run_mix("sim.threads=1", machines[k], memory);
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
            char *other = run_mix(settings[i], machines[k], again);
            if (strcmp(text, other))
                fail_msg("%s, %s: other statistics", machines[k][0], settings[i]);
            assert_memory_equal(memory, again, sizeof memory);
            free(other);
        }
        free(text);
    }
}

/* Sums over blocks: the same whatever their order. */
static void memory_as_in_functional_mode(void **state)
{
    uint32_t timing[WORDS], functional[WORDS];
    free(run_mix("sim.threads=1", (const char *const[]){ NULL, NULL, NULL }, timing));
    free(run_mix("sim.mode=functional", (const char *const[]){ NULL, NULL, NULL }, functional));
    assert_memory_equal(timing, functional, sizeof timing);
}

/* TLBs keep their pages from one kernel to the next, or with tlb.flush do not: the second one walks again. */
static void kernels_keep_translations(void **state)
{
    for (int flush = 0; flush < 2; flush++) {
        struct session s;
        open_with(&s, (const char *const[]){ "tlb.l1.entries=4", flush ? "tlb.flush=true" : "tlb.flush=false", NULL });
        for (int i = 0; i < 2; i++)
            launch_shape(&s, "sparse", 1, 32, 5);
        json_t *root = stats_of(&s), *tlb = json_object_get(json_object_get(root, "total"), "tlb");
        json_t *l1 = json_object_get(tlb, "l1"), *shared = json_object_get(tlb, "l2");
        assert_int_equal(number(l1, "misses"), flush ? 2 : 1);
        assert_int_equal(number(l1, "hits") + number(l1, "merged") + number(l1, "misses"), 12);
        assert_int_equal(number(shared, "misses"), flush ? 2 : 1);
        json_decref(root);
        close_gpu(&s);
    }
}

/* ---- memory ---- */

static void packed_allocations_follow_each_other(void **state)
{
    static const size_t bytes[] = { 1000, 4, 256, 1 << 20, 300 };
    for (int packed = 0; packed < 2; packed++) {
        struct session s;
        char *p[5];
        uint64_t first = 0;
        open_gpu(&s, packed ? "memory.packing=packed" : "memory.packing=gaps");
        for (int i = 0; i < 5; i++)
            assert_int_equal(simtx_malloc(s.gpu, bytes[i], SIMTX_MEM_DEVICE, (void **)&p[i]), SIMTX_OK);
        first = (uint64_t)(uintptr_t)s.memory;
        assert_int_equal(first % (packed ? 1 << 24 : 256), 0);
        for (int i = 1; i < 5; i++) {
            size_t gap = (size_t)(p[i] - p[i - 1]) - bytes[i - 1];
            if (packed)
                assert_true(gap < 256);
            else
                assert_true(gap >= 256);
            assert_int_equal((uintptr_t)p[i] % 256, 0);
        }
        const void *args[] = { &p[0], &p[3] };
        simtx_launch_params l = shape(1, 1, args, 0);
        memcpy(p[3], &(uint32_t){ 77 }, 4);
        assert_int_equal(simtx_launch(simtx_module_kernel(s.module, "copy"), &l, NULL, NULL), SIMTX_OK);
        assert_int_equal(*(uint32_t *)(void *)p[0], 77);
        assert_int_equal(simtx_free(s.gpu, p[2]), SIMTX_OK);
        close_gpu(&s);
    }
}

/* Sectors that a load of the kernel "copy" brings from DRAM: none after a copy by the host that L2 keeps. */
static void copies_by_the_host_stay_in_l2(void **state)
{
    static const struct { const char *setting; bool copied; long long fills; } rows[] = {
        { "l2.copies=false", true, 1 }, { "l2.copies=true", true, 0 }, { "l2.copies=true", false, 1 }
    };
    for (int i = 0; i < 3; i++) {
        struct session s;
        open_with(&s, (const char *const[]){ rows[i].setting, "core.perfect_fetch=true", NULL });
        uint32_t *from = s.memory + 1024;
        const void *args[] = { &s.memory, &from };
        simtx_launch_params p = shape(1, 1, args, 0);
        if (rows[i].copied)
            assert_int_equal(simtx_after_copy_to_device(s.gpu, from, 4), SIMTX_OK);
        assert_int_equal(simtx_launch(simtx_module_kernel(s.module, "copy"), &p, NULL, NULL), SIMTX_OK);
        json_t *root = stats_of(&s), *l2 = json_object_get(json_object_get(root, "total"), "l2");
        assert_int_equal(number(json_object_get(l2, "read"), "misses") - 1, rows[i].fills);  /* and the parameters */
        json_decref(root);
        close_gpu(&s);
    }
    struct session s;
    open_gpu(&s, "l2.copies=true");
    assert_int_equal(simtx_after_copy_to_device(s.gpu, &s, 4), SIMTX_INVALID_ADDRESS);
    close_gpu(&s);
}

/* The first read of a parameter waits for DRAM unless the launch has written the parameters through L2. The kernel is
 * shorter by the time that the read spends in L2 and DRAM otherwise. */
static void a_launch_leaves_parameters_in_l2(void **state)
{
    long long cycles[2], served[2];
    for (int in_l2 = 0; in_l2 < 2; in_l2++) {
        struct session s;
        open_with(&s, (const char *const[]){ in_l2 ? "l2.parameters=true" : "l2.parameters=false",
                                             "core.perfect_fetch=true", NULL });
        assert_int_equal(launch_slow(&s, 0, 11, 10, 0), SIMTX_OK);
        json_t *root = stats_of(&s), *kernel = kernel_of(root, 0), *l2 = json_object_get(kernel, "l2");
        assert_int_equal(number(json_object_get(l2, "read"), "misses"), !in_l2);
        assert_int_equal(number(json_object_get(kernel, "dram"), "reads"), in_l2 ? 0 : 2);      /* a line of 64 bytes */
        json_t *request = json_object_get(json_object_get(kernel, "histograms"), "request");
        served[in_l2] = number(json_object_get(request, "l2"), "max") + number(json_object_get(request, "dram"), "max");
        cycles[in_l2] = number(kernel, "cycles");
        assert_int_equal(s.memory[0], 11);
        json_decref(root);
        close_gpu(&s);
    }
    assert_true(served[0] > served[1] + 100);
    assert_int_equal(cycles[0] - cycles[1], served[0] - served[1]);
}

/* A launch brings the code of a kernel and the lines after it that fetches prefetch: only the parameters miss in L1.5.
 * Otherwise each line of the code misses once, and so does each line after it. */
static void a_launch_brings_code_and_lines_after_it(void **state)
{
    long long misses[2];
    (void)state;
    for (int brings = 0; brings < 2; brings++) {
        struct session s;
        open_with(&s, (const char *const[]){ brings ? "inst.launch_kb=16" : "inst.launch_kb=0", "l15.kb=64",
                                             "gpu.sms=1", "inst.prefetch=4", "inst.mshrs=8", "inst.bytes=16", NULL });
        assert_int_equal(launch_slow(&s, 0, 11, 10, 0), SIMTX_OK);
        json_t *root = stats_of(&s), *kernel = kernel_of(root, 0);
        misses[brings] = number(json_object_get(kernel, "l15"), "misses");
        json_decref(root);
        close_gpu(&s);
    }
    assert_int_equal(misses[1], 1);
    assert_true(misses[0] > 1 + 4);
}

/* ---- ends of warps ---- */

struct end_of_warps { long long cycles, longest, latency; };

/* Blocks one after the other on one SM, each of which ends with a store. */
static struct end_of_warps run_blocks_that_store(const char *setting, const char *const *more, uint32_t blocks)
{
    struct session s;
    uint32_t value = 21, n = 10;
    open_with(&s, (const char *const[]){ setting, "gpu.sms=1", "gpu.max_blocks_per_sm=1", "core.perfect_fetch=true",
                                         more[0], more[0] ? more[1] : NULL, NULL });
    const void *args[] = { &s.memory, &value, &n };
    simtx_launch_params p = shape(blocks, 32, args, 0);
    assert_int_equal(simtx_launch(simtx_module_kernel(s.module, "slow"), &p, NULL, NULL), SIMTX_OK);
    json_t *root = stats_of(&s), *kernel = kernel_of(root, 0);
    json_t *stores = json_object_get(json_object_get(kernel, "histograms"), "store_latency");
    assert_int_equal(number(stores, "n"), blocks);
    struct end_of_warps r = { number(kernel, "cycles"), number(kernel, "longest_sm_cycles"), number(stores, "max") };
    assert_int_equal(number(kernel, "blocks"), blocks);
    assert_int_equal(s.memory[0], 21);
    json_decref(root);
    close_gpu(&s);
    return r;
}

/* The kernel waits for the last block's stores; nothing waits for those of the others. */
static void warps_end_before_their_stores_have_performed(void **state)
{
    static const char *const none[] = { NULL };
    enum { BLOCKS = 5, SENT = 8 };       /* cycles, at most, until the load/store unit has sent a store */
    struct end_of_warps wait = run_blocks_that_store("core.exit_past_stores=false", none, BLOCKS);
    struct end_of_warps past = run_blocks_that_store("core.exit_past_stores=true", none, BLOCKS);
    assert_true(wait.latency > 100 && wait.latency == past.latency);
    assert_in_range(wait.longest - past.longest, BLOCKS * (wait.latency - SENT), BLOCKS * wait.latency);
    assert_in_range(wait.cycles - past.cycles, (BLOCKS - 1) * (wait.latency - SENT), (BLOCKS - 1) * wait.latency);
    assert_true(past.cycles >= past.longest + past.latency - SENT);
}

/* Where something follows the stores of a warp, it ends after them, whatever the key says. */
static void only_relaxed_machines_end_warps_early(void **state)
{
    static const struct { bool early; const char *setting[3]; } rows[] = {
        { true, { "order.policy=rmo-no-drain" } }, { true, { "order.policy=rmo-paper" } },
        { false, { "order.policy=sc" } }, { false, { "order.policy=tso" } },
        { false, { "order.policy=tso-store-buffer" } }, { false, { "coherence.protocol=mesi", "xbar.vns=4" } },
        { false, { "tm.global=ideal" } }, { false, { "tm.shared=localtm" } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct end_of_warps wait = run_blocks_that_store("core.exit_past_stores=false", rows[i].setting, 3);
        struct end_of_warps past = run_blocks_that_store("core.exit_past_stores=true", rows[i].setting, 3);
        assert_int_equal(past.longest < wait.longest, rows[i].early);
        assert_int_equal(past.cycles < wait.cycles, rows[i].early);
    }
}

/* ---- streams ---- */

static void streams_run_side_by_side(void **state)
{
    struct session s;
    open_gpu(&s, "sim.seed=1");
    assert_int_equal(launch_slow(&s, 0, 11, 3000, 1), SIMTX_OK);
    assert_int_equal(launch_slow(&s, 1, 22, 3000, 2), SIMTX_OK);
    assert_int_equal(launch_slow(&s, 2, 33, 3000, 3), SIMTX_OK);
    assert_int_equal(s.memory[0], 0);                        /* they wait */
    assert_int_equal(simtx_synchronize(s.gpu, NULL), SIMTX_OK);
    assert_int_equal(s.memory[0], 11);                       /* each with its own parameters */
    assert_int_equal(s.memory[1], 22);
    assert_int_equal(s.memory[2], 33);
    json_t *root = stats_of(&s), *total = json_object_get(root, "total");
    assert_true(number(total, "machine_cycles") * 2 < number(total, "cycles"));
    assert_int_equal(number(kernel_of(root, 2), "counted_in"), 0);
    assert_int_equal(number(kernel_of(root, 2), "machine_cycles"), 0);
    assert_int_equal(number(kernel_of(root, 0), "machine_cycles"), number(total, "machine_cycles"));
    json_decref(root);
    close_gpu(&s);
}

static void a_stream_keeps_its_order(void **state)
{
    struct session s;
    open_gpu(&s, "sim.seed=1");
    uint32_t *to = s.memory + 1;
    const void *args[] = { &to, &s.memory };
    simtx_launch_params p = shape(1, 1, args, 5);
    assert_int_equal(launch_slow(&s, 0, 7, 500, 5), SIMTX_OK);
    assert_int_equal(simtx_launch_async(simtx_module_kernel(s.module, "copy"), &p, NULL), SIMTX_OK);
    assert_int_equal(s.memory[0], 7);                        /* the first one had to run */
    assert_int_equal(s.memory[1], 0);
    assert_int_equal(simtx_synchronize(s.gpu, NULL), SIMTX_OK);
    assert_int_equal(s.memory[1], 7);
    close_gpu(&s);
}

static void the_default_stream_waits_for_all(void **state)
{
    struct session s;
    open_gpu(&s, "sim.seed=1");
    assert_int_equal(launch_slow(&s, 0, 1, 100, 1), SIMTX_OK);
    assert_int_equal(launch_slow(&s, 1, 2, 100, 2), SIMTX_OK);
    assert_int_equal(launch_slow(&s, 2, 3, 100, 0), SIMTX_OK);
    assert_int_equal(s.memory[0], 1);
    assert_int_equal(s.memory[1], 2);
    assert_int_equal(s.memory[2], 3);
    close_gpu(&s);
}

static void many_streams(void **state)
{
    struct session s;
    open_gpu(&s, "sim.seed=1");
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(launch_slow(&s, i, 1000 + i, 10 + i, 1 + i), SIMTX_OK);
    assert_int_equal(simtx_synchronize(s.gpu, NULL), SIMTX_OK);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(s.memory[i], 1000 + i);
    close_gpu(&s);
}

/* ---- runs that do not end well ---- */

static void errors_come_out_of_the_call_that_runs_it(void **state)
{
    struct session s;
    simtx_fault fault;
    open_gpu(&s, "sim.seed=1");
    assert_int_equal(launch_one(&s, "wild", WORDS + 1, 1, &fault), SIMTX_OK);
    assert_int_equal(launch_slow(&s, 1, 22, 10, 2), SIMTX_OK);
    assert_int_equal(simtx_synchronize(s.gpu, &fault), SIMTX_FAULT);
    assert_int_equal(fault.kind, SIMTX_FAULT_OUT_OF_BOUNDS);
    assert_string_equal(fault.kernel, "wild");
    assert_int_equal(fault.block.x, WORDS);
    assert_int_equal(simtx_synchronize(s.gpu, &fault), SIMTX_OK);
    assert_int_equal(launch_slow(&s, 3, 44, 10, 0), SIMTX_OK);     /* the GPU works on */
    assert_int_equal(s.memory[3], 44);
    close_gpu(&s);
}

/* Word for word the report of functional mode. */
static void faults_are_reported_alike(void **state)
{
    simtx_fault fault[2];
    for (int i = 0; i < 2; i++) {
        struct session s;
        open_gpu(&s, i ? "sim.mode=timing" : "sim.mode=functional");
        assert_int_equal(launch_one(&s, "wild", WORDS + 1, 0, &fault[i]), SIMTX_FAULT);
        close_gpu(&s);
    }
    assert_string_equal(fault[0].report, fault[1].report);
    assert_int_equal(fault[0].ptx_line, fault[1].ptx_line);
}

static void a_loop_that_waits_for_ever_is_a_hang(void **state)
{
    struct session s;
    open_gpu(&s, "sim.hang_cycles=5000");
    assert_int_equal(launch_one(&s, "spin", 2, 0, NULL), SIMTX_HANG);
    const char *text = simtx_last_message(s.gpu);
    assert_non_null(strstr(text, "hang in kernel spin"));
    assert_non_null(strstr(text, "warp 0 of block (0,0,0) on SM 0: 32 lanes spin"));
    assert_non_null(strstr(text, "1 more warp has the same wait"));
    assert_non_null(strstr(text, "ld.volatile.global.u32"));
    json_t *root = stats_of(&s);
    assert_string_equal(json_string_value(json_object_get(kernel_of(root, 0), "status")), "hang");
    json_decref(root);
    s.memory[0] = 1;
    assert_int_equal(launch_one(&s, "spin", 2, 0, NULL), SIMTX_OK);
    close_gpu(&s);
}

/* Long, without memory traffic, and with a loop that changes: no hang, however short the patience. */
static void long_loops_are_no_hang(void **state)
{
    struct session s;
    open_gpu(&s, "sim.hang_cycles=500");
    assert_int_equal(launch_slow(&s, 0, 5, 100000, 0), SIMTX_OK);
    assert_int_equal(s.memory[0], 5);
    assert_int_equal(launch_one(&s, "quiet", 1, 0, NULL), SIMTX_OK);
    assert_int_equal(s.memory[0], 7);
    close_gpu(&s);
}

static void interrupt_at_once(void *ctx, const simtx_progress *p)
{
    struct session *s = ctx;
    assert_true(p->cycles > 0 && p->thread_instructions > 0);
    assert_int_equal(p->blocks, 3);
    simtx_interrupt(s->gpu);
}

static void a_run_can_be_interrupted(void **state)
{
    struct session s;
    open_gpu(&s, "sim.hang_cycles=0");
    simtx_set_progress(s.gpu, interrupt_at_once, &s);
    assert_int_equal(launch_one(&s, "spin", 3, 0, NULL), SIMTX_INTERRUPTED);
    s.memory[0] = 1;
    assert_int_equal(launch_one(&s, "spin", 3, 0, NULL), SIMTX_OK);
    close_gpu(&s);
}

/* Of two launches of one kernel the one that faulted is blamed. */
static void the_launch_that_faults_is_blamed(void **state)
{
    struct session s;
    simtx_fault fault;
    open_gpu(&s, "sim.seed=1");
    assert_int_equal(launch_one(&s, "wild", 1, 1, NULL), SIMTX_OK);
    assert_int_equal(launch_one(&s, "wild", WORDS + 1, 2, NULL), SIMTX_OK);
    assert_int_equal(simtx_synchronize(s.gpu, &fault), SIMTX_FAULT);
    assert_int_equal(fault.block.x, WORDS);
    json_t *root = stats_of(&s);
    assert_string_equal(json_string_value(json_object_get(kernel_of(root, 0), "status")), "ok");
    assert_string_equal(json_string_value(json_object_get(kernel_of(root, 1), "status")), "fault");
    json_decref(root);
    close_gpu(&s);
}

/* %globaltimer is the time that events on the host get, also after launches of either mode and after a machine was made
 * anew. */
static void the_timer_is_the_hosts_time(void **state)
{
    struct session s;
    open_gpu(&s, "sim.detail=launch:2-5,launch:8-20");
    for (unsigned i = 0; i < 7; i++) {
        uint64_t before = simtx_time(s.gpu), at;
        if (i == 4)
            launch_one(&s, "wild", WORDS + 1, 0, NULL);
        else
            assert_int_equal(launch_slow(&s, 9, 1, 1000, 0), SIMTX_OK);
        assert_true(simtx_time(s.gpu) > before);
        before = simtx_time(s.gpu);
        assert_int_equal(launch_one(&s, "when", 1, 0, NULL), SIMTX_OK);
        memcpy(&at, s.memory, sizeof at);
        assert_in_range(at, before, simtx_time(s.gpu));
    }
    close_gpu(&s);
}

/* ---- which launches ---- */

static void detail_chooses_launches(void **state)
{
    struct session s;
    open_gpu(&s, "sim.detail=kernel:copy,launch:2-3");
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(launch_slow(&s, i, i + 1, 10, i == 1 ? 1 : 0), SIMTX_OK);
    uint32_t *to = s.memory + 9;
    const void *args[] = { &to, &s.memory };
    simtx_launch_params p = shape(1, 1, args, 0);
    assert_int_equal(simtx_launch(simtx_module_kernel(s.module, "copy"), &p, NULL, NULL), SIMTX_OK);
    json_t *root = stats_of(&s);
    for (size_t i = 0; i < 6; i++) {
        bool timed = i == 2 || i == 3 || i == 5;
        assert_int_equal(json_object_get(kernel_of(root, i), "cycles") != NULL, timed);
        assert_int_equal(json_object_get(kernel_of(root, i), "histograms") != NULL, timed);
        assert_int_equal(s.memory[i == 5 ? 9 : i], i == 5 ? 1 : i + 1);
    }
    assert_string_equal(json_string_value(json_object_get(root, "mode")), "mixed");
    json_decref(root);
    close_gpu(&s);
}

static void bad_settings_have_a_message(void **state)
{
    static const struct { const char *setting, *words; } bad[] = {
        { "sim.detail=kernels:x", "sim.detail: 'kernels:x'" },
        { "sim.detail=launch:5-3", "launch:5-3" },
        { "xbar.mhz=20000", "xbar.latency" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        simtx_config *c = simtx_config_new();
        char *message = NULL;
        assert_int_equal(simtx_config_set(c, "sim.mode=timing", NULL), SIMTX_OK);
        assert_int_equal(simtx_config_set(c, "xbar.latency=2", NULL), SIMTX_OK);
        assert_int_equal(simtx_config_set(c, bad[i].setting, NULL), SIMTX_OK);
        assert_null(simtx_gpu_new(c, 0, &message));
        assert_non_null(message);
        if (!strstr(message, bad[i].words))
            fail_msg("%s", message);
        free(message);
        simtx_config_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_however_simulated),
        cmocka_unit_test(memory_as_in_functional_mode),
        cmocka_unit_test(kernels_keep_translations),
        cmocka_unit_test(packed_allocations_follow_each_other),
        cmocka_unit_test(copies_by_the_host_stay_in_l2),
        cmocka_unit_test(a_launch_leaves_parameters_in_l2),
        cmocka_unit_test(a_launch_brings_code_and_lines_after_it),
        cmocka_unit_test(warps_end_before_their_stores_have_performed),
        cmocka_unit_test(only_relaxed_machines_end_warps_early),
        cmocka_unit_test(streams_run_side_by_side),
        cmocka_unit_test(a_stream_keeps_its_order),
        cmocka_unit_test(the_default_stream_waits_for_all),
        cmocka_unit_test(many_streams),
        cmocka_unit_test(errors_come_out_of_the_call_that_runs_it),
        cmocka_unit_test(faults_are_reported_alike),
        cmocka_unit_test(a_loop_that_waits_for_ever_is_a_hang),
        cmocka_unit_test(long_loops_are_no_hang),
        cmocka_unit_test(a_run_can_be_interrupted),
        cmocka_unit_test(the_launch_that_faults_is_blamed),
        cmocka_unit_test(the_timer_is_the_hosts_time),
        cmocka_unit_test(detail_chooses_launches),
        cmocka_unit_test(bad_settings_have_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
