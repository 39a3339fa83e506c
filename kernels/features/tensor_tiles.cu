// Tensor copies (cp.async.bulk.tensor): a matrix is transposed tile by tile. Tensor maps, which the host makes with
// cuTensorMapEncodeTiled, say where the tiles lie; a copy brings a tile to shared memory, filled with zeros outside the
// matrix, and another one takes its transpose back, without what lies outside. Both tiles are swizzled, so neither the
// rows nor the columns of a tile have conflicts of banks. Then the blocks of a cluster share the tiles of a row of
// tiles: each loads one, and the copy sends it to all of them (.multicast::cluster); each adds a band of columns to the
// result (cp.reduce.async.bulk.tensor).
#define PROGRAM "tensor_tiles"
#include "../check.h"
#include "barrier_object.h"

#include <cuda.h>

constexpr int SIDE = 32, ROW = SIDE * sizeof(float), BYTES = SIDE * ROW, THREADS = 128, BLOCKS = 4;

__device__ void init(word *bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n"
                 "fence.mbarrier_init.release.cluster;" ::"r"(shared_address(bar)),
                 "r"(count)
                 : "memory");
}

__device__ void load(void *to, const CUtensorMap *map, int x, int y, word *bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(bar))
                 : "memory");
}

__device__ void load_for(unsigned short blocks, void *to, const CUtensorMap *map, int x, int y, word *bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(bar)), "h"(blocks)
                 : "memory");
}

__device__ void store(const CUtensorMap *map, int x, int y, const void *from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::"l"(map),
                 "r"(x), "r"(y), "r"(shared_address(from))
                 : "memory");
}

__device__ void add(const CUtensorMap *map, int x, int y, const void *from) {
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::"l"(map),
                 "r"(x), "r"(y), "r"(shared_address(from))
                 : "memory");
}

__device__ void proxies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// The element (x, y) of a swizzled tile: a row of 128 bytes has 8 chunks of 4 numbers.
__device__ float &at(float *tile, int x, int y) { return tile[y * SIDE + ((x / 4) ^ (y % 8)) * 4 + x % 4]; }

// A block transposes two tiles of a row of tiles; the second one arrives while it works on the first.
__global__ void transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(1024) float read[2][SIDE * SIDE];
    __shared__ alignas(1024) float written[SIDE * SIDE];
    __shared__ word bar[2];
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&from) : "memory");
        init(&bar[0], 1);
        init(&bar[1], 1);
        for (int i = 0; i < 2; i++) {
            expect(&bar[i], BYTES);
            load(read[i], &from, (2 * blockIdx.x + i) * SIDE, blockIdx.y * SIDE, &bar[i]);
        }
    }
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        wait(&bar[i], 0);
        for (int k = t; k < SIDE * SIDE; k += THREADS) {
            at(written, k / SIDE, k % SIDE) = at(read[i], k % SIDE, k / SIDE);
        }
        proxies();
        __syncthreads();
        if (t == 0) {
            store(&to, blockIdx.y * SIDE, (2 * blockIdx.x + i) * SIDE, written);
        }
        __syncthreads();
    }
}

// sums(x, r) += the sum over the tiles of cluster r of their column x; block n of the cluster adds columns 8 n to
// 8 n + 7.
__global__ void columns(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap sums) {
    __shared__ alignas(1024) float tile[BLOCKS][SIDE * SIDE];
    __shared__ alignas(128) float band[8];
    __shared__ word bar;
    int t = threadIdx.x, rank = __clusterRelativeBlockRank(), row = blockIdx.x / BLOCKS;
    if (t == 0) {
        init(&bar, 1);
        expect(&bar, BLOCKS * BYTES);
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (t == 0) {
        load_for((1 << BLOCKS) - 1, tile[rank], &from, rank * SIDE, row * SIDE, &bar);
    }
    wait(&bar, 0);
    if (t < 8) {
        float sum = 0;
        for (int k = 0; k < BLOCKS * SIDE; k++) {
            sum += at(tile[k / SIDE], 8 * rank + t, k % SIDE);
        }
        band[t] = sum;
    }
    proxies();
    __syncthreads();
    if (t == 0) {
        add(&sums, 8 * rank, row, band);
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}

static decltype(&cuTensorMapEncodeTiled) encode;

// A matrix of floats, and boxes of it.
static CUtensorMap map_of(float *p, int width, int height, int stride, unsigned box_width, unsigned box_height,
                          CUtensorMapSwizzle swizzle) {
    CUtensorMap map;
    cuuint64_t elements[] = {(cuuint64_t)width, (cuuint64_t)height}, strides[] = {stride * sizeof(float)};
    cuuint32_t box[] = {box_width, box_height}, steps[] = {1, 1};
    CUresult r = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, p, elements, strides, box, steps,
                        CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    expect_equal("cuTensorMapEncodeTiled", 0, (int)CUDA_SUCCESS, (int)r);
    return map;
}

static std::vector<float> numbers(size_t n) {
    Lcg random((unsigned)n);
    std::vector<float> v(n);
    for (auto &x : v) {
        x = (float)(random.next() % 1000);
    }
    return v;
}

static int rounded(int n) { return (n + 3) / 4 * 4; }

static void test_transpose(int width, int height) {
    int from_stride = rounded(width), to_stride = rounded(height);
    auto in = numbers((size_t)from_stride * height);
    std::vector<float> want((size_t)to_stride * width);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            want[(size_t)x * to_stride + y] = in[(size_t)y * from_stride + x];
        }
    }
    float *from = to_device(in), *to = device_zeros<float>(want.size());
    dim3 grid((width + 2 * SIDE - 1) / (2 * SIDE), (height + SIDE - 1) / SIDE);
    transpose<<<grid, THREADS>>>(map_of(from, width, height, from_stride, SIDE, SIDE, CU_TENSOR_MAP_SWIZZLE_128B),
                                 map_of(to, height, width, to_stride, SIDE, SIDE, CU_TENSOR_MAP_SWIZZLE_128B));
    CHECK_KERNEL();
    auto got = to_host(to, want.size());
    for (size_t i = 0; i < want.size(); i++) {
        expect_equal("transpose", (int)i, want[i], got[i]);
    }
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

static void test_columns(int rows) {
    int width = BLOCKS * SIDE;
    auto in = numbers((size_t)width * rows * SIDE);
    std::vector<float> want((size_t)rows * SIDE);
    for (size_t i = 0; i < in.size(); i++) {
        want[i / width / SIDE * SIDE + i % width % SIDE] += in[i];
    }
    float *from = to_device(in), *to = device_zeros<float>(want.size());
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute shape = {};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {BLOCKS, 1, 1};
    config.gridDim = BLOCKS * rows;
    config.blockDim = THREADS;
    config.attrs = &shape;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, columns,
                             map_of(from, width, rows * SIDE, width, SIDE, SIDE, CU_TENSOR_MAP_SWIZZLE_128B),
                             map_of(to, SIDE, rows, SIDE, 8, 1, CU_TENSOR_MAP_SWIZZLE_32B)));
    CHECK_KERNEL();
    auto got = to_host(to, want.size());
    for (size_t i = 0; i < want.size(); i++) {
        expect_equal("columns", (int)i, want[i], got[i]);
    }
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

int main() {
    void *function = nullptr;
    CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault));
    encode = (decltype(encode))function;
    test_transpose(32, 32);
    test_transpose(64, 96);
    test_transpose(100, 75);
    test_transpose(5, 131);
    test_columns(1);
    test_columns(3);
    return pass();
}
