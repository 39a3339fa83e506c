// Single-source shortest paths by Bellman-Ford relaxation with atomicMin until nothing changes, with a
// worklist variant guarded by atomicExch flags. Checked against Dijkstra on the host, an algorithm that
// shares nothing with relaxation in rounds.
#define PROGRAM "sssp"
#include "../graph.h"

#include <queue>

static const int FAR = 1 << 30;

__global__ void relax_all(const int *row, const int *target, const int *weight, int vertices, int *distance,
                          int *changed) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || distance[v] == FAR) {
        return;
    }
    int own = distance[v];
    for (int e = row[v]; e < row[v + 1]; e++) {
        int through = own + weight[e];
        if (through < atomicMin(&distance[target[e]], through)) {
            *changed = 1;
        }
    }
}

__global__ void relax_worklist(const int *row, const int *target, const int *weight, const int *work,
                               int count, int *queued, int *distance, int *next, int *next_count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    int v = work[i];
    atomicExch(&queued[v], 0);
    __threadfence();
    int own = atomicAdd(&distance[v], 0);
    for (int e = row[v]; e < row[v + 1]; e++) {
        int to = target[e], through = own + weight[e];
        if (through < atomicMin(&distance[to], through)) {
            __threadfence();
            if (atomicExch(&queued[to], 1) == 0) {
                next[atomicAdd(next_count, 1)] = to;
            }
        }
    }
}

static std::vector<int> dijkstra(const Graph &graph, int source) {
    typedef std::pair<int, int> Entry;
    std::vector<int> distance(graph.vertices, FAR);
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
    distance[source] = 0;
    queue.push(Entry(0, source));
    while (!queue.empty()) {
        Entry top = queue.top();
        queue.pop();
        if (top.first > distance[top.second]) {
            continue;
        }
        for (int e = graph.row[top.second]; e < graph.row[top.second + 1]; e++) {
            int through = top.first + graph.weight[e];
            if (through < distance[graph.target[e]]) {
                distance[graph.target[e]] = through;
                queue.push(Entry(through, graph.target[e]));
            }
        }
    }
    return distance;
}

int main(int argc, char **argv) {
    int vertices = size_argument(argc, argv, 2500, 2, 1 << 22);
    Graph graph = make_graph(vertices, 14);
    int source = vertices / 2;
    std::vector<int> expected = dijkstra(graph, source);
    std::vector<int> start(vertices, FAR);
    start[source] = 0;

    int *row = to_device(graph.row), *target = to_device(graph.target), *weight = to_device(graph.weight);
    int *distance = to_device(start), *count = device_zeros<int>(1);
    for (int rounds = 0, again = 1; again; rounds++) {
        expect_true("a shortest path has fewer edges than there are vertices", rounds, rounds <= vertices);
        CHECK(cudaMemset(count, 0, sizeof(int)));
        relax_all<<<blocks_for(vertices, 128), 128>>>(row, target, weight, vertices, distance, count);
        CHECK_KERNEL();
        again = to_host(count, 1)[0];
    }
    expect_same("distance by rounds", expected, to_host(distance, vertices));

    CHECK(cudaMemcpy(distance, start.data(), vertices * sizeof(int), cudaMemcpyHostToDevice));
    int *queued = device_zeros<int>(vertices), *work = device_zeros<int>(vertices),
        *next = device_zeros<int>(vertices);
    CHECK(cudaMemcpy(work, &source, sizeof source, cudaMemcpyHostToDevice));
    for (int items = 1; items > 0;) {
        CHECK(cudaMemset(count, 0, sizeof(int)));
        relax_worklist<<<blocks_for(items, 64), 64>>>(row, target, weight, work, items, queued, distance,
                                                      next, count);
        CHECK_KERNEL();
        items = to_host(count, 1)[0];
        std::swap(work, next);
    }
    expect_same("distance by worklist", expected, to_host(distance, vertices));
    return pass();
}
