/* See sm_30_intrinsics.h. */
#include "sm_30_intrinsics.h"
