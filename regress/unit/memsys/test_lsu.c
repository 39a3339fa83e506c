/*
 * The load/store unit alone: exact latencies when idle, coalescing, bank conflicts, merges, sectors, what stores do to
 * lines, blocked cycles, write-backs. Random traffic against a reference is in lsu_random.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "regress/unit/memsys/lsu_rig.h"

static struct rig rig;

static void fill_memory(void)
{
    for (uint32_t i = 0; i < RIG_MEMORY; i++)
        rig_memory[i] = (uint8_t)(i * 7 + i / 256 * 13);
}

static uint64_t word_at(uint32_t offset)
{
    uint32_t v;
    memcpy(&v, rig_memory + offset, 4);
    return v;
}

static struct rig_op *load(uint32_t offset, int64_t stride)
{
    struct rig_op *o = rig_op(&rig, MOP_LOAD, 4, 1);
    rig_lanes(o, SERVE_GLOBAL, 32, rig_address(offset), stride);
    return o;
}

static struct rig_op *store(uint32_t offset, int64_t stride, uint8_t value)
{
    struct rig_op *o = rig_op(&rig, MOP_STORE, 4, 1);
    rig_lanes(o, SERVE_GLOBAL, 32, rig_address(offset), stride);
    memset(o->op.data, value, sizeof o->op.data);
    return o;
}

static void start(void)
{
    fill_memory();
    rig_start(&rig);
}

static void finish(void)
{
    rig_drain(&rig);
    for (int i = 0; i < 20; i++)     /* credits come home */
        rig_cycle(&rig);
    assert_true(port_idle(&rig.out) && port_idle(&rig.in));
    assert_int_equal(rig.count[STAT_REQUESTS], rig.count[STAT_REPLIES]);
    rig_end(&rig);
}

/* ---- latency ---- */

static void a_hit_takes_the_configured_latency(void **state)
{
    for (uint32_t latency = 1; latency <= 35; latency += 17) {
        start();
        rig.cfg.l1.latency = latency;
        rig_build(&rig);
        rig_latency(&rig, load(0, 4));
        struct rig_op *o = load(0, 4);
        assert_int_equal(rig_latency(&rig, o), latency);
        for (unsigned i = 0; i < 32; i++)
            assert_int_equal(rig_value(&rig, o, i, 0), word_at(4 * i));
        assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_HITS], 1);
        assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_MISSES], 1);
        finish();
    }
}

static void a_miss_is_over_a_cycle_after_its_reply(void **state)
{
    static const uint64_t khz[][CLK_COUNT] = {
        { 1000, 1000, 1000, 1000 }, { 1300, 650, 650, 800 }, { 700, 1234, 700, 900 }
    };
    for (unsigned k = 0; k < 3; k++)
        for (unsigned phase = 0; phase < 9; phase++) {
            start();
            clocks_set(&rig.clocks, khz[k]);
            rig.cfg.l1.miss_cycles = 7 * k;
            rig_build(&rig);
            while (rig.now < 20 + phase)
                rig_cycle(&rig);
            uint64_t issued = rig.now - 1;
            struct rig_op *o = load(4096, 4);
            rig_latency(&rig, o);
            uint64_t leaves = issued + 1 + rig.cfg.l1.miss_cycles;
            uint64_t arrives = clock_convert(&rig.clocks, CLK_CORE, CLK_XBAR, leaves) + rig.cfg.request_latency;
            assert_int_equal(rig.last_performed, arrives + rig.delay);
            assert_int_equal(rig.last_sent, clock_convert(&rig.clocks, CLK_XBAR, CLK_CORE, arrives + rig.delay) + 3);
            assert_int_equal(o->at, rig.last_sent + 1);
            assert_int_equal(port_credit_next(&rig.in), clock_convert(&rig.clocks, CLK_CORE, CLK_XBAR, rig.last_sent) +
                             rig.cfg.credit_latency);
            finish();
        }
}

static void lines_are_looked_up_one_a_port_and_cycle(void **state)
{
    for (uint32_t ports = 1; ports <= 4; ports *= 2) {
        start();
        rig.cfg.l1.ports = ports;
        rig_build(&rig);
        rig_latency(&rig, load(0, 128));
        assert_int_equal(rig_latency(&rig, load(0, 128)), rig.cfg.l1.latency + 32 / ports - 1);
        assert_int_equal(rig.count[STAT_COALESCED_LINES], 64);
        finish();
    }
}

/* ---- the stages in front of L1 ---- */

static uint64_t miss_latency(uint32_t stages, uint32_t offset)
{
    start();
    rig.cfg.l1.stages = stages;
    rig_build(&rig);
    uint64_t latency = rig_latency(&rig, load(offset, 4));
    finish();
    return latency;
}

static void every_access_to_l1_passes_its_stages(void **state)
{
    start();
    rig.cfg.l1.latency = 1;
    rig.cfg.l1.stages = 35;
    rig.cfg.l1.local_writeback = true;
    rig_build(&rig);
    rig_latency(&rig, load(0, 4));
    assert_int_equal(rig_latency(&rig, load(0, 4)), 35);
    assert_int_equal(rig_latency(&rig, load(0, 4)), 35);
    struct rig_op *two = load(0, 4), *next = load(0, 4);
    rig_issue(&rig, two, 0);
    rig_issue(&rig, next, 0);
    rig_until_done(&rig, two);
    rig_until_done(&rig, next);
    assert_int_equal(next->at - two->at, 1);
    finish();
    uint64_t at_once = miss_latency(0, 4096);
    for (uint32_t stages = 2; stages < 40; stages += 11)
        assert_int_equal(miss_latency(stages, 4096), at_once + stages - 1);
}

static void what_bypasses_l1_does_not_pass_its_stages(void **state)
{
    uint64_t latency[2];
    for (uint32_t on = 0; on < 2; on++) {
        start();
        rig.cfg.l1.stages = 35 * on;
        rig_build(&rig);
        struct rig_op *o = load(0, 4);
        o->op.path = PATH_L2;
        latency[on] = rig_latency(&rig, o);
        finish();
    }
    assert_int_equal(latency[0], latency[1]);
}

/* An access that does not pass them waits for one to its line that is in them; to another line it goes at once. */
static void nothing_overtakes_an_access_to_its_line(void **state)
{
    uint64_t taken[2];
    for (uint32_t other = 0; other < 2; other++) {
        start();
        rig.cfg.l1.stages = 35;
        rig_build(&rig);
        uint64_t from = rig.now;
        struct rig_op *a = store(0, 4, 0x5a), *b = load(other * 1024, 4);
        b->op.path = PATH_L2;
        rig_issue(&rig, a, 0);
        rig_issue(&rig, b, 0);
        rig_until_done(&rig, b);
        assert_int_equal(rig_value(&rig, b, 0, 0), other ? word_at(1024) : 0x5a5a5a5a);
        rig_until_done(&rig, a);
        taken[other] = b->at - from;
        finish();
    }
    assert_int_equal(taken[0], taken[1] + 34);
}

/* While the look-up at the end is refused, as many accesses enter as there are stages. */
static void a_refused_look_up_fills_the_stages(void **state)
{
    start();
    rig.cfg.l1.stages = 3;
    rig.cfg.l1.mshrs = 1;
    rig.delay = 400;
    rig_build(&rig);
    struct rig_op *o = load(0, 128);
    rig_issue(&rig, o, 0);
    for (int i = 0; i < 300; i++)
        rig_cycle(&rig);
    assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_MISSES], 1);
    lsu_settle(rig.u, rig.now);
    assert_true(rig.count[STAT_L1_MSHR_FULL] > 250);
    rig_until_done(&rig, o);
    assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_MISSES], 32);
    finish();
}

/* ---- addresses ---- */

static void narrow_address_units_hold_up_the_next_instruction(void **state)
{
    start();
    rig.cfg.ldst_width = 8;
    rig_build(&rig);
    rig_latency(&rig, load(0, 4));
    for (int i = 0; i < 10; i++)
        rig_cycle(&rig);
    struct rig_op *a = load(0, 4), *b = load(0, 4);
    uint64_t from = rig.now - 1;
    rig_issue(&rig, a, 0);
    rig_issue(&rig, b, 0);
    rig_until_done(&rig, a);
    rig_until_done(&rig, b);
    assert_int_equal(a->at - from, rig.cfg.l1.latency);
    assert_int_equal(b->at - a->at, 4);
    finish();
}

/* ---- coalescing ---- */

static uint32_t lines_of(struct rig_op *o, enum mem_server s, uint32_t group, struct line_access *a)
{
    o->busy = false;
    return coalesce(&o->op, s, group, a);
}

static void lanes_merge_into_lines_in_lane_order(void **state)
{
    struct line_access a[COALESCE_MAX];
    start();
    struct rig_op *o = load(4096 + 64, 4);               /* crosses one line boundary */
    assert_int_equal(lines_of(o, SERVE_GLOBAL, 32, a), 2);
    assert_int_equal(a[0].line, rig_address(4096));
    assert_int_equal(a[0].lanes, 0xffff);
    assert_int_equal(a[0].sectors, 12);
    assert_int_equal(a[1].lanes, 0xffff0000);
    assert_int_equal(a[1].sectors, 3);
    assert_int_equal(lines_of(load(4096 + 31 * 128, -128), SERVE_GLOBAL, 32, a), 32);
    assert_int_equal(a[0].line, rig_address(4096 + 31 * 128));
    assert_int_equal(lines_of(load(0, 0), SERVE_GLOBAL, 32, a), 1);
    assert_int_equal(lines_of(load(0, 0), SERVE_GLOBAL, 16, a), 2);
    o = rig_op(&rig, MOP_LOAD, 4, 1);                    /* lanes alternate between two lines */
    for (unsigned i = 0; i < 32; i++)
        rig_lane(o, SERVE_GLOBAL, i, rig_address(i % 2 * 64 * 128 + 4 * i));
    assert_int_equal(lines_of(o, SERVE_GLOBAL, 32, a), 2);
    assert_int_equal(a[0].lanes, 0x55555555);
    assert_int_equal(a[1].lanes, 0xaaaaaaaa);
    assert_int_equal(a[1].sectors, 15);
    config_free(rig.config);
}

