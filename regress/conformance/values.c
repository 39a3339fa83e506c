/*
 * Values that find mistakes: limits of every width, signed zeros, infinities, NaNs of both kinds with
 * payloads, subnormals, halves between two integers and between two floats, numbers around powers of two.
 */
#include "regress/conformance/values.h"

#include <stddef.h>

#include "base/random.h"
#include "ptx/program/ir.h"

static const uint64_t integers[] = { 0,
                                     1,
                                     2,
                                     3,
                                     5,
                                     7,
                                     8,
                                     15,
                                     16,
                                     17,
                                     24,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     65,
                                     100,
                                     127,
                                     128,
                                     129,
                                     255,
                                     256,
                                     257,
                                     0x7ffe,
                                     0x7fff,
                                     0x8000,
                                     0x8001,
                                     0xfffe,
                                     0xffff,
                                     0x10000,
                                     0x7fffff,
                                     0x800000,
                                     0xffffff,
                                     0x1000000,
                                     0x7ffffffe,
                                     0x7fffffff,
                                     0x80000000,
                                     0x80000001,
                                     0xfffffffe,
                                     0xffffffff,
                                     0x100000000,
                                     0x5555555555555555,
                                     0xaaaaaaaaaaaaaaaa,
                                     0x0123456789abcdef,
                                     0xfedcba9876543210,
                                     0x7ffffffffffffffe,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0x8000000000000001,
                                     0xffffffff00000000,
                                     0xfffffffffffffffe,
                                     0xffffffffffffffff };
static const uint64_t f32[] = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
    0x7fffffff, 0x7f800001, 0xff812345, 0x7fa00001, 1,          0x80000001, 0x007fffff, 0x807fffff,
    0x00400000, 0x00800000, 0x80800000, 0x00800001, 0x7f7fffff, 0xff7fffff, 0x7effffff, 0x7f000000,
    0x3f000000, 0xbf000000, 0x3effffff, 0x3f000001, 0x3f7fffff, 0x3f800001, 0x3fc00000, 0xbfc00000,
    0x40200000, 0xc0200000, 0x40400000, 0x4b000000, 0x4b000001, 0x4b7fffff, 0x4b800000, 0x4effffff,
    0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000,
    0x5f800000, 0x43000000, 0x42fe0000, 0x42ff0000, 0xc3000000, 0xc3008000, 0x437f0000, 0x437f8000,
    0x46fffe00, 0x47000000, 0x477fff00, 0x477fff80, 0x477fe000, 0x477fefff, 0x477ff000, 0x38800000,
    0x387fe000, 0x33800000, 0x33000000, 0x33000001, 0x32ffffff, 0x34000000, 0x3f801000, 0x3f803000,
    0x3f808000, 0x3f818000, 0x7f7f8000, 0x7f7fffff, 0x40490fdb, 0x3fc90fdb, 0xc0490fdb, 0x42c80000,
    0x43160000, 0xc3160000, 0x42fc0000, 0xc2fc0000, 0xc2fc8000, 0x7e800000, 0x7e800001, 0x00200000,
    0x3fb504f3, 0x3e800000
};
static const uint64_t f64[] = { 0,
                                0x8000000000000000,
                                0x3ff0000000000000,
                                0xbff0000000000000,
                                0x7ff0000000000000,
                                0xfff0000000000000,
                                0x7ff8000000000000,
                                0xfff8000000000000,
                                0x7fffffffffffffff,
                                0x7ff0000000000001,
                                0xfff0123456789abc,
                                0x7ff4000000000001,
                                1,
                                0x8000000000000001,
                                0x000fffffffffffff,
                                0x800fffffffffffff,
                                0x0010000000000000,
                                0x8010000000000000,
                                0x7fefffffffffffff,
                                0xffefffffffffffff,
                                0x7fdfffffffffffff,
                                0x3fe0000000000000,
                                0xbfe0000000000000,
                                0x3fdfffffffffffff,
                                0x3fefffffffffffff,
                                0x3ff0000000000001,
                                0x3ff8000000000000,
                                0xbff8000000000000,
                                0x4004000000000000,
                                0xc004000000000000,
                                0x4330000000000000,
                                0x4330000000000001,
                                0x433fffffffffffff,
                                0x4340000000000000,
                                0x41dfffffffc00000,
                                0x41e0000000000000,
                                0xc1e0000000000000,
                                0xc1e0000000200000,
                                0x41efffffffe00000,
                                0x41efffffffefffff,
                                0x41f0000000000000,
                                0x43dfffffffffffff,
                                0x43e0000000000000,
                                0xc3e0000000000000,
                                0xc3e0000000000001,
                                0x43efffffffffffff,
                                0x43f0000000000000,
                                0x47efffffe0000000,
                                0x47efffffefffffff,
                                0x47effffff0000000,
                                0x47f0000000000000,
                                0x3810000000000000,
                                0x380fffffffffffff,
                                0x36a0000000000000,
                                0x3690000000000000,
                                0x3690000000000001,
                                0x368fffffffffffff,
                                0x3ff0000010000000,
                                0x3ff0000030000000,
                                0x3ff0000010000001,
                                0x40effc0000000000,
                                0x40effdffffffffff,
                                0x40effe0000000000,
                                0x3e70000000000000,
                                0x3e60000000000001,
                                0x3ff0020000000000,
                                0x3ff0020000000001,
                                0x3ff01000000000ff,
                                0x405fe00000000000,
                                0x4060000000000000,
                                0xc060100000000000,
                                0x406fe00000000000 };
