// Host versions of the conversions and functions in the headers, against their definitions: every half and
// bfloat16 value, every midpoint between neighbours, and the inverse functions through the function that they
// invert.
#include <cmath>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static int failed;
#define CHECK(c, ...)              \
    do {                           \
        if (!(c) && failed++ < 10) \
            printf(__VA_ARGS__);   \
    } while (0)

// The value of a 16-bit pattern with `bits` fraction bits and the given exponent bias, from its definition.
static double value(unsigned h, int bits, int bias)
{
    int e = (h & 0x7fff) >> bits, m = h & ((1 << bits) - 1);
    double v = e ? ldexp(m + (1 << bits), e - bias - bits) : ldexp(m, 1 - bias - bits);
    return h >> 15 ? -v : v;
}

template <class H, class To, class From, class Round>
static void all_values(const char *name, int bits, int bias, To to_f, From from_f, Round round)
{
    unsigned top = 0x7fff >> bits << bits; // infinity
    for (unsigned h = 0; h < top; h++) {
        for (unsigned s = 0; s < 0x10000; s += 0x8000) {
            double v = value(h | s, bits, bias);
            CHECK((double)to_f(h | s) == v, "%s %04x reads as %g\n", name, h | s, (double)to_f(h | s));
            CHECK(from_f((float)v) == (h | s), "%s %g becomes %04x\n", name, v, from_f((float)v));
            if (h + 1 == top)
                continue;
            double w = value((h + 1) | s, bits, bias);
            float mid = (float)((v + w) / 2), lo = nextafterf(mid, (float)v), hi = nextafterf(mid, (float)w);
            unsigned even = (h & 1 ? h + 1 : h) | s;
            if ((double)mid != (v + w) / 2)
                continue;
            CHECK(from_f(mid) == even, "%s midpoint %a becomes %04x, not %04x\n", name, mid, from_f(mid),
                  even);
            CHECK(from_f(lo) == (h | s), "%s %a becomes %04x\n", name, lo, from_f(lo));
            CHECK(from_f(hi) == ((h + 1) | s), "%s %a becomes %04x\n", name, hi, from_f(hi));
            CHECK(round(mid, 1) == (h | s), "%s rz %a\n", name, mid);
            CHECK(round(mid, 2) == (s ? (h + 1) | s : h), "%s rd %a\n", name, mid);
            CHECK(round(mid, 3) == (s ? h | s : h + 1), "%s ru %a\n", name, mid);
        }
    }
}

int main()
{
    all_values<__half>(
        "half", 10, 15, [](unsigned h) { return __half2float(__ushort_as_half((unsigned short)h)); },
        [](float f) { return (unsigned)__half_as_ushort(__float2half(f)); },
        [](float f, int d) { return (unsigned)simtx_half::round_d(f, d); });
    all_values<__nv_bfloat16>(
        "bfloat16", 7, 127,
        [](unsigned h) { return __bfloat162float(__ushort_as_bfloat16((unsigned short)h)); },
        [](float f) { return (unsigned)__bfloat16_as_ushort(__float2bfloat16(f)); },
        [](float f, int d) { return (unsigned)simtx_bf16::round_f(f, d); });
    CHECK(__half_as_ushort(__float2half(65520.0f)) == 0x7c00, "65520 is not infinity\n");
    CHECK(__half_as_ushort(__float2half(65519.0f)) == 0x7bff, "65519 is not 65504\n");
    CHECK(__hisnan(__float2half(NAN)), "NaN lost\n");
    CHECK((float)(__half(1.5f) + __half(2.25f)) == 3.75f, "half addition\n");
    // 1.625 x 0.78125 = 1 + 69/256 is a tie of bfloat16; an addend far below any double's reach decides it.
    __nv_bfloat16 x(1.625f), y(0.78125f), tiny(1e-30f);
    CHECK((float)__hfma(x, y, __nv_bfloat16(0.0f)) == 1.265625f, "bfloat16 tie goes to even\n");
    CHECK((float)__hfma(x, y, tiny) == 1.2734375f, "bfloat16 fma, tie and a little more\n");
    CHECK((float)__hfma(x, y, -tiny) == 1.265625f, "bfloat16 fma, tie and a little less\n");
    for (double v = -0.99; v < 1.0; v += 0.01) {
        CHECK(fabs(erf(erfinv(v)) - v) < 1e-14, "erfinv(%g)\n", v);
        CHECK(fabs(erfc(erfcinv(v + 1)) - (v + 1)) < 1e-14, "erfcinv(%g)\n", v + 1);
        CHECK(fabs(normcdf(normcdfinv((v + 1) / 2)) - (v + 1) / 2) < 1e-14, "normcdfinv(%g)\n", (v + 1) / 2);
        CHECK(fabs(sinpi(v) - sin(M_PI * v)) < 1e-15 && fabs(cospi(v) - cos(M_PI * v)) < 1e-15, "sinpi(%g)\n",
              v);
        CHECK(fabs(rsqrt(v + 2) * sqrt(v + 2) - 1) < 1e-15, "rsqrt\n");
    }
    CHECK(sinpi(3.0) == 0 && cospi(0.5) == 0 && sinpi(0.5) == 1, "sinpi at multiples\n");
    CHECK(fabs(erfcx(30.0) * 30.0 * sqrt(M_PI) - 0.99944598) < 1e-6, "erfcx(30)\n");
    CHECK(min(3, 4) == 3 && max(3u, 4) == 4 && min(1.5f, 2.0) == 1.5 && max(2ll, -1ll) == 2,
          "host min and max\n");
    return failed != 0;
}