static void wide_private_accesses_fall_into_words(void **state)
{
    struct line_access a[COALESCE_MAX];
    start();
    struct rig_op *o = rig_op(&rig, MOP_LOAD, 4, 4);
    rig_lanes(o, SERVE_LOCAL, 32, rig_address(1024), 4);
    assert_int_equal(lines_of(o, SERVE_LOCAL, 32, a), 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(a[i].line, rig_address(1024 + 128 * i));
        assert_int_equal(a[i].piece, i);
        assert_int_equal(a[i].lanes, UINT32_MAX);
    }
    config_free(rig.config);
}

/* ---- shared memory ---- */

static uint32_t passes(enum mem_op_kind kind, unsigned size, unsigned count, unsigned lanes, int64_t stride,
                       struct shared_cfg c)
{
    struct rig_op *o = rig_op(&rig, kind, size, count);
    rig_lanes(o, SERVE_SHARED, lanes, 0, stride);
    o->busy = false;
    return shared_passes(&o->op, &c);
}

static void n_way_conflicts_cost_n_passes(void **state)
{
    const struct shared_cfg all = { .banks = 32, .lanes = 32, .broadcast = true },
                            half = { .banks = 16, .lanes = 16, .broadcast = true },
                            alone = { .banks = 32, .lanes = 32 };
    start();
    for (int n = 1; n <= 32; n *= 2)
        assert_int_equal(passes(MOP_LOAD, 4, 1, 32, 4 * n, all), n);
    assert_int_equal(passes(MOP_LOAD, 4, 1, 32, 4 * 33, all), 1);
    assert_int_equal(passes(MOP_LOAD, 4, 1, 32, 4 * 3, all), 1);
    assert_int_equal(passes(MOP_LOAD, 4, 1, 32, 4 * 6, all), 2);
    for (int n = 1; n <= 16; n *= 2)                     /* 64 lanes: two rounds of 32 */
        assert_int_equal(passes(MOP_LOAD, 4, 1, 64, 4 * n, all), 2 * n);
    assert_int_equal(passes(MOP_LOAD, 4, 1, 32, 4, half), 2);
    assert_int_equal(passes(MOP_LOAD, 4, 1, 32, 8, half), 4);
    assert_int_equal(passes(MOP_LOAD, 4, 1, 32, 0, all), 1);     /* broadcast */
    assert_int_equal(passes(MOP_LOAD, 1, 1, 32, 1, all), 1);     /* bytes of eight words */
    assert_int_equal(passes(MOP_LOAD, 4, 1, 32, 0, alone), 32);
    assert_int_equal(passes(MOP_STORE, 4, 1, 32, 8, all), 2);
    assert_int_equal(passes(MOP_LOAD, 8, 1, 32, 8, all), 2);
    assert_int_equal(passes(MOP_LOAD, 8, 1, 64, 8, all), 4);
    assert_int_equal(passes(MOP_LOAD, 4, 2, 32, 16, all), 4);
    assert_int_equal(passes(MOP_LOAD, 4, 4, 32, 16, all), 4);
    assert_int_equal(passes(MOP_LOAD, 8, 2, 64, 16, all), 8);
    assert_int_equal(passes(MOP_RED, 4, 1, 32, 0, all), 32);     /* atomics on one word take turns */
    assert_int_equal(passes(MOP_ATOM, 4, 1, 32, 4, all), 1);
    config_free(rig.config);
}

static bool wants(const struct mem_op *op, unsigned lane, uint64_t word)
{
    return op->lanes >> lane & 1 && word >= op->address[lane] / 4 && word <= (op->address[lane] + op->width - 1) / 4;
}

/* The same counted the slow way: for each bank, lanes [from, to) in turn, words that no lane before asked for. */
static uint32_t busiest_bank(const struct mem_op *op, unsigned from, unsigned to, const struct shared_cfg *c)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < c->banks; bank++) {
        uint32_t wanted = 0;
        for (unsigned lane = from; lane < to; lane++)
            for (uint64_t word = op->address[lane] / 4; wants(op, lane, word); word++) {
                bool before = false;
                for (unsigned l = from; l < lane && c->broadcast && op->kind == MOP_LOAD; l++)
                    before |= wants(op, l, word);
                wanted += word % c->banks == bank && !before;
            }
        most = wanted > most ? wanted : most;
    }
    return most;
}

static void random_conflicts_cost_the_busiest_bank(void **state)
{
    static const struct shared_cfg cfg[] = {
        { .banks = 32, .lanes = 32, .broadcast = true }, { .banks = 16, .lanes = 16, .broadcast = true },
        { .banks = 32, .lanes = 32 }, { .banks = 10, .lanes = 8, .broadcast = true }
    };
    start();
    for (int k = 0; k < 2000; k++) {
        const struct shared_cfg *c = &cfg[k % 4];
        unsigned width = 1u << rig_random(&rig, 5), words = width > 4 ? width / 4 : 1, expect = 0;
        struct rig_op *o = rig_op(&rig, rig_random(&rig, 4) ? MOP_LOAD : MOP_ATOM, width, 1);
        uint32_t range = 4 << rig_random(&rig, 6), apart = rig_random(&rig, 2);
        for (unsigned i = 0; i < 64; i++)
            if (rig_random(&rig, 8))
                rig_lane(o, SERVE_SHARED, i, (apart * i + rig_random(&rig, range)) * width);
        uint32_t group = words == 1 || c->banks / words > c->lanes ? c->lanes : c->banks / words;
        for (unsigned from = 0; from < 64; from += group)
            expect += busiest_bank(&o->op, from, from + group < 64 ? from + group : 64, c);
        assert_int_equal(shared_passes(&o->op, c), expect);
        o->busy = false;
    }
    config_free(rig.config);
}

/* ---- groups of a wide load (shared.merge) ---- */

enum { MERGES = 3 };
static const char *const merge_name[MERGES] = { "none", "pairs", "uniform" };

/* Lane i of 32 loads `width` bytes at so many times its width; passes under none, pairs and uniform. */
struct merged {
    const char *what;
    unsigned width;
    uint32_t (*place)(unsigned lane);
    uint32_t passes[MERGES];
};

static uint32_t at_one_place(unsigned i)
{
    return 7;
}

static uint32_t in_a_row(unsigned i)
{
    return i;
}

static uint32_t four_in_turn(unsigned i)
{
    return i % 4;
}

static uint32_t four_in_turn_for_two(unsigned i)
{
    return i / 2 % 4;
}

static uint32_t each_for_two(unsigned i)
{
    return i / 2;
}

static uint32_t each_for_two_of_four(unsigned i)
{
    return i / 4 * 2 + i % 2;
}

static uint32_t every_second_for_two(unsigned i)
{
    return i / 2 * 2;
}

static uint32_t one_place_but_the_last(unsigned i)
{
    return i == 31 ? 8 : 7;
}

/*
 * 32 lanes of 16 bytes are four groups of eight, of 8 bytes two of sixteen. "Four in turn" took four requests on a GPU
 * of compute capability 7.5, and two for pairs of lanes (docs/timing.md).
 */
static const struct merged merged[] = {
    { "one address", 16, at_one_place, { 4, 2, 1 } },
    { "one address", 8, at_one_place, { 2, 1, 1 } },
    { "one address", 4, at_one_place, { 1, 1, 1 } },
    { "in a row", 16, in_a_row, { 4, 4, 4 } },
    { "in a row", 8, in_a_row, { 2, 2, 2 } },
    { "four in turn", 16, four_in_turn, { 4, 4, 4 } },
    { "four in turn, n and n ^ 1", 16, four_in_turn_for_two, { 4, 2, 2 } },
    { "n and n ^ 1", 16, each_for_two, { 4, 2, 2 } },
    { "n and n ^ 1", 8, each_for_two, { 2, 1, 1 } },
    { "n and n ^ 2", 16, each_for_two_of_four, { 4, 2, 2 } },
    { "n and n ^ 2", 8, each_for_two_of_four, { 2, 1, 1 } },
    { "n and n ^ 1, a bank has a word of both groups", 16, every_second_for_two, { 4, 4, 4 } },
    { "one address, but for one lane", 16, one_place_but_the_last, { 4, 4, 4 } }
};

static struct rig_op *merged_op(const struct merged *m, enum mem_op_kind kind, unsigned lanes)
{
    struct rig_op *o = rig_op(&rig, kind, m->width, 1);
    for (unsigned i = 0; i < lanes; i++)
        rig_lane(o, SERVE_SHARED, i, m->place(i) * m->width);
    o->busy = false;
    return o;
}

static void wide_loads_share_passes_by_the_rule(void **state)
{
    start();
    for (unsigned k = 0; k < sizeof merged / sizeof *merged; k++)
        for (unsigned rule = 0; rule < MERGES; rule++) {
            struct shared_cfg c = { .banks = 32, .lanes = 32, .broadcast = true, .merge = (enum shared_merge)rule };
            uint32_t n = shared_passes(&merged_op(&merged[k], MOP_LOAD, 32)->op, &c);
            if (n != merged[k].passes[rule])
                fail_msg("%u bytes, %s, %s: %u passes", merged[k].width, merged[k].what, merge_name[rule], n);
        }
    config_free(rig.config);
}

static void same_without_merge(const struct mem_op *op, struct shared_cfg c)
{
    uint32_t n = shared_passes(op, &c);
    c.merge = SHARED_MERGE_NONE;
    assert_int_equal(n, shared_passes(op, &c));
}

