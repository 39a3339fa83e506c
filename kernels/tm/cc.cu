// CudaCuts (CC of the KILO TM paper, MICRO 2011, section 5): a minimum cut segments an image into two labels, found
// by push-relabel (Vineet and Narayanan, CudaCuts: Fast Graph Cuts on the GPU, CVPRW 2008). Each pixel is a node with
// links to its four neighbours and one to the source or to the sink. A push moves excess to the sink and to the
// neighbours one step lower, at most five critical sections a pixel; a relabel raises each pixel to one more than its
// lowest neighbour that it still can push to. The fine-grained version has no locks, but an atomic addition a word.
// Heights are read from a tile in shared memory and change only between launches; excess and residual of a pixel are
// lowered only by its own thread, so what it read before the critical section is never too much.
// A periodic census of the heights ends the run: when no pixel has height g, no pixel above g can reach the sink
// (the gap of Cherkassky and Goldberg, On Implementing the Push-Relabel Method, Algorithmica 1997); the flow is
// maximal when no excess is left below g, and the pixels above it are the object.
// Checked: conservation at every pixel, both residuals of a link, the flow against a sequential maximum flow (Dinic)
// and against the capacity of the cut.
// args: --version fgl
// also: --timing --config gtx480-sc -- --version fgl --size 24
// args: --version lock --size 24
// args: --size 70 --seed 7
#define PROGRAM "cc"
#include "../bench/tm_bench.h"

#include <algorithm>

enum Direction { LEFT, RIGHT, UP, DOWN, DIRECTIONS };

static const int TILE_X = 32, TILE_Y = 8, CENSUS_EVERY = 8;

// The image with a border of one pixel without links, rounded up to whole blocks.
struct Shape {
    int width, height, columns, rows;

    int cells() const { return columns * rows; }

    int cell(int x, int y) const { return (y + 1) * columns + x + 1; }

    int step(int direction) const {
        const int steps[DIRECTIONS] = {-1, 1, -columns, columns};
        return steps[direction];
    }
};

// What a pixel's thread did, to check the sums: number of visits, of pushes to neighbours, and to the sink.
struct Tally {
    int visits, moves, drains;
};

struct Graph {
    int *residual[DIRECTIONS], *sink, *excess;
    int *pull; // lowered by each neighbour that had nothing to push here
    int *mask; // 1: has excess and somewhere to push it to
    Tally *tally;
    int *lock;
    int columns, cells;
};

static __device__ __forceinline__ int cell_of_thread(const Graph &graph) {
    return (blockIdx.y * TILE_Y + threadIdx.y) * graph.columns + blockIdx.x * TILE_X + threadIdx.x;
}

// The heights of a block's pixels and of those around it; what lies outside of the grid is left out, as the border of
// the image has no links.
struct Tile {
    int at[TILE_Y + 2][TILE_X + 2];

    __device__ __forceinline__ void load(const int *height, const Graph &graph, int cell) {
        int x = threadIdx.x + 1, y = threadIdx.y + 1;
        at[y][x] = height[cell];
        if (x == 1 && cell > 0) {
            at[y][0] = height[cell - 1];
        }
        if (x == TILE_X && cell < graph.cells - 1) {
            at[y][x + 1] = height[cell + 1];
        }
        if (y == 1 && cell >= graph.columns) {
            at[0][x] = height[cell - graph.columns];
        }
        if (y == TILE_Y && cell < graph.cells - graph.columns) {
            at[y + 1][x] = height[cell + graph.columns];
        }
        __syncthreads();
    }

    __device__ __forceinline__ int here() const { return at[threadIdx.y + 1][threadIdx.x + 1]; }

    __device__ __forceinline__ int beside(int direction) const {
        int x = threadIdx.x + 1, y = threadIdx.y + 1;
        return direction == LEFT    ? at[y][x - 1]
               : direction == RIGHT ? at[y][x + 1]
               : direction == UP    ? at[y - 1][x]
                                    : at[y + 1][x];
    }
};

// ---- the critical sections ----

