// PageRank by power iteration over incoming edges in compressed sparse rows, with the rank of dangling
// vertices spread evenly (a reduction by double atomics). Checks: the ranks sum to one, and each agrees with
// a host iteration in long double that pushes along outgoing edges instead of pulling along incoming ones.
#define PROGRAM "pagerank"
#include "../graph.h"

static const double DAMPING = 0.85;

__global__ void spread_dangling(const double *rank, const int *out_degree, int vertices, double *dangling) {
    __shared__ double sum;
    if (threadIdx.x == 0) {
        sum = 0.0;
    }
    __syncthreads();
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices && out_degree[v] == 0) {
        atomicAdd(&sum, rank[v]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(dangling, sum);
    }
}

__global__ void pull(const int *row, const int *source, const int *out_degree, const double *rank,
                     int vertices, const double *dangling, double *next) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) {
        return;
    }
    double sum = *dangling / vertices;
    for (int e = row[v]; e < row[v + 1]; e++) {
        sum += rank[source[e]] / out_degree[source[e]];
    }
    next[v] = (1.0 - DAMPING) / vertices + DAMPING * sum;
}

static std::vector<long double> host_ranks(const Graph &graph, int rounds) {
    int n = graph.vertices;
    std::vector<long double> rank(n, 1.0L / n);
    for (int round = 0; round < rounds; round++) {
        std::vector<long double> pushed(n, 0.0L);
        long double dangling = 0.0L;
        for (int v = 0; v < n; v++) {
            int degree = graph.row[v + 1] - graph.row[v];
            if (degree == 0) {
                dangling += rank[v];
            }
            for (int e = graph.row[v]; e < graph.row[v + 1]; e++) {
                pushed[graph.target[e]] += rank[v] / degree;
            }
        }
        for (int v = 0; v < n; v++) {
            rank[v] = (1.0L - DAMPING) / n + DAMPING * (pushed[v] + dangling / n);
        }
    }
    return rank;
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 1500, 2, 1 << 22), rounds = 12;
    Graph graph = make_graph(n, 15);
    std::vector<int> degree(n), row(n + 1, 0), source(graph.target.size());
    for (int v = 0; v < n; v++) {
        degree[v] = graph.row[v + 1] - graph.row[v];
    }
    for (int to : graph.target) {
        row[to + 1]++;
    }
    for (int v = 0; v < n; v++) {
        row[v + 1] += row[v];
    }
    std::vector<int> at(row.begin(), row.end() - 1);
    for (int v = 0; v < n; v++) {
        for (int e = graph.row[v]; e < graph.row[v + 1]; e++) {
            source[at[graph.target[e]]++] = v;
        }
    }
    int *row_device = to_device(row), *source_device = to_device(source), *degree_device = to_device(degree);
    double *rank = to_device(std::vector<double>(n, 1.0 / n)), *next = device_zeros<double>(n);
    double *dangling = device_zeros<double>(1);
    for (int round = 0; round < rounds; round++) {
        CHECK(cudaMemset(dangling, 0, sizeof(double)));
        spread_dangling<<<blocks_for(n, 128), 128>>>(rank, degree_device, n, dangling);
        pull<<<blocks_for(n, 128), 128>>>(row_device, source_device, degree_device, rank, n, dangling, next);
        CHECK_KERNEL();
        std::swap(rank, next);
    }
    std::vector<double> got = to_host(rank, n);
    std::vector<long double> expected = host_ranks(graph, rounds);
    double sum = 0.0;
    for (int v = 0; v < n; v++) {
        expect_near("rank", v, (double)expected[v], got[v], 1e-12);
        sum += got[v];
    }
    expect_near("sum of ranks", 0, 1.0, sum, 1e-11);
    return pass();
}