/* The rules are those of loads; a pass never serves more than shared.lanes. */
static void only_loads_share_passes(void **state)
{
    const struct shared_cfg c = { .banks = 32, .lanes = 32, .broadcast = true, .merge = SHARED_MERGE_UNIFORM },
                            alone = { .banks = 32, .lanes = 32, .merge = SHARED_MERGE_UNIFORM };
    start();
    for (unsigned k = 0; k < sizeof merged / sizeof *merged; k++) {
        same_without_merge(&merged_op(&merged[k], MOP_STORE, 32)->op, c);
        same_without_merge(&merged_op(&merged[k], MOP_ATOM, 32)->op, c);
        same_without_merge(&merged_op(&merged[k], MOP_LOAD, 32)->op, alone);
        struct mem_op *matrix = &merged_op(&merged[k], MOP_LOAD, 32)->op;
        matrix->rows = true;
        same_without_merge(matrix, c);
        matrix->rows = false;
        struct mem_op *of_transaction = &merged_op(&merged[k], MOP_LOAD, 32)->op;
        of_transaction->attempt = 1;
        same_without_merge(of_transaction, c);
        of_transaction->attempt = 0;
    }
    struct shared_cfg half = { .banks = 32, .lanes = 16, .broadcast = true, .merge = SHARED_MERGE_UNIFORM };
    for (unsigned k = 0; k < 2; k++)                     /* one address, 16 and 8 bytes */
        for (unsigned lanes = 1; lanes <= 64; lanes++)
            assert_int_equal(shared_passes(&merged_op(&merged[k], MOP_LOAD, lanes)->op, &half), (lanes + 15) / 16);
    config_free(rig.config);
}

/* The rule of pairs lane by lane. */
static bool slow_pairs(const struct mem_op *op, unsigned apart)
{
    for (unsigned a = 0; a < 64; a++)
        for (unsigned b = 0; b < 64; b++)
            if ((a ^ b) == apart && op->lanes >> a & op->lanes >> b & 1 && op->address[a] != op->address[b])
                return false;
    return true;
}

static uint32_t slow_merged_passes(const struct mem_op *op, const struct shared_cfg *c)
{
    uint32_t group = c->lanes * 4 / op->width, n = 0;    /* of 32 banks */
    bool pairs = c->merge != SHARED_MERGE_NONE && (slow_pairs(op, 1) || slow_pairs(op, 2)), one = true;
    for (unsigned i = 0; i < 64; i++)
        one &= !(op->lanes >> i & 1) || op->address[i] == op->address[__builtin_ctzll(op->lanes)];
    if (one && c->merge == SHARED_MERGE_UNIFORM)
        return ((op->lanes & UINT32_MAX) != 0) + (op->lanes >> 32 != 0);
    for (unsigned from = 0; from < 64; from += 2 * group) {
        uint32_t apart = busiest_bank(op, from, from + group, c) + busiest_bank(op, from + group, from + 2 * group, c);
        uint32_t together = busiest_bank(op, from, from + 2 * group, c);
        n += pairs && together == 1 ? 1 : apart;
    }
    return n;
}

static void random_wide_loads_share_passes(void **state)
{
    uint32_t shared = 0;
    start();
    for (int k = 0; k < 6000; k++) {
        struct shared_cfg c = { .banks = 32, .lanes = 32, .broadcast = true, .merge = (enum shared_merge)(k % MERGES) };
        struct rig_op *o = rig_op(&rig, MOP_LOAD, 8 << k % 2, 1);
        uint32_t place[64], range = 1u << rig_random(&rig, 6), same = rig_random(&rig, 4);
        bool row = rig_random(&rig, 2);
        for (unsigned i = 0; i < 64; i++) {
            unsigned first = i & ~(same == 3 ? 1u : same);           /* none, n ^ 1, n ^ 2 */
            place[i] = first < i ? place[first] : row ? i / 2 : rig_random(&rig, range);
            if (rig_random(&rig, 8) || i == 63)
                rig_lane(o, SERVE_SHARED, i, place[i] * o->op.width);
        }
        o->busy = false;
        assert_int_equal(shared_passes(&o->op, &c), slow_merged_passes(&o->op, &c));
        struct shared_cfg none = c;
        none.merge = SHARED_MERGE_NONE;
        shared += shared_passes(&o->op, &c) < shared_passes(&o->op, &none);
    }
    assert_true(shared > 200);
    config_free(rig.config);
}

static void shared_accesses_take_their_passes(void **state)
{
    start();
    rig_build(&rig);
    for (unsigned n = 1; n <= 8; n *= 2) {
        struct rig_op *o = rig_op(&rig, MOP_STORE, 4, 1);
        rig_lanes(o, SERVE_SHARED, 32, 0, 4 * n);
        for (unsigned i = 0; i < 32; i++)
            memcpy(o->op.data[i], &(uint32_t){ i * 3 + n }, 4);
        uint64_t at = rig.now - 1;
        rig_issue(&rig, o, 0);
        rig_until_done(&rig, o);
        o = rig_op(&rig, MOP_LOAD, 4, 1);
        rig_lanes(o, SERVE_SHARED, 32, 0, 4 * n);
        assert_int_equal(rig_latency(&rig, o), n - 1 + rig.cfg.shared.latency);
        for (unsigned i = 0; i < 32; i++)
            assert_int_equal(rig_value(&rig, o, i, 0), i * 3 + n);
        assert_true(rig.now > at);
    }
    assert_int_equal(rig.count[STAT_SHARED_PASSES], 2 * (1 + 2 + 4 + 8));
    /* two that conflict 8 ways: the second begins when the first has had its passes */
    struct rig_op *a = rig_op(&rig, MOP_LOAD, 4, 1), *b = rig_op(&rig, MOP_LOAD, 4, 1);
    rig_lanes(a, SERVE_SHARED, 32, 0, 32);
    rig_lanes(b, SERVE_SHARED, 32, 0, 4);
    rig_issue(&rig, a, 0);
    rig_issue(&rig, b, 0);
    rig_until_done(&rig, a);
    rig_until_done(&rig, b);
    assert_int_equal(b->at - a->at, 1);
    finish();
}

static uint32_t block_accesses(enum mem_op_kind kind, unsigned lanes, int64_t stride, uint32_t ports)
{
    const struct shared_cfg c = { .banks = 32, .lanes = 32, .block = 64, .ports = ports };
    struct rig_op *o = rig_op(&rig, kind, 4, 1);
    rig_lanes(o, SERVE_SHARED, lanes, 0, stride);
    o->busy = false;
    return shared_block_accesses(&o->op, &c);
}

/* Two blocks in turn, as from lanes of two arrays. */
static uint32_t alternating(enum mem_op_kind kind)
{
    const struct shared_cfg c = { .banks = 32, .lanes = 32, .block = 64, .ports = 2 };
    struct rig_op *o = rig_op(&rig, kind, 4, 1);
    for (unsigned i = 0; i < 32; i++)
        rig_lane(o, SERVE_SHARED, i, i % 2 * 512 + i / 2 * 4);
    o->busy = false;
    return shared_block_accesses(&o->op, &c);
}

/* Blocks of 4 bytes at one port; lanes load or store `size` bytes each. */
static uint32_t small_blocks(enum mem_op_kind kind, unsigned size, unsigned count, int64_t stride)
{
    const struct shared_cfg c = { .banks = 32, .lanes = 32, .block = 4, .ports = 1 };
    struct rig_op *o = rig_op(&rig, kind, size, count);
    rig_lanes(o, SERVE_SHARED, 32, 0, stride);
    o->busy = false;
    return shared_block_accesses(&o->op, &c);
}

static void wide_accesses_are_several_blocks(void **state)
{
    start();
    assert_int_equal(small_blocks(MOP_LOAD, 1, 1, 1), 8);
    assert_int_equal(small_blocks(MOP_LOAD, 4, 1, 4), 32);
    assert_int_equal(small_blocks(MOP_LOAD, 8, 1, 8), 64);
    assert_int_equal(small_blocks(MOP_LOAD, 4, 4, 16), 128);
    assert_int_equal(small_blocks(MOP_LOAD, 4, 4, 0), 4);
    assert_int_equal(small_blocks(MOP_STORE, 8, 1, 8), 64);
    assert_int_equal(small_blocks(MOP_STORE, 8, 1, 0), 2);
    config_free(rig.config);
}

static void blocks_are_served_by_ports(void **state)
{
    start();
    assert_int_equal(block_accesses(MOP_LOAD, 16, 4, 2), 1);
    assert_int_equal(block_accesses(MOP_LOAD, 32, 4, 2), 1);
    assert_int_equal(block_accesses(MOP_LOAD, 32, 4, 1), 2);
    assert_int_equal(block_accesses(MOP_LOAD, 32, 64, 2), 16);
    assert_int_equal(block_accesses(MOP_LOAD, 32, 0, 2), 1);
    assert_int_equal(block_accesses(MOP_STORE, 16, 4, 2), 1);
    assert_int_equal(block_accesses(MOP_STORE, 32, 4, 2), 2);
    assert_int_equal(alternating(MOP_LOAD), 1);
    assert_int_equal(alternating(MOP_STORE), 32);
    config_free(rig.config);
}

/* A load waits for its last access, a store until that begins; the next instruction follows. */
static void blocks_take_their_latency(void **state)
{
    start();
    rig.cfg.shared.block = 64;
    rig_build(&rig);
    uint64_t latency = rig.cfg.shared.latency;
    for (unsigned n = 1; n <= 16; n *= 2) {
        struct rig_op *o = rig_op(&rig, MOP_LOAD, 4, 1);
        rig_lanes(o, SERVE_SHARED, 32, 0, 4 * n);
        assert_int_equal(rig_latency(&rig, o), n * latency);             /* 2 n blocks, two ports */
        o = rig_op(&rig, MOP_STORE, 4, 1);
        rig_lanes(o, SERVE_SHARED, 32, 0, 4 * n);
        assert_int_equal(rig_latency(&rig, o), (2 * n - 1) * latency + 1);
    }
    finish();
}

/* ---- read-only caches ---- */

