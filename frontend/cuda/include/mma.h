/*
 * Warp matrix functions (CUDA C++ programming guide, "Warp Matrix Functions"), computed with shuffles and
 * multiply-adds: simtx has no tensor cores. The guide leaves open which thread holds which element of a fragment. Here
 * the elements of a matrix are distributed in row-major order, an equal number of consecutive elements to each lane.
 *
 * Sums start with the element of C and add the products in the order of k, each with one rounding in the type that
 * accumulates; halves accumulate in float and are rounded once.
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
template <int m, int n, int k> struct shape<matrix_a, m, n, k> { enum { rows = m, columns = k }; };
template <int m, int n, int k> struct shape<matrix_b, m, n, k> { enum { rows = k, columns = n }; };
template <int m, int n, int k> struct shape<accumulator, m, n, k> { enum { rows = m, columns = n }; };

/* What a fragment stores, and what it is multiplied and summed in. */
template <class Type> struct element { typedef Type stored; };
template <> struct element<precision::tf32> { typedef float stored; };
template <class Type> struct sum { typedef Type type; };
template <> struct sum<__half> { typedef float type; };

/* The shapes that CUDA has. */
template <class Type, int m, int n, int k> struct known {
    enum { value = k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32)) };
};
template <int m, int n, int k> struct known<precision::tf32, m, n, k> {
    enum { value = m == 16 && n == 16 && k == 8 };
};
template <int m, int n, int k> struct known<double, m, n, k> { enum { value = m == 8 && n == 8 && k == 4 }; };
template <int m, int n, int k> struct known<float, m, n, k> { enum { value = 1 }; };

SIMTX_DEV_MEMBER unsigned int lane()
{
    unsigned int r;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

template <class Layout> SIMTX_DEV_MEMBER bool by_rows();
template <> SIMTX_DEV_MEMBER bool by_rows<row_major>() { return true; }
template <> SIMTX_DEV_MEMBER bool by_rows<col_major>() { return false; }

SIMTX_DEV_MEMBER float factor(float v, float) { return v; }
SIMTX_DEV_MEMBER float factor(__half v, float) { return __half2float(v); }
SIMTX_DEV_MEMBER float factor(__nv_bfloat16 v, float) { return __bfloat162float(v); }
SIMTX_DEV_MEMBER int factor(signed char v, int) { return v; }
SIMTX_DEV_MEMBER int factor(unsigned char v, int) { return v; }
SIMTX_DEV_MEMBER double factor(double v, double) { return v; }
/* Of a tf32 the low 13 bits do not count. */
SIMTX_DEV_MEMBER float cut(float v, const precision::tf32 *) { return __int_as_float(__float_as_int(v) & ~0x1fff); }
template <class Value, class Type> SIMTX_DEV_MEMBER Value cut(Value v, const Type *) { return v; }

SIMTX_DEV_MEMBER float add_product(float a, float b, float c, bool) { return __fmaf_rn(a, b, c); }
SIMTX_DEV_MEMBER double add_product(double a, double b, double c, bool) { return __fma_rn(a, b, c); }
SIMTX_DEV_MEMBER int add_product(int a, int b, int c, bool saturate)
{
    long long r = (long long)a * b + c;
    if (saturate)
        r = r > 2147483647 ? 2147483647 : r < -2147483648ll ? -2147483648ll : r;
    return (int)r;
}

SIMTX_DEV_MEMBER float start(__half v) { return __half2float(v); }
template <class Type> SIMTX_DEV_MEMBER Type start(Type v) { return v; }
SIMTX_DEV_MEMBER void finish(__half *out, float v) { *out = __float2half_rn(v); }
template <class Type> SIMTX_DEV_MEMBER void finish(Type *out, Type v) { *out = v; }

template <class Value> SIMTX_DEV_MEMBER Value from_lane(Value v, unsigned int source)
{
    return __shfl_sync(0xffffffffu, v, (int)source);
}
} // namespace simtx_mma

