// Tiles that bulk copies bring to shared memory and take back to global memory (cp.async.bulk), two of each in flight:
// a barrier object counts the bytes of a tile that arrives, bulk groups those that leave. Lines of an image are
// smoothed; then the blocks of a cluster exchange values with bulk copies between their memories.
#define PROGRAM "bulk_pipeline"
#include "../check.h"
#include "barrier_object.h"

constexpr int THREADS = 128, TILE = 2 * THREADS, BYTES = TILE * sizeof(unsigned);

__device__ void init(word *bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}

__device__ void load(void *to, const void *from, unsigned bytes, word *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(bar))
                 : "memory");
}

__device__ void store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(__cvta_generic_to_global(to)),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}

__device__ void proxies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// out[i] = in[i - 1] + 2 in[i] + in[i + 1] within a tile, whose ends are its own neighbours. Each block has its tiles.
__global__ void smooth(const unsigned *in, unsigned *out, int tiles) {
    __shared__ alignas(128) unsigned read[2][TILE], written[2][TILE];
    __shared__ word bar[2];
    int t = threadIdx.x;
    const unsigned *from = in + (size_t)blockIdx.x * tiles * TILE;
    unsigned *to = out + (size_t)blockIdx.x * tiles * TILE;
    auto fetch = [&](int i) {
        if (t == 0 && i < tiles) {
            expect(&bar[i % 2], BYTES);
            load(read[i % 2], from + (size_t)i * TILE, BYTES / 2, &bar[i % 2]);
            load(read[i % 2] + TILE / 2, from + (size_t)i * TILE + TILE / 2, BYTES / 2, &bar[i % 2]);
        }
    };
    if (t == 0) {
        init(&bar[0], 1);
        init(&bar[1], 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    fetch(0);
    for (int i = 0; i < tiles; i++) {
        fetch(i + 1);
        if (t == 0) {
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        }
        wait(&bar[i % 2], i / 2 % 2);
        __syncthreads();
        for (int k = t; k < TILE; k += THREADS) {
            const unsigned *tile = read[i % 2];
            written[i % 2][k] = tile[(k + TILE - 1) % TILE] + 2 * tile[k] + tile[(k + 1) % TILE];
        }
        proxies();
        __syncthreads();
        if (t == 0) {
            store(to + (size_t)i * TILE, written[i % 2], BYTES);
        }
    }
    if (t == 0) {
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// Every block sends its values to the next one of the cluster, half of them to each half of its memory.
// out = what came.
__global__ void exchange(const unsigned *in, unsigned *out) {
    __shared__ alignas(128) unsigned own[THREADS], value[THREADS];
    __shared__ word bar;
    int t = threadIdx.x, first = blockIdx.x * THREADS;
    unsigned next = (__clusterRelativeBlockRank() + 1) % __clusterSizeInBlocks();
    own[t] = in[first + t];
    if (t == 0) {
        init(&bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        expect(&bar, sizeof own);
    }
    proxies();
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    auto of_next = [&](const void *p) {
        unsigned a;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(shared_address(p)), "r"(next));
        return a;
    };
    if (t < 2) {
        int half = THREADS / 2;
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
                     "[%3];" ::"r"(of_next(value + t * half)),
                     "r"(shared_address(own + (1 - t) * half)), "r"((unsigned)sizeof own / 2), "r"(of_next(&bar))
                     : "memory");
    }
    wait(&bar, 0);
    out[first + t] = value[t];
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}

static std::vector<unsigned> numbers(int n) {
    Lcg random(n);
    std::vector<unsigned> v(n);
    for (auto &x : v) {
        x = random.next();
    }
    return v;
}

static void check(const char *what, const unsigned *device, const std::vector<unsigned> &expected) {
    CHECK_KERNEL();
    auto got = to_host(device, expected.size());
    for (size_t i = 0; i < expected.size(); i++) {
        expect_equal(what, (int)i, expected[i], got[i]);
    }
}

static void test_smooth(int blocks, int tiles) {
    auto in = numbers(blocks * tiles * TILE);
    std::vector<unsigned> want(in.size());
    for (size_t i = 0; i < in.size(); i++) {
        size_t tile = i / TILE * TILE, k = i % TILE;
        want[i] = in[tile + (k + TILE - 1) % TILE] + 2 * in[i] + in[tile + (k + 1) % TILE];
    }
    unsigned *from = to_device(in), *to = device_zeros<unsigned>(in.size());
    smooth<<<blocks, THREADS>>>(from, to, tiles);
    check("smooth", to, want);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

static void test_exchange(int clusters, int blocks) {
    auto in = numbers(clusters * blocks * THREADS);
    std::vector<unsigned> want(in.size());
    for (int b = 0; b < clusters * blocks; b++) {
        int before = b / blocks * blocks + (b % blocks + blocks - 1) % blocks;
        for (int t = 0; t < THREADS; t++) {
            want[b * THREADS + t] = in[before * THREADS + (t + THREADS / 2) % THREADS];
        }
    }
    unsigned *from = to_device(in), *to = device_zeros<unsigned>(want.size());
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute shape = {};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {(unsigned)blocks, 1, 1};
    config.gridDim = clusters * blocks;
    config.blockDim = THREADS;
    config.attrs = &shape;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, exchange, (const unsigned *)from, to));
    check("exchange", to, want);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

int main() {
    test_smooth(1, 1);
    test_smooth(3, 2);
    test_smooth(5, 9);
    test_exchange(1, 2);
    test_exchange(3, 4);
    return pass();
}
