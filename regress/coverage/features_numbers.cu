// Number formats and numeric intrinsics: bfloat16, conversions to bytes, complex numbers, bytes and halfwords in a
// register (SIMD video intrinsics), arithmetic with a stated rounding, fast approximations, double precision functions.
// The host computes in exact integers, in double, or in long double.
#define PROGRAM "features_numbers"
#include "kernels/check.h"

#include <cfenv>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static const int COUNT = 512;

static float float_from(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// To bfloat16 and back: round to nearest, ties to even, in the upper half of the word.
static float rounded_to_bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t half = bits & 0xffff, kept = bits >> 16;
    kept += half > 0x8000 || (half == 0x8000 && (kept & 1));
    return float_from(kept << 16);
}

static __global__ void bfloat(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __nv_bfloat16 x = __float2bfloat16(a[i]), y = __float2bfloat16(b[i]);
        __nv_bfloat162 pair = __floats2bfloat162_rn(a[i], b[i]);
        out[6 * i] = __bfloat162float(x);
        out[6 * i + 1] = __bfloat162float(__hadd(x, y));
        out[6 * i + 2] = __bfloat162float(__hmul(x, y));
        out[6 * i + 3] = __bfloat162float(x - y);
        out[6 * i + 4] = x < y ? 1.0f : 0.0f;
        out[6 * i + 5] = __high2float(__hadd2(pair, pair));
    }
}

static void check_bfloat() {
    Lcg random(11);
    std::vector<float> a(COUNT), b(COUNT);
    for (int i = 0; i < COUNT; i++) {
        a[i] = random.between(-100.0f, 100.0f);
        b[i] = std::ldexp(random.between(-1.0f, 1.0f), (int)random.below(20) - 10);
    }
    a[0] = float_from(0x3f808000u); // a tie
    a[1] = float_from(0x3f818000u);
    float *da = to_device(a), *db = to_device(b), *out = device_zeros<float>(6 * COUNT);
    bfloat<<<blocks_for(COUNT, 128), 128>>>(da, db, out, COUNT);
    CHECK_KERNEL();
    std::vector<float> got = to_host(out, 6 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        // Sum and product of two bfloat16 with exponents this close are exact in double.
        float x = rounded_to_bf16(a[i]), y = rounded_to_bf16(b[i]);
        expect_equal("to bfloat16", i, x, got[6 * i]);
        expect_equal("sum of bfloat16", i, rounded_to_bf16(x + y), got[6 * i + 1]);
        expect_equal("product of bfloat16", i, rounded_to_bf16(x * y), got[6 * i + 2]);
        expect_equal("difference of bfloat16", i, rounded_to_bf16(x - y), got[6 * i + 3]);
        expect_equal("comparison of bfloat16", i, x < y ? 1.0f : 0.0f, got[6 * i + 4]);
        expect_equal("pairs of bfloat16", i, 2.0f * y, got[6 * i + 5]);
    }
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(out));
}

// Every half and bfloat16 to bytes, and a complex product with a sum, whose values are exact.
struct __CUDA_ALIGN__(16) Bytes {
    signed char from_half, from_bfloat;
    unsigned char unsigned_half, unsigned_bfloat;
    float real, imaginary;
};

static __global__ void to_bytes(Bytes *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __half h = __ushort_as_half((unsigned short)i);
    __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)i);
    __nv_bfloat162 z = __hcmadd(__floats2bfloat162_rn(2.0f, 3.0f), __floats2bfloat162_rn(5.0f, 7.0f),
                                __floats2bfloat162_rn(-4.0f, 1.0f));
    out[i] = {__half2char_rz(h), __bfloat162char_rz(b), __half2uchar_rz(h), __bfloat162uchar_rz(b),
              __low2float(z), __high2float(z)};
}

static void check_bytes() {
    const int all = 65536;
    Bytes *out = device_buffer<Bytes>(all);
    to_bytes<<<all / 256, 256>>>(out);
    CHECK_KERNEL();
    std::vector<Bytes> got = to_host(out, all);
    for (int i = 0; i < all; i++) {
        float values[2] = {__half2float(__ushort_as_half((unsigned short)i)), float_from((uint32_t)i << 16)};
        int bytes[2] = {got[i].from_half, got[i].from_bfloat};
        int unsigned_bytes[2] = {got[i].unsigned_half, got[i].unsigned_bfloat};
        for (int f = 0; f < 2; f++) {
            double whole = std::isnan(values[f]) ? 0.0 : std::trunc((double)values[f]);
            expect_equal("to a byte", i, (int)std::fmin(std::fmax(whole, -128.0), 127.0), bytes[f]);
            expect_equal("to an unsigned byte", i, (int)std::fmin(std::fmax(whole, 0.0), 255.0), unsigned_bytes[f]);
        }
    }
    expect_equal("size of an aligned structure", 0, (size_t)16, sizeof(Bytes));
    expect_equal("real part", 0, 2.0f * 5.0f - 3.0f * 7.0f - 4.0f, got[0].real);
    expect_equal("imaginary part", 0, 2.0f * 7.0f + 3.0f * 5.0f + 1.0f, got[0].imaginary);
    CHECK(cudaFree(out));
}

