#include "other.h"

__device__ int counter = 100;
__constant__ int table[4] = {0, 1, 4, 9};
static __device__ int mine = 7;

__device__ __noinline__ int scaled(int x)
{
    return 10 * x;
}

__global__ void second(int *out)
{
    out[threadIdx.x] += mine;
}

int counter_of_other()
{
    int value = 0;
    cudaMemcpyFromSymbol(&value, counter, sizeof value);
    return value;
}
