/*
 * A memory partition on the bench: a piece of host memory as device memory, ports to each slice, packets by hand.
 * Included by the partition's tests.
 */
#ifndef PARTITION_BENCH_H
#define PARTITION_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/stats.h"
#include "memsys/l2/partition.h"
#include "memsys/xbar/xbar.h"
#include "ptx/memory/access.h"

enum { BENCH_BYTES = 1 << 20, BENCH_SLICES = 4 };

struct bench {
    struct clocks clocks;
    struct addrmap map;
    struct partition_cfg cfg;
    struct partition *p;
    struct port request[BENCH_SLICES], reply[BENCH_SLICES];
    uint32_t vns, request_flits, reply_flits;
    struct packet_pool pool;
    uint8_t *memory;
    uint64_t count[STAT_END];
    struct hists hists;
    uint64_t core;                   /* cycles before this one are run */
};

static inline uint32_t bench_atomic(void *ctx, uint32_t slice, struct packet *p)
{
    uint32_t met[LINE_BYTES] = { 0 }, most = 0;
    for (uint32_t m = p->atom->lanes[0]; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        uint32_t old, add, at = p->atom->offset[lane];
        uint8_t *word = (uint8_t *)(uintptr_t)p->mapped + at;
        memcpy(&old, word, 4);
        memcpy(&add, p->atom->b[lane], 4);
        memcpy(p->atom->b[lane], &old, 4);
        old += add;
        memcpy(word, &old, 4);
        most = ++met[at] > most ? met[at] : most;
    }
    return most;
}

/* A slice that takes 10 + 20 cycles, DRAM with round numbers; tests change what they are about before bench_start. */
static inline void bench_init(struct bench *b, uint32_t channels, uint32_t slices)
{
    static const uint64_t khz[CLK_COUNT] = { 1400000, 700000, 650000, 924000 };
    char error[200];
    memset(b, 0, sizeof *b);
    clocks_set(&b->clocks, khz);
    b->memory = aligned_alloc(4096, BENCH_BYTES);
    memset(b->memory, 0, BENCH_BYTES);
    assert_true(addrmap_parse(&b->map, "dramid@8;RRRRRRRR.BBBBCCCC.CCCSSSSS", channels, slices, false,
                              (uintptr_t)b->memory, error, sizeof error));
    b->vns = 1;
    b->request_flits = b->reply_flits = 64;
    b->cfg = (struct partition_cfg){
        .clocks = &b->clocks, .map = &b->map, .slices = slices, .flit_bytes = 32, .reply_latency = 3,
        .credit_latency = 2,
        .l2 = { .sets = 16, .ways = 4, .mshrs = 16, .merges = 8, .latency = 10, .miss_queue = 8,
                .reply_queue = 8, .bytes_per_cycle = 64, .sectored = true, .merge_fills = true, .hash = true,
                .atomic_add = 1, .atomic_exch = 2, .atomic_cas = 3, .atomic_float = 4, .atomic_warp = 1 },
        .dram = { .latency = 20, .banks = 16, .groups = 4, .queue = 16, .burst_bytes = 32, .burst_cycles = 2,
                  .tCCD = 2, .tRRD = 6, .tRCD = 12, .tRAS = 28, .tRP = 12, .tRC = 40, .tCL = 11, .tWL = 4,
                  .tCDLR = 5, .tWR = 12, .tRTP = 2, .tRTW = 11, .tREFI = 1000, .tRFC = 100 },
        .calls = { .ctx = b, .atomic = bench_atomic }
    };
}

static inline void bench_start(struct bench *b)
{
    struct port *in[BENCH_SLICES], *out[BENCH_SLICES];
    packet_pool_init(&b->pool, 0);
    for (uint32_t i = 0; i < b->cfg.slices; i++) {
        port_init(&b->request[i], b->vns, b->request_flits);
        port_init(&b->reply[i], b->vns, b->reply_flits);
        in[i] = &b->request[i];
        out[i] = &b->reply[i];
    }
    b->p = partition_new(&b->cfg, in, out, b->count, &b->hists);
}

/* Nothing may be left anywhere. */
static inline void bench_end(struct bench *b)
{
    assert_true(partition_idle(b->p));
    for (uint32_t i = 0; i < b->cfg.slices; i++) {
        assert_true(port_idle(&b->request[i]));
        assert_true(port_idle(&b->reply[i]));
        port_end(&b->request[i]);
        port_end(&b->reply[i]);
    }
    assert_int_equal(b->pool.out, 0);
    partition_free(b->p);
    packet_pool_end(&b->pool);
    free(b->memory);
}

/* The n-th line of the partition's channel. */
static inline uint64_t bench_line(const struct bench *b, uint32_t n)
{
    uint64_t block = (uint64_t)(n / 2) * b->map.channels + b->cfg.channel;
    return (uintptr_t)b->memory + block * 256 + n % 2 * LINE_BYTES;
}

