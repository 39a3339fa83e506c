// Graph cut (GraphCut 1 and 2): Karger's contraction of a random connected graph, shared by all threads, until two
// super-vertices are left. The members of a super-vertex are a list that begins with the vertex that names it. A thread
// draws an edge, each in an order of its own, and passes over it if it is inside a super-vertex already. Otherwise a
// transaction looks up the super-vertices of its ends, walks to the tail of one list, appends the other, and labels the
// members of that. The shorter list is appended, or that of the edge's second end if it is no longer than `--append`.
// Nobody counts the super-vertices that are left: the contractions are shared out among the threads beforehand.
// Fine-grained locks: of both super-vertices; lists, labels and sizes belong to the lock of the vertex that names them.
// Checked: two super-vertices, whose lists are a partition of the vertices with the right labels and sizes; both are
// connected; their cut is no smaller than the minimum, found by Stoer and Wagner's algorithm.
// args: --version fgl
// args: --version lock
// args: --input 1 --version fgl
#define PROGRAM "graph_cut"
#include "si_bench.h"

#include <set>

static const int NONE = -1;

struct Vertex {
    int super, next, size; // size: of the super-vertex that it names
};

struct Edge {
    int first, second;
};

struct Cut {
    volatile Vertex *vertices;
    const Edge *edges;
    const int *orders; // in which each thread draws the edges
    int edge_count, threads, contractions, append;
    int *locks; // one for each vertex
    int *lock;
    int *tries; // of each thread: edges that it has tried to contract
};

// Follows the labels to the vertex that names the super-vertex: the one whose label is its own number. A contraction
// labels all members anew, so the first label leads there, and the chase reads one label more to know it.
static __device__ __forceinline__ int super_of(volatile Vertex *vertices, int vertex) {
    int super = vertices[vertex].super;
    while (vertices[super].super != super) {
        super = vertices[super].super;
    }
    return super;
}

static __device__ __forceinline__ int tail_of(volatile Vertex *vertices, int super) {
    int at = super;
    while (vertices[at].next != NONE) {
        at = vertices[at].next;
    }
    return at;
}

static __device__ __forceinline__ void label(volatile Vertex *vertices, int member, int super) {
    for (; member != NONE; member = vertices[member].next) {
        vertices[member].super = super;
    }
}

static __device__ __forceinline__ void merge(const Cut &cut, int into, int from) {
    volatile Vertex *vertices = cut.vertices;
    if (vertices[from].size > vertices[into].size && vertices[from].size > cut.append) {
        int other = into;
        into = from;
        from = other;
    }
    label(vertices, from, into);
    vertices[tail_of(vertices, into)].next = from;
    vertices[into].size = vertices[into].size + vertices[from].size;
}

// Returns whether the ends of the edge were in different super-vertices.
static __device__ __forceinline__ bool contract(const Cut &cut, Edge edge) {
    int first = super_of(cut.vertices, edge.first), second = super_of(cut.vertices, edge.second);
    if (first != second) {
        merge(cut, first, second);
    }
    return first != second;
}

// Draws edges until this thread has done its share of the contractions. The threads of a warp wait until each has drawn
// an edge between two super-vertices. `step` returns whether it has contracted the edge.
template <typename Step>
static __device__ __forceinline__ void for_each_edge(const Cut &cut, Step step) {
    int thread = thread_number();
    if (thread >= cut.threads) {
        return;
    }
    const int *order = cut.orders + thread * cut.edge_count;
    int left = cut.contractions / cut.threads + (thread < cut.contractions % cut.threads), tries = 0, i = -1;
    for (; left > 0; tries++) {
        Edge edge;
        do {
            i = i + 1 < cut.edge_count ? i + 1 : 0;
            edge = cut.edges[order[i]];
        } while (cut.vertices[edge.first].super == cut.vertices[edge.second].super);
        left -= step(edge);
    }
    cut.tries[thread] = tries;
}

extern "C" __global__ void graph_cut_tm(Cut cut) {
    for_each_edge(cut, [&](Edge edge) {
        bool contracted;
        as_transaction([&] { contracted = contract(cut, edge); });
        return contracted;
    });
}

// Contracts the edge if both locks are free, and names of super-vertices are what they were. Returns whether it has.
static __device__ __forceinline__ bool try_contract(const Cut &cut, Edge edge, int first, int second) {
    bool contracted = false;
    try_two_locks<GpuScope>(&cut.locks[min(first, second)], &cut.locks[max(first, second)], [&] {
        if (cut.vertices[edge.first].super == first && cut.vertices[edge.second].super == second) {
            merge(cut, first, second);
            contracted = true;
        }
    });
    return contracted;
}

