// Cooperative groups (block, tiles of every size, coalesced threads, reduce, scans), the warp functions of
// old programs (__shfl and __ballot without _sync), atomics with a scope, the clock, lanes that leave before
// a barrier. The host computes each answer from the definition of the operation over the group's members.
#define PROGRAM "features_groups"
#include "kernels/check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/details/partitioning.h>
#include <cooperative_groups/details/reduce.h>
#include <cooperative_groups/details/scan.h>

namespace cg = cooperative_groups;

static const int THREADS = 96;

static __host__ __device__ unsigned value_of(int thread) {
    unsigned x = (unsigned)thread * 2654435769u;
    return x ^ (x >> 13);
}

struct TileAnswers {
    unsigned rank, size, meta, sum, largest, bits, prefix, before, down, up, crossed, first, any, all, ballot;
};

template <unsigned N>
static __global__ void tiles(TileAnswers *answers) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<N> tile = cg::tiled_partition<N>(block);
    unsigned value = value_of(block.thread_rank());
    TileAnswers own;
    own.rank = tile.thread_rank();
    own.size = tile.size();
    own.meta = tile.meta_group_rank();
    own.sum = cg::reduce(tile, value, cg::plus<unsigned>());
    own.largest = cg::reduce(tile, value, cg::greater<unsigned>());
    own.bits = cg::reduce(tile, value, cg::bit_xor<unsigned>());
    own.prefix = cg::inclusive_scan(tile, value);
    own.before = cg::exclusive_scan(tile, value, cg::plus<unsigned>());
    own.down = tile.shfl_down(value, 1);
    own.up = tile.shfl_up(value, 1);
    own.crossed = tile.shfl_xor(value, N / 2);
    own.first = tile.shfl(value, 0);
    own.any = tile.any(value % 8 == 0) != 0;
    own.all = tile.all(value % 8 != 0) != 0;
    own.ballot = tile.ballot(value & 1);
    tile.sync();
    block.sync();
    answers[block.thread_rank()] = own;
}

template <unsigned N>
static void check_tiles() {
    TileAnswers *device = device_zeros<TileAnswers>(THREADS);
    tiles<N><<<1, THREADS>>>(device);
    CHECK_KERNEL();
    std::vector<TileAnswers> got = to_host(device, THREADS);
    for (int i = 0; i < THREADS; i++) {
        unsigned first = i / N * N, sum = 0, largest = 0, bits = 0, prefix = 0, ballot = 0;
        bool any = false, all = true;
        for (unsigned j = first; j < first + N; j++) {
            unsigned v = value_of(j);
            sum += v;
            largest = v > largest ? v : largest;
            bits ^= v;
            prefix += j <= (unsigned)i ? v : 0;
            ballot |= (v & 1) << (j - first);
            any |= v % 8 == 0;
            all &= v % 8 != 0;
        }
        unsigned rank = i - first;
        expect_equal("rank in the tile", i, rank, got[i].rank);
        expect_equal("size of the tile", i, N, got[i].size);
        expect_equal("rank of the tile", i, i / N, got[i].meta);
        expect_equal("reduce plus", i, sum, got[i].sum);
        expect_equal("reduce greater", i, largest, got[i].largest);
        expect_equal("reduce xor", i, bits, got[i].bits);
        expect_equal("inclusive scan", i, prefix, got[i].prefix);
        expect_equal("exclusive scan", i, prefix - value_of(i), got[i].before);
        expect_equal("shfl_down", i, value_of(rank + 1 < N ? i + 1 : i), got[i].down);
        expect_equal("shfl_up", i, value_of(rank ? i - 1 : i), got[i].up);
        expect_equal("shfl_xor", i, value_of(first + (rank ^ N / 2)), got[i].crossed);
        expect_equal("shfl", i, value_of(first), got[i].first);
        expect_equal("any", i, any, got[i].any);
        expect_equal("all", i, all, got[i].all);
        expect_equal("ballot", i, ballot, got[i].ballot);
    }
    CHECK(cudaFree(device));
}

// The lanes that take the branch form a group; one of them adds for all.
static __global__ void coalesced(unsigned *slots, unsigned *next, unsigned *sums) {
    unsigned value = value_of(threadIdx.x);
    if (value % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        unsigned base = 0;
        if (group.thread_rank() == 0) {
            base = atomicAdd(next, group.size());
        }
        base = group.shfl(base, 0);
        slots[base + group.thread_rank()] = threadIdx.x;
        sums[threadIdx.x] = cg::reduce(group, value, cg::plus<unsigned>());
    }
}

