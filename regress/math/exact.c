/*
 * Functions that have one right answer, compared bit for bit: integer and SIMD-in-a-word helpers against
 * plain wide arithmetic on arrays of lanes, rounding, remainders and the taking apart of numbers against the
 * C library.
 *
 *     exact [rounds]
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define __DEVICE__
#define CUDA_VERSION 9010
#include <__clang_cuda_libdevice_declares.h>

static uint64_t random_state = 0x13198a2e03707344;
static uint64_t random_u64(void) { return random_next(&random_state); }

static const char *current;
static long wrong_here;
static int passed, failed;

static void begin(const char *name)
{
    current = name;
    wrong_here = 0;
}

static void finish(void)
{
    if (wrong_here) {
        failed++;
    } else {
        passed++;
    }
}

static void expect_u64(uint64_t got, uint64_t want, uint64_t a, uint64_t b)
{
    if (got != want && wrong_here++ == 0) {
        printf("%s(0x%" PRIx64 ", 0x%" PRIx64 ") gives 0x%" PRIx64 ", should be 0x%" PRIx64 "\n", current, a,
               b, got, want);
    }
}

static void expect_real(double got, double want, double a, double b)
{
    uint64_t g, w;
    memcpy(&g, &got, 8);
    memcpy(&w, &want, 8);
    if (!(isnan(got) && isnan(want)) && g != w && wrong_here++ == 0) {
        printf("%s(%a, %a) gives %a, should be %a\n", current, a, b, got, want);
    }
}

/* ---- integers ------------------------------------------------------------------------ */

static uint32_t pick32(long i)
{
    static const uint32_t edge[] = {0,          1,          2,          0x7f,       0x80,       0xff,
                                    0x7fff,     0x8000,     0xffff,     0x7fffff,   0x800000,   0xffffff,
                                    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x80808080,
                                    0x7f7f7f7f, 0x80008000, 0x7fff7fff, 0x01010101};
    uint64_t r = random_u64();
    return i % 3 == 0   ? edge[r % (sizeof edge / sizeof *edge)]
           : i % 3 == 1 ? (uint32_t)r
                        : (uint32_t)(r >> (r % 64));
}
static uint64_t pick64(long i)
{
    return i % 2 ? (uint64_t)pick32(i) << 32 | pick32(i / 2) : random_u64() >> (i % 64);
}

static uint64_t reversed(uint64_t v, int bits)
{
    uint64_t r = 0;
    for (int i = 0; i < bits; i++) {
        r |= (v >> i & 1) << (bits - 1 - i);
    }
    return r;
}
static int leading(uint64_t v, int bits)
{
    int n = 0;
    while (n < bits && !(v >> (bits - 1 - n) & 1)) {
        n++;
    }
    return n;
}
static int ones(uint64_t v)
{
    int n = 0;
    for (; v; v >>= 1) {
        n += (int)(v & 1);
    }
    return n;
}
static int first(uint64_t v)
{
    int n = 1;
    for (; v && !(v & 1); v >>= 1) {
        n++;
    }
    return v ? n : 0;
}
static int64_t low24(uint32_t v) { return (int64_t)(v & 0xffffff) - ((v & 0x800000) ? 0x1000000 : 0); }
static uint32_t permuted(uint32_t a, uint32_t b, uint32_t s)
{
    unsigned char pool[8], out[4];
    memcpy(pool, &a, 4);
    memcpy(pool + 4, &b, 4);
    for (int i = 0; i < 4; i++) {
        out[i] = pool[s >> 4 * i & 7];
    }
    memcpy(&a, out, 4);
    return a;
}

