// Copies and sets of every shape: pitched rows with padding, 2D copies between pitches and with offsets, 2D
// set, 3D boxes, symbols in __device__ and __constant__ memory with offsets, symbol addresses and sizes, and
// copies from device to device. Bytes outside the copied rectangles must stay as they were.
#define PROGRAM "memcpy2d"
#include "../check.h"

__device__ int device_table[64];
__constant__ int constant_table[64] = {7, 8, 9};
__device__ struct {
    double scale;
    int offsets[3];
} settings = {1.5, {1, 2, 3}};
static __device__ float lonely;

__global__ void double_rows(float *rows, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float *row = (float *)((char *)rows + y * pitch);
        row[x] = 2.0f * row[x] + y;
    }
}

__global__ void read_tables(int *out, double *scaled) {
    int i = threadIdx.x;
    out[i] = device_table[i] * 1000 + constant_table[i];
    device_table[i] = -i;
    if (i < 3) {
        scaled[i] = settings.scale * settings.offsets[i] + lonely;
    }
}

static void check_pitched(int width, int height) {
    Lcg random(29);
    std::vector<float> host((size_t)width * height);
    for (float &value : host) {
        value = (float)random.below(1000);
    }
    float *rows = nullptr;
    size_t pitch = 0, row_bytes = width * sizeof(float);
    CHECK(cudaMallocPitch((void **)&rows, &pitch, row_bytes, height));
    expect_true("the pitch holds a row", (long)pitch, pitch >= row_bytes && pitch % sizeof(float) == 0);
    CHECK(cudaMemcpy2D(rows, pitch, host.data(), row_bytes, row_bytes, height, cudaMemcpyHostToDevice));
    double_rows<<<dim3(blocks_for(width, 32), blocks_for(height, 4)), dim3(32, 4)>>>(rows, pitch, width,
                                                                                     height);
    CHECK_KERNEL();

    // Read back into a wider array, one row and two columns in; the frame must keep its filling.
    int wide = width + 5;
    std::vector<float> framed((size_t)wide * (height + 2), -1.0f);
    CHECK(cudaMemcpy2D(&framed[wide + 2], wide * sizeof(float), rows, pitch, row_bytes, height,
                       cudaMemcpyDeviceToHost));
    for (int y = 0; y < height + 2; y++) {
        for (int x = 0; x < wide; x++) {
            bool inside = y > 0 && y <= height && x >= 2 && x < width + 2;
            float expected = inside ? 2.0f * host[(size_t)(y - 1) * width + x - 2] + (y - 1) : -1.0f;
            expect_equal("2D copy", (long)y * wide + x, expected, framed[(size_t)y * wide + x]);
        }
    }

    // Clear an inner rectangle, move a column strip asynchronously, and look at the whole.
    std::vector<float> expected((size_t)width * height), got((size_t)width * height);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            bool cleared = x >= 1 && x < 4 && y >= 2 && y < 6;
            expected[(size_t)y * width + x] = cleared ? 0.0f : framed[(size_t)(y + 1) * wide + x + 2];
        }
        expected[(size_t)y * width + width - 1] = expected[(size_t)y * width];
    }
    CHECK(cudaMemset2D((char *)rows + 2 * pitch + sizeof(float), pitch, 0, 3 * sizeof(float), 4));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpy2DAsync(rows + width - 1, pitch, rows, pitch, sizeof(float), height,
                            cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemcpy2DAsync(got.data(), row_bytes, rows, pitch, row_bytes, height, cudaMemcpyDeviceToHost,
                            stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    expect_same("after set and strip copy", expected, got);
    CHECK(cudaFree(rows));
}

static void check_box() {
    const size_t w = 21, h = 9, d = 5;
    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, make_cudaExtent(w, h, d)));
    CHECK(cudaMemset3D(box, 0x11, make_cudaExtent(w, h, d)));
    std::vector<unsigned char> in(w * h * d), out(w * h * d, 0);
    for (size_t i = 0; i < in.size(); i++) {
        in[i] = (unsigned char)(i * 7);
    }
    // The inner box from (2, 1, 1), 10 x 5 x 3, goes to (4, 2, 2).
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(in.data(), w, w, h);
    copy.dstPtr = box;
    copy.srcPos = make_cudaPos(2, 1, 1);
    copy.dstPos = make_cudaPos(4, 2, 2);
    copy.extent = make_cudaExtent(10, 5, 3);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaMemcpy3DParms back = {};
    back.srcPtr = box;
    back.dstPtr = make_cudaPitchedPtr(out.data(), w, w, h);
    back.extent = make_cudaExtent(w, h, d);
    back.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&back));
    for (size_t z = 0; z < d; z++) {
        for (size_t y = 0; y < h; y++) {
            for (size_t x = 0; x < w; x++) {
                bool inside = x >= 4 && x < 14 && y >= 2 && y < 7 && z >= 2;
                int expected = inside ? in[((z - 1) * h + y - 1) * w + x - 2] : 0x11;
                expect_equal("3D copy", (long)((z * h + y) * w + x), expected, (int)out[(z * h + y) * w + x]);
            }
        }
    }
    CHECK(cudaFree(box.ptr));
}

static void check_symbols() {
    int first[64], second[20], back[64];
    for (int i = 0; i < 64; i++) {
        first[i] = i * i;
    }
    for (int i = 0; i < 20; i++) {
        second[i] = 500 + i;
    }
    float lonely_value = 0.25f;
    CHECK(cudaMemcpyToSymbol(device_table, first, sizeof first));
    CHECK(
        cudaMemcpyToSymbol(constant_table, second, sizeof second, 10 * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(lonely, &lonely_value, sizeof lonely_value));
    int *out = device_zeros<int>(64);
    double *scaled = device_zeros<double>(3);
    read_tables<<<1, 64>>>(out, scaled);
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, 64);
    for (int i = 0; i < 64; i++) {
        int constant = i < 3 ? 7 + i : i >= 10 && i < 30 ? 490 + i : 0;
        expect_equal("symbols seen by the kernel", i, i * i * 1000 + constant, got[i]);
    }
    std::vector<double> scaled_got = to_host(scaled, 3);
    for (int i = 0; i < 3; i++) {
        expect_equal("initialised struct", i, 1.5 * (i + 1) + 0.25, scaled_got[i]);
    }
    CHECK(cudaMemcpyFromSymbol(back, device_table, 4 * sizeof(int), 60 * sizeof(int)));
    for (int i = 0; i < 4; i++) {
        expect_equal("read from a symbol", i, -(60 + i), back[i]);
    }
    void *address = nullptr;
    size_t size = 0;
    CHECK(cudaGetSymbolAddress(&address, device_table));
    CHECK(cudaGetSymbolSize(&size, device_table));
    expect_equal("symbol size", 0, sizeof device_table, size);
    CHECK(cudaMemcpy(back, (int *)address + 5, sizeof(int), cudaMemcpyDeviceToHost));
    expect_equal("through the symbol's address", 0, -5, back[0]);
    CHECK(cudaMemset(address, 0xff, size));
    CHECK(cudaMemcpyFromSymbol(back, device_table, sizeof back));
    expect_equal("set through the symbol's address", 63, -1, back[63]);
}

int main(int argc, char **argv) {
    int width = size_argument(argc, argv, 75, 6, 4096);
    check_pitched(width, 23);
    check_box();
    check_symbols();
    return pass();
}
