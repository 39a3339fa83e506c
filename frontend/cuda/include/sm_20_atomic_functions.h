/* Functions of device code: clang's CUDA mode includes them for every file. */
#ifndef SIMTX_SM_20_ATOMIC_FUNCTIONS_H
#define SIMTX_SM_20_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
