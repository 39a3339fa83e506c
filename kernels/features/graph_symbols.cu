// Graphs whose nodes copy to and from variables of the device: coefficients go to constant memory, a kernel evaluates
// the polynomial and counts its calls in a device variable, and the count comes back. The nodes get other sources
// before and after instantiation, and events are replaced in record and wait nodes. The host evaluates in exact
// integers.
#define PROGRAM "graph_symbols"
#include "../check.h"

enum { DEGREE = 3, POINTS = 40 };

__constant__ int coefficients[DEGREE + 1];
__device__ int evaluated;

__global__ void evaluate(int *out) {
    int x = (int)threadIdx.x, y = 0;
    for (int i = DEGREE; i >= 0; i--) {
        y = y * x + coefficients[i];
    }
    out[x] = y;
    atomicAdd(&evaluated, 1);
}

static void check_points(const int *c, const int *out, const char *what) {
    std::vector<int> got = to_host(out, POINTS);
    for (int x = 0; x < POINTS; x++) {
        expect_equal(what, x, c[0] + x * (c[1] + x * (c[2] + x * c[3])), got[x]);
    }
}

struct Pipeline {
    cudaGraph_t graph;
    cudaGraphNode_t set, kernel, get, record, wait;
};

static Pipeline build(const int *source, int *out, int *count, cudaEvent_t event) {
    Pipeline p;
    void *arguments[] = {&out};
    cudaKernelNodeParams k = {(void *)evaluate, dim3(1), dim3(POINTS), 0, arguments, NULL};
    CHECK(cudaGraphCreate(&p.graph, 0));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&p.set, p.graph, NULL, 0, coefficients, source, sizeof coefficients, 0,
                                         cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddKernelNode(&p.kernel, p.graph, &p.set, 1, &k));
    CHECK(cudaGraphAddEventRecordNode(&p.record, p.graph, &p.kernel, 1, event));
    CHECK(cudaGraphAddEventWaitNode(&p.wait, p.graph, &p.record, 1, event));
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&p.get, p.graph, &p.wait, 1, count, evaluated, sizeof *count, 0,
                                           cudaMemcpyDeviceToHost));
    return p;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t exec;
    cudaGraphInstantiateParams params = {};
    params.result_out = cudaGraphInstantiateError;
    CHECK(cudaGraphInstantiateWithParams(&exec, graph, &params));
    expect_equal("result of the instantiation", 0, (int)cudaGraphInstantiateSuccess, (int)params.result_out);
    return exec;
}

static void launch(cudaGraphExec_t exec) {
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaStreamSynchronize(0));
}

static void check_events(const Pipeline &p, cudaEvent_t first, cudaEvent_t second) {
    cudaEvent_t event = 0;
    CHECK(cudaGraphEventRecordNodeGetEvent(p.record, &event));
    expect_true("event of the record node", 0, event == first);
    CHECK(cudaGraphEventRecordNodeSetEvent(p.record, second));
    CHECK(cudaGraphEventWaitNodeSetEvent(p.wait, second));
    CHECK(cudaGraphEventWaitNodeGetEvent(p.wait, &event));
    expect_true("event of the wait node", 0, event == second);
    expect_error("a record node is no wait node", cudaErrorInvalidValue,
                 cudaGraphEventWaitNodeGetEvent(p.record, &event));
    cudaGetLastError();
}

static void check_limits(const Pipeline &p, const int *source) {
    expect_error("beyond the variable", cudaErrorInvalidValue,
                 cudaGraphMemcpyNodeSetParamsToSymbol(p.set, coefficients, source, sizeof coefficients, 4,
                                                      cudaMemcpyHostToDevice));
    cudaGetLastError();
}

int main() {
    int first[] = {1, -2, 3, 4}, second[] = {7, 0, -5, 1}, third[] = {9, 9}, mixed[] = {7, 9, 9, 1};
    int *out = device_zeros<int>(POINTS), count = -1, other_count = -1;
    cudaEvent_t a, b;
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    Pipeline p = build(first, out, &count, a);
    check_events(p, a, b);
    check_limits(p, first);
    cudaGraphExec_t exec = instantiate(p.graph);
    launch(exec);
    check_points(first, out, "first coefficients");
    expect_equal("evaluations", 1, (int)POINTS, count);

    CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, p.set, coefficients, second, sizeof coefficients, 0,
                                                   cudaMemcpyHostToDevice));
    CHECK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, p.get, &other_count, evaluated, sizeof(int), 0,
                                                     cudaMemcpyDeviceToHost));
    CHECK(cudaGraphExecEventRecordNodeSetEvent(exec, p.record, a));
    CHECK(cudaGraphExecEventWaitNodeSetEvent(exec, p.wait, a));
    launch(exec);
    check_points(second, out, "second coefficients");
    expect_equal("the first count is not written", 2, (int)POINTS, count);
    expect_equal("evaluations", 2, 2 * POINTS, other_count);

    CHECK(cudaGraphMemcpyNodeSetParamsToSymbol(p.set, coefficients, third, sizeof third, 4, cudaMemcpyHostToDevice));
    CHECK(cudaGraphMemcpyNodeSetParamsFromSymbol(p.get, &count, evaluated, sizeof(int), 0, cudaMemcpyDeviceToHost));
    cudaGraphExec_t again = instantiate(p.graph);
    launch(again);
    check_points(mixed, out, "two coefficients replaced");
    expect_equal("evaluations", 3, 3 * POINTS, count);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphExecDestroy(again));
    CHECK(cudaGraphDestroy(p.graph));
    return pass();
}
