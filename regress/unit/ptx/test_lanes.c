/*
 * Lane functions against scalar C. Every legal combination of the table runs on random and special inputs:
 * all vector widths must give the same bits, a partial mask must change its lanes only, and a destination
 * may be a source. What the instructions compute is then compared with wide integers, the host's
 * floating-point environment and 128-bit floats.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/lanes/lanes.h"
#include "ptx/isa/ops_check.h"

enum { SLOT = 512, NSRC = 4, DST = 0, DST2 = 5 * SLOT, MEMORY = 6 * SLOT };

static uint64_t seed = 1;

static uint64_t rnd64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1du;
}

/* A value of `bytes` bytes: often a boundary, a NaN, a subnormal or a small number. */
static uint64_t interesting(int bytes)
{
    static const uint64_t s16[] = {
        0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 1, 0x83ff, 0x3c00, 0x7bff, 0x7fff, 0xffff, 0x7f80, 0xff80,
        0x7fc0, 0x80, 0x3f80
    };
    static const uint64_t s32[] = {
        0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 1, 0x807fffff, 0x3f800000, 0xbf800000,
        0x7f7fffff, 0x00800000, 0x7fffffff, 0xffffffff, 0x4f000000, 0x4effffff, 0xcf000000, 0x3f000000,
        0x3fc00000, 0x7e800001
    };
    static const uint64_t s64[] = {
        0, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0x7ff0000000000001,
        1, 0x800fffffffffffff, 0x3ff0000000000000, 0x7fefffffffffffff, 0x0010000000000000, 0x7fffffffffffffff,
        0xffffffffffffffff, 0x43e0000000000000, 0x41dfffffffc00000, 0x3fe0000000000000, 0x36a0000000000001,
        0x47efffffffffffff
    };
    uint64_t r = rnd64();
    if (r % 8 < 3)
        return bytes == 2 ? s16[rnd64() % (sizeof s16 / 8)] : bytes == 4 ? s32[rnd64() % (sizeof s32 / 8)]
                                                                          : s64[rnd64() % (sizeof s64 / 8)];
    if (r % 8 == 3)
        return rnd64() % 70 - 3;
    if (r % 8 == 4 && bytes == 4)                /* a float of moderate size */
        return (rnd64() & 0x80ffffff) | (0x3a + rnd64() % 12) << 24;
    if (r % 8 == 4 && bytes == 8)
        return (rnd64() & 0x800fffffffffffffu) | (0x3e0 + rnd64() % 0x50) << 52;
    return rnd64();
}

static void fill(char *memory, int bytes)
{
    for (int i = 0; i < MEMORY; i += bytes) {
        uint64_t v = interesting(bytes);
        memcpy(memory + i, &v, (size_t)bytes);
    }
}

static void set_up(struct lanes *x, struct dinst *d, char *memory, uint32_t mask)
{
    *x = (struct lanes){ .base = { memory, memory }, .mask = mask, .active = mask, .exist = ~0u,
        .cc = 0x5a3c96f1 };
    *d = (struct dinst){ .dst = DST, .dst2 = DST2, .src = { SLOT, 2 * SLOT, 3 * SLOT, 4 * SLOT } };
}

static bool here(int isa)
{
    return lanes_isa_find(lanes_isa_name((enum lanes_isa)isa)) != ISA_COUNT;
}

static void name_of(const struct ptx_inst *in, char *buf, size_t n)
{
    size_t at = (size_t)snprintf(buf, n, "%s", ptx_ops[in->op].text);
    for (int g = 0; g < PG_COUNT; g++)
        if (in->mod[g])
            at += (size_t)snprintf(buf + at, n - at, ".%s", ptx_modifier_name(in->mod[g]));
    for (int t = 0; t < 3; t++)
        if (in->type[t])
            at += (size_t)snprintf(buf + at, n - at, ".%s", ptx_type_name(in->type[t]));
}

static void run(int isa, const struct ptx_inst *in, char *memory, uint32_t mask, uint32_t *cc, operand alias)
{
    struct lanes x;
    struct dinst d;
    set_up(&x, &d, memory, mask);
    if (alias)
        d.dst = alias;
    d.fn = lanes_select((enum lanes_isa)isa, in, &d);
    assert_non_null(d.fn);
    assert_int_equal(d.fn(&x, &d), 0);
    *cc = x.cc;
}

static void expect_same(const struct ptx_inst *in, const char *what, const char *a, const char *b)
{
    char name[200];
    if (!memcmp(a, b, MEMORY))
        return;
    name_of(in, name, sizeof name);
    for (int i = 0; i < MEMORY; i += 4)
        if (memcmp(a + i, b + i, 4))
            fail_msg("%s: %s differ at slot %d byte %d: %08x %08x", name, what, i / SLOT, i % SLOT,
                     *(const uint32_t *)(a + i), *(const uint32_t *)(b + i));
}

static char start[MEMORY] __attribute__((aligned(64)));
static char full[MEMORY] __attribute__((aligned(64)));
static char other[MEMORY] __attribute__((aligned(64)));

/* Bytes of a destination element; 0 for predicates. */
static int dst_bytes(const struct ptx_inst *in)
{
    const char *sig = ptx_sig((enum ptx_op)in->op, in->mod);
    int n = ptx_type_size(in->type[0]);
    if (*sig == 'p' || in->type[0] == T_PRED)
        return 0;
    return *sig == 'e' ? 4 : *sig == 'D' ? 2 * n : n == 1 ? 2 : n;
}

/* The result of all lanes, put together with the start by the mask, is what a masked run must give. */
static void merge(const struct ptx_inst *in, char *to, uint32_t mask)
{
    int n = dst_bytes(in), parts = n == 16 ? 2 : 1;
    for (int i = 0; i < LANES && n; i++)
        for (int k = 0; k < parts; k++)
            if (!(mask >> i & 1))
                memcpy(to + k * 256 + i * (n / parts), start + k * 256 + i * (n / parts),
                    (size_t)(n / parts));
    for (int slot = 0; slot <= DST2; slot += DST2) {
        if (slot == DST && n)
            continue;
        uint32_t a, b;
        memcpy(&a, to + slot, 4);
        memcpy(&b, start + slot, 4);
        a = (a & mask) | (b & ~mask);
        memcpy(to + slot, &a, 4);
    }
}

/* One number for all results, to compare builds by different compilers. */
static uint64_t digest = 0xcbf29ce484222325u;

static void add_to_digest(const char *memory)
{
    for (int i = 0; i < MEMORY; i += 8)
        digest = (digest ^ *(const uint64_t *)(memory + i)) * 0x100000001b3u;
}

static bool check_combination(const struct ptx_inst *in, void *arg)
{
    (void)arg;
    uint32_t cc, cc2;
    bool crosses = ptx_ops[in->op].unit == PTX_UNIT_WARP;
    for (int round = 0; round < 3; round++) {
        fill(start, 2 << round);
        memcpy(full, start, MEMORY);
        run(ISA_BASE, in, full, ~0u, &cc, 0);
        add_to_digest(full);
        for (int isa = ISA_BASE; isa < ISA_COUNT; isa++) {
            if (!here(isa))
                continue;
            memcpy(other, start, MEMORY);
            run(isa, in, other, ~0u, &cc2, 0);
            expect_same(in, lanes_isa_name((enum lanes_isa)isa), full, other);
            assert_int_equal(cc, cc2);
            if (crosses)
                continue;
            uint32_t mask = (uint32_t)rnd64() | 1;
            memcpy(other, start, MEMORY);
            run(isa, in, other, mask, &cc2, 0);
            char expected[MEMORY];
            memcpy(expected, full, MEMORY);
            merge(in, expected, mask);
            expect_same(in, "masked and full", expected, other);
            assert_int_equal(cc2, (cc & mask) | (0x5a3c96f1 & ~mask));
        }
    }
    return true;
}

