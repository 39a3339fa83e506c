// Shapes of clusters in a macro of the program, where simtx-cc does not see the kernel's body. Those that are not plain
// numbers are errors of the compiler (-DCHECKED). Kernels of objects without this check cannot be launched, and a message
// shows the text.
#include <cstdio>

#define KERNEL(...) __global__ void __cluster_dims__(__VA_ARGS__)
#define TEXT(...) #__VA_ARGS__
#ifdef CHECKED
#define WRONG KERNEL
#else
#define WRONG(...) __global__ void __attribute__((section("simtx_cluster " TEXT(__VA_ARGS__))))
#endif
#define BOTH 2, 2
#define TWO 2

constexpr int N = 2;

KERNEL(2, 1, 1) whole(int) {}
KERNEL(BOTH) pair(int) {}
KERNEL(TWO) one(int) {}
WRONG(4 / 2, 1, 1) quotient(int) {}
WRONG(2, N) constant(int) {}
WRONG(2, 1, N) last(int) {}
WRONG(N) name(int) {}
WRONG(2, 0, 1) zero(int) {}
WRONG(-2) negative(int) {}
WRONG(4294967298) large(int) {}
WRONG(1, 2, 1, 1) four(int) {}
WRONG(2, ) open_end(int) {}

int main()
{
    void (*const kernels[])(int) = {whole, pair,     one,   quotient, constant, last,
                                          name,  zero,     negative, large, four,     open_end};
    for (auto kernel : kernels) {
        kernel<<<dim3(4, 4), 32>>>(0);
        printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    }
}
