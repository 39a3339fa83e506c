// Image filters over a 2D texture of bytes: a 3 x 3 Gaussian through texture objects of a CUDA array and of pitched
// memory, with clamped and mirrored edges, and an enlargement by linear filtering of normalized reads. The host
// computes the Gaussian in integers, and the enlargement with the weights of the programming guide, in 1/256.
// also: --timing --config gtx480
// also: --timing --config tiny --threads 2
#define PROGRAM "texture_filter"
#include "../texture.h"

__global__ void gauss(cudaTextureObject_t image, int *out, int width, int height, float step_x, float step_y) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    int sum = 0;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            int weight = (2 - abs(i)) * (2 - abs(j));
            sum += weight * tex2D<unsigned char>(image, (x + i + 0.5f) * step_x, (y + j + 0.5f) * step_y);
        }
    }
    out[y * width + x] = sum;
}

__global__ void enlarge(cudaTextureObject_t image, float *out, int width, int height, float scale) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        out[y * width + x] = tex2D<float>(image, x * scale, y * scale);
    }
}

static int mirrored(int i, int n) { return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i; }

static std::vector<int> gauss_on_host(const std::vector<unsigned char> &image, int n, bool mirror) {
    std::vector<int> out(n * n);
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            for (int j = -1; j <= 1; j++) {
                for (int i = -1; i <= 1; i++) {
                    int u = mirror ? mirrored(x + i, n) : clamped(x + i, n);
                    int v = mirror ? mirrored(y + j, n) : clamped(y + j, n);
                    out[y * n + x] += (2 - std::abs(i)) * (2 - std::abs(j)) * image[v * n + u];
                }
            }
        }
    }
    return out;
}

// The sum of four texels with weights in 1/65536 is an integer; one division by 255 * 65536.
static float enlarged(const std::vector<unsigned char> &image, int n, float at_x, float at_y) {
    int i = first_texel(at_x), j = first_texel(at_y), a = weight_256(at_x), b = weight_256(at_y);
    long sum = 0;
    for (int k = 0; k < 4; k++) {
        long w = (k & 1 ? a : 256 - a) * (k & 2 ? b : 256 - b);
        sum += w * image[clamped(j + k / 2, n) * n + clamped(i + k % 2, n)];
    }
    return (float)((double)sum / (255.0 * 65536));
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 64, 4, 2048);
    std::vector<unsigned char> image(n * n);
    for (int i = 0; i < n * n; i++) {
        image[i] = (unsigned char)(i * 2654435761u >> 13 ^ i);
    }
    cudaArray_t array = make_array(image, n, n, 0, cudaArrayDefault);
    dim3 block(16, 8), grid(blocks_for(n, 16), blocks_for(n, 8));
    int *out = device_zeros<int>(n * n);
    cudaTextureObject_t plain =
        make_texture(array, texture_desc(cudaAddressModeClamp, cudaFilterModePoint, false));
    gauss<<<grid, block>>>(plain, out, n, n, 1, 1);
    CHECK_KERNEL();
    expect_same("Gaussian, clamped", gauss_on_host(image, n, false), to_host(out, n * n));

    cudaTextureObject_t mirror = make_texture(array, texture_desc(cudaAddressModeMirror, cudaFilterModePoint, true));
    gauss<<<grid, block>>>(mirror, out, n, n, 1.0f / n, 1.0f / n);
    CHECK_KERNEL();
    if ((n & (n - 1)) == 0) {  // otherwise x / n * n is not x
        expect_same("Gaussian, mirrored", gauss_on_host(image, n, true), to_host(out, n * n));
    }

    unsigned char *rows;
    size_t pitch;
    CHECK(cudaMallocPitch(&rows, &pitch, n, n));
    CHECK(cudaMemcpy2D(rows, pitch, image.data(), n, n, n, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
    resource.res.pitch2D.width = resource.res.pitch2D.height = n;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc desc = texture_desc(cudaAddressModeClamp, cudaFilterModePoint, false);
    cudaTextureObject_t pitched, smooth;
    CHECK(cudaCreateTextureObject(&pitched, &resource, &desc, nullptr));
    gauss<<<grid, block>>>(pitched, out, n, n, 1, 1);
    CHECK_KERNEL();
    expect_same("Gaussian of pitched memory", gauss_on_host(image, n, false), to_host(out, n * n));

    desc.filterMode = cudaFilterModeLinear;
    desc.readMode = cudaReadModeNormalizedFloat;
    CHECK(cudaCreateTextureObject(&smooth, &resource, &desc, nullptr));
    float *large = device_zeros<float>(n * n), scale = 0.3718f;
    enlarge<<<grid, block>>>(smooth, large, n, n, scale);
    CHECK_KERNEL();
    std::vector<float> got = to_host(large, n * n);
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            expect_equal("enlarged", y * n + x, enlarged(image, n, x * scale, y * scale), got[y * n + x]);
        }
    }
    CHECK(cudaDestroyTextureObject(plain));
    CHECK(cudaDestroyTextureObject(mirror));
    CHECK(cudaDestroyTextureObject(pitched));
    CHECK(cudaDestroyTextureObject(smooth));
    CHECK(cudaFreeArray(array));
    return pass();
}