/* name, result type, the library, the reference; a b c have 32 bits, A B 64 */
#define INTEGER_CASES(X) \
    X(abs, uint32_t, __nv_abs((int)a), (int32_t)a < 0 ? 0 - (int64_t)(int32_t)a : (int32_t)a) \
    X(llabs, uint64_t, __nv_llabs((long long)A), (int64_t)A < 0 ? ~A + 1 : A) \
    X(min, uint32_t, __nv_min((int)a, (int)b), (int64_t)(int32_t)a < (int32_t)b ? a : b) \
    X(max, uint32_t, __nv_max((int)a, (int)b), (int64_t)(int32_t)a < (int32_t)b ? b : a) \
    X(umin, uint32_t, __nv_umin(a, b), a < b ? a : b) \
    X(umax, uint32_t, __nv_umax(a, b), a < b ? b : a) \
    X(llmin, uint64_t, __nv_llmin((long long)A, (long long)B), (int64_t)A < (int64_t)B ? A : B) \
    X(llmax, uint64_t, __nv_llmax((long long)A, (long long)B), (int64_t)A < (int64_t)B ? B : A) \
    X(ullmin, uint64_t, __nv_ullmin(A, B), A < B ? A : B) \
    X(ullmax, uint64_t, __nv_ullmax(A, B), A < B ? B : A) \
    X(mulhi, uint32_t, __nv_mulhi((int)a, (int)b), (__int128)(int32_t)a *(int32_t)b >> 32) \
    X(umulhi, uint32_t, __nv_umulhi(a, b), (unsigned __int128)a *b >> 32) \
    X(mul64hi, uint64_t, __nv_mul64hi((long long)A, (long long)B), (__int128)(int64_t)A *(int64_t)B >> 64) \
    X(umul64hi, uint64_t, __nv_umul64hi(A, B), (unsigned __int128)A *B >> 64) \
    X(mul24, uint32_t, __nv_mul24((int)a, (int)b), low24(a) * low24(b)) \
    X(umul24, uint32_t, __nv_umul24(a, b), (uint64_t)(a & 0xffffff) * (b & 0xffffff)) \
    X(brev, uint32_t, __nv_brev((int)a), reversed(a, 32)) \
    X(brevll, uint64_t, __nv_brevll((long long)A), reversed(A, 64)) \
    X(clz, uint32_t, __nv_clz((int)a), leading(a, 32)) \
    X(clzll, uint32_t, __nv_clzll((long long)A), leading(A, 64)) \
    X(popc, uint32_t, __nv_popc((int)a), ones(a)) \
    X(popcll, uint32_t, __nv_popcll((long long)A), ones(A)) \
    X(ffs, uint32_t, __nv_ffs((int)a), first(a)) \
    X(ffsll, uint32_t, __nv_ffsll((long long)A), first(A)) \
    X(hadd, uint32_t, __nv_hadd((int)a, (int)b), ((int64_t)(int32_t)a + (int32_t)b) >> 1) \
    X(rhadd, uint32_t, __nv_rhadd((int)a, (int)b), ((int64_t)(int32_t)a + (int32_t)b + 1) >> 1) \
    X(uhadd, uint32_t, __nv_uhadd(a, b), ((uint64_t)a + b) >> 1) \
    X(urhadd, uint32_t, __nv_urhadd(a, b), ((uint64_t)a + b + 1) >> 1) \
    X(sad, uint32_t, __nv_sad((int)a, (int)b, (int)c), llabs((int64_t)(int32_t)a - (int32_t)b) + c) \
    X(usad, uint32_t, __nv_usad(a, b, c), llabs((int64_t)a - (int64_t)b) + c) \
    X(byte_perm, uint32_t, __nv_byte_perm((int)a, (int)b, (int)c), permuted(a, b, c)) \
    X(float_as_int, uint32_t, __nv_float_as_int(__nv_int_as_float((int)a)), a) \
    X(float_as_uint, uint32_t, __nv_float_as_uint(__nv_uint_as_float(a)), a) \
    X(double_as_longlong, uint64_t, __nv_double_as_longlong(__nv_longlong_as_double((long long)A)), A) \
    X(hiloint2double, uint64_t, __nv_double_as_longlong(__nv_hiloint2double((int)a, (int)b)), \
      (uint64_t)a << 32 | b) \
    X(double2hiint, uint32_t, __nv_double2hiint(__nv_longlong_as_double((long long)A)), A >> 32) \
    X(double2loint, uint32_t, __nv_double2loint(__nv_longlong_as_double((long long)A)), A)

