// Random directed graphs in compressed sparse rows for the graph programs: mostly local edges, a few long
// ones, and some vertices of very high degree, so that the lanes of a warp have uneven work.
#ifndef KERNELS_GRAPH_H
#define KERNELS_GRAPH_H

#include "check.h"

struct Graph {
    int vertices;
    std::vector<int> row; // vertices + 1 offsets into target and weight
    std::vector<int> target;
    std::vector<int> weight; // 1 .. 100
};

static inline Graph make_graph(int vertices, uint64_t seed) {
    Lcg random(seed);
    Graph graph;
    graph.vertices = vertices;
    graph.row.push_back(0);
    for (int v = 0; v < vertices; v++) {
        int degree = (int)random.below(7);
        if (random.below(97) == 0) {
            degree += 60;
        }
        for (int e = 0; e < degree; e++) {
            int to = random.below(8) ? v + (int)random.below(41) - 20 : (int)random.below((unsigned)vertices);
            graph.target.push_back((to % vertices + vertices) % vertices);
            graph.weight.push_back(1 + (int)random.below(100));
        }
        graph.row.push_back((int)graph.target.size());
    }
    if (graph.target.empty()) {
        graph.target.push_back(0);
        graph.weight.push_back(1);
        graph.row[vertices] = 1;
    }
    return graph;
}

#endif