// The roots of z^n = 1 by repeated multiplication and the escape count of z -> z^2 + c.
static __global__ void complex_numbers(cuFloatComplex *powers, cuDoubleComplex *quotients, int n) {
    int i = threadIdx.x;
    double angle = 2.0 * 3.14159265358979323846 * i / n;
    cuDoubleComplex root = make_cuDoubleComplex(cos(angle), sin(angle));
    cuDoubleComplex power = make_cuDoubleComplex(1.0, 0.0);
    for (int k = 0; k < n; k++) {
        power = cuCmul(power, root);
    }
    powers[i] = cuComplexDoubleToFloat(power);
    cuDoubleComplex sum = cuCadd(root, cuConj(root));
    quotients[i] = cuCdiv(cuCsub(sum, make_cuDoubleComplex(3.0, cuCabs(root))), root);
}

static void check_complex() {
    const int n = 64;
    cuFloatComplex *powers = device_zeros<cuFloatComplex>(n);
    cuDoubleComplex *quotients = device_zeros<cuDoubleComplex>(n);
    complex_numbers<<<1, n>>>(powers, quotients, n);
    CHECK_KERNEL();
    std::vector<cuFloatComplex> ones = to_host(powers, n);
    std::vector<cuDoubleComplex> got = to_host(quotients, n);
    for (int i = 0; i < n; i++) {
        double angle = 2.0 * M_PI * i / n, c = std::cos(angle), s = std::sin(angle), re = 2 * c - 3, im = -1;
        expect_near("root of unity, real", i, 1.0, ones[i].x, 1e-6);
        expect_near("root of unity, imaginary", i, 0.0, ones[i].y, 0.0, 1e-6);
        expect_near("quotient, real", i, re * c + im * s, cuCreal(got[i]), 1e-12, 1e-13);
        expect_near("quotient, imaginary", i, im * c - re * s, cuCimag(got[i]), 1e-12, 1e-13);
    }
    CHECK(cudaFree(powers));
    CHECK(cudaFree(quotients));
}

static const int VIDEO = 12;

static __global__ void video(const unsigned *a, const unsigned *b, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = a[i], y = b[i];
        unsigned results[VIDEO] = {__vadd4(x, y),     __vsub4(x, y),     __vmaxs4(x, y),   __vminu4(x, y),
                                   __vabsdiffu4(x, y), __vsadu4(x, y),   __vaddus4(x, y),  __vcmpgtu4(x, y),
                                   __vadd2(x, y),     __vmaxs2(x, y),    __vavgu4(x, y),   __vsetles2(x, y)};
        for (int k = 0; k < VIDEO; k++) {
            out[i * VIDEO + k] = results[k];
        }
    }
}

// One lane of `bits` bits of an operation; the number is the position in the kernel's list.
static unsigned video_lane(int operation, unsigned x, unsigned y) {
    int8_t a = (int8_t)x, b = (int8_t)y;
    int16_t wide_a = (int16_t)x, wide_b = (int16_t)y;
    switch (operation) {
    case 0: return (x + y) & 0xff;
    case 1: return (x - y) & 0xff;
    case 2: return (uint8_t)(a > b ? a : b);
    case 3: return x < y ? x : y;
    case 4: return x > y ? x - y : y - x;
    case 6: return x + y > 255 ? 255 : x + y;
    case 7: return x > y ? 0xff : 0;
    case 8: return (x + y) & 0xffff;
    case 9: return (uint16_t)(wide_a > wide_b ? wide_a : wide_b);
    case 10: return (x + y + 1) / 2;
    default: return wide_a <= wide_b;
    }
}

static unsigned video_word(int operation, unsigned x, unsigned y) {
    int bits = operation == 8 || operation == 9 || operation == 11 ? 16 : 8;
    unsigned mask = (1u << bits) - 1, word = 0, sum = 0;
    for (int at = 0; at < 32; at += bits) {
        unsigned lane = video_lane(operation == 5 ? 4 : operation, x >> at & mask, y >> at & mask);
        word |= lane << at;
        sum += lane;
    }
    return operation == 5 ? sum : word;
}

static void check_video() {
    Lcg random(12);
    std::vector<unsigned> a(COUNT), b(COUNT);
    for (int i = 0; i < COUNT; i++) {
        a[i] = random.next();
        b[i] = i % 4 ? random.next() : a[i] ^ (1u << random.below(32));
    }
    unsigned *da = to_device(a), *db = to_device(b), *out = device_zeros<unsigned>(COUNT * VIDEO);
    video<<<blocks_for(COUNT, 64), 64>>>(da, db, out, COUNT);
    CHECK_KERNEL();
    std::vector<unsigned> got = to_host(out, COUNT * VIDEO);
    for (int i = 0; i < COUNT * VIDEO; i++) {
        unsigned expected = video_word(i % VIDEO, a[i / VIDEO], b[i / VIDEO]);
        expect_equal("SIMD video operation", i % VIDEO, expected, got[i]);
    }
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(out));
}

