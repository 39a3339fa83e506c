/* Conditional nodes of graphs, capture to a graph, and the generic functions of nodes of both APIs. Kernels append
 * numbers to a list and set conditions; the lists that are expected follow from the references of CUDA 12.9. */
#include "regress/cudart/list.h"
#include "frontend/cuda/include/cuda.h"

#define CU(call) assert_int_equal(call, CUDA_SUCCESS)

/* append(list, value)
 * step(list, value, handle, limit): appends, then sets the condition to whether fewer than `limit` are in the list
 * choose(handle, value): sets the condition
 * fault(): a store to address 0 */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
#define SET                                                                                                        \
    "    {\n    .param .b64 a;\n    .param .b32 b;\n    st.param.b64 [a], %rd4;\n    st.param.b32 [b], %r3;\n"     \
    "    call.uni cudaGraphSetConditional, (a, b);\n    }\n"
    ".visible .entry append(.param .u64 list, .param .u32 value)\n{\n    .reg .b32 %r<4>;\n    .reg .b64 %rd<5>;\n"
    APPEND "    ret;\n}\n"
    ".visible .entry step(.param .u64 list, .param .u32 value, .param .u64 handle, .param .u32 limit)\n{\n"
    "    .reg .b32 %r<5>;\n    .reg .b64 %rd<5>;\n    .reg .pred %p;\n" APPEND
    "    ld.param.u64 %rd4, [handle];\n    ld.param.u32 %r4, [limit];\n    setp.lt.u32 %p, %r2, %r4;\n"
    "    selp.u32 %r3, 1, 0, %p;\n" SET "    ret;\n}\n"
    ".visible .entry choose(.param .u64 handle, .param .u32 value)\n{\n    .reg .b32 %r<4>;\n    .reg .b64 %rd<5>;\n"
    "    ld.param.u64 %rd4, [handle];\n    ld.param.u32 %r3, [value];\n" SET "    ret;\n}\n"
    ".visible .entry fault()\n{\n    .reg .b64 %rd<2>;\n    mov.u64 %rd1, 0;\n    st.global.u32 [%rd1], 1;\n"
    "    ret;\n}\n";

static CUfunction append, step, choose, fault;

static int setup(void **state)
{
    static CUmodule m;
    cudaSetDevice(0);
    return cudaDeviceReset() || new_list() ||
           cuModuleLoadData(&m, ptx) || cuModuleGetFunction(&append, m, "append") ||
           cuModuleGetFunction(&step, m, "step") || cuModuleGetFunction(&choose, m, "choose") ||
           cuModuleGetFunction(&fault, m, "fault");
}

static cudaGraphNode_t add_kernel(cudaGraph_t g, CUfunction f, void **args, cudaGraphNode_t *dep)
{
    cudaGraphNode_t node;
    struct cudaKernelNodeParams p = {f, {1, 1, 1}, {1, 1, 1}, 0, args, NULL};
    OK(cudaGraphAddKernelNode(&node, g, dep, dep != NULL, &p));
    return node;
}

static cudaGraphNode_t add(cudaGraph_t g, int value, cudaGraphNode_t *dep)
{
    void *args[] = {&list, &value};
    return add_kernel(g, append, args, dep);
}

static cudaGraphNode_t add_step(cudaGraph_t g, int value, cudaGraphConditionalHandle h, int limit, cudaGraphNode_t *dep)
{
    void *args[] = {&list, &value, &h, &limit};
    return add_kernel(g, step, args, dep);
}

static cudaGraphNode_t add_choose(cudaGraph_t g, cudaGraphConditionalHandle h, unsigned value, cudaGraphNode_t *dep)
{
    void *args[] = {&h, &value};
    return add_kernel(g, choose, args, dep);
}

