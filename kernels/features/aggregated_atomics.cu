// Histogram and compaction with one atomic operation for the threads of a warp that want the same counter: labelled and
// coalesced groups, the leader's result broadcast by a shuffle.
#define PROGRAM "aggregated_atomics"
#include "../check.h"

#include <algorithm>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { N = 6000, BINS = 13 };

__device__ static int reserve(int *counter) {
    cg::coalesced_group group = cg::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0) {
        first = atomicAdd(counter, (int)group.size());
    }
    return group.shfl(first, 0) + (int)group.thread_rank();
}

__global__ void count(const int *in, int n, int *bins, int *operations, int *kept, int *places) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) {
        return;
    }
    int bin = in[i] % BINS;
    cg::coalesced_group all = cg::coalesced_threads();
    cg::coalesced_group same = cg::labeled_partition(all, bin);
    if (same.thread_rank() == 0) {
        atomicAdd(&bins[bin], (int)same.size());
        atomicAdd(operations, 1);
    }
    if (in[i] % 3 == 0) {
        places[reserve(kept)] = in[i];
    }
}

int main() {
    Lcg random(8);
    std::vector<int> in(N), bins(BINS), kept;
    int operations = 0;
    for (int &x : in) {
        x = (int)random.below(1000);
        bins[x % BINS]++;
        if (x % 3 == 0) {
            kept.push_back(x);
        }
    }
    for (int w = 0; w < N; w += 32) {
        std::vector<int> seen(BINS);
        for (int i = w; i < w + 32 && i < N; i++) {
            operations += !seen[in[i] % BINS]++;
        }
    }
    int *d_bins = device_zeros<int>(BINS), *d_operations = device_zeros<int>(1), *d_kept = device_zeros<int>(1);
    int *places = device_buffer<int>(N);
    count<<<blocks_for(N, 128), 128>>>(to_device(in), N, d_bins, d_operations, d_kept, places);
    CHECK_KERNEL();
    expect_same("histogram", bins, to_host(d_bins, BINS));
    expect_equal("atomic operations", 0, operations, to_host(d_operations, 1)[0]);
    expect_equal("values kept", 0, (int)kept.size(), to_host(d_kept, 1)[0]);
    std::vector<int> got = to_host(places, kept.size());
    std::sort(got.begin(), got.end());
    std::sort(kept.begin(), kept.end());
    expect_same("the values", kept, got);
    return pass();
}
