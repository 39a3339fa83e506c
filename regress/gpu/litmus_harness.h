/* The kernels with which litmus_gpu.c runs litmus tests on a real GPU, and the constants that both know. */
#ifndef REGRESS_GPU_LITMUS_HARNESS_H
#define REGRESS_GPU_LITMUS_HARNESS_H

#include "frontend/litmus/litmus_kernel.h"

enum {
    GPU_NOISE_LINES = 1 << 15,       /* 4 MB: all slices of L2, and more than an L1 */
    GPU_COUNTER_BYTES = 32           /* between counters of arrivals: a sector each */
};

/* What a thread of noise does to each line on its way; bits of the upper half of `warm`, whose lower half says to how
 * many lines. `delay`: lines from one to the next. */
enum gpu_noise { GPU_NOISE_STORE = 1, GPU_NOISE_LOAD = 2, GPU_NOISE_ATOMIC = 4, GPU_NOISE_WEAK_STORE = 8 };

extern const struct litmus_harness gpu_harness;

/* Two kernels for all tests, of a thread for each instance: `set` gives a location its initial value, `get` copies its
 * last value, signed, to an array. */
extern const char gpu_memory_kernels[];

#endif
