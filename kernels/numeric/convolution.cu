// Two-dimensional convolution with the mask in __constant__ memory: a full 5 x 5 mask, and a separable mask
// as two one-dimensional passes with the image tile in shared memory. Integer pixels: comparisons are exact,
// and the separable result must equal the full convolution with the outer product of its two masks.
#define PROGRAM "convolution"
#include "../check.h"

static const int RADIUS = 2;
static const int SIDE = 2 * RADIUS + 1;
static const int BLOCK = 64;

__constant__ int mask[SIDE][SIDE];
__constant__ int line_mask[SIDE] = {1, 4, 6, 4, 1};

__device__ __forceinline__ int clamp_to(int value, int limit) {
    return value < 0 ? 0 : value >= limit ? limit - 1 : value;
}

__global__ void convolve(const unsigned char *image, int *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    int sum = 0;
    for (int i = -RADIUS; i <= RADIUS; i++) {
        for (int j = -RADIUS; j <= RADIUS; j++) {
            int row = clamp_to(y + i, height), column = clamp_to(x + j, width);
            sum += mask[i + RADIUS][j + RADIUS] * image[row * width + column];
        }
    }
    out[y * width + x] = sum;
}

// One pass along lines of `length` items, `stride` apart; grid.y counts the lines, `line_stride` apart.
template <typename T>
__global__ void convolve_lines(const T *in, int *out, int length, int stride, int line_stride) {
    __shared__ int items[BLOCK + 2 * RADIUS];
    const T *line = in + (size_t)blockIdx.y * line_stride;
    int first = blockIdx.x * BLOCK;
    for (int i = threadIdx.x; i < BLOCK + 2 * RADIUS; i += BLOCK) {
        items[i] = line[(size_t)clamp_to(first + i - RADIUS, length) * stride];
    }
    __syncthreads();
    int x = first + threadIdx.x;
    if (x < length) {
        int sum = 0;
        for (int i = 0; i < SIDE; i++) {
            sum += line_mask[i] * items[threadIdx.x + i];
        }
        out[(size_t)blockIdx.y * line_stride + (size_t)x * stride] = sum;
    }
}

static std::vector<int> reference(const std::vector<unsigned char> &image, const int (&m)[SIDE][SIDE],
                                  int width, int height) {
    std::vector<int> out(image.size());
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            long sum = 0;
            for (int i = 0; i < SIDE; i++) {
                for (int j = 0; j < SIDE; j++) {
                    int row = std::min(std::max(y + i - RADIUS, 0), height - 1);
                    int column = std::min(std::max(x + j - RADIUS, 0), width - 1);
                    sum += (long)m[i][j] * image[(size_t)row * width + column];
                }
            }
            out[(size_t)y * width + x] = (int)sum;
        }
    }
    return out;
}

int main(int argc, char **argv) {
    int width = size_argument(argc, argv, 150, 1, 4096), height = width / 2 + 21;
    size_t count = (size_t)width * height;
    Lcg random(18);
    std::vector<unsigned char> image(count);
    for (unsigned char &pixel : image) {
        pixel = (unsigned char)random.below(256);
    }
    int host_mask[SIDE][SIDE], outer[SIDE][SIDE];
    const int binomial[SIDE] = {1, 4, 6, 4, 1};
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            host_mask[i][j] = (int)random.below(41) - 20;
            outer[i][j] = binomial[i] * binomial[j];
        }
    }
    CHECK(cudaMemcpyToSymbol(mask, host_mask, sizeof host_mask));
    unsigned char *in = to_device(image);
    int *out = device_zeros<int>(count), *rows = device_zeros<int>(count);
    dim3 block(32, 4), grid(blocks_for(width, 32), blocks_for(height, 4));
    convolve<<<grid, block>>>(in, out, width, height);
    CHECK_KERNEL();
    expect_same("full mask", reference(image, host_mask, width, height), to_host(out, count));

    convolve_lines<<<dim3(blocks_for(width, BLOCK), height), BLOCK>>>(in, rows, width, 1, width);
    convolve_lines<<<dim3(blocks_for(height, BLOCK), width), BLOCK>>>(rows, out, height, width, 1);
    CHECK_KERNEL();
    expect_same("separable mask", reference(image, outer, width, height), to_host(out, count));
    return pass();
}
