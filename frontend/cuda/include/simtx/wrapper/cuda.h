/* What clang's wrapper header gets for "cuda.h".
 *
 * The wrapper is included before the first line of every CUDA source and includes "cuda.h" by name.  A program can have
 * a header of that name in a folder of -I; nvcc includes none implicitly.  simtx-cc searches this folder first for
 * quoted names, so the first inclusion, the wrapper's, finds simtx's header, and every later one the program's.  */
#pragma GCC system_header
#ifdef SIMTX_WRAPPER_CUDA_H
#include_next "cuda.h"
#else
#define SIMTX_WRAPPER_CUDA_H
#include "../../cuda.h"
#include "../builtin_variables.h" /* which the wrapper would include next, from clang's folder */
#endif
