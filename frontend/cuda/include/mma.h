/*
 * Warp matrix functions (CUDA C++ programming guide, "Warp Matrix Functions"): each is one wmma instruction of PTX. The
 * guide leaves open which thread holds which element of a fragment. A fragment holds the registers of the instruction;
 * those of half A and B have more elements than the matrix.
 */
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifndef SIMTX_CUDA
#error "mma.h needs a CUDA compilation: give the file the suffix .cu, or -x cu"
#endif

namespace nvcuda
{
namespace wmma
{
enum layout_t { mem_row_major, mem_col_major };
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision
{
struct tf32;
}

namespace simtx_mma
{
template <class Use, int m, int n, int k> struct shape;
template <int m, int n, int k> struct shape<matrix_a, m, n, k> { enum { elements = m * k, factor = 1 }; };
template <int m, int n, int k> struct shape<matrix_b, m, n, k> { enum { elements = k * n, factor = 1 }; };
template <int m, int n, int k> struct shape<accumulator, m, n, k> { enum { elements = m * n, factor = 0 }; };

template <class Type> struct element { typedef Type stored; enum { half = 0 }; };
template <> struct element<precision::tf32> { typedef float stored; enum { half = 0 }; };
template <> struct element<__half> { typedef __half stored; enum { half = 1 }; };

/* The shapes that CUDA has. */
template <class Type, int m, int n, int k> struct known {
    enum { value = k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32)) };
};
template <int m, int n, int k> struct known<precision::tf32, m, n, k> {
    enum { value = m == 16 && n == 16 && k == 8 };
};
template <int m, int n, int k> struct known<double, m, n, k> { enum { value = m == 8 && n == 8 && k == 4 }; };
template <int m, int n, int k> struct known<float, m, n, k> {
    enum { value = known<__half, m, n, k>::value || known<precision::tf32, m, n, k>::value };
};
} // namespace simtx_mma

template <class Use, int m, int n, int k, class Type, class Layout = void> class fragment
{
    static_assert(simtx_mma::known<Type, m, n, k>::value, "wmma has no fragment of this shape and type");
    typedef simtx_mma::shape<Use, m, n, k> shape;
    typedef simtx_mma::element<Type> element;

public:
    typedef typename element::stored element_type;
    typedef element_type storage_element_type;
    enum { num_elements = shape::factor && element::half ? 16 : shape::elements / 32,
           num_storage_elements = num_elements };
    element_type x[num_elements];
};

template <class Use, int m, int n, int k, class Type, class Layout, class Value>
SIMTX_DEV_MEMBER void fill_fragment(fragment<Use, m, n, k, Type, Layout> &f, const Value &v)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = (typename fragment<Use, m, n, k, Type, Layout>::element_type)v;
}