template <Version VERSION>
static __device__ __forceinline__ void add(int *word, int amount) {
    if (VERSION == VERSION_FGL) {
        atomicAdd(word, amount);
    } else {
        *word += amount;
    }
}

template <Version VERSION, typename Body>
static __device__ __forceinline__ void critical(const Graph &graph, Body body) {
    if (VERSION == VERSION_TM) {
        as_transaction(body);
    } else if (VERSION == VERSION_LOCK) {
        under_lock(graph.lock, body);
    } else {
        body();
    }
}

template <Version VERSION>
static __device__ __forceinline__ void move(const Graph &graph, int direction, int from, int to, int flow) {
    critical<VERSION>(graph, [&] {
        add<VERSION>(&graph.residual[direction][from], -flow);
        add<VERSION>(&graph.residual[direction ^ 1][to], flow);
        add<VERSION>(&graph.excess[to], flow);
        add<VERSION>(&graph.excess[from], -flow);
    });
}

// ---- kernels ----

template <Version VERSION>
static __device__ __forceinline__ int drain(const Graph &graph, int cell, int excess) {
    int flow = min(graph.sink[cell], excess);
    graph.sink[cell] -= flow;
    critical<VERSION>(graph, [&] { add<VERSION>(&graph.excess[cell], -flow); });
    return flow;
}

template <Version VERSION>
static __device__ __forceinline__ void push(const Graph &graph, const int *height) {
    __shared__ Tile tile;
    int cell = cell_of_thread(graph);
    tile.load(height, graph, cell);
    if (!graph.mask[cell]) {
        return;
    }
    const int steps[DIRECTIONS] = {-1, 1, -graph.columns, graph.columns};
    int excess = graph.excess[cell], own = tile.here();
    Tally tally = graph.tally[cell];
    tally.visits++;
    if (own == 1 && graph.sink[cell] > 0) {
        excess -= drain<VERSION>(graph, cell, excess);
        tally.drains++;
    }
#pragma unroll
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        int neighbour = cell + steps[direction];
        int flow = min(graph.residual[direction][cell], excess);
        if (flow > 0 && own == tile.beside(direction) + 1) {
            move<VERSION>(graph, direction, cell, neighbour, flow);
            excess -= flow;
            tally.moves++;
        } else {
            critical<VERSION>(graph, [&] { add<VERSION>(&graph.pull[neighbour], -1); });
        }
    }
    graph.tally[cell] = tally;
}

extern "C" __global__ void cc_push_tm(Graph graph, const int *height) {
    push<VERSION_TM>(graph, height);
}

extern "C" __global__ void cc_push_fgl(Graph graph, const int *height) {
    push<VERSION_FGL>(graph, height);
}

extern "C" __global__ void cc_push_lock(Graph graph, const int *height) {
    push<VERSION_LOCK>(graph, height);
}

// Relabels heights below `gap`; the others become `cells`, which no height below the gap can reach.
extern "C" __global__ void cc_relabel(Graph graph, const int *height, int *new_height, int gap) {
    __shared__ Tile tile;
    int cell = cell_of_thread(graph);
    tile.load(height, graph, cell);
    int own = tile.here(), lowest = graph.sink[cell] > 0 ? 0 : graph.cells;
#pragma unroll
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        if (graph.residual[direction][cell] > 0) {
            lowest = min(lowest, tile.beside(direction));
        }
    }
    int raised = own > gap ? graph.cells : min(max(own, lowest + 1), graph.cells);
    new_height[cell] = raised;
    graph.mask[cell] = graph.excess[cell] > 0 && raised == own && raised < graph.cells;
}

// Notes which heights occur, and which occur with excess.
extern "C" __global__ void cc_census(Graph graph, const int *height, int *present, int *waiting, int levels) {
    int cell = cell_of_thread(graph), own = height[cell];
    if (own < levels) {
        present[own] = 1;
        if (graph.excess[cell] > 0) {
            waiting[own] = 1;
        }
    }
}

// ---- the problem ----

struct Problem {
    std::vector<int> residual[DIRECTIONS], sink, excess;
};

