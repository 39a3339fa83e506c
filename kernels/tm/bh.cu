// Barnes-Hut tree building (BH of the KILO TM paper, MICRO 2011, section 5, after Burtscher and Pingali, An Efficient
// CUDA Implementation of the Tree-Based Barnes Hut n-Body Algorithm, GPU Computing Gems 2011): threads insert bodies
// into a shared octree. Each level of the descent is a separate small critical section, which reads a cell's centre and
// one of its children. The last one reads the slot at the end of the path again: if another thread has stored a cell
// there, it descends further; if the slot is empty, it stores the body; if the slot holds another body, a new cell with
// that body replaces it, and the descent continues from the new cell. A barrier of the block follows every attempt.
// New cells are allocated from a pool by an atomic decrement that an abort does not roll back: such cells stay unused.
// The eight cells below the root exist from the beginning, as in the authors' public program.
// With fine-grained locks a child slot that holds LOCKED is locked, the descent reads without locks, and all cells
// that are needed to separate two bodies are built before one store publishes them. The version `acquire` is the same
// with loads of children that acquire, as PTX's memory model asks: without them, the fields of a new cell may be old.
// Checked: the tree is the one that a sequential build gives, which does not depend on the order of the bodies.
// args: --version fgl
// args: --version lock --size 400
// also: --timing --config gtx480-sc -- --version acquire
#define PROGRAM "bh"
#include "../bench/tm_bench.h"

static const int BLOCK = 288, PAPER_BLOCKS = 60, PAPER_BODIES = 30000, QUICK_BODIES = 600;
static const int EMPTY = -1, LOCKED = -2;
static const char *const VERSIONS[] = {"tm", "fgl", "lock", "acquire", nullptr};

// Nodes are bodies up to the number of bodies and cells from the root, the last one, downward.
struct Tree {
    float *x, *y, *z; // of a body, or of the centre of a cell
    int *child;       // eight of each node: EMPTY, LOCKED, or a node
    float *mass;      // of a cell: -1, to be computed by the kernel that follows
    int *start;       // of a cell: -1, likewise
    int *bottom;      // the cell taken last from the pool
    int *exhausted;   // set when the pool is empty
    int *lock;
    int bodies, root;
    float radius; // half the edge of the root
};

// The position of a thread's body in the tree: a cell and one of its children.
struct Place {
    int body;
    float x, y, z;
    int cell, octant;
    float half; // half the edge of the cell
};

// Reads of the tree: plain loads inside critical sections, volatile ones outside.
struct Plain {
    template <typename T>
    static __device__ __forceinline__ T load(const T *from) {
        return *from;
    }
};

struct Fresh {
    template <typename T>
    static __device__ __forceinline__ T load(const T *from) {
        return fresh(from);
    }
};

// A child is loaded with acquire semantics, which orders the loads of what it points to after it.
struct Acquiring {
    static __device__ __forceinline__ int load(const int *from) {
        int value;
        asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
        return value;
    }
    static __device__ __forceinline__ float load(const float *from) { return fresh(from); }
};

static __host__ __device__ inline int octant_of(float x, float y, float z, float cx, float cy, float cz) {
    return (cx < x ? 1 : 0) | (cy < y ? 2 : 0) | (cz < z ? 4 : 0);
}

template <typename Reads>
static __device__ __forceinline__ int child_towards(const Tree &tree, Place &at) {
    at.octant = octant_of(at.x, at.y, at.z, Reads::load(&tree.x[at.cell]), Reads::load(&tree.y[at.cell]),
                          Reads::load(&tree.z[at.cell]));
    return Reads::load(&tree.child[at.cell * 8 + at.octant]);
}

static __device__ __forceinline__ void go_down(Place &at, int cell) {
    at.cell = cell;
    at.half *= 0.5f;
}

static __device__ __forceinline__ Place place_at_root(const Tree &tree, int body) {
    return {body, tree.x[body], tree.y[body], tree.z[body], tree.root, 0, tree.radius};
}

