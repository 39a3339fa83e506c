/*
 * Random traffic through memory partitions with ample and with tiny limits. Every reply is checked against a reference
 * memory that takes the requests of each line in the order in which they were sent; nothing is lost, nothing hangs,
 * counters add up. Each run is repeated in windows of several lengths, visiting every cycle, and jumping
 * from event to event: all must be the same, bit for bit.
 */
#include <stdio.h>

#include "regress/unit/memsys/partition_bench.h"

enum { PERIOD = 8, PERIODS = 4096, TOKENS = 128, MOST_FLITS = 5 };

struct variant {
    const char *name;
    uint32_t channels, slices, lines, sets, ways, mshrs, merges, latency, dram_latency, miss_queue, reply_queue;
    uint32_t bytes_per_cycle, dram_queue, request_flits, reply_flits;
    bool sectored, fetch, refresh, by_sector;
    uint64_t khz[CLK_COUNT];
    uint32_t block;                  /* l2.fetch_bytes */
    bool by_burst;                   /* bursts of 64 bytes, without l2.merge_fills */
};

static const struct variant variants[] = {
    { "ample", 1, 1, 200, 16, 4, 32, 8, 20, 30, 16, 16, 64, 32, 64, 64, true, false, false, false,
      { 1400000, 700000, 650000, 924000 }, 32, false },
    { "two slices, three channels", 3, 2, 300, 3, 4, 16, 4, 7, 5, 4, 4, 32, 8, 64, 16, true, true, true, false,
      { 1300000, 650000, 650000, 800000 }, 32, false },
    { "one of everything", 1, 1, 24, 1, 1, 1, 1, 1, 0, 1, 1, 16, 1, 5, 5, true, false, false, false,
      { 1000000, 1000000, 1000000, 1000000 }, 32, false },
    { "one of everything, whole lines, stores fetch", 1, 1, 24, 2, 1, 1, 1, 1, 0, 1, 1, 8, 1, 5, 5, false, true, true,
      false, { 1530000, 1530000, 1200000, 877000 }, 32, false },
    { "few lines", 1, 2, 12, 1, 2, 4, 2, 12, 9, 2, 2, 64, 4, 16, 8, true, true, false, false,
      { 700000, 700000, 700000, 1848000 }, 32, false },
    { "whole lines", 2, 4, 400, 8, 4, 8, 4, 30, 20, 8, 8, 32, 16, 32, 32, false, false, true, false,
      { 1400000, 700000, 650000, 924000 }, 32, false },
    { "no L2", 1, 2, 20, 0, 1, 8, 3, 5, 10, 4, 4, 64, 8, 32, 16, true, false, false, false,
      { 1300000, 650000, 600000, 800000 }, 32, false },
    { "no L2, one of everything, whole lines", 1, 1, 12, 0, 1, 1, 1, 1, 0, 1, 1, 64, 1, 5, 5, false, false, true, false,
      { 1000000, 1000000, 1000000, 1000000 }, 32, false },
    { "answers by sector, a port for fills", 1, 2, 200, 4, 4, 32, 8, 20, 30, 16, 16, 32, 32, 64, 64, true, false, false,
      true, { 1400000, 700000, 650000, 924000 }, 32, false },
    { "one of everything, answers by sector", 1, 1, 24, 1, 1, 1, 1, 3, 0, 1, 1, 16, 1, 5, 5, true, false, false, true,
      { 1000000, 1000000, 1000000, 1000000 }, 32, false },
    { "misses fetch two sectors", 3, 2, 300, 3, 4, 16, 4, 7, 5, 4, 4, 32, 8, 64, 16, true, false, true, false,
      { 1300000, 650000, 650000, 800000 }, 64, false },
    { "one of everything, misses fetch lines, stores fetch", 1, 1, 24, 2, 1, 1, 1, 1, 0, 1, 1, 8, 1, 5, 5, true, true,
      true, false, { 1530000, 1530000, 1200000, 877000 }, 128, false },
    { "misses fetch two sectors, a burst", 3, 2, 300, 3, 4, 16, 4, 7, 5, 4, 4, 32, 8, 64, 16, true, false, true, false,
      { 1300000, 650000, 650000, 800000 }, 64, true },
    { "one of everything, misses fetch lines, of two bursts", 1, 1, 24, 2, 1, 1, 1, 1, 0, 1, 1, 8, 1, 5, 5, true, true,
      true, false, { 1530000, 1530000, 1200000, 877000 }, 128, true }
};

