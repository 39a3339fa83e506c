// Cloth physics (CL of the KILO TM paper, MICRO 2011, section 5): one step of a distance solver, in which each thread
// brings the two particles of one constraint back to an allowed distance, in a critical section for each constraint.
// The cloths are grids of 45 x 45 particles, each linked to its neighbours in its row and its column: 3960 constraints,
// in random order, so that those of one warp seldom meet. Every second cloth hangs from its top row, whose particles
// are fixed. A constraint reads both positions and its limits (10 words) and, if it moves its particles, whether they
// are fixed (2 words), and writes both positions (8 words). SLACK is such that six of ten constraints move their
// particles: the words of the paper's Table 2, 11.2 = 10 + 0.6 x 2 read and 4.8 = 0.6 x 8 written. The lock of a
// particle lies beside its position.
// Checked: a move conserves the sum of mass times position of a cloth without fixed particles, so a lost update
// changes the sum; fixed particles do not move; every cloth has less error than before; all numbers are finite.
// args: --version fgl
// also: --timing --config gtx480-sc -- --version fgl --size 1000
// also: --timing --config gtx480-sc+mesi -- --version fenced --size 1000
// args: --version lock --size 1000
#define PROGRAM "cl"
#include "../bench/tm_bench.h"

static const int BLOCK = 512, COLUMNS = 45, ROWS = 45, PARTICLES = COLUMNS * ROWS;
static const int FENCED = 3;
static const char *const VERSIONS[] = {"tm", "fgl", "lock", "fenced", nullptr};
static const int PER_CLOTH = 2 * PARTICLES - COLUMNS - ROWS, PAPER_CONSTRAINTS = 60200;
static const float SLACK = 0.1f, TIGHT = 0.045f, NOISE = 0.25f; // of a link's length

struct Particle {
    float4 now;     // w: inverse mass
    int fixed;      // the particle cannot move
    int lock;
    int unused[2];
};

struct Limits {
    float least, most;
};

struct Cloth {
    Particle *particles;
    const int2 *ends;
    const Limits *limits;
    int constraints;
    int *lock;
};

// One store of four words. The compiler would leave out w, which does not change; in the paper it is written, too:
// at most 8 words for two particles.
struct Whole {
    static __device__ __forceinline__ void store(float4 *to, float4 value) {
        asm volatile("st.v4.f32 [%0], {%1, %2, %3, %4};"
                     :: "l"(to), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w) : "memory");
    }
};

struct Plain : Whole {
    static __device__ __forceinline__ float4 load(const float4 *from) { return *from; }
};

// As the compiler makes it: three stores for a particle.
struct Components {
    static __device__ __forceinline__ float4 load(const float4 *from) { return *from; }
    static __device__ __forceinline__ void store(float4 *to, float4 value) { *to = value; }
};

struct Fresh : Whole {
    static __device__ __forceinline__ float4 load(const float4 *from) {
        float4 value;
        asm volatile("ld.volatile.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w) : "l"(from) : "memory");
        return value;
    }
};

template <typename Access>
static __device__ __forceinline__ void move(Particle *particle, float4 now, float3 along, float by) {
    Access::store(&particle->now,
                  make_float4(now.x + along.x * by, now.y + along.y * by, now.z + along.z * by, now.w));
}

template <typename Access>
static __device__ __forceinline__ void satisfy(Particle *a, Particle *b, const Limits *limits) {
    float4 at = Access::load(&a->now), to = Access::load(&b->now);
    float3 along = make_float3(to.x - at.x, to.y - at.y, to.z - at.z);
    float distance = sqrtf(along.x * along.x + along.y * along.y + along.z * along.z);
    float least = limits->least, most = limits->most;
    if (distance >= least && distance <= most) {
        return;
    }
    float first = a->fixed ? 0.0f : at.w, second = b->fixed ? 0.0f : to.w;
    if (first + second == 0.0f) {
        return;
    }
    float by = (distance - (distance < least ? least : most)) / (distance * (first + second));
    if (first > 0) {
        move<Access>(a, at, along, first * by);
    }
    if (second > 0) {
        move<Access>(b, to, along, -second * by);
    }
}

// Calls `step` with the numbers of this thread's constraint and of its particles.
template <typename Step>
static __device__ __forceinline__ void with_constraint(const Cloth &cloth, Step step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cloth.constraints) {
        step(i, cloth.ends[i]);
    }
}

