/* Functions of device code: clang's CUDA mode includes them for every file. */
#ifndef SIMTX_MATH_FUNCTIONS_H
#define SIMTX_MATH_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
