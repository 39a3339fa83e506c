// A transaction accesses an array that no version region covers, in other DRAM rows than the region of the program.
// Prints the address.
#define PROGRAM "outside"
#include "../../kernels/bench/tm_bench.h"

static const size_t WORDS = 1 << 20;

__global__ void increments(int *inside, int *outside) {
    tx_begin();
    inside[threadIdx.x]++;
    outside[threadIdx.x]++;
    tx_commit();
}

int main() {
    int *inside = region_of_zeros<int>(WORDS), *outside = device_zeros<int>(WORDS) + WORDS / 2;
    printf("0x%llx\n", (unsigned long long)(uintptr_t)outside);
    fflush(stdout);
    increments<<<1, 32>>>(inside, outside);
    CHECK_KERNEL();
    return pass();
}
