// A program for Hopper: its macros, and functions of the headers that need sm_90.
#include <cmath>
#include <cstdio>

static __global__ void branch(int *out)
{
#if __CUDA_ARCH__ >= 900
    out[0] = __CUDA_ARCH__;
#endif
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    out[1] = 1;
#endif
}

static __global__ void add(float2 *pair, float4 *four, float2 *old)
{
#if __CUDA_ARCH__ >= 900
    float2 before = atomicAdd(pair, make_float2(1, threadIdx.x));
    if (before.x == 0)
        *old = before;
    atomicAdd(four, make_float4(1, 2, 3, threadIdx.x));
#endif
}

static __global__ void tangents(float *out) { out[threadIdx.x] = __tanhf(threadIdx.x / 8.0f - 2); }

int main()
{
    int *seen;
    float *sums, *values;
    cudaMallocManaged(&seen, 2 * sizeof *seen);
    cudaMallocManaged(&sums, 8 * sizeof *sums);
    cudaMallocManaged(&values, 32 * sizeof *values);
    branch<<<1, 1>>>(seen);
    add<<<2, 32>>>((float2 *)sums, (float4 *)(sums + 4), (float2 *)(sums + 2));
    tangents<<<1, 32>>>(values);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    const float expected[] = {64, 992, 0, 0, 64, 128, 192, 992};
    for (int i = 0; i < 8; i++)
        if (sums[i] != expected[i])
            return printf("sum %d: %g\n", i, sums[i]), 1;
    for (int i = 0; i < 32; i++)
        if (std::fabs(values[i] - std::tanh(i / 8.0f - 2)) > 1e-3f)
            return printf("__tanhf of %g: %g\n", i / 8.0f - 2, values[i]), 1;
    printf("%d %d\n", seen[0], seen[1]);
    return 0;
}
