// Kernels on streams, with the calls that real programs make around them: events on the simulated clock, a fault of a
// queued kernel that shows at the next synchronising call, a stream's own order, the default stream that waits for all.
#include <cstdio>
#include <cstdlib>

#define CHECK(what)                                                                     \
    do {                                                                                \
        if (!(what)) {                                                                  \
            printf("streams: FAIL line %d: %s (%s)\n", __LINE__, #what,                 \
                   cudaGetErrorString(cudaPeekAtLastError()));                          \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

__global__ void slow(int *out, int value, int n) {
    volatile int x = 0;
    for (int i = 0; i < n; i++) {
        x = x + i;
    }
    *out = value + (x == -1);
}

__global__ void twice(int *out, const int *in) {
    *out = 2 * *in;
}

__global__ void wild(int *p) {
    p[1 << 20] = 1;
}

static float run(int *out, cudaStream_t *stream, int n) {
    cudaEvent_t from, to;
    float ms = 0;
    CHECK(cudaEventCreate(&from) == cudaSuccess && cudaEventCreate(&to) == cudaSuccess);
    CHECK(cudaEventRecord(from) == cudaSuccess);
    for (int i = 0; i < n; i++) {
        slow<<<1, 32, 0, stream[i]>>>(out + i, 10 + i, 400);
    }
    CHECK(cudaEventRecord(to) == cudaSuccess && cudaEventElapsedTime(&ms, from, to) == cudaSuccess);
    return ms;
}

int main() {
    cudaStream_t stream[4];
    int *out, host[8] = {0};
    CHECK(cudaMalloc((void **)&out, sizeof host) == cudaSuccess);
    CHECK(cudaMemset(out, 0, sizeof host) == cudaSuccess);
    for (int i = 0; i < 4; i++) {
        CHECK(cudaStreamCreate(&stream[i]) == cudaSuccess);
    }
    float one = run(out, stream, 1), four = run(out, stream, 4);
    CHECK(one > 0);
    printf("four kernels took %s one\n", four < 2 * one ? "about as long as" : "longer than");

    slow<<<1, 1, 0, stream[0]>>>(out + 4, 21, 300);
    twice<<<1, 1, 0, stream[0]>>>(out + 5, out + 4);
    twice<<<1, 1, 0, stream[1]>>>(out + 6, out);
    twice<<<1, 1>>>(out + 7, out + 5);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(host[0] == 10 && host[3] == 13 && host[4] == 21 && host[5] == 42 && host[6] == 20 && host[7] == 84);

    wild<<<1, 1, 0, stream[2]>>>(out);
    slow<<<1, 1, 0, stream[3]>>>(out, 1, 10);
    CHECK(cudaStreamSynchronize(stream[3]) == cudaErrorIllegalAddress);
    CHECK(cudaDeviceReset() == cudaSuccess);
    printf("streams: PASS\n");
    return 0;
}
