// Both 8-bit floating formats: every code to float, and every half and bfloat16 to both formats, saturating or not,
// against a search among all representable values; on the device and on the host.
#define PROGRAM "fp8_formats"
#include "../check.h"

#include <cuda_fp8.h>

enum { HALVES = 65536 };

struct Codes {
    unsigned char from_half[2][2], from_bf16[2]; // [format][saturation], [format] saturating
};

__host__ __device__ static Codes convert(unsigned short bits) {
    Codes c;
    __half_raw h = {bits};
    __nv_bfloat16_raw b = {bits};
    c.from_half[0][0] = __nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, __NV_E4M3);
    c.from_half[0][1] = __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E4M3);
    c.from_half[1][0] = __nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, __NV_E5M2);
    c.from_half[1][1] = __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E5M2);
    c.from_bf16[0] = __nv_fp8_e4m3(__nv_bfloat16(b)).__x;
    c.from_bf16[1] = __nv_fp8_e5m2(__nv_bfloat16(b)).__x;
    return c;
}

__global__ void convert_all(Codes *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = convert((unsigned short)i);
}

__global__ void decode(float *e4m3, float *e5m2) {
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;
    a.__x = b.__x = (unsigned char)threadIdx.x;
    e4m3[threadIdx.x] = (float)a;
    e5m2[threadIdx.x] = (float)b;
}

// The value of a code by the definition; code `beyond` continues the finite values by one step.
static double value_of(int code, int mantissa, int bias) {
    int e = code >> mantissa, m = code & ((1 << mantissa) - 1);
    return e ? std::ldexp(1.0 + std::ldexp((double)m, -mantissa), e - bias)
             : std::ldexp((double)m, 1 - bias - mantissa);
}

static int nearest(double x, int mantissa, int bias, int beyond) {
    int best = 0;
    for (int code = 1; code <= beyond; code++) {
        double d = std::fabs(value_of(code, mantissa, bias) - x), least = std::fabs(value_of(best, mantissa, bias) - x);
        if (d < least || (d == least && code % 2 == 0)) {
            best = code;
        }
    }
    return best;
}

static int reference(double x, int format, bool saturate) {
    int mantissa = format ? 2 : 3, bias = format ? 15 : 7, beyond = format ? 0x7c : 0x7f;
    int sign = std::signbit(x) ? 0x80 : 0;
    if (std::isnan(x)) {
        return 0x7f;
    }
    double step = value_of(beyond, mantissa, bias);
    int code = std::fabs(x) >= step ? beyond : nearest(std::fabs(x), mantissa, bias, beyond);
    return sign | (code == beyond && saturate ? beyond - 1 : code);
}

static void expect_codes(int bits, const Codes &c) {
    __half_raw h = {(unsigned short)bits};
    __nv_bfloat16_raw b = {(unsigned short)bits};
    double half_value = (double)(float)__half(h), bf16_value = (double)(float)__nv_bfloat16(b);
    for (int format = 0; format < 2; format++) {
        for (int saturate = 0; saturate < 2; saturate++) {
            expect_equal("half to fp8", bits, reference(half_value, format, saturate),
                         (int)c.from_half[format][saturate]);
        }
        expect_equal("bfloat16 to fp8", bits, reference(bf16_value, format, true), (int)c.from_bf16[format]);
    }
}

int main() {
    Codes *out = device_buffer<Codes>(HALVES);
    float *e4m3 = device_buffer<float>(256), *e5m2 = device_buffer<float>(256);
    convert_all<<<HALVES / 256, 256>>>(out);
    decode<<<1, 256>>>(e4m3, e5m2);
    CHECK_KERNEL();
    std::vector<Codes> codes = to_host(out, HALVES);
    std::vector<float> four = to_host(e4m3, 256), five = to_host(e5m2, 256);
    for (int i = 0; i < 256; i++) {
        bool nan4 = (i & 0x7f) == 0x7f, nan5 = (i & 0x7f) > 0x7c, infinite = (i & 0x7f) == 0x7c;
        double sign = i & 0x80 ? -1 : 1;
        expect_true("E4M3 to float", i, nan4 ? std::isnan(four[i]) : four[i] == sign * value_of(i & 0x7f, 3, 7));
        expect_true("E5M2 to float", i, nan5       ? std::isnan(five[i])
                                        : infinite ? std::isinf(five[i]) && (five[i] < 0) == (sign < 0)
                                                   : five[i] == sign * value_of(i & 0x7f, 2, 15));
    }
    for (int i = 0; i < HALVES; i++) {
        expect_codes(i, codes[i]);
        Codes host = convert((unsigned short)i);
        expect_true("host and device agree", i, memcmp(&host, &codes[i], sizeof host) == 0);
    }
    __nv_fp8x4_e4m3 four_values(make_float4(1.0f, -2.5f, 1000.0f, 0.0f));
    float4 back = (float4)four_values;
    expect_true("four at once", 0, back.x == 1.0f && back.y == -2.5f && back.z == 448.0f && back.w == 0.0f);
    return pass();
}
