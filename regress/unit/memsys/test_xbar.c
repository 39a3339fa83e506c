/*
 * The crossbar between sources and sinks that log everything: idle latency at every phase of the clocks, throughput,
 * fairness, back-pressure, virtual networks, clusters, counters; and the same deliveries, cycle by cycle, for every
 * length of window and order of visits.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memsys/xbar/xbar.h"

enum { REPLY_BYTES = PACKET_HEADER + LINE_BYTES, REPLY_FLITS = 5, FLIT = 32, ENDLESS = INT32_MAX, FOREVER = 1 << 30 };

struct rig;

struct traffic {
    uint32_t packets;                /* that each source sends on each virtual network */
    uint32_t sources, vns;           /* that send any; 0 = all */
    uint32_t rate;                   /* of 256: chance of a new packet in a source's cycle */
    uint32_t sizes[4];               /* bytes, one drawn for each packet */
    uint32_t (*to)(const struct rig *r, uint32_t source, uint64_t random);
    bool (*stalled)(uint32_t sink, unsigned vn, uint64_t now);    /* the sink takes nothing; NULL = never */
};

struct source {
    uint64_t random;
    uint32_t made[VNS_MAX];
    uint32_t sent_flits;
    struct packet *next[VNS_MAX];
    uint32_t *sequence;              /* [destination][vn] */
    struct packet_pool pool;
};

struct sink {
    struct packet_queue held[VNS_MAX];
    uint32_t *sequence;              /* [source][vn] */
    uint32_t *from;                  /* [source] packets */
    uint64_t packets, flits, first, last, least_gap, most_gap, digest;
};

struct rig {
    struct xbar_cfg cfg;
    struct traffic traffic;
    struct clocks clocks;
    struct port *in, *out;
    struct source *source;
    struct sink *sink;
    struct xbar *x;
    uint64_t now;                    /* crossbar cycles before have run */
    uint64_t source_now, sink_now;
    uint64_t count[STAT_END];
};

static uint64_t draw(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random >> 8;
}

static const uint64_t ONE_CLOCK[CLK_COUNT] = { 1000000, 1000000, 1000000, 1000000 };
static const uint64_t KILO_CLOCKS[CLK_COUNT] = { 1300000, 650000, 800000, 800000 };
static const uint64_t ODD_CLOCKS[CLK_COUNT] = { 700000, 1130000, 877000, 924000 };

/* L2 to SMs, as replies go, with one clock; tests change what they are about. */
static const struct xbar_cfg REPLIES = {
    .sources = 12, .destinations = 15, .in_share = 1, .out_share = 1, .flit_bytes = FLIT, .vns = 1,
    .latency_in = 4, .latency_out = 4, .source_clock = CLK_L2, .destination_clock = CLK_CORE
};

static uint32_t anywhere(const struct rig *r, uint32_t source, uint64_t random)
{
    return (uint32_t)(random % r->cfg.destinations);
}

static const struct traffic FULL_LOAD = {
    .packets = ENDLESS, .rate = 256, .sizes = { REPLY_BYTES, REPLY_BYTES, REPLY_BYTES, REPLY_BYTES }, .to = anywhere
};

static void *table(size_t n, size_t size)
{
    void *t = calloc(n, size);
    assert_non_null(t);
    return t;
}

static void rig_begin(struct rig *r, const struct xbar_cfg *cfg, const struct traffic *traffic,
                      const uint64_t khz[CLK_COUNT], uint32_t in_flits, uint32_t out_flits)
{
    *r = (struct rig){ .cfg = *cfg, .traffic = *traffic };
    r->cfg.clocks = &r->clocks;
    clocks_set(&r->clocks, khz);
    r->in = table(cfg->sources, sizeof *r->in);
    r->out = table(cfg->destinations, sizeof *r->out);
    r->source = table(cfg->sources, sizeof *r->source);
    r->sink = table(cfg->destinations, sizeof *r->sink);
    for (uint32_t s = 0; s < cfg->sources; s++) {
        port_init(&r->in[s], cfg->vns, in_flits);
        packet_pool_init(&r->source[s].pool, 0);
        r->source[s].random = 0x123456789u + s * UINT64_C(0x9e3779b97f4a7c15);
        r->source[s].sequence = table((size_t)cfg->destinations * cfg->vns, sizeof(uint32_t));
    }
    for (uint32_t d = 0; d < cfg->destinations; d++) {
        port_init(&r->out[d], cfg->vns, out_flits);
        r->sink[d].sequence = table((size_t)cfg->sources * cfg->vns, sizeof(uint32_t));
        r->sink[d].from = table(cfg->sources, sizeof(uint32_t));
        r->sink[d].least_gap = NEVER;
    }
    r->x = xbar_new(&r->cfg, r->in, r->out, r->count);
}

static void rig_end(struct rig *r)
{
    xbar_free(r->x);
    for (uint32_t s = 0; s < r->cfg.sources; s++) {
        port_end(&r->in[s]);
        free(r->source[s].sequence);
        packet_pool_end(&r->source[s].pool);
    }
    for (uint32_t d = 0; d < r->cfg.destinations; d++) {
        port_end(&r->out[d]);
        free(r->sink[d].sequence);
        free(r->sink[d].from);
    }
    free(r->in);
    free(r->out);
    free(r->source);
    free(r->sink);
}

/* ---- sources and sinks ---- */

