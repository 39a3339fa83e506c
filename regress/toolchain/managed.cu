// Managed variables: one copy that the host reads and writes by name and kernels too. Sections are announced as 300
// other files of the program would announce theirs, before that of this file.
#include <cstdio>

struct pair {
    int first, second;
};

__managed__ int counter = 5;
__device__ __managed__ float values[3] = {1, 2, 3};
#ifndef __CUDACC_RDC__ // clang 19 renames static variables that the host uses, but not their uses in kernels
static
#endif
__managed__ int hidden;
__managed__ pair both;
__managed__ double *pointer;

__global__ void work()
{
    counter++;
    values[1] = 7;
    hidden = 4;
    both.second = counter;
    *pointer = 2.5;
}

#ifndef __CUDA_ARCH__
static char others[300];
__attribute__((constructor(100))) static void announce_others()
{
    for (char *p = others; p < others + sizeof others; p++)
        __cudaSimtxManagedSection(p, p + 1);
}
#endif

int main()
{
    int bad = counter != 5 || values[2] != 3 || hidden != 0;
    counter += 10;
    both.first = 9;
    cudaMallocManaged(&pointer, sizeof *pointer);
    work<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 2;
    bad += counter != 16 || values[1] != 7 || hidden != 4 || both.first != 9 || both.second != 16 || *pointer != 2.5;
    int copied = 0;
    cudaMemcpyFromSymbol(&copied, counter, sizeof copied);
    void *address = nullptr;
    cudaGetSymbolAddress(&address, counter);
    bad += copied != 16 || address != &counter;
    puts(bad ? "wrong" : "right");
    return bad;
}