/* What the reply must say. */
struct expected { uint8_t data[LINE_BYTES]; uint32_t old[LANES]; bool busy; };

struct traffic {
    struct bench b;
    const struct variant *v;
    uint64_t seed, trace;
    uint8_t *reference;
    uint64_t last_at[BENCH_SLICES], sent[MSG_PROTOCOL], replies[MSG_PROTOCOL];
    struct expected expected[TOKENS];
    struct atom_payload atom[TOKENS];
};

static uint64_t rnd(struct traffic *t)
{
    t->seed ^= t->seed << 13;
    t->seed ^= t->seed >> 7;
    t->seed ^= t->seed << 17;
    return t->seed >> 11;
}

/* Below n, small numbers more often: one draw after the other, so that every compiler makes the same traffic. */
static uint64_t skewed(struct traffic *t, uint64_t n)
{
    uint64_t bound = 1 + rnd(t) % n;
    return rnd(t) % bound;
}

static void note(struct traffic *t, uint64_t x)
{
    t->trace = (t->trace ^ x) * UINT64_C(0x100000001b3);
}

static uint8_t *reference_line(struct traffic *t, uint64_t line)
{
    return t->reference + (line - (uintptr_t)t->b.memory);
}

/* ---- requests ---- */

static struct packet *make_write(struct traffic *t, uint64_t line)
{
    struct packet *p = bench_packet(&t->b, MSG_WRITE, line, 0);
    unsigned from = (unsigned)(rnd(t) % LINE_BYTES), n = 1 + (unsigned)skewed(t, LINE_BYTES);
    for (unsigned i = from; i < from + n && i < LINE_BYTES; i++) {
        p->mask[i / 64] |= UINT64_C(1) << i % 64;
        p->data[i] = (uint8_t)rnd(t);
    }
    p->sectors = line_sectors(p->mask);
    p->bytes = (uint16_t)(PACKET_HEADER + SECTOR_BYTES * __builtin_popcount(p->sectors));
    line_merge(reference_line(t, line), p->data, p->mask);
    return p;
}

static struct packet *make_atomic(struct traffic *t, uint64_t line, uint32_t token)
{
    uint8_t offset[LANES];
    unsigned lanes = 1 + (unsigned)(rnd(t) % LANES), spread = 1 + (unsigned)(rnd(t) % 32);
    for (unsigned i = 0; i < lanes; i++)
        offset[i] = (uint8_t)(4 * (rnd(t) % spread));
    struct packet *p = bench_add(&t->b, &t->atom[token], line, lanes, offset);
    p->bytes = PACKET_HEADER;
    p->atomic_class = (uint8_t)(rnd(t) % 4);
    uint32_t *memory = (uint32_t *)(void *)reference_line(t, line);
    for (unsigned i = 0; i < lanes; i++) {
        t->expected[token].old[i] = memory[offset[i] / 4];
        memory[offset[i] / 4] += UINT32_C(1) << i;
    }
    return p;
}

/* Sends one request, if there are a token and credits for it. */
static void send_one(struct traffic *t, uint64_t at)
{
    struct bench *b = &t->b;
    uint32_t token = (uint32_t)(rnd(t) % TOKENS);
    uint64_t line = bench_line(b, (uint32_t)skewed(t, t->v->lines)), dice = rnd(t) % 8;
    uint32_t slice = addrmap_slice(&b->map, line) - b->cfg.channel * b->cfg.slices;
    uint64_t xbar = clock_convert(&b->clocks, CLK_CORE, CLK_XBAR, b->core);
    if (t->expected[token].busy || !port_can_send(&b->request[slice], xbar, 0, MOST_FLITS))
        return;
    struct packet *p = dice < 4 ? bench_packet(b, MSG_READ, line, (uint8_t)(1 + rnd(t) % ALL_SECTORS))
                       : dice < 7 ? make_write(t, line) : make_atomic(t, line, token);
    if (p->kind == MSG_READ)
        memcpy(t->expected[token].data, reference_line(t, line), LINE_BYTES);
    t->expected[token].busy = true;
    p->token = token;
    t->sent[p->kind]++;
    t->last_at[slice] = at > t->last_at[slice] ? at : t->last_at[slice];
    bench_send(b, t->last_at[slice], p);
}

/* ---- replies ---- */

