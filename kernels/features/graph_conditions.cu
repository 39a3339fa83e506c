// Conditional nodes of graphs: a loop runs the steps of the Collatz sequence of many numbers until all have
// reached 1, and a switch then selects what is done with the number of steps. The body of the loop is captured
// from a stream, a kernel sets the conditions. The host counts the steps on its own.
#define PROGRAM "graph_conditions"
#include "../check.h"

__global__ void collatz(unsigned long long *x, int *steps, int *running, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] != 1) {
        x[i] = x[i] % 2 ? 3 * x[i] + 1 : x[i] / 2;
        steps[i]++;
        *running = 1;
    }
}

__global__ void decide(int *running, cudaGraphConditionalHandle loop, cudaGraphConditionalHandle select,
                       unsigned which) {
    cudaGraphSetConditional(loop, *running != 0);
    cudaGraphSetConditional(select, which);
}

__global__ void scale(int *steps, int n, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        steps[i] *= factor;
    }
}

static int host_steps(unsigned long long x) {
    int steps = 0;
    for (; x != 1; steps++) {
        x = x % 2 ? 3 * x + 1 : x / 2;
    }
    return steps;
}

static cudaGraph_t *add_conditional(cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNode_t *after,
                                    cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                    unsigned size) {
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    CHECK(cudaGraphAddNode(node, graph, after, after ? 1 : 0, &p));
    return p.conditional.phGraph_out;
}

static void add_scale(cudaGraph_t graph, int *steps, int n, int factor) {
    cudaGraphNode_t node;
    void *arguments[] = {&steps, &n, &factor};
    cudaKernelNodeParams k = {(void *)scale, dim3((n + 63) / 64), dim3(64), 0, arguments, NULL};
    CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &k));
}

static void run(int n, unsigned which) {
    std::vector<unsigned long long> start(n);
    for (int i = 0; i < n; i++) {
        start[i] = i + 1;
    }
    unsigned long long *x = to_device(start);
    int *steps = device_zeros<int>(n), *running = device_zeros<int>(1);
    cudaStream_t s;
    cudaGraph_t graph, captured;
    cudaGraphNode_t loop, select;
    cudaGraphConditionalHandle again, choice;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
    CHECK(cudaGraphConditionalHandleCreate(&choice, graph));
    cudaGraph_t *body = add_conditional(&loop, graph, NULL, again, cudaGraphCondTypeWhile, 1);
    CHECK(cudaStreamBeginCaptureToGraph(s, body[0], NULL, NULL, 0, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMemsetAsync(running, 0, sizeof *running, s));
    collatz<<<(n + 63) / 64, 64, 0, s>>>(x, steps, running, n);
    decide<<<1, 1, 0, s>>>(running, again, choice, which);
    CHECK(cudaStreamEndCapture(s, &captured));
    expect_true("the capture gives the body", 0, captured == body[0]);
    cudaGraph_t *bodies = add_conditional(&select, graph, &loop, choice, cudaGraphCondTypeSwitch, 2);
    add_scale(bodies[0], steps, n, 10);
    add_scale(bodies[1], steps, n, -1);

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    std::vector<int> got = to_host(steps, n);
    int factor = which == 0 ? 10 : which == 1 ? -1 : 1;
    for (int i = 0; i < n; i++) {
        expect_equal("steps", i, factor * host_steps(start[i]), got[i]);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 200, 1, 100000);
    for (unsigned which = 0; which < 3; which++) {
        run(n, which);
    }
    return pass();
}
