/*
 * Accuracy of the device math library against MPFR: the library's own sources compiled for the host, every
 * inexact function of functions.def over special values, random bit patterns and its interesting interval, in
 * both formats. The error is the distance in ulp to the correctly rounded result, as the CUDA guide defines
 * its bounds.
 *
 * With ON_DEVICE the functions run in the simulator instead, as an ordinary CUDA compilation makes them.
 *
 *     accuracy [samples per function] [name]
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "refs.h"

#define __DEVICE__
#define CUDA_VERSION 9010
#include <__clang_cuda_libdevice_declares.h>

#ifdef ON_DEVICE
#include "batch.h"
#else
#include "adapt.h"
ADAPT(__nv_, static, float, f)
ADAPT(__nv_, static, double, )
#endif

enum { UNARY_KIND, BINARY_KIND, NORM_KIND, ORDER_KIND };

typedef int (*ref1_fn)(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*ref2_fn)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*refn_fn)(mpfr_t, const mpfr_t *, int);
typedef int (*refi_fn)(mpfr_t, long, const mpfr_t, mpfr_rnd_t);

struct function {
    const char *name;
    int kind, arity;
    void (*f)(void), (*d)(void), (*ref)(void);
    double ulp_f, ulp_d;       /* bound in ulp, or negative: none */
    double abs_f, abs_d;       /* bound where there is none in ulp, and beyond `limit`; or 0 */
    double low, high;
    double limit;
};

typedef void (*any_fn)(void);
#ifdef ON_DEVICE
#define HOST(function) NULL
#else
#define HOST(function) (any_fn) function
#endif
#ifdef ON_DEVICE
#define HOST(function) NULL
#else
#define HOST(function) (any_fn) function
#endif
#define ENTRY(name, kind, arity, ref, uf, ud, af, ad, low, high, limit) \
    {#name, kind, arity, HOST(__nv_##name##f), HOST(__nv_##name), \
     (any_fn)ref, uf, ud, af, ad, low, high, limit},
#define UNARY(name, ref, uf, ud, low, high) ENTRY(name, UNARY_KIND, 1, ref, uf, ud, 0, 0, low, high, INFINITY)
#define BINARY(name, ref, uf, ud, low, high) \
    ENTRY(name, BINARY_KIND, 2, ref, uf, ud, 0, 0, low, high, INFINITY)
#define TRIPLE(name, ref, uf, ud) ENTRY(name, NORM_KIND, 3, ref, uf, ud, 0, 0, -10, 10, INFINITY)
#define QUAD(name, ref, uf, ud) ENTRY(name, NORM_KIND, 4, ref, uf, ud, 0, 0, -10, 10, INFINITY)
#define BESSEL(name, ref, uf, ud, af, ad, low, high) \
    ENTRY(name, UNARY_KIND, 1, ref, uf, ud, af, ad, low, high, 8)
#define ORDER(name, ref, uf, ud, af, ad, low, high) \
    ENTRY(name, ORDER_KIND, 2, ref, uf, ud, af, ad, low, high, INFINITY)

static const struct function functions[] = {
#include "functions.def"
};

/* ---- arguments ----------------------------------------------------------------------- */

static uint64_t random_state = 0x243f6a8885a308d3;
static uint64_t random_u64(void) { return random_next(&random_state); }
static double random_unit(void) { return (double)(random_u64() >> 11) * 0x1p-53; }

static float float_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static double double_bits(uint64_t u)
{
    double d;
    memcpy(&d, &u, 8);
    return d;
}

