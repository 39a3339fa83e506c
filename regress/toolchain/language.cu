// What an ordinary CUDA C++ program uses, host and device side: templates, lambdas, virtual functions,
// function pointers, recursion, constant and shared memory, printf, assert, vector types, streams and events.
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <memory>
#include <vector>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <helper_cuda.h>
#include <helper_functions.h>

// The names of types that libraries share come with the runtime's header.
static_assert(CUDA_R_16F == 2 && CUDA_C_64U == 27 && CUDA_R_8F_E5M2 == 29, "cudaDataType_t");

__constant__ float coefficients[16];
__device__ int counter;

struct shape {
    __host__ __device__ virtual float area() const = 0;
    __host__ __device__ virtual ~shape() {}
};
struct square : shape {
    float side;
    __host__ __device__ square(float s) : side(s) {}
    __host__ __device__ float area() const override { return side * side; }
};
struct circle : shape {
    float r;
    __host__ __device__ circle(float v) : r(v) {}
    __host__ __device__ float area() const override { return 3.14159265f * r * r; }
};

typedef float (*unary)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square_of(float x) { return x * x; }
__device__ unary table[] = {twice, square_of};

__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

struct params {
    float4 scale;
    int n;
    short2 pair;
};

template <int N, class F> __global__ __launch_bounds__(256, 2) void apply(float *out, params p, F f)
{
    extern __shared__ float dynamic[];
    __shared__ float fixed[N];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    fixed[threadIdx.x % N] = coefficients[threadIdx.x % 16];
    dynamic[threadIdx.x] = f(p.scale.x) + p.pair.y;
    __syncthreads();
    if (i < p.n)
        out[i] = dynamic[threadIdx.x] + fixed[(threadIdx.x + 1) % N] + table[i & 1](p.scale.y) + fib(i & 7);
    square s(2.0f);
    circle c(1.0f);
    const shape *any = i & 1 ? (const shape *)&s : (const shape *)&c;
    out[i] += any->area();
    atomicAdd(&counter, 1);
    assert(p.n > 0);
    if (i == 0)
        printf("block %d of %d: %f\n", blockIdx.x, gridDim.x, out[i]);
}

int main(int argc, char **argv)
{
    int n = checkCmdLineFlag(argc, (const char **)argv, "n")
                ? getCmdLineArgumentInt(argc, (const char **)argv, "n")
                : 512;
    std::vector<float> host(n);
    auto owned = std::make_shared<int>(3);
    float *dev, *pinned, *managed;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    checkCudaErrors(cudaMalloc(&dev, n * sizeof *dev));
    checkCudaErrors(cudaMallocHost(&pinned, n * sizeof *pinned));
    checkCudaErrors(cudaMallocManaged(&managed, n * sizeof *managed));
    checkCudaErrors(cudaStreamCreate(&stream));
    checkCudaErrors(cudaEventCreate(&start));
    checkCudaErrors(cudaEventCreate(&stop, cudaEventBlockingSync));
    float c[16] = {1, 2, 3};
    checkCudaErrors(cudaMemcpyToSymbol(coefficients, c, sizeof c));
    params p = {make_float4(1, 2, 3, 4), n, make_short2(1, 2)};
    float captured = *owned;
    dim3 block(256), grid((n + block.x - 1) / block.x);
    cudaEventRecord(start, stream);
    apply<32><<<grid, block, block.x * sizeof(float), stream>>>(
        dev, p, [=] __device__(float x) { return x + captured; });
    cudaEventRecord(stop, stream);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaMemcpyAsync(pinned, dev, n * sizeof *dev, cudaMemcpyDeviceToHost, stream));
    checkCudaErrors(cudaStreamSynchronize(stream));
    int blocks = 0, size = 0, seen = 0;
    checkCudaErrors(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, apply<32, float (*)(float)>, 1024));
    checkCudaErrors(cudaMemcpyFromSymbol(&seen, counter, sizeof seen));
    cudaDeviceProp prop;
    checkCudaErrors(cudaGetDeviceProperties(&prop, 0));
    return std::max(seen, min(size, 0)) == 0;
}