extern "C" __global__ void graph_cut_fgl(Cut cut) {
    for_each_edge(cut, [&](Edge edge) {
        bool contracted = false;
        int done = 0;
        simtx_lock_begin();
        while (!done) {
            int first = cut.vertices[edge.first].super, second = cut.vertices[edge.second].super;
            contracted = first != second && try_contract(cut, edge, first, second);
            done = contracted || first == second;
            SIMTX_LOCK_DONE(done);
        }
        simtx_lock_end();
        return contracted;
    });
}

extern "C" __global__ void graph_cut_lock(Cut cut) {
    for_each_edge(cut, [&](Edge edge) {
        bool contracted = false;
        under_lock(cut.lock, [&] { contracted = contract(cut, edge); });
        return contracted;
    });
}

// A random tree, and random edges besides, none twice.
static std::vector<Edge> random_edges(Lcg &random, int vertices, int count) {
    std::set<std::pair<int, int>> edges;
    std::vector<int> order = shuffled(random, vertices);
    for (int i = 1; i < vertices; i++) {
        edges.insert(std::minmax(order[i], order[random.below(i)]));
    }
    while ((int)edges.size() < count) {
        int a = (int)random.below(vertices), b = (int)random.below(vertices - 1);
        edges.insert(std::minmax(a, b + (b >= a)));
    }
    std::vector<Edge> drawn;
    for (const std::pair<const int, int> &edge : edges) {
        bool turned = random.below(2);
        drawn.push_back(turned ? Edge{edge.second, edge.first} : Edge{edge.first, edge.second});
    }
    return drawn;
}

static std::vector<int> random_orders(Lcg &random, int edges, int threads) {
    std::vector<int> orders;
    for (int i = 0; i < threads; i++) {
        std::vector<int> order = shuffled(random, edges);
        orders.insert(orders.end(), order.begin(), order.end());
    }
    return orders;
}

typedef std::vector<std::vector<int>> Weights; // of the edges between two vertices

// Orders the vertices, each time that with the most edges to those before. Returns the edges of the last.
static int order_by_edges(const Weights &weights, std::vector<int> rest, std::vector<int> *order) {
    std::vector<int> to_order(weights.size(), 0);
    order->clear();
    while (!rest.empty()) {
        auto next = std::max_element(rest.begin(), rest.end(), [&](int a, int b) { return to_order[a] < to_order[b]; });
        order->push_back(*next);
        rest.erase(next);
        for (int other : rest) {
            to_order[other] += weights[order->back()][other];
        }
    }
    return to_order[order->back()];
}

// The size of the minimum cut (Stoer and Wagner): the last vertex of an order against the rest is the least cut that
// separates it from the one before; then the two become one.
static int minimum_cut(int vertices, const std::vector<Edge> &edges) {
    Weights weights(vertices, std::vector<int>(vertices, 0));
    for (const Edge &edge : edges) {
        weights[edge.first][edge.second]++;
        weights[edge.second][edge.first]++;
    }
    std::vector<int> left(vertices), order;
    std::iota(left.begin(), left.end(), 0);
    int least = (int)edges.size();
    while (left.size() > 1) {
        least = std::min(least, order_by_edges(weights, left, &order));
        int last = order.back(), before = order[order.size() - 2];
        for (int other : left) {
            weights[before][other] += weights[last][other];
            weights[other][before] = weights[before][other];
        }
        left.erase(std::find(left.begin(), left.end(), last));
    }
    return least;
}

// Follows the list of a super-vertex, which marks its members. Returns their number.
static int check_members(const std::vector<Vertex> &vertices, int super, std::vector<int> &seen) {
    int count = 0;
    for (int at = super; at != NONE; at = vertices[at].next) {
        expect_true("a link leads to a vertex", super, at >= 0 && at < (int)vertices.size());
        expect_equal("times that a vertex is in a list", at, 1, ++seen[at]);
        expect_equal("super-vertex of a member", at, super, vertices[at].super);
        count++;
    }
    expect_equal("size of a super-vertex", super, count, vertices[super].size);
    return count;
}

