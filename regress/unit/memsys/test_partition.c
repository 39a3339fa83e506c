/*
 * A memory partition by hand: latencies against the sum of their stages, when values are bound, what atomics cost, what
 * is written back, what blocks.
 */
#include "regress/unit/memsys/partition_bench.h"

/* The crossbar cycle of the reply to a request that is performed at L2 cycle n. */
static uint64_t reply_at(const struct bench *b, uint64_t n)
{
    return clock_convert(&b->clocks, CLK_L2, CLK_XBAR, n) + b->cfg.reply_latency;
}

static const uint64_t clock_sets[][CLK_COUNT] = {
    { 1400000, 700000, 650000, 924000 }, { 1000000, 1000000, 1000000, 1000000 }, { 1300000, 650000, 650000, 800000 },
    { 700000, 700000, 700000, 1848000 }, { 1530000, 1530000, 1530000, 877000 }
};
enum { CLOCK_SETS = sizeof clock_sets / sizeof *clock_sets };

static void idle_hit_latency(void **state)
{
    for (int set = 0; set < CLOCK_SETS; set++) {
        struct bench b;
        bench_init(&b, 1, 1);
        clocks_set(&b.clocks, clock_sets[set]);
        bench_start(&b);
        bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 5), ALL_SECTORS));
        for (unsigned phase = 0; phase < 60; phase++) {
            bench_run(&b, b.core + 11, 3);
            uint64_t arrival = clock_convert(&b.clocks, CLK_CORE, CLK_L2, b.core), n = arrival + b.cfg.l2.latency;
            struct packet *p = bench_packet(&b, MSG_READ, bench_line(&b, 5), 1);
            assert_int_equal(bench_ask(&b, p), reply_at(&b, n));
            assert_int_equal(p->kind, MSG_READ_REPLY);
            assert_int_equal(p->bytes, PACKET_HEADER + SECTOR_BYTES);
            assert_int_equal(p->stamp[STAMP_L2_QUEUE], clock_convert(&b.clocks, CLK_L2, CLK_CORE, arrival));
            assert_int_equal(p->stamp[STAMP_L2], clock_convert(&b.clocks, CLK_L2, CLK_CORE, n));
            assert_int_equal(p->stamp[STAMP_DRAM], 0);
            bench_drop(&b, p);
        }
        assert_int_equal(b.count[STAT_L2_READ_HITS], 60);
        assert_int_equal(b.count[STAT_L2_READ_MISSES], 1);
        bench_end(&b);
    }
}

static void idle_miss_latency(void **state)
{
    for (int set = 0; set < CLOCK_SETS; set++)
        for (unsigned phase = 0; phase < 40; phase++) {
            struct bench b;
            bench_init(&b, 1, 1);
            clocks_set(&b.clocks, clock_sets[set]);
            bench_start(&b);
            bench_run(&b, 100 + phase, 7);
            uint64_t n = clock_convert(&b.clocks, CLK_CORE, CLK_L2, b.core) + b.cfg.l2.latency + b.cfg.dram.latency;
            uint64_t m = clock_convert(&b.clocks, CLK_L2, CLK_MEM, n) + b.cfg.dram.tRCD + b.cfg.dram.tCL +
                         b.cfg.dram.burst_cycles;
            struct packet *p = bench_packet(&b, MSG_READ, bench_line(&b, 5), 4);
            assert_int_equal(bench_ask(&b, p), reply_at(&b, clock_convert(&b.clocks, CLK_MEM, CLK_L2, m)));
            assert_int_equal(p->stamp[STAMP_DRAM_QUEUE], clock_convert(&b.clocks, CLK_L2, CLK_CORE, n));
            assert_int_equal(p->stamp[STAMP_DRAM], clock_convert(&b.clocks, CLK_MEM, CLK_CORE, m));
            bench_drop(&b, p);
            assert_int_equal(b.count[STAT_L2_FILLS], 1);
            bench_end(&b);
        }
}

static void disjoint_stores_merge(void **state)
{
    struct bench b;
    bench_init(&b, 1, 1);
    bench_start(&b);
    uint64_t line = bench_line(&b, 3), at;
    struct packet *p[3] = { bench_write(&b, line, 5, 3, 0xaa), bench_write(&b, line, 8, 100, 0xbb),
                            bench_packet(&b, MSG_READ, line, ALL_SECTORS) };
    p[1]->sm = 1;
    for (int i = 0; i < 3; i++)
        bench_send(&b, 10 + (uint64_t)i, p[i]);
    bench_run(&b, 1000, 8);
    for (int i = 0; i < 3; i++)
        assert_ptr_equal(bench_reply(&b, 0, &at), p[i]);
    assert_int_equal(p[0]->kind, MSG_WRITE_ACK);
    assert_int_equal(p[0]->bytes, PACKET_HEADER);
    for (int i = 0; i < LINE_BYTES; i++)
        assert_int_equal(p[2]->data[i], i < 5 || i >= 108 ? 0 : i < 8 ? 0xaa : 0xbb);
    assert_memory_equal(p[2]->data, (void *)(uintptr_t)line, LINE_BYTES);
    for (int i = 0; i < 3; i++)
        bench_drop(&b, p[i]);
    bench_flush(&b, true);
    bench_end(&b);
}

/* Nothing is read at arrival: memory changes while the request is in the pipeline, or while its line is fetched. */
static void values_are_bound_when_performed(void **state)
{
    struct bench b;
    bench_init(&b, 1, 1);
    bench_start(&b);
    uint64_t line = bench_line(&b, 3), at;
    uint8_t *memory = (uint8_t *)(uintptr_t)line;
    for (int hit = 0; hit < 2; hit++) {
        struct packet *r = bench_packet(&b, MSG_READ, line, 1), *w = bench_write(&b, line, 4, 1, (uint8_t)(2 + hit));
        uint64_t now = clock_convert(&b.clocks, CLK_CORE, CLK_L2, b.core);
        bench_send(&b, now + 4, r);
        bench_send(&b, now + 5, w);
        bench_run(&b, b.core + 20, 4);
        memory[0] = (uint8_t)(7 + hit);
        assert_int_equal(memory[4], hit ? 2 : 0);
        bench_run(&b, b.core + 500, 4);
        assert_ptr_equal(bench_reply(&b, 0, &at), r);
        assert_ptr_equal(bench_reply(&b, 0, &at), w);
        assert_int_equal(r->data[0], 7 + hit);
        assert_int_equal(r->data[4], hit ? 2 : 0);
        assert_int_equal(memory[4], 2 + hit);
        bench_drop(&b, r);
        bench_drop(&b, w);
    }
    assert_int_equal(b.count[STAT_L2_WRITE_MERGED], 1);
    partition_invalidate(b.p);
    bench_end(&b);
}

