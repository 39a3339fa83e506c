// Shapes of clusters that are not plain numbers: their kernels cannot be launched, and a message shows the text.
#include <cstdio>

#define BOTH 2, 2
#define TWO 2

constexpr int N = 2;

__global__ void __cluster_dims__(2, 1, 1) whole(int) {}
__global__ void __cluster_dims__(BOTH) pair(int) {}
__global__ void __cluster_dims__(TWO) one(int) {}
__global__ void __cluster_dims__(4 / 2, 1, 1) quotient(int) {}
__global__ void __cluster_dims__(2, N) constant(int) {}
__global__ void __cluster_dims__(2, 1, N) last(int) {}
__global__ void __cluster_dims__(N) name(int) {}
__global__ void __cluster_dims__(2, 0, 1) zero(int) {}
__global__ void __cluster_dims__(-2) negative(int) {}
__global__ void __cluster_dims__(4294967298) large(int) {}
__global__ void __cluster_dims__(1, 2, 1, 1) four(int) {}
__global__ void __cluster_dims__(2, ) open_end(int) {}

int main()
{
    void (*const kernels[])(int) = {whole, pair,     one,   quotient, constant, last,
                                          name,  zero,     negative, large, four,     open_end};
    for (auto kernel : kernels) {
        kernel<<<dim3(4, 4), 32>>>(0);
        printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    }
}
