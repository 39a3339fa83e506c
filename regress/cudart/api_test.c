/* The runtime API without kernels: errors, allocation, copies of every kind and shape, streams, events,
 * devices, pools.  Expected results are what the CUDA Runtime API reference says. */
#include "regress/cudart/test.h"
#include "frontend/cuda/include/simtx_tm.h"

/* ---- errors ---- */

static void last_error(void **state)
{
    OK(cudaGetLastError());
    GIVES(cudaMalloc(NULL, 16), cudaErrorInvalidValue);
    GIVES(cudaPeekAtLastError(), cudaErrorInvalidValue);
    OK(cudaDeviceSynchronize());                          /* not sticky */
    GIVES(cudaPeekAtLastError(), cudaErrorInvalidValue);  /* success does not clear it */
    GIVES(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaGetLastError());
}

static void error_texts(void **state)
{
    assert_string_equal(cudaGetErrorName(cudaSuccess), "cudaSuccess");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    assert_string_equal(cudaGetErrorName((cudaError_t)700), "cudaErrorIllegalAddress");
    assert_string_equal(cudaGetErrorString((cudaError_t)700), "an illegal memory access was encountered");
    assert_string_equal(cudaGetErrorString((cudaError_t)2), "out of memory");
    assert_string_equal(cudaGetErrorString((cudaError_t)98), "invalid device function");
    assert_string_equal(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}

static void unsupported_call(void **state)
{
    GIVES(cudaIpcCloseMemHandle(NULL), cudaErrorNotSupported);
    GIVES(cudaGetLastError(), cudaErrorNotSupported);
    OK(cudaGetLastError());
}

/* ---- memory ---- */

static void malloc_free(void **state)
{
    void *p = (void *)1, *q;
    OK(cudaMalloc(&p, 0));
    assert_null(p);
    OK(cudaMalloc(&p, 1000));
    OK(cudaMalloc(&q, 1));
    assert_int_equal((uintptr_t)p % 256, 0);
    assert_ptr_not_equal(p, q);
    GIVES(cudaFree((char *)p + 256), cudaErrorInvalidValue);
    GIVES(cudaFreeHost(p), cudaErrorInvalidValue);
    OK(cudaFree(p));
    GIVES(cudaFree(p), cudaErrorInvalidValue);
    OK(cudaFree(q));
    OK(cudaFree(NULL));
    GIVES(cudaFree(&p), cudaErrorInvalidValue);
    GIVES(cudaMalloc(&p, (size_t)1 << 60), cudaErrorMemoryAllocation);
    GIVES(cudaGetLastError(), cudaErrorMemoryAllocation);
}

static void memory_info(void **state)
{
    size_t before, after, total;
    void *p;
    OK(cudaMemGetInfo(&before, &total));
    assert_true(before <= total && total > 0);
    OK(cudaMalloc(&p, 1 << 20));
    OK(cudaMemGetInfo(&after, &total));
    assert_true(before - after >= 1 << 20 && before - after < 2 << 20);
    OK(cudaFree(p));
    OK(cudaMemGetInfo(&after, &total));
    assert_int_equal(after, before);
}

static void host_memory(void **state)
{
    void *p, *d;
    unsigned flags;
    OK(cudaHostAlloc(&p, 100, cudaHostAllocMapped | cudaHostAllocPortable));
    memset(p, 5, 100);
    OK(cudaHostGetDevicePointer(&d, p, 0));
    assert_int_equal(((char *)d)[99], 5);
    OK(cudaHostGetFlags(&flags, p));
    assert_int_equal(flags, cudaHostAllocMapped | cudaHostAllocPortable);
    GIVES(cudaFree(p), cudaErrorInvalidValue);
    OK(cudaFreeHost(p));
    GIVES(cudaFreeHost(p), cudaErrorInvalidValue);
    GIVES(cudaHostAlloc(&p, 100, 0x80), cudaErrorInvalidValue);
    GIVES(cudaHostGetDevicePointer(&d, &p, 0), cudaErrorInvalidValue);
}

static void host_register(void **state)
{
    char *p = malloc(3000);
    void *d;
    unsigned flags;
    OK(cudaHostRegister(p, 3000, cudaHostRegisterMapped));
    GIVES(cudaHostRegister(p, 3000, cudaHostRegisterMapped), cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostGetDevicePointer(&d, p + 10, 0));
    OK(cudaHostGetFlags(&flags, p));
    assert_int_equal(flags, cudaHostRegisterMapped);
    OK(cudaMemset(d, 3, 20));
    assert_int_equal(p[29], 3);
    OK(cudaHostUnregister(p));
    GIVES(cudaHostUnregister(p), cudaErrorHostMemoryNotRegistered);
    free(p);
}

static void version_regions(void **state)
{
    char *p, host[8];
    OK(cudaMalloc((void **)&p, 1000));
    OK(simtx_version_region(p, 100));
    OK(simtx_version_region(p + 100, 900));
    GIVES(simtx_version_region(p + 50, 100), cudaErrorInvalidValue);
    GIVES(simtx_version_region(p, 1001), cudaErrorInvalidValue);
    GIVES(simtx_version_region(p, 0), cudaErrorInvalidValue);
    GIVES(simtx_version_region(host, sizeof host), cudaErrorInvalidValue);
    GIVES(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaFree(p));
    OK(cudaMalloc((void **)&p, 1000));
    OK(simtx_version_region(p, 1000));
    OK(cudaDeviceReset());
    OK(cudaMalloc((void **)&p, 1000));
    OK(simtx_version_region(p, 1000));
}

static void pointer_attributes(void **state)
{
    struct cudaPointerAttributes a;
    void *p;
    int on_stack;
    OK(cudaMalloc(&p, 64));
    OK(cudaPointerGetAttributes(&a, (char *)p + 63));
    assert_int_equal(a.type, cudaMemoryTypeDevice);
    assert_int_equal(a.device, 0);
    assert_ptr_equal(a.devicePointer, (char *)p + 63);
    assert_null(a.hostPointer);
    OK(cudaMallocManaged(&p, 64, cudaMemAttachGlobal));
    OK(cudaPointerGetAttributes(&a, p));
    assert_int_equal(a.type, cudaMemoryTypeManaged);
    assert_ptr_equal(a.hostPointer, p);
    OK(cudaMallocHost(&p, 64));
    OK(cudaPointerGetAttributes(&a, p));
    assert_int_equal(a.type, cudaMemoryTypeHost);
    OK(cudaPointerGetAttributes(&a, &on_stack));
    assert_int_equal(a.type, cudaMemoryTypeUnregistered);
    GIVES(cudaPointerGetAttributes(NULL, p), cudaErrorInvalidValue);
}

static void managed_memory(void **state)
{
    int *p, value = 7;
    void *d;
    OK(cudaMallocManaged((void **)&p, 400, cudaMemAttachGlobal));
    p[99] = 42;
    OK(cudaMemPrefetchAsync(p, 400, 0, NULL));
    OK(cudaMemPrefetchAsync(p, 400, cudaCpuDeviceId, NULL));
    GIVES(cudaMemPrefetchAsync(p, 400, 5, NULL), cudaErrorInvalidDevice);
    GIVES(cudaMemPrefetchAsync(p, 404, 0, NULL), cudaErrorInvalidValue);
    OK(cudaMemAdvise(p, 400, cudaMemAdviseSetReadMostly, 0));
    GIVES(cudaMemAdvise(p, 400, (enum cudaMemoryAdvise)9, 0), cudaErrorInvalidValue);
    OK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributePreferredLocation, p, 400));
    assert_int_equal(value, cudaInvalidDeviceId);
    OK(cudaStreamAttachMemAsync(NULL, p, 0, cudaMemAttachSingle));
    assert_int_equal(p[99], 42);
    OK(cudaFree(p));
    GIVES(cudaMallocManaged(&d, 0, cudaMemAttachGlobal), cudaErrorInvalidValue);
    GIVES(cudaMallocManaged(&d, 8, 77), cudaErrorInvalidValue);
}