static void integers(long rounds)
{
#define RUN(name, type, library, expected) \
    begin(#name); \
    for (long i = 0; i < rounds; i++) { \
        uint32_t a = pick32(i), b = pick32(i / 3), c = pick32(i / 9); \
        uint64_t A = pick64(i), B = pick64(i / 2); \
        (void)b, (void)c, (void)A, (void)B; \
        expect_u64((type)(library), (type)(expected), sizeof(type) == 8 ? A : a, sizeof(type) == 8 ? B : b); \
    } \
    finish();
    INTEGER_CASES(RUN)
#undef RUN
}

/* ---- lanes --------------------------------------------------------------------------- */

static long saturated(long v, long low, long high) { return v < low ? low : v > high ? high : v; }
static long rounded_average(long x, long y)
{
    /* halves go away from zero for signed lanes, up for unsigned ones */
    long sum = x + y;
    return sum >= 0 ? (sum + 1) / 2 : (sum - 1) / 2;
}

/* name, signed lanes, expression of x and y; lo hi are the lane's limits */
#define LANE_CASES(X) \
    X(add, 0, x + y) X(addss, 1, saturated(x + y, lo, hi)) X(addus, 0, saturated(x + y, lo, hi)) \
    X(sub, 0, x - y) X(subss, 1, saturated(x - y, lo, hi)) X(subus, 0, saturated(x - y, lo, hi)) \
    X(absdiffs, 1, labs(x - y)) X(absdiffu, 0, labs(x - y)) \
    X(avgs, 1, rounded_average(x, y)) X(avgu, 0, rounded_average(x, y)) X(haddu, 0, (x + y) / 2) \
    X(maxs, 1, fmax((double)x, (double)y)) X(maxu, 0, fmax((double)x, (double)y)) \
    X(mins, 1, fmin((double)x, (double)y)) X(minu, 0, fmin((double)x, (double)y)) \
    X(cmpeq, 0, -(x == y)) X(cmpne, 0, -(x != y)) X(seteq, 0, x == y) X(setne, 0, x != y) \
    X(cmpges, 1, -(x >= y)) X(cmpgeu, 0, -(x >= y)) X(setges, 1, x >= y) X(setgeu, 0, x >= y) \
    X(cmpgts, 1, -(x > y)) X(cmpgtu, 0, -(x > y)) X(setgts, 1, x > y) X(setgtu, 0, x > y) \
    X(cmples, 1, -(x <= y)) X(cmpleu, 0, -(x <= y)) X(setles, 1, x <= y) X(setleu, 0, x <= y) \
    X(cmplts, 1, -(x < y)) X(cmpltu, 0, -(x < y)) X(setlts, 1, x < y) X(setltu, 0, x < y)
#define LANE_UNARY(X) \
    X(abs, 1, labs(x)) \
    X(absss, 1, saturated(labs(x), lo, hi)) X(neg, 1, -x) X(negss, 1, saturated(-x, lo, hi))

#define LANE_RUN(name, stype, utype, is_signed, call, e) \
    begin(name); \
    for (long i = 0; i < rounds; i++) { \
        uint32_t a = pick32(i), b = pick32(i / 3), r; \
        utype la[4 / sizeof(utype)], lb[4 / sizeof(utype)], lr[4 / sizeof(utype)]; \
        long lo = is_signed ? -(1L << (8 * sizeof(utype) - 1)) : 0, hi = lo + (1L << 8 * sizeof(utype)) - 1; \
        memcpy(la, &a, 4); \
        memcpy(lb, &b, 4); \
        for (size_t k = 0; k < 4 / sizeof(utype); k++) { \
            long x = is_signed ? (long)(stype)la[k] : (long)la[k], \
                 y = is_signed ? (long)(stype)lb[k] : (long)lb[k]; \
            (void)x, (void)y, (void)lo, (void)hi; \
            lr[k] = (utype)(long)(e); \
        } \
        memcpy(&r, lr, 4); \
        expect_u64((uint32_t)(call), r, a, b); \
    } \
    finish();

static void lanes(long rounds)
{
#define BOTH(name, s, e) \
    LANE_RUN("v" #name "2", int16_t, uint16_t, s, __nv_v##name##2((int)a, (int)b), e) \
    LANE_RUN("v" #name "4", int8_t, uint8_t, s, __nv_v##name##4((int)a, (int)b), e)
#define ONE(name, s, e) \
    LANE_RUN("v" #name "2", int16_t, uint16_t, s, __nv_v##name##2((int)a), e) \
    LANE_RUN("v" #name "4", int8_t, uint8_t, s, __nv_v##name##4((int)a), e)
    LANE_CASES(BOTH)
    LANE_UNARY(ONE)
#define SAD(name, type) \
    begin("v" #name); \
    for (long i = 0; i < rounds; i++) { \
        uint32_t a = pick32(i), b = pick32(i / 3); \
        type la[4 / sizeof(type)], lb[4 / sizeof(type)]; \
        long sum = 0; \
        memcpy(la, &a, 4); \
        memcpy(lb, &b, 4); \
        for (size_t k = 0; k < 4 / sizeof(type); k++) { \
            sum += labs((long)la[k] - (long)lb[k]); \
        } \
        expect_u64((uint32_t)__nv_v##name((int)a, (int)b), (uint32_t)sum, a, b); \
    } \
    finish();
    SAD(sads2, int16_t)
    SAD(sads4, int8_t)
    SAD(sadu2, uint16_t)
    SAD(sadu4, uint8_t)
}

/* ---- floating point ------------------------------------------------------------------ */

static double pick_real(long i, int single)
{
    static const double edge[] = {
    0, 0.25, 0.49999999999999994, 0.49999997, 0.5, 0.75, 1, 1.5, 2, 2.5, 3.5, 4194303.5, 8388607.5,
    8388609, 0x1p52, 0x1.fffffffffffffp51, 0x1p53, 0x1p-1074, 0x1p-149, 0x1p-1022, 0x1p-126, 0x1.8p-1070,
    3.4028234663852886e38, 1.7976931348623157e308, INFINITY, NAN,
};
    uint64_t r = random_u64();
    double x;
    if (i % 4 == 0) {
        x = edge[r % (sizeof edge / sizeof *edge)];
        x = random_u64() & 1 ? -x : x;
    } else if (i % 4 == 1) {
        x = ((double)(int64_t)r) * 0x1p-50; /* +-8192 with a fraction */
    } else if (i % 4 == 2) {
        x = (double)(int32_t)r * 0.5; /* halves */
    } else if (single) {
        uint32_t u = (uint32_t)r;
        float f;
        memcpy(&f, &u, 4);
        return f;
    } else {
        memcpy(&x, &r, 8);
    }
    return single ? (double)(float)x : x;
}

static int pick_exponent(long i)
{
    static const int edge[] = {INT_MIN, INT_MAX, -2200, -1075, -1074, -150, -149, -127, -126, -24,
                               -1,      0,       1,     127,   128,   1023, 1024, 2100, 4000};
    uint64_t r = random_u64();
    return i % 2 ? edge[r % (sizeof edge / sizeof *edge)] : (int)(r % 400) - 200;
}

/* C17 F.10.7.2: a zero remainder has the sign of x (glibc 2.36 gives -0 for some positive x) */
static double zero_like(double r, double x) { return r == 0 ? copysign(0, x) : r; }

/* name, library float, library double, C library float, C library double; x y are arguments, n an exponent */
#define REAL_CASES(X) \
    X(fabs, __nv_fabsf(x), __nv_fabs(x), fabsf(x), fabs(x)) \
    X(floor, __nv_floorf(x), __nv_floor(x), floorf(x), floor(x)) \
    X(ceil, __nv_ceilf(x), __nv_ceil(x), ceilf(x), ceil(x)) \
    X(trunc, __nv_truncf(x), __nv_trunc(x), truncf(x), trunc(x)) \
    X(rint, __nv_rintf(x), __nv_rint(x), rintf(x), rint(x)) \
    X(nearbyint, __nv_nearbyintf(x), __nv_nearbyint(x), nearbyintf(x), nearbyint(x)) \
    X(round, __nv_roundf(x), __nv_round(x), roundf(x), round(x)) \
    X(logb, __nv_logbf(x), __nv_logb(x), logbf(x), logb(x)) \
    X(copysign, __nv_copysignf(x, y), __nv_copysign(x, y), copysignf(x, y), copysign(x, y)) \
    X(fdim, __nv_fdimf(x, y), __nv_fdim(x, y), fdimf(x, y), fdim(x, y)) \
    X(nextafter, __nv_nextafterf(x, y), __nv_nextafter(x, y), nextafterf(x, y), nextafter(x, y)) \
    X(fmod, __nv_fmodf(x, y), __nv_fmod(x, y), fmodf(x, y), fmod(x, y)) \
    X(remainder, __nv_remainderf(x, y), __nv_remainder(x, y), zero_like(remainderf(x, y), x), \
      zero_like(remainder(x, y), x)) \
    X(ldexp, __nv_ldexpf(x, n), __nv_ldexp(x, n), ldexpf(x, n), ldexp(x, n)) \
    X(scalbn, __nv_scalbnf(x, n), __nv_scalbn(x, n), scalbnf(x, n), scalbn(x, n)) \
    X(fma, __nv_fmaf(x, y, z), __nv_fma(x, y, z), fmaf(x, y, z), fma(x, y, z)) \
    X(fmin, x == y ? x : __nv_fminf(x, y), x == y ? x : __nv_fmin(x, y), x == y ? x : fminf(x, y), \
      x == y ? x : fmin(x, y)) \
    X(fmax, x == y ? x : __nv_fmaxf(x, y), x == y ? x : __nv_fmax(x, y), x == y ? x : fmaxf(x, y), \
      x == y ? x : fmax(x, y))

static void reals(long rounds)
{
#define RUN_AS(type, single, name, library, expected) \
    begin(name); \
    for (long i = 0; i < rounds; i++) { \
        type x = (type)pick_real(i, single), y = (type)pick_real(i / 4, single), \
             z = (type)pick_real(i / 16, single); \
        int n = pick_exponent(i); \
        (void)y, (void)z, (void)n; \
        expect_real((double)(library), (double)(expected), (double)x, (double)y); \
    } \
    finish();
#define RUN(name, lf, ld, cf, cd) RUN_AS(float, 1, #name "f", lf, cf) RUN_AS(double, 0, #name, ld, cd)
    REAL_CASES(RUN)
#undef RUN
#undef RUN_AS
}

/* Functions with a second result, in both formats */
#define PARTS(type, single, s, half) \
    begin("frexp" half); \
    for (long i = 0; i < rounds; i++) { \
        type x = (type)pick_real(i, single); \
        int e = 0, want_e = 0; \
        type got = __nv_frexp##s(x, &e), want = frexp##s(x, &want_e); \
        expect_real(got, want, x, 0); \
        expect_u64((uint64_t)e, isfinite(x) ? (uint64_t)want_e : 0, 0, 0); \
    } \
    finish(); \
    begin("modf" half); \
    for (long i = 0; i < rounds; i++) { \
        type x = (type)pick_real(i, single), whole, want_whole; \
        type got = __nv_modf##s(x, &whole), want = modf##s(x, &want_whole); \
        expect_real(got, want, x, 0); \
        expect_real(whole, want_whole, x, 0); \
    } \
    finish(); \
    begin("remquo" half); \
    for (long i = 0; i < rounds; i++) { \
        type x = (type)pick_real(i, single), y = (type)pick_real(i / 4, single); \
        int q = 0, want_q = 0; \
        type got = __nv_remquo##s(x, y, &q), want = remquo##s(x, y, &want_q); \
        expect_real(got, zero_like(want, x), x, y); \
        if (!isnan(want)) { \
            /* the C standard promises the sign and the low three bits */ \
            uint64_t xb = single ? __nv_float_as_uint((float)x) : __nv_double_as_longlong(x); \
            uint64_t yb = single ? __nv_float_as_uint((float)y) : __nv_double_as_longlong(y); \
            expect_u64((uint64_t)(abs(q) & 7), (uint64_t)(abs(want_q) & 7), xb, yb); \
            expect_u64((q & 7) != 0 && q < 0, (want_q & 7) != 0 && want_q < 0, xb, yb); \
        } \
    } \
    finish(); \
    begin("ilogb" half); \
    for (long i = 0; i < rounds; i++) { \
        type x = (type)pick_real(i, single); \
        expect_u64((uint64_t)__nv_ilogb##s(x), (uint64_t)ilogb##s(x), 0, 0); \
    } \
    finish(); \
    begin("llround" half); \
    for (long i = 0; i < rounds; i++) { \
        type x = (type)pick_real(i, single); \
        if (fabs((double)x) < 0x1p62) { \
            expect_u64((uint64_t)__nv_llround##s(x), (uint64_t)llround##s(x), 0, 0); \
        } \
    } \
    finish();

static void parts(long rounds)
{
    PARTS(float, 1, f, "f")
    PARTS(double, 0, , "")
    begin("classification");
    for (long i = 0; i < rounds; i++) {
        double x = pick_real(i, 0);
        float f = (float)pick_real(i, 1);
        expect_u64((uint64_t)__nv_isnand(x), isnan(x), 0, 0);
        expect_u64((uint64_t)__nv_isinfd(x), isinf(x) != 0, 0, 0);
        expect_u64((uint64_t)__nv_isfinited(x), isfinite(x) != 0, 0, 0);
        expect_u64((uint64_t)__nv_signbitd(x) != 0, signbit(x) != 0, 0, 0);
        expect_u64((uint64_t)__nv_isnanf(f), isnan(f), 0, 0);
        expect_u64((uint64_t)__nv_isinff(f), isinf(f) != 0, 0, 0);
        expect_u64((uint64_t)__nv_finitef(f), isfinite(f) != 0, 0, 0);
        expect_u64((uint64_t)__nv_signbitf(f) != 0, signbit(f) != 0, 0, 0);
    }
    finish();
    begin("nan");
    expect_u64((uint64_t)isnan(__nv_nan((const signed char *)"")), 1, 0, 0);
    expect_u64((uint64_t)isnan(__nv_nanf((const signed char *)"")), 1, 0, 0);
    finish();
}

/*
 * Every mantissa and both parities of the exponent: y is 1/sqrt(x) rounded to nearest if the squares of the
 * two midpoints beside it, times x, enclose one. All in integers: x = m 2^-23, y = n 2^-24.
 */
static void inverse_roots(void)
{
    begin("frsqrt_rn");
    for (uint32_t u = 0x3f800000; u < 0x40800000; u++) { /* 1 <= x < 4, 1/2 < y <= 1 */
        float x = __nv_uint_as_float(u), y = __nv_frsqrt_rn(x);
        uint64_t m = (uint64_t)((double)x * 0x1p23), n = (uint64_t)((double)y * 0x1p24);
        unsigned __int128 one = (unsigned __int128)1 << 73; /* 23 + 2 * 25 */
        unsigned __int128 below = (unsigned __int128)(2 * n - 1) * (2 * n - 1) * m;
        unsigned __int128 above = (unsigned __int128)(2 * n + 1) * (2 * n + 1) * m;
        expect_u64(below < one && one < above, 1, u, 0);
    }
    finish();
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
    integers(rounds);
    lanes(rounds);
    reals(rounds);
    parts(rounds);
    inverse_roots();
    printf("math-exact: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
