// motion_estimation: video. Block matching between two frames: an exhaustive integer-pel search by sums of
// absolute differences on four packed bytes at a time, half-pel refinement on interpolated samples, then the
// residual through an 8x8 integer transform and quantiser, and the reconstruction of the frame.
// Exercises: SIMD-in-a-word byte arithmetic, unaligned words put together by byte_perm, uchar4 loads, 16-bit
// values, packed keys reduced by shuffle, 3D grids, shared windows larger than the block, integer division
// and rounding.
// Exact: checked against byte-by-byte loops on the host, a planted global motion, and the transform's
// inverse.
#include "../app.h"

static const int MB = 16, RANGE = 6, WINDOW = MB + 2 * RANGE, PITCH = WINDOW + 4;

struct Frame {
    int width, height;
    __host__ __device__ int at(int x, int y) const
    {
        x = x < 0 ? 0 : x >= width ? width - 1 : x;
        y = y < 0 ? 0 : y >= height ? height - 1 : y;
        return y * width + x;
    }
};

struct Motion {
    short x, y; // half-pel units
    int cost;
};

// Sum of absolute differences of four bytes, without a carry from byte to byte.
__device__ __forceinline__ unsigned sad4(unsigned a, unsigned b)
{
    unsigned even = 0x00ff00ffu, sum = 0;
    for (int half = 0; half < 2; half++) {
        unsigned p = (a >> (8 * half)) & even, q = (b >> (8 * half)) & even;
        unsigned d = (p | 0x01000100u) - q; // bit 8 of each half stays set where p >= q
        unsigned negative = ~d >> 8 & 0x00010001u;
        d = ((d & even) ^ (negative * 0xff)) + negative;
        sum += (d & 0x1ff) + (d >> 16 & 0x1ff);
    }
    return sum;
}

// Four bytes that start anywhere in a row of words.
__device__ __forceinline__ unsigned word_at(const unsigned *row, int byte)
{
    unsigned low = row[byte / 4], high = row[byte / 4 + 1], s = byte % 4;
    return __byte_perm(low, high, 0x3210 + 0x1111 * s);
}

// Prefers small cost, then a short vector, then the raster order: the same total order as the host's.
__device__ __host__ inline unsigned long long motion_key(unsigned cost, int x, int y)
{
    unsigned length = (unsigned)(x * x + y * y);
    return (unsigned long long)cost << 32 | length << 16 | (unsigned)(y + 64) << 8 | (unsigned)(x + 64);
}

// One block of 64 threads a macroblock; each thread tries every 64th vector.
__global__ void search_kernel(const uint8_t *now, const uint8_t *before, Frame f, Motion *motion)
{
    __shared__ unsigned current[MB][MB / 4];
    __shared__ unsigned window[WINDOW][PITCH / 4];
    __shared__ unsigned long long warp_best[2];
    int x0 = blockIdx.x * MB, y0 = blockIdx.y * MB, t = threadIdx.x;
    const uchar4 *rows = (const uchar4 *)now;
    uchar4 v = rows[((y0 + t / 4) * f.width + x0) / 4 + t % 4];
    current[t / 4][t % 4] = v.x | v.y << 8 | v.z << 16 | (unsigned)v.w << 24;
    for (int i = t; i < WINDOW * PITCH; i += blockDim.x)
        ((uint8_t *)window[i / PITCH])[i % PITCH] =
            before[f.at(x0 - RANGE + i % PITCH, y0 - RANGE + i / PITCH)];
    __syncthreads();
    unsigned long long best = ~0ull;
    const int side = 2 * RANGE + 1;
    for (int c = t; c < side * side; c += blockDim.x) {
        int dx = c % side - RANGE, dy = c / side - RANGE;
        unsigned cost = 0;
        for (int y = 0; y < MB; y++)
#pragma unroll
            for (int x = 0; x < MB; x += 4)
                cost += sad4(current[y][x / 4], word_at(window[y + dy + RANGE], x + dx + RANGE));
        best = min(best, motion_key(cost, dx, dy));
    }
    for (int d = 16; d > 0; d /= 2)
        best = min(best, __shfl_xor_sync(0xffffffffu, best, d));
    if (t % 32 == 0)
        warp_best[t / 32] = best;
    __syncthreads();
    if (t == 0) {
        best = min(warp_best[0], warp_best[1]);
        Motion m = {(short)(2 * ((int)(best & 0xff) - 64)), (short)(2 * ((int)(best >> 8 & 0xff) - 64)),
                    (int)(best >> 32)};
        motion[blockIdx.y * gridDim.x + blockIdx.x] = m;
    }
}

// Sample at half-pel position: the rounded mean of one, two or four neighbours.
__device__ __host__ inline int sample(const uint8_t *p, Frame f, int x2, int y2)
{
    int x = x2 >> 1, y = y2 >> 1, fx = x2 & 1, fy = y2 & 1;
    int sum = p[f.at(x, y)] + p[f.at(x + fx, y)] + p[f.at(x, y + fy)] + p[f.at(x + fx, y + fy)];
    return (sum + 2) >> 2;
}

