// ising_model: statistical physics. Metropolis sampling of the two-dimensional Ising model in checkerboard
// order, with Philox random numbers computed from position and sweep, in two codings: a byte a spin, and 32
// independent lattices packed into the bits of a word (multi-spin coding) that share their random numbers.
// Exercises: 32x32->64-bit multiplication, bit-parallel adders, 8-bit loads and stores, constant thresholds,
// template recursion over the generator's rounds, two streams with events, popc, shared reductions,
// __launch_bounds__.
// Exact: the packed lattices, the byte lattice and a host sweep in raster order must agree bit for bit; the
// published Philox vector, the energy balance and the magnetisation above and below the transition are
// checked too.
#include "../app.h"

struct Lattice {
    int width, height;
};

struct Philox {
    uint32_t c[4];
};

// Acceptance thresholds for an energy change of 4 and 8 units; smaller changes are always accepted.
__constant__ uint32_t threshold[2];

// Ten rounds of Philox-4x32 (Salmon et al. 2011) unrolled by template recursion.
template <int ROUNDS> struct Rounds {
    __host__ __device__ static Philox run(Philox x, uint32_t k0, uint32_t k1)
    {
        uint64_t p0 = (uint64_t)0xd2511f53u * x.c[0], p1 = (uint64_t)0xcd9e8d57u * x.c[2];
        Philox y = {{(uint32_t)(p1 >> 32) ^ x.c[1] ^ k0, (uint32_t)p1, (uint32_t)(p0 >> 32) ^ x.c[3] ^ k1,
                     (uint32_t)p0}};
        return Rounds<ROUNDS - 1>::run(y, k0 + 0x9e3779b9u, k1 + 0xbb67ae85u);
    }
};

template <> struct Rounds<0> {
    __host__ __device__ static Philox run(Philox x, uint32_t, uint32_t) { return x; }
};

__host__ __device__ inline uint32_t random_at(int site, int sweep, uint32_t seed)
{
    Philox x = {{(uint32_t)site, (uint32_t)sweep, 0, 0}};
    return Rounds<10>::run(x, seed, 0x5eedu).c[0];
}

__global__ void philox_kernel(Philox in, uint32_t k0, uint32_t k1, Philox *out)
{
    *out = Rounds<10>::run(in, k0, k1);
}

// Sites of one colour: site number i of the half lattice lies at column 2 * (i % half) + parity of its row.
__device__ __host__ inline int site_of(int i, int colour, Lattice l)
{
    int half = l.width / 2, y = i / half;
    return y * l.width + 2 * (i % half) + ((y + colour) & 1);
}

struct Neighbours {
    int n[4];
};

__device__ __host__ inline Neighbours neighbours(int site, Lattice l)
{
    int x = site % l.width, y = site / l.width, row = site - x;
    Neighbours r = {{row + (x + 1) % l.width, row + (x + l.width - 1) % l.width,
                     (y + 1) % l.height * l.width + x, (y + l.height - 1) % l.height * l.width + x}};
    return r;
}

__global__ void __launch_bounds__(128)
    sweep_bytes(int8_t *spin, Lattice l, int colour, int sweep, uint32_t seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= l.width * l.height / 2)
        return;
    int site = site_of(i, colour, l), sum = 0;
    Neighbours q = neighbours(site, l);
    for (int k = 0; k < 4; k++)
        sum += spin[q.n[k]];
    int change = 2 * spin[site] * sum;
    if (change <= 0 || random_at(site, sweep, seed) < threshold[change / 4 - 1])
        spin[site] = (int8_t)-spin[site];
}

// Bit b of each word is lattice b. Counts of disagreeing neighbours are formed by a two-bit adder with
// saturation.
__global__ void __launch_bounds__(128)
    sweep_bits(uint32_t *spin, Lattice l, int colour, int sweep, uint32_t seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= l.width * l.height / 2)
        return;
    int site = site_of(i, colour, l);
    Neighbours q = neighbours(site, l);
    uint32_t me = spin[site], d[4];
    for (int k = 0; k < 4; k++)
        d[k] = me ^ spin[q.n[k]];
    uint32_t s0 = d[0] ^ d[1], c0 = d[0] & d[1], s1 = d[2] ^ d[3], c1 = d[2] & d[3];
    uint32_t at_least_two = c0 | c1 | (s0 & s1), at_least_one = s0 | s1 | c0 | c1;
    uint32_t r = random_at(site, sweep, seed);
    uint32_t accept = at_least_two; // two or more disagree: the energy does not rise
    if (r < threshold[0])
        accept |= at_least_one;
    if (r < threshold[1])
        accept = 0xffffffffu;
    spin[site] = me ^ accept;
}

// Sums over the lattice: magnetisation and the number of unequal neighbour pairs, per bit or for bytes.
__global__ void measure_bytes(const int8_t *spin, Lattice l, int *result)
{
    __shared__ int sums[2];
    if (threadIdx.x < 2)
        sums[threadIdx.x] = 0;
    __syncthreads();
    int n = l.width * l.height, m = 0, unequal = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Neighbours q = neighbours(i, l);
        m += spin[i];
        unequal += (spin[i] != spin[q.n[0]]) + (spin[i] != spin[q.n[2]]);
    }
    atomicAdd(&sums[0], m);
    atomicAdd(&sums[1], unequal);
    __syncthreads();
    if (threadIdx.x < 2)
        atomicAdd(&result[threadIdx.x], sums[threadIdx.x]);
}

