// Graphs with allocations of their own, nodes that are switched off, attributes of kernels, user objects, and the text
// of a graph for Graphviz.
#define PROGRAM "graph_memory"
#include "../check.h"

#include <unistd.h>

static const int N = 300;

__global__ void square(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] * in[i];
    }
}

__global__ void negate(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = -in[i];
    }
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, void *kernel, int *in, int *out) {
    cudaGraphNode_t node;
    int n = N;
    void *args[] = {&in, &out, &n};
    cudaKernelNodeParams p = {kernel, dim3(blocks_for(N, 128)), dim3(128), 0, args, NULL};
    CHECK(cudaGraphAddKernelNode(&node, graph, &after, 1, &p));
    return node;
}

static cudaMemAllocNodeParams allocation(size_t bytes) {
    cudaMemAllocNodeParams p;
    memset(&p, 0, sizeof p);
    p.bytesize = bytes;
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    return p;
}

static size_t memory(cudaGraphMemAttributeType which) {
    size_t bytes = 0;
    CHECK(cudaDeviceGetGraphMemAttribute(0, which, &bytes));
    return bytes;
}

// in -> squares -> negatives, both in memory of the graph; the negatives stay until the program frees them.
struct chain {
    cudaGraph_t graph;
    cudaGraphNode_t allocs[2], copy, squares, negatives, back, release;
    int *first, *second;

    chain(const int *in, int *out) {
        cudaMemAllocNodeParams p = allocation(N * sizeof(int));
        CHECK(cudaGraphCreate(&graph, 0));
        CHECK(cudaGraphAddMemAllocNode(&allocs[0], graph, NULL, 0, &p));
        first = (int *)p.dptr;
        CHECK(cudaGraphAddMemAllocNode(&allocs[1], graph, &allocs[0], 1, &p));
        second = (int *)p.dptr;
        CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &allocs[1], 1, first, in, N * sizeof(int),
                                       cudaMemcpyHostToDevice));
        squares = add_kernel(graph, copy, (void *)square, first, first);
        negatives = add_kernel(graph, squares, (void *)negate, first, second);
        CHECK(cudaGraphAddMemcpyNode1D(&back, graph, &negatives, 1, out, second, N * sizeof(int),
                                       cudaMemcpyDeviceToHost));
        CHECK(cudaGraphAddMemFreeNode(&release, graph, &back, 1, first));
    }
};

static void check_memory() {
    std::vector<int> in(N), out(N);
    for (int i = 0; i < N; i++) {
        in[i] = i - 100;
    }
    size_t before = memory(cudaGraphMemAttrUsedMemCurrent);
    chain c(in.data(), out.data());
    expect_true("two places", 0, c.first != c.second);
    expect_equal("memory of graphs", 0, before + 2 * N * sizeof(int), memory(cudaGraphMemAttrUsedMemCurrent));
    cudaMemAllocNodeParams params;
    void *freed = NULL;
    CHECK(cudaGraphMemAllocNodeGetParams(c.allocs[1], &params));
    CHECK(cudaGraphMemFreeNodeGetParams(c.release, &freed));
    expect_true("places of the nodes", 0, params.dptr == c.second && freed == c.first);
    expect_equal("bytes of the node", 0, N * sizeof(int), params.bytesize);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, c.graph, NULL, NULL, 0));
    for (int round = 0; round < 2; round++) {
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < N; i++) {
            expect_equal("negative square", i, -in[i] * in[i], out[i]);
        }
        in[7] += 3;
    }
    CHECK(cudaFree(c.second));
    CHECK(cudaGraphDestroy(c.graph));
    CHECK(cudaGraphExecDestroy(exec));
    expect_equal("memory at the end", 0, before, memory(cudaGraphMemAttrUsedMemCurrent));
    expect_true("most memory", 0, memory(cudaGraphMemAttrReservedMemHigh) >= 2 * N * sizeof(int));
    size_t zero = 0;
    CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    expect_equal("most memory, counted again", 0, before, memory(cudaGraphMemAttrUsedMemHigh));
    CHECK(cudaDeviceGraphMemTrim(0));
}

