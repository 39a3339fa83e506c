// Surfaces: the Game of Life between two CUDA arrays, read and written as surfaces of bytes, with cells outside that
// read as 0; the result is read back as a texture and as an array. Stores outside with the modes zero and clamp; values
// of 1 to 16 bytes; copies between arrays. The host plays the same game.
// also: --timing --config gtx480
// also: --timing --config tiny
#define PROGRAM "surface_write"
#include "../texture.h"

__global__ void step(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, alive = 0;
    if (x >= n || y >= n) {
        return;
    }
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            alive += (i || j) && surf2Dread<unsigned char>(from, x + i, y + j, cudaBoundaryModeZero);
        }
    }
    unsigned char cell = surf2Dread<unsigned char>(from, x, y);
    surf2Dwrite<unsigned char>(alive == 3 || (cell && alive == 2), to, x, y);
}

__global__ void count_cells(cudaTextureObject_t field, int *alive, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n && tex2D<unsigned char>(field, x + 0.5f, y + 0.5f)) {
        atomicAdd(alive, 1);
    }
}

template <typename T> __global__ void widths(cudaSurfaceObject_t s, T *out, T first) {
    int i = threadIdx.x;
    T v = first;
    memcpy(&v, &i, sizeof(T) < 4 ? sizeof(T) : 4);
    surf1Dwrite(v, s, i * sizeof(T));
    surf1Dwrite(first, s, 1000000, cudaBoundaryModeZero);
    __syncthreads();
    out[i] = surf1Dread<T>(s, (31 - i) * (int)sizeof(T));
}

template <typename T> static void test_width(const char *name, T first) {
    T *out = device_zeros<T>(32);
    cudaArray_t array = make_array(std::vector<T>(32), 32, 0, 0, cudaArraySurfaceLoadStore);
    widths<T><<<1, 32>>>(make_surface(array), out, first);
    CHECK_KERNEL();
    std::vector<T> got = to_host(out, 32);
    for (int i = 0; i < 32; i++) {
        T want = first;
        int k = 31 - i;
        memcpy(&want, &k, sizeof(T) < 4 ? sizeof(T) : 4);
        expect_true(name, i, memcmp(&want, &got[i], sizeof(T)) == 0);
    }
}

static std::vector<unsigned char> step_on_host(const std::vector<unsigned char> &field, int n) {
    std::vector<unsigned char> next(n * n);
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            int alive = 0;
            for (int j = y - 1; j <= y + 1; j++) {
                for (int i = x - 1; i <= x + 1; i++) {
                    alive += (i != x || j != y) && i >= 0 && i < n && j >= 0 && j < n && field[j * n + i];
                }
            }
            next[y * n + x] = alive == 3 || (field[y * n + x] && alive == 2);
        }
    }
    return next;
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 48, 8, 1024), steps = 6;
    std::vector<unsigned char> field(n * n);
    for (int i = 0; i < n * n; i++) {
        field[i] = (i * 2654435761u >> 16) % 3 == 0;
    }
    cudaArray_t arrays[2] = {make_array(field, n, n, 0, cudaArraySurfaceLoadStore),
                             make_array(field, n, n, 0, cudaArraySurfaceLoadStore)};
    cudaSurfaceObject_t surfaces[2] = {make_surface(arrays[0]), make_surface(arrays[1])};
    dim3 block(16, 8), grid(blocks_for(n, 16), blocks_for(n, 8));
    for (int s = 0; s < steps; s++) {
        step<<<grid, block>>>(surfaces[s % 2], surfaces[1 - s % 2], n);
        field = step_on_host(field, n);
    }
    CHECK_KERNEL();
    std::vector<unsigned char> got(n * n);
    CHECK(cudaMemcpy2DArrayToArray(arrays[1], 0, 0, arrays[steps % 2], 0, 0, n, n));
    CHECK(cudaMemcpy2DFromArray(got.data(), n, arrays[1], 0, 0, n, n, cudaMemcpyDeviceToHost));
    expect_same("the field after some steps", field, got);
    int *alive = device_zeros<int>(1), total = 0;
    cudaTextureDesc plain = texture_desc(cudaAddressModeClamp, cudaFilterModePoint, false);
    cudaTextureObject_t texture = make_texture(arrays[1], plain);
    count_cells<<<grid, block>>>(texture, alive, n);
    CHECK_KERNEL();
    for (unsigned char cell : field) {
        total += cell;
    }
    expect_equal("living cells, counted through a texture", 0, total, to_host(alive, 1)[0]);
    test_width<char>("surface of bytes", 0);
    test_width<short>("surface of 2 bytes", 0);
    test_width<float>("surface of 4 bytes", 0);
    test_width<float2>("surface of 8 bytes", make_float2(0, 2.5f));
    test_width<int4>("surface of 16 bytes", make_int4(0, 11, 12, 13));
    return pass();
}