static struct packet *make_packet(struct rig *r, uint32_t s, unsigned vn)
{
    struct source *f = &r->source[s];
    uint32_t to = r->traffic.to(r, s, draw(&f->random));
    struct packet *p = packet_new(&f->pool);
    p->bytes = (uint16_t)r->traffic.sizes[draw(&f->random) % 4];
    p->vn = (uint8_t)vn;
    p->sm = (uint16_t)(r->cfg.to_slices ? s : to);
    p->slice = (uint16_t)(r->cfg.to_slices ? to : s);
    p->token = f->sequence[to * r->cfg.vns + vn]++;
    f->made[vn]++;
    return p;
}

static void source_cycle(struct rig *r, uint32_t s, uint64_t now)
{
    struct source *f = &r->source[s];
    if (r->traffic.sources && s >= r->traffic.sources)
        return;
    for (unsigned v = 0; v < (r->traffic.vns ? r->traffic.vns : r->cfg.vns); v++) {
        if (!f->next[v] && f->made[v] < r->traffic.packets && draw(&f->random) % 256 < r->traffic.rate)
            f->next[v] = make_packet(r, s, v);
        if (!f->next[v])
            continue;
        uint32_t flits = xbar_flits(f->next[v]->bytes, r->cfg.flit_bytes);
        if (!port_can_send(&r->in[s], now, v, flits))
            continue;
        uint64_t at = clock_convert(&r->clocks, r->cfg.source_clock, CLK_XBAR, now) + r->cfg.latency_in;
        port_send(&r->in[s], at, v, flits, f->next[v]);
        f->sent_flits += flits;
        f->next[v] = NULL;
    }
}

static void log_packet(struct rig *r, struct sink *t, const struct packet *p, uint64_t now)
{
    uint32_t from = r->cfg.to_slices ? p->sm : p->slice;
    assert_int_equal(p->token, t->sequence[from * r->cfg.vns + p->vn]++);
    uint64_t gap = now - t->last;
    if (t->packets) {
        t->least_gap = gap < t->least_gap ? gap : t->least_gap;
        t->most_gap = gap > t->most_gap ? gap : t->most_gap;
    } else {
        t->first = now;
    }
    t->last = now;
    t->packets++;
    t->from[from]++;
    t->flits += xbar_flits(p->bytes, r->cfg.flit_bytes);
    t->digest = (t->digest ^ now ^ (uint64_t)from << 40 ^ (uint64_t)p->vn << 60) * UINT64_C(0x100000001b3);
}

static void sink_cycle(struct rig *r, uint32_t d, uint64_t now)
{
    struct sink *t = &r->sink[d];
    for (struct packet *p; (p = port_receive(&r->out[d], now));) {
        assert_int_equal(r->cfg.to_slices ? p->slice : p->sm, d);
        log_packet(r, t, p, now);
        packet_push(&t->held[p->vn], p);
    }
    for (unsigned v = 0; v < r->cfg.vns; v++) {
        if (r->traffic.stalled && r->traffic.stalled(d, v, now))
            continue;
        struct packet *p = packet_pop(&t->held[v]);
        if (p) {
            uint64_t at = clock_convert(&r->clocks, r->cfg.destination_clock, CLK_XBAR, now) + r->cfg.latency_out;
            port_return(&r->out[d], at, v, xbar_flits(p->bytes, r->cfg.flit_bytes));
        }
    }
}

static void run_sources(struct rig *r, uint64_t until)
{
    uint64_t end = clock_convert(&r->clocks, CLK_XBAR, r->cfg.source_clock, until);
    for (; r->source_now < end; r->source_now++)
        for (uint32_t s = 0; s < r->cfg.sources; s++)
            source_cycle(r, s, r->source_now);
}

static void run_sinks(struct rig *r, uint64_t until)
{
    uint64_t end = clock_convert(&r->clocks, CLK_XBAR, r->cfg.destination_clock, until);
    for (; r->sink_now < end; r->sink_now++)
        for (uint32_t d = 0; d < r->cfg.destinations; d++)
            sink_cycle(r, d, r->sink_now);
}

/* ---- runs ---- */

enum order { SOURCES_FIRST, SINKS_FIRST, ONLY_WHEN_NEEDED };

static void run(struct rig *r, uint64_t cycles, uint64_t window, enum order order)
{
    for (uint64_t end = r->now + cycles; r->now < end;) {
        uint64_t until = r->now + window < end ? r->now + window : end;
        if (order == SINKS_FIRST)
            run_sinks(r, until);
        else
            run_sources(r, until);
        if (order != ONLY_WHEN_NEEDED || xbar_next(r->x) < until)
            xbar_run(r->x, until);
        if (order == SINKS_FIRST)
            run_sources(r, until);
        else
            run_sinks(r, until);
        r->now = until;
    }
}

struct shared_run { struct rig *r; uint64_t cycles, window; pthread_barrier_t barrier; };

static void *run_ends(void *arg)
{
    struct shared_run *h = arg;
    for (uint64_t until = h->window; until <= h->cycles; until += h->window) {
        run_sources(h->r, until);
        run_sinks(h->r, until);
        pthread_barrier_wait(&h->barrier);
    }
    return NULL;
}

