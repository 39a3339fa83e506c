/* The address map: places worked out by hand, encode(decode(a)) == a, slices, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "memsys/dram/addrmap.h"

#define GTX480 "dramid@8;0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"

static const uint64_t BASE = 0x200000000000ull;

static struct addrmap parse(const char *text, uint32_t channels, uint32_t slices, bool hash)
{
    struct addrmap m;
    char error[256] = "";
    if (!addrmap_parse(&m, text, channels, slices, hash, BASE, error, sizeof error))
        fail_msg("%s", error);
    return m;
}

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

static void places_by_hand(void **state)
{
    struct addrmap m = parse(GTX480, 6, 2, false);
    /* 8 * 256 bytes on: channel 8 mod 6, quotient 1, which is the lowest bank bit. */
    struct dram_address a = addrmap_decode(&m, BASE + 8 * 256 + 0x45);
    assert_int_equal(a.channel, 2);
    assert_int_equal(a.bank, 1);
    assert_int_equal(a.slice, 2 * 2 + 1);
    assert_int_equal(a.column, 1);
    assert_int_equal(a.byte, 5);
    assert_int_equal(a.row, 0);
    /* The quotient from its lowest bit: a bank bit, four column bits, three bank bits, the row. */
    a = addrmap_decode(&m, BASE + (6ull * (1 | 0xA << 1 | 5 << 5 | 0x123 << 8) + 3) * 256);
    assert_int_equal(a.channel, 3);
    assert_int_equal(a.bank, 5 << 1 | 1);
    assert_int_equal(a.column, 0xA << 2);
    assert_int_equal(a.row, 0x123);
}

/* Bits above the string, and those named 0, go on with the row. */
static void upper_bits_are_row(void **state)
{
    struct addrmap m = parse("00RR.BCCC.SSSS", 1, 1, false);
    assert_int_equal(addrmap_decode(&m, BASE + (0x2D7ull << 8)).row, 0x2D7);
    m = parse("BBRR.BCCC.SSSS", 1, 1, false);
    assert_int_equal(addrmap_decode(&m, BASE + (1ull << 12)).row, 4);
    assert_int_equal(addrmap_decode(&m, BASE + (3ull << 10)).row, 0);
    assert_int_equal(addrmap_decode(&m, BASE + (3ull << 10)).bank, 6);
}

struct shape { const char *text; uint32_t channels, slices; bool hash; };
static const struct shape SHAPES[] = {
    { GTX480, 6, 2, false }, { GTX480, 1, 1, false }, { GTX480, 32, 2, true }, { GTX480, 8, 3, true },
    { GTX480, 255, 16, false }, { "dramid@8;RRRRRRRRRRRRRR.BBBCCCCB.CCCSSSSS", 32, 2, false },
    { "RRRRRRRR.RRRRBBBC.CCDDDBCC.CCSSSSSS", 8, 2, false }, { "RRRRRRRR.RRRRBBBC.CCDDDBCC.CCSSSSSS", 8, 2, true },
    { "DRRRRRRR.RRBRBCDC.CCDDCBCC.CCSSSSSS", 16, 4, true }, { "RRRR.BBCC.CCCSSSSS", 1, 4, true },
    { "dramid@16;RRRR.RBBB.CCCCCCSSSSSS", 7, 1, false },
};
enum { NSHAPES = sizeof SHAPES / sizeof *SHAPES };

static void check_address(const struct addrmap *m, const struct shape *s, uint64_t address)
{
    struct dram_address a = addrmap_decode(m, address);
    assert_true(a.channel < s->channels);
    assert_true(a.bank < 1u << m->nbits[ADDR_BANK]);
    assert_int_equal(addrmap_encode(m, &a), address);
    assert_int_equal(a.slice, a.channel * s->slices + a.bank % s->slices);
    assert_int_equal(addrmap_slice(m, address), a.slice);
    /* A line lies in one row. */
    struct dram_address line = addrmap_decode(m, address & ~127ull);
    assert_true(a.channel == line.channel && a.bank == line.bank && a.row == line.row);
    assert_true(a.column - line.column <= 127);
}

static void round_trips(void **state)
{
    uint64_t x = 88172645463325252ull;
    for (size_t i = 0; i < NSHAPES; i++) {
        const struct shape *s = &SHAPES[i];
        struct addrmap m = parse(s->text, s->channels, s->slices, s->hash);
        for (int n = 0; n < 20000; n++)
            check_address(&m, s, BASE + (next_random(&x) >> (24 + n % 32)));
        for (uint64_t a = 0; a < 1 << 14; a += 32)
            check_address(&m, s, BASE + a);
    }
}

