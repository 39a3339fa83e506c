// Genetic algorithm in shared memory (GA of GPU-LocalTM, section 5.1.3): a block's N solutions of the knapsack problem
// with 8 objects, each worth its weight, so that the best solution comes closest to the capacity. In each iteration
// each thread draws two solutions; one critical section reads both, weighs both, makes the worse one like the better
// one, and writes both. A solution is a word: in its low 8 bits the objects, and above, for checking, how often it was
// written.
// Checked: each solution was written as often as it was drawn, and the order in which each solution's writers met is
// that of one sequence of all critical sections, which gives what every one of them read and what is left in the end.
// args: --version fgl
// args: --version lock
// args: --version serial
// args: --version turns --iterations 2
// args: --solutions 2 --size 2
// args: --solutions 2 --version fgl
// args: --solutions 256 --iterations 5 --size 3
// args: --solutions 100 --version fgl --seed 7
// also: --timing --config southern-islands --set tm.shared=localtm --check full
// also: --timing --config southern-islands -- --version fgl
// also: --timing --config southern-islands -- --version lock
// also: --timing --config southern-islands -- --version serial
// also: --timing --config southern-islands -- --version turns
#define PROGRAM "ga"
#include "local_bench.h"

static const int OBJECTS = 8, MASK = (1 << OBJECTS) - 1, STAMP = 1 << OBJECTS, CAPACITY = 100;
static const int NONE = -1; // no critical section

struct Pair {
    int a, b;
};

// A critical section has a number: those of an iteration by thread of the grid, after those of the iteration before.
struct Population {
    LocalMemory memory;
    int solutions, iterations, seed;
    const int *initial; // of each block
    int *last;          // of each block
    Pair *read;         // by each critical section
};

// How far from the capacity: less is fitter. Object i weighs 7 + 5 i.
static __host__ __device__ __forceinline__ int unfitness(int solution) {
    int left = CAPACITY;
#pragma unroll
    for (int i = 0; i < OBJECTS; i++) {
        left -= solution >> i & 1 ? 7 + 5 * i : 0;
    }
    return left < 0 ? -left : left;
}

// Makes the worse solution like the better one, of equals the second like the first; both count as written.
static __host__ __device__ __forceinline__ void cross(Pair *pair) {
    int better = (unfitness(pair->a) <= unfitness(pair->b) ? pair->a : pair->b) & MASK;
    pair->a = ((pair->a & ~MASK) + STAMP) | better;
    pair->b = ((pair->b & ~MASK) + STAMP) | better;
}

// The numbers of two different solutions, for the critical section of that number.
static __host__ __device__ __forceinline__ void draw(int seed, int section, int solutions, Pair *pair) {
    Draws draws(seed, section);
    pair->a = draws.below(solutions);
    pair->b = draws.below(solutions - 1);
    pair->b += pair->b >= pair->a;
}

// The critical section; `read`: the two solutions as it read them.
static __device__ __forceinline__ void meet(const Pair &pair, Pair *read) {
    read->a = shared_words[pair.a];
    read->b = shared_words[pair.b];
    Pair now = *read;
    cross(&now);
    shared_words[pair.a] = now.a;
    shared_words[pair.b] = now.b;
}

// The whole kernel; `critical` receives the iteration, the two solutions and the body.
template <typename Critical>
static __device__ __forceinline__ void evolve(const Population &population, Critical critical) {
    int count = population.solutions, thread = blockIdx.x * BLOCK + threadIdx.x;
    for (int i = threadIdx.x; i < count; i += BLOCK) {
        shared_words[i] = population.initial[blockIdx.x * count + i];
    }
    set_shared(count, population.memory.locks, 0);
    __syncthreads();
    for (int i = 0; i < population.iterations; i++) {
        int section = i * (int)gridDim.x * BLOCK + thread;
        Pair pair, read;
        draw(population.seed, section, count, &pair);
        critical(i, pair, [&] { meet(pair, &read); });
        population.read[section] = read;
    }
    __syncthreads();
    copy_out(population.last, 0, count);
}

extern "C" __global__ void ga_tm(Population population) {
    evolve(population, [](int, const Pair &, auto body) { as_transaction(body); });
}

// The solution of the lower number is locked first.
extern "C" __global__ void ga_fgl(Population population) {
    evolve(population, [&](int, const Pair &pair, auto body) {
        int first = min(pair.a, pair.b), second = max(pair.a, pair.b);
        under_two_locks<BlockScope>(population.memory.lock(first), population.memory.lock(second), body);
    });
}

extern "C" __global__ void ga_lock(Population population) {
    evolve(population, [&](int, const Pair &, auto body) { under_lock<BlockScope>(population.memory.lock(0), body); });
}

extern "C" __global__ void ga_serial(Population population) {
    evolve(population, [](int, const Pair &, auto body) { one_by_one(body); });
}

extern "C" __global__ void ga_turns(Population population) {
    evolve(population, [&](int iteration, const Pair &, auto body) {
        in_turn(population.memory.lock(0), iteration * BLOCK + (int)threadIdx.x, body);
    });
}

// Orders one block's critical sections by how often each solution that they read had been written.
struct Replay {
    std::vector<Pair> drawn, read;
    std::vector<std::vector<int>> meetings; // of each solution: its critical sections, in order
    std::vector<int> solutions;

    void order_meetings();
    void order_meeting(int section, int solution, int found);
    int next(int solution) const;
    void run();
    void run_one(int section);
};