// Allocates a cell from the pool; a body's number means that the pool is empty.
static __device__ __forceinline__ int take_cell(const Tree &tree) {
    int cell = atomicSub(tree.bottom, 1) - 1;
    if (cell < tree.bodies) {
        *tree.exhausted = 1;
    }
    return cell;
}

// Makes `cell` the child where the place is, with `body` in it.
static __device__ __forceinline__ void make_cell(const Tree &tree, const Place &at, int cell, int body) {
    float step = at.half * 0.5f;
    float x = tree.x[at.cell] + (at.octant & 1 ? step : -step);
    float y = tree.y[at.cell] + (at.octant & 2 ? step : -step);
    float z = tree.z[at.cell] + (at.octant & 4 ? step : -step);
    tree.x[cell] = x;
    tree.y[cell] = y;
    tree.z[cell] = z;
    tree.mass[cell] = -1;
    tree.start[cell] = -1;
    int octant = octant_of(tree.x[body], tree.y[body], tree.z[body], x, y, z);
#pragma unroll
    for (int k = 0; k < 8; k++) {
        tree.child[cell * 8 + k] = k == octant ? body : EMPTY;
    }
}

// The last critical section of an attempt. Returns true when the body is in the tree, or can never be.
static __device__ __forceinline__ bool insert(const Tree &tree, Place &at) {
    int *slot = &tree.child[at.cell * 8 + at.octant], found = *slot;
    while (found >= tree.bodies) {
        go_down(at, found);
        found = child_towards<Plain>(tree, at);
        slot = &tree.child[at.cell * 8 + at.octant];
    }
    if (found == EMPTY) {
        *slot = at.body;
        return true;
    }
    int cell = take_cell(tree);
    if (cell < tree.bodies) {
        return true;
    }
    make_cell(tree, at, cell, found);
    *slot = cell;
    go_down(at, cell);
    return false;
}

// One attempt; `atomically` executes its critical sections.
template <typename Atomically>
static __device__ __forceinline__ bool attempt(const Tree &tree, Place &at, Atomically atomically) {
    int found;
    atomically([&] { found = child_towards<Plain>(tree, at); });
    while (found >= tree.bodies) {
        go_down(at, found);
        atomically([&] { found = child_towards<Plain>(tree, at); });
    }
    bool placed;
    atomically([&] { placed = insert(tree, at); });
    return placed;
}

// Builds the cells that separate this body from the body `found` in the same slot, not yet published; returns the root.
static __device__ __forceinline__ int part_bodies(const Tree &tree, Place at, int found) {
    int highest = EMPTY;
    do {
        int cell = take_cell(tree);
        if (cell < tree.bodies) {
            return highest == EMPTY ? found : highest;
        }
        make_cell(tree, at, cell, found);
        if (highest == EMPTY) {
            highest = cell;
        } else {
            tree.child[at.cell * 8 + at.octant] = cell;
        }
        go_down(at, cell);
        found = child_towards<Plain>(tree, at);
    } while (found != EMPTY);
    tree.child[at.cell * 8 + at.octant] = at.body;
    return highest;
}

// One attempt with fine-grained locks. It does not wait: a thread that fails tries again after the barrier.
template <typename Reads>
static __device__ __forceinline__ bool attempt_locked(const Tree &tree, Place &at) {
    int found = child_towards<Reads>(tree, at);
    while (found >= tree.bodies) {
        go_down(at, found);
        found = child_towards<Reads>(tree, at);
    }
    if (found == LOCKED) {
        return false;
    }
    int *slot = &tree.child[at.cell * 8 + at.octant];
    bool placed = atomicCAS(slot, found, LOCKED) == found;
    if (placed) {
        int now = at.body;
        if (found != EMPTY) {
            now = part_bodies(tree, at, found);
            __threadfence();
        }
        *(volatile int *)slot = now;
    }
    return placed;
}

