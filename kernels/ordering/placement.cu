// Placement by simulated annealing with locks (VPR of Singh, Shriraman, Fung, O'Connor and Aamodt, Cache Coherence for
// GPU Architectures, HPCA 2013; the method is that of Betz and Rose's placer, FPL 1997). Cells of a circuit lie on a
// grid of sites; a thread draws two near sites, locks them in order, estimates how the wire length changes if their
// cells change places, and exchanges them if it shrinks, or sometimes even if it grows, the less the later. The other
// ends of the wires are read without their locks, so that estimates may be out of date.
// Communication: sites and positions are read and written volatile; a lock has fences on both sides.
// Checked: each cell is on exactly one site, positions and sites agree, the exchanges were counted, all locks are free,
// and the wires are much shorter than at the start.
// also: --timing --config gtx480-sc
#define PROGRAM "placement"
#include "../bench/locks.h"
#include "../bench/options.h"

#include <algorithm>

static const int BLOCK = 64, BLOCKS = 32, WIRES = 4, NEAR = 6;

struct Circuit {
    int *cell_at;     // of a site
    int *site_of;     // of a cell
    const int *wires; // WIRES neighbours of each cell
    int *locks;       // of a site
    int *exchanges;
    int width, rounds;
};

static __host__ __device__ unsigned mixed(unsigned x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

static __host__ __device__ int distance(int a, int b, int width) {
    int x = a % width - b % width, y = a / width - b / width;
    return (x < 0 ? -x : x) + (y < 0 ? -y : y);
}

static __device__ __forceinline__ int fresh(const int *word) {
    return *(const volatile int *)word;
}

static __device__ __forceinline__ void put(const Circuit &circuit, int cell, int site) {
    *(volatile int *)&circuit.cell_at[site] = cell;
    *(volatile int *)&circuit.site_of[cell] = site;
}

// By how much the wires of `cell` grow if it moves from one site to another.
static __device__ __forceinline__ int growth(const Circuit &circuit, int cell, int from, int to) {
    int sum = 0;
    for (int k = 0; k < WIRES; k++) {
        int end = fresh(&circuit.site_of[circuit.wires[cell * WIRES + k]]);
        sum += distance(to, end, circuit.width) - distance(from, end, circuit.width);
    }
    return sum;
}

static __device__ __forceinline__ void try_exchange(const Circuit &circuit, int a, int b, int tolerated) {
    int first = fresh(&circuit.cell_at[a]), second = fresh(&circuit.cell_at[b]);
    if (growth(circuit, first, a, b) + growth(circuit, second, b, a) < tolerated) {
        put(circuit, first, b);
        put(circuit, second, a);
        atomicAdd(circuit.exchanges, 1);
    }
}

static __global__ void anneal(Circuit circuit, int seed) {
    unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    for (int round = 0; round < circuit.rounds; round++) {
        unsigned draw = mixed(thread * 0x9e3779b9u + mixed((unsigned)(seed + round)));
        int width = circuit.width, x = draw % width, y = (draw >> 8) % width;
        int other_x = (x + 1 + (draw >> 16) % NEAR) % width, other_y = (y + (draw >> 24) % NEAR) % width;
        int a = y * width + x, b = other_y * width + other_x;
        int temperature = 4 * (circuit.rounds - round) / circuit.rounds;
        int tolerated = temperature > 0 && mixed(draw) % 8 == 0 ? temperature : 0;
        under_two_locks(&circuit.locks[min(a, b)], &circuit.locks[max(a, b)],
                        [&] { try_exchange(circuit, a, b, tolerated); });
    }
}

static long wire_length(const std::vector<int> &site_of, const std::vector<int> &wires, int width) {
    long sum = 0;
    for (size_t i = 0; i < wires.size(); i++) {
        sum += distance(site_of[i / WIRES], site_of[wires[i]], width);
    }
    return sum;
}

// A random permutation, so that the wires are long at the start.
static std::vector<int> shuffled(Lcg &random, int count) {
    std::vector<int> order(count);
    for (int i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int left = count; left > 1; left--) {
        std::swap(order[left - 1], order[random.below((uint32_t)left)]);
    }
    return order;
}

int main(int argc, char **argv) {
    int rounds = read_options(argc, argv, {"rounds", 6, 24, 1, 100000}), width = 64, count = width * width;
    Lcg random(121);
    std::vector<int> cell_at = shuffled(random, count), site_of(count), wires(count * WIRES);
    for (int site = 0; site < count; site++) {
        site_of[cell_at[site]] = site;
    }
    for (int i = 0; i < count * WIRES; i++) {
        wires[i] = (i / WIRES + count + (int)random.below(21) - 10) % count;
    }
    Circuit circuit = {to_device(cell_at), to_device(site_of), to_device(wires), device_zeros<int>(count),
                       device_zeros<int>(1), width, rounds};
    anneal<<<BLOCKS, BLOCK>>>(circuit, 121);
    CHECK_KERNEL();
    std::vector<int> cells = to_host(circuit.cell_at, count), sites = to_host(circuit.site_of, count);
    for (int site = 0; site < count; site++) {
        expect_true("a site's cell exists", site, cells[site] >= 0 && cells[site] < count);
        expect_equal("position of a site's cell", site, site, sites[cells[site]]);
    }
    expect_same("locks", std::vector<int>(count, 0), to_host(circuit.locks, count));
    int exchanges = to_host(circuit.exchanges, 1)[0];
    expect_true("exchanges", exchanges, exchanges > 0 && exchanges <= BLOCKS * BLOCK * rounds);
    long before = wire_length(site_of, wires, width), after = wire_length(sites, wires, width);
    expect_true("the wires are shorter", after, after < before - exchanges / 2);
    return pass();
}
