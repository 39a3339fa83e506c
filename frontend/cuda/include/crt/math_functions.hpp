/* clang's wrapper includes this file twice; simtx/math_overloads.h takes effect once. */
#include "simtx/math_overloads.h"