static cudaGraphNode_t conditional(cudaGraph_t g, cudaGraphConditionalHandle h, enum cudaGraphConditionalNodeType type,
                                   unsigned size, cudaGraphNode_t *dep, cudaGraph_t **bodies)
{
    cudaGraphNode_t node;
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional};
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = size;
    OK(cudaGraphAddNode(&node, g, dep, dep != NULL, &p));
    *bodies = p.conditional.phGraph_out;
    assert_non_null(*bodies);
    return node;
}

static cudaGraphConditionalHandle condition(cudaGraph_t g, unsigned initial)
{
    cudaGraphConditionalHandle h = 0;
    OK(cudaGraphConditionalHandleCreate(&h, g, initial, cudaGraphCondAssignDefault));
    return h;
}

static cudaGraphExec_t instantiate(cudaGraph_t g)
{
    cudaGraphExec_t x;
    OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
    return x;
}

static void launch(cudaGraphExec_t x)
{
    OK(cudaGraphLaunch(x, NULL));
    OK(cudaDeviceSynchronize());
}

/* ---- the three types ---- */

/* The default holds at each launch, before the kernel that sets the other value. */
static void if_node(void **state)
{
    for (unsigned initial = 0; initial < 2; initial++) {
        cudaGraph_t g, *bodies;
        OK(cudaGraphCreate(&g, 0));
        cudaGraphConditionalHandle h = condition(g, initial);
        cudaGraphNode_t first = conditional(g, h, cudaGraphCondTypeIf, 1, NULL, &bodies);
        add(bodies[0], 1, NULL);
        cudaGraphNode_t change = add_choose(g, h, !initial, &first);
        cudaGraphNode_t second = conditional(g, h, cudaGraphCondTypeIf, 2, &change, &bodies);
        add(bodies[0], 2, NULL);
        add(bodies[1], 3, NULL);
        add(g, 4, &second);
        cudaGraphExec_t x = instantiate(g);
        OK(cudaGraphDestroy(g));                   /* the executable graph keeps the condition */
        for (int i = 0; i < 2; i++) {
            launch(x);
            if (initial)
                LIST(1, 3, 4);
            else
                LIST(2, 4);
        }
        OK(cudaGraphExecDestroy(x));
    }
}