static void check_reply(struct traffic *t, struct packet *p)
{
    struct expected *e = &t->expected[p->token];
    assert_true(e->busy);
    e->busy = false;
    t->replies[p->kind - MSG_READ_REPLY]++;
    for (unsigned s = 0; p->kind == MSG_READ_REPLY && s < LINE_SECTORS; s++)
        if (p->sectors >> s & 1)
            assert_memory_equal(p->data + s * SECTOR_BYTES, e->data + s * SECTOR_BYTES, SECTOR_BYTES);
    for (unsigned i = 0; p->kind == MSG_ATOMIC_REPLY && i < LANES; i++)
        if (p->atom->lanes[0] >> i & 1)
            assert_memory_equal(p->atom->b[i], &e->old[i], 4);
    uint64_t dram = p->stamp[STAMP_DRAM];
    assert_true(!dram || (p->stamp[STAMP_DRAM_QUEUE] <= dram && dram <= p->stamp[STAMP_L2]));
    assert_true(p->stamp[STAMP_L2_QUEUE] < p->stamp[STAMP_L2] && p->stamp[STAMP_L2] <= p->stamp[STAMP_REPLY]);
    for (int s = 0; s < STAMPS; s++)
        note(t, p->stamp[s]);
}

static void take_replies(struct traffic *t, uint32_t slice)
{
    struct bench *b = &t->b;
    uint64_t now = clock_convert(&b->clocks, CLK_CORE, CLK_XBAR, b->core), at = port_next(&b->reply[slice]);
    for (struct packet *p; (p = port_receive(&b->reply[slice], now)); at = port_next(&b->reply[slice])) {
        note(t, at);
        note(t, p->token);
        bool ahead = p->kind == MSG_SECTOR;
        if (!ahead)
            check_reply(t, p);
        port_return(&b->reply[slice], now + PERIOD + t->b.core / 1000 % 20, 0, xbar_flits(p->bytes, b->cfg.flit_bytes));
        if (ahead)
            packet_return(p);
        else
            bench_drop(b, p);
    }
}

/* ---- runs ---- */

enum mode { WINDOWS, WALK, JUMP, MODES };

static void start(struct traffic *t, const struct variant *v, enum mode mode)
{
    struct bench *b = &t->b;
    memset(t, 0, sizeof *t);
    bench_init(b, v->channels, v->slices);
    t->v = v;
    t->seed = 0x9e3779b97f4a7c15u;
    clocks_set(&b->clocks, v->khz);
    b->cfg.channel = v->channels - 1;
    b->cfg.walk = mode == WALK;
    b->request_flits = v->request_flits;
    b->reply_flits = v->reply_flits;
    b->cfg.dram.queue = v->dram_queue;
    b->cfg.dram.refresh = v->refresh;
    struct l2_cfg *c = &b->cfg.l2;
    c->sets = v->sets, c->ways = v->ways, c->mshrs = v->mshrs, c->merges = v->merges, c->latency = v->latency;
    b->cfg.dram.latency = v->dram_latency, c->miss_queue = v->miss_queue, c->reply_queue = v->reply_queue;
    c->bytes_per_cycle = v->bytes_per_cycle, c->sectored = v->sectored, c->write_fetch = v->fetch;
    c->fetch_bytes = v->block;
    if (v->by_burst)
        b->cfg.dram.burst_bytes = 64, c->merge_fills = false;
    c->sector_acks = c->sector_replies = c->fill_port = v->by_sector;
    c->atomic_latency = v->by_sector ? v->latency / 2 : 0;
    t->reference = calloc(1, BENCH_BYTES);
    bench_start(b);
}

/* One period, in the mode's steps. */
static void step(struct traffic *t, enum mode mode)
{
    struct bench *b = &t->b;
    uint64_t end = b->core + PERIOD;
    if (mode == JUMP && partition_next(b->p) >= end)
        b->core = end;
    else
        bench_run(b, end, mode == WALK ? 1 : mode == WINDOWS ? 5 : PERIOD);
}

static bool all_answered(const struct traffic *t)
{
    return !memcmp(t->sent, t->replies, sizeof t->sent);
}

static void drive(struct traffic *t, enum mode mode, unsigned periods)
{
    struct bench *b = &t->b;
    for (unsigned k = 0; k < periods || !all_answered(t); k++) {
        assert_true(k < 10 * periods);
        for (uint32_t s = 0; s < b->cfg.slices; s++)
            take_replies(t, s);
        unsigned burst = k < periods && rnd(t) % 16 < k / 64 % 16 ? (unsigned)(rnd(t) % 8) : 0;
        for (unsigned i = 0; i < burst; i++)
            send_one(t, clock_convert(&b->clocks, CLK_CORE, CLK_L2, b->core + PERIOD) + i);
        step(t, mode);
    }
}

