// CudaCuts (CC of the KILO TM paper, MICRO 2011, section 5): a minimum cut segments an image into two labels, found
// by push-relabel (Vineet and Narayanan, CudaCuts: Fast Graph Cuts on the GPU, CVPRW 2008). Each pixel is a node with
// links to its four neighbours and one to the source or to the sink. A push moves excess to the sink and to the
// neighbours one step lower, at most five critical sections a pixel; a relabel raises each pixel to one more than its
// lowest neighbour that it still can push to. The order of accesses is that of the authors' public program: before each
// critical section a pixel reads its excess and residual, and inside, it decides whether it pushes or only decrements a
// counter of the neighbour, one for each direction; a launch pushes twice, with a new mask between, before a relabel.
// The fine-grained version has no locks, but an atomic addition a word.
// Heights are read from a tile in shared memory and change only between launches; excess and residual of a pixel are
// lowered only by its own thread, so what it read before the critical section is never too much.
// Every ten iterations the host checks if excess can still reach the sink; the end is after twenty at the earliest.
// Then a search from the pixels with excess, a launch for each step, labels the object. (The original ends when few
// blocks still change; its flow need not be maximal.)
// Checked: conservation at every pixel, both residuals of a link, the flow against a sequential maximum flow (Dinic)
// and against the capacity of the cut around the object.
// args: --version fgl
// also: --timing --config gtx480-sc -- --version fgl --size 24
// args: --version lock --size 24
// args: --size 70 --seed 7
#define PROGRAM "cc"
#include "../bench/tm_bench.h"

#include <algorithm>

enum Direction { LEFT, RIGHT, UP, DOWN, DIRECTIONS };

static const int TILE_X = 32, TILE_Y = 8, LOOK_EVERY = 10, LEAST_ITERATIONS = 20;

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

struct Graph {
    int *residual[DIRECTIONS], *sink, *excess;
    int *pull[DIRECTIONS]; // lowered by the neighbour from which the direction leads here, when it has nothing to push
    int *mask;             // as mask_of gives it; a pixel pushes if it is 1
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

// ---- kernels ----

template <Version VERSION>
static __device__ __forceinline__ void drain(const Graph &graph, int cell, int own) {
    int room = graph.sink[cell], excess = fresh(&graph.excess[cell]), flow = min(room, excess);
    if (flow > 0 && own == 1) {
        graph.sink[cell] = room - flow;
        critical<VERSION>(graph, [&] { add<VERSION>(&graph.excess[cell], -flow); });
    }
}

template <Version VERSION>
static __device__ __forceinline__ void push_to(const Graph &graph, const Tile &tile, int direction, int from, int to) {
    int excess = fresh(&graph.excess[from]), room = fresh(&graph.residual[direction][from]);
    critical<VERSION>(graph, [&] {
        if (room > 0 && excess > 0 && tile.here() == tile.beside(direction) + 1) {
            int flow = min(room, excess);
            add<VERSION>(&graph.residual[direction][from], -flow);
            add<VERSION>(&graph.residual[direction ^ 1][to], flow);
            add<VERSION>(&graph.excess[from], -flow);
            add<VERSION>(&graph.excess[to], flow);
        } else {
            add<VERSION>(&graph.pull[direction][to], -1);
        }
    });
}

template <Version VERSION>
static __device__ __forceinline__ void push_once(const Graph &graph, const Tile &tile, int cell) {
    if (graph.mask[cell] != 1) {
        return;
    }
    drain<VERSION>(graph, cell, tile.here());
    push_to<VERSION>(graph, tile, LEFT, cell, cell - 1);
    push_to<VERSION>(graph, tile, UP, cell, cell - graph.columns);
    push_to<VERSION>(graph, tile, RIGHT, cell, cell + 1);
    push_to<VERSION>(graph, tile, DOWN, cell, cell + graph.columns);
}

// 2: no excess, or no residual to push it over; 1: can push to a lower neighbour or to the sink; 0: not at this height.
static __device__ __forceinline__ int mask_of(const Graph &graph, const Tile &tile, int cell) {
    if (fresh(&graph.excess[cell]) <= 0) {
        return 2;
    }
    bool any = graph.sink[cell] > 0, lower = any && tile.here() == 1;
#pragma unroll
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        bool open = fresh(&graph.residual[direction][cell]) > 0;
        any |= open;
        lower |= open && tile.here() == tile.beside(direction) + 1;
    }
    return any ? lower : 2;
}

