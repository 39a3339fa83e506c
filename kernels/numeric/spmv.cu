// Sparse matrix times vector in compressed sparse rows: one thread to a row (scalar) and one warp to a row
// (vector, with a shuffle reduction), and in ELLPACK layout. Entries are small integers, so all orders of
// summation give the same float and the comparison is exact. Some rows are empty, some have hundreds of
// entries.
// also: --set gpu.warp_size=64
#define PROGRAM "spmv"
#include "../check.h"

__global__ void csr_scalar(const int *row, const int *column, const float *value, const float *x, float *y,
                           int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n) {
        float sum = 0.0f;
        for (int e = row[r]; e < row[r + 1]; e++) {
            sum += value[e] * __ldg(&x[column[e]]);
        }
        y[r] = sum;
    }
}

__global__ void csr_vector(const int *row, const int *column, const float *value, const float *x, float *y,
                           int n) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= n) {
        return;
    }
    float sum = 0.0f;
    for (int e = row[r] + lane; e < row[r + 1]; e += 32) {
        sum += value[e] * x[column[e]];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    }
    if (lane == 0) {
        y[r] = sum;
    }
}

__global__ void ellpack(const int *column, const float *value, const float *x, float *y, int n, int width) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n) {
        float sum = 0.0f;
        for (int k = 0; k < width; k++) {
            int c = column[k * n + r];
            if (c >= 0) {
                sum += value[k * n + r] * x[c];
            }
        }
        y[r] = sum;
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 1500, 1, 1 << 20);
    Lcg random(16);
    std::vector<int> row(1, 0), column;
    std::vector<float> value, x(n), expected(n, 0.0f);
    int width = 0;
    for (float &entry : x) {
        entry = (float)((int)random.below(41) - 20);
    }
    for (int r = 0; r < n; r++) {
        int entries = random.below(50) ? (int)random.below(9) : 100 + (int)random.below(30);
        long sum = 0;
        for (int e = 0; e < entries; e++) {
            column.push_back((int)random.below((unsigned)n));
            value.push_back((float)((int)random.below(31) - 15));
            sum += (long)value.back() * (long)x[column.back()];
        }
        expected[r] = (float)sum;
        row.push_back((int)column.size());
        width = entries > width ? entries : width;
    }
    std::vector<int> ell_column((size_t)n * width, -1);
    std::vector<float> ell_value((size_t)n * width, 0.0f);
    for (int r = 0; r < n; r++) {
        for (int e = row[r]; e < row[r + 1]; e++) {
            ell_column[(size_t)(e - row[r]) * n + r] = column[e];
            ell_value[(size_t)(e - row[r]) * n + r] = value[e];
        }
    }
    column.push_back(0);
    value.push_back(0.0f);
    int *row_device = to_device(row), *column_device = to_device(column);
    float *value_device = to_device(value), *x_device = to_device(x), *y = device_zeros<float>(n);

    csr_scalar<<<blocks_for(n, 128), 128>>>(row_device, column_device, value_device, x_device, y, n);
    CHECK_KERNEL();
    expect_same("scalar rows", expected, to_host(y, n));

    CHECK(cudaMemset(y, 0xff, n * sizeof(float)));
    csr_vector<<<blocks_for(n, 4), 128>>>(row_device, column_device, value_device, x_device, y, n);
    CHECK_KERNEL();
    expect_same("vector rows", expected, to_host(y, n));

    if (width > 0) {
        CHECK(cudaMemset(y, 0xff, n * sizeof(float)));
        ellpack<<<blocks_for(n, 96), 96>>>(to_device(ell_column), to_device(ell_value), x_device, y, n,
                                           width);
        CHECK_KERNEL();
        expect_same("ellpack", expected, to_host(y, n));
    }
    return pass();
}