static void while_node(void **state)
{
    cudaGraph_t g, *body;
    OK(cudaGraphCreate(&g, 0));
    cudaGraphConditionalHandle h = condition(g, 1);
    cudaGraphNode_t first = add(g, 9, NULL), loop = conditional(g, h, cudaGraphCondTypeWhile, 1, &first, &body);
    cudaGraphNode_t inner = add(body[0], 5, NULL);
    add_step(body[0], 6, h, 6, &inner);
    add(g, 8, &loop);
    cudaGraphExec_t x = instantiate(g);
    for (int i = 0; i < 2; i++) {
        launch(x);
        LIST(9, 5, 6, 5, 6, 5, 6, 8);
    }
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

static void switch_node(void **state)
{
    for (unsigned value = 0; value < 4; value++) {
        cudaGraph_t g, *bodies;
        OK(cudaGraphCreate(&g, 0));
        cudaGraphConditionalHandle h = condition(g, value);
        conditional(g, h, cudaGraphCondTypeSwitch, 3, NULL, &bodies);
        for (int i = 0; i < 3; i++)
            add(bodies[i], 10 + i, NULL);
        cudaGraphExec_t x = instantiate(g);
        launch(x);
        if (value < 3)
            LIST(10 + (int)value);
        else
            check_list(0, NULL);
        OK(cudaGraphExecDestroy(x));
        OK(cudaGraphDestroy(g));
    }
}

/* if (1) while (1) { append 1; switch (2) ... } */
static void nested(void **state)
{
    cudaGraph_t g, *outer, *loop, *cases;
    OK(cudaGraphCreate(&g, 0));
    cudaGraphConditionalHandle a = condition(g, 1), b = condition(g, 1), c = condition(g, 2);
    conditional(g, a, cudaGraphCondTypeIf, 1, NULL, &outer);
    conditional(outer[0], b, cudaGraphCondTypeWhile, 1, NULL, &loop);
    cudaGraphNode_t first = add_step(loop[0], 1, b, 4, NULL);
    conditional(loop[0], c, cudaGraphCondTypeSwitch, 3, &first, &cases);
    add(cases[2], 2, NULL);
    cudaGraphExec_t x = instantiate(g);
    launch(x);
    LIST(1, 2, 1, 2, 1, 2);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

/* ---- changes, errors ---- */

static void changes(void **state)
{
    cudaGraph_t g, *body;
    int five = 5;
    void *args[] = {&list, &five};
    struct cudaKernelNodeParams p = {append, {1, 1, 1}, {1, 1, 1}, 0, args, NULL};
    struct cudaGraphNodeParams q = {.type = cudaGraphNodeTypeKernel};
    cudaGraphNode_t bad;
    enum cudaGraphExecUpdateResult result;
    OK(cudaGraphCreate(&g, 0));
    cudaGraphConditionalHandle h = condition(g, 1);
    conditional(g, h, cudaGraphCondTypeIf, 1, NULL, &body);
    cudaGraphNode_t node = add(body[0], 1, NULL);
    cudaGraphExec_t x = instantiate(g);
    OK(cudaGraphExecKernelNodeSetParams(x, node, &p));   /* a node of the body */
    launch(x);
    LIST(5);
    q.kernel.func = append;
    q.kernel.gridDim = (dim3){1, 1, 1};
    q.kernel.blockDim = (dim3){1, 1, 1};
    five = 7;
    q.kernel.kernelParams = args;
    OK(cudaGraphNodeSetParams(node, &q));
    OK(cudaGraphExecUpdate(x, g, &bad, &result));
    assert_int_equal(result, cudaGraphExecUpdateSuccess);
    launch(x);
    LIST(7);
    cudaGraph_t other, *bodies;                    /* another condition */
    OK(cudaGraphCreate(&other, 0));
    conditional(other, condition(other, 1), cudaGraphCondTypeIf, 1, NULL, &bodies);
    GIVES(cudaGraphExecUpdate(x, other, &bad, &result), cudaErrorGraphExecUpdateFailure);
    assert_int_equal(result, cudaGraphExecUpdateErrorParametersChanged);
    OK(cudaGraphExecDestroy(x));
}

static void wrong(void **state)
{
    cudaGraph_t g, *body;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle h = 0;
    cudaEvent_t event;
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional};
    OK(cudaGraphCreate(&g, 0));
    GIVES(cudaGraphConditionalHandleCreate(&h, NULL, 0, 0), cudaErrorInvalidValue);
    GIVES(cudaGraphConditionalHandleCreate(&h, g, 0, 2), cudaErrorInvalidValue);
    GIVES(cudaGraphConditionalHandleCreate(NULL, g, 0, 0), cudaErrorInvalidValue);
    GIVES(cudaGraphAddNode(&node, g, NULL, 0, &p), cudaErrorInvalidValue);        /* no condition */
    h = condition(g, 1);
    p.conditional.handle = h;
    for (unsigned type = 0; type < 4; type++)
        for (unsigned size = 0; size < 4; size++) {
            int valid = type == 0 ? size == 1 || size == 2 : type == 1 ? size == 1 : type == 2 && size;
            p.conditional.type = (enum cudaGraphConditionalNodeType)type;
            p.conditional.size = size;
            GIVES(cudaGraphAddNode(&node, g, NULL, 0, &p), valid ? cudaSuccess : cudaErrorInvalidValue);
        }
    conditional(g, h, cudaGraphCondTypeIf, 1, NULL, &body);
    OK(cudaEventCreate(&event));
    GIVES(cudaGraphAddEventRecordNode(&node, body[0], NULL, 0, event), cudaErrorNotSupported);
    GIVES(cudaGraphDestroy(body[0]), cudaErrorInvalidValue);
    GIVES(cudaGraphAddNode(&node, g, NULL, 0, NULL), cudaErrorInvalidValue);
    OK(cudaGraphDestroy(g));
    OK(cudaGraphCreate(&g, 0));
    p.conditional.handle = h;                      /* it ended with its graph */
    p.conditional.type = cudaGraphCondTypeIf;
    p.conditional.size = 1;
    GIVES(cudaGraphAddNode(&node, g, NULL, 0, &p), cudaErrorInvalidValue);
}

/* A loop whose kernel faults ends, and the next call reports the fault. */
static void fault_in_a_loop(void **state)
{
    cudaGraph_t g, *body;
    OK(cudaGraphCreate(&g, 0));
    conditional(g, condition(g, 1), cudaGraphCondTypeWhile, 1, NULL, &body);
    add_kernel(body[0], fault, NULL, NULL);
    cudaGraphExec_t x = instantiate(g);
    OK(cudaGraphLaunch(x, NULL));
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

/* A launch that is captured, and a context that ends with the word of the condition. */
static void life_of_conditions(void **state)
{
    cudaGraph_t g, *body, outer;
    cudaStream_t s;
    OK(cudaGraphCreate(&g, 0));
    cudaGraphConditionalHandle h = condition(g, 1);
    conditional(g, h, cudaGraphCondTypeWhile, 1, NULL, &body);
    add_step(body[0], 1, h, 3, NULL);
    cudaGraphExec_t x = instantiate(g);
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamEndCapture(s, &outer));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    x = instantiate(outer);
    launch(x);
    LIST(1, 1, 1);
    OK(cudaGraphExecDestroy(x));
    CUcontext c;
    CU(cuCtxCreate(&c, 0, 0));
    OK(cudaGraphCreate(&g, 0));
    h = condition(g, 1);
    conditional(g, h, cudaGraphCondTypeIf, 1, NULL, &body);
    x = instantiate(g);
    CU(cuCtxDestroy(c));
    GIVES(cudaGraphLaunch(x, NULL), cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

/* ---- capture to a graph ---- */

static void append_on(cudaStream_t s, int value)
{
    void *args[] = {&list, &value};
    OK(cudaLaunchKernel(append, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, s));
}

static void capture_to_graph(void **state)
{
    cudaGraph_t g, *body, got = NULL;
    cudaStream_t s, t;
    cudaEvent_t event;
    size_t n;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&event));
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t first = add(g, 1, NULL);
    add(g, 2, &first);                             /* not joined by the capture, and need not be */
    OK(cudaStreamBeginCaptureToGraph(s, g, &first, NULL, 1, cudaStreamCaptureModeGlobal));
    append_on(s, 3);
    OK(cudaStreamEndCapture(s, &got));
    assert_ptr_equal(got, g);
    OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    assert_int_equal(n, 2);
    conditional(g, condition(g, 1), cudaGraphCondTypeIf, 1, &first, &body);
    OK(cudaStreamBeginCaptureToGraph(s, body[0], NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    append_on(s, 4);
    append_on(s, 5);
    OK(cudaStreamEndCapture(s, &got));
    assert_ptr_equal(got, body[0]);
    cudaGraphExec_t x = instantiate(g);
    launch(x);
    LIST(1, 2, 3, 4, 5);
    /* Failures leave the graph: a stream that has not joined, then no capture at all. */
    OK(cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event, s));
    OK(cudaStreamWaitEvent(t, event, 0));
    append_on(t, 6);
    GIVES(cudaStreamEndCapture(s, &got), cudaErrorStreamCaptureUnjoined);
    OK(cudaGraphGetNodes(g, NULL, &n));
    assert_int_equal(n, 5);
    cudaGraph_t other;
    OK(cudaGraphCreate(&other, 0));
    GIVES(cudaStreamBeginCaptureToGraph(s, other, &first, NULL, 1, cudaStreamCaptureModeGlobal), cudaErrorInvalidValue);
    GIVES(cudaStreamBeginCaptureToGraph(s, NULL, NULL, NULL, 0, cudaStreamCaptureModeGlobal), cudaErrorInvalidValue);
    OK(cudaStreamBeginCaptureToGraph(s, other, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    append_on(s, 1);
    OK(cudaGraphDestroy(other));
    GIVES(cudaStreamEndCapture(s, &got), cudaErrorStreamCaptureInvalidated);
    assert_null(got);
}

/* ---- parameters of copies ---- */

static void copy_parameters(void **state)
{
    char host[6][32] = {{0}}, *p;
    size_t pitch;
    cudaGraph_t g;
    cudaGraphNode_t node;
    struct cudaMemcpy3DParms in = {0}, out;
    CUDA_MEMCPY3D driver;
    OK(cudaMallocPitch((void **)&p, &pitch, 32, 6));
    in.srcPtr = make_cudaPitchedPtr(host, 32, 32, 3);
    in.dstPtr = make_cudaPitchedPtr(p, pitch, 32, 3);
    in.extent = make_cudaExtent(16, 2, 2);
    in.kind = cudaMemcpyHostToDevice;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemcpyNode(&node, g, NULL, 0, &in));
    OK(cudaGraphMemcpyNodeGetParams(node, &out));
    assert_true(out.srcPtr.ptr == host && out.srcPtr.pitch == 32 && out.srcPtr.ysize == 3 && !out.srcArray);
    assert_true(out.dstPtr.ptr == p && out.dstPtr.pitch == pitch && out.dstPtr.ysize == 3 && !out.dstArray);
    assert_true(out.extent.width == 16 && out.extent.height == 2 && out.extent.depth == 2);
    assert_int_equal(out.kind, cudaMemcpyHostToDevice);
    CU(cuGraphMemcpyNodeGetParams(node, &driver));
    assert_true(driver.srcMemoryType == CU_MEMORYTYPE_HOST && driver.srcHost == host && driver.srcPitch == 32);
    assert_true(driver.dstMemoryType == CU_MEMORYTYPE_DEVICE && driver.dstDevice == (CUdeviceptr)(uintptr_t)p);
    assert_true(driver.WidthInBytes == 16 && driver.Height == 2 && driver.Depth == 2 && driver.dstHeight == 3);
    CU(cuGraphMemcpyNodeSetParams(node, &driver)); /* and they are accepted again */
    OK(cudaGraphMemcpyNodeSetParams(node, &out));
    cudaArray_t a;
    struct cudaChannelFormatDesc f = {32, 32, 0, 0, cudaChannelFormatKindFloat};
    OK(cudaMallocArray(&a, &f, 8, 4, 0));
    in = (struct cudaMemcpy3DParms){.srcArray = a, .srcPos = {2, 1, 0}, .dstPtr = {p, pitch, 32, 3},
                                    .extent = {4, 2, 1}, .kind = cudaMemcpyDeviceToDevice};
    OK(cudaGraphAddMemcpyNode(&node, g, NULL, 0, &in));
    OK(cudaGraphMemcpyNodeGetParams(node, &out));
    assert_true(out.srcArray == a && out.srcPos.x == 2 && out.srcPos.y == 1 && out.extent.width == 4);
    CU(cuGraphMemcpyNodeGetParams(node, &driver));
    assert_true(driver.srcMemoryType == CU_MEMORYTYPE_ARRAY && driver.srcXInBytes == 16 && driver.WidthInBytes == 32);
    OK(cudaGraphAddEmptyNode(&node, g, NULL, 0));
    GIVES(cudaGraphMemcpyNodeGetParams(node, &out), cudaErrorInvalidValue);
}

/* ---- data of edges ---- */

static void check_data(const cudaGraphEdgeData *got, const cudaGraphEdgeData *expected)
{
    assert_memory_equal(got, expected, sizeof *got);
}

static void edge_data(void **state)
{
    static const cudaGraphEdgeData plain;
    cudaGraphEdgeData program = {.from_port = cudaGraphKernelNodePortProgrammatic,
                                 .type = cudaGraphDependencyTypeProgrammatic};
    cudaGraphEdgeData started = {.from_port = cudaGraphKernelNodePortLaunchCompletion}, got[3];
    cudaGraph_t g, copy;
    cudaGraphNode_t from[3], to[3], empty, found;
    size_t n = 3;
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t a = add(g, 1, NULL), b = add(g, 2, NULL), c = add(g, 3, &b);
    OK(cudaGraphAddDependencies_v2(g, &a, &b, &program, 1));
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeEmpty};
    OK(cudaGraphAddNode_v2(&empty, g, &c, &started, 1, &p));
    GIVES(cudaGraphAddNode_v2(&found, g, &c, &program, 1, &p), cudaErrorInvalidValue);    /* joins kernels only */
    GIVES(cudaGraphAddDependencies_v2(g, &empty, &a, &started, 1), cudaErrorInvalidValue); /* no port of a kernel */
    program.from_port = 0;
    GIVES(cudaGraphAddDependencies_v2(g, &a, &c, &program, 1), cudaErrorInvalidValue);
    program.from_port = cudaGraphKernelNodePortProgrammatic;
    OK(cudaGraphGetEdges_v2(g, from, to, got, &n));
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++)
        check_data(&got[i], from[i] == a ? &program : from[i] == b ? &plain : &started);
    GIVES(cudaGraphGetEdges(g, from, to, &n), cudaErrorLossyQuery);
    OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    OK(cudaGraphNodeGetDependencies(c, from, &n));                   /* an ordinary edge */
    GIVES(cudaGraphNodeGetDependencies(b, from, &n), cudaErrorLossyQuery);
    n = 1;
    OK(cudaGraphNodeGetDependentNodes_v2(c, to, got, &n));
    assert_ptr_equal(to[0], empty);
    check_data(&got[0], &started);
    OK(cudaGraphClone(&copy, g));
    OK(cudaGraphNodeFindInClone(&found, b, copy));
    OK(cudaGraphNodeGetDependencies_v2(found, from, got, &n));
    check_data(&got[0], &program);
    cudaGraphExec_t x = instantiate(g);
    launch(x);
    LIST(1, 2, 3);
    GIVES(cudaGraphRemoveDependencies(g, &a, &b, 1), cudaErrorInvalidValue);
    OK(cudaGraphRemoveDependencies_v2(g, &a, &b, &program, 1));
    OK(cudaGraphAddDependencies(g, &a, &b, 1));
    OK(cudaGraphNodeGetDependencies(b, from, &n));
    OK(cudaGraphNodeGetDependencies_v2(b, from, got, &n));
    check_data(&got[0], &plain);
}

/* ---- the driver API ---- */

static CUgraphNodeParams kernel_params(CUfunction f, void **args)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    p.kernel.func = f;
    p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
    p.kernel.blockDimX = p.kernel.blockDimY = p.kernel.blockDimZ = 1;
    p.kernel.kernelParams = args;
    return p;
}

