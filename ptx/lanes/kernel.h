/*
 * The form of a lane function, called a kernel here: one loop over the 32 lanes that the compiler vectorises. A kernel
 * computes all lanes. When some are masked off, a second loop over the same expression keeps the old values of the
 * others; where a kernel has no such loop, partial*() calls it for all lanes and restores those values. The families
 * (int.c, float.c ...) include this file and are compiled once per vector width, with ISA defined to its name. Results
 * have the same bits for every width and compiler.
 */
#ifndef PTX_LANES_KERNEL_H
#define PTX_LANES_KERNEL_H

#include <string.h>
#if defined __SSE2__
#include <immintrin.h>
#endif

#include "ptx/lanes/lanes.h"
#include "ptx/lanes/key.h"
#include "ptx/lanes/select.h"

#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
#define NAME(x) PASTE(lanes_##x, ISA)            /* lanes_select_int_avx2 */

#define ALL_LANES 0xffffffffu
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* C type of a register's elements by PTX type. */
typedef uint16_t c_U8, c_B8, c_B16, c_U16, c_F16, c_BF16, c_E4M3X2, c_E5M2X2;
typedef int16_t c_S8, c_S16;
typedef uint32_t c_B32, c_U32, c_F16X2, c_BF16X2, c_U16X2, c_S16X2, c_TF32;
typedef int32_t c_S32;
typedef uint64_t c_B64, c_U64;
typedef int64_t c_S64;
typedef float c_F32;
typedef double c_F64;

static inline void *dst_of(const struct lanes *x, const struct dinst *d)
{
    return __builtin_assume_aligned(lanes_at(x, d->dst), 64);
}

static inline const void *src_of(const struct lanes *x, const struct dinst *d, int i)
{
    return __builtin_assume_aligned(lanes_at(x, d->src[i]), 64);
}

/* Runs fn on all lanes, then restores the lanes that do not execute, in the destination and in CC. */
int NAME(partial2)(struct lanes *x, const struct dinst *d, ptx_fn *fn);
int NAME(partial4)(struct lanes *x, const struct dinst *d, ptx_fn *fn);
int NAME(partial8)(struct lanes *x, const struct dinst *d, ptx_fn *fn);
int NAME(partial16)(struct lanes *x, const struct dinst *d, ptx_fn *fn);

/* By bytes of all elements: 64 halves are 32 words. */
#define PARTIAL(T, N)                                                                         \
    (sizeof(T) * (N) == 64 ? NAME(partial2) : sizeof(T) * (N) == 128 ? NAME(partial4) :       \
     sizeof(T) * (N) == 256 ? NAME(partial8) : NAME(partial16))

#define KERNEL_HEAD(name, TD, N)                                                              \
    if (__builtin_expect(x->mask != ALL_LANES, 0))                                            \
        return PARTIAL(TD, N)(x, d, name);                                                    \
    TD *D = dst_of(x, d)

/*
 * The loop of a kernel: LOAD declares the operands of element i, EXPR is the result. Some lanes: elements of 4 and 8
 * bytes are computed and selected in one loop, because a second pass would wait for the stores of the first.
 */
#define KERNEL_LOOP(name, TD, N, LOAD, EXPR)                                                  \
    TD *D = dst_of(x, d);                                                                     \
    const uint32_t m = x->mask;                                                               \
    if (LIKELY(m == ALL_LANES)) {                                                             \
        SIMD for (int i = 0; i < (N); i++) {                                                  \
            LOAD;                                                                             \
            D[i] = (TD)(EXPR);                                                                \
        }                                                                                     \
    } else if (sizeof(TD) < 4)                                                                \
        return PARTIAL(TD, N)(x, d, name);                                                    \
    else {                                                                                    \
        SIMD for (int i = 0; i < (N); i++) {                                                  \
            LOAD;                                                                             \
            TD old = D[i], new = (TD)(EXPR);                                                  \
            D[i] = (sizeof(TD) == 8 ? m & lane_bit64[i] : m & lane_bit32[i]) ? new : old;     \
        }                                                                                     \
    }                                                                                         \
    return 0

/*
 * Kernels with one to four sources of C types TA, TB ...; EXPR is in terms of a, b, c, e. N lanes or 2N
 * halves.
 */
#define KERNEL1(name, TD, TA, N, EXPR)                                                        \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        const TA *A = src_of(x, d, 0);                                                        \
        KERNEL_LOOP(name, TD, N, TA a = A[i], EXPR);                                          \
    }
#define KERNEL2(name, TD, TA, TB, N, EXPR)                                                    \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        const TA *A = src_of(x, d, 0);                                                        \
        const TB *B = src_of(x, d, 1);                                                        \
        KERNEL_LOOP(name, TD, N, TA a = A[i]; TB b = B[i], EXPR);                             \
    }
