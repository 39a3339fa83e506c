/* See sm_32_intrinsics.h. */
#include "sm_32_intrinsics.h"
