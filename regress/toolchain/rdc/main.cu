// Device code that refers to another file: functions, variables, constants, a kernel launched from both files.
#include <cstdio>

#include "other.h"

extern __device__ int counter;
extern __constant__ int table[4];
static __device__ int mine = 1000;

__global__ void first(int *out)
{
    atomicAdd(&counter, 1);
    out[threadIdx.x] = scaled((int)threadIdx.x) + table[threadIdx.x % 4] + mine;
}

int main()
{
    int *out, total = 0;
    cudaMallocManaged(&out, 32 * sizeof *out);
    first<<<1, 32>>>(out);
    second<<<1, 32>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 2;
    for (int i = 0; i < 32; i++)
        total += out[i] != 10 * i + (i % 4) * (i % 4) + 1000 + 7;
    total += counter_of_other() != 32 + 100;
    puts(total ? "wrong" : "right");
    return total;
}
