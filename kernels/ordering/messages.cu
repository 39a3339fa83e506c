// Message passing and store buffering between blocks, many times and by each way in which CUDA and OpenCL order
// accesses: how often the weaker outcome appears (Figure 1 and Table 1 of Singh, Aga and Narayanasamy, MICRO 2015).
// Message: one thread writes x, then the flag y; the other reads y, then x; stale: y is new and x is old. Both have x
// in their caches before, and the writer y, so that the flag overtakes the value where nothing orders them. Indirect:
// the writer sets a flag in shared memory, and a thread of its block, which has seen it, sets y. Buffering: one writes
// x and reads y, the other writes y and reads x; both old.
// Printed: a line for each way, with how often; "observed.WORD" of simtx paper reads it. Checked: x and y at the end,
// and that outcomes which PTX forbids do not appear.
// run: --timing --config gtx480-sc
// also: --timing --config gtx480-sc+rmo-paper+mesi
#define PROGRAM "messages"
#include "../bench/options.h"

enum Way { RELAXED, ATOMIC, FENCE, ACQUIRE, ACQUIRE_ONLY, RELEASE_ONLY, ACQ_REL, INDIRECT, BUFFERING, SEQ_CST, WAYS };

// The word that is printed, and whether PTX forbids the outcome.
static const struct {
    const char *word;
    bool forbidden;
} ways[WAYS] = {{"relaxed", false},     {"atomic", false},      {"fence", true},    {"acquire", true},
                {"acquireonly", false}, {"releaseonly", false}, {"acqrel", true},   {"indirect", false},
                {"buffering", false},   {"seqcst", true}};

static const int PAIRS = 8, WORDS = 1024, FLAG = 608; // pairs of blocks; words of an instance; where its y is
static const int CROWD = 16, SLICE = 512;              // stores in the way, with so many words between them

struct Instances {
    unsigned *cells;   // x and y of each, then what is stored in the way of x
    int *ready;        // threads that wait for its begin
    unsigned *outcome; // two values of each
    int each;          // for a pair of blocks
};

static __device__ __forceinline__ void store(unsigned *at) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(at) : "memory");
}

static __device__ __forceinline__ unsigned load(const unsigned *at) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

template <Way WAY> static __device__ __forceinline__ void order() {
    if (WAY == FENCE) {
        __threadfence();
    } else if (WAY == SEQ_CST) {
        asm volatile("fence.sc.gpu;" ::: "memory");
    }
}

template <Way WAY> static __device__ __forceinline__ void raise_flag(unsigned *flag) {
    unsigned old;
    if (WAY == ATOMIC) {
        asm volatile("atom.relaxed.gpu.global.exch.b32 %0, [%1], 1;" : "=r"(old) : "l"(flag) : "memory");
    } else if (WAY == ACQ_REL) {
        asm volatile("atom.acq_rel.gpu.global.exch.b32 %0, [%1], 1;" : "=r"(old) : "l"(flag) : "memory");
    } else if (WAY == ACQUIRE || WAY == RELEASE_ONLY) {
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        store(flag);
    }
}

template <Way WAY> static __device__ __forceinline__ unsigned look_at_flag(unsigned *flag) {
    unsigned value;
    if (WAY == ATOMIC) {
        asm volatile("atom.relaxed.gpu.global.or.b32 %0, [%1], 0;" : "=r"(value) : "l"(flag) : "memory");
    } else if (WAY == ACQ_REL) {
        asm volatile("atom.acq_rel.gpu.global.or.b32 %0, [%1], 0;" : "=r"(value) : "l"(flag) : "memory");
    } else if (WAY == ACQUIRE || WAY == ACQUIRE_ONLY) {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    } else {
        value = load(flag);
    }
    return value;
}

// Until the other thread is here, and then until the clock shows a multiple of 2048, which both see; then a delay, so
// that each instance has another distance between the two.
static __device__ __forceinline__ void meet(int *ready, unsigned after, int delay) {
    __threadfence();
    atomicAdd(ready, 1 + (int)after); // `after` is 0, but known only when it has been loaded
    while (*(volatile int *)ready < 2) {
    }
    for (long long now = clock64(), begin = ((now >> 11) + 1) << 11; now < begin;) {
        now = clock64();
    }
    for (int i = 0; i < delay; i++) {
        asm volatile("");
    }
}

