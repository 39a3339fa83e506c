// Cooperative groups: tiles, coalesced, labelled and binary partitions, shuffles of structs, reductions and scans in
// rank order with an operation that does not commute, asynchronous copies. The host computes every result from its
// definition.
#define PROGRAM "group_partitions"
#include "../check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

enum { THREADS = 64, COPIED = 100 };

struct Particle {
    double position;
    int identity;
    unsigned char kind;
};

// Composition of x -> a x + b modulo 2^32: associative, not commutative.
struct Affine {
    unsigned a, b;
};

struct Compose {
    __host__ __device__ Affine operator()(const Affine &f, const Affine &g) const {
        return {f.a * g.a, g.a * f.b + g.b};
    }
};

struct Result {
    Particle neighbour;
    int label_sum, label_size, label_rank, label_parts, label_part;
    int binary_size, binary_part;
    Affine tile_all, tile_scan, group_all;
    int exclusive, tile8_max, part_of_coalesced, grid_rank;
    int part_of_block, parts_of_block, part_of_warp, parts_of_warp, part_of_eight, parts_of_eight;
};

__device__ Affine affine_of(int i) {
    return {2u * (unsigned)i + 1, (unsigned)(i * i) + 5};
}

__global__ void partitions(Result *out, const int *source, int *copy) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int i = (int)block.thread_rank();
    Result r;
    Particle mine = {0.25 * i, i, (unsigned char)(i % 7)};
    r.neighbour = tile.shfl_down(mine, 3);
    cg::coalesced_group same = cg::labeled_partition(warp, i % 5);
    r.label_sum = cg::reduce(same, i, cg::plus<int>());
    r.label_size = (int)same.size();
    r.label_rank = (int)same.thread_rank();
    r.label_parts = (int)same.meta_group_size();
    r.label_part = (int)same.meta_group_rank();
    cg::coalesced_group half = cg::binary_partition(warp, i % 3 == 0);
    r.binary_size = (int)half.size();
    r.binary_part = (int)half.meta_group_rank();
    r.tile_all = cg::reduce(tile, affine_of(i), Compose());
    r.tile_scan = cg::inclusive_scan(tile, affine_of(i), Compose());
    r.group_all = cg::reduce(same, affine_of(i), Compose());
    r.part_of_block = (int)tile.meta_group_rank();
    r.parts_of_block = (int)tile.meta_group_size();
    auto four = cg::tiled_partition<4>(warp);
    r.part_of_warp = (int)four.meta_group_rank();
    r.parts_of_warp = (int)four.meta_group_size();
    cg::thread_block_tile<2> two = cg::tiled_partition<2>(tile);
    r.part_of_eight = (int)two.meta_group_rank();
    r.parts_of_eight = (int)two.meta_group_size();
    r.exclusive = cg::exclusive_scan(warp, i);
    r.tile8_max = cg::reduce(tile, i * 7 % 11, cg::greater<int>());
    r.part_of_coalesced = -1;
    if (i % 2) {
        cg::coalesced_group odd = cg::coalesced_threads();
        r.part_of_coalesced = cg::reduce(cg::tiled_partition(odd, 4), i, cg::plus<int>());
    }
    r.grid_rank = (int)cg::this_grid().thread_rank();
    __shared__ int staged[COPIED];
    cg::memcpy_async(block, staged, source, sizeof staged);
    cg::wait(block);
    for (int k = i; k < COPIED; k += THREADS) {
        copy[k] = staged[COPIED - 1 - k];
    }
    out[i] = r;
}

static Affine host_affine(int i) {
    return {2u * (unsigned)i + 1, (unsigned)(i * i) + 5};
}

static Affine composed(const std::vector<int> &members) {
    Affine all = host_affine(members[0]);
    for (size_t k = 1; k < members.size(); k++) {
        all = Compose()(all, host_affine(members[k]));
    }
    return all;
}

static std::vector<int> members(int first, int count, int modulus, int rest) {
    std::vector<int> m;
    for (int i = first; i < first + count; i++) {
        if (i % modulus == rest) {
            m.push_back(i);
        }
    }
    return m;
}

static void expect_affine(const char *what, int i, const Affine &expected, const Affine &got) {
    expect_equal(what, i, expected.a, got.a);
    expect_equal(what, i, expected.b, got.b);
}

static void expect_result(int i, const Result &r) {
    int warp = i / 32 * 32, tile = i / 8 * 8, neighbour = i % 8 + 3 < 8 ? i + 3 : i;
    expect_equal("position of a shuffled struct", i, 0.25 * neighbour, r.neighbour.position);
    expect_equal("its last byte", i, neighbour % 7, (int)r.neighbour.kind);
    std::vector<int> same = members(warp, 32, 5, i % 5);
    int sum = 0, rank = 0;
    for (int m : same) {
        sum += m;
        rank += m < i;
    }
    expect_equal("sum of a labelled group", i, sum, r.label_sum);
    expect_equal("its size", i, (int)same.size(), r.label_size);
    expect_equal("rank in it", i, rank, r.label_rank);
    expect_equal("number of labelled groups", i, 5, r.label_parts);
    expect_equal("its number", i, (i % 5 - warp % 5 + 5) % 5, r.label_part);
    int thirds = (int)members(warp, 32, 3, 0).size();
    expect_equal("size of a binary partition", i, i % 3 ? 32 - thirds : thirds, r.binary_size);
    expect_equal("its number", i, i % 3 == 0 ? 1 : 0, r.binary_part);
    expect_affine("composition in a tile", i, composed(members(tile, 8, 1, 0)), r.tile_all);
    expect_affine("scan in a tile", i, composed(members(tile, i - tile + 1, 1, 0)), r.tile_scan);
    expect_affine("composition in a labelled group", i, composed(same), r.group_all);
    expect_equal("tile of a block", i, i / 8, r.part_of_block);
    expect_equal("tiles of a block", i, THREADS / 8, r.parts_of_block);
    expect_equal("tile of a warp", i, i % 32 / 4, r.part_of_warp);
    expect_equal("tiles of a warp", i, 8, r.parts_of_warp);
    expect_equal("tile of a tile, whose type does not name it", i, i % 8 / 2, r.part_of_eight);
    expect_equal("tiles of a tile", i, 4, r.parts_of_eight);
    int below = 0, most = 0;
    for (int k = warp; k < i; k++) {
        below += k;
    }
    for (int k = tile; k < tile + 8; k++) {
        most = k * 7 % 11 > most ? k * 7 % 11 : most;
    }
    expect_equal("exclusive scan", i, below, r.exclusive);
    expect_equal("maximum of a tile", i, most, r.tile8_max);
    int four = warp + (i - warp) / 8 * 8;
    expect_equal("part of a coalesced group", i, i % 2 ? 4 * four + 1 + 3 + 5 + 7 : -1, r.part_of_coalesced);
    expect_equal("rank in the grid", i, i, r.grid_rank);
}

int main() {
    std::vector<int> source(COPIED);
    for (int i = 0; i < COPIED; i++) {
        source[i] = 3 * i;
    }
    Result *out = device_buffer<Result>(THREADS);
    int *copy = device_zeros<int>(COPIED);
    partitions<<<1, THREADS>>>(out, to_device(source), copy);
    CHECK_KERNEL();
    std::vector<Result> results = to_host(out, THREADS);
    for (int i = 0; i < THREADS; i++) {
        expect_result(i, results[i]);
    }
    std::vector<int> copied = to_host(copy, COPIED);
    for (int i = 0; i < COPIED; i++) {
        expect_equal("copy", i, source[COPIED - 1 - i], copied[i]);
    }
    return pass();
}