static void constants_take_a_cycle_for_each_address(void **state)
{
    start();
    rig_build(&rig);
    for (unsigned n = 1; n <= 4; n *= 2)
        for (unsigned turn = 0; turn < 2; turn++) {
            struct rig_op *o = rig_op(&rig, MOP_LOAD, 4, 1);
            for (unsigned i = 0; i < 32; i++)
                rig_lane(o, SERVE_CONST, i, rig_address(64 + 4 * (i % n)));
            uint64_t latency = rig_latency(&rig, o);
            if (turn)
                assert_int_equal(latency, n - 1 + rig.cfg.ro.konst.latency);
            for (unsigned i = 0; i < 32; i++)
                assert_int_equal(rig_value(&rig, o, i, 0), word_at(64 + 4 * (i % n)));
        }
    assert_int_equal(rig.reads[ACCESS_CONST], 1);
    assert_int_equal(rig.read_sectors[ACCESS_CONST], 2);
    finish();
}

static void constants_within_a_port_share_an_access(void **state)
{
    for (unsigned port = 4; port <= 64; port *= 2) {
        start();
        rig.cfg.ro.const_port = port;
        rig_build(&rig);
        for (unsigned turn = 0; turn < 2; turn++) {
            struct rig_op *o = rig_op(&rig, MOP_LOAD, 4, 1);
            for (unsigned i = 0; i < 32; i++)
                rig_lane(o, SERVE_CONST, i, rig_address(128 + 4 * (i % 16)));
            uint64_t latency = rig_latency(&rig, o);
            if (turn)
                assert_int_equal(latency, 64 / port - 1 + rig.cfg.ro.konst.latency);
            for (unsigned i = 0; i < 32; i++)
                assert_int_equal(rig_value(&rig, o, i, 0), word_at(128 + 4 * (i % 16)));
        }
        finish();
    }
}

static void texture_loads_are_global_unless_configured(void **state)
{
    for (int texture = 0; texture < 2; texture++) {
        start();
        rig.cfg.ro.texture_nc = texture;
        rig_build(&rig);
        for (int turn = 0; turn < 2; turn++) {
            struct rig_op *o = rig_op(&rig, MOP_LOAD, 4, 1);
            rig_lanes(o, SERVE_TEXTURE, 32, rig_address(8192), 4);
            uint64_t latency = rig_latency(&rig, o);
            if (turn)
                assert_int_equal(latency, texture ? rig.cfg.ro.texture.latency : rig.cfg.l1.latency);
            assert_int_equal(rig_value(&rig, o, 31, 0), word_at(8192 + 124));
        }
        assert_int_equal(rig.reads[ACCESS_TEXTURE], texture);
        assert_int_equal(rig.loads[0], texture ? 0 : 2);
        assert_int_equal(rig.told_loads[0], rig.loads[0]);
        finish();
    }
}

static void instruction_lines_are_asked_for_once_and_ahead(void **state)
{
    start();
    rig.cfg.ro.inst.mshrs = 2;
    rig.cfg.ro.inst_prefetch = 1;
    rig_build(&rig);
    assert_false(lsu_fetch(rig.u, rig_address(1000), 0));
    assert_false(lsu_fetch(rig.u, rig_address(1008), 0));
    assert_false(lsu_fetch(rig.u, rig_address(4000), 0));        /* no MSHR is free: waits for one */
    assert_false(lsu_fetch(rig.u, rig_address(4000), 0));
    while (rig.now < 1000 && rig.fetched_line != rig_address(1000 / 128 * 128))
        rig_cycle(&rig);
    uint64_t first = rig.fetched_at;
    for (int i = 0; i < 1000 && rig.fetched_line != rig_address(4000 / 128 * 128); i++)
        rig_cycle(&rig);
    assert_int_equal(rig.fetched_line, rig_address(4000 / 128 * 128));
    assert_int_equal(rig.count[STAT_INST_BLOCKED], first);       /* until the first line came */
    rig_drain(&rig);
    assert_true(lsu_fetch(rig.u, rig_address(1000), rig.now));
    assert_true(lsu_fetch(rig.u, rig_address(1024), rig.now));   /* was fetched ahead */
    assert_true(lsu_fetch(rig.u, rig_address(4000), rig.now));
    assert_false(lsu_fetch(rig.u, rig_address(4096), rig.now));  /* was not: no MSHR */
    assert_int_equal(rig.reads[ACCESS_INST], 3);
    assert_int_equal(rig.count[STAT_INST_MISSES], 3);
    assert_int_equal(rig.count[STAT_INST_MERGED], 2);
    assert_int_equal(rig.count[STAT_INST_HITS], 3);
    finish();
}

/* ---- the second level of constants and instructions ---- */

/* First levels of one line each, and L1.5 of four lines. */
static void start_l15(uint32_t mshrs)
{
    start();
    rig.cfg.ro.konst.sets = rig.cfg.ro.konst.ways = rig.cfg.ro.inst.sets = rig.cfg.ro.inst.ways = 1;
    rig.cfg.ro.inst_prefetch = 0;
    rig.cfg.ro.l15 = (struct l15_cfg){ .ways = 4, .sets = 1, .look_up = 20, .latency = 33, .mshrs = mshrs };
}

static uint64_t constant(uint32_t offset)
{
    struct rig_op *o = rig_op(&rig, MOP_LOAD, 4, 1);
    rig_lane(o, SERVE_CONST, 0, rig_address(offset));
    uint64_t latency = rig_latency(&rig, o);
    assert_int_equal(rig_value(&rig, o, 0, 0), word_at(offset));
    return latency;
}

static void constants_hit_in_l15(void **state)
{
    start_l15(4);
    rig.cfg.ro.l15.sets = 0;
    rig_build(&rig);
    uint64_t l2 = constant(1024);
    rig_end(&rig);
    start_l15(4);
    rig_build(&rig);
    assert_int_equal(constant(1024), l2 + 20);
    assert_int_equal(constant(1028), rig.cfg.ro.konst.latency);
    assert_int_equal(constant(1024 + 64), 33 + 2);               /* the other half of the line of 128 bytes */
    assert_int_equal(constant(1024), 33 + 2);
    for (uint32_t line = 1; line <= 3; line++)
        assert_int_equal(constant(1024 + 128 * line), l2 + 20);
    assert_int_equal(constant(1024), 33 + 2);
    assert_int_equal(constant(1024 + 128 * 4), l2 + 20);         /* evicts the second line */
    assert_int_equal(constant(1024), 33 + 2);
    assert_int_equal(constant(1024 + 128), l2 + 20);
    assert_int_equal(rig.reads[ACCESS_CONST], 6);
    assert_int_equal(rig.read_sectors[ACCESS_CONST], 24);
    assert_int_equal(rig.count[STAT_L15_MISSES], 6);
    assert_int_equal(rig.count[STAT_L15_HITS], 4);
    assert_int_equal(rig.count[STAT_CONST_MISSES], 10);
    lsu_invalidate(rig.u);
    assert_int_equal(constant(1024 + 128), l2 + 20);
    finish();
}

static uint64_t fetched(uint32_t offset, int cycles)
{
    for (; cycles && rig.fetched_line != rig_address(offset); cycles--)
        rig_cycle(&rig);
    assert_int_equal(rig.fetched_line, rig_address(offset));
    return rig.fetched_at;
}

/* Requests are looked up one in a cycle; one of a line that is in flight is merged, though not with one MSHR entry for
 * another line: it waits until that line is there, and those after it wait, too. */
static void l15_merges_and_waits(void **state)
{
    for (uint32_t mshrs = 1; mshrs <= 2; mshrs++) {
        start_l15(mshrs);
        rig.cfg.ro.inst.line = 64;
        rig_build(&rig);
        uint64_t from = rig.now - 1;
        assert_false(lsu_fetch(rig.u, rig_address(1024), from));
        assert_false(lsu_fetch(rig.u, rig_address(1024 + 64), from));
        assert_false(lsu_fetch(rig.u, rig_address(2048), from));
        uint64_t first = fetched(1024 + 64, 1000), second = fetched(2048, 1000);
        assert_int_equal(rig.count[STAT_L15_MISSES], 2);
        assert_int_equal(rig.count[STAT_L15_MERGED], 1);
        assert_int_equal(rig.reads[ACCESS_INST], 2);
        if (mshrs == 1) {
            assert_int_equal(rig.count[STAT_L15_BLOCKED], first - (from + 20 + 2));
            assert_int_equal(second - first, first - (from + 20));
        } else {
            assert_int_equal(rig.count[STAT_L15_BLOCKED], 0);
            assert_int_equal(second - first, 2);
        }
        rig_drain(&rig);
        uint64_t now = rig.now;
        assert_false(lsu_fetch(rig.u, rig_address(1024), now - 1));
        assert_int_equal(fetched(1024, 1000), now - 1 + 33);
        assert_int_equal(rig.count[STAT_L15_HITS], 1);
        finish();
    }
}

/* A launch brings the first bytes of the kernel's code: their lines hit, the next one misses. */
static void a_launch_preloads_code(void **state)
{
    start_l15(4);
    rig.cfg.ro.inst_launch_kb = 1;
    rig.cfg.ro.l15.ways = 16;
    rig_build(&rig);
    lsu_preload_code(rig.u, rig_address(1024), 4096);
    uint64_t from = rig.now - 1;
    assert_false(lsu_fetch(rig.u, rig_address(1024 + 7 * 128), from));
    assert_int_equal(fetched(1024 + 7 * 128, 1000), from + 33);
    from = rig.now - 1;
    assert_false(lsu_fetch(rig.u, rig_address(1024 + 8 * 128), from));
    assert_true(fetched(1024 + 8 * 128, 1000) > from + 33);
    assert_int_equal(rig.count[STAT_L15_HITS], 1);
    assert_int_equal(rig.count[STAT_L15_MISSES], 1);
    rig_end(&rig);
    start_l15(4);
    rig.cfg.ro.inst_launch_kb = 1;
    rig_build(&rig);
    lsu_preload_code(rig.u, rig_address(1024), 100);             /* less than a line */
    lsu_fetch(rig.u, rig_address(1024), rig.now - 1);
    lsu_fetch(rig.u, rig_address(1024 + 128), rig.now - 1);
    rig_drain(&rig);
    assert_int_equal(rig.count[STAT_L15_HITS], 1);
    assert_int_equal(rig.count[STAT_L15_MISSES], 1);
    finish();
}

/* ---- address translation ---- */

