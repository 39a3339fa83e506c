/* Functions of later releases: batches of copies, clusters, notifications, numbers of graphs, pools of locations,
 * memory operations of streams, and the launches of the first releases. Expected results are what the references of
 * CUDA 12.9 and 13.0 say. */
#include "regress/cudart/test.h"
#include "frontend/cuda/include/cuda.h"

#include <dlfcn.h>

static void check_result(CUresult got, CUresult expected, const char *what, int line)
{
    if (got != expected)
        fail_msg("line %d: %s gives %d, expected %d", line, what, (int)got, (int)expected);
}

#define CU(call) check_result(call, CUDA_SUCCESS, #call, __LINE__)
#define CU_GIVES(call, result) check_result(call, result, #call, __LINE__)

/* sum: *out = a + b + (int)c */
static const char ptx[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".visible .entry sum(.param .u64 out, .param .u32 a, .param .u32 b, .param .f32 c)\n{\n    .reg .b32 %r<5>;\n"
    "    .reg .f32 %f<2>;\n    .reg .b64 %rd<2>;\n    ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [a];\n"
    "    ld.param.u32 %r2, [b];\n    ld.param.f32 %f1, [c];\n    cvt.rzi.s32.f32 %r3, %f1;\n"
    "    add.u32 %r1, %r1, %r2;\n    add.u32 %r1, %r1, %r3;\n    mov.u32 %r4, %nctaid.x;\n"
    "    mul.lo.u32 %r1, %r1, %r4;\n    mov.u32 %r4, %ntid.y;\n    mul.lo.u32 %r1, %r1, %r4;\n"
    "    st.global.u32 [%rd1], %r1;\n    ret;\n}\n";

/* ---- batches of copies ---- */

enum { N = 8 };

static void copies(void **state)
{
    char host[N] = "abcdefg", back[N] = "", *d, *e;
    cudaStream_t s;
    size_t failed = 7, sizes[] = {4, 3, 8}, indices[] = {0, 2};
    struct cudaMemcpyAttributes a[2] = {{.srcAccessOrder = cudaMemcpySrcAccessOrderStream},
                                        {.srcAccessOrder = cudaMemcpySrcAccessOrderAny}};
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc((void **)&d, N));
    OK(cudaMalloc((void **)&e, N));
    OK(cudaMemset(d, 0, N));
    void *to[] = {d, d + 4, e}, *from[] = {host, host + 4, host};
    OK(cudaMemcpyBatchAsync(to, from, sizes, 3, a, indices, 2, &failed, s));
    OK(cudaMemcpy(back, d, N, cudaMemcpyDeviceToHost));
    assert_string_equal(back, "abcdefg");
    OK(cudaMemcpy(back, e, N, cudaMemcpyDeviceToHost));
    assert_string_equal(back, "abcdefg");
    to[1] = d + N - 2;                             /* beyond the end */
    GIVES(cudaMemcpyBatchAsync(to, from, sizes, 3, a, indices, 2, &failed, s), cudaErrorInvalidValue);
    assert_int_equal(failed, 1);
    to[1] = d + 4;
    GIVES(cudaMemcpyBatchAsync(to, from, sizes, 3, a, indices, 2, &failed, NULL), cudaErrorInvalidValue);
    assert_true(failed == SIZE_MAX);
    GIVES(cudaMemcpyBatchAsync(to, from, sizes, 3, a, indices, 0, NULL, s), cudaErrorInvalidValue);
    a[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    GIVES(cudaMemcpyBatchAsync(to, from, sizes, 3, a, indices, 2, NULL, s), cudaErrorInvalidValue);
    a[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    size_t wrong[][2] = {{1, 2}, {0, 0}, {0, 3}};
    for (int i = 0; i < 3; i++)
        GIVES(cudaMemcpyBatchAsync(to, from, sizes, 3, a, wrong[i], 2, NULL, s), cudaErrorInvalidValue);
    CU(cuMemcpyBatchAsync_v2((CUdeviceptr *)(void *)to, (CUdeviceptr *)(void *)from, sizes, 3,
                             (CUmemcpyAttributes *)(void *)a, indices, 2, s));
    void *library = dlopen("libcudart.so.13", RTLD_NOW);
    assert_non_null(library);
    cudaError_t (*of_13)(void **, void **, size_t *, size_t, struct cudaMemcpyAttributes *, size_t *, size_t,
                         cudaStream_t) = dlsym(library, "cudaMemcpyBatchAsync");
    OK(of_13(to, from, sizes, 3, a, indices, 2, s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    GIVES(of_13(to, from, sizes, 3, a, indices, 2, s), cudaErrorStreamCaptureUnsupported);
    cudaGraph_t g;
    GIVES(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
}

static struct cudaMemcpy3DOperand memory(void *p, size_t row, size_t height)
{
    struct cudaMemcpy3DOperand o = {.type = cudaMemcpyOperandTypePointer};
    o.op.ptr.ptr = p;
    o.op.ptr.rowLength = row;
    o.op.ptr.layerHeight = height;
    return o;
}

/* A box of 2 x 2 x 2 bytes out of 4 x 3 x 2; then texels of two floats to and from an array. */
static void copies_3d(void **state)
{
    unsigned char in[24], *d, back[8];
    float texels[6][2], out[2][2] = {{0}};
    cudaStream_t s;
    size_t failed = 5;
    struct cudaMemcpy3DBatchOp op[2] = {{.extent = {2, 2, 2}, .srcAccessOrder = cudaMemcpySrcAccessOrderStream}};
    for (int i = 0; i < 24; i++)
        in[i] = (unsigned char)i;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc((void **)&d, 8));
    op[0].src = memory(in + 5, 4, 3);
    op[0].dst = memory(d, 0, 0);
    OK(cudaMemcpy3DBatchAsync(1, op, &failed, 0, s));
    OK(cudaMemcpy(back, d, 8, cudaMemcpyDeviceToHost));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 2; x++)
                assert_int_equal(back[z * 4 + y * 2 + x], 5 + z * 12 + y * 4 + x);
    cudaArray_t a;
    struct cudaChannelFormatDesc f = {32, 32, 0, 0, cudaChannelFormatKindFloat};
    OK(cudaMallocArray(&a, &f, 3, 2, 0));
    for (int i = 0; i < 12; i++)
        texels[i / 2][i % 2] = (float)i;
    op[0] = (struct cudaMemcpy3DBatchOp){.src = memory(texels, 0, 0), .extent = {3, 2, 1},
                                         .srcAccessOrder = cudaMemcpySrcAccessOrderAny};
    op[0].dst.type = cudaMemcpyOperandTypeArray;
    op[0].dst.op.array.array = a;
    op[1] = (struct cudaMemcpy3DBatchOp){.dst = memory(out, 0, 0), .extent = {2, 1, 1},
                                         .srcAccessOrder = cudaMemcpySrcAccessOrderAny};
    op[1].src.type = cudaMemcpyOperandTypeArray;
    op[1].src.op.array.array = a;
    op[1].src.op.array.offset = (struct cudaOffset3D){1, 1, 0};
    CU(cuMemcpy3DBatchAsync(2, (CUDA_MEMCPY3D_BATCH_OP *)(void *)op, &failed, 0, s));
    assert_true(out[0][0] == 8 && out[0][1] == 9 && out[1][0] == 10 && out[1][1] == 11);
    op[1].extent.depth = 0;
    GIVES(cudaMemcpy3DBatchAsync(2, op, &failed, 0, s), cudaErrorInvalidValue);
    assert_int_equal(failed, 1);
    GIVES(cudaMemcpy3DBatchAsync(2, op, &failed, 1, s), cudaErrorInvalidValue);
    assert_true(failed == SIZE_MAX);
}

static void managed_batches(void **state)
{
    void *p[2];
    size_t sizes[] = {16, 16}, first = 0;
    cudaStream_t s;
    struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, none = {cudaMemLocationTypeDevice, 5};
    OK(cudaStreamCreate(&s));
    OK(cudaMallocManaged(&p[0], 16, cudaMemAttachGlobal));
    OK(cudaMallocManaged(&p[1], 16, cudaMemAttachGlobal));
    OK(cudaMemPrefetchBatchAsync(p, sizes, 2, &device, &first, 1, 0, s));
    OK(cudaMemDiscardBatchAsync(p, sizes, 2, 0, s));
    CU(cuMemDiscardAndPrefetchBatchAsync((CUdeviceptr *)(void *)p, sizes, 2, (CUmemLocation *)(void *)&device, &first,
                                         1, 0, s));
    GIVES(cudaMemPrefetchBatchAsync(p, sizes, 2, &none, &first, 1, 0, s), cudaErrorInvalidValue);
    GIVES(cudaMemDiscardBatchAsync(p, sizes, 2, 1, s), cudaErrorInvalidValue);
    OK(cudaFree(p[1]));
    GIVES(cudaMemDiscardBatchAsync(p, sizes, 2, 0, s), cudaErrorInvalidValue);
}

/* ---- arrays, pools, graphs ---- */

static void arrays(void **state)
{
    cudaArray_t a, b;
    struct cudaChannelFormatDesc f = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
    struct cudaArrayMemoryRequirements r;
    struct cudaArraySparseProperties sp;
    char out[8] = "";
    OK(cudaMallocArray(&a, &f, 4, 2, 0));
    OK(cudaMallocArray(&b, &f, 7, 1, 0));
    OK(cudaMemcpyToArray(a, 0, 0, "01234567", 8, cudaMemcpyHostToDevice));
    OK(cudaMemcpyArrayToArray(b, 1, 0, a, 2, 0, 5, cudaMemcpyDeviceToDevice));        /* 23 of a row, 456 of the next */
    OK(cudaMemcpyFromArray(out, b, 1, 0, 5, cudaMemcpyDeviceToHost));
    assert_string_equal(out, "23456");
    GIVES(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 8, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 1, cudaMemcpyHostToDevice), cudaErrorInvalidMemcpyDirection);
    GIVES(cudaArrayGetMemoryRequirements(&r, a, 0), cudaErrorInvalidValue);
    GIVES(cudaArrayGetSparseProperties(&sp, a), cudaErrorInvalidValue);
    GIVES(cudaArrayGetPlane(&b, a, 0), cudaErrorInvalidValue);
}

static void pools_of_locations(void **state)
{
    cudaMemPool_t pool, initial, other;
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location = {cudaMemLocationTypeDevice, 0}};
    struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    OK(cudaDeviceGetDefaultMemPool(&initial, 0));
    OK(cudaMemGetDefaultMemPool(&pool, &device, cudaMemAllocationTypePinned));
    assert_ptr_equal(pool, initial);
    OK(cudaMemPoolCreate(&other, &props));
    OK(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, other));
    OK(cudaDeviceGetMemPool(&pool, 0));
    assert_ptr_equal(pool, other);
    OK(cudaMemGetMemPool(&pool, &device, cudaMemAllocationTypePinned));
    assert_ptr_equal(pool, other);
    GIVES(cudaMemGetMemPool(&pool, &host, cudaMemAllocationTypePinned), cudaErrorNotSupported);
    void *first, *second;
    props.maxSize = 4096;
    OK(cudaMemPoolCreate(&other, &props));
    OK(cudaMallocFromPoolAsync(&first, 3000, other, NULL));
    GIVES(cudaMallocFromPoolAsync(&second, 3000, other, NULL), cudaErrorMemoryAllocation);
    OK(cudaFreeAsync(first, NULL));
    OK(cudaMallocFromPoolAsync(&second, 3000, other, NULL));
}

