/*
 * Address translation: the TLBs of a few SMs with the shared one, and requests made by hand. The machine's windows are
 * a cycle long here, or as long as tlb.l2.latency allows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/stats.h"
#include "memsys/tlb/tlb_l2.h"

enum { SMS = 3, KB = 1024, PAGE = 4 * KB, BIG = 16 * KB, PACKETS = 4096 };

static struct bench {
    struct tlb_cfg cfg;
    struct tlb_l1 l1[SMS];
    struct packet_queue out[SMS];
    struct tlb_l2 *l2;
    uint64_t count[SMS][STAT_END];
    struct packet packet[PACKETS];
    uint32_t packets;
    uint64_t now;                        /* the next cycle */
} b;

static const struct tlb_cfg small = {
    .l1 = { .entries = 2, .ways = 2, .page_kb = 4, .ports = 1, .misses = 2, .merges = 4 },
    .l2 = { .entries = 2, .ways = 2, .page_kb = 16, .ports = 1, .latency = 10, .walkers = 1, .walk_latency = 100 }
};

static void start(const struct tlb_cfg *cfg)
{
    memset(&b, 0, sizeof b);
    b.cfg = *cfg;
    b.l2 = tlb_l2_new(&cfg->l2);
    b.now = 1;
    for (uint32_t s = 0; s < SMS; s++)
        tlb_l1_init(&b.l1[s], &cfg->l1, s, &b.out[s], b.count[s]);
}

static void finish(void)
{
    for (uint32_t s = 0; s < SMS; s++) {
        assert_true(tlb_l1_idle(&b.l1[s]));
        tlb_l1_end(&b.l1[s]);
    }
    tlb_l2_free(b.l2);
}

static void replied(void *ctx, const struct tlb_request *r, uint64_t at)
{
    assert_true(at >= r->at + b.cfg.l2.latency);
    tlb_l1_translated(&b.l1[r->sm], r->page, at);
}

/* The end of a window. */
static void exchange(void)
{
    for (uint32_t s = SMS; s-- > 0;) {   /* in any order */
        uint32_t n;
        const struct tlb_request *sent = tlb_l1_sent(&b.l1[s], &n);
        for (uint32_t i = 0; i < n; i++)
            tlb_l2_receive(b.l2, &sent[i]);
    }
    tlb_l2_run(b.l2, replied, NULL);
}

static void run_until(uint64_t cycle)
{
    for (; b.now < cycle; b.now++) {
        for (uint32_t s = 0; s < SMS; s++)
            tlb_l1_run(&b.l1[s], b.now);
        exchange();
    }
}

/* A request in the next cycle. */
static struct packet *ask(uint32_t sm, unsigned kind, uint64_t line)
{
    struct packet *p = &b.packet[b.packets++];
    assert_true(b.packets < PACKETS);
    *p = (struct packet){ .kind = (uint8_t)kind, .line = line };
    p->stamp[STAMP_L1] = b.now;
    packet_push(&b.l1[sm].asked, p);
    return p;
}

/* The cycle in which the request has passed, which must be the next one to do so. */
static uint64_t passes(uint32_t sm, const struct packet *p)
{
    for (int i = 0; i < 100000 && !b.out[sm].n; i++)
        run_until(b.now + 1);
    assert_ptr_equal(packet_pop(&b.out[sm]), p);
    return b.now - 1;
}

/* From a request to its translation, with nothing else in flight. */
static uint64_t latency(uint32_t sm, uint64_t line)
{
    uint64_t from = b.now;
    return passes(sm, ask(sm, MSG_READ, line)) - from;
}

enum { L2_HIT = 10, WALK = 110 };        /* of `small` */

/* ---- the TLB of an SM ---- */

static void a_page_misses_once(void **state)
{
    start(&small);
    assert_int_equal(latency(0, 5 * PAGE + 128), WALK);
    assert_int_equal(latency(0, 5 * PAGE), 0);
    assert_int_equal(latency(0, 6 * PAGE - 128), 0);
    assert_int_equal(latency(0, 6 * PAGE), L2_HIT);
    assert_int_equal(latency(1, 5 * PAGE), L2_HIT);      /* another SM has its own */
    assert_int_equal(b.count[0][STAT_TLB_L1_HITS], 2);
    assert_int_equal(b.count[0][STAT_TLB_L1_MISSES], 2);
    assert_int_equal(b.count[0][STAT_TLB_L1_WAITED], WALK + L2_HIT);
    assert_int_equal(b.count[0][STAT_TLB_L2_MISSES], 1);
    assert_int_equal(b.count[1][STAT_TLB_L2_HITS], 1);
    finish();
}

