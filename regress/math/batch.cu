/*
 * Every function of functions.def as a kernel, and one call that evaluates a function on an array of
 * arguments: what the tests of the library inside the simulator share.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include "adapt.h"
#include "batch.h"

ADAPT(__nv_, static __device__, float, f)
ADAPT(__nv_, static __device__, double, )

/* Argument k of sample i is x[k * n + i]. */
#define KERNEL(name, args) \
    __global__ void kf_##name(const float *x, float *y, int n) \
    { \
        int i = blockIdx.x * blockDim.x + threadIdx.x; \
        if (i < n) { \
            y[i] = __nv_##name##f args; \
        } \
    } \
    __global__ void kd_##name(const double *x, double *y, int n) \
    { \
        int i = blockIdx.x * blockDim.x + threadIdx.x; \
        if (i < n) { \
            y[i] = __nv_##name args; \
        } \
    }
#define UNARY(name, ...) KERNEL(name, (x[i]))
#define BESSEL UNARY
#define BINARY(name, ...) KERNEL(name, (x[i], x[n + i]))
#define TRIPLE(name, ...) KERNEL(name, (x[i], x[n + i], x[2 * n + i]))
#define QUAD(name, ...) KERNEL(name, (x[i], x[n + i], x[2 * n + i], x[3 * n + i]))
#define ORDER(name, ...) KERNEL(name, ((int)x[i], x[n + i]))
#include "functions.def"
#undef UNARY
#undef BINARY
#undef TRIPLE
#undef QUAD
#undef ORDER

#define ROW(name, ...) {#name, kf_##name, kd_##name},
#define UNARY ROW
#define BINARY ROW
#define TRIPLE ROW
#define QUAD ROW
#define ORDER ROW
static const struct {
    const char *name;
    void (*f)(const float *, float *, int);
    void (*d)(const double *, double *, int);
} kernels[] = {
#include "functions.def"
};

template <class T>
static cudaError_t launch(void (*kernel)(const T *, T *, int), const void *x, int arity, void *y, int n)
{
    T *dx = nullptr, *dy = nullptr;
    cudaMalloc(&dx, sizeof(T) * arity * n);
    cudaMalloc(&dy, sizeof(T) * n);
    cudaMemcpy(dx, x, sizeof(T) * arity * n, cudaMemcpyHostToDevice);
    kernel<<<(n + 127) / 128, 128>>>(dx, dy, n);
    cudaMemcpy(y, dy, sizeof(T) * n, cudaMemcpyDeviceToHost);
    cudaError_t error = cudaGetLastError();
    cudaFree(dx);
    cudaFree(dy);
    return error;
}

extern "C" int device_evaluate(const char *name, int single, const void *x, int arity, void *y, int n)
{
    for (const auto &k : kernels) {
        if (strcmp(k.name, name) == 0) {
            cudaError_t error = single ? launch(k.f, x, arity, y, n) : launch(k.d, x, arity, y, n);
            if (error != cudaSuccess) {
                printf("%s: %s\n", name, cudaGetErrorString(error));
            }
            return error == cudaSuccess;
        }
    }
    printf("%s: no kernel\n", name);
    return 0;
}
