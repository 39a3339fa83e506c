// Dense factorisations in double precision by one block each: LU with partial pivoting (a parallel search for
// the pivot, row exchange, rank-one updates) and the solution of a system with it, and a batch of Cholesky
// factorisations in dynamic shared memory. Matrices made as L * L^T with small integers have factors that are
// exact, so Cholesky is compared to the bit; LU by the backward error |PA - LU| and by a known solution.
#define PROGRAM "lu_cholesky"
#include "../check.h"

static const int THREADS = 128;

__global__ void lu(double *a, int *pivots, int n) {
    __shared__ double best_value[THREADS];
    __shared__ int best_row[THREADS];
    int t = threadIdx.x;
    for (int k = 0; k < n; k++) {
        best_value[t] = -1.0;
        best_row[t] = k;
        for (int i = k + t; i < n; i += THREADS) {
            double magnitude = fabs(a[i * n + k]);
            if (magnitude > best_value[t]) {
                best_value[t] = magnitude;
                best_row[t] = i;
            }
        }
        __syncthreads();
        for (int half = THREADS / 2; half > 0; half /= 2) {
            if (t < half && best_value[t + half] > best_value[t]) {
                best_value[t] = best_value[t + half];
                best_row[t] = best_row[t + half];
            }
            __syncthreads();
        }
        int pivot = best_row[0];
        if (t == 0) {
            pivots[k] = pivot;
        }
        for (int j = t; j < n && pivot != k; j += THREADS) {
            double kept = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = kept;
        }
        __syncthreads();
        for (int i = k + 1 + t; i < n; i += THREADS) {
            a[i * n + k] /= a[k * n + k];
        }
        __syncthreads();
        int side = n - k - 1;
        for (int e = t; e < side * side; e += THREADS) {
            int i = k + 1 + e / side, j = k + 1 + e % side;
            a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
        __syncthreads();
    }
}

__global__ void solve(const double *lu, const int *pivots, double *b, int n) {
    int t = threadIdx.x;
    if (t == 0) {
        for (int k = 0; k < n; k++) {
            double kept = b[k];
            b[k] = b[pivots[k]];
            b[pivots[k]] = kept;
        }
    }
    __syncthreads();
    for (int k = 0; k < n; k++) {
        for (int i = k + 1 + t; i < n; i += THREADS) {
            b[i] -= lu[i * n + k] * b[k];
        }
        __syncthreads();
    }
    for (int k = n - 1; k >= 0; k--) {
        if (t == 0) {
            b[k] /= lu[k * n + k];
        }
        __syncthreads();
        for (int i = t; i < k; i += THREADS) {
            b[i] -= lu[i * n + k] * b[k];
        }
        __syncthreads();
    }
}

__global__ void cholesky(double *matrices, int n) {
    extern __shared__ double m[];
    double *matrix = matrices + (size_t)blockIdx.x * n * n;
    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
        m[e] = matrix[e];
    }
    __syncthreads();
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0) {
            m[k * n + k] = sqrt(m[k * n + k]);
        }
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
            m[i * n + k] /= m[k * n + k];
        }
        __syncthreads();
        int side = n - k - 1;
        for (int e = threadIdx.x; e < side * side; e += blockDim.x) {
            int i = k + 1 + e / side, j = k + 1 + e % side;
            if (j <= i) {
                m[i * n + j] -= m[i * n + k] * m[j * n + k];
            }
        }
        __syncthreads();
    }
    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
        matrix[e] = e % n <= e / n ? m[e] : 0.0;
    }
}

static void check_lu(int n) {
    Lcg random(33);
    std::vector<double> a((size_t)n * n), x(n), b(n, 0.0);
    for (double &value : a) {
        value = random.between(-1.0f, 1.0f);
    }
    for (int j = 0; j < n; j++) {
        x[j] = (double)((int)random.below(19) - 9);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            b[i] += a[(size_t)i * n + j] * x[j];
        }
    }
    double *a_device = to_device(a), *b_device = to_device(b);
    int *pivots_device = device_zeros<int>(n);
    lu<<<1, THREADS>>>(a_device, pivots_device, n);
    solve<<<1, THREADS>>>(a_device, pivots_device, b_device, n);
    CHECK_KERNEL();
    std::vector<double> factors = to_host(a_device, a.size()), solution = to_host(b_device, n);
    std::vector<int> pivots = to_host(pivots_device, n);
    for (int k = 0; k < n; k++) {
        expect_true("a pivot lies at or below its row", k, pivots[k] >= k && pivots[k] < n);
        for (int j = 0; j < n && pivots[k] != k; j++) {
            std::swap(a[(size_t)k * n + j], a[(size_t)pivots[k] * n + j]);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            long double sum = 0.0L, size = 0.0L;
            for (int k = 0; k <= std::min(i, j); k++) {
                long double term =
                    (k == i ? 1.0L : (long double)factors[(size_t)i * n + k]) * factors[(size_t)k * n + j];
                sum += term;
                size += fabsl(term);
            }
            expect_near("row of PA", (long)i * n + j, (double)sum, a[(size_t)i * n + j], 0.0,
                        n * 2.3e-16 * (double)size);
            expect_true("multipliers are at most one", (long)i * n + j,
                        j >= i || std::fabs(factors[(size_t)i * n + j]) <= 1.0);
        }
        expect_near("solution", i, x[i], solution[i], 1e-9, 1e-9);
    }
}

static void check_cholesky(int n, int batch) {
    Lcg random(34);
    std::vector<double> matrices, expected;
    for (int m = 0; m < batch; m++) {
        std::vector<double> lower((size_t)n * n, 0.0);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                lower[(size_t)i * n + j] =
                    i == j ? 1.0 + random.below(9) : (double)((int)random.below(13) - 6);
            }
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0.0;
                for (int k = 0; k < n; k++) {
                    sum += lower[(size_t)i * n + k] * lower[(size_t)j * n + k];
                }
                matrices.push_back(sum);
            }
        }
        expected.insert(expected.end(), lower.begin(), lower.end());
    }
    double *device = to_device(matrices);
    cholesky<<<batch, 64, n * n * sizeof(double)>>>(device, n);
    CHECK_KERNEL();
    expect_same("Cholesky factor", expected, to_host(device, matrices.size()));
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 48, 1, 1024);
    check_lu(n);
    check_cholesky(24, 6);
    return pass();
}