template <Way WAY> static __device__ void write_message(const Instances &all, int i, volatile int *shared_flag) {
    unsigned *x = all.cells + (size_t)i * WORDS, *y = x + FLAG;
    unsigned *crowd = all.cells + (size_t)(2 * PAIRS * all.each + blockIdx.x / 2 * CROWD) * SLICE;
    *(volatile unsigned *)y = 0;
    meet(&all.ready[i], load(x), i % 3 * 4);
    for (int k = 0; k < CROWD; k++) {
        store(crowd + k * SLICE);
    }
    store(x);
    order<WAY>();
    if (WAY == INDIRECT) {
        *shared_flag = i + 1;
    } else {
        raise_flag<WAY>(y);
    }
}

static __device__ void pass_on(const Instances &all, int i, volatile int *shared_flag) {
    while (*shared_flag != i + 1) {
    }
    store(all.cells + (size_t)i * WORDS + FLAG);
}

template <Way WAY> static __device__ void read_message(const Instances &all, int i) {
    unsigned *x = all.cells + (size_t)i * WORDS, *y = x + FLAG;
    meet(&all.ready[i], load(x), i % 32);
    unsigned flag = look_at_flag<WAY>(y);
    order<WAY>();
    unsigned value = load(x);
    all.outcome[2 * i] = flag;
    all.outcome[2 * i + 1] = !value;
}

// Stores to its own word, then loads the other's.
template <Way WAY> static __device__ void buffer_store(const Instances &all, int i, int mine) {
    unsigned *x = all.cells + (size_t)i * WORDS, *own = x + mine * FLAG, *other = x + !mine * FLAG;
    meet(&all.ready[i], load(own) + load(other), (mine ? i % 7 : i % 5) * 2);
    store(own);
    order<WAY>();
    all.outcome[2 * i + mine] = !load(other);
}

// Blocks are writers and readers in turn. The second warp of a block passes messages on.
template <Way WAY> static __global__ void run_instances(Instances all) {
    __shared__ int shared_flag;
    int pair = blockIdx.x / 2, role = blockIdx.x % 2, second = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        shared_flag = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 || (second && (role || WAY != INDIRECT))) {
        return;
    }
    for (int i = pair * all.each; i < (pair + 1) * all.each; i++) {
        if (second) {
            pass_on(all, i, &shared_flag);
        } else if (WAY == BUFFERING || WAY == SEQ_CST) {
            buffer_store<WAY>(all, i, role);
        } else if (role) {
            read_message<WAY>(all, i);
        } else {
            write_message<WAY>(all, i, &shared_flag);
        }
    }
}

// How often both values of an instance are 1.
template <Way WAY> static void weak_outcomes(int each) {
    int n = PAIRS * each, weak = 0;
    Instances all = {device_zeros<unsigned>((size_t)n * WORDS + PAIRS * CROWD * SLICE), device_zeros<int>(n),
                     device_zeros<unsigned>(2 * n), each};
    run_instances<WAY><<<2 * PAIRS, 64>>>(all);
    CHECK_KERNEL();
    std::vector<unsigned> outcome = to_host(all.outcome, 2 * n), cells = to_host(all.cells, (size_t)n * WORDS);
    for (int i = 0; i < n; i++) {
        weak += outcome[2 * i] && outcome[2 * i + 1];
        expect_equal("x", i, 1u, cells[(size_t)i * WORDS]);
        expect_equal("y", i, 1u, cells[(size_t)i * WORDS + FLAG]);
    }
    CHECK(cudaFree(all.cells));
    CHECK(cudaFree(all.ready));
    CHECK(cudaFree(all.outcome));
    printf("%d %s\n", weak, ways[WAY].word);
    if (ways[WAY].forbidden) {
        expect_equal(ways[WAY].word, 0, 0, weak);
    }
}

int main(int argc, char **argv) {
    int each = read_options(argc, argv, {"instances for each of 8 pairs of blocks", 10, 100, 1, 1000});
    printf("%d instances\n", PAIRS * each);
    weak_outcomes<RELAXED>(each);
    weak_outcomes<ATOMIC>(each);
    weak_outcomes<FENCE>(each);
    weak_outcomes<ACQUIRE>(each);
    weak_outcomes<ACQUIRE_ONLY>(each);
    weak_outcomes<RELEASE_ONLY>(each);
    weak_outcomes<ACQ_REL>(each);
    weak_outcomes<INDIRECT>(each);
    weak_outcomes<BUFFERING>(each);
    weak_outcomes<SEQ_CST>(each);
    return pass();
}
