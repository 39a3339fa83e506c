/*
 * One source for float and double: with REAL defined as 32 or 64 this header (re)defines T, U, the name macros
 * and the arithmetic helpers below for that format, so that the .inc files can be included once for each.
 * NV_NAME(sin) is __nv_sinf or __nv_sin; L(x) is a local name x_f or x_d, coefficients included.
 * Error-free sums and products: Knuth's two-sum, Dekker's fast two-sum, product by fused multiply-add.
 */
#undef T
#undef U
#undef I
#undef NV_NAME
#undef L
#undef FMA
#undef BI
#undef MANT
#undef EXP_MASK
#undef BIAS
#undef MIN_NORMAL
#undef SUB_SHIFT
#undef EXP_LIMIT

#if REAL == 32
#define T float
#define U u32
#define I i32
#define NV_NAME(n) __nv_##n##f
#define L(n) n##_f
#define BI(n) __builtin_##n##f
#define MANT 23
#define EXP_MASK 0xffu
#define BIAS 127
#define MIN_NORMAL 0x1p-126f
#define SUB_SHIFT 25 /* lifts any subnormal into the normal range */
#define EXP_LIMIT 120.0f /* beyond it exp is 0 or infinite */
#else
#define T double
#define U u64
#define I i64
#define NV_NAME(n) __nv_##n
#define L(n) n##_d
#define BI(n) __builtin_##n
#define MANT 52
#define EXP_MASK 0x7ffull
#define BIAS 1023
#define MIN_NORMAL 0x1p-1022
#define SUB_SHIFT 54
#define EXP_LIMIT 800.0
#endif
#define FMA(a, b, c) BI(fma)(a, b, c)

#ifndef SIMTX_LIBDEVICE_REAL_MACROS
#define SIMTX_LIBDEVICE_REAL_MACROS
#define POLY(c, x) L(horner)(c, (int)(sizeof(c) / sizeof(c)[0]), x)
#define SIGN_BIT ((U)1 << (sizeof(T) * 8 - 1))
#define QUIET_NAN ((T)__builtin_nan(""))
#define INFINITY_T ((T)__builtin_inf())
#endif

typedef struct {
    T hi, lo;
} L(pair);

HELP T L(horner)(const T *c, int n, T x)
{
    T r = c[n - 1];
#pragma clang loop unroll(full)
    for (int i = n - 2; i >= 0; i--) {
        r = FMA(r, x, c[i]);
    }
    return r;
}

/* a + b = hi + lo exactly; fast_sum needs |a| >= |b| or a = 0. */
HELP L(pair) L(fast_sum)(T a, T b)
{
    T s = a + b;
    return (L(pair)){s, b - (s - a)};
}

HELP L(pair) L(two_sum)(T a, T b)
{
    T s = a + b, t = s - a;
    return (L(pair)){s, (a - (s - t)) + (b - t)};
}

HELP L(pair) L(product)(T a, T b)
{
    T p = L(mul_rn)(a, b);
    return (L(pair)){p, FMA(a, b, -p)};
}

/* (a.hi + a.lo) * b, one rounding of the low part */
HELP L(pair) L(scale_pair)(L(pair) a, T b)
{
    L(pair) p = L(product)(a.hi, b);
    return (L(pair)){p.hi, FMA(a.lo, b, p.lo)};
}

HELP L(pair) L(mul_pair)(L(pair) a, L(pair) b)
{
    L(pair) p = L(product)(a.hi, b.hi);
    return L(fast_sum)(p.hi, FMA(a.hi, b.lo, FMA(a.lo, b.hi, p.lo)));
}

HELP L(pair) L(add_pair)(L(pair) a, L(pair) b)
{
    L(pair) s = L(two_sum)(a.hi, b.hi);
    return L(fast_sum)(s.hi, s.lo + (a.lo + b.lo));
}

HELP L(pair) L(k_pair)(const T *k) { return (L(pair)){k[0], k[1]}; }

/* 2^n for a normal result */
HELP T L(pow2)(int n) { return L(from_bits)((U)(n + BIAS) << MANT); }

/* x * 2^n for x near one: two steps, of which only the last can round */
HELP T L(scale)(T x, int n)
{
    int half = n >> 1;
    return (x * L(pow2)(half)) * L(pow2)(n - half);
}

HELP T L(abs)(T x) { return L(from_bits)(L(bits)(x) & ~SIGN_BIT); }
HELP T L(sign_of)(T magnitude, T sign)
{
    return L(from_bits)((L(bits)(magnitude) & ~SIGN_BIT) | (L(bits)(sign) & SIGN_BIT));
}
HELP T L(flip_if)(T x, int negate) { return L(from_bits)(L(bits)(x) ^ (negate ? SIGN_BIT : 0)); }
HELP int L(exponent)(T x) { return (int)(L(bits)(x) >> MANT & EXP_MASK); }
HELP int L(is_nan)(T x) { return x != x; }
HELP int L(is_inf)(T x) { return L(abs)(x) == INFINITY_T; }
HELP int L(is_integer)(T x) { return BI(trunc)(x) == x; }
HELP int L(is_odd)(T x) { return L(is_integer)(x) && !L(is_integer)(x * (T)0.5); }