static uint8_t *no_bytes(void *ctx, uint64_t line)
{
    return NULL;
}

static void lines_without_bytes_have_tags(void **state)
{
    struct bench b;
    bench_init(&b, 1, 1);
    b.cfg.calls.bytes = no_bytes;
    bench_start(&b);
    memset(b.memory, 0x55, LINE_BYTES);
    for (int i = 0; i < 2; i++) {
        struct packet *p = bench_packet(&b, MSG_READ, bench_line(&b, 0), ALL_SECTORS);
        memset(p->data, 0x11, LINE_BYTES);
        bench_ask(&b, p);
        assert_int_equal(p->data[9], 0x11);
        bench_drop(&b, p);
    }
    assert_int_equal(b.count[STAT_L2_READ_HITS], 1);
    bench_end(&b);
}

static uint64_t next_line(void *ctx, const struct packet *p)
{
    return p->line + LINE_BYTES;
}

static void mapped_lines_are_looked_up_and_read(void **state)
{
    struct bench b;
    bench_init(&b, 1, 1);
    b.cfg.calls.map = next_line;
    bench_start(&b);
    memset(b.memory + LINE_BYTES, 0x77, LINE_BYTES);
    struct packet *p = bench_packet(&b, MSG_READ, bench_line(&b, 0), 1);
    bench_ask(&b, p);
    assert_int_equal(p->data[0], 0x77);
    bench_drop(&b, p);
    bench_end(&b);
}

/* Cycles between the replies of two requests that come one after the other. */
static uint64_t apart(struct bench *b, struct packet *first, struct packet *second)
{
    uint64_t at, n = clock_convert(&b->clocks, CLK_CORE, CLK_L2, b->core);
    bench_send(b, n, first);
    bench_send(b, n + 1, second);
    bench_run(b, b->core + 2000, 16);
    assert_ptr_equal(bench_reply(b, 0, &at), first);
    uint64_t before = at;
    assert_ptr_equal(bench_reply(b, 0, &at), second);
    bench_drop(b, first);
    bench_drop(b, second);
    return at - before;
}

static void atomics_serialise(void **state)
{
    static const uint8_t same[32] = { 0 };
    static const uint8_t words[32] = { 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60,
                                       64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124 };
    static struct atom_payload one, two;
    struct bench b;
    bench_init(&b, 1, 1);
    clocks_set(&b.clocks, clock_sets[1]);
    bench_start(&b);
    uint64_t line = bench_line(&b, 0);
    bench_do(&b, bench_packet(&b, MSG_READ, line, ALL_SECTORS));
    for (uint8_t class = 0; class < 4; class++) {
        struct packet *p = bench_add(&b, &one, line, 32, same), *q = bench_add(&b, &two, line, 8, same);
        p->atomic_class = q->atomic_class = class;
        memset(b.memory, 0, LINE_BYTES);
        assert_int_equal(apart(&b, p, q), 8 * (class + 1));
        for (int lane = 0; lane < 32; lane++)
            assert_int_equal(*(uint32_t *)one.b[lane], (UINT64_C(1) << lane) - 1);
        assert_int_equal(*(uint32_t *)two.b[0], UINT32_MAX);
    }
    assert_int_equal(b.count[STAT_ATOMIC_LANES], 4 * 40);
    assert_int_equal(b.count[STAT_ATOMIC_BUSY], 40 * (1 + 2 + 3 + 4));
    /* the data array takes two cycles for the line, the unit one */
    assert_int_equal(apart(&b, bench_add(&b, &one, line, 32, words), bench_add(&b, &two, line, 32, words)), 2);
    partition_invalidate(b.p);
    bench_end(&b);
}

static void atomic_takes_its_least_time(void **state)
{
    static const uint8_t offset[1] = { 64 };
    static struct atom_payload one, two;
    struct bench b;
    bench_init(&b, 1, 1);
    clocks_set(&b.clocks, clock_sets[1]);
    b.cfg.l2.atomic_warp = 9;
    bench_start(&b);
    uint64_t line = bench_line(&b, 0), n;
    bench_do(&b, bench_packet(&b, MSG_READ, line, ALL_SECTORS));
    struct packet *p = bench_add(&b, &one, line, 1, offset);
    n = b.core;
    assert_int_equal(bench_ask(&b, p), reply_at(&b, n + b.cfg.l2.latency + 9));
    assert_int_equal(p->kind, MSG_ATOMIC_REPLY);
    assert_int_equal(p->bytes, PACKET_HEADER + 4);
    bench_drop(&b, p);
    assert_int_equal(apart(&b, bench_add(&b, &one, line, 1, offset), bench_add(&b, &two, line, 1, offset)), 9);
    partition_invalidate(b.p);
    bench_end(&b);
}

/* A line of 128 bytes keeps an array of 64 bytes a cycle busy for two. */
static void data_array_limits_bandwidth(void **state)
{
    struct bench b;
    uint64_t at, before = 0;
    bench_init(&b, 1, 1);
    clocks_set(&b.clocks, clock_sets[1]);
    b.reply_flits = 400;
    bench_start(&b);
    bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 0), ALL_SECTORS));
    for (uint8_t sectors = 1; sectors <= ALL_SECTORS; sectors = (uint8_t)(2 * sectors + 1)) {
        for (int i = 0; i < 20; i++)
            bench_send(&b, b.core + 5, bench_packet(&b, MSG_READ, bench_line(&b, 0), sectors));
        bench_run(&b, b.core + 200, 10);
        for (int i = 0; i < 20; i++) {
            bench_drop(&b, bench_reply(&b, 0, &at));
            if (i)
                assert_int_equal(at - before, sectors > 3 ? 2 : 1);
            before = at;
        }
    }
    bench_end(&b);
}

