// assert() in device code. Children run kernels whose assertion fails in one thread: the next call that waits
// must say cudaErrorAssert, every later call repeats it (the context is lost), and the message names the
// expression, the file, the block and the thread. Assertions that hold change nothing, in the parent.
#define PROGRAM "device_assert"
#include "child.h"

#include <cassert>

__global__ void check_positive(const int *values, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        assert(values[i] > 0 && "value must be positive");
        out[i] = 2 * values[i];
    }
}

static void failing_child() {
    const int n = 200;
    std::vector<int> values(n, 1);
    values[70] = -1;
    int *in = to_device(values), *out = device_zeros<int>(n);
    check_positive<<<4, 64>>>(in, out, n);
    expect_error("synchronize after the failed assertion", cudaErrorAssert, cudaDeviceSynchronize());
    expect_error("the error sticks to a copy", cudaErrorAssert,
                 cudaMemcpy(values.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    void *more = nullptr;
    expect_error("the error sticks to an allocation", cudaErrorAssert, cudaMalloc(&more, 16));
    expect_error("the error is the last error", cudaErrorAssert, cudaGetLastError());
    expect_error("asking does not clear it", cudaErrorAssert, cudaGetLastError());
    expect_error("the error sticks to a synchronization", cudaErrorAssert, cudaDeviceSynchronize());
}

static void expect_mention(const Child &child, const char *text) {
    if (child.output.find(text) == std::string::npos) {
        fail("the message mentions", 0, std::string(text), child.output);
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 5000, 1, 1 << 22);
    Child child = run_child(failing_child);
    expect_success("child with a failing assertion", child);
    expect_mention(child, "values[i] > 0");
    expect_mention(child, "value must be positive");
    expect_mention(child, "device_assert.cu");
    expect_mention(child, "check_positive");
    expect_mention(child, "(1,0,0)");
    expect_mention(child, "(6,0,0)");

    std::vector<int> values(n), expected(n);
    for (int i = 0; i < n; i++) {
        values[i] = i + 1;
        expected[i] = 2 * (i + 1);
    }
    int *in = to_device(values), *out = device_zeros<int>(n);
    check_positive<<<blocks_for(n, 128), 128>>>(in, out, n);
    CHECK_KERNEL();
    expect_same("values under assertions that hold", expected, to_host(out, n));
    return pass();
}
