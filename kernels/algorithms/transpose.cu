// Matrix transpose through a shared tile padded by one column, which keeps the column reads free of bank
// conflicts; once with static and once with dynamic shared memory, for 4-byte and 8-byte elements. The check
// is the definition, plus that transposing twice gives the original.
#define PROGRAM "transpose"
#include "../check.h"

static const int TILE = 32;
static const int ROWS = 8;

template <typename T>
__global__ void transpose_static(const T *in, T *out, int width, int height) {
    __shared__ T tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        if (x < width && y + i < height) {
            tile[threadIdx.y + i][threadIdx.x] = in[(size_t)(y + i) * width + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        if (x < height && y + i < width) {
            out[(size_t)(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
        }
    }
}

__global__ void transpose_dynamic(const uint64_t *in, uint64_t *out, int width, int height, int pitch) {
    extern __shared__ uint64_t pool[];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        if (x < width && y + i < height) {
            pool[(threadIdx.y + i) * pitch + threadIdx.x] = in[(size_t)(y + i) * width + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        if (x < height && y + i < width) {
            out[(size_t)(y + i) * height + x] = pool[threadIdx.x * pitch + threadIdx.y + i];
        }
    }
}

int main(int argc, char **argv) {
    int width = size_argument(argc, argv, 177, 1, 8192);
    int height = width + 46;
    size_t count = (size_t)width * height;
    Lcg random(5);
    std::vector<uint32_t> narrow(count);
    std::vector<uint64_t> wide(count);
    for (size_t i = 0; i < count; i++) {
        narrow[i] = random.next();
        wide[i] = ((uint64_t)random.next() << 32) | random.next();
    }
    dim3 block(TILE, ROWS);
    dim3 grid(blocks_for(width, TILE), blocks_for(height, TILE)), back(grid.y, grid.x);

    uint32_t *in = to_device(narrow), *out = device_zeros<uint32_t>(count),
             *again = device_zeros<uint32_t>(count);
    transpose_static<uint32_t><<<grid, block>>>(in, out, width, height);
    transpose_static<uint32_t><<<back, block>>>(out, again, height, width);
    CHECK_KERNEL();
    std::vector<uint32_t> got = to_host(out, count);
    expect_same("twice transposed", narrow, to_host(again, count));

    uint64_t *in_wide = to_device(wide), *out_wide = device_zeros<uint64_t>(count);
    int pitch = TILE + 1;
    transpose_dynamic<<<grid, block, TILE * pitch * sizeof(uint64_t)>>>(in_wide, out_wide, width, height,
                                                                        pitch);
    CHECK_KERNEL();
    std::vector<uint64_t> got_wide = to_host(out_wide, count);

    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            size_t from = (size_t)y * width + x, to = (size_t)x * height + y;
            expect_equal("4-byte element", (long)to, narrow[from], got[to]);
            expect_equal("8-byte element", (long)to, wide[from], got_wide[to]);
        }
    }
    return pass();
}
