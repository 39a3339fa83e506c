/* Graphs and stream capture of both APIs. Kernels append numbers to a list in device memory, so the order in which
 * nodes run is seen; the lists that are allowed follow from the dependencies. */
#include "regress/cudart/list.h"
#include "frontend/cuda/include/cuda.h"

#include <pthread.h>

#define CU(call) assert_int_equal(call, CUDA_SUCCESS)

static const char ptx[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".visible .entry append(.param .u64 list, .param .u32 value)\n{\n    .reg .b32 %r<4>;\n    .reg .b64 %rd<4>;\n"
    APPEND "    ret;\n}\n";

static CUfunction append;

static int setup(void **state)
{
    static CUmodule module;
    cudaSetDevice(0);
    return cudaDeviceReset() || new_list() ||
           cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&append, module, "append");
}

static cudaGraphNode_t add(cudaGraph_t g, int value, const cudaGraphNode_t *deps, size_t n)
{
    cudaGraphNode_t node;
    void *args[] = {&list, &value};
    struct cudaKernelNodeParams p = {append, {1, 1, 1}, {1, 1, 1}, 0, args, NULL};
    OK(cudaGraphAddKernelNode(&node, g, deps, n, &p));
    return node;
}

static void call(cudaStream_t s, int value)
{
    void *args[] = {&list, &value};
    OK(cudaLaunchKernel(append, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, s));
}

static void count(void *data)
{
    ++*(int *)data;
}

/* ---- explicit nodes ---- */

static void order_of_nodes(void **state)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t bad = (cudaGraphNode_t)1;
    char log[16] = "x";
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t c = add(g, 3, NULL, 0), b = add(g, 2, NULL, 0), a = add(g, 1, NULL, 0);
    OK(cudaGraphAddDependencies(g, (cudaGraphNode_t[]){a, b}, (cudaGraphNode_t[]){b, c}, 2));
    OK(cudaGraphInstantiate(&x, g, &bad, log, sizeof log));
    assert_null(bad);
    assert_string_equal(log, "");
    OK(cudaGraphLaunch(x, NULL));
    OK(cudaGraphLaunch(x, NULL));
    LIST(1, 2, 3, 1, 2, 3);
    OK(cudaGraphDestroy(g));                       /* an executable graph does not need its graph */
    OK(cudaGraphLaunch(x, NULL));
    LIST(1, 2, 3);
    OK(cudaGraphExecDestroy(x));
    GIVES(cudaGraphLaunch(x, NULL), cudaErrorInvalidValue);
    GIVES(cudaGraphDestroy(g), cudaErrorInvalidValue);
}

