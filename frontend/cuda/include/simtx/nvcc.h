/* What nvcc defines for CUDA sources (CUDA Compiler Driver NVCC, "NVCC Identification Macro"). simtx-cc includes this
 * file after clang's own CUDA headers, which must not see these names. */
#ifndef SIMTX_NVCC_H
#define SIMTX_NVCC_H

/* SIMTX_WITHOUT_NVCC: the command line has -U__NVCC__. */
#if !defined(__NVCC__) && !defined(SIMTX_WITHOUT_NVCC)
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 5
#define __CUDACC_VER_BUILD__ 0
#endif

/* CUDA's own headers include these in every source of nvcc, so programs use printf, assert or time without them. */
#include <assert.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility>

/* clang compiles a lambda with __device__ as it is: no wrapper class, so none of these closures is special. */
#define __nv_is_extended_device_lambda_closure_type(type) false
#define __nv_is_extended_host_device_lambda_closure_type(type) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(type) false

/* What simtx-cc writes for alignas after a memory space. */
#define __align(...) _Alignas(__VA_ARGS__)

#endif
