/* Libraries of both APIs: loads with logs, kernels as handles that launches and graphs take, variables of each context,
 * attributes of each device, and the end of contexts and libraries. Expected results are what the references of CUDA
 * 12.9 say. */
#include "regress/cudart/test.h"
#include "frontend/cuda/include/cuda.h"

#include <unistd.h>

#define CU(call) assert_int_equal(call, CUDA_SUCCESS)

/* store: *out = value + base; add: *out += value; shared memory of any size in `dynamic` */
static const char ptx[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".visible .global .align 4 .u32 base = 100;\n"
    ".visible .global .attribute(.managed) .align 4 .u32 managed_base = 7;\n"
    ".visible .entry store(.param .u64 out, .param .u8 pad, .param .u32 value)\n{\n    .reg .b32 %r<4>;\n"
    "    .reg .b64 %rd<2>;\n    ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [value];\n"
    "    ld.global.u32 %r2, [base];\n    add.u32 %r1, %r1, %r2;\n    st.global.u32 [%rd1], %r1;\n    ret;\n}\n"
    ".visible .entry add(.param .u64 out, .param .u32 value)\n{\n    .reg .b32 %r<4>;\n    .reg .b64 %rd<2>;\n"
    "    ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [value];\n    ld.global.u32 %r2, [%rd1];\n"
    "    add.u32 %r1, %r1, %r2;\n    st.global.u32 [%rd1], %r1;\n    ret;\n}\n";

static cudaLibrary_t load(void)
{
    cudaLibrary_t l = NULL;
    OK(cudaLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0));
    assert_non_null(l);
    return l;
}

static cudaKernel_t kernel(cudaLibrary_t l, const char *name)
{
    cudaKernel_t k = NULL;
    OK(cudaLibraryGetKernel(&k, l, name));
    return k;
}

static int read_int(const void *p)
{
    int value = -1;
    OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void launches(void **state)
{
    cudaLibrary_t l = load();
    int *out, value = 5;
    unsigned char pad = 0;
    OK(cudaMalloc((void **)&out, sizeof *out));
    void *store_args[] = {&out, &pad, &value}, *add_args[] = {&out, &value};
    OK(cudaLaunchKernel(kernel(l, "store"), (dim3){1, 1, 1}, (dim3){1, 1, 1}, store_args, 0, NULL));
    assert_int_equal(read_int(out), 105);
    cudaLaunchConfig_t config = {.gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}};
    OK(cudaLaunchKernelExC(&config, kernel(l, "add"), add_args));
    assert_int_equal(read_int(out), 110);
    OK(cudaLaunchCooperativeKernel(kernel(l, "add"), (dim3){1, 1, 1}, (dim3){1, 1, 1}, add_args, 0, NULL));
    assert_int_equal(read_int(out), 115);
    CU(cuLaunchKernel((CUfunction)(void *)kernel(l, "add"), 1, 1, 1, 1, 1, 1, 0, NULL, add_args, NULL));
    assert_int_equal(read_int(out), 120);
    OK(cudaLibraryUnload(l));
}

static void contents(void **state)
{
    cudaLibrary_t l = load();
    cudaKernel_t list[3] = {0}, k;
    unsigned count = 0;
    const char *name, *other;
    size_t offset, bytes;
    OK(cudaLibraryGetKernelCount(&count, l));
    assert_int_equal(count, 2);
    OK(cudaLibraryEnumerateKernels(list, 3, l));
    assert_true(list[0] && list[1] && !list[2]);
    OK(cudaFuncGetName(&name, list[0]));
    CU(cuKernelGetName(&other, list[1]));
    assert_true((!strcmp(name, "store") && !strcmp(other, "add")) || (!strcmp(name, "add") && !strcmp(other, "store")));
    GIVES(cudaLibraryGetKernel(&k, l, "none"), cudaErrorSymbolNotFound);
    OK(cudaFuncGetParamInfo(kernel(l, "store"), 2, &offset, &bytes));
    assert_true(offset == 12 && bytes == 4);
    CU(cuKernelGetParamInfo(kernel(l, "store"), 1, &offset, &bytes));
    assert_true(offset == 8 && bytes == 1);
    GIVES(cudaFuncGetParamInfo(kernel(l, "store"), 3, &offset, &bytes), cudaErrorInvalidValue);
    CUlibrary of = NULL;
    CU(cuKernelGetLibrary(&of, list[0]));
    assert_ptr_equal(of, l);
    OK(cudaLibraryUnload(l));
    GIVES(cudaLibraryUnload(l), cudaErrorInvalidResourceHandle);
    GIVES(cudaLibraryGetKernelCount(&count, l), cudaErrorInvalidResourceHandle);
    GIVES(cudaFuncGetName(&name, list[0]), cudaErrorInvalidDeviceFunction);
    assert_int_equal(cuKernelGetLibrary(&of, list[0]), CUDA_ERROR_INVALID_HANDLE);
}

