// What the benchmarks of the paper on snapshot isolation share (Chen, Peng and Irving, Accelerating GPU Hardware
// Transactional Memory with Snapshot Isolation, ISCA 2017, section 6 and Table 3): their command line, how their
// threads are placed, and where their data lie. `--input 1` and `2` are the published sizes, `quick` is a small one.
// All words that transactions access lie in regions that the program declares (bench/region.h), and a transaction
// accesses no others: what it needs besides is read before it begins. Locks lie outside. Every field is accessed
// through a pointer to volatile, so that the loads that the source shows are the loads that execute.
#ifndef KERNELS_SI_BENCH_H
#define KERNELS_SI_BENCH_H

#include "../bench/tm_bench.h"
#include "../bench/region.h"

#include <numeric>

// The published sizes of a benchmark, and a small one.
static const char *const INPUT_NAMES[] = {"quick", "1", "2", nullptr};

static inline NamedOption input_option(int *input) {
    return {"input", "published size (quick)", input, INPUT_NAMES, 0, 0};
}

// Threads of a run: a warp to a block, all in one block, or each in a block of its own. The placement decides which
// transactions share a warp, and how many warps of an SM run at once.
enum Placement { PLACEMENT_WARPS, PLACEMENT_BLOCK, PLACEMENT_THREADS };

static const char *const PLACEMENT_NAMES[] = {"warps", "block", "threads", nullptr};

static inline NamedOption placement_option(int *placement) {
    return {"placement", "threads in blocks of 32, in one block, or each in its own (warps)", placement,
            PLACEMENT_NAMES, 0, 0};
}

struct Geometry {
    int blocks, block;
};

static inline Geometry geometry(int threads, int placement) {
    int block = placement == PLACEMENT_BLOCK ? threads : placement == PLACEMENT_THREADS ? 1 : 32;
    return {blocks_for(threads, block), block};
}

static __device__ __forceinline__ int thread_number() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// Turns of a loop that does nothing.
static __device__ __forceinline__ void wait_for(int turns) {
    for (int i = 0; i < turns; i++) {
        asm volatile("" : "+r"(i));
    }
}

// Numbers from 0 to count - 1 in random order.
static inline std::vector<int> shuffled(Lcg &random, int count) {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    for (int left = count; left > 1; left--) {
        std::swap(numbers[left - 1], numbers[random.below(left)]);
    }
    return numbers;
}

#endif
