/*
 * The CUDA driver API: functions over the layer that the runtime API uses, too (frontend/rt/rt.h). The files are parts
 * of libcudart.so; libcuda.so.1 is a filter library with the same names.
 *
 * Every function is `e = rt_enter_context(); if (!e) e = work(); return cu_leave(e);`. Calls that need no context use
 * rt_enter_driver.
 */
#ifndef LIBCUDA_CU_H
#define LIBCUDA_CU_H

#include "frontend/cuda/include/cuda.h"
#include "frontend/rt/rt.h"

#define CU_API __attribute__((visibility("default")))

/* Unlocks; the result of the driver API for an error of the layer. */
CUresult cu_leave(cudaError_t e);
CUresult cu_result(cudaError_t e);

/* rt_enter_driver, and a check of the number of a device; creates its GPU. */
cudaError_t cu_enter_device(CUdevice dev);
/* rt_enter_context, and checks of a handle. */
cudaError_t cu_enter_stream(CUstream s);
/* A kernel of a library is replaced by its function in the current context. */
cudaError_t cu_enter_function(CUfunction *f);
cudaError_t cu_enter_library(CUlibrary l);
cudaError_t cu_enter_module(CUmodule m);
cudaError_t cu_enter_pool(CUmemoryPool p);

#define CU_OLD_PARAMETERS 4096u       /* most bytes of the parameters of a kernel */

static inline void *cu_pointer(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

static inline CUdeviceptr cu_address(const void *p)
{
    return (CUdeviceptr)(uintptr_t)p;
}

/* cu_launch.c */
cudaError_t cu_function_attribute(int *value, CUfunction_attribute attribute, CUfunction f);
cudaError_t cu_function_name(const char **name, CUfunction f);
cudaError_t cu_function_parameter(CUfunction f, size_t i, size_t *offset, size_t *size);

/* cu_copy.c: the sides and the kind of a copy. */
cudaError_t cu_copy_parameters(struct rt_side *dst, struct rt_side *src, enum cudaMemcpyKind *kind,
                               const CUDA_MEMCPY3D *c);

/* The same, from the sides and the kind. */
void cu_copy_of(CUDA_MEMCPY3D *c, const struct rt_side *dst, const struct rt_side *src, enum cudaMemcpyKind kind);

/* Prints the name of a function that simtx does not have, with SIMTX_VERBOSE=1. */
void cu_note_missing(const char *name);

#endif