static void numbers_of_graphs(void **state)
{
    cudaGraph_t g[2], of;
    cudaGraphNode_t node[2];
    cudaGraphExec_t x;
    unsigned id[3] = {0}, local[2];
    unsigned long long tools[2];
    for (int i = 0; i < 2; i++) {
        OK(cudaGraphCreate(&g[i], 0));
        OK(cudaGraphGetId(g[i], &id[i]));
    }
    for (int i = 0; i < 2; i++) {
        OK(cudaGraphAddEmptyNode(&node[i], g[0], NULL, 0));
        OK(cudaGraphNodeGetLocalId(node[i], &local[i]));
        OK(cudaGraphNodeGetToolsId(node[i], &tools[i]));
    }
    assert_true(id[0] != id[1] && local[0] != local[1] && tools[0] != tools[1]);
    OK(cudaGraphNodeGetContainingGraph(node[1], &of));
    assert_ptr_equal(of, g[0]);
    OK(cudaGraphInstantiate(&x, g[0], NULL, NULL, 0));
    OK(cudaGraphExecGetId(x, &id[2]));
    OK(cudaGraphDestroy(g[0]));
    GIVES(cudaGraphGetId(g[0], &id[0]), cudaErrorInvalidValue);
    GIVES(cudaGraphNodeGetLocalId(node[0], &local[0]), cudaErrorInvalidValue);
}