static void the_least_recently_used_page_is_replaced(void **state)
{
    start(&small);
    latency(0, 0);
    latency(0, PAGE);
    assert_int_equal(latency(0, 0), 0);
    assert_int_equal(latency(0, 2 * PAGE), L2_HIT);      /* replaces page 1 */
    assert_int_equal(latency(0, 0), 0);
    assert_int_equal(latency(0, PAGE), L2_HIT);
    finish();
}

/* Two sets of one page: even and odd pages. */
static void pages_conflict_in_sets(void **state)
{
    struct tlb_cfg c = small;
    c.l1.ways = 1;
    start(&c);
    latency(0, 0);
    latency(0, PAGE);
    assert_int_equal(latency(0, 0), 0);
    assert_int_equal(latency(0, 2 * PAGE), L2_HIT);
    assert_int_equal(latency(0, PAGE), 0);
    assert_int_equal(latency(0, 0), L2_HIT);
    finish();
}

static void requests_take_the_latency_and_the_ports(void **state)
{
    struct tlb_cfg c = small;
    c.l1.latency = 3;
    c.l1.ports = 2;
    start(&c);
    assert_int_equal(latency(0, 0), 3 + WALK);
    struct packet *p[5];
    uint64_t from = b.now;
    for (int i = 0; i < 5; i++)
        p[i] = ask(0, MSG_WRITE, 128 * (uint64_t)i);
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(passes(0, p[i]), from + 3 + i / 2);
    finish();
}

static void requests_of_a_page_wait_together(void **state)
{
    start(&small);
    uint64_t from = b.now;
    struct packet *first = ask(0, MSG_READ, 0), *second = ask(0, MSG_WRITE, 0), *third = ask(0, MSG_ATOMIC, 128);
    assert_int_equal(passes(0, first), from + WALK);
    assert_int_equal(passes(0, second), from + WALK);
    assert_int_equal(passes(0, third), from + WALK);
    assert_int_equal(b.count[0][STAT_TLB_L1_MISSES], 1);
    assert_int_equal(b.count[0][STAT_TLB_L1_MERGED], 2);
    assert_int_equal(b.count[0][STAT_TLB_L1_WAITED], WALK + WALK - 1 + WALK - 2);
    assert_int_equal(b.count[0][STAT_TLB_L1_BLOCKED], 0);
    finish();
}

static void hits_pass_misses(void **state)
{
    start(&small);
    latency(0, 0);
    uint64_t from = b.now;
    struct packet *miss = ask(0, MSG_READ, 8 * BIG), *hit = ask(0, MSG_READ, 128);
    assert_int_equal(passes(0, hit), from + 1);
    assert_int_equal(passes(0, miss), from + WALK);
    finish();
}

/* Two pages may be missing; a request in a third one blocks a hit after it until the first translation arrives. */
static void a_third_missing_page_blocks(void **state)
{
    struct tlb_cfg c = small;
    c.l2.walkers = 4;
    start(&c);
    latency(0, 0);
    uint64_t from = b.now;
    struct packet *one = ask(0, MSG_READ, BIG), *two = ask(0, MSG_READ, 2 * BIG), *three = ask(0, MSG_READ, 3 * BIG),
                  *hit = ask(0, MSG_READ, 3 * BIG + 128);
    assert_int_equal(passes(0, one), from + WALK);
    assert_int_equal(passes(0, two), from + WALK + 1);
    assert_int_equal(passes(0, three), from + WALK + WALK);
    assert_int_equal(passes(0, hit), from + WALK + WALK);
    assert_int_equal(b.count[0][STAT_TLB_L1_BLOCKED], WALK - 2);
    assert_int_equal(b.count[0][STAT_TLB_L1_MERGED], 1);
    finish();
}