static const int ROUNDED = 20;

static __global__ void rounded(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = a[i], y = b[i];
        float results[ROUNDED] = {
            __fadd_rn(x, y), __fadd_rz(x, y), __fadd_rd(x, y), __fadd_ru(x, y), __fmul_rn(x, y),
            __fmul_rz(x, y), __fmul_rd(x, y), __fmul_ru(x, y), __fdiv_rn(x, y), __fdiv_rz(x, y),
            __fdiv_rd(x, y), __fdiv_ru(x, y), __frcp_rn(y),    __frcp_rz(y),    __frcp_rd(y),
            __frcp_ru(y),    __fsqrt_rn(y),   __fsqrt_rz(y),   __fsqrt_rd(y),   __fsqrt_ru(y)};
        for (int k = 0; k < ROUNDED; k++) {
            out[i * ROUNDED + k] = results[k];
        }
    }
}

static float host_rounded(int operation, float a, float b) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    volatile float x = a, y = b, result = 0;
    fesetround(modes[operation % 4]);
    switch (operation / 4) {
    case 0: result = x + y; break;
    case 1: result = x * y; break;
    case 2: result = x / y; break;
    case 3: result = 1.0f / y; break;
    default: result = std::sqrt((float)y); break;
    }
    fesetround(FE_TONEAREST);
    return result;
}

static void check_rounded() {
    Lcg random(13);
    std::vector<float> a(COUNT), b(COUNT);
    for (int i = 0; i < COUNT; i++) {
        a[i] = std::ldexp(random.between(-2.0f, 2.0f), (int)random.below(16) - 8);
        b[i] = std::ldexp(random.between(1.0f, 2.0f), (int)random.below(16) - 8);
    }
    float *da = to_device(a), *db = to_device(b), *out = device_zeros<float>(COUNT * ROUNDED);
    rounded<<<blocks_for(COUNT, 64), 64>>>(da, db, out, COUNT);
    CHECK_KERNEL();
    std::vector<float> got = to_host(out, COUNT * ROUNDED);
    for (int i = 0; i < COUNT * ROUNDED; i++) {
        float expected = host_rounded(i % ROUNDED, a[i / ROUNDED], b[i / ROUNDED]);
        expect_equal("rounded operation", i % ROUNDED, expected, got[i]);
    }
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(out));
}

static const int FUNCTIONS = 18;

static __global__ void functions(const double *x, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double v = x[i];
        float f = (float)v;
        double results[FUNCTIONS] = {
            tan(v),  asin(v), acos(v),     atan(v), atan2(v, 0.3), sinh(v),
            cosh(v), tanh(v), exp(v),      pow(v, 1.7), log(v),    log2(v),
            log10(v), rsqrt(v), tgamma(v), __expf(f), __sinf(f),   __fdividef(f, 3.0f)};
        for (int k = 0; k < FUNCTIONS; k++) {
            out[i * FUNCTIONS + k] = results[k];
        }
    }
}

static long double host_function(int which, long double v) {
    switch (which) {
    case 0: return std::tan(v);
    case 1: return std::asin(v);
    case 2: return std::acos(v);
    case 3: return std::atan(v);
    case 4: return std::atan2(v, (long double)0.3);
    case 5: return std::sinh(v);
    case 6: return std::cosh(v);
    case 7: return std::tanh(v);
    case 8: return std::exp(v);
    case 9: return std::pow(v, (long double)1.7);
    case 10: return std::log(v);
    case 11: return std::log2(v);
    case 12: return std::log10(v);
    case 13: return 1.0L / std::sqrt(v);
    case 14: return std::tgamma(v);
    case 15: return std::exp((long double)(float)v);
    case 16: return std::sin((long double)(float)v);
    default: return (long double)(float)v / 3.0L;
    }
}

static void check_functions() {
    std::vector<double> x(COUNT);
    for (int i = 0; i < COUNT; i++) {
        x[i] = (i + 0.5) / COUNT;
    }
    double *dx = to_device(x), *out = device_zeros<double>(COUNT * FUNCTIONS);
    functions<<<blocks_for(COUNT, 64), 64>>>(dx, out, COUNT);
    CHECK_KERNEL();
    std::vector<double> got = to_host(out, COUNT * FUNCTIONS);
    for (int i = 0; i < COUNT * FUNCTIONS; i++) {
        int which = i % FUNCTIONS;
        bool fast = which >= FUNCTIONS - 3;
        double expected = (double)host_function(which, x[i / FUNCTIONS]);
        expect_near("function", which, expected, got[i], fast ? 4e-7 : 4e-15, fast ? 6e-7 : 0.0);
    }
    CHECK(cudaFree(dx));
    CHECK(cudaFree(out));
}

int main() {
    check_bfloat();
    check_bytes();
    check_complex();
    check_video();
    check_rounded();
    check_functions();
    return pass();
}
