// A program of two translation units built by clang's ordinary command: each unit has device variables, a
// constant and a kernel of the same names, which must not meet; arguments of several sizes; a template; two
// devices' worth of calls.
#include <cstdio>
#include <cstring>
#include <unistd.h>

int run_unit_b(const int *in, int *out, int n);

struct pair_arg {
    char tag;
    double scale;
    short shift;
};

static __constant__ int table[4] = {1, 10, 100, 1000};
static __device__ int total;

template <typename T> __global__ void combine(const T *in, T *out, int n, pair_arg p, char extra)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = (T)(in[i] * p.scale) + table[i % 4] + p.shift + extra;
        atomicAdd(&total, 1);
    }
}

__global__ void hello(int n)
{
    std::printf("device %d of %d\n", (int)threadIdx.x, n);
}

static int failed;

static void check(bool ok, const char *what)
{
    if (!ok) {
        std::printf("FAILED: %s\n", what);
        failed++;
    }
}

// Host and device text share one buffered stream and keep their order.
static bool text_in_order()
{
    char text[200] = "";
    std::fflush(stdout);
    int saved = dup(1);
    FILE *f = std::tmpfile();
    dup2(fileno(f), 1);
    std::printf("before\n");
    hello<<<1, 2>>>(2);
    cudaDeviceSynchronize();
    std::printf("after\n");
    std::fflush(stdout);
    dup2(saved, 1);
    close(saved);
    std::rewind(f);
    text[std::fread(text, 1, sizeof text - 1, f)] = 0;
    std::fclose(f);
    return std::strcmp(text, "before\ndevice 0 of 2\ndevice 1 of 2\nafter\n") == 0;
}

int main()
{
    const int n = 1000, scale[4] = {1, 10, 100, 1000};
    static int in[n], out[n], from_b[n];
    int *d_in, *d_out, sum = 0;
    for (int i = 0; i < n; i++)
        in[i] = i;
    check(cudaMalloc(&d_in, sizeof in) == cudaSuccess && cudaMalloc(&d_out, sizeof out) == cudaSuccess,
          "malloc");
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    combine<int><<<(n + 127) / 128, 128>>>(d_in, d_out, n, pair_arg{'x', 2.0, 5}, 3);
    check(cudaGetLastError() == cudaSuccess, "launch");
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    check(cudaMemcpyFromSymbol(&sum, total, sizeof sum) == cudaSuccess && sum == n,
          "device variable of unit a");
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += out[i] != 2 * i + scale[i % 4] + 8;
    check(wrong == 0, "results of unit a");

    check(run_unit_b(d_in, d_out, n) == 2 * n, "device variable of unit b");
    cudaMemcpy(from_b, d_out, sizeof from_b, cudaMemcpyDeviceToHost);
    wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += from_b[i] != i + 7;
    check(wrong == 0, "results of unit b");
    check(cudaMemcpyFromSymbol(&sum, total, sizeof sum) == cudaSuccess && sum == n, "unit a is left alone");
    check(text_in_order(), "order of host and device text");
    check(cudaDeviceReset() == cudaSuccess, "reset");
    std::printf("cudart units: %d passed, %d failed\n", 8 - failed, failed);
    return failed != 0;
}
