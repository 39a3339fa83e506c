// 1D textures over linear memory: a sparse matrix times a vector that is read by tex1Dfetch, integers read as
// fractions, and reads beyond the end, which give 0. 1D textures of arrays with linear filtering, as a table look-up
// between the centres of the first and the last entry (guide, Table Lookup).
// also: --timing --config gtx480
// also: --timing --config quadro-fx5800
#define PROGRAM "texture_linear"
#include "../texture.h"

__global__ void multiply(const int *start, const int *column, const float *value, cudaTextureObject_t x, float *y,
                         int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int k = start[row]; k < start[row + 1]; k++) {
            sum += value[k] * tex1Dfetch<float>(x, column[k]);
        }
        y[row] = sum;
    }
}

__global__ void fractions(cudaTextureObject_t bytes, cudaTextureObject_t words, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n + 8) {
        float4 a = tex1Dfetch<float4>(bytes, i);
        float2 b = tex1Dfetch<float2>(words, i - 4);
        out[i] = make_float4(a.x, a.w, b.x, b.y);
    }
}

__global__ void table(cudaTextureObject_t t, float *out, int n, int entries) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = tex1D<float>(t, (float)i / (n - 1) * (entries - 1) + 0.5f);
    }
}

template <typename T>
static cudaTextureObject_t linear_texture(const std::vector<T> &values, cudaTextureReadMode mode) {
    cudaResourceDesc resource = {};
    cudaTextureDesc desc = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = to_device(values);
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = values.size() * sizeof(T);
    desc.readMode = mode;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

int main(int argc, char **argv) {
    int rows = size_argument(argc, argv, 600, 2, 1 << 20);
    std::vector<int> start(1), column;
    std::vector<float> value, x(rows), expected(rows);
    for (int r = 0; r < rows; r++) {
        x[r] = (float)(r % 97);
        for (int k = 0; k < 1 + r % 9; k++) {
            column.push_back((int)((unsigned)(r * 131 + k * 977) % rows));
            value.push_back((float)(k + 1));
        }
        start.push_back((int)column.size());
    }
    for (int r = 0; r < rows; r++) {
        for (int k = start[r]; k < start[r + 1]; k++) {
            expected[r] += value[k] * x[column[k]];
        }
    }
    float *y = device_zeros<float>(rows);
    cudaTextureObject_t vector = linear_texture(x, cudaReadModeElementType);
    multiply<<<blocks_for(rows, 64), 64>>>(to_device(start), to_device(column), to_device(value), vector, y, rows);
    CHECK_KERNEL();
    expect_same("matrix times vector", expected, to_host(y, rows));

    const int n = 200;
    std::vector<uchar4> bytes(n);
    std::vector<short2> words(n);
    for (int i = 0; i < n; i++) {
        bytes[i] = make_uchar4(i, 0, 0, 255 - i);
        words[i] = make_short2((short)(i * 331 - 32768), (short)(32767 - i));
    }
    float4 *out = device_zeros<float4>(n + 8);
    fractions<<<2, 128>>>(linear_texture(bytes, cudaReadModeNormalizedFloat),
                          linear_texture(words, cudaReadModeNormalizedFloat), out, n);
    CHECK_KERNEL();
    std::vector<float4> got = to_host(out, n + 8);
    for (int i = 0; i < n + 8; i++) {
        int k = i - 4;
        bool first = i < n, second = k >= 0 && k < n;
        expect_equal("first byte", i, first ? (float)(bytes[i].x / 255.0) : 0, got[i].x);
        expect_equal("last byte", i, first ? (float)(bytes[i].w / 255.0) : 0, got[i].y);
        double lowest = second ? words[k].x / 32767.0 : 0;
        expect_equal("first word", i, (float)(lowest < -1 ? -1 : lowest), got[i].z);
        expect_equal("second word", i, second ? (float)(words[k].y / 32767.0) : 0, got[i].w);
    }

    const int entries = 17, samples = 257;
    std::vector<float> squares(entries);
    for (int i = 0; i < entries; i++) {
        squares[i] = (float)(i * i);
    }
    cudaTextureObject_t t = make_texture(make_array(squares, entries, 0, 0, cudaArrayDefault),
                                         texture_desc(cudaAddressModeClamp, cudaFilterModeLinear, false));
    float *looked_up = device_zeros<float>(samples);
    table<<<blocks_for(samples, 64), 64>>>(t, looked_up, samples, entries);
    CHECK_KERNEL();
    std::vector<float> curve = to_host(looked_up, samples);
    for (int i = 0; i < samples; i++) {
        double at = (double)i / 16, low = std::floor(at), share = at - low;
        expect_equal("table look-up", i, (float)((1 - share) * low * low + share * (low + 1) * (low + 1)), curve[i]);
    }
    return pass();
}