template <class Use, int m, int n, int k, class Type, class Layout = void> class fragment
{
    static_assert(simtx_mma::known<Type, m, n, k>::value, "wmma has no fragment of this shape and type");

public:
    typedef typename simtx_mma::element<Type>::stored element_type;
    typedef element_type storage_element_type;
    enum {
        simtx_rows = simtx_mma::shape<Use, m, n, k>::rows,
        simtx_columns = simtx_mma::shape<Use, m, n, k>::columns,
        num_elements = simtx_rows * simtx_columns / 32,
        num_storage_elements = num_elements
    };
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
/* The place of the lane's element i in memory. */
template <class Fragment> SIMTX_DEV_MEMBER size_t place(int i, unsigned int stride, bool rows)
{
    unsigned int at = lane() * Fragment::num_elements + (unsigned int)i;
    size_t row = at / Fragment::simtx_columns, column = at % Fragment::simtx_columns;
    return rows ? row * stride + column : column * stride + row;
}

template <class Fragment>
SIMTX_DEV_MEMBER void load(Fragment &f, const typename Fragment::element_type *from, unsigned int stride, bool rows)
{
    __syncwarp();
#pragma unroll
    for (int i = 0; i < Fragment::num_elements; i++)
        f.x[i] = from[place<Fragment>(i, stride, rows)];
}
} // namespace simtx_mma

template <class Use, int m, int n, int k, class Type, class Layout>
SIMTX_DEV_MEMBER void load_matrix_sync(fragment<Use, m, n, k, Type, Layout> &f,
                                const typename simtx_mma::element<Type>::stored *from, unsigned int stride)
{
    simtx_mma::load(f, from, stride, simtx_mma::by_rows<Layout>());
}

template <int m, int n, int k, class Type>
SIMTX_DEV_MEMBER void load_matrix_sync(fragment<accumulator, m, n, k, Type> &f, const Type *from, unsigned int stride,
                                       layout_t layout)
{
    simtx_mma::load(f, from, stride, layout == mem_row_major);
}

template <int m, int n, int k, class Type>
SIMTX_DEV_MEMBER void store_matrix_sync(Type *to, const fragment<accumulator, m, n, k, Type> &f, unsigned int stride,
                                        layout_t layout)
{
    typedef fragment<accumulator, m, n, k, Type> Fragment;
#pragma unroll
    for (int i = 0; i < Fragment::num_elements; i++)
        to[simtx_mma::place<Fragment>(i, stride, layout == mem_row_major)] = f.x[i];
    __syncwarp();
}

/*
 * A lane's elements of the result lie in one row, from column `first`. Element (row, k) of A is element k % of_a of its
 * lane. Element (k, first + i) of B is element i % of_b of its lane; where a lane holds more elements of B than of the
 * result, `first` chooses among several.
 */
template <int m, int n, int k, class Factor, class LayoutA, class LayoutB, class Result, class Start>
SIMTX_DEV_MEMBER void mma_sync(fragment<accumulator, m, n, k, Result> &d,
                               const fragment<matrix_a, m, n, k, Factor, LayoutA> &a,
                               const fragment<matrix_b, m, n, k, Factor, LayoutB> &b,
                               const fragment<accumulator, m, n, k, Start> &c, bool saturate = false)
{
    typedef typename simtx_mma::sum<Result>::type Sum;
    enum { of_a = k * m / 32, of_b = k * n / 32, of_d = m * n / 32 };
    unsigned int at = simtx_mma::lane() * of_d, row = at / n, first = at % n;
    Sum sum[of_d];
#pragma unroll
    for (int i = 0; i < of_d; i++)
        sum[i] = (Sum)simtx_mma::start(c.x[i]);
#pragma unroll
    for (int step = 0; step < k; step++) {
        Sum left = simtx_mma::from_lane(simtx_mma::factor(simtx_mma::cut(a.x[step % of_a], (const Factor *)0), Sum()),
                                      (row * k + step) / of_a);
#pragma unroll
        for (int i = 0; i < of_d; i++) {
            Sum right = Sum();
#pragma unroll
            for (int part = 0; part < (of_b > of_d ? of_b / of_d : 1); part++) {
                Sum v = simtx_mma::from_lane(
                    simtx_mma::factor(simtx_mma::cut(b.x[(part * of_d + i) % of_b], (const Factor *)0), Sum()),
                    (step * n + first + i) / of_b);
                right = of_b <= of_d || first % of_b / of_d == (unsigned int)part ? v : right;
            }
            sum[i] = simtx_mma::add_product(left, right, sum[i], saturate);
        }
    }
#pragma unroll
    for (int i = 0; i < of_d; i++)
        simtx_mma::finish(&d.x[i], sum[i]);
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
