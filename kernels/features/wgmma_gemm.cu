// C = A B^T with the matrix instructions of a warpgroup (wgmma), by inline PTX: 128 threads compute 64 x 64 elements.
// Tiles of 64 x 64 halves are in shared memory in lines of 128 bytes, whose chunks of 16 bytes are swizzled by the
// line's number. While the products of one tile are in flight, the warps bring the next one. The second kernel has A in
// registers, and matrices of bytes.
#define PROGRAM "wgmma_gemm"
#include <cuda_fp16.h>

#include "../check.h"
#include "barrier_object.h"

constexpr int THREADS = 128, TILE = 64, LINE = 128, CHUNK = 16;

// The descriptor of a tile that is read from this chunk of its lines on; eight lines are 1024 bytes.
__device__ word descriptor(const void *tile, int chunk) {
    return (shared_address(tile) + CHUNK * chunk) >> 4 | (word)1 << 16 | (word)(8 * LINE / 16) << 32 | (word)1 << 62;
}

__device__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

__device__ void finish() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

#define FOUR(c, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define SUMS(c) FOUR(c, 0), FOUR(c, 4), FOUR(c, 8), FOUR(c, 12), FOUR(c, 16), FOUR(c, 20), FOUR(c, 24), FOUR(c, 28)
#define REGISTERS                                                                                                      \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "  \
    "%24, %25, %26, %27, %28, %29, %30, %31}"

// d = A B^T, plus d if `add`: 64 x 64 elements of the warpgroup, 16 columns of A and B.
__device__ void multiply(float *d, word a, word b, int add) {
    asm volatile("{ .reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " REGISTERS ", %32, %33, p, 1, 1, 0, 0; }"
                 : SUMS("+f")
                 : "l"(a), "l"(b), "r"(add));
}

// The same of bytes, 32 columns, with A in registers.
__device__ void multiply(int *d, const unsigned *a, word b, int add) {
    asm volatile("{ .reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 " REGISTERS ", {%32, %33, %34, %35}, %36, p; }"
                 : SUMS("+r")
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

// Copies 64 lines of 128 bytes, `pitch` bytes from each other, to a tile.
__device__ void bring(char *tile, const char *from, size_t pitch) {
    for (int i = threadIdx.x; i < TILE * LINE / CHUNK; i += THREADS) {
        int line = i / 8, chunk = i % 8;
        *(uint4 *)(tile + line * LINE + (chunk ^ line % 8) * CHUNK) =
            *(const uint4 *)(from + line * pitch + chunk * CHUNK);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Element i of a thread is in this row and column of the block's 64 x 64.
__device__ int row_of(int i) { return threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8; }

__device__ int column_of(int i) { return i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2; }

template <typename T> __device__ void store(T *c, const T *d, int n) {
    for (int i = 0; i < 32; i++) {
        c[(size_t)(blockIdx.y * TILE + row_of(i)) * n + blockIdx.x * TILE + column_of(i)] = d[i];
    }
}

// depth: a multiple of 64
__global__ void halves(const half *a, const half *b, float *c, int n, int depth) {
    alignas(1024) __shared__ char tile[2][2][TILE * LINE];
    size_t pitch = depth * sizeof(half);
    const char *from_a = (const char *)(a + (size_t)blockIdx.y * TILE * depth);
    const char *from_b = (const char *)(b + (size_t)blockIdx.x * TILE * depth);
    float d[32];
    for (int i = 0; i < 32; i++) {
        d[i] = 0;
    }
    bring(tile[0][0], from_a, pitch);
    bring(tile[0][1], from_b, pitch);
    for (int k = 0; k < depth; k += TILE) {
        int now = k / TILE % 2;
        __syncthreads();
        begin();
        for (int chunk = 0; chunk < 8; chunk += 2) {
            multiply(d, descriptor(tile[now][0], chunk), descriptor(tile[now][1], chunk), k + chunk > 0);
        }
        commit();
        if (k + TILE < depth) {
            bring(tile[!now][0], from_a + (k + TILE) * sizeof(half), pitch);
            bring(tile[!now][1], from_b + (k + TILE) * sizeof(half), pitch);
        }
        finish();
    }
    store(c, d, n);
}

// depth: a multiple of 128
__global__ void bytes(const signed char *a, const signed char *b, int *c, int n, int depth) {
    alignas(1024) __shared__ char tile[TILE * LINE];
    int d[32] = {};
    for (int k = 0; k < depth; k += LINE) {
        bring(tile, (const char *)b + (size_t)blockIdx.x * TILE * depth + k, depth);
        __syncthreads();
        for (int step = 0; step < LINE; step += 32) {
            unsigned part[4];
            for (int r = 0; r < 4; r++) {
                int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + r % 2 * 8;
                int column = k + step + r / 2 * 16 + threadIdx.x % 4 * 4;
                part[r] = *(const unsigned *)(a + (size_t)(blockIdx.y * TILE + row) * depth + column);
            }
            begin();
            multiply(d, part, descriptor(tile, step / CHUNK), 1);
            commit();
            finish();
        }
        __syncthreads();
    }
    store(c, d, n);
}

// Small integers: sums are exact.
template <typename T> static std::vector<T> numbers(int n, int seed) {
    Lcg random(seed);
    std::vector<T> v(n);
    for (auto &x : v) {
        x = (T)(float)((int)(random.next() % 17) - 8);
    }
    return v;
}

template <typename T, typename S, typename Kernel>
static void test(const char *what, Kernel kernel, int m, int n, int depth) {
    auto a = numbers<T>(m * depth, m), b = numbers<T>(n * depth, n + 1);
    T *in_a = to_device(a), *in_b = to_device(b);
    S *out = device_zeros<S>(m * n);
    kernel<<<dim3(n / TILE, m / TILE), THREADS>>>(in_a, in_b, out, n, depth);
    CHECK_KERNEL();
    auto got = to_host(out, m * n);
    for (int i = 0; i < m * n; i++) {
        int sum = 0;
        for (int k = 0; k < depth; k++) {
            sum += (int)(float)a[i / n * depth + k] * (int)(float)b[i % n * depth + k];
        }
        expect_equal(what, i, (S)sum, got[i]);
    }
    CHECK(cudaFree(in_a));
    CHECK(cudaFree(in_b));
    CHECK(cudaFree(out));
}

int main() {
    test<half, float>("halves", halves, 64, 64, 64);
    test<half, float>("halves", halves, 128, 192, 256);
    test<signed char, int>("bytes", bytes, 64, 128, 128);
    test<signed char, int>("bytes", bytes, 128, 64, 256);
    return pass();
}
