/* libcudart.so.12 and libcudart.so.13, opened as programs of these releases open them, beside libcudart.so: structures
 * have the layouts of their release (offsets and sizes as published), functions have its arguments, and all libraries
 * share one state. */
#include "regress/cudart/test.h"

#include <dlfcn.h>

enum { FILL = 0xab, GUARD = 64 };

static void *library(int release)
{
    char name[32];
    snprintf(name, sizeof name, "libcudart.so.%d", release);
    void *l = dlopen(name, RTLD_NOW);
    if (!l)
        print_error("%s\n", dlerror());
    assert_non_null(l);
    return l;
}

static void *function(int release, const char *name)
{
    void *f = dlsym(library(release), name);
    if (!f)
        print_error("%s is not in libcudart.so.%d\n", name, release);
    assert_non_null(f);
    return f;
}

/* A function of a release, called with the arguments that the release declares. */
#define CALL(release, name, type, ...) ((cudaError_t (*) type)function(release, name))(__VA_ARGS__)

struct place {
    int offset, bytes, attribute;
};

/* Offsets in cudaDeviceProp: clock rate, multiprocessors, memory clock, threads and registers of a multiprocessor,
 * shared memory of a block after opting in, reserved shared memory. */
static const struct place PLACES_12[] = {{348, 4, 13}, {388, 4, 16}, {608, 4, 36}, {624, 4, 39},
                                         {648, 4, 82}, {696, 8, 97}, {720, 8, 111}, {0}};

/* Registers of a block, size of a warp, compute capability, multiprocessors. */
static const struct place PLACES_13[] = {{304, 4, 12}, {308, 4, 10}, {360, 4, 75}, {364, 4, 76}, {384, 4, 16}, {0}};

static void check_properties(int release, const char *name, int size, const struct place *places)
{
    unsigned char p[1032 + GUARD];
    memset(p, FILL, sizeof p);
    OK(CALL(release, name, (void *, int), p, 0));
    assert_memory_equal(p, "simtx GPU", 9);
    assert_int_equal(p[size - 1], 0);
    for (int i = size; i < size + GUARD; i++)
        assert_int_equal(p[i], FILL);
    for (; places->bytes; places++) {
        long long value = 0;
        int attribute;
        memcpy(&value, p + places->offset, (size_t)places->bytes);
        OK(cudaDeviceGetAttribute(&attribute, (enum cudaDeviceAttr)places->attribute, 0));
        assert_int_equal(value, attribute);
    }
}

static void properties(void **state)
{
    check_properties(12, "cudaGetDeviceProperties_v2", 1032, PLACES_12);
    check_properties(12, "cudaGetDeviceProperties", 728, PLACES_12);
    check_properties(13, "cudaGetDeviceProperties", 1008, PLACES_13);
    GIVES(CALL(12, "cudaGetDeviceProperties_v2", (void *, int), NULL, 0), cudaErrorInvalidValue);
    GIVES(CALL(13, "cudaGetDeviceProperties", (void *, int), NULL, 0), cudaErrorInvalidValue);
}

static void versions(void **state)
{
    for (int release = 12; release <= 13; release++) {
        int runtime = 0, driver = 0;
        OK(CALL(release, "cudaRuntimeGetVersion", (int *), &runtime));
        OK(CALL(release, "cudaDriverGetVersion", (int *), &driver));
        assert_int_equal(runtime / 1000, release);
        assert_int_equal(driver, runtime);
    }
    int version = 0;
    OK(cudaRuntimeGetVersion(&version));
    assert_int_equal(version, CUDART_VERSION);
}

static void one_state(void **state)
{
    int in[4] = {3, 1, 4, 1}, out[4] = {0};
    void *p = NULL;
    OK(CALL(12, "cudaMalloc", (void **, size_t), &p, sizeof in));
    OK(CALL(13, "cudaMemcpy", (void *, const void *, size_t, int), p, in, sizeof in, cudaMemcpyHostToDevice));
    OK(CALL(12, "cudaMemcpy_ptds", (void *, const void *, size_t, int), out, p, sizeof in, cudaMemcpyDeviceToHost));
    assert_memory_equal(in, out, sizeof in);
    OK(cudaFree(p));
    GIVES(CALL(13, "cudaFree", (void *), p), cudaErrorInvalidValue);
    assert_int_equal(CALL(12, "cudaGetLastError", (void)), cudaErrorInvalidValue);
}

