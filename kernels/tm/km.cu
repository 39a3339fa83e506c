// K-Means in shared memory (KM of GPU-LocalTM, section 5.1.2): one iteration over 256 random points of three integer
// coordinates and K centres. Each thread finds the centre nearest to its point, then adds the point to that centre's
// sums in one critical section: three sums and a count, read and written. After a barrier each centre moves to the mean
// of its points. A centre's four words lie in one bank, as in the paper, in whose words "each one of the K
// 3-dimensional centers is stored in a single bank": the centres of eight rows share filter bits.
// Checked by a sequential run: integer sums do not depend on the order of points.
// args: --version fgl
// args: --version lock
// args: --version serial
// args: --version turns --size 3
// args: --centres 2 --size 2
// args: --centres 256 --version fgl --seed 7
// args: --centres 100
// also: --timing --config southern-islands --set tm.shared=localtm --check full
// also: --timing --config southern-islands --set tm.shared=localtm --check full -- --centres 256 --size 2
// also: --timing --config southern-islands -- --version fgl
// also: --timing --config southern-islands -- --version lock
// also: --timing --config southern-islands -- --version serial
// also: --timing --config southern-islands -- --version turns
#define PROGRAM "km"
#include "local_bench.h"

static const int DIMENSIONS = 3, RANGE = 1024; // of a coordinate
static const int FIELDS = DIMENSIONS + 1, COUNT = DIMENSIONS;

struct Point {
    int at[DIMENSIONS];
};

// Shared memory holds the sums of all centres, then the centres, then the locks.
struct Clusters {
    LocalMemory memory;
    int centres, sum_words;
    const Point *points;  // a thread's
    const Point *initial; // centres, the same for each block
    int *sums, *moved;    // of each block in the end
};

// The word of shared memory that holds field `field` of the sums of a centre.
static __host__ __device__ __forceinline__ int sum_word(unsigned centre, int field) {
    return centre % BANKS + BANKS * (field + FIELDS * (centre / BANKS));
}

static __host__ __device__ __forceinline__ int distance(const Point &point, const int *centre) {
    int sum = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
        sum += (point.at[d] - centre[d]) * (point.at[d] - centre[d]);
    }
    return sum;
}

// The nearest of `count` centres, of which each has its coordinates in a row; the first of equals.
static __host__ __device__ __forceinline__ int nearest(const Point &point, const int *centres, int count) {
    int best = 0, least = INT32_MAX;
    for (int c = 0; c < count; c++) {
        int now = distance(point, &centres[c * DIMENSIONS]);
        best = now < least ? c : best;
        least = now < least ? now : least;
    }
    return best;
}

static __device__ __forceinline__ void add_point(const Point &point, int centre) {
    for (int d = 0; d < DIMENSIONS; d++) {
        shared_words[sum_word(centre, d)] += point.at[d];
    }
    shared_words[sum_word(centre, COUNT)]++;
}

// A centre without points does not move.
static __device__ __forceinline__ void move_centre(const Clusters &clusters, int centre) {
    int count = shared_words[sum_word(centre, COUNT)];
    for (int d = 0; d < DIMENSIONS && count > 0; d++) {
        shared_words[clusters.sum_words + centre * DIMENSIONS + d] = shared_words[sum_word(centre, d)] / count;
    }
}

static __device__ __forceinline__ void bring_in(const Clusters &clusters) {
    set_shared(0, clusters.sum_words, 0);
    set_shared(clusters.memory.words, clusters.memory.locks, 0);
    for (int i = threadIdx.x; i < clusters.centres * DIMENSIONS; i += BLOCK) {
        shared_words[clusters.sum_words + i] = clusters.initial[i / DIMENSIONS].at[i % DIMENSIONS];
    }
}

// The whole kernel; `critical` receives the centre and the body.
template <typename Critical>
static __device__ __forceinline__ void iterate(const Clusters &clusters, Critical critical) {
    bring_in(clusters);
    Point point = clusters.points[blockIdx.x * BLOCK + threadIdx.x];
    __syncthreads();
    int centre = nearest(point, &shared_words[clusters.sum_words], clusters.centres);
    critical(centre, [&] { add_point(point, centre); });
    __syncthreads();
    if ((int)threadIdx.x < clusters.centres) {
        move_centre(clusters, threadIdx.x);
    }
    __syncthreads();
    copy_out(clusters.sums, 0, clusters.sum_words);
    copy_out(clusters.moved, clusters.sum_words, clusters.centres * DIMENSIONS);
}

