// Temperatures of a chip, after Rodinia's hotspot (Huang and others, HotSpot, 2006): a stencil over temperatures and
// power. A launch takes two steps: each block loads its tile of temperatures and power with a border of two cells into
// shared memory; cells outside the chip are not loaded. In each step fewer of its threads compute a cell; they store it
// apart, and after a barrier in the tile. A cell's own neighbour at the chip's edge is itself.
// Checked against the same steps on the host, in double precision.
// also: --timing --config gtx480-sc
#define PROGRAM "hotspot"
#include "../bench/options.h"

static const int TILE = 16, STEPS = 2, INNER = TILE - 2 * STEPS, LAUNCHES = 1;
static const float ACROSS = 0.1f, DOWN = 0.12f, LOSS = 0.05f, AMBIENT = 80.0f;

// The factor 2 makes it double precision, as in the original.
template <typename Real>
static __host__ __device__ Real next_temperature(Real here, Real power, Real down, Real up, Real right, Real left) {
    return Real(here + (power + (down + up - 2.0 * here) * DOWN + (right + left - 2.0 * here) * ACROSS +
                        (AMBIENT - here) * LOSS));
}

static __host__ __device__ int within(int at, int n) {
    return at < 0 ? 0 : at >= n ? n - 1 : at;
}

// Whether a thread's cell is inside the tile's part that is right after some steps.
static __device__ bool still_right(int t, int steps) {
    return t >= steps && t < TILE - steps;
}

static __global__ void advance(int steps, const float *power, const float *from, float *to, int n) {
    __shared__ float tile[TILE][TILE], heat[TILE][TILE], next[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, inner = TILE - 2 * steps;
    int left_edge = inner * blockIdx.x - steps, top_edge = inner * blockIdx.y - steps;
    int x = left_edge + tx, y = top_edge + ty, cell = n * y + x;
    bool on_chip = x >= 0 && x < n && y >= 0 && y < n;
    if (on_chip) {
        tile[ty][tx] = from[cell];
        heat[ty][tx] = power[cell];
    }
    __syncthreads();
    int left = within(x - 1, n) - left_edge, right = within(x + 1, n) - left_edge;
    int up = within(y - 1, n) - top_edge, down = within(y + 1, n) - top_edge;
    bool computed = false;
    for (int step = 1; step <= steps; step++) {
        computed = on_chip && still_right(tx, step) && still_right(ty, step);
        if (computed) {
            next[ty][tx] = next_temperature(tile[ty][tx], heat[ty][tx], tile[down][tx], tile[up][tx],
                                            tile[ty][right], tile[ty][left]);
        }
        __syncthreads();
        if (step == steps) {
            break;
        }
        if (computed) {
            tile[ty][tx] = next[ty][tx];
        }
        __syncthreads();
    }
    if (computed) {
        to[cell] = next[ty][tx];
    }
}

static void host_step(std::vector<double> &temperature, const std::vector<float> &power, int n) {
    std::vector<double> old = temperature;
    auto at = [&](int y, int x) { return old[within(y, n) * n + within(x, n)]; };
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            temperature[y * n + x] = next_temperature<double>(at(y, x), power[y * n + x], at(y + 1, x), at(y - 1, x),
                                                              at(y, x + 1), at(y, x - 1));
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
        advance<<<grid, block>>>(STEPS, power_device, from, to, n);
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
