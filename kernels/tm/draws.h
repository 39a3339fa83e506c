// Random numbers that a thread draws and the host can reproduce: a counter mixed by MurmurHash3's finaliser; each
// `stream` starts at another count.
#ifndef KERNELS_TM_DRAWS_H
#define KERNELS_TM_DRAWS_H

#include <cuda_runtime.h>

struct Draws {
    unsigned state;

    static __host__ __device__ __forceinline__ unsigned mixed(unsigned x) {
        x = (x ^ x >> 16) * 0x85ebca6bu;
        x = (x ^ x >> 13) * 0xc2b2ae35u;
        return x ^ x >> 16;
    }

    __host__ __device__ __forceinline__ Draws(int seed, int stream) : state(mixed(mixed(seed) + stream)) {}

    // `limit` is at most 65536.
    __host__ __device__ __forceinline__ int below(int limit) {
        state += 0x9e3779b9u;
        return (int)((mixed(state) >> 16) * limit >> 16);
    }
};

#endif
