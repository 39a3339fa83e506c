// Half precision against a host model that rounds exact values itself: all 65536 halves to float and back,
// floats to half in the four roundings, arithmetic, fused multiply-add, comparisons and integer conversions
// on half, and the same on both halves of half2. Inputs include subnormals, infinities, NaN and rounding
// ties.
#define PROGRAM "half_arith"
#include <cuda_fp16.h>

#include "../check.h"

typedef unsigned short Bits;

enum Rounding { NEAREST, TO_ZERO, UP, DOWN };

static double value_of(Bits bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                       : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                      : std::ldexp(fraction, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static bool is_nan(Bits bits) {
    return (bits & 0x7fff) > 0x7c00;
}

// Rounds an exact value; the caller says the sign that a zero gets.
static Bits rounded(long double exact, bool negative_zero, Rounding mode = NEAREST) {
    if (exact != exact) {
        return 0x7fff;
    }
    bool negative = exact < 0 || (exact == 0 && negative_zero);
    Bits sign = negative ? 0x8000 : 0;
    long double magnitude = exact < 0 ? -exact : exact;
    if (magnitude == (long double)INFINITY) {
        return (Bits)(sign | 0x7c00);
    }
    int exponent = -14;
    while (exponent < 16 && magnitude >= ldexpl(2.0L, exponent)) {
        exponent++;
    }
    bool away = mode == (negative ? DOWN : UP);
    if (exponent > 15) {
        return (Bits)(sign | (mode == NEAREST || away ? 0x7c00 : 0x7bff));
    }
    long double scaled = ldexpl(magnitude, 10 - exponent), whole = floorl(scaled), rest = scaled - whole;
    unsigned units = (unsigned)whole;
    if (mode == NEAREST ? rest > 0.5L || (rest == 0.5L && units % 2) : away && rest > 0) {
        units++;
    }
    // The carry out of the fraction moves into the exponent field by itself.
    unsigned bits = units >= 1024 ? (unsigned)(exponent + 14) * 1024 + units : units;
    return (Bits)(sign | bits);
}

static const int RESULTS = 22;

static const char *const names[RESULTS] = {
    "add",      "sub",       "mul",       "fma",       "div",       "neg",       "abs",       "eq",
    "ne",       "lt",        "le",        "gt",        "ge",        "isnan",     "to int rn", "to int rz",
    "from int", "half2 add", "half2 mul", "half2 fma", "half2 sub", "half2 swap"};

struct Outcome {
    unsigned result[RESULTS];
};

__device__ unsigned pair_bits(__half2 pair) {
    return __half_as_ushort(__low2half(pair)) | (unsigned)__half_as_ushort(__high2half(pair)) << 16;
}

__global__ void arithmetic(const Bits *inputs, Outcome *outcomes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    __half a = __ushort_as_half(inputs[3 * i]), b = __ushort_as_half(inputs[3 * i + 1]);
    __half c = __ushort_as_half(inputs[3 * i + 2]);
    __half2 ab = __halves2half2(a, b), bc = __halves2half2(b, c), ca = __halves2half2(c, a);
    unsigned *out = outcomes[i].result;
    int k = 0;
    out[k++] = __half_as_ushort(__hadd(a, b));
    out[k++] = __half_as_ushort(__hsub(a, b));
    out[k++] = __half_as_ushort(__hmul(a, b));
    out[k++] = __half_as_ushort(__hfma(a, b, c));
    out[k++] = __half_as_ushort(__hdiv(a, b));
    out[k++] = __half_as_ushort(__hneg(a));
    out[k++] = __half_as_ushort(__habs(a));
    out[k++] = __heq(a, b);
    out[k++] = __hne(a, b);
    out[k++] = __hlt(a, b);
    out[k++] = __hle(a, b);
    out[k++] = __hgt(a, b);
    out[k++] = __hge(a, b);
    out[k++] = __hisnan(a);
    out[k++] = (unsigned)__half2int_rn(a);
    out[k++] = (unsigned)__half2int_rz(a);
    out[k++] = __half_as_ushort(__int2half_rn((int)inputs[3 * i] - 20000));
    out[k++] = pair_bits(__hadd2(ab, bc));
    out[k++] = pair_bits(__hmul2(ab, bc));
    out[k++] = pair_bits(__hfma2(ab, bc, ca));
    out[k++] = pair_bits(__hsub2(ab, ca));
    out[k++] = pair_bits(__lowhigh2highlow(ab));
}

static Bits host_add(Bits a, Bits b) {
    long double x = value_of(a), y = value_of(b);
    return rounded(x + y, std::signbit(value_of(a)) && std::signbit(value_of(b)));
}

static Bits host_sub(Bits a, Bits b) {
    return host_add(a, is_nan(b) ? b : (Bits)(b ^ 0x8000));
}

static Bits host_mul(Bits a, Bits b) {
    return rounded((long double)value_of(a) * value_of(b), (a ^ b) & 0x8000);
}

static Bits host_fma(Bits a, Bits b, Bits c) {
    long double product = (long double)value_of(a) * value_of(b);
    return rounded(product + value_of(c), ((a ^ b) & 0x8000) && (c & 0x8000));
}

// The quotient of two halves is never closer to a rounding boundary than long double can tell.
static Bits host_div(Bits a, Bits b) {
    return rounded((long double)value_of(a) / value_of(b), (a ^ b) & 0x8000);
}

static unsigned host_int(double value) {
    return value != value ? 0u
                          : (unsigned)(int)(value > 2147483647.0    ? 2147483647.0
                                            : value < -2147483648.0 ? -2147483648.0
                                                                    : value);
}

static void expect_half(const char *what, long where, Bits expected, Bits got) {
    if (!(is_nan(expected) && is_nan(got))) {
        expect_equal(what, where, (unsigned)expected, (unsigned)got);
    }
}

static void expect_pair(const char *what, long where, Bits low, Bits high, unsigned got) {
    expect_half(what, where, low, (Bits)got);
    expect_half(what, where, high, (Bits)(got >> 16));
}

static void check_arithmetic(int n) {
    const Bits edges[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3c01,
                          0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3555, 0x6800, 0x6801};
    const int edge_count = sizeof edges / sizeof *edges;
    Lcg random(40);
    std::vector<Bits> inputs;
    for (int i = 0; i < edge_count * edge_count; i++) {
        inputs.push_back(edges[i % edge_count]);
        inputs.push_back(edges[i / edge_count]);
        inputs.push_back(edges[(i * 5 + i / edge_count) % edge_count]);
    }
    for (int i = 0; i < 3 * n; i++) {
        inputs.push_back(random.below(2) ? (Bits)random.next() : (Bits)(0x3400 + random.below(0x1000)));
    }
    int count = (int)inputs.size() / 3;
    Outcome *outcomes = device_zeros<Outcome>(count);
    arithmetic<<<blocks_for(count, 128), 128>>>(to_device(inputs), outcomes, count);
    CHECK_KERNEL();
    std::vector<Outcome> got = to_host(outcomes, count);
    for (int i = 0; i < count; i++) {
        Bits a = inputs[3 * i], b = inputs[3 * i + 1], c = inputs[3 * i + 2];
        double x = value_of(a), y = value_of(b);
        const unsigned *out = got[i].result;
        expect_half(names[0], i, host_add(a, b), (Bits)out[0]);
        expect_half(names[1], i, host_sub(a, b), (Bits)out[1]);
        expect_half(names[2], i, host_mul(a, b), (Bits)out[2]);
        expect_half(names[3], i, host_fma(a, b, c), (Bits)out[3]);
        expect_half(names[4], i, host_div(a, b), (Bits)out[4]);
        expect_half(names[5], i, (Bits)(a ^ 0x8000), (Bits)out[5]);
        expect_half(names[6], i, (Bits)(a & 0x7fff), (Bits)out[6]);
        const bool holds[] = {x == y, x < y || x > y, x<y, x <= y, x> y, x >= y, x != x};
        for (int k = 0; k < 7; k++) {
            expect_equal(names[7 + k], i, holds[k], out[7 + k] != 0);
        }
        expect_equal(names[14], i, host_int(std::nearbyint(x)), out[14]);
        expect_equal(names[15], i, host_int(std::trunc(x)), out[15]);
        expect_half(names[16], i, rounded((int)a - 20000, false), (Bits)out[16]);
        expect_pair(names[17], i, host_add(a, b), host_add(b, c), out[17]);
        expect_pair(names[18], i, host_mul(a, b), host_mul(b, c), out[18]);
        expect_pair(names[19], i, host_fma(a, b, c), host_fma(b, c, a), out[19]);
        expect_pair(names[20], i, host_sub(a, c), host_sub(b, a), out[20]);
        expect_pair(names[21], i, b, a, out[21]);
    }
}

__global__ void widen(float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __half2float(__ushort_as_half((Bits)i));
}

__global__ void narrow(const float *in, ushort4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i].x = __half_as_ushort(__float2half_rn(in[i]));
        out[i].y = __half_as_ushort(__float2half_rz(in[i]));
        out[i].z = __half_as_ushort(__float2half_ru(in[i]));
        out[i].w = __half_as_ushort(__float2half_rd(in[i]));
    }
}

