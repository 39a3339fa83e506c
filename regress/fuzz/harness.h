/* What the fuzz targets share: a GPU for one input, launches that end in bounded time, and what must hold
 * after them. */
#ifndef FUZZ_HARNESS_H
#define FUZZ_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/lib/simtx.h"

/* Stops the fuzzer with a message when a condition that must hold does not. */
#define REQUIRE(cond, ...) ((cond) ? (void)0 : harness_fail(#cond, __VA_ARGS__))
__attribute__((noreturn, format(printf, 2, 3))) void harness_fail(const char *cond, const char *fmt, ...);

/* A GPU with the assignments ("key=value", NULL-terminated) over small defaults; NULL when they are refused.
 */
simtx_gpu *harness_gpu(int index, const char *const *assignments);

/* What a launch left behind. */
struct outcome {
    simtx_status status;
    simtx_fault fault;
    uint64_t hash;               /* of the buffer */
    uint64_t instructions;
};

enum { HARNESS_BUFFER = 48 << 10 };

/* A buffer of device memory with a fixed pattern of numbers that are special to some type. */
void *harness_buffer(simtx_gpu *g);

/*
 * Launches a kernel; every 8 bytes of its parameters hold the buffer's address. Interrupted after a while,
 * and then status is SIMTX_INTERRUPTED. Checks that a fault is described and a success is not.
 */
struct outcome harness_launch(simtx_gpu *g, simtx_kernel *k, simtx_dim3 grid, simtx_dim3 block, void *buffer);
/* The same with parameters of the caller; the hash is 0. */
struct outcome harness_launch_params(simtx_gpu *g, simtx_kernel *k, const simtx_launch_params *p);

#endif
