// Shapes of clusters in a macro of the program, where simtx-cc does not see the kernel's body. Those that are not plain
// numbers cannot be launched, and a message shows the text.
#include <cstdio>

#define KERNEL(...) __global__ void __cluster_dims__(__VA_ARGS__)
#define BOTH 2, 2
#define TWO 2

constexpr int N = 2;

KERNEL(2, 1, 1) whole(int) {}
KERNEL(BOTH) pair(int) {}
KERNEL(TWO) one(int) {}
KERNEL(4 / 2, 1, 1) quotient(int) {}
KERNEL(2, N) constant(int) {}
KERNEL(2, 1, N) last(int) {}
KERNEL(N) name(int) {}
KERNEL(2, 0, 1) zero(int) {}
KERNEL(-2) negative(int) {}
KERNEL(4294967298) large(int) {}
KERNEL(1, 2, 1, 1) four(int) {}
KERNEL(2, ) open_end(int) {}

int main()
{
    void (*const kernels[])(int) = {whole, pair,     one,   quotient, constant, last,
                                          name,  zero,     negative, large, four,     open_end};
    for (auto kernel : kernels) {
        kernel<<<dim3(4, 4), 32>>>(0);
        printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    }
}
