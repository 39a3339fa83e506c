// Breadth-first search with masks (bfs of Rodinia; Harish and Narayanan, Accelerating Large Graph Algorithms on the GPU
// using CUDA, HiPC 2007): one thread for each vertex, two launches for each level. A vertex in the frontier stores the
// cost and a mark of every neighbour not yet visited: scattered stores that nothing reads again in that launch
// ("streaming stores"). Threads that reach the same neighbour store the same values.
// kernels/algorithms/bfs.cu has the searches without masks. Checked: costs against a queue on the host.
// also: --timing --config gtx480-sc
#define PROGRAM "bfs_masks"
#include "../graph.h"
#include "../bench/options.h"

#include <queue>

static const int BLOCK = 256;

struct Search {
    const int *row, *target;
    char *frontier, *updating, *visited;
    int *cost, *again;
    int vertices;
};

static __global__ void expand(Search s) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v >= s.vertices || !s.frontier[v]) {
        return;
    }
    s.frontier[v] = 0;
    for (int e = s.row[v]; e < s.row[v + 1]; e++) {
        int to = s.target[e];
        if (!s.visited[to]) {
            s.cost[to] = s.cost[v] + 1;
            s.updating[to] = 1;
        }
    }
}

static __global__ void advance(Search s) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < s.vertices && s.updating[v]) {
        s.frontier[v] = 1;
        s.visited[v] = 1;
        *s.again = 1;
        s.updating[v] = 0;
    }
}

static std::vector<int> host_costs(const Graph &graph, int source) {
    std::vector<int> cost(graph.vertices, -1);
    std::queue<int> queue;
    cost[source] = 0;
    for (queue.push(source); !queue.empty(); queue.pop()) {
        int v = queue.front();
        for (int e = graph.row[v]; e < graph.row[v + 1]; e++) {
            if (cost[graph.target[e]] < 0) {
                cost[graph.target[e]] = cost[v] + 1;
                queue.push(graph.target[e]);
            }
        }
    }
    return cost;
}

int main(int argc, char **argv) {
    int vertices = read_options(argc, argv, {"vertices", 2000, 60000, 2, 1 << 22});
    Graph graph = make_graph(vertices, 109);
    int source = 0;
    while (graph.row[source + 1] == graph.row[source]) {
        source = (source + 1) % vertices;
    }
    std::vector<char> mask(vertices, 0);
    std::vector<int> cost(vertices, -1);
    mask[source] = 1;
    cost[source] = 0;
    Search search = {to_device(graph.row), to_device(graph.target), to_device(mask), device_zeros<char>(vertices),
                     to_device(mask), to_device(cost), device_zeros<int>(1), vertices};
    for (int again = 1; again; again = to_host(search.again, 1)[0]) {
        CHECK(cudaMemset(search.again, 0, sizeof(int)));
        expand<<<blocks_for(vertices, BLOCK), BLOCK>>>(search);
        advance<<<blocks_for(vertices, BLOCK), BLOCK>>>(search);
        CHECK_KERNEL();
    }
    expect_same("cost", host_costs(graph, source), to_host(search.cost, vertices));
    return pass();
}
