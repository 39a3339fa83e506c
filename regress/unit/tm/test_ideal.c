/*
 * Ideal TM under the oracle: lanes of a few SMs add to random counters in transactions, on a common part that the test
 * plays. No increment is lost, signatures and record ring find every conflict before the values do, and small
 * signatures find too many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tm/ideal/ideal_impl.h"
#include "tm/oracle/oracle.h"

enum { SMS = 3, SLOTS = 4, LANES_HERE = 32, LINE = 128, EACH = 2, PICKS = 8 };

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

/* ---- the common part ---- */

enum phase { LOADS, COMMITS = LOADS + PICKS, DECIDING, OVER };

struct fake_warp {
    struct tm_lane lane[TM_LANES];
    uint64_t active, retry, doomed;  /* lanes of the attempt; of the next one; to be aborted */
    uint32_t attempt, done;          /* number of the attempt; transactions so far */
    enum phase phase;
    uint32_t pick[TM_LANES][PICKS];
    uint64_t next;                   /* cycle of the next step; of a load: in which it is performed */
    bool loading;
    struct mem_op op, fetch;
    struct tm_load load;
};

struct tm_core {
    struct world *w;
    uint16_t sm;
    void *protocol;
    struct fake_warp warp[SLOTS];
    uint64_t count[STAT_END];
    struct mem_op op[8];
    uint32_t ops;
};

struct tm_gpu { struct oracle *oracle; };

struct world {
    struct simtx_config *config;
    struct tm_gpu gpu;
    struct tm_core *core[SMS];
    void *cores[SMS], *shared;
    uint32_t *memory, words;
    uint64_t now, aborts[TM_REASONS], commits, validated, stale, last_key;
    bool in_step;
};

