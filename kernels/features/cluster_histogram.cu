// A histogram with more bins than a block's shared memory holds, over distributed shared memory: each block of a cluster
// holds a part of the bins, and all blocks of the cluster count into all parts. With cooperative groups and with the
// intrinsics, for several shapes of the cluster.
#define PROGRAM "cluster_histogram"
#include "../check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int BLOCK = 256;

// out: the sum over all clusters.
__global__ void count_in_groups(const unsigned *in, int n, int bins, int bins_of_block, unsigned *out) {
    extern __shared__ unsigned part[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < bins_of_block; i += BLOCK) {
        part[i] = 0;
    }
    cluster.sync();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        unsigned bin = in[i] % (unsigned)bins;
        unsigned *remote = cluster.map_shared_rank(part, bin / bins_of_block);
        atomicAdd(remote + bin % bins_of_block, 1u);
    }
    cluster.sync();
    int first = cluster.block_rank() * bins_of_block;
    for (int i = threadIdx.x; i < bins_of_block && first + i < bins; i += BLOCK) {
        atomicAdd(out + first + i, part[i]);
    }
}

// The same with intrinsics; a block that has cleared its part arrives, and waits before it adds to those of others.
__global__ void count_with_intrinsics(const unsigned *in, int n, int bins, int bins_of_block, unsigned *out) {
    extern __shared__ unsigned part[];
    unsigned rank = __clusterRelativeBlockRank();
    for (int i = threadIdx.x; i < bins_of_block; i += BLOCK) {
        part[i] = 0;
    }
    __cluster_barrier_arrive();
    int step = gridDim.x * BLOCK, at = blockIdx.x * BLOCK + threadIdx.x;
    __cluster_barrier_wait();
    for (int i = at; i < n; i += step) {
        unsigned bin = in[i] % (unsigned)bins;
        unsigned *remote = (unsigned *)__cluster_map_shared_rank(part + bin % bins_of_block, bin / bins_of_block);
        if (__cluster_query_shared_rank(remote) != bin / bins_of_block) {
            __trap();
        }
        atomicAdd(remote, 1u);
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    for (int i = threadIdx.x; i < bins_of_block && (int)rank * bins_of_block + i < bins; i += BLOCK) {
        atomicAdd(out + rank * bins_of_block + i, part[i]);
    }
}

using Kernel = void (*)(const unsigned *, int, int, int, unsigned *);

static void run(Kernel kernel, unsigned blocks_of_cluster, const std::vector<unsigned> &in, int bins,
                const std::vector<unsigned> &expected) {
    unsigned *device_in, *device_out;
    std::vector<unsigned> out(bins);
    int n = (int)in.size(), part = (bins + blocks_of_cluster - 1) / blocks_of_cluster, most = 0;
    CHECK(cudaMalloc(&device_in, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&device_out, bins * sizeof(unsigned)));
    CHECK(cudaMemcpy(device_in, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(device_out, 0, bins * sizeof(unsigned)));
    cudaLaunchAttribute shape = {};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim.x = blocks_of_cluster;
    shape.val.clusterDim.y = shape.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2 * blocks_of_cluster);
    config.blockDim = dim3(BLOCK);
    config.dynamicSmemBytes = part * sizeof(unsigned);
    config.attrs = &shape;
    config.numAttrs = 1;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&most, kernel, &config));
    if (most < (int)blocks_of_cluster) {
        CHECK(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    }
    CHECK(cudaLaunchKernelEx(&config, kernel, device_in, n, bins, part, device_out));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out.data(), device_out, bins * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < bins; i++) {
        if (out[i] != expected[i]) {
            printf("%s: FAIL (clusters of %u blocks: bin %d has %u, expected %u)\n", PROGRAM, blocks_of_cluster, i, out[i],
                   expected[i]);
            exit(1);
        }
    }
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 6000, bins = 1000;
    std::vector<unsigned> in(n), expected(bins);
    unsigned state = 12345;
    for (unsigned &v : in) {
        state = state * 1664525u + 1013904223u;
        v = state >> 8;
        expected[v % bins]++;
    }
    for (unsigned blocks : {1u, 2u, 3u, 8u, 16u}) {
        run(count_in_groups, blocks, in, bins, expected);
        run(count_with_intrinsics, blocks, in, bins, expected);
    }
    pass();
}
