// genetic_knapsack: evolutionary computation. A population of bit-string genomes for the multi-constraint
// knapsack: tournament selection, uniform and one-point crossover chosen by a device function pointer,
// mutation, elitism by a packed atomicMax, islands (one a block) whose best migrates round the ring every
// few generations.
// Exercises: tables of device function pointers called divergently, enum-driven switch, per-thread xorshift
// state kept in global memory between launches, shared-memory genomes, popc, 64-bit atomicMax in shared
// memory, global barriers by kernel boundaries, structs with arrays by value.
// Checked by replaying one island's generations on the host bit for bit, by an exact branch-and-bound
// optimum on a small instance, and by feasibility and monotonicity of the best.
#include "../app.h"

typedef unsigned long long u64;

static const int WORDS = 2, GENES = 32 * WORDS, ISLAND = 64, LIMITS = 3;

struct Genome {
    uint32_t w[WORDS];
};

struct Problem {
    int items;
    int value[GENES];
    int weight[LIMITS][GENES];
    int capacity[LIMITS];
};

enum Operator { UNIFORM, ONE_POINT, CLONE, OPERATORS };

__constant__ Problem problem;

typedef Genome (*Crossover)(const Genome &, const Genome &, uint32_t);

__device__ __host__ inline uint32_t xorshift(uint32_t &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

__device__ Genome uniform(const Genome &a, const Genome &b, uint32_t random)
{
    Genome c;
    for (int k = 0; k < WORDS; k++) {
        uint32_t mask = random * (k ? 0x9e3779b1u : 0x85ebca6bu);
        mask ^= mask >> 15;
        c.w[k] = (a.w[k] & mask) | (b.w[k] & ~mask);
    }
    return c;
}

__device__ Genome one_point(const Genome &a, const Genome &b, uint32_t random)
{
    int cut = random % GENES;
    Genome c;
    for (int k = 0; k < WORDS; k++) {
        int bits = min(max(cut - 32 * k, 0), 32);
        uint32_t mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1;
        c.w[k] = (a.w[k] & mask) | (b.w[k] & ~mask);
    }
    return c;
}

__device__ Genome clone(const Genome &a, const Genome &, uint32_t)
{
    return a;
}

__device__ Crossover crossovers[OPERATORS] = {uniform, one_point, clone};

// Infeasible genomes lose items from the top until they fit; the repaired genome replaces the original.
__device__ int repair_and_rate(Genome &g)
{
    int load[LIMITS] = {0}, value = 0;
    for (int k = 0; k < WORDS; k++)
        for (uint32_t bits = g.w[k]; bits; bits &= bits - 1) {
            int i = 32 * k + __ffs(bits) - 1;
            value += problem.value[i];
            for (int l = 0; l < LIMITS; l++)
                load[l] += problem.weight[l][i];
        }
    for (int i = GENES - 1; i >= 0; i--) {
        bool over = false;
        for (int l = 0; l < LIMITS; l++)
            over |= load[l] > problem.capacity[l];
        if (!over)
            break;
        if (!(g.w[i / 32] >> (i % 32) & 1))
            continue;
        g.w[i / 32] &= ~(1u << (i % 32));
        value -= problem.value[i];
        for (int l = 0; l < LIMITS; l++)
            load[l] -= problem.weight[l][i];
    }
    return value;
}

__device__ uint32_t gene_mask(int word)
{
    int bits = min(max(problem.items - 32 * word, 0), 32);
    return bits == 32 ? 0xffffffffu : (1u << bits) - 1;
}

__global__ void start_kernel(Genome *population, int *fitness, uint32_t *state)
{
    int i = blockIdx.x * ISLAND + threadIdx.x;
    uint32_t s = (i + 1) * 2654435761u;
    Genome g;
    for (int k = 0; k < WORDS; k++)
        g.w[k] = xorshift(s) & xorshift(s) & gene_mask(k);
    fitness[i] = repair_and_rate(g);
    population[i] = g;
    state[i] = s;
}

// One block evolves one island; the best of the island (packed fitness and index) replaces the neighbour's
// last.
__global__ void evolve_kernel(Genome *population, int *fitness, uint32_t *state, int generations, u64 *best)
{
    __shared__ Genome genome[ISLAND];
    __shared__ int rating[ISLAND];
    __shared__ u64 leader;
    int t = threadIdx.x, id = blockIdx.x * ISLAND + t;
    uint32_t s = state[id];
    genome[t] = population[id];
    rating[t] = fitness[id];
    for (int g = 0; g < generations; g++) {
        if (t == 0)
            leader = 0;
        __syncthreads();
        atomicMax(&leader, (u64)rating[t] << 32 | (ISLAND - 1 - t));
        __syncthreads();
        int elite = ISLAND - 1 - (int)(uint32_t)leader, parents[2];
        for (int p = 0; p < 2; p++) {
            int a = xorshift(s) % ISLAND, b = xorshift(s) % ISLAND;
            parents[p] = rating[a] >= rating[b] ? a : b;
        }
        uint32_t choice = xorshift(s);
        Genome child = crossovers[choice % OPERATORS](genome[parents[0]], genome[parents[1]], xorshift(s));
        switch (xorshift(s) & 3) {
        case 0: child.w[0] ^= 1u << (xorshift(s) & 31); break;
        case 1: child.w[1] ^= 1u << (xorshift(s) & 31); break;
        case 2: // swap the halves' low bytes
            choice = (child.w[0] ^ child.w[1]) & 0xff;
            child.w[0] ^= choice;
            child.w[1] ^= choice;
            break;
        default: break;
        }
        for (int k = 0; k < WORDS; k++)
            child.w[k] &= gene_mask(k);
        int value = repair_and_rate(child);
        __syncthreads();
        if (t != elite) {
            genome[t] = child;
            rating[t] = value;
        }
        __syncthreads();
    }
    population[id] = genome[t];
    fitness[id] = rating[t];
    state[id] = s;
    atomicMax(best, (u64)rating[t] << 32 | (0xffffffffu - id));
}

__global__ void migrate_kernel(Genome *population, int *fitness, int islands)
{
    // threads beyond the last island only take part in the barrier
    int from = min((int)threadIdx.x, islands - 1), to = (from + 1) % islands;
    int best = from * ISLAND, worst = to * ISLAND;
    for (int k = 1; k < ISLAND; k++) {
        if (fitness[from * ISLAND + k] > fitness[best])
            best = from * ISLAND + k;
        if (fitness[to * ISLAND + k] < fitness[worst])
            worst = to * ISLAND + k;
    }
    Genome g = population[best];
    int f = fitness[best];
    __syncthreads();
    if ((int)threadIdx.x < islands) {
        population[worst] = g;
        fitness[worst] = f;
    }
}

// --- host ---

typedef std::vector<bool> Bits;

static int host_rate(const Problem &p, Bits &g)
{
    std::vector<int> chosen;
    std::vector<long> load(LIMITS, 0);
    int value = 0;
    for (int i = 0; i < p.items; i++)
        if (g[i]) {
            chosen.push_back(i);
            value += p.value[i];
            for (int l = 0; l < LIMITS; l++)
                load[l] += p.weight[l][i];
        }
    auto fits = [&] {
        for (int l = 0; l < LIMITS; l++)
            if (load[l] > p.capacity[l])
                return false;
        return true;
    };
    for (; !fits(); chosen.pop_back()) {
        int i = chosen.back();
        g[i] = false;
        value -= p.value[i];
        for (int l = 0; l < LIMITS; l++)
            load[l] -= p.weight[l][i];
    }
    return value;
}

struct HostIsland {
    std::vector<Bits> genome;
    std::vector<int> rating;
    std::vector<uint32_t> state;

    HostIsland(const Problem &p, int island) : genome(ISLAND, Bits(GENES, false))
    {
        for (int t = 0; t < ISLAND; t++) {
            uint32_t s = (island * ISLAND + t + 1) * 2654435761u;
            for (int k = 0; k < WORDS; k++) {
                uint32_t a = xorshift(s), b = xorshift(s);
                for (int i = 0; i < 32; i++)
                    genome[t][32 * k + i] = (a & b) >> i & 1 && 32 * k + i < p.items;
            }
            rating.push_back(host_rate(p, genome[t]));
            state.push_back(s);
        }
    }
    Bits child_of(const Problem &p, uint32_t &s) const
    {
        const Bits *parent[2];
        for (const Bits *&q : parent) {
            uint32_t a = xorshift(s) % ISLAND, b = xorshift(s) % ISLAND;
            q = &genome[rating[a] < rating[b] ? b : a];
        }
        uint32_t kind = xorshift(s) % 3, random = xorshift(s);
        Bits c(GENES);
        for (int i = 0; i < GENES; i++) {
            uint32_t mask = random * (i < 32 ? 0x85ebca6bu : 0x9e3779b1u);
            mask ^= mask >> 15;
            bool first = kind == 2 || (kind == 1 ? i < (int)(random % GENES) : (mask >> (i % 32) & 1));
            c[i] = (*parent[first ? 0 : 1])[i];
        }
        uint32_t mutation = xorshift(s) % 4;
        if (mutation < 2) {
            int i = 32 * mutation + xorshift(s) % 32;
            c[i] = !c[i];
        }
        for (int i = 0; i < 8 && mutation == 2; i++) {
            bool low = c[i], high = c[32 + i];
            c[i] = high;
            c[32 + i] = low;
        }
        for (int i = p.items; i < GENES; i++)
            c[i] = false;
        return c;
    }
    void generation(const Problem &p)
    {
        int elite = (int)(std::max_element(rating.begin(), rating.end()) - rating.begin());
        std::vector<Bits> next(ISLAND);
        for (int t = 0; t < ISLAND; t++)
            next[t] = child_of(p, state[t]);
        for (int t = 0; t < ISLAND; t++)
            if (t != elite) {
                genome[t] = next[t];
                rating[t] = host_rate(p, genome[t]);
            }
    }
};

// Exact: depth first with the sum of the remaining values as bound.
static void optimum(const Problem &p, int item, int value, int *room, int rest, int &best)
{
    best = std::max(best, value);
    if (item == p.items || value + rest <= best)
        return;
    bool fits = true;
    for (int l = 0; l < LIMITS; l++)
        fits = fits && room[l] >= p.weight[l][item];
    rest -= p.value[item];
    if (fits) {
        for (int l = 0; l < LIMITS; l++)
            room[l] -= p.weight[l][item];
        optimum(p, item + 1, value + p.value[item], room, rest, best);
        for (int l = 0; l < LIMITS; l++)
            room[l] += p.weight[l][item];
    }
    optimum(p, item + 1, value, room, rest, best);
}

static Problem make_problem(int items, app::Lcg &rng)
{
    Problem p = {};
    p.items = items;
    for (int i = 0; i < items; i++) {
        p.value[i] = 20 + (int)rng.below(80);
        for (int l = 0; l < LIMITS; l++) {
            p.weight[l][i] = 5 + (int)rng.below(45);
            p.capacity[l] += p.weight[l][i];
        }
    }
    for (int l = 0; l < LIMITS; l++)
        p.capacity[l] = p.capacity[l] * 2 / 5;
    return p;
}

struct Run {
    std::vector<int> best; // after each epoch
    std::vector<Genome> population;
    std::vector<int> fitness;
};

static Run evolve(const Problem &p, int islands, int epochs, int generations, bool migrate)
{
    GPU(cudaMemcpyToSymbol(problem, &p, sizeof p));
    int n = islands * ISLAND;
    app::Buffer<Genome> d_population(n);
    app::Buffer<int> d_fitness(n);
    app::Buffer<uint32_t> d_state(n);
    app::Buffer<u64> d_best(1);
    Run run;
    start_kernel<<<islands, ISLAND>>>(d_population.get(), d_fitness.get(), d_state.get());
    for (int e = 0; e < epochs; e++) {
        d_best.fill(0);
        evolve_kernel<<<islands, ISLAND>>>(d_population.get(), d_fitness.get(), d_state.get(), generations,
                                           d_best.get());
        if (migrate)
            migrate_kernel<<<1, (islands + 31) / 32 * 32>>>(d_population.get(), d_fitness.get(), islands);
        GPU_DONE();
        run.best.push_back((int)(d_best.read()[0] >> 32));
    }
    run.population = d_population.read();
    run.fitness = d_fitness.read();
    return run;
}

static void check_members(const Problem &p, const Run &run)
{
    for (size_t i = 0; i < run.population.size(); i++) {
        int value = 0, load[LIMITS] = {0};
        for (int g = 0; g < GENES; g++)
            if (run.population[i].w[g / 32] >> (g % 32) & 1) {
                app::holds("gene in use", (long)i, g < p.items);
                value += p.value[g];
                for (int l = 0; l < LIMITS; l++)
                    load[l] += p.weight[l][g];
            }
        app::equal("fitness of member", (long)i, value, run.fitness[i]);
        for (int l = 0; l < LIMITS; l++)
            app::holds("member fits", (long)i, load[l] <= p.capacity[l]);
    }
}

int main(int argc, char **argv)
{
    int islands = app::start(argc, argv, "genetic_knapsack", 3, 2, 64);
    app::Lcg rng(21);
    Problem large = make_problem(60, rng), small = make_problem(18, rng);

    Run alone = evolve(large, islands, 1, 6, false);
    check_members(large, alone);
    for (int k = 0; k < 2; k++) {
        HostIsland host(large, k);
        for (int g = 0; g < 6; g++)
            host.generation(large);
        for (int t = 0; t < ISLAND; t++) {
            app::equal("replayed fitness", k * ISLAND + t, host.rating[t], alone.fitness[k * ISLAND + t]);
            for (int g = 0; g < GENES; g++)
                app::equal("replayed gene", (k * ISLAND + t) * GENES + g, (unsigned)host.genome[t][g],
                           alone.population[k * ISLAND + t].w[g / 32] >> (g % 32) & 1);
        }
    }

    Run run = evolve(small, islands, 5, 4, true);
    check_members(small, run);
    for (size_t e = 1; e < run.best.size(); e++)
        app::holds("the best never gets worse", (long)e, run.best[e] >= run.best[e - 1]);
    int best = 0, rest = 0, room[LIMITS];
    std::copy(small.capacity, small.capacity + LIMITS, room);
    for (int i = 0; i < small.items; i++)
        rest += small.value[i];
    optimum(small, 0, 0, room, rest, best);
    app::holds("not better than the optimum", best, run.best.back() <= best);
    app::holds("within 5 % of the optimum", run.best.back(), run.best.back() * 100 >= best * 95);
    return app::pass();
}
