// Gains of opening centres (the question that streamcluster of PARSEC and Rodinia asks again and again): a thread holds
// one candidate in registers and walks over its block's points; for each point it adds up what the point would save by
// moving to the candidate. The warps of a block have different candidates and read the same points: in each step they
// load one line 8 x 16 times, and an SM has one such line for each of its blocks. One MSHR entry cannot merge as many
// loads; with loads that do not wait for each other, one block's warps fill it before the next block's can issue.
// Coordinates and weights are small integers, so that savings are exact. Checked: all sums against the host.
// also: --timing --config gtx480-sc
#define PROGRAM "streamcluster"
#include "../bench/options.h"

static const int CANDIDATES = 256, DIMENSIONS = 16, CHUNK = 64; // CHUNK points for each block

struct Point {
    float coordinates[DIMENSIONS];
};

// Row b of `savings` is that of block b, with a sum for each candidate.
static __global__ void gains(const Point *points, const float *weights, const float *costs, const Point *candidates,
                             float *savings, int count) {
    Point own = candidates[threadIdx.x];
    int first = blockIdx.x * CHUNK, end = min(first + CHUNK, count);
    float saved = 0;
    for (int i = first; i < end; i++) {
        Point point = points[i];
        asm volatile("" ::: "memory"); // all loads before the first use, as an optimising assembler places them
        float distance = 0;
#pragma unroll
        for (int d = 0; d < DIMENSIONS; d++) {
            float difference = point.coordinates[d] - own.coordinates[d];
            distance += difference * difference;
        }
        saved += fmaxf(0.0f, costs[i] - distance * weights[i]);
    }
    savings[blockIdx.x * CANDIDATES + threadIdx.x] = saved;
}

static float distance_between(const Point &a, const Point &b) {
    float sum = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
        sum += (a.coordinates[d] - b.coordinates[d]) * (a.coordinates[d] - b.coordinates[d]);
    }
    return sum;
}

static std::vector<Point> random_points(Lcg &random, int count) {
    std::vector<Point> points(count);
    for (Point &point : points) {
        for (float &coordinate : point.coordinates) {
            coordinate = (float)random.below(16);
        }
    }
    return points;
}

int main(int argc, char **argv) {
    int count = read_options(argc, argv, {"points", 512, 6144, 1, 1 << 20}), blocks = blocks_for(count, CHUNK);
    Lcg random(111);
    std::vector<Point> points = random_points(random, count), candidates = random_points(random, CANDIDATES),
                       centres = random_points(random, 10);
    std::vector<float> weights(count), costs(count), expected((size_t)blocks * CANDIDATES);
    for (int i = 0; i < count; i++) {
        weights[i] = (float)(1 + random.below(3));
        costs[i] = weights[i] * distance_between(points[i], centres[random.below(10)]);
        for (int c = 0; c < CANDIDATES; c++) {
            float saved = costs[i] - weights[i] * distance_between(points[i], candidates[c]);
            expected[i / CHUNK * CANDIDATES + c] += std::fmax(0.0f, saved);
        }
    }
    float *savings = device_zeros<float>(expected.size());
    gains<<<blocks, CANDIDATES>>>(to_device(points), to_device(weights), to_device(costs), to_device(candidates),
                                  savings, count);
    CHECK_KERNEL();
    expect_same("savings", expected, to_host(savings, expected.size()));
    return pass();
}