static void variables(void **state)
{
    cudaLibrary_t l = load();
    void *p = NULL;
    size_t bytes = 0;
    OK(cudaLibraryGetGlobal(&p, &bytes, l, "base"));
    assert_int_equal(bytes, 4);
    assert_int_equal(read_int(p), 100);
    OK(cudaLibraryGetManaged(&p, &bytes, l, "managed_base"));
    assert_int_equal(*(int *)p, 7);
    GIVES(cudaLibraryGetManaged(&p, &bytes, l, "base"), cudaErrorSymbolNotFound);
    GIVES(cudaLibraryGetGlobal(&p, &bytes, l, "none"), cudaErrorSymbolNotFound);
    GIVES(cudaLibraryGetGlobal(NULL, NULL, l, "base"), cudaErrorInvalidValue);
    GIVES(cudaLibraryGetUnifiedFunction(&p, l, "store"), cudaErrorSymbolNotFound);
    OK(cudaLibraryUnload(l));
}

/* Each context has variables of its own; the handle of the kernel is one. */
static void contexts(void **state)
{
    CUlibrary l;
    CUkernel k;
    CUfunction first, second;
    CUcontext a, b;
    CUdeviceptr base[2], out;
    CUmodule m;
    int ten = 10, one = 1, got = 0;
    unsigned char pad = 0;
    CU(cuInit(0));
    CU(cuCtxCreate(&a, 0, 0));
    CU(cuCtxCreate(&b, 0, 0));
    CU(cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0));
    CU(cuLibraryGetKernel(&k, l, "store"));
    CU(cuKernelGetFunction(&first, k));
    CU(cuLibraryGetGlobal(&base[0], NULL, l, "base"));
    CU(cuMemcpyHtoD(base[0], &ten, 4));
    CU(cuMemAlloc(&out, 4));
    void *args[] = {&out, &pad, &one};
    CU(cuLaunchKernel((CUfunction)(void *)k, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    CU(cuMemcpyDtoH(&got, out, 4));
    assert_int_equal(got, 11);
    CU(cuCtxSetCurrent(a));
    CU(cuLibraryGetGlobal(&base[1], NULL, l, "base"));
    assert_true(base[0] != base[1]);
    CU(cuKernelGetFunction(&second, k));
    assert_ptr_not_equal(first, second);
    CU(cuLibraryGetModule(&m, l));
    CU(cuMemAlloc(&out, 4));
    CU(cuLaunchKernel((CUfunction)(void *)k, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    CU(cuMemcpyDtoH(&got, out, 4));
    assert_int_equal(got, 101);
    CU(cuCtxDestroy(b));                           /* the library stays */
    CU(cuLaunchKernel(second, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    assert_int_equal(cuLaunchKernel(first, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), CUDA_ERROR_INVALID_HANDLE);
    CU(cuLibraryUnload(l));
    assert_int_equal(cuLaunchKernel(second, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), CUDA_ERROR_INVALID_HANDLE);
    CU(cuCtxDestroy(a));
}

static void attributes(void **state)
{
    cudaLibrary_t l = load();
    cudaKernel_t k = kernel(l, "store");
    struct cudaFuncAttributes a;
    CUcontext c;
    int optin, value = 0;
    OK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    OK(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, optin, 0));
    OK(cudaFuncGetAttributes(&a, k));
    assert_int_equal(a.maxDynamicSharedSizeBytes, optin);
    CU(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, k, 0));
    assert_int_equal(value, optin);
    CU(cuCtxCreate(&c, 0, 0));                     /* a later context of the device has it, too */
    CU(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (CUfunction)(void *)k));
    assert_int_equal(value, optin);
    CU(cuCtxDestroy(c));
    GIVES(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1, 0),
          cudaErrorInvalidValue);
    GIVES(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 0, 7),
          cudaErrorInvalidDevice);
    assert_int_equal(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 1, k, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cudaLibraryUnload(l));
}

