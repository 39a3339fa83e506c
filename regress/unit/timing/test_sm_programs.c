/*
 * Whole programs on the SM core, random ones and those of test_step.c, on machines that differ in everything: memory
 * and counts must be those of functional mode, every scheduler cycle must have its reason, and visiting every cycle
 * must change nothing.
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
#include "regress/unit/timing/sm_rig.h"
#include "regress/unit/ptx/step_cases.h"

enum { OUT_BYTES = 512 * GEN_OUT_BYTES, RANDOM_PROGRAMS = 40, CYCLES_MAX = 100000000 };

static const char *const machines[][24] = {
    { "core.policy", "gto", "core.stages", "3" },
    { "core.policy", "lrr", "core.schedulers", "2", "core.sp", "2", "core.int", "0", "core.sfu", "1", "core.dp", "0" },
    { "core.policy", "two_level", "core.active_warps", "2", "core.schedulers", "1", "core.simd_width", "8" },
    { "core.issue", "2", "core.dual_different", "false", "core.ibuffer", "4", "core.fetch_latency", "3" },
    { "core.collector", "true", "core.collectors", "3", "core.register_banks", "4", "core.stages", "9" },
    { "core.perfect_fetch", "true", "core.pinned", "true", "order.policy", "rmo-no-drain" },
    { "core.policy", "two_level", "core.active_warps", "1", "core.issue", "2", "core.collector", "true",
      "core.collectors", "1" },
    { "core.fetch_width", "1", "core.ibuffer", "1", "core.fetches", "1", "core.schedulers", "3", "core.sp", "1",
      "inst.bytes", "16" },
};
enum { MACHINES = sizeof machines / sizeof *machines };

static const struct rig_lsu memories[] = {
    { .latency = 37, .room = 1 },
    { .latency = 400, .room = 16, .line_miss = 90 },
    { .latency = 1500, .room = 4, .line_miss = 1100 },
};

struct outcome {
    bool ok;
    char *out, sum[GEN_SUM_BYTES];
    uint64_t cycles, launch[STAT_END], count[STAT_END];  /* of the executor, and of the SM */
    enum fault_kind fault;
};

static void fill(char *at, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes; i += 8) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(at + i, (uint64_t[]){ seed ^ seed >> 29 }, 8);
    }
}

static void run_on_sm(struct sm_rig *r, struct outcome *o, bool walk, uint64_t seed)
{
    const char *const *keys = machines[seed % MACHINES];
    for (int i = 0; keys[i]; i += 2)
        sm_rig_set(r, keys[i], keys[i + 1]);
    r->walk = walk;
    r->window = walk ? 1 : RIG_WINDOW;
    sm_rig_build(r, &memories[seed / MACHINES % 3]);
    o->cycles = sm_rig_run(r, CYCLES_MAX);
    memcpy(o->count, r->count, sizeof o->count);
    memcpy(o->launch, r->gpu.count, sizeof o->launch);
    o->ok = r->grid.done == r->grid.launch.nblocks;
    if (sm_fault(r->sm))
        o->fault = sm_fault(r->sm)->kind;
    sm_free(r->sm);
    tprogram_free(r->code);
}

enum mode { FUNCTIONAL, SKIP, WALK };

static struct outcome run(const char *ptx, const struct step_shape *s, uint64_t seed, enum mode mode)
{
    struct outcome o = { 0 };
    struct sm_rig r;
    sm_rig_open(&r, ptx, s);
    char *in = step_gpu_alloc(&r.gpu, GEN_IN_BYTES), *out = step_gpu_alloc(&r.gpu, OUT_BYTES),
         *sum = step_gpu_alloc(&r.gpu, GEN_SUM_BYTES);
    fill(in, GEN_IN_BYTES, seed);
    fill(sum, GEN_SUM_BYTES, seed + 1);
    memcpy(r.gpu.param, (char *[]){ in, out, sum }, 3 * sizeof in);
    r.gpu.launch.timed = mode != FUNCTIONAL;
    if (mode == FUNCTIONAL) {
        o.ok = grid_run(&r.gpu.launch);
        memcpy(o.launch, r.gpu.count, sizeof o.launch);
        o.fault = r.gpu.launch.fault.kind;
    } else
        run_on_sm(&r, &o, mode == WALK, seed);
    o.out = malloc(OUT_BYTES);
    assert_non_null(o.out);
    memcpy(o.out, out, OUT_BYTES);
    memcpy(o.sum, sum, GEN_SUM_BYTES);
    config_free(r.config);
    step_gpu_close(&r.gpu);
    return o;
}

