/*
 * What library.c offers beyond simtx.h: memory of the GPU that the host reaches by copies alone, and launches that the
 * host does not wait for. Addresses of such memory are numbers. Errors: simtx_last_message.
 */
#ifndef REGRESS_GPU_LIBRARY_H
#define REGRESS_GPU_LIBRARY_H

#include "frontend/lib/simtx.h"

/* Freed with the context. */
simtx_status gpu_alloc(simtx_gpu *g, size_t bytes, uint64_t *out);
/* words: of 32 bits. */
simtx_status gpu_fill(simtx_gpu *g, uint64_t at, uint32_t value, size_t words);
/* The copies wait for all launches before them. */
simtx_status gpu_copy_to(simtx_gpu *g, uint64_t at, const void *from, size_t bytes);
simtx_status gpu_copy_from(simtx_gpu *g, void *to, uint64_t from, size_t bytes);

/* Starts a kernel after those started before. resident: all its blocks are on the GPU at once, or it is an error. */
simtx_status gpu_start(simtx_kernel *k, const simtx_launch_params *p, bool resident);

#endif