static void all_combinations(void **state)
{
    (void)state;
    char why[256];
    assert_true(ptx_table_selftest(why, sizeof why) > 5000);
    assert_true(ptx_table_walk(check_combination, NULL) > 5000);
}

/* The destination is one of the sources of the same width. */
static bool check_alias(const struct ptx_inst *in, void *arg)
{
    (void)arg;
    uint32_t cc;
    const char *sig = ptx_sig((enum ptx_op)in->op, in->mod);
    int n = dst_bytes(in), from = 1;
    if (in->op == OP_ACTIVEMASK || n == 0)
        return true;
    sig += strcspn(sig, ",") + 1;
    for (; *sig && from <= 3; sig += strcspn(sig, ",") + (strchr(sig, ',') != NULL), from++) {
        int want = *sig == 'a' || *sig == 's' ? ptx_type_size(in->type[0]) :
            *sig == 'b' ? ptx_type_size(in->type[1]) :
                   *sig == 'u' ? 4 : 0;
        if ((want == 1 ? 2 : want) != n)
            continue;
        fill(start, n > 8 ? 8 : n);
        memcpy(full, start, MEMORY);
        run(ISA_BASE, in, full, 0xffff3f5f, &cc, 0);
        for (int isa = ISA_BASE; isa < ISA_COUNT; isa++) {
            if (!here(isa))
                continue;
            memcpy(other, start, MEMORY);
            memcpy(other, start + from * SLOT, SLOT);        /* lanes outside the mask keep the source */
            char expected[MEMORY];
            memcpy(expected, other, MEMORY);
            run(ISA_BASE, in, expected, 0xffff3f5f, &cc, 0);
            run(isa, in, other, 0xffff3f5f, &cc, (operand)(from * SLOT));
            if (memcmp(expected, other + from * SLOT, (size_t)n * LANES)) {
                char name[200];
                name_of(in, name, sizeof name);
                fail_msg("%s: destination = source %d (%s)", name, from, lanes_isa_name((enum lanes_isa)isa));
            }
        }
    }
    return true;
}

static void destination_is_source(void **state)
{
    (void)state;
    assert_true(ptx_table_walk(check_alias, NULL) > 5000);
}

/* ---- against scalar references ---- */

static struct ptx_inst instruction(const char *text)
{
    struct ptx_inst in = { 0 };
    char words[80], *save = NULL;
    const char *why;
    int types = 0;
    snprintf(words, sizeof words, "%s", text);
    char *w = strtok_r(words, ".", &save);
    in.op = ptx_op_find(w, (int)strlen(w));
    for (int i = 0; i < PTX_MAX_OPD; i++)
        in.opd[i].kind = OPD_REG;
    while ((w = strtok_r(NULL, ".", &save))) {
        int len = (int)strlen(w);
        uint8_t m;
        enum ptx_type t = ptx_type_find(w, len);
        if (t && types < 3)
            in.type[types++] = (uint8_t)t;
        for (int g = 0; g < PG_COUNT && !t; g++)
            if ((ptx_ops[in.op].groups >> g & 1) && (m = ptx_modifier_find((enum ptx_group)g, w, len))) {
                in.mod[g] = m;
                break;
            }
    }
    in.nopd = in.op == OP_CVT && in.type[0] != T_F16X2 ? 2 : PTX_MAX_OPD;
    if (!ptx_form_ok(&in, &why))
        fail_msg("%s: %s", text, why);
    return in;
}

static char work[MEMORY] __attribute__((aligned(64)));

static uint64_t at(const char *memory, int slot, int bytes, int lane)
{
    uint64_t v = 0;
    memcpy(&v, memory + slot + bytes * lane, (size_t)bytes);
    return v;
}

/* ref(a, b, c) gives the expected bits; `bytes` are the widths of destination and sources. */
typedef uint64_t reference(uint64_t a, uint64_t b, uint64_t c);

static void compare(const char *text, const int bytes[4], reference *ref)
{
    struct ptx_inst in = instruction(text);
    uint32_t cc;
    for (int i = 0; i < LANES; i++)              /* a fourth operand, of bfi, is 8 */
        ((uint32_t *)(work + 4 * SLOT))[i] = 8;
    for (int round = 0; round < 40; round++) {
        for (int s = 0; s < 4; s++)
            for (int i = 0; i < LANES; i++) {
                uint64_t v = interesting(bytes[s]);
                memcpy(work + s * SLOT + i * bytes[s], &v, (size_t)bytes[s]);
            }
        memcpy(other, work, MEMORY);
        run(lanes_best_isa(), &in, work, ~0u, &cc, 0);
        for (int i = 0; i < LANES; i++) {
            uint64_t v[4];
            for (int s = 1; s < 4; s++)
                v[s] = at(other, s * SLOT, bytes[s], i);
            uint64_t want = ref(v[1], v[2], v[3]), got = at(work, 0, bytes[0], i);
            if (bytes[0] < 8)
                want &= (1ull << 8 * bytes[0]) - 1;
            if (want != got)
                fail_msg("%s(%llx, %llx, %llx) = %llx, expected %llx", text, (unsigned long long)v[1],
                         (unsigned long long)v[2], (unsigned long long)v[3], (unsigned long long)got,
                         (unsigned long long)want);
        }
    }
}

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;
#define REF(name, expr)                                                                       \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c)                                  \
    {                                                                                         \
        (void)b, (void)c;                                                                     \
        return (uint64_t)(expr);                                                              \
    }
#define S32(v) ((int64_t)(int32_t)(v))
#define S16(v) ((int64_t)(int16_t)(v))
#define S64(v) ((s128)(int64_t)(v))

static int64_t clamp32(int64_t v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v; }

/* Bit by bit, as the specification writes it. */
static uint64_t slow_bfe(uint64_t a, uint64_t b, uint64_t c, int width, bool is_signed)
{
    int pos = (int)(b & 255), len = (int)(c & 255), top = pos + len - 1 < width - 1 ? pos + len - 1 :
        width - 1;
    uint64_t sign = is_signed && len ? a >> top & 1 : 0, r = 0;
    for (int i = 0; i < width; i++)
        r |= (i < len && pos + i < width ? a >> (pos + i) & 1 : sign) << i;
    return r;
}

static uint64_t slow_prmt(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t r = 0;
    for (int i = 0; i < 4; i++) {
        int s = (int)(c >> 4 * i & 7);
        uint64_t byte = (s < 4 ? a >> 8 * s : b >> 8 * (s - 4)) & 255;
        if (c >> 4 * i & 8)
            byte = byte & 128 ? 255 : 0;
        r |= byte << 8 * i;
    }
    return r;
}

static uint64_t slow_fns(uint64_t a, uint64_t b, uint64_t c)
{
    int pos = (int)(b & 31);
    int64_t n = (int32_t)c, seen = 0;
    if (n == 0)
        return a >> pos & 1 ? (uint64_t)pos : 0xffffffff;
    for (int i = pos; i >= 0 && i < 32; i += n > 0 ? 1 : -1)
        if (a >> i & 1)
            if (++seen == llabs(n))
                return (uint64_t)i;
    return 0xffffffff;
}

static uint64_t reverse(uint64_t a, int width)
{
    uint64_t r = 0;
    for (int i = 0; i < width; i++)
        r |= (a >> i & 1) << (width - 1 - i);
    return r;
}

