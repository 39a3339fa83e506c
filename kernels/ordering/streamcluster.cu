// What opening another centre would save, after streamcluster of Rodinia (and PARSEC): one thread for each point. It
// adds up the squares of the differences between its coordinates and the candidate's, and notes in its own row of sums
// what it would save with the candidate, or what it would lose if its centre were closed. Coordinates lie by dimension,
// a row of all points for each: in a step, every warp of the GPU loads its own line and the candidate's word, which is
// the same for all. The rows of sums are as long as there are centres, and one more. Between launches the host opens
// the candidate if that pays, and closes centres, as the original does. Coordinates and weights are small integers, so
// that sums are exact. Checked: all sums and marks against the host.
// also: --timing --config gtx480-sc
#define PROGRAM "streamcluster"
#include "../bench/options.h"

static const int BLOCK = 512, DIMENSIONS = 256, LAUNCHES = 1, CENTRES = 10;
static const float PRICE = 2000; // of a centre

// The original's layout: the kernel does not read the second member, the point's coordinates on the host.
struct Point {
    float weight;
    float *coordinates;
    long centre; // the point that it belongs to
    float cost;  // what that costs: weight times distance
};

static __global__ void gains(int count, int dimensions, long candidate, const Point *points, int centres, int width,
                             const float *coordinates, float *sums, const int *rank, bool *moves) {
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count) {
        return;
    }
    float *own = &sums[point * width], distance = 0;
    for (int d = 0; d < dimensions; d++) {
        float difference = coordinates[d * count + point] - coordinates[d * count + (int)candidate];
        distance += difference * difference;
    }
    float cost = distance * points[point].weight;
    if (cost < points[point].cost) {
        moves[point] = true;
        own[centres] += cost - points[point].cost;
    } else {
        own[rank[points[point].centre]] += points[point].cost - cost;
    }
}

struct Clustering {
    std::vector<Point> points;
    std::vector<float> coordinates;
    std::vector<bool> is_centre;
    std::vector<int> rank; // of the centres among themselves
    int centres = 0;

    float cost(long point, long centre) const {
        float sum = 0;
        for (size_t at = 0; at < coordinates.size(); at += points.size()) {
            float difference = coordinates[at + point] - coordinates[at + centre];
            sum += difference * difference;
        }
        return sum * points[point].weight;
    }

    void assign(long point, long centre) {
        points[point].centre = centre;
        points[point].cost = cost(point, centre);
    }

    void number_centres() {
        centres = 0;
        for (size_t i = 0; i < points.size(); i++) {
            rank[i] = is_centre[i] ? centres++ : 0;
        }
    }
};

static Clustering random_clustering(int count) {
    Lcg random(111);
    Clustering state;
    state.points.resize(count);
    state.rank.resize(count);
    state.is_centre.resize(count);
    for (size_t i = 0; i < (size_t)count * DIMENSIONS; i++) {
        state.coordinates.push_back((float)random.below(8));
    }
    for (int i = 0; i < count; i++) {
        state.points[i].weight = (float)(1 + random.below(3));
        state.assign(i, i % CENTRES);
        state.is_centre[i] = i < CENTRES;
    }
    return state;
}

// The sums of a launch; marks and sums are checked against the host's.
static std::vector<float> device_sums(const Clustering &state, long candidate, const float *coordinates) {
    int count = (int)state.points.size(), width = state.centres + 1;
    std::vector<float> expected((size_t)width * (count + 1));
    std::vector<char> expected_moves(count);
    for (int i = 0; i < count; i++) {
        float more = state.cost(i, candidate) - state.points[i].cost;
        expected_moves[i] = more < 0;
        expected[i * width + (more < 0 ? state.centres : state.rank[state.points[i].centre])] = -std::fabs(more);
    }
    float *sums = device_zeros<float>(expected.size());
    char *moves = device_zeros<char>(count);
    gains<<<blocks_for(count, BLOCK), BLOCK>>>(count, DIMENSIONS, candidate, to_device(state.points), state.centres,
                                               width, coordinates, sums, to_device(state.rank), (bool *)moves);
    CHECK_KERNEL();
    std::vector<float> got = to_host(sums, expected.size());
    expect_same("sum", expected, got);
    expect_same("mark", expected_moves, to_host(moves, count));
    return got;
}

// Opens the candidate, and closes the centres that cost more than their points lose, if all that pays.
static void open(Clustering &state, long candidate, const std::vector<float> &sums) {
    int count = (int)state.points.size(), width = state.centres + 1;
    std::vector<float> pays(width, PRICE); // what closing a centre saves; then what opening the candidate costs
    for (size_t at = 0; at < (size_t)count * width; at++) {
        pays[at % width] += sums[at];
    }
    float costs = pays[state.centres];
    for (int centre = 0; centre < state.centres; centre++) {
        costs -= std::fmax(0.0f, pays[centre]);
    }
    if (costs >= 0) {
        return;
    }
    for (int i = 0; i < count; i++) {
        bool closes = pays[state.rank[state.points[i].centre]] > 0;
        if (closes || state.cost(i, candidate) < state.points[i].cost) {
            state.assign(i, candidate);
        }
    }
    for (int i = 0; i < count; i++) {
        state.is_centre[i] = i == candidate || (state.is_centre[i] && pays[state.rank[i]] <= 0);
    }
    state.number_centres();
}

int main(int argc, char **argv) {
    int count = read_options(argc, argv, {"points", 512, 65536, 2 * CENTRES, 1 << 17});
    Clustering state = random_clustering(count);
    state.number_centres();
    const float *coordinates = to_device(state.coordinates);
    for (int launch = 0; launch < LAUNCHES; launch++) {
        long candidate = CENTRES + (long)(count - CENTRES) * launch / LAUNCHES;
        open(state, candidate, device_sums(state, candidate, coordinates));
    }
    return pass();
}