// Every thread inserts bodies one after the other; the block continues as long as one of its threads has a body left.
template <typename Attempt>
static __device__ __forceinline__ void build(const Tree &tree, Attempt attempt) {
    int body = blockIdx.x * blockDim.x + threadIdx.x, threads = blockDim.x * gridDim.x;
    bool more = body < tree.bodies;
    Place at = place_at_root(tree, more ? body : 0);
    while (__syncthreads_or(more)) {
        if (more && attempt(at)) {
            body += threads;
            more = body < tree.bodies;
            at = place_at_root(tree, more ? body : 0);
        }
    }
}

extern "C" __global__ void bh_tm(Tree tree) {
    build(tree, [&](Place &at) { return attempt(tree, at, [](auto body) { as_transaction(body); }); });
}

extern "C" __global__ void bh_fgl(Tree tree) {
    build(tree, [&](Place &at) { return attempt_locked<Fresh>(tree, at); });
}

extern "C" __global__ void bh_lock(Tree tree) {
    build(tree, [&](Place &at) { return attempt(tree, at, [&](auto body) { under_lock(tree.lock, body); }); });
}

extern "C" __global__ void bh_acquire(Tree tree) {
    build(tree, [&](Place &at) { return attempt_locked<Acquiring>(tree, at); });
}

// The tree on the host, with the same rounding.
struct HostTree {
    std::vector<float> x, y, z;
    std::vector<int> child;
    int bodies, root, bottom;
    float radius;
};

// Bodies by Plummer's model of a star cluster, without velocities.
static void place_bodies(Lcg &random, HostTree &tree) {
    for (int i = 0; i < tree.bodies; i++) {
        double r = 1 / std::sqrt(std::pow(0.999 * random.unit() + 1e-7, -2.0 / 3) - 1), x, y, z, square;
        do {
            x = random.between(-1, 1);
            y = random.between(-1, 1);
            z = random.between(-1, 1);
            square = x * x + y * y + z * z;
        } while (square > 1 || square == 0);
        tree.x[i] = (float)(r * x / std::sqrt(square));
        tree.y[i] = (float)(r * y / std::sqrt(square));
        tree.z[i] = (float)(r * z / std::sqrt(square));
    }
}

static void place_root(HostTree &tree) {
    float centre[3], edge = 0;
    std::vector<float> *const axes[3] = {&tree.x, &tree.y, &tree.z};
    for (int k = 0; k < 3; k++) {
        auto ends = std::minmax_element(axes[k]->begin(), axes[k]->begin() + tree.bodies);
        centre[k] = (*ends.first + *ends.second) * 0.5f;
        edge = std::max(edge, *ends.second - *ends.first);
    }
    for (int k = 0; k < 3; k++) {
        (*axes[k])[tree.root] = centre[k];
    }
    tree.radius = edge * 0.5f;
}

// Takes a cell from the pool and makes it the child of `cell` in an octant; `half` is half the edge of the new cell.
static int host_cell(HostTree &tree, int cell, int octant, float half) {
    int made = --tree.bottom;
    tree.x[made] = tree.x[cell] + (octant & 1 ? half : -half);
    tree.y[made] = tree.y[cell] + (octant & 2 ? half : -half);
    tree.z[made] = tree.z[cell] + (octant & 4 ? half : -half);
    tree.child[cell * 8 + octant] = made;
    return made;
}

// Ten nodes for each body, cells among them, as in the original.
static HostTree empty_tree(Lcg &random, int bodies) {
    int nodes = (std::max(bodies * 10, 1024) + 31) / 32 * 32;
    HostTree tree;
    tree.bodies = bodies;
    tree.root = tree.bottom = nodes - 1;
    tree.x.resize(nodes);
    tree.y.resize(nodes);
    tree.z.resize(nodes);
    tree.child.assign((size_t)nodes * 8, EMPTY);
    place_bodies(random, tree);
    place_root(tree);
    for (int octant = 0; octant < 8; octant++) {
        host_cell(tree, tree.root, octant, tree.radius * 0.5f);
    }
    return tree;
}

static int host_octant(const HostTree &tree, int body, int cell) {
    return octant_of(tree.x[body], tree.y[body], tree.z[body], tree.x[cell], tree.y[cell], tree.z[cell]);
}

