/*
 * The device math library inside a CUDA program: every function of functions.def, called in a kernel, must
 * give the bits that the same sources give on the host (built without contraction on both sides).  This holds
 * the way from clang through PTX to the executor to account; the accuracy itself is measured in accuracy.c.
 * For rsqrtf, which is the approximate instruction itself, only the error is known: two places.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "adapt.h"
#include "batch.h"

enum { COUNT = 4096 };

/* The host build of the library, with "host" before each name */
extern "C" {
#define HOST_UNUSUAL(type, s) \
    void host__nv_sincos##s(type, type *, type *); \
    void host__nv_sincospi##s(type, type *, type *); \
    type host__nv_norm##s(int, const type *); \
    type host__nv_rnorm##s(int, const type *); \
    type host__nv_powi##s(type, int);
HOST_UNUSUAL(float, f)
HOST_UNUSUAL(double, )
ADAPT(host__nv_, , float, f)
ADAPT(host__nv_, , double, )

#define UNARY(name, ...) \
    float host__nv_##name##f(float); \
    double host__nv_##name(double);
#define BESSEL UNARY
#define BINARY(name, ...) \
    float host__nv_##name##f(float, float); \
    double host__nv_##name(double, double);
#define TRIPLE(name, ...) \
    float host__nv_##name##f(float, float, float); \
    double host__nv_##name(double, double, double);
#define QUAD(name, ...) \
    float host__nv_##name##f(float, float, float, float); \
    double host__nv_##name(double, double, double, double);
#define ORDER(name, ...) \
    float host__nv_##name##f(int, float); \
    double host__nv_##name(int, double);
#include "functions.def"
#undef UNARY
#undef BINARY
#undef TRIPLE
#undef QUAD
#undef ORDER
}

static int passed, failed;

static uint64_t random_u64()
{
    static uint64_t state = 0xa4093822299f31d0;
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static float any_bits(float)
{
    uint32_t u = (uint32_t)random_u64();
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static double any_bits(double)
{
    uint64_t u = random_u64();
    double d;
    memcpy(&d, &u, 8);
    return d;
}

/* By turns any bit pattern, -1 .. 1, 0 .. 20, and special values */
template <class T> static T argument(int i)
{
    static const double special[] = {0, 0.5, 1, 2, 8, 100, 1e300, 1e30, 1e-30, 1e-310, INFINITY, NAN};
    double unit = (double)(random_u64() >> 11) * 0x1p-53;
    switch (i % 8) {
    case 0:
    case 1:
        return any_bits(T());
    case 2:
        return (T)(special[random_u64() % 12] * (random_u64() & 1 ? 1 : -1));
    case 3:
    case 4:
    case 5:
        return (T)(2 * unit - 1);
    default:
        return (T)(20 * unit);
    }
}

/* Distance in places; zero for the same bits or two NaN */
static int64_t distance(float a, float b)
{
    int32_t x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    return (a != a && b != b) || x == y ? 0 : (x ^ y) < 0 ? INT32_MAX : llabs((int64_t)x - y);
}
static int64_t distance(double a, double b)
{
    int64_t x, y;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    return (a != a && b != b) || x == y ? 0 : (x ^ y) < 0 ? INT64_MAX : llabs(x - y);
}

template <class T, class Host> static void check(const char *name, int arity, bool order, Host host)
{
    std::vector<T> x(4 * COUNT), y(COUNT);
    for (int i = 0; i < 4 * COUNT; i++) {
        x[i] = order && i < COUNT ? (T)(int)(random_u64() % 12) : argument<T>(i);
    }
    int single = sizeof(T) == sizeof(float);
    int wrong = !device_evaluate(name, single, x.data(), arity, y.data(), COUNT);
    int64_t allowed = single && strcmp(name, "rsqrt") == 0 ? 2 : 0;
    for (int i = 0; i < COUNT && !wrong; i++) {
        T want = host(&x[i]);
        if (distance(y[i], want) > allowed) {
            wrong = 1;
            printf("%s%s(%a, %a) gives %a, on the host %a\n", name, single ? "f" : "", (double)x[i],
                   (double)x[COUNT + i], (double)y[i], (double)want);
        }
    }
    failed += wrong;
    passed += !wrong;
}

/* Argument k of sample i is x[k * COUNT + i]. */
#define CHECK(name, arity, order, args) \
    check<float>(#name, arity, order, [](const float *x) { return host__nv_##name##f args; }); \
    check<double>(#name, arity, order, [](const double *x) { return host__nv_##name args; });
#define UNARY(name, ...) CHECK(name, 1, false, (x[0]))
#define BINARY(name, ...) CHECK(name, 2, false, (x[0], x[COUNT]))
#define TRIPLE(name, ...) CHECK(name, 3, false, (x[0], x[COUNT], x[2 * COUNT]))
#define QUAD(name, ...) CHECK(name, 4, false, (x[0], x[COUNT], x[2 * COUNT], x[3 * COUNT]))
#define ORDER(name, ...) CHECK(name, 2, true, ((int)x[0], x[COUNT]))

int main()
{
#include "functions.def"
    printf("math-bits: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