// blockIdx.z is one of the nine half-pel positions around the vector found; lane sums meet in one atomicMin.
__global__ void refine_kernel(const uint8_t *now, const uint8_t *before, Frame f, const Motion *motion,
                              unsigned long long *best)
{
    int mb = blockIdx.y * gridDim.x + blockIdx.x, k = blockIdx.z;
    int dx = motion[mb].x + k % 3 - 1, dy = motion[mb].y + k / 3 - 1;
    unsigned cost = 0;
    for (int i = threadIdx.x; i < MB * MB; i += 32) {
        int x = blockIdx.x * MB + i % MB, y = blockIdx.y * MB + i / MB;
        cost += abs(now[y * f.width + x] - sample(before, f, 2 * x + dx, 2 * y + dy));
    }
    for (int d = 16; d > 0; d /= 2)
        cost += __shfl_down_sync(0xffffffffu, cost, d);
    if (threadIdx.x == 0)
        atomicMin(&best[mb], motion_key(cost, dx, dy));
}

// Walsh-Hadamard transform of a line of eight; its own inverse up to a factor of 8.
__device__ void hadamard8(int *v, int stride)
{
    for (int h = 1; h < 8; h *= 2)
        for (int i = 0; i < 8; i++)
            if (!(i & h)) {
                int a = v[i * stride], b = v[(i + h) * stride];
                v[i * stride] = a + b;
                v[(i + h) * stride] = a - b;
            }
}

// Eight threads transform the rows, then the columns, of an 8x8 block; levels go out, the decoded picture
// too.
__global__ void residual_kernel(const uint8_t *now, const uint8_t *before, Frame f,
                                const unsigned long long *best, int quantum, short *levels, uint8_t *decoded)
{
    __shared__ int tile[64];
    int t = threadIdx.x, mb = blockIdx.y / 2 * (gridDim.x / 2) + blockIdx.x / 2;
    int dx = (int)(best[mb] & 0xff) - 64, dy = (int)(best[mb] >> 8 & 0xff) - 64;
    int prediction[8];
    for (int y = 0; y < 8; y++) {
        int px = blockIdx.x * 8 + t, py = blockIdx.y * 8 + y;
        prediction[y] = sample(before, f, 2 * px + dx, 2 * py + dy);
        tile[y * 8 + t] = now[py * f.width + px] - prediction[y];
    }
    __syncwarp(0xff);
    hadamard8(tile + 8 * t, 1);
    __syncwarp(0xff);
    hadamard8(tile + t, 8);
    for (int y = 0; y < 8; y++) {
        int c = tile[y * 8 + t], level = (abs(c) + quantum / 3) / quantum * (c < 0 ? -1 : 1);
        levels[(blockIdx.y * 8 + y) * f.width + blockIdx.x * 8 + t] = (short)level;
        tile[y * 8 + t] = level * quantum;
    }
    hadamard8(tile + t, 8);
    __syncwarp(0xff);
    hadamard8(tile + 8 * t, 1);
    __syncwarp(0xff);
    for (int y = 0; y < 8; y++) {
        int v = prediction[y] + ((tile[y * 8 + t] + 32) >> 6);
        decoded[(blockIdx.y * 8 + y) * f.width + blockIdx.x * 8 + t] = (uint8_t)min(max(v, 0), 255);
    }
}

static std::vector<Motion> host_search(const std::vector<uint8_t> &now, const std::vector<uint8_t> &before,
                                       Frame f)
{
    std::vector<Motion> r;
    for (int y0 = 0; y0 < f.height; y0 += MB)
        for (int x0 = 0; x0 < f.width; x0 += MB) {
            unsigned long long best = ~0ull;
            for (int dy = -RANGE; dy <= RANGE; dy++)
                for (int dx = -RANGE; dx <= RANGE; dx++) {
                    unsigned cost = 0;
                    for (int i = 0; i < MB * MB; i++) {
                        int x = x0 + i % MB, y = y0 + i / MB;
                        cost += std::abs(now[y * f.width + x] - before[f.at(x + dx, y + dy)]);
                    }
                    unsigned long long key = motion_key(cost, dx, dy);
                    if (key < best) {
                        best = key;
                        if (r.size() <= (size_t)(y0 / MB * (f.width / MB) + x0 / MB))
                            r.push_back(Motion());
                        r.back() = Motion{(short)(2 * dx), (short)(2 * dy), (int)cost};
                    }
                }
        }
    return r;
}

// Coefficient (u, v) from its definition: signs are the parity of the common bits.
static int host_coefficient(const int *residual, int u, int v)
{
    int sum = 0;
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            sum += __builtin_parity((x & u) ^ ((y & v) << 3)) ? -residual[y * 8 + x] : residual[y * 8 + x];
    return sum;
}

