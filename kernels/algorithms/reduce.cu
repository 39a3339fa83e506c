// Sum and maximum of an array four ways: a tree in shared memory, warp shuffles, atomics on shared and global
// memory, and a last-block-done single pass (fence + counter). Integer sums are compared exactly; the float
// maximum is exact as well because maximum does not round.
// also: --set gpu.warp_size=64
#define PROGRAM "reduce"
#include "../check.h"

static const int BLOCK = 256;

__global__ void sum_tree(const int *values, int n, long long *partial) {
    __shared__ long long tree[BLOCK];
    long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += values[i];
    }
    tree[threadIdx.x] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half) {
            tree[threadIdx.x] += tree[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = tree[0];
    }
}

__device__ long long warp_sum(long long value) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    return value;
}

__global__ void sum_shuffle(const int *values, int n, long long *partial) {
    __shared__ long long sums[BLOCK / 32];
    long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += values[i];
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(threadIdx.x < BLOCK / 32 ? sums[threadIdx.x] : 0);
        if (threadIdx.x == 0) {
            partial[blockIdx.x] = sum;
        }
    }
}

__global__ void sum_atomic(const int *values, int n, unsigned long long *total, int *largest) {
    __shared__ int block_largest;
    if (threadIdx.x == 0) {
        block_largest = INT32_MIN;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(total, (unsigned long long)(long long)values[i]);
        atomicMax(&block_largest, values[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMax(largest, block_largest);
    }
}

__device__ unsigned blocks_done;

__global__ void max_single_pass(const float *values, int n, volatile float *partial, float *result) {
    __shared__ float tree[BLOCK];
    __shared__ bool last;
    float largest = -INFINITY;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        largest = fmaxf(largest, values[i]);
    }
    for (int round = 0; round < 2; round++) {
        tree[threadIdx.x] = largest;
        __syncthreads();
        for (int half = BLOCK / 2; half > 0; half /= 2) {
            if ((int)threadIdx.x < half) {
                tree[threadIdx.x] = fmaxf(tree[threadIdx.x], tree[threadIdx.x + half]);
            }
            __syncthreads();
        }
        if (round == 1) {
            break;
        }
        if (threadIdx.x == 0) {
            partial[blockIdx.x] = tree[0];
            __threadfence();
            last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
        }
        __syncthreads();
        if (!last) {
            return;
        }
        largest = threadIdx.x < gridDim.x ? partial[threadIdx.x] : -INFINITY;
    }
    if (threadIdx.x == 0) {
        *result = tree[0];
    }
}

static long long total(const std::vector<long long> &parts) {
    long long sum = 0;
    for (long long part : parts) {
        sum += part;
    }
    return sum;
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 50021, 1, 1 << 26);
    const int blocks = 12;
    Lcg random(6);
    std::vector<int> values(n);
    std::vector<float> reals(n);
    long long expected_sum = 0;
    int expected_largest = INT32_MIN;
    float expected_real = -INFINITY;
    for (int i = 0; i < n; i++) {
        values[i] = (int)random.next();
        reals[i] = -random.between(1.0f, 1000.0f);
        expected_sum += values[i];
        expected_largest = values[i] > expected_largest ? values[i] : expected_largest;
        expected_real = reals[i] > expected_real ? reals[i] : expected_real;
    }
    int *in = to_device(values);
    long long *partial = device_zeros<long long>(blocks);

    sum_tree<<<blocks, BLOCK>>>(in, n, partial);
    CHECK_KERNEL();
    expect_equal("sum by tree", 0, expected_sum, total(to_host(partial, blocks)));

    CHECK(cudaMemset(partial, 0, blocks * sizeof *partial));
    sum_shuffle<<<blocks, BLOCK>>>(in, n, partial);
    CHECK_KERNEL();
    expect_equal("sum by shuffle", 0, expected_sum, total(to_host(partial, blocks)));

    unsigned long long *sum = device_zeros<unsigned long long>(1);
    int *largest = to_device(std::vector<int>(1, INT32_MIN));
    sum_atomic<<<blocks, BLOCK>>>(in, n, sum, largest);
    CHECK_KERNEL();
    expect_equal("sum by atomics", 0, expected_sum, (long long)to_host(sum, 1)[0]);
    expect_equal("maximum by atomics", 0, expected_largest, to_host(largest, 1)[0]);

    float *reals_device = to_device(reals), *parts = device_buffer<float>(blocks),
          *result = device_zeros<float>(1);
    for (int round = 0; round < 2; round++) {
        max_single_pass<<<blocks, BLOCK>>>(reals_device, n, parts, result);
        CHECK_KERNEL();
        expect_equal("maximum in a single pass", round, expected_real, to_host(result, 1)[0]);
        CHECK(cudaMemset(result, 0, sizeof(float)));
    }
    return pass();
}
