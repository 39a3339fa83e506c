// The signatures of CUDA 12 and 13 beside those of CUDA 11: instantiation with flags, capture information
// with nodes and edge data, nodes by one structure, locations of managed memory, launches with attributes.
#define PROGRAM "newer_signatures"
#include "../check.h"

__global__ void add(int *p, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i] += value;
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 1000, 1, 1 << 20), five = 5;
    int *p = nullptr;
    CHECK(cudaInitDevice(0, 0, 0));
    CHECK(cudaMallocManaged(&p, n * sizeof *p));
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    CHECK(cudaMemAdvise(p, n * sizeof *p, cudaMemAdviseSetPreferredLocation, device));
    CHECK(cudaMemPrefetchAsync(p, n * sizeof *p, device, 0));
    CHECK(cudaMemPrefetchAsync(p, n * sizeof *p, 0));            // as in CUDA 11
    for (int i = 0; i < n; i++) {
        p[i] = i;
    }

    cudaStream_t s;
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0, stream_id = 0;
    const cudaGraphNode_t *nodes = nullptr;
    const cudaGraphEdgeData *edges = nullptr;
    size_t count = 0;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamGetId(s, &stream_id));
    expect_true("streams have numbers", 0, stream_id > 0);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    cudaLaunchAttribute priority = {};
    priority.id = cudaLaunchAttributePriority;
    cudaLaunchConfig_t config = {dim3(blocks_for(n, 128)), dim3(128), 0, s, &priority, 1};
    CHECK(cudaLaunchKernelEx(&config, add, p, n, 10));
    CHECK(cudaStreamGetCaptureInfo(s, &status, &id, &graph, &nodes, &edges, &count));
    expect_equal("nodes of the capture", 0, (size_t)1, count);

    cudaGraphNodeParams params = {};
    void *args[] = {&p, &n, &five};
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = (void *)add;
    params.kernel.gridDim = config.gridDim;
    params.kernel.blockDim = config.blockDim;
    params.kernel.kernelParams = args;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, graph, nodes, NULL, count, &params));
    CHECK(cudaStreamUpdateCaptureDependencies(s, &node, NULL, 1, cudaStreamSetCaptureDependencies));
    CHECK(cudaStreamEndCapture(s, &graph));

    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaGraphExecUpdate(exec, graph, &info));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemPrefetchAsync(p, n * sizeof *p, host, 0, s));
    for (int i = 0; i < n; i++) {
        expect_equal("two launches of the graph", i, i + 30, p[i]);
    }
    const char *name = "";
    CHECK(cudaFuncGetName(&name, (const void *)add));
    expect_true("name of the kernel", 0, std::string(name).find("add") != std::string::npos);
    CHECK(cudaFree(p));
    return pass();
}
