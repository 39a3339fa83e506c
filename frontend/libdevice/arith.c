/*
 * Arithmetic and conversions with a stated rounding: each function is one PTX instruction with the modifier
 * that its suffix names (rn, rz, rd = rm, ru = rp), emitted by LLVM's nvvm intrinsics.  A difference is
 * computed as the sum with the negated operand, which is equal in every rounding mode.
 */
#include "device.h"

#define EACH_DIRECTED(X, ...) \
    X(rz, rz, __VA_ARGS__) X(rd, rm, __VA_ARGS__) X(ru, rp, __VA_ARGS__)

#define SUMS(cuda, ptx, T, c, t) \
    NV T __nv_##c##add_##cuda(T a, T b) { return __nvvm_add_##ptx##_##t(a, b); } \
    NV T __nv_##c##sub_##cuda(T a, T b) { return __nvvm_add_##ptx##_##t(a, -b); } \
    NV T __nv_##c##mul_##cuda(T a, T b) { return __nvvm_mul_##ptx##_##t(a, b); }
EACH_DIRECTED(SUMS, float, f, f)
EACH_DIRECTED(SUMS, double, d, d)

#define SUMS_NEAREST(T, c, t) \
    NV T __nv_##c##add_rn(T a, T b) { return add_rn_##t(a, b); } \
    NV T __nv_##c##sub_rn(T a, T b) { return sub_rn_##t(a, b); } \
    NV T __nv_##c##mul_rn(T a, T b) { return mul_rn_##t(a, b); }
SUMS_NEAREST(float, f, f)
SUMS_NEAREST(double, d, d)

#define ARITH(cuda, ptx, T, c, t) \
    NV T __nv_##c##div_##cuda(T a, T b) { return __nvvm_div_##ptx##_##t(a, b); } \
    NV T __nv_##c##rcp_##cuda(T a) { return __nvvm_rcp_##ptx##_##t(a); } \
    NV T __nv_##c##sqrt_##cuda(T a) { return __nvvm_sqrt_##ptx##_##t(a); }
#define EACH_ROUNDING(X, ...) X(rn, rn, __VA_ARGS__) EACH_DIRECTED(X, __VA_ARGS__)
EACH_ROUNDING(ARITH, float, f, f)
EACH_ROUNDING(ARITH, double, d, d)

#define FUSED(cuda, ptx, unused) \
    NV float __nv_fmaf_##cuda(float a, float b, float c) { return __nvvm_fma_##ptx##_f(a, b, c); } \
    NV float __nv_fmaf_ieee_##cuda(float a, float b, float c) { return __nvvm_fma_##ptx##_f(a, b, c); } \
    NV double __nv_fma_##cuda(double a, double b, double c) { return __nvvm_fma_##ptx##_d(a, b, c); }
EACH_ROUNDING(FUSED, )

#define CONVERT(cuda, ptx, unused) \
    NV int __nv_float2int_##cuda(float a) { return __nvvm_f2i_##ptx(a); } \
    NV u32 __nv_float2uint_##cuda(float a) { return __nvvm_f2ui_##ptx(a); } \
    NV i64 __nv_float2ll_##cuda(float a) { return __nvvm_f2ll_##ptx(a); } \
    NV u64 __nv_float2ull_##cuda(float a) { return __nvvm_f2ull_##ptx(a); } \
    NV int __nv_double2int_##cuda(double a) { return __nvvm_d2i_##ptx(a); } \
    NV u32 __nv_double2uint_##cuda(double a) { return __nvvm_d2ui_##ptx(a); } \
    NV i64 __nv_double2ll_##cuda(double a) { return __nvvm_d2ll_##ptx(a); } \
    NV u64 __nv_double2ull_##cuda(double a) { return __nvvm_d2ull_##ptx(a); } \
    NV float __nv_int2float_##cuda(int a) { return __nvvm_i2f_##ptx(a); } \
    NV float __nv_uint2float_##cuda(u32 a) { return __nvvm_ui2f_##ptx(a); } \
    NV float __nv_ll2float_##cuda(i64 a) { return __nvvm_ll2f_##ptx(a); } \
    NV float __nv_ull2float_##cuda(u64 a) { return __nvvm_ull2f_##ptx(a); } \
    NV double __nv_ll2double_##cuda(i64 a) { return __nvvm_ll2d_##ptx(a); } \
    NV double __nv_ull2double_##cuda(u64 a) { return __nvvm_ull2d_##ptx(a); }
CONVERT(rn, rn, )
CONVERT(rd, rm, )
CONVERT(ru, rp, )

/*
 * Towards zero, as assembly: LLVM replaces these intrinsics by C's conversions, which round integers to nearest
 * (a wrong result) and are undefined out of range.  The instruction has neither fault.
 */
#define CONVERT_ZERO(name, To, From, ptx, out, in) \
    NV To __nv_##name##_rz(From a) \
    { \
        To r; \
        __asm__("cvt." ptx " %0, %1;" : "=" out(r) : in(a)); \
        return r; \
    }
CONVERT_ZERO(float2int, int, float, "rzi.s32.f32", "r", "f")
CONVERT_ZERO(float2uint, u32, float, "rzi.u32.f32", "r", "f")
CONVERT_ZERO(float2ll, i64, float, "rzi.s64.f32", "l", "f")
CONVERT_ZERO(float2ull, u64, float, "rzi.u64.f32", "l", "f")
CONVERT_ZERO(double2int, int, double, "rzi.s32.f64", "r", "d")
CONVERT_ZERO(double2uint, u32, double, "rzi.u32.f64", "r", "d")
CONVERT_ZERO(double2ll, i64, double, "rzi.s64.f64", "l", "d")
CONVERT_ZERO(double2ull, u64, double, "rzi.u64.f64", "l", "d")
CONVERT_ZERO(int2float, float, int, "rz.f32.s32", "f", "r")
CONVERT_ZERO(uint2float, float, u32, "rz.f32.u32", "f", "r")
CONVERT_ZERO(ll2float, float, i64, "rz.f32.s64", "f", "l")
CONVERT_ZERO(ull2float, float, u64, "rz.f32.u64", "f", "l")
CONVERT_ZERO(ll2double, double, i64, "rz.f64.s64", "d", "l")
CONVERT_ZERO(ull2double, double, u64, "rz.f64.u64", "d", "l")

#define NARROW(cuda, ptx, unused) NV float __nv_double2float_##cuda(double a) { return __nvvm_d2f_##ptx(a); }
EACH_ROUNDING(NARROW, )

NV double __nv_int2double_rn(int a) { return (double)a; }
NV double __nv_uint2double_rn(u32 a) { return (double)a; }
NV double __nv_rcp64h(double a) { return __nvvm_rcp_approx_ftz_d(a); }
NV float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }
NV unsigned short __nv_float2half_rn(float a) { return (unsigned short)__nvvm_f2h_rn(a); }
NV float __nv_half2float(unsigned short h)
{
    float r;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h));
    return r;
}

NV i64 __nv_llrint(double a) { return __nvvm_d2ll_rn(a); }
NV i64 __nv_llrintf(float a) { return __nvvm_f2ll_rn(a); }