// Members that can be reached from the first along edges inside the super-vertex.
static int connected_to(int super, const std::vector<Vertex> &vertices, const std::vector<Edge> &edges) {
    std::vector<int> reached(vertices.size(), 0);
    int count = reached[super] = 1;
    for (bool more = true; more;) {
        more = false;
        for (const Edge &edge : edges) {
            bool inside = vertices[edge.first].super == super && vertices[edge.second].super == super;
            if (inside && reached[edge.first] != reached[edge.second]) {
                reached[edge.first] = reached[edge.second] = 1;
                more = true;
                count++;
            }
        }
    }
    return count;
}

static void check_cut(const std::vector<Vertex> &vertices, const std::vector<Edge> &edges) {
    std::vector<int> seen(vertices.size(), 0);
    int supers = 0, size = 0;
    for (int i = 0; i < (int)vertices.size(); i++) {
        if (vertices[i].super == i) {
            supers++;
            expect_equal("members that are connected", i, check_members(vertices, i, seen),
                         connected_to(i, vertices, edges));
        }
    }
    expect_equal("super-vertices", -1, 2, supers);
    expect_same("times that a vertex is in a list", std::vector<int>(seen.size(), 1), seen);
    for (const Edge &edge : edges) {
        size += vertices[edge.first].super != vertices[edge.second].super;
    }
    int minimum = minimum_cut((int)vertices.size(), edges);
    expect_true("a cut is no smaller than the minimum", size, size >= minimum);
    printf("cut of %d edges, minimum %d\n", size, minimum);
}

struct Sizes {
    int vertices, edges, threads, append, placement;
};

static Sizes read_sizes(int argc, char **argv, BenchOptions *options) {
    static const Sizes INPUTS[] = {{24, 60, 16, 0, 0}, {60, 180, 32, 0, 0}, {90, 270, 32, 46, 0}};
    int input = 0;
    Sizes sizes = {0, 0, 0, -1, 0};
    *options = bench_options(
        argc, argv, {}, 2017,
        {input_option(&input),
         {"vertices", "instead of the input's", &sizes.vertices, nullptr, 3, 1 << 12},
         {"edges", "instead of the input's", &sizes.edges, nullptr, 2, 1 << 16},
         {"threads", "instead of the input's", &sizes.threads, nullptr, 1, 1 << 12},
         {"append", "members of a list that is appended though it be the longer", &sizes.append, nullptr, 0, 1 << 12},
         placement_option(&sizes.placement)});
    const Sizes &published = INPUTS[input];
    sizes.vertices = sizes.vertices ? sizes.vertices : published.vertices;
    sizes.edges = std::min(std::max(sizes.edges ? sizes.edges : published.edges, sizes.vertices - 1),
                           sizes.vertices * (sizes.vertices - 1) / 2);
    sizes.threads = sizes.threads ? sizes.threads : published.threads;
    sizes.append = sizes.append >= 0 ? sizes.append : published.append;
    return sizes;
}

static std::vector<Vertex> single_vertices(int count) {
    std::vector<Vertex> vertices;
    for (int i = 0; i < count; i++) {
        vertices.push_back({i, NONE, 1});
    }
    return vertices;
}

int main(int argc, char **argv) {
    BenchOptions options;
    Sizes sizes = read_sizes(argc, argv, &options);
    Lcg random(options.seed);
    std::vector<Edge> edges = random_edges(random, sizes.vertices, sizes.edges);
    Cut cut = {region_of(single_vertices(sizes.vertices)), to_device(edges),
               to_device(random_orders(random, sizes.edges, sizes.threads)), sizes.edges, sizes.threads,
               sizes.vertices - 2, sizes.append, device_zeros<int>(sizes.vertices), device_zeros<int>(1),
               device_zeros<int>(sizes.threads)};

    void (*const kernels[])(Cut) = {graph_cut_tm, graph_cut_fgl, graph_cut_lock};
    Geometry launch = geometry(sizes.threads, sizes.placement);
    kernels[options.version]<<<launch.blocks, launch.block>>>(cut);
    CHECK_KERNEL();

    check_cut(region_to_host(cut.vertices, sizes.vertices), edges);
    expect_same("locks", std::vector<int>(sizes.vertices, 0), to_host(cut.locks, sizes.vertices));
    std::vector<int> tries = to_host(cut.tries, sizes.threads);
    printf("Graph cut: %d transactions, %d x %d threads, %d vertices, %d edges, version %s\n",
           std::accumulate(tries.begin(), tries.end(), 0), launch.blocks, launch.block, sizes.vertices, sizes.edges,
           VERSION_NAMES[options.version]);
    return pass();
}