static void make_frames(std::vector<uint8_t> &before, std::vector<uint8_t> &now, Frame f, int dx, int dy)
{
    app::Lcg rng(23);
    Frame coarse = {f.width / 4 + 4, f.height / 4 + 4};
    std::vector<int> noise(coarse.width * coarse.height);
    for (int &v : noise)
        v = (int)rng.below(256);
    auto texture = [&](int x, int y) { // bilinear noise on a grid of 4
        x += 8;
        y += 8;
        int gx = x / 4, gy = y / 4, fx = x % 4, fy = y % 4;
        int top = noise[coarse.at(gx, gy)] * (4 - fx) + noise[coarse.at(gx + 1, gy)] * fx;
        int bottom = noise[coarse.at(gx, gy + 1)] * (4 - fx) + noise[coarse.at(gx + 1, gy + 1)] * fx;
        return (top * (4 - fy) + bottom * fy) / 16;
    };
    for (int y = 0; y < f.height; y++)
        for (int x = 0; x < f.width; x++) {
            bool object = x > f.width / 2 && y > f.height / 2; // a quarter of the picture stands still
            before[y * f.width + x] = (uint8_t)texture(x, y);
            now[y * f.width + x] = (uint8_t)(object ? texture(x, y) : texture(x + dx, y + dy));
        }
}

int main(int argc, char **argv)
{
    int width = app::start(argc, argv, "motion_estimation", 96, 32, 1920) / MB * MB;
    Frame f = {width, std::max(width * 3 / 4 / MB * MB, 2 * MB)};
    int n = f.width * f.height, across = f.width / MB, down = f.height / MB, quantum = 40;
    std::vector<uint8_t> before(n), now(n);
    make_frames(before, now, f, 3, -2);
    app::Buffer<uint8_t> d_before(before), d_now(now), d_decoded(n);
    app::Buffer<Motion> d_motion(across * down);
    app::Buffer<unsigned long long> d_best(across * down);
    app::Buffer<short> d_levels(n);
    d_best.fill(0xff);
    search_kernel<<<dim3(across, down), 64>>>(d_now.get(), d_before.get(), f, d_motion.get());
    refine_kernel<<<dim3(across, down, 9), 32>>>(d_now.get(), d_before.get(), f, d_motion.get(),
                                                 d_best.get());
    residual_kernel<<<dim3(2 * across, 2 * down), 8>>>(d_now.get(), d_before.get(), f, d_best.get(), quantum,
                                                       d_levels.get(), d_decoded.get());
    GPU_DONE();
    std::vector<Motion> expected = host_search(now, before, f), got = d_motion.read();
    std::vector<unsigned long long> best = d_best.read();
    std::vector<short> levels = d_levels.read();
    std::vector<uint8_t> decoded = d_decoded.read();
    int planted = 0;
    for (int mb = 0; mb < across * down; mb++) {
        app::equal("cost of the integer vector", mb, expected[mb].cost, got[mb].cost);
        app::equal("vector x", mb, (int)expected[mb].x, (int)got[mb].x);
        app::equal("vector y", mb, (int)expected[mb].y, (int)got[mb].y);
        planted += got[mb].x == 6 && got[mb].y == -4;
        unsigned long long key = ~0ull;
        for (int k = 0; k < 9; k++) {
            int dx = got[mb].x + k % 3 - 1, dy = got[mb].y + k / 3 - 1;
            unsigned cost = 0;
            for (int i = 0; i < MB * MB; i++) {
                int x = mb % across * MB + i % MB, y = mb / across * MB + i / MB;
                cost += std::abs(now[y * f.width + x] - sample(before.data(), f, 2 * x + dx, 2 * y + dy));
            }
            key = std::min(key, motion_key(cost, dx, dy));
        }
        app::equal("half-pel key", mb, key, best[mb]);
    }
    app::holds("the planted motion is found", planted, planted * 2 > across * down);
    double squares = 0;
    for (int b = 0; b < n / 64; b++) {
        int bx = b % (2 * across) * 8, by = b / (2 * across) * 8, residual[64];
        unsigned long long key = best[by / MB * across + bx / MB];
        for (int i = 0; i < 64; i++) {
            int x = bx + i % 8, y = by + i / 8;
            residual[i] = now[y * f.width + x] - sample(before.data(), f, 2 * x + (int)(key & 0xff) - 64,
                                                        2 * y + (int)(key >> 8 & 0xff) - 64);
        }
        for (int i = 0; i < 64; i++) {
            int c = host_coefficient(residual, i % 8, i / 8), size = (std::abs(c) + quantum / 3) / quantum;
            int x = bx + i % 8, y = by + i / 8, error = now[y * f.width + x] - decoded[y * f.width + x];
            app::equal("level", y * f.width + x, c < 0 ? -size : size, (int)levels[y * f.width + x]);
            squares += error * error;
        }
    }
    // a coefficient is off by at most 2/3 of a step, a sample by an eighth of that on average, plus rounding
    double bound = quantum * 2.0 / 3 / 8 + 0.5;
    app::holds("decoded picture within the quantiser's bound", squares / n, squares / n <= bound * bound);
    return app::pass();
}