static inline struct packet *bench_packet(struct bench *b, enum msg_kind kind, uint64_t line, uint8_t sectors)
{
    struct packet *p = packet_new(&b->pool);
    p->kind = (uint8_t)kind;
    p->line = line;
    p->sectors = sectors;
    p->bytes = PACKET_HEADER;
    return p;
}

/* Bytes [from, from + n) of the line get the value. */
static inline struct packet *bench_write(struct bench *b, uint64_t line, unsigned from, unsigned n, uint8_t value)
{
    struct packet *p = bench_packet(b, MSG_WRITE, line, 0);
    for (unsigned i = from; i < from + n; i++) {
        p->mask[i / 64] |= UINT64_C(1) << i % 64;
        p->data[i] = value;
    }
    p->sectors = line_sectors(p->mask);
    p->bytes = (uint16_t)(PACKET_HEADER + SECTOR_BYTES * __builtin_popcount(p->sectors));
    return p;
}

/* Lane i adds 1 << i to the word at offset[i]. */
static inline struct packet *bench_add(struct bench *b, struct atom_payload *a, uint64_t line, unsigned lanes,
                                       const uint8_t *offset)
{
    struct packet *p = bench_packet(b, MSG_ATOMIC, line, 0);
    memset(a, 0, sizeof *a);
    a->lanes[0] = (uint32_t)((UINT64_C(1) << lanes) - 1);
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t add = UINT32_C(1) << i;
        a->offset[i] = offset[i];
        memcpy(a->b[i], &add, 4);
        p->sectors |= (uint8_t)(1 << offset[i] / SECTOR_BYTES);
    }
    p->atom = a;
    p->bytes = (uint16_t)(PACKET_HEADER + 4 * lanes);
    p->reply_bytes = (uint16_t)(PACKET_HEADER + 4 * lanes);
    return p;
}

static inline uint32_t bench_slice(const struct bench *b, const struct packet *p)
{
    return addrmap_slice(&b->map, p->line) - b->cfg.channel * b->cfg.slices;
}

/* Sends p so that it arrives at L2 cycle `at`. */
static inline void bench_send(struct bench *b, uint64_t at, struct packet *p)
{
    struct port *t = &b->request[bench_slice(b, p)];
    uint32_t flits = xbar_flits(p->bytes, b->cfg.flit_bytes);
    assert_true(port_can_send(t, clock_convert(&b->clocks, CLK_CORE, CLK_XBAR, b->core), p->vn, flits));
    port_send(t, at, p->vn, flits, p);
}

/* Runs to core cycle `until` in steps of `window`. */
static inline void bench_run(struct bench *b, uint64_t until, uint64_t window)
{
    while (b->core < until) {
        b->core = until - b->core < window ? until : b->core + window;
        partition_run(b->p, clock_convert(&b->clocks, CLK_CORE, CLK_L2, b->core),
                      clock_convert(&b->clocks, CLK_CORE, CLK_MEM, b->core));
    }
}

/* The next reply of a slice; its credits go back. *at: crossbar cycle at which it is there. NULL: none. */
static inline struct packet *bench_reply(struct bench *b, uint32_t slice, uint64_t *at)
{
    uint64_t now = clock_convert(&b->clocks, CLK_CORE, CLK_XBAR, b->core);
    *at = port_next(&b->reply[slice]);
    struct packet *p = port_receive(&b->reply[slice], NEVER - 1);
    if (p)
        port_return(&b->reply[slice], now, p->vn, xbar_flits(p->bytes, b->cfg.flit_bytes));
    return p;
}

/* The end of a kernel. */
static inline void bench_flush(struct bench *b, bool invalidate)
{
    for (int i = 0; !partition_flush(b->p, clock_convert(&b->clocks, CLK_CORE, CLK_L2, b->core), invalidate); i++) {
        assert_true(i < 10000);
        bench_run(b, b->core + 8, 8);
    }
}

/* Sends p, waits for its reply, and returns the crossbar cycle of that. The packet stays the caller's. */
static inline uint64_t bench_ask(struct bench *b, struct packet *p)
{
    uint64_t at;
    uint32_t slice = bench_slice(b, p);
    bench_send(b, clock_convert(&b->clocks, CLK_CORE, CLK_L2, b->core), p);
    for (int i = 0; i < 10000; i++) {
        bench_run(b, b->core + 1, 1);
        struct packet *k = bench_reply(b, slice, &at);
        if (k) {
            assert_ptr_equal(k, p);
            return at;
        }
    }
    fail_msg("no reply");
    return NEVER;
}

static inline void bench_drop(struct bench *b, struct packet *p)
{
    packet_free(&b->pool, p);
}

/* Sends p, waits, and forgets it. */
static inline void bench_do(struct bench *b, struct packet *p)
{
    bench_ask(b, p);
    bench_drop(b, p);
}

#endif
