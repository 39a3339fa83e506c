// Integer intrinsics against plain host loops: leading zeros, population count, bit reversal, first set bit,
// byte permutation, funnel shifts, high products, 24-bit products, averages, sums of absolute differences,
// four-way dot products, division and remainder by every sign, conversions with all roundings and saturation,
// shifts, bit fields and 128-bit products. Inputs are edge cases crossed with each other, then random ones.
#define PROGRAM "int_intrinsics"
#include "../check.h"

struct Input {
    uint32_t a, b, c, none; // no padding: device memory has the same bytes in every run
    uint64_t wide_a, wide_b;
    double real;
};

static const int RESULTS = 54;

struct Output {
    uint64_t result[RESULTS];
};

static const char *const names[RESULTS] = {
    "__clz",
    "__clzll",
    "__popc",
    "__popcll",
    "__brev",
    "__brevll",
    "__ffs",
    "__ffsll",
    "__byte_perm",
    "__funnelshift_l",
    "__funnelshift_r",
    "__funnelshift_lc",
    "__funnelshift_rc",
    "__mulhi",
    "__umulhi",
    "__mul64hi",
    "__umul64hi",
    "__mul24",
    "__umul24",
    "__hadd",
    "__uhadd",
    "__rhadd",
    "__urhadd",
    "__sad",
    "__usad",
    "__dp4a signed",
    "__dp4a unsigned",
    "signed quotient",
    "signed remainder",
    "unsigned quotient",
    "unsigned remainder",
    "64-bit signed quotient",
    "64-bit signed remainder",
    "64-bit unsigned quotient",
    "64-bit unsigned remainder",
    "__double2int_rn",
    "__double2int_rz",
    "__double2int_ru",
    "__double2int_rd",
    "__double2uint_rz",
    "__double2ll_rn",
    "__double2ull_rz",
    "__float2int_rn",
    "__float2uint_rz",
    "__float2ll_rd",
    "arithmetic shift",
    "rotate",
    "bfe.s32",
    "bfi.b32",
    "128-bit product",
    "min and max",
    "abs",
    "__int2float_rn",
    "__ull2double_rz",
};