// An image with smooth regions: bright discs with soft edges on a dark ground, under noise, in levels 0 to 255. Number,
// contrast and noise, and the weights below, are chosen so that 200 x 150 pixels and the default seed come near the
// paper's Table 2: 109 thousand critical sections, 1.35 words read and written by each on average, 95 million
// instructions (paper: 114677, 1.4 and 1.4, 104 million).
static const int DISCS = 2;
static const float GROUND = 80, DISC = 130, NOISE = 20;
static const float EDGE = 0.4f; // half the width of a disc's edge, of its radius

static float normal(Lcg &random) { // the sum of 12 uniform numbers
    float sum = -6;
    for (int i = 0; i < 12; i++) {
        sum += random.unit();
    }
    return sum;
}

static std::vector<float> make_image(const Shape &shape, int seed) {
    Lcg random(seed);
    std::vector<float> image(shape.cells(), GROUND);
    for (int disc = 0; disc < DISCS; disc++) {
        float x0 = random.between(0, shape.width), y0 = random.between(0, shape.height);
        float radius = random.between(0.04f, 0.16f) * shape.width;
        for (int y = 0; y < shape.height; y++) {
            for (int x = 0; x < shape.width; x++) {
                float outside = std::sqrt((x - x0) * (x - x0) + (y - y0) * (y - y0)) - radius;
                float share = std::fmin(1, std::fmax(0, 0.5f - outside / (2 * EDGE * radius)));
                float &level = image[shape.cell(x, y)];
                level = std::fmax(level, GROUND + (DISC - GROUND) * share);
            }
        }
    }
    for (float &level : image) {
        level = std::fmin(255, std::fmax(0, level + NOISE * normal(random)));
    }
    return image;
}

// Weights as usual (Boykov and Jolly, ICCV 2001): the distances to the labels' levels, and links between neighbours
// that are weak where the levels differ.
static const float LINK_WEIGHT = 3, LINK_CONTRAST = 20;

static int link_weight(float a, float b) {
    return 1 + (int)(LINK_WEIGHT * std::exp(-(a - b) * (a - b) / (2 * LINK_CONTRAST * LINK_CONTRAST)));
}

static Problem make_problem(const Shape &shape, int seed) {
    std::vector<float> image = make_image(shape, seed);
    Problem problem;
    problem.sink = problem.excess = std::vector<int>(shape.cells(), 0);
    for (std::vector<int> &residual : problem.residual) {
        residual.assign(shape.cells(), 0);
    }
    for (int y = 0; y < shape.height; y++) {
        for (int x = 0; x < shape.width; x++) {
            int cell = shape.cell(x, y);
            float level = image[cell];
            int data = (int)(std::fabs(level - GROUND) - std::fabs(level - DISC));
            problem.excess[cell] = std::max(data, 0);
            problem.sink[cell] = std::max(-data, 0);
            for (int direction : {RIGHT, DOWN}) {
                int other = cell + shape.step(direction);
                if (direction == RIGHT ? x + 1 < shape.width : y + 1 < shape.height) {
                    int weight = link_weight(level, image[other]);
                    problem.residual[direction][cell] = problem.residual[direction ^ 1][other] = weight;
                }
            }
        }
    }
    return problem;
}

// ---- sequential maximum flow: Dinic's algorithm, from all pixels with excess to all with a link to the sink ----

struct Dinic {
    const Shape &shape;
    Problem left;
    std::vector<int> level, next;

    Dinic(const Shape &shape, const Problem &problem) : shape(shape), left(problem) {}

    // Levels are distances from the excess; returns whether the sink is reachable.
    bool find_levels() {
        std::vector<int> queue;
        level.assign(shape.cells(), -1);
        for (int cell = 0; cell < shape.cells(); cell++) {
            if (left.excess[cell] > 0) {
                level[cell] = 0;
                queue.push_back(cell);
            }
        }
        bool reached = false;
        for (size_t i = 0; i < queue.size(); i++) {
            reached |= left.sink[queue[i]] > 0;
            for (int direction = 0; direction < DIRECTIONS; direction++) {
                int other = queue[i] + shape.step(direction);
                if (left.residual[direction][queue[i]] > 0 && level[other] < 0) {
                    level[other] = level[queue[i]] + 1;
                    queue.push_back(other);
                }
            }
        }
        return reached;
    }