/* Sends p, of several sectors, and takes the packets of its answer: the last one is p. */
static void answer_in(struct bench *b, struct packet *p, unsigned packets, enum msg_kind kind, unsigned bytes)
{
    uint64_t at, before = 0;
    bench_send(b, clock_convert(&b->clocks, CLK_CORE, CLK_L2, b->core), p);
    bench_run(b, b->core + 200, 8);
    for (unsigned i = 0; i < packets; i++) {
        struct packet *k = bench_reply(b, 0, &at);
        assert_non_null(k);
        assert_int_equal(k->bytes, bytes);
        assert_int_equal(k->kind, i + 1 < packets ? MSG_SECTOR : kind);
        if (i)
            assert_int_equal(at, before + 1);
        before = at;
        if (i + 1 < packets)
            packet_return(k);
        else
            assert_ptr_equal(k, p);
    }
    assert_null(bench_reply(b, 0, &at));
    bench_drop(b, p);
}

static void answers_by_sector_are_as_many_packets(void **state)
{
    enum { LINE = PACKET_HEADER + LINE_BYTES, SECTOR = PACKET_HEADER + SECTOR_BYTES };
    for (unsigned of = 0; of < 4; of++) {
        bool acks = of & 1, replies = of & 2;
        struct bench b;
        bench_init(&b, 1, 1);
        clocks_set(&b.clocks, clock_sets[1]);
        b.cfg.l2.sector_acks = acks;
        b.cfg.l2.sector_replies = replies;
        bench_start(&b);
        uint64_t line = bench_line(&b, 0);
        answer_in(&b, bench_write(&b, line, 0, 70, 1), acks ? 3 : 1, MSG_WRITE_ACK, PACKET_HEADER);
        answer_in(&b, bench_write(&b, line, 70, 4, 1), 1, MSG_WRITE_ACK, PACKET_HEADER);
        answer_in(&b, bench_packet(&b, MSG_READ, line, ALL_SECTORS), replies ? 4 : 1, MSG_READ_REPLY,
                  replies ? SECTOR : LINE);
        answer_in(&b, bench_packet(&b, MSG_READ, line, 2), 1, MSG_READ_REPLY, SECTOR);
        bench_flush(&b, true);
        bench_end(&b);
    }
}

static void atomics_may_pass_fewer_stages(void **state)
{
    static const uint8_t offset[1] = { 64 };
    static struct atom_payload a;
    struct bench b;
    bench_init(&b, 1, 1);
    clocks_set(&b.clocks, clock_sets[1]);
    b.cfg.l2.atomic_latency = 4;
    bench_start(&b);
    bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 0), ALL_SECTORS));
    struct packet *p = bench_add(&b, &a, bench_line(&b, 0), 1, offset);
    uint64_t n = b.core;
    assert_int_equal(bench_ask(&b, p), reply_at(&b, n + 4 + 1));
    bench_drop(&b, p);
    partition_invalidate(b.p);
    bench_end(&b);
}

/* A line for which four requests wait, and as many hits to another line in the cycles in which they are answered. */
static uint64_t answered_by(bool fill_port)
{
    struct bench b;
    uint64_t at = 0;
    bench_init(&b, 1, 1);
    clocks_set(&b.clocks, clock_sets[1]);
    b.cfg.l2.bytes_per_cycle = 32;
    b.cfg.l2.fill_port = fill_port;
    b.reply_flits = 400;
    bench_start(&b);
    bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 1), ALL_SECTORS));
    uint64_t n = b.core;
    for (uint32_t i = 0; i < 4; i++)
        bench_send(&b, n + i, bench_packet(&b, MSG_READ, bench_line(&b, 0), ALL_SECTORS));
    for (uint32_t i = 0; i < 8; i++)
        bench_send(&b, n + 20 + i, bench_packet(&b, MSG_READ, bench_line(&b, 1), ALL_SECTORS));
    bench_run(&b, n + 1000, 8);
    for (int i = 0; i < 12; i++)
        bench_drop(&b, bench_reply(&b, 0, &at));
    bench_end(&b);
    return at - n;
}

static void a_port_for_fills_answers_beside_the_data_array(void **state)
{
    uint64_t shared = answered_by(false), own = answered_by(true);
    assert_in_range(shared - own, 3 * 4 - 2, 4 * 4);
}

static void copies_by_the_host_are_in_l2(void **state)
{
    struct bench b;
    bench_init(&b, 1, 2);
    b.cfg.l2.sets = 1;
    b.cfg.l2.ways = 2;
    bench_start(&b);
    for (uint32_t i = 0; i < 12; i++)
        partition_copied(b.p, addrmap_slice(&b.map, bench_line(&b, i)), bench_line(&b, i), i < 11 ? ALL_SECTORS : 2);
    bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 11), 2));
    assert_int_equal(b.count[STAT_L2_READ_HITS], 1);
    bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 11), 1));         /* that sector was not copied */
    assert_int_equal(b.count[STAT_L2_READ_MISSES], 1);
    bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 0), ALL_SECTORS));        /* later copies took its place */
    assert_int_equal(b.count[STAT_L2_READ_MISSES], 2);
    assert_int_equal(b.count[STAT_L2_WRITEBACKS], 0);
    bench_flush(&b, true);
    bench_end(&b);
}

static void dirty_sectors_are_written_back(void **state)
{
    for (int sectored = 0; sectored < 2; sectored++) {
        struct bench b;
        bench_init(&b, 1, 1);
        b.cfg.l2.sets = 1;
        b.cfg.l2.sectored = sectored;
        bench_start(&b);
        unsigned dirty = 0;
        for (uint32_t i = 0; i < 6; i++) {
            struct packet *p = bench_write(&b, bench_line(&b, i), 20 * i, 28, 1);
            dirty += sectored ? (unsigned)__builtin_popcount(p->sectors) : 4;
            bench_do(&b, p);
        }
        bench_do(&b, bench_write(&b, bench_line(&b, 5), 0, 1, 2));
        dirty += sectored;
        assert_int_equal(b.count[STAT_L2_EVICTIONS], 2);
        bench_flush(&b, false);
        assert_int_equal(b.count[STAT_L2_WRITEBACKS], dirty);
        assert_int_equal(b.count[STAT_DRAM_WRITES], dirty);
        assert_int_equal(b.count[STAT_L2_FILLS], 0);
        uint64_t hits = b.count[STAT_L2_READ_HITS];
        bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 5), 8));
        assert_int_equal(b.count[STAT_L2_READ_HITS], hits + 1);
        bench_flush(&b, true);
        assert_int_equal(b.count[STAT_L2_WRITEBACKS], dirty);
        bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 5), 8));
        assert_int_equal(b.count[STAT_L2_READ_HITS], hits + 1);
        assert_int_equal(b.count[STAT_L2_FILLS], sectored ? 1 : 4);
        bench_end(&b);
    }
}