// Without the squares the chain negates, without both kernels it copies what the memory had.
static void check_enabled() {
    std::vector<int> in(N, 5), out(N);
    chain c(in.data(), out.data());
    cudaGraphExec_t exec;
    unsigned on = 7;
    CHECK(cudaGraphInstantiateWithFlags(&exec, c.graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    unsigned long long flags = 0;
    CHECK(cudaGraphExecGetFlags(exec, &flags));
    expect_equal("flags", 0, (unsigned long long)cudaGraphInstantiateFlagAutoFreeOnLaunch, flags);
    CHECK(cudaGraphNodeSetEnabled(exec, c.squares, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    expect_equal("without squares", 0, -5, out[0]);
    CHECK(cudaGraphNodeGetEnabled(exec, c.squares, &on));
    expect_equal("switched off", 0, 0u, on);
    CHECK(cudaGraphNodeGetEnabled(exec, c.negatives, &on));
    expect_equal("still on", 0, 1u, on);
    CHECK(cudaGraphNodeSetEnabled(exec, c.squares, 1));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    expect_equal("with squares", 0, -25, out[0]);
    expect_error("an allocation cannot be switched off", cudaErrorInvalidValue,
                 cudaGraphNodeSetEnabled(exec, c.allocs[0], 0));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(c.graph));
}

static void check_attributes() {
    std::vector<int> in(N), out(N);
    chain c(in.data(), out.data());
    cudaKernelNodeAttrValue v, got;
    memset(&v, 0, sizeof v);
    v.priority = -2;
    CHECK(cudaGraphKernelNodeSetAttribute(c.squares, cudaKernelNodeAttributePriority, &v));
    CHECK(cudaGraphKernelNodeCopyAttributes(c.negatives, c.squares));
    CHECK(cudaGraphKernelNodeGetAttribute(c.negatives, cudaKernelNodeAttributePriority, &got));
    expect_equal("copied priority", 0, -2, got.priority);
    expect_error("a copy has no such attributes", cudaErrorInvalidValue,
                 cudaGraphKernelNodeGetAttribute(c.copy, cudaKernelNodeAttributePriority, &got));
    CHECK(cudaGraphDestroy(c.graph));
}

static void count(void *calls) {
    ++*static_cast<int *>(calls);
}

// An object ends with its last reference: of the program, of a graph, of an executable graph.
static void check_objects() {
    int ended = 0;
    cudaUserObject_t object;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaUserObjectCreate(&object, &ended, count, 1, cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    CHECK(cudaUserObjectRetain(object, 2));
    CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    CHECK(cudaUserObjectRelease(object, 2));
    CHECK(cudaGraphDestroy(graph));
    expect_equal("the executable graph has a reference", 0, 0, ended);
    CHECK(cudaGraphExecDestroy(exec));
    expect_equal("ended once", 0, 1, ended);
    expect_error("no object any more", cudaErrorInvalidValue, cudaUserObjectRelease(object));
}

static void check_text() {
    std::vector<int> in(N), out(N);
    chain c(in.data(), out.data());
    char path[] = "/tmp/simtx-graph-XXXXXX";
    int fd = mkstemp(path);
    expect_true("a temporary file", 0, fd >= 0);
    close(fd);
    CHECK(cudaGraphDebugDotPrint(c.graph, path, cudaGraphDebugDotFlagsVerbose));
    std::string text;
    FILE *f = fopen(path, "r");
    for (int ch; (ch = getc(f)) != EOF;) {
        text += (char)ch;
    }
    fclose(f);
    unlink(path);
    expect_true("a digraph", 0, text.compare(0, 8, "digraph ") == 0);
    expect_true("names of kernels", 0, text.find("square") != std::string::npos);
    size_t arrows = 0;
    for (size_t at = 0; (at = text.find("->", at)) != std::string::npos; at++) {
        arrows++;
    }
    expect_equal("dependencies", 0, (size_t)6, arrows);
    CHECK(cudaGraphDestroy(c.graph));
}

int main() {
    check_memory();
    check_enabled();
    check_attributes();
    check_objects();
    check_text();
    return pass();
}
