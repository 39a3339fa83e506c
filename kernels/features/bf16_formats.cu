// bfloat16 and half: every value to and from float, every rounding mode, conversions from random integers, pairs and
// raw forms, against exact arithmetic in double.
#define PROGRAM "bf16_formats"
#include "../check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { ALL = 65536, INTEGERS = 4096 };

struct Row {
    float value;
    unsigned short again, up_raw, mask;
    int to_int;
    short to_short;
    unsigned short to_ushort;
};

__global__ void all_values(Row *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_bfloat16 x = __ushort_as_bfloat16((unsigned short)i);
    __nv_bfloat162 pair(x, x);
    __nv_bfloat162_raw raw = pair;
    Row r;
    r.value = __bfloat162float(x);
    r.again = __bfloat16_as_ushort(__float2bfloat16(r.value));
    r.up_raw = raw.y;
    r.mask = (unsigned short)__heq2_mask(pair, __nv_bfloat162(raw));
    r.to_int = __bfloat162int_rd(x);
    r.to_short = __bfloat162short_rn(x);
    r.to_ushort = __bfloat162ushort_ru(x);
    out[i] = r;
}

struct Rounded {
    unsigned short nearest, zero, down, up, half_nearest, half_zero, half_down, half_up, constructed;
};

__global__ void from_integers(const long long *in, Rounded *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    long long v = in[i];
    out[i] = {__bfloat16_as_ushort(__ll2bfloat16_rn(v)), __bfloat16_as_ushort(__ll2bfloat16_rz(v)),
              __bfloat16_as_ushort(__ll2bfloat16_rd(v)), __bfloat16_as_ushort(__ll2bfloat16_ru(v)),
              __half_as_ushort(__ll2half_rn(v)),         __half_as_ushort(__ll2half_rz(v)),
              __half_as_ushort(__ll2half_rd(v)),         __half_as_ushort(__ll2half_ru(v)),
              __bfloat16_as_ushort(__nv_bfloat16(v))};
}

// The value of 16 bits with `mantissa` bits of significand, by the definition.
static double value_of(unsigned bits, int mantissa) {
    int exponents = 15 - mantissa, bias = (1 << (exponents - 1)) - 1;
    int e = (int)(bits >> mantissa) & ((1 << exponents) - 1), m = (int)bits & ((1 << mantissa) - 1);
    double sign = bits & 0x8000 ? -1 : 1;
    if (e == (1 << exponents) - 1) {
        return m ? NAN : sign * INFINITY;
    }
    return sign * (e ? std::ldexp(1.0 + std::ldexp((double)m, -mantissa), e - bias)
                     : std::ldexp((double)m, 1 - bias - mantissa));
}

// The integer rounded: mode 0 nearest even, 1 toward zero, 2 down, 3 up. Differences of integers and of representable
// values are exact in long double.
static unsigned rounded(long long v, int mantissa, int mode) {
    unsigned sign = v < 0 ? 0x8000 : 0, low = 0, top = mantissa == 7 ? 0x7f7f : 0x7bff;
    long double x = v < 0 ? -(long double)v : (long double)v;
    while (low < top &&
           (long double)value_of(low + 1, mantissa) <= x) { // the steps are few: from the power of two below
        unsigned step = 1;
        while (low + 2 * step <= top && (long double)value_of(low + 2 * step, mantissa) <= x) {
            step *= 2;
        }
        low += step;
    }
    long double below = value_of(low, mantissa);
    if (below == x) {
        return sign | low;
    }
    bool overflow = low == top;
    long double above = overflow ? 2 * below - value_of(low - 1, mantissa) : (long double)value_of(low + 1, mantissa);
    bool away = mode == 0 ? x - below > above - x || (x - below == above - x && low % 2)
                          : (mode == 2 && sign) || (mode == 3 && !sign);
    return sign | (away ? low + 1 : low);
}

int main() {
    std::vector<long long> integers(INTEGERS);
    Lcg random(9);
    for (long long &v : integers) {
        uint64_t bits = (uint64_t)random.next() << 32 | random.next();
        v = (long long)(bits >> random.below(63));
        v = random.below(2) ? v : -v;
    }
    for (int i = 0; i < INTEGERS; i += 2) { // the middle between two values of bfloat16, one less, one more
        integers[i] = ((257LL + 2 * random.below(128)) << (2 + random.below(52))) + random.below(3) - 1;
    }
    Row *rows = device_buffer<Row>(ALL);
    Rounded *out = device_buffer<Rounded>(INTEGERS);
    all_values<<<ALL / 256, 256>>>(rows);
    from_integers<<<INTEGERS / 256, 256>>>(to_device(integers), out);
    CHECK_KERNEL();
    std::vector<Row> got = to_host(rows, ALL);
    for (int i = 0; i < ALL; i++) {
        double x = value_of((unsigned)i, 7);
        bool nan = std::isnan(x);
        expect_true("bfloat16 to float", i, nan ? std::isnan(got[i].value) : got[i].value == x);
        expect_true("and back", i, nan ? (got[i].again & 0x7fff) > 0x7f80 : got[i].again == i);
        expect_equal("raw pair", i, i, (int)got[i].up_raw);
        expect_equal("mask", i, nan ? 0 : 0xffff, (int)got[i].mask);
        if (!nan) {
            double floor_value = std::floor(x), nearest = std::nearbyint(x), ceiling = std::ceil(x);
            expect_equal("to int, down", i, (int)std::fmin(std::fmax(floor_value, -2147483648.0), 2147483647.0),
                         got[i].to_int);
            expect_equal("to short", i, (int)std::fmin(std::fmax(nearest, -32768.0), 32767.0), (int)got[i].to_short);
            expect_equal("to unsigned short, up", i, (int)std::fmin(std::fmax(ceiling, 0.0), 65535.0),
                         (int)got[i].to_ushort);
        }
    }
    std::vector<Rounded> r = to_host(out, INTEGERS);
    for (int i = 0; i < INTEGERS; i++) {
        const unsigned short bf16[4] = {r[i].nearest, r[i].zero, r[i].down, r[i].up};
        const unsigned short half[4] = {r[i].half_nearest, r[i].half_zero, r[i].half_down, r[i].half_up};
        expect_equal("constructor", i, rounded(integers[i], 7, 0), (unsigned)r[i].constructed);
        expect_equal("constructor on the host", i, rounded(integers[i], 7, 0),
                     (unsigned)__bfloat16_as_ushort(__nv_bfloat16(integers[i])));
        for (int mode = 0; mode < 4; mode++) {
            expect_equal("integer to bfloat16", i, rounded(integers[i], 7, mode), (unsigned)bf16[mode]);
            expect_equal("integer to half", i, rounded(integers[i], 10, mode), (unsigned)half[mode]);
        }
    }
    return pass();
}