REF(r_add, a + b)
REF(r_sub, a - b)
REF(r_addsat, clamp32(S32(a) + S32(b)))
REF(r_subsat, clamp32(S32(a) - S32(b)))
REF(r_mul, a *b)
REF(r_mulhi_s32, S32(a) * S32(b) >> 32)
REF(r_mulhi_u64, (u128)a * b >> 64)
REF(r_mulhi_s64, (u128)(S64(a) * S64(b)) >> 64)
REF(r_mulhi_s16, S16(a) * S16(b) >> 16)
REF(r_wide_s32, S32(a) * S32(b))
REF(r_wide_s16, S16(a) * S16(b))
REF(r_madwide_u32, a *b + c)
REF(r_mad, a *b + c)
REF(r_madhisat, clamp32((S32(a) * S32(b) >> 32) + S32(c)))
REF(r_mul24hi, ((int64_t)((a & 0xffffff) << 40) >> 40) * ((int64_t)((b & 0xffffff) << 40) >> 40) >> 16)
REF(r_sad_s32, S32(c) + llabs(S32(a) - S32(b)))
REF(r_div_u32, b ? a / b : ~0ull)
REF(r_rem_u32, b ? a % b : ~0ull)
REF(r_div_s32, S32(b) ? S32(a) / S32(b) : -1)
REF(r_rem_s32, S32(b) ? S32(a) % S32(b) : -1)
REF(r_div_s16, S16(b) ? S16(a) / S16(b) : -1)
REF(r_div_s64, S64(b) ? S64(a) / S64(b) : (s128)-1)
REF(r_rem_s64, S64(b) ? S64(a) % S64(b) : (s128)-1)
REF(r_popc, __builtin_popcountll(a))
REF(r_clz32, a ? __builtin_clz((unsigned)a) : 32)
REF(r_clz64, a ? __builtin_clzll(a) : 64)
REF(r_bfind_s32, (a >> 31 ? ~a & 0xffffffff : a) ? 31 - __builtin_clz((unsigned)(a >> 31 ? ~a : a)) : -1)
REF(r_bfind_amt, a ? __builtin_clzll(a) : 0xffffffff)
REF(r_brev32, reverse(a, 32))
REF(r_brev64, reverse(a, 64))
REF(r_bfe_s32, slow_bfe(a, b, c, 32, true))
REF(r_bfe_u32, slow_bfe(a, b, c, 32, false))
REF(r_bfe_s64, slow_bfe(a, b, c, 64, true))
REF(r_shl32, b > 31 ? 0 : a << b)
REF(r_shr_s32, S32(a) >> (b > 31 ? 31 : b))
REF(r_shr_s64, (int64_t)a >> (b > 63 ? 63 : b))
REF(r_shr_u16, b > 15 ? 0 : a >> b)
REF(r_shf_l, b << (c & 31) | ((c & 31) ? a >> (32 - (c & 31)) : 0))
REF(r_shf_rc, (b << 32 | a) >> (c > 32 ? 32 : c))
REF(r_cvt_s8_s32, (int64_t)(int8_t)a)
REF(r_sat_u8_s32, S32(a) < 0 ? 0 : S32(a) > 255 ? 255 : S32(a))
REF(r_s64_s32, S32(a))

static uint64_t slow_bmsk(uint64_t a, uint64_t b, bool wrap)
{
    uint64_t r = 0, pos = wrap ? a & 31 : a, len = wrap ? b & 31 : b;
    for (uint64_t i = 0; i < 32; i++)
        r |= (uint64_t)(i >= pos && i - pos < len) << i;
    return r;
}

static uint64_t slow_szext(uint64_t a, uint64_t b, bool wrap, bool is_signed)
{
    uint64_t n = wrap ? b & 31 : b > 32 ? 32 : b, r = 0;
    for (uint64_t i = 0; i < 32; i++)
        r |= (i < n ? a >> i & 1 : is_signed && n ? a >> (n - 1) & 1 : 0) << i;
    return r;
}

static int64_t dot(uint64_t a, uint64_t b, int step_a, int step_b, int from_b, int n, bool sa, bool sb)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++) {
        int64_t x = (int64_t)(a << (64 - step_a * (i + 1))),
            y = (int64_t)(b << (64 - from_b - step_b * (i + 1)));
        x = sa ? x >> (64 - step_a) : (int64_t)((uint64_t)x >> (64 - step_a));
        y = sb ? y >> (64 - step_b) : (int64_t)((uint64_t)y >> (64 - step_b));
        sum += x * y;
    }
    return sum;
}

static uint64_t bytes_of(uint64_t a, uint64_t b, int n0, int n1, int n2, int n3)
{
    int n[4] = { n0, n1, n2, n3 };
    uint64_t r = 0, ba = b << 32 | (uint32_t)a;
    for (int i = 0; i < 4; i++)
        r |= (ba >> 8 * n[i] & 255) << 8 * i;
    return r;
}