/* Four requests may wait for a page. */
static void a_fifth_request_of_a_page_blocks(void **state)
{
    start(&small);
    struct packet *p[6];
    uint64_t from = b.now;
    for (uint64_t i = 0; i < 6; i++)
        p[i] = ask(0, MSG_READ, 128 * i);
    for (uint64_t i = 0; i < 6; i++)
        assert_int_equal(passes(0, p[i]), from + WALK + (i < 5 ? 0 : 1));
    assert_int_equal(b.count[0][STAT_TLB_L1_BLOCKED], WALK - 4);
    assert_int_equal(b.count[0][STAT_TLB_L1_MERGED], 3);
    assert_int_equal(b.count[0][STAT_TLB_L1_HITS], 2);
    finish();
}

static void messages_keep_their_place(void **state)
{
    start(&small);
    latency(0, 0);
    uint64_t from = b.now;
    struct packet *hit = ask(0, MSG_READ, 0), *miss = ask(0, MSG_WRITE, BIG), *message = ask(0, MSG_ENGINE, BIG),
                  *after = ask(0, MSG_READ, 128);
    assert_int_equal(passes(0, hit), from);
    assert_int_equal(passes(0, miss), from + 1 + WALK);
    assert_int_equal(passes(0, message), from + 1 + WALK);
    assert_int_equal(passes(0, after), from + 2 + WALK);
    uint64_t free = b.now;
    assert_int_equal(passes(0, ask(0, MSG_ENGINE, 9 * BIG)), free);      /* no page, no miss */
    assert_int_equal(b.count[0][STAT_TLB_L1_MISSES], 2);
    finish();
}

/* ---- the shared TLB ---- */

/* Requests of several SMs in the same cycle are looked up in the order of the SMs. */
static void ports_serve_sms_in_order(void **state)
{
    start(&small);
    latency(0, 0);
    uint64_t from = b.now;
    struct packet *p[SMS];
    for (uint32_t s = SMS; s-- > 0;)
        p[s] = ask(s, MSG_READ, PAGE);
    for (uint32_t s = 0; s < SMS; s++)
        assert_int_equal(passes(s, p[s]), from + L2_HIT + s);
    assert_int_equal(b.count[0][STAT_TLB_L2_WAITED], 0);
    assert_int_equal(b.count[1][STAT_TLB_L2_WAITED], 1);
    assert_int_equal(b.count[2][STAT_TLB_L2_WAITED], 2);
    finish();
}

static void two_ports_serve_two(void **state)
{
    struct tlb_cfg c = small;
    c.l2.ports = 2;
    start(&c);
    latency(0, 0);
    uint64_t from = b.now;
    struct packet *p[SMS];
    for (uint32_t s = 0; s < SMS; s++)
        p[s] = ask(s, MSG_READ, PAGE);
    for (uint32_t s = 0; s < SMS; s++)
        assert_int_equal(passes(s, p[s]), from + L2_HIT + s / 2);
    finish();
}

static void sms_share_a_walk(void **state)
{
    start(&small);
    uint64_t from = b.now;
    struct packet *first = ask(0, MSG_READ, 0);
    run_until(from + 50);
    struct packet *second = ask(1, MSG_READ, PAGE);      /* the same page of the shared TLB */
    assert_int_equal(passes(0, first), from + WALK);
    assert_int_equal(passes(1, second), from + WALK);
    assert_int_equal(b.count[0][STAT_TLB_L2_MISSES], 1);
    assert_int_equal(b.count[1][STAT_TLB_L2_MISSES], 0);
    assert_int_equal(b.count[1][STAT_TLB_L2_MERGED], 1);
    finish();
}

static void walks_wait_for_walkers(void **state)
{
    for (uint32_t walkers = 1; walkers <= 3; walkers++) {
        struct tlb_cfg c = small;
        c.l2.walkers = walkers;
        start(&c);
        struct packet *p[SMS];
        uint64_t from = b.now, end[SMS], waits = 0;
        for (uint32_t s = 0; s < SMS; s++) {
            p[s] = ask(s, MSG_READ, s * BIG);
            uint64_t looked_up = from + s, free = s < walkers ? 0 : end[s - walkers];
            waits += free > looked_up ? free - looked_up : 0;
            end[s] = (free > looked_up ? free : looked_up) + 100;
        }
        for (uint32_t s = 0; s < SMS; s++)
            assert_int_equal(passes(s, p[s]), end[s] + L2_HIT);
        assert_int_equal(b.count[0][STAT_TLB_WALK_WAITS] + b.count[1][STAT_TLB_WALK_WAITS] +
                         b.count[2][STAT_TLB_WALK_WAITS], waits);
        finish();
    }
}

