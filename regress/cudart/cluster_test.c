/* Launches with clusters on an H100, whose 132 SMs are seven groups of 18 and one of 6: a cluster lies in one group. */
#include "regress/cudart/test.h"
#include "frontend/cuda/include/cuda.h"

/* An SM holds one block with so much shared memory, or two blocks of 1024 threads without any. */
enum { DYNAMIC = 120000, THREADS = 1024, SMS = 132 };

/* *out = blocks of the block's cluster */
#define BODY                                                                                                    \
    "\n{\n .reg .b32 %r;\n .reg .b64 %d;\n ld.shared.u32 %r, [dynamic];\n ld.param.u64 %d, [out];\n"            \
    " mov.u32 %r, %cluster_nctarank;\n st.global.u32 [%d], %r;\n ret;\n}\n"
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 4 .b8 dynamic[];\n"
                          ".visible .entry plain(.param .u64 out)" BODY
                          ".visible .entry fours(.param .u64 out)\n.reqnctapercluster 4, 1, 1" BODY;

#define CU(call) assert_int_equal(call, CUDA_SUCCESS)

static CUfunction load(const char *name)
{
    CUmodule module;
    CUfunction f;
    OK(cudaFree(NULL));
    CU(cuModuleLoadData(&module, ptx));
    CU(cuModuleGetFunction(&f, module, name));
    CU(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, DYNAMIC));
    return f;
}

static int *memory(void)
{
    int *p;
    OK(cudaMalloc((void **)&p, sizeof *p));
    OK(cudaMemset(p, 0, sizeof *p));
    return p;
}

static int value(const int *p)
{
    int n;
    OK(cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost));
    return n;
}

static int active(CUfunction f, unsigned blocks, size_t dynamic)
{
    cudaLaunchAttribute a = {.id = cudaLaunchAttributeClusterDimension, .val = {.clusterDim = {blocks, 1, 1}}};
    cudaLaunchConfig_t c = {.gridDim = {blocks, 1, 1}, .blockDim = {THREADS, 1, 1}, .dynamicSmemBytes = dynamic,
                            .attrs = &a, .numAttrs = 1};
    int n = -1;
    OK(cudaOccupancyMaxActiveClusters(&n, f, &c));
    return n;
}

static void active_clusters(void **state)
{
    int able;
    CUfunction f = load("plain");
    OK(cudaDeviceGetAttribute(&able, cudaDevAttrClusterLaunch, 0));
    assert_int_equal(able, 1);
    assert_int_equal(active(f, 1, DYNAMIC), SMS);
    assert_int_equal(active(f, 4, DYNAMIC), 7 * 4 + 1);            /* 2 SMs of each group are left over */
    assert_int_equal(active(f, 8, DYNAMIC), 7 * 2);
    assert_int_equal(active(f, 8, 0), 7 * 4 + 1);                  /* 36 blocks a group, and 12 */
    OK(cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    assert_int_equal(active(f, 16, DYNAMIC), 7);
}

/* ---- cooperative launches: all blocks must be resident at once ---- */

static cudaError_t cooperative(CUfunction f, unsigned blocks, unsigned cluster)
{
    cudaLaunchAttribute a[] = {{.id = cudaLaunchAttributeCooperative, .val = {.cooperative = 1}},
                               {.id = cudaLaunchAttributeClusterDimension, .val = {.clusterDim = {cluster, 1, 1}}}};
    cudaLaunchConfig_t c = {.gridDim = {blocks, 1, 1}, .blockDim = {32, 1, 1}, .dynamicSmemBytes = DYNAMIC, .attrs = a,
                            .numAttrs = cluster ? 2 : 1};
    int *out = memory();
    cudaError_t e = cudaLaunchKernelExC(&c, f, (void *[]){&out});
    OK(cudaFree(out));
    return e;
}

static void cooperative_clusters(void **state)
{
    CUfunction plain = load("plain"), fours = load("fours");
    OK(cooperative(plain, SMS, 0));
    GIVES(cooperative(plain, SMS + 1, 0), cudaErrorCooperativeLaunchTooLarge);
    OK(cooperative(plain, 4 * 29, 4));
    GIVES(cooperative(plain, 4 * 30, 4), cudaErrorCooperativeLaunchTooLarge);
    OK(cooperative(fours, 4 * 29, 0));
    GIVES(cooperative(fours, 4 * 30, 0), cudaErrorCooperativeLaunchTooLarge);
    GIVES(cooperative(plain, 9, 9), cudaErrorInvalidClusterSize);
}

/* ---- the attribute of kernels that allows larger clusters ---- */

static int allowed(CUfunction f)
{
    int n = -1;
    CU(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, f));
    return n;
}