static const double specials[] = {
    0, 0x1p-1074, 0x1p-149, 0x1p-1022, 0x1p-126, 0x1.fffffffffffffp-1023, 0x1.fffffcp-127, 0x1p-60,
    0x1p-30, 1e-9, 1e-5, 0.1, 0.25, 0.3, 0.5, 0.55, 0.70710678118654752, 0.99999994, 0.99999999999999989,
    1, 1.0000001192092896, 1.0000000000000002, 1.25, 1.4142135623730951, 1.5, 1.5707963267948966,
    1.5707963705062866, 2, 2.25, 2.5, 3, 3.1415926535897931, 3.1415927410125732, 4, 5, 6.2831853071795862,
    7, 8, 9, 10, 16, 17, 22, 33, 88.722, 88.73, 100, 103.9, 127, 128, 149, 150, 709.78, 709.7827128933841,
    710.4, 745.13, 1023, 1024, 1074.5, 1e4, 65536, 1e5, 1048576, 1e6, 4194303.5, 8388607.5, 8388608,
    16777216, 16777217, 1e9, 1073741824, 4294967296.0, 0x1p52, 0x1.8p51, 0x1p53, 1e17, 1e22,
    6381956970095103.0 * 0x1p797, 0x1.921fb54442d18p100, 1e30, 3.4028234663852886e38, 1e100, 1e200,
    1.7976931348623157e308, INFINITY, NAN,
};
enum { SPECIALS = sizeof specials / sizeof *specials };

/* The i-th argument in one format: specials of both signs, then by turns bit patterns, the interval, small */
static double argument(const struct function *fn, int single, long i, long n)
{
    double x;
    if (i < 2 * SPECIALS) {
        x = i & 1 ? -specials[i / 2] : specials[i / 2];
    } else if (i % 3 == 0) {
        x = single ? float_bits((uint32_t)((uint64_t)i * 0xffffffff / (uint64_t)n + (random_u64() & 0xfff)))
                   : double_bits(random_u64());
    } else if (i % 3 == 1) {
        x = fn->low + (fn->high - fn->low) * random_unit();
    } else {
        /* small magnitudes down to 2^-30, either side */
        x = ldexp(fn->high, -(int)(random_u64() % 30)) * random_unit();
        x = fn->low < 0 && random_u64() & 1 ? -x : x;
    }
    return single ? (float)x : x;
}

/* ---- one evaluation and its error ---------------------------------------------------- */

struct worst {
    double ulp, abs, x[4];
    long bad;
    double bad_x[4], bad_got, bad_want;
};

#ifdef ON_DEVICE
/* n samples in the simulator; the arguments of one sample are x[4 * i ...] */
static int evaluate_all(const struct function *fn, int single, const double *x, double *y, long n)
{
    float *xf = malloc(sizeof(float) * (size_t)(n * 4)), *yf = malloc(sizeof(float) * (size_t)n);
    double *xd = malloc(sizeof(double) * (size_t)(n * 4));
    for (long i = 0; i < n; i++) {
        for (int k = 0; k < fn->arity; k++) {
            xd[k * n + i] = x[4 * i + k];
            xf[k * n + i] = (float)x[4 * i + k];
        }
    }
    const void *args = single ? (void *)xf : xd;
    int ok = device_evaluate(fn->name, single, args, fn->arity, single ? (void *)yf : y, (int)n);
    for (long i = 0; single && i < n; i++) {
        y[i] = yf[i];
    }
    free(xf);
    free(yf);
    free(xd);
    return ok;
}
#else
static double evaluate(const struct function *fn, int single, const double *x)
{
    if (single) {
        switch (fn->kind) {
        case UNARY_KIND:
            return ((float (*)(float))fn->f)((float)x[0]);
        case BINARY_KIND:
            return ((float (*)(float, float))fn->f)((float)x[0], (float)x[1]);
        case ORDER_KIND:
            return ((float (*)(int, float))fn->f)((int)x[0], (float)x[1]);
        default:
            return fn->arity == 3
                       ? ((float (*)(float, float, float))fn->f)((float)x[0], (float)x[1], (float)x[2])
                       : ((float (*)(float, float, float, float))fn->f)((float)x[0], (float)x[1], (float)x[2],
                                                                        (float)x[3]);
        }
    }
    switch (fn->kind) {
    case UNARY_KIND:
        return ((double (*)(double))fn->d)(x[0]);
    case BINARY_KIND:
        return ((double (*)(double, double))fn->d)(x[0], x[1]);
    case ORDER_KIND:
        return ((double (*)(int, double))fn->d)((int)x[0], x[1]);
    default:
        return fn->arity == 3 ? ((double (*)(double, double, double))fn->d)(x[0], x[1], x[2])
                              : ((double (*)(double, double, double, double))fn->d)(x[0], x[1], x[2], x[3]);
    }
}