static void every_kind_of_node(void **state)
{
    cudaGraph_t g, child;
    cudaGraphExec_t x;
    cudaGraphNode_t n[7];
    enum cudaGraphNodeType type;
    cudaEvent_t event;
    int out[4] = {0}, calls = 0, *copy;
    float ms;
    OK(cudaMalloc((void **)&copy, sizeof out));
    OK(cudaEventCreate(&event));
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphCreate(&child, 0));
    add(child, 9, NULL, 0);
    struct cudaMemsetParams fill = {copy, 0, 0x01020304, 4, 4, 1};
    struct cudaHostNodeParams host = {count, &calls};
    OK(cudaGraphAddMemsetNode(&n[0], g, NULL, 0, &fill));
    OK(cudaGraphAddMemcpyNode1D(&n[1], g, n, 1, out, copy, sizeof out, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddHostNode(&n[2], g, n + 1, 1, &host));
    OK(cudaGraphAddEmptyNode(&n[3], g, n + 2, 1));
    OK(cudaGraphAddChildGraphNode(&n[4], g, n + 3, 1, child));
    OK(cudaGraphAddEventRecordNode(&n[5], g, n + 4, 1, event));
    n[6] = add(g, 5, n + 5, 1);
    OK(cudaGraphDestroy(child));                   /* the node has a copy */
    static const enum cudaGraphNodeType types[] = {
        cudaGraphNodeTypeMemset, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeHost, cudaGraphNodeTypeEmpty,
        cudaGraphNodeTypeGraph, cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeKernel};
    for (int i = 0; i < 7; i++) {
        OK(cudaGraphNodeGetType(n[i], &type));
        assert_int_equal(type, types[i]);
    }
    OK(cudaGraphInstantiateWithFlags(&x, g, 0));
    assert_int_equal(calls, 0);
    OK(cudaGraphLaunch(x, NULL));
    assert_int_equal(calls, 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(out[i], 0x01020304);
    OK(cudaEventElapsedTime(&ms, event, event));
    LIST(9, 5);
    fill.value = 7;
    OK(cudaGraphExecMemsetNodeSetParams(x, n[0], &fill));
    OK(cudaGraphLaunch(x, NULL));
    assert_int_equal(out[3], 7);
    fill.elementSize = 3;
    GIVES(cudaGraphExecMemsetNodeSetParams(x, n[0], &fill), cudaErrorInvalidValue);
    GIVES(cudaGraphExecHostNodeSetParams(x, n[0], &host), cudaErrorInvalidValue);    /* another kind */
}

static void parameters_of_nodes(void **state)
{
    cudaGraph_t g, clone;
    cudaGraphExec_t x;
    cudaGraphNode_t a, in_clone;
    struct cudaKernelNodeParams p;
    int value = 4;
    OK(cudaGraphCreate(&g, 0));
    a = add(g, 1, NULL, 0);
    OK(cudaGraphKernelNodeGetParams(a, &p));
    assert_int_equal(*(int *)p.kernelParams[1], 1);
    OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(cudaGraphClone(&clone, g));
    OK(cudaGraphNodeFindInClone(&in_clone, a, clone));
    p.kernelParams = (void *[]){&list, &value};
    OK(cudaGraphKernelNodeSetParams(a, &p));       /* neither the clone nor the executable graph changes */
    OK(cudaGraphLaunch(x, NULL));
    value = 6;
    OK(cudaGraphExecKernelNodeSetParams(x, a, &p));
    OK(cudaGraphLaunch(x, NULL));
    LIST(1, 6);
    OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(cudaGraphLaunch(x, NULL));
    OK(cudaGraphInstantiate(&x, clone, NULL, NULL, 0));
    OK(cudaGraphLaunch(x, NULL));
    LIST(4, 1);
}

static void lists_of_nodes(void **state)
{
    cudaGraph_t g;
    cudaGraphNode_t all[4], from[4], to[4];
    size_t n = 0;
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t a = add(g, 1, NULL, 0), b = add(g, 2, &a, 1), c = add(g, 3, (cudaGraphNode_t[]){a, b}, 2);
    OK(cudaGraphGetNodes(g, NULL, &n));
    assert_int_equal(n, 3);
    n = 4;
    OK(cudaGraphGetNodes(g, all, &n));
    assert_int_equal(n, 3);
    assert_null(all[3]);
    n = 4;
    OK(cudaGraphGetRootNodes(g, all, &n));
    assert_int_equal(n, 1);
    assert_ptr_equal(all[0], a);
    n = 4;
    OK(cudaGraphGetEdges(g, from, to, &n));
    assert_int_equal(n, 3);
    n = 4;
    OK(cudaGraphNodeGetDependencies(c, all, &n));
    assert_int_equal(n, 2);
    n = 4;
    OK(cudaGraphNodeGetDependentNodes(a, all, &n));
    assert_int_equal(n, 2);
    OK(cudaGraphRemoveDependencies(g, &a, &c, 1));
    GIVES(cudaGraphRemoveDependencies(g, &a, &c, 1), cudaErrorInvalidValue);
    OK(cudaGraphDestroyNode(b));
    n = 4;
    OK(cudaGraphGetRootNodes(g, all, &n));
    assert_int_equal(n, 2);
    GIVES(cudaGraphDestroyNode(b), cudaErrorInvalidValue);
}

static void wrong_graphs(void **state)
{
    cudaGraph_t g, other;
    cudaGraphExec_t x;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphCreate(&other, 0));
    cudaGraphNode_t a = add(g, 1, NULL, 0), b = add(g, 2, &a, 1), c = add(other, 3, NULL, 0);
    OK(cudaGraphAddDependencies(g, &b, &a, 1));
    GIVES(cudaGraphInstantiate(&x, g, NULL, NULL, 0), cudaErrorInvalidValue);        /* a cycle */
    GIVES(cudaGraphAddDependencies(g, &b, &a, 1), cudaErrorInvalidValue);            /* twice */
    GIVES(cudaGraphAddDependencies(g, &a, &c, 1), cudaErrorInvalidValue);            /* of another graph */
    GIVES(cudaGraphAddEmptyNode(&node, g, &c, 1), cudaErrorInvalidValue);
    GIVES(cudaGraphAddHostNode(&node, g, NULL, 0, &(struct cudaHostNodeParams){0}), cudaErrorInvalidValue);
    GIVES(cudaGraphCreate(&g, 1), cudaErrorInvalidValue);
}

