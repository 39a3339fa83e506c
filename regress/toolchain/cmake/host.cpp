#include <cuda_runtime_api.h>

void launch_twice(int *p);

int main()
{
    int *p = nullptr;
    if (cudaMallocManaged((void **)&p, 8 * sizeof *p, cudaMemAttachGlobal) != cudaSuccess)
        return 1;
    p[7] = 21;
    launch_twice(p);
    return cudaDeviceSynchronize() != cudaSuccess || p[7] != 42;
}