/* The tables of prmt's modes, lowest byte of the result first. */
static uint64_t prmt_mode(uint64_t a, uint64_t b, uint64_t c, int mode)
{
    static const int8_t table[6][4][4] = {
        { { 0, 1, 2, 3 }, { 1, 2, 3, 4 }, { 2, 3, 4, 5 }, { 3, 4, 5, 6 } },
        { { 0, 7, 6, 5 }, { 1, 0, 7, 6 }, { 2, 1, 0, 7 }, { 3, 2, 1, 0 } },
        { { 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { 2, 2, 2, 2 }, { 3, 3, 3, 3 } },
        { { 0, 1, 2, 3 }, { 1, 1, 2, 3 }, { 2, 2, 2, 3 }, { 3, 3, 3, 3 } },
        { { 0, 0, 0, 0 }, { 0, 1, 1, 1 }, { 0, 1, 2, 2 }, { 0, 1, 2, 3 } },
        { { 0, 1, 0, 1 }, { 2, 3, 2, 3 }, { 0, 1, 0, 1 }, { 2, 3, 2, 3 } },
    };
    const int8_t *n = table[mode][c & 3];
    return bytes_of(a, b, n[0], n[1], n[2], n[3]);
}

/* SIMD video: op on each of `parts` parts, as the exact number; the rest of the instruction around it. */
static uint64_t parts_of(uint64_t a, uint64_t b, uint64_t c, int parts, bool is_signed, char op, bool sat,
    bool sum)
{
    int bits = 32 / parts;
    uint64_t mask = (1ull << bits) - 1, r = 0;
    for (int k = 0; k < parts; k++) {
        int64_t x = (int64_t)(a >> bits * k & mask), y = (int64_t)(b >> bits * k & mask), v;
        if (is_signed) {
            x -= x >> (bits - 1) ? (int64_t)mask + 1 : 0;
            y -= y >> (bits - 1) ? (int64_t)mask + 1 : 0;
        }
        v = op == '+' ? x + y : op == '-' ? x - y : op == '<' ? (x < y ? x : y) : op == 'd' ? llabs(x - y) :
            op == 'l' ? x < y : (x + y + 1 - (x + y < 0)) >> 1;
        int64_t lo = is_signed ? -(int64_t)(mask / 2) - 1 : 0, hi = (int64_t)(is_signed ? mask / 2 : mask);
        v = !sat ? v : v < lo ? lo : v > hi ? hi : v;
        c += sum ? (uint64_t)v : 0;
        r |= ((uint64_t)v & mask) << bits * k;
    }
    return sum ? c : r;
}

REF(r_bfi, (b & ~(slow_bmsk(c & 255, 8, false))) | ((c & 255) > 31 ? 0 : (a & 255) << (c & 255)))
REF(r_bmsk_clamp, slow_bmsk(a, b, false))
REF(r_bmsk_wrap, slow_bmsk(a, b, true))
REF(r_szext_cs, slow_szext(a, b, false, true))
REF(r_szext_ws, slow_szext(a, b, true, true))
REF(r_szext_cu, slow_szext(a, b, false, false))
REF(r_dp4a_ss, dot(a, b, 8, 8, 0, 4, true, true) + S32(c))
REF(r_dp4a_us, dot(a, b, 8, 8, 0, 4, false, true) + S32(c))
REF(r_dp2a_lo_su, dot(a, b, 16, 8, 0, 2, true, false) + S32(c))
REF(r_dp2a_hi_us, dot(a, b, 16, 8, 16, 2, false, true) + S32(c))
REF(r_f4e, prmt_mode(a, b, c, 0))
REF(r_b4e, prmt_mode(a, b, c, 1))
REF(r_rc8, prmt_mode(a, b, c, 2))
REF(r_ecl, prmt_mode(a, b, c, 3))
REF(r_ecr, prmt_mode(a, b, c, 4))
REF(r_rc16, prmt_mode(a, b, c, 5))
REF(r_slct, (int32_t)c >= 0 ? a : b)
REF(r_set, S32(a) < S32(b) ? 0x3f800000 : 0)
REF(r_setu, a > b ? 0xffffffff : 0)
REF(r_madchi, ((u128)(S64(a) * S64(b)) >> 64) + c)
REF(r_cnot, a == 0)
REF(r_vadd4, parts_of(a, b, c, 4, false, '+', false, false))
REF(r_vadd4add, parts_of(a, b, c, 4, false, '+', false, true))
REF(r_vsub2sat, parts_of(a, b, c, 2, true, '-', true, false))
REF(r_vavrg4, parts_of(a, b, c, 4, true, 'a', false, false))
REF(r_vabsdiff4add, parts_of(a, b, c, 4, false, 'd', false, true))
REF(r_vmin2, parts_of(a, b, c, 2, true, '<', false, false))
REF(r_vset4add, parts_of(a, b, c, 4, true, 'l', false, true))
REF(r_vaddmin, clamp32(S32(a) + (int64_t)b) < S32(c) ? clamp32(S32(a) + (int64_t)b) : S32(c))
REF(r_vmad, (S32(a) * (s128)b + S32(c)) >> 15)
REF(r_vshl, ((uint64_t)S32(a) << (b > 32 ? 32 : b)) + (uint64_t)S32(c))
REF(r_addx2, ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16)
REF(r_maxs16x2, ((uint64_t)(S16(a) > S16(b) ? a : b) & 0xffff) |
                (S16(a >> 16) > S16(b >> 16) ? a : b) >> 16 << 16)

static void integers(void **state)
{
    (void)state;
    static const int w16[] = { 2, 2, 2, 2 }, w32[] = { 4, 4, 4, 4 }, w64[] = { 8, 8, 8, 8 },
        wide[] = { 8, 4, 4, 8 };
    static const int wide16[] = { 4, 2, 2, 4 }, count64[] = { 4, 8, 8, 8 }, shift64[] = { 8, 8, 4, 4 };
    static const int shift16[] = { 2, 2, 4, 4 }, from32[] = { 8, 4, 4, 4 }, to8[] = { 2, 4, 4, 4 };
    static const struct { const char *text; const int *bytes; reference *ref; } list[] = {
        { "add.s32", w32, r_add }, { "add.u64", w64, r_add }, { "add.s16", w16, r_add },
        { "sub.u32", w32, r_sub },
        { "add.sat.s32", w32, r_addsat }, { "sub.sat.s32", w32, r_subsat }, { "mul.lo.s64", w64, r_mul },
        { "mul.lo.u16", w16, r_mul }, { "mul.hi.s32", w32, r_mulhi_s32 }, { "mul.hi.u64", w64, r_mulhi_u64 },
        { "mul.hi.s64", w64, r_mulhi_s64 }, { "mul.hi.s16", w16, r_mulhi_s16 },
        { "mul.wide.s32", wide, r_wide_s32 },
        { "mul.wide.s16", wide16, r_wide_s16 }, { "mad.wide.u32", wide, r_madwide_u32 },
        { "mad.lo.s32", w32, r_mad },
        { "mad.hi.sat.s32", w32, r_madhisat }, { "mul24.hi.s32", w32, r_mul24hi },
        { "sad.s32", w32, r_sad_s32 },
        { "div.u32", w32, r_div_u32 }, { "rem.u32", w32, r_rem_u32 }, { "div.s32", w32, r_div_s32 },
        { "rem.s32", w32, r_rem_s32 }, { "div.u16", w16, r_div_u32 }, { "div.s16", w16, r_div_s16 },
        { "div.u64", w64, r_div_u32 }, { "div.s64", w64, r_div_s64 }, { "rem.s64", w64, r_rem_s64 },
        { "popc.b32", w32, r_popc }, { "popc.b64", count64, r_popc }, { "clz.b32", w32, r_clz32 },
        { "clz.b64", count64, r_clz64 }, { "bfind.s32", w32, r_bfind_s32 },
        { "bfind.shiftamt.u64", count64, r_bfind_amt },
        { "brev.b32", w32, r_brev32 }, { "brev.b64", w64, r_brev64 }, { "bfe.s32", w32, r_bfe_s32 },
        { "bfe.u32", w32, r_bfe_u32 }, { "bfe.s64", shift64, r_bfe_s64 }, { "fns.b32", w32, slow_fns },
        { "shl.b32", w32, r_shl32 }, { "shr.s32", w32, r_shr_s32 }, { "shr.s64", shift64, r_shr_s64 },
        { "shr.u16", shift16, r_shr_u16 }, { "shf.l.wrap.b32", w32, r_shf_l },
        { "shf.r.clamp.b32", w32, r_shf_rc },
        { "prmt.b32", w32, slow_prmt }, { "cvt.s8.s32", to8, r_cvt_s8_s32 },
        { "cvt.sat.u8.s32", to8, r_sat_u8_s32 },
        { "cvt.s64.s32", from32, r_s64_s32 }, { "bfi.b32", w32, r_bfi },
        { "bmsk.clamp.b32", w32, r_bmsk_clamp },
        { "bmsk.wrap.b32", w32, r_bmsk_wrap }, { "szext.clamp.s32", w32, r_szext_cs },
        { "szext.wrap.s32", w32, r_szext_ws }, { "szext.clamp.u32", w32, r_szext_cu },
        { "dp4a.s32.s32", w32, r_dp4a_ss }, { "dp4a.u32.s32", w32, r_dp4a_us },
        { "dp2a.lo.s32.u32", w32, r_dp2a_lo_su },
        { "dp2a.hi.u32.s32", w32, r_dp2a_hi_us }, { "prmt.b32.f4e", w32, r_f4e },
        { "prmt.b32.b4e", w32, r_b4e },
        { "prmt.b32.rc8", w32, r_rc8 }, { "prmt.b32.ecl", w32, r_ecl }, { "prmt.b32.ecr", w32, r_ecr },
        { "prmt.b32.rc16", w32, r_rc16 }, { "slct.u32.s32", w32, r_slct }, { "set.lt.f32.s32", w32, r_set },
        { "set.hi.u32.u32", w32, r_setu }, { "mad.hi.s64", w64, r_madchi }, { "cnot.b64", w64, r_cnot },
        { "vadd4.u32.u32.u32", w32, r_vadd4 }, { "vadd4.u32.u32.u32.add", w32, r_vadd4add },
        { "vsub2.s32.s32.s32.sat", w32, r_vsub2sat }, { "vavrg4.s32.s32.s32", w32, r_vavrg4 },
        { "vabsdiff4.u32.u32.u32.add", w32, r_vabsdiff4add }, { "vmin2.s32.s32.s32", w32, r_vmin2 },
        { "vset4.s32.s32.lt.add", w32, r_vset4add }, { "vadd.s32.s32.u32.sat.min", w32, r_vaddmin },
        { "vmad.s32.s32.u32.shr15", w32, r_vmad }, { "vshl.s32.s32.u32.clamp.add", w32, r_vshl },
        { "add.u16x2", w32, r_addx2 }, { "max.s16x2", w32, r_maxs16x2 },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        compare(list[i].text, list[i].bytes, list[i].ref);
}

static void tables(void **state)
{
    (void)state;
    struct ptx_inst in = instruction("lop3.b32");
    uint32_t cc;
    for (int table = 0; table < 256; table++) {
        in.opd[4].imm = table;
        fill(work, 4);
        memcpy(other, work, MEMORY);
        run(lanes_best_isa(), &in, work, ~0u, &cc, 0);
        for (int i = 0; i < LANES; i++) {
            uint32_t want = 0;
            for (int bit = 0; bit < 32; bit++) {
                int k = 0;
                for (int s = 1; s <= 3; s++)
                    k = k << 1 | (int)(at(other, s * SLOT, 4, i) >> bit & 1);
                want |= (uint32_t)(table >> k & 1) << bit;
            }
            assert_int_equal(at(work, 0, 4, i), want);
        }
    }
}

/* A number of 256 bits in 32-bit words, by add.cc and addc. */
static void carries(void **state)
{
    (void)state;
    struct ptx_inst first = instruction("add.cc.u32"), next = instruction("addc.cc.u32"),
        last = instruction("addc.u32");
    struct ptx_inst borrow = instruction("sub.cc.u64"), borrow2 = instruction("subc.u64");
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        if (!here(isa))
            continue;
        struct lanes x;
        struct dinst d;
        set_up(&x, &d, work, ~0u);
        u128 a[LANES], b[LANES], sum[LANES] = { 0 };
        for (int i = 0; i < LANES; i++) {
            a[i] = (u128)interesting(8) << 64 | interesting(8);
            b[i] = i % 3 ? (u128)interesting(8) << 64 | interesting(8) : ~a[i];
        }
        for (int w = 0; w < 4; w++) {
            const struct ptx_inst *in = w == 0 ? &first : w == 3 ? &last : &next;
            for (int i = 0; i < LANES; i++) {
                ((uint32_t *)(work + SLOT))[i] = (uint32_t)(a[i] >> 32 * w);
                ((uint32_t *)(work + 2 * SLOT))[i] = (uint32_t)(b[i] >> 32 * w);
            }
            lanes_select((enum lanes_isa)isa, in, &d)(&x, &d);
            for (int i = 0; i < LANES; i++)
                sum[i] |= (u128)((uint32_t *)work)[i] << 32 * w;
        }
        for (int i = 0; i < LANES; i++)
            assert_true(sum[i] == a[i] + b[i]);
        u128 difference[LANES] = { 0 };
        for (int w = 0; w < 2; w++) {
            for (int i = 0; i < LANES; i++) {
                ((uint64_t *)(work + SLOT))[i] = (uint64_t)(a[i] >> 64 * w);
                ((uint64_t *)(work + 2 * SLOT))[i] = (uint64_t)(b[i] >> 64 * w);
            }
            lanes_select((enum lanes_isa)isa, w ? &borrow2 : &borrow, &d)(&x, &d);
            for (int i = 0; i < LANES; i++)
                difference[i] |= (u128)((uint64_t *)work)[i] << 64 * w;
        }
        for (int i = 0; i < LANES; i++)
            assert_true(difference[i] == a[i] - b[i]);
    }
}

/* ---- floating point ---- */

static float f32(uint64_t u) { uint32_t v = (uint32_t)u; float f; memcpy(&f, &v, 4); return f; }
static double f64(uint64_t u) { double f; memcpy(&f, &u, 8); return f; }
static uint64_t b32(float f) { uint32_t u; memcpy(&u, &f, 4); return f != f ? 0x7fffffff : u; }
static uint64_t b64(double f) { uint64_t u; memcpy(&u, &f, 8); return u; }
static uint64_t ftz(uint64_t u) { return u & 0x7f800000 ? u : u & 0x80000000; }

static int direction;

/*
 * The host's own operation in the rounding direction of the test; noinline keeps it between the mode
 * switches.
 */
#define HOST(name, T, expr)                                                                   \
    static __attribute__((noinline)) T name(T a, T b, T c)                                    \
    {                                                                                         \
        volatile T x = a, y = b, z = c, r;                                                    \
        (void)y, (void)z;                                                                     \
        fesetround(direction);                                                                \
        r = (expr);                                                                           \
        fesetround(FE_TONEAREST);                                                             \
        return r;                                                                             \
    }
HOST(h_add32, float, x + y)
HOST(h_mul32, float, x *y)
HOST(h_fma32, float, fmaf(x, y, z))
HOST(h_div32, float, x / y)
HOST(h_sqrt32, float, sqrtf(x))
HOST(h_add64, double, x + y)
HOST(h_mul64, double, x *y)
HOST(h_fma64, double, fma(x, y, z))
HOST(h_div64, double, x / y)
REF(r_add32, b32(h_add32(f32(a), f32(b), 0)))
REF(r_mul32, b32(h_mul32(f32(a), f32(b), 0)))
REF(r_fma32, b32(h_fma32(f32(a), f32(b), f32(c))))
REF(r_div32, b32(h_div32(f32(a), f32(b), 0)))
REF(r_sqrt32, b32(h_sqrt32(f32(a), 0, 0)))
REF(r_add32ftz, ftz(b32(h_add32(f32(ftz(a)), f32(ftz(b)), 0))))
REF(r_mul32ftz, ftz(b32(h_mul32(f32(ftz(a)), f32(ftz(b)), 0))))

static uint64_t nan64(double r, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t n = isnan(f64(a)) ? a : isnan(f64(b)) ? b : isnan(f64(c)) ? c : 0xfff8000000000000u;
    return isnan(r) ? n | 0x0008000000000000u : b64(r);
}
REF(r_add64, nan64(h_add64(f64(a), f64(b), 0), a, b, 0))
REF(r_mul64, nan64(h_mul64(f64(a), f64(b), 0), a, b, 0))
REF(r_fma64, nan64(h_fma64(f64(a), f64(b), f64(c)), a, b, c))
REF(r_div64, nan64(h_div64(f64(a), f64(b), 0), a, b, 0))

static uint64_t sat32(float f) { return isnan(f) || f <= 0 ? 0 : f >= 1 ? 0x3f800000 : b32(f); }
REF(r_mulsat, sat32(f32(a) * f32(b)))
static float least(float a, float b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    if (a == b)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}
REF(r_min32, b32(least(f32(a), f32(b))))
REF(r_minnan, isnan(f32(a)) || isnan(f32(b)) ? 0x7fffffff : b32(least(f32(a), f32(b))))
REF(r_max32, b32(-least(-f32(a), -f32(b))))
REF(r_neg32, a ^ 0x80000000)
REF(r_copysign, (b & 0x7fffffff) | (a & 0x80000000))
REF(r_f64_f32, isnan(f32(a)) ? b64(f32(a)) | 0x0008000000000000u : b64(f32(a)))

static void floats(void **state)
{
    (void)state;
    static const int w32[] = { 4, 4, 4, 4 }, w64[] = { 8, 8, 8, 8 }, widen[] = { 8, 4, 4, 4 };
    static const int modes[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };
    static const char *const words[] = { "rn", "rz", "rm", "rp" };
    static const struct { const char *op, *type; reference *ref; const int *bytes; } rounded[] = {
        { "add", "f32", r_add32, w32 }, { "mul", "f32", r_mul32, w32 }, { "fma", "f32", r_fma32, w32 },
        { "mad", "f32", r_fma32, w32 }, { "div", "f32", r_div32, w32 }, { "sqrt", "f32", r_sqrt32, w32 },
        { "add", "ftz.f32", r_add32ftz, w32 }, { "mul", "ftz.f32", r_mul32ftz, w32 },
        { "add", "f64", r_add64, w64 },
        { "mul", "f64", r_mul64, w64 }, { "fma", "f64", r_fma64, w64 }, { "div", "f64", r_div64, w64 },
    };
    for (int m = 0; m < 4; m++) {
        direction = modes[m];
        for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++) {
            char text[40];
            snprintf(text, sizeof text, "%s.%s.%s", rounded[i].op, words[m], rounded[i].type);
            compare(text, rounded[i].bytes, rounded[i].ref);
        }
    }
    compare("mul.sat.f32", w32, r_mulsat);
    compare("min.f32", w32, r_min32);
    compare("min.NaN.f32", w32, r_minnan);
    compare("max.f32", w32, r_max32);
    compare("neg.f32", w32, r_neg32);
    compare("copysign.f32", w32, r_copysign);
    compare("cvt.f64.f32", widen, r_f64_f32);
}

