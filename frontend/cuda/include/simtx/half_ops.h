/* Arithmetic, comparison and mathematics of a 16-bit floating type and its pair; no include guard, because
 * cuda_fp16.h and cuda_bf16.h each include it once.  They define
 *   SIMTX_H, SIMTX_H2   the scalar and the pair type (both with raw bits)
 *   SIMTX_NS            a namespace with to_f, from_f, add, sub, mul, fma on bits and add2, sub2, mul2, fma2 on pairs.
 * Without a primitive, a value is computed in float and rounded once. */

#define SIMTX_R(e) ::SIMTX_NS::make(e)
#define SIMTX_R2(a, b) ::SIMTX_NS::make2(a, b)
#define SIMTX_F(h) ::SIMTX_NS::to_f((h).__x)

SIMTX_BOTH SIMTX_H __hadd(SIMTX_H a, SIMTX_H b) { return SIMTX_R(SIMTX_NS::add(a.__x, b.__x)); }
SIMTX_BOTH SIMTX_H __hsub(SIMTX_H a, SIMTX_H b) { return SIMTX_R(SIMTX_NS::sub(a.__x, b.__x)); }
SIMTX_BOTH SIMTX_H __hmul(SIMTX_H a, SIMTX_H b) { return SIMTX_R(SIMTX_NS::mul(a.__x, b.__x)); }
SIMTX_BOTH SIMTX_H __hadd_rn(SIMTX_H a, SIMTX_H b) { return __hadd(a, b); }
SIMTX_BOTH SIMTX_H __hsub_rn(SIMTX_H a, SIMTX_H b) { return __hsub(a, b); }
SIMTX_BOTH SIMTX_H __hmul_rn(SIMTX_H a, SIMTX_H b) { return __hmul(a, b); }
SIMTX_BOTH SIMTX_H __hfma(SIMTX_H a, SIMTX_H b, SIMTX_H c)
{
    return SIMTX_R(SIMTX_NS::fma(a.__x, b.__x, c.__x));
}
SIMTX_BOTH SIMTX_H __hdiv(SIMTX_H a, SIMTX_H b) { return SIMTX_R(SIMTX_NS::from_f(SIMTX_F(a) / SIMTX_F(b))); }
SIMTX_BOTH SIMTX_H __hneg(SIMTX_H a) { return SIMTX_R((unsigned short)(a.__x ^ 0x8000)); }
SIMTX_BOTH SIMTX_H __habs(SIMTX_H a) { return SIMTX_R((unsigned short)(a.__x & 0x7fff)); }

SIMTX_BOTH bool __heq(SIMTX_H a, SIMTX_H b) { return SIMTX_F(a) == SIMTX_F(b); }
SIMTX_BOTH bool __hlt(SIMTX_H a, SIMTX_H b) { return SIMTX_F(a) < SIMTX_F(b); }
SIMTX_BOTH bool __hle(SIMTX_H a, SIMTX_H b) { return SIMTX_F(a) <= SIMTX_F(b); }
SIMTX_BOTH bool __hgt(SIMTX_H a, SIMTX_H b) { return SIMTX_F(a) > SIMTX_F(b); }
SIMTX_BOTH bool __hge(SIMTX_H a, SIMTX_H b) { return SIMTX_F(a) >= SIMTX_F(b); }
SIMTX_BOTH bool __hisnan(SIMTX_H a) { return SIMTX_F(a) != SIMTX_F(a); }
SIMTX_BOTH int __hisinf(SIMTX_H a)
{
    return __habs(a).__x == SIMTX_NS::infinity ? (a.__x >> 15 ? -1 : 1) : 0;
}
/* Ordered inequality is false with a NaN; the u forms are true with one. */
SIMTX_BOTH bool __hne(SIMTX_H a, SIMTX_H b) { return __hlt(a, b) || __hgt(a, b); }
SIMTX_BOTH bool __hequ(SIMTX_H a, SIMTX_H b) { return !__hne(a, b); }
SIMTX_BOTH bool __hneu(SIMTX_H a, SIMTX_H b) { return !__heq(a, b); }
SIMTX_BOTH bool __hltu(SIMTX_H a, SIMTX_H b) { return !__hge(a, b); }
SIMTX_BOTH bool __hleu(SIMTX_H a, SIMTX_H b) { return !__hgt(a, b); }
SIMTX_BOTH bool __hgtu(SIMTX_H a, SIMTX_H b) { return !__hle(a, b); }
SIMTX_BOTH bool __hgeu(SIMTX_H a, SIMTX_H b) { return !__hlt(a, b); }