/* Granules of 256 bytes go round the channels; a multiple of a row's size away, a hash spreads what D bits do not. */
static void channels_are_used_evenly(void **state)
{
    struct addrmap m = parse(GTX480, 6, 2, false), plain = parse(GTX480, 8, 2, false), hash = parse(GTX480, 8, 2, true);
    unsigned n[6] = { 0 }, with = 0, without = 0;
    for (uint64_t a = 0; a < 6 * 512 * 256; a += 256)
        n[addrmap_decode(&m, BASE + a).channel]++;
    for (int i = 0; i < 6; i++)
        assert_int_equal(n[i], 512);
    for (uint64_t a = 0; a < 64; a++) {
        without |= 1u << addrmap_decode(&plain, BASE + (a << 19)).channel;
        with |= 1u << addrmap_decode(&hash, BASE + (a << 19)).channel;
    }
    assert_int_equal(without, 1);
    assert_int_equal(with, 255);
}

/* The reciprocal is exact on both sides of every multiple of the number of channels, up to the end of 64 bits. */
static void any_number_of_channels(void **state)
{
    for (uint32_t channels = 1; channels <= 256; channels++) {
        struct addrmap m = parse(GTX480, channels, 1, false);
        uint64_t last = UINT64_MAX >> 8;
        for (int i = 0; i < 56; i++)
            for (uint64_t d = 0; d < 3; d++) {
                uint64_t x = ((last >> i) / channels * channels + d - 1) & last;
                assert_int_equal(addrmap_decode(&m, BASE + (x << 8)).channel, x % channels);
            }
    }
}

static void refusals(void **state)
{
    static const struct { struct shape s; const char *says; } rows[] = {
        { { "dramid@8;RRRRXBBBB.CCCCSSSSSS", 6, 1, false }, "column 14: 'X'" },
        { { "RRRRrBBBB.CCCCSSSSSS", 1, 1, false }, "column 5: 'r'" },
        { { "", 1, 1, false }, "no letter R" },
        { { "RRRR.BBBB.SSSSSSS", 1, 1, false }, "no letter C" },
        { { "BBBB.CCCC.SSSSSSS", 1, 1, false }, "no letter R" },
        { { "RRRR.BBBB.CCCCCCC", 1, 1, false }, "no letter S" },
        { { "RRRR0BBBB.CCCCSSSSSS", 1, 1, false }, "column 5: 0 may only" },
        { { "RRRR.BBBB.SSCCSSSSSS", 1, 1, false }, "column 12: S must be the lowest" },
        { { "RRRR.CCCC.BSSSSS", 1, 1, false }, "column 11: B is bit 5" },
        { { "RRRRDD.BBBB.CCCCSSSSSS", 8, 1, false }, "column 1: 2 letters D, but 8 channels need 3" },
        { { "RRRRDD.BBBB.CCCCSSSSSS", 2, 1, false }, "2 letters D, but 2 channels need 1" },
        { { "RRRR.BBBB.CCCCSSSSSS", 6, 1, false }, "6 channels are no power of two" },
        { { "dramid@8;RRRRD.BBBB.CCCCSSSSSS", 2, 1, false }, "column 14: D cannot be used" },
        { { "dramid@5;RRRR.BBBB.CCCCSSSSSS", 2, 1, false }, "column 8: the channel must be taken out between" },
        { { "dramid@40;RRRR.BBBB.CCCCSSSSSS", 2, 1, false }, "column 8: the channel must be taken out between" },
        { { "dramid@;RRRR.BBBB.CCCCSSSSSS", 2, 1, false }, "column 8: expected a bit number" },
        { { "dramid@8RRRR.BBBB.CCCCSSSSSS", 2, 1, false }, "column 8: expected a bit number" },
        { { "dramid@99;RRRR.BBBB.CCCCSSSSSS", 2, 1, false }, "column 8: expected a bit number" },
        { { "dramid@8;RRRR.BBBB.CCCCSSSSSS", 6, 1, true }, "hashed channel needs a power of two" },
        { { "RRRR.B.CCCCSSSSSS", 1, 4, false }, "fewer banks than the 4 slices" },
        { { "RRRR.B.CCCCSSSSSS", 0, 1, false }, "no channels" },
        { { "RRRR.B.CCCCSSSSSS", 1, 0, false }, "no slices" },
        { { "RRRRRRRR.RRRRRRRR.RRRRRRRR.RRRRRRRR.R.B.CCCCSSSSSS", 1, 1, false }, "column 1: more than 32 letters R" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct addrmap m;
        char error[256] = "";
        const struct shape *s = &rows[i].s;
        assert_false(addrmap_parse(&m, s->text, s->channels, s->slices, s->hash, 0, error, sizeof error));
        if (!strstr(error, rows[i].says) || strchr(error, '\n'))
            fail_msg("%s: said \"%s\", not \"%s\"", s->text, error, rows[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_by_hand),
        cmocka_unit_test(upper_bits_are_row),
        cmocka_unit_test(round_trips),
        cmocka_unit_test(channels_are_used_evenly),
        cmocka_unit_test(any_number_of_channels),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