static void event_times(void **state)
{
    cudaEvent_t a, b;
    float ms = -1;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(CALL(12, "cudaEventRecord_ptsz", (cudaEvent_t, cudaStream_t), a, NULL));
    OK(CALL(13, "cudaEventRecord", (cudaEvent_t, cudaStream_t), b, NULL));
    OK(CALL(12, "cudaEventElapsedTime_v2", (float *, cudaEvent_t, cudaEvent_t), &ms, a, b));
    assert_true(ms >= 0);
    OK(cudaEventDestroy(a));
    OK(cudaEventDestroy(b));
}

/* a -> b, with data of edges where the release has them. */
static void build(cudaGraph_t *g, cudaGraphNode_t node[2])
{
    cudaGraphEdgeData data = {0};
    OK(cudaGraphCreate(g, 0));
    for (int i = 0; i < 2; i++)
        OK(cudaGraphAddEmptyNode(&node[i], *g, NULL, 0));
    OK(CALL(13, "cudaGraphAddDependencies", (cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *,
            const cudaGraphEdgeData *, size_t), *g, &node[0], &node[1], &data, 1));
}

static void check_edges(cudaGraph_t g, const cudaGraphNode_t node[2])
{
    static const cudaGraphEdgeData plain;
    cudaGraphEdgeData data, wrong = {.type = 1};
    cudaGraphNode_t from = NULL, to = NULL;
    size_t n = 1;
    memset(&data, FILL, sizeof data);
    OK(CALL(12, "cudaGraphGetEdges_v2", (cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, cudaGraphEdgeData *,
            size_t *), g, &from, &to, &data, &n));
    assert_int_equal(n, 1);
    assert_ptr_equal(from, node[0]);
    assert_ptr_equal(to, node[1]);
    assert_memory_equal(&data, &plain, sizeof plain);
    memset(&data, FILL, sizeof data);
    OK(CALL(13, "cudaGraphNodeGetDependencies", (cudaGraphNode_t, cudaGraphNode_t *, cudaGraphEdgeData *, size_t *),
            node[1], &from, &data, &n));
    assert_ptr_equal(from, node[0]);
    assert_memory_equal(&data, &plain, sizeof plain);
    GIVES(CALL(12, "cudaGraphRemoveDependencies_v2", (cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *,
               const cudaGraphEdgeData *, size_t), g, node, node + 1, &wrong, 1), cudaErrorInvalidValue);
}

static void graphs(void **state)
{
    struct { int result; cudaGraphNode_t node, from; } info = {.result = -1, .from = (cudaGraphNode_t)&info};
    cudaGraph_t g;
    cudaGraphNode_t node[2];
    build(&g, node);
    check_edges(g, node);
    for (int release = 12; release <= 13; release++) {
        cudaGraphExec_t x = NULL;
        OK(CALL(release, "cudaGraphInstantiate", (cudaGraphExec_t *, cudaGraph_t, unsigned long long), &x, g, 0ull));
        OK(CALL(release, "cudaGraphExecUpdate", (cudaGraphExec_t, cudaGraph_t, void *), x, g, &info));
        assert_int_equal(info.result, cudaGraphExecUpdateSuccess);
        assert_null(info.from);
        OK(CALL(release, "cudaGraphLaunch", (cudaGraphExec_t, cudaStream_t), x, NULL));
        OK(CALL(release, "cudaGraphExecDestroy", (cudaGraphExec_t), x));
    }
    OK(cudaGraphDestroy(g));
}