enum { TLB_HIT = 10, WALK = 90 };        /* of the shared TLB; both together of a page walk */

/* Pages of 4 KB, of which the SM's TLB has two, and pages of 8 KB. */
static void start_tlb(void)
{
    start();
    rig.cfg.tlb = (struct tlb_cfg){
        .l1 = { .entries = 2, .ways = 2, .page_kb = 4, .ports = 1, .misses = 1, .merges = 2 },
        .l2 = { .entries = 8, .ways = 8, .page_kb = 8, .ports = 1, .latency = TLB_HIT, .walkers = 1,
                .walk_latency = WALK - TLB_HIT }
    };
}

static uint64_t access_of(enum mem_op_kind kind, enum mem_server server, uint32_t offset)
{
    struct rig_op *o = rig_op(&rig, kind, 4, 1);
    uint64_t from = rig.now, before = rig.last_performed;
    o->op.path = PATH_L2;
    rig_lane(o, server, 0, rig_address(offset));
    rig_issue(&rig, o, 0);
    for (int i = 0; i < 1000 && rig.last_performed == before; i++)
        rig_cycle(&rig);
    uint64_t took = rig.last_performed - from;
    rig_until_done(&rig, o);
    rig_drain(&rig);
    return took;
}

/* Loads, stores, atomics and texture reads wait for their page's translation. A hit costs nothing. */
static void what_leaves_l1_is_translated(void **state)
{
    static const struct { enum mem_op_kind kind; enum mem_server server; } rows[] = {
        { MOP_LOAD, SERVE_GLOBAL }, { MOP_STORE, SERVE_GLOBAL }, { MOP_ATOM, SERVE_GLOBAL }, { MOP_RED, SERVE_GLOBAL },
        { MOP_LOAD, SERVE_TEXTURE }, { MOP_LOAD, SERVE_LOCAL }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start();
        rig.cfg.ro.texture_nc = true;
        rig_build(&rig);
        uint64_t plain = access_of(rows[i].kind, rows[i].server, 0);
        rig_end(&rig);
        start_tlb();
        rig.cfg.ro.texture_nc = true;
        rig_build(&rig);
        assert_int_equal(access_of(rows[i].kind, rows[i].server, 0), plain + WALK);
        assert_int_equal(access_of(rows[i].kind, rows[i].server, 128), plain);
        assert_int_equal(access_of(rows[i].kind, rows[i].server, 4096), plain + TLB_HIT);
        assert_int_equal(access_of(rows[i].kind, rows[i].server, 8192), plain + WALK);
        assert_int_equal(access_of(rows[i].kind, rows[i].server, 256), plain + TLB_HIT);
        assert_int_equal(rig.count[STAT_TLB_L1_MISSES], 4);
        finish();
    }
}

static void constants_and_instructions_are_not_translated(void **state)
{
    start();
    rig_build(&rig);
    uint64_t plain = constant(1024);
    rig_end(&rig);
    start_tlb();
    rig_build(&rig);
    assert_int_equal(constant(1024), plain);
    assert_false(lsu_fetch(rig.u, rig_address(8192), rig.now - 1));
    rig_drain(&rig);
    assert_int_equal(rig.count[STAT_TLB_L1_MISSES], 0);
    finish();
}

/* What L1 serves needs no translation: its addresses are virtual. */
static void hits_in_l1_are_not_translated(void **state)
{
    start_tlb();
    rig_build(&rig);
    for (int i = 0; i < 2; i++) {
        struct rig_op *o = rig_op(&rig, MOP_LOAD, 4, 1);
        rig_lane(o, SERVE_GLOBAL, 0, rig_address(0));
        rig_latency(&rig, o);
    }
    assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_HITS], 1);
    assert_int_equal(rig.count[STAT_TLB_L1_HITS] + rig.count[STAT_TLB_L1_MISSES], 1);
    finish();
}

/* One entry with two requests, and a miss queue of two: the fifth store stays in the unit until the translation is
 * here. */
static void a_full_tlb_fills_the_miss_queue(void **state)
{
    start_tlb();
    rig.cfg.queue = 8;
    rig.cfg.l1.miss_queue = 2;
    rig_build(&rig);
    struct rig_op *o[5];
    for (uint32_t i = 0; i < 5; i++) {
        o[i] = rig_op(&rig, MOP_STORE, 4, 1);
        rig_lane(o[i], SERVE_GLOBAL, 0, rig_address(256 * i));
        rig_issue(&rig, o[i], 0);
    }
    for (int i = 0; i < 60; i++)
        rig_cycle(&rig);
    assert_true(o[3]->done && !o[4]->done);
    assert_int_equal(rig.count[STAT_TLB_L1_MISSES], 1);
    assert_int_equal(rig.count[STAT_TLB_L1_MERGED], 1);
    rig_until_done(&rig, o[4]);
    rig_drain(&rig);
    lsu_settle(rig.u, rig.now);
    assert_in_range(rig.count[STAT_L1_QUEUE_FULL], WALK - 10, WALK);
    assert_in_range(rig.count[STAT_TLB_L1_BLOCKED], WALK - 10, WALK);
    assert_int_equal(rig.count[STAT_TLB_L1_HITS], 3);
    for (uint32_t i = 0; i < 4; i++)
        o[i]->busy = false;
    finish();
}

/* A request that waits for its page leaves the miss queue, and the next access enters it in the next cycle. */
static void a_miss_makes_room_in_the_queue(void **state)
{
    struct rig_op *o[2];
    start_tlb();
    rig.cfg.tlb.l1.latency = 20;
    rig.cfg.l1.miss_queue = 1;
    rig_build(&rig);
    for (uint32_t i = 0; i < 2; i++) {
        o[i] = rig_op(&rig, MOP_STORE, 4, 1);
        rig_lane(o[i], SERVE_GLOBAL, 0, rig_address(256 * i));
        rig_issue(&rig, o[i], 0);
    }
    rig_until_done(&rig, o[0]);
    rig_until_done(&rig, o[1]);
    assert_int_equal(o[1]->at - o[0]->at, 20 + 1);
    rig_drain(&rig);
    finish();
}

/* Between kernels a TLB keeps its pages, or with tlb.flush does not. */
static void kernels_share_the_tlb(void **state)
{
    for (int flush = 0; flush < 2; flush++) {
        start_tlb();
        rig.cfg.tlb.flush = flush;
        rig_build(&rig);
        access_of(MOP_LOAD, SERVE_GLOBAL, 0);
        lsu_invalidate(rig.u);
        access_of(MOP_LOAD, SERVE_GLOBAL, 0);
        assert_int_equal(rig.count[STAT_TLB_L1_MISSES], flush ? 2 : 1);
        finish();
    }
}

/* ---- misses ---- */

static void misses_of_a_line_merge_up_to_the_limit(void **state)
{
    start();
    rig.cfg.l1.merges = 3;
    rig.cfg.queue = 8;
    rig_build(&rig);
    struct rig_op *o[4];
    for (int i = 0; i < 4; i++)
        rig_issue(&rig, o[i] = load(0, 4), 0);
    for (int i = 0; i < 4; i++)
        rig_until_done(&rig, o[i]);
    assert_int_equal(o[0]->at, o[2]->at);
    assert_int_equal(o[3]->at, o[0]->at - 1 + rig.cfg.l1.latency - 1);   /* hits in the cycle of the fill */
    assert_int_equal(rig.reads[ACCESS_GLOBAL_LOAD], 1);
    assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_MISSES], 1);
    assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_MERGED], 2);
    assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_HITS], 1);
    /* turned away from the fourth cycle on until the cycle before the fill */
    assert_int_equal(rig.count[STAT_L1_MSHR_FULL], rig.last_sent - 4);
    assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_BLOCKED], rig.last_sent - 4);
    finish();
}

static void a_miss_asks_for_sectors_or_the_line(void **state)
{
    static const struct { bool sectored; uint32_t segment, sectors[2]; } rows[] = {
        { true, 32, { 1, 2 } }, { true, 64, { 2, 2 } }, { true, 128, { 4, 4 } }, { false, 32, { 4, 4 } }
    };
    for (unsigned k = 0; k < 4; k++) {
        start();
        rig.cfg.l1.sectored = rows[k].sectored;
        rig.cfg.coalescer.segment = rows[k].segment;
        rig_build(&rig);
        rig_latency(&rig, load(0, 0));
        assert_int_equal(rig.read_sectors[ACCESS_GLOBAL_LOAD], rows[k].sectors[0]);
        rig_latency(&rig, load(32, 0));
        assert_int_equal(rig.read_sectors[ACCESS_GLOBAL_LOAD], rows[k].sectors[1]);
        assert_int_equal(rig_latency(&rig, load(32, 0)), rig.cfg.l1.latency);
        finish();
    }
}

static void sectors_of_a_missing_line_join_its_entry(void **state)
{
    start();
    rig.cfg.l1.mshrs = 1;
    rig_build(&rig);
    struct rig_op *a = load(0, 0), *b = load(64, 0), *c = load(0, 2);
    rig_issue(&rig, a, 0);
    rig_issue(&rig, b, 0);
    rig_issue(&rig, c, 0);
    rig_until_done(&rig, a);
    rig_until_done(&rig, b);
    rig_until_done(&rig, c);
    assert_int_equal(rig.reads[ACCESS_GLOBAL_LOAD], 3);          /* sectors 0; 2; 1 (of 0 and 1) */
    assert_int_equal(rig.read_sectors[ACCESS_GLOBAL_LOAD], 3);
    assert_int_equal(b->at, a->at + 1);
    assert_int_equal(c->at, a->at + 2);
    assert_int_equal(rig.count[STAT_L1_MSHR_FULL], 0);
    finish();
}