static void wrong_values(void **state)
{
    cudaLaunchAttribute a = {.id = cudaLaunchAttributeClusterDimension, .val = {.clusterDim = {1u << 16, 1u << 16, 2}}};
    cudaLaunchConfig_t c = {.gridDim = {1, 1, 1}, .blockDim = {32, 1, 1}, .attrs = &a, .numAttrs = 1};
    int n;
    CUfunction f = load("plain");
    GIVES(cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 5), cudaErrorInvalidValue);
    assert_int_equal(allowed(f), 0);
    OK(cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    GIVES(cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, -1), cudaErrorInvalidValue);
    assert_int_equal(allowed(f), 1);
    GIVES(cudaOccupancyMaxActiveClusters(&n, f, &c), cudaErrorInvalidClusterSize);       /* 2^33 blocks */
}

/* ---- kernel nodes of graphs ---- */

static cudaGraph_t captured(CUfunction f, int *out, cudaGraphNode_t *node)
{
    cudaStream_t s;
    cudaGraph_t g;
    size_t n = 1;
    cudaLaunchAttribute a = {.id = cudaLaunchAttributeClusterDimension, .val = {.clusterDim = {4, 1, 1}}};
    cudaLaunchConfig_t c = {.gridDim = {8, 1, 1}, .blockDim = {1, 1, 1}, .dynamicSmemBytes = 16, .attrs = &a,
                            .numAttrs = 1};
    OK(cudaStreamCreate(&s));
    c.stream = s;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaLaunchKernelExC(&c, f, (void *[]){&out}));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphGetNodes(g, node, &n));
    return g;
}

/* Blocks of a cluster in a launch of the graph. */
static int run(cudaGraph_t g, const int *out)
{
    cudaGraphExec_t x;
    OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(cudaGraphLaunch(x, NULL));
    OK(cudaGraphExecDestroy(x));
    return value(out);
}

static void graph_nodes(void **state)
{
    int *out = memory();
    cudaGraphNode_t node, other;
    union cudaLaunchAttributeValue v = {.clusterDim = {0}};
    struct cudaKernelNodeParams p;
    CUfunction f = load("plain");
    cudaGraph_t g = captured(f, out, &node);
    assert_int_equal(run(g, out), 4);
    OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &v));
    assert_true(v.clusterDim.x == 4 && v.clusterDim.y == 1 && v.clusterDim.z == 1);
    v.clusterDim.x = 2;
    OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &v));
    assert_int_equal(run(g, out), 2);
    v.clusterDim.y = 0;
    GIVES(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &v), cudaErrorInvalidValue);
    OK(cudaGraphKernelNodeGetParams(node, &p));
    OK(cudaGraphKernelNodeSetParams(node, &p));
    assert_int_equal(run(g, out), 2);                              /* attributes stay */
    cudaGraph_t h;
    OK(cudaGraphCreate(&h, 0));
    OK(cudaGraphKernelNodeGetParams(node, &p));                    /* the parameters of before are gone */
    OK(cudaGraphAddKernelNode(&other, h, NULL, 0, &p));
    assert_int_equal(run(h, out), 1);
    OK(cudaGraphKernelNodeCopyAttributes(other, node));
    assert_int_equal(run(h, out), 2);
    v = (union cudaLaunchAttributeValue){.clusterDim = {0, 0, 0}};
    OK(cudaGraphKernelNodeSetAttribute(other, cudaLaunchAttributeClusterDimension, &v));
    assert_int_equal(run(h, out), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(active_clusters), TEST(cooperative_clusters), TEST(wrong_values), TEST(graph_nodes)
    };
    setenv("SIMTX_CONFIG", "h100", 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return finish("cluster", sizeof tests / sizeof *tests, failed);
}
