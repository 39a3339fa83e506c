// C = A * B with tiles staged through shared memory and a 2 x 2 register block in each thread: barriers in a
// loop, shared-memory reuse, and guards for sizes that are no multiple of the tile. Exact integers in float
// (bitwise comparison), then random double values compared within a rounding bound derived from their size.
#define PROGRAM "gemm_tiled"
#include "../check.h"

static const int TILE = 32;
static const int SIDE = 16;

template <typename T>
__global__ void gemm(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, int m, int n,
                     int k) {
    __shared__ T a_tile[TILE][TILE];
    __shared__ T b_tile[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    T sum[2][2] = {{0, 0}, {0, 0}};
    for (int start = 0; start < k; start += TILE) {
        for (int i = 0; i < TILE; i += SIDE) {
            for (int j = 0; j < TILE; j += SIDE) {
                bool a_inside = row + i < m && start + x + j < k;
                bool b_inside = start + y + i < k && column + j < n;
                a_tile[y + i][x + j] = a_inside ? a[(row + i) * k + start + x + j] : T(0);
                b_tile[y + i][x + j] = b_inside ? b[(start + y + i) * n + column + j] : T(0);
            }
        }
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            T top = a_tile[y][i], bottom = a_tile[y + SIDE][i];
            T left = b_tile[i][x], right = b_tile[i][x + SIDE];
            sum[0][0] += top * left;
            sum[0][1] += top * right;
            sum[1][0] += bottom * left;
            sum[1][1] += bottom * right;
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            if (row + i * SIDE < m && column + j * SIDE < n) {
                c[(row + i * SIDE) * n + column + j * SIDE] = sum[i][j];
            }
        }
    }
}

template <typename T>
static std::vector<T> multiply(const std::vector<T> &a, const std::vector<T> &b, int m, int n, int k) {
    T *a_device = to_device(a), *b_device = to_device(b), *c_device = device_zeros<T>((size_t)m * n);
    dim3 grid(blocks_for(n, TILE), blocks_for(m, TILE));
    gemm<T><<<grid, dim3(SIDE, SIDE)>>>(a_device, b_device, c_device, m, n, k);
    CHECK_KERNEL();
    std::vector<T> c = to_host(c_device, (size_t)m * n);
    CHECK(cudaFree(a_device));
    CHECK(cudaFree(b_device));
    CHECK(cudaFree(c_device));
    return c;
}

int main(int argc, char **argv) {
    int m = size_argument(argc, argv, 100, 1, 2048);
    int n = m - m / 5, k = m + m / 9;
    Lcg random(4);
    std::vector<float> a((size_t)m * k), b((size_t)k * n);
    std::vector<double> a_wide(a.size()), b_wide(b.size());
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = (float)((int)random.below(21) - 10);
        a_wide[i] = random.between(-1.0f, 1.0f);
    }
    for (size_t i = 0; i < b.size(); i++) {
        b[i] = (float)((int)random.below(21) - 10);
        b_wide[i] = random.between(-1.0f, 1.0f);
    }
    std::vector<float> c = multiply(a, b, m, n, k);
    std::vector<double> c_wide = multiply(a_wide, b_wide, m, n, k);
    double bound = k * std::ldexp(1.0, -52) * k;
    for (int row = 0; row < m; row++) {
        for (int column = 0; column < n; column++) {
            long exact = 0;
            double wide = 0.0;
            for (int i = 0; i < k; i++) {
                exact += (long)a[(size_t)row * k + i] * (long)b[(size_t)i * n + column];
                wide += a_wide[(size_t)row * k + i] * b_wide[(size_t)i * n + column];
            }
            size_t at = (size_t)row * n + column;
            expect_equal("float element", (long)at, (double)exact, (double)c[at]);
            expect_near("double element", (long)at, wide, c_wide[at], 0.0, bound);
        }
    }
    return pass();
}
