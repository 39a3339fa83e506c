/* clang's wrapper includes this file twice; simtx/math_overloads.h takes effect once. */
#ifdef SIMTX_CLANG_FUNCTIONS
#undef SIMTX_CLANG_FUNCTIONS
#pragma clang attribute simtx.pop
#endif
#include "simtx/math_overloads.h"