static void doubles(void **state)
{
    cudaError_t (*to_device)(double *) = dlsym(RTLD_DEFAULT, "cudaSetDoubleForDevice");
    cudaError_t (*to_host)(double *) = dlsym(RTLD_DEFAULT, "cudaSetDoubleForHost");
    double d = 1.5;
    assert_true(to_device && to_host);
    OK(to_device(&d));
    OK(to_host(&d));
    assert_true(d == 1.5);
    GIVES(to_host(NULL), cudaErrorInvalidValue);
}

/* ---- clusters, notifications ---- */

static CUfunction load(void)
{
    CUmodule m;
    CUfunction f;
    CU(cuModuleLoadData(&m, ptx));
    CU(cuModuleGetFunction(&f, m, "sum"));
    return f;
}

static void clusters(void **state)
{
    cudaLaunchAttribute a = {.id = cudaLaunchAttributeClusterDimension, .val = {.clusterDim = {1, 1, 1}}};
    cudaLaunchConfig_t c = {.gridDim = {4, 1, 1}, .blockDim = {128, 1, 1}, .attrs = &a, .numAttrs = 1};
    CUlaunchConfig d = {.gridDimX = 4, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 128, .blockDimY = 1, .blockDimZ = 1,
                        .attrs = (CUlaunchAttribute *)(void *)&a, .numAttrs = 1};
    int n = 0, m = 0, sms, blocks, size = 0;
    OK(cudaFree(NULL));
    CUfunction f = load();
    OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, 0));
    OK(cudaOccupancyMaxActiveClusters(&n, f, &c));
    assert_int_equal(n, sms * blocks);
    CU(cuOccupancyMaxActiveClusters(&m, f, &d));
    assert_int_equal(m, n);
    OK(cudaOccupancyMaxPotentialClusterSize(&size, f, &c));
    assert_int_equal(size, 8);                     /* the portable size */
    OK(cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cudaOccupancyMaxPotentialClusterSize(&size, f, &c));
    assert_int_equal(size, 16);
    OK(cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    CU(cuOccupancyMaxPotentialClusterSize(&size, f, &d));
    assert_int_equal(size, 8);
    c.blockDim.x = 1u << 20;                       /* no device holds such a block */
    OK(cudaOccupancyMaxPotentialClusterSize(&size, f, &c));
    assert_int_equal(size, 0);
    a.val.clusterDim.x = 3;
    c.blockDim.x = 128;
    OK(cudaOccupancyMaxActiveClusters(&n, f, &c));
    assert_int_equal(n, sms * blocks / 3);
    a.val.clusterDim.x = 9;
    GIVES(cudaOccupancyMaxActiveClusters(&n, f, &c), cudaErrorInvalidClusterSize);
    CU_GIVES(cuOccupancyMaxActiveClusters(&n, f, &d), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    c.numAttrs = 0;                                /* the size must be given */
    GIVES(cudaOccupancyMaxActiveClusters(&n, f, &c), cudaErrorInvalidValue);
}

/* Events among the attributes of a launch are recorded, also in a capture, where another stream can wait for them. */
static void events_of_launches(void **state)
{
    CUdeviceptr out;
    cudaEvent_t a, b, timed;
    cudaStream_t s, t;
    cudaGraph_t g;
    int one = 1, got = 0;
    float f = 0;
    size_t n = 0;
    OK(cudaEventCreateWithFlags(&a, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&b, cudaEventDisableTiming));
    OK(cudaEventCreate(&timed));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    CUfunction sum = load();
    CU(cuMemAlloc(&out, 4));
    void *args[] = {&out, &one, &one, &f};
    cudaLaunchAttribute list[2] = {{.id = cudaLaunchAttributeLaunchCompletionEvent},
                                   {.id = cudaLaunchAttributeProgrammaticEvent}};
    cudaLaunchConfig_t c = {.gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .stream = s, .attrs = list, .numAttrs = 2};
    list[0].val.launchCompletionEvent.event = a;
    list[1].val.programmaticEvent.event = b;
    OK(cudaLaunchKernelExC(&c, sum, args));
    OK(cudaEventQuery(a));
    OK(cudaEventSynchronize(b));
    CU(cuMemcpyDtoH(&got, out, 4));
    assert_int_equal(got, 2);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaLaunchKernelExC(&c, sum, args));
    OK(cudaStreamWaitEvent(t, a, 0));
    OK(cudaLaunchKernel(sum, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, t));
    OK(cudaEventRecord(b, t));
    OK(cudaStreamWaitEvent(s, b, 0));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    assert_int_equal(n, 1);
    list[0].val.launchCompletionEvent.event = timed;                /* must have no time */
    GIVES(cudaLaunchKernelExC(&c, sum, args), cudaErrorInvalidValue);
    list[0].id = (enum cudaLaunchAttributeID)77;
    GIVES(cudaLaunchKernelExC(&c, sum, args), cudaErrorInvalidValue);
    list[0].id = cudaLaunchAttributeDeviceUpdatableKernelNode;
    list[0].val.deviceUpdatableKernelNode.deviceUpdatable = 1;
    GIVES(cudaLaunchKernelExC(&c, sum, args), cudaErrorNotSupported);
}

