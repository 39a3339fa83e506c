// Kernels with a known data race in shared memory, or a read of memory that nothing has written, and their corrected
// twins. twins NAME right|wrong runs one of them; run.sh knows which must be reported. The right ones check their
// results.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

enum { N = 256, BLOCKS = 3 };

/* A block's part of the results: blocks do not share words, so that only the races of the kernels remain. */
static __device__ int *own(int *out)
{
    return out + blockIdx.x * N;
}

template <bool Right> static __device__ void wait_if()
{
    if (Right)
        __syncthreads();
}

// The sum of a block. Wrong: no barrier between the stores and the first step.
template <bool Right> __global__ void reduction(int *out)
{
    __shared__ int s[N];
    unsigned t = threadIdx.x;
    s[t] = 1;
    wait_if<Right>();
    for (unsigned k = N / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    own(out)[t] = s[0] == N;
}

template <bool Right> __global__ void transposition(int *out)
{
    __shared__ int tile[16][17];
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[y][x] = (int)threadIdx.x;
    wait_if<Right>();
    own(out)[threadIdx.x] = tile[x][y] == (int)(x * 16 + y);
}

// Wrong: increments that are no atomics.
template <bool Right> __global__ void histogram(int *out)
{
    __shared__ int bin[8];
    if (threadIdx.x < 8)
        bin[threadIdx.x] = 0;
    __syncthreads();
    if (Right)
        atomicAdd(&bin[threadIdx.x % 8], 1);
    else
        bin[threadIdx.x % 8]++;
    __syncthreads();
    own(out)[threadIdx.x] = bin[threadIdx.x % 8] == N / 8;
}

// Bytes of one word by different threads are no race; wrong: the halves of words overlap.
template <bool Right> __global__ void bytes(int *out)
{
    __shared__ unsigned char s[N + 4];
    s[threadIdx.x] = (unsigned char)threadIdx.x;
    if (!Right)
        s[threadIdx.x + 1] = 7;
    __syncthreads();
    own(out)[threadIdx.x] = s[threadIdx.x] == threadIdx.x;
}

// Sums of warps in lockstep, as before compute capability 7.0. Wrong: no __syncwarp; the compiler keeps the order.
template <bool Right> __global__ void warp_sums(int *out)
{
    __shared__ int s[N + 16];
    unsigned t = threadIdx.x, lane = t % 32;
    s[t] = 1;
    for (unsigned k = 16; k > 0; k /= 2) {
        if (Right)
            __syncwarp();
        asm volatile("" ::: "memory");
        int v = lane < k ? s[t + k] : 0;
        if (Right)
            __syncwarp();
        if (lane < k)
            s[t] = s[t] + v;
        asm volatile("" ::: "memory");
    }
    if (Right)
        __syncwarp();
    own(out)[t] = s[t - lane] == 32;
}

// Two buffers, one barrier a step. Wrong: only one buffer.
template <bool Right> __global__ void buffers(int *out)
{
    __shared__ int s[2][N];
    int v = (int)threadIdx.x;
    for (int i = 0; i < 6; i++) {
        int *b = s[Right ? i % 2 : 0];
        b[threadIdx.x] = v;
        __syncthreads();
        v = b[(threadIdx.x + 1) % N];
    }
    own(out)[threadIdx.x] = v == (int)(threadIdx.x + 6) % N;
}

// Half of the warps produces, half consumes, by two named barriers. Wrong: the consumers say that they are done before
// they have read.
template <bool Right> __global__ void named(int *out)
{
    __shared__ int s[N / 2];
    int t = (int)threadIdx.x, sum = 0;
    for (int i = 0; i < 4; i++)
        if (t < N / 2) {
            if (i)
                asm volatile("bar.sync 2, 256;" ::: "memory");
            s[t] = t + i;
            asm volatile("bar.arrive 1, 256;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 256;" ::: "memory");
            if (!Right && i < 3)
                asm volatile("bar.arrive 2, 256;" ::: "memory");
            sum += s[N - 1 - t];
            if (Right && i < 3)
                asm volatile("bar.arrive 2, 256;" ::: "memory");
        }
    own(out)[t] = t < N / 2 || sum == 4 * (N - 1 - t) + 6;
}

// Tiles of 16 lanes. Wrong: the lanes do not wait for each other.
template <bool Right> __global__ void tiles(int *out)
{
    __shared__ int s[N];
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    unsigned t = threadIdx.x, first = t - tile.thread_rank();
    s[t] = (int)t;
    if (Right)
        tile.sync();
    own(out)[t] = s[first + (tile.thread_rank() + 5) % 16] == (int)(first + (tile.thread_rank() + 5) % 16);
}

// A counter behind a lock in shared memory; one lane of each warp takes it. Wrong: no lock.
template <bool Right> __global__ void lock(int *out)
{
    __shared__ int held, count;
    if (threadIdx.x == 0)
        held = count = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (Right && atomicCAS(&held, 0, 1))
            ;
        __threadfence_block();
        count++;
        __threadfence_block();
        if (Right)
            atomicExch(&held, 0);
    }
    __syncthreads();
    own(out)[threadIdx.x] = count == N / 32;
}