static void check_slots(const struct outcome *o)
{
    uint64_t slots = o->count[STAT_ISSUED_SLOTS], insts = 0, lanes = 0;
    for (int i = 0; i < SM_STALLS; i++)
        slots += o->count[sm_stall_table[i].stat];
    for (int p = 0; p < PIPES; p++) {
        insts += o->count[pipe_table[p].issued];
        lanes += o->count[pipe_table[p].lanes];
    }
    assert_int_equal(slots, o->count[STAT_ISSUE_SLOTS]);
    assert_int_equal(insts, o->count[STAT_ISSUED_SLOTS] + o->count[STAT_DUAL_ISSUED]);
    assert_int_equal(lanes, o->launch[STAT_THREAD_INSTRUCTIONS]);
    assert_true(o->count[STAT_WARP_CYCLES] >= o->launch[STAT_WARP_INSTRUCTIONS] / 2);
}

static void same_counters(const struct outcome *a, const struct outcome *b)
{
    assert_int_equal(a->cycles, b->cycles);
    for (int i = 0; i < STAT_END; i++)
        if (a->count[i] != b->count[i])
            fail_msg("%s: %llu when cycles are skipped, %llu when not", stat_table[i].name,
                     (unsigned long long)a->count[i], (unsigned long long)b->count[i]);
}

static void check(const char *ptx, const struct step_shape *s, uint64_t seed)
{
    struct outcome want = run(ptx, s, seed, FUNCTIONAL), got = run(ptx, s, seed, SKIP), walk = run(ptx, s, seed, WALK);
    /* what waits for ever stands still here; another warp's fault may come first */
    assert_int_equal(got.fault, want.fault == FAULT_BARRIER && !got.fault ? FAULT_NONE : want.fault);
    assert_int_equal(got.ok, want.ok);
    check_slots(&got);
    same_counters(&got, &walk);
    if (want.ok) {
        assert_memory_equal(got.sum, want.sum, sizeof got.sum);
        assert_memory_equal(got.out, want.out, OUT_BYTES);
        assert_memory_equal(walk.out, want.out, OUT_BYTES);
        assert_int_equal(got.launch[STAT_THREAD_INSTRUCTIONS], want.launch[STAT_THREAD_INSTRUCTIONS]);
        assert_int_equal(got.launch[STAT_WARP_INSTRUCTIONS], want.launch[STAT_WARP_INSTRUCTIONS]);
        assert_int_equal(got.launch[STAT_BARRIERS], want.launch[STAT_BARRIERS]);
    }
    free(want.out);
    free(got.out);
    free(walk.out);
}

static void test_random(void **state)
{
    uint64_t seed = *(const uint64_t *)*state;
    struct gen_program *p = gen_make(seed);
    char *text = gen_text(p, NULL);
    struct step_shape s = { .grid = p->grid, .block = p->block, .warp_size = seed % 2 ? 32 : 64,
                            .independent = seed / 2 % 2, .quantum = 1ull << 40 };
    check(text, &s, seed);
    free(text);
    gen_free(p);
    mpfr_free_cache();
}

/* Transactions are a protocol's. */
static bool has_transactions(uint64_t seed)
{
    struct gen_program *p = gen_make(seed);
    char *text = gen_text(p, NULL);
    bool has = strstr(text, "tx_begin");
    free(text);
    gen_free(p);
    return has;
}

static void test_case(void **state)
{
    const struct step_case *c = *state;
    for (uint64_t shape = 0; shape < 4; shape++) {
        struct step_shape s = {
            .grid = 2, .block = c->block ? c->block : 64, .warp_size = shape % 2 ? 64 : 32, .independent = shape / 2
        };
        check(c->ptx, &s, 7 * shape + (uint64_t)(c - step_cases));
    }
}

int main(void)
{
    static struct CMUnitTest tests[RANDOM_PROGRAMS + 256];
    static char names[RANDOM_PROGRAMS][32];
    static uint64_t seeds[RANDOM_PROGRAMS];
    uint32_t n = 0;
    for (uint64_t seed = 1; n < RANDOM_PROGRAMS; seed++)
        if (!has_transactions(seed)) {
            snprintf(names[n], sizeof names[n], "random program %d", (int)seed);
            seeds[n] = seed;
            tests[n] = (struct CMUnitTest){ names[n], test_random, NULL, NULL, &seeds[n] };
            n++;
        }
    for (unsigned i = 0; i < step_ncases; i++, n++)
        tests[n] = (struct CMUnitTest){ step_cases[i].name, test_case, NULL, NULL, (void *)(uintptr_t)&step_cases[i] };
    return _cmocka_run_group_tests("sm programs", tests, n, NULL, NULL);
}
