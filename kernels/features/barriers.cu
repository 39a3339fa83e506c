// Barriers beyond __syncthreads: its counting and voting forms, and named barriers through inline assembly,
// with part of the block (bar.sync id, count), as producer and consumer (bar.arrive and bar.sync on two
// barriers, a ring of two buffers), and barriers that reduce a predicate. Values pass through shared memory,
// so a barrier that lets a warp through early gives wrong data.
// also: --set gpu.warp_size=64
#define PROGRAM "barriers"
#include "../check.h"

__device__ __forceinline__ void named_sync(int barrier, int threads) {
    asm volatile("bar.sync %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

__device__ __forceinline__ void named_arrive(int barrier, int threads) {
    asm volatile("bar.arrive %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

static const int THREADS = 160;

__global__ void votes(const int *values, int rounds, int *out) {
    for (int round = 0; round < rounds; round++) {
        int value = values[round * THREADS + threadIdx.x];
        int count = __syncthreads_count(value > 50), all = __syncthreads_and(value > 2);
        int any = __syncthreads_or(value > 98), popc, both, either;
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; barrier.red.popc.u32 %0, 3, 160, p; }"
                     : "=r"(popc)
                     : "r"(value % 7 == 0)
                     : "memory");
        asm volatile(
            "{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.and.pred q, 2, p; selp.u32 %0, 1, 0, q; }"
            : "=r"(both)
            : "r"(value % 100 != 13)
            : "memory");
        asm volatile(
            "{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.or.pred q, 2, p; selp.u32 %0, 1, 0, q; }"
            : "=r"(either)
            : "r"(value % 100 == 57)
            : "memory");
        int bits = (all != 0) | (any != 0) << 1 | both << 2 | either << 3;
        out[round * THREADS + threadIdx.x] = count | popc << 8 | bits << 16;
    }
}

static void check_votes(int rounds) {
    Lcg random(37);
    std::vector<int> values((size_t)rounds * THREADS);
    for (int &value : values) {
        value = (int)random.below(100) + (random.below(3) ? 100 : 0);
    }
    int *out = device_zeros<int>(values.size());
    votes<<<1, THREADS>>>(to_device(values), rounds, out);
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, values.size());
    for (int round = 0; round < rounds; round++) {
        int count = 0, popc = 0, all = 1, any = 0, both = 1, either = 0;
        for (int t = 0; t < THREADS; t++) {
            int value = values[(size_t)round * THREADS + t];
            count += value > 50;
            popc += value % 7 == 0;
            all &= value > 2;
            any |= value > 98;
            both &= value % 100 != 13;
            either |= value % 100 == 57;
        }
        int expected = count | popc << 8 | (all | any << 1 | both << 2 | either << 3) << 16;
        for (int t = 0; t < THREADS; t++) {
            expect_equal("barrier votes", (long)round * THREADS + t, expected,
                         got[(size_t)round * THREADS + t]);
        }
    }
}

// Three groups of 64, 128 and 192 threads, each with its own barrier and its own number of rounds.
static const int GROUPED = 384;

__global__ void groups(unsigned *out, int rounds) {
    __shared__ volatile unsigned box[GROUPED];
    int t = threadIdx.x, group = t < 64 ? 1 : t < 192 ? 2 : 3, size = 64 * group;
    int first = group == 1 ? 0 : group == 2 ? 64 : 192;
    box[t] = t;
    for (int round = 0; round < rounds * group; round++) {
        named_sync(group, size);
        unsigned other = box[first + (t - first + 33) % size];
        named_sync(group, size);
        box[t] = box[t] * 5u + other;
    }
    __syncthreads();
    out[t] = box[GROUPED - 1 - t];
}

static void check_groups(int rounds) {
    unsigned *out = device_zeros<unsigned>(GROUPED);
    groups<<<1, GROUPED>>>(out, rounds);
    CHECK_KERNEL();
    std::vector<unsigned> got = to_host(out, GROUPED), box(GROUPED);
    const int firsts[] = {0, 64, 192};
    for (int group = 1; group <= 3; group++) {
        int first = firsts[group - 1], size = 64 * group;
        std::vector<unsigned> now(size), next(size);
        for (int i = 0; i < size; i++) {
            now[i] = (unsigned)(first + i);
        }
        for (int round = 0; round < rounds * group; round++) {
            for (int i = 0; i < size; i++) {
                next[i] = now[i] * 5u + now[(i + 33) % size];
            }
            std::swap(now, next);
        }
        std::copy(now.begin(), now.end(), box.begin() + first);
    }
    for (int t = 0; t < GROUPED; t++) {
        expect_equal("partial barriers", t, box[GROUPED - 1 - t], got[t]);
    }
}

// The first two warps produce, the next two consume; barriers 1, 2 say "full", 3, 4 say "empty" of two
// buffers.
__global__ void pipeline(const int *in, int *out, int batches) {
    __shared__ int buffer[2][64];
    int t = threadIdx.x % 64;
    if (threadIdx.x < 64) {
        for (int batch = 0; batch < batches; batch++) {
            int slot = batch % 2;
            named_sync(3 + slot, 128);
            buffer[slot][63 - t] = in[batch * 64 + t] * 2;
            __threadfence_block();
            named_arrive(1 + slot, 128);
        }
    } else {
        named_arrive(3, 128);
        named_arrive(4, 128);
        for (int batch = 0; batch < batches; batch++) {
            int slot = batch % 2;
            named_sync(1 + slot, 128);
            out[batch * 64 + t] = buffer[slot][t] + batch;
            if (batch + 2 < batches) {
                named_arrive(3 + slot, 128);
            }
        }
    }
}

static void check_pipeline(int batches) {
    Lcg random(38);
    std::vector<int> in((size_t)batches * 64);
    for (int &value : in) {
        value = (int)random.below(100000);
    }
    int *out = device_zeros<int>(in.size());
    pipeline<<<1, 128>>>(to_device(in), out, batches);
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, in.size());
    for (int batch = 0; batch < batches; batch++) {
        for (int t = 0; t < 64; t++) {
            expect_equal("producer and consumer", (long)batch * 64 + t,
                         in[(size_t)batch * 64 + 63 - t] * 2 + batch, got[(size_t)batch * 64 + t]);
        }
    }
}

// Threads that have exited, whole warps or single lanes, no longer count at the barrier of the others.
__global__ void leave_early(int *out, int stay) {
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    if ((int)threadIdx.x >= stay) {
        return;
    }
    atomicAdd(&sum, (int)threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = sum;
}

int main(int argc, char **argv) {
    int rounds = size_argument(argc, argv, 12, 1, 10000);
    check_votes(rounds);
    check_groups(rounds);
    check_pipeline(2 * rounds + 1);
    const int staying[] = {96, 100, 1};
    for (int stay : staying) {
        int *out = device_zeros<int>(THREADS);
        leave_early<<<1, THREADS>>>(out, stay);
        CHECK_KERNEL();
        std::vector<int> got = to_host(out, THREADS);
        for (int t = 0; t < THREADS; t++) {
            expect_equal("after some have left", t, t < stay ? stay * (stay - 1) / 2 : 0, got[t]);
        }
    }
    return pass();
}
