// Critical sections that access both memories: each block has counters in shared memory, and all blocks have common
// counters in global memory. Each thread several times moves a unit from a counter of one memory to a counter of the
// other, if there is one. A transaction reads and writes one word of each memory, so that the protocols of both
// memories take part. Locks lie in global memory; the shared counter's is taken first.
// Checked: every counter holds its initial value and the units moved to it, and none is negative.
// args: --version fgl
// args: --version lock
// args: --moves 20 --seed 7 --size 7
// args: --moves 20 --version fgl
// also: --timing --config kilotm --set tm.shared=localtm --check full
// also: --timing --config sitm+tm-localtm --check full
// also: --timing --config southern-islands -- --version fgl
// also: --timing --config southern-islands -- --version lock --size 1
// also: --timing -- --version fgl
#define PROGRAM "moves"
#include "draws.h"
#include "../bench/tm_bench.h"

#include <numeric>

static const int BLOCK = 128, QUICK_BLOCKS = 4, PAPER_BLOCKS = 64;
static const int NEAR = 64, FAR = 256, FIRST = 2; // counters of a block, of all; what each begins with

// A move has a number: those of a round by thread of the grid, after those of the round before.
struct Tables {
    int *far;
    int *near;  // of each block, in the end
    int *units; // by move: how many went from near to far
    int *locks; // of each block's near counters, then of the far ones
    int rounds, seed;
};

struct Move {
    int near, far;
    bool away; // from near to far
};

extern __shared__ int near_counters[];

static __host__ __device__ __forceinline__ void draw(int seed, int number, Move *move) {
    Draws draws(seed, number);
    move->near = draws.below(NEAR);
    move->far = draws.below(FAR);
    move->away = draws.below(2);
}

// The critical section. Returns the number of units moved from near to far.
static __device__ __forceinline__ int carry_out(const Tables &tables, const Move &move) {
    int near = near_counters[move.near], far = tables.far[move.far];
    int units = move.away ? near > 0 : -(far > 0);
    if (units) {
        near_counters[move.near] = near - units;
        tables.far[move.far] = far + units;
    }
    return units;
}

// The whole kernel; `critical` receives the move and the body.
template <typename Critical>
static __device__ __forceinline__ void run(const Tables &tables, Critical critical) {
    int threads = (int)gridDim.x * BLOCK, thread = blockIdx.x * BLOCK + threadIdx.x;
    for (int i = threadIdx.x; i < NEAR; i += BLOCK) {
        near_counters[i] = FIRST;
    }
    __syncthreads();
    for (int number = thread; number < tables.rounds * threads; number += threads) {
        Move move;
        int units = 0;
        draw(tables.seed, number, &move);
        critical(move, [&] { units = carry_out(tables, move); });
        tables.units[number] = units;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < NEAR; i += BLOCK) {
        tables.near[blockIdx.x * NEAR + i] = near_counters[i];
    }
}

extern "C" __global__ void moves_tm(Tables tables) {
    run(tables, [](const Move &, auto body) { as_transaction(body); });
}

extern "C" __global__ void moves_fgl(Tables tables) {
    run(tables, [&](const Move &move, auto body) {
        int *near = &tables.locks[blockIdx.x * NEAR + move.near], *far = &tables.locks[gridDim.x * NEAR + move.far];
        under_two_locks(near, far, body);
    });
}

extern "C" __global__ void moves_lock(Tables tables) {
    run(tables, [&](const Move &, auto body) { under_lock(tables.locks, body); });
}

// Counters and locks against the moves that were made.
static void check_tables(const Tables &tables, int blocks) {
    std::vector<int> near(blocks * NEAR, FIRST), far(FAR, FIRST);
    std::vector<int> units = to_host(tables.units, (size_t)tables.rounds * blocks * BLOCK);
    for (int number = 0; number < (int)units.size(); number++) {
        Move move;
        draw(tables.seed, number, &move);
        expect_true("units of a move", number, units[number] == 0 || units[number] == (move.away ? 1 : -1));
        near[number / BLOCK % blocks * NEAR + move.near] -= units[number];
        far[move.far] += units[number];
    }
    expect_same("counter in shared memory", near, to_host(tables.near, near.size()));
    expect_same("counter in global memory", far, to_host(tables.far, far.size()));
    near.insert(near.end(), far.begin(), far.end());
    expect_true("no counter is negative", -1, *std::min_element(near.begin(), near.end()) >= 0);
    expect_equal("units in both memories", -1, (int)near.size() * FIRST, std::accumulate(near.begin(), near.end(), 0));
    expect_same("lock", std::vector<int>(near.size(), 0), to_host(tables.locks, near.size()));
}

int main(int argc, char **argv) {
    int rounds = 4;
    BenchOptions options = bench_options(argc, argv, {"blocks", QUICK_BLOCKS, PAPER_BLOCKS, 1, 1024}, 2016,
                                         {{"moves", "of each thread, from 1 to 1000 (4)", &rounds, nullptr, 1, 1000}});
    int blocks = options.size, moves = rounds * blocks * BLOCK;
    Tables tables = {region_of(std::vector<int>(FAR, FIRST)),
                     device_zeros<int>(blocks * NEAR),
                     device_zeros<int>(moves),
                     device_zeros<int>(blocks * NEAR + FAR),
                     rounds,
                     options.seed};

    void (*const kernels[])(Tables) = {moves_tm, moves_fgl, moves_lock};
    kernels[options.version]<<<blocks, BLOCK, NEAR * sizeof(int)>>>(tables);
    CHECK_KERNEL();

    check_tables(tables, blocks);
    printf("MOVES: %d transactions, %d x %d threads, version %s\n", moves, blocks, BLOCK,
           VERSION_NAMES[options.version]);
    return pass();
}