/* ---- conversions and halves by 128-bit floats ---- */

#if defined __SIZEOF_FLOAT128__
__extension__ typedef __float128 f128;
#else
typedef long double f128;
#endif

static f128 half_value(uint64_t h, int mant_bits)
{
    int bias = mant_bits == 10 ? 15 : 127, e = (int)(h >> mant_bits) & (2 * bias + 1);
    f128 m = (f128)(h & ((1u << mant_bits) - 1)) + (e ? (f128)(1u << mant_bits) : 0);
    for (int k = (e ? e : 1) - bias - mant_bits; k != 0; k += k < 0 ? 1 : -1)
        m = k < 0 ? m / 2 : m * 2;
    return h & 0x8000 ? -m : m;
}

/* Nearest (ties to even) or directed, by walking the exponent: the obvious way. */
static uint64_t to_half(f128 v, bool negative, int mant_bits, int mode)
{
    int bias = mant_bits == 10 ? 15 : 127, e = 1;
    f128 m = v < 0 ? -v : v, ulp = 1;
    for (int k = 0; k < bias - 1 + mant_bits; k++)
        ulp /= 2;
    while (m >= ulp * (2 << mant_bits) && e <= 2 * bias)
        ulp *= 2, e++;
    if (e > 2 * bias)
        m = ulp * (2 << mant_bits), e = 2 * bias;
    f128 scaled = m / ulp;
    uint64_t q = scaled >= (f128)(4 << mant_bits) ? 4ull << mant_bits : (uint64_t)scaled;
    f128 rest = scaled - (f128)q;
    bool up = mode == FE_TONEAREST ? rest > (f128)0.5 || (rest == (f128)0.5 && (q & 1)) :
              mode == FE_UPWARD ? rest > 0 && !negative : mode == FE_DOWNWARD ? rest > 0 && negative : false;
    q += up;
    uint64_t bits = ((uint64_t)(e - 1) << mant_bits) + q, inf = (uint64_t)(2 * bias + 1) << mant_bits;
    if (bits >= inf) {
        bool finite = mode == FE_TOWARDZERO || mode == (negative ? FE_UPWARD : FE_DOWNWARD);
        bits = finite ? inf - 1 : inf;
    }
    return bits | (negative ? 0x8000 : 0);
}

