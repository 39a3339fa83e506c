/* See math_functions.h. */
#ifndef SIMTX_CRT_MATH_FUNCTIONS_H
#define SIMTX_CRT_MATH_FUNCTIONS_H
#include "math_functions.h"
#endif