__global__ void unpack_kernel(const uint32_t *packed, int bit, int8_t *spin, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        spin[i] = packed[i] >> bit & 1 ? 1 : -1;
}

static void set_temperature(double t)
{
    uint32_t p[2];
    for (int k = 0; k < 2; k++)
        p[k] = (uint32_t)(std::exp(-4.0 * (k + 1) / t) * 4294967296.0);
    GPU(cudaMemcpyToSymbol(threshold, p, sizeof p));
}

static void host_sweep(std::vector<int> &s, Lattice l, double t, int sweep, uint32_t seed)
{
    for (int colour = 0; colour < 2; colour++)
        for (int y = 0; y < l.height; y++)
            for (int x = 0; x < l.width; x++) {
                if ((x + y) % 2 != colour)
                    continue;
                int e = s[y * l.width + (x + 1) % l.width] + s[y * l.width + (x ? x : l.width) - 1];
                e += s[(y + 1) % l.height * l.width + x] + s[((y ? y : l.height) - 1) * l.width + x];
                int site = y * l.width + x, change = 2 * s[site] * e;
                double p = std::exp(-change / t);
                if (change <= 0 || random_at(site, sweep, seed) < (uint32_t)(p * 4294967296.0))
                    s[site] = -s[site];
            }
}

static std::vector<int> measurement(const app::Buffer<int8_t> &spin, Lattice l)
{
    app::Buffer<int> r(std::vector<int>(2, 0));
    measure_bytes<<<3, 128>>>(spin.get(), l, r.get());
    GPU_DONE();
    return r.read();
}

static void check_codings(Lattice l, int sweeps, double t)
{
    int n = l.width * l.height, blocks = app::blocks_for(n / 2, 128);
    app::Lcg rng(14);
    std::vector<uint32_t> packed(n);
    for (uint32_t &w : packed)
        w = rng.next();
    const int bit = 19;
    std::vector<int8_t> bytes(n);
    for (int i = 0; i < n; i++)
        bytes[i] = packed[i] >> bit & 1 ? 1 : -1;
    std::vector<int> host(bytes.begin(), bytes.end());
    app::Buffer<uint32_t> d_packed(packed);
    app::Buffer<int8_t> d_bytes(bytes), d_unpacked(n);
    set_temperature(t);
    cudaStream_t a, b;
    cudaEvent_t packed_done;
    GPU(cudaStreamCreate(&a));
    GPU(cudaStreamCreate(&b));
    GPU(cudaEventCreate(&packed_done));
    for (int s = 0; s < sweeps; s++) {
        for (int colour = 0; colour < 2; colour++) {
            sweep_bytes<<<blocks, 128, 0, a>>>(d_bytes.get(), l, colour, s, 77);
            sweep_bits<<<blocks, 128, 0, b>>>(d_packed.get(), l, colour, s, 77);
        }
        host_sweep(host, l, t, s, 77);
    }
    GPU(cudaEventRecord(packed_done, b));
    GPU(cudaStreamWaitEvent(a, packed_done, 0));
    unpack_kernel<<<app::blocks_for(n, 128), 128, 0, a>>>(d_packed.get(), bit, d_unpacked.get(), n);
    GPU(cudaStreamSynchronize(a));
    GPU(cudaEventDestroy(packed_done));
    GPU(cudaStreamDestroy(a));
    GPU(cudaStreamDestroy(b));
    GPU_DONE();
    std::vector<int8_t> got = d_bytes.read(), unpacked = d_unpacked.read();
    int m = 0, unequal = 0;
    for (int i = 0; i < n; i++) {
        app::equal("spin as byte", i, host[i], (int)got[i]);
        app::equal("spin as bit", i, host[i], (int)unpacked[i]);
        m += host[i];
        unequal += host[i] != host[i - i % l.width + (i + 1) % l.width];
        unequal += host[i] != host[(i + l.width) % n];
    }
    std::vector<int> seen = measurement(d_bytes, l);
    app::equal("magnetisation", "end", m, seen[0]);
    app::equal("unequal pairs", "end", unequal, seen[1]);
}

// An ordered start stays ordered when cold, and loses its order when hot.
static double order_after(Lattice l, int sweeps, double t)
{
    int n = l.width * l.height;
    app::Buffer<int8_t> spin(std::vector<int8_t>(n, 1));
    set_temperature(t);
    for (int s = 0; s < 2 * sweeps; s++)
        sweep_bytes<<<app::blocks_for(n / 2, 128), 128>>>(spin.get(), l, s % 2, s / 2, 5);
    return measurement(spin, l)[0] / (double)n;
}

int main(int argc, char **argv)
{
    int width = app::start(argc, argv, "ising_model", 64, 48, 1024) & ~1;
    Lattice l = {width, (width / 2 + 2) & ~1};
    app::Buffer<Philox> d_out(1);
    philox_kernel<<<1, 1>>>(Philox{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0,
                            d_out.get());
    GPU_DONE();
    const uint32_t known[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    for (int i = 0; i < 4; i++)
        app::equal("Philox known answer", i, known[i], d_out.read()[0].c[i]);
    check_codings(l, 8, 2.3);
    app::close_to("magnetisation, cold", "1.5", 0.9865, order_after(l, 12, 1.5), 0.04);
    app::close_to("magnetisation, hot", "8", 0, order_after(l, 12, 8), 0.2);
    return app::pass();
}