static void partial_stores_fetch_when_asked_to(void **state)
{
    for (int fetch = 0; fetch < 2; fetch++) {
        struct bench b;
        bench_init(&b, 1, 1);
        b.cfg.l2.write_fetch = fetch;
        bench_start(&b);
        bench_do(&b, bench_write(&b, bench_line(&b, 0), 0, 64, 1));
        assert_int_equal(b.count[STAT_L2_FILLS], 0);
        bench_do(&b, bench_write(&b, bench_line(&b, 0), 60, 40, 2));
        assert_int_equal(b.count[STAT_L2_FILLS], fetch ? 1 : 0);
        bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 0), ALL_SECTORS));
        assert_int_equal(b.memory[59] << 8 | b.memory[99], 0x102);
        bench_flush(&b, true);
        bench_end(&b);
    }
}

/* ---- l2.fetch_bytes ---- */

enum { BLOCK_SIZES = 3 };
static const uint32_t block_bytes[BLOCK_SIZES] = { 32, 64, 128 };

static uint32_t sectors_of(uint32_t bytes)
{
    return bytes / SECTOR_BYTES;
}

/* A read of one sector, then of each: it hits if and only if a sector of its aligned block has been read before. */
static void a_miss_fetches_its_block(void **state)
{
    for (int i = 0; i < BLOCK_SIZES; i++)
        for (unsigned first = 0; first < LINE_SECTORS; first++) {
            struct bench b;
            uint32_t n = sectors_of(block_bytes[i]);
            bench_init(&b, 1, 1);
            b.cfg.l2.fetch_bytes = block_bytes[i];
            bench_start(&b);
            bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 5), (uint8_t)(1 << first)));
            bench_run(&b, b.core + 500, 8);
            assert_int_equal(b.count[STAT_L2_FILLS], n);
            assert_int_equal(b.count[STAT_DRAM_READS], n);
            for (unsigned k = 0; k < LINE_SECTORS; k++) {
                uint64_t hits = b.count[STAT_L2_READ_HITS];
                bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 5), (uint8_t)(1 << k)));
                bench_run(&b, b.core + 500, 8);
                assert_int_equal(b.count[STAT_L2_READ_HITS] - hits, k / n == first / n || k % n);
            }
            assert_int_equal(b.count[STAT_L2_READ_MISSES], LINE_SECTORS / n);
            assert_int_equal(b.count[STAT_L2_FILLS], LINE_SECTORS);
            assert_int_equal(b.count[STAT_DRAM_READS], LINE_SECTORS);
            bench_end(&b);
        }
}

/* The rest of the block delays no reply: idle_miss_latency of one burst, whichever sector is read. */
static void the_sector_that_is_read_comes_first(void **state)
{
    for (int i = 0; i < BLOCK_SIZES; i++)
        for (unsigned sector = 0; sector < LINE_SECTORS; sector++) {
            struct bench b;
            bench_init(&b, 1, 1);
            b.cfg.l2.fetch_bytes = block_bytes[i];
            bench_start(&b);
            bench_run(&b, 100, 7);
            uint64_t n = clock_convert(&b.clocks, CLK_CORE, CLK_L2, b.core) + b.cfg.l2.latency + b.cfg.dram.latency;
            uint64_t m = clock_convert(&b.clocks, CLK_L2, CLK_MEM, n) + b.cfg.dram.tRCD + b.cfg.dram.tCL +
                         b.cfg.dram.burst_cycles;
            struct packet *p = bench_packet(&b, MSG_READ, bench_line(&b, 5), (uint8_t)(1 << sector));
            assert_int_equal(bench_ask(&b, p), reply_at(&b, clock_convert(&b.clocks, CLK_MEM, CLK_L2, m)));
            assert_int_equal(p->stamp[STAMP_DRAM_QUEUE], clock_convert(&b.clocks, CLK_L2, CLK_CORE, n));
            assert_int_equal(p->stamp[STAMP_DRAM], clock_convert(&b.clocks, CLK_MEM, CLK_CORE, m));
            bench_drop(&b, p);
            assert_false(i > 0 && partition_idle(b.p));
            bench_run(&b, b.core + 500, 8);
            bench_end(&b);
        }
}

/*
 * The reply's time in DRAM ends when the sector that it waited for has arrived. A slow data array delays the last ones,
 * and the rest of the line arrives meanwhile; a read after the sector's arrival has not waited for DRAM.
 */
static void the_rest_of_a_block_is_not_awaited(void **state)
{
    enum { READS = 6 };
    struct packet *p[READS + 1];
    struct bench b;
    uint64_t at;
    bench_init(&b, 1, 1);
    b.cfg.l2.fetch_bytes = LINE_BYTES;
    b.cfg.l2.bytes_per_cycle = 4;
    bench_start(&b);
    uint64_t first = 100, n = first + b.cfg.l2.latency + b.cfg.dram.latency;
    uint64_t m = clock_convert(&b.clocks, CLK_L2, CLK_MEM, n) + b.cfg.dram.tRCD + b.cfg.dram.tCL +
                 b.cfg.dram.burst_cycles;
    for (unsigned i = 0; i < READS; i++)
        bench_send(&b, first + i, p[i] = bench_packet(&b, MSG_READ, bench_line(&b, 5), 2));
    bench_send(&b, clock_convert(&b.clocks, CLK_MEM, CLK_L2, m) + 1 - b.cfg.l2.latency,
               p[READS] = bench_packet(&b, MSG_READ, bench_line(&b, 5), 2));
    bench_run(&b, 1000, 8);
    assert_int_equal(b.count[STAT_L2_READ_MERGED], READS);
    for (unsigned i = 0; i <= READS; i++) {
        assert_ptr_equal(bench_reply(&b, 0, &at), p[i]);
        assert_int_equal(p[i]->stamp[STAMP_DRAM], i < READS ? clock_convert(&b.clocks, CLK_MEM, CLK_CORE, m) : 0);
        assert_true(i < READS ? p[i]->stamp[STAMP_DRAM_QUEUE] > 0 : p[i]->stamp[STAMP_DRAM_QUEUE] == 0);
        bench_drop(&b, p[i]);
    }
    bench_end(&b);
}