/* The crossbar on one thread, both ends on another; they meet after every window. */
static void run_threads(struct rig *r, uint64_t cycles, uint64_t window)
{
    struct shared_run h = { .r = r, .cycles = cycles, .window = window };
    pthread_t ends;
    pthread_barrier_init(&h.barrier, NULL, 2);
    assert_int_equal(pthread_create(&ends, NULL, run_ends, &h), 0);
    for (uint64_t until = window; until <= cycles; until += window) {
        xbar_run(r->x, until);
        pthread_barrier_wait(&h.barrier);
    }
    pthread_join(ends, NULL);
    pthread_barrier_destroy(&h.barrier);
    r->now = cycles;
}

static uint64_t sum_packets(const struct rig *r)
{
    uint64_t n = 0;
    for (uint32_t d = 0; d < r->cfg.destinations; d++)
        n += r->sink[d].packets;
    return n;
}

static bool all_home(const struct rig *r)
{
    bool idle = true;
    for (uint32_t s = 0; s < r->cfg.sources; s++)
        idle &= port_idle(&r->in[s]);
    for (uint32_t d = 0; d < r->cfg.destinations; d++)
        idle &= port_idle(&r->out[d]);
    return idle;
}

/* Runs on until nothing is left, and checks that all arrived and all credits are home. */
static void drain(struct rig *r)
{
    uint64_t made = 0;
    r->traffic.packets = 0;
    for (int i = 0; i < 100 && !(xbar_empty(r->x) && all_home(r)); i++)
        run(r, 200, 1, SOURCES_FIRST);
    for (uint32_t s = 0; s < r->cfg.sources; s++)
        for (unsigned v = 0; v < r->cfg.vns; v++)
            made += r->source[s].made[v];
    assert_true(xbar_empty(r->x));
    assert_true(all_home(r));
    assert_true(xbar_next(r->x) == NEVER);
    assert_int_equal(sum_packets(r), made);
    assert_int_equal(r->count[r->cfg.to_slices ? STAT_XBAR_REQUEST_PACKETS : STAT_XBAR_REPLY_PACKETS], made);
}

/* Flits that left inputs in so many cycles after a warm-up. */
static uint64_t flits_through(struct rig *r, uint64_t cycles)
{
    run(r, 500, 4, SOURCES_FIRST);
    uint64_t before = r->count[STAT_XBAR_REPLY_FLITS];
    run(r, cycles, 4, SOURCES_FIRST);
    return r->count[STAT_XBAR_REPLY_FLITS] - before;
}

/* ---- latency ---- */

static uint64_t ceil_ratio(uint64_t n, uint64_t to, uint64_t from)
{
    return (n * to + from - 1) / from;
}

/* One packet at source cycle c: delivery and return of its credits, by the sum of the stages. */
static void check_latency(const uint64_t *khz, uint32_t bytes, uint64_t c, bool every_cycle)
{
    struct rig r;
    struct packet p = { .bytes = (uint16_t)bytes, .sm = 3, .slice = 7 };
    struct xbar_cfg cfg = REPLIES;
    cfg.sources = 15;
    cfg.destinations = 12;
    cfg.to_slices = true;
    cfg.source_clock = CLK_CORE;
    cfg.destination_clock = CLK_L2;
    cfg.latency_in = 3;
    cfg.latency_out = 5;
    cfg.every_cycle = every_cycle;
    rig_begin(&r, &cfg, &FULL_LOAD, khz, 64, 64);
    uint32_t flits = (bytes + FLIT - 1) / FLIT;
    uint64_t sent = ceil_ratio(c, khz[CLK_XBAR], khz[CLK_CORE]);
    assert_true(port_can_send(&r.in[3], c, 0, flits));
    port_send(&r.in[3], sent + cfg.latency_in, 0, flits, &p);
    assert_true(xbar_next(r.x) == sent + cfg.latency_in);
    xbar_run(r.x, 4000);
    uint64_t there = ceil_ratio(sent + 3 + flits - 1 + 5, khz[CLK_L2], khz[CLK_XBAR]);
    uint64_t back = ceil_ratio(sent + 3 + flits - 1 + 3, khz[CLK_CORE], khz[CLK_XBAR]);
    assert_int_equal(port_next(&r.out[7]), there);
    assert_ptr_equal(port_receive(&r.out[7], there), &p);
    assert_int_equal(port_credit_next(&r.in[3]), back);
    assert_int_equal(r.count[STAT_XBAR_REQUEST_PACKETS], 1);
    assert_int_equal(r.count[STAT_XBAR_REQUEST_FLITS], flits);
    assert_int_equal(r.count[STAT_XBAR_REQUEST_WAITS], 0);
    rig_end(&r);
}

static void idle_latency_is_the_sum_of_its_stages(void **state)
{
    static const uint64_t *const khz[] = { ONE_CLOCK, KILO_CLOCKS, ODD_CLOCKS };
    for (int k = 0; k < 3; k++)
        for (uint64_t c = 0; c < 130; c++) {
            check_latency(khz[k], PACKET_HEADER, c, false);
            check_latency(khz[k], REPLY_BYTES, c, c % 2);
        }
}

static void idle_it_needs_no_visits(void **state)
{
    struct rig r;
    struct packet p = { .bytes = 8, .sm = 1, .slice = 2 };
    rig_begin(&r, &REPLIES, &FULL_LOAD, ONE_CLOCK, 64, 64);
    assert_true(xbar_next(r.x) == NEVER);
    assert_true(xbar_empty(r.x));
    xbar_run(r.x, UINT64_C(1) << 50);
    assert_true(xbar_next(r.x) == NEVER);
    assert_true(port_can_send(&r.in[2], 0, 0, 1));
    port_send(&r.in[2], (UINT64_C(1) << 50) + 1000, 0, 1, &p);
    assert_false(xbar_empty(r.x));
    assert_true(xbar_next(r.x) == (UINT64_C(1) << 50) + 1000);
    xbar_run(r.x, (UINT64_C(1) << 50) + 2000);
    assert_true(port_next(&r.out[1]) == (UINT64_C(1) << 50) + 1004);
    assert_true(xbar_empty(r.x));
    assert_true(xbar_next(r.x) == NEVER);
    rig_end(&r);
}

