/*
 * Integer helpers: each is one PTX instruction, or two where PTX has none.  Counting functions are defined
 * for zero as in the CUDA C++ programming guide (clz 32 or 64, ffs 0).  Averages cannot overflow: they add the
 * common bits of the operands to half of the differing bits.
 */
#include "device.h"

NV int __nv_abs(int a) { return a < 0 ? (int)(0u - (u32)a) : a; }
NV i64 __nv_llabs(i64 a) { return a < 0 ? (i64)(0ull - (u64)a) : a; }

#define MIN_MAX(T, min_name, max_name) \
    NV T min_name(T a, T b) { return a < b ? a : b; } \
    NV T max_name(T a, T b) { return a > b ? a : b; }
MIN_MAX(int, __nv_min, __nv_max)
MIN_MAX(u32, __nv_umin, __nv_umax)
MIN_MAX(i64, __nv_llmin, __nv_llmax)
MIN_MAX(u64, __nv_ullmin, __nv_ullmax)

NV int __nv_mulhi(int a, int b) { return (int)(((i64)a * b) >> 32); }
NV u32 __nv_umulhi(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }
NV i64 __nv_mul64hi(i64 a, i64 b)
{
    i64 high = (i64)mulhi_u64((u64)a, (u64)b);
    return high - (a < 0 ? b : 0) - (b < 0 ? a : 0);
}
NV u64 __nv_umul64hi(u64 a, u64 b) { return mulhi_u64(a, b); }

HELP i32 sext24(i32 a) { return (i32)((u32)a << 8) >> 8; }
NV int __nv_mul24(int a, int b) { return (int)((u32)sext24(a) * (u32)sext24(b)); }
NV u32 __nv_umul24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }

NV int __nv_brev(int a) { return (int)__builtin_bitreverse32((u32)a); }
NV i64 __nv_brevll(i64 a) { return (i64)__builtin_bitreverse64((u64)a); }
NV int __nv_clz(int a) { return a ? __builtin_clz((u32)a) : 32; }
NV int __nv_clzll(i64 a) { return a ? __builtin_clzll((u64)a) : 64; }
NV int __nv_popc(u32 a) { return __builtin_popcount(a); }
NV int __nv_popcll(u64 a) { return __builtin_popcountll(a); }
NV int __nv_ffs(int a) { return a ? __builtin_ctz((u32)a) + 1 : 0; }
NV int __nv_ffsll(i64 a) { return a ? __builtin_ctzll((u64)a) + 1 : 0; }

NV int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
NV int __nv_uhadd(u32 a, u32 b) { return (int)((a & b) + ((a ^ b) >> 1)); }
NV int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
NV u32 __nv_urhadd(u32 a, u32 b) { return (a | b) - ((a ^ b) >> 1); }
NV int __nv_sad(int a, int b, int c) { return (int)((a > b ? (u32)a - (u32)b : (u32)b - (u32)a) + (u32)c); }
NV u32 __nv_usad(u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }

/* prmt.b32 interprets a fourth selector bit as "replicate the sign"; __byte_perm has three bits per byte. */
NV int __nv_byte_perm(int a, int b, int s)
{
#ifdef __NVPTX__
    return (int)__nvvm_prmt((u32)a, (u32)b, (u32)s & 0x7777);
#else
    u64 pool = (u64)(u32)b << 32 | (u32)a;
    u32 r = 0;
    for (int i = 0; i < 4; i++) {
        r |= (u32)(pool >> (s >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    }
    return (int)r;
#endif
}

NV int __nv_float_as_int(float a) { return (int)bits_f(a); }
NV u32 __nv_float_as_uint(float a) { return bits_f(a); }
NV float __nv_int_as_float(int a) { return from_bits_f((u32)a); }
NV float __nv_uint_as_float(u32 a) { return from_bits_f(a); }
NV u64 __nv_double_as_longlong(double a) { return bits_d(a); }
NV double __nv_longlong_as_double(i64 a) { return from_bits_d((u64)a); }
NV int __nv_double2hiint(double a) { return (int)(bits_d(a) >> 32); }
NV int __nv_double2loint(double a) { return (int)(u32)bits_d(a); }
NV double __nv_hiloint2double(int hi, int lo) { return from_bits_d((u64)(u32)hi << 32 | (u32)lo); }