template <typename Access = Plain>
static __device__ __forceinline__ void satisfy(const Cloth &cloth, int i, int2 ends) {
    satisfy<Access>(&cloth.particles[ends.x], &cloth.particles[ends.y], &cloth.limits[i]);
}

extern "C" __global__ void cl_tm(Cloth cloth) {
    with_constraint(cloth, [&](int i, int2 ends) { as_transaction([&] { satisfy(cloth, i, ends); }); });
}

// The particle with the lower number is locked first; it is the first one of a constraint.
extern "C" __global__ void cl_fgl(Cloth cloth) {
    with_constraint(cloth, [&](int i, int2 ends) {
        under_two_locks<LineOrder>(&cloth.particles[ends.x].lock, &cloth.particles[ends.y].lock,
                                   [&] { satisfy<Fresh>(cloth, i, ends); });
    });
}

// The same locks with fences, which order the particles of a constraint whatever lines they lie in. This version is for
// the evaluation of memory ordering, with tighter limits (TIGHT).
extern "C" __global__ void cl_fenced(Cloth cloth) {
    with_constraint(cloth, [&](int i, int2 ends) {
        under_two_locks(&cloth.particles[ends.x].lock, &cloth.particles[ends.y].lock,
                        [&] { satisfy<Components>(cloth, i, ends); });
    });
}

extern "C" __global__ void cl_lock(Cloth cloth) {
    with_constraint(cloth, [&](int i, int2 ends) { under_lock(cloth.lock, [&] { satisfy(cloth, i, ends); }); });
}

struct Input {
    std::vector<Particle> particles;
    std::vector<int2> ends;
    std::vector<Limits> limits;
};

static bool hangs(int cloth) {
    return cloth % 2 == 1;
}

static void add_particles(Lcg &random, int cloth, Input &input) {
    for (int i = 0; i < PARTICLES; i++) {
        float mass = random.between(0.5f, 2.0f);
        float x = i % COLUMNS + random.between(-NOISE, NOISE), y = i / COLUMNS + random.between(-NOISE, NOISE);
        float4 at = make_float4(x, y, random.between(-NOISE, NOISE), 1 / mass);
        input.particles.push_back({at, hangs(cloth) && i < COLUMNS, 0, {0, 0}});
    }
}

// The constraints of one cloth, whose first particle has the number `base`.
static void add_constraints(Lcg &random, int base, Input &input) {
    static const int STEPS[2][2] = {{1, 0}, {0, 1}};
    size_t begin = input.ends.size();
    for (int i = 0; i < PARTICLES; i++) {
        for (const int *step : STEPS) {
            int column = i % COLUMNS + step[0], row = i / COLUMNS + step[1];
            if (column < COLUMNS && row < ROWS) {
                input.ends.push_back(make_int2(base + i, base + row * COLUMNS + column));
            }
        }
    }
    for (size_t left = input.ends.size() - begin; left > 1; left--) {
        std::swap(input.ends[begin + left - 1], input.ends[begin + random.below((uint32_t)left)]);
    }
}

static Input random_input(Lcg &random, int constraints, float slack) {
    Input input;
    for (int cloth = 0; cloth < blocks_for(constraints, PER_CLOTH); cloth++) {
        add_particles(random, cloth, input);
        add_constraints(random, cloth * PARTICLES, input);
    }
    input.ends.resize(constraints);
    for (const int2 &ends : input.ends) {
        int columns = ends.y % PARTICLES % COLUMNS - ends.x % PARTICLES % COLUMNS;
        int rows = ends.y % PARTICLES / COLUMNS - ends.x % PARTICLES / COLUMNS;
        float length = std::sqrt((float)(columns * columns + rows * rows));
        input.limits.push_back({length * (1 - slack), length * (1 + slack)});
    }
    return input;
}

