/* Loads and stores with a cache operator, address-space conversions and tests, funnel shifts, dot products,
 * clocks: the device functions that are one PTX instruction each (CUDA C++ programming guide;
 * PTX ISA "ld", "st", "cvta", "isspacep", "shf", "dp4a"). */
#ifndef SIMTX_MEMORY_H
#define SIMTX_MEMORY_H

#include "simtx/keywords.h"

#define SIMTX_GLOBAL(p) ((const __attribute__((address_space(1))) void *)(p))

/* __ldg(): a read-only load.  It uses compiler builtins so that the compiler can move and merge it. */
#define SIMTX_LDG1(T, b) \
    SIMTX_DEV T __ldg(const T *p) { return __nvvm_ldg_##b(p); }
#define SIMTX_LDG2(V, T, b)                                \
    SIMTX_DEV V __ldg(const V *p)                          \
    {                                                      \
        typedef T vec __attribute__((ext_vector_type(2))); \
        vec v = __nvvm_ldg_##b((const vec *)p);            \
        V r;                                               \
        r.x = v[0];                                        \
        r.y = v[1];                                        \
        return r;                                          \
    }
#define SIMTX_LDG4(V, T, b)                                \
    SIMTX_DEV V __ldg(const V *p)                          \
    {                                                      \
        typedef T vec __attribute__((ext_vector_type(4))); \
        vec v = __nvvm_ldg_##b((const vec *)p);            \
        V r;                                               \
        r.x = v[0];                                        \
        r.y = v[1];                                        \
        r.z = v[2];                                        \
        r.w = v[3];                                        \
        return r;                                          \
    }
SIMTX_LDG1(char, c)
SIMTX_LDG1(unsigned char, uc)
SIMTX_LDG1(short, s)
SIMTX_LDG1(unsigned short, us)
SIMTX_LDG1(int, i)
SIMTX_LDG1(unsigned int, ui)
SIMTX_LDG1(long, l)
SIMTX_LDG1(unsigned long, ul)
SIMTX_LDG1(long long, ll)
SIMTX_LDG1(unsigned long long, ull)
SIMTX_LDG1(float, f)
SIMTX_LDG1(double, d)
SIMTX_DEV signed char __ldg(const signed char *p)
{
    return (signed char)__nvvm_ldg_uc((const unsigned char *)p);
}
SIMTX_LDG2(char2, char, c2)
SIMTX_LDG2(uchar2, unsigned char, uc2)
SIMTX_LDG2(short2, short, s2)
SIMTX_LDG2(ushort2, unsigned short, us2)
SIMTX_LDG2(int2, int, i2)
SIMTX_LDG2(uint2, unsigned int, ui2)
SIMTX_LDG2(longlong2, long long, ll2)
SIMTX_LDG2(ulonglong2, unsigned long long, ull2)
SIMTX_LDG2(float2, float, f2)
SIMTX_LDG2(double2, double, d2)
SIMTX_LDG4(char4, char, c4)
SIMTX_LDG4(uchar4, unsigned char, uc4)
SIMTX_LDG4(short4, short, s4)
SIMTX_LDG4(ushort4, unsigned short, us4)
SIMTX_LDG4(int4, int, i4)
SIMTX_LDG4(uint4, unsigned int, ui4)
SIMTX_LDG4(float4, float, f4)
#undef SIMTX_LDG1
#undef SIMTX_LDG2
#undef SIMTX_LDG4

/* Loads with a cache operator.  A vector is one access; char has no register type and uses a 16-bit
 * register. */
#define SIMTX_LD1(name, op, T, R, C, t, clobber)                                         \
    SIMTX_DEV T name(const T *p)                                                         \
    {                                                                                    \
        R r;                                                                             \
        asm volatile(op "." t " %0, [%1];" : "=" C(r) : "l"(SIMTX_GLOBAL(p)) : clobber); \
        return (T)r;                                                                     \
    }
#define SIMTX_LD2(name, op, T, R, C, t, clobber)                                                           \
    SIMTX_DEV T name(const T *p)                                                                           \
    {                                                                                                      \
        R x, y;                                                                                            \
        asm volatile(op ".v2." t " {%0,%1}, [%2];" : "=" C(x), "=" C(y) : "l"(SIMTX_GLOBAL(p)) : clobber); \
        T r;                                                                                               \
        r.x = x;                                                                                           \
        r.y = y;                                                                                           \
        return r;                                                                                          \
    }
#define SIMTX_LD4(name, op, T, R, C, t, clobber)              \
    SIMTX_DEV T name(const T *p)                              \
    {                                                         \
        R x, y, z, w;                                         \
        asm volatile(op ".v4." t " {%0,%1,%2,%3}, [%4];"      \
                     : "=" C(x), "=" C(y), "=" C(z), "=" C(w) \
                     : "l"(SIMTX_GLOBAL(p))                   \
                     : clobber);                              \
        T r;                                                  \
        r.x = x;                                              \
        r.y = y;                                              \
        r.z = z;                                              \
        r.w = w;                                              \
        return r;                                             \
    }
#define SIMTX_LD(name, op, clobber)                                                  \
    SIMTX_LD1(name, op, char, short, "h", "s8", clobber)                             \
    SIMTX_LD1(name, op, signed char, short, "h", "s8", clobber)                      \
    SIMTX_LD1(name, op, unsigned char, unsigned short, "h", "u8", clobber)           \
    SIMTX_LD1(name, op, short, short, "h", "s16", clobber)                           \
    SIMTX_LD1(name, op, unsigned short, unsigned short, "h", "u16", clobber)         \
    SIMTX_LD1(name, op, int, int, "r", "s32", clobber)                               \
    SIMTX_LD1(name, op, unsigned int, unsigned int, "r", "u32", clobber)             \
    SIMTX_LD1(name, op, long, long, "l", "s64", clobber)                             \
    SIMTX_LD1(name, op, unsigned long, unsigned long, "l", "u64", clobber)           \
    SIMTX_LD1(name, op, long long, long long, "l", "s64", clobber)                   \
    SIMTX_LD1(name, op, unsigned long long, unsigned long long, "l", "u64", clobber) \
    SIMTX_LD1(name, op, float, float, "f", "f32", clobber)                           \
    SIMTX_LD1(name, op, double, double, "d", "f64", clobber)                         \
    SIMTX_LD2(name, op, char2, short, "h", "s8", clobber)                            \
    SIMTX_LD2(name, op, uchar2, unsigned short, "h", "u8", clobber)                  \
    SIMTX_LD2(name, op, short2, short, "h", "s16", clobber)                          \
    SIMTX_LD2(name, op, ushort2, unsigned short, "h", "u16", clobber)                \
    SIMTX_LD2(name, op, int2, int, "r", "s32", clobber)                              \
    SIMTX_LD2(name, op, uint2, unsigned int, "r", "u32", clobber)                    \
    SIMTX_LD2(name, op, longlong2, long long, "l", "s64", clobber)                   \
    SIMTX_LD2(name, op, ulonglong2, unsigned long long, "l", "u64", clobber)         \
    SIMTX_LD2(name, op, float2, float, "f", "f32", clobber)                          \
    SIMTX_LD2(name, op, double2, double, "d", "f64", clobber)                        \
    SIMTX_LD4(name, op, char4, short, "h", "s8", clobber)                            \
    SIMTX_LD4(name, op, uchar4, unsigned short, "h", "u8", clobber)                  \
    SIMTX_LD4(name, op, short4, short, "h", "s16", clobber)                          \
    SIMTX_LD4(name, op, ushort4, unsigned short, "h", "u16", clobber)                \
    SIMTX_LD4(name, op, int4, int, "r", "s32", clobber)                              \
    SIMTX_LD4(name, op, uint4, unsigned int, "r", "u32", clobber)                    \
    SIMTX_LD4(name, op, float4, float, "f", "f32", clobber)

SIMTX_LD(__ldca, "ld.global.ca", "memory")
SIMTX_LD(__ldcg, "ld.global.cg", "memory")
SIMTX_LD(__ldcs, "ld.global.cs", "memory")
SIMTX_LD(__ldlu, "ld.global.lu", "memory")
SIMTX_LD(__ldcv, "ld.global.cv", "memory")
#undef SIMTX_LD
#undef SIMTX_LD1
#undef SIMTX_LD2
#undef SIMTX_LD4

#define SIMTX_ST1(name, op, T, R, C, t)                                                   \
    SIMTX_DEV void name(T *p, T v)                                                        \
    {                                                                                     \
        asm volatile(op "." t " [%0], %1;" : : "l"(SIMTX_GLOBAL(p)), C((R)v) : "memory"); \
    }
#define SIMTX_ST2(name, op, T, R, C, t)                           \
    SIMTX_DEV void name(T *p, T v)                                \
    {                                                             \
        asm volatile(op ".v2." t " [%0], {%1,%2};"                \
                     :                                            \
                     : "l"(SIMTX_GLOBAL(p)), C((R)v.x), C((R)v.y) \
                     : "memory");                                 \
    }
#define SIMTX_ST4(name, op, T, R, C, t)                                                 \
    SIMTX_DEV void name(T *p, T v)                                                      \
    {                                                                                   \
        asm volatile(op ".v4." t " [%0], {%1,%2,%3,%4};"                                \
                     :                                                                  \
                     : "l"(SIMTX_GLOBAL(p)), C((R)v.x), C((R)v.y), C((R)v.z), C((R)v.w) \
                     : "memory");                                                       \
    }
#define SIMTX_ST(name, op)                                                  \
    SIMTX_ST1(name, op, char, short, "h", "s8")                             \
    SIMTX_ST1(name, op, signed char, short, "h", "s8")                      \
    SIMTX_ST1(name, op, unsigned char, unsigned short, "h", "u8")           \
    SIMTX_ST1(name, op, short, short, "h", "s16")                           \
    SIMTX_ST1(name, op, unsigned short, unsigned short, "h", "u16")         \
    SIMTX_ST1(name, op, int, int, "r", "s32")                               \
    SIMTX_ST1(name, op, unsigned int, unsigned int, "r", "u32")             \
    SIMTX_ST1(name, op, long, long, "l", "s64")                             \
    SIMTX_ST1(name, op, unsigned long, unsigned long, "l", "u64")           \
    SIMTX_ST1(name, op, long long, long long, "l", "s64")                   \
    SIMTX_ST1(name, op, unsigned long long, unsigned long long, "l", "u64") \
    SIMTX_ST1(name, op, float, float, "f", "f32")                           \
    SIMTX_ST1(name, op, double, double, "d", "f64")                         \
    SIMTX_ST2(name, op, char2, short, "h", "s8")                            \
    SIMTX_ST2(name, op, uchar2, unsigned short, "h", "u8")                  \
    SIMTX_ST2(name, op, short2, short, "h", "s16")                          \
    SIMTX_ST2(name, op, ushort2, unsigned short, "h", "u16")                \
    SIMTX_ST2(name, op, int2, int, "r", "s32")                              \
    SIMTX_ST2(name, op, uint2, unsigned int, "r", "u32")                    \
    SIMTX_ST2(name, op, longlong2, long long, "l", "s64")                   \
    SIMTX_ST2(name, op, ulonglong2, unsigned long long, "l", "u64")         \
    SIMTX_ST2(name, op, float2, float, "f", "f32")                          \
    SIMTX_ST2(name, op, double2, double, "d", "f64")                        \
    SIMTX_ST4(name, op, char4, short, "h", "s8")                            \
    SIMTX_ST4(name, op, uchar4, unsigned short, "h", "u8")                  \
    SIMTX_ST4(name, op, short4, short, "h", "s16")                          \
    SIMTX_ST4(name, op, ushort4, unsigned short, "h", "u16")                \
    SIMTX_ST4(name, op, int4, int, "r", "s32")                              \
    SIMTX_ST4(name, op, uint4, unsigned int, "r", "u32")                    \
    SIMTX_ST4(name, op, float4, float, "f", "f32")

SIMTX_ST(__stwb, "st.global.wb")
SIMTX_ST(__stcg, "st.global.cg")
SIMTX_ST(__stcs, "st.global.cs")
SIMTX_ST(__stwt, "st.global.wt")
#undef SIMTX_ST
#undef SIMTX_ST1
#undef SIMTX_ST2
#undef SIMTX_ST4

#undef SIMTX_GLOBAL

/* Conversions between generic addresses and those of a state space.  The wrapper defines __isGlobal() and the
 * like. */
#define SIMTX_CVTA(space, n)                                  \
    SIMTX_DEV size_t __cvta_generic_to_##space(const void *p) \
    {                                                         \
        size_t r;                                             \
        asm("cvta.to." n ".u64 %0, %1;" : "=l"(r) : "l"(p));  \
        return r;                                             \
    }                                                         \
    SIMTX_DEV void *__cvta_##space##_to_generic(size_t a)     \
    {                                                         \
        void *r;                                              \
        asm("cvta." n ".u64 %0, %1;" : "=l"(r) : "l"(a));     \
        return r;                                             \
    }
SIMTX_CVTA(global, "global")
SIMTX_CVTA(shared, "shared")
SIMTX_CVTA(constant, "const")
SIMTX_CVTA(local, "local")
#undef SIMTX_CVTA

#define SIMTX_SHF(name, op)                                                                           \
    SIMTX_DEV unsigned int __funnelshift_##name(unsigned int lo, unsigned int hi, unsigned int shift) \
    {                                                                                                 \
        unsigned int r;                                                                               \
        asm("shf." op ".b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));               \
        return r;                                                                                     \
    }
SIMTX_SHF(l, "l.wrap")
SIMTX_SHF(lc, "l.clamp")
SIMTX_SHF(r, "r.wrap")
SIMTX_SHF(rc, "r.clamp")
#undef SIMTX_SHF

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
#define SIMTX_DP(name, op, R, A, B)                                                    \
    SIMTX_DEV R name(A a, B b, R c)                                                    \
    {                                                                                  \
        R r;                                                                           \
        asm(op " %0, %1, %2, %3;"                                                      \
            : "=r"(r)                                                                  \
            : "r"(*(const unsigned int *)&a), "r"(*(const unsigned int *)&b), "r"(c)); \
        return r;                                                                      \
    }
SIMTX_DP(__dp4a, "dp4a.s32.s32", int, int, int)
SIMTX_DP(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
SIMTX_DP(__dp4a, "dp4a.s32.s32", int, char4, char4)
SIMTX_DP(__dp4a, "dp4a.u32.u32", unsigned int, uchar4, uchar4)
SIMTX_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
SIMTX_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
SIMTX_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, short2, char4)
SIMTX_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, ushort2, uchar4)
SIMTX_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
SIMTX_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
SIMTX_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, short2, char4)
SIMTX_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, ushort2, uchar4)
#undef SIMTX_DP
#endif

SIMTX_DEV unsigned long long simtx_globaltimer(void)
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

#endif
