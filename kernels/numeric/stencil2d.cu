// Heat conduction on a plate: an explicit five-point stencil with fixed temperatures at the rim, tiled with a
// halo in shared memory, ping-pong buffers. The step uses explicit rounding intrinsics in a written order, so
// the host's serial float sweep must agree bit for bit; the interior must also obey the maximum principle.
#define PROGRAM "stencil2d"
#include "../check.h"

static const int TILE = 16;

__global__ void step(const float *in, float *out, int width, int height, float rate) {
    __shared__ float tile[TILE + 2][TILE + 2];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, at = y * width + x;
    bool inside = x < width && y < height;
    if (inside) {
        tile[ty][tx] = in[at];
        if (tx == 1 && x > 0) {
            tile[ty][0] = in[at - 1];
        }
        if (tx == TILE && x + 1 < width) {
            tile[ty][TILE + 1] = in[at + 1];
        }
        if (ty == 1 && y > 0) {
            tile[0][tx] = in[at - width];
        }
        if (ty == TILE && y + 1 < height) {
            tile[TILE + 1][tx] = in[at + width];
        }
    }
    __syncthreads();
    if (!inside) {
        return;
    }
    float centre = tile[ty][tx];
    if (x > 0 && y > 0 && x + 1 < width && y + 1 < height) {
        float around = __fadd_rn(__fadd_rn(tile[ty][tx - 1], tile[ty][tx + 1]),
                                 __fadd_rn(tile[ty - 1][tx], tile[ty + 1][tx]));
        centre = __fadd_rn(centre, __fmul_rn(rate, __fmaf_rn(-4.0f, centre, around)));
    }
    out[at] = centre;
}

static void host_step(const std::vector<float> &in, std::vector<float> &out, int width, int height,
                      float rate) {
    out = in;
    for (int y = 1; y + 1 < height; y++) {
        for (int x = 1; x + 1 < width; x++) {
            const float *at = &in[(size_t)y * width + x];
            float around = (at[-1] + at[1]) + (at[-width] + at[width]);
            float change = rate * std::fma(-4.0f, at[0], around);
            out[(size_t)y * width + x] = at[0] + change;
        }
    }
}

int main(int argc, char **argv) {
    int width = size_argument(argc, argv, 90, 3, 4096), height = width * 2 / 3 + 5, steps = 20;
    size_t count = (size_t)width * height;
    Lcg random(17);
    std::vector<float> plate(count), next;
    float hottest = 0.0f;
    for (float &cell : plate) {
        cell = random.between(0.0f, 100.0f);
        hottest = cell > hottest ? cell : hottest;
    }
    float *in = to_device(plate), *out = device_zeros<float>(count);
    dim3 grid(blocks_for(width, TILE), blocks_for(height, TILE));
    for (int i = 0; i < steps; i++) {
        step<<<grid, dim3(TILE, TILE)>>>(in, out, width, height, 0.2f);
        std::swap(in, out);
        host_step(plate, next, width, height, 0.2f);
        std::swap(plate, next);
    }
    CHECK_KERNEL();
    std::vector<float> got = to_host(in, count);
    for (size_t i = 0; i < count; i++) {
        expect_equal("temperature", (long)i, plate[i], got[i]);
        expect_true("the maximum principle holds", (long)i, got[i] >= 0.0f && got[i] <= hottest);
    }
    return pass();
}