/* ---- throughput and fairness ---- */

enum { CYCLES = 4000 };

static void random_traffic_fills_the_inputs(void **state)
{
    struct rig r;
    rig_begin(&r, &REPLIES, &FULL_LOAD, ONE_CLOCK, 64, 64);
    uint64_t flits = flits_through(&r, CYCLES);
    assert_in_range(flits, 12 * CYCLES * 85 / 100, 12 * CYCLES + 12 * REPLY_FLITS);
    for (uint32_t d = 0; d < 15; d++) {
        assert_in_range(r.sink[d].flits, 12 * CYCLES * 85 / 100 / 15 * 9 / 10, CYCLES + 500);
        assert_in_range(r.sink[d].least_gap, REPLY_FLITS, FOREVER);
    }
    drain(&r);
    rig_end(&r);
}

static void random_requests_fill_the_outputs(void **state)
{
    struct rig r;
    struct traffic t = FULL_LOAD;
    for (int i = 0; i < 4; i++)
        t.sizes[i] = PACKET_HEADER;
    struct xbar_cfg cfg = REPLIES;
    cfg.sources = 15;
    cfg.destinations = 12;
    rig_begin(&r, &cfg, &t, ONE_CLOCK, 64, 64);
    assert_in_range(flits_through(&r, CYCLES), 12 * CYCLES * 85 / 100, 12 * CYCLES);
    drain(&r);
    rig_end(&r);
}

static uint32_t permuted(const struct rig *r, uint32_t source, uint64_t random)
{
    return (source * 7 + 3) % r->cfg.destinations;
}

static void permutations_fill_everything(void **state)
{
    struct rig r;
    struct traffic t = FULL_LOAD;
    t.to = permuted;
    rig_begin(&r, &REPLIES, &t, ONE_CLOCK, 64, 64);
    assert_in_range(flits_through(&r, CYCLES), 12 * CYCLES * 99 / 100, 12 * CYCLES + 12 * REPLY_FLITS);
    drain(&r);
    rig_end(&r);
}

/* Sources 0 to 5 send to destination 0 only, the others everywhere else. */
static uint32_t half_to_hot(const struct rig *r, uint32_t source, uint64_t random)
{
    return source < 6 ? 0 : 1 + (uint32_t)(random % (r->cfg.destinations - 1));
}

static void a_hot_destination_gets_a_flit_a_cycle(void **state)
{
    struct rig r;
    struct traffic t = FULL_LOAD;
    t.to = half_to_hot;
    rig_begin(&r, &REPLIES, &t, ONE_CLOCK, 64, 64);
    uint64_t flits = flits_through(&r, CYCLES);
    assert_int_equal(r.sink[0].least_gap, REPLY_FLITS);
    assert_int_equal(r.sink[0].most_gap, REPLY_FLITS);
    assert_in_range(flits - CYCLES, 6 * CYCLES * 85 / 100, 6 * CYCLES + 60);
    for (uint32_t s = 0; s < 6; s++)
        assert_in_range(r.sink[0].from[s], r.sink[0].packets / 6, r.sink[0].packets / 6 + 1);
    drain(&r);
    rig_end(&r);
}

static uint32_t every_second_to_hot(const struct rig *r, uint32_t source, uint64_t random)
{
    return random % 2 ? 0 : 1 + (uint32_t)(random / 2 % (r->cfg.destinations - 1));
}

static void who_shares_sources_with_a_hot_destination_keeps_its_part(void **state)
{
    struct rig r;
    struct traffic t = FULL_LOAD;
    t.to = every_second_to_hot;
    rig_begin(&r, &REPLIES, &t, ONE_CLOCK, 64, 64);
    flits_through(&r, CYCLES);
    assert_int_equal(r.sink[0].least_gap, REPLY_FLITS);
    assert_in_range(r.sink[0].flits, CYCLES, CYCLES + 500);
    for (uint32_t d = 1; d < 15; d++)
        assert_in_range(r.sink[d].flits, CYCLES / 14 / 2, CYCLES / 14 * 2);
    drain(&r);
    rig_end(&r);
}

static uint32_t to_hot(const struct rig *r, uint32_t source, uint64_t random)
{
    return 3;
}

static void inputs_get_equal_parts_of_an_output(void **state)
{
    struct rig r;
    struct traffic t = FULL_LOAD;
    t.to = to_hot;
    rig_begin(&r, &REPLIES, &t, ONE_CLOCK, 64, 64);
    flits_through(&r, CYCLES);
    assert_int_equal(r.sink[3].most_gap, REPLY_FLITS);
    for (uint32_t s = 0; s < 12; s++)
        assert_in_range(r.sink[3].from[s], r.sink[3].packets / 12, r.sink[3].packets / 12 + 1);
    drain(&r);
    rig_end(&r);
}

static bool slow(uint32_t sink, unsigned vn, uint64_t now)
{
    return now % 8;
}

