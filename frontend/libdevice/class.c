/* Classification.  The names for float and double follow no rule, so each function is written out. */
#include "device.h"

NV int __nv_isnanf(float x) { return x != x; }
NV int __nv_isnand(double x) { return x != x; }
NV int __nv_isinff(float x) { return (bits_f(x) & 0x7fffffff) == 0x7f800000; }
NV int __nv_isinfd(double x) { return (bits_d(x) & ~0ull >> 1) == 0x7ffull << 52; }
NV int __nv_finitef(float x) { return (bits_f(x) & 0x7f800000) != 0x7f800000; }
NV int __nv_isfinited(double x) { return (bits_d(x) >> 52 & 0x7ff) != 0x7ff; }
NV int __nv_signbitf(float x) { return (int)(bits_f(x) >> 31); }
NV int __nv_signbitd(double x) { return (int)(bits_d(x) >> 63); }
