// A stencil of five points on the rows of a grid, many steps in one launch: a cluster of blocks holds the grid in its
// shared memory, and in each step the blocks write the rows at their edges into the halos of their neighbours. A second
// kernel exchanges the halos with barrier objects, which count arrivals of the neighbours only.
#define PROGRAM "cluster_stencil"
#include "../check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define BLOCKS 4
constexpr int WIDTH = 64, ROWS = 6, HEIGHT = ROWS * BLOCKS, STEPS = 5;

struct Tile {
    float row[2][ROWS + 2][WIDTH];                // of two steps; the first and last row are the halo
};

__host__ __device__ inline float next(float up, float left, float here, float right, float down) {
    return 0.5f * here + 0.125f * (up + left + right + down);
}

__device__ static void load(Tile &t, const float *grid, int rank) {
    for (int i = threadIdx.x; i < (ROWS + 2) * WIDTH; i += blockDim.x) {
        int y = rank * ROWS + i / WIDTH - 1;
        t.row[0][i / WIDTH][i % WIDTH] = y >= 0 && y < HEIGHT ? grid[y * WIDTH + i % WIDTH] : 0;
        t.row[1][i / WIDTH][i % WIDTH] = 0;
    }
}

__device__ static float at(const Tile &t, int step, int y, int x) {
    return x >= 0 && x < WIDTH ? t.row[step & 1][y][x] : 0;
}

// One step of the rows of this block; its edges also go to the neighbours' halos.
__device__ static void step_rows(Tile &t, Tile *above, Tile *below, int step) {
    for (int i = threadIdx.x; i < ROWS * WIDTH; i += blockDim.x) {
        int y = i / WIDTH + 1, x = i % WIDTH, to = (step + 1) & 1;
        float v = next(at(t, step, y - 1, x), at(t, step, y, x - 1), at(t, step, y, x), at(t, step, y, x + 1),
                       at(t, step, y + 1, x));
        t.row[to][y][x] = v;
        if (y == 1 && above) {
            above->row[to][ROWS + 1][x] = v;
        }
        if (y == ROWS && below) {
            below->row[to][0][x] = v;
        }
    }
}

__device__ static void store(const Tile &t, float *grid, int rank) {
    for (int i = threadIdx.x; i < ROWS * WIDTH; i += blockDim.x) {
        grid[(rank * ROWS + i / WIDTH) * WIDTH + i % WIDTH] = t.row[STEPS & 1][i / WIDTH + 1][i % WIDTH];
    }
}

__global__ void with_barriers(float *grid) {
    __shared__ Tile t;
    cg::cluster_group cluster = cg::this_cluster();
    int rank = (int)cluster.block_rank(), last = (int)cluster.num_blocks() - 1;
    Tile *above = rank > 0 ? cluster.map_shared_rank(&t, rank - 1) : nullptr;
    Tile *below = rank < last ? cluster.map_shared_rank(&t, rank + 1) : nullptr;
    grid += blockIdx.x / (last + 1) * (HEIGHT * WIDTH);
    load(t, grid, rank);
    cluster.sync();
    for (int step = 0; step < STEPS; step++) {
        step_rows(t, above, below, step);
        cluster.sync();
    }
    store(t, grid, rank);
}

__device__ static unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

// Arrives at the object at this place of another block.
__device__ static void arrive_at(unsigned object, unsigned rank) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(object), "r"(rank)
                 : "memory");
}

__device__ static void wait_for(unsigned object, unsigned parity) {
    unsigned done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(object), "r"(parity)
                     : "memory");
    }
}

__global__ void __cluster_dims__(BLOCKS, 1, 1) with_objects(float *grid) {
    __shared__ Tile t;
    __shared__ unsigned long long object;
    cg::cluster_group cluster = cg::this_cluster();
    int rank = (int)cluster.block_rank(), last = (int)cluster.num_blocks() - 1;
    Tile *above = rank > 0 ? cluster.map_shared_rank(&t, rank - 1) : nullptr;
    Tile *below = rank < last ? cluster.map_shared_rank(&t, rank + 1) : nullptr;
    unsigned mine = shared_address(&object), neighbours = (above != nullptr) + (below != nullptr);
    grid += blockIdx.x / (last + 1) * (HEIGHT * WIDTH);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(mine), "r"(neighbours + 1) : "memory");
    }
    load(t, grid, rank);
    cluster.sync();
    for (int step = 0; step < STEPS; step++) {
        step_rows(t, above, below, step);
        __syncthreads();
        if (threadIdx.x == 0) {
            arrive_at(mine, rank);
            if (above) {
                arrive_at(mine, rank - 1);
            }
            if (below) {
                arrive_at(mine, rank + 1);
            }
        }
        wait_for(mine, step & 1);
    }
    store(t, grid, rank);
    cluster.sync();                               // a block that ends takes its object with it
}

static void host_steps(std::vector<float> &grid) {
    std::vector<float> to(grid.size());
    auto value = [&](int y, int x) {
        return y >= 0 && y < HEIGHT && x >= 0 && x < WIDTH ? grid[y * WIDTH + x] : 0.0f;
    };
    for (int step = 0; step < STEPS; step++) {
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                to[y * WIDTH + x] = next(value(y - 1, x), value(y, x - 1), value(y, x), value(y, x + 1), value(y + 1, x));
            }
        }
        grid = to;
    }
}

static void launch_in_clusters(void (*kernel)(float *), int blocks, float *device) {
    cudaLaunchAttribute shape = {};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim.x = BLOCKS;
    shape.val.clusterDim.y = shape.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(128);
    config.attrs = &shape;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, device));
    CHECK(cudaDeviceSynchronize());
}

static void run(void (*kernel)(float *), const char *name) {
    constexpr int GRIDS = 3, SIZE = HEIGHT * WIDTH;
    std::vector<float> all(GRIDS * SIZE), got(GRIDS * SIZE);
    float *device;
    for (size_t i = 0; i < all.size(); i++) {
        all[i] = (float)(i * 37 % 101) - 50;
    }
    CHECK(cudaMalloc(&device, all.size() * sizeof(float)));
    CHECK(cudaMemcpy(device, all.data(), all.size() * sizeof(float), cudaMemcpyHostToDevice));
    if (kernel == with_objects) {                 // has the shape of its clusters
        kernel<<<GRIDS * BLOCKS, 128>>>(device);
        CHECK_KERNEL();
    } else {
        launch_in_clusters(kernel, GRIDS * BLOCKS, device);
    }
    CHECK(cudaMemcpy(got.data(), device, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int g = 0; g < GRIDS; g++) {
        std::vector<float> want(all.begin() + g * SIZE, all.begin() + (g + 1) * SIZE);
        host_steps(want);
        for (int i = 0; i < SIZE; i++) {
            if (std::fabs(got[g * SIZE + i] - want[i]) > 1e-4f) {
                printf("%s: FAIL (%s: grid %d, row %d, column %d is %g, expected %g)\n", PROGRAM, name, g, i / WIDTH,
                       i % WIDTH, got[g * SIZE + i], want[i]);
                exit(1);
            }
        }
    }
    CHECK(cudaFree(device));
}

int main() {
    run(with_barriers, "barriers");
    run(with_objects, "barrier objects");
    pass();
}