/* A store needs no sector, but performs after the read before it, and so has waited for that one's sector. */
static void requests_wait_for_those_before_them(void **state)
{
    struct bench b;
    uint64_t at;
    bench_init(&b, 1, 1);
    bench_start(&b);
    struct packet *p = bench_packet(&b, MSG_READ, bench_line(&b, 5), 8);
    struct packet *q = bench_write(&b, bench_line(&b, 5), 0, 4, 1);
    bench_send(&b, 100, p);
    bench_send(&b, 101, q);
    bench_run(&b, 1000, 8);
    assert_ptr_equal(bench_reply(&b, 0, &at), p);
    assert_ptr_equal(bench_reply(&b, 0, &at), q);
    assert_true(p->stamp[STAMP_DRAM] > 0);
    assert_int_equal(p->stamp[STAMP_DRAM], q->stamp[STAMP_DRAM]);
    bench_drop(&b, p);
    bench_drop(&b, q);
    bench_flush(&b, true);
    bench_end(&b);
}

/* Sectors that are in L2, dirty ones too, and sectors that are on their way are not fetched again. */
static void a_block_is_fetched_once(void **state)
{
    struct bench b;
    uint64_t at;
    bench_init(&b, 1, 1);
    b.cfg.l2.fetch_bytes = 128;
    bench_start(&b);
    bench_do(&b, bench_write(&b, bench_line(&b, 0), SECTOR_BYTES, SECTOR_BYTES, 7));
    for (unsigned i = 0; i < 4; i++)
        bench_send(&b, 500 + i, bench_packet(&b, MSG_READ, bench_line(&b, 0), (uint8_t)(8 >> i)));
    bench_run(&b, 2000, 8);
    for (int i = 0; i < 4; i++)
        bench_drop(&b, bench_reply(&b, 0, &at));
    assert_int_equal(b.count[STAT_L2_READ_MISSES], 1);
    assert_int_equal(b.count[STAT_L2_READ_MERGED], 3);
    assert_int_equal(b.count[STAT_L2_FILLS], 3);
    assert_int_equal(b.count[STAT_DRAM_READS], 3);
    bench_flush(&b, true);
    assert_int_equal(b.count[STAT_DRAM_WRITES], 1);
    assert_int_equal(b.memory[SECTOR_BYTES], 7);
    bench_end(&b);
}

/* After a read of these sectors: L2 has got `fills` sectors, DRAM has read `bursts`. */
static void reads_in(struct bench *b, uint8_t sectors, uint32_t fills, uint32_t bursts)
{
    bench_start(b);
    bench_do(b, bench_packet(b, MSG_READ, bench_line(b, 0), sectors));
    bench_run(b, b->core + 500, 8);
    assert_int_equal(b->count[STAT_L2_FILLS], fills);
    assert_int_equal(b->count[STAT_DRAM_READS], bursts);
    bench_end(b);
}

/* A burst transfers all of its sectors of a block, and none of it is requested a second time. */
static void a_block_takes_whole_bursts_once(void **state)
{
    for (unsigned merge = 0; merge < 2; merge++)
        for (uint32_t block = 64; block <= LINE_BYTES; block *= 2)
            for (uint32_t burst = 32; burst <= block; burst *= 2)
                for (unsigned sector = 0; sector < LINE_SECTORS; sector++) {
                    struct bench b;
                    bench_init(&b, 1, 1);
                    b.cfg.dram.burst_bytes = burst;
                    b.cfg.l2.fetch_bytes = block;
                    b.cfg.l2.merge_fills = merge;
                    reads_in(&b, (uint8_t)(1 << sector), sectors_of(block), block / burst);
                }
}

/* Sectors that are fetched alone have a burst each without l2.merge_fills, else adjacent ones share theirs. */
static void sectors_alone_take_a_burst_each(void **state)
{
    for (unsigned merge = 0; merge < 2; merge++) {
        struct bench b;
        bench_init(&b, 1, 1);
        b.cfg.dram.burst_bytes = 64;
        b.cfg.l2.fetch_bytes = 32;
        b.cfg.l2.merge_fills = merge;
        reads_in(&b, ALL_SECTORS, LINE_SECTORS, merge ? 2 : 4);
    }
}

/* A dirty sector in the middle of a burst of a line is not filled, and the rest of the line is one burst. */
static void a_burst_passes_over_what_l2_has(void **state)
{
    struct bench b;
    bench_init(&b, 1, 1);
    b.cfg.dram.burst_bytes = LINE_BYTES;
    b.cfg.l2.fetch_bytes = LINE_BYTES;
    b.cfg.l2.merge_fills = false;
    bench_start(&b);
    bench_do(&b, bench_write(&b, bench_line(&b, 0), SECTOR_BYTES, SECTOR_BYTES, 7));
    bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 0), ALL_SECTORS));
    assert_int_equal(b.count[STAT_L2_FILLS], 3);
    assert_int_equal(b.count[STAT_DRAM_READS], 1);
    bench_flush(&b, true);
    bench_end(&b);
}

/* The limit that a program sets holds for later misses; lines that are fetched whole stay whole. */
static void a_program_may_change_the_block(void **state)
{
    for (int sectored = 0; sectored < 2; sectored++) {
        struct bench b;
        bench_init(&b, 1, 1);
        b.cfg.l2.sectored = sectored;
        b.cfg.l2.fetch_bytes = 32;
        bench_start(&b);
        for (uint32_t i = 0, sectors = 0; i < BLOCK_SIZES; i++) {
            partition_set_fetch(b.p, block_bytes[i]);
            bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, i), 2));
            bench_run(&b, b.core + 500, 8);
            sectors += sectored ? sectors_of(block_bytes[i]) : LINE_SECTORS;
            assert_int_equal(b.count[STAT_L2_FILLS], sectors);
            assert_int_equal(b.count[STAT_DRAM_READS], sectors);
        }
        bench_end(&b);
    }
}