static void loads_past_l1_leave_no_line(void **state)
{
    for (int k = 0; k < 3; k++) {
        start();
        rig.cfg.l1.global = k != 0;
        rig.cfg.l1.sets = k == 1 ? 0 : rig.cfg.l1.sets;
        rig_build(&rig);
        for (int turn = 0; turn < 2; turn++) {
            struct rig_op *o = load(0, 2);
            o->op.path = k == 2 ? PATH_L2 : PATH_CACHED;
            rig_latency(&rig, o);
            assert_int_equal(rig_value(&rig, o, 30, 0), word_at(60));
        }
        assert_int_equal(rig.reads[ACCESS_GLOBAL_LOAD], 2);
        assert_int_equal(rig.read_sectors[ACCESS_GLOBAL_LOAD], 4);
        assert_int_equal(rig.count[STAT_L1_BYPASSED], 2);
        finish();
    }
}

static void a_volatile_load_sees_l2_and_drops_the_line(void **state)
{
    start();
    rig_build(&rig);
    rig_latency(&rig, load(0, 4));
    memset(rig_memory, 0x55, 128);                               /* another SM's store */
    struct rig_op *o = load(0, 4);
    rig_latency(&rig, o);
    assert_int_not_equal(rig_value(&rig, o, 5, 0), 0x55555555);  /* the stale line */
    o = load(0, 4);
    o->op.path = PATH_L2;
    rig_latency(&rig, o);
    assert_int_equal(rig_value(&rig, o, 5, 0), 0x55555555);
    o = load(0, 4);
    rig_latency(&rig, o);
    assert_int_equal(rig_value(&rig, o, 5, 0), 0x55555555);
    assert_int_equal(rig.reads[ACCESS_GLOBAL_LOAD], 3);
    finish();
}

static void the_line_that_makes_room_is_the_oldest(void **state)
{
    for (int fifo = 0; fifo < 2; fifo++) {
        start();
        rig.cfg.l1.sets = 1;
        rig.cfg.l1.ways = 2;
        rig.cfg.l1.replacement = fifo ? TAGS_FIFO : TAGS_LRU;
        rig_build(&rig);
        static const uint32_t order[] = { 0, 128, 0, 256 };
        for (int i = 0; i < 4; i++)
            rig_latency(&rig, load(order[i], 4));
        rig_latency(&rig, load(fifo ? 128 : 0, 4));              /* still there */
        assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_HITS], 2);
        assert_int_equal(rig.count[STAT_L1_EVICTIONS], 1);
        rig_latency(&rig, load(fifo ? 0 : 128, 4));
        assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_HITS], 2);
        finish();
    }
}

static void a_prefetch_brings_the_line_and_nothing_waits(void **state)
{
    start();
    rig_build(&rig);
    struct rig_op *o = rig_op(&rig, MOP_PREFETCH, 1, 1);
    rig_lanes(o, SERVE_GLOBAL, 32, rig_address(512), 4);
    assert_int_equal(rig_latency(&rig, o), 1);
    rig_drain(&rig);
    assert_int_equal(rig_latency(&rig, load(512, 4)), rig.cfg.l1.latency);
    assert_int_equal(rig.loads[0], 1);
    finish();
}

/* ---- stores ---- */

static void a_store_evicts_or_updates_its_line(void **state)
{
    for (int update = 0; update < 2; update++) {
        start();
        rig.cfg.l1.store_hit = update ? L1_STORE_UPDATE : L1_STORE_EVICT;
        rig_build(&rig);
        rig_latency(&rig, load(0, 4));
        rig_latency(&rig, store(0, 0, 0x77));
        struct rig_op *o = load(0, 4);
        uint64_t latency = rig_latency(&rig, o);
        assert_int_equal(rig_value(&rig, o, 0, 0), 0x77777777);
        assert_int_equal(rig_value(&rig, o, 1, 0), word_at(4));
        if (update)
            assert_int_equal(latency, rig.cfg.l1.latency);
        rig_drain(&rig);
        assert_int_equal(rig.reads[ACCESS_GLOBAL_LOAD], update ? 1 : 2);
        assert_int_equal(rig.writes[ACCESS_GLOBAL_STORE], 1);
        assert_int_equal(rig.count[STAT_L1_STORE_HITS], 1);
        finish();
    }
}

/* The fill that is under way when the store comes lacks it, and must not be kept. */
static void a_load_behind_a_store_never_sees_the_old_value(void **state)
{
    for (int update = 0; update < 2; update++) {
        start();
        rig.cfg.l1.store_hit = update ? L1_STORE_UPDATE : L1_STORE_EVICT;
        rig_build(&rig);
        struct rig_op *first = load(0, 4), *w = store(0, 4, 0x77), *second = load(0, 4);
        uint64_t old = word_at(8);
        rig_issue(&rig, first, 0);
        rig_issue(&rig, w, 0);
        rig_issue(&rig, second, 1);
        rig_until_done(&rig, first);
        rig_until_done(&rig, w);
        rig_until_done(&rig, second);
        assert_int_equal(rig_value(&rig, first, 2, 0), old);
        assert_int_equal(rig_value(&rig, second, 2, 0), 0x77777777);
        struct rig_op *third = load(0, 4);
        assert_int_equal(rig_latency(&rig, third), rig.cfg.l1.latency);  /* the second's line was kept */
        assert_int_equal(rig_value(&rig, third, 2, 0), 0x77777777);
        assert_int_equal(rig.reads[ACCESS_GLOBAL_LOAD], 2);
        finish();
    }
}

/* Global lines go, also one whose old value is under way; a private line stays. */
static void behind_an_acquire_nothing_is_stale(void **state)
{
    for (int keep = 0; keep < 2; keep++) {
        start();
        rig.cfg.l1.acquire = !keep;
        rig_build(&rig);
        struct rig_op *own = rig_op(&rig, MOP_STORE, 4, 1), *coming = load(128, 4);
        rig_lanes(own, SERVE_LOCAL, 32, rig_address(1024), 4);
        rig_latency(&rig, own);
        rig_latency(&rig, load(0, 4));
        uint64_t before = rig.last_performed;
        rig_issue(&rig, coming, 0);
        while (rig.last_performed == before)
            rig_cycle(&rig);
        lsu_acquire(rig.u);
        rig_until_done(&rig, coming);
        memset(rig_memory, 0x55, 256);                           /* another SM's stores */
        for (uint32_t at = 0; at < 256; at += 128) {
            struct rig_op *o = load(at, 4);
            rig_latency(&rig, o);
            assert_int_equal(rig_value(&rig, o, 5, 0) == 0x55555555, !keep);
        }
        own = rig_op(&rig, MOP_LOAD, 4, 1);
        rig_lanes(own, SERVE_LOCAL, 32, rig_address(1024), 4);
        assert_int_equal(rig_latency(&rig, own), rig.cfg.l1.latency);
        finish();
    }
}

static void a_store_is_over_when_sent_and_performs_when_acknowledged(void **state)
{
    start();
    rig_build(&rig);
    struct rig_op *o = store(0, 4, 1);
    assert_int_equal(rig_latency(&rig, o), 1);
    assert_int_equal(rig.stores[0], 1);
    assert_int_equal(rig.told_stores[0], 0);
    assert_true(lsu_warp_busy(rig.u, 0));
    uint64_t issued = rig.now - 2;
    while (lsu_warp_busy(rig.u, 0))
        rig_cycle(&rig);
    assert_int_equal(rig.told_stores[0], 1);
    assert_int_equal(rig.now - 1, rig.last_sent);
    assert_int_equal(rig.hists.h[HIST_STORE_LATENCY].sum, rig.last_sent - issued);
    finish();
}

static uint64_t told(uint32_t slot)
{
    return rig.told_loads[slot] + rig.told_stores[slot];
}

/* The warp of slot 0 may end when its red and all eight lines of its store have been sent. The next warp there receives
 * the reports of its own store only; the unit is idle when all have performed. */
static void an_ended_warp_leaves_its_stores(void **state)
{
    start();
    rig.delay = 100;
    rig_build(&rig);
    uint64_t old = word_at(4096);
    struct rig_op *red = rig_op(&rig, MOP_RED, 4, 1), *o = store(0, 32, 1);
    rig_lanes(red, SERVE_GLOBAL, 1, rig_address(4096), 0);
    memcpy(red->op.data[0], &(uint32_t){ 5 }, 4);
    rig_issue(&rig, red, 0);
    rig_issue(&rig, o, 0);
    for (; !o->done; rig_cycle(&rig))
        assert_false(lsu_all_sent(rig.u, 0, 1, 9));
    assert_int_equal(told(0), 0);
    assert_true(lsu_all_sent(rig.u, 0, 1, 9));
    assert_false(lsu_all_sent(rig.u, 0, 2, 9));                  /* the warp waits for something else, too */
    assert_false(lsu_all_sent(rig.u, 0, 1, 10));
    rig_until_done(&rig, red);
    rig_until_done(&rig, o);
    lsu_warp_ended(rig.u, 0);
    assert_false(lsu_warp_busy(rig.u, 0));
    assert_true(lsu_all_sent(rig.u, 0, 0, 0) && !lsu_idle(rig.u));
    rig_latency(&rig, store(8192, 4, 2));
    assert_true(lsu_all_sent(rig.u, 0, 0, 1) && lsu_warp_busy(rig.u, 0));
    rig_drain(&rig);
    assert_int_equal(rig.told_loads[0], 0);
    assert_int_equal(rig.told_stores[0], 1);
    assert_false(lsu_warp_busy(rig.u, 0));
    assert_int_equal(word_at(0), 0x01010101);
    assert_int_equal(word_at(31 * 32), 0x01010101);
    assert_int_equal(word_at(4096), old + 5);
    assert_int_equal(word_at(8192), 0x02020202);
    assert_int_equal(rig.hists.h[HIST_STORE_LATENCY].n, 2);
    finish();
}

/* An outstanding load is no sent store, whatever counts the SM expects; a slot without accesses has sent all. */
static void a_warp_with_a_load_has_not_sent_all(void **state)
{
    start();
    rig_build(&rig);
    assert_true(lsu_all_sent(rig.u, 7, 0, 0));
    rig_latency(&rig, store(0, 4, 1));
    struct rig_op *o = load(1024, 4);
    rig_issue(&rig, o, 0);
    while (!o->done) {
        assert_false(lsu_all_sent(rig.u, 0, 0, 1) || lsu_all_sent(rig.u, 0, 0, 0));
        rig_cycle(&rig);
    }
    finish();
}