/* ---- copies ---- */

static void every_kind(void **state)
{
    char host[64], back[64] = {0};
    void *d, *e, *pinned, *managed;
    for (int i = 0; i < 64; i++)
        host[i] = (char)(i * 3);
    OK(cudaMalloc(&d, 64));
    OK(cudaMalloc(&e, 64));
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
    OK(cudaMemcpy(d, host, 64, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(e, d, 64, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(managed, e, 64, cudaMemcpyDefault));
    OK(cudaMemcpy(pinned, managed, 64, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(back, pinned, 64, cudaMemcpyHostToHost));
    assert_memory_equal(back, host, 64);
    memset(back, 0, 64);
    OK(cudaMemcpyAsync(back, d, 64, cudaMemcpyDefault, cudaStreamPerThread));
    assert_memory_equal(back, host, 64);
    OK(cudaMemcpyPeer(e, 0, d, 0, 64));
}

static void wrong_kind(void **state)
{
    char host[64];
    void *d;
    OK(cudaMalloc(&d, 64));
    GIVES(cudaMemcpy(host, host, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(host, d, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(d, host, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(d, host, 64, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(d, host, 64, cudaMemcpyHostToHost), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(d, host, 64, (enum cudaMemcpyKind)5), cudaErrorInvalidMemcpyDirection);
    GIVES(cudaMemcpyPeer(d, 0, d, 3, 64), cudaErrorInvalidDevice);
    GIVES(cudaMemcpyAsync(d, host, 64, cudaMemcpyHostToDevice, (cudaStream_t)&d),
          cudaErrorInvalidResourceHandle);
}

static void copy_ranges(void **state)
{
    char host[200] = {0};
    char *d;
    OK(cudaMalloc((void **)&d, 100));
    OK(cudaMemcpy(d + 36, host, 64, cudaMemcpyHostToDevice));
    GIVES(cudaMemcpy(d + 37, host, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(host, d, 101, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(d, NULL, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(NULL, d, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    GIVES(cudaMemset(d, 0, 101), cudaErrorInvalidValue);
    GIVES(cudaMemset(host, 0, 10), cudaErrorInvalidValue);
    OK(cudaFree(d));
    GIVES(cudaMemcpy(host, d, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
}

static void fills(void **state)
{
    unsigned char host[100], *d;
    OK(cudaMalloc((void **)&d, 100));
    OK(cudaMemset(d, 0, 100));
    OK(cudaMemset(d + 10, 0x1ff, 5));
    OK(cudaMemset2D(d + 20, 20, 7, 3, 4));
    OK(cudaMemcpy(host, d, 100, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 100; i++) {
        int expected = i >= 10 && i < 15 ? 255 : i >= 20 && i % 20 < 3 ? 7 : 0;
        assert_int_equal(host[i], expected);
    }
    GIVES(cudaMemset2D(d, 20, 0, 21, 2), cudaErrorInvalidValue);
    GIVES(cudaMemset2D(d, 20, 0, 1, 6), cudaErrorInvalidValue);   /* byte 100 is outside */
    OK(cudaMemset2D(d, 99, 0, 1, 2));                             /* byte 99 is not */
}

static void pitched_copies(void **state)
{
    enum { W = 37, H = 5 };
    unsigned char host[H][W], back[H][W];
    char *d;
    size_t pitch;
    for (int i = 0; i < H * W; i++)
        host[i / W][i % W] = (unsigned char)(i * 7);
    OK(cudaMallocPitch((void **)&d, &pitch, W, H));
    assert_true(pitch >= W && pitch % 32 == 0);
    OK(cudaMemcpy2D(d, pitch, host, W, W, H, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(back, W, d, pitch, W, H, cudaMemcpyDeviceToHost));
    assert_memory_equal(back, host, sizeof host);
    for (int y = 0; y < H; y++)
        assert_memory_equal(d + (size_t)y * pitch, host[y], W);
    GIVES(cudaMemcpy2D(d, W - 1, host, W, W, H, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    GIVES(cudaMemcpy2D(d, pitch, host, W - 1, W, H, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    GIVES(cudaMemcpy2D(d, (size_t)1 << 32, host, W, W, 2, cudaMemcpyHostToDevice),
          cudaErrorInvalidPitchValue);
    GIVES(cudaMemcpy2D(d, pitch, host, W, W, H + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy2D(d, pitch, host, W, W, SIZE_MAX / 2, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    OK(cudaMemcpy2D(d, pitch, host, W, 0, H, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(d, pitch, host, W, W, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(d + (H - 1) * pitch + pitch - 1, pitch, host, W, 1, 1, cudaMemcpyHostToDevice));
}

static void boxes(void **state)
{
    enum { W = 8, H = 6, D = 4 };
    unsigned char host[D][H][W], back[2][3][4];
    struct cudaPitchedPtr dev;
    for (int i = 0; i < W * H * D; i++)
        host[i / (W * H)][i / W % H][i % W] = (unsigned char)i;
    OK(cudaMalloc3D(&dev, make_cudaExtent(W, H, D)));
    assert_int_equal(dev.xsize, W);
    assert_int_equal(dev.ysize, H);
    OK(cudaMemset3D(dev, 0xee, make_cudaExtent(W, H, D)));
    struct cudaMemcpy3DParms in = {.srcPtr = make_cudaPitchedPtr(host, W, W, H), .dstPtr = dev,
                                   .extent = {W, H, D}, .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&in));
    struct cudaMemcpy3DParms out = {.srcPtr = dev,
                                    .srcPos = {3, 2, 1},
                                    .dstPtr = make_cudaPitchedPtr(back, 4, 4, 3),
                                    .extent = {4, 3, 2},
                                    .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&out));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++)
                assert_int_equal(back[z][y][x], host[z + 1][y + 2][x + 3]);
    out.srcPos.y = 4;                                             /* rows 4 to 6 of 6 */
    GIVES(cudaMemcpy3D(&out), cudaErrorInvalidPitchValue);
    out.srcPos = make_cudaPos(3, 2, 3);                           /* slices 3 and 4 of 4 */
    GIVES(cudaMemcpy3D(&out), cudaErrorInvalidValue);
    GIVES(cudaMemcpy3D(NULL), cudaErrorInvalidValue);
}

/* ---- streams and events ---- */

static int order[4], calls;

static void count_call(void *data)
{
    order[calls++] = *(int *)data;
}

static void count_callback(cudaStream_t s, cudaError_t e, void *data)
{
    assert_int_equal(e, cudaSuccess);
    count_call(data);
}

static void streams(void **state)
{
    cudaStream_t s, t;
    unsigned flags;
    int low, high, one = 1, two = 2;
    OK(cudaDeviceGetStreamPriorityRange(&low, &high));
    assert_true(high < low);
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, high - 10));
    OK(cudaStreamCreate(&t));
    OK(cudaStreamGetFlags(s, &flags));
    assert_int_equal(flags, cudaStreamNonBlocking);
    OK(cudaStreamGetPriority(s, &low));
    assert_int_equal(low, high);
    OK(cudaStreamQuery(s));
    OK(cudaStreamSynchronize(NULL));
    OK(cudaStreamSynchronize(cudaStreamLegacy));
    calls = 0;
    OK(cudaLaunchHostFunc(s, count_call, &one));
    OK(cudaStreamAddCallback(t, count_callback, &two, 0));
    OK(cudaDeviceSynchronize());
    assert_int_equal(calls, 2);
    assert_int_equal(order[0] * 10 + order[1], 12);
    GIVES(cudaStreamCreateWithFlags(&t, 4), cudaErrorInvalidValue);
    OK(cudaStreamDestroy(s));
    GIVES(cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
    GIVES(cudaStreamSynchronize(s), cudaErrorInvalidResourceHandle);
    GIVES(cudaStreamQuery((cudaStream_t)&s), cudaErrorInvalidResourceHandle);
}

static void events(void **state)
{
    cudaEvent_t a, b, untimed;
    float ms = -1;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    OK(cudaEventQuery(a));
    GIVES(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(a, NULL));
    OK(cudaEventRecord(b, NULL));
    OK(cudaEventRecord(untimed, NULL));
    OK(cudaStreamWaitEvent(NULL, a, 0));
    OK(cudaEventSynchronize(b));
    OK(cudaEventElapsedTime(&ms, a, b));
    assert_true(ms >= 0 && ms < 1000);
    GIVES(cudaEventElapsedTime(&ms, a, untimed), cudaErrorInvalidResourceHandle);
    GIVES(cudaEventElapsedTime(NULL, a, b), cudaErrorInvalidValue);
    OK(cudaEventDestroy(a));
    GIVES(cudaEventDestroy(a), cudaErrorInvalidResourceHandle);
    GIVES(cudaEventRecord(a, NULL), cudaErrorInvalidResourceHandle);
    GIVES(cudaEventCreateWithFlags(&a, 0x100), cudaErrorInvalidValue);
}

/* ---- devices ---- */

static void device_choice(void **state)
{
    struct cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    int n, device = -1, version;
    size_t width;
    char id[32];
    OK(cudaGetDeviceCount(&n));
    assert_int_equal(n, 2);                               /* the test sets SIMTX_DEVICES */
    GIVES(cudaSetDevice(2), cudaErrorInvalidDevice);
    GIVES(cudaSetDevice(-1), cudaErrorInvalidDevice);
    GIVES(cudaDeviceGetTexture1DLinearMaxWidth(&width, &floats, -1), cudaErrorInvalidDevice);
    GIVES(cudaDeviceGetTexture1DLinearMaxWidth(&width, &floats, 1000), cudaErrorInvalidDevice);
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&width, &floats, 1));
    OK(cudaSetDevice(1));
    OK(cudaGetDevice(&device));
    assert_int_equal(device, 1);
    OK(cudaDeviceGetPCIBusId(id, sizeof id, 1));
    OK(cudaSetDevice(0));
    OK(cudaDeviceGetByPCIBusId(&device, id));
    assert_int_equal(device, 1);
    GIVES(cudaDeviceGetByPCIBusId(&device, "nonsense"), cudaErrorInvalidDevice);
    GIVES(cudaDeviceGetPCIBusId(id, 4, 0), cudaErrorInvalidValue);
    OK(cudaRuntimeGetVersion(&version));
    assert_int_equal(version, CUDART_VERSION);
}

static void two_devices(void **state)
{
    struct cudaPointerAttributes a;
    cudaStream_t s;
    cudaEvent_t of_0, of_1;
    float ms;
    int can, *p, *q, value = 9, back = 0;
    OK(cudaMalloc((void **)&p, 4));
    OK(cudaSetDevice(1));
    OK(cudaMalloc((void **)&q, 4));
    OK(cudaPointerGetAttributes(&a, q));
    assert_int_equal(a.device, 1);
    OK(cudaMemcpy(q, &value, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpyPeer(p, 0, q, 1, 4));
    GIVES(cudaMemcpyPeer(p, 1, q, 0, 4), cudaErrorInvalidValue);
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&of_1));
    OK(cudaSetDevice(0));
    OK(cudaMemcpy(&back, p, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(back, 9);
    OK(cudaEventCreate(&of_0));
    OK(cudaEventRecord(of_0, NULL));
    GIVES(cudaEventRecord(of_0, s), cudaErrorInvalidResourceHandle);
    GIVES(cudaEventRecord(of_1, NULL), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(of_1, s));
    GIVES(cudaEventElapsedTime(&ms, of_0, of_1), cudaErrorInvalidResourceHandle);
    OK(cudaStreamWaitEvent(s, of_0, 0));
    OK(cudaMemcpyAsync(&back, p, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaEventDestroy(of_0));
    OK(cudaEventDestroy(of_1));
    OK(cudaStreamDestroy(s));
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 0);
    GIVES(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
    GIVES(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    OK(cudaFree(q));
}

static void properties(void **state)
{
    struct cudaDeviceProp p;
    int v;
    OK(cudaGetDeviceProperties(&p, 0));
    assert_true(strlen(p.name) > 0);
    assert_true(p.warpSize == 32 || p.warpSize == 64);
    assert_true(p.multiProcessorCount > 0 && p.major >= 1 && p.totalGlobalMem > 0);
    assert_true(p.maxThreadsPerBlock <= p.maxThreadsPerMultiProcessor);
    assert_true(p.maxGridSize[0] > 0 && p.maxThreadsDim[2] > 0 && p.clockRate > 1000);
    OK(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0));
    assert_int_equal(v, p.multiProcessorCount);
    OK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    assert_int_equal(v, p.sharedMemPerBlock);
    OK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxTexture2DWidth, 0));
    assert_int_equal(v, 131072);          /* CUDA C++ Programming Guide, "Technical Specifications" */
    for (int i = 1; i <= cudaDevAttrDirectManagedMemAccessFromHost; i++)
        if (i != 44)                                      /* the one number that names nothing */
            OK(cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)i, 0));
    GIVES(cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)1000, 0), cudaErrorInvalidValue);
    GIVES(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 7), cudaErrorInvalidDevice);
    GIVES(cudaGetDeviceProperties(&p, -1), cudaErrorInvalidDevice);
}

static void limits_and_caches(void **state)
{
    enum cudaFuncCache cache;
    size_t v;
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    OK(cudaDeviceGetLimit(&v, cudaLimitStackSize));
    assert_int_equal(v, 4096);
    OK(cudaThreadSetLimit(cudaLimitMallocHeapSize, 1 << 22));
    OK(cudaThreadGetLimit(&v, cudaLimitMallocHeapSize));
    assert_int_equal(v, 1 << 22);
    GIVES(cudaDeviceSetLimit((enum cudaLimit)99, 1), cudaErrorInvalidValue);
    GIVES(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 1), cudaErrorUnsupportedLimit);
    OK(cudaDeviceGetLimit(&v, cudaLimitMaxL2FetchGranularity));
    assert_int_equal(v, 32);
    for (size_t asked = 0; asked <= 200; asked++) {      /* rounded up to 32, 64 or 128 */
        OK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, asked));
        OK(cudaDeviceGetLimit(&v, cudaLimitMaxL2FetchGranularity));
        assert_true((v == 32 || v == 64 || v == 128) && (v >= asked || v == 128) && (v == 32 || v / 2 < asked));
    }
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    OK(cudaDeviceGetCacheConfig(&cache));
    assert_int_equal(cache, cudaFuncCachePreferL1);
    OK(cudaDeviceReset());
    OK(cudaDeviceGetCacheConfig(&cache));
    assert_int_equal(cache, cudaFuncCachePreferNone);
    OK(cudaDeviceGetLimit(&v, cudaLimitStackSize));
    assert_int_not_equal(v, 4096);
    OK(cudaDeviceGetLimit(&v, cudaLimitMaxL2FetchGranularity));
    assert_int_equal(v, 32);
}

static void reset_frees(void **state)
{
    size_t before, after, total;
    void *p;
    cudaStream_t s;
    OK(cudaMemGetInfo(&before, &total));
    for (int i = 0; i < 100; i++)
        OK(cudaMalloc(&p, 5000));
    OK(cudaStreamCreate(&s));
    OK(cudaThreadExit());
    OK(cudaMemGetInfo(&after, &total));
    assert_int_equal(after, before);
    GIVES(cudaFree(p), cudaErrorInvalidValue);
    GIVES(cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
}

static void reset_frees_objects(void **state)
{
    struct cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc t = {.filterMode = cudaFilterModePoint};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    OK(cudaMallocArray(&r.res.array.array, &floats, 8, 8, cudaArraySurfaceLoadStore));
    OK(cudaCreateTextureObject(&texture, &r, &t, NULL));
    OK(cudaCreateSurfaceObject(&surface, &r));
    GIVES(cudaDestroySurfaceObject(texture), cudaErrorInvalidValue);
    OK(cudaGetTextureObjectTextureDesc(&t, texture));
    OK(cudaDeviceReset());
    GIVES(cudaGetTextureObjectTextureDesc(&t, texture), cudaErrorInvalidValue);
    GIVES(cudaGetSurfaceObjectResourceDesc(&r, surface), cudaErrorInvalidValue);
    GIVES(cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
}

static void reset_frees_graphs_and_pools(void **state)
{
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location = {cudaMemLocationTypeDevice, 0}};
    unsigned long long threshold = 1 << 20;
    cudaMemPool_t standard, own;
    cudaGraph_t graph, other;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    OK(cudaMemPoolCreate(&own, &props));
    OK(cudaDeviceGetDefaultMemPool(&standard, 0));
    OK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaSetDevice(1));
    OK(cudaGraphCreate(&other, 0));
    OK(cudaSetDevice(0));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, other));
    OK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(cudaDeviceReset());
    GIVES(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    GIVES(cudaGraphExecDestroy(exec), cudaErrorInvalidValue);
    GIVES(cudaMemPoolDestroy(own), cudaErrorInvalidValue);
    OK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
    assert_int_equal(threshold, 0);
    OK(cudaGraphDestroy(other));                   /* of the other device */
}

/* ---- pools ---- */

static void pools(void **state)
{
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location = {cudaMemLocationTypeDevice, 0}};
    cudaMemPool_t standard, own, current;
    unsigned long long v = 1 << 20;
    void *p, *q;
    OK(cudaDeviceGetDefaultMemPool(&standard, 0));
    OK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &v));
    v = 0;
    OK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &v));
    assert_int_equal(v, 1 << 20);
    OK(cudaMallocAsync(&p, 300, NULL));
    OK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrUsedMemCurrent, &v));
    assert_int_equal(v, 300);
    OK(cudaMemsetAsync(p, 1, 300, NULL));
    OK(cudaFreeAsync(p, NULL));
    OK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrUsedMemCurrent, &v));
    assert_int_equal(v, 0);
    OK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrUsedMemHigh, &v));
    assert_int_equal(v, 300);
    OK(cudaMemPoolCreate(&own, &props));
    OK(cudaDeviceSetMemPool(0, own));
    OK(cudaDeviceGetMemPool(&current, 0));
    assert_ptr_equal(current, own);
    OK(cudaMallocFromPoolAsync(&q, 10, own, NULL));
    OK(cudaMemPoolDestroy(own));
    OK(cudaFree(q));
    GIVES(cudaMallocFromPoolAsync(&q, 10, own, NULL), cudaErrorInvalidValue);
    GIVES(cudaMemPoolDestroy(standard), cudaErrorInvalidValue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(last_error),
        TEST(error_texts),
        TEST(unsupported_call),
        TEST(malloc_free),
        TEST(memory_info),
        TEST(host_memory),
        TEST(host_register),
        TEST(version_regions),
        TEST(pointer_attributes),
        TEST(managed_memory),
        TEST(every_kind),
        TEST(wrong_kind),
        TEST(copy_ranges),
        TEST(fills),
        TEST(pitched_copies),
        TEST(boxes),
        TEST(streams),
        TEST(events),
        TEST(device_choice),
        TEST(two_devices),
        TEST(properties),
        TEST(limits_and_caches),
        TEST(reset_frees),
        TEST(reset_frees_objects),
        TEST(reset_frees_graphs_and_pools),
        TEST(pools),
    };
    setenv("SIMTX_DEVICES", "2", 1);
    return finish("api", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
