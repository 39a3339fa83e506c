// boruvka_mst: graph algorithms. Minimum spanning forest by Boruvka rounds over an edge list in CSR form:
// the cheapest outgoing edge of a component by 64-bit atomicMin, hooking with cycle breaking, pointer
// jumping, and a triangle count and a greedy independent set on the same graph.
// Exercises: 64-bit atomicMin on packed keys, irregular loops over neighbours, warp-per-vertex and thread-
// per-vertex mappings, managed memory flags read by the host between launches, binary search, warp
// reductions, volatile loads.
// Checked against Kruskal's algorithm, a bitset triangle count, and the definition of a maximal independent
// set.
#include "../app.h"

#include <numeric>

typedef unsigned long long u64;

static const u64 NO_EDGE = ~0ull;

struct Edge {
    int a, b;
    unsigned weight;
};

struct Graph { // each undirected edge appears twice; neighbours are sorted
    int vertices;
    const int *first, *to, *edge;
};

__global__ void reset_kernel(u64 *best, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        best[v] = NO_EDGE;
}

// A warp a vertex: the lightest edge that leaves the component; the edge number makes all keys different.
__global__ void cheapest_kernel(Graph g, const int *component, const unsigned *weight, u64 *best)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= g.vertices)
        return;
    u64 mine = NO_EDGE;
    for (int i = g.first[v] + lane; i < g.first[v + 1]; i += 32)
        if (component[g.to[i]] != component[v])
            mine = min(mine, (u64)weight[g.edge[i]] << 32 | (unsigned)g.edge[i]);
    for (int d = 16; d > 0; d /= 2)
        mine = min(mine, __shfl_xor_sync(0xffffffffu, mine, d));
    if (lane == 0 && mine != NO_EDGE)
        atomicMin(&best[component[v]], mine);
}

// Component roots hook onto the component at the other end; of two that chose the same edge the smaller stays
// root.
__global__ void hook_kernel(const Edge *edges, const int *component, const u64 *best, int *parent,
                            int *chosen, int *changed, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n || component[c] != c || best[c] == NO_EDGE)
        return;
    Edge e = edges[(unsigned)best[c]];
    int other = component[e.a] == c ? component[e.b] : component[e.a];
    if (best[other] == best[c] && c < other)
        return;
    parent[c] = other;
    chosen[(unsigned)best[c]] = 1;
    *changed = 1;
}

__global__ void jump_kernel(int *component, const int *parent, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int c = component[v];
    while (parent[c] != c)
        c = parent[c];
    component[v] = c;
}

__global__ void flatten_kernel(const int *component, int *parent, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        parent[v] = component[v];
}

__device__ bool adjacent(const Graph &g, int v, int w)
{
    int lo = g.first[v], hi = g.first[v + 1];
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (g.to[mid] < w)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < g.first[v + 1] && g.to[lo] == w;
}

// Triangles v < w < x found at v.
__global__ void triangle_kernel(Graph g, u64 *total)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned found = 0;
    if (v < g.vertices)
        for (int i = g.first[v]; i < g.first[v + 1]; i++)
            for (int j = i + 1; j < g.first[v + 1] && g.to[i] > v; j++)
                found += adjacent(g, g.to[i], g.to[j]);
    for (int d = 16; d > 0; d /= 2)
        found += __shfl_down_sync(0xffffffffu, found, d);
    if (threadIdx.x % 32 == 0 && found)
        atomicAdd(total, (u64)found);
}

__device__ unsigned priority(int v)
{
    unsigned h = v * 2654435761u;
    return h ^ (h >> 15);
}

enum State { UNDECIDED, IN, OUT };

// Luby-style round: a vertex enters when no undecided neighbour has a higher priority.
__global__ void select_kernel(Graph g, volatile int *state, int *undecided)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.vertices || state[v] != UNDECIDED)
        return;
    bool highest = true, beaten = false;
    for (int i = g.first[v]; i < g.first[v + 1]; i++) {
        int w = g.to[i], s = state[w];
        unsigned pv = priority(v), pw = priority(w);
        beaten = beaten || s == IN;
        if (s == UNDECIDED && (pw > pv || (pw == pv && w > v)))
            highest = false;
    }
    if (beaten)
        state[v] = OUT;
    else if (highest)
        state[v] = IN;
    else
        *undecided = 1;
}

static int find_root(std::vector<int> &parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

static std::vector<int> kruskal(int n, const std::vector<Edge> &edges)
{
    std::vector<int> order(edges.size()), parent(n), used(edges.size(), 0);
    std::iota(order.begin(), order.end(), 0);
    std::iota(parent.begin(), parent.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int x, int y) { return edges[x].weight < edges[y].weight; });
    for (int e : order) {
        int a = find_root(parent, edges[e].a), b = find_root(parent, edges[e].b);
        if (a != b) {
            parent[a] = b;
            used[e] = 1;
        }
    }
    return used;
}

