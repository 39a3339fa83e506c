/* Warp functions: simtx/warp.h replaces clang's intrinsics header, whose include guard is therefore set here. */
#define __CLANG_CUDA_INTRINSICS_H__
#include "simtx/warp.h"
#include "simtx/dpx.h"
