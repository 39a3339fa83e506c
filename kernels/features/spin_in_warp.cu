// Programs that need lanes of one warp to progress independently, as Volta and later give: a lane that spins
// until a lower or higher lane of its own warp has set a flag, a chain through all lanes, and a spin lock in
// the form that the compiler likes to break. Under a reconvergence stack none of these can finish.
// run: --set gpu.simt=independent
// also: --set gpu.warp_size=64
#define PROGRAM "spin_in_warp"
#include "../check.h"

// Each lane waits for the lane before it in the chain, which runs up, down, or in a scattered order.
__global__ void chain(volatile int *turn, int *order, int step) {
    int lane = threadIdx.x, position = (lane * step % 32 + 32) % 32;
    while (*turn != position) {
    }
    order[position] = lane;
    __threadfence();
    *turn = position + 1;
}

__global__ void locked_sum(int *lock, volatile long *sum, int rounds) {
    for (int round = 0; round < rounds; round++) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *sum = *sum * 3 % 1000003 + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

int main(int argc, char **argv) {
    int rounds = size_argument(argc, argv, 2, 1, 1000);
    const int steps[] = {1, -1, 5, 13};
    for (int step : steps) {
        int *turn = device_zeros<int>(1), *order = device_zeros<int>(32);
        chain<<<1, 32>>>(turn, order, step);
        CHECK_KERNEL();
        std::vector<int> got = to_host(order, 32);
        for (int lane = 0; lane < 32; lane++) {
            expect_equal("order of the chain", step, lane, got[(lane * step % 32 + 32) % 32]);
        }
        expect_equal("turns taken", step, 32, to_host(turn, 1)[0]);
    }
    int *lock = device_zeros<int>(1);
    long *sum = device_zeros<long>(1), expected = 0;
    locked_sum<<<3, 48>>>(lock, sum, rounds);
    CHECK_KERNEL();
    for (int i = 0; i < 3 * 48 * rounds; i++) {
        expected = expected * 3 % 1000003 + 1;
    }
    expect_equal("sum under the lock", 0, expected, to_host(sum, 1)[0]);
    expect_equal("lock left free", 0, 0, to_host(lock, 1)[0]);
    return pass();
}