static void check_coalesced() {
    unsigned *slots = device_zeros<unsigned>(THREADS), *next = device_zeros<unsigned>(1);
    unsigned *sums = device_zeros<unsigned>(THREADS);
    coalesced<<<1, THREADS>>>(slots, next, sums);
    CHECK_KERNEL();
    std::vector<unsigned> order = to_host(slots, THREADS), all = to_host(sums, THREADS);
    unsigned members = 0, seen[THREADS] = {};
    for (int warp = 0; warp < THREADS / 32; warp++) {
        unsigned sum = 0;
        for (int i = warp * 32; i < warp * 32 + 32; i++) {
            members += value_of(i) % 3 == 0;
            sum += value_of(i) % 3 == 0 ? value_of(i) : 0;
        }
        for (int i = warp * 32; i < warp * 32 + 32; i++) {
            expect_equal("sum of the coalesced group", i, value_of(i) % 3 == 0 ? sum : 0, all[i]);
        }
    }
    expect_equal("members", 0, members, to_host(next, 1)[0]);
    for (unsigned i = 0; i < members; i++) {
        seen[order[i]]++;
        bool rising = !i || order[i] / 32 != order[i - 1] / 32 || order[i] > order[i - 1];
        expect_true("order inside a warp", i, rising);
    }
    for (int i = 0; i < THREADS; i++) {
        expect_equal("slots of a thread", i, value_of(i) % 3 == 0 ? 1u : 0u, seen[i]);
    }
    CHECK(cudaFree(slots));
    CHECK(cudaFree(next));
    CHECK(cudaFree(sums));
}

struct LegacyAnswers {
    int shuffled, down, up, crossed;
    unsigned ballot;
    int any, all;
    float real;
};

static __global__ void legacy(LegacyAnswers *answers) {
    int lane = threadIdx.x % warpSize, value = (int)value_of(threadIdx.x);
    LegacyAnswers own;
    own.shuffled = __shfl(value, (lane + 5) % 32);
    own.down = __shfl_down(value, 4);
    own.up = __shfl_up(value, 4, 16);
    own.crossed = __shfl_xor(value, 3);
    own.ballot = __ballot(value & 1);
    own.any = __any(value % 64 == 0);
    own.all = __all(value % 64 != 0);
    own.real = __shfl_xor((float)lane, 1);
    answers[threadIdx.x] = own;
}

static void check_legacy() {
    LegacyAnswers *device = device_zeros<LegacyAnswers>(THREADS);
    legacy<<<1, THREADS>>>(device);
    CHECK_KERNEL();
    std::vector<LegacyAnswers> got = to_host(device, THREADS);
    for (int i = 0; i < THREADS; i++) {
        int first = i / 32 * 32, lane = i - first;
        unsigned ballot = 0;
        bool any = false;
        for (int j = 0; j < 32; j++) {
            ballot |= (value_of(first + j) & 1) << j;
            any |= (int)value_of(first + j) % 64 == 0;
        }
        expect_equal("__shfl", i, (int)value_of(first + (lane + 5) % 32), got[i].shuffled);
        expect_equal("__shfl_down", i, (int)value_of(lane < 28 ? i + 4 : i), got[i].down);
        expect_equal("__shfl_up", i, (int)value_of(lane % 16 < 4 ? i : i - 4), got[i].up);
        expect_equal("__shfl_xor", i, (int)value_of(first + (lane ^ 3)), got[i].crossed);
        expect_equal("__ballot", i, ballot, got[i].ballot);
        expect_equal("__any", i, any ? 1 : 0, got[i].any != 0 ? 1 : 0);
        expect_equal("__all", i, any ? 0 : 1, got[i].all != 0 ? 1 : 0);
        expect_equal("__shfl_xor of a float", i, (float)(lane ^ 1), got[i].real);
    }
    CHECK(cudaFree(device));
}

struct Scoped {
    int added, largest;
    unsigned bits, ones, flips, swapped, least;
    unsigned long long wide;
    float real;
};

static __global__ void scoped(Scoped *total, long long *ticks) {
    __shared__ int inside;
    long long start = clock64();
    clock_t begin = clock();
    if (threadIdx.x == 0) {
        inside = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd_block(&inside, 1);
    atomicAdd_system(&total->added, i);
    atomicMax_system(&total->largest, i * 7 % 1000);
    atomicMin_system(&total->least, 100000u - i);
    atomicOr_system(&total->bits, 1u << i % 32);
    atomicAnd_system(&total->ones, ~(1u << i % 31));
    atomicXor_system(&total->flips, (unsigned)i);
    atomicCAS_system(&total->swapped, 77u, 78u);
    atomicAdd_system(&total->wide, 1ull << 33);
    atomicAdd_block(&total->real, 0.5f);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicExch_system(&total[1].added, inside);
        ticks[2 * blockIdx.x] = clock64() - start;
        ticks[2 * blockIdx.x + 1] = clock() - begin;
    }
}

