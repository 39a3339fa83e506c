/* See cuda_profiler_api.h. */
#ifndef SIMTX_CUDA_PROFILER_H
#define SIMTX_CUDA_PROFILER_H
#include "cuda_profiler_api.h"
#endif
