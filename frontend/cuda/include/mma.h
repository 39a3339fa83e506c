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
template <class Use, int M, int N, int K> struct shape;
template <int M, int N, int K> struct shape<matrix_a, M, N, K> { enum { rows = M, columns = K }; };
template <int M, int N, int K> struct shape<matrix_b, M, N, K> { enum { rows = K, columns = N }; };
template <int M, int N, int K> struct shape<accumulator, M, N, K> { enum { rows = M, columns = N }; };

/* What a fragment stores, and what it is multiplied and summed in. */
template <class T> struct element { typedef T stored; };
template <> struct element<precision::tf32> { typedef float stored; };
template <class T> struct sum { typedef T type; };
template <> struct sum<__half> { typedef float type; };

/* The shapes that CUDA has. */
template <class T, int M, int N, int K> struct known {
    enum { value = K == 16 && ((M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32)) };
};
template <int M, int N, int K> struct known<precision::tf32, M, N, K> {
    enum { value = M == 16 && N == 16 && K == 8 };
};
template <int M, int N, int K> struct known<double, M, N, K> { enum { value = M == 8 && N == 8 && K == 4 }; };
template <int M, int N, int K> struct known<float, M, N, K> { enum { value = 1 }; };

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
template <class V, class T> SIMTX_DEV_MEMBER V cut(V v, const T *) { return v; }

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
template <class T> SIMTX_DEV_MEMBER T start(T v) { return v; }
SIMTX_DEV_MEMBER void finish(__half *out, float v) { *out = __float2half_rn(v); }
template <class T> SIMTX_DEV_MEMBER void finish(T *out, T v) { *out = v; }

template <class V> SIMTX_DEV_MEMBER V from_lane(V v, unsigned int source)
{
    return __shfl_sync(0xffffffffu, v, (int)source);
}
} // namespace simtx_mma

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment
{
    static_assert(simtx_mma::known<T, M, N, K>::value, "wmma has no fragment of this shape and type");

public:
    typedef typename simtx_mma::element<T>::stored element_type;
    typedef element_type storage_element_type;
    enum {
        simtx_rows = simtx_mma::shape<Use, M, N, K>::rows,
        simtx_columns = simtx_mma::shape<Use, M, N, K>::columns,
        num_elements = simtx_rows * simtx_columns / 32,
        num_storage_elements = num_elements
    };
    element_type x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class V>
SIMTX_DEV_MEMBER void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &v)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = (typename fragment<Use, M, N, K, T, Layout>::element_type)v;
}

namespace simtx_mma
{
/* The place of the lane's element i in memory. */
template <class F> SIMTX_DEV_MEMBER size_t place(int i, unsigned int stride, bool rows)
{
    unsigned int at = lane() * F::num_elements + (unsigned int)i;
    size_t row = at / F::simtx_columns, column = at % F::simtx_columns;
    return rows ? row * stride + column : column * stride + row;
}

template <class F>
SIMTX_DEV_MEMBER void load(F &f, const typename F::element_type *from, unsigned int stride, bool rows)
{
    __syncwarp();
#pragma unroll
    for (int i = 0; i < F::num_elements; i++)
        f.x[i] = from[place<F>(i, stride, rows)];
}
} // namespace simtx_mma

template <class Use, int M, int N, int K, class T, class Layout>
SIMTX_DEV_MEMBER void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f,
                                const typename simtx_mma::element<T>::stored *from, unsigned int stride)
{
    simtx_mma::load(f, from, stride, simtx_mma::by_rows<Layout>());
}

template <int M, int N, int K, class T>
SIMTX_DEV_MEMBER void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *from, unsigned int stride,
                                       layout_t layout)
{
    simtx_mma::load(f, from, stride, layout == mem_row_major);
}

template <int M, int N, int K, class T>
SIMTX_DEV_MEMBER void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &f, unsigned int stride,
                                        layout_t layout)
{
    typedef fragment<accumulator, M, N, K, T> F;
#pragma unroll
    for (int i = 0; i < F::num_elements; i++)
        to[simtx_mma::place<F>(i, stride, layout == mem_row_major)] = f.x[i];
    __syncwarp();
}

/*
 * A lane's elements of the result lie in one row, from column `first`. Element (row, k) of A is element k % EA of its
 * lane. Element (k, first + i) of B is element i % EB of its lane; where a lane holds more elements of B than of the
 * result, `first` chooses among several.
 */
template <int M, int N, int K, class AB, class LA, class LB, class D, class C>
SIMTX_DEV_MEMBER void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, AB, LA> &a,
                        const fragment<matrix_b, M, N, K, AB, LB> &b, const fragment<accumulator, M, N, K, C> &c,
                        bool saturate = false)
{
    typedef typename simtx_mma::sum<D>::type S;
    enum { EA = K * M / 32, EB = K * N / 32, ED = M * N / 32 };
    unsigned int at = simtx_mma::lane() * ED, row = at / N, first = at % N;
    S sum[ED];
#pragma unroll
    for (int i = 0; i < ED; i++)
        sum[i] = (S)simtx_mma::start(c.x[i]);
#pragma unroll
    for (int k = 0; k < K; k++) {
        S left = simtx_mma::from_lane(simtx_mma::factor(simtx_mma::cut(a.x[k % EA], (const AB *)0), S()),
                                      (row * K + k) / EA);
#pragma unroll
        for (int i = 0; i < ED; i++) {
            S right = S();
#pragma unroll
            for (int part = 0; part < (EB > ED ? EB / ED : 1); part++) {
                S v = simtx_mma::from_lane(
                    simtx_mma::factor(simtx_mma::cut(b.x[(part * ED + i) % EB], (const AB *)0), S()),
                    (k * N + first + i) / EB);
                right = EB <= ED || first % EB / ED == (unsigned int)part ? v : right;
            }
            sum[i] = simtx_mma::add_product(left, right, sum[i], saturate);
        }
    }
#pragma unroll
    for (int i = 0; i < ED; i++)
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
