// A mipmapped array: a kernel makes each level from the one before it, as means of four texels, through surfaces of the
// levels; textures read chosen levels, blends of two levels, and the level that gradients ask for. The host has the
// same pyramid; its values are multiples of a power of two, so that means and blends are exact.
// also: --timing --config gtx480
#define PROGRAM "texture_mipmap"
#include "../texture.h"

enum { SIZE = 32, LEVELS = 6 };

__global__ void halve(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int size) {
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < size && y < size) {
        float sum = surf2Dread<float>(from, 8 * x, 2 * y) + surf2Dread<float>(from, 8 * x + 4, 2 * y) +
                    surf2Dread<float>(from, 8 * x, 2 * y + 1) + surf2Dread<float>(from, 8 * x + 4, 2 * y + 1);
        surf2Dwrite(sum / 4, to, 4 * x, y);
    }
}

__global__ void read_levels(cudaTextureObject_t point, cudaTextureObject_t blend, float4 *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float x = (i % 37 + 0.5f) / 37, y = (i % 29 + 0.5f) / 29, level = (i % 45) / 8.0f;
        float size = exp2f(i % LEVELS) / SIZE;
        out[i] = make_float4(tex2D<float>(point, x, y), tex2DLod<float>(point, x, y, level),
                             tex2DLod<float>(blend, x, y, level),
                             tex2DGrad<float>(point, x, y, make_float2(size, 0), make_float2(0, size)));
    }
}

typedef std::vector<std::vector<float>> Pyramid;

static float at(const Pyramid &p, int level, float x, float y) {
    int size = SIZE >> level;
    return p[level][(int)(y * size) * size + (int)(x * size)];
}

int main(int argc, char **argv) {
    int count = size_argument(argc, argv, 1500, 1, 1 << 20);
    Pyramid levels(LEVELS);
    cudaMipmappedArray_t pyramid;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocMipmappedArray(&pyramid, &desc, make_cudaExtent(SIZE, SIZE, 0), LEVELS, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t surface[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
        cudaArray_t level;
        cudaExtent extent;
        CHECK(cudaGetMipmappedArrayLevel(&level, pyramid, k));
        CHECK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
        expect_equal("width of a level", k, (size_t)(SIZE >> k), extent.width);
        surface[k] = make_surface(level);
        levels[k].resize((SIZE >> k) * (SIZE >> k));
        if (k == 0) {
            for (int i = 0; i < SIZE * SIZE; i++) {
                levels[0][i] = (float)((i * 2654435761u >> 18) % 1024);
            }
            CHECK(cudaMemcpy2DToArray(level, 0, 0, levels[0].data(), SIZE * 4, SIZE * 4, SIZE, cudaMemcpyHostToDevice));
        }
    }
    for (int k = 1; k < LEVELS; k++) {
        int size = SIZE >> k;
        halve<<<dim3(blocks_for(size, 8), blocks_for(size, 8)), dim3(8, 8)>>>(surface[k - 1], surface[k], size);
        for (int i = 0; i < size * size; i++) {
            const float *from = &levels[k - 1][(i / size * 2) * size * 2 + i % size * 2];
            levels[k][i] = (from[0] + from[1] + from[2 * size] + from[2 * size + 1]) / 4;
        }
    }
    CHECK_KERNEL();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = pyramid;
    cudaTextureDesc how = texture_desc(cudaAddressModeClamp, cudaFilterModePoint, true);
    how.maxMipmapLevelClamp = LEVELS - 1;
    cudaTextureObject_t point, blend;
    CHECK(cudaCreateTextureObject(&point, &resource, &how, nullptr));
    how.mipmapFilterMode = cudaFilterModeLinear;
    CHECK(cudaCreateTextureObject(&blend, &resource, &how, nullptr));
    float4 *out = device_zeros<float4>(count);
    read_levels<<<blocks_for(count, 128), 128>>>(point, blend, out, count);
    CHECK_KERNEL();
    std::vector<float4> got = to_host(out, count);
    for (int i = 0; i < count; i++) {
        float x = (i % 37 + 0.5f) / 37, y = (i % 29 + 0.5f) / 29, level = std::fmin((i % 45) / 8.0f, LEVELS - 1);
        int low = (int)level, high = low + 1 < LEVELS ? low + 1 : low;
        float share = level - low;
        expect_equal("first level", i, at(levels, 0, x, y), got[i].x);
        expect_equal("nearest level", i, at(levels, (int)(level + 0.5f), x, y), got[i].y);
        expect_equal("two levels", i, (1 - share) * at(levels, low, x, y) + share * at(levels, high, x, y), got[i].z);
        expect_equal("level of a gradient", i, at(levels, i % LEVELS, x, y), got[i].w);
    }
    CHECK(cudaFreeMipmappedArray(pyramid));
    return pass();
}
