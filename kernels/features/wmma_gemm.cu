// Products of matrices with warp matrix functions: every type and shape, both layouts of each operand. The values are
// small integers, so all sums are exact and the host's result in integers must be the same.
#define PROGRAM "wmma_gemm"
#include "../check.h"

#include <mma.h>

using namespace nvcuda;

// One warp computes D = A B + C of M x N x K, with leading dimensions larger than the matrices.
enum { PAD = 8 };

template <class AB, class Element, class Sum, int M, int N, int K, class LayoutA, class LayoutB>
__global__ void product(const Element *a, const Element *b, const Sum *c, Sum *d, int lda, int ldb, int ldc,
                        wmma::layout_t layout) {
    wmma::fragment<wmma::matrix_a, M, N, K, AB, LayoutA> left;
    wmma::fragment<wmma::matrix_b, M, N, K, AB, LayoutB> right;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum, twice;
    wmma::load_matrix_sync(left, a, lda);
    wmma::load_matrix_sync(right, b, ldb);
    wmma::load_matrix_sync(sum, c, ldc, layout);
    wmma::fill_fragment(twice, (Sum)0);
    wmma::mma_sync(twice, left, right, twice);
    wmma::mma_sync(sum, left, right, sum);
    for (int i = 0; i < sum.num_elements; i++) {
        sum.x[i] = (Sum)((float)sum.x[i] + (float)twice.x[i]);
    }
    wmma::store_matrix_sync(d, sum, ldc, layout);
}

// A matrix in memory: rows x columns, by rows or by columns, with padding between them.
template <class T>
struct matrix {
    int rows, columns;
    bool by_rows;
    std::vector<int> values;
    std::vector<T> memory;

    matrix(int r, int c, bool order, Lcg &random, int limit) : rows(r), columns(c), by_rows(order) {
        memory.resize((size_t)stride() * (order ? r : c), (T)0.0f);
        for (int i = 0; i < r * c; i++) {
            values.push_back((int)random.below(limit) - (limit == 256 ? 0 : limit / 2));
            memory[place(i / c, i % c)] = (T)(float)values.back();
        }
    }
    int stride() const { return (by_rows ? columns : rows) + PAD; }
    size_t place(int r, int c) const { return by_rows ? (size_t)r * stride() + c : (size_t)c * stride() + r; }
};

template <class AB, class Element, class Sum, int M, int N, int K, class LayoutA, class LayoutB>
void check_layouts(const char *what, bool rows_a, bool rows_b, bool rows_c, int limit) {
    Lcg random(M * 31 + N + rows_a * 2 + rows_b);
    matrix<Element> a(M, K, rows_a, random, limit), b(K, N, rows_b, random, limit);
    matrix<Sum> c(M, N, rows_c, random, 16);
    Sum *d = device_zeros<Sum>(c.memory.size());
    product<AB, Element, Sum, M, N, K, LayoutA, LayoutB><<<1, 32>>>(
        to_device(a.memory), to_device(b.memory), to_device(c.memory), d, a.stride(), b.stride(), c.stride(),
        rows_c ? wmma::mem_row_major : wmma::mem_col_major);
    CHECK_KERNEL();
    std::vector<Sum> got = to_host(d, c.memory.size());
    for (int i = 0; i < M * N; i++) {
        int sum = 0;
        for (int k = 0; k < K; k++) {
            sum += a.values[i / N * K + k] * b.values[k * N + i % N];
        }
        expect_equal(what, i, (float)(2 * sum + c.values[i]), (float)got[c.place(i / N, i % N)]);
    }
}

template <class AB, class Element, class Sum, int M, int N, int K>
void check_shape(const char *what, int limit) {
    check_layouts<AB, Element, Sum, M, N, K, wmma::row_major, wmma::row_major>(what, true, true, true, limit);
    check_layouts<AB, Element, Sum, M, N, K, wmma::row_major, wmma::col_major>(what, true, false, false, limit);
    check_layouts<AB, Element, Sum, M, N, K, wmma::col_major, wmma::row_major>(what, false, true, false, limit);
    check_layouts<AB, Element, Sum, M, N, K, wmma::col_major, wmma::col_major>(what, false, false, true, limit);
}

template <class AB, class Element, class Sum>
void check_type(const char *what, int limit) {
    check_shape<AB, Element, Sum, 16, 16, 16>(what, limit);
    check_shape<AB, Element, Sum, 32, 8, 16>(what, limit);
    check_shape<AB, Element, Sum, 8, 32, 16>(what, limit);
}

int main() {
    check_type<__half, __half, float>("half, float sums", 16);
    check_type<__half, __half, __half>("half", 8); // at most 16 * 16 + 8 = 264: exact in half
    check_type<__nv_bfloat16, __nv_bfloat16, float>("bfloat16", 16);
    check_type<signed char, signed char, int>("signed bytes", 64);
    check_type<unsigned char, unsigned char, int>("bytes", 256);
    check_shape<wmma::precision::tf32, float, float, 16, 16, 8>("tf32", 64);
    check_shape<double, double, double, 8, 8, 4>("double", 64);
    return pass();
}
