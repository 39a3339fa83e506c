/* Selection by a lane mask: registers of which some lanes get new values and the others keep theirs. */
#ifndef PTX_LANES_SELECT_H
#define PTX_LANES_SELECT_H

#include <stdint.h>

#include "ptx/lanes/lanes.h"

#define SIMD _Pragma("omp simd")

/* lane_bit*[i]: the bit of lane i, in elements as wide as the selected data (16: of half the lanes). */
static const uint32_t lane_bit32[LANES] __attribute__((aligned(64))) = {
#define L4(i) 1u << (i), 1u << ((i) + 1), 1u << ((i) + 2), 1u << ((i) + 3)
    L4(0), L4(4), L4(8), L4(12), L4(16), L4(20), L4(24), L4(28)
#undef L4
};

static const uint16_t lane_bit16[LANES / 2] __attribute__((aligned(32))) = {
    1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768
};
static const uint64_t lane_bit64[LANES] __attribute__((aligned(64))) = {
#define L4(i) 1ull << (i), 1ull << ((i) + 1), 1ull << ((i) + 2), 1ull << ((i) + 3)
    L4(0), L4(4), L4(8), L4(12), L4(16), L4(20), L4(24), L4(28)
#undef L4
};

/* D[i] = lane i in mask ? A[i] : B[i] */
static inline void select16(uint16_t *D, const uint16_t *A, const uint16_t *B, uint32_t mask)
{
    for (int h = 0; h < 2; h++) {
        uint16_t m = (uint16_t)(mask >> 16 * h);
        SIMD for (int i = 0; i < 16; i++) {
            uint16_t a = A[16 * h + i], b = B[16 * h + i];
            D[16 * h + i] = m & lane_bit16[i] ? a : b;
        }
    }
}

static inline void select32(uint32_t *D, const uint32_t *A, const uint32_t *B, uint32_t mask)
{
    SIMD for (int i = 0; i < LANES; i++) {
        uint32_t a = A[i], b = B[i];
        D[i] = mask & lane_bit32[i] ? a : b;
    }
}

static inline void select64(uint64_t *D, const uint64_t *A, const uint64_t *B, uint32_t mask)
{
    SIMD for (int i = 0; i < LANES; i++) {
        uint64_t a = A[i], b = B[i];
        D[i] = mask & lane_bit64[i] ? a : b;
    }
}

/* D[i] = lane i in mask ? v : D[i] */
static inline void spread16(uint16_t *D, uint16_t v, uint32_t mask)
{
    for (int h = 0; h < 2; h++) {
        uint16_t m = (uint16_t)(mask >> 16 * h);
        SIMD for (int i = 0; i < 16; i++) D[16 * h + i] = m & lane_bit16[i] ? v : D[16 * h + i];
    }
}

static inline void spread32(uint32_t *D, uint32_t v, uint32_t mask)
{
    SIMD for (int i = 0; i < LANES; i++) D[i] = mask & lane_bit32[i] ? v : D[i];
}

static inline void spread64(uint64_t *D, uint64_t v, uint32_t mask)
{
    SIMD for (int i = 0; i < LANES; i++) D[i] = mask & lane_bit64[i] ? v : D[i];
}

#endif
