// Kernels that go wrong, each in a child process of its own: out of bounds, misaligned, null, freed and
// foreign addresses, shared memory past its end, a barrier that can never complete, endless recursion, trap.
// The runtime must report the right error at the next call and at every one after it, the report must name
// the kernel, and the host program must continue. The parent then runs a correct kernel.
#define PROGRAM "faults"
#include "child.h"

__global__ void store_at(int *base, long index, int *out) {
    base[index] = 1;
    *out = 1;
}

__global__ void load_past_end(const int *values, int n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k <= n; k++) {
        sum += values[k * 64 + i % 64];
    }
    out[i] = sum;
}

__global__ void load_misaligned(const char *bytes, long offset, double *out) {
    *out = *(const double *)(bytes + offset);
}

__global__ void shared_past_end(int *out, int index) {
    extern __shared__ int pool[];
    pool[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = pool[index];
}

// Two warps, each waiting at a barrier for the other one.
__global__ void wait_at_different_barriers(int *out) {
    asm volatile("bar.sync %0, 64;" : : "r"(threadIdx.x / 32 + 1) : "memory");
    *out = 1;
}

__device__ __noinline__ int descend(int depth, volatile int *out) {
    volatile int frame[64];
    frame[depth % 64] = depth;
    int below = *out == 12345 ? 0 : descend(depth + 1, out);
    return below + frame[(depth + 1) % 64];
}

__global__ void recurse(int *out) {
    *out = descend(0, out);
}

__global__ void trap(int *out) {
    if (threadIdx.x == 5) {
        __trap();
    }
    out[threadIdx.x] = 1;
}

__global__ void well_behaved(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 3 * i;
    }
}

// After a fault: the same error from every call until the process ends, and the host code continues.
static void expect_lost(const char *what, cudaError_t expected) {
    expect_error(what, expected, cudaDeviceSynchronize());
    expect_error("synchronizing again repeats the error", expected, cudaDeviceSynchronize());
    void *more = nullptr;
    expect_error("a later allocation repeats the error", expected, cudaMalloc(&more, 64));
    well_behaved<<<1, 32>>>((int *)more, 0);
    expect_error("a later launch repeats the error", expected, cudaGetLastError());
    expect_error("and does not lose it", expected, cudaPeekAtLastError());
    Lcg random(42);
    long sum = 0;
    for (int i = 0; i < 1000; i++) {
        sum += random.below(100);
    }
    expect_true("the host computes on", 0, sum > 40000 && sum < 60000);
}

static void out_of_bounds_store() {
    int *values = device_zeros<int>(1000), *out = device_zeros<int>(1);
    store_at<<<1, 1>>>(values, 1000000000l, out);
    expect_lost("store far outside", cudaErrorIllegalAddress);
}

static void out_of_bounds_load() {
    int *values = device_zeros<int>(64 * 7), *out = device_zeros<int>(256);
    load_past_end<<<2, 128>>>(values, 7, out);
    expect_lost("load just past the end", cudaErrorIllegalAddress);
}

static void null_store() {
    int *out = device_zeros<int>(1);
    store_at<<<1, 1>>>(nullptr, 0, out);
    expect_lost("null pointer", cudaErrorIllegalAddress);
}

static void use_after_free() {
    int *values = device_zeros<int>(1 << 20), *out = device_zeros<int>(1);
    CHECK(cudaFree(values));
    store_at<<<1, 1>>>(values, 77, out);
    expect_lost("freed memory", cudaErrorIllegalAddress);
}

static void host_pointer() {
    static int host_value;
    int *out = device_zeros<int>(1);
    store_at<<<1, 1>>>(&host_value, 0, out);
    expect_lost("pointer to plain host memory", cudaErrorIllegalAddress);
    expect_equal("the host variable is untouched", 0, 0, host_value);
}

static void misaligned_load() {
    char *bytes = device_zeros<char>(256);
    double *out = device_zeros<double>(1);
    load_misaligned<<<1, 1>>>(bytes, 12, out);
    expect_lost("misaligned load", cudaErrorMisalignedAddress);
}

static void shared_out_of_bounds() {
    int *out = device_zeros<int>(64);
    shared_past_end<<<1, 64, 64 * sizeof(int)>>>(out, 1 << 24);
    expect_lost("shared memory past its end", cudaErrorIllegalAddress);
}

static void endless_barrier() {
    int *out = device_zeros<int>(1);
    wait_at_different_barriers<<<1, 64>>>(out);
    expect_lost("barrier that never completes", cudaErrorLaunchTimeout);
}

static void endless_recursion() {
    int *out = device_zeros<int>(1);
    recurse<<<1, 1>>>(out);
    expect_lost("endless recursion", cudaErrorHardwareStackError);
}

static void trapped() {
    int *out = device_zeros<int>(32);
    trap<<<1, 32>>>(out);
    expect_lost("trap", cudaErrorLaunchFailure);
}

struct Case {
    const char *name, *kernel;
    void (*run)();
};

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 3000, 1, 1 << 22);
    const Case cases[] = {
        {"out-of-bounds store", "store_at", out_of_bounds_store},
        {"out-of-bounds load", "load_past_end", out_of_bounds_load},
        {"null store", "store_at", null_store},
        {"use after free", "store_at", use_after_free},
        {"host pointer", "store_at", host_pointer},
        {"misaligned load", "load_misaligned", misaligned_load},
        {"shared memory out of bounds", "shared_past_end", shared_out_of_bounds},
        {"endless barrier", "wait_at_different_barriers", endless_barrier},
        {"endless recursion", "recurse", endless_recursion},
        {"trap", "trap", trapped},
    };
    for (const Case &one : cases) {
        Child child = run_child(one.run);
        expect_success(one.name, child);
        if (child.output.find(one.kernel) == std::string::npos) {
            fail(one.name, 0, std::string("a report that names ") + one.kernel, child.output);
        }
    }
    int *out = device_zeros<int>(n);
    well_behaved<<<blocks_for(n, 128), 128>>>(out, n);
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, n);
    for (int i = 0; i < n; i++) {
        expect_equal("correct kernel afterwards", i, 3 * i, got[i]);
    }
    return pass();
}