static int evaluate_all(const struct function *fn, int single, const double *x, double *y, long n)
{
    for (long i = 0; i < n; i++) {
        y[i] = evaluate(fn, single, &x[4 * i]);
    }
    return 1;
}
#endif

static void reference(const struct function *fn, mpfr_t r, mpfr_t *v, const double *x)
{
    for (int i = 0; i < fn->arity; i++) {
        mpfr_set_d(v[i], x[i], MPFR_RNDN);
    }
    switch (fn->kind) {
    case UNARY_KIND:
        ((ref1_fn)fn->ref)(r, v[0], MPFR_RNDN);
        break;
    case BINARY_KIND:
        ((ref2_fn)fn->ref)(r, v[0], v[1], MPFR_RNDN);
        break;
    case ORDER_KIND:
        ((refi_fn)fn->ref)(r, (long)x[0], v[1], MPFR_RNDN);
        break;
    default:
        ((refn_fn)fn->ref)(r, (const mpfr_t *)v, fn->arity);
    }
}

/* Numbers of a format in order, one apart; the two zeros coincide */
static int64_t rank_of(double x, int single)
{
    if (single) {
        float f = (float)x;
        int32_t i;
        memcpy(&i, &f, 4);
        return i < 0 ? -(int64_t)(i & 0x7fffffff) : i;
    }
    int64_t i;
    memcpy(&i, &x, 8);
    return i < 0 ? -(i & INT64_MAX) : i;
}

/* The bound in ulp at x; negative: the absolute bound counts */
static double bound_ulp(const struct function *fn, int single, const double *x)
{
    if (strcmp(fn->name, "yn") == 0) {
        if (x[0] < 2) {
            return x[1] < 8 ? (single ? 9 : 7) : -1; /* y0 and y1 under another name */
        }
        return single && x[1] < x[0] ? ceil(2 + 2.5 * x[0]) : -1;
    }
    return single ? fn->ulp_f : fn->ulp_d;
}

static void judge(const struct function *fn, int single, const double *x, double got, mpfr_t exact,
                  struct worst *w)
{
    double want = single ? mpfr_get_flt(exact, MPFR_RNDN) : mpfr_get_d(exact, MPFR_RNDN);
    double bound = bound_ulp(fn, single, x), ulp, distance = 0;
    int absolute = bound < 0 || (fn->abs_d > 0 && fabs(x[fn->arity - 1]) >= fn->limit);
    if (isnan(want) || isnan(got)) {
        ulp = isnan(want) && isnan(got) ? 0 : INFINITY;
    } else if (want == 0 && got == 0) {
        /* the sign of zero counts wherever the exact value has one */
        ulp = signbit(want) == signbit(got) ? 0 : INFINITY;
    } else {
        ulp = fabs((double)(rank_of(got, single) - rank_of(want, single)));
    }
    if (absolute && isfinite(want) && isfinite(got)) {
        distance = fabs(got - want);
        bound = single ? fn->abs_f : fn->abs_d;
        w->abs = fmax(w->abs, distance);
        ulp = distance;
    } else if (bound < 0) {
        bound = 0; /* infinities and NaN must match */
    } else if (ulp > w->ulp) {
        w->ulp = ulp;
        memcpy(w->x, x, sizeof w->x);
    }
    if (ulp > bound) {
        if (w->bad++ == 0) {
            memcpy(w->bad_x, x, sizeof w->bad_x);
            w->bad_got = got;
            w->bad_want = want;
        }
    }
}

