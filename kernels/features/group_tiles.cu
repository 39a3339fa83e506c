// Cooperative groups larger than a warp: tiles of 64 to 1024 threads, partitioned again into warps, with barriers,
// broadcasts, votes, reductions and scans in rank order by an operation that does not commute, values larger than the
// exchange slots; a cluster of one block; results that groups combine into atomics and memory. The host computes every
// result from its definition.
#define PROGRAM "group_tiles"
// also: --timing --config v100
// also: --set gpu.warp_size=64
#include "../check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// Composition of x -> a x + b modulo 2^64: associative, not commutative. `padding` makes it larger than a slot.
template <int Padding>
struct Affine {
    unsigned long long a, b;
    int padding[Padding];
};

struct Compose {
    template <int P>
    __host__ __device__ Affine<P> operator()(const Affine<P> &f, const Affine<P> &g) const {
        Affine<P> r = f;
        r.a = f.a * g.a;
        r.b = g.a * f.b + g.b;
        return r;
    }
};

template <int P>
__host__ __device__ Affine<P> affine_of(int i) {
    Affine<P> r = {};
    r.a = 2ull * i + 1;
    r.b = 77ull * i * i + 5;
    r.padding[P - 1] = 9;
    return r;
}

struct Result {
    int rank, size, part, parts, broadcast, any, all, sum, above, below, warp_in_tile, neighbours;
    int half, halves, half_sum;
    Affine<1> all_of, up_to, before;
    Affine<20> large;
};

// What cooperative groups need of an atomic.
struct Atomic {
    int value;
    __device__ int load() { return *(volatile int *)&value; }
    __device__ bool compare_exchange_weak(int &expected, int desired) {
        int before = atomicCAS(&value, expected, desired), wanted = expected;
        expected = before;
        return before == wanted;
    }
};

struct Totals {
    Atomic updated, most, scanned;
    int stored[16];
};

// Each thread reads what its neighbours in the tile wrote before a barrier, in rounds that a missing barrier breaks.
template <class Tile>
__device__ int through_memory(const Tile &tile, int *line) {
    int first = (int)(tile.meta_group_rank() * tile.size()), rank = (int)tile.thread_rank(), sum = 0;
    for (int round = 1; round <= 3; round++) {
        line[first + rank] = round * rank;
        tile.sync();
        sum += line[first + (rank + 33) % (int)tile.size()];
        tile.sync();
    }
    return sum;
}

template <int N>
__global__ void tiles(Result *out, Totals *totals) {
    __shared__ cg::block_tile_memory<1024> memory;
    __shared__ int line[1024];
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<N>(block);
    cg::thread_block_tile<N> same = tile;
    auto warp = cg::tiled_partition<32>(tile);
    int i = (int)block.thread_rank();
    Result r;
    r.rank = (int)tile.thread_rank();
    r.size = (int)tile.num_threads();
    r.part = (int)tile.meta_group_rank();
    r.parts = (int)tile.meta_group_size();
    r.broadcast = tile.shfl(i, 37);
    r.any = tile.any(i == 70);
    r.all = tile.all(i != 70);
    r.sum = cg::reduce(same, i, cg::plus<int>());
    r.above = cg::inclusive_scan(tile, i);
    r.below = cg::exclusive_scan(tile, i % 7, cg::greater<int>());
    r.warp_in_tile = cg::reduce(warp, i, cg::less<int>());
    auto half = cg::tiled_partition<N / 2>(tile);
    r.half = (int)half.meta_group_rank();
    r.halves = (int)half.meta_group_size();
    r.half_sum = cg::reduce(half, i, cg::plus<int>());
    r.neighbours = through_memory(tile, line);
    r.all_of = cg::reduce(tile, affine_of<1>(i), Compose());
    r.up_to = cg::inclusive_scan(tile, affine_of<1>(i), Compose());
    r.before = cg::exclusive_scan(tile, affine_of<1>(i), Compose());
    r.large = cg::reduce(tile, affine_of<20>(i), Compose());
    out[i] = r;
    cg::reduce_update_async(tile, totals->updated, i, cg::plus<int>());
    cg::reduce_update_async(tile, totals->most, i, cg::greater<int>());
    cg::reduce_store_async(tile, &totals->stored[r.part], i, cg::bit_xor<int>());
    int inclusive = cg::inclusive_scan_update(tile, totals->scanned, 1);
    cg::sync(block);
    line[inclusive - 1] = 1;
    block.sync();
    if (!line[i]) {
        totals->scanned.value = -1;
    }
}

static Affine<1> composed(int first, int end) {
    Affine<1> all = affine_of<1>(first);
    for (int i = first + 1; i < end; i++) {
        all = Compose()(all, affine_of<1>(i));
    }
    return all;
}

