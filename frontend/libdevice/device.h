/*
 * Definitions for all device math sources: short type names, the attributes of exported functions, bit casts, and
 * the few machine operations (approximate reciprocals, fused multiply-add, products that must never be fused)
 * as inline functions.  For NVPTX they are LLVM's nvvm intrinsics; the accuracy test compiles the same
 * sources for the host and supplies its own versions (regress/math/host_device.h) with the documented
 * hardware errors.
 */
#ifndef SIMTX_LIBDEVICE_DEVICE_H
#define SIMTX_LIBDEVICE_DEVICE_H

typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

#define CUDA_VERSION 9010 /* makes clang's header declare the SIMD-in-a-word functions too */
#define __DEVICE__
/* Versions of clang differ in the signedness of these two functions' arguments: clang's prototypes are renamed. */
#define __nv_popc   clang_nv_popc
#define __nv_popcll clang_nv_popcll
#include <__clang_cuda_libdevice_declares.h>
#undef __nv_popc
#undef __nv_popcll

/* Exported functions are always inlined: the "target-cpu" of the bitcode would otherwise forbid it. */
#define NV __attribute__((always_inline))
#define HELP static inline __attribute__((always_inline, unused))
#define COEF static const __attribute__((unused))

HELP u32 bits_f(float x) { return __builtin_bit_cast(u32, x); }
HELP u64 bits_d(double x) { return __builtin_bit_cast(u64, x); }
HELP float from_bits_f(u32 x) { return __builtin_bit_cast(float, x); }
HELP double from_bits_d(u64 x) { return __builtin_bit_cast(double, x); }

#ifdef __NVPTX__
HELP float dev_ex2_f(float x) { return __nvvm_ex2_approx_f(x); }
HELP float dev_lg2_f(float x) { return __nvvm_lg2_approx_f(x); }
HELP float dev_rsqrt_f(float x) { return __nvvm_rsqrt_approx_f(x); }
HELP float dev_sin_f(float x) { return __nvvm_sin_approx_f(x); }
HELP float dev_cos_f(float x) { return __nvvm_cos_approx_f(x); }
HELP float dev_div_f(float a, float b) { return __nvvm_div_approx_f(a, b); }

/*
 * Rounded to nearest and never fused with another operation.  Assembly, because LLVM replaces the nvvm intrinsics
 * of this rounding by plain operations, which a compilation that allows contraction then fuses.
 */
#define NEVER_FUSED(op, T, t, ptx, constraint) \
    HELP T op##_rn_##t(T a, T b) \
    { \
        T r; \
        __asm__(#op ".rn." ptx " %0, %1, %2;" : "=" constraint(r) : constraint(a), constraint(b)); \
        return r; \
    }
NEVER_FUSED(add, float, f, "f32", "f")
NEVER_FUSED(sub, float, f, "f32", "f")
NEVER_FUSED(mul, float, f, "f32", "f")
NEVER_FUSED(add, double, d, "f64", "d")
NEVER_FUSED(sub, double, d, "f64", "d")
NEVER_FUSED(mul, double, d, "f64", "d")
HELP float sqrt_rn_f(float x) { return __nvvm_sqrt_rn_f(x); }
HELP double sqrt_rn_d(double x) { return __nvvm_sqrt_rn_d(x); }
HELP u64 mulhi_u64(u64 a, u64 b) { return __nvvm_mulhi_ull(a, b); }
/* C leaves the conversion of NaN and of too large numbers undefined; cvt.rni saturates, NaN gives 0. */
HELP int to_int_f(float x) { return __nvvm_f2i_rn(x); }
HELP int to_int_d(double x) { return __nvvm_d2i_rn(x); }
HELP i64 to_ll_zero_f(float x) { return __nv_float2ll_rz(x); }
HELP i64 to_ll_zero_d(double x) { return __nv_double2ll_rz(x); }
#define DEV_CONST __attribute__((address_space(4)))
#else
#include "host_device.h"
#endif

#endif
