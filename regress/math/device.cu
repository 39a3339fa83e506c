/*
 * The device math library inside a CUDA program: every function of functions.def, called in a kernel, must
 * give the bits that the same sources give on the host (built without contraction on both sides).  This holds
 * the way from clang through PTX to the executor to account; the accuracy itself is measured in accuracy.c.
 * For rsqrtf, which is the approximate instruction itself, only the error is known: two places.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <vector>

#include "adapt.h"

enum { COUNT = 4096, BLOCK = 128 };

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

ADAPT(__nv_, static __device__, float, f)
ADAPT(__nv_, static __device__, double, )

/* Argument k of sample i is x[k * COUNT + i]. */
#define KERNEL(name, call_f, call_d) \
    __global__ void kf_##name(const float *x, float *y) \
    { \
        int i = blockIdx.x * blockDim.x + threadIdx.x; \
        x += i; \
        y[i] = __nv_##name##f call_f; \
    } \
    __global__ void kd_##name(const double *x, double *y) \
    { \
        int i = blockIdx.x * blockDim.x + threadIdx.x; \
        x += i; \
        y[i] = __nv_##name call_d; \
    }
#define ARGS1 (x[0])
#define ARGS2 (x[0], x[COUNT])
#define ARGS3 (x[0], x[COUNT], x[2 * COUNT])
#define ARGS4 (x[0], x[COUNT], x[2 * COUNT], x[3 * COUNT])
#define ARGSN ((int)x[0], x[COUNT])
#define UNARY(name, ...) KERNEL(name, ARGS1, ARGS1)
#define BINARY(name, ...) KERNEL(name, ARGS2, ARGS2)
#define TRIPLE(name, ...) KERNEL(name, ARGS3, ARGS3)
#define QUAD(name, ...) KERNEL(name, ARGS4, ARGS4)
#define ORDER(name, ...) KERNEL(name, ARGSN, ARGSN)
#include "functions.def"
#undef UNARY
#undef BINARY
#undef TRIPLE
#undef QUAD
#undef ORDER

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

template <class T, class Host>
static void check(const char *name, bool order, void (*kernel)(const T *, T *), Host host)
{
    std::vector<T> x(4 * COUNT), y(COUNT);
    for (int i = 0; i < 4 * COUNT; i++) {
        x[i] = order && i < COUNT ? (T)(int)(random_u64() % 12) : argument<T>(i);
    }
    T *dx, *dy;
    cudaMalloc(&dx, x.size() * sizeof(T));
    cudaMalloc(&dy, y.size() * sizeof(T));
    cudaMemcpy(dx, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
    kernel<<<COUNT / BLOCK, BLOCK>>>(dx, dy);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(T), cudaMemcpyDeviceToHost);
    cudaError_t error = cudaGetLastError();
    cudaFree(dx);
    cudaFree(dy);
    int wrong = error != cudaSuccess;
    if (wrong) {
        printf("%s: %s\n", name, cudaGetErrorString(error));
    }
    int64_t allowed = strcmp(name, "rsqrtf") == 0 ? 2 : 0;
    for (int i = 0; i < COUNT && !wrong; i++) {
        T want = host(&x[i]);
        if (distance(y[i], want) > allowed) {
            wrong = 1;
            printf("%s(%a, %a) gives %a, on the host %a\n", name, (double)x[i], (double)x[COUNT + i],
                   (double)y[i], (double)want);
        }
    }
    failed += wrong;
    passed += !wrong;
}

#define CHECK(name, order, args) \
    check<float>(#name "f", order, kf_##name, [](const float *x) { return host__nv_##name##f args; }); \
    check<double>(#name, order, kd_##name, [](const double *x) { return host__nv_##name args; });
#define UNARY(name, ...) CHECK(name, false, ARGS1)
#define BINARY(name, ...) CHECK(name, false, ARGS2)
#define TRIPLE(name, ...) CHECK(name, false, ARGS3)
#define QUAD(name, ...) CHECK(name, false, ARGS4)
#define ORDER(name, ...) CHECK(name, true, ARGSN)

int main()
{
#include "functions.def"
    printf("math-device: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
