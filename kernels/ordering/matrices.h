// Dense matrices for the programs after PolyBench-GPU (Grauer-Gray and others, Auto-tuning a High-Level Language
// Targeted to GPU Codes, InPar 2012). The entries are small integers, so that sums of floats are exact and the host's
// integer results must match to the bit. As in the originals, a sum lies in global memory, and for the compiler it may
// alias the operands: each step of a loop loads them and stores the sum ("non-streaming stores").
#ifndef KERNELS_ORDERING_MATRICES_H
#define KERNELS_ORDERING_MATRICES_H

#include "../bench/options.h"

#include <algorithm>

typedef std::vector<float> Floats;

static inline Floats small_integers(Lcg &random, size_t count, int most) {
    Floats values(count);
    for (float &value : values) {
        value = (float)((int)random.below(2 * most + 1) - most);
    }
    return values;
}

// Rows lie at least as far apart as the originals': which lines share a set of the L1 depends on it.
struct Matrix {
    int rows, columns, pitch;
    Floats cells;

    Matrix(int rows, int columns, int pitch)
        : rows(rows), columns(columns), pitch(pitch), cells((size_t)rows * pitch) {}

    Matrix(Lcg &random, int rows, int columns, int pitch, int most) : Matrix(rows, columns, pitch) {
        cells = small_integers(random, cells.size(), most);
    }
};

// The originals' blocks: 32 columns of 8 rows, a thread for each element of the result.
static inline dim3 matrix_block() {
    return dim3(32, 8);
}

static inline dim3 matrix_grid(const Matrix &result) {
    return dim3(blocks_for(result.columns, 32), blocks_for(result.rows, 8));
}

// c += a * b, where b has `depth` rows. All rows are `pitch` apart. No factor stands between a step's two loads, so
// that neither waits for the other.
static __global__ void add_product(const float *a, const float *b, float *c, int rows, int columns, int depth,
                                   int pitch) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        for (int k = 0; k < depth; k++) {
            c[row * pitch + column] += a[row * pitch + k] * b[k * pitch + column];
        }
    }
}

// beta * c + alpha * a * b on the host, in integers.
static inline Matrix host_multiply(const Matrix &a, const Matrix &b, const Matrix &c, int alpha, int beta) {
    Matrix result = c;
    for (int row = 0; row < c.rows; row++) {
        std::vector<long> sums(c.columns);
        for (int k = 0; k < b.rows; k++) {
            for (int column = 0; column < c.columns; column++) {
                sums[column] += (long)a.cells[row * a.pitch + k] * (long)b.cells[k * b.pitch + column];
            }
        }
        for (int column = 0; column < c.columns; column++) {
            float *cell = &result.cells[row * c.pitch + column];
            *cell = (float)(alpha * sums[column] + beta * (long)*cell);
        }
    }
    return result;
}

// c += a * b on the device, checked. The three have the same pitch; what a pointer names has the cells of the matrix.
static inline void checked_product(const char *what, const Matrix &a, const float *a_device, const Matrix &b,
                                   const float *b_device, Matrix &c, float *c_device) {
    add_product<<<matrix_grid(c), matrix_block()>>>(a_device, b_device, c_device, c.rows, c.columns, b.rows, c.pitch);
    CHECK_KERNEL();
    c = host_multiply(a, b, c, 1, 1);
    expect_same(what, c.cells, to_host(c_device, c.cells.size()));
}

// y += a * x with one thread for each row: the lanes of a warp read 32 lines at once.
static __global__ void add_by_rows(const float *a, const float *x, float *y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        for (int column = 0; column < n; column++) {
            y[row] += a[row * n + column] * x[column];
        }
    }
}

// y += x * a (the transposed product) with one thread for each column: the lanes of a warp read one line.
static __global__ void add_by_columns(const float *a, const float *x, float *y, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < n) {
        for (int row = 0; row < n; row++) {
            y[column] += a[row * n + column] * x[row];
        }
    }
}

// A vector to a block for each of 16 SMs, in blocks of at most 256 threads.
static inline int vector_block(int n) {
    return std::min(256, std::max(32, n / 16 / 32 * 32));
}

static inline void run_by_rows(const float *a, const float *x, float *y, int n) {
    add_by_rows<<<blocks_for(n, vector_block(n)), vector_block(n)>>>(a, x, y, n);
    CHECK_KERNEL();
}

static inline void run_by_columns(const float *a, const float *x, float *y, int n) {
    add_by_columns<<<blocks_for(n, vector_block(n)), vector_block(n)>>>(a, x, y, n);
    CHECK_KERNEL();
}

static inline Floats host_by_rows(const Floats &a, const Floats &x, Floats y, int n, int alpha = 1) {
    for (int row = 0; row < n; row++) {
        long sum = 0;
        for (int column = 0; column < n; column++) {
            sum += (long)a[row * n + column] * (long)x[column];
        }
        y[row] += (float)(alpha * sum);
    }
    return y;
}

static inline Floats host_by_columns(const Floats &a, const Floats &x, const Floats &y, int n) {
    std::vector<long> sums(y.begin(), y.end());
    for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++) {
            sums[column] += (long)a[row * n + column] * (long)x[row];
        }
    }
    return Floats(sums.begin(), sums.end());
}

static const SizeRange VECTOR_SIZES = {"rows and columns", 128, 1024, 32, 8192};

#endif