    // Sends up to `flow` from the cell to the sink along rising levels.
    int send(int cell, int flow) {
        int sent = std::min(flow, left.sink[cell]);
        left.sink[cell] -= sent;
        for (int &direction = next[cell]; sent < flow && direction < DIRECTIONS; direction++) {
            int other = cell + shape.step(direction), room = std::min(flow - sent, left.residual[direction][cell]);
            if (room > 0 && level[other] == level[cell] + 1) {
                int moved = send(other, room);
                left.residual[direction][cell] -= moved;
                left.residual[direction ^ 1][other] += moved;
                sent += moved;
            }
            if (sent == flow) {
                break;
            }
        }
        return sent;
    }

    long maximum() {
        long flow = 0;
        while (find_levels()) {
            next.assign(shape.cells(), 0);
            for (int cell = 0; cell < shape.cells(); cell++) {
                int sent = left.excess[cell] > 0 ? send(cell, left.excess[cell]) : 0;
                left.excess[cell] -= sent;
                flow += sent;
            }
        }
        return flow;
    }
};

// ---- the run ----

struct Run {
    Shape shape;
    Version version;
    Graph graph;
    int *height, *new_height, *present, *waiting;
    int iterations;
    int gap; // no pixel has this height, and those above it are on the source's side
};

// Finds the gap; returns whether any excess is left below it.
static bool census(Run *run, dim3 grid, dim3 block) {
    int levels = run->iterations + 2; // heights rise by at most one a relabel
    CHECK(cudaMemset(run->present, 0, levels * sizeof(int)));
    CHECK(cudaMemset(run->waiting, 0, levels * sizeof(int)));
    cc_census<<<grid, block>>>(run->graph, run->height, run->present, run->waiting, levels);
    CHECK_KERNEL();
    std::vector<int> present = to_host(run->present, levels), waiting = to_host(run->waiting, levels);
    bool left = false;
    for (run->gap = 1; run->gap < levels && present[run->gap]; run->gap++) {
        left |= waiting[run->gap];
    }
    return left;
}

static void segment(Run *run) {
    void (*const kernels[])(Graph, const int *) = {cc_push_tm, cc_push_fgl, cc_push_lock};
    dim3 grid(run->shape.columns / TILE_X, run->shape.rows / TILE_Y), block(TILE_X, TILE_Y);
    bool left = true;
    while (left) {
        bool counted = run->iterations > 0 && run->iterations % CENSUS_EVERY == 0;
        cc_relabel<<<grid, block>>>(run->graph, run->height, run->new_height, counted ? run->gap : run->shape.cells());
        CHECK_KERNEL();
        std::swap(run->height, run->new_height);
        kernels[run->version]<<<grid, block>>>(run->graph, run->height);
        CHECK_KERNEL();
        run->iterations++;
        left = run->iterations % CENSUS_EVERY || census(run, grid, block);
    }
}

static Run prepare(const Shape &shape, Version version, const Problem &problem) {
    Run run = {shape, version, {}, nullptr, nullptr, nullptr, nullptr, 0, 0};
    size_t cells = shape.cells();
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        run.graph.residual[direction] = region_of(problem.residual[direction]);
    }
    run.graph.sink = to_device(problem.sink);
    run.graph.excess = region_of(problem.excess);
    run.graph.pull = region_of_zeros<int>(cells);
    run.graph.mask = device_zeros<int>(cells);
    run.graph.tally = device_zeros<Tally>(cells);
    run.graph.lock = device_zeros<int>(1);
    run.graph.columns = shape.columns;
    run.graph.cells = shape.cells();
    run.height = device_zeros<int>(cells);
    run.new_height = device_zeros<int>(cells);
    run.present = device_zeros<int>(cells + 2);
    run.waiting = device_zeros<int>(cells + 2);
    return run;
}