/* Arguments for which the guide gives no bound */
static int excluded(const struct function *fn, int single, const double *x)
{
    if (strcmp(fn->name, "lgamma") == 0) {
        return single ? x[0] > -10.001 && x[0] < -2.264 : x[0] > -23.0001 && x[0] < -2.2637;
    }
    return !single && strcmp(fn->name, "yn") == 0 && x[1] <= 1.5 * x[0];
}

/* What suits one function only: an exponent that keeps the power finite, an order, an integer exponent */
static void adjust(const struct function *fn, int single, long i, double *x)
{
    if (strcmp(fn->name, "pow") == 0 && i % 2 && x[0] > 0 && isfinite(x[0]) && x[0] != 1) {
        x[1] = (2 * random_unit() - 1) * (single ? 105 : 750) / log(x[0]);
        x[1] = single ? (float)x[1] : x[1];
    }
    if (strcmp(fn->name, "powi_of") == 0) {
        x[0] = (double)((int32_t)random_u64() >> random_u64() % 32);
#ifdef ON_DEVICE
        x[0] = trunc(x[0] / 256); /* the integer travels as a number of the format */
#endif
        if (i % 2) {
            x[1] = exp2((2 * random_unit() - 1) * 150 / x[0]) * (random_u64() & 1 ? 1 : -1);
            x[1] = single ? (float)x[1] : x[1];
        }
    } else if (fn->kind == ORDER_KIND) {
        x[0] = (double)(random_u64() % 130);
    }
}

static int run(const struct function *fn, int single, long samples)
{
    struct worst w = {0};
    mpfr_t r, v[4];
    samples /= fn->kind == ORDER_KIND ? 10 : 1; /* MPFR's jn and yn are slow */
    mpfr_init2(r, single ? 60 : 120);
    for (int i = 0; i < 4; i++) {
        mpfr_init2(v[i], 53);
    }
    double *x = calloc((size_t)samples * 4, sizeof *x), *y = malloc((size_t)samples * sizeof *y);
    long n = 0;
    for (long i = 0; i < samples; i++) {
        for (int k = 0; k < fn->arity; k++) {
            long at = fn->arity == 1 ? i : i < SPECIALS * 200 ? (long)(random_u64() % (2 * SPECIALS)) : i;
            x[4 * n + k] = argument(fn, single, at, samples);
        }
        adjust(fn, single, i, &x[4 * n]);
        n += !excluded(fn, single, &x[4 * n]);
    }
    w.bad = !evaluate_all(fn, single, x, y, n);
    for (long i = 0; i < n; i++) {
        reference(fn, r, v, &x[4 * i]);
        judge(fn, single, &x[4 * i], y[i], r, &w);
    }
    free(x);
    free(y);
    printf("%-14s%-2s %10.3g %6g", fn->name, single ? "f" : "", w.ulp, single ? fn->ulp_f : fn->ulp_d);
    if (fn->abs_d > 0) {
        printf("   absolute %.2g (bound %.2g)", w.abs, single ? fn->abs_f : fn->abs_d);
    }
    if (w.bad) {
        printf("   FAILED %ld of %ld: (", w.bad, samples);
        for (int k = 0; k < fn->arity; k++) {
            printf("%s%a", k ? ", " : "", w.bad_x[k]);
        }
        printf(") gives %a, exact %a", w.bad_got, w.bad_want);
    }
    printf("\n");
    for (int i = 0; i < 4; i++) {
        mpfr_clear(v[i]);
    }
    mpfr_clear(r);
    return w.bad != 0;
}

#ifndef ON_DEVICE
/* ---- fast float functions ------------------------------------------------------------ */

/*
 * The approximate instruction with its documented error (host_device.h) and one or two roundings: relative
 * bounds, an absolute one where the function passes through zero, and `slope` for rounding a scaled argument.
 */