// A flag: volatile, so that the wait is no race. Wrong: the data are read without waiting.
template <bool Right> __global__ void flag(int *out)
{
    __shared__ volatile int ready;
    __shared__ int data;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    int good = 1;
    if (threadIdx.x == 0) {
        data = 42;
        __threadfence_block();
        ready = 1;
    } else if (threadIdx.x == 32) {
        while (Right && !ready)
            ;
        __threadfence_block();
        good = data == 42;
    }
    own(out)[threadIdx.x] = good;
}

// The same value from all threads is no race; wrong: different values.
template <bool Right> __global__ void winner(int *out)
{
    __shared__ int any;
    any = Right ? 5 : (int)threadIdx.x;
    __syncthreads();
    own(out)[threadIdx.x] = any == 5;
}

// Threads that exit have done their work before a later barrier. Wrong: no barrier.
template <bool Right> __global__ void exits(int *out)
{
    __shared__ int s[N];
    s[threadIdx.x] = (int)threadIdx.x;
    own(out)[threadIdx.x] = 1;
    if (threadIdx.x >= N / 2)
        return;
    wait_if<Right>();
    own(out)[threadIdx.x] = s[N - 1 - threadIdx.x] == (int)(N - 1 - threadIdx.x);
}

// Dynamic shared memory, and accesses in a function that is called.
static __device__ __noinline__ int neighbour(const int *s)
{
    return s[(threadIdx.x + 32) % N];
}

template <bool Right> __global__ void called(int *out)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = (int)threadIdx.x;
    wait_if<Right>();
    own(out)[threadIdx.x] = neighbour(dynamic) == (int)(threadIdx.x + 32) % N;
}

// ---- memory that nothing has written ----

// Wrong: the last element of the tile is not set.
template <bool Right> __global__ void border(int *out)
{
    __shared__ int s[N + 1];
    s[threadIdx.x] = 1;
    if (Right && threadIdx.x == 0)
        s[N] = 1;
    __syncthreads();
    own(out)[threadIdx.x] = s[threadIdx.x + 1] == 1;
}

// `in` has N words, of which the host sets all, or all but the last.
template <bool Right> __global__ void unset(int *out, const int *in)
{
    own(out)[threadIdx.x] = in[threadIdx.x] == 3;
}

// Wrong: the heap's memory is read before it is written; a kernel's stores count as writes for later launches.
template <bool Right> __global__ void heap(int *out)
{
    int *p = (int *)malloc(8);
    if (Right)
        p[0] = 0;
    own(out)[threadIdx.x] = atomicAdd(p, 1) == 0;
    free(p);
}

typedef void kernel(int *);
static const struct { const char *name; kernel *right, *wrong; } kernels[] = {
#define TWIN(name) { #name, name<true>, name<false> }
    TWIN(reduction), TWIN(transposition), TWIN(histogram), TWIN(bytes), TWIN(warp_sums), TWIN(buffers), TWIN(named),
    TWIN(tiles), TWIN(lock), TWIN(flag), TWIN(winner), TWIN(exits), TWIN(called), TWIN(border), TWIN(heap),
};

int main(int argc, char **argv)
{
    static int result[BLOCKS * N];
    int *out, *in, good = 0;
    if (argc != 3)
        return 2;
    bool right = !strcmp(argv[2], "right");
    cudaMalloc(&out, sizeof result);
    cudaMalloc(&in, N * sizeof *in);
    if (!strcmp(argv[1], "unset")) {
        for (int i = 0; i < N; i++)
            result[i] = 3;
        cudaMemcpy(in, result, N * sizeof *in - (right ? 0 : 4), cudaMemcpyHostToDevice);
        (right ? unset<true> : unset<false>)<<<BLOCKS, N>>>(out, in);
    }
    for (auto &k : kernels)
        if (!strcmp(argv[1], k.name))
            (right ? k.right : k.wrong)<<<BLOCKS, N, N * sizeof(int)>>>(out);
    if (cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 3;
    for (int i = 0; i < BLOCKS * N; i++)
        good += result[i] == 1;
    printf("%s\n", !right || good == BLOCKS * N ? "good" : "a wrong result");
    return right && good != BLOCKS * N;
}
