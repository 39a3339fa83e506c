/* Preferences for L1 or shared memory, on a V100: which of them counts, seen in the occupancy that they leave. */
#include "regress/cudart/test.h"
#include "frontend/cuda/include/cuda.h"

enum { KB = 1024, THREADS = 32, DYNAMIC = 10 * KB };

/* Blocks with 10 KB of shared memory that an SM holds: of the most, 96 KB; of half of it, which is 64 KB of those that
 * it may have; of the least that holds one, 16 KB. */
enum { BLOCKS_MOST = 9, BLOCKS_HALF = 6, BLOCKS_LEAST = 1 };

static const char ptx[] = ".version 6.0\n.target sm_70\n.address_size 64\n"
                          ".extern .shared .align 4 .b8 dynamic[];\n"
                          ".visible .entry k()\n{\n    .reg .b32 %r;\n    ld.shared.u32 %r, [dynamic];\n    ret;\n}\n";

#define CU(call) assert_int_equal(call, CUDA_SUCCESS)

static CUfunction load(void)
{
    CUmodule module;
    CUfunction f;
    OK(cudaFree(NULL));
    CU(cuModuleLoadData(&module, ptx));
    CU(cuModuleGetFunction(&f, module, "k"));
    return f;
}

static int blocks(CUfunction f)
{
    int n;
    CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, THREADS, DYNAMIC));
    return n;
}

static void carveout(void **state)
{
    static const struct { int percent, blocks; } rows[] = {
        { 100, BLOCKS_MOST }, { 50, BLOCKS_HALF }, { 0, BLOCKS_LEAST }, { CU_SHAREDMEM_CARVEOUT_DEFAULT, BLOCKS_MOST }
    };
    CUfunction f = load();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CU(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, rows[i].percent));
        assert_int_equal(blocks(f), rows[i].blocks);
    }
}

static void cache_of_the_function(void **state)
{
    CUfunction f = load();
    CU(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1));
    assert_int_equal(blocks(f), BLOCKS_LEAST);
    CU(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_EQUAL));
    assert_int_equal(blocks(f), BLOCKS_HALF);
    CU(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_SHARED));
    assert_int_equal(blocks(f), BLOCKS_MOST);
    CU(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_NONE));
    assert_int_equal(blocks(f), BLOCKS_MOST);
    assert_int_equal(cuFuncSetCacheConfig(f, (CUfunc_cache)4), CUDA_ERROR_INVALID_VALUE);
}

/* The carveout comes before the function's preference, which comes before the device's. */
static void order_of_preferences(void **state)
{
    CUfunction f = load();
    CU(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    assert_int_equal(blocks(f), BLOCKS_LEAST);
    CU(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_EQUAL));
    assert_int_equal(blocks(f), BLOCKS_HALF);
    CU(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100));
    assert_int_equal(blocks(f), BLOCKS_MOST);
}

/* Six blocks of a launch are resident, and the largest dynamic size for seven of them is that of 64 KB / 7. */
static void launches_and_sizes(void **state)
{
    CUfunction f = load();
    size_t most;
    CU(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    CU(cuOccupancyAvailableDynamicSMemPerBlock(&most, f, 7, THREADS));
    assert_int_equal(most, 64 * KB / 7 / 256 * 256);
    CU(cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, DYNAMIC, NULL, NULL, NULL));
    OK(cudaDeviceSynchronize());
}

/* The carveout of a launch precedes the kernel's: a cooperative launch of one block more than are resident fails. */
static void carveout_of_a_launch(void **state)
{
    enum { V100_SMS = 80 };
    CUfunction f = load();
    CU(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 0));
    for (int resident = 0; resident < 2; resident++) {
        CUlaunchAttribute attributes[2] = {{.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE},
                                           {.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT}};
        CUlaunchConfig c = {.gridDimX = BLOCKS_HALF * V100_SMS + !resident, .gridDimY = 1, .gridDimZ = 1,
                            .blockDimX = THREADS, .blockDimY = 1, .blockDimZ = 1, .sharedMemBytes = DYNAMIC,
                            .attrs = attributes, .numAttrs = 2};
        attributes[0].value.cooperative = 1;
        attributes[1].value.sharedMemCarveout = 50;
        assert_int_equal(cuLaunchKernelEx(&c, f, NULL, NULL),
                         resident ? CUDA_SUCCESS : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
        attributes[1].value.sharedMemCarveout = 101;
        assert_int_equal(cuLaunchKernelEx(&c, f, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    }
    assert_int_equal(blocks(f), BLOCKS_LEAST);
    OK(cudaDeviceSynchronize());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(carveout), TEST(cache_of_the_function), TEST(order_of_preferences), TEST(launches_and_sizes),
        TEST(carveout_of_a_launch)
    };
    setenv("SIMTX_CONFIG", "v100", 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return finish("carveout", sizeof tests / sizeof *tests, failed);
}
