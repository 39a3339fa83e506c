/* One small kernel: what it costs to start a program. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void one(int *out)
{
    *out = 42;
}

int main()
{
    int *d, h = 0;
    cudaMalloc(&d, sizeof *d);
    one<<<1, 1>>>(d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    return h != 42;
}