__global__ void evaluate(const Input *inputs, Output *outputs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    Input in = inputs[i];
    uint32_t a = in.a, b = in.b, c = in.c;
    int sa = (int)a, sb = (int)b, sc = (int)c;
    uint64_t wa = in.wide_a, wb = in.wide_b;
    int64_t swa = (int64_t)wa, swb = (int64_t)wb;
    bool whole = !(sb == -1 && sa == INT32_MIN), whole_wide = !(swb == -1 && swa == INT64_MIN);
    float narrow = (float)in.real;
    int field;
    uint32_t inserted;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(field) : "r"(a), "r"(b & 31), "r"(c & 31));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(inserted) : "r"(a), "r"(b), "r"(c & 31), "r"(c >> 27));
    unsigned __int128 product = (unsigned __int128)wa * wb;
    uint64_t *out = outputs[i].result;
    int k = 0;
    out[k++] = __clz(sa);
    out[k++] = __clzll(swa);
    out[k++] = __popc(a);
    out[k++] = __popcll(wa);
    out[k++] = __brev(a);
    out[k++] = __brevll(wa);
    out[k++] = __ffs(sa);
    out[k++] = __ffsll(swa);
    out[k++] = __byte_perm(a, b, c);
    out[k++] = __funnelshift_l(a, b, c);
    out[k++] = __funnelshift_r(a, b, c);
    out[k++] = __funnelshift_lc(a, b, c);
    out[k++] = __funnelshift_rc(a, b, c);
    out[k++] = (uint32_t)__mulhi(sa, sb);
    out[k++] = __umulhi(a, b);
    out[k++] = (uint64_t)__mul64hi(swa, swb);
    out[k++] = __umul64hi(wa, wb);
    out[k++] = (uint32_t)__mul24(sa, sb);
    out[k++] = __umul24(a, b);
    out[k++] = (uint32_t)__hadd(sa, sb);
    out[k++] = __uhadd(a, b);
    out[k++] = (uint32_t)__rhadd(sa, sb);
    out[k++] = __urhadd(a, b);
    out[k++] = (uint32_t)__sad(sa, sb, c);
    out[k++] = __usad(a, b, c);
    out[k++] = (uint32_t)__dp4a(sa, sb, sc);
    out[k++] = __dp4a(a, b, c);
    out[k++] = b && whole ? (uint32_t)(sa / sb) : 0;
    out[k++] = b && whole ? (uint32_t)(sa % sb) : 0;
    out[k++] = b ? a / b : 0;
    out[k++] = b ? a % b : 0;
    out[k++] = wb && whole_wide ? (uint64_t)(swa / swb) : 0;
    out[k++] = wb && whole_wide ? (uint64_t)(swa % swb) : 0;
    out[k++] = wb ? wa / wb : 0;
    out[k++] = wb ? wa % wb : 0;
    out[k++] = (uint32_t)__double2int_rn(in.real);
    out[k++] = (uint32_t)__double2int_rz(in.real);
    out[k++] = (uint32_t)__double2int_ru(in.real);
    out[k++] = (uint32_t)__double2int_rd(in.real);
    out[k++] = __double2uint_rz(in.real);
    out[k++] = (uint64_t)__double2ll_rn(in.real);
    out[k++] = __double2ull_rz(in.real);
    out[k++] = (uint32_t)__float2int_rn(narrow);
    out[k++] = __float2uint_rz(narrow);
    out[k++] = (uint64_t)__float2ll_rd(narrow);
    out[k++] = (uint64_t)(swa >> (c & 63));
    out[k++] = (a << (c & 31)) | (a >> (-c & 31));
    out[k++] = (uint32_t)field;
    out[k++] = inserted;
    out[k++] = (uint64_t)(product >> 64) ^ (uint64_t)product;
    out[k++] = (uint32_t)(min(sa, sb) ^ max(sa, sb)) + (uint64_t)(min(wa, wb) - max(a, b));
    out[k++] = (uint32_t)(sa == INT32_MIN ? 0 : abs(sa)) + (uint64_t)(swa == INT64_MIN ? 0 : llabs(swa));
    out[k++] = __float_as_uint(__int2float_rn(sa));
    out[k++] = (uint64_t)__double_as_longlong(__ull2double_rz(wa));
}

static int bit_count(uint64_t x) {
    int count = 0;
    for (int i = 0; i < 64; i++) {
        count += x >> i & 1;
    }
    return count;
}

static int leading_zeros(uint64_t x, int bits) {
    int count = 0;
    while (count < bits && !(x >> (bits - 1 - count) & 1)) {
        count++;
    }
    return count;
}

static uint64_t reversed(uint64_t x, int bits) {
    uint64_t y = 0;
    for (int i = 0; i < bits; i++) {
        y |= (x >> i & 1) << (bits - 1 - i);
    }
    return y;
}

static int first_set(uint64_t x) {
    for (int i = 0; i < 64; i++) {
        if (x >> i & 1) {
            return i + 1;
        }
    }
    return 0;
}

static uint32_t byte_permuted(uint32_t a, uint32_t b, uint32_t selector) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) {
        result |= (uint32_t)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    }
    return result;
}

// A 24-bit two's-complement number out of the low bits.
static int64_t low24(uint32_t x) {
    int64_t low = x & 0xffffff;
    return low >= 0x800000 ? low - 0x1000000 : low;
}

static int64_t floor_half(int64_t x) {
    return (x - (x & 1)) / 2;
}

template <typename Byte>
static uint32_t dot4(uint32_t a, uint32_t b, uint32_t c) {
    int64_t sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += (int64_t)(Byte)(a >> 8 * i) * (Byte)(b >> 8 * i);
    }
    return (uint32_t)(c + (uint64_t)sum);
}

// Conversion with saturation; a NaN gives 0 for 32 bits. Inputs here are never NaN.
static uint64_t saturated(long double whole, long double least, long double most) {
    long double kept = whole < least ? least : whole > most ? most : whole;
    return kept < 0 ? (uint64_t)(int64_t)kept : (uint64_t)kept;
}

