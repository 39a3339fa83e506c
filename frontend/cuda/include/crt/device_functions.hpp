/* Warp functions: simtx/warp.h stands in for clang's own intrinsics header, so that one's guard is set. */
#define __CLANG_CUDA_INTRINSICS_H__
#include "simtx/warp.h"