extern "C" __global__ void km_tm(Clusters clusters) {
    iterate(clusters, [](int, auto body) { as_transaction(body); });
}

extern "C" __global__ void km_fgl(Clusters clusters) {
    iterate(clusters, [&](int centre, auto body) { under_lock<BlockScope>(clusters.memory.lock(centre), body); });
}

extern "C" __global__ void km_lock(Clusters clusters) {
    iterate(clusters, [&](int, auto body) { under_lock<BlockScope>(clusters.memory.lock(0), body); });
}

extern "C" __global__ void km_serial(Clusters clusters) {
    iterate(clusters, [](int, auto body) { one_by_one(body); });
}

extern "C" __global__ void km_turns(Clusters clusters) {
    iterate(clusters, [&](int, auto body) { in_turn(clusters.memory.lock(0), threadIdx.x, body); });
}

static std::vector<Point> random_points(Lcg &random, int count) {
    std::vector<Point> points(count);
    for (Point &point : points) {
        for (int &coordinate : point.at) {
            coordinate = (int)random.below(RANGE);
        }
    }
    return points;
}

// The sums of one block's points.
static std::vector<int> expected_sums(const Point *points, const std::vector<Point> &centres, int words) {
    std::vector<int> sums(words, 0);
    for (int i = 0; i < BLOCK; i++) {
        int centre = nearest(points[i], centres[0].at, (int)centres.size());
        for (int d = 0; d < DIMENSIONS; d++) {
            sums[sum_word(centre, d)] += points[i].at[d];
        }
        sums[sum_word(centre, COUNT)]++;
    }
    return sums;
}

static void check_block(const std::vector<int> &expected, const int *sums, const std::vector<Point> &centres,
                        const int *moved) {
    for (size_t word = 0; word < expected.size(); word++) {
        expect_equal("word of the sums", (long)word, expected[word], sums[word]);
    }
    for (int i = 0; i < (int)centres.size() * DIMENSIONS; i++) {
        int centre = i / DIMENSIONS, d = i % DIMENSIONS, count = expected[sum_word(centre, COUNT)];
        int coordinate = count ? expected[sum_word(centre, d)] / count : centres[centre].at[d];
        expect_equal("coordinate of a centre", i, coordinate, moved[i]);
    }
}

static void print_layout(int centres) {
    std::vector<int> words;
    for (int i = 0; i < centres * FIELDS; i++) {
        words.push_back(sum_word(i / FIELDS, i % FIELDS));
    }
    print_banks(words);
}

int main(int argc, char **argv) {
    int centre_count = 32;
    BenchOptions options = bench_options(argc, argv, LOCAL_SIZES, 2015,
                                         {{"centres", "from 2 to 256 (32)", &centre_count, nullptr, 2, 256}},
                                         LOCAL_VERSIONS);
    Lcg random(options.seed);
    std::vector<Point> points = random_points(random, options.size * BLOCK);
    std::vector<Point> centres = random_points(random, centre_count);
    int sum_words = FIELDS * BANKS * blocks_for(centre_count, BANKS), centre_words = centre_count * DIMENSIONS;
    Clusters clusters = {local_memory(options.version, sum_words + centre_words, centre_count),
                         centre_count,
                         sum_words,
                         to_device(points),
                         to_device(centres),
                         device_zeros<int>(options.size * sum_words),
                         device_zeros<int>(options.size * centre_words)};

    void (*const kernels[])(Clusters) = {km_tm, km_fgl, km_lock, km_serial, km_turns};
    kernels[options.version]<<<options.size, BLOCK, clusters.memory.bytes()>>>(clusters);
    CHECK_KERNEL();

    std::vector<int> sums = to_host(clusters.sums, options.size * sum_words);
    std::vector<int> moved = to_host(clusters.moved, options.size * centre_words);
    for (int block = 0; block < options.size; block++) {
        check_block(expected_sums(&points[block * BLOCK], centres, sum_words), &sums[block * sum_words], centres,
                    &moved[block * centre_words]);
    }
    print_layout(centre_count);
    printf("KM%d: %d x %d threads, version %s\n", centre_count, options.size, BLOCK, LOCAL_VERSIONS[options.version]);
    return pass();
}
