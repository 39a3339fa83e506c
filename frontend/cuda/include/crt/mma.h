/* Warp matrix functions: see mma.h. */
#include "../mma.h"