/* A destination that frees little at a time: the packets of source 0, too large for that, have their turn, too. */
static void small_packets_do_not_starve_large_ones(void **state)
{
    struct rig r;
    struct traffic t = FULL_LOAD;
    t.to = to_hot;
    t.stalled = slow;
    struct xbar_cfg cfg = REPLIES;
    for (int i = 0; i < 4; i++)
        t.sizes[i] = PACKET_HEADER;
    rig_begin(&r, &cfg, &t, ONE_CLOCK, 64, 8);
    for (uint64_t i = 0; i < 2000; i++) {
        run_sources(&r, r.now);
        if (r.source[0].next[0])
            r.source[0].next[0]->bytes = REPLY_BYTES;
        run(&r, 1, 1, SOURCES_FIRST);
    }
    for (uint32_t s = 1; s < 12; s++)
        assert_in_range(r.sink[3].from[0], r.sink[3].from[s] - 1, r.sink[3].from[s] + 1);
    rig_end(&r);
}

/* ---- back-pressure, virtual networks, clusters ---- */

static bool sink_3_stops_for_a_while(uint32_t sink, unsigned vn, uint64_t now)
{
    return sink == 3 && now >= 1000 && now < 3000;
}

static void a_receiver_that_stops_stops_its_senders(void **state)
{
    struct rig r;
    struct traffic t = FULL_LOAD;
    t.to = permuted;
    t.stalled = sink_3_stops_for_a_while;
    rig_begin(&r, &REPLIES, &t, ONE_CLOCK, 64, 32);
    run(&r, 1500, 4, SOURCES_FIRST);
    uint64_t stopped = r.sink[3].packets;
    uint32_t sent = r.source[0].sent_flits;
    uint64_t waits = r.count[STAT_XBAR_REPLY_WAITS];
    run(&r, 1400, 4, SOURCES_FIRST);
    assert_int_equal(r.sink[3].packets, stopped);
    assert_int_equal(r.source[0].sent_flits, sent);
    assert_int_equal(r.count[STAT_XBAR_REPLY_WAITS], waits);
    assert_false(xbar_empty(r.x));
    for (uint32_t s = 1; s < 12; s++)
        assert_in_range(r.sink[permuted(&r, s, 0)].flits, 2800, 2900);
    run(&r, 1000, 4, SOURCES_FIRST);
    assert_in_range(r.sink[3].flits, 1900, 2000);
    assert_in_range(r.count[STAT_XBAR_REPLY_NO_CREDIT], 1900, 2000);
    drain(&r);
    rig_end(&r);
}

static bool network_1_stops(uint32_t sink, unsigned vn, uint64_t now)
{
    return vn == 1 && now < 3000;
}

static void a_stopped_network_does_not_stop_another(void **state)
{
    struct rig r;
    struct traffic t = FULL_LOAD;
    t.stalled = network_1_stops;
    struct xbar_cfg cfg = REPLIES;
    cfg.vns = 3;
    rig_begin(&r, &cfg, &t, ONE_CLOCK, 64, 64);
    uint64_t flits = flits_through(&r, 2000);
    assert_in_range(flits, 12 * 2000 * 85 / 100, 12 * 2000 + 60);
    run(&r, 1000, 4, SOURCES_FIRST);
    drain(&r);
    rig_end(&r);
}

static void networks_share_an_input_equally(void **state)
{
    struct rig r;
    struct traffic t = FULL_LOAD;
    t.to = to_hot;
    struct xbar_cfg cfg = REPLIES;
    cfg.vns = 3;
    rig_begin(&r, &cfg, &t, ONE_CLOCK, 64, 64);
    flits_through(&r, CYCLES);
    for (unsigned v = 0; v < 3; v++)
        for (uint32_t s = 0; s < 12; s++)
            assert_in_range(r.sink[3].sequence[s * 3 + v], r.sink[3].packets / 36, r.sink[3].packets / 36 + 1);
    drain(&r);
    rig_end(&r);
}

static void a_cluster_shares_a_flit_a_cycle(void **state)
{
    struct rig r;
    struct xbar_cfg cfg = REPLIES;
    cfg.out_share = 3;
    rig_begin(&r, &cfg, &FULL_LOAD, ONE_CLOCK, 64, 64);
    flits_through(&r, CYCLES);
    for (uint32_t port = 0; port < 5; port++) {
        const struct sink *t = &r.sink[port * 3];
        uint64_t flits = t[0].flits + t[1].flits + t[2].flits;
        assert_in_range(flits, (CYCLES + 500) * 95 / 100, CYCLES + 500);
        for (int i = 0; i < 3; i++)
            assert_in_range(t[i].flits, flits / 3 * 8 / 10, flits / 3 * 12 / 10);
    }
    drain(&r);
    rig_end(&r);
}

static bool sink_1_stops(uint32_t sink, unsigned vn, uint64_t now)
{
    return sink == 1 && now < 5000;
}

static uint32_t to_its_own_sink(const struct rig *r, uint32_t source, uint64_t random)
{
    return source;
}