template <Version VERSION>
static __device__ __forceinline__ void push(const Graph &graph, const int *height) {
    __shared__ Tile tile;
    int cell = cell_of_thread(graph);
    tile.load(height, graph, cell);
    push_once<VERSION>(graph, tile, cell);
    __syncthreads();
    graph.mask[cell] = mask_of(graph, tile, cell);
    __syncthreads();
    push_once<VERSION>(graph, tile, cell);
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

extern "C" __global__ void cc_relabel(Graph graph, const int *height, int *new_height) {
    __shared__ Tile tile;
    int cell = cell_of_thread(graph);
    tile.load(height, graph, cell);
    graph.mask[cell] = mask_of(graph, tile, cell);
    __syncthreads();
    int lowest = 0;
    if (graph.sink[cell] <= 0) {
        lowest = graph.cells;
#pragma unroll
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            if (graph.residual[direction][cell] > 0) {
                lowest = min(lowest, tile.beside(direction));
            }
        }
    }
    new_height[cell] = lowest + 1;
}

// The search: labels are distances from a pixel with excess, from 1; 0 is not reached.
extern "C" __global__ void cc_label_excess(Graph graph, int *label) {
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (graph.excess[cell] > 0) {
        label[cell] = 1;
    }
}

extern "C" __global__ void cc_label_next(Graph graph, int *label, int reached, int *more) {
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (label[cell] != 0 || cell < graph.columns || cell >= graph.cells - graph.columns) {
        return;
    }
    const int steps[DIRECTIONS] = {-1, 1, -graph.columns, graph.columns};
    bool found = false;
#pragma unroll
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        int from = cell - steps[direction];
        found |= label[from] == reached && graph.residual[direction][from] > 0;
    }
    if (found) {
        label[cell] = reached + 1;
        *more = 1;
    }
}

// ---- the problem ----

struct Problem {
    std::vector<int> residual[DIRECTIONS], sink, excess;
};

// An image with smooth regions: bright discs with soft edges on a dark ground, under a texture of noise that is
// smoothed over a window, in levels 0 to 255. In the authors' public input, too, the cost of a label varies over a few
// pixels, and the weight of a link is near the difference of a pixel's two costs. Contrast and texture, and the
// weights below, are chosen so that 200 x 150 pixels and the default seed come near the paper's Table 2: 116 thousand
// critical sections, 1.53 words read and written by each on average, 132 million instructions (paper: 114677, 1.4 and
// 1.4, 104 million).
static const int DISCS = 2;
static const float GROUND = 80, DISC = 130, TEXTURE = 30;
static const int WINDOW = 2;    // pixels to each side of the one in its middle
static const float EDGE = 0.4f; // half the width of a disc's edge, of its radius

static float normal(Lcg &random) { // the sum of 12 uniform numbers
    float sum = -6;
    for (int i = 0; i < 12; i++) {
        sum += random.unit();
    }
    return sum;
}

// Noise with a deviation of one: sums over a window of independent noise.
static std::vector<float> make_texture(const Shape &shape, Lcg &random) {
    std::vector<float> noise(shape.cells()), texture(shape.cells(), 0);
    for (float &level : noise) {
        level = normal(random);
    }
    for (int y = 0; y < shape.height; y++) {
        for (int x = 0; x < shape.width; x++) {
            float sum = 0;
            int pixels = 0;
            for (int v = std::max(0, y - WINDOW); v <= std::min(shape.height - 1, y + WINDOW); v++) {
                for (int u = std::max(0, x - WINDOW); u <= std::min(shape.width - 1, x + WINDOW); u++) {
                    sum += noise[shape.cell(u, v)];
                    pixels++;
                }
            }
            texture[shape.cell(x, y)] = sum / std::sqrt((float)pixels);
        }
    }
    return texture;
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
    std::vector<float> texture = make_texture(shape, random);
    for (int cell = 0; cell < shape.cells(); cell++) {
        image[cell] = std::fmin(255, std::fmax(0, image[cell] + TEXTURE * texture[cell]));
    }
    return image;
}

