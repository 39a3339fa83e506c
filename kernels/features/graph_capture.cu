// Steps of a one-dimensional automaton as a captured graph: two buffers, a kernel for each direction and a
// copy, launched many times; then the executable graph is updated from a second capture with another rule, and
// the rules are set in its kernel nodes, which the host function identifies.
// Integers, so the host gives the same cells.
#define PROGRAM "graph_capture"
#include "../check.h"

__global__ void step(const unsigned *from, unsigned *to, int n, unsigned rule) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned l = from[(i + n - 1) % n], m = from[i], r = from[(i + 1) % n];
        to[i] = rule * (l ^ r) + (m << 1 | m >> 31);
    }
}

static cudaGraph_t capture(cudaStream_t s, unsigned *a, unsigned *b, unsigned *log, int n, unsigned rule) {
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    step<<<blocks_for(n, 128), 128, 0, s>>>(a, b, n, rule);
    step<<<blocks_for(n, 128), 128, 0, s>>>(b, a, n, rule + 1);
    CHECK(cudaMemcpyAsync(log, a, n * sizeof *log, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamEndCapture(s, &graph));
    return graph;
}

// Sets the rules of the two steps to rule and rule + 1.
static void set_rules(cudaGraphExec_t exec, cudaGraph_t graph, unsigned rule) {
    cudaGraphNode_t nodes[3];
    size_t count = 3;
    CHECK(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t k = 0; k < count; k++) {
        cudaGraphNodeType type;
        CHECK(cudaGraphNodeGetType(nodes[k], &type));
        if (type != cudaGraphNodeTypeKernel) {
            continue;
        }
        cudaKernelNodeParams params;
        CHECK(cudaGraphKernelNodeGetParams(nodes[k], &params));
        expect_equal("host function of the node", k, (uintptr_t)step, (uintptr_t)params.func);
        void **old = params.kernelParams, *args[] = {old[0], old[1], old[2], &rule};
        params.kernelParams = args;
        CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[k], &params));
        rule++;
    }
}

static void host_steps(std::vector<unsigned> &cells, int launches, unsigned rule) {
    size_t n = cells.size();
    std::vector<unsigned> next(n);
    for (int k = 0; k < 2 * launches; k++) {
        for (size_t i = 0; i < n; i++) {
            unsigned l = cells[(i + n - 1) % n], m = cells[i], r = cells[(i + 1) % n];
            next[i] = (rule + k % 2) * (l ^ r) + (m << 1 | m >> 31);
        }
        cells.swap(next);
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 3000, 1, 1 << 20);
    std::vector<unsigned> cells(n), log(n);
    for (int i = 0; i < n; i++) {
        cells[i] = i * 2654435761u;
    }
    unsigned *a = device_buffer<unsigned>(n), *b = device_buffer<unsigned>(n);
    CHECK(cudaMemcpy(a, cells.data(), n * sizeof *a, cudaMemcpyHostToDevice));
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    cudaGraph_t graph = capture(s, a, b, log.data(), n, 30);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    expect_equal("nothing has run", 0, 0u, log[0]);
    for (int i = 0; i < 10; i++) {
        CHECK(cudaGraphLaunch(exec, s));
    }
    CHECK(cudaStreamSynchronize(s));
    host_steps(cells, 10, 30);
    expect_same("captured steps", cells, log);

    cudaGraph_t other = capture(s, a, b, log.data(), n, 110);
    cudaGraphNode_t bad;
    cudaGraphExecUpdateResult result;
    CHECK(cudaGraphExecUpdate(exec, other, &bad, &result));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    host_steps(cells, 1, 110);
    expect_same("after the update", cells, log);

    set_rules(exec, other, 54);
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    host_steps(cells, 1, 54);
    expect_same("after the change of the nodes", cells, log);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(other));
    return pass();
}
