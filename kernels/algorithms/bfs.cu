// Breadth-first search, one launch per level: once by scanning all vertices (topology-driven), once with
// frontier queues filled through an atomic counter. Irregular gathers and heavy divergence. Levels are
// compared with a host queue; for every parent chosen by atomicCAS the edge and level difference are checked.
#define PROGRAM "bfs"
#include "../graph.h"

#include <queue>

__global__ void visit_level(const int *row, const int *target, int vertices, int level, int *levels,
                            int *changed) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || levels[v] != level) {
        return;
    }
    for (int e = row[v]; e < row[v + 1]; e++) {
        if (levels[target[e]] < 0) {
            levels[target[e]] = level + 1;
            *changed = 1;
        }
    }
}

__global__ void expand_frontier(const int *row, const int *target, const int *frontier, int size,
                                int *parents, int *next, int *next_size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) {
        return;
    }
    int v = frontier[i];
    for (int e = row[v]; e < row[v + 1]; e++) {
        if (atomicCAS(&parents[target[e]], -1, v) == -1) {
            next[atomicAdd(next_size, 1)] = target[e];
        }
    }
}

static std::vector<int> host_levels(const Graph &graph, int source) {
    std::vector<int> levels(graph.vertices, -1);
    std::queue<int> queue;
    levels[source] = 0;
    queue.push(source);
    while (!queue.empty()) {
        int v = queue.front();
        queue.pop();
        for (int e = graph.row[v]; e < graph.row[v + 1]; e++) {
            if (levels[graph.target[e]] < 0) {
                levels[graph.target[e]] = levels[v] + 1;
                queue.push(graph.target[e]);
            }
        }
    }
    return levels;
}

static void check_parents(const Graph &graph, const std::vector<int> &levels, const std::vector<int> &parents,
                          int source) {
    for (int v = 0; v < graph.vertices; v++) {
        int parent = parents[v];
        expect_equal("reached", v, levels[v] >= 0, parent >= 0);
        if (parent < 0 || v == source) {
            continue;
        }
        bool edge = false;
        for (int e = graph.row[parent]; e < graph.row[parent + 1]; e++) {
            edge = edge || graph.target[e] == v;
        }
        expect_true("the parent has an edge to its child", v, edge);
        expect_equal("level of the parent", v, levels[v] - 1, levels[parent]);
    }
}

int main(int argc, char **argv) {
    int vertices = size_argument(argc, argv, 6000, 2, 1 << 24);
    Graph graph = make_graph(vertices, 13);
    int source = 0;
    while (graph.row[source + 1] == graph.row[source]) {
        source++;
    }
    std::vector<int> expected = host_levels(graph, source);

    int *row = to_device(graph.row), *target = to_device(graph.target), *changed = device_zeros<int>(1);
    std::vector<int> start(vertices, -1);
    start[source] = 0;
    int *levels = to_device(start);
    for (int level = 0, again = 1; again; level++) {
        CHECK(cudaMemset(changed, 0, sizeof(int)));
        visit_level<<<blocks_for(vertices, 128), 128>>>(row, target, vertices, level, levels, changed);
        CHECK_KERNEL();
        again = to_host(changed, 1)[0];
    }
    expect_same("levels", expected, to_host(levels, vertices));

    start[source] = source;
    int *parents = to_device(start);
    int *frontier = device_zeros<int>(vertices), *next = device_zeros<int>(vertices),
        *size = device_zeros<int>(1);
    CHECK(cudaMemcpy(frontier, &source, sizeof source, cudaMemcpyHostToDevice));
    int reached = 1;
    for (int count = 1; count > 0;) {
        CHECK(cudaMemset(size, 0, sizeof(int)));
        expand_frontier<<<blocks_for(count, 128), 128>>>(row, target, frontier, count, parents, next, size);
        CHECK_KERNEL();
        count = to_host(size, 1)[0];
        reached += count;
        std::swap(frontier, next);
    }
    int expected_reached = 0;
    for (int level : expected) {
        expected_reached += level >= 0;
    }
    expect_equal("vertices reached", 0, expected_reached, reached);
    check_parents(graph, expected, to_host(parents, vertices), source);
    return pass();
}
