/* Kernels of the speed benchmark; bench.c runs each against the same work in plain C (reference.c). */
#include <cuda_runtime.h>

/* Independent integer and float arithmetic with a short loop around it. */
extern "C" __global__ void alu(unsigned *out, float *fout, int rounds)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, a = t * 2654435761u, b = t ^ 0x9e3779b9u;
    float x = (float)t, y = 1.0f;
    for (int i = 0; i < rounds; i++) {
        a = a * 1664525u + 1013904223u;
        b ^= a >> 7;
        x = x * 0.999f + 1.0f;
        y = y * 0.5f + x;
        b += a << 3;
        a ^= b;
    }
    out[t] = a + b;
    fout[t] = x + y;
}

extern "C" __global__ void gemm(const float *a, const float *b, float *c, float alpha, float beta, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < n; k++)
            c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
    }
}

/* One level of a breadth-first search over compressed rows. */
extern "C" __global__ void bfs(const int *row, const int *col, int *cost, int level, int *more, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || cost[v] != level)
        return;
    for (int e = row[v]; e < row[v + 1]; e++)
        if (cost[col[e]] < 0) {
            cost[col[e]] = level + 1;
            *more = 1;
        }
}

/* A histogram in global memory: many lanes meet in few words. */
extern "C" __global__ void histogram(const unsigned *in, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] & 255], 1u);
}

extern "C" __global__ void empty()
{
}
