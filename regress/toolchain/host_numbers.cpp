// Small floating point types in a C++ file for the host alone, against exact arithmetic: the values of all codes are
// decoded with ldexp, and the right result of an operation is the code whose value is nearest, found among all of them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures;

static void expect(bool right, const char *what, long a, long b) {
    if (!right && failures++ < 10) {
        printf("wrong: %s of %lx, %lx\n", what, a, b);
    }
}

// A format with `fraction` bits below `exponent` bits; codes from `end` on are infinities and NaNs.
struct Format {
    int exponent, fraction, end;
    std::vector<long double> value; // of the codes without a sign
    Format(int e, int f, int finite) : exponent(e), fraction(f), end(finite) {
        for (int code = 0; code < end; code++) {
            int high = code >> f, low = code & ((1 << f) - 1), bias = (1 << (e - 1)) - 1;
            value.push_back(high ? std::ldexp((long double)((1 << f) + low), high - bias - f)
                                 : std::ldexp((long double)low, 1 - bias - f));
        }
    }
    // The code of the nearest value, ties to the even code; `end` beyond the middle to the next power.
    int nearest(long double v) const {
        int sign = std::signbit(v) ? 1 << (exponent + fraction) : 0;
        v = std::fabs(v);
        long double step = value[end - 1] - value[end - 2];
        int above = (int)(std::lower_bound(value.begin(), value.end(), v) - value.begin());
        if (above == end) {
            long double above_last = v - value[end - 1];
            return sign | (above_last < step / 2 || (above_last == step / 2 && end % 2) ? end - 1 : end);
        }
        if (above == 0 || value[above] == v) {
            return sign | above;
        }
        long double up = value[above] - v, down = v - value[above - 1];
        return sign | (up < down || (up == down && above % 2 == 0) ? above : above - 1);
    }
    long double decode(int code) const {
        int sign = 1 << (exponent + fraction);
        return code & sign ? -value[code & (sign - 1)] : value[code];
    }
};

static uint64_t state = 5;

static unsigned draw() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 40);
}

template <typename T>
static T from_bits(unsigned short bits) {
    T t;
    memcpy(&t, &bits, sizeof t);
    return t;
}

template <typename T>
static int bits_of(T t) {
    unsigned short bits = 0;
    memcpy(&bits, &t, sizeof t);
    return bits;
}

// `span` bounds the exponents of the operands, so that sums are exact in long double.
template <typename T>
static void check_arithmetic(const Format &f, int span) {
    int sign = 1 << 15, middle = 1 << (f.exponent - 1);
    auto operand = [&] {
        int high = middle - span + (int)(draw() % (2 * span)), low = (int)draw() & ((1 << f.fraction) - 1);
        return (high << f.fraction | low) | (draw() & 1 ? sign : 0);
    };
    for (int i = 0; i < 40000; i++) {
        int a = operand(), b = operand(), c = operand();
        T x = from_bits<T>((unsigned short)a), y = from_bits<T>((unsigned short)b), z = from_bits<T>((unsigned short)c);
        long double va = f.decode(a), vb = f.decode(b), vc = f.decode(c);
        expect(bits_of(x + y) == f.nearest(va + vb) || va + vb == 0, "sum", a, b);
        expect(bits_of(x - y) == f.nearest(va - vb) || va - vb == 0, "difference", a, b);
        expect(bits_of(x * y) == f.nearest(va * vb), "product", a, b);
        expect(bits_of(x / y) == f.nearest(va / vb), "quotient", a, b);
        expect(bits_of(__hfma(x, y, z)) == f.nearest(va * vb + vc) || va * vb + vc == 0, "fma", a, b);
        expect((x < y) == (va < vb) && (x == y) == (va == vb) && (x >= y) == (va >= vb), "comparison", a, b);
        expect(bits_of(__hmax(x, y)) == (va > vb ? a : b), "maximum", a, b);
        expect(bits_of(__hneg(x)) == (a ^ sign) && bits_of(__habs(x)) == (a & ~sign), "sign", a, b);
    }
}

template <typename T>
static T limited(long double v, T least, T most) {
    return v >= (long double)most ? most : v <= (long double)least ? least : (T)v;
}