/* Every attribute of the enumeration has a value; those of features that are not there are 0. */
static void device_attributes(void **state)
{
    int value = 0;
    for (int i = 1; i < cudaDevAttrMax; i++) {
        int unused = i == 44 || i == 107 || i == 110 || i == 136 || i == 137 || (i >= 102 && i <= 105);
        if (!unused)
            OK(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)i, 0));
    }
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0));
    assert_int_equal(value, 0);
    CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT, 0));
    assert_int_equal(value, 1);
    CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH, 0));
    assert_int_equal(value, 0);
    GIVES(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)400, 0), cudaErrorInvalidValue);
    enum cudaAtomicOperation ops[] = {cudaAtomicOperationCAS, cudaAtomicOperationFloatMax};
    unsigned able[] = {1, 2};
    OK(cudaDeviceGetHostAtomicCapabilities(able, ops, 2, 0));
    assert_true(able[0] == 0 && able[1] == 0);
    GIVES(cudaDeviceGetP2PAtomicCapabilities(able, ops, 2, 0, 0), cudaErrorInvalidDevice);
    ops[1] = (enum cudaAtomicOperation)13;
    GIVES(cudaDeviceGetHostAtomicCapabilities(able, ops, 2, 0), cudaErrorInvalidValue);
}

static void notify(cudaAsyncNotificationInfo_t *info, void *data, cudaAsyncCallbackHandle_t handle)
{
    fail();
}

