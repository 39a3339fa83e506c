// y = a * x + y cut into chunks over several streams: pinned memory, asynchronous copies, events that order
// one stream after another, elapsed time, and queries. A second stage reads what another stream wrote, which
// is right only if the event dependency is honoured. Reference: std::fma on the host, compared bit for bit.
#define PROGRAM "saxpy_streams"
#include "../check.h"

static const int STREAMS = 4;

__global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = __fmaf_rn(a, x[i], y[i]);
    }
}

__global__ void add_next_chunk(const float *y, float *out, int n, int chunk) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = y[i] + y[(i + chunk) % n];
    }
}

int main(int argc, char **argv) {
    int chunk = size_argument(argc, argv, 20000, 1, 1 << 22);
    int n = chunk * STREAMS;
    size_t bytes = (size_t)n * sizeof(float);
    float *x = nullptr, *y = nullptr, *out = nullptr;
    CHECK(cudaMallocHost((void **)&x, bytes));
    CHECK(cudaHostAlloc((void **)&y, bytes, cudaHostAllocDefault));
    CHECK(cudaMallocHost((void **)&out, bytes));
    Lcg random(2);
    std::vector<float> expected(n);
    const float a = 1.7f;
    for (int i = 0; i < n; i++) {
        x[i] = random.between(-10.0f, 10.0f);
        y[i] = random.between(-10.0f, 10.0f);
        expected[i] = std::fma(a, x[i], y[i]);
    }
    float *x_device = device_buffer<float>(n), *y_device = device_buffer<float>(n);
    float *out_device = device_buffer<float>(n);

    cudaStream_t streams[STREAMS], last;
    cudaEvent_t start, stop, ready[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        CHECK(s % 2 ? cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking)
                    : cudaStreamCreate(&streams[s]));
        CHECK(cudaEventCreateWithFlags(&ready[s], cudaEventDisableTiming));
    }
    CHECK(cudaStreamCreate(&last));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));

    CHECK(cudaEventRecord(start, last));
    for (int s = 0; s < STREAMS; s++) {
        size_t at = (size_t)s * chunk, part = chunk * sizeof(float);
        CHECK(cudaMemcpyAsync(x_device + at, x + at, part, cudaMemcpyHostToDevice, streams[s]));
        CHECK(cudaMemcpyAsync(y_device + at, y + at, part, cudaMemcpyHostToDevice, streams[s]));
        saxpy<<<blocks_for(chunk, 128), 128, 0, streams[s]>>>(a, x_device + at, y_device + at, chunk);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(ready[s], streams[s]));
        CHECK(cudaStreamWaitEvent(last, ready[s], 0));
    }
    add_next_chunk<<<blocks_for(n, 256), 256, 0, last>>>(y_device, out_device, n, chunk);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out, out_device, bytes, cudaMemcpyDeviceToHost, last));
    CHECK(cudaEventRecord(stop, last));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventQuery(stop));
    CHECK(cudaStreamQuery(last));
    float milliseconds = -1.0f;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    expect_true("elapsed time is not negative", 0, milliseconds >= 0.0f);

    for (int i = 0; i < n; i++) {
        expect_equal("second stage", i, expected[i] + expected[(i + chunk) % n], out[i]);
    }
    std::vector<float> first = to_host(y_device, n);
    expect_same("saxpy", expected, first);

    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaStreamSynchronize(streams[s]));
        CHECK(cudaStreamDestroy(streams[s]));
        CHECK(cudaEventDestroy(ready[s]));
    }
    CHECK(cudaStreamDestroy(last));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFreeHost(x));
    CHECK(cudaFreeHost(y));
    CHECK(cudaFreeHost(out));
    return pass();
}
