/*
 * Device math, one translation unit: clang turns it into libdevice.10.bc, the bitcode that it links into
 * every CUDA compilation to resolve the __nv_* functions of its math headers.  Only __nv_* names are
 * external. Function families for both formats are included twice.  The accuracy test compiles this file
 * for the host, without the functions that are one machine instruction each.
 */
#include "device.h"
#include "coef.h"

#include "class.c"
#include "integer.c"
#include "simd.c"
#include "fast.c"
#include "reduce.c"
#ifdef __NVPTX__
#include "arith.c"
#endif

#define REAL 64
#include "families.inc"
#undef REAL
#define REAL 32
#include "families.inc"