static const uint64_t f16[] = { 0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7fff,
                                0x7c01, 0xfd55, 1,      0x8001, 0x3ff,  0x83ff, 0x400,  0x8400, 0x7bff,
                                0xfbff, 0x3800, 0xb800, 0x37ff, 0x3801, 0x3bff, 0x3c01, 0x3e00, 0xbe00,
                                0x4100, 0xc100, 0x6400, 0x67ff, 0x77ff, 0x7800 };
static const uint64_t bf16[] = { 0,      0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7fff,
                                 0x7f81, 0xffaa, 1,      0x8001, 0x7f,   0x807f, 0x80,   0x8080, 0x7f7f,
                                 0xff7f, 0x3f00, 0xbf00, 0x3eff, 0x3f01, 0x3f7f, 0x3f81, 0x3fc0, 0xbfc0,
                                 0x4020, 0xc020, 0x4300, 0x437f, 0x4f00, 0x7f00 };

struct list { const uint64_t *at; int n; };
#define LIST(a) (struct list){ a, sizeof a / sizeof *a }

static struct list list_of(uint8_t type)
{
    switch (type) {
    case T_F32: return LIST(f32);
    case T_F64: return LIST(f64);
    case T_F16: case T_F16X2: return LIST(f16);
    case T_BF16: case T_BF16X2: return LIST(bf16);
    default: return LIST(integers);
    }
}

static uint64_t mask_of(uint8_t type)
{
    int n = ptx_type_size(type);
    return type == T_PRED ? 1 : n >= 8 ? ~0ull : (1ull << 8 * n) - 1;
}

static bool is_pair(uint8_t type)
{
    return type == T_F16X2 || type == T_BF16X2 || type == T_U16X2 || type == T_S16X2;
}

uint64_t values_next(struct values_random *r)
{
    return random_next(&r->s);
}

int values_edges(uint8_t type) { return type == T_PRED ? 2 : list_of(type).n; }

uint64_t values_edge(uint8_t type, int i)
{
    struct list l = list_of(type);
    uint64_t v = type == T_PRED ? (uint64_t)i : l.at[i % l.n];
    if (is_pair(type))
        v = (v & 0xffff) | (l.at[(i * 7 + 3) % l.n] & 0xffff) << 16;
    return v & mask_of(type);
}

/* Floats whose exponents lie close together, so that sums cancel and products stay in range. */
static uint64_t near_float(uint8_t type, uint64_t bits)
{
    switch (type) {
    case T_F32: return (bits & 0x807fffff) | (120 + (bits >> 40) % 16) << 23;
    case T_F64: return (bits & 0x800fffffffffffff) | (1015 + (bits >> 53) % 16) << 52;
    case T_F16: return (bits & 0x83ff) | (11 + (bits >> 40) % 8) << 10;
    case T_BF16: return (bits & 0x807f) | (121 + (bits >> 40) % 12) << 7;
    case T_F16X2: return near_float(T_F16, bits & 0xffff) | near_float(T_F16, bits >> 32 & 0xffff) << 16;
    case T_BF16X2: return near_float(T_BF16, bits & 0xffff) | near_float(T_BF16, bits >> 32 & 0xffff) << 16;
    default: return bits >> bits % 64;           /* integers of every magnitude */
    }
}

uint64_t values_pick(uint8_t type, struct values_random *r)
{
    uint64_t v = values_next(r), kind = values_next(r) % 8;
    if (kind < 3)
        return values_edge(type, (int)(v % (uint64_t)values_edges(type)));
    if (kind < 6)
        v = near_float(type, v);
    return v & mask_of(type);
}