static void expect_affine(const char *what, int i, const Affine<1> &expected, unsigned long long a,
                          unsigned long long b) {
    expect_equal(what, i, expected.a, a);
    expect_equal(what, i, expected.b, b);
}

static void expect_result(int i, int n, int threads, const Result &r) {
    int first = i / n * n, rank = i - first, most = 0;
    expect_equal("rank", i, rank, r.rank);
    expect_equal("size", i, n, r.size);
    expect_equal("tile", i, first / n, r.part);
    expect_equal("tiles", i, threads / n, r.parts);
    expect_equal("broadcast", i, first + 37, r.broadcast);
    bool has = first <= 70 && 70 < first + n;
    expect_equal("any", i, has, r.any != 0);
    expect_equal("all", i, !has, r.all != 0);
    expect_equal("sum", i, n * first + n * (n - 1) / 2, r.sum);
    expect_equal("inclusive sum", i, (rank + 1) * first + rank * (rank + 1) / 2, r.above);
    for (int k = first; k < i; k++) {
        most = k % 7 > most ? k % 7 : most;
    }
    expect_equal("exclusive maximum", i, most, r.below);
    int half = i / (n / 2) * (n / 2);
    expect_equal("half of the tile", i, half % n / (n / 2), r.half);
    expect_equal("halves", i, 2, r.halves);
    expect_equal("sum of the half", i, (n / 2) * half + n / 2 * (n / 2 - 1) / 2, r.half_sum);
    expect_equal("least of the warp", i, i / 32 * 32, r.warp_in_tile);
    expect_equal("through memory", i, 6 * ((rank + 33) % n), r.neighbours);
    expect_affine("composition", i, composed(first, first + n), r.all_of.a, r.all_of.b);
    expect_affine("composition of large values", i, composed(first, first + n), r.large.a, r.large.b);
    expect_equal("the end of a large value", i, 9, r.large.padding[19]);
    expect_affine("inclusive scan", i, composed(first, i + 1), r.up_to.a, r.up_to.b);
    if (rank) {
        expect_affine("exclusive scan", i, composed(first, i), r.before.a, r.before.b);
    }
}

template <int N>
static void check_tiles(int threads) {
    Result *out = device_zeros<Result>(threads);
    Totals *totals = device_zeros<Totals>(1);
    tiles<N><<<1, threads>>>(out, totals);
    CHECK_KERNEL();
    std::vector<Result> got = to_host(out, threads);
    for (int i = 0; i < threads; i++) {
        expect_result(i, N, threads, got[i]);
    }
    Totals t = to_host(totals, 1)[0];
    expect_equal("updated sum", N, threads * (threads - 1) / 2, t.updated.value);
    expect_equal("updated maximum", N, threads - 1, t.most.value);
    expect_equal("scans of all tiles are one sequence", N, threads, t.scanned.value);
    for (int part = 0; part < threads / N; part++) {
        int parity = 0;
        for (int i = part * N; i < part * N + N; i++) {
            parity ^= i;
        }
        expect_equal("stored", part, parity, t.stored[part]);
    }
    CHECK(cudaFree(out));
    CHECK(cudaFree(totals));
}

// Tiles of two sizes at once, and a cluster.
__global__ void two_sizes(int *out) {
    __shared__ int shared;
    cg::thread_block block = cg::this_thread_block();
    auto large = cg::tiled_partition<256>(block);
    auto small = cg::tiled_partition<64>(large);
    cg::cluster_group cluster = cg::this_cluster();
    int i = (int)cluster.thread_rank(), sum = 0;
    for (int round = 0; round < 4; round++) {
        sum += cg::reduce(small, i, cg::plus<int>()) + cg::reduce(large, 1, cg::plus<int>());
    }
    if (i == 5) {
        *cluster.map_shared_rank(&shared, (int)cluster.block_rank()) = 40;
    }
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token &&>(token));
    out[blockIdx.x * blockDim.x + i] = sum + shared + (int)cluster.num_blocks();
}

static void check_two_sizes() {
    enum { BLOCKS = 3, THREADS = 512 };
    int *out = device_zeros<int>(BLOCKS * THREADS);
    two_sizes<<<BLOCKS, THREADS>>>(out);
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, BLOCKS * THREADS);
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        int first = i % THREADS / 64 * 64;
        expect_equal("two sizes", i, 4 * (64 * first + 64 * 63 / 2 + 256) + 41, got[i]);
    }
}

int main() {
    check_tiles<64>(1024);
    check_tiles<64>(192);
    check_tiles<128>(512);
    check_tiles<256>(1024);
    check_tiles<512>(512);
    check_tiles<1024>(1024);
    check_two_sizes();
    return pass();
}
