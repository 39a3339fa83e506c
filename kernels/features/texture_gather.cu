// tex2Dgather: the four texels around a point, of each channel. A kernel interpolates from them with its own weights
// and must get what the linear filter gets; another counts crossings of a threshold (marching squares), which the host
// counts with indices.
// also: --timing --config gtx480
#define PROGRAM "texture_gather"
#include "../texture.h"

__global__ void interpolate(cudaTextureObject_t points, cudaTextureObject_t smooth, float2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % n, y = i / n;
    if (y < n) {
        float u = x * 0.75f + 0.25f, v = y * 0.625f + 0.125f;
        float a = u - 0.5f - floorf(u - 0.5f), b = v - 0.5f - floorf(v - 0.5f);
        float4 g = tex2Dgather<float4>(points, u, v, 1);
        float own = (1 - b) * ((1 - a) * g.w + a * g.z) + b * ((1 - a) * g.x + a * g.y);
        out[i] = make_float2(own, tex2D<float4>(smooth, u, v).y);
    }
}

__global__ void crossings(cudaTextureObject_t points, int *cases, int n, float level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % n, y = i / n;
    if (x < n - 1 && y < n - 1) {
        float4 g = tex2Dgather<float4>(points, x + 1.0f, y + 1.0f);
        int kind = (g.w > level) | (g.z > level) << 1 | (g.x > level) << 2 | (g.y > level) << 3;
        atomicAdd(&cases[kind], 1);
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 40, 4, 1024);
    std::vector<float4> image(n * n);
    for (int i = 0; i < n * n; i++) {
        unsigned r = i * 2654435761u;
        image[i] = make_float4((float)(r >> 24), (float)(r >> 16 & 255), (float)(r >> 8 & 255), 1);
    }
    cudaArray_t array = make_array(image, n, n, 0, cudaArrayTextureGather);
    cudaTextureObject_t points = make_texture(array, texture_desc(cudaAddressModeClamp, cudaFilterModePoint, false));
    cudaTextureObject_t smooth = make_texture(array, texture_desc(cudaAddressModeClamp, cudaFilterModeLinear, false));
    float2 *out = device_zeros<float2>(n * n);
    interpolate<<<blocks_for(n * n, 128), 128>>>(points, smooth, out, n);
    CHECK_KERNEL();
    std::vector<float2> got = to_host(out, n * n);
    for (int i = 0; i < n * n; i++) {
        expect_equal("own interpolation and the filter's", i, got[i].x, got[i].y);
    }
    int *cases = device_zeros<int>(16);
    const float level = 128;
    crossings<<<blocks_for(n * n, 128), 128>>>(points, cases, n, level);
    CHECK_KERNEL();
    std::vector<int> expected(16);
    for (int y = 0; y + 1 < n; y++) {
        for (int x = 0; x + 1 < n; x++) {
            int kind = 0;
            for (int k = 0; k < 4; k++) {
                kind |= (image[(y + k / 2) * n + x + k % 2].x > level) << k;
            }
            expected[kind]++;
        }
    }
    expect_same("cells of each kind", expected, to_host(cases, 16));
    return pass();
}
