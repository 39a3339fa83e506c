// A product of matrices in E4M3 with float sums. The values are multiples of 1/8 below 16, so the sums are exact and
// the host's result in integers must be the same.
#define PROGRAM "fp8_gemm"
#include "../check.h"

#include <cuda_fp8.h>

enum { SIDE = 48, TILE = 16 };

__global__ void multiply(const __nv_fp8_e4m3 *a, const __nv_fp8_e4m3 *b, float *c) {
    __shared__ __nv_fp8_e4m3 left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < SIDE; k += TILE) {
        left[y][x] = a[row * SIDE + k + x];
        right[y][x] = b[(k + y) * SIDE + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += (float)left[y][i] * (float)right[i][x];
        }
        __syncthreads();
    }
    c[row * SIDE + column] = sum;
}

int main() {
    Lcg random(21);
    std::vector<int> eighths[2];
    std::vector<__nv_fp8_e4m3> values[2];
    for (int m = 0; m < 2; m++) {
        for (int i = 0; i < SIDE * SIDE; i++) {
            int v = (int)random.below(16) << random.below(4); // four significant bits, as E4M3 has
            v = random.below(2) ? v : -v;
            eighths[m].push_back(v);
            values[m].push_back(__nv_fp8_e4m3(v / 8.0));
        }
    }
    float *c = device_buffer<float>(SIDE * SIDE);
    dim3 grid(SIDE / TILE, SIDE / TILE), block(TILE, TILE);
    multiply<<<grid, block>>>(to_device(values[0]), to_device(values[1]), c);
    CHECK_KERNEL();
    std::vector<float> got = to_host(c, SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int sum = 0;
        for (int k = 0; k < SIDE; k++) {
            sum += eighths[0][i / SIDE * SIDE + k] * eighths[1][k * SIDE + i % SIDE];
        }
        expect_equal("element", i, sum / 64.0, (double)got[i]);
    }
    return pass();
}