namespace simtx_mma
{
/* N registers x0, x1 ... of an instruction: their list, and the operands with the values of an array. */
#define SIMTX_LIST1(x) "{%[" #x "0]}"
#define SIMTX_LIST2(x) "{%[" #x "0], %[" #x "1]}"
#define SIMTX_LIST4(x) "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3]}"
#define SIMTX_LIST8(x)                                                                                       \
    "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3], %[" #x "4], %[" #x "5], %[" #x "6], %[" #x "7]}"
#define SIMTX_PUT1(x, kind) [x##0] kind(x[0])
#define SIMTX_PUT2(x, kind) SIMTX_PUT1(x, kind), [x##1] kind(x[1])
#define SIMTX_PUT4(x, kind) SIMTX_PUT2(x, kind), [x##2] kind(x[2]), [x##3] kind(x[3])
#define SIMTX_PUT8(x, kind)                                                                                  \
    SIMTX_PUT4(x, kind), [x##4] kind(x[4]), [x##5] kind(x[5]), [x##6] kind(x[6]), [x##7] kind(x[7])

/* N registers of a type and its letter in constraints. */
#define SIMTX_LOAD(Fragment, text, N, Register, letter)                                                      \
    SIMTX_DEV_MEMBER void load(Fragment &f, const void *from, unsigned int stride)                           \
    {                                                                                                        \
        Register d[N];                                                                                       \
        asm volatile("wmma.load." text " " SIMTX_LIST##N(d) ", [%[at]], %[stride];"                          \
                     : SIMTX_PUT##N(d, "=" letter)                                                           \
                     : [at] "l"(from), [stride] "r"(stride)                                                  \
                     : "memory");                                                                            \
        __builtin_memcpy(f.x, d, sizeof d);                                                                  \
    }
#define SIMTX_FACTOR_LAYOUT(use, m, n, k, Type, text, N, layout)                                             \
    typedef fragment<matrix_##use, m, n, k, Type, layout##_major> use##_##layout##_##m##_##n##_##text;       \
    SIMTX_LOAD(use##_##layout##_##m##_##n##_##text,                                                          \
               #use ".sync.aligned." #layout ".m" #m "n" #n "k" #k "." #text, N, unsigned int, "r")
#define SIMTX_FACTOR(use, m, n, k, Type, text, N)                                                            \
    SIMTX_FACTOR_LAYOUT(use, m, n, k, Type, text, N, row)                                                    \
    SIMTX_FACTOR_LAYOUT(use, m, n, k, Type, text, N, col)

SIMTX_FACTOR(a, 16, 16, 16, __half, f16, 8)
SIMTX_FACTOR(b, 16, 16, 16, __half, f16, 8)
SIMTX_FACTOR(a, 32, 8, 16, __half, f16, 8)
SIMTX_FACTOR(b, 32, 8, 16, __half, f16, 8)
SIMTX_FACTOR(a, 8, 32, 16, __half, f16, 8)
SIMTX_FACTOR(b, 8, 32, 16, __half, f16, 8)
SIMTX_FACTOR(a, 16, 16, 16, __nv_bfloat16, bf16, 4)
SIMTX_FACTOR(b, 16, 16, 16, __nv_bfloat16, bf16, 4)
SIMTX_FACTOR(a, 32, 8, 16, __nv_bfloat16, bf16, 8)
SIMTX_FACTOR(b, 32, 8, 16, __nv_bfloat16, bf16, 2)
SIMTX_FACTOR(a, 8, 32, 16, __nv_bfloat16, bf16, 2)
SIMTX_FACTOR(b, 8, 32, 16, __nv_bfloat16, bf16, 8)
SIMTX_FACTOR(a, 16, 16, 16, signed char, s8, 2)
SIMTX_FACTOR(b, 16, 16, 16, signed char, s8, 2)
SIMTX_FACTOR(a, 32, 8, 16, signed char, s8, 4)
SIMTX_FACTOR(b, 32, 8, 16, signed char, s8, 1)
SIMTX_FACTOR(a, 8, 32, 16, signed char, s8, 1)
SIMTX_FACTOR(b, 8, 32, 16, signed char, s8, 4)
SIMTX_FACTOR(a, 16, 16, 16, unsigned char, u8, 2)
SIMTX_FACTOR(b, 16, 16, 16, unsigned char, u8, 2)
SIMTX_FACTOR(a, 32, 8, 16, unsigned char, u8, 4)
SIMTX_FACTOR(b, 32, 8, 16, unsigned char, u8, 1)
SIMTX_FACTOR(a, 8, 32, 16, unsigned char, u8, 1)
SIMTX_FACTOR(b, 8, 32, 16, unsigned char, u8, 4)
SIMTX_FACTOR(a, 16, 16, 8, precision::tf32, tf32, 4)
SIMTX_FACTOR(b, 16, 16, 8, precision::tf32, tf32, 4)
/* Registers of double precision. */
#define SIMTX_DOUBLE(use, layout)                                                                            \
    typedef fragment<matrix_##use, 8, 8, 4, double, layout##_major> use##_##layout##_f64;                    \
    SIMTX_LOAD(use##_##layout##_f64, #use ".sync.aligned." #layout ".m8n8k4.f64", 1, double, "d")
SIMTX_DOUBLE(a, row)
SIMTX_DOUBLE(a, col)
SIMTX_DOUBLE(b, row)
SIMTX_DOUBLE(b, col)

#define SIMTX_SUM_LAYOUT(m, n, k, Type, text, N, Register, letter, layout)                                   \
    SIMTX_DEV_MEMBER void load_##layout(fragment<accumulator, m, n, k, Type> &f, const void *from,            \
                                        unsigned int stride)                                                 \
    {                                                                                                        \
        Register d[N];                                                                                       \
        asm volatile("wmma.load.c.sync.aligned." #layout ".m" #m "n" #n "k" #k "." #text " " SIMTX_LIST##N(d) \
                     ", [%[at]], %[stride];"                                                                 \
                     : SIMTX_PUT##N(d, "=" letter)                                                           \
                     : [at] "l"(from), [stride] "r"(stride)                                                  \
                     : "memory");                                                                            \
        __builtin_memcpy(f.x, d, sizeof d);                                                                  \
    }                                                                                                        \
    SIMTX_DEV_MEMBER void store_##layout(void *to, const fragment<accumulator, m, n, k, Type> &f, unsigned int stride) \
    {                                                                                                        \
        Register d[N];                                                                                       \
        __builtin_memcpy(d, f.x, sizeof d);                                                                  \
        asm volatile("wmma.store.d.sync.aligned." #layout ".m" #m "n" #n "k" #k "." #text " [%[at]], "       \
                     SIMTX_LIST##N(d) ", %[stride];"                                                         \
                     :                                                                                       \
                     : [at] "l"(to), [stride] "r"(stride), SIMTX_PUT##N(d, letter)                           \
                     : "memory");                                                                            \
    }
#define SIMTX_SUM(m, n, k, Type, text, N, Register, letter)                                                  \
    SIMTX_SUM_LAYOUT(m, n, k, Type, text, N, Register, letter, row)                                          \
    SIMTX_SUM_LAYOUT(m, n, k, Type, text, N, Register, letter, col)

SIMTX_SUM(16, 16, 16, __half, f16, 4, unsigned int, "r")
SIMTX_SUM(32, 8, 16, __half, f16, 4, unsigned int, "r")
SIMTX_SUM(8, 32, 16, __half, f16, 4, unsigned int, "r")
SIMTX_SUM(16, 16, 16, float, f32, 8, float, "f")
SIMTX_SUM(32, 8, 16, float, f32, 8, float, "f")
SIMTX_SUM(8, 32, 16, float, f32, 8, float, "f")
SIMTX_SUM(16, 16, 8, float, f32, 8, float, "f")
SIMTX_SUM(16, 16, 16, int, s32, 8, int, "r")
SIMTX_SUM(32, 8, 16, int, s32, 8, int, "r")
SIMTX_SUM(8, 32, 16, int, s32, 8, int, "r")
SIMTX_SUM(8, 8, 4, double, f64, 2, double, "d")

/* D = A * B + C: the types and layouts of the fragments, the text after `wmma.mma`, and the registers of each. */
#define SIMTX_PRODUCT(name, m, n, k, Factor, D, C, la, lb, text, NA, NB, ND, NC, Register, letter, RD, ld, RC, lc) \
    SIMTX_DEV_MEMBER void name(fragment<accumulator, m, n, k, D> &to,                                        \
                               const fragment<matrix_a, m, n, k, Factor, la##_major> &left,                  \
                               const fragment<matrix_b, m, n, k, Factor, lb##_major> &right,                 \
                               const fragment<accumulator, m, n, k, C> &sum)                                 \
    {                                                                                                        \
        RD d[ND];                                                                                            \
        Register a[NA], b[NB];                                                                               \
        RC c[NC];                                                                                            \
        __builtin_memcpy(a, left.x, sizeof a);                                                               \
        __builtin_memcpy(b, right.x, sizeof b);                                                              \
        __builtin_memcpy(c, sum.x, sizeof c);                                                                \
        asm volatile("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k "." text " " SIMTX_LIST##ND(d) ", " \
                     SIMTX_LIST##NA(a) ", " SIMTX_LIST##NB(b) ", " SIMTX_LIST##NC(c) ";"                     \
                     : SIMTX_PUT##ND(d, "=" ld)                                                              \
                     : SIMTX_PUT##NA(a, letter), SIMTX_PUT##NB(b, letter), SIMTX_PUT##NC(c, lc));            \
        __builtin_memcpy(to.x, d, sizeof d);                                                                 \
    }
#define SIMTX_LAYOUTS(name, m, n, k, Factor, D, C, text, NA, NB, ND, NC, ...)                                \
    SIMTX_PRODUCT(name, m, n, k, Factor, D, C, row, row, text, NA, NB, ND, NC, __VA_ARGS__)                  \
    SIMTX_PRODUCT(name, m, n, k, Factor, D, C, row, col, text, NA, NB, ND, NC, __VA_ARGS__)                  \
    SIMTX_PRODUCT(name, m, n, k, Factor, D, C, col, row, text, NA, NB, ND, NC, __VA_ARGS__)                  \
    SIMTX_PRODUCT(name, m, n, k, Factor, D, C, col, col, text, NA, NB, ND, NC, __VA_ARGS__)
#define SIMTX_HALVES(m, n)                                                                                   \
    SIMTX_LAYOUTS(multiply, m, n, 16, __half, float, float, "f32.f32", 8, 8, 8, 8, unsigned int, "r", float, "f",   \
                  float, "f")                                                                                \
    SIMTX_LAYOUTS(multiply, m, n, 16, __half, __half, __half, "f16.f16", 8, 8, 4, 4, unsigned int, "r", unsigned int, "r", \
                  unsigned int, "r")                                                                         \
    SIMTX_LAYOUTS(multiply, m, n, 16, __half, float, __half, "f32.f16", 8, 8, 8, 4, unsigned int, "r", float, "f", \
                  unsigned int, "r")                                                                         \
    SIMTX_LAYOUTS(multiply, m, n, 16, __half, __half, float, "f16.f32", 8, 8, 4, 8, unsigned int, "r", unsigned int, "r", \
                  float, "f")
#define SIMTX_FLOATS(m, n, k, Factor, text, NA, NB)                                                          \
    SIMTX_LAYOUTS(multiply, m, n, k, Factor, float, float, "f32." text "." text ".f32", NA, NB, 8, 8, unsigned int, "r", \
                  float, "f", float, "f")
#define SIMTX_BYTES(m, n, Factor, text, NA, NB)                                                              \
    SIMTX_LAYOUTS(multiply, m, n, 16, Factor, int, int, "s32." text "." text ".s32", NA, NB, 8, 8, unsigned int, "r", int, \
                  "r", int, "r")                                                                             \
    SIMTX_LAYOUTS(multiply_clamped, m, n, 16, Factor, int, int, "s32." text "." text ".s32.satfinite", NA, NB, 8, 8, \
                  unsigned int, "r", int, "r", int, "r")

SIMTX_HALVES(16, 16)
SIMTX_HALVES(32, 8)
SIMTX_HALVES(8, 32)
SIMTX_FLOATS(16, 16, 16, __nv_bfloat16, "bf16", 4, 4)
SIMTX_FLOATS(32, 8, 16, __nv_bfloat16, "bf16", 8, 2)
SIMTX_FLOATS(8, 32, 16, __nv_bfloat16, "bf16", 2, 8)
SIMTX_FLOATS(16, 16, 8, precision::tf32, "tf32", 4, 4)
SIMTX_BYTES(16, 16, signed char, "s8", 2, 2)
SIMTX_BYTES(32, 8, signed char, "s8", 4, 1)
SIMTX_BYTES(8, 32, signed char, "s8", 1, 4)
SIMTX_BYTES(16, 16, unsigned char, "u8", 2, 2)
SIMTX_BYTES(32, 8, unsigned char, "u8", 4, 1)
SIMTX_BYTES(8, 32, unsigned char, "u8", 1, 4)
SIMTX_LAYOUTS(multiply, 8, 8, 4, double, double, double, "f64.f64.f64.f64", 1, 1, 2, 2, double, "d", double, "d", double, "d")

#undef SIMTX_BYTES
#undef SIMTX_FLOATS
#undef SIMTX_HALVES
#undef SIMTX_LAYOUTS
#undef SIMTX_PRODUCT
#undef SIMTX_SUM
#undef SIMTX_SUM_LAYOUT
#undef SIMTX_DOUBLE
#undef SIMTX_FACTOR
#undef SIMTX_FACTOR_LAYOUT
#undef SIMTX_LOAD
#undef SIMTX_PUT8
#undef SIMTX_PUT4
#undef SIMTX_PUT2
#undef SIMTX_PUT1
#undef SIMTX_LIST8
#undef SIMTX_LIST4
#undef SIMTX_LIST2
#undef SIMTX_LIST1
} // namespace simtx_mma

template <class Use, int m, int n, int k, class Type, class Layout>
SIMTX_DEV_MEMBER void load_matrix_sync(fragment<Use, m, n, k, Type, Layout> &f,
                                const typename simtx_mma::element<Type>::stored *from, unsigned int stride)
{
    simtx_mma::load(f, from, stride);
}

template <int m, int n, int k, class Type>
SIMTX_DEV_MEMBER void load_matrix_sync(fragment<accumulator, m, n, k, Type> &f, const Type *from, unsigned int stride,
                                       layout_t layout)
{
    if (layout == mem_row_major)
        simtx_mma::load_row(f, from, stride);
    else
        simtx_mma::load_col(f, from, stride);
}

template <int m, int n, int k, class Type>
SIMTX_DEV_MEMBER void store_matrix_sync(Type *to, const fragment<accumulator, m, n, k, Type> &f, unsigned int stride,
                                        layout_t layout)
{
    if (layout == mem_row_major)
        simtx_mma::store_row(to, f, stride);
    else
        simtx_mma::store_col(to, f, stride);
}

template <int m, int n, int k, class Factor, class LayoutA, class LayoutB, class Result, class Start>
SIMTX_DEV_MEMBER void mma_sync(fragment<accumulator, m, n, k, Result> &d,
                               const fragment<matrix_a, m, n, k, Factor, LayoutA> &a,
                               const fragment<matrix_b, m, n, k, Factor, LayoutB> &b,
                               const fragment<accumulator, m, n, k, Start> &c, bool saturate = false)
{
    if (saturate)
        __trap();           /* no wmma instruction clamps sums of floating point (since PTX ISA 6.5) */
    simtx_mma::multiply(d, a, b, c);
}

template <int m, int n, int k, class Factor, class LayoutA, class LayoutB>
SIMTX_DEV_MEMBER void mma_sync(fragment<accumulator, m, n, k, int> &d,
                               const fragment<matrix_a, m, n, k, Factor, LayoutA> &a,
                               const fragment<matrix_b, m, n, k, Factor, LayoutB> &b,
                               const fragment<accumulator, m, n, k, int> &c, bool saturate)
{
    if (saturate)
        simtx_mma::multiply_clamped(d, a, b, c);
    else
        simtx_mma::multiply(d, a, b, c);
}

/* Round to nearest, ties away from zero, as cvt.rna.tf32.f32. */
SIMTX_DEV_MEMBER float __float_to_tf32(float v)
{
    int bits = __float_as_int(v);
    return (bits & 0x7f800000) == 0x7f800000 ? v : __int_as_float((bits + 0x1000) & ~0x1fff);
}
} // namespace wmma
} // namespace nvcuda

#endif