static void driver_nodes(void **state)
{
    CUgraph g;
    CUgraphExec x;
    CUgraphNode node[6], from, got, in_body;
    CUgraphEdgeData data, other = {.type = 1};
    CUgraphConditionalHandle h;
    CUdeviceptr word;
    CUevent event;
    int one = 1, two = 2, three = 3, limit = 3;
    unsigned result = 0;
    size_t n = 1;
    void *first[] = {&list, &one}, *second[] = {&list, &two}, *loop[] = {&list, &three, &h, &limit};
    CU(cuGraphCreate(&g, 0));
    CU(cuMemAlloc(&word, 4));
    CU(cuEventCreate(&event, 0));
    CUgraphNodeParams p = kernel_params(append, first);
    CU(cuGraphAddNode(&node[0], g, NULL, 0, &p));
    CU(cuGraphConditionalHandleCreate(&h, g, NULL, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    p = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    p.conditional.handle = h;
    p.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    p.conditional.size = 1;
    CU(cuGraphAddNode_v2(&node[1], g, &node[0], NULL, 1, &p));
    CUgraph body = p.conditional.phGraph_out[0];
    p = kernel_params(step, loop);
    CU(cuGraphAddNode(&in_body, body, NULL, 0, &p));
    p = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMSET};
    p.memset.dst = word;
    p.memset.value = 77;
    p.memset.elementSize = 4;
    p.memset.width = p.memset.height = 1;
    CU(cuGraphAddNode(&node[2], g, &node[1], 1, &p));
    p = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMCPY};
    p.memcpy.copyParams = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = word,
                                          .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = &result,
                                          .WidthInBytes = 4, .Height = 1, .Depth = 1};
    CU(cuGraphAddNode(&node[3], g, &node[2], 1, &p));
    p = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD};
    p.eventRecord.event = event;
    CU(cuGraphAddNode(&node[4], g, &node[3], 1, &p));
    p = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EMPTY};
    CU(cuGraphAddNode(&node[5], g, &node[4], 1, &p));
    p.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
    assert_int_equal(cuGraphAddNode(&got, g, NULL, 0, &p), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(cuGraphAddNode(&got, g, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);

    memset(&data, 0xab, sizeof data);
    CU(cuGraphNodeGetDependencies_v2(node[2], &from, &data, &n));
    assert_true(n == 1 && from == node[1] && !data.type && !data.from_port && !data.to_port);
    CU(cuGraphNodeGetDependentNodes_v2(node[2], &from, &data, &n));
    assert_ptr_equal(from, node[3]);
    n = 0;
    CU(cuGraphGetEdges_v2(g, NULL, NULL, NULL, &n));
    assert_int_equal(n, 5);
    CU(cuGraphRemoveDependencies_v2(g, &node[4], &node[5], NULL, 1));
    CU(cuGraphAddDependencies_v2(g, &node[3], &node[5], NULL, 1));
    assert_int_equal(cuGraphAddDependencies_v2(g, &node[2], &node[5], &other, 1), CUDA_ERROR_INVALID_VALUE);

    CUlaunchAttributeValue v = {.priority = -3}, w;
    CU(cuGraphKernelNodeSetAttribute(node[0], CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
    CU(cuGraphKernelNodeCopyAttributes(in_body, node[0]));
    CU(cuGraphKernelNodeGetAttribute(in_body, CU_LAUNCH_ATTRIBUTE_PRIORITY, &w));
    assert_int_equal(w.priority, -3);
    assert_int_equal(cuGraphKernelNodeGetAttribute(node[2], CU_LAUNCH_ATTRIBUTE_PRIORITY, &w),
                     CUDA_ERROR_INVALID_VALUE);

    CU(cuGraphInstantiateWithFlags(&x, g, 0));
    CU(cuGraphLaunch(x, NULL));
    CU(cuCtxSynchronize());
    LIST(1, 3, 3);
    assert_int_equal(result, 77);
    p = kernel_params(append, second);
    CU(cuGraphExecNodeSetParams(x, node[0], &p));
    CU(cuGraphLaunch(x, NULL));
    LIST(2, 3, 3);
    CU(cuGraphNodeSetParams(node[0], &p));
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    assert_int_equal(cuGraphNodeSetParams(node[1], &p), CUDA_ERROR_NOT_SUPPORTED);
    p = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_HOST};
    assert_int_equal(cuGraphNodeSetParams(node[0], &p), CUDA_ERROR_INVALID_VALUE);
    CU(cuGraphExecDestroy(x));
    CU(cuGraphDestroy(g));
}

#define WITH_LIST(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_LIST(if_node), WITH_LIST(while_node), WITH_LIST(switch_node), WITH_LIST(nested), WITH_LIST(changes),
        WITH_LIST(wrong), WITH_LIST(fault_in_a_loop), WITH_LIST(life_of_conditions), WITH_LIST(capture_to_graph),
        WITH_LIST(copy_parameters), WITH_LIST(edge_data), WITH_LIST(driver_nodes),
    };
    return finish("conditional", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
