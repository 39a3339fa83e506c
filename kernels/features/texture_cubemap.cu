// A cube map as an environment: every face has its own values; directions are looked up, and the host finds the face
// and the point on it with the table of the programming guide. A layered cube map is read by layer. The faces are
// written by a kernel, as layers of a surface.
// also: --timing --config gtx480
#define PROGRAM "texture_cubemap"
#include "../texture.h"

enum { SIZE = 8 };

__global__ void paint(cudaSurfaceObject_t faces, int cubes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % SIZE, y = i / SIZE % SIZE, face = i / SIZE / SIZE;
    if (face < 6 * cubes) {
        surfCubemapLayeredwrite((float)(face * 100 + y * SIZE + x), faces, x * 4, y, face);
    }
}

__global__ void look(cudaTextureObject_t one, cudaTextureObject_t several, const float3 *directions, float2 *out,
                     int count, int cubes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float3 d = directions[i];
        out[i] = make_float2(texCubemap<float>(one, d.x, d.y, d.z),
                             texCubemapLayered<float>(several, d.x, d.y, d.z, i % cubes));
    }
}

static float expected_at(float3 d) {
    double x = d.x, y = d.y, z = d.z, m, s, t;
    int face;
    if (std::fabs(x) > std::fabs(y) && std::fabs(x) > std::fabs(z)) {
        face = x >= 0 ? 0 : 1, m = std::fabs(x), s = x >= 0 ? -z : z, t = -y;
    } else if (std::fabs(y) > std::fabs(z)) {
        face = y >= 0 ? 2 : 3, m = std::fabs(y), s = x, t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5, m = std::fabs(z), s = z >= 0 ? x : -x, t = -y;
    }
    int u = clamped((int)((s / m + 1) / 2 * SIZE), SIZE), v = clamped((int)((t / m + 1) / 2 * SIZE), SIZE);
    return (float)(face * 100 + v * SIZE + u);
}

int main(int argc, char **argv) {
    const int cubes = 3;
    int count = size_argument(argc, argv, 2000, 1, 1 << 20);
    std::vector<float> zeros(SIZE * SIZE * 6 * cubes);
    cudaArray_t one = make_array(std::vector<float>(SIZE * SIZE * 6), SIZE, SIZE, 6,
                                 cudaArrayCubemap | cudaArraySurfaceLoadStore);
    cudaArray_t several = make_array(zeros, SIZE, SIZE, 6 * cubes,
                                     cudaArrayCubemap | cudaArrayLayered | cudaArraySurfaceLoadStore);
    paint<<<blocks_for(SIZE * SIZE * 6, 64), 64>>>(make_surface(one), 1);
    paint<<<blocks_for(SIZE * SIZE * 6 * cubes, 64), 64>>>(make_surface(several), cubes);
    CHECK_KERNEL();
    std::vector<float3> directions;
    unsigned state = 12345;
    while ((int)directions.size() < count) {
        float v[3];
        for (float &c : v) {
            state = state * 1664525u + 1013904223u;
            c = (float)(int)(state >> 8) / (1 << 23) - 1;
        }
        directions.push_back(make_float3(v[0], v[1], v[2]));
    }
    cudaTextureDesc desc = texture_desc(cudaAddressModeWrap, cudaFilterModePoint, true);
    float2 *out = device_zeros<float2>(count);
    look<<<blocks_for(count, 128), 128>>>(make_texture(one, desc), make_texture(several, desc), to_device(directions),
                                          out, count, cubes);
    CHECK_KERNEL();
    std::vector<float2> got = to_host(out, count);
    for (int i = 0; i < count; i++) {
        float face_value = expected_at(directions[i]);
        expect_equal("cube map", i, face_value, got[i].x);
        expect_equal("layered cube map", i, face_value + 600 * (i % cubes), got[i].y);
    }
    return pass();
}