static void host_insert(HostTree &tree, int body) {
    int cell = tree.root, slot = cell * 8 + host_octant(tree, body, cell);
    float half = tree.radius;
    while (tree.child[slot] != EMPTY) {
        int found = tree.child[slot];
        half *= 0.5f;
        if (found < tree.bodies) {
            expect_true("bodies are far enough from each other", body, tree.bottom > tree.bodies);
            int made = host_cell(tree, cell, slot - cell * 8, half);
            tree.child[made * 8 + host_octant(tree, found, made)] = found;
        }
        cell = tree.child[slot];
        slot = cell * 8 + host_octant(tree, body, cell);
    }
    tree.child[slot] = body;
}

// Cells of the device's tree that the walk has met.
struct Walk {
    std::vector<char> met;
    std::vector<float> mass;
    std::vector<int> start;
    int cells;
};

// The subtree below cell `a` of the sequential tree must be that below cell `b` of the device's.
static void compare(const HostTree &expected, const HostTree &got, int a, int b, Walk &walk) {
    expect_equal("times that a cell is reached", b, 0, (int)walk.met[b]);
    walk.met[b] = 1;
    walk.cells++;
    expect_equal("x of a cell", b, expected.x[a], got.x[b]);
    expect_equal("y of a cell", b, expected.y[a], got.y[b]);
    expect_equal("z of a cell", b, expected.z[a], got.z[b]);
    expect_equal("mass of a cell", b, -1.0f, walk.mass[b]);
    expect_equal("start of a cell", b, -1, walk.start[b]);
    for (int k = 0; k < 8; k++) {
        int left = expected.child[a * 8 + k], right = got.child[b * 8 + k];
        if (left < expected.bodies) {
            expect_equal("child of a cell", b * 8 + k, left, right);
        } else {
            expect_true("a child is a cell", b * 8 + k, right >= got.bodies && right <= got.root);
            compare(expected, got, left, right, walk);
        }
    }
}

static void check_tree(const Tree &tree, const HostTree &start) {
    expect_equal("empty pool of cells", 0, 0, to_host(tree.exhausted, 1)[0]);
    HostTree expected = start, got = start;
    for (int body = 0; body < start.bodies; body++) {
        host_insert(expected, body);
    }
    size_t nodes = start.x.size();
    got.x = to_host(tree.x, nodes);
    got.y = to_host(tree.y, nodes);
    got.z = to_host(tree.z, nodes);
    got.child = to_host(tree.child, nodes * 8);
    Walk walk = {std::vector<char>(nodes, 0), to_host(tree.mass, nodes), to_host(tree.start, nodes), 0};
    compare(expected, got, start.root, start.root, walk);
    expect_equal("cells in the tree", 0, start.root - expected.bottom + 1, walk.cells);
}

int main(int argc, char **argv) {
    BenchOptions options =
        bench_options(argc, argv, {"bodies", QUICK_BODIES, PAPER_BODIES, 1, 1 << 20}, 7, {}, VERSIONS);
    Lcg random(options.seed);
    HostTree start = empty_tree(random, options.size);
    size_t nodes = start.x.size();
    Tree tree = {region_of(start.x), region_of(start.y), region_of(start.z), region_of(start.child),
                 region_of(std::vector<float>(nodes, -1.0f)), region_of(std::vector<int>(nodes, -1)),
                 to_device(std::vector<int>(1, start.bottom)), region_of_zeros<int>(1), device_zeros<int>(1),
                 start.bodies, start.root, start.radius};

    void (*const kernels[])(Tree) = {bh_tm, bh_fgl, bh_lock, bh_acquire};
    int blocks = std::min(PAPER_BLOCKS, blocks_for(options.size * PAPER_BLOCKS, PAPER_BODIES));
    kernels[options.version]<<<blocks, BLOCK>>>(tree);
    CHECK_KERNEL();

    check_tree(tree, start);
    int taken = start.root - to_host(tree.bottom, 1)[0];
    printf("BH: %d bodies, %d x %d threads, %d cells taken, version %s\n", options.size, blocks, BLOCK, taken,
           VERSIONS[options.version]);
    return pass();
}
