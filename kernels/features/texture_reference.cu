// Texture and surface references, as programs before CUDA 12 have them: bound to linear memory (also at an offset), to
// pitched memory and to arrays, with other settings at each binding, unbound, and bound again; bytes read as fractions.
// also: --timing --config gtx480
#define PROGRAM "texture_reference"
#include "../texture.h"

texture<int, cudaTextureType1D, cudaReadModeElementType> numbers;
texture<float, cudaTextureType2D, cudaReadModeElementType> image;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colours;
surface<void, cudaSurfaceType2D> canvas;

__global__ void read_numbers(int *out, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = tex1Dfetch(numbers, i + offset);
    }
}

__global__ void read_image(float *out, int n, float step) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * n + x] = tex2D(image, (x + 0.5f) * step, (y + 1.0f) * step);
}

__global__ void draw(int n) {
    int x = threadIdx.x, y = blockIdx.x;
    float4 c = tex2D(colours, x + 0.5f, y + 0.5f);
    surf2Dwrite(c.x + 2 * c.y + 4 * c.z, canvas, x * 4, y);
}

int main() {
    const int n = 32;
    std::vector<int> values(500);
    for (size_t i = 0; i < values.size(); i++) {
        values[i] = (int)(i * 7919 % 1000);
    }
    int *memory = to_device(values), *out = device_zeros<int>(400);
    size_t offset = 1;
    CHECK(cudaBindTexture(&offset, numbers, memory, values.size() * sizeof(int)));
    expect_equal("offset of aligned memory", 0, (size_t)0, offset);
    read_numbers<<<4, 100>>>(out, 400, 0);
    CHECK_KERNEL();
    expect_same("numbers", std::vector<int>(values.begin(), values.begin() + 400), to_host(out, 400));
    CHECK(cudaBindTexture(&offset, numbers, memory + 3, 300 * sizeof(int)));
    expect_equal("offset of memory behind an aligned address", 0, 3 * sizeof(int), offset);
    read_numbers<<<3, 100>>>(out, 300, (int)(offset / sizeof(int)));
    CHECK_KERNEL();
    expect_same("numbers at an offset", std::vector<int>(values.begin() + 3, values.begin() + 303), to_host(out, 300));
    CHECK(cudaUnbindTexture(numbers));
    size_t unused;
    expect_error("the offset of an unbound reference", cudaErrorInvalidTextureBinding,
                 cudaGetTextureAlignmentOffset(&unused, numbers));
    cudaGetLastError();

    std::vector<float> pixels(n * n), expected(n * n);
    for (int i = 0; i < n * n; i++) {
        pixels[i] = (float)(i * 37 % 256);
    }
    float *rows, *result = device_zeros<float>(n * n);
    size_t pitch;
    CHECK(cudaMallocPitch(&rows, &pitch, n * sizeof(float), n));
    CHECK(cudaMemcpy2D(rows, pitch, pixels.data(), n * sizeof(float), n * sizeof(float), n, cudaMemcpyHostToDevice));
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    image.filterMode = cudaFilterModeLinear;
    CHECK(cudaBindTexture2D(nullptr, image, rows, desc, n, n, pitch));
    read_image<<<n, n>>>(result, n, 1);
    CHECK_KERNEL();
    for (int i = 0; i < n * n; i++) {
        expected[i] = (pixels[i] + pixels[i + n < n * n ? i + n : i]) / 2;
    }
    expect_same("between two rows of pitched memory", expected, to_host(result, n * n));

    image.normalized = 1;
    image.addressMode[1] = cudaAddressModeWrap;
    CHECK(cudaBindTextureToArray(image, make_array(pixels, n, n, 0, cudaArrayDefault)));
    read_image<<<n, n>>>(result, n, 1.0f / n);
    CHECK_KERNEL();
    for (int i = 0; i < n * n; i++) {
        expected[i] = (pixels[i] + pixels[(i + n) % (n * n)]) / 2;
    }
    expect_same("between two rows of an array, wrapped", expected, to_host(result, n * n));

    std::vector<uchar4> palette(n * n);
    for (int i = 0; i < n * n; i++) {
        palette[i] = make_uchar4(i % 2 * 255, i / 2 % 2 * 255, i / 4 % 2 * 255, 0);
    }
    cudaArray_t picture = make_array(std::vector<float>(n * n), n, n, 0, cudaArraySurfaceLoadStore);
    CHECK(cudaBindTextureToArray(colours, make_array(palette, n, n, 0, cudaArrayDefault)));
    CHECK(cudaBindSurfaceToArray(canvas, picture));
    draw<<<n, n>>>(n);
    CHECK_KERNEL();
    std::vector<float> drawn(n * n);
    CHECK(cudaMemcpyFromArray(drawn.data(), picture, 0, 0, n * n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n * n; i++) {
        expect_equal("drawn through a surface reference", i, (float)(i % 8), drawn[i]);
    }
    return pass();
}