static void check_conversions(int n) {
    float *wide = device_zeros<float>(65536);
    widen<<<256, 256>>>(wide);
    CHECK_KERNEL();
    std::vector<float> got = to_host(wide, 65536), inputs;
    for (int i = 0; i < 65536; i++) {
        double expected = value_of((Bits)i);
        expect_true("half to float", i, is_nan((Bits)i) ? got[i] != got[i] : got[i] == expected);
        expect_equal("sign of the float", i, (i & 0x8000) != 0 && !is_nan((Bits)i),
                     std::signbit(got[i]) && !is_nan((Bits)i));
        expect_half("host's own rounding", i, (Bits)i, rounded(expected, i & 0x8000));
        // Halves, the points halfway between neighbours, and just beside those.
        if (i % 16 == 5 && (i & 0x7c00) != 0x7c00) {
            float tie = (float)(0.5 * (value_of((Bits)i) + value_of((Bits)(i + 1))));
            inputs.push_back((float)expected);
            inputs.push_back(tie);
            inputs.push_back(std::nextafter(tie, INFINITY));
            inputs.push_back(std::nextafter(tie, -INFINITY));
        }
    }
    const float edges[] = {65504.0f, 65519.9f,  65520.0f, 65536.0f, -65520.0f,     1e30f,
                           -1e30f,   1e-30f,    -1e-30f,  2.98e-8f, 2.9802322e-8f, 3e-8f,
                           INFINITY, -INFINITY, NAN,      0.0f,     -0.0f};
    inputs.insert(inputs.end(), edges, edges + sizeof edges / sizeof *edges);
    Lcg random(41);
    for (int i = 0; i < n; i++) {
        inputs.push_back(std::ldexp(random.between(-1.0f, 1.0f), (int)random.below(48) - 28));
    }
    int count = (int)inputs.size();
    ushort4 *out = device_zeros<ushort4>(count);
    narrow<<<blocks_for(count, 128), 128>>>(to_device(inputs), out, count);
    CHECK_KERNEL();
    std::vector<ushort4> halves = to_host(out, count);
    for (int i = 0; i < count; i++) {
        bool negative = std::signbit(inputs[i]);
        expect_half("to half, nearest", i, rounded(inputs[i], negative, NEAREST), halves[i].x);
        expect_half("to half, towards zero", i, rounded(inputs[i], negative, TO_ZERO), halves[i].y);
        expect_half("to half, up", i, rounded(inputs[i], negative, UP), halves[i].z);
        expect_half("to half, down", i, rounded(inputs[i], negative, DOWN), halves[i].w);
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 2000, 1, 1 << 20);
    check_conversions(n);
    check_arithmetic(n);
    return pass();
}
