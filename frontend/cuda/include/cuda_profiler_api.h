/* cudaProfilerStart() and cudaProfilerStop() are part of the runtime API. */
#ifndef __CUDA_PROFILER_API_H__
#define __CUDA_PROFILER_API_H__
#include "cuda_runtime_api.h"
#endif