/* min and max of a NaN and a number give the number; -0 is less than +0. */
SIMTX_BOTH SIMTX_H __hmax(SIMTX_H a, SIMTX_H b)
{
    if (__hisnan(a) || __hisnan(b))
        return __hisnan(a) ? (__hisnan(b) ? SIMTX_R(SIMTX_NS::nan) : b) : a;
    return __hgt(a, b) || (__heq(a, b) && !(a.__x >> 15)) ? a : b;
}
SIMTX_BOTH SIMTX_H __hmin(SIMTX_H a, SIMTX_H b)
{
    if (__hisnan(a) || __hisnan(b))
        return __hisnan(a) ? (__hisnan(b) ? SIMTX_R(SIMTX_NS::nan) : b) : a;
    return __hlt(a, b) || (__heq(a, b) && a.__x >> 15) ? a : b;
}
SIMTX_BOTH SIMTX_H __hmax_nan(SIMTX_H a, SIMTX_H b)
{
    return __hisnan(a) || __hisnan(b) ? SIMTX_R(SIMTX_NS::nan) : __hmax(a, b);
}
SIMTX_BOTH SIMTX_H __hmin_nan(SIMTX_H a, SIMTX_H b)
{
    return __hisnan(a) || __hisnan(b) ? SIMTX_R(SIMTX_NS::nan) : __hmin(a, b);
}
/* _sat clamps to [0, 1] and makes a NaN zero. */
SIMTX_BOTH SIMTX_H simtx_saturate(SIMTX_H a)
{
    SIMTX_H zero = SIMTX_R((unsigned short)0), one = SIMTX_R(SIMTX_NS::one);
    return !__hgt(a, zero) ? zero : __hgt(a, one) ? one : a;
}
SIMTX_BOTH SIMTX_H __hadd_sat(SIMTX_H a, SIMTX_H b) { return simtx_saturate(__hadd(a, b)); }
SIMTX_BOTH SIMTX_H __hsub_sat(SIMTX_H a, SIMTX_H b) { return simtx_saturate(__hsub(a, b)); }
SIMTX_BOTH SIMTX_H __hmul_sat(SIMTX_H a, SIMTX_H b) { return simtx_saturate(__hmul(a, b)); }
SIMTX_BOTH SIMTX_H __hfma_sat(SIMTX_H a, SIMTX_H b, SIMTX_H c) { return simtx_saturate(__hfma(a, b, c)); }
SIMTX_BOTH SIMTX_H __hfma_relu(SIMTX_H a, SIMTX_H b, SIMTX_H c)
{
    SIMTX_H r = __hfma(a, b, c);
    return __hisnan(r) || __hge(r, SIMTX_R((unsigned short)0)) ? r : SIMTX_R((unsigned short)0);
}

