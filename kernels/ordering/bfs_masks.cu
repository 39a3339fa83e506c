// Breadth-first search with masks, after Rodinia's bfs (Harish and Narayanan, Accelerating Large Graph Algorithms on
// the GPU using CUDA, HiPC 2007): one thread for each vertex, two launches for each level. A vertex in the frontier
// stores the cost and a mark of every neighbour not yet visited: scattered stores that nothing reads again in that
// launch ("streaming stores"). Threads that reach the same neighbour store the same values. Blocks, arrays and accesses
// are the original's: nothing is kept in registers over a store that could change it. So is the kind of graph: without
// direction, every vertex starts 2 to 4 edges to any others.
// kernels/algorithms/bfs.cu has the searches without masks. Checked: costs against a queue on the host.
// also: --timing --config gtx480-sc
#define PROGRAM "bfs_masks"
#include "../bench/options.h"

#include <queue>

static const int BLOCK = 512;

struct Vertex {
    int first, degree; // its edges
};

typedef std::vector<std::vector<int>> Neighbours;

static __global__ void expand(const Vertex *graph, const int *target, bool *frontier, bool *updating,
                              const bool *visited, int *cost, int vertices) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v >= vertices || !frontier[v]) {
        return;
    }
    frontier[v] = false;
    for (int e = graph[v].first; e < graph[v].degree + graph[v].first; e++) {
        int to = target[e];
        if (!visited[to]) {
            cost[to] = cost[v] + 1;
            updating[to] = true;
        }
    }
}

static __global__ void advance(bool *frontier, bool *updating, bool *visited, bool *again, int vertices) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < vertices && updating[v]) {
        frontier[v] = true;
        visited[v] = true;
        *again = true;
        updating[v] = false;
    }
}

static Neighbours random_graph(int vertices) {
    Lcg random(109);
    Neighbours graph(vertices);
    for (int v = 0; v < vertices; v++) {
        for (int more = 2 + (int)random.below(3); more > 0; more--) {
            int to = (int)random.below((uint32_t)vertices);
            graph[v].push_back(to);
            graph[to].push_back(v);
        }
    }
    return graph;
}

static std::vector<int> host_costs(const Neighbours &graph, int source) {
    std::vector<int> cost(graph.size(), -1);
    std::queue<int> queue;
    cost[source] = 0;
    for (queue.push(source); !queue.empty(); queue.pop()) {
        for (int to : graph[queue.front()]) {
            if (cost[to] < 0) {
                cost[to] = cost[queue.front()] + 1;
                queue.push(to);
            }
        }
    }
    return cost;
}

int main(int argc, char **argv) {
    int vertices = read_options(argc, argv, {"vertices", 2000, 65536, 2, 1 << 22}), source = vertices / 3;
    Neighbours neighbours = random_graph(vertices);
    std::vector<Vertex> graph;
    std::vector<int> target, start(vertices, -1);
    for (const std::vector<int> &of_one : neighbours) {
        graph.push_back({(int)target.size(), (int)of_one.size()});
        target.insert(target.end(), of_one.begin(), of_one.end());
    }
    start[source] = 0;
    Vertex *graph_device = to_device(graph);
    int *target_device = to_device(target);
    bool *frontier = device_zeros<bool>(vertices), *updating = device_zeros<bool>(vertices),
         *visited = device_zeros<bool>(vertices);
    CHECK(cudaMemset(frontier + source, 1, sizeof(bool)));
    CHECK(cudaMemset(visited + source, 1, sizeof(bool)));
    int *cost = to_device(start);
    bool *again = device_zeros<bool>(1);
    for (bool more = true; more;) {
        CHECK(cudaMemset(again, 0, sizeof(bool)));
        expand<<<blocks_for(vertices, BLOCK), BLOCK>>>(graph_device, target_device, frontier, updating, visited, cost,
                                                       vertices);
        advance<<<blocks_for(vertices, BLOCK), BLOCK>>>(frontier, updating, visited, again, vertices);
        CHECK_KERNEL();
        CHECK(cudaMemcpy(&more, again, sizeof(bool), cudaMemcpyDeviceToHost));
    }
    expect_same("cost", host_costs(neighbours, source), to_host(cost, vertices));
    return pass();
}