static void requests_for_a_missing_line_merge(void **state)
{
    struct bench b;
    uint64_t at;
    bench_init(&b, 1, 1);
    bench_start(&b);
    for (uint32_t i = 0; i < 6; i++)
        bench_send(&b, 5 + i, bench_packet(&b, MSG_READ, bench_line(&b, 0), i < 4 ? 3 : 6));
    bench_run(&b, 1000, 8);
    for (int i = 0; i < 6; i++)
        bench_drop(&b, bench_reply(&b, 0, &at));
    assert_int_equal(b.count[STAT_L2_READ_MISSES], 2);
    assert_int_equal(b.count[STAT_L2_READ_MERGED], 4);
    assert_int_equal(b.count[STAT_L2_FILLS], 3);
    assert_int_equal(b.count[STAT_DRAM_READS], 3);
    bench_end(&b);
}

/* A read each cycle for one line, as of warps that spin on it, keeps that line's entry alive. Other lines have come. */
static void a_line_in_demand_holds_up_no_other(void **state)
{
    struct bench b;
    struct packet *other = NULL;
    bool answered = false;
    bench_init(&b, 1, 1);
    bench_start(&b);
    for (uint64_t n = 1; n < 2000 && !answered; n++) {
        uint64_t at, xbar = clock_convert(&b.clocks, CLK_CORE, CLK_XBAR, b.core);
        struct packet *p = bench_packet(&b, MSG_READ, bench_line(&b, n == 10 ? 9 : 3), 1);
        other = n == 10 ? p : other;
        if (port_can_send(&b.request[0], xbar, 0, 1))
            bench_send(&b, n, p);
        else
            bench_drop(&b, p);
        bench_run(&b, clock_convert(&b.clocks, CLK_L2, CLK_CORE, n), 1);
        while ((p = bench_reply(&b, 0, &at))) {
            answered |= p == other;
            bench_drop(&b, p);
        }
    }
    assert_true(answered);
    for (int i = 0; i < 200; i++) {
        bench_run(&b, b.core + 8, 8);
        for (uint64_t at; (other = bench_reply(&b, 0, &at));)
            bench_drop(&b, other);
    }
    bench_end(&b);
}

static void without_l2_everything_goes_to_dram(void **state)
{
    static const uint8_t offset[2] = { 0, 0 };
    static struct atom_payload a;
    struct bench b;
    bench_init(&b, 1, 1);
    b.cfg.l2.sets = 0;
    bench_start(&b);
    uint64_t line = bench_line(&b, 0);
    for (int i = 0; i < 3; i++)
        bench_do(&b, bench_packet(&b, MSG_READ, line, 1));
    assert_int_equal(b.count[STAT_DRAM_READS], 3);
    bench_do(&b, bench_write(&b, line, 0, 4, 1));
    assert_int_equal(b.count[STAT_DRAM_WRITES], 1);
    bench_do(&b, bench_add(&b, &a, line, 2, offset));
    bench_run(&b, b.core + 500, 8);
    assert_int_equal(b.count[STAT_DRAM_READS], 4);
    assert_int_equal(b.count[STAT_DRAM_WRITES], 2);
    assert_int_equal(*(uint32_t *)b.memory, 0x01010104);
    assert_int_equal(b.count[STAT_L2_READ_MISSES] + b.count[STAT_L2_WRITE_MISSES] + b.count[STAT_L2_ATOMIC_MISSES], 5);
    bench_end(&b);
}

/* The slice lets a stream of lines through as fast as DRAM's data bus moves them. */
static void stream_reaches_dram_bandwidth(void **state)
{
    struct bench b;
    uint64_t at, first = 0, last = 0;
    bench_init(&b, 1, 1);
    clocks_set(&b.clocks, clock_sets[1]);
    b.request_flits = b.reply_flits = 1024;
    b.cfg.l2.miss_queue = 32;
    bench_start(&b);
    for (uint32_t i = 0; i < 200; i++)
        bench_send(&b, 10 + 5 * i, bench_packet(&b, MSG_READ, bench_line(&b, i % 32 + i / 32 * 64), ALL_SECTORS));
    bench_run(&b, 4000, 50);
    for (uint32_t i = 0; i < 200; i++) {
        bench_drop(&b, bench_reply(&b, 0, &at));
        first = i ? first : at;
        last = at;
    }
    uint64_t least = 199 * LINE_SECTORS * b.cfg.dram.burst_cycles;
    assert_in_range(last - first, least, least * 100 / 90);
    bench_end(&b);
}

/* Requests for one line wait each for its own DRAM access. */
static void without_l2_nothing_is_shared(void **state)
{
    struct bench b;
    bench_init(&b, 1, 1);
    clocks_set(&b.clocks, clock_sets[1]);
    b.cfg.l2.sets = 0;
    bench_start(&b);
    struct packet *p = bench_packet(&b, MSG_READ, bench_line(&b, 0), 3);
    assert_int_equal(apart(&b, p, bench_packet(&b, MSG_READ, bench_line(&b, 0), 1)), b.cfg.dram.tCCD);
    bench_end(&b);
}

/* Each of two slices gets its share of a DRAM queue that is always full. */
static void slices_share_the_dram_queue(void **state)
{
    struct bench b;
    uint64_t at, answered[2] = { 0 };
    bench_init(&b, 1, 2);
    b.cfg.dram.queue = 1;
    bench_start(&b);
    for (uint32_t i = 0; i < 32; i++) {
        bench_send(&b, 5 + i, bench_packet(&b, MSG_READ, bench_line(&b, i), 1));
        bench_send(&b, 5 + i, bench_packet(&b, MSG_READ, bench_line(&b, 32 + i), 1));
    }
    for (uint32_t i = 0; i < 64; i++) {
        bench_run(&b, b.core + 20, 20);
        for (uint32_t s = 0; s < 2; s++)
            for (struct packet *p; (p = bench_reply(&b, s, &at)); answered[s]++)
                bench_drop(&b, p);
        int difference = (int)answered[0] - (int)answered[1];
        assert_in_range(difference + 2, 0, 4);
    }
    assert_int_equal(answered[0] + answered[1], 64);
    bench_end(&b);
}