static uint32_t float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t truncated_double_bits(uint64_t x) {
    int zeros = leading_zeros(x, 64);
    double kept = zeros < 11 ? (double)(x >> (11 - zeros) << (11 - zeros)) : (double)x;
    uint64_t bits;
    memcpy(&bits, &kept, sizeof bits);
    return bits;
}

static void expected_of(const Input &in, uint64_t *out) {
    const long double least = INT32_MIN, most = INT32_MAX, least_wide = -0x1p63L, most_wide = 0x1p63L - 1.0L;
    uint32_t a = in.a, b = in.b, c = in.c, s = c & 31, clamped = c < 32 ? c : 32;
    int64_t sa = (int)a, sb = (int)b;
    uint64_t wa = in.wide_a, wb = in.wide_b, both = (uint64_t)b << 32 | a;
    int64_t swa = (int64_t)wa, swb = (int64_t)wb;
    bool whole = b && !(sb == -1 && sa == INT32_MIN), whole_wide = wb && !(swb == -1 && swa == INT64_MIN);
    long double real = in.real;
    float narrow = (float)in.real;
    int width = (int)(c & 31), start = (int)(b & 31);
    int64_t field = 0;
    for (int i = 0; i < width; i++) {
        int from = start + i < 31 ? start + i : 31;
        field |= (int64_t)(a >> from & 1) << i;
    }
    if (width > 0 && field >> (width - 1) & 1) {
        field -= (int64_t)1 << width;
    }
    uint32_t inserted = b;
    for (unsigned i = 0; i < c >> 27 && (c & 31) + i < 32; i++) {
        uint32_t bit = 1u << ((c & 31) + i);
        inserted = a >> i & 1 ? inserted | bit : inserted & ~bit;
    }
    __int128 signed_product = (__int128)swa * swb;
    unsigned __int128 product = (unsigned __int128)wa * wb;
    int k = 0;
    out[k++] = leading_zeros(a, 32);
    out[k++] = leading_zeros(wa, 64);
    out[k++] = bit_count(a);
    out[k++] = bit_count(wa);
    out[k++] = reversed(a, 32);
    out[k++] = reversed(wa, 64);
    out[k++] = first_set(a);
    out[k++] = first_set(wa);
    out[k++] = byte_permuted(a, b, c);
    out[k++] = (uint32_t)(both << s >> 32);
    out[k++] = (uint32_t)(both >> s);
    out[k++] = clamped == 32 ? a : (uint32_t)(both << clamped >> 32);
    out[k++] = clamped == 32 ? b : (uint32_t)(both >> clamped);
    out[k++] = (uint32_t)((uint64_t)(sa * sb) >> 32);
    out[k++] = (uint32_t)((uint64_t)a * b >> 32);
    out[k++] = (uint64_t)(signed_product >> 64);
    out[k++] = (uint64_t)(product >> 64);
    out[k++] = (uint32_t)(low24(a) * low24(b));
    out[k++] = (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff));
    out[k++] = (uint32_t)floor_half(sa + sb);
    out[k++] = (uint32_t)(((uint64_t)a + b) / 2);
    out[k++] = (uint32_t)floor_half(sa + sb + 1);
    out[k++] = (uint32_t)(((uint64_t)a + b + 1) / 2);
    out[k++] = (uint32_t)(c + (uint64_t)(sa > sb ? sa - sb : sb - sa));
    out[k++] = (uint32_t)(c + (uint64_t)(a > b ? a - b : b - a));
    out[k++] = dot4<int8_t>(a, b, c);
    out[k++] = dot4<uint8_t>(a, b, c);
    out[k++] = whole ? (uint32_t)(sa / sb) : 0;
    out[k++] = whole ? (uint32_t)(sa % sb) : 0;
    out[k++] = b ? a / b : 0;
    out[k++] = b ? a % b : 0;
    out[k++] = whole_wide ? (uint64_t)(swa / swb) : 0;
    out[k++] = whole_wide ? (uint64_t)(swa % swb) : 0;
    out[k++] = wb ? wa / wb : 0;
    out[k++] = wb ? wa % wb : 0;
    out[k++] = (uint32_t)saturated(std::rint(real), least, most);
    out[k++] = (uint32_t)saturated(std::trunc(real), least, most);
    out[k++] = (uint32_t)saturated(std::ceil(real), least, most);
    out[k++] = (uint32_t)saturated(std::floor(real), least, most);
    out[k++] = saturated(std::trunc(real), 0, UINT32_MAX);
    out[k++] = saturated(std::rint(real), least_wide, most_wide);
    out[k++] = saturated(std::trunc(real), 0, (long double)UINT64_MAX);
    out[k++] = (uint32_t)saturated(std::rint(narrow), least, most);
    out[k++] = saturated(std::trunc(narrow), 0, UINT32_MAX);
    out[k++] = saturated(std::floor(narrow), least_wide, most_wide);
    out[k++] = (uint64_t)(swa < 0 ? ~(~wa >> (c & 63)) : wa >> (c & 63));
    out[k++] = s ? a << s | a >> (32 - s) : a;
    out[k++] = (uint32_t)field;
    out[k++] = inserted;
    out[k++] = (uint64_t)(product >> 64) ^ (uint64_t)product;
    out[k++] = (uint32_t)(sa ^ sb) + ((wa < wb ? wa : wb) - (a > b ? a : b));
    out[k++] = (uint32_t)(sa == INT32_MIN ? 0
                          : sa < 0        ? -sa
                                          : sa) +
               (swa == INT64_MIN ? 0
                : swa < 0        ? -wa
                                 : wa);
    out[k++] = float_bits((float)(double)sa);
    out[k++] = truncated_double_bits(wa);
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 3000, 1, 1 << 20);
    const uint32_t edges[] = {0,           1,          2,          31,          32,
                              33,          0x7f,       0x80,       0xff,        0x7fffff,
                              0x800000,    0xffffff,   0x7fffffff, 0x80000000u, 0x80000001u,
                              0xffffffffu, 0x01234567, 0x76543210, 0xfedcba98u};
    const double reals[] = {0.0,          -0.0,     0.5,          -0.5,         1.5,           2.5,
                            -2.5,         1e-300,   2147483647.0, 2147483647.5, -2147483648.5, 4294967295.5,
                            4294967296.0, 1e18,     -1e19,        1.8e19,       2e19,          1e300,
                            -1e300,       INFINITY, -INFINITY};
    const int edge_count = sizeof edges / sizeof *edges, real_count = sizeof reals / sizeof *reals;
    Lcg random(30);
    std::vector<Input> inputs;
    for (int i = 0; i < edge_count * edge_count; i++) {
        uint32_t a = edges[i % edge_count], b = edges[i / edge_count], c = edges[(i * 7 + 3) % edge_count];
        Input in = {a, b, c, 0, (uint64_t)a << 32 | b, (uint64_t)(int64_t)(int)b ^ c, reals[i % real_count]};
        inputs.push_back(in);
    }
    for (int i = 0; i < n; i++) {
        uint64_t wide = (uint64_t)random.next() << 32 | random.next();
        Input in = {random.next(),
                    random.next() >> random.below(32),
                    random.next(),
                    0,
                    wide >> random.below(64),
                    ((uint64_t)random.next() << 32 | random.next()) >> random.below(64),
                    std::ldexp(random.between(-1.0f, 1.0f), (int)random.below(70))};
        inputs.push_back(in);
    }
    int count = (int)inputs.size();
    Input *in = to_device(inputs);
    Output *out = device_zeros<Output>(count);
    evaluate<<<blocks_for(count, 64), 64>>>(in, out, count);
    CHECK_KERNEL();
    std::vector<Output> got = to_host(out, count);
    for (int i = 0; i < count; i++) {
        uint64_t expected[RESULTS];
        expected_of(inputs[i], expected);
        for (int k = 0; k < RESULTS; k++) {
            expect_equal(names[k], i, expected[k], got[i].result[k]);
        }
    }
    return pass();
}
