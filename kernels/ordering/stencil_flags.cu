// A stencil whose blocks run all steps in one launch and tell their neighbours by flags (STN of Singh, Shriraman, Fung,
// O'Connor and Aamodt, Cache Coherence for GPU Architectures, HPCA 2013). A block owns a strip of rows. Before a step
// it waits until the flags of the strips above and below show the step before; after the step it raises its own. So no
// block is ever more than one step ahead of its neighbours, and two copies of the grid suffice.
// Communication: after a step, a block copies its first and its last row to where its neighbours read them; these rows
// are read and written volatile, with a fence between them and the flag on both sides. The strip is the block's own.
// Checked: every cell after all steps, in integers modulo 2^32, against the host.
// also: --timing --config gtx480-sc
#define PROGRAM "stencil_flags"
#include "../bench/options.h"

#include <algorithm>

static const int BLOCK = 128, WIDTH = 256, ROWS = 8, MOST_BLOCKS = 96;

struct Grid {
    unsigned *strips[2]; // ROWS rows of each block
    unsigned *edges[2];  // the first and the last row of each block, between two rows that never change
    int *flags;          // steps that each block has completed
    int steps;
};

static __host__ __device__ unsigned next_value(unsigned here, unsigned left, unsigned right, unsigned up,
                                               unsigned down) {
    return 5 * here + 3 * left + 7 * right + 11 * up + 13 * down + 1;
}

static __device__ __forceinline__ void wait_for(const int *flag, int step) {
    while (*(const volatile int *)flag < step) {
    }
}

static __device__ __forceinline__ void wait_for_neighbours(const Grid &grid, int step) {
    if (threadIdx.x == 0 && blockIdx.x > 0) {
        wait_for(&grid.flags[blockIdx.x - 1], step);
    }
    if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x) {
        wait_for(&grid.flags[blockIdx.x + 1], step);
    }
    __threadfence();
    __syncthreads();
}

static __device__ __forceinline__ void raise_flag(const Grid &grid, int step) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        *(volatile int *)&grid.flags[blockIdx.x] = step;
    }
}

// What a block reads and writes in one step. The edges of block b are rows 2 b + 1 and 2 b + 2 of all edges.
struct Strip {
    const unsigned *own;
    const unsigned *above, *below;
    unsigned *next;
    volatile unsigned *next_edges;
};

static __device__ __forceinline__ Strip strip_of_block(const Grid &grid, int step) {
    int now = step % 2, then = 1 - now, cells = blockIdx.x * ROWS * WIDTH, edges = 2 * blockIdx.x * WIDTH;
    return {grid.strips[now] + cells, grid.edges[now] + edges, grid.edges[now] + edges + 3 * WIDTH,
            grid.strips[then] + cells, grid.edges[then] + edges + WIDTH};
}

static __device__ __forceinline__ unsigned fresh(const unsigned *word) {
    return *(const volatile unsigned *)word;
}

// Rows `from` to `to` - 1, of which the first or the last may be the strip's.
template <bool FIRST, bool LAST>
static __device__ __forceinline__ void advance_rows(const Strip &strip, int from, int to) {
    for (int i = from * WIDTH + threadIdx.x; i < to * WIDTH; i += BLOCK) {
        int column = i % WIDTH, line = i - column;
        unsigned up = FIRST ? fresh(&strip.above[column]) : strip.own[i - WIDTH];
        unsigned down = LAST ? fresh(&strip.below[column]) : strip.own[i + WIDTH];
        unsigned left = strip.own[line + (column + WIDTH - 1) % WIDTH], right = strip.own[line + (column + 1) % WIDTH];
        unsigned value = next_value(strip.own[i], left, right, up, down);
        strip.next[i] = value;
        if (FIRST || LAST) {
            strip.next_edges[LAST * WIDTH + column] = value;
        }
    }
}

static __device__ __forceinline__ void advance(const Strip &strip) {
    advance_rows<true, false>(strip, 0, 1);
    advance_rows<false, false>(strip, 1, ROWS - 1);
    advance_rows<false, true>(strip, ROWS - 1, ROWS);
}

static __global__ void run_steps(Grid grid) {
    for (int step = 0; step < grid.steps; step++) {
        wait_for_neighbours(grid, step);
        advance(strip_of_block(grid, step));
        raise_flag(grid, step + 1);
    }
}

// The whole grid, between two rows that never change.
static std::vector<unsigned> host_step(const std::vector<unsigned> &from, int rows) {
    std::vector<unsigned> to = from;
    for (int row = 1; row <= rows; row++) {
        const unsigned *line = &from[row * WIDTH];
        for (int column = 0; column < WIDTH; column++) {
            to[row * WIDTH + column] =
                next_value(line[column], line[(column + WIDTH - 1) % WIDTH], line[(column + 1) % WIDTH],
                           line[column - WIDTH], line[column + WIDTH]);
        }
    }
    return to;
}

// The rows that neighbours read: the first and the last one of each strip, and those around the grid.
static std::vector<unsigned> edges_of(const std::vector<unsigned> &cells, int blocks) {
    std::vector<unsigned> edges(cells.begin(), cells.begin() + WIDTH);
    for (int row = 1; row <= blocks * ROWS; row++) {
        if (row % ROWS == 1 || row % ROWS == 0) {
            edges.insert(edges.end(), &cells[row * WIDTH], &cells[row * WIDTH] + WIDTH);
        }
    }
    edges.insert(edges.end(), cells.end() - WIDTH, cells.end());
    return edges;
}

// Blocks that wait for each other must all be resident.
static int resident_blocks() {
    cudaDeviceProp properties;
    int per_multiprocessor = 0;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, run_steps, BLOCK, 0));
    return std::min(MOST_BLOCKS, per_multiprocessor * properties.multiProcessorCount);
}

int main(int argc, char **argv) {
    int steps = read_options(argc, argv, {"steps", 4, 24, 1, 100000});
    int blocks = resident_blocks(), rows = blocks * ROWS;
    Lcg random(120);
    std::vector<unsigned> cells((size_t)(rows + 2) * WIDTH);
    for (unsigned &cell : cells) {
        cell = random.next();
    }
    std::vector<unsigned> edges = edges_of(cells, blocks), inner(cells.begin() + WIDTH, cells.end() - WIDTH);
    Grid grid = {{to_device(inner), to_device(inner)}, {to_device(edges), to_device(edges)}, device_zeros<int>(blocks),
                 steps};
    run_steps<<<blocks, BLOCK>>>(grid);
    CHECK_KERNEL();
    for (int step = 0; step < steps; step++) {
        cells = host_step(cells, rows);
    }
    inner.assign(cells.begin() + WIDTH, cells.end() - WIDTH);
    expect_same("cell", inner, to_host(grid.strips[steps % 2], inner.size()));
    expect_same("edge", edges_of(cells, blocks), to_host(grid.edges[steps % 2], edges.size()));
    expect_same("flags", std::vector<int>(blocks, steps), to_host(grid.flags, blocks));
    return pass();
}