static void a_stopped_sm_does_not_stop_its_cluster(void **state)
{
    struct rig r;
    struct traffic t = FULL_LOAD;
    t.to = to_its_own_sink;
    t.stalled = sink_1_stops;
    struct xbar_cfg cfg = REPLIES;
    cfg.out_share = 3;
    rig_begin(&r, &cfg, &t, ONE_CLOCK, 64, 64);
    flits_through(&r, CYCLES);
    assert_int_equal(r.sink[1].flits, 60);
    assert_in_range(r.sink[0].flits, CYCLES / 2, CYCLES / 2 + 300);
    assert_in_range(r.sink[2].flits, CYCLES / 2, CYCLES / 2 + 300);
    assert_in_range(r.sink[3].flits, CYCLES / 3, CYCLES / 3 + 300);
    run(&r, 1000, 4, SOURCES_FIRST);
    drain(&r);
    rig_end(&r);
}

static void sources_of_an_input_share_a_flit_a_cycle(void **state)
{
    struct rig r;
    struct traffic t = FULL_LOAD;
    t.to = permuted;
    struct xbar_cfg cfg = REPLIES;
    cfg.in_share = 3;
    rig_begin(&r, &cfg, &t, ONE_CLOCK, 64, 64);
    assert_in_range(flits_through(&r, CYCLES), 4 * CYCLES * 99 / 100, 4 * CYCLES + 20);
    for (uint32_t s = 0; s < 12; s++)
        assert_in_range(r.sink[permuted(&r, s, 0)].flits, CYCLES / 3, CYCLES / 3 + 300);
    drain(&r);
    rig_end(&r);
}

/* ---- FIFO inputs ---- */

/* Source 0 sends to 3, whose buffer that fills, to 3 again, and to 5; on the other network to 5. */
static void send_blocked(struct rig *r, struct packet p[4], bool fifo)
{
    static const struct { uint16_t to; uint8_t vn; } sent[] = { { 3, 0 }, { 3, 0 }, { 5, 0 }, { 5, 1 } };
    struct xbar_cfg cfg = REPLIES;
    cfg.vns = 2;
    cfg.fifo = fifo;
    rig_begin(r, &cfg, &FULL_LOAD, ONE_CLOCK, 64, REPLY_FLITS);
    for (int i = 0; i < 4; i++) {
        p[i] = (struct packet){ .bytes = REPLY_BYTES, .sm = sent[i].to, .vn = sent[i].vn };
        port_send(&r->in[0], 10, p[i].vn, REPLY_FLITS, &p[i]);
    }
    xbar_run(r->x, 100);
}

static void the_head_of_a_fifo_blocks_its_network(void **state)
{
    for (int fifo = 0; fifo < 2; fifo++) {
        struct rig r;
        struct packet p[4], *first, *second;
        send_blocked(&r, p, fifo);
        assert_ptr_equal(port_receive(&r.out[3], 99), &p[0]);
        first = port_receive(&r.out[5], 99);
        second = port_receive(&r.out[5], 99);
        assert_true(fifo ? first == &p[3] && !second : first && second);
        port_return(&r.out[3], 100, 0, REPLY_FLITS);
        xbar_run(r.x, 200);
        assert_ptr_equal(port_receive(&r.out[3], 199), &p[1]);
        assert_ptr_equal(port_receive(&r.out[5], 199), fifo ? &p[2] : NULL);
        assert_true(xbar_empty(r.x));
        rig_end(&r);
    }
}

/* Karol, Hluchyj and Morgan: 0.586 for many ports and uniform traffic; 12 inputs share 15 outputs. */
static void fifo_inputs_lose_what_the_literature_says(void **state)
{
    struct rig r;
    struct xbar_cfg cfg = REPLIES;
    cfg.fifo = true;
    rig_begin(&r, &cfg, &FULL_LOAD, ONE_CLOCK, 64, 64);
    uint64_t flits = flits_through(&r, CYCLES);
    assert_in_range(flits, 12 * CYCLES * 58 / 100, 12 * CYCLES * 70 / 100);
    drain(&r);
    rig_end(&r);
}

/* ---- counters ---- */

static void send_by_hand(struct rig *r, uint32_t source, uint64_t at, struct packet *p)
{
    uint32_t flits = xbar_flits(p->bytes, FLIT);
    assert_true(port_can_send(&r->in[source], 0, 0, flits));
    port_send(&r->in[source], at, 0, flits, p);
}

/* Three packets for one output: the first goes at once, the others 5 and 10 cycles later. */
static void waits_are_counted_from_the_arrival(void **state)
{
    struct rig r;
    struct packet p[3];
    rig_begin(&r, &REPLIES, &FULL_LOAD, ONE_CLOCK, 64, 64);
    for (uint32_t s = 0; s < 3; s++) {
        p[s] = (struct packet){ .bytes = REPLY_BYTES, .slice = (uint16_t)s, .sm = 9 };
        send_by_hand(&r, s, 10, &p[s]);
    }
    xbar_run(r.x, 100);
    assert_int_equal(r.count[STAT_XBAR_REPLY_WAITS], 5 + 10);
    assert_int_equal(r.count[STAT_XBAR_REPLY_NO_CREDIT], 0);
    for (uint64_t s = 0; s < 3; s++) {
        assert_int_equal(port_next(&r.out[9]), 10 + 5 * s + 4 + 4);
        assert_ptr_equal(port_receive(&r.out[9], NEVER - 1), &p[s]);
    }
    rig_end(&r);
}

/* A buffer for one packet. The second, of the same queue, waits from when the first has left (15). In cycle 40 there is
 * room, and it is the turn of the third, which has waited since 20; then the second finds no room from 45 to 60. */