/* One reply has left, one waits, two requests are in a pipeline of two stages: the others keep their credits. */
static void credits_return_when_the_pipeline_takes_over(void **state)
{
    struct bench b;
    uint64_t at;
    bench_init(&b, 1, 1);
    b.cfg.l2.latency = 2;
    b.cfg.l2.reply_queue = 1;
    b.reply_flits = 2;
    bench_start(&b);
    bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 0), 1));
    bench_run(&b, 1000, 7);
    for (uint64_t i = 0; i < 6; i++)
        bench_send(&b, 500 + i, bench_packet(&b, MSG_READ, bench_line(&b, 0), 1));
    bench_run(&b, 1400, 7);
    assert_int_equal(b.request[0].credit_tail - b.request[0].credit_head, 4);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(b.request[0].credit[b.request[0].credit_head + i].at,
                         clock_convert(&b.clocks, CLK_L2, CLK_XBAR, 500 + i) + b.cfg.credit_latency);
    for (uint64_t i = 0; i < 6; i++, bench_run(&b, b.core + 100, 7))
        bench_drop(&b, bench_reply(&b, 0, &at));
    assert_int_equal(b.count[STAT_L2_READ_HITS], 6);
    bench_end(&b);
}

/* The reply crossbar gives no credits: replies fill the queue, requests stay at the door, cycles are counted. */
static void blocked_cycles_are_counted(void **state)
{
    struct bench b;
    bench_init(&b, 1, 1);
    clocks_set(&b.clocks, clock_sets[1]);
    b.reply_flits = 2;
    b.cfg.l2.reply_queue = 1;
    bench_start(&b);
    bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 0), 1));
    bench_run(&b, 300, 10);
    for (int i = 0; i < 3; i++)
        bench_send(&b, 300, bench_packet(&b, MSG_READ, bench_line(&b, 0), 1));
    bench_run(&b, 500, 10);
    /* looked up at 310: sent; at 311: in the queue; the third blocked from 312 on */
    assert_int_equal(b.count[STAT_L2_READ_BLOCKED], 500 - 312);
    assert_int_equal(partition_next(b.p), NEVER);
    for (int i = 0; i < 3; i++) {
        uint64_t at = port_next(&b.reply[0]);
        struct packet *p = port_receive(&b.reply[0], NEVER - 1);
        assert_int_equal(at, i == 0 ? 313 : i == 1 ? 523 : 603);
        bench_drop(&b, p);
        port_return(&b.reply[0], 520 + 80 * (uint64_t)i, 0, 2);
        bench_run(&b, b.core + 80, 9);
    }
    assert_int_equal(b.count[STAT_L2_READ_BLOCKED], 521 - 312);
    assert_int_equal(b.count[STAT_L2_BLOCKED_REPLY_QUEUE], 521 - 312);
    bench_run(&b, 800, 100);
    port_can_send(&b.reply[0], 800, 0, 1);
    bench_end(&b);
}

/* ---- protocols ---- */

struct guest { struct bench *b; uint64_t refuse_until; struct packet *taken; uint64_t at; };

static bool take_message(void *ctx, uint32_t slice, struct packet *p, uint64_t now)
{
    struct guest *g = ctx;
    if (now < g->refuse_until)
        return false;
    g->taken = p;
    g->at = now;
    p->kind = MSG_PROTOCOL + 1;
    p->vn = 1;
    return partition_send(g->b->p, slice, p, now);
}

/* A message that waits on one network holds up nothing on another, and what is sent unsolicited has its own way out. */
static void protocols_have_their_networks(void **state)
{
    struct bench b;
    struct guest g = { .b = &b, .refuse_until = 200 };
    uint64_t at;
    bench_init(&b, 1, 1);
    clocks_set(&b.clocks, clock_sets[1]);
    b.vns = 2;
    b.cfg.calls.ctx = &g;
    b.cfg.calls.message = take_message;
    bench_start(&b);
    bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 0), 1));
    struct packet *m = bench_packet(&b, MSG_PROTOCOL, bench_line(&b, 0), 0);
    m->vn = 1;
    bench_run(&b, 100, 10);
    bench_send(&b, 110, m);
    bench_send(&b, 111, bench_packet(&b, MSG_READ, bench_line(&b, 0), 1));
    bench_run(&b, 190, 10);
    bench_drop(&b, bench_reply(&b, 0, &at));
    assert_int_equal(at, reply_at(&b, 121));
    bench_run(&b, 300, 10);
    assert_ptr_equal(bench_reply(&b, 0, &at), m);
    assert_ptr_equal(g.taken, m);
    assert_int_equal(g.at, 200);
    assert_int_equal(at, reply_at(&b, 201));
    bench_drop(&b, m);
    bench_run(&b, 400, 10);
    port_can_send(&b.reply[0], 400, 0, 1);
    bench_end(&b);
}

/* The messages that left the pipeline, and the cycles in which they did. */
struct received { struct bench *b; unsigned kind[6]; uint64_t at[6]; int n; };

static bool receive_message(void *ctx, uint32_t slice, struct packet *p, uint64_t now)
{
    struct received *g = ctx;
    g->kind[g->n] = p->kind;
    g->at[g->n++] = now;
    bench_drop(g->b, p);
    return true;
}