// Weights as usual (Boykov and Jolly, ICCV 2001): the distances to the labels' levels, and links between neighbours
// that are weak where the levels differ.
static const float LINK_WEIGHT = 13, LINK_CONTRAST = 20;

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
    int *height, *new_height, *label, *more;
    int iterations;
};

static Problem result_of(const Run &run) {
    Problem result;
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        result.residual[direction] = to_host(run.graph.residual[direction], run.shape.cells());
    }
    result.sink = to_host(run.graph.sink, run.shape.cells());
    result.excess = to_host(run.graph.excess, run.shape.cells());
    return result;
}

static void push_and_relabel(Run *run, dim3 grid, dim3 block) {
    void (*const kernels[])(Graph, const int *) = {cc_push_tm, cc_push_fgl, cc_push_lock};
    kernels[run->version]<<<grid, block>>>(run->graph, run->height);
    CHECK_KERNEL();
    cc_relabel<<<grid, block>>>(run->graph, run->height, run->new_height);
    CHECK_KERNEL();
    std::swap(run->height, run->new_height);
    run->iterations++;
}

static void label_object(Run *run, int grid, int block) {
    cc_label_excess<<<grid, block>>>(run->graph, run->label);
    CHECK_KERNEL();
    int more = 1;
    for (int reached = 1; more; reached++) {
        CHECK(cudaMemset(run->more, 0, sizeof(int)));
        cc_label_next<<<grid, block>>>(run->graph, run->label, reached, run->more);
        CHECK_KERNEL();
        more = to_host(run->more, 1)[0];
    }
}

static void segment(Run *run) {
    dim3 grid(run->shape.columns / TILE_X, run->shape.rows / TILE_Y), block(TILE_X, TILE_Y);
    do {
        for (int i = 0; i < LOOK_EVERY; i++) {
            push_and_relabel(run, grid, block);
        }
    } while (run->iterations < LEAST_ITERATIONS || Dinic(run->shape, result_of(*run)).find_levels());
    label_object(run, run->shape.cells() / (TILE_X * TILE_Y), TILE_X * TILE_Y);
}

static Run prepare(const Shape &shape, Version version, const Problem &problem) {
    Run run = {shape, version, {}, nullptr, nullptr, nullptr, nullptr, 0};
    size_t cells = shape.cells();
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        run.graph.residual[direction] = region_of(problem.residual[direction]);
        run.graph.pull[direction] = region_of_zeros<int>(cells);
    }
    run.graph.sink = to_device(problem.sink);
    run.graph.excess = region_of(problem.excess);
    run.graph.mask = device_zeros<int>(cells);
    run.graph.lock = device_zeros<int>(1);
    run.graph.columns = shape.columns;
    run.graph.cells = shape.cells();
    run.height = to_device(std::vector<int>(cells, 1));
    run.new_height = device_zeros<int>(cells);
    run.label = device_zeros<int>(cells);
    run.more = device_zeros<int>(1);
    return run;
}

// ---- checks ----

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

// Pushes that found nothing to push.
static long refused(const Run &run) {
    long refused = 0;
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        for (int pull : to_host(run.graph.pull[direction], run.shape.cells())) {
            refused -= pull;
        }
    }
    return refused;
}

// The capacity of the cut around the labelled pixels; counts these.
static long cut_capacity(const Run &run, const Problem &problem, int *labelled) {
    std::vector<int> label = to_host(run.label, run.shape.cells());
    long capacity = 0;
    for (int cell = 0; cell < run.shape.cells(); cell++) {
        *labelled += label[cell] != 0;
        capacity += label[cell] ? problem.sink[cell] : problem.excess[cell];
        for (int direction = 0; label[cell] && direction < DIRECTIONS; direction++) {
            if (problem.residual[direction][cell] > 0 && !label[cell + run.shape.step(direction)]) {
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
    printf("CC: %ld refused pushes, %d iterations, flow %ld, %d of %d x %d pixels in the object, %d x %d threads, "
           "version %s\n",
           refused(run), run.iterations, flow, object, shape.width, shape.height, shape.cells() / (TILE_X * TILE_Y),
           TILE_X * TILE_Y, VERSION_NAMES[options.version]);
    return pass();
}