static void waits_for_room_are_told_apart(void **state)
{
    struct rig r;
    struct packet p[3];
    rig_begin(&r, &REPLIES, &FULL_LOAD, ONE_CLOCK, 64, REPLY_FLITS);
    for (uint32_t i = 0; i < 3; i++) {
        p[i] = (struct packet){ .bytes = REPLY_BYTES, .slice = (uint16_t)(i / 2), .sm = 9 };
        send_by_hand(&r, i / 2, i < 2 ? 10 : 20, &p[i]);
    }
    xbar_run(r.x, 30);
    assert_true(xbar_next(r.x) == NEVER);
    assert_ptr_equal(port_receive(&r.out[9], 30), &p[0]);
    port_return(&r.out[9], 40, 0, 2);
    port_return(&r.out[9], 40, 0, 3);
    assert_true(xbar_next(r.x) == 40);
    xbar_run(r.x, 50);
    assert_ptr_equal(port_receive(&r.out[9], 50), &p[2]);
    assert_int_equal(r.count[STAT_XBAR_REPLY_WAITS], 40 - 20);
    assert_int_equal(r.count[STAT_XBAR_REPLY_NO_CREDIT], 40 - 15);
    port_return(&r.out[9], 60, 0, 5);
    xbar_run(r.x, 70);
    assert_int_equal(r.count[STAT_XBAR_REPLY_WAITS], 40 - 20 + 60 - 15);
    assert_int_equal(r.count[STAT_XBAR_REPLY_NO_CREDIT], 40 - 15 + 60 - 45);
    assert_true(xbar_empty(r.x));
    rig_end(&r);
}

/* ---- the same results however it is run ---- */

static bool some_stall(uint32_t sink, unsigned vn, uint64_t now)
{
    uint64_t mix = (now / 16 * 31 + sink * 7 + vn) * UINT64_C(0x9e3779b97f4a7c15);
    return mix >> 60 < 9;
}

struct scene {
    uint32_t sources, destinations, in_share, out_share, vns, latency_in, latency_out, in_flits, out_flits;
    uint32_t rate, cycles;
    const uint64_t *khz;
    bool fifo;
    uint32_t disturb;
};

static const struct scene SCENES[] = {
    { 12, 15, 1, 1, 1, 4, 4, 64, 64, 256, 1920, ONE_CLOCK, false, 0 },
    { 12, 15, 1, 3, 1, 4, 6, 16, 8, 200, 1920, KILO_CLOCKS, false, 0 },
    { 30, 12, 2, 1, 2, 8, 8, 32, 5, 40, 1920, ODD_CLOCKS, false, 0 },
    { 7, 9, 3, 4, 5, 3, 2, 5, 6, 256, 1920, ODD_CLOCKS, false, 0 },
    { 5, 5, 1, 1, 1, 100, 70, 9, 300, 5, 3500, KILO_CLOCKS, false, 0 },
    { 1, 1, 1, 1, 1, 1, 1, 5, 5, 128, 1000, ONE_CLOCK, false, 0 },
    { 130, 70, 1, 1, 1, 4, 4, 20, 20, 100, 480, KILO_CLOCKS, false, 0 },
    { 150, 130, 2, 64, 2, 4, 4, 20, 20, 100, 480, ONE_CLOCK, false, 0 },
    { 12, 15, 1, 1, 1, 4, 4, 64, 64, 256, 1920, ONE_CLOCK, true, 0 },
    { 30, 12, 2, 3, 2, 8, 8, 32, 5, 200, 1920, ODD_CLOCKS, true, 0 },
    { 12, 15, 1, 1, 1, 4, 4, 64, 64, 40, 1920, ONE_CLOCK, false, 50 },
    { 30, 12, 2, 3, 2, 8, 8, 32, 5, 200, 1920, ODD_CLOCKS, true, 300 },
};

enum { HOW_THREADS = 100 };

struct how { uint64_t window; int order; bool every_cycle; uint32_t more_sources, more_vns; };

static void play(struct rig *r, const struct scene *c, const struct how *how)
{
    struct xbar_cfg cfg = REPLIES;
    struct traffic t = FULL_LOAD;
    cfg.sources = c->sources + how->more_sources;
    cfg.destinations = c->destinations;
    cfg.in_share = c->in_share;
    cfg.out_share = c->out_share;
    cfg.vns = c->vns + how->more_vns;
    t.sources = c->sources;
    t.vns = c->vns;
    cfg.latency_in = c->latency_in;
    cfg.latency_out = c->latency_out;
    cfg.every_cycle = how->every_cycle;
    cfg.fifo = c->fifo;
    cfg.disturb = c->disturb;
    t.rate = c->rate;
    t.stalled = some_stall;
    t.sizes[1] = t.sizes[2] = PACKET_HEADER;
    t.sizes[3] = PACKET_HEADER + SECTOR_BYTES;
    rig_begin(r, &cfg, &t, c->khz, c->in_flits, c->out_flits);
    if (how->order == HOW_THREADS)
        run_threads(r, c->cycles, how->window);
    else
        run(r, c->cycles, how->window, (enum order)how->order);
}

static void assert_same(const struct rig *a, const struct rig *b)
{
    assert_memory_equal(a->count, b->count, sizeof a->count);
    for (uint32_t d = 0; d < a->cfg.destinations; d++) {
        assert_int_equal(a->sink[d].packets, b->sink[d].packets);
        assert_int_equal(a->sink[d].last, b->sink[d].last);
        assert_true(a->sink[d].digest == b->sink[d].digest);
    }
}