static uint64_t f32_to_half(uint64_t a, int mant_bits)
{
    float f = f32(a);
    if (isnan(f))
        return 0x7fff;
    if (isinf(f))
        return (mant_bits == 10 ? 0x7c00 : 0x7f80) | (signbit(f) ? 0x8000 : 0);
    return to_half(f, signbit(f), mant_bits, direction);
}
REF(r_f16_f32, f32_to_half(a, 10))
REF(r_bf16_f32, f32_to_half(a, 7))

static uint64_t f64_to_half(uint64_t a, int mant_bits)
{
    double f = f64(a);
    if (isnan(f) || isinf(f))
        return f32_to_half(b32((float)f), mant_bits);
    return to_half(f, signbit(f), mant_bits, direction);
}
REF(r_f16_f64, f64_to_half(a, 10))
REF(r_bf16_f64, f64_to_half(a, 7))
REF(r_f16_s64, to_half((int64_t)a, (int64_t)a < 0, 10, direction))

HOST(h_narrow, double, (float)x)
REF(r_f32_f64, b32((float)h_narrow(f64(a), 0, 0)))

static __attribute__((noinline)) float cast_s64(int64_t v)
{
    volatile int64_t x = v;
    fesetround(direction);
    volatile float r = (float)x;
    fesetround(FE_TONEAREST);
    return r;
}
REF(r_f32_s64, b32(cast_s64((int64_t)a)))
REF(r_f32_s32, b32(cast_s64((int32_t)a)))

static double whole(double v)
{
    fesetround(direction);
    volatile double x = v, r = nearbyint(x);
    fesetround(FE_TONEAREST);
    return r;
}

static uint64_t clamp_double(double v, double lo, double hi, uint64_t nan)
{
    if (isnan(v))
        return nan;
    v = whole(v);
    return v <= lo ? (uint64_t)(int64_t)lo : v >= hi ? (hi == 0x1p63 ? (uint64_t)INT64_MAX : (uint64_t)hi) :
        (uint64_t)(int64_t)v;
}
REF(r_s32_f32, clamp_double(f32(a), INT32_MIN, INT32_MAX, 0))
REF(r_u32_f32, clamp_double(f32(a), 0, UINT32_MAX, 0))
REF(r_s64_f32, clamp_double(f32(a), -0x1p63, 0x1p63, 1ull << 63))
REF(r_s32_f64, clamp_double(f64(a), INT32_MIN, INT32_MAX, 1ull << 31))
REF(r_s64_f64, clamp_double(f64(a), -0x1p63, 0x1p63, 1ull << 63))
REF(r_u8_f64, clamp_double(f64(a), 0, 255, 0x80))
REF(r_f32_whole, b32((float)whole(f32(a))))

static void conversions(void **state)
{
    (void)state;
    static const int h_s[] = { 2, 4, 4, 4 }, h_d[] = { 2, 8, 8, 8 }, s_d[] = { 4, 8, 8, 8 },
        s_s[] = { 4, 4, 4, 4 };
    static const int d_s[] = { 8, 4, 4, 4 }, d_d[] = { 8, 8, 8, 8 };
    static const int modes[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };
    static const char *const words[] = { "rn", "rz", "rm", "rp" };
    static const struct { const char *types; reference *ref; const int *bytes; bool whole; } list[] = {
        { "f16.f32", r_f16_f32, h_s, false }, { "bf16.f32", r_bf16_f32, h_s, false },
        { "f16.f64", r_f16_f64, h_d, false },
        { "bf16.f64", r_bf16_f64, h_d, false }, { "f16.s64", r_f16_s64, h_d, false },
        { "f32.f64", r_f32_f64, s_d, false },
        { "f32.s64", r_f32_s64, s_d, false }, { "f32.s32", r_f32_s32, s_s, false },
        { "s32.f32", r_s32_f32, s_s, true },
        { "u32.f32", r_u32_f32, s_s, true }, { "s64.f32", r_s64_f32, d_s, true },
        { "s32.f64", r_s32_f64, s_d, true },
        { "s64.f64", r_s64_f64, d_d, true }, { "u8.f64", r_u8_f64, h_d, true },
        { "f32.f32", r_f32_whole, s_s, true },
    };
    for (int m = 0; m < 4; m++) {
        direction = modes[m];
        for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
            char text[40];
            snprintf(text, sizeof text, "cvt.%s%s.%s", words[m], list[i].whole ? "i" : "", list[i].types);
            compare(text, list[i].bytes, list[i].ref);
        }
    }
}

