/*
 * The fast float functions (__sinf, __expf ...): the approximate instruction and the scaling for its base,
 * as in the CUDA C++ programming guide's table of intrinsic functions.
 */
#include "device.h"

NV float __nv_fast_sinf(float x) { return dev_sin_f(x); }
NV float __nv_fast_cosf(float x) { return dev_cos_f(x); }
NV float __nv_fast_tanf(float x) { return dev_div_f(dev_sin_f(x), dev_cos_f(x)); }
NV void __nv_fast_sincosf(float x, float *s, float *c)
{
    *s = dev_sin_f(x);
    *c = dev_cos_f(x);
}
NV float __nv_fast_expf(float x) { return dev_ex2_f(x * 0x1.715476p+0f); }
NV float __nv_fast_exp10f(float x) { return dev_ex2_f(x * 0x1.a934fp+1f); }
NV float __nv_fast_log2f(float x) { return dev_lg2_f(x); }
NV float __nv_fast_logf(float x) { return dev_lg2_f(x) * 0x1.62e43p-1f; }
NV float __nv_fast_log10f(float x) { return dev_lg2_f(x) * 0x1.344136p-2f; }
NV float __nv_fast_powf(float x, float y) { return dev_ex2_f(y * dev_lg2_f(x)); }
NV float __nv_fast_fdividef(float a, float b) { return dev_div_f(a, b); }