/* Pairs */
SIMTX_BOTH SIMTX_H2 __hadd2(SIMTX_H2 a, SIMTX_H2 b)
{
    return SIMTX_NS::unpack(SIMTX_NS::add2(SIMTX_NS::pack(a), SIMTX_NS::pack(b)));
}
SIMTX_BOTH SIMTX_H2 __hsub2(SIMTX_H2 a, SIMTX_H2 b)
{
    return SIMTX_NS::unpack(SIMTX_NS::sub2(SIMTX_NS::pack(a), SIMTX_NS::pack(b)));
}
SIMTX_BOTH SIMTX_H2 __hmul2(SIMTX_H2 a, SIMTX_H2 b)
{
    return SIMTX_NS::unpack(SIMTX_NS::mul2(SIMTX_NS::pack(a), SIMTX_NS::pack(b)));
}
SIMTX_BOTH SIMTX_H2 __hadd2_rn(SIMTX_H2 a, SIMTX_H2 b) { return __hadd2(a, b); }
SIMTX_BOTH SIMTX_H2 __hsub2_rn(SIMTX_H2 a, SIMTX_H2 b) { return __hsub2(a, b); }
SIMTX_BOTH SIMTX_H2 __hmul2_rn(SIMTX_H2 a, SIMTX_H2 b) { return __hmul2(a, b); }
SIMTX_BOTH SIMTX_H2 __hfma2(SIMTX_H2 a, SIMTX_H2 b, SIMTX_H2 c)
{
    return SIMTX_NS::unpack(SIMTX_NS::fma2(SIMTX_NS::pack(a), SIMTX_NS::pack(b), SIMTX_NS::pack(c)));
}
#define SIMTX_PAIR1(name, f) \
    SIMTX_BOTH SIMTX_H2 name(SIMTX_H2 a) { return SIMTX_R2(f(a.x), f(a.y)); }
#define SIMTX_PAIR2(name, f) \
    SIMTX_BOTH SIMTX_H2 name(SIMTX_H2 a, SIMTX_H2 b) { return SIMTX_R2(f(a.x, b.x), f(a.y, b.y)); }
#define SIMTX_PAIR3(name, f)                                     \
    SIMTX_BOTH SIMTX_H2 name(SIMTX_H2 a, SIMTX_H2 b, SIMTX_H2 c) \
    {                                                            \
        return SIMTX_R2(f(a.x, b.x, c.x), f(a.y, b.y, c.y));     \
    }
SIMTX_PAIR1(__hneg2, __hneg)
SIMTX_PAIR1(__habs2, __habs)
SIMTX_PAIR2(__h2div, __hdiv)
SIMTX_PAIR2(__hmax2, __hmax)
SIMTX_PAIR2(__hmin2, __hmin)
SIMTX_PAIR2(__hmax2_nan, __hmax_nan)
SIMTX_PAIR2(__hmin2_nan, __hmin_nan)
SIMTX_PAIR2(__hadd2_sat, __hadd_sat)
SIMTX_PAIR2(__hsub2_sat, __hsub_sat)
SIMTX_PAIR2(__hmul2_sat, __hmul_sat)
SIMTX_PAIR3(__hfma2_sat, __hfma_sat)
SIMTX_PAIR3(__hfma2_relu, __hfma_relu)
#undef SIMTX_PAIR3
#undef SIMTX_PAIR2