static void updates(void **state)
{
    cudaGraph_t g, same, longer, different;
    cudaGraphExec_t x;
    cudaGraphNode_t a, bad;
    enum cudaGraphExecUpdateResult result;
    OK(cudaGraphCreate(&g, 0));
    a = add(g, 1, NULL, 0);
    add(g, 2, &a, 1);
    OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(cudaGraphCreate(&same, 0));
    a = add(same, 5, NULL, 0);
    add(same, 6, &a, 1);
    OK(cudaGraphExecUpdate(x, same, &bad, &result));
    assert_int_equal(result, cudaGraphExecUpdateSuccess);
    OK(cudaGraphLaunch(x, NULL));
    LIST(5, 6);
    OK(cudaGraphCreate(&longer, 0));
    add(longer, 1, NULL, 0);
    GIVES(cudaGraphExecUpdate(x, longer, &bad, &result), cudaErrorGraphExecUpdateFailure);
    assert_int_equal(result, cudaGraphExecUpdateErrorTopologyChanged);
    OK(cudaGraphCreate(&different, 0));
    a = add(different, 1, NULL, 0);
    OK(cudaGraphAddEmptyNode(&a, different, &a, 1));
    GIVES(cudaGraphExecUpdate(x, different, &bad, &result), cudaErrorGraphExecUpdateFailure);
    assert_int_equal(result, cudaGraphExecUpdateErrorNodeTypeChanged);
    assert_ptr_equal(bad, a);
    OK(cudaGraphLaunch(x, NULL));
    LIST(5, 6);
}

/* ---- capture ---- */

static void captured_stream(void **state)
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    enum cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    int calls = 0, value[2] = {3, 77}, out = 0, *p;
    size_t n;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc((void **)&p, 8));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaStreamGetCaptureInfo(s, &status, &id));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    assert_true(id > 0);
    call(s, 1);
    OK(cudaMemcpyAsync(p, value, 8, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyAsync(&out, p + 1, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaLaunchHostFunc(s, count, &calls));
    OK(cudaMemsetAsync(p, 0, 8, s));
    call(s, 2);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaStreamIsCapturing(s, &status));
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    LIST();
    assert_int_equal(calls + out, 0);              /* nothing has run */
    OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    assert_int_equal(n, 5);
    OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
    value[1] = 78;                                 /* read when the graph runs */
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    assert_int_equal(out, 78);
    assert_int_equal(calls, 1);
    LIST(1, 2);
}

static void fork_and_join(void **state)
{
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t g;
    cudaGraphExec_t x;
    size_t n;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    call(s, 1);
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    call(t, 2);
    call(t, 3);
    OK(cudaEventRecord(join, t));
    GIVES(cudaStreamEndCapture(t, &g), cudaErrorStreamCaptureUnmatched);
    OK(cudaStreamWaitEvent(s, join, 0));
    call(s, 4);
    GIVES(cudaEventQuery(fork), cudaErrorCapturedEvent);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    assert_int_equal(n, 4);                        /* 1-2, 2-3, and 4 after both 1 and 3 */
    OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(cudaGraphLaunch(x, t));
    LIST(1, 2, 3, 4);
    GIVES(cudaStreamWaitEvent(s, fork, 0), cudaErrorCapturedEvent);  /* of a capture that has ended */
}

static void *allocate(void *result)
{
    void *p;
    *(cudaError_t *)result = cudaMalloc(&p, 4);
    return NULL;
}

static cudaError_t allocate_in_another_thread(void)
{
    pthread_t t;
    cudaError_t e = cudaErrorUnknown;
    assert_int_equal(pthread_create(&t, NULL, allocate, &e), 0);
    pthread_join(t, NULL);
    return e;
}