void Replay::order_meeting(int section, int solution, int found) {
    std::vector<int> &sections = meetings[solution];
    int turn = found / STAMP;
    expect_true("a solution was written as often as it was drawn, at most", section,
                turn >= 0 && turn < (int)sections.size());
    expect_equal("critical section that met a solution at the same time", section, NONE, sections[turn]);
    sections[turn] = section;
}

void Replay::order_meetings() {
    meetings.resize(solutions.size());
    for (const Pair &pair : drawn) {
        meetings[pair.a].push_back(NONE);
        meetings[pair.b].push_back(NONE);
    }
    for (int i = 0; i < (int)drawn.size(); i++) {
        order_meeting(i, drawn[i].a, read[i].a);
        order_meeting(i, drawn[i].b, read[i].b);
    }
}

int Replay::next(int solution) const {
    size_t turn = solutions[solution] / STAMP;
    return turn < meetings[solution].size() ? meetings[solution][turn] : NONE;
}

void Replay::run_one(int section) {
    Pair pair = drawn[section], now = read[section];
    expect_equal("first solution that a critical section read", section, solutions[pair.a], now.a);
    expect_equal("second solution that a critical section read", section, solutions[pair.b], now.b);
    cross(&now);
    solutions[pair.a] = now.a;
    solutions[pair.b] = now.b;
}

// Replays every critical section that is next for both of its solutions, until none is left.
void Replay::run() {
    std::vector<int> work(drawn.size());
    std::iota(work.begin(), work.end(), 0);
    size_t done = 0;
    while (!work.empty()) {
        int section = work.back();
        work.pop_back();
        if (section == NONE) {
            continue;
        }
        int a = drawn[section].a, b = drawn[section].b;
        if (next(a) == section && next(b) == section) {
            run_one(section);
            done++;
            work.push_back(next(a));
            work.push_back(next(b));
        }
    }
    expect_equal("critical sections in a sequence", -1, drawn.size(), done);
}

static int least_unfitness(const std::vector<int> &solutions) {
    int least = INT32_MAX;
    for (int solution : solutions) {
        least = std::min(least, unfitness(solution));
    }
    return least;
}

// Crossing creates no new solution and never loses the best one.
static void check_descent(const std::vector<int> &initial, const std::vector<int> &last) {
    for (size_t i = 0; i < last.size(); i++) {
        bool known = std::find(initial.begin(), initial.end(), last[i] & MASK) != initial.end();
        expect_true("a solution is one of the first", (long)i, known);
    }
    expect_equal("best fitness", -1, least_unfitness(initial), least_unfitness(last));
}

static void check_block(const Population &population, int block, int blocks, const std::vector<Pair> &read,
                        const std::vector<int> &initial, const std::vector<int> &last) {
    Replay replay;
    replay.solutions = initial;
    for (int i = 0; i < population.iterations * BLOCK; i++) {
        int section = (i / BLOCK * blocks + block) * BLOCK + i % BLOCK;
        Pair pair;
        draw(population.seed, section, population.solutions, &pair);
        replay.drawn.push_back(pair);
        replay.read.push_back(read[section]);
    }
    replay.order_meetings();
    replay.run();
    expect_same("solution", replay.solutions, last);
    check_descent(initial, last);
}

static std::vector<int> part(const std::vector<int> &all, int size, int number) {
    return std::vector<int>(all.begin() + (long)size * number, all.begin() + (long)size * (number + 1));
}

static void check_population(const Population &population, int blocks, const std::vector<int> &initial) {
    int count = population.solutions;
    std::vector<int> last = to_host(population.last, initial.size());
    std::vector<Pair> read = to_host(population.read, (size_t)population.iterations * blocks * BLOCK);
    for (int block = 0; block < blocks; block++) {
        check_block(population, block, blocks, read, part(initial, count, block), part(last, count, block));
    }
}

static std::vector<int> random_solutions(int seed, int count) {
    Lcg random(seed);
    std::vector<int> solutions(count);
    for (int &solution : solutions) {
        solution = (int)random.below(MASK + 1);
    }
    return solutions;
}

int main(int argc, char **argv) {
    int count = 32, iterations = 1;
    BenchOptions options = bench_options(argc, argv, LOCAL_SIZES, 2015,
                                         {{"solutions", "from 2 to 256 (32)", &count, nullptr, 2, 256},
                                          {"iterations", "from 1 to 1000 (1)", &iterations, nullptr, 1, 1000}},
                                         LOCAL_VERSIONS);
    std::vector<int> initial = random_solutions(options.seed, options.size * count);
    Population population = {local_memory(options.version, count, count),
                             count,
                             iterations,
                             options.seed,
                             to_device(initial),
                             device_zeros<int>(initial.size()),
                             device_zeros<Pair>((size_t)iterations * options.size * BLOCK)};

    void (*const kernels[])(Population) = {ga_tm, ga_fgl, ga_lock, ga_serial, ga_turns};
    kernels[options.version]<<<options.size, BLOCK, population.memory.bytes()>>>(population);
    CHECK_KERNEL();

    check_population(population, options.size, initial);
    print_banks(count);
    printf("GA%d: %d x %d threads, %d objects, %d iterations, version %s\n", count, options.size, BLOCK, OBJECTS,
           iterations, LOCAL_VERSIONS[options.version]);
    return pass();
}