static uint64_t half_fma(uint64_t a, uint64_t b, uint64_t c, int mant_bits)
{
    uint64_t inf = mant_bits == 10 ? 0x7c00 : 0x7f80, m = 0x7fff;
    if ((a & m) >= inf || (b & m) >= inf || (c & m) >= inf) {
        float x = (a & m) > inf ? NAN : (a & m) == inf ? INFINITY : (a & m) ? 1 : 0;
        float y = (b & m) > inf ? NAN : (b & m) == inf ? INFINITY : (b & m) ? 1 : 0;
        float z = (c & m) > inf ? NAN : (c & m) == inf ? INFINITY : 1;
        float p = (a ^ b) & 0x8000 ? -(x * y) : x * y, r = p + (c & 0x8000 ? -z : z);
        return isnan(r) ? 0x7fff : inf | (r < 0 ? 0x8000 : 0);
    }
    f128 p = half_value(a, mant_bits) * half_value(b, mant_bits), z = half_value(c, mant_bits), r = p + z;
    bool negative = r < 0 || (r == 0 && ((a ^ b) & c & 0x8000));
    return to_half(r, negative, mant_bits, FE_TONEAREST);
}
REF(r_fma16, half_fma(a, b, c, 10))
REF(r_add16, half_fma(a, 0x3c00, b, 10))
REF(r_mul16, half_fma(a, b, ((a ^ b) & 0x8000), 10))
REF(r_addbf, half_fma(a, 0x3f80, b, 7))
REF(r_mulbf, half_fma(a, b, ((a ^ b) & 0x8000), 7))
REF(r_fmax2, half_fma(a & 0xffff, b & 0xffff, c & 0xffff, 10) | half_fma(a >> 16, b >> 16, c >> 16, 10) << 16)

static void halves(void **state)
{
    (void)state;
    static const int w[] = { 2, 2, 2, 2 }, w2[] = { 4, 4, 4, 4 };
    for (int i = 0; i < 20; i++) {
        compare("fma.rn.f16", w, r_fma16);
        compare("add.f16", w, r_add16);
        compare("mul.f16", w, r_mul16);
        compare("add.bf16", w, r_addbf);
        compare("mul.bf16", w, r_mulbf);
        compare("fma.rn.f16x2", w2, r_fmax2);
    }
}

/* ---- comparisons, warp operations, accuracy ---- */

static bool holds(const char *cmp, float a, float b)
{
    bool nan = isnan(a) || isnan(b), u = strlen(cmp) == 3 && cmp[2] == 'u';
    if (!strcmp(cmp, "num") || !strcmp(cmp, "nan"))
        return nan == (cmp[1] == 'a');
    if (nan)
        return u;
    switch (cmp[0] << 8 | cmp[1]) {
    case 'e' << 8 | 'q': return a == b;
    case 'n' << 8 | 'e': return a != b;
    case 'l' << 8 | 't': return a < b;
    case 'l' << 8 | 'e': return a <= b;
    case 'g' << 8 | 't': return a > b;
    default: return a >= b;
    }
}

static void predicates(void **state)
{
    (void)state;
    static const char *const cmps[] = { "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu",
        "gtu", "geu",
                                        "num", "nan" };
    for (size_t k = 0; k < sizeof cmps / sizeof *cmps; k++) {
        char text[40];
        snprintf(text, sizeof text, "setp.%s.and.f32", cmps[k]);
        struct ptx_inst in = instruction(text);
        uint32_t cc, want = 0, no = 0, c, mask = 0xfedcba98;
        fill(work, 4);
        memcpy(&c, work + 3 * SLOT, 4);
        for (int i = 0; i < LANES; i++) {
            bool t = holds(cmps[k], f32(at(work, SLOT, 4, i)), f32(at(work, 2 * SLOT, 4, i)));
            want |= (uint32_t)t << i;
            no |= (uint32_t)!t << i;
        }
        memset(work, 0, 4);
        memset(work + DST2, 0xff, 4);
        run(lanes_best_isa(), &in, work, mask, &cc, 0);
        assert_int_equal(at(work, DST, 4, 0), want & c & mask);
        assert_int_equal(at(work, DST2, 4, 0), (no & c & mask) | ~mask);
    }
}

/* testp by the host's classification; zeros are normal numbers to PTX. */
static void properties(void **state)
{
    (void)state;
    static const char *const words[] = { "finite", "infinite", "number", "notanumber", "normal",
        "subnormal" };
    for (int k = 0; k < 6; k++)
        for (int wide = 0; wide < 2; wide++) {
            char text[40];
            uint32_t cc, want = 0;
            snprintf(text, sizeof text, "testp.%s.f%d", words[k], wide ? 64 : 32);
            struct ptx_inst in = instruction(text);
            fill(work, wide ? 8 : 4);
            for (int i = 0; i < LANES; i++) {
                uint64_t u = at(work, SLOT, wide ? 8 : 4, i);
                int c = wide ? fpclassify(f64(u)) : fpclassify(f32(u));
                bool is[6] = { c != FP_NAN && c != FP_INFINITE, c == FP_INFINITE, c != FP_NAN, c == FP_NAN,
                               c == FP_NORMAL || c == FP_ZERO, c == FP_SUBNORMAL };
                want |= (uint32_t)is[k] << i;
            }
            run(lanes_best_isa(), &in, work, ~0u, &cc, 0);
            assert_int_equal(at(work, 0, 4, 0), want);
        }
}

static void shuffles(void **state)
{
    (void)state;
    static const char *const modes[] = { "up", "down", "bfly", "idx" };
    for (int m = 0; m < 4; m++)
        for (int round = 0; round < 200; round++) {
            char text[40];
            snprintf(text, sizeof text, "shfl.sync.%s.b32", modes[m]);
            struct ptx_inst in = instruction(text);
            uint32_t cc, mask = round % 2 ? ~0u : (uint32_t)rnd64() | 1, b = rnd64() % 32,
                c = (uint32_t)rnd64() & 0x1f1f;
            in.nopd = PTX_MAX_OPD;
            fill(work, 4);
            for (int i = 0; i < LANES; i++) {
                ((uint32_t *)(work + 2 * SLOT))[i] = b;
                ((uint32_t *)(work + 3 * SLOT))[i] = c;
            }
            memcpy(other, work, MEMORY);
            run(round % ISA_COUNT < 2 ? ISA_BASE : (int)lanes_best_isa(), &in, work, mask, &cc, 0);
            for (int i = 0; i < LANES; i++) {
                int seg = c >> 8 & 31, clamp = c & 31, max = (i & seg) | (clamp & ~seg), min = i & seg;
                int j = m == 0 ? i - (int)b : m == 1 ? i + (int)b : m == 2 ? i ^ (int)b :
                    min | ((int)b & ~seg);
                bool p = m == 0 ? j >= max : j <= max;
                j = p ? j : i;
                uint64_t want = !(mask >> i & 1) ? at(other, 0, 4, i) : mask >> j & 1 ? at(other, SLOT, 4, j) : 0;
                assert_int_equal(at(work, 0, 4, i), want);
                if (mask >> i & 1)
                    assert_int_equal(at(work, DST2, 4, 0) >> i & 1, p);
            }
        }
}

/* Tiles of a warp vote, match and reduce side by side. */
static void groups(void **state)
{
    (void)state;
    struct ptx_inst ballot = instruction("vote.sync.ballot.b32"), any = instruction("match.any.sync.b32");
    struct ptx_inst redux = instruction("redux.sync.min.s32"), all = instruction("vote.sync.all.pred");
    uint32_t cc, mask = 0xffff7ffe, p = 0x00ff1234;
    int32_t least16[2] = { INT32_MAX, INT32_MAX };
    memset(work, 0, MEMORY);
    memcpy(work + SLOT, &p, 4);
    for (int i = 0; i < LANES; i++)
        ((uint32_t *)(work + 2 * SLOT))[i] = i < 16 ? 0xffff : 0xffff0000;
    run(lanes_best_isa(), &ballot, work, mask, &cc, 0);
    for (int i = 0; i < LANES; i++)
        if (mask >> i & 1)
            assert_int_equal(at(work, 0, 4, i), p & mask & (i < 16 ? 0xffff : 0xffff0000));
    memset(work, 0, 4);
    run(lanes_best_isa(), &all, work, mask, &cc, 0);
    assert_int_equal(at(work, 0, 4, 0), 0);
    for (int i = 0; i < LANES; i++) {
        int32_t v = (i * 37) % 5 - 2 - (i >= 16);
        ((int32_t *)(work + SLOT))[i] = v;
        if ((mask >> i & 1) && v < least16[i / 16])
            least16[i / 16] = v;
    }
    memset(work, 0, SLOT);
    run(lanes_best_isa(), &redux, work, mask, &cc, 0);
    for (int i = 0; i < LANES; i++)
        if (mask >> i & 1)
            assert_int_equal((int32_t)at(work, 0, 4, i), least16[i / 16]);
    run(lanes_best_isa(), &any, work, mask, &cc, 0);
    for (int i = 0; i < LANES; i++) {
        uint32_t want = 0;
        for (int j = i / 16 * 16; j < i / 16 * 16 + 16; j++)
            want |= (uint32_t)((mask >> j & 1) && at(work, SLOT, 4, i) == at(work, SLOT, 4, j)) << j;
        if (mask >> i & 1)
            assert_int_equal(at(work, 0, 4, i), want);
    }
}

