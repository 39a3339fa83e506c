// Temperatures of a chip (hotspot of Rodinia; Huang and others, HotSpot, 2006): a stencil over temperatures and power.
// A launch takes two steps: each block loads its tile of temperatures and power with a border of two cells into shared
// memory, so that neighbouring blocks read each other's cells of the launch before.
// Checked against the same steps on the host, in double precision.
// also: --timing --config gtx480-sc
#define PROGRAM "hotspot"
#include "../bench/options.h"

static const int TILE = 16, STEPS = 2, INNER = TILE - 2 * STEPS, LAUNCHES = 3;
static const float ACROSS = 0.1f, DOWN = 0.12f, LOSS = 0.05f, AMBIENT = 80.0f;

template <typename Real>
static __host__ __device__ Real next_temperature(Real here, Real left, Real right, Real up, Real down, Real power) {
    return here + ACROSS * (left + right - 2 * here) + DOWN * (up + down - 2 * here) + LOSS * (AMBIENT - here) + power;
}

static __host__ __device__ int within(int at, int n) {
    return at < 0 ? 0 : at >= n ? n - 1 : at;
}

static __global__ void advance(const float *from, const float *power, float *to, int n) {
    __shared__ float tiles[2][TILE][TILE], heat[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * INNER + tx - STEPS, y = blockIdx.y * INNER + ty - STEPS;
    int cell = within(y, n) * n + within(x, n);
    tiles[0][ty][tx] = from[cell];
    heat[ty][tx] = power[cell];
    __syncthreads();
    for (int step = 0; step < STEPS; step++) {
        // A neighbour outside the chip is the cell itself; one outside the tile is not needed any more.
        int left = within(x - 1, n) - within(x, n), right = within(x + 1, n) - within(x, n);
        int up = within(y - 1, n) - within(y, n), down = within(y + 1, n) - within(y, n);
        float(*tile)[TILE] = tiles[step % 2];
        tiles[1 - step % 2][ty][tx] =
            next_temperature(tile[ty][tx], tile[ty][within(tx + left, TILE)], tile[ty][within(tx + right, TILE)],
                             tile[within(ty + up, TILE)][tx], tile[within(ty + down, TILE)][tx], heat[ty][tx]);
        __syncthreads();
    }
    bool inner = tx >= STEPS && tx < TILE - STEPS && ty >= STEPS && ty < TILE - STEPS;
    if (inner && x < n && y < n) {
        to[cell] = tiles[STEPS % 2][ty][tx];
    }
}

static void host_step(std::vector<double> &temperature, const std::vector<float> &power, int n) {
    std::vector<double> old = temperature;
    auto at = [&](int y, int x) { return old[within(y, n) * n + within(x, n)]; };
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            temperature[y * n + x] = next_temperature<double>(at(y, x), at(y, x - 1), at(y, x + 1), at(y - 1, x),
                                                              at(y + 1, x), power[y * n + x]);
        }
    }
}

int main(int argc, char **argv) {
    int n = read_options(argc, argv, {"rows and columns", 48, 512, 1, 4096});
    Lcg random(113);
    std::vector<float> start(n * n), power(n * n);
    for (int i = 0; i < n * n; i++) {
        start[i] = random.between(40, 90);
        power[i] = random.between(0, 2);
    }
    std::vector<double> expected(start.begin(), start.end());
    float *from = to_device(start), *to = device_zeros<float>(n * n), *power_device = to_device(power);
    dim3 block(TILE, TILE), grid(blocks_for(n, INNER), blocks_for(n, INNER));
    for (int launch = 0; launch < LAUNCHES; launch++) {
        advance<<<grid, block>>>(from, power_device, to, n);
        CHECK_KERNEL();
        std::swap(from, to);
        for (int step = 0; step < STEPS; step++) {
            host_step(expected, power, n);
        }
    }
    std::vector<float> got = to_host(from, n * n);
    for (int i = 0; i < n * n; i++) {
        expect_near("temperature", i, expected[i], got[i], 1e-5);
    }
    return pass();
}
