// libcu++: atomics, barriers, latches, semaphores, pipelines, and parts of the standard library in device code.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/cassert>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

#include <complex>
#include <cooperative_groups.h>

#include "suite.h"

enum { THREADS = 96, BLOCKS = 3 };

// Shared variables have no constructors in clang, so the objects are made in raw memory.
#define SHARED(type, name) \
    __shared__ unsigned char name##_memory[sizeof(type)] __attribute__((aligned(16))); \
    type &name = *reinterpret_cast<type *>(name##_memory)

typedef cuda::barrier<cuda::thread_scope_block> Barrier;
typedef cuda::atomic<int, cuda::thread_scope_block> Counter;

struct output {
    int sums[THREADS], order[THREADS], most, least, exchanged, ticket, latched, critical;
    double real, imaginary;
    int tuple_sum, array_sum, bits;
    long long milliseconds;
    int staged[THREADS], copied[THREADS], produced[32];
};

__global__ void synchronise(output *out) {
    SHARED(Barrier, barrier);
    SHARED(Counter, counter);
    SHARED(cuda::latch<cuda::thread_scope_block>, latch);
    SHARED(cuda::binary_semaphore<cuda::thread_scope_block>, semaphore);
    __shared__ int rounds[THREADS], critical;
    int i = (int)threadIdx.x;
    if (i == 0) {
        init(&barrier, THREADS);
        new (&counter) Counter(0);
        new (&latch) cuda::latch<cuda::thread_scope_block>(THREADS);
        new (&semaphore) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        critical = 0;
    }
    __syncthreads();
    rounds[i] = i;
    for (int d = 1; d < THREADS; d *= 2) { // a scan whose rounds the barrier separates
        barrier.arrive_and_wait();
        int other = i >= d ? rounds[i - d] : 0;
        barrier.arrive_and_wait();
        rounds[i] += other;
    }
    out->sums[i] = rounds[i];
    out->order[i] = counter.fetch_add(1, cuda::std::memory_order_relaxed);
    latch.arrive_and_wait();
    if (i == 7)
        out->latched = counter.load();
    if (i % 32 == 0) {
        semaphore.acquire();
        int seen = critical;
        critical = seen + 1;
        semaphore.release();
    }
    barrier.arrive_and_wait();
    if (i == 0) {
        out->critical = critical;
        out->exchanged = counter.exchange(-4);
        int expected = -4;
        out->ticket = counter.compare_exchange_strong(expected, 11) ? counter.load() : -1;
    }
}

// Unsigned: for signed types this version of libcu++ emits atom.max.u32.
__global__ void device_scope(output *out, cuda::atomic<unsigned, cuda::thread_scope_device> *most,
                             cuda::atomic<unsigned, cuda::thread_scope_device> *least) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    most->fetch_max(i * 37 % 101);
    least->fetch_min(i * 37 % 101 + 200);
}

__global__ void pipelined(const int *in, output *out) {
    __shared__ int stage[2][32];
    auto pipe = cuda::make_pipeline();
    int i = (int)threadIdx.x;
    for (int step = 0; step < 4; step++) {
        if (step < 3) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[step % 2][i], &in[step * 32 + i], sizeof(int), pipe);
            pipe.producer_commit();
        }
        if (step) {
            if (step < 3)
                cuda::pipeline_consumer_wait_prior<1>(pipe);
            else
                cuda::pipeline_consumer_wait_prior<0>(pipe);
            __syncwarp();
            out->staged[(step - 1) * 32 + i] = stage[(step - 1) % 2][31 - i];
            __syncwarp();
            pipe.consumer_release();
        }
    }
}

// Copies that arrive at a barrier when they are complete, of 16, 4 and 1 bytes a thread.
__global__ void copied(const int *in, output *out) {
    __shared__ alignas(16) int quads[4 * 8], words[THREADS];
    __shared__ char bytes[THREADS];
    SHARED(Barrier, barrier);
    int i = (int)threadIdx.x;
    if (i == 0)
        init(&barrier, THREADS);
    __syncthreads();
    if (i < 8)
        cuda::memcpy_async(&quads[4 * i], &in[4 * i], cuda::aligned_size_t<16>(16), barrier);
    cuda::memcpy_async(&words[i], &in[i], sizeof(int), barrier);
    cuda::memcpy_async(&bytes[i], (const char *)&in[i], 1, barrier);
    barrier.arrive_and_wait();
    out->copied[i] = words[THREADS - 1 - i] + quads[i % 32] * 3 + bytes[(i + 33) % THREADS];
}