static void check_scoped() {
    const int blocks = 4, threads = blocks * THREADS;
    std::vector<Scoped> begin(2);
    begin[0] = Scoped{0, 0, 0, ~0u, 0, 77, ~0u, 0, 0.0f};
    Scoped *device = to_device(begin);
    long long *ticks = device_zeros<long long>(2 * blocks);
    scoped<<<blocks, THREADS>>>(device, ticks);
    CHECK_KERNEL();
    Scoped got = to_host(device, 1)[0];
    int largest = 0;
    unsigned flips = 0;
    for (int i = 0; i < threads; i++) {
        largest = i * 7 % 1000 > largest ? i * 7 % 1000 : largest;
        flips ^= (unsigned)i;
    }
    expect_equal("atomicAdd_system", 0, threads * (threads - 1) / 2, got.added);
    expect_equal("atomicMax_system", 0, largest, got.largest);
    expect_equal("atomicMin_system", 0, 100000u - (threads - 1), got.least);
    expect_equal("atomicOr_system", 0, ~0u, got.bits);
    expect_equal("atomicAnd_system", 0, 0x80000000u, got.ones);
    expect_equal("atomicXor_system", 0, flips, got.flips);
    expect_equal("atomicCAS_system", 0, 78u, got.swapped);
    expect_equal("atomicAdd_system, 64 bits", 0, (unsigned long long)threads << 33, got.wide);
    expect_equal("atomicAdd_block of a float", 0, threads * 0.5f, got.real);
    expect_equal("atomicAdd_block, atomicExch_system", 0, THREADS, to_host(device, 2)[1].added);
    std::vector<long long> passed = to_host(ticks, 2 * blocks);
    for (int i = 0; i < 2 * blocks; i++) {
        expect_true("the clock advances", i, passed[i] > 0);
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(ticks));
}

static __device__ __noinline__ int sum_of_shared(int *cells, int thread, int count) {
    cells[thread] = thread + 1;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += cells[i];
    }
    return sum;
}

// Some lanes of a warp do something else and leave; the others meet at a barrier, here inside a function.
static __global__ void leave_by_ways(int *out, int count) {
    __shared__ int cells[THREADS];
    int thread = threadIdx.x;
    if (thread >= count) {
        if (thread % 3 == 0) {
            out[thread] = -3;
            return;
        }
        if (thread % 3 == 1) {
            for (int i = 0; i < thread; i++) {
                out[thread] += i;
            }
            return;
        }
        out[thread] = -9;
        return;
    }
    out[thread] = sum_of_shared(cells, thread, count);
}

// One more lane leaves in each round of a loop with a barrier.
static __global__ void leave_by_turns(int *out, int rounds) {
    __shared__ int sum;
    int thread = threadIdx.x;
    if (thread == 0) {
        sum = 0;
    }
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        if (thread < round) {
            out[thread] = -round;
            return;
        }
        atomicAdd(&sum, 1);
        __syncthreads();
        out[thread] = sum;
    }
}

static void check_leaving() {
    const int count = 40;
    int *out = device_zeros<int>(THREADS);
    leave_by_ways<<<1, THREADS>>>(out, count);
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, THREADS);
    for (int i = 0; i < THREADS; i++) {
        int gone = i % 3 == 0 ? -3 : i % 3 == 1 ? i * (i - 1) / 2 : -9;
        expect_equal("lanes that left or stayed", i, i < count ? count * (count + 1) / 2 : gone, got[i]);
    }
    leave_by_turns<<<1, THREADS>>>(out, count);
    CHECK_KERNEL();
    got = to_host(out, THREADS);
    int sum = 0;
    for (int round = 0; round < count; round++) {
        sum += THREADS - round;
    }
    for (int i = 0; i < THREADS; i++) {
        expect_equal("one lane less in each round", i, i < count - 1 ? -(i + 1) : sum, got[i]);
    }
    CHECK(cudaFree(out));
}

int main() {
    check_tiles<32>();
    check_tiles<16>();
    check_tiles<8>();
    check_tiles<4>();
    check_tiles<2>();
    check_coalesced();
    check_legacy();
    check_scoped();
    check_leaving();
    return pass();
}