/* A name of the driver API means the function of the release; so do names for per-thread default streams. */
static void entry_points(void **state)
{
    static const char *const later[] = {"cuGraphExecUpdate", "cuGraphAddNode"};
    void *plain = NULL, *by_version = NULL;
    for (int release = 12; release <= 13; release++)
        for (int i = 0; i < 2; i++) {
            char full[64];
            snprintf(full, sizeof full, "%s_v2", later[i]);
            OK(CALL(release, "cudaGetDriverEntryPoint", (const char *, void **, unsigned long long, int *), later[i],
                    &plain, 0ull, NULL));
            assert_ptr_equal(plain, dlsym(RTLD_DEFAULT, full));
            OK(CALL(release, "cudaGetDriverEntryPoint_ptsz", (const char *, void **, unsigned long long, int *),
                    later[i], &plain, 0ull, NULL));
            assert_ptr_equal(plain, dlsym(RTLD_DEFAULT, full));
        }
    OK(cudaGetDriverEntryPoint("cuGraphExecUpdate", &plain, 0, NULL));
    assert_ptr_equal(plain, dlsym(RTLD_DEFAULT, "cuGraphExecUpdate"));
    OK(CALL(13, "cudaGetDriverEntryPointByVersion", (const char *, void **, unsigned, unsigned long long, int *),
            "cuGraphExecUpdate", &by_version, 11050u, 0ull, NULL));
    assert_ptr_equal(by_version, plain);
}

/* The description of a texture has one field more since release 12. */
static void texture_descriptions(void **state)
{
    enum { OLD = 68, NEW = 72 };
    unsigned char got[NEW + GUARD];
    cudaArray_t a;
    cudaTextureObject_t t;
    struct cudaChannelFormatDesc f = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc d = {.maxAnisotropy = 7, .seamlessCubemap = 1};
    assert_int_equal(sizeof d, NEW);
    OK(cudaMallocArray(&a, &f, 4, 4, 0));
    r.res.array.array = a;
    for (int release = 12; release <= 13; release++) {
        int last = -1;
        OK(CALL(release, "cudaCreateTextureObject", (cudaTextureObject_t *, const void *, const void *, const void *),
                &t, &r, &d, NULL));
        memset(got, FILL, sizeof got);
        OK(CALL(release, "cudaGetTextureObjectTextureDesc", (void *, cudaTextureObject_t), got, t));
        memcpy(&last, got + OLD, sizeof last);
        assert_int_equal(last, 1);
        assert_int_equal(got[NEW], FILL);
    }
    memset(got, FILL, sizeof got);
    OK(((cudaError_t (*)(void *, cudaTextureObject_t))dlsym(RTLD_DEFAULT, "cudaGetTextureObjectTextureDesc"))(got, t));
    assert_int_equal(got[OLD], FILL);              /* of release 11 */
    OK(cudaFreeArray(a));
}

static void per_thread_names(void **state)
{
    struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    void *p = NULL;
    OK(cudaMallocManaged(&p, 64, cudaMemAttachGlobal));
    OK(CALL(12, "cudaMemPrefetchAsync_ptsz", (const void *, size_t, int, cudaStream_t), p, 64, 0, NULL));
    OK(CALL(13, "cudaMemPrefetchAsync_ptsz", (const void *, size_t, struct cudaMemLocation, unsigned, cudaStream_t), p,
            64, device, 0u, NULL));
    GIVES(CALL(13, "cudaMemPrefetchAsync_ptsz", (const void *, size_t, struct cudaMemLocation, unsigned, cudaStream_t),
               p, 64, device, 9u, NULL), cudaErrorInvalidValue);
    OK(cudaFree(p));
}

static void capture(void **state)
{
    cudaStream_t s;
    cudaGraph_t g = NULL, captured = NULL;
    const cudaGraphNode_t *deps = NULL;
    const cudaGraphEdgeData *data = (const cudaGraphEdgeData *)&s;
    int status = -1;
    unsigned long long id = 0;
    size_t n = 7;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(CALL(13, "cudaStreamGetCaptureInfo", (cudaStream_t, int *, unsigned long long *, cudaGraph_t *,
            const cudaGraphNode_t **, const cudaGraphEdgeData **, size_t *), s, &status, &id, &g, &deps, &data, &n));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    assert_null(data);
    assert_int_equal(n, 0);
    OK(cudaStreamEndCapture(s, &captured));
    assert_ptr_equal(g, captured);
    OK(cudaGraphDestroy(g));
    OK(cudaStreamDestroy(s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties), cmocka_unit_test(versions), cmocka_unit_test(one_state),
        cmocka_unit_test(event_times), cmocka_unit_test(graphs), cmocka_unit_test(capture),
        cmocka_unit_test(entry_points), cmocka_unit_test(per_thread_names),
        cmocka_unit_test(texture_descriptions),
    };
    return finish("releases", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
