// The address of a device variable in the initialiser of another, which clang 14 and 15 cannot print.
#include <cstdio>

__device__ int table[4] = {1, 2, 3, 4};
__device__ int *third = table + 2;

__global__ void read_it(int *out) { *out = *third; }

int main()
{
    int *device, value = 0;
    cudaMalloc(&device, sizeof value);
    read_it<<<1, 1>>>(device);
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    printf("%d\n", value);
    return value != 3;
}