/* Allocations by the mode of the capture and of the thread; a wait for the device is an error in every mode. */
static void unsafe_in_a_capture(void **state)
{
    enum cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;
    cudaStream_t s;
    cudaGraph_t g;
    void *p, *q;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaMalloc(&p, 4));

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    assert_int_equal(allocate_in_another_thread(), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    OK(allocate_in_another_thread());
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    GIVES(cudaFree(p), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMallocHost(&q, 4));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaThreadExchangeStreamCaptureMode(&relaxed));
    OK(cudaFreeHost(q));
    OK(cudaThreadExchangeStreamCaptureMode(&relaxed));
    GIVES(cudaMallocManaged(&q, 4, cudaMemAttachGlobal), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    GIVES(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    OK(cudaDeviceSynchronize());
    OK(cudaFree(p));
    OK(cudaStreamDestroy(s));
}

static void forbidden_in_a_capture(void **state)
{
    cudaStream_t s, t;
    cudaEvent_t event;
    cudaGraph_t g;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&event));
    GIVES(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(s, &g), cudaErrorIllegalState);

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    GIVES(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
    GIVES(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    assert_null(g);

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    GIVES(cudaMemsetAsync(list, 0, 4, NULL), cudaErrorStreamCaptureImplicit);        /* the legacy stream */
    GIVES(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event, s));
    OK(cudaStreamWaitEvent(t, event, 0));
    call(t, 1);
    GIVES(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureUnjoined);

    OK(cudaEventRecord(event, t));                 /* outside of any capture */
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    GIVES(cudaStreamWaitEvent(s, event, 0), cudaErrorStreamCaptureIsolation);
    GIVES(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    OK(cudaMemset(list, 0, 256));                  /* and afterwards all is as before */
}

static void captured_allocation(void **state)
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    int *p, out = 0;
    size_t before, after, total;
    OK(cudaMemGetInfo(&before, &total));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync((void **)&p, 1 << 16, s));
    OK(cudaMemsetAsync(p, 5, 1 << 16, s));
    OK(cudaMemcpyAsync(&out, p, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
    for (int i = 0; i < 3; i++) {
        out = 0;
        OK(cudaGraphLaunch(x, s));
        assert_int_equal(out, 0x05050505);
    }
    OK(cudaGraphDestroy(g));
    OK(cudaGraphLaunch(x, s));
    OK(cudaGraphExecDestroy(x));
    OK(cudaMemGetInfo(&after, &total));
    assert_int_equal(before, after);
}

/* ---- the driver API on the same graphs ---- */

static void driver_graphs(void **state)
{
    CUgraph g;
    CUgraphExec x;
    CUgraphNode a, b;
    CUgraphNodeType type;
    CUstream s;
    int one = 1, two = 2;
    void *first[] = {&list, &one}, *second[] = {&list, &two};
    CUDA_KERNEL_NODE_PARAMS p = {append, 1, 1, 1, 1, 1, 1, 0, first, NULL};
    CU(cuGraphCreate(&g, 0));
    CU(cuGraphAddKernelNode(&a, g, NULL, 0, &p));
    p.kernelParams = second;
    CU(cuGraphAddKernelNode(&b, g, &a, 1, &p));
    CU(cuGraphNodeGetType(b, &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_KERNEL);
    CU(cuGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(cudaGraphLaunch(x, NULL));
    LIST(1, 2);
    CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    CU(cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, s, first, NULL));
    CU(cuGraphLaunch(x, s));                       /* becomes a node */
    CU(cuStreamEndCapture(s, &g));
    LIST();
    OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
    CU(cuGraphLaunch(x, s));
    LIST(1, 1, 2);
    assert_int_equal(cuGraphLaunch(NULL, s), CUDA_ERROR_INVALID_VALUE);
}

/* Parameters and instances of nodes, events, allocations and user objects by the driver API. */
static void driver_nodes(void **state)
{
    CUgraph g, inner, got_graph;
    CUgraphExec x;
    CUgraphNode alloc, fill, record, host, kernel, child, release;
    CUevent event, other, got_event;
    CUuserObject object;
    CUdeviceptr freed;
    int one = 1, two = 2, calls = 0, ended = 0, out[4] = {0};
    unsigned on;
    void *first[] = {&list, &one}, *second[] = {&list, &two};
    CUDA_KERNEL_NODE_PARAMS k = {append, 1, 1, 1, 1, 1, 1, 0, first, NULL}, got_kernel;
    CUDA_MEM_ALLOC_NODE_PARAMS a = {.bytesize = 64}, got_alloc;
    CUDA_HOST_NODE_PARAMS h = {count, &calls}, got_host;
    a.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    a.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CU(cuGraphCreate(&g, 0));
    CU(cuGraphCreate(&inner, 0));
    CU(cuGraphAddKernelNode(&kernel, inner, NULL, 0, &k));
    CU(cuEventCreate(&event, 0));
    CU(cuEventCreate(&other, 0));
    CU(cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &a));
    CUDA_MEMSET_NODE_PARAMS f = {a.dptr, 0, 7, 4, 4, 1}, got_fill;
    CU(cuGraphAddMemsetNode(&fill, g, &alloc, 1, &f, NULL));
    CU(cuGraphAddEventRecordNode(&record, g, &fill, 1, event));
    CU(cuGraphAddHostNode(&host, g, &record, 1, &h));
    CU(cuGraphAddKernelNode(&kernel, g, &host, 1, &k));
    CU(cuGraphAddChildGraphNode(&child, g, &kernel, 1, inner));
    CU(cuGraphAddMemFreeNode(&release, g, &child, 1, a.dptr));
    assert_int_equal(cuGraphAddMemFreeNode(&release, g, NULL, 0, a.dptr + 4), CUDA_ERROR_INVALID_VALUE);

    CU(cuGraphMemAllocNodeGetParams(alloc, &got_alloc));
    assert_true(got_alloc.bytesize == 64 && got_alloc.dptr == a.dptr);
    CU(cuGraphMemFreeNodeGetParams(release, &freed));
    assert_true(freed == a.dptr);
    CU(cuGraphMemsetNodeGetParams(fill, &got_fill));
    assert_true(got_fill.dst == a.dptr && got_fill.value == 7 && got_fill.width == 4);
    CU(cuGraphHostNodeGetParams(host, &got_host));
    assert_ptr_equal(got_host.userData, &calls);
    CU(cuGraphKernelNodeGetParams(kernel, &got_kernel));
    assert_true(got_kernel.func == append && *(int *)got_kernel.kernelParams[1] == 1);
    CU(cuGraphEventRecordNodeGetEvent(record, &got_event));
    assert_ptr_equal(got_event, event);
    CU(cuGraphChildGraphNodeGetGraph(child, &got_graph));
    assert_int_equal(cuGraphHostNodeGetParams(kernel, &got_host), CUDA_ERROR_INVALID_VALUE);

    CU(cuGraphEventRecordNodeSetEvent(record, other));
    CU(cuUserObjectCreate(&object, &ended, count, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    assert_int_equal(cuGraphReleaseUserObject(g, object, 1), CUDA_ERROR_INVALID_VALUE);
    CU(cuGraphRetainUserObject(g, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    CU(cuGraphRetainUserObject(g, object, 2, 0));
    assert_int_equal(cuGraphReleaseUserObject(g, object, 4), CUDA_ERROR_INVALID_VALUE);
    CU(cuGraphReleaseUserObject(g, object, 2));
    CU(cuGraphInstantiate(&x, g, NULL, NULL, 0));
    k.kernelParams = second;
    CU(cuGraphExecKernelNodeSetParams(x, kernel, &k));
    f.value = 9;
    CU(cuGraphExecMemsetNodeSetParams(x, fill, &f, NULL));
    CU(cuGraphLaunch(x, NULL));
    LIST(2, 1);
    CU(cuMemcpyDtoH(out, a.dptr, sizeof out));
    assert_true(out[0] == 9 && out[3] == 9 && calls == 1);
    assert_true(cuEventQuery(other) == CUDA_SUCCESS);
    CU(cuGraphNodeSetEnabled(x, kernel, 0));
    CU(cuGraphNodeGetEnabled(x, kernel, &on));
    assert_int_equal(on, 0);
    CU(cuGraphLaunch(x, NULL));
    LIST(1);
    CUgraphExecUpdateResultInfo info;
    CUDA_KERNEL_NODE_PARAMS_v2 later = {0};
    CU(cuGraphKernelNodeGetParams_v2(kernel, &later));
    assert_true(later.func == append && !later.kern);
    CU(cuGraphDestroyNode(host));
    assert_int_equal(cuGraphExecUpdate_v2(x, g, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    CU(cuGraphDestroy(g));
    assert_int_equal(ended, 0);
    CU(cuGraphExecDestroy(x));
    assert_int_equal(ended, 1);
    assert_int_equal(cuMemcpyDtoH(out, a.dptr, sizeof out), CUDA_ERROR_INVALID_VALUE);
    CU(cuGraphDestroy(inner));
}

#define WITH_LIST(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_LIST(order_of_nodes), WITH_LIST(every_kind_of_node), WITH_LIST(parameters_of_nodes),
        WITH_LIST(lists_of_nodes), WITH_LIST(wrong_graphs), WITH_LIST(updates), WITH_LIST(captured_stream),
        WITH_LIST(fork_and_join), WITH_LIST(forbidden_in_a_capture), WITH_LIST(unsafe_in_a_capture),
        WITH_LIST(captured_allocation),
        WITH_LIST(driver_graphs), WITH_LIST(driver_nodes),
    };
    return finish("graph", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
