// A graph built node by node: independent branches fill and square parts of an array, a last kernel sums
// the parts, a host function sees the result. Clones are changed without effect on the original.
#define PROGRAM "graph_branches"
#include "../check.h"

static const int BRANCHES = 4;

__global__ void square(unsigned *p, int n, unsigned first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i] = (first + i + p[i]) * (first + i + p[i]);
    }
}

__global__ void sum(const unsigned *p, int n, unsigned *out) {
    __shared__ unsigned part[128];
    unsigned mine = 0;
    for (int i = threadIdx.x; i < n; i += 128) {
        mine += p[i];
    }
    part[threadIdx.x] = mine;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            part[threadIdx.x] += part[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        *out = part[0];
    }
}

static void count(void *calls) {
    ++*static_cast<int *>(calls);
}

static unsigned expected(int n, unsigned fill) {
    unsigned total = 0;
    for (int i = 0; i < n * BRANCHES; i++) {
        total += (i + fill) * (i + fill);
    }
    return total;
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 1000, 1, 1 << 18), calls = 0, all = n * BRANCHES;
    unsigned *p = device_buffer<unsigned>(all), *out = device_buffer<unsigned>(1), got = 0;
    cudaGraph_t graph;
    cudaGraphNode_t fill[BRANCHES], squares[BRANCHES], total, copy, host;
    CHECK(cudaGraphCreate(&graph, 0));
    for (int b = 0; b < BRANCHES; b++) {
        unsigned *part = p + b * n, first = b * n;
        cudaMemsetParams zero = {part, 0, 7, 4, (size_t)n, 1};
        CHECK(cudaGraphAddMemsetNode(&fill[b], graph, NULL, 0, &zero));
        void *args[] = {&part, &n, &first};
        cudaKernelNodeParams k = {(void *)square, dim3(blocks_for(n, 128)), dim3(128), 0, args, NULL};
        CHECK(cudaGraphAddKernelNode(&squares[b], graph, &fill[b], 1, &k));
    }
    void *args[] = {&p, &all, &out};
    cudaKernelNodeParams k = {(void *)sum, dim3(1), dim3(128), 0, args, NULL};
    cudaHostNodeParams h = {count, &calls};
    CHECK(cudaGraphAddKernelNode(&total, graph, squares, BRANCHES, &k));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &total, 1, &got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddHostNode(&host, graph, &copy, 1, &h));
    size_t edges = 0;
    CHECK(cudaGraphGetEdges(graph, NULL, NULL, &edges));
    expect_equal("edges", 0, (size_t)(2 * BRANCHES + 2), edges);

    cudaGraphExec_t exec, changed;
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    expect_equal("sum", 0, expected(n, 7), got);

    cudaGraph_t clone;
    CHECK(cudaGraphClone(&clone, graph));
    for (int b = 0; b < BRANCHES; b++) {
        cudaGraphNode_t node;
        cudaMemsetParams params;
        CHECK(cudaGraphNodeFindInClone(&node, fill[b], clone));
        CHECK(cudaGraphMemsetNodeGetParams(node, &params));
        params.value = 3;
        CHECK(cudaGraphMemsetNodeSetParams(node, &params));
    }
    CHECK(cudaGraphInstantiate(&changed, clone, NULL, NULL, 0));
    CHECK(cudaGraphLaunch(changed, s));
    CHECK(cudaStreamSynchronize(s));
    expect_equal("sum of the clone", 0, expected(n, 3), got);
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    expect_equal("sum of the original", 0, expected(n, 7), got);
    expect_equal("host function", 0, 3, calls);
    return pass();
}
