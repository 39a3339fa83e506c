/* Clocks: crossings against long division, edges that meet, far edges. The timing wheel against a plain table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "memsys/clock.h"
#include "memsys/wheel.h"

__extension__ typedef unsigned __int128 wide;

static uint64_t draw(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* The definition: the first edge m with m / to >= n / from. */
static uint64_t first_edge(uint64_t from, uint64_t to, uint64_t n)
{
    wide at = (wide)n * to;
    return (uint64_t)(at / from) + (at % from != 0);
}

static const uint64_t KHZ[][CLK_COUNT] = {
    { 1300000, 650000, 800000, 924000 }, { 1530000, 1530000, 1530000, 877000 }, { 700000, 1400000, 700000, 1848000 },
    { 1000000, 999999, 1000001, 20000000 }, { 1000, 20000000, 19999999, 1 },
};

enum { SETS = sizeof KHZ / sizeof *KHZ };

static void crossings_round_as_they_say(void **state)
{
    uint64_t random = 88172645463325252u;
    for (int s = 0; s < SETS; s++) {
        struct clocks c;
        clocks_set(&c, KHZ[s]);
        for (int pair = 0; pair < CLK_COUNT * CLK_COUNT; pair++)
            for (uint64_t i = 0; i < 3000; i++) {
                enum clock_domain f = (unsigned)pair / CLK_COUNT, t = (unsigned)pair % CLK_COUNT;
                uint64_t n = i < 1000 ? i : draw(&random) >> (26 + draw(&random) % 38);
                assert_true(clock_convert(&c, f, t, n) == first_edge(KHZ[s][f], KHZ[s][t], n));
                assert_true(clock_floor(&c, f, t, n) == (uint64_t)((wide)n * KHZ[s][t] / KHZ[s][f]));
                uint64_t first = clock_first(&c, f, t, n);
                assert_true(clock_convert(&c, f, t, first) >= n);
                assert_true(first == 0 || clock_convert(&c, f, t, first - 1) < n);
            }
    }
}

static void crossings_of_multiples_meet(void **state)
{
    for (int s = 0; s < SETS; s++) {
        struct clocks c;
        clocks_set(&c, KHZ[s]);
        for (int pair = 0; pair < CLK_COUNT * CLK_COUNT; pair++) {
            enum clock_domain f = (unsigned)pair / CLK_COUNT, t = (unsigned)pair % CLK_COUNT;
            const struct clock_ratio *r = &c.ratio[f][t];
            for (uint64_t k = 0; k <= 1000; k++) {
                assert_true(clock_convert(&c, f, t, k * r->div) == k * r->mul);
                assert_true(clock_convert(&c, f, t, k * r->div + 1) == k * r->mul + (r->mul + r->div - 1) / r->div);
            }
        }
    }
}

static void far_edges_and_never(void **state)
{
    struct clocks c;
    clocks_set(&c, KHZ[0]);
    assert_true(clock_convert(&c, CLK_CORE, CLK_L2, NEVER) == NEVER);
    assert_true(clock_convert(&c, CLK_CORE, CLK_CORE, NEVER) == NEVER);
    assert_true(clock_convert(&c, CLK_CORE, CLK_CORE, NEVER - 1) == NEVER - 1);
    uint64_t exact = c.ratio[CLK_CORE][CLK_L2].exact;
    for (uint64_t n = exact - 1000; n < exact + 1000; n++) {
        assert_true(clock_convert(&c, CLK_CORE, CLK_L2, n) == first_edge(1300000, 800000, n));
        assert_true(clock_floor(&c, CLK_CORE, CLK_L2, n) == (uint64_t)((wide)n * 8 / 13));
    }
    assert_true(clock_floor(&c, CLK_CORE, CLK_L2, NEVER) == NEVER);
    assert_true(clock_first(&c, CLK_CORE, CLK_L2, NEVER) == NEVER);
    assert_true(clock_convert(&c, CLK_XBAR, CLK_CORE, NEVER - 1) == NEVER - 1);
}

static void edges_compare_in_real_time(void **state)
{
    struct clocks c;
    clocks_set(&c, KHZ[0]);
    assert_false(clock_before(&c, CLK_CORE, 2, CLK_XBAR, 1));
    assert_false(clock_before(&c, CLK_XBAR, 1, CLK_CORE, 2));
    assert_true(clock_before(&c, CLK_CORE, 1, CLK_XBAR, 1));
    assert_true(clock_before(&c, CLK_L2, 8, CLK_CORE, 14));
    assert_false(clock_before(&c, CLK_L2, 8, CLK_CORE, 13));
    assert_true(clock_before(&c, CLK_L2, 1u << 30, CLK_CORE, NEVER));
    assert_false(clock_before(&c, CLK_L2, NEVER, CLK_CORE, 1));
    assert_false(clock_before(&c, CLK_L2, NEVER, CLK_CORE, NEVER));
}

enum { TIMERS = 150 };

/* Fires what the wheel says is due in cycle `now` and checks each against the table. */
static unsigned fire(struct wheel *w, uint64_t now, uint64_t expected[TIMERS])
{
    unsigned fired = 0;
    if (!wheel_advance(w, now))
        return 0;
    for (uint32_t word = 0; word < w->words; word++)
        for (uint64_t m = wheel_expired(w, word); m; m &= m - 1) {
            uint32_t timer = word * 64 + (unsigned)__builtin_ctzll(m);
            assert_true(expected[timer] == now);
            assert_false(wheel_is_set(w, timer));
            expected[timer] = NEVER;
            fired++;
        }
    return fired;
}

static void timers_fire_in_their_cycle(void **state)
{
    struct wheel w;
    uint64_t random = 4101842887655102017u, expected[TIMERS];
    unsigned set = 0, fired = 0;
    wheel_init(&w, 3);
    for (int t = 0; t < TIMERS; t++)
        expected[t] = NEVER;
    assert_true(wheel_next(&w) == NEVER);
    for (int step = 0; step < 20000; step++) {
        uint32_t timer = draw(&random) % TIMERS;
        if (!wheel_is_set(&w, timer)) {
            expected[timer] = w.now + draw(&random) % (step % 3 ? 50 : 500);
            wheel_set(&w, timer, expected[timer]);
            set++;
        }
        uint64_t next = wheel_next(&w);
        for (int t = 0; t < TIMERS; t++)
            assert_true(next <= expected[t]);
        if (draw(&random) % 2) {
            fired += fire(&w, next, expected);
            w.now = next + 1;
        }
    }
    for (uint64_t next; (next = wheel_next(&w)) != NEVER; w.now = next + 1)
        fired += fire(&w, next, expected);
    assert_int_equal(fired, set);
    wheel_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossings_round_as_they_say),
        cmocka_unit_test(crossings_of_multiples_meet),
        cmocka_unit_test(far_edges_and_never),
        cmocka_unit_test(edges_compare_in_real_time),
        cmocka_unit_test(timers_fire_in_their_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