static uint64_t lanes_of(unsigned n)
{
    return n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

struct tm_lane *tm_lane(struct tm_core *c, uint32_t slot, unsigned lane) { return &c->warp[slot].lane[lane]; }
uint16_t tm_sm(const struct tm_core *c) { return c->sm; }
uint64_t *tm_count(struct tm_core *c) { return c->count; }
uint64_t tm_memory_base(const struct tm_core *c) { return (uintptr_t)c->w->memory; }
uint32_t tm_warp_lanes(const struct tm_core *c) { (void)c; return LANES_HERE; }
uint32_t tm_slots(const struct tm_core *c) { (void)c; return SLOTS; }
bool tm_word_ready(const struct tm_gpu *t, uint64_t address) { (void)t; return address; }
uint32_t tm_word_read(const struct tm_gpu *t, uint64_t address) { (void)t; return *(uint32_t *)(uintptr_t)address; }
uint32_t tm_attempt(const struct tm_core *c, uint32_t slot) { return c->warp[slot].attempt; }

void tm_word_write(struct tm_gpu *t, uint64_t address, unsigned bytes, uint32_t value)
{
    (void)t;
    for (unsigned b = 0; b < 4; b++)
        if (bytes >> b & 1)
            ((uint8_t *)(uintptr_t)address)[b] = (uint8_t)(value >> 8 * b);
}

uint32_t tm_slice(const struct tm_core *c, uint64_t address)
{
    return (uint32_t)((address - tm_memory_base(c)) / LINE % 2);
}

struct oracle_events *tm_slice_events(struct tm_gpu *g, uint32_t slice)
{
    return oracle_slice(g->oracle, slice);
}

struct mem_op *tm_op_new(struct tm_core *c, uint32_t slot)
{
    struct mem_op *op = &c->op[c->ops++];
    assert_true(c->ops < 8);
    op->role = 7;
    op->sm_slot = slot;
    return op;
}

void tm_op_free(struct tm_core *c, struct mem_op *op)
{
    assert_ptr_equal(op, &c->op[--c->ops]);
}

/* A store has no bytes, whatever it covers, and keeps its role. */
void tm_issue(struct tm_core *c, struct mem_op *op, uint64_t now)
{
    assert_true(op->no_data);
    assert_int_equal(op->role, 7);
    assert_int_equal(op->kind, MOP_STORE);
    assert_int_equal(op->path, PATH_L2);
    assert_true(op->lanes && op->lanes == op->served_by[SERVE_GLOBAL]);
    tm_ideal.done(c->protocol, op, now);
}

void tm_decide(struct tm_core *c, uint32_t slot, unsigned lane, bool commits, uint64_t key, enum tm_reason why,
               uint64_t now)
{
    struct fake_warp *x = &c->warp[slot];
    uint64_t bit = UINT64_C(1) << lane;
    assert_true(c->w->in_step && x->phase == DECIDING && x->active & bit);
    assert_int_equal(now, c->w->now);
    x->active &= ~bit;
    x->doomed &= ~bit;
    if (commits) {
        assert_int_equal(key, ++c->w->last_key);
        oracle_committed(oracle_core(c->w->gpu.oracle, c->sm), key, &x->lane[lane],
                         &(struct oracle_who){ .sm = c->sm, .slot = slot, .lane = (uint8_t)lane, .cycle = now });
        c->w->commits++;
    } else {
        c->w->aborts[why]++;
        x->retry |= bit;
    }
}

void tm_abort(struct tm_core *c, uint32_t slot, uint64_t lanes, uint32_t attempt, enum tm_reason why, uint64_t now)
{
    struct fake_warp *x = &c->warp[slot];
    (void)now;
    if (attempt != x->attempt)
        return;
    lanes &= x->active & ~x->doomed;
    x->doomed |= lanes;
    c->w->aborts[why] += (unsigned)__builtin_popcountll(lanes);
}

void tm_validated(struct tm_core *c, uint32_t slot, uint64_t current, uint64_t stale, uint64_t now)
{
    (void)slot;
    (void)now;
    c->w->validated += (unsigned)__builtin_popcountll(current);
    c->w->stale += (unsigned)__builtin_popcountll(stale);
}

/* ---- what the warps do ---- */

static void add(struct tm_set *s, uint64_t address, uint32_t value, uint8_t bytes)
{
    if (s->n == s->cap)
        s->w = realloc(s->w, (s->cap = s->cap ? 2 * s->cap : 4) * sizeof *s->w);
    s->w[s->n++] = (struct tm_word){ address, value, bytes };
}

static void begin(struct tm_core *c, uint32_t slot, uint64_t lanes)
{
    struct fake_warp *x = &c->warp[slot];
    x->attempt++;
    x->active = lanes;
    x->retry = x->doomed = 0;
    x->phase = LOADS;
    for (unsigned i = 0; i < LANES_HERE; i++)
        if (lanes >> i & 1)
            x->lane[i].reads.n = x->lane[i].writes.n = 0;
    tm_ideal.attempt(c->protocol, slot, lanes, c->w->now);
}

/* A transaction adds 1 to some counters, the first of them its own choice, the others beside it. */
static void choose(struct tm_core *c, uint32_t slot)
{
    for (unsigned i = 0; i < LANES_HERE; i++)
        for (unsigned p = 0, from = rnd(c->w->words); p < PICKS; p++)
            c->warp[slot].pick[i][p] = (from + p * 5) % c->w->words;
    begin(c, slot, lanes_of(LANES_HERE));
}

static void leave_doomed(struct tm_core *c, uint32_t slot)
{
    struct fake_warp *x = &c->warp[slot];
    uint64_t lanes = x->doomed & x->active;
    x->doomed = 0;
    x->active &= ~lanes;
    x->retry |= lanes;
    if (lanes)
        tm_ideal.aborted(c->protocol, slot, lanes, c->w->now);
}

static void prepare(struct fake_warp *x, struct mem_op *op, enum mem_op_kind kind, struct world *w)
{
    op->kind = (uint8_t)kind;
    op->width = op->size = 4;
    op->count = 1;
    op->stride = MEM_WIDTH_MAX;
    op->lanes = op->served_by[SERVE_GLOBAL] = x->active;
    for (unsigned i = 0; i < LANES_HERE; i++)
        op->address[i] = (uintptr_t)&w->memory[x->pick[i][x->phase]];
}

static void start_load(struct tm_core *c, uint32_t slot)
{
    struct fake_warp *x = &c->warp[slot];
    prepare(x, &x->fetch, MOP_LOAD, c->w);
    x->load = (struct tm_load){ .op = &x->fetch, .fetch = &x->fetch, .slot = slot, .lanes = x->active };
    x->loading = true;
    x->next = c->w->now + 1 + rnd(20);
    tm_ideal.load(c->protocol, &x->load, c->w->now);
}

/* The load is performed, and the value + 1 is stored. */
static void load_and_store(struct tm_core *c, uint32_t slot)
{
    struct fake_warp *x = &c->warp[slot];
    x->loading = false;
    prepare(x, &x->op, MOP_STORE, c->w);
    for (uint64_t m = x->active; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctzll(m);
        uint32_t *p = &c->w->memory[x->pick[i][x->phase]];
        add(&x->lane[i].reads, (uintptr_t)p, *p, 15);
        add(&x->lane[i].writes, (uintptr_t)p, *p + 1, 15);
    }
    if (x->active)
        tm_ideal.store(c->protocol, slot, &x->op, x->active, c->w->now);
    x->phase++;
    x->next = c->w->now + 1 + rnd(20);
}

static void ask_commit(struct tm_core *c, uint32_t slot)
{
    struct fake_warp *x = &c->warp[slot];
    x->phase = DECIDING;
    if (x->active && rnd(8) == 0)
        tm_ideal.validate(c->protocol, slot, x->active, c->w->now);
    if (x->active)
        tm_ideal.commit(c->protocol, slot, x->active, c->w->now);
}

static void act(struct tm_core *c, uint32_t slot)
{
    struct fake_warp *x = &c->warp[slot];
    if (x->phase == OVER || x->next > c->w->now)
        return;
    if (x->phase < COMMITS && x->loading)
        load_and_store(c, slot);
    leave_doomed(c, slot);
    if (x->phase < COMMITS && !x->loading && x->next <= c->w->now)
        start_load(c, slot);
    else if (x->phase == COMMITS)
        ask_commit(c, slot);
    else if (x->phase == DECIDING && !x->active && x->retry)
        begin(c, slot, x->retry);
    else if (x->phase == DECIDING && !x->active && ++x->done < EACH)
        choose(c, slot);
    else if (x->phase == DECIDING && !x->active)
        x->phase = OVER;
}

static struct world *world_new(uint32_t words, const char *detection, const char *bits)
{
    struct diag d = { 0 };
    struct world *w = calloc(1, sizeof *w);
    w->config = config_new();
    assert_true(config_set(w->config, "tm.ideal_detection", detection, "test", NULL, &d, 0));
    assert_true(config_set(w->config, "tm.signature_bits", bits, "test", NULL, &d, 0));
    w->words = words;
    w->memory = aligned_alloc(LINE, (words * 4 + LINE - 1) / LINE * LINE);
    memset(w->memory, 0, words * 4);
    w->gpu.oracle = oracle_new(ORACLE_FULL, SMS, 2);
    w->shared = tm_ideal.new_gpu_state(&w->gpu, w->config);
    for (uint16_t i = 0; i < SMS; i++) {
        struct tm_core *c = w->core[i] = calloc(1, sizeof *c);
        c->w = w;
        c->sm = i;
        w->cores[i] = c->protocol = tm_ideal.new_core(c, w->shared);
    }
    return w;
}

static void world_free(struct world *w)
{
    for (int i = 0; i < SMS; i++) {
        assert_true(tm_ideal.idle(w->cores[i]));
        tm_ideal.free_core(w->cores[i]);
        for (int s = 0; s < SLOTS; s++)
            for (int l = 0; l < LANES_HERE; l++) {
                free(w->core[i]->warp[s].lane[l].reads.w);
                free(w->core[i]->warp[s].lane[l].writes.w);
            }
        free(w->core[i]);
    }
    tm_ideal.free_gpu_state(w->shared);
    oracle_free(w->gpu.oracle);
    config_free(w->config);
    free(w->memory);
    free(w);
}

/* Nothing is left in the signatures of attempts that are over. */
static void check_empty(const struct world *w)
{
    for (int i = 0; i < SMS; i++) {
        const struct signatures *t = &((const struct ideal_core *)w->cores[i])->table;
        for (size_t k = 0; t->row && k < 2 * (size_t)t->s->bits * t->columns; k++)
            assert_int_equal(t->row[k], 0);
    }
}

static bool all_over(const struct world *w)
{
    for (int i = 0; i < SMS; i++)
        for (int s = 0; s < SLOTS; s++)
            if (w->core[i]->warp[s].phase != OVER)
                return false;
    return true;
}

static void run(struct world *w)
{
    for (uint32_t i = 0; i < SMS * SLOTS; i++)
        choose(w->core[i / SLOTS], i % SLOTS);
    for (; !all_over(w); w->now++) {
        assert_true(w->now < 1000000);
        for (uint32_t i = 0; i < SMS * SLOTS; i++)
            act(w->core[i / SLOTS], i % SLOTS);
        w->now++;
        w->in_step = true;
        tm_ideal.step(w->shared, w->cores, SMS, w->now);
        w->in_step = false;
        oracle_step(w->gpu.oracle, w->now);
        w->now--;
    }
}

static void check(struct world *w)
{
    uint64_t count[STAT_END] = { 0 }, sum = 0;
    char text[4096];
    for (uint32_t i = 0; i < w->words; i++)
        sum += w->memory[i];
    assert_int_equal(w->commits, SMS * SLOTS * LANES_HERE * EACH);
    assert_int_equal(sum, w->commits * PICKS);
    if (!oracle_finish(w->gpu.oracle, count, text, sizeof text))
        fail_msg("%s", text);
    assert_int_equal(count[STAT_ORACLE_CHECKED], w->commits);
    assert_int_equal(count[STAT_ORACLE_MIXED], 0);
    check_empty(w);
}

static uint64_t false_conflicts(const struct world *w)
{
    uint64_t n = 0;
    for (int i = 0; i < SMS; i++)
        n += w->core[i]->count[STAT_TX_FALSE_CONFLICTS];
    return n;
}

static void by_value(void **state)
{
    (void)state;
    for (seed = 1; seed < 6; seed++) {
        struct world *w = world_new(seed % 2 ? 500 : 200000, "value", "64");
        uint64_t s = seed;
        run(w);
        check(w);
        assert_true(w->validated > 0);
        if (s % 2)
            assert_true(w->aborts[TM_VALIDATION] > 100 && w->stale > 0);
        assert_int_equal(w->aborts[TM_SIGNATURE], 0);
        world_free(w);
        seed = s;
    }
}

/* Signatures never miss a conflict, so values have nothing to say; only false ones depend on their size. */
static void by_signature(const char *how)
{
    static const char *const bits[] = { "64", "256", "4096" };
    uint64_t spurious[3], real[3];
    for (int i = 0; i < 3; i++) {
        seed = 77;
        struct world *w = world_new(20000, how, bits[i]);
        run(w);
        check(w);
        assert_int_equal(w->aborts[TM_VALIDATION], 0);
        spurious[i] = false_conflicts(w);
        real[i] = w->aborts[TM_SIGNATURE] - spurious[i];
        assert_true(w->aborts[TM_SIGNATURE] >= spurious[i]);
        world_free(w);
    }
    assert_true(real[0] > 0 && real[1] > 0 && real[2] > 0);
    assert_true(spurious[0] > 4 * spurious[1] && spurious[1] > 4 * spurious[2]);
}

static void signatures(void **state)
{
    (void)state;
    by_signature("signature");
}

static void signature_ring(void **state)
{
    (void)state;
    by_signature("ring");
}

static void bits_of_two(void **state)
{
    (void)state;
    struct diag d = { 0 };
    char error[200];
    struct simtx_config *c = config_new();
    assert_true(config_set(c, "tm.signature_bits", "1000", "test", NULL, &d, 0));
    assert_true(tm_ideal.check(c, 2, error, sizeof error));
    assert_true(config_set(c, "tm.ideal_detection", "ring", "test", NULL, &d, 0));
    assert_false(tm_ideal.check(c, 2, error, sizeof error));
    assert_non_null(strstr(error, "tm.signature_bits = 1000 (test)"));
    assert_true(tm_ideal.global_step(c));
    config_free(c);
}

/* Nothing is lost when records are dropped, and what a record has is found by its words. */
static void ring_of_records(void **state)
{
    (void)state;
    struct signature s;
    struct signature_ring r;
    signature_init(&s, 4096);
    signature_ring_init(&r, &s);
    for (uint32_t i = 1; i <= 3000; i++) {
        uint32_t words[2] = { i, i + 100000 };
        if (signature_ring_full(&r))
            signature_ring_drop(&r, i > 20 ? i - 20 : 0);
        signature_ring_add(&r, words, 2);
        assert_int_equal(signature_ring_end(&r), i + 1);
        for (uint32_t back = 0; back < 20 && back < i; back++) {
            uint32_t word = i - back + (i % 2) * 100000;
            assert_int_equal(signature_ring_check(&r, i - back, &word, 1), SIGNATURE_TRUE_CONFLICT);
            assert_int_not_equal(signature_ring_check(&r, i - back + 1, &word, 1), SIGNATURE_TRUE_CONFLICT);
        }
    }
    assert_true(r.cap <= 512);
    signature_ring_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_value), cmocka_unit_test(signatures), cmocka_unit_test(signature_ring),
        cmocka_unit_test(bits_of_two), cmocka_unit_test(ring_of_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