/* A kernel as the node of a graph, by both APIs. */
static void nodes(void **state)
{
    cudaLibrary_t l = load();
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t node;
    int *out, value = 5;
    OK(cudaMalloc((void **)&out, sizeof *out));
    OK(cudaMemset(out, 0, sizeof *out));
    void *args[] = {&out, &value};
    struct cudaKernelNodeParams p = {kernel(l, "add"), {1, 1, 1}, {1, 1, 1}, 0, args, NULL};
    CUDA_KERNEL_NODE_PARAMS_v2 q = {.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
                                    .blockDimZ = 1, .kernelParams = args, .kern = kernel(l, "add")};
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddKernelNode(&node, g, NULL, 0, &p));
    CU(cuGraphAddKernelNode_v2(&node, g, &node, 1, &q));
    OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(cudaGraphLaunch(x, NULL));
    assert_int_equal(read_int(out), 10);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    OK(cudaLibraryUnload(l));
}

/* ---- files, errors ---- */

static void files(void **state)
{
    char path[] = "/tmp/simtx_library_XXXXXX";
    int fd = mkstemp(path), *out, value = 1;
    unsigned char pad = 0;
    cudaLibrary_t l;
    CUcontext c;
    assert_true(fd >= 0 && write(fd, ptx, sizeof ptx - 1) == (ssize_t)sizeof ptx - 1);
    close(fd);
    OK(cudaLibraryLoadFromFile(&l, path, NULL, NULL, 0, NULL, NULL, 0));
    unlink(path);
    CU(cuCtxCreate(&c, 0, 0));                     /* loads the text again, without the file */
    CU(cuMemAlloc((CUdeviceptr *)(void *)&out, 4));
    void *args[] = {&out, &pad, &value};
    OK(cudaLaunchKernel(kernel(l, "store"), (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL));
    assert_int_equal(read_int(out), 101);
    CU(cuCtxDestroy(c));
    OK(cudaLibraryUnload(l));
    assert_int_equal(cuLibraryLoadFromFile(&l, path, NULL, NULL, 0, NULL, NULL, 0), CUDA_ERROR_FILE_NOT_FOUND);
}

static void wrong_code(void **state)
{
    char log[512] = "";
    enum cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
    void *values[] = {log, (void *)sizeof log};
    cudaLibrary_t l = NULL;
    GIVES(cudaLibraryLoadData(&l, ".version 6.0\n.target sm_30\n.visible .entry f()\n{\n    nonsense;\n}\n", options,
                              values, 2, NULL, NULL, 0), cudaErrorInvalidPtx);
    assert_null(l);
    assert_non_null(strstr(log, "nonsense"));
    GIVES(cudaGetLastError(), cudaErrorInvalidPtx);
    GIVES(cudaLibraryLoadData(&l, NULL, NULL, NULL, 0, NULL, NULL, 0), cudaErrorInvalidValue);
    enum cudaLibraryOption unknown = (enum cudaLibraryOption)99;
    GIVES(cudaLibraryLoadData(&l, ptx, NULL, NULL, 0, &unknown, NULL, 1), cudaErrorInvalidValue);
    cudaKernel_t k;
    GIVES(cudaGetKernel(&k, log), cudaErrorInvalidDeviceFunction);
}

/* A library needs no context; one without any is loaded for the primary context. */
static void no_context(void **state)
{
    CUlibrary l;
    CUkernel k;
    CUcontext old, none;
    const char *name;
    CU(cuCtxGetCurrent(&old));
    for (none = old; none; cuCtxGetCurrent(&none))
        CU(cuCtxPopCurrent(NULL));
    CU(cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0));
    CU(cuLibraryGetKernel(&k, l, "add"));
    CU(cuKernelGetName(&name, k));
    assert_string_equal(name, "add");
    CUfunction f;
    assert_int_equal(cuKernelGetFunction(&f, k), CUDA_ERROR_INVALID_CONTEXT);
    CU(cuCtxGetCurrent(&none));
    assert_null(none);
    CU(cuCtxSetCurrent(old));
    CU(cuLibraryUnload(l));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(launches), TEST(contents), TEST(variables), TEST(contexts), TEST(attributes), TEST(nodes), TEST(files),
        TEST(wrong_code), TEST(no_context),
    };
    return finish("libraries", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
