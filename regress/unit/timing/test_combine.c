/*
 * Combined atomics (gpu.combine_atomics) of one warp: memory and every lane's result after random operations under
 * random guards and branches, against a loop over the lanes; with coherence protocols and ordering policies, whose
 * oracles watch; and their time, against sums of configured latencies and issue slots.
 */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/lib/simtx.h"

enum { LANES_MAX = 64, OPS = 12, WORDS = 6, NARROW = 4, SETTINGS_MAX = 8, ROUNDS = 40 };

static uint64_t random_state;

static uint32_t any(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

/* ---- programs ---- */

enum value { CONSTANT, PARAMETER, LANE, VALUES };
enum form { PLAIN, GUARD, BRANCH, FORMS };

static const char *const name[] = { "add", "min", "max", "and", "or", "xor", "exch" };
enum { ADD, MIN, MAX, AND, OR, XOR, EXCH, NAMES };

struct op {
    uint8_t what, value, form, word;
    bool is_signed, returns, shared;
    uint32_t constant;
    uint64_t lanes;                  /* that execute it */
};

static bool is_wide(const struct op *o)
{
    return o->word >= NARROW;
}

static const char *type_of(const struct op *o)
{
    if (o->what == ADD)
        return is_wide(o) ? "u64" : o->is_signed ? "s32" : "u32";
    if (o->what == MIN || o->what == MAX)
        return is_wide(o) ? (o->is_signed ? "s64" : "u64") : o->is_signed ? "s32" : "u32";
    return is_wide(o) ? "b64" : "b32";
}

static void draw(struct op *o, uint32_t lanes)
{
    uint64_t all = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
    *o = (struct op){ .what = (uint8_t)any(NAMES), .value = (uint8_t)any(VALUES), .form = (uint8_t)any(FORMS),
                      .word = (uint8_t)any(WORDS), .is_signed = any(2), .returns = any(2), .shared = any(2),
                      .constant = any(2) ? 1 : any(1u << 30) };
    if (any(2))
        o->what = ADD;
    uint64_t some = ((uint64_t)any(1u << 31) << 33) ^ ((uint64_t)any(1u << 31) << 11) ^ any(1u << 11);
    o->lanes = o->form == PLAIN ? all : any(4) ? all & some : all & (UINT64_C(1) << any(64));
}

/* What combine_rule.c says of these operations, whose addresses are the same for all lanes. */
static bool is_combined(const struct op *o)
{
    bool one = o->value == CONSTANT && o->constant == 1, same = o->value != LANE;
    if (!o->lanes || o->what == EXCH || (o->shared && is_wide(o)))
        return false;
    if (o->what == ADD)
        return o->returns ? same : !(o->shared && one) && (same || !is_wide(o));
    return !o->returns && !is_wide(o);
}

/*
 * Parameters: words, results (OPS rows of LANES_MAX), lanes' values, sets of lanes, a number. The words of shared
 * memory are copied from global memory and back.
 */
static const char head[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 words, .param .u64 out, .param .u64 in, .param .u64 sets, .param .u32 number)\n{\n"
    ".shared .align 8 .b64 s[8];\n.reg .pred %p<99>;\n.reg .b32 %r<99>;\n.reg .b64 %d<99>;\n"
    "ld.param.u64 %d1, [words];\nld.param.u64 %d2, [out];\nld.param.u64 %d3, [in];\nld.param.u64 %d4, [sets];\n"
    "ld.param.u32 %r1, [number];\ncvt.u64.u32 %d7, %r1;\nmov.u32 %r2, %tid.x;\nand.b32 %r4, %r2, 63;\n"
    "mul.wide.u32 %d5, %r4, 8;\n"
    "add.u64 %d2, %d2, %d5;\nadd.u64 %d3, %d3, %d5;\nld.global.u64 %d8, [%d3];\ncvt.u32.u64 %r3, %d8;\n"
    "setp.ge.u32 %p1, %r2, 8;\n@%p1 bra NO;\nmov.u64 %d6, s;\nadd.u64 %d6, %d6, %d5;\nadd.u64 %d5, %d5, %d1;\n"
    "ld.global.u64 %d9, [%d5+64];\nst.shared.u64 [%d6], %d9;\nNO: bar.sync 0;\n";

static const char tail[] =
    "bar.sync 0;\n@%p1 bra END;\nld.shared.u64 %d9, [%d6];\nst.global.u64 [%d5+64], %d9;\nEND: ret;\n}\n";

struct text { char at[20000]; size_t n; };

static void __attribute__((format(printf, 2, 3))) add(struct text *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, format, ap);
    va_end(ap);
    assert_true(t->n < sizeof t->at);
}

static void add_value(struct text *t, const struct op *o)
{
    if (o->value == CONSTANT)
        add(t, "%u;\n", o->constant);
    else
        add(t, "%%%s;\n", is_wide(o) ? (o->value == LANE ? "d8" : "d7") : o->value == LANE ? "r3" : "r1");
}

/* The set of lanes is read from memory, so that no analysis knows it. */
static void add_op(struct text *t, const struct op *o, unsigned i)
{
    const char *wide = is_wide(o) ? "d" : "r", *space = o->shared ? "shared" : "global";
    add(t, "mov.b%d %%%s%u, 0;\n", is_wide(o) ? 64 : 32, wide, 20 + i);
    if (o->form != PLAIN)
        add(t, "ld.global.u64 %%d10, [%%d4+%u];\nshr.u64 %%d10, %%d10, %%r2;\nand.b64 %%d10, %%d10, 1;\n"
               "setp.ne.u64 %%p%u, %%d10, 0;\n", 8 * i, 20 + i);
    if (o->form == BRANCH)
        add(t, "@!%%p%u bra L%u;\n", 20 + i, i);
    else if (o->form == GUARD)
        add(t, "@%%p%u ", 20 + i);
    if (o->returns)
        add(t, "atom.%s.%s.%s %%%s%u, ", space, name[o->what], type_of(o), wide, 20 + i);
    else if (o->what == EXCH)
        add(t, "atom.%s.exch.%s _, ", space, type_of(o));
    else
        add(t, "red.%s.%s.%s ", space, name[o->what], type_of(o));
    add(t, "[%s+%d], ", o->shared ? "s" : "%d1", 8 * o->word);
    add_value(t, o);
    if (o->form == BRANCH)
        add(t, "L%u:\n", i);
    if (o->returns)
        add(t, "st.global.u%d [%%d2+%u], %%%s%u;\n", is_wide(o) ? 64 : 32, 8 * LANES_MAX * i, wide, 20 + i);
}

/* ---- the reference ---- */

struct memory {
    uint64_t words[16];              /* of global, from the eighth on of shared memory */
    uint64_t out[OPS * LANES_MAX], in[LANES_MAX], sets[OPS];
    uint32_t number;
};

static uint64_t applied(const struct op *o, uint64_t a, uint64_t b)
{
    int64_t sa = is_wide(o) ? (int64_t)a : (int32_t)a, sb = is_wide(o) ? (int64_t)b : (int32_t)b;
    bool less = o->is_signed ? sa < sb : a < b;
    switch (o->what) {
    case ADD: return a + b;
    case MIN: return less ? a : b;
    case MAX: return less ? b : a;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    default: return b;
    }
}

static void refer(struct memory *m, const struct op *o, unsigned i)
{
    uint64_t mask = is_wide(o) ? UINT64_MAX : UINT32_MAX, *word = &m->words[8 * o->shared + o->word];
    for (uint64_t lanes = o->lanes; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(lanes);
        uint64_t v = o->value == CONSTANT ? o->constant : o->value == PARAMETER ? m->number : m->in[lane];
        if (o->returns)
            m->out[LANES_MAX * i + lane] = *word & mask;
        *word = (*word & ~mask) | (applied(o, *word & mask, v & mask) & mask);
    }
}

/* ---- runs ---- */

struct run { uint64_t cycles; json_t *stats; };

static double figure(const struct run *r, const char *group, const char *key)
{
    const json_t *total = json_object_get(r->stats, "total");
    const json_t *v = json_object_get(json_object_get(total, group), key);
    if (!v)
        fail_msg("no figure %s.%s", group, key);
    return json_number_value(v);
}

static simtx_gpu *gpu_new(const char *const *settings, simtx_config **config)
{
    char *message = NULL;
    *config = simtx_config_new();
    simtx_status s = simtx_config_set(*config, "sim.mode=timing", &message);
    for (; *settings && !s; settings++)
        s = **settings == '+' ? simtx_config_load(*config, *settings + 1, &message)
                              : simtx_config_set(*config, *settings, &message);
    simtx_gpu *g = s ? NULL : simtx_gpu_new(*config, 0, &message);
    if (!g)
        fail_msg("%s", message);
    return g;
}

static struct run run_text(const char *const *settings, const struct text *t, struct memory *m, unsigned blocks,
                           unsigned threads)
{
    simtx_config *c;
    simtx_gpu *g = gpu_new(settings, &c);
    simtx_module *module;
    void *at;
    if (simtx_module_load(g, t->at, t->n, "k.ptx", &module))
        fail_msg("%s\n%s", simtx_last_message(g), t->at);
    assert_int_equal(simtx_malloc(g, sizeof *m, SIMTX_MEM_DEVICE, &at), SIMTX_OK);
    struct memory *d = at;
    *d = *m;
    void *words = d->words, *out = d->out, *in = d->in, *sets = d->sets;
    const void *args[] = { &words, &out, &in, &sets, &m->number };
    simtx_launch_params p = { .grid = { blocks, 1, 1 }, .block = { threads, 1, 1 }, .args = args };
    simtx_launch_stats stats;
    if (simtx_launch(simtx_module_kernel(module, "k"), &p, &stats, NULL))
        fail_msg("%s\n%s", simtx_last_message(g), t->at);
    *m = *d;
    char *json = simtx_stats_json(g);
    struct run r = { stats.cycles, json_loads(json, 0, NULL) };
    free(json);
    simtx_gpu_free(g);
    simtx_config_free(c);
    return r;
}

static void compare(const struct memory *is, const struct memory *should, const struct text *t)
{
    for (unsigned i = 0; i < 16; i++)
        if (is->words[i] != should->words[i])
            fail_msg("word %u is %llx, not %llx\n%s", i, (unsigned long long)is->words[i],
                     (unsigned long long)should->words[i], t->at);
    for (unsigned i = 0; i < OPS * LANES_MAX; i++)
        if (is->out[i] != should->out[i])
            fail_msg("operation %u returns %llx, not %llx, to lane %u\n%s", i / LANES_MAX,
                     (unsigned long long)is->out[i], (unsigned long long)should->out[i], i % LANES_MAX, t->at);
}

static void fill(struct memory *m)
{
    memset(m, 0, sizeof *m);
    m->number = any(4) ? any(1u << 30) : UINT32_MAX;
    for (unsigned i = 0; i < 16; i++)
        m->words[i] = (uint64_t)any(1u << 31) << 32 | any(1u << 31);
    for (unsigned i = 0; i < LANES_MAX; i++)
        m->in[i] = ((uint64_t)any(1u << 31) << 33) ^ ((uint64_t)any(1u << 31) << 2);
}

static void one_round(const char *const *settings, unsigned lanes)
{
    struct op op[OPS];
    struct memory m, should;
    struct text t = { .n = 0 };
    uint64_t combined = 0, combined_lanes = 0;
    fill(&m);
    add(&t, "%s", head);
    for (unsigned i = 0; i < OPS; i++) {
        draw(&op[i], lanes);
        m.sets[i] = op[i].lanes;
        add_op(&t, &op[i], i);
        combined += is_combined(&op[i]);
        combined_lanes += is_combined(&op[i]) ? (unsigned)__builtin_popcountll(op[i].lanes) : 0;
    }
    add(&t, "%s", tail);
    should = m;
    for (unsigned i = 0; i < OPS; i++)
        refer(&should, &op[i], i);
    struct run r = run_text(settings, &t, &m, 1, lanes);
    compare(&m, &should, &t);
    if ((uint64_t)figure(&r, "combined", "atomics") != combined)
        fail_msg("%.0f atomics combined, not %u\n%s", figure(&r, "combined", "atomics"), (unsigned)combined, t.at);
    assert_int_equal((uint64_t)figure(&r, "combined", "lanes"), combined_lanes);
    json_decref(r.stats);
}

static void rounds(unsigned lanes, unsigned n, const char *const *settings)
{
    random_state = 1;
    for (unsigned i = 0; i < n; i++)
        one_round(settings, lanes);
}

#define ON "gpu.combine_atomics=true"
#define SETTINGS(...) (const char *const[]){ __VA_ARGS__, ON, NULL }

static void results_are_those_of_separate_lanes(void **state)
{
    (void)state;
    rounds(32, ROUNDS, SETTINGS("+h100", "gpu.sms=1"));
    rounds(32, ROUNDS / 4, SETTINGS("+h100", "gpu.sms=1", "gpu.simt=independent", "gpu.instruction_order=scheduled"));
    rounds(32, ROUNDS / 4, SETTINGS("+gtx480", "gpu.sms=1", "order.check=order"));
    rounds(64, ROUNDS / 4, SETTINGS("+southern-islands", "gpu.sms=1"));
}

static void oracles_agree_under_protocols(void **state)
{
    static const char *const overlay[] = { "+mesi", "+write-through" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const full = "order.check=full";
        rounds(32, ROUNDS / 4, SETTINGS("+gtx480-sc", overlay[i], "gpu.sms=2", full));
        rounds(32, ROUNDS / 8, SETTINGS("+gtx480-sc", overlay[i], "+sc-types", "gpu.sms=2", full));
        rounds(32, ROUNDS / 8, SETTINGS("+gtx480-sc", overlay[i], "+tso-store-buffer", "gpu.sms=2", full));
    }
}

/* ---- traffic and time ---- */

static uint64_t cycles_of(const char *body, unsigned blocks, unsigned threads, const char *const *settings,
                          struct run *r)
{
    struct text t = { .n = 0 };
    struct memory m;
    fill(&m);
    add(&t, "%s%s%s", head, body, tail);
    *r = run_text(settings, &t, &m, blocks, threads);
    return r->cycles;
}

static uint64_t clocked(const char *atomic, const char *combine, const char *more)
{
    static const char frame[] = "mov.u32 %%r9, 0;\nLOOP:\nbar.sync 0;\nmov.u32 %%r10, %%clock;\n%s\n"
                                "add.u32 %%r11, %%r11, 1;\nmov.u32 %%r12, %%clock;\nsub.u32 %%r13, %%r12, %%r10;\n"
                                "st.global.u32 [%%d2], %%r13;\n"
                                "add.u32 %%r9, %%r9, 1;\nsetp.lt.u32 %%p3, %%r9, 4;\n@%%p3 bra LOOP;\n";
    const char *const settings[] = { "+h100", "gpu.sms=1", combine, more, NULL };
    struct text t = { .n = 0 };
    struct memory m;
    char body[1000];
    fill(&m);
    snprintf(body, sizeof body, frame, atomic);
    add(&t, "%s%s%s", head, body, tail);
    struct run r = run_text(settings, &t, &m, 1, 1);
    json_decref(r.stats);
    return m.out[0];
}

/* A block of one thread: the access takes the same time, so the sequence is what differs. */
static void the_sequence_takes_its_latencies(void **state)
{
    enum { SHFL = 24, BITS = 18, LOGIC = 5, ADD_LATENCY = 5 };       /* of configs/h100.cfg */
    const char *rank = "atom.global.add.u32 %r11, [%d1], 1;", *reduce = "red.global.max.u32 [%d1], %r3;";
    (void)state;
    assert_int_equal(clocked(rank, ON, "sim.seed=1") - clocked(rank, "gpu.combine_atomics=false", "sim.seed=1"),
                     SHFL + BITS + LOGIC + SHFL + ADD_LATENCY);
    assert_int_equal(clocked(reduce, ON, "sim.seed=1") - clocked(reduce, "gpu.combine_atomics=false", "sim.seed=1"),
                     SHFL + BITS + LOGIC);
    assert_int_equal(clocked(rank, ON, "latency.shfl=30") - clocked(rank, ON, "latency.shfl=24"), 12);
}

/* L2 sees one lane of each warp, and its atomic unit works for one. */
static void the_memory_sees_one_lane(void **state)
{
    enum { BLOCKS = 4, WARPS = 4 };
    struct run r;
    (void)state;
    cycles_of("red.global.add.u32 [%d1], %r3;\n", BLOCKS, 32 * WARPS, SETTINGS("+h100", "gpu.sms=2"), &r);
    assert_int_equal((int)figure(&r, "l2", "atomic_lanes"), BLOCKS * WARPS);
    assert_int_equal((int)figure(&r, "l2", "atomic_busy"), BLOCKS * WARPS);
    assert_int_equal((int)figure(&r, "combined", "atomics"), BLOCKS * WARPS);
    assert_int_equal((int)figure(&r, "combined", "lanes"), 32 * BLOCKS * WARPS);
    json_decref(r.stats);
    cycles_of("red.global.add.u32 [%d1], %r3;\n", BLOCKS, 32 * WARPS,
              (const char *const[]){ "+v100", "gpu.sms=2", NULL }, &r);
    assert_int_equal((int)figure(&r, "l2", "atomic_lanes"), 32 * BLOCKS * WARPS);
    assert_int_equal((int)figure(&r, "combined", "atomics"), 0);
    json_decref(r.stats);
}

/* 16 warps of a scheduler issue nothing else: each further machine instruction of their atomics takes a cycle. */
static void machine_instructions_take_issue_slots(void **state)
{
    enum { TIMES = 50, WARPS = 16, MORE = 30 };
    const char *slots[] = { "slots.atomic_sum=20", "slots.atomic_sum=50" };
    uint64_t cycles[2];
    struct text body = { .n = 0 };
    struct run r;
    (void)state;
    for (int i = 0; i < TIMES; i++)
        add(&body, "red.global.add.u32 [%%d1+%d], 1;\n", 8 * (i % NARROW));
    for (int k = 0; k < 2; k++) {
        cycles[k] = cycles_of(body.at, 2, 1024, SETTINGS("+h100", "gpu.sms=1", slots[k]), &r);
        json_decref(r.stats);
    }
    double further = (double)(cycles[1] - cycles[0]) / (WARPS * TIMES);
    if (further < 0.95 * MORE || further > 1.05 * MORE)
        fail_msg("%.2f cycles for %d further machine instructions", further, MORE);
}

/* Of a kernel whose last access this is. */
static uint64_t longest_sm(const char *atomic, const char *combine)
{
    char body[200];
    struct run r;
    snprintf(body, sizeof body, "%s\nret;\n", atomic);
    cycles_of(body, 4, 128, (const char *const[]){ "+h100", "gpu.sms=2", combine, NULL }, &r);
    uint64_t cycles = (uint64_t)json_integer_value(json_object_get(json_object_get(r.stats, "total"),
                                                                   "longest_sm_cycles"));
    json_decref(r.stats);
    return cycles;
}

/* ptxas makes the same machine code of both; a warp does not wait for the reply to a reduction. */
static void an_unread_result_is_a_reduction(void **state)
{
    static const char *const pairs[][2] = {
        { "atom.global.add.u32 %r11, [%d1], 1;", "red.global.add.u32 [%d1], 1;" },
        { "atom.global.add.u32 _, [%d1], %r3;", "red.global.add.u32 [%d1], %r3;" },
        { "atom.global.inc.u32 %r11, [%d3], 9;", "red.global.inc.u32 [%d3], 9;" },
        { "atom.add.f32 %r11, [%d3], %r3;", "red.add.f32 [%d3], %r3;" },
        { "atom.global.min.u64 %d11, [%d3], %d8;", "red.global.min.u64 [%d3], %d8;" }
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        uint64_t red = longest_sm(pairs[i][1], ON);
        assert_int_equal(longest_sm(pairs[i][0], ON), red);
        assert_true(longest_sm(pairs[i][0], "gpu.combine_atomics=false") > red + 100);
    }
}

/* In a transaction every lane performs its own. */
static void transactions_do_not_combine(void **state)
{
    struct run r;
    struct memory m;
    struct text t = { .n = 0 };
    (void)state;
    fill(&m);
    m.words[0] = 0;
    add(&t, "%stx_begin;\nred.global.add.u32 [%%d1], 5;\ntx_commit;\nred.global.add.u32 [%%d1], 5;\n%s", head, tail);
    r = run_text(SETTINGS("+h100", "+tm-ideal", "gpu.sms=1", "gpu.memory_mb=4096", "dram.channels=64"), &t, &m, 1, 32);
    assert_int_equal((uint32_t)m.words[0], 320);
    assert_int_equal((int)figure(&r, "combined", "atomics"), 1);
    json_decref(r.stats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_separate_lanes),
        cmocka_unit_test(oracles_agree_under_protocols),
        cmocka_unit_test(the_sequence_takes_its_latencies),
        cmocka_unit_test(the_memory_sees_one_lane),
        cmocka_unit_test(machine_instructions_take_issue_slots),
        cmocka_unit_test(an_unread_result_is_a_reduction),
        cmocka_unit_test(transactions_do_not_combine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
