// Merge sort by merge paths: every thread finds by binary search on a diagonal which part of the two runs its
// stretch of output comes from, then merges serially. Irregular trip counts within a warp, 64-bit keys,
// ping-pong buffers. Checked against std::sort; a run length that does not divide the size is included.
#define PROGRAM "merge_sort"
#include "../check.h"

#include <algorithm>

static const int PER_THREAD = 8;
static const int BLOCK = 64;

// Insertion sort of each thread's own short run.
__global__ void sort_runs(long long *keys, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD, last = min(first + PER_THREAD, n);
    for (int i = first + 1; i < last; i++) {
        long long key = keys[i];
        int j = i;
        for (; j > first && keys[j - 1] > key; j--) {
            keys[j] = keys[j - 1];
        }
        keys[j] = key;
    }
}

// How many of the first `diagonal` outputs of the merge come from a.
__device__ int merge_path(const long long *a, int a_count, const long long *b, int b_count, int diagonal) {
    int low = max(0, diagonal - b_count), high = min(diagonal, a_count);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

__global__ void merge_runs(const long long *in, long long *out, int n, int run) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;
    if (first >= n) {
        return;
    }
    int base = first / (2 * run) * (2 * run);
    int a_count = min(run, n - base), b_count = min(run, max(0, n - base - run));
    const long long *a = in + base, *b = in + base + a_count;
    int diagonal = first - base, i = merge_path(a, a_count, b, b_count, diagonal), j = diagonal - i;
    int end = min(PER_THREAD, a_count + b_count - diagonal);
    for (int k = 0; k < end; k++) {
        bool from_a = j >= b_count || (i < a_count && a[i] <= b[j]);
        out[first + k] = from_a ? a[i++] : b[j++];
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 20011, 1, 1 << 24);
    Lcg random(12);
    std::vector<long long> keys(n);
    for (long long &key : keys) {
        key = (long long)(((uint64_t)random.next() << 32) | random.next()) >> random.below(50);
    }
    std::vector<long long> expected(keys);
    std::sort(expected.begin(), expected.end());

    long long *buffers[2] = {to_device(keys), device_zeros<long long>(n)};
    int blocks = blocks_for(n, PER_THREAD * BLOCK), from = 0;
    sort_runs<<<blocks, BLOCK>>>(buffers[0], n);
    for (int run = PER_THREAD; run < n; run *= 2) {
        merge_runs<<<blocks, BLOCK>>>(buffers[from], buffers[!from], n, run);
        from = !from;
    }
    CHECK_KERNEL();
    expect_same("sorted keys", expected, to_host(buffers[from], n));
    return pass();
}
