/* See vector_functions.h. */
#ifndef SIMTX_VECTOR_FUNCTIONS_HPP
#define SIMTX_VECTOR_FUNCTIONS_HPP
#include "vector_functions.h"
#endif
