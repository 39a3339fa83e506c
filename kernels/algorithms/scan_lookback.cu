// Inclusive prefix sum in one pass over the data by decoupled look-back (Merrill and Garland, 2016): each
// block takes a ticket, publishes its own sum, then walks back over its predecessors' published sums and
// prefixes until it meets a prefix. Blocks wait for each other here, so resident blocks must all make
// progress. One variant polls volatile words that pack flag and value; the other uses acquire loads and
// release stores.
// also: --set gpu.warp_size=64
#define PROGRAM "scan_lookback"
#include "../check.h"

static const int BLOCK = 128;
static const int PER_THREAD = 4;
static const int TILE = BLOCK * PER_THREAD;

enum Flag { EMPTY = 0, SUM = 1, PREFIX = 2 };

// A tile's state: flag in the high half, value in the low half, so that one 8-byte access carries both.
struct PackedState {
    unsigned long long *words;

    __device__ void publish(int tile, unsigned flag, unsigned value) const {
        *(volatile unsigned long long *)&words[tile] = ((unsigned long long)flag << 32) | value;
    }

    __device__ unsigned wait(int tile, unsigned *value) const {
        unsigned long long word;
        do {
            word = *(volatile unsigned long long *)&words[tile];
        } while ((word >> 32) == EMPTY);
        *value = (unsigned)word;
        return (unsigned)(word >> 32);
    }
};

// Flag and values in separate words: the flag is released after the value and acquired before it.
struct FlaggedState {
    unsigned *flags, *sums, *prefixes;

    __device__ void publish(int tile, unsigned flag, unsigned value) const {
        (flag == SUM ? sums : prefixes)[tile] = value;
        asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(flags + tile), "r"(flag) : "memory");
    }

    __device__ unsigned wait(int tile, unsigned *value) const {
        unsigned flag;
        do {
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(flag) : "l"(flags + tile) : "memory");
        } while (flag == EMPTY);
        *value = ((volatile unsigned *)(flag == SUM ? sums : prefixes))[tile];
        return flag;
    }
};

template <typename State>
__global__ void scan(const unsigned *in, unsigned *out, int n, unsigned *ticket, State state) {
    __shared__ unsigned warp_sums[BLOCK / 32];
    __shared__ unsigned before;
    __shared__ int my_tile;
    if (threadIdx.x == 0) {
        my_tile = (int)atomicAdd(ticket, 1u);
    }
    __syncthreads();
    int tile = my_tile, first = tile * TILE + threadIdx.x * PER_THREAD, lane = threadIdx.x % 32;
    unsigned items[PER_THREAD], sum = 0;
    for (int i = 0; i < PER_THREAD; i++) {
        sum += first + i < n ? in[first + i] : 0;
        items[i] = sum;
    }
    unsigned inclusive = sum;
    for (int offset = 1; offset < 32; offset *= 2) {
        unsigned other = __shfl_up_sync(0xffffffffu, inclusive, offset);
        inclusive += lane >= offset ? other : 0;
    }
    if (lane == 31) {
        warp_sums[threadIdx.x / 32] = inclusive;
    }
    __syncthreads();
    unsigned warps_before = 0, tile_sum = 0;
    for (int w = 0; w < BLOCK / 32; w++) {
        warps_before += w < (int)threadIdx.x / 32 ? warp_sums[w] : 0;
        tile_sum += warp_sums[w];
    }
    if (threadIdx.x == 0) {
        unsigned prefix = 0;
        if (tile > 0) {
            state.publish(tile, SUM, tile_sum);
            unsigned flag = SUM;
            for (int other = tile - 1; flag != PREFIX; other--) {
                unsigned value;
                flag = state.wait(other, &value);
                prefix += value;
            }
        }
        state.publish(tile, PREFIX, prefix + tile_sum);
        before = prefix;
    }
    __syncthreads();
    for (int i = 0; i < PER_THREAD; i++) {
        if (first + i < n) {
            out[first + i] = before + warps_before + inclusive - sum + items[i];
        }
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 60007, 1, 1 << 25);
    int tiles = blocks_for(n, TILE);
    Lcg random(8);
    std::vector<unsigned> values(n), expected(n);
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        values[i] = random.next();
        sum += values[i];
        expected[i] = sum;
    }
    unsigned *in = to_device(values), *out = device_zeros<unsigned>(n), *ticket = device_zeros<unsigned>(1);

    PackedState packed = {device_zeros<unsigned long long>(tiles)};
    scan<<<tiles, BLOCK>>>(in, out, n, ticket, packed);
    CHECK_KERNEL();
    expect_same("volatile packed state", expected, to_host(out, n));
    expect_equal("tickets drawn", 0, (unsigned)tiles, to_host(ticket, 1)[0]);

    CHECK(cudaMemset(out, 0, n * sizeof(unsigned)));
    CHECK(cudaMemset(ticket, 0, sizeof(unsigned)));
    FlaggedState flagged = {device_zeros<unsigned>(tiles), device_zeros<unsigned>(tiles),
                            device_zeros<unsigned>(tiles)};
    scan<<<tiles, BLOCK>>>(in, out, n, ticket, flagged);
    CHECK_KERNEL();
    expect_same("acquire and release", expected, to_host(out, n));
    return pass();
}
