/* The functions for launches are declared by the runtime API. */
#ifndef SIMTX_CRT_HOST_RUNTIME_H
#define SIMTX_CRT_HOST_RUNTIME_H
#include "cuda_runtime_api.h"
#if defined(__CUDA__) && defined(__clang__) && defined(__CUDABE__)
/* clang's wrapper includes its own device functions after this file: no line numbers, as in simtx/keywords.h. */
#define SIMTX_CLANG_FUNCTIONS
#pragma clang attribute simtx.push(__attribute__((nodebug)), apply_to = hasType(functionType))
#endif
#endif