// ---- checks ----

static Problem result_of(const Run &run) {
    Problem result;
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        result.residual[direction] = to_host(run.graph.residual[direction], run.shape.cells());
    }
    result.sink = to_host(run.graph.sink, run.shape.cells());
    result.excess = to_host(run.graph.excess, run.shape.cells());
    return result;
}

// Returns the flow into the sink.
static long check_flow(const Shape &shape, const Problem &before, const Problem &after) {
    long flow = 0;
    for (int cell = 0; cell < shape.cells(); cell++) {
        int excess = before.excess[cell] - (before.sink[cell] - after.sink[cell]);
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            const std::vector<int> &now = after.residual[direction], &then = before.residual[direction];
            expect_true("a residual is not negative", cell, now[cell] >= 0);
            excess -= then[cell] - now[cell];
            if (then[cell] > 0) {
                int other = cell + shape.step(direction);
                expect_equal("sum of a link's residuals", cell, then[cell] + before.residual[direction ^ 1][other],
                             now[cell] + after.residual[direction ^ 1][other]);
            }
        }
        expect_equal("excess", cell, excess, after.excess[cell]);
        expect_true("neither excess nor room to the sink is negative", cell,
                    after.excess[cell] >= 0 && after.sink[cell] >= 0);
        flow += before.sink[cell] - after.sink[cell];
    }
    return flow;
}

static Tally check_tally(const Run &run) {
    Tally sum = {0, 0, 0};
    for (const Tally &tally : to_host(run.graph.tally, run.shape.cells())) {
        sum.visits += tally.visits;
        sum.moves += tally.moves;
        sum.drains += tally.drains;
    }
    long refused = 0;
    for (int pull : to_host(run.graph.pull, run.shape.cells())) {
        refused -= pull;
    }
    expect_equal("pushes without flow", 0, 4l * sum.visits - sum.moves, refused);
    return sum;
}

// The capacity of the cut between the pixels above the gap and the others; counts the former.
static long cut_capacity(const Run &run, const Problem &problem, int *above) {
    std::vector<int> height = to_host(run.height, run.shape.cells());
    long capacity = 0;
    for (int cell = 0; cell < run.shape.cells(); cell++) {
        bool cut_off = height[cell] > run.gap;
        *above += cut_off && problem.residual[RIGHT][cell] + problem.residual[LEFT][cell] > 0;
        capacity += cut_off ? problem.sink[cell] : problem.excess[cell];
        for (int direction = 0; cut_off && direction < DIRECTIONS; direction++) {
            if (problem.residual[direction][cell] > 0 && height[cell + run.shape.step(direction)] < run.gap) {
                capacity += problem.residual[direction][cell];
            }
        }
    }
    return capacity;
}

int main(int argc, char **argv) {
    BenchOptions options = bench_options(argc, argv, {"pixels of width, 3/4 of height", 48, 200, 4, 2000}, 2008);
    Shape shape;
    shape.width = options.size;
    shape.height = options.size * 3 / 4;
    shape.columns = blocks_for(shape.width + 2, TILE_X) * TILE_X;
    shape.rows = blocks_for(shape.height + 2, TILE_Y) * TILE_Y;
    Problem problem = make_problem(shape, options.seed);
    Run run = prepare(shape, options.version, problem);
    segment(&run);

    long flow = check_flow(shape, problem, result_of(run));
    expect_equal("maximum flow", 0, Dinic(shape, problem).maximum(), flow);
    int object = 0;
    expect_equal("capacity of the cut", 0, flow, cut_capacity(run, problem, &object));
    Tally tally = check_tally(run);
    printf("CC: %d critical sections (%d pushes to a neighbour, %d to the sink), %d iterations, flow %ld, "
           "%d of %d x %d pixels in the object, %d x %d threads, version %s\n",
           4 * tally.visits + tally.drains, tally.moves, tally.drains, run.iterations, flow, object, shape.width,
           shape.height, shape.cells() / (TILE_X * TILE_Y), TILE_X * TILE_Y, VERSION_NAMES[options.version]);
    return pass();
}