static void the_shared_tlb_replaces_the_least_recently_used(void **state)
{
    struct tlb_cfg c = small;
    c.l1.entries = c.l1.ways = 1;
    start(&c);
    assert_int_equal(latency(0, 0), WALK);
    assert_int_equal(latency(0, BIG), WALK);
    assert_int_equal(latency(0, PAGE), L2_HIT);          /* big page 0 */
    assert_int_equal(latency(0, 2 * BIG), WALK);         /* replaces big page 1 */
    assert_int_equal(latency(0, 0), L2_HIT);
    assert_int_equal(latency(0, BIG), WALK);
    finish();
}

/* Every miss of an SM's TLB is a walk; those in flight are shared nevertheless. */
static void walkers_without_a_shared_tlb(void **state)
{
    struct tlb_cfg c = small;
    c.l1.entries = c.l1.ways = 1;
    c.l2.entries = c.l2.ways = 0;
    start(&c);
    assert_int_equal(latency(0, 0), WALK);
    assert_int_equal(latency(0, PAGE), WALK);
    uint64_t from = b.now;
    struct packet *p = ask(0, MSG_READ, 0), *q = ask(1, MSG_READ, 0);
    assert_int_equal(passes(0, p), from + WALK);
    assert_int_equal(passes(1, q), from + WALK);
    assert_int_equal(b.count[1][STAT_TLB_L2_MERGED], 1);
    finish();
}

static void cleared_tlbs_are_empty(void **state)
{
    start(&small);
    latency(0, 0);
    tlb_l1_clear(&b.l1[0]);
    assert_int_equal(latency(0, 0), L2_HIT);
    tlb_l1_clear(&b.l1[0]);
    tlb_l2_clear(b.l2);
    assert_int_equal(latency(0, 0), WALK);
    finish();
}

/* ---- a chain of requests over more and more memory (Jia et al., figure of section 3.8, in small) ---- */

/* The mean latency of the second round over so many pages, one request a page. */
static double round_trip(uint64_t pages)
{
    struct tlb_cfg c = small;
    c.l1.entries = c.l1.ways = 4;
    c.l2.entries = c.l2.ways = 8;
    uint64_t sum = 0;
    start(&c);
    for (uint64_t i = 0; i < 2 * pages; i++) {
        uint64_t here = latency(0, i % pages * PAGE);
        sum += i < pages ? 0 : here;
    }
    finish();
    return (double)sum / (double)pages;
}

/* The TLB of the SM covers 4 pages; the shared one 8 x 4, whose walks find 4 pages each. */
static void latency_has_three_plateaus(void **state)
{
    for (uint64_t pages = 1; pages <= 4; pages++)
        assert_true(round_trip(pages) == 0);
    for (uint64_t pages = 5; pages <= 32; pages++)
        assert_true(round_trip(pages) == L2_HIT);
    for (uint64_t pages = 36; pages <= 60; pages += 4)
        assert_true(round_trip(pages) == (3 * L2_HIT + WALK) / 4.0);
}

/* ---- random requests ---- */

static uint64_t rnd(uint64_t *seed, uint64_t n)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (*seed >> 11) % n;
}

struct outcome { uint64_t count[SMS][STAT_END], trace, visits, left, last[SMS], message[SMS]; };

/*
 * In the order in which they left: every request once, those of a page in their order; a message after all requests
 * before it, and those after it later.
 */
static void note(struct outcome *o, uint32_t sm, uint64_t *last, uint32_t pages)
{
    for (struct packet *p; (p = packet_pop(&b.out[sm]));) {
        uint32_t number = (uint32_t)(p - b.packet), page = (uint32_t)(p->line / PAGE);
        assert_true(page >= pages || number + 1 > last[page]);
        if (page < pages)
            last[page] = number + 1;
        assert_true(number + 1 > o->message[sm] && (page < pages || number + 1 > o->last[sm]));
        o->last[sm] = number + 1 > o->last[sm] ? number + 1 : o->last[sm];
        o->message[sm] = page < pages ? o->message[sm] : number + 1;
        o->left++;
        o->trace = (o->trace ^ (number * 8191 + b.now * SMS + sm)) * UINT64_C(0x100000001b3);
    }
}