static double divide_by_seven(double x) { return x / 7; }
static float fast_divide_by_seven(float x) { return __nv_fast_fdividef(x, 7); }
static double power_of_third(double x) { return pow(x, 1.0 / 3); }
static float fast_power_of_third(float x) { return __nv_fast_powf(x, 1.0f / 3); }
static float fast_sincos_sin(float x)
{
    float s, c;
    __nv_fast_sincosf(x, &s, &c);
    return s;
}
static float fast_sincos_cos(float x)
{
    float s, c;
    __nv_fast_sincosf(x, &s, &c);
    return c;
}
static double ten_to(double x) { return pow(10, x); }

static const struct fast {
    const char *name;
    float (*f)(float);
    double (*ref)(double);
    double relative, absolute, slope, low, high;
} fast[] = {
    {"fast_sin", __nv_fast_sinf, sin, 0x1p-23, 0x1p-20, 0, -3.14, 3.14},
    {"fast_cos", __nv_fast_cosf, cos, 0x1p-23, 0x1p-20, 0, -3.14, 3.14},
    {"fast_sincos", fast_sincos_sin, sin, 0x1p-23, 0x1p-20, 0, -3.14, 3.14},
    {"fast_sincos", fast_sincos_cos, cos, 0x1p-23, 0x1p-20, 0, -3.14, 3.14},
    {"fast_tan", __nv_fast_tanf, tan, 0x1p-18, 0x1p-20, 0, -1, 1},
    {"fast_exp", __nv_fast_expf, exp, 0x1p-22, 0, 0x1p-23, -80, 80},
    {"fast_exp10", __nv_fast_exp10f, ten_to, 0x1p-22, 0, 0x1p-22, -35, 35},
    {"fast_log2", __nv_fast_log2f, log2, 0x1p-22, 0x1p-21, 0, 1e-3, 1e3},
    {"fast_log", __nv_fast_logf, log, 0x1p-22, 0x1p-21, 0, 1e-3, 1e3},
    {"fast_log10", __nv_fast_log10f, log10, 0x1p-22, 0x1p-21, 0, 1e-3, 1e3},
    {"fast_pow", fast_power_of_third, power_of_third, 0x1p-20, 0, 0, 1e-3, 1e3},
    {"fast_fdivide", fast_divide_by_seven, divide_by_seven, 0x1p-22, 0, 0, -1e6, 1e6},
};

static int run_fast(const struct fast *fn, long samples)
{
    long bad = 0;
    double worst = 0;
    for (long i = 0; i < samples; i++) {
        float x = (float)(fn->low + (fn->high - fn->low) * random_unit());
        double want = fn->ref(x), error = fabs(fn->f(x) - want);
        double bound = fabs(want) * (fn->relative + fn->slope * fabs(x)) + fn->absolute;
        worst = fmax(worst, error / bound);
        bad += !(error <= bound);
    }
    printf("%-14sf  %10.3g of its bound%s\n", fn->name, worst, bad ? "   FAILED" : "");
    return bad != 0;
}
#endif

int main(int argc, char **argv)
{
    long samples = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
    int passed = 0, failed = 0;
    printf("%-16s %10s %6s\n", "function", "max ulp", "bound");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct function *fn = &functions[i];
        if (argc > 2 && strcmp(argv[2], fn->name) != 0) {
            continue;
        }
        for (int single = 1; single >= 0; single--) {
            int bad = run(fn, single, samples);
            failed += bad;
            passed += !bad;
        }
    }
#ifndef ON_DEVICE
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        int bad = argc <= 2 && run_fast(&fast[i], samples);
        failed += bad;
        passed += argc <= 2 && !bad;
    }
#endif
    mpfr_free_cache();
    const char *variant = strrchr(argv[0], '/');
    variant = strchr(variant ? variant : argv[0], '-');
    printf("math%s: %d passed, %d failed\n", variant ? variant : "", passed, failed);
    return failed != 0;
}