#define KERNEL3(name, TD, TA, TB, TC, N, EXPR)                                                \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        const TA *A = src_of(x, d, 0);                                                        \
        const TB *B = src_of(x, d, 1);                                                        \
        const TC *C = src_of(x, d, 2);                                                        \
        KERNEL_LOOP(name, TD, N, TA a = A[i]; TB b = B[i]; TC c = C[i], EXPR);                \
    }
#define KERNEL4(name, TD, TA, TB, TC, TE, N, EXPR)                                            \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        const TA *A = src_of(x, d, 0);                                                        \
        const TB *B = src_of(x, d, 1);                                                        \
        const TC *C = src_of(x, d, 2);                                                        \
        const TE *E = src_of(x, d, 3);                                                        \
        KERNEL_LOOP(name, TD, N, TA a = A[i]; TB b = B[i]; TC c = C[i]; TE e = E[i], EXPR);   \
    }

/*
 * memcpy of whole registers with loads and stores as wide as those of the kernels: a load that spans two smaller stores
 * cannot be forwarded from the store buffer.
 */
static inline void copy_lanes(void *to, const void *from, int bytes)
{
#if defined __AVX512F__
    for (int i = 0; i < bytes; i += 64)
        _mm512_store_si512((char *)to + i, _mm512_load_si512((const char *)from + i));
#elif defined __AVX2__
    for (int i = 0; i < bytes; i += 32)
        _mm256_store_ps((float *)((char *)to + i), _mm256_load_ps((const float *)((const char *)from + i)));
#else
    memmove(to, from, (size_t)bytes);
#endif
}

/* Lane mask of the elements that are true; t[i] is all ones or zero. */
static inline uint32_t pack32(const int32_t *t)
{
    uint32_t m = 0;
#if defined __AVX512DQ__
    for (int i = 0; i < 2; i++)
        m |= (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(t + 16 * i)) << 16 * i;
#elif defined __AVX2__
    for (int i = 0; i < 4; i++)
        m |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)t + 8 * i)) << 8 * i;
#elif defined __SSE2__
    for (int i = 0; i < 8; i++)
        m |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)t + 4 * i)) << 4 * i;
#else
    for (int i = 0; i < LANES; i++)
        m |= (uint32_t)(t[i] & 1) << i;
#endif
    return m;
}

static inline uint32_t pack64(const int64_t *t)
{
    uint32_t m = 0;
#if defined __AVX512DQ__
    for (int i = 0; i < 4; i++)
        m |= (uint32_t)_mm512_movepi64_mask(_mm512_load_si512(t + 8 * i)) << 8 * i;
#elif defined __AVX2__
    for (int i = 0; i < 8; i++)
        m |= (uint32_t)_mm256_movemask_pd(_mm256_load_pd((const double *)t + 4 * i)) << 4 * i;
#elif defined __SSE2__
    for (int i = 0; i < 16; i++)
        m |= (uint32_t)_mm_movemask_pd(_mm_load_pd((const double *)t + 2 * i)) << 2 * i;
#else
    for (int i = 0; i < LANES; i++)
        m |= (uint32_t)(t[i] & 1) << i;
#endif
    return m;
}

static inline uint32_t pack16(const int16_t *t)
{
#if defined __AVX512BW__
    return (uint32_t)_mm512_movepi16_mask(_mm512_load_si512(t));
#elif defined __SSE2__
    uint32_t m = 0;
    for (int i = 0; i < 2; i++) {
        __m128i lo = _mm_load_si128((const __m128i *)(t + 16 * i));
        __m128i hi = _mm_load_si128((const __m128i *)(t + 16 * i + 8));
        m |= (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(lo, hi)) << 16 * i;
    }
    return m;
#else
    uint32_t m = 0;
    for (int i = 0; i < LANES; i++)
        m |= (uint32_t)(t[i] & 1) << i;
    return m;
#endif
}

/* Writes the bits of executing lanes to a predicate. */
static inline void put_pred(const struct lanes *x, operand o, uint32_t value)
{
    uint32_t *p = lanes_at(x, o);
    *p = (*p & ~x->mask) | (value & x->mask);
}

static inline uint32_t get_pred(const struct lanes *x, operand o)
{
    return *(const uint32_t *)lanes_at(x, o);
}

static inline uint32_t f32_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static inline float f32_of(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
static inline uint64_t f64_bits(double f) { uint64_t u; memcpy(&u, &f, 8); return u; }
static inline double f64_of(uint64_t u) { double f; memcpy(&f, &u, 8); return f; }

/* A subnormal becomes a zero of its sign. */
static inline float flush32(float f)
{
    uint32_t u = f32_bits(f);
    return f32_of(u & 0x7f800000u ? u : u & 0x80000000u);
}

#endif