static double log2_(double v) { return log2(v); }
static double rsqrt_(double v) { return 1 / sqrt(v); }

/* Largest error over random arguments in [lo, hi], absolute or relative. */
static void accuracy(void **state)
{
    (void)state;
    static const struct { const char *text; double (*f)(double); double lo, hi, bound; bool relative; }
    list[] = {
        { "ex2.approx.f32", exp2, -120, 120, 0x1p-22, true },
        { "sin.approx.f32", sin, -6.28, 6.28, 0x1p-20, false },
        { "cos.approx.f32", cos, -6.28, 6.28, 0x1p-20, false },
        { "lg2.approx.f32", log2_, 0.5, 2, 0x1p-22, false },
        { "lg2.approx.f32", log2_, 2, 1e30, 0x1p-22, true },
        { "tanh.approx.f32", tanh, -5, 5, 0x1p-11, true },
        { "rsqrt.approx.f32", rsqrt_, 1e-30, 1e30, 0x1p-22, true },
        { "sin.approx.f32", sin, -300, 300, 0x1p-20, false },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct ptx_inst in = instruction(list[k].text);
        for (int round = 0; round < 400; round++) {
            uint32_t cc;
            for (int i = 0; i < LANES; i++) {
                double t = (double)(rnd64() >> 11) * 0x1p-53, lo = list[k].lo, hi = list[k].hi;
                ((float *)(work + SLOT))[i] = (float)(lo > 0 ? lo * pow(hi / lo, t) : lo + (hi - lo) * t);
            }
            run(lanes_best_isa(), &in, work, ~0u, &cc, 0);
            for (int i = 0; i < LANES; i++) {
                double want = list[k].f(((float *)(work + SLOT))[i]), got = ((float *)work)[i];
                double error = fabs(got - want) / (list[k].relative ? fabs(want) : 1);
                if (error > list[k].bound)
                    fail_msg("%s(%a) = %a, expected %a", list[k].text, ((float *)(work + SLOT))[i], got,
                        want);
            }
        }
    }
}

static void special_values(void **state)
{
    (void)state;
    static const struct { const char *text; uint32_t in, out; } list[] = {
        { "ex2.approx.f32", 0xff800000, 0 }, { "ex2.approx.f32", 0x7f800000, 0x7f800000 },
        { "ex2.approx.f32", 0x7fc00000, 0x7fffffff }, { "ex2.approx.f32", 0x80000000, 0x3f800000 },
        { "ex2.approx.ftz.f32", 0xc2fe0000, 0 }, { "lg2.approx.f32", 0, 0xff800000 },
        { "lg2.approx.f32", 0x80000000, 0xff800000 }, { "lg2.approx.f32", 0xbf800000, 0x7fffffff },
        { "lg2.approx.f32", 0x7f800000, 0x7f800000 }, { "lg2.approx.f32", 0x3f800000, 0 },
        { "lg2.approx.f32", 1, 0xc3150000 }, { "lg2.approx.ftz.f32", 1, 0xff800000 },
        { "sin.approx.f32", 0x80000000, 0x80000000 }, { "sin.approx.f32", 0x7f800000, 0x7fffffff },
        { "cos.approx.f32", 0, 0x3f800000 }, { "rcp.approx.f32", 0x80000000, 0xff800000 },
        { "rcp.approx.f32", 0xff800000, 0x80000000 }, { "rsqrt.approx.f32", 0x80000000, 0xff800000 },
        { "rsqrt.approx.f32", 0x7f800000, 0 }, { "rsqrt.approx.f32", 0xbf800000, 0x7fffffff },
        { "sqrt.approx.f32", 0x80000000, 0x80000000 }, { "tanh.approx.f32", 0xff800000, 0xbf800000 },
        { "tanh.approx.f32", 0x80000000, 0x80000000 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct ptx_inst in = instruction(list[k].text);
        uint32_t cc;
        for (int i = 0; i < LANES; i++)
            ((uint32_t *)(work + SLOT))[i] = list[k].in;
        run(lanes_best_isa(), &in, work, ~0u, &cc, 0);
        if (at(work, 0, 4, 31) != list[k].out)
            fail_msg("%s(%08x) = %08x, expected %08x", list[k].text, list[k].in,
                (unsigned)at(work, 0, 4, 31), list[k].out);
    }
}

/* Combinations that do not exist. */
static void refusals(void **state)
{
    (void)state;
    static const char *const list[] = {
        "add.sat.u32", "fma.f32", "sqrt.f32", "cvt.f32.f64", "cvt.s32.f32", "div.f32", "mul.s32",
        "mul.wide.s64",
        "setp.ltu.s32", "setp.lo.s32", "add.rna.f32", "min.sat.s32", "shf.l.b32", "rcp.approx.f64",
        "mad.lo.sat.s32",
        "vote.ballot.pred", "redux.sync.and.s32", "abs.u32", "neg.u32", "shl.s32", "cvt.rn.s32.f32",
        "ex2.f32",
        "atom.add.f16", "atom.inc.u64", "atom.cas.f32", "red.cas.b32", "add.f16x2.f32", "and.s32", "popc.u32",
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct ptx_inst in = { 0 };
        char words[40], *save = NULL;
        const char *why = NULL;
        int types = 0;
        bool unknown = false;
        snprintf(words, sizeof words, "%s", list[k]);
        char *w = strtok_r(words, ".", &save);
        in.op = ptx_op_find(w, (int)strlen(w));
        assert_int_not_equal(in.op, OP_NONE);
        while ((w = strtok_r(NULL, ".", &save))) {
            int len = (int)strlen(w), g = 0;
            uint8_t m;
            enum ptx_type t = ptx_type_find(w, len);
            if (t)
                in.type[types++] = (uint8_t)t;
            for (g = 0; g < PG_COUNT && !t; g++)
                if ((ptx_ops[in.op].groups >> g & 1) && (m = ptx_modifier_find((enum ptx_group)g, w, len))) {
                    in.mod[g] = m;
                    break;
                }
            unknown |= !t && g == PG_COUNT;
        }
        if (!unknown && ptx_form_ok(&in, &why))
            fail_msg("%s is not refused", list[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_combinations), cmocka_unit_test(destination_is_source),
        cmocka_unit_test(integers),
        cmocka_unit_test(tables), cmocka_unit_test(carries), cmocka_unit_test(floats),
        cmocka_unit_test(conversions), cmocka_unit_test(halves),
        cmocka_unit_test(predicates), cmocka_unit_test(properties), cmocka_unit_test(shuffles),
        cmocka_unit_test(groups), cmocka_unit_test(accuracy),
        cmocka_unit_test(special_values), cmocka_unit_test(refusals),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("digest of all results: %016llx\n", (unsigned long long)digest);
    printf("lanes: %d passed, %d failed\n", (int)(sizeof tests / sizeof *tests) - failed, failed);
    return failed != 0;
}
