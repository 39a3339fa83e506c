// Samples a 3D texture along slanted rays, with linear filtering and a border of 0, and sums the samples; and reads the
// volume texel by texel with wrapped normalized coordinates. The host filters with the guide's weights; texels are
// small integers, so that the sums are exact.
// also: --timing --config gtx480
#define PROGRAM "texture_volume"
#include "../texture.h"

struct Ray { float x, y, z, dx, dy, dz; };

__host__ __device__ static Ray ray_of(int i, int n) {
    float a = (float)(i % 17) / 16, b = (float)(i % 23) / 32;
    return Ray{a * n, b * n, -1.5f, (float)(i % 5) / 8 - 0.25f, (float)(i % 7) / 8 - 0.375f, 0.625f};
}

__global__ void march(cudaTextureObject_t volume, float *out, int rays, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rays) {
        return;
    }
    Ray r = ray_of(i, n);
    float sum = 0;
    for (int s = 0; s < steps; s++) {
        sum += tex3D<float>(volume, r.x + s * r.dx, r.y + s * r.dy, r.z + s * r.dz);
    }
    out[i] = sum;
}

__global__ void wrapped(cudaTextureObject_t volume, float2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % n, y = i / n % n, z = i / n / n;
    if (z < n) {
        out[i] = tex3D<float2>(volume, (x + n + 0.5f) / n, (y - n + 0.5f) / n, (z + 0.5f) / n);
    }
}

static double texel(const std::vector<float> &v, int n, int x, int y, int z) {
    bool inside = x >= 0 && x < n && y >= 0 && y < n && z >= 0 && z < n;
    return inside ? v[(z * n + y) * n + x] : 0;
}

static float sample(const std::vector<float> &v, int n, float x, float y, float z) {
    int i = first_texel(x), j = first_texel(y), k = first_texel(z);
    double a = weight_256(x) / 256.0, b = weight_256(y) / 256.0, c = weight_256(z) / 256.0, sum = 0;
    for (int t = 0; t < 8; t++) {
        double w = (t & 1 ? a : 1 - a) * (t & 2 ? b : 1 - b) * (t & 4 ? c : 1 - c);
        sum += w * texel(v, n, i + (t & 1), j + (t >> 1 & 1), k + (t >> 2));
    }
    return (float)sum;
}

int main(int argc, char **argv) {
    int n = 16, rays = size_argument(argc, argv, 500, 1, 1 << 20), steps = 40;
    std::vector<float> values(n * n * n);
    std::vector<float2> pairs(n * n * n);
    for (int i = 0; i < n * n * n; i++) {
        values[i] = (float)((i * 2654435761u >> 20) % 128);
        pairs[i] = make_float2((float)i, values[i]);
    }
    cudaArray_t array = make_array(values, n, n, n, cudaArrayDefault);
    cudaArray_t two = make_array(pairs, n, n, n, cudaArrayDefault);
    cudaTextureObject_t volume = make_texture(array, texture_desc(cudaAddressModeBorder, cudaFilterModeLinear, false));
    float *out = device_zeros<float>(rays);
    march<<<blocks_for(rays, 128), 128>>>(volume, out, rays, n, steps);
    CHECK_KERNEL();
    std::vector<float> got = to_host(out, rays);
    for (int i = 0; i < rays; i++) {
        Ray r = ray_of(i, n);
        float sum = 0;
        for (int s = 0; s < steps; s++) {
            sum += sample(values, n, r.x + s * r.dx, r.y + s * r.dy, r.z + s * r.dz);
        }
        expect_equal("sum along a ray", i, sum, got[i]);
    }
    cudaTextureObject_t round = make_texture(two, texture_desc(cudaAddressModeWrap, cudaFilterModePoint, true));
    float2 *all = device_zeros<float2>(n * n * n);
    wrapped<<<blocks_for(n * n * n, 128), 128>>>(round, all, n);
    CHECK_KERNEL();
    std::vector<float2> texels = to_host(all, n * n * n);
    for (int i = 0; i < n * n * n; i++) {
        expect_equal("wrapped, first channel", i, pairs[i].x, texels[i].x);
        expect_equal("wrapped, second channel", i, pairs[i].y, texels[i].y);
    }
    return pass();
}