static void write_all_back(struct traffic *t, enum mode mode)
{
    struct bench *b = &t->b;
    for (int i = 0; !partition_flush(b->p, clock_convert(&b->clocks, CLK_CORE, CLK_L2, b->core), true); i++) {
        assert_true(i < PERIODS);
        step(t, mode);
    }
    bench_run(b, b->core + 100, 100);
    for (uint32_t s = 0; s < b->cfg.slices; s++)
        port_can_send(&b->reply[s], UINT64_MAX - 1, 0, 1);
    note(t, b->core);
}

static void check_counts(const struct traffic *t)
{
    const uint64_t *c = t->b.count;
    const struct l2_cfg *l2 = &t->b.cfg.l2;
    assert_int_equal(c[STAT_L2_READ_HITS] + c[STAT_L2_READ_MISSES] + c[STAT_L2_READ_MERGED], t->sent[MSG_READ]);
    assert_int_equal(c[STAT_L2_WRITE_HITS] + c[STAT_L2_WRITE_MISSES] + c[STAT_L2_WRITE_MERGED], t->sent[MSG_WRITE]);
    assert_int_equal(c[STAT_L2_ATOMIC_HITS] + c[STAT_L2_ATOMIC_MISSES] + c[STAT_L2_ATOMIC_MERGED], t->sent[MSG_ATOMIC]);
    assert_true(t->sent[MSG_READ] > 100 && t->sent[MSG_WRITE] > 100 && t->sent[MSG_ATOMIC] > 30);
    if (t->v->by_burst) {
        assert_in_range(c[STAT_L2_FILLS], c[STAT_DRAM_READS] + 1, 2 * c[STAT_DRAM_READS]);
        assert_in_range(c[STAT_L2_WRITEBACKS], c[STAT_DRAM_WRITES] + 1, 2 * c[STAT_DRAM_WRITES]);
    } else if (l2->sets) {
        assert_int_equal(c[STAT_L2_FILLS], c[STAT_DRAM_READS]);
        assert_int_equal(c[STAT_L2_WRITEBACKS], c[STAT_DRAM_WRITES]);
        assert_true(c[STAT_L2_FILLS] > 0 && c[STAT_L2_WRITEBACKS] > 0);
    } else {
        assert_int_equal(c[STAT_L2_READ_MISSES] + c[STAT_L2_READ_MERGED], c[STAT_L2_READ_MISSES]);
        assert_int_equal(c[STAT_L2_FILLS] + c[STAT_L2_WRITEBACKS], 0);
    }
}

struct outcome { uint64_t trace, count[STAT_END]; struct hists hists; };

static void run(const struct variant *v, enum mode mode, struct outcome *o)
{
    struct traffic *t = aligned_alloc(64, (sizeof *t + 63) / 64 * 64);
    start(t, v, mode);
    drive(t, mode, PERIODS);
    write_all_back(t, mode);
    check_counts(t);
    assert_memory_equal(t->b.memory, t->reference, BENCH_BYTES);
    o->trace = t->trace;
    o->hists = t->b.hists;
    memcpy(o->count, t->b.count, sizeof o->count);
    free(t->reference);
    bench_end(&t->b);
    free(t);
}

static void same_whatever_the_steps(void **state)
{
    const struct variant *v = *state;
    static struct outcome first, other;
    run(v, WINDOWS, &first);
    for (enum mode m = WALK; m < MODES; m++) {
        run(v, m, &other);
        for (int i = 0; i < STAT_END; i++)
            if (first.count[i] != other.count[i])
                fail_msg("%s: %s is %llu, in mode %d %llu", v->name, stat_table[i].name,
                         (unsigned long long)first.count[i], m, (unsigned long long)other.count[i]);
        assert_int_equal(first.trace, other.trace);
        assert_memory_equal(&first.hists, &other.hists, sizeof first.hists);
    }
}

int main(void)
{
    enum { VARIANTS = sizeof variants / sizeof *variants };
    struct CMUnitTest tests[VARIANTS];
    for (int i = 0; i < VARIANTS; i++)
        tests[i] = (struct CMUnitTest){ .name = variants[i].name, .test_func = same_whatever_the_steps,
                                        .initial_state = (void *)(uintptr_t)&variants[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
