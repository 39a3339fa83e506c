// Thrust called by a thread of a kernel with the policies of the device: each algorithm runs sequentially there, and its
// result is compared with the standard library's.
#include "suite.h"

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

enum { N = 200, OUTS = 9 };

struct Even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

// Each algorithm has its own N elements of `out`, and an element of `n` for its count or value.
__global__ void algorithms(const int *in, int *out, int *n) {
    const int *end = in + N;
    n[0] = thrust::reduce(thrust::device, in, end);
    n[1] = (int)(thrust::copy_if(thrust::device, in, end, out, Even()) - out);
    out += N;
    thrust::copy(thrust::device, in, end, out);
    thrust::sort(thrust::device, out, out + N);
    n[2] = (int)(thrust::max_element(thrust::cuda::par, in, end) - in);
    int *sorted = out;
    out += N;
    thrust::inclusive_scan(thrust::device, in, end, out);
    out += N;
    thrust::exclusive_scan(thrust::cuda::par, in, end, out);
    out += N;
    thrust::merge(thrust::device, sorted, sorted + N / 2, sorted + N / 2, sorted + N, out);
    out += N;
    thrust::copy(thrust::device, sorted, sorted + N, out);
    n[3] = (int)(thrust::unique(thrust::device, out, out + N) - out);
    out += N;
    n[4] = (int)(thrust::set_intersection(thrust::device, sorted, sorted + N, out - N, out - N + n[3], out) - out);
    out += N;
    thrust::copy(thrust::device, in, end, out);
    n[5] = (int)(thrust::partition(thrust::device, out, out + N, Even()) - out);
    n[6] = (int)thrust::count_if(thrust::device, in, end, Even());
    out += N;
    for (int i = 0; i < N; i++)
        out[i] = i;
    int *keys = out + N;
    thrust::copy(thrust::device, in, end, keys);
    thrust::stable_sort_by_key(thrust::device, keys, keys + N, out, thrust::greater<int>());
}

int main() {
    Draws draws(7);
    std::vector<int> in(N);
    for (int &x : in)
        x = (int)(draws.next() % 100);
    int *d_in, *out, *n;
    cudaMalloc(&d_in, N * sizeof(int));
    cudaMallocManaged(&out, (OUTS + 1) * N * sizeof(int));
    cudaMallocManaged(&n, OUTS * sizeof(int));
    cudaMemcpy(d_in, in.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    algorithms<<<1, 1>>>(d_in, out, n);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return suite_end("thrust_kernels");
    const int *at = out;
    auto next = [&](int count) {
        std::vector<int> v(at, at + count);
        at += N;
        return v;
    };
    std::vector<int> sorted = in, even, expected(N), unique;
    std::sort(sorted.begin(), sorted.end());
    std::copy_if(in.begin(), in.end(), std::back_inserter(even), Even());
    report("reduce", n[0] == std::accumulate(in.begin(), in.end(), 0));
    report("max_element", n[2] == std::max_element(in.begin(), in.end()) - in.begin());
    report("count_if", n[6] == (int)even.size());
    report("copy_if", next(n[1]) == even);
    report("sort", next(N) == sorted);
    std::partial_sum(in.begin(), in.end(), expected.begin());
    report("inclusive_scan", next(N) == expected);
    for (int i = 0; i < N; i++)
        expected[i] -= in[i];
    report("exclusive_scan", next(N) == expected);
    report("merge", next(N) == sorted);
    std::unique_copy(sorted.begin(), sorted.end(), std::back_inserter(unique));
    report("unique", next(n[3]) == unique);
    report("set_intersection", next(n[4]) == unique);
    std::vector<int> parted = next(N);
    report("partition", n[5] == (int)even.size() && std::is_partitioned(parted.begin(), parted.end(), Even()) &&
                            std::is_permutation(parted.begin(), parted.end(), in.begin()));
    std::vector<int> order(N);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in[a] > in[b]; });
    report("stable_sort_by_key", next(N) == order);
    return suite_end("thrust_kernels");
}
