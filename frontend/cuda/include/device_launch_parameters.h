/* threadIdx, blockIdx, blockDim, gridDim and warpSize: clang's CUDA mode declares them; host compilers do
 * not. */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#include "vector_types.h"
#endif
