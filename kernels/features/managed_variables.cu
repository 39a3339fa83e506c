// __managed__ variables: the host and kernels read and write one copy by name, between kernels and through pointers.
#define PROGRAM "managed_variables"
#include "../check.h"

enum { CELLS = 1000 };

struct Limits {
    int low, high;
};

__managed__ int cells[CELLS];
__managed__ Limits limits = {10, 90};
__device__ __managed__ unsigned long long total = 1000;
static __managed__ int *current;

__global__ void clamp() {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < CELLS) {
        int x = current[i];
        current[i] = x < limits.low ? limits.low : x > limits.high ? limits.high : x;
        atomicAdd(&total, (unsigned long long)current[i]);
    }
}

int main() {
    expect_equal("initial value", 0, 1000ull, total);
    expect_equal("initial structure", 0, 90, limits.high);
    unsigned long long expected = total;
    current = cells;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < CELLS; i++) {
            cells[i] = (i * 37 + round) % 120;
        }
        limits.low = 10 + round;
        clamp<<<blocks_for(CELLS, 128), 128>>>();
        CHECK_KERNEL();
        for (int i = 0; i < CELLS; i++) {
            int x = (i * 37 + round) % 120, want = x < 10 + round ? 10 + round : x > 90 ? 90 : x;
            expect_equal("cell", i, want, cells[i]);
            expected += (unsigned)want;
        }
        expect_equal("total", round, expected, total);
    }
    return pass();
}