static void notifications(void **state)
{
    cudaAsyncCallbackHandle_t a, b;
    OK(cudaDeviceRegisterAsyncNotification(0, notify, NULL, &a));
    OK(cudaDeviceRegisterAsyncNotification(0, notify, NULL, &b));
    assert_ptr_not_equal(a, b);
    OK(cudaDeviceUnregisterAsyncNotification(0, a));
    GIVES(cudaDeviceUnregisterAsyncNotification(0, a), cudaErrorInvalidValue);
    CU(cuDeviceUnregisterAsyncNotification(0, (CUasyncCallbackHandle)(void *)b));
    GIVES(cudaDeviceRegisterAsyncNotification(3, notify, NULL, &a), cudaErrorInvalidDevice);
    GIVES(cudaDeviceRegisterAsyncNotification(0, NULL, NULL, &a), cudaErrorInvalidValue);
}

/* ---- the log ---- */

static char logged[256];

static void keep_message(void *data, cudaLogLevel level, char *message, size_t length)
{
    assert_int_equal(level, cudaLogLevelError);
    assert_int_equal(strlen(message), length);
    snprintf(logged, sizeof logged, "%s %s", (char *)data, message);
}

/* A launch that is rejected leaves a message. */
static void reject(int threads)
{
    CUdeviceptr out = 0;
    int one = 1;
    float f = 0;
    void *args[] = {&out, &one, &one, &f};
    CU_GIVES(cuLaunchKernel(load(), 1, 1, 1, (unsigned)threads, 1, 1, 0, NULL, args, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void logs(void **state)
{
    char path[] = "/tmp/simtx_log_XXXXXX", line[256] = "", text[4096], *p;
    int fd = mkstemp(path);
    unsigned at, end;
    size_t n = sizeof text;
    cudaLogsCallbackHandle h;
    OK(cudaFree(NULL));
    CU(cuLogsCurrent(&at, 0));
    end = at;
    CU(cuLogsDumpToMemory(&end, text, &n, 0));                       /* no message */
    assert_int_equal(n, 0);
    assert_string_equal(text, "");
    OK(cudaLogsRegisterCallback(keep_message, "got", &h));
    reject(5000);
    assert_true(!strncmp(logged, "got launch rejected", 19) && strstr(logged, "5000"));
    OK(cudaLogsUnregisterCallback(h));
    GIVES(cudaLogsUnregisterCallback(h), cudaErrorInvalidValue);
    *logged = 0;
    reject(6000);
    assert_string_equal(logged, "");
    n = sizeof text;
    OK(cudaLogsDumpToMemory(&at, text, &n, 0));
    assert_int_equal(n, strlen(text));
    assert_true((p = strchr(text, '\n')) && strchr(p + 1, '\n') == text + n - 1);      /* two messages */
    assert_true(strstr(text, "5000") < p && strstr(p, "6000"));
    n = 8;                                         /* too small for any */
    GIVES(cudaLogsDumpToMemory(&end, text, &n, 0), cudaErrorInvalidValue);
    assert_int_equal(n, 0);
    CU(cuLogsDumpToFile(&end, path, 0));
    assert_int_equal(end, at);
    FILE *f = fdopen(fd, "r");
    assert_true(fgets(line, sizeof line, f) && strstr(line, "5000"));
    fclose(f);
    remove(path);
    for (int i = 0; i < 101; i++)
        reject(7000);
    n = sizeof text;
    end = 0;
    OK(cudaLogsDumpToMemory(&end, text, &n, 0));
    assert_non_null(strstr(text, "earlier messages are lost"));
    assert_null(strstr(text, "5000"));
    CU_GIVES(cuLogsCurrent(&at, 1), CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(cuLogsDumpToMemory(NULL, NULL, &n, 0), CUDA_ERROR_INVALID_VALUE);
}

/* ---- the driver API ---- */

static void contexts(void **state)
{
    CUcontext c, got;
    CUevent e;
    CUgreenCtx green = (CUgreenCtx)&c;
    CUexecAffinityParam affinity;
    unsigned flags;
    int yes = 1;
    size_t most = 0, same = 0;
    struct cudaChannelFormatDesc f = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    OK(cudaFree(NULL));
    CU(cuCtxCreate(&c, 0, 0));
    CU(cuCtxSetFlags(CU_CTX_SCHED_YIELD));
    CU(cuCtxGetFlags(&flags));
    assert_int_equal(flags, CU_CTX_SCHED_YIELD);
    CU_GIVES(cuCtxSetFlags(1u << 20), CUDA_ERROR_INVALID_VALUE);
    CU(cuEventCreate(&e, 0));
    CU(cuCtxRecordEvent(c, e));
    CU(cuEventSynchronize(e));
    CU(cuCtxWaitEvent(c, e));
    CU_GIVES(cuCtxRecordEvent((CUcontext)&e, e), CUDA_ERROR_INVALID_CONTEXT);
    CU(cuStreamGetCtx_v2(NULL, &got, &green));
    assert_ptr_equal(got, c);
    assert_null(green);
    CU(cuDeviceGetExecAffinitySupport(&yes, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    assert_int_equal(yes, 0);
    CU_GIVES(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    CU(cuDeviceGetTexture1DLinearMaxWidth(&most, CU_AD_FORMAT_FLOAT, 1, 0));
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&same, &f, 0));
    assert_true(most == same && most > 0);
    CU(cuCtxDestroy(c));
}

static void resource_views(void **state)
{
    cudaArray_t a;
    cudaTextureObject_t t, plain;
    struct cudaChannelFormatDesc f = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc d = {.readMode = cudaReadModeElementType};
    struct cudaResourceViewDesc v = {.format = cudaResViewFormatFloat1, .width = 4, .height = 4};
    CUDA_RESOURCE_VIEW_DESC got;
    OK(cudaMallocArray(&a, &f, 4, 4, 0));
    r.res.array.array = a;
    OK(cudaCreateTextureObject(&t, &r, &d, &v));
    OK(cudaCreateTextureObject(&plain, &r, &d, NULL));
    CU(cuTexObjectGetResourceViewDesc(&got, t));
    assert_int_equal(got.format, cudaResViewFormatFloat1);
    CU_GIVES(cuTexObjectGetResourceViewDesc(&got, plain), CUDA_ERROR_INVALID_VALUE);
}

/* Offsets of parameters as a program of that time computes them. */
static void old_launches(void **state)
{
    CUdeviceptr out;
    int got = 0;
    OK(cudaFree(NULL));
    CUfunction f = load();
    CU(cuMemAlloc(&out, 4));
    CU_GIVES(cuLaunch(f), CUDA_ERROR_INVALID_VALUE);                 /* no block shape */
    CU(cuFuncSetBlockShape(f, 1, 2, 1));
    CU(cuFuncSetSharedSize(f, 0));
    CU(cuParamSetv(f, 0, &out, sizeof out));
    CU(cuParamSeti(f, 8, 30));
    CU(cuParamSeti(f, 12, 4));
    CU(cuParamSetf(f, 16, 7.5f));
    CU(cuParamSetSize(f, 20));
    CU(cuLaunch(f));
    CU(cuMemcpyDtoH(&got, out, 4));
    assert_int_equal(got, 41 * 2);
    CU(cuParamSeti(f, 12, 5));
    CU(cuLaunchGrid(f, 3, 2));
    CU(cuMemcpyDtoH(&got, out, 4));
    assert_int_equal(got, 42 * 2 * 3);
    CU_GIVES(cuParamSetv(f, 4094, &out, sizeof out), CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(cuFuncSetBlockShape(f, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(cuParamSetSize(f, 1 << 20), CUDA_ERROR_INVALID_VALUE);
    CU(cuParamSetSize(f, 4));                                       /* too few bytes for the parameters */
    CU_GIVES(cuLaunch(f), CUDA_ERROR_INVALID_VALUE);
}

/* ---- memory operations ---- */

static void memory_operations(void **state)
{
    CUdeviceptr p;
    unsigned long long word = 0;
    OK(cudaFree(NULL));
    CU(cuMemAlloc(&p, 16));
    CU(cuStreamWriteValue64(NULL, p, 0x1122334455667788ull, 0));
    CU(cuStreamWriteValue32(NULL, p + 4, 5, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
    CU(cuMemcpyDtoH(&word, p, 8));
    assert_true(word == 0x0000000555667788ull);
    CU(cuStreamWaitValue32(NULL, p + 4, 5, CU_STREAM_WAIT_VALUE_EQ));
    CU(cuStreamWaitValue32(NULL, p + 4, 4, CU_STREAM_WAIT_VALUE_GEQ));
    CU(cuStreamWaitValue32(NULL, p + 4, 0xfffffff0u, CU_STREAM_WAIT_VALUE_GEQ));     /* a cyclic counter */
    CU(cuStreamWaitValue32(NULL, p + 4, 4, CU_STREAM_WAIT_VALUE_AND));
    CU(cuStreamWaitValue32(NULL, p + 4, 2, CU_STREAM_WAIT_VALUE_NOR));
    CU(cuStreamWaitValue64(NULL, p, 0x0000000555667788ull, CU_STREAM_WAIT_VALUE_EQ | CU_STREAM_WAIT_VALUE_FLUSH));
    CU_GIVES(cuStreamWaitValue32(NULL, p + 4, 6, CU_STREAM_WAIT_VALUE_GEQ), CUDA_ERROR_NOT_SUPPORTED);
    CU_GIVES(cuStreamWaitValue32(NULL, p + 4, 2, CU_STREAM_WAIT_VALUE_AND), CUDA_ERROR_NOT_SUPPORTED);
    CU_GIVES(cuStreamWaitValue32(NULL, p + 4, ~5u, CU_STREAM_WAIT_VALUE_NOR), CUDA_ERROR_NOT_SUPPORTED);
    CU_GIVES(cuStreamWriteValue32(NULL, p + 2, 1, 0), CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(cuStreamWriteValue64(NULL, p + 16, 1, 0), CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(cuStreamWriteValue32(NULL, p, 1, 4), CUDA_ERROR_INVALID_VALUE);
}

static void memory_operations_in_graphs(void **state)
{
    CUdeviceptr p;
    CUstream s;
    CUgraph g;
    CUgraphExec x;
    CUgraphNode node, second;
    unsigned words[2] = {0};
    CUstreamBatchMemOpParams ops[3];
    CUDA_BATCH_MEM_OP_NODE_PARAMS node_ops = {.count = 3, .paramArray = ops}, got;
    OK(cudaFree(NULL));
    CU(cuMemAlloc(&p, 8));
    CU(cuMemsetD32(p, 0, 2));
    memset(ops, 0, sizeof ops);
    ops[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    ops[0].writeValue.address = p;
    ops[0].writeValue.value = 3;
    ops[1].operation = CU_STREAM_MEM_OP_BARRIER;
    ops[2].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    ops[2].waitValue.address = p;
    ops[2].waitValue.value = 3;
    ops[2].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CU(cuStreamBatchMemOp(s, 3, ops, 0));
    CU(cuMemcpyDtoH(words, p, 8));
    assert_true(words[0] == 3 && words[1] == 0);
    CU(cuMemsetD32(p, 0, 2));
    CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    CU(cuStreamBatchMemOp(s, 3, ops, 0));
    CU(cuStreamEndCapture(s, &g));
    ops[0].writeValue.address = p + 4;
    ops[2].waitValue.address = p + 4;
    CU(cuGraphAddBatchMemOpNode(&node, g, NULL, 0, &node_ops));
    CUgraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP};
    any.memOp = node_ops;
    CU(cuGraphAddNode(&second, g, &node, 1, &any));
    CU(cuGraphBatchMemOpNodeGetParams(node, &got));
    assert_true(got.count == 3 && got.paramArray[0].operation == CU_STREAM_MEM_OP_WRITE_VALUE_32);
    assert_true(got.paramArray[2].waitValue.address == p + 4 && got.paramArray[2].waitValue.value == 3);
    CU(cuGraphInstantiateWithFlags(&x, g, 0));
    CU(cuGraphLaunch(x, s));
    CU(cuMemcpyDtoH(words, p, 8));
    assert_true(words[0] == 3 && words[1] == 3);
    ops[0].writeValue.value = ops[2].waitValue.value = 8;
    CU(cuGraphBatchMemOpNodeSetParams(node, &node_ops));
    CU(cuGraphExecBatchMemOpNodeSetParams(x, second, &node_ops));
    CU(cuGraphLaunch(x, s));
    CU(cuMemcpyDtoH(words, p, 8));
    assert_int_equal(words[1], 8);
    ops[2].waitValue.value = 9;                    /* never */
    CU(cuGraphExecBatchMemOpNodeSetParams(x, second, &node_ops));
    CU_GIVES(cuGraphLaunch(x, s), CUDA_ERROR_NOT_SUPPORTED);
    ops[1].operation = (CUstreamBatchMemOpType)77;
    CU_GIVES(cuStreamBatchMemOp(s, 3, ops, 0), CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(cuStreamBatchMemOp(s, 257, ops, 0), CUDA_ERROR_INVALID_VALUE);
    CU(cuGraphExecDestroy(x));
    CU(cuGraphDestroy(g));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(copies), TEST(copies_3d), TEST(managed_batches), TEST(arrays), TEST(pools_of_locations),
        TEST(numbers_of_graphs), TEST(clusters), TEST(events_of_launches), TEST(device_attributes),
        TEST(doubles), TEST(notifications), TEST(logs), TEST(contexts), TEST(resource_views),
        TEST(old_launches), TEST(memory_operations), TEST(memory_operations_in_graphs),
    };
    return finish("later", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