// Warps 0 and 1 copy tiles, warp 2 adds them up.
__global__ void produced(const int *in, output *out) {
    typedef cuda::pipeline_shared_state<cuda::thread_scope_block, 2> State;
    SHARED(State, state);
    __shared__ int tile[2][64];
    auto block = cooperative_groups::this_thread_block();
    int i = (int)threadIdx.x, sum = 0;
    if (i == 0)
        new (&state) State();
    block.sync();
    auto role = i < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    for (int step = 0; step < 7; step++) {
        if (i < 64) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[step % 2][i], &in[(step * 5 + i) % THREADS], sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum = sum * 2 + tile[step % 2][i - 64] + tile[step % 2][95 - i + 32];
            pipe.consumer_release();
        }
    }
    if (i >= 64)
        out->produced[i - 64] = sum;
}

__global__ void standard(output *out) {
    cuda::std::complex<double> z(1, 2), w(-3, 0.5);
    z = z * w / cuda::std::complex<double>(0.5, -1);
    out->real = z.real();
    out->imaginary = z.imag();
    cuda::std::tuple<int, char, long long> t(5, 'a', 1ll << 40);
    out->tuple_sum = cuda::std::get<0>(t) + cuda::std::get<1>(t) + (int)(cuda::std::get<2>(t) >> 38);
    cuda::std::array<int, 5> a = {1, 2, 3, 4, 5};
    int sum = 0;
    for (int x : a)
        sum += x;
    out->array_sum = sum;
    out->bits = cuda::std::popcount(0xf0f0u) + cuda::std::countl_zero(1u);
    out->milliseconds =
        cuda::std::chrono::duration_cast<cuda::std::chrono::milliseconds>(cuda::std::chrono::seconds(90)).count();
    static_assert(cuda::std::is_same<cuda::std::common_type<int, double>::type, double>::value, "type_traits");
    static_assert(cuda::std::numeric_limits<short>::max() == 32767, "limits");
}

int main() {
    output *out;
    int *in;
    cuda::atomic<unsigned, cuda::thread_scope_device> *limits;
    cudaMallocManaged(&out, sizeof *out);
    cudaMallocManaged(&limits, 2 * sizeof *limits);
    cudaMallocManaged(&in, THREADS * sizeof *in);
    new (&limits[0]) cuda::atomic<unsigned, cuda::thread_scope_device>(0);
    new (&limits[1]) cuda::atomic<unsigned, cuda::thread_scope_device>(1000);
    for (int i = 0; i < THREADS; i++)
        in[i] = i * i;
    synchronise<<<1, THREADS>>>(out);
    device_scope<<<BLOCKS, THREADS>>>(out, &limits[0], &limits[1]);
    pipelined<<<1, 32>>>(in, out);
    copied<<<1, THREADS>>>(in, out);
    produced<<<1, THREADS>>>(in, out);
    standard<<<1, 1>>>(out);
    report("kernels", cudaDeviceSynchronize() == cudaSuccess);

    bool same = true;
    for (int i = 0; i < THREADS; i++)
        same = same && out->sums[i] == i * (i + 1) / 2;
    report("barrier", same);
    std::sort(out->order, out->order + THREADS);
    same = true;
    for (int i = 0; i < THREADS; i++)
        same = same && out->order[i] == i;
    report("atomic fetch_add", same);
    report("latch", out->latched == THREADS);
    report("binary_semaphore", out->critical == THREADS / 32);
    report("atomic exchange and compare_exchange", out->exchanged == THREADS && out->ticket == 11);
    unsigned most = 0, least = 1000;
    for (unsigned i = 0; i < BLOCKS * THREADS; i++) {
        most = std::max(most, i * 37 % 101);
        least = std::min(least, i * 37 % 101 + 200);
    }
    report("atomic fetch_max and fetch_min at device scope", limits[0].load() == most && limits[1].load() == least);
    same = true;
    for (int i = 0; i < THREADS; i++)
        same = same && out->staged[i] == in[i / 32 * 32 + 31 - i % 32];
    report("pipeline", same);
    same = true;
    for (int i = 0; i < THREADS; i++)
        same = same && out->copied[i] == in[THREADS - 1 - i] + in[i % 32] * 3 + (char)in[(i + 33) % THREADS];
    report("copies that arrive at a barrier", same);
    same = true;
    for (int i = 0; i < 32; i++) {
        int sum = 0;
        for (int step = 0; step < 7; step++)
            sum = sum * 2 + in[(step * 5 + i) % THREADS] + in[(step * 5 + 63 - i) % THREADS];
        same = same && out->produced[i] == sum;
    }
    report("pipeline of producers and consumers", same);
    std::complex<double> z = std::complex<double>(1, 2) * std::complex<double>(-3, 0.5) / std::complex<double>(0.5, -1);
    report("complex", std::abs(z - std::complex<double>(out->real, out->imaginary)) < 1e-14);
    report("tuple, array, bit, chrono", out->tuple_sum == 5 + 'a' + 4 && out->array_sum == 15 && out->bits == 8 + 31 &&
                                            out->milliseconds == 90000);
    return suite_end("libcudacxx");
}