static void atomics_return_old_values_and_reds_do_not_wait(void **state)
{
    start();
    rig_build(&rig);
    uint64_t old = word_at(256);
    struct rig_op *o = rig_op(&rig, MOP_ATOM, 4, 1);
    rig_lanes(o, SERVE_GLOBAL, 32, rig_address(256), 0);
    for (unsigned i = 0; i < 32; i++)
        memcpy(o->op.data[i], &(uint32_t){ 1 }, 4);
    rig_latency(&rig, o);
    assert_int_equal(o->at, rig.last_sent + 1);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(rig_value(&rig, o, i, 0), old + i);
    o = rig_op(&rig, MOP_RED, 4, 1);
    rig_lanes(o, SERVE_GLOBAL, 32, rig_address(256), 0);
    for (unsigned i = 0; i < 32; i++)
        memcpy(o->op.data[i], &(uint32_t){ 2 }, 4);
    assert_int_equal(rig_latency(&rig, o), 1);
    assert_int_equal(rig.told_stores[0], 1);
    rig_drain(&rig);
    assert_int_equal(word_at(256), old + 96);
    assert_int_equal(rig.told_stores[0], 2);
    assert_int_equal(rig.told_loads[0], 2);
    assert_int_equal(rig.loads[0], 2);
    assert_int_equal(rig.stores[0], 2);
    finish();
}

/* ---- private memory ---- */

static struct rig_op *private(enum mem_op_kind kind, uint32_t offset, unsigned lanes, uint8_t value)
{
    struct rig_op *o = rig_op(&rig, kind, 4, 1);
    rig_lanes(o, SERVE_LOCAL, lanes, rig_address(offset), 4);
    memset(o->op.data, value, sizeof o->op.data);
    return o;
}

static void private_stores_stay_in_l1_until_evicted(void **state)
{
    start();
    rig.cfg.l1.sets = 1;
    rig.cfg.l1.ways = 1;
    rig.cfg.l1.miss_queue = 1;
    rig_build(&rig);
    uint64_t below = word_at(0);
    rig_latency(&rig, private(MOP_STORE, 0, 32, 0x11));          /* covers its sectors: no fetch */
    assert_int_equal(rig.count[STAT_REQUESTS], 0);
    assert_int_equal(word_at(0), below);
    assert_int_equal(lsu_private_line(rig.u, rig_address(0))[5], 0x11);
    assert_null(lsu_private_line(rig.u, rig_address(128)));
    struct rig_op *o = private(MOP_LOAD, 0, 32, 0);
    assert_int_equal(rig_latency(&rig, o), rig.cfg.l1.latency);
    assert_int_equal(rig_value(&rig, o, 31, 0), 0x11111111);
    rig_issue(&rig, o = private(MOP_STORE, 128, 1, 0x22), 0);    /* one word: fetches, and evicts the other line */
    rig_cycle(&rig);
    assert_int_equal(lsu_private_line(rig.u, rig_address(0))[5], 0x11);      /* on its way */
    rig_until_done(&rig, o);
    assert_int_equal(rig.count[STAT_L1_QUEUE_FULL], 1);          /* the write-back went first */
    assert_int_equal(word_at(0), 0x11111111);
    assert_int_equal(rig.writes[ACCESS_LOCAL_WRITEBACK], 1);
    assert_int_equal(rig.read_sectors[ACCESS_LOCAL_STORE], 1);
    o = private(MOP_LOAD, 0, 32, 0);
    rig_latency(&rig, o);
    assert_int_equal(rig_value(&rig, o, 31, 0), 0x11111111);
    rig_drain(&rig);
    assert_int_equal(word_at(128), 0x22222222);
    assert_int_equal(rig.told_loads[0] + rig.told_stores[0], 0);
    finish();
}

static void a_private_store_may_not_allocate(void **state)
{
    start();
    rig.cfg.l1.local_allocate = false;
    rig_build(&rig);
    rig_latency(&rig, private(MOP_STORE, 0, 32, 0x11));          /* misses: through to L2 */
    rig_drain(&rig);
    assert_int_equal(word_at(0), 0x11111111);
    assert_int_equal(rig.count[STAT_REQUESTS], 1);
    struct rig_op *o = private(MOP_LOAD, 0, 32, 0);
    rig_latency(&rig, o);
    assert_int_equal(rig_value(&rig, o, 31, 0), 0x11111111);
    rig_latency(&rig, private(MOP_STORE, 0, 32, 0x22));          /* hits: stays here */
    rig_drain(&rig);
    assert_int_equal(rig.count[STAT_REQUESTS], 2);
    assert_int_equal(word_at(0), 0x11111111);
    assert_int_equal(lsu_private_line(rig.u, rig_address(0))[5], 0x22);
    finish();
}

static void a_flush_may_drop_private_lines(void **state)
{
    start();
    rig.cfg.l1.local_drop = true;
    rig_build(&rig);
    uint64_t below = word_at(0);
    rig_latency(&rig, private(MOP_STORE, 0, 32, 0x11));
    assert_true(lsu_flush(rig.u, rig.now));
    assert_int_equal(word_at(0), below);
    assert_int_equal(rig.count[STAT_REQUESTS], 0);
    finish();
}

/* Every line of every warp's slot has a place of its own, and those of one word of a block follow each other. */
static void private_memory_by_word_is_a_permutation(void **state)
{
    static const struct private_map maps[] = {
        { 0x10000, 5 * LINE_BYTES, 1, 1, 1 }, { 0x10000, LINE_BYTES, 3, 8, 2 }, { 0x10000, 7 * LINE_BYTES, 15, 48, 4 },
        { 0x10000, 3 * LINE_BYTES, 2, 48, 5 }, { 0x10000, 3 * LINE_BYTES, 2, 48, 0 }
    };
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
        const struct private_map *m = &maps[k];
        uint64_t lines = m->bytes / LINE_BYTES * m->sms * m->warps, places = private_bytes(m) / LINE_BYTES;
        bool *taken = calloc(places, sizeof *taken);
        for (uint64_t i = 0; i < lines; i++) {
            uint64_t at = private_map_line(m, m->base + i * LINE_BYTES);
            uint64_t place = (at - m->base) / LINE_BYTES, warp = i / (m->bytes / LINE_BYTES) % m->warps;
            assert_true(place < places && !taken[place] && at % LINE_BYTES == 0);
            taken[place] = true;
            assert_true(m->block || place == i);
            if (m->block && warp % m->block)
                assert_int_equal(private_map_line(m, m->base + i * LINE_BYTES - m->bytes), at - LINE_BYTES);
        }
        assert_true(private_map_line(m, m->base - LINE_BYTES) == m->base - LINE_BYTES);
        assert_true(private_map_line(m, m->base + lines * LINE_BYTES) == m->base + lines * LINE_BYTES);
        free(taken);
    }
}

static void the_last_of_several_write_backs_counts(void **state)
{
    start();
    rig.cfg.l1.sets = rig.cfg.l1.ways = 1;
    rig.delay = 100;
    rig_build(&rig);
    for (uint8_t i = 1; i <= 4; i++)
        rig_latency(&rig, private(MOP_STORE, i % 2 * 128, 32, i));
    rig_latency(&rig, private(MOP_STORE, 512, 32, 9));
    assert_true(rig.now < 100);
    assert_int_equal(lsu_private_line(rig.u, rig_address(0))[0], 4);
    assert_int_equal(lsu_private_line(rig.u, rig_address(128))[0], 3);
    finish();
}

static void a_private_store_fetches_what_it_does_not_cover(void **state)
{
    for (int sectored = 0; sectored < 2; sectored++) {
        start();
        rig.cfg.l1.sectored = sectored;
        rig_build(&rig);
        rig_latency(&rig, private(MOP_STORE, 0, 8, 1));          /* a sector */
        assert_int_equal(rig.read_sectors[ACCESS_LOCAL_STORE], sectored ? 0 : 4);
        rig_latency(&rig, private(MOP_STORE, 128, 9, 1));        /* and a word */
        assert_int_equal(rig.read_sectors[ACCESS_LOCAL_STORE], sectored ? 2 : 8);
        finish();
    }
}

static void an_eviction_waits_for_the_miss_queue(void **state)
{
    start();
    rig.cfg.l1.sets = rig.cfg.l1.ways = rig.cfg.l1.miss_queue = 1;
    rig.port_flits = 5;                                          /* one line */
    rig_build(&rig);
    for (uint8_t i = 0; i < 3; i++)
        assert_int_equal(rig_latency(&rig, private(MOP_STORE, i * 128, 32, i)), 1);
    assert_int_equal(rig.count[STAT_L1_QUEUE_FULL], 0);
    uint64_t latency = rig_latency(&rig, private(MOP_STORE, 3 * 128, 32, 3));
    assert_true(latency > 1);
    assert_int_equal(rig.count[STAT_L1_QUEUE_FULL], latency - 1);
    assert_int_equal(rig.count[STAT_L1_LOCAL_STORE_BLOCKED], latency - 1);
    finish();
}

