// helper_math.h on the device and on the host: operators of all vector types, conversions, minimum, maximum, clamping,
// interpolation, products and lengths. Components are checked one by one against scalar formulas; identities of
// geometry (orthogonality of the cross product, lengths of reflections) check the rest.
#define PROGRAM "vector_math"
#include "../check.h"

#include <helper_math.h>

enum { CASES = 200, RESULTS = 40 };

template <typename V>
__host__ __device__ void put2(float *&out, V v) {
    *out++ = (float)v.x;
    *out++ = (float)v.y;
}

template <typename V>
__host__ __device__ void put4(float *&out, V v) {
    put2(out, v);
    *out++ = (float)v.z;
    *out++ = (float)v.w;
}

__host__ __device__ float2 xy(float4 v) {
    return make_float2(make_float3(v));
}

// Results of one case, in an order that the check below repeats.
__host__ __device__ void compute(float4 a, float4 b, float s, float *out) {
    put4(out, (a + b) * s - b / 4.0f);
    put4(out, s - a);
    int4 i = make_int4(a) * 3 - make_int4(b);
    put4(out, max(i, make_int4(-5)));
    uint4 u = make_uint4(abs(i)) + 7u;
    put4(out, clamp(u, 8u, 30u));
    float3 c = make_float3(a);
    c += make_float3(xy(b), s);
    c *= 0.5f;
    put4(out, make_float4(c, dot(c, c)));
    put4(out, -floorf(a) + fracf(b));
    put4(out, lerp(a, b, 0.25f));
    put4(out, fmaxf(fminf(a, b), make_float4(-1.0f)));
    put2(out, clamp(xy(a), -2.0f, 2.0f));
    put2(out, smoothstep(make_float2(-4.0f), make_float2(4.0f), xy(b)));
    put2(out, fmodf(xy(a), make_float2(3.0f)) - fabs(xy(b)));
    put2(out, make_float2(make_int2(2.0f * xy(a))));
}

__global__ void compute_all(const float4 *a, const float4 *b, const float *s, float *out) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < CASES) {
        compute(a[i], b[i], s[i], out + i * RESULTS);
    }
}

static float part(const float4 &v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
}

static double between(double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
}

static double smooth(double x) {
    double y = between((x + 4) / 8, 0, 1);
    return y * y * (3 - 2 * y);
}

// The same for component k, in scalars; a row per line of compute().
static void expected_component(const float4 &va, const float4 &vb, float s, int k, double *e) {
    double a = part(va, k), b = part(vb, k);
    double whole = 3 * (double)(int)a - (double)(int)b;
    double mixed = 0.5 * (a + (k < 2 ? b : (double)s)), sum = 0;
    for (int d = 0; d < 3; d++) {
        double m = 0.5 * ((double)part(va, d) + (d < 2 ? (double)part(vb, d) : (double)s));
        sum += m * m;
    }
    e[0] = (a + b) * s - b / 4;
    e[1] = s - a;
    e[2] = whole > -5 ? whole : -5;
    e[3] = between(std::fabs(whole) + 7, 8, 30);
    e[4] = k == 3 ? sum : mixed;
    e[5] = -std::floor(a) + (b - std::floor(b));
    e[6] = a + 0.25 * (b - a);
    e[7] = std::fmax(std::fmin(a, b), -1);
    e[8] = between(a, -2, 2);
    e[9] = smooth(b);
    e[10] = std::fmod(a, 3.0) - std::fabs(b);
    e[11] = (double)(int)(2 * a);
}

static void check_case(const char *what, int n, const float4 &a, const float4 &b, float s, const float *got) {
    for (int k = 0; k < 4; k++) {
        double e[12];
        expected_component(a, b, s, k, e);
        for (int row = 0; row < 8; row++) {
            expect_near(what, n * 100 + row * 4 + k, e[row], got[row * 4 + k], 1e-5, 1e-4);
        }
        for (int row = 8; k < 2 && row < 12; row++) {
            expect_near(what, n * 100 + row, e[row], got[32 + (row - 8) * 2 + k], 1e-5, 1e-4);
        }
    }
}

static void check_geometry(const float4 &a4, const float4 &b4) {
    float3 a = make_float3(a4), b = make_float3(b4), n = normalize(b), c = cross(a, b), r = reflect(a, n);
    expect_near("unit length", 0, 1.0, length(n), 1e-5);
    expect_near("cross product, first factor", 0, 0.0, dot(c, a), 0, 1e-3);
    expect_near("cross product, second factor", 0, 0.0, dot(c, b), 0, 1e-3);
    expect_near("its length", 0, (double)dot(a, a) * dot(b, b) - (double)dot(a, b) * dot(a, b), dot(c, c), 1e-3, 1e-2);
    expect_near("length of a reflection", 0, length(a), length(r), 1e-4);
    expect_near("reflection at the normal", 0, -dot(a, n), dot(r, n), 1e-3, 1e-3);
}

int main() {
    Lcg random(17);
    std::vector<float4> a(CASES), b(CASES);
    std::vector<float> s(CASES);
    for (int i = 0; i < CASES; i++) {
        a[i] = make_float4(random.between(-9, 9), random.between(-9, 9), random.between(-9, 9), random.between(-9, 9));
        b[i] = make_float4(random.between(-9, 9), random.between(-9, 9), random.between(-9, 9), random.between(-9, 9));
        s[i] = random.between(-3, 3);
    }
    float *out = device_zeros<float>(CASES * RESULTS);
    compute_all<<<blocks_for(CASES, 64), 64>>>(to_device(a), to_device(b), to_device(s), out);
    CHECK_KERNEL();
    std::vector<float> device = to_host(out, CASES * RESULTS);
    for (int i = 0; i < CASES; i++) {
        float host[RESULTS];
        compute(a[i], b[i], s[i], host);
        check_case("host", i, a[i], b[i], s[i], host);
        check_case("device", i, a[i], b[i], s[i], &device[i * RESULTS]);
        check_geometry(a[i], b[i]);
    }
    return pass();
}