/* Comparisons of pairs: 1.0 or 0.0 in each half; the hb forms return whether both hold. */
#define SIMTX_CMP(rel)                                                                    \
    SIMTX_BOTH SIMTX_H2 __h##rel##2(SIMTX_H2 a, SIMTX_H2 b)                               \
    {                                                                                     \
        return SIMTX_R2(SIMTX_R(__h##rel(a.x, b.x) ? SIMTX_NS::one : (unsigned short)0),  \
                        SIMTX_R(__h##rel(a.y, b.y) ? SIMTX_NS::one : (unsigned short)0)); \
    }                                                                                     \
    SIMTX_BOTH bool __hb##rel##2(SIMTX_H2 a, SIMTX_H2 b) { return __h##rel(a.x, b.x) && __h##rel(a.y, b.y); }
SIMTX_CMP(eq)
SIMTX_CMP(ne)
SIMTX_CMP(lt)
SIMTX_CMP(le)
SIMTX_CMP(gt)
SIMTX_CMP(ge)
SIMTX_CMP(equ)
SIMTX_CMP(neu)
SIMTX_CMP(ltu)
SIMTX_CMP(leu)
SIMTX_CMP(gtu)
SIMTX_CMP(geu)
#undef SIMTX_CMP
SIMTX_BOTH SIMTX_H2 __hisnan2(SIMTX_H2 a)
{
    return SIMTX_R2(SIMTX_R(__hisnan(a.x) ? SIMTX_NS::one : (unsigned short)0),
                    SIMTX_R(__hisnan(a.y) ? SIMTX_NS::one : (unsigned short)0));
}

/* Masks: all ones where the comparison of a half holds. */
#define SIMTX_MASK(rel)                                                                                   \
    SIMTX_BOTH unsigned int __h##rel##2_mask(SIMTX_H2 a, SIMTX_H2 b)                                      \
    {                                                                                                     \
        return (__h##rel(a.x, b.x) ? 0xffffu : 0) | (__h##rel(a.y, b.y) ? 0xffff0000u : 0);               \
    }
SIMTX_MASK(eq)
SIMTX_MASK(ne)
SIMTX_MASK(lt)
SIMTX_MASK(le)
SIMTX_MASK(gt)
SIMTX_MASK(ge)
SIMTX_MASK(equ)
SIMTX_MASK(neu)
SIMTX_MASK(ltu)
SIMTX_MASK(leu)
SIMTX_MASK(gtu)
SIMTX_MASK(geu)
#undef SIMTX_MASK

/* Two products in complex arithmetic: a*b + c with (real, imaginary) pairs. */
SIMTX_BOTH SIMTX_H2 __hcmadd(SIMTX_H2 a, SIMTX_H2 b, SIMTX_H2 c)
{
    return SIMTX_R2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

/* Mathematics, in float */
#ifdef SIMTX_CUDA
#define SIMTX_MATH(name, expr)                  \
    SIMTX_DEV SIMTX_H h##name(SIMTX_H h)        \
    {                                           \
        float x = SIMTX_F(h);                   \
        return SIMTX_R(SIMTX_NS::from_f(expr)); \
    }                                           \
    SIMTX_DEV SIMTX_H2 h2##name(SIMTX_H2 a) { return SIMTX_R2(h##name(a.x), h##name(a.y)); }
SIMTX_MATH(sqrt, ::sqrtf(x))
SIMTX_MATH(rsqrt, ::rsqrtf(x))
SIMTX_MATH(rcp, 1.0f / x)
SIMTX_MATH(exp, ::expf(x))
SIMTX_MATH(exp2, ::exp2f(x))
SIMTX_MATH(exp10, ::exp10f(x))
SIMTX_MATH(log, ::logf(x))
SIMTX_MATH(log2, ::log2f(x))
SIMTX_MATH(log10, ::log10f(x))
SIMTX_MATH(sin, ::sinf(x))
SIMTX_MATH(cos, ::cosf(x))
SIMTX_MATH(ceil, ::ceilf(x))
SIMTX_MATH(floor, ::floorf(x))
SIMTX_MATH(trunc, ::truncf(x))
SIMTX_MATH(rint, ::rintf(x))
SIMTX_MATH(tanh, ::tanhf(x))
SIMTX_MATH(tanh_approx, ::tanhf(x))
#undef SIMTX_MATH
#endif
#undef SIMTX_PAIR1

/* Operators */
#define SIMTX_OP(op, f, f2)                                                                    \
    SIMTX_BOTH SIMTX_H operator op(const SIMTX_H &a, const SIMTX_H &b) { return f(a, b); }     \
    SIMTX_BOTH SIMTX_H &operator op##=(SIMTX_H &a, const SIMTX_H &b) { return a = f(a, b); }   \
    SIMTX_BOTH SIMTX_H2 operator op(const SIMTX_H2 &a, const SIMTX_H2 &b) { return f2(a, b); } \
    SIMTX_BOTH SIMTX_H2 &operator op##=(SIMTX_H2 &a, const SIMTX_H2 &b) { return a = f2(a, b); }
SIMTX_OP(+, __hadd, __hadd2)
SIMTX_OP(-, __hsub, __hsub2)
SIMTX_OP(*, __hmul, __hmul2)
SIMTX_OP(/, __hdiv, __h2div)
#undef SIMTX_OP
#define SIMTX_OP(op, f, f2)                                                             \
    SIMTX_BOTH bool operator op(const SIMTX_H &a, const SIMTX_H &b) { return f(a, b); } \
    SIMTX_BOTH bool operator op(const SIMTX_H2 &a, const SIMTX_H2 &b) { return f2(a, b); }
SIMTX_OP(==, __heq, __hbeq2)
SIMTX_OP(!=, __hneu, __hbneu2)
SIMTX_OP(<, __hlt, __hblt2)
SIMTX_OP(<=, __hle, __hble2)
SIMTX_OP(>, __hgt, __hbgt2)
SIMTX_OP(>=, __hge, __hbge2)
#undef SIMTX_OP
SIMTX_BOTH SIMTX_H operator+(const SIMTX_H &a) { return a; }
SIMTX_BOTH SIMTX_H operator-(const SIMTX_H &a) { return __hneg(a); }
SIMTX_BOTH SIMTX_H2 operator+(const SIMTX_H2 &a) { return a; }
SIMTX_BOTH SIMTX_H2 operator-(const SIMTX_H2 &a) { return __hneg2(a); }
SIMTX_BOTH SIMTX_H &operator++(SIMTX_H &a) { return a = __hadd(a, SIMTX_R(SIMTX_NS::one)); }
SIMTX_BOTH SIMTX_H &operator--(SIMTX_H &a) { return a = __hsub(a, SIMTX_R(SIMTX_NS::one)); }
SIMTX_BOTH SIMTX_H operator++(SIMTX_H &a, int)
{
    SIMTX_H old = a;
    ++a;
    return old;
}
SIMTX_BOTH SIMTX_H operator--(SIMTX_H &a, int)
{
    SIMTX_H old = a;
    --a;
    return old;
}

/* Shuffles and loads */
#ifdef SIMTX_CUDA
#define SIMTX_SHFL(name, O_)                                                          \
    SIMTX_DEV SIMTX_H name(unsigned int mask, SIMTX_H v, O_ lane, int width = 32)     \
    {                                                                                 \
        return SIMTX_R((unsigned short)name(mask, (unsigned int)v.__x, lane, width)); \
    }                                                                                 \
    SIMTX_DEV SIMTX_H2 name(unsigned int mask, SIMTX_H2 v, O_ lane, int width = 32)   \
    {                                                                                 \
        return SIMTX_NS::unpack(name(mask, SIMTX_NS::pack(v), lane, width));          \
    }
SIMTX_SHFL(__shfl_sync, int)
SIMTX_SHFL(__shfl_up_sync, unsigned int)
SIMTX_SHFL(__shfl_down_sync, unsigned int)
SIMTX_SHFL(__shfl_xor_sync, int)
#undef SIMTX_SHFL
#define SIMTX_LOAD(name)                                                                          \
    SIMTX_DEV SIMTX_H name(const SIMTX_H *p) { return SIMTX_R(name((const unsigned short *)p)); } \
    SIMTX_DEV SIMTX_H2 name(const SIMTX_H2 *p) { return SIMTX_NS::unpack(name((const unsigned int *)p)); }
SIMTX_LOAD(__ldg)
SIMTX_LOAD(__ldca)
SIMTX_LOAD(__ldcg)
SIMTX_LOAD(__ldcs)
SIMTX_LOAD(__ldlu)
SIMTX_LOAD(__ldcv)
#undef SIMTX_LOAD
#define SIMTX_STORE(name)                                                                              \
    SIMTX_DEV void name(SIMTX_H *p, SIMTX_H v) { name((unsigned short *)p, v.__x); }                    \
    SIMTX_DEV void name(SIMTX_H2 *p, SIMTX_H2 v) { name((unsigned int *)p, SIMTX_NS::pack(v)); }
SIMTX_STORE(__stwb)
SIMTX_STORE(__stcg)
SIMTX_STORE(__stcs)
SIMTX_STORE(__stwt)
#undef SIMTX_STORE
#endif

#undef SIMTX_R
#undef SIMTX_R2
#undef SIMTX_F