static void check_half(const Format &f) {
    for (int code = 0; code < 0x10000; code++) {
        __half h = from_bits<__half>((unsigned short)code);
        if ((code & 0x7fff) >= f.end) {
            expect(std::isnan(__half2float(h)) == ((code & 0x7fff) > f.end), "special value", code, 0);
            continue;
        }
        long double v = f.decode(code);
        expect(__half2float(h) == (float)v, "value", code, 0);
        expect(bits_of(__float2half((float)v)) == code, "and back", code, 0);
        expect(__half2int_rz(h) == limited<int>(v, INT_MIN, INT_MAX), "int", code, 0);
        expect(__half2uint_rz(h) == limited<unsigned>(v, 0, UINT_MAX), "unsigned", code, 0);
        expect(__half2short_rz(h) == limited<short>(v, SHRT_MIN, SHRT_MAX), "short", code, 0);
        expect(__half2ushort_rz(h) == limited<unsigned short>(v, 0, USHRT_MAX), "unsigned short", code, 0);
        expect(__half2ll_rz(h) == (long long)v, "long long", code, 0);
    }
    for (int i = 0; i < 40000; i++) {
        float v = std::ldexp((float)draw(), (int)(draw() % 50) - 50);
        expect(bits_of(__float2half(v)) == f.nearest(v), "float to half", i, 0);
        expect(bits_of(__double2half(v * 1.0000001)) == f.nearest((double)v * 1.0000001), "double to half", i, 0);
        expect(bits_of(__float2half_rz(v)) == f.nearest(v) || f.decode(bits_of(__float2half_rz(v))) < v, "down", i, 0);
    }
    __half infinity = __float2half(1e9f), nan = __float2half(NAN);
    expect(__half2int_rz(infinity) == INT_MAX && __half2ll_rz(infinity) == LLONG_MAX, "infinity", 0, 0);
    expect(__half2int_rz(nan) == 0 && __half2ll_rz(nan) == LLONG_MIN, "NaN", 0, 0);
}

static void check_bfloat16(const Format &f) {
    for (int code = 0; code < 0x10000; code++) {
        if ((code & 0x7fff) >= f.end) {
            continue;
        }
        __nv_bfloat16 h = from_bits<__nv_bfloat16>((unsigned short)code);
        long double v = f.decode(code);
        expect(__bfloat162float(h) == (float)v && bits_of(__float2bfloat16((float)v)) == code, "bfloat16", code, 0);
        expect(__bfloat162int_rz(h) == limited<int>(v, INT_MIN, INT_MAX), "bfloat16 to int", code, 0);
        expect(__bfloat162ull_rz(h) == limited<unsigned long long>(v, 0, ULLONG_MAX), "to 64 bits", code, 0);
    }
    for (int i = 0; i < 40000; i++) {
        float v = std::ldexp((float)draw(), (int)(draw() % 200) - 120);
        expect(bits_of(__float2bfloat16(v)) == f.nearest(v), "float to bfloat16", i, 0);
    }
}

// Saturating conversions give the largest finite value beyond it.
template <typename T>
static void check_fp8(const Format &f, const char *name) {
    for (int code = 0; code < 256; code++) {
        if ((code & 0x7f) < f.end) {
            T t;
            t.__x = (unsigned char)code;
            expect((float)t == (float)f.decode(code), name, code, 0);
        }
    }
    for (int i = 0; i < 40000; i++) {
        float v = std::ldexp((float)draw(), (int)(draw() % 60) - 50);
        int nearest = f.nearest(v);
        expect(T(v).__x == (nearest == f.end ? f.end - 1 : nearest), name, i, nearest);
    }
}

int main() {
    Format half(5, 10, 0x7c00), bfloat(8, 7, 0x7f80), e4m3(4, 3, 0x7f), e5m2(5, 2, 0x7c);
    check_half(half);
    check_arithmetic<__half>(half, 14);
    check_bfloat16(bfloat);
    check_arithmetic<__nv_bfloat16>(bfloat, 20);
    check_fp8<__nv_fp8_e4m3>(e4m3, "e4m3");
    check_fp8<__nv_fp8_e5m2>(e5m2, "e5m2");
    printf("%s\n", failures ? "wrong" : "right");
    return failures != 0;
}