/* Windows, order, visits and threads; and the machine's shape, by sources and networks that send nothing. */
static void results_are_the_same_however_it_is_run(void **state)
{
    for (size_t i = 0; i < sizeof SCENES / sizeof *SCENES; i++) {
        const struct scene *c = &SCENES[i];
        uint64_t widest = c->latency_in < c->latency_out ? c->latency_in : c->latency_out;
        const struct how hows[] = {
            { .window = 1, .every_cycle = true }, { .window = 1, .order = SINKS_FIRST },
            { .window = widest }, { .window = widest, .order = SINKS_FIRST, .every_cycle = true },
            { .window = widest, .order = ONLY_WHEN_NEEDED }, { .window = (widest + 1) / 2, .order = SINKS_FIRST },
            { .window = 1, .order = ONLY_WHEN_NEEDED }, { .window = widest, .order = HOW_THREADS },
            { .window = widest, .more_sources = 210 },
            { .window = 1, .every_cycle = true, .more_vns = VNS_MAX - c->vns },
        };
        struct rig reference;
        play(&reference, c, &(struct how){ .window = 1, .order = SOURCES_FIRST });
        assert_true(sum_packets(&reference) > 50);
        for (size_t h = 0; h < sizeof hows / sizeof *hows; h++) {
            struct rig r;
            play(&r, c, &hows[h]);
            assert_same(&reference, &r);
            rig_end(&r);
        }
        drain(&reference);
        rig_end(&reference);
    }
}

/* Some paths hold packets back; each path keeps its order (log_packet), and all packets arrive. */
static void disturbed_packets_are_late_and_in_order(void **state)
{
    struct scene c = SCENES[0];
    struct rig calm, held;
    c.rate = 1;
    play(&calm, &c, &(struct how){ .window = 1 });
    c.disturb = 200;
    play(&held, &c, &(struct how){ .window = 1 });
    drain(&calm);
    drain(&held);
    assert_int_equal(sum_packets(&held), sum_packets(&calm));
    uint32_t different = 0;
    for (uint32_t d = 0; d < c.destinations; d++)
        different += held.sink[d].digest != calm.sink[d].digest;
    assert_true(different > 0);
    rig_end(&calm);
    rig_end(&held);
}

/* The largest machine, one packet from each source to each of a few destinations. */
static void a_thousand_ends(void **state)
{
    struct rig r;
    struct xbar_cfg cfg = REPLIES;
    struct traffic t = FULL_LOAD;
    cfg.sources = 1024;
    cfg.destinations = 1024;
    t.packets = 4;
    rig_begin(&r, &cfg, &t, ONE_CLOCK, 8, 8);
    run(&r, 200, 4, SOURCES_FIRST);
    drain(&r);
    assert_int_equal(sum_packets(&r), 4096);
    rig_end(&r);
}

/* ---- reports ---- */

static void collect(void *ctx, const char *line)
{
    strcat(ctx, line);
    strcat(ctx, "\n");
}

static void reports_say_who_waits_for_room(void **state)
{
    struct rig r;
    struct packet p[3];
    char text[1000] = "";
    rig_begin(&r, &REPLIES, &FULL_LOAD, ONE_CLOCK, 64, 7);
    for (uint32_t i = 0; i < 3; i++) {
        p[i] = (struct packet){ .bytes = REPLY_BYTES, .slice = 4, .sm = 9, .line = 0x1280 };
        send_by_hand(&r, 4, 10, &p[i]);
    }
    xbar_run(r.x, 30);
    xbar_dump(r.x, collect, text);
    assert_string_equal(text, "crossbar L2 to SMs: cycle 30, 2 packets\n"
                              "  input 4 to SM 9, network 0: 2 packets, the first from slice 4, line 0x1280, "
                              "waits since 15, needs room for 5 flits, has 2\n");
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_latency_is_the_sum_of_its_stages),
        cmocka_unit_test(idle_it_needs_no_visits),
        cmocka_unit_test(random_traffic_fills_the_inputs),
        cmocka_unit_test(random_requests_fill_the_outputs),
        cmocka_unit_test(permutations_fill_everything),
        cmocka_unit_test(a_hot_destination_gets_a_flit_a_cycle),
        cmocka_unit_test(who_shares_sources_with_a_hot_destination_keeps_its_part),
        cmocka_unit_test(inputs_get_equal_parts_of_an_output),
        cmocka_unit_test(small_packets_do_not_starve_large_ones),
        cmocka_unit_test(a_receiver_that_stops_stops_its_senders),
        cmocka_unit_test(a_stopped_network_does_not_stop_another),
        cmocka_unit_test(networks_share_an_input_equally),
        cmocka_unit_test(a_cluster_shares_a_flit_a_cycle),
        cmocka_unit_test(a_stopped_sm_does_not_stop_its_cluster),
        cmocka_unit_test(sources_of_an_input_share_a_flit_a_cycle),
        cmocka_unit_test(the_head_of_a_fifo_blocks_its_network),
        cmocka_unit_test(fifo_inputs_lose_what_the_literature_says),
        cmocka_unit_test(waits_are_counted_from_the_arrival),
        cmocka_unit_test(waits_for_room_are_told_apart),
        cmocka_unit_test(results_are_the_same_however_it_is_run),
        cmocka_unit_test(disturbed_packets_are_late_and_in_order),
        cmocka_unit_test(a_thousand_ends),
        cmocka_unit_test(reports_say_who_waits_for_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