static void a_flush_writes_dirty_lines_back(void **state)
{
    start();
    rig_build(&rig);
    for (uint32_t i = 0; i < 8; i++)
        rig_latency(&rig, private(MOP_STORE, 128 * i, 32, (uint8_t)(i + 1)));
    uint64_t from = rig.now;
    while (!lsu_flush(rig.u, rig.now))
        rig_cycle(&rig);
    assert_int_equal(rig.writes[ACCESS_LOCAL_WRITEBACK], 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(rig_memory[128 * i + 77], i + 1);
    assert_true(rig.now - from >= 8 + rig.delay);
    assert_int_equal(rig_latency(&rig, private(MOP_LOAD, 0, 32, 0)), rig.cfg.l1.latency);
    assert_int_equal(rig.reads[ACCESS_LOCAL_LOAD], 0);
    lsu_invalidate(rig.u);
    rig_latency(&rig, private(MOP_LOAD, 0, 32, 0));
    assert_int_equal(rig.reads[ACCESS_LOCAL_LOAD], 1);
    finish();
}

/* ---- blocked cycles ---- */

static void a_streaming_cache_lets_loads_past(void **state)
{
    start();
    rig.cfg.l1.sets = rig.cfg.l1.ways = 1;
    rig.cfg.l1.streaming = true;
    rig.delay = 100;
    rig_build(&rig);
    struct rig_op *a = load(0, 4), *b = load(128, 4);
    rig_issue(&rig, a, 0);
    rig_issue(&rig, b, 0);
    rig_until_done(&rig, a);
    rig_until_done(&rig, b);
    assert_true(b->at <= a->at + 2);
    assert_int_equal(rig.count[STAT_L1_RESERVE_FAILS], 0);
    assert_int_equal(rig.count[STAT_L1_BYPASSED], 1);
    assert_int_equal(rig_latency(&rig, load(0, 4)), rig.cfg.l1.latency);
    finish();
}

static void blocked_cycles_are_counted_by_reason(void **state)
{
    for (int walk = 0; walk < 2; walk++) {
        start();
        rig.walk = walk;
        rig.cfg.l1.sets = rig.cfg.l1.ways = 1;
        rig.cfg.l1.streaming = false;
        rig.delay = 100;
        rig_build(&rig);
        struct rig_op *a = load(0, 4), *b = load(128, 4);
        rig_issue(&rig, a, 0);
        rig_issue(&rig, b, 0);
        rig_until_done(&rig, a);
        rig_until_done(&rig, b);
        uint64_t filled = a->at - 1;                             /* b was offered first in cycle 2 */
        assert_int_equal(rig.count[STAT_L1_RESERVE_FAILS], filled - 2);
        assert_int_equal(rig.count[STAT_L1_GLOBAL_LOAD_BLOCKED], filled - 2);
        assert_int_equal(rig.count[STAT_L1_MSHR_FULL] + rig.count[STAT_L1_QUEUE_FULL], 0);
        assert_true(walk ? rig.visits > 200 : rig.visits < 20);
        finish();
    }
}

static void counters_can_be_brought_up_to_date_while_blocked(void **state)
{
    start();
    rig.walk = false;
    rig.cfg.l1.mshrs = 1;
    rig.delay = 100;
    rig_build(&rig);
    struct rig_op *a = load(0, 4), *b = load(128, 4);
    rig_issue(&rig, a, 0);
    rig_issue(&rig, b, 0);
    while (rig.now < 50)
        rig_cycle(&rig);
    lsu_settle(rig.u, rig.now);
    assert_int_equal(rig.count[STAT_L1_MSHR_FULL], 50 - 2);
    lsu_settle(rig.u, rig.now);
    assert_int_equal(rig.count[STAT_L1_MSHR_FULL], 50 - 2);
    rig_until_done(&rig, a);
    rig_until_done(&rig, b);
    assert_int_equal(rig.count[STAT_L1_MSHR_FULL], a->at - 1 - 2);
    finish();
}

static void no_packet_leaves_without_credits(void **state)
{
    start();
    rig.port_flits = 5;                                          /* one full store */
    rig.walk = false;
    rig_build(&rig);
    struct rig_op *o[3];
    for (int i = 0; i < 3; i++)
        rig_issue(&rig, o[i] = store((uint32_t)(128 * i), 4, 9), 0);
    for (int i = 0; i < 3; i++)
        rig_until_done(&rig, o[i]);
    while (rig.told_stores[0] < 3)
        rig_cycle(&rig);
    /* stores leave every request_latency + 2 cycles: when the one before has been taken and its credits are back */
    assert_int_equal(rig.hists.h[HIST_STORE_LATENCY].max - rig.hists.h[HIST_STORE_LATENCY].sum / 3,
                     rig.cfg.request_latency + 2);
    assert_true(rig.visits < 16);
    finish();
}

static void configurations_that_do_not_fit_are_named(void **state)
{
    static const struct { const char *key, *value, *word; } rows[] = {
        { "l1.kb", "8", NULL }, { "l1.ways", "3", "l1" }, { "const.kb", "1", NULL }, { "inst.ways", "7", "inst" },
        { "texture.line", "48", "texture.line" }, { "coalescer.segment", "96", "coalescer.segment" },
        { "l1.kb", "0", NULL }, { "l1.hash", "fermi", "l1.hash" }, { "const.port", "128", "const.port" },
        { "coalescer.lanes", "12", "coalescer.lanes" }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct simtx_config *c = config_new();
        struct diag d = { 0 };
        assert_true(config_set(c, rows[i].key, rows[i].value, NULL, NULL, &d, 0));
        assert_int_equal(config_check(c, &d), rows[i].word == NULL);
        if (rows[i].word)
            assert_non_null(strstr(d.text, rows[i].word));
        diag_free(&d);
        config_free(c);
    }
}

static void keep_line(void *ctx, const char *text)
{
    char *all = ctx;
    strcat(strcat(all, text), "\n");
}

static void a_dump_says_what_the_oldest_waits_for(void **state)
{
    char text[1000] = "";
    start();
    rig.cfg.l1.mshrs = 1;
    rig_build(&rig);
    struct rig_op *a = load(0, 4), *b = load(128, 4);
    rig_issue(&rig, a, 0);
    rig_issue(&rig, b, 5);
    for (int i = 0; i < 5; i++)
        rig_cycle(&rig);
    lsu_dump(rig.u, keep_line, text);
    assert_non_null(strstr(text, "warp slot 5, global, access 1 of 1, waits for an L1 MSHR entry"));
    assert_non_null(strstr(text, "1 in flight"));
    rig_until_done(&rig, a);
    rig_until_done(&rig, b);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_takes_the_configured_latency),
        cmocka_unit_test(a_miss_is_over_a_cycle_after_its_reply),
        cmocka_unit_test(lines_are_looked_up_one_a_port_and_cycle),
        cmocka_unit_test(every_access_to_l1_passes_its_stages),
        cmocka_unit_test(what_bypasses_l1_does_not_pass_its_stages),
        cmocka_unit_test(nothing_overtakes_an_access_to_its_line),
        cmocka_unit_test(a_refused_look_up_fills_the_stages),
        cmocka_unit_test(narrow_address_units_hold_up_the_next_instruction),
        cmocka_unit_test(lanes_merge_into_lines_in_lane_order),
        cmocka_unit_test(wide_private_accesses_fall_into_words),
        cmocka_unit_test(n_way_conflicts_cost_n_passes),
        cmocka_unit_test(random_conflicts_cost_the_busiest_bank),
        cmocka_unit_test(wide_loads_share_passes_by_the_rule),
        cmocka_unit_test(only_loads_share_passes),
        cmocka_unit_test(random_wide_loads_share_passes),
        cmocka_unit_test(shared_accesses_take_their_passes),
        cmocka_unit_test(blocks_are_served_by_ports),
        cmocka_unit_test(wide_accesses_are_several_blocks),
        cmocka_unit_test(blocks_take_their_latency),
        cmocka_unit_test(constants_take_a_cycle_for_each_address),
        cmocka_unit_test(constants_within_a_port_share_an_access),
        cmocka_unit_test(texture_loads_are_global_unless_configured),
        cmocka_unit_test(instruction_lines_are_asked_for_once_and_ahead),
        cmocka_unit_test(constants_hit_in_l15), cmocka_unit_test(l15_merges_and_waits),
        cmocka_unit_test(a_launch_preloads_code),
        cmocka_unit_test(what_leaves_l1_is_translated),
        cmocka_unit_test(constants_and_instructions_are_not_translated),
        cmocka_unit_test(hits_in_l1_are_not_translated),
        cmocka_unit_test(a_full_tlb_fills_the_miss_queue),
        cmocka_unit_test(a_miss_makes_room_in_the_queue),
        cmocka_unit_test(kernels_share_the_tlb),
        cmocka_unit_test(misses_of_a_line_merge_up_to_the_limit),
        cmocka_unit_test(a_miss_asks_for_sectors_or_the_line),
        cmocka_unit_test(sectors_of_a_missing_line_join_its_entry),
        cmocka_unit_test(loads_past_l1_leave_no_line),
        cmocka_unit_test(a_volatile_load_sees_l2_and_drops_the_line),
        cmocka_unit_test(the_line_that_makes_room_is_the_oldest),
        cmocka_unit_test(a_prefetch_brings_the_line_and_nothing_waits),
        cmocka_unit_test(a_store_evicts_or_updates_its_line),
        cmocka_unit_test(a_load_behind_a_store_never_sees_the_old_value),
        cmocka_unit_test(behind_an_acquire_nothing_is_stale),
        cmocka_unit_test(a_store_is_over_when_sent_and_performs_when_acknowledged),
        cmocka_unit_test(an_ended_warp_leaves_its_stores),
        cmocka_unit_test(a_warp_with_a_load_has_not_sent_all),
        cmocka_unit_test(atomics_return_old_values_and_reds_do_not_wait),
        cmocka_unit_test(private_stores_stay_in_l1_until_evicted),
        cmocka_unit_test(a_private_store_may_not_allocate),
        cmocka_unit_test(a_flush_may_drop_private_lines),
        cmocka_unit_test(private_memory_by_word_is_a_permutation),
        cmocka_unit_test(the_last_of_several_write_backs_counts),
        cmocka_unit_test(a_private_store_fetches_what_it_does_not_cover),
        cmocka_unit_test(an_eviction_waits_for_the_miss_queue),
        cmocka_unit_test(a_flush_writes_dirty_lines_back),
        cmocka_unit_test(blocked_cycles_are_counted_by_reason),
        cmocka_unit_test(a_streaming_cache_lets_loads_past),
        cmocka_unit_test(counters_can_be_brought_up_to_date_while_blocked),
        cmocka_unit_test(no_packet_leaves_without_credits),
        cmocka_unit_test(configurations_that_do_not_fit_are_named),
        cmocka_unit_test(a_dump_says_what_the_oldest_waits_for),
        cmocka_unit_test(random_traffic_returns_what_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