/* Six packets of one network, one a cycle; those of the protocol and the read pass all ten stages. */
static void messages_of_the_policy_pass_slower_packets(void **state)
{
    static const struct { unsigned kind, stages, sent, taken; } row[] = {
        { MSG_PROTOCOL, 0, 100, 110 }, { MSG_READ, 0, 101, 111 }, { MSG_POLICY, 3, 102, 105 },
        { MSG_POLICY + 1, 3, 103, 106 }, { MSG_PROTOCOL + 1, 0, 104, 114 }, { MSG_POLICY + 2, 9, 105, 115 }
    };
    static const int order[] = { 2, 3, 0, 4, 5 };
    struct bench b;
    uint64_t at;
    bench_init(&b, 1, 1);
    struct received g = { .b = &b };
    clocks_set(&b.clocks, clock_sets[1]);
    b.cfg.calls.ctx = &g;
    b.cfg.calls.message = receive_message;
    bench_start(&b);
    bench_do(&b, bench_packet(&b, MSG_READ, bench_line(&b, 0), ALL_SECTORS));
    uint64_t begin = b.core;
    for (int i = 0; i < 6; i++) {
        struct packet *p = bench_packet(&b, (enum msg_kind)row[i].kind, bench_line(&b, 0), 1);
        p->stages = (uint16_t)row[i].stages;
        bench_send(&b, begin + row[i].sent, p);
    }
    bench_run(&b, begin + 200, 10);
    assert_int_equal(g.n, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(g.kind[i], row[order[i]].kind);
        assert_int_equal(g.at[i] - begin, row[order[i]].taken);
    }
    bench_drop(&b, bench_reply(&b, 0, &at));
    assert_int_equal(at, reply_at(&b, begin + 111));
    bench_end(&b);
}

struct sender { struct bench *b; struct packet *unsolicited; };

static bool send_to_the_other(void *ctx, uint32_t slice, struct packet *p, uint64_t now)
{
    struct sender *g = ctx;
    bench_drop(g->b, p);
    return partition_send(g->b->p, 1 - slice, g->unsolicited, now);
}

/* Also when the slice that it leaves from is visited later in the same cycle. */
static void unasked_packets_leave_in_the_next_cycle(void **state)
{
    struct bench b;
    uint64_t at;
    bench_init(&b, 1, 2);
    struct sender g = { .b = &b };
    clocks_set(&b.clocks, clock_sets[1]);
    b.cfg.calls.ctx = &g;
    b.cfg.calls.message = send_to_the_other;
    bench_start(&b);
    uint64_t mine = bench_line(&b, 0), other = bench_line(&b, 32);
    bench_do(&b, bench_packet(&b, MSG_READ, other, 1));
    for (uint64_t later = 0; later < 2; later++) {
        bench_run(&b, 200 + 100 * later, 10);
        struct packet *r = bench_packet(&b, MSG_READ, other, 1);
        g.unsolicited = bench_packet(&b, MSG_PROTOCOL, other, 0);
        bench_send(&b, b.core + 10, bench_packet(&b, MSG_PROTOCOL, mine, 0));
        bench_send(&b, b.core + 10 - later, r);
        bench_run(&b, b.core + 50, 10);
        assert_ptr_equal(bench_reply(&b, 1, &at), r);
        assert_ptr_equal(bench_reply(&b, 1, &at), g.unsolicited);
        assert_int_equal(at, reply_at(&b, 200 + 100 * later + 10 + b.cfg.l2.latency + 1));
        bench_drop(&b, r);
        bench_drop(&b, g.unsolicited);
    }
    bench_end(&b);
}

static void dump_line(void *ctx, const char *text)
{
    strcat(ctx, text);
    strcat(ctx, "\n");
}

static void dump_names_what_waits(void **state)
{
    char text[4000] = "";
    struct bench b;
    uint64_t at;
    bench_init(&b, 1, 1);
    b.cfg.l2.mshrs = 1;
    bench_start(&b);
    partition_dump(b.p, dump_line, text);
    assert_string_equal(text, "");
    for (uint32_t i = 0; i < 3; i++)
        bench_send(&b, 5, bench_packet(&b, MSG_READ, bench_line(&b, 8 * i), 1));
    bench_run(&b, 50, 8);
    partition_dump(b.p, dump_line, text);
    assert_non_null(strstr(text, "L2 slice 0: 1 lines missing"));
    assert_non_null(strstr(text, "no MSHR entry is free: read of line"));
    bench_run(&b, 2000, 8);
    for (int i = 0; i < 3; i++)
        bench_drop(&b, bench_reply(&b, 0, &at));
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_hit_latency),
        cmocka_unit_test(idle_miss_latency),
        cmocka_unit_test(disjoint_stores_merge),
        cmocka_unit_test(values_are_bound_when_performed),
        cmocka_unit_test(lines_without_bytes_have_tags),
        cmocka_unit_test(mapped_lines_are_looked_up_and_read),
        cmocka_unit_test(atomics_serialise),
        cmocka_unit_test(atomic_takes_its_least_time),
        cmocka_unit_test(data_array_limits_bandwidth),
        cmocka_unit_test(answers_by_sector_are_as_many_packets),
        cmocka_unit_test(atomics_may_pass_fewer_stages),
        cmocka_unit_test(a_port_for_fills_answers_beside_the_data_array),
        cmocka_unit_test(copies_by_the_host_are_in_l2),
        cmocka_unit_test(dirty_sectors_are_written_back),
        cmocka_unit_test(partial_stores_fetch_when_asked_to),
        cmocka_unit_test(a_miss_fetches_its_block),
        cmocka_unit_test(the_sector_that_is_read_comes_first),
        cmocka_unit_test(the_rest_of_a_block_is_not_awaited),
        cmocka_unit_test(requests_wait_for_those_before_them),
        cmocka_unit_test(a_block_is_fetched_once),
        cmocka_unit_test(a_block_takes_whole_bursts_once),
        cmocka_unit_test(sectors_alone_take_a_burst_each),
        cmocka_unit_test(a_burst_passes_over_what_l2_has),
        cmocka_unit_test(a_program_may_change_the_block),
        cmocka_unit_test(requests_for_a_missing_line_merge),
        cmocka_unit_test(a_line_in_demand_holds_up_no_other),
        cmocka_unit_test(without_l2_everything_goes_to_dram),
        cmocka_unit_test(stream_reaches_dram_bandwidth),
        cmocka_unit_test(without_l2_nothing_is_shared),
        cmocka_unit_test(slices_share_the_dram_queue),
        cmocka_unit_test(credits_return_when_the_pipeline_takes_over),
        cmocka_unit_test(blocked_cycles_are_counted),
        cmocka_unit_test(protocols_have_their_networks),
        cmocka_unit_test(messages_of_the_policy_pass_slower_packets),
        cmocka_unit_test(unasked_packets_leave_in_the_next_cycle),
        cmocka_unit_test(dump_names_what_waits)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
