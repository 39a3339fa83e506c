// The device's math functions against the host's libm: each float and double function over a range of inputs,
// with the error in units of the last place that the CUDA programming guide documents as the limit. Float
// results are compared with long double values rounded to float, double results with long double values
// rounded to double. Special values (zero, infinity, NaN, poles) must come out as C's Annex F says.
#define PROGRAM "math_accuracy"
#include "../check.h"

static inline long double rsqrtl(long double x) {
    return 1.0L / sqrtl(x);
}

static inline long double exp10_reference(long double x) {
    return powl(10.0L, x);
}

// One struct to a function: the device's float and double forms and the host's long double one.
#define UNARY(NAME, HOST)                                                                                    \
    struct NAME##_function {                                                                                 \
        __device__ static float device(float x) { return NAME##f(x); }                                       \
        __device__ static double device(double x) { return NAME(x); }                                        \
        static long double host(long double x) { return HOST(x); }                                           \
        static const char *name() { return #NAME; }                                                          \
    };

#define BINARY(NAME)                                                                                         \
    struct NAME##_function {                                                                                 \
        __device__ static float device(float x, float y) { return NAME##f(x, y); }                           \
        __device__ static double device(double x, double y) { return NAME(x, y); }                           \
        static long double host(long double x, long double y) { return NAME##l(x, y); }                      \
        static const char *name() { return #NAME; }                                                          \
    };

UNARY(sqrt, sqrtl)
UNARY(rsqrt, rsqrtl)
UNARY(cbrt, cbrtl)
UNARY(exp, expl)
UNARY(exp2, exp2l)
UNARY(exp10, exp10_reference)
UNARY(expm1, expm1l)
UNARY(log, logl)
UNARY(log2, log2l)
UNARY(log10, log10l)
UNARY(log1p, log1pl)
UNARY(sin, sinl)
UNARY(cos, cosl)
UNARY(tan, tanl)
UNARY(asin, asinl)
UNARY(acos, acosl)
UNARY(atan, atanl)
UNARY(sinh, sinhl)
UNARY(cosh, coshl)
UNARY(tanh, tanhl)
UNARY(asinh, asinhl)
UNARY(acosh, acoshl)
UNARY(atanh, atanhl)
UNARY(erf, erfl)
UNARY(erfc, erfcl)
UNARY(lgamma, lgammal)
UNARY(tgamma, tgammal)
UNARY(floor, floorl)
UNARY(ceil, ceill)
UNARY(trunc, truncl)
UNARY(round, roundl)
UNARY(rint, rintl)
UNARY(fabs, fabsl)
BINARY(pow)
BINARY(atan2)
BINARY(hypot)
BINARY(fmod)
BINARY(remainder)
BINARY(fmin)
BINARY(fmax)
BINARY(copysign)
BINARY(fdim)

template <typename Function, typename T>
__global__ void evaluate_unary(const T *x, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = Function::device(x[i]);
    }
}

template <typename Function, typename T>
__global__ void evaluate_binary(const T *x, const T *y, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = Function::device(x[i], y[i]);
    }
}

// Numbers representable values in order, so that a difference counts units in the last place.
static int64_t ordinal(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

static int64_t ordinal(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

template <typename T>
static void expect_close(const char *name, long where, T expected, T got, int limit) {
    if (expected != expected || got != got) {
        expect_true(name, where, expected != expected && got != got);
        return;
    }
    int64_t difference = ordinal(expected) - ordinal(got);
    if (difference > limit || difference < -limit) {
        fail(name, where, (double)expected, (double)got);
    }
}

static int samples = 256;

template <typename T>
static T sample(Lcg &random, double low, double high) {
    double fraction = (random.next() + random.next() / 4294967296.0) / 4294967296.0;
    return (T)(low + (high - low) * fraction);
}

template <typename Function, typename T>
static void check_unary_as(double low, double high, int limit) {
    Lcg random(31);
    std::vector<T> x(samples);
    for (T &value : x) {
        value = sample<T>(random, low, high);
    }
    const T specials[] = {(T)0.0, (T)-0.0, (T)INFINITY, (T)-INFINITY, (T)NAN, (T)1.0, (T)-1.0};
    x.insert(x.end(), specials, specials + sizeof specials / sizeof *specials);
    int n = (int)x.size();
    T *in = to_device(x), *out = device_zeros<T>(n);
    evaluate_unary<Function, T><<<blocks_for(n, 128), 128>>>(in, out, n);
    CHECK_KERNEL();
    std::vector<T> got = to_host(out, n);
    for (int i = 0; i < n; i++) {
        T expected = (T)Function::host((long double)x[i]);
        expect_close(Function::name(), i, expected, got[i], limit);
        bool zero = expected == (T)0;
        expect_equal("sign of a zero", i, zero && std::signbit(expected), zero && std::signbit(got[i]));
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

template <typename Function, typename T>
static void check_binary_as(double low, double high, double y_low, double y_high, int limit) {
    Lcg random(32);
    std::vector<T> x(samples), y(samples);
    for (int i = 0; i < samples; i++) {
        x[i] = sample<T>(random, low, high);
        y[i] = sample<T>(random, y_low, y_high);
    }
    const T specials[] = {(T)0.0, (T)-0.0, (T)INFINITY, (T)-INFINITY, (T)1.0, (T)-2.0};
    for (T a : specials) {
        for (T b : specials) {
            x.push_back(a);
            y.push_back(b);
        }
    }
    int n = (int)x.size();
    T *x_device = to_device(x), *y_device = to_device(y), *out = device_zeros<T>(n);
    evaluate_binary<Function, T><<<blocks_for(n, 128), 128>>>(x_device, y_device, out, n);
    CHECK_KERNEL();
    std::vector<T> got = to_host(out, n);
    for (int i = 0; i < n; i++) {
        T expected = (T)Function::host((long double)x[i], (long double)y[i]);
        expect_close(Function::name(), i, expected, got[i], limit);
    }
    CHECK(cudaFree(x_device));
    CHECK(cudaFree(y_device));
    CHECK(cudaFree(out));
}

template <typename Function>
static void check_unary(double low, double high, int float_limit, int double_limit) {
    check_unary_as<Function, float>(low, high, float_limit);
    check_unary_as<Function, double>(low, high, double_limit);
}

template <typename Function>
static void check_binary(double low, double high, double y_low, double y_high, int float_limit,
                         int double_limit) {
    check_binary_as<Function, float>(low, high, y_low, y_high, float_limit);
    check_binary_as<Function, double>(low, high, y_low, y_high, double_limit);
}

int main(int argc, char **argv) {
    samples = size_argument(argc, argv, samples, 1, 1 << 20);
    check_unary<sqrt_function>(0, 1e6, 0, 0);
    check_unary<rsqrt_function>(1e-6, 1e6, 2, 1);
    check_unary<cbrt_function>(-1e6, 1e6, 1, 1);
    check_unary<exp_function>(-80, 80, 2, 1);
    check_unary<exp2_function>(-120, 120, 2, 1);
    check_unary<exp10_function>(-35, 35, 2, 1);
    check_unary<expm1_function>(-5, 20, 1, 1);
    check_unary<log_function>(1e-6, 100, 1, 1);
    check_unary<log2_function>(1e-6, 100, 1, 1);
    check_unary<log10_function>(1e-6, 100, 2, 1);
    check_unary<log1p_function>(-0.99, 5, 1, 1);
    check_unary<sin_function>(-1e5, 1e5, 2, 2);
    check_unary<cos_function>(-100, 100, 2, 2);
    check_unary<tan_function>(-100, 100, 4, 2);
    check_unary<asin_function>(-1, 1, 4, 2);
    check_unary<acos_function>(-1, 1, 3, 2);
    check_unary<atan_function>(-10, 10, 2, 2);
    check_unary<sinh_function>(-10, 10, 3, 2);
    check_unary<cosh_function>(-10, 10, 2, 1);
    check_unary<tanh_function>(-3, 3, 2, 2);
    check_unary<asinh_function>(-10, 10, 3, 2);
    check_unary<acosh_function>(1, 20, 4, 2);
    check_unary<atanh_function>(-1, 1, 3, 2);
    check_unary<erf_function>(-3, 3, 2, 2);
    check_unary<erfc_function>(-3, 6, 4, 5);
    check_unary<lgamma_function>(0.1, 20, 6, 4);
    check_unary<tgamma_function>(0.1, 20, 11, 8);
    check_unary<floor_function>(-10, 10, 0, 0);
    check_unary<ceil_function>(-10, 10, 0, 0);
    check_unary<trunc_function>(-10, 10, 0, 0);
    check_unary<round_function>(-10, 10, 0, 0);
    check_unary<rint_function>(-10, 10, 0, 0);
    check_unary<fabs_function>(-10, 10, 0, 0);
    check_binary<pow_function>(0.01, 20, -15, 15, 8, 2);
    check_binary<atan2_function>(-10, 10, -10, 10, 3, 2);
    check_binary<hypot_function>(-1e3, 1e3, -1e3, 1e3, 3, 2);
    check_binary<fmod_function>(-1e4, 1e4, 0.1, 7, 0, 0);
    check_binary<remainder_function>(-1e4, 1e4, 0.1, 7, 0, 0);
    check_binary<fmin_function>(-1, 1, -1, 1, 0, 0);
    check_binary<fmax_function>(-1, 1, -1, 1, 0, 0);
    check_binary<copysign_function>(-1, 1, -1, 1, 0, 0);
    check_binary<fdim_function>(-1, 1, -1, 1, 0, 0);
    return pass();
}