static std::vector<Edge> random_graph(int n, app::Lcg &rng)
{
    std::vector<std::pair<int, int>> ends;
    for (int v = 0; v < n; v++) {
        for (int k = 0; k < 3; k++) // short edges make triangles; every 17th block of vertices stays apart
            ends.push_back(std::make_pair(v, v / 64 * 64 + (int)rng.below(64)));
        if (v / 64 % 17 != 5)
            ends.push_back(std::make_pair(v, (int)rng.below(n)));
    }
    for (int v = 1; v < n / 4; v++) // one hub
        ends.push_back(std::make_pair(0, v));
    std::vector<std::pair<int, int>> kept;
    for (std::pair<int, int> e : ends) {
        if (e.first > e.second)
            std::swap(e.first, e.second);
        if (e.first != e.second && e.second < n)
            kept.push_back(e);
    }
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    std::vector<Edge> edges;
    for (const std::pair<int, int> &e : kept)
        edges.push_back(Edge{e.first, e.second, rng.below(1000)}); // equal weights happen
    return edges;
}

int main(int argc, char **argv)
{
    int n = app::start(argc, argv, "boruvka_mst", 900, 64, 100000);
    app::Lcg rng(12);
    std::vector<Edge> edges = random_graph(n, rng);
    std::vector<std::vector<std::pair<int, int>>> lists(n);
    std::vector<unsigned> weight;
    for (int e = 0; e < (int)edges.size(); e++) {
        lists[edges[e].a].push_back(std::make_pair(edges[e].b, e));
        lists[edges[e].b].push_back(std::make_pair(edges[e].a, e));
        weight.push_back(edges[e].weight);
    }
    std::vector<int> first(1, 0), to, edge, identity(n);
    for (std::vector<std::pair<int, int>> &l : lists) {
        std::sort(l.begin(), l.end());
        for (const std::pair<int, int> &p : l) {
            to.push_back(p.first);
            edge.push_back(p.second);
        }
        first.push_back((int)to.size());
    }
    std::iota(identity.begin(), identity.end(), 0);

    app::Buffer<int> d_first(first), d_to(to), d_edge(edge), d_component(identity), d_parent(identity);
    app::Buffer<int> d_chosen(edges.size()), d_state(n);
    app::Buffer<unsigned> d_weight(weight);
    app::Buffer<Edge> d_edges(edges);
    app::Buffer<u64> d_best(n), d_triangles(1);
    d_chosen.fill(0);
    d_state.fill(0);
    d_triangles.fill(0);
    Graph g = {n, d_first.get(), d_to.get(), d_edge.get()};
    int *flag, blocks = app::blocks_for(n, 128), rounds = 0;
    GPU(cudaMallocManaged(&flag, sizeof(int)));
    do {
        *flag = 0;
        reset_kernel<<<blocks, 128>>>(d_best.get(), n);
        cheapest_kernel<<<app::blocks_for(n, 4), 128>>>(g, d_component.get(), d_weight.get(), d_best.get());
        hook_kernel<<<blocks, 128>>>(d_edges.get(), d_component.get(), d_best.get(), d_parent.get(),
                                     d_chosen.get(), flag, n);
        jump_kernel<<<blocks, 128>>>(d_component.get(), d_parent.get(), n);
        flatten_kernel<<<blocks, 128>>>(d_component.get(), d_parent.get(), n);
        GPU_DONE();
        rounds++;
    } while (*flag && rounds < 40);
    app::holds("rounds are logarithmic", rounds, rounds <= 18);

    // (weight, edge number) is a total order, so the forest is unique
    std::vector<int> expected = kruskal(n, edges), chosen = d_chosen.read();
    for (int e = 0; e < (int)edges.size(); e++)
        app::equal("edge in the forest", e, expected[e], chosen[e]);
    std::vector<int> component = d_component.read();
    long components = n - std::count(expected.begin(), expected.end(), 1), roots = 0;
    for (int v = 0; v < n; v++)
        roots += component[v] == v;
    app::equal("components", "end", components, roots);
    for (const Edge &e : edges)
        app::equal("component across an edge", e.a, component[e.a], component[e.b]);

    triangle_kernel<<<blocks, 128>>>(g, d_triangles.get());
    GPU_DONE();
    u64 triangles = 0;
    std::vector<std::vector<bool>> matrix(n, std::vector<bool>(n > 4000 ? 0 : n));
    if (n <= 4000) {
        for (const Edge &e : edges)
            matrix[e.a][e.b] = matrix[e.b][e.a] = true;
        for (const Edge &e : edges)
            for (const std::pair<int, int> &p : lists[e.b])
                triangles += p.first > e.b && matrix[e.a][p.first];
        app::equal("triangles", "graph", triangles, d_triangles.read()[0]);
        app::holds("there are triangles", "graph", triangles > 0);
    }

    rounds = 0;
    do {
        *flag = 0;
        select_kernel<<<blocks, 128>>>(g, d_state.get(), flag);
        GPU_DONE();
    } while (*flag && ++rounds < 200);
    GPU(cudaFree(flag));
    std::vector<int> state = d_state.read();
    for (int v = 0; v < n; v++) {
        int members = 0;
        for (const std::pair<int, int> &p : lists[v])
            members += state[p.first] == IN;
        app::holds("vertex decided", v, state[v] != UNDECIDED);
        app::equal("independent and maximal", v, state[v] == IN, members == 0);
    }
    return app::pass();
}
