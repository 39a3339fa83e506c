// What the benchmarks with transactions on shared memory have in common: those of Villegas et al., GPU-LocalTM, section
// 5.1 (Hash Table, K-Means, Genetic Algorithm), and of Villegas, Navarro, Asenjo and Plata, Memoria Transaccional
// Hardware en Memoria Local de GPU, section IV (Hash Table). One block of 256 threads is one run of theirs; `--size` is
// the number of blocks, each with its own data. In addition to the versions of tm_bench.h, whose locks are in shared
// memory here, there are
//   serial  one thread after another, all threads meeting at a barrier in between (the papers' baseline),
//   turns   one thread after another, without barriers.
//
// All shared memory is one array, so that the data of transactions begin at word 0: the bank of a word, and its bit in
// the bank's filters, determine which transactions conflict.
#ifndef KERNELS_LOCAL_BENCH_H
#define KERNELS_LOCAL_BENCH_H

#include "draws.h"
#include "../bench/tm_bench.h"

#include <map>
#include <numeric>

static const int BLOCK = 256; // a work-group of the papers
static const int BANKS = 32, FILTER_BITS = 8;
static const SizeRange LOCAL_SIZES = {"blocks", 1, 1, 1, 1024};
static const char *const LOCAL_VERSIONS[] = {"tm", "fgl", "lock", "serial", "turns", nullptr};

extern __shared__ int shared_words[];

// What a block keeps in shared memory: the program's words, and after them the version's locks, or its turn.
struct LocalMemory {
    int words, locks;

    size_t bytes() const { return (size_t)(words + locks) * sizeof(int); }

    __device__ __forceinline__ int *lock(int i) const { return &shared_words[words + i]; }
};

// For a version whose fine-grained locks are `fine`.
static inline LocalMemory local_memory(Version version, int words, int fine) {
    const int locks[] = {0, fine, 1, 0, 1}; // by version
    return {words, locks[version]};
}

// The threads of the block set `count` words from `first` on.
static __device__ __forceinline__ void set_shared(int first, int count, int value) {
    for (int i = threadIdx.x; i < count; i += BLOCK) {
        shared_words[first + i] = value;
    }
}

// The threads of the block copy `count` words from `first` on to the block's part of `to`.
static __device__ __forceinline__ void copy_out(int *to, int first, int count) {
    for (int i = threadIdx.x; i < count; i += BLOCK) {
        to[blockIdx.x * count + i] = shared_words[first + i];
    }
}

// Runs `body` in one thread after another; every thread of the block calls this.
template <typename Body>
static __device__ __forceinline__ void one_by_one(Body body) {
    for (int i = 0; i < BLOCK; i++) {
        if ((int)threadIdx.x == i) {
            body();
        }
        __syncthreads();
    }
}

// Runs `body` when the counter `turn` equals `mine`, then increments it. A lane that waits lets the other lanes of its
// warp run, as with locks.
template <typename Body>
static __device__ __forceinline__ void in_turn(int *turn, int mine, Body body) {
    int done = 0;
    simtx_lock_begin();
    while (!done) {
        if (*(volatile int *)turn == mine) {
            __threadfence_block();
            body();
            __threadfence_block();
            *(volatile int *)turn = mine + 1;
            done = 1;
        }
        SIMTX_LOCK_DONE(done);
    }
    simtx_lock_end();
}

// "COUNT of SIZE" for each size of a group that occurs.
static inline std::string histogram(const std::map<int, int> &groups) {
    std::map<int, int> times;
    for (const auto &group : groups) {
        times[group.second]++;
    }
    std::string text;
    for (const auto &size : times) {
        text += (text.empty() ? "" : ", ") + shown(size.second) + " of " + shown(size.first);
    }
    return text;
}

// Prints how many words of transactions each bank has, and how many share a bit of a bank's filters, which is the
// word's index in its bank modulo 8 (GPU-LocalTM, section 3.3).
static inline void print_banks(const std::vector<int> &words) {
    std::map<int, int> banks, bits;
    for (int word : words) {
        banks[word % BANKS]++;
        bits[word / BANKS % FILTER_BITS * BANKS + word % BANKS]++;
    }
    printf("%zu words: banks %s, filter bits %s\n", words.size(), histogram(banks).c_str(), histogram(bits).c_str());
}

// Of words 0 to `count` - 1.
static inline void print_banks(int count) {
    std::vector<int> words(count);
    std::iota(words.begin(), words.end(), 0);
    print_banks(words);
}

#endif
