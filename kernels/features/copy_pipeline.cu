// Tiles that are copied to shared memory asynchronously, several in flight while earlier ones are used (cp.async, as
// compilers for sm_80 and CUTLASS write it). Sums of a moving window over rows of a matrix whose length is not a
// multiple of the tile's: the bytes outside are zeros. Also copies of 4 and 8 bytes, and those that a predicate skips.
#define PROGRAM "copy_pipeline"
#include "../check.h"

enum { THREADS = 128, STAGES = 3, TILE = 4 * THREADS };

__device__ void copy16(void *to, const void *from, int bytes) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes));
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int N>
__device__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

// Every block computes one row: out = the sum of the tile's word and those of the three next threads, over all tiles.
__global__ void windows(const unsigned *in, unsigned *out, int columns) {
    __shared__ alignas(16) unsigned tile[STAGES][TILE];
    const unsigned *row = in + (size_t)blockIdx.x * columns;
    int tiles = (columns + TILE - 1) / TILE, t = threadIdx.x;
    auto fetch = [&](int i) {
        int at = i * TILE + 4 * t, left = 4 * (columns - at);
        if (i < tiles) {
            copy16(&tile[i % STAGES][4 * t], row + (left > 0 ? at : 0), left <= 0 ? 0 : left < 16 ? left : 16);
        }
        commit();
    };
    for (int i = 0; i < STAGES - 1; i++) {
        fetch(i);
    }
    unsigned sum = 0;
    for (int i = 0; i < tiles; i++) {
        wait<STAGES - 2>();
        __syncthreads();
        fetch(i + STAGES - 1);
        for (int k = 0; k < 4; k++) {
            for (int j = 0; j < 4; j++) {
                sum += (k + 1) * tile[i % STAGES][4 * ((t + j) % THREADS) + k];
            }
        }
    }
    out[blockIdx.x * THREADS + t] = sum;
}

__global__ void small(const unsigned long long *in, unsigned long long *out) {
    __shared__ unsigned long long words[3][THREADS];
    int t = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(&words[0][t]);
    words[0][t] = words[1][t] = words[2][t] = ~0ull;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(__cvta_generic_to_global(in + t)));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 3;" ::"r"(to + 8 * THREADS),
                 "l"(__cvta_generic_to_global(in + t)));
    asm volatile("{ .reg .pred skip; setp.ne.u32 skip, %2, 0; cp.async.ca.shared.global [%0], [%1], 8, skip; }" ::"r"(
                     to + 16 * THREADS),
                 "l"(__cvta_generic_to_global(in + t)), "r"(t % 3));
    asm volatile("cp.async.wait_all;" ::: "memory");
    for (int i = 0; i < 3; i++) {
        out[i * THREADS + t] = words[i][t];
    }
}

static void check_windows(int rows, int columns) {
    Lcg random(columns);
    std::vector<unsigned> in((size_t)rows * columns);
    for (auto &v : in) {
        v = random.next();
    }
    unsigned *out = device_zeros<unsigned>((size_t)rows * THREADS);
    windows<<<rows, THREADS>>>(to_device(in), out, columns);
    CHECK_KERNEL();
    auto got = to_host(out, (size_t)rows * THREADS);
    for (int r = 0; r < rows; r++) {
        for (int t = 0; t < THREADS; t++) {
            unsigned want = 0;
            for (int i = 0; i * TILE < columns; i++) {
                for (int j = 0; j < 16; j++) {
                    int at = i * TILE + 4 * ((t + j / 4) % THREADS) + j % 4;
                    want += at < columns ? (j % 4 + 1) * in[(size_t)r * columns + at] : 0;
                }
            }
            expect_equal("sum of windows, thread", r * THREADS + t, want, got[r * THREADS + t]);
        }
    }
}

int main() {
    check_windows(4, 2048);
    check_windows(3, 1996);
    check_windows(2, 300);
    Lcg random(7);
    std::vector<unsigned long long> in(THREADS);
    for (auto &v : in) {
        v = (unsigned long long)random.next() << 32 | random.next();
    }
    unsigned long long *out = device_zeros<unsigned long long>(3 * THREADS);
    small<<<1, THREADS>>>(to_device(in), out);
    CHECK_KERNEL();
    auto got = to_host(out, 3 * THREADS);
    for (int t = 0; t < THREADS; t++) {
        expect_equal("8 bytes, thread", t, in[t], got[t]);
        expect_equal("3 of 4 bytes, thread", t, 0xffffffff00000000ull | (in[t] & 0xffffff), got[THREADS + t]);
        expect_equal("a predicate skips, thread", t, t % 3 ? 0ull : in[t], got[2 * THREADS + t]);
    }
    return pass();
}