/* window: cycles from one exchange to the next. every_cycle: visits each SM in each cycle. */
static struct outcome random_run(const struct tlb_cfg *c, uint64_t seed, uint64_t window, bool every_cycle)
{
    enum { PAGES = 24, REQUESTS = 900 };
    struct outcome o = { .trace = 1 };
    uint64_t last[SMS][PAGES] = { 0 };
    uint32_t asked[SMS] = { 0 };
    start(c);
    for (uint32_t made = 0; made < REQUESTS || b.l1[0].misses || b.l1[1].misses || b.l1[2].misses ||
                            b.l1[0].asked.n || b.l1[1].asked.n || b.l1[2].asked.n; b.now++) {
        assert_true(b.now < 1000000);
        for (uint32_t s = 0; s < SMS; s++) {
            if (made < REQUESTS && !rnd(&seed, 6)) {
                bool message = !rnd(&seed, 20);
                ask(s, message ? MSG_ENGINE : MSG_WRITE, (message ? PAGES : rnd(&seed, PAGES)) * PAGE);
                asked[s] += !message;
                made++;
            }
            if (every_cycle || (!tlb_l1_idle(&b.l1[s]) && tlb_l1_next(&b.l1[s], b.now - 1) <= b.now)) {
                tlb_l1_run(&b.l1[s], b.now);
                o.visits++;
            }
            note(&o, s, last[s], PAGES);
        }
        if (b.now % window == 0)
            exchange();
    }
    assert_int_equal(o.left, REQUESTS);
    uint64_t missed = 0, served = 0;
    for (uint32_t s = 0; s < SMS; s++) {
        const uint64_t *n = b.count[s];
        assert_int_equal(n[STAT_TLB_L1_HITS] + n[STAT_TLB_L1_MISSES] + n[STAT_TLB_L1_MERGED], asked[s]);
        missed += n[STAT_TLB_L1_MISSES];
        served += n[STAT_TLB_L2_HITS] + n[STAT_TLB_L2_MISSES] + n[STAT_TLB_L2_MERGED];
    }
    assert_int_equal(missed, served);
    memcpy(o.count, b.count, sizeof o.count);
    finish();
    return o;
}

/* The same whatever the windows, and whether idle cycles are visited. */
static void random_requests_are_all_translated(void **state)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct tlb_cfg c = small;
        uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15);
        c.l1.ways = c.l1.entries = 1 + (uint32_t)rnd(&x, 8);
        c.l1.misses = 1 + (uint32_t)rnd(&x, 4);
        c.l1.merges = 1 + (uint32_t)rnd(&x, 6);
        c.l1.ports = 1 + (uint32_t)rnd(&x, 2);
        c.l1.latency = (uint32_t)rnd(&x, 5);
        c.l2.entries = c.l2.ways = (uint32_t)rnd(&x, 5);
        c.l2.ports = 1 + (uint32_t)rnd(&x, 2);
        c.l2.walkers = 1 + (uint32_t)rnd(&x, 3);
        c.l2.walk_latency = 1 + (uint32_t)rnd(&x, 60);
        struct outcome a = random_run(&c, x, 1, true), same = random_run(&c, x, c.l2.latency, true),
                       skips = random_run(&c, x, 3, false);
        assert_memory_equal(a.count, same.count, sizeof a.count);
        assert_memory_equal(a.count, skips.count, sizeof a.count);
        assert_true(a.trace == same.trace && a.trace == skips.trace);
        assert_true(skips.visits < a.visits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_misses_once),
        cmocka_unit_test(the_least_recently_used_page_is_replaced),
        cmocka_unit_test(pages_conflict_in_sets),
        cmocka_unit_test(requests_take_the_latency_and_the_ports),
        cmocka_unit_test(requests_of_a_page_wait_together),
        cmocka_unit_test(hits_pass_misses),
        cmocka_unit_test(a_third_missing_page_blocks),
        cmocka_unit_test(a_fifth_request_of_a_page_blocks),
        cmocka_unit_test(messages_keep_their_place),
        cmocka_unit_test(ports_serve_sms_in_order),
        cmocka_unit_test(two_ports_serve_two),
        cmocka_unit_test(sms_share_a_walk),
        cmocka_unit_test(walks_wait_for_walkers),
        cmocka_unit_test(the_shared_tlb_replaces_the_least_recently_used),
        cmocka_unit_test(walkers_without_a_shared_tlb),
        cmocka_unit_test(cleared_tlbs_are_empty),
        cmocka_unit_test(latency_has_three_plateaus),
        cmocka_unit_test(random_requests_are_all_translated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