// How far a constraint is from its limits. Nothing can be done about two fixed particles.
static double error_of(const Input &input, const std::vector<Particle> &particles, int i) {
    if (particles[input.ends[i].x].fixed && particles[input.ends[i].y].fixed) {
        return 0;
    }
    float4 a = particles[input.ends[i].x].now, b = particles[input.ends[i].y].now;
    double distance = std::sqrt(std::pow((double)b.x - a.x, 2) + std::pow((double)b.y - a.y, 2) +
                                std::pow((double)b.z - a.z, 2));
    return std::max({0.0, input.limits[i].least - distance, distance - input.limits[i].most});
}

// The sum of mass times position of a cloth.
static void moments(const std::vector<Particle> &particles, int cloth, double sums[3]) {
    sums[0] = sums[1] = sums[2] = 0;
    for (int i = cloth * PARTICLES; i < (cloth + 1) * PARTICLES; i++) {
        float4 at = particles[i].now;
        sums[0] += at.x / (double)at.w;
        sums[1] += at.y / (double)at.w;
        sums[2] += at.z / (double)at.w;
    }
}

static void check_cloth(const Input &input, const std::vector<Particle> &got, int cloth) {
    double before = 0, after = 0, expected[3], sums[3];
    int end = std::min((int)input.ends.size(), (cloth + 1) * PER_CLOTH);
    for (int i = cloth * PER_CLOTH; i < end; i++) {
        before += error_of(input, input.particles, i);
        after += error_of(input, got, i);
    }
    expect_true("a step lessens the error of a cloth", cloth, after <= 0.8 * before + 1e-5);
    moments(input.particles, cloth, expected);
    moments(got, cloth, sums);
    for (int k = 0; k < 3 && !hangs(cloth); k++) {
        expect_near("sum of mass times position", cloth * 3 + k, expected[k], sums[k], 0, 1e-3);
    }
}

static void check_particles(const Input &input, const std::vector<Particle> &got) {
    for (size_t i = 0; i < got.size(); i++) {
        float4 start = input.particles[i].now, at = got[i].now;
        expect_true("a position is finite", (long)i, std::isfinite(at.x + at.y + at.z));
        expect_equal("inverse mass", (long)i, start.w, at.w);
        expect_equal("lock of a particle", (long)i, 0, got[i].lock);
        expect_true("a fixed particle stays", (long)i, !input.particles[i].fixed ||
                    (start.x == at.x && start.y == at.y && start.z == at.z));
    }
}

int main(int argc, char **argv) {
    BenchOptions options =
        bench_options(argc, argv, {"constraints", PER_CLOTH, PAPER_CONSTRAINTS, 1, 1 << 22}, 2011, {}, VERSIONS);
    Lcg random(options.seed);
    Input input = random_input(random, options.size, options.version == FENCED ? TIGHT : SLACK);
    Cloth cloth = {region_of(input.particles), to_device(input.ends), region_of(input.limits), options.size,
                   device_zeros<int>(1)};

    void (*const kernels[])(Cloth) = {cl_tm, cl_fgl, cl_lock, cl_fenced};
    int blocks = blocks_for(options.size, BLOCK);
    kernels[options.version]<<<blocks, BLOCK>>>(cloth);
    CHECK_KERNEL();

    std::vector<Particle> got = to_host(cloth.particles, input.particles.size());
    check_particles(input, got);
    for (int i = 0; i < blocks_for(options.size, PER_CLOTH); i++) {
        check_cloth(input, got, i);
    }
    printf("CL: %d transactions, %d x %d threads, %zu particles, version %s\n", options.size, blocks, BLOCK, got.size(),
           VERSIONS[options.version]);
    return pass();
}
