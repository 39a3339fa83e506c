/* Functions of device code: clang's CUDA mode includes them for every file. */
#ifndef SIMTX_CUDA_DEVICE_RUNTIME_API_H
#define SIMTX_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime.h"
#endif
