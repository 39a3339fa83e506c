/* The driver API: contexts, modules with logs, the linker, launches with both forms of arguments, memory of every
 * kind, copies and fills, errors; and both APIs in one process. Expected results are what the CUDA Driver API reference
 * says. */
#include "regress/cudart/test.h"
#include "frontend/cuda/include/cuda.h"
#include "frontend/fatbin/fatbin.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

static void check_result(CUresult got, CUresult expected, const char *what, int line)
{
    const char *name = "?";
    cuGetErrorName(got, &name);
    if (got != expected)
        fail_msg("line %d: %s gives %s (%d), expected %d", line, what, name, (int)got, (int)expected);
}

#define CU(call) check_result(call, CUDA_SUCCESS, #call, __LINE__)
#define CU_GIVES(call, result) check_result(call, result, #call, __LINE__)

#define HEAD ".version 6.0\n.target sm_30\n.address_size 64\n"
#define INDEX                                                                                         \
    "    .reg .b32 %r<8>;\n    .reg .b64 %rd<4>;\n    .reg .pred %p;\n"                             \
    "    mov.u32 %r2, %ctaid.x;\n    mov.u32 %r3, %ntid.x;\n    mov.u32 %r4, %tid.x;\n"             \
    "    mad.lo.s32 %r5, %r2, %r3, %r4;\n"

/* out[i] = i * factor + add for i < n */
static const char scale_ptx[] = HEAD
    ".visible .global .align 4 .u32 factor = 3;\n"
    ".visible .entry scale(.param .u64 out, .param .u32 n, .param .u8 pad, .param .u64 add)\n{\n" INDEX
    "    ld.param.u32 %r6, [n];\n    setp.ge.u32 %p, %r5, %r6;\n    @%p bra DONE;\n"
    "    ld.global.u32 %r7, [factor];\n    ld.param.u64 %rd3, [add];\n    cvt.u32.u64 %r6, %rd3;\n"
    "    mad.lo.s32 %r7, %r5, %r7, %r6;\n"
    "    ld.param.u64 %rd1, [out];\n    mul.wide.u32 %rd2, %r5, 4;\n    add.s64 %rd1, %rd1, %rd2;\n"
    "    st.global.u32 [%rd1], %r7;\nDONE:\n    ret;\n}\n"
    ".visible .entry stop()\n{\n    trap;\n}\n";

/* Two texts that need each other. */
static const char caller_ptx[] = HEAD
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
    ".visible .entry call(.param .u64 out)\n{\n    .reg .b32 %r<3>;\n    .reg .b64 %rd<2>;\n"
    "    mov.u32 %r1, 21;\n    {\n    .param .b32 a;\n    .param .b32 b;\n    st.param.b32 [a], %r1;\n"
    "    call.uni (b), twice, (a);\n    ld.param.b32 %r2, [b];\n    }\n"
    "    ld.param.u64 %rd1, [out];\n    st.global.u32 [%rd1], %r2;\n    ret;\n}\n";
static const char twice_ptx[] = HEAD
    ".visible .func (.param .b32 r) twice(.param .b32 x)\n{\n    .reg .b32 %r<3>;\n"
    "    ld.param.b32 %r1, [x];\n    add.s32 %r2, %r1, %r1;\n    st.param.b32 [r], %r2;\n    ret;\n}\n";

/* A table of constants that one kernel reads and another, which does not name it, fills. */
static const char constants_ptx[] = HEAD
    ".const .align 4 .b8 table[16];\n"
    ".visible .entry fill(.param .u64 to)\n{\n    .reg .b32 %r<3>;\n    .reg .b64 %rd<3>;\n"
    "    ld.param.u64 %rd1, [to];\n    mov.u32 %r1, %tid.x;\n    mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
    "    add.u32 %r2, %r1, 10;\n    st.global.u32 [%rd2], %r2;\n"
    "    atom.global.add.u32 %r2, [%rd1], 1;\n    ret;\n}\n"
    ".visible .entry get(.param .u64 out)\n{\n    .reg .b32 %r<3>;\n    .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [out];\n    mov.u32 %r1, %tid.x;\n    mul.wide.u32 %rd2, %r1, 4;\n"
    "    mov.u64 %rd3, table;\n"
    "    add.u64 %rd3, %rd3, %rd2;\n    add.u64 %rd1, %rd1, %rd2;\n"
    "    ld.const.u32 %r2, [%rd3];\n    st.global.u32 [%rd1], %r2;\n    ret;\n}\n";

enum { N = 300 };

/* ---- before cuInit ---- */

static void not_initialised(void **state)
{
    int n;
    CUcontext c;
    CU_GIVES(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    CU_GIVES(cuCtxGetCurrent(&c), CUDA_ERROR_NOT_INITIALIZED);
    CU_GIVES(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    CU(cuInit(0));
    CU(cuDeviceGetCount(&n));
    assert_int_equal(n, 1);
    CU(cuCtxGetCurrent(&c));
    assert_null(c);
}

/* ---- each test has a context of its own ---- */

static CUcontext context;

static int new_context(void **state)
{
    return cuInit(0) || cuCtxCreate(&context, 0, 0);
}

static int end_context(void **state)
{
    return cuCtxDestroy(context) != CUDA_SUCCESS;
}

static CUfunction load_scale(CUmodule *m)
{
    CUfunction f;
    CU(cuModuleLoadData(m, scale_ptx));
    CU(cuModuleGetFunction(&f, *m, "scale"));
    return f;
}

static void check_scaled(CUdeviceptr p, int factor, int add)
{
    int out[N];
    CU(cuMemcpyDtoH(out, p, sizeof out));
    for (int i = 0; i < N; i++)
        assert_int_equal(out[i], i * factor + add);
}

static void launch_with_pointers(void **state)
{
    CUmodule m;
    CUfunction f = load_scale(&m);
    CUdeviceptr p, factor;
    size_t bytes;
    int n = N, five = 5;
    unsigned char pad = 0;
    unsigned long long add = 7;
    void *args[] = {&p, &n, &pad, &add};
    CU(cuMemAlloc(&p, N * 4));
    CU(cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    check_scaled(p, 3, 7);
    CU(cuModuleGetGlobal(&factor, &bytes, m, "factor"));
    assert_int_equal(bytes, 4);
    CU(cuMemcpyHtoD(factor, &five, 4));
    CU(cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    check_scaled(p, 5, 7);
    CU_GIVES(cuModuleGetGlobal(&factor, &bytes, m, "none"), CUDA_ERROR_NOT_FOUND);
    CU_GIVES(cuModuleGetFunction(&f, m, "none"), CUDA_ERROR_NOT_FOUND);
}

/* All parameters in one buffer, each at its alignment. */
static void launch_with_buffer(void **state)
{
    CUmodule m;
    CUfunction f = load_scale(&m);
    struct { CUdeviceptr out; int n; unsigned char pad; unsigned long long add; } args = {0, N, 0, 11};
    size_t bytes = sizeof args;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &args, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    void *each[] = {&args};
    CU(cuMemAlloc(&args.out, N * 4));
    CU(cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    check_scaled(args.out, 3, 11);
    CU_GIVES(cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, NULL, each, extra), CUDA_ERROR_INVALID_VALUE);
    bytes = 8;
    CU_GIVES(cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE);
}

static void launch_with_attributes(void **state)
{
    CUmodule m;
    CUfunction f = load_scale(&m);
    CUdeviceptr p;
    int n = N, blocks, sms;
    unsigned char pad = 0;
    unsigned long long add = 1;
    void *args[] = {&p, &n, &pad, &add};
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CUlaunchConfig c = {3, 1, 1, 128, 1, 1, 0, NULL, &a, 1};
    CU(cuMemAlloc(&p, N * 4));
    CU(cuLaunchKernelEx(&c, f, args, NULL));
    check_scaled(p, 3, 1);
    CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, 0));
    CU(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    c.gridDimX = (unsigned)(blocks * sms + 1);
    CU_GIVES(cuLaunchKernelEx(&c, f, args, NULL), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    CU_GIVES(cuLaunchCooperativeKernel(f, c.gridDimX, 1, 1, 128, 1, 1, 0, NULL, args),
             CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    CU(cuLaunchKernel(f, c.gridDimX, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    a = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {2, 1, 1}};
    c.gridDimX = 3;
    CU_GIVES(cuLaunchKernelEx(&c, f, args, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    a.value.clusterDim.y = 0;
    CU_GIVES(cuLaunchKernelEx(&c, f, args, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* Block i of a cluster of n reads the rank that block n - 1 - i has stored; out[]: that, plus 10 with a shape. */
#define CLUSTER_BODY                                                                                         \
    "{\n .shared .align 4 .b32 word;\n .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<2>;\n"                \
    " mov.u32 %r1, %cluster_ctarank;\n st.shared.u32 [word], %r1;\n barrier.cluster.arrive.aligned;\n"       \
    " barrier.cluster.wait.aligned;\n mov.u32 %r2, %cluster_nctarank;\n sub.u32 %r3, %r2, %r1;\n"            \
    " sub.u32 %r3, %r3, 1;\n mov.u32 %r4, word;\n mapa.shared::cluster.u32 %r4, %r4, %r3;\n"                 \
    " ld.shared::cluster.u32 %r5, [%r4];\n mov.pred %p1, %is_explicit_cluster;\n @%p1 add.u32 %r5, %r5, 10;\n" \
    " ld.param.u64 %d1, [out];\n mov.u32 %r6, %ctaid.x;\n mul.wide.u32 %d2, %r6, 4;\n add.u64 %d1, %d1, %d2;\n" \
    " st.global.u32 [%d1], %r5;\n barrier.cluster.arrive;\n barrier.cluster.wait;\n ret;\n}\n"
static const char cluster_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry plain(.param .u64 out)\n" CLUSTER_BODY
    ".visible .entry pairs(.param .u64 out)\n.reqnctapercluster 2, 1, 1\n" CLUSTER_BODY
    ".visible .entry must(.param .u64 out)\n.explicitcluster\n.maxclusterrank 4\n" CLUSTER_BODY;

enum { BLOCKS = 12 };

/* The result of a launch of BLOCKS blocks; cluster 0: without the attribute. */
static CUresult run_clusters(CUfunction f, unsigned cluster, int out[BLOCKS])
{
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {cluster, 1, 1}};
    CUlaunchConfig c = {BLOCKS, 1, 1, 1, 1, 1, 0, NULL, &a, cluster != 0};
    CUdeviceptr p;
    CU(cuMemAlloc(&p, BLOCKS * sizeof *out));
    CUresult r = cuLaunchKernelEx(&c, f, (void *[]){&p}, NULL);
    CU(cuMemcpyDtoH(out, p, BLOCKS * sizeof *out));
    CU(cuMemFree(p));
    return r;
}

static void check_clusters(const int out[BLOCKS], int cluster, int shape)
{
    for (int i = 0; i < BLOCKS; i++)
        assert_int_equal(out[i], cluster - 1 - i % cluster + shape);
}

static int attribute(CUfunction f, CUfunction_attribute a)
{
    int value = -1;
    CU(cuFuncGetAttribute(&value, a, f));
    return value;
}

static void launch_clusters(void **state)
{
    CUmodule m;
    CUfunction plain, pairs, must;
    int out[BLOCKS];
    CU(cuModuleLoadData(&m, cluster_ptx));
    CU(cuModuleGetFunction(&plain, m, "plain"));
    CU(cuModuleGetFunction(&pairs, m, "pairs"));
    CU(cuModuleGetFunction(&must, m, "must"));
    CU(run_clusters(plain, 0, out));
    check_clusters(out, 1, 0);
    CU(run_clusters(plain, 4, out));
    check_clusters(out, 4, 10);
    CU_GIVES(run_clusters(plain, 5, out), CUDA_ERROR_INVALID_CLUSTER_SIZE);      /* 12 is no multiple */
    CU_GIVES(run_clusters(plain, 12, out), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    CU(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    assert_int_equal(attribute(plain, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED), 1);
    CU(run_clusters(plain, 12, out));
    check_clusters(out, 12, 10);
    CU(run_clusters(pairs, 0, out));
    check_clusters(out, 2, 10);
    CU_GIVES(run_clusters(pairs, 4, out), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    assert_int_equal(attribute(pairs, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), 2);
    assert_int_equal(attribute(pairs, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET), 0);
    assert_int_equal(attribute(must, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET), 1);
    CU_GIVES(run_clusters(must, 0, out), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    CU_GIVES(run_clusters(must, 6, out), CUDA_ERROR_INVALID_CLUSTER_SIZE);       /* .maxclusterrank 4 */
    CU(run_clusters(must, 4, out));
    check_clusters(out, 4, 10);
}

static void launch_errors(void **state)
{
    CUmodule m;
    CUfunction f = load_scale(&m);
    CUdeviceptr p;
    CU_GIVES(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p, &p, &p, &p}, NULL), CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(cuLaunchKernel(f, 1, 1, 1, 4096, 1, 1, 0, NULL, (void *[]){&p, &p, &p, &p}, NULL),
             CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(cuLaunchKernel((CUfunction)(void *)&p, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    CU(cuModuleUnload(m));
    CU_GIVES(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    CU_GIVES(cuModuleUnload(m), CUDA_ERROR_INVALID_HANDLE);
}

/* A kernel that faults spoils its context; a new one works. */
static void fault_and_recovery(void **state)
{
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    load_scale(&m);
    CU(cuModuleGetFunction(&f, m, "stop"));
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    CU_GIVES(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    CU_GIVES(cuMemAlloc(&p, 16), CUDA_ERROR_LAUNCH_FAILED);
    CU(cuCtxDestroy(context));
    CU_GIVES(cuMemAlloc(&p, 16), CUDA_ERROR_INVALID_CONTEXT);
    CU(cuCtxCreate(&context, 0, 0));
    CU(cuMemAlloc(&p, 16));
}

/* ---- modules ---- */

static void logs_of_a_load(void **state)
{
    CUmodule m;
    char error[400] = "", info[64] = "x";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                              CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {error, (void *)sizeof error, info, (void *)sizeof info, (void *)4};
    CU_GIVES(cuModuleLoadDataEx(&m, HEAD ".visible .entry k()\n{\n    nonsense.u32 %r1;\n}\n", 5, options, values),
             CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(error, "image.ptx:6"));
    assert_non_null(strstr(error, "nonsense"));
    assert_int_equal((size_t)values[1], strlen(error) + 1);
    assert_string_equal(info, "");
    values[1] = (void *)10;
    CU_GIVES(cuModuleLoadDataEx(&m, HEAD "?", 2, options, values), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(strlen(error), 9);
    values[1] = (void *)sizeof error;
    CU_GIVES(cuModuleLoadDataEx(&m, "\177ELF\2\1\1", 2, options, values), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_non_null(strstr(error, "cubin"));
    values[1] = (void *)sizeof error;
    CU(cuModuleLoadDataEx(&m, scale_ptx, 5, options, values));
    assert_string_equal(error, "");
    CU(cuModuleLoadData(&m, HEAD));                /* a text without kernels, braces and semicolons */
    values[1] = (void *)sizeof error;
    CU_GIVES(cuModuleLoadDataEx(&m, ".version 99.0\n.target sm_30\n", 2, options, values), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(error, "99.0"));
    values[1] = (void *)sizeof error;
    CU_GIVES(cuModuleLoadDataEx(&m, "kernel", 2, options, values), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_non_null(strstr(error, "neither PTX nor a fat binary"));
    CU_GIVES(cuModuleLoad(&m, "/no/such/file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
}

static void load_bytes(const void *bytes, size_t size, CUresult expected)
{
    CUmodule m;
    char path[] = "/tmp/simtx-driver-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
    CU_GIVES(cuModuleLoad(&m, path), expected);
    unlink(path);
}

/* Sizes and addresses in a file do not lead outside it. */
static void damaged_files(void **state)
{
    struct fatbin_container_header h = {FATBIN_MAGIC, 1, sizeof h, (uint64_t)1 << 40};
    struct fatbin_wrapper w = {FATBIN_WRAPPER_MAGIC, 1, (const void *)64, NULL};
    unsigned char entry[sizeof h + sizeof(struct fatbin_entry_header)] = {0};
    load_bytes(&h, sizeof h, CUDA_ERROR_NO_BINARY_FOR_GPU);
    load_bytes(&h, sizeof h - 1, CUDA_ERROR_NO_BINARY_FOR_GPU);
    memcpy(entry, &h, sizeof h);
    load_bytes(entry, sizeof entry, CUDA_ERROR_NO_BINARY_FOR_GPU);
    load_bytes(&w, sizeof w, CUDA_ERROR_NO_BINARY_FOR_GPU);
    w.version = FATBIN_WRAPPER_LINKED;
    w.linked = &w;
    load_bytes(&w, sizeof w, CUDA_ERROR_NO_BINARY_FOR_GPU);
    load_bytes("", 0, CUDA_ERROR_NO_BINARY_FOR_GPU);
}

static void module_from_a_file(void **state)
{
    CUmodule m;
    CUfunction f, both[2];
    unsigned count;
    const char *name;
    size_t offset, size;
    char path[] = "/tmp/simtx-driver-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, scale_ptx, sizeof scale_ptx - 1), sizeof scale_ptx - 1);
    close(fd);
    CU(cuModuleLoad(&m, path));
    unlink(path);
    CU(cuModuleGetFunctionCount(&count, m));
    assert_int_equal(count, 2);
    CU(cuModuleEnumerateFunctions(both, 2, m));
    CU(cuModuleGetFunction(&f, m, "scale"));
    assert_true(f == both[0] || f == both[1]);
    CU(cuFuncGetName(&name, f));
    assert_string_equal(name, "scale");
    CU(cuFuncGetParamInfo(f, 3, &offset, &size));
    assert_int_equal(offset, 16);
    assert_int_equal(size, 8);
    CU_GIVES(cuFuncGetParamInfo(f, 4, &offset, &size), CUDA_ERROR_INVALID_VALUE);
}

static void linking(void **state)
{
    CUlinkState s;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *image;
    size_t bytes;
    char error[300] = "";
    int out;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {error, (void *)sizeof error};
    CU(cuLinkCreate(0, NULL, NULL, &s));
    CU(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)caller_ptx, sizeof caller_ptx, "caller.ptx", 0, NULL, NULL));
    CU(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)twice_ptx, sizeof twice_ptx - 1, "twice.ptx", 0, NULL, NULL));
    CU(cuLinkComplete(s, &image, &bytes));
    char *copy = malloc(bytes);                  /* as programs do that keep the result in a file */
    memcpy(copy, image, bytes);
    CU(cuLinkDestroy(s));
    CU(cuModuleLoadData(&m, copy));
    memset(copy + 4, 0xff, 4);                   /* the number of texts */
    CU_GIVES(cuModuleLoadData(&m, copy), CUDA_ERROR_NO_BINARY_FOR_GPU);
    free(copy);
    CU(cuModuleGetFunction(&f, m, "call"));
    CU(cuMemAlloc(&p, 4));
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p}, NULL));
    CU(cuMemcpyDtoH(&out, p, 4));
    assert_int_equal(out, 42);

    CU(cuLinkCreate(2, options, values, &s));
    CU(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)caller_ptx, sizeof caller_ptx, "caller.ptx", 0, NULL, NULL));
    CU_GIVES(cuLinkComplete(s, &image, &bytes), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(error, "twice"));
    CU_GIVES(cuLinkAddData(s, CU_JIT_INPUT_CUBIN, (void *)"\177ELF", 4, "x", 0, NULL, NULL),
             CUDA_ERROR_NO_BINARY_FOR_GPU);
    values[1] = (void *)sizeof error;
    CU_GIVES(cuLinkAddFile(s, CU_JIT_INPUT_PTX, "/", 0, NULL, NULL), CUDA_ERROR_FILE_NOT_FOUND);
    assert_string_equal(error, "/: Is a directory");
    CU(cuLinkDestroy(s));
}

/* Programs link the archive, which has machine code alone; its functions are simtx's. Each block counts what all blocks
 * added before the barrier. */
static void linking_the_device_runtime(void **state)
{
    static const char barrier_ptx[] =
        ".version 7.5\n.target sm_70\n.address_size 64\n"
        ".extern .func (.param .b32 q) cudaCGSynchronize(.param .b64 a, .param .b32 b);\n"
        ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
        "ld.param.u64 %rd1, [out];\natom.global.add.u32 %r1, [%rd1], 1;\n"
        "{ .param .b64 a; .param .b32 b; .param .b32 q; st.param.b64 [a], 1; st.param.b32 [b], 0;\n"
        "call (q), cudaCGSynchronize, (a, b); }\n"
        "ld.volatile.global.u32 %r2, [%rd1];\natom.global.add.u32 %r3, [%rd1+4], %r2;\nret;\n}\n";
    CUlinkState s;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *image;
    int out[2];
    char folder[] = "/tmp/simtx-driver-XXXXXX", path[64], other[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/libcudadevrt.a", folder);
    snprintf(other, sizeof other, "%s/libother.a", folder);
    fclose(fopen(path, "w"));
    fclose(fopen(other, "w"));
    CU(cuLinkCreate(0, NULL, NULL, &s));
    CU(cuLinkAddFile(s, CU_JIT_INPUT_LIBRARY, path, 0, NULL, NULL));
    CU_GIVES(cuLinkAddFile(s, CU_JIT_INPUT_LIBRARY, other, 0, NULL, NULL), CUDA_ERROR_NO_BINARY_FOR_GPU);
    unlink(path);
    unlink(other);
    rmdir(folder);
    CU(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)barrier_ptx, sizeof barrier_ptx, "barrier.ptx", 0, NULL, NULL));
    CU(cuLinkComplete(s, &image, NULL));
    CU(cuModuleLoadData(&m, image));
    CU(cuLinkDestroy(s));
    CU(cuModuleGetFunction(&f, m, "k"));
    CU(cuMemAlloc(&p, 8));
    CU(cuMemsetD32(p, 0, 2));
    CU(cuLaunchCooperativeKernel(f, 3, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&p}));
    CU(cuMemcpyDtoH(out, p, 8));
    assert_int_equal(out[0], 96);
    assert_int_equal(out[1], 96 * 96);
}

static void constants_written(void **state)
{
    CUmodule m;
    CUfunction fill, get;
    CUdeviceptr table, out;
    size_t bytes;
    unsigned got[4];
    CU(cuModuleLoadData(&m, constants_ptx));
    CU(cuModuleGetFunction(&fill, m, "fill"));
    CU(cuModuleGetFunction(&get, m, "get"));
    CU(cuModuleGetGlobal(&table, &bytes, m, "table"));
    CU(cuMemAlloc(&out, sizeof got));
    for (int i = 0; i < 2; i++) {
        CU(cuLaunchKernel(get, 1, 1, 1, 4, 1, 1, 0, NULL, (void *[]){&out}, NULL));
        CU(cuMemcpyDtoH(got, out, sizeof got));
        assert_int_equal(got[0], i ? 14 : 0);
        assert_int_equal(got[3], i ? 13 : 0);
        CU(cuLaunchKernel(fill, 1, 1, 1, 4, 1, 1, 0, NULL, (void *[]){&table}, NULL));
    }
    CU(cuLaunchKernel(get, 1, 1, 1, 4, 1, 1, 0, NULL, (void *[]){&table}, NULL));    /* it names the table */
    CU_GIVES(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* ---- contexts ---- */

static void context_stack(void **state)
{
    CUcontext other, c;
    CUdevice dev = -1;
    CUstream s;
    CUdeviceptr p;
    size_t before, after, total;
    CU(cuMemGetInfo(&before, &total));
    CU(cuCtxCreate(&other, CU_CTX_SCHED_SPIN, 0));
    CU(cuCtxGetCurrent(&c));
    assert_ptr_equal(c, other);
    CU(cuStreamCreate(&s, 0));
    CU(cuStreamGetCtx(s, &c));
    assert_ptr_equal(c, other);
    CU(cuMemAlloc(&p, 1 << 20));
    CU(cuCtxPopCurrent(&c));
    assert_ptr_equal(c, other);
    CU(cuCtxGetCurrent(&c));
    assert_ptr_equal(c, context);
    CU(cuCtxGetDevice(&dev));
    assert_int_equal(dev, 0);
    CU(cuCtxDestroy(other));                       /* with its stream and its memory */
    CU_GIVES(cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE);
    CU(cuMemGetInfo(&after, &total));
    assert_int_equal(before, after);
    CU_GIVES(cuCtxDestroy(other), CUDA_ERROR_INVALID_CONTEXT);
    CU(cuCtxSetCurrent(NULL));
    CU_GIVES(cuMemAlloc(&p, 16), CUDA_ERROR_INVALID_CONTEXT);
    CU_GIVES(cuCtxGetDevice(&dev), CUDA_ERROR_INVALID_CONTEXT);
    CU(cuCtxSetCurrent(context));
    CU_GIVES(cuCtxPushCurrent((CUcontext)(void *)&p), CUDA_ERROR_INVALID_CONTEXT);
}

/* Kernels and events belong to a context, and streams of another one reject them. */
static void other_context(void **state)
{
    CUcontext other;
    CUmodule m;
    CUfunction f;
    CUstream s, of_other;
    CUevent event, of_event;
    CUdeviceptr p;
    uint64_t add = 0;
    int n = N;
    char pad = 0;
    void *args[] = {&p, &n, &pad, &add};
    CU(cuModuleLoadData(&m, scale_ptx));
    CU(cuModuleGetFunction(&f, m, "scale"));
    CU(cuMemAlloc(&p, 4 * N));
    CU(cuStreamCreate(&s, 0));
    CU(cuEventCreate(&event, 0));
    CU(cuCtxCreate(&other, 0, 0));
    CU(cuStreamCreate(&of_other, 0));
    CU(cuEventCreate(&of_event, 0));
    CU_GIVES(cuLaunchKernel(f, 2, 1, 1, 256, 1, 1, 0, NULL, args, NULL), CUDA_ERROR_INVALID_HANDLE);
    CU_GIVES(cuLaunchKernel(f, 2, 1, 1, 256, 1, 1, 0, of_other, args, NULL), CUDA_ERROR_INVALID_HANDLE);
    CU(cuLaunchKernel(f, 2, 1, 1, 256, 1, 1, 0, s, args, NULL));
    CU_GIVES(cuEventRecord(event, NULL), CUDA_ERROR_INVALID_HANDLE);
    CU_GIVES(cuEventRecord(event, of_other), CUDA_ERROR_INVALID_HANDLE);
    CU_GIVES(cuEventRecord(of_event, s), CUDA_ERROR_INVALID_HANDLE);
    CU(cuEventRecord(event, s));
    CU(cuStreamWaitEvent(of_other, event, 0));
    CU(cuCtxRecordEvent(context, event));
    CU_GIVES(cuCtxRecordEvent(other, event), CUDA_ERROR_INVALID_HANDLE);
    CU(cuCtxDestroy(other));
    CU(cuMemFree(p));
    CU(cuModuleUnload(m));
}

static void primary_context(void **state)
{
    CUcontext a, b;
    unsigned flags;
    int active;
    CU(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    CU(cuDevicePrimaryCtxRetain(&a, 0));
    CU(cuDevicePrimaryCtxRetain(&b, 0));
    assert_ptr_equal(a, b);
    CU(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 1);
    CU(cuDevicePrimaryCtxRelease(0));
    CU(cuDevicePrimaryCtxRelease(0));
    CU_GIVES(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    CU_GIVES(cuDevicePrimaryCtxRetain(&a, 7), CUDA_ERROR_INVALID_DEVICE);
}

/* ---- memory ---- */

static void fills(void **state)
{
    CUdeviceptr p;
    unsigned out[64];
    CU(cuMemAlloc(&p, sizeof out));
    CU(cuMemsetD8(p, 0, sizeof out));
    CU(cuMemsetD32(p, 0x12345678, 16));
    CU(cuMemsetD16(p + 64, 0xabcd, 4));
    CU(cuMemsetD2D32(p + 128, 32, 9, 3, 4));
    CU(cuMemcpyDtoH(out, p, sizeof out));
    for (int i = 0; i < 64; i++) {
        unsigned expected = i < 16 ? 0x12345678 : i < 18 ? 0xabcdabcd : 0;
        if (i >= 32 && (i - 32) % 8 < 3)
            expected = 9;
        assert_int_equal(out[i], expected);
    }
    CU_GIVES(cuMemsetD32(p + 2, 1, 1), CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(cuMemsetD32(p, 1, 65), CUDA_ERROR_INVALID_VALUE);
}

static void boxes(void **state)
{
    unsigned char from[8 * 10], to[6 * 4];
    CUdeviceptr p;
    size_t pitch;
    for (int i = 0; i < 80; i++)
        from[i] = (unsigned char)i;
    CU(cuMemAllocPitch(&p, &pitch, 20, 16, 4));
    CUDA_MEMCPY2D in = {.srcXInBytes = 2, .srcY = 1, .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from,
                        .srcPitch = 10,
                        .dstXInBytes = 3, .dstY = 2, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = p,
                        .dstPitch = pitch, .WidthInBytes = 6, .Height = 4};
    CU(cuMemcpy2D(&in));
    CUDA_MEMCPY2D out = {.srcXInBytes = 3, .srcY = 2, .srcMemoryType = CU_MEMORYTYPE_UNIFIED, .srcDevice = p,
                         .srcPitch = pitch, .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to, .WidthInBytes = 6,
                         .Height = 4};
    CU(cuMemcpy2D(&out));
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 6; x++)
            assert_int_equal(to[y * 6 + x], (y + 1) * 10 + x + 2);
    in.dstY = 15;
    CU_GIVES(cuMemcpy2D(&in), CUDA_ERROR_INVALID_VALUE);
    in.dstMemoryType = 9;
    CU_GIVES(cuMemcpy2D(&in), CUDA_ERROR_INVALID_VALUE);
}

static void pointers(void **state)
{
    CUdeviceptr p, q, base, start;
    void *h;
    size_t bytes;
    unsigned type, managed;
    unsigned long long id_p, id_q;
    CUcontext c;
    int x;
    CU(cuMemAlloc(&p, 1000));
    CU(cuMemAllocManaged(&q, 100, CU_MEM_ATTACH_GLOBAL));
    CU(cuMemHostAlloc(&h, 100, CU_MEMHOSTALLOC_DEVICEMAP));
    CU(cuMemGetAddressRange(&base, &bytes, p + 10));
    assert_int_equal(base, p);
    assert_int_equal(bytes, 1000);
    CU(cuPointerGetAttribute(&c, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    assert_ptr_equal(c, context);
    CU(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 5));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    CU(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)h));
    assert_int_equal(type, CU_MEMORYTYPE_HOST);
    CU(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 999));
    assert_int_equal(start, p);
    CU(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, q));
    assert_int_equal(managed, 1);
    CU(cuPointerGetAttribute(&id_p, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
    CU(cuPointerGetAttribute(&id_q, CU_POINTER_ATTRIBUTE_BUFFER_ID, q));
    assert_true(id_p != id_q);
    CU_GIVES(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)&x),
             CUDA_ERROR_INVALID_VALUE);
    type = 5;
    CU(cuPointerGetAttributes(1, (CUpointer_attribute[]){CU_POINTER_ATTRIBUTE_MEMORY_TYPE}, (void *[]){&type},
                              (CUdeviceptr)(uintptr_t)&x));
    assert_int_equal(type, 0);
    CU_GIVES(cuMemFree(p + 1), CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(cuMemAlloc(&p, (size_t)1 << 60), CUDA_ERROR_OUT_OF_MEMORY);
    CU(cuMemFreeHost(h));
}

static void stream_ordered(void **state)
{
    CUmemoryPool pool;
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUdeviceptr p;
    CUstream s;
    CUevent a, b;
    cuuint64_t used;
    float ms;
    CU(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -1));
    CU(cuMemPoolCreate(&pool, &props));
    CU(cuMemAllocFromPoolAsync(&p, 4096, pool, s));
    CU(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    assert_int_equal(used, 4096);
    CU(cuMemFreeAsync(p, s));
    CU(cuMemPoolDestroy(pool));
    CU(cuEventCreate(&a, 0));
    CU(cuEventCreate(&b, 0));
    CU(cuEventRecord(a, s));
    CU(cuEventRecord(b, s));
    CU(cuStreamWaitEvent(s, b, 0));
    CU(cuEventElapsedTime(&ms, a, b));
    assert_true(ms >= 0);
    CU(cuEventDestroy(a));
    CU_GIVES(cuEventQuery(a), CUDA_ERROR_INVALID_HANDLE);
    CU(cuStreamDestroy(s));
    CU_GIVES(cuStreamQuery(s), CUDA_ERROR_INVALID_HANDLE);
}

/* ---- virtual memory ---- */

static void virtual_memory(void **state)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle first, second;
    CUdeviceptr at, alias;
    CUmodule m;
    CUfunction f = load_scale(&m);
    size_t g;
    unsigned long long add = 1, flags;
    unsigned char pad = 0;
    int n = N, out[N];
    CU(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CU_GIVES(cuMemAddressReserve(&at, 0 - (size_t)g, 2 * g, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
    CU(cuMemAddressReserve(&at, 3 * g, 0, 0, 0));
    CU(cuMemAddressReserve(&alias, g, 0, 0, 0));
    CU(cuMemCreate(&first, g, &prop, 0));
    CU(cuMemCreate(&second, g, &prop, 0));
    CU(cuMemMap(at, g, 0, first, 0));
    CU(cuMemMap(at + g, g, 0, second, 0));
    CU(cuMemMap(alias, g, 0, second, 0));
    CU_GIVES(cuMemMap(at + g, g, 0, first, 0), CUDA_ERROR_INVALID_VALUE);            /* mapped already */
    CU_GIVES(cuMemMap(at + 3 * g, g, 0, first, 0), CUDA_ERROR_INVALID_VALUE);        /* outside */
    CU_GIVES(cuMemSetAccess(at, 3 * g, &access, 1), CUDA_ERROR_INVALID_VALUE);       /* not all is mapped */
    CU_GIVES(cuMemsetD8(at, 1, 16), CUDA_ERROR_INVALID_VALUE);                       /* no access yet */
    CU(cuMemSetAccess(at, 2 * g, &access, 1));
    CU(cuMemSetAccess(alias, g, &access, 1));
    CU(cuMemGetAccess(&flags, &access.location, at + g));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CU(cuMemRelease(first));
    CU(cuMemsetD8(at, 0, 2 * g));                  /* over both mappings */
    CUdeviceptr across = at + g - 4 * (N / 2);
    CU(cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, NULL, (void *[]){&across, &n, &pad, &add}, NULL));
    check_scaled(across, 3, 1);
    CU(cuMemcpyDtoH(out, alias, sizeof out));      /* the second half, at its other address */
    for (int i = 0; i < N / 2; i++)
        assert_int_equal(out[i], (i + N / 2) * 3 + 1);
    CU_GIVES(cuMemAddressFree(at, 3 * g), CUDA_ERROR_INVALID_VALUE);                 /* still mapped */
    CU(cuMemUnmap(at, 2 * g));
    CU(cuMemUnmap(alias, g));
    CU(cuMemRelease(second));
    CU_GIVES(cuMemRelease(second), CUDA_ERROR_INVALID_VALUE);
    CU(cuMemAddressFree(at, 3 * g));
    CU(cuMemAddressFree(alias, g));
}

/* While the address space cannot grow, mappings cannot be replaced. */
static CUresult unmap_without_room(CUdeviceptr at, size_t bytes)
{
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    none = (struct rlimit){1, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    CUresult e = cuMemUnmap(at, bytes);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    return e;
}

static void mappings_that_fail(void **state)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle h;
    CUdeviceptr at;
    unsigned long long flags;
    size_t g;
    CU(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CU(cuMemAddressReserve(&at, g, 0, 0, 0));
    CU(cuMemCreate(&h, g, &prop, 0));
    CU(cuMemMap(at, g, 0, h, 0));
    CU(cuMemHostRegister((void *)(uintptr_t)at, 4096, 0));
    CU_GIVES(cuMemSetAccess(at, g, &access, 1), CUDA_ERROR_INVALID_VALUE);
    CU(cuMemGetAccess(&flags, &access.location, at));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    CU(cuMemHostUnregister((void *)(uintptr_t)at));
    CU(cuMemSetAccess(at, g, &access, 1));
    CU_GIVES(unmap_without_room(at, g), CUDA_ERROR_OUT_OF_MEMORY);
    CU(cuMemsetD8(at, 1, g));                      /* still mapped */
    CU(cuMemUnmap(at, g));
    CU(cuMemRelease(h));
    CU(cuMemAddressFree(at, g));
}

/* ---- arrays and texture objects ---- */

static void arrays(void **state)
{
    float in[6][10], out[4][10];
    CUarray a;
    CUDA_ARRAY_DESCRIPTOR d = {10, 6, CU_AD_FORMAT_FLOAT, 1}, back;
    CUdeviceptr p;
    for (int i = 0; i < 60; i++)
        in[i / 10][i % 10] = (float)i;
    CU(cuArrayCreate(&a, &d));
    CU(cuArrayGetDescriptor(&back, a));
    assert_int_equal(back.Width, 10);
    assert_int_equal(back.Height, 6);
    assert_int_equal(back.Format, CU_AD_FORMAT_FLOAT);
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = 40,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = a, .WidthInBytes = 40, .Height = 6};
    CU(cuMemcpy2D(&c));
    CU(cuMemAlloc(&p, sizeof out));
    c = (CUDA_MEMCPY2D){.srcXInBytes = 8, .srcY = 1, .srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = a,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = p, .dstPitch = 40, .WidthInBytes = 32,
                        .Height = 4};
    CU(cuMemcpy2D(&c));
    CU(cuMemcpyDtoH(out, p, sizeof out));
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++)
            assert_true(out[y][x] == in[y + 1][x + 2]);
    c.srcXInBytes = 2;                             /* not a whole texel */
    CU_GIVES(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    CU(cuArrayDestroy(a));
    CU_GIVES(cuArrayDestroy(a), CUDA_ERROR_INVALID_HANDLE);
    d.NumChannels = 3;
    CU_GIVES(cuArrayCreate(&a, &d), CUDA_ERROR_INVALID_VALUE);
}

static void texture_objects(void **state)
{
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_PITCH2D}, r2;
    CUDA_TEXTURE_DESC t = {.filterMode = CU_TR_FILTER_MODE_LINEAR, .flags = CU_TRSF_NORMALIZED_COORDINATES,
                           .addressMode = {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_MIRROR}}, t2;
    CUtexObject object;
    size_t pitch;
    CU(cuMemAllocPitch(&r.res.pitch2D.devPtr, &pitch, 64, 16, 4));
    r.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT8;
    r.res.pitch2D.numChannels = 1;
    r.res.pitch2D.width = 64;
    r.res.pitch2D.height = 16;
    r.res.pitch2D.pitchInBytes = pitch;
    CU(cuTexObjectCreate(&object, &r, &t, NULL));
    CU(cuTexObjectGetResourceDesc(&r2, object));
    assert_int_equal(r2.resType, CU_RESOURCE_TYPE_PITCH2D);
    assert_int_equal(r2.res.pitch2D.devPtr, r.res.pitch2D.devPtr);
    assert_int_equal(r2.res.pitch2D.pitchInBytes, pitch);
    CU(cuTexObjectGetTextureDesc(&t2, object));
    assert_int_equal(t2.filterMode, CU_TR_FILTER_MODE_LINEAR);
    assert_int_equal(t2.addressMode[1], CU_TR_ADDRESS_MODE_MIRROR);
    CU(cuTexObjectDestroy(object));
    CU_GIVES(cuTexObjectDestroy(object), CUDA_ERROR_INVALID_VALUE);
    r.res.pitch2D.numChannels = 5;
    CU_GIVES(cuTexObjectCreate(&object, &r, &t, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* ---- tensor maps ---- */

/* The arguments of cuTensorMapEncodeTiled, those of a matrix of 100 x 40 halves and boxes of 32 x 8. */
struct tensor {
    CUtensorMapDataType type;
    cuuint32_t rank;
    uintptr_t address;
    cuuint64_t elements[5], strides[4];
    cuuint32_t box[5], steps[5];
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill outside;
};

static const struct tensor halves = {
    .type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, .rank = 2, .address = 1 << 20, .elements = {100, 40}, .strides = {208},
    .box = {32, 8}, .steps = {1, 1}, .swizzle = CU_TENSOR_MAP_SWIZZLE_64B,
};

static CUresult encode(CUtensorMap *map, const struct tensor *t)
{
    return cuTensorMapEncodeTiled(map, t->type, t->rank, (void *)t->address, t->elements, t->strides, t->box, t->steps,
                                  t->interleave, t->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, t->outside);
}

#define ENCODE_GIVES(change, result) \
    do { \
        struct tensor t = halves; \
        change; \
        CU_GIVES(encode(&map, &t), result); \
    } while (0)

static void tensor_maps(void **state)
{
    CUtensorMap map, other, *no_map = NULL, *crooked = (CUtensorMap *)(void *)((char *)&map + 16);
    void *f = NULL;
    assert_int_equal(sizeof map, 128);
    CU(encode(&map, &halves));
    CU_GIVES(encode(no_map, &halves), CUDA_ERROR_INVALID_VALUE);
    CU_GIVES(encode(crooked, &halves), CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.rank = 0, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.rank = 6, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.address += 8, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.address = 0, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.type = (CUtensorMapDataType)16, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.elements[1] = 0, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.elements[1] = (UINT64_C(1) << 32) + 1, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.elements[1] = UINT64_C(1) << 32, CUDA_SUCCESS);
    ENCODE_GIVES(t.strides[0] = 200, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.strides[0] = UINT64_C(1) << 40, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.box[1] = 0, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.box[1] = 257, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.box[1] = 256, CUDA_SUCCESS);
    ENCODE_GIVES((t.box[0] = 20, t.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE), CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.box[0] = 40, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.box[0] = 16, CUDA_ERROR_NOT_SUPPORTED);
    ENCODE_GIVES(t.steps[1] = 0, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.steps[1] = 9, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES(t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B, CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES((t.rank = 3, t.elements[2] = t.box[2] = t.steps[2] = 1, t.strides[1] = 8320,
                  t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B), CUDA_ERROR_NOT_SUPPORTED);
    ENCODE_GIVES(t.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, CUDA_ERROR_NOT_SUPPORTED);
    ENCODE_GIVES(t.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, CUDA_ERROR_NOT_SUPPORTED);
    ENCODE_GIVES(t.outside = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA, CUDA_SUCCESS);
    ENCODE_GIVES((t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16,
                  t.outside = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA), CUDA_ERROR_INVALID_VALUE);
    ENCODE_GIVES((t.address += 4096), CUDA_SUCCESS);
    CU(encode(&other, &halves));
    CU(cuTensorMapReplaceAddress(&other, (void *)(halves.address + 4096)));
    assert_memory_equal(&map, &other, sizeof map);
    CU_GIVES(cuTensorMapReplaceAddress(&other, (void *)(halves.address + 8)), CUDA_ERROR_INVALID_VALUE);
    memset(&other, 0, sizeof other);
    CU_GIVES(cuTensorMapReplaceAddress(&other, (void *)halves.address), CUDA_ERROR_INVALID_VALUE);
    CU(cuGetProcAddress("cuTensorMapEncodeTiled", &f, 12000, 0));
    assert_non_null(f);
}

/* Pictures of 32 channels, 20 x 10 pixels, five of them; a window that begins one pixel before them. */
struct pictures {
    struct tensor t;
    int lower[3], upper[3];
    cuuint32_t channels, pixels;
};

static const struct pictures pictures = {
    .t = { .type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, .rank = 4, .address = 1 << 20, .elements = { 32, 20, 10, 5, 2 },
           .strides = { 64, 1280, 12800, 64000 }, .steps = { 1, 1, 1, 1, 1 }, .swizzle = CU_TENSOR_MAP_SWIZZLE_64B },
    .lower = { -1, -1, -1 }, .upper = { -1, -1, -1 }, .channels = 32, .pixels = 64,
};

static CUresult encode_pictures(CUtensorMap *map, const struct pictures *p)
{
    const struct tensor *t = &p->t;
    return cuTensorMapEncodeIm2col(map, t->type, t->rank, (void *)t->address, t->elements, t->strides, p->lower,
                                   p->upper, p->channels, p->pixels, t->steps, t->interleave, t->swizzle,
                                   CU_TENSOR_MAP_L2_PROMOTION_NONE, t->outside);
}

#define PICTURES_GIVE(change, result) \
    do { \
        struct pictures p = pictures; \
        change; \
        CU_GIVES(encode_pictures(&map, &p), result); \
    } while (0)

static void tensor_maps_of_pictures(void **state)
{
    CUtensorMap map, tiled;
    struct tensor t = pictures.t;
    void *f = NULL;
    CU(encode_pictures(&map, &pictures));
    memcpy(t.box, (cuuint32_t[]){ 32, 1, 1, 1 }, sizeof(cuuint32_t[4]));
    CU(encode(&tiled, &t));
    assert_memory_not_equal(&map, &tiled, sizeof map);
    PICTURES_GIVE(p.t.rank = 3, CUDA_SUCCESS);
    PICTURES_GIVE(p.t.rank = 5, CUDA_SUCCESS);
    PICTURES_GIVE(p.t.rank = 2, CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE(p.t.rank = 6, CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE(p.t.address += 8, CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE(p.t.strides[2] += 8, CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE(p.t.steps[1] = 9, CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE(p.lower[1] = -128, CUDA_SUCCESS);
    PICTURES_GIVE(p.lower[1] = -129, CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE(p.upper[0] = 127, CUDA_SUCCESS);
    PICTURES_GIVE(p.upper[0] = 128, CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE((p.t.rank = 3, p.lower[0] = -32768), CUDA_SUCCESS);
    PICTURES_GIVE((p.t.rank = 5, p.lower[2] = -16), CUDA_SUCCESS);
    PICTURES_GIVE((p.t.rank = 5, p.lower[2] = -17), CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE(p.upper[1] = -10, CUDA_SUCCESS);
    PICTURES_GIVE(p.upper[1] = -11, CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE(p.channels = 0, CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE((p.channels = 257, p.t.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE), CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE(p.channels = 64, CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE(p.channels = 16, CUDA_ERROR_NOT_SUPPORTED);
    PICTURES_GIVE(p.pixels = 1024, CUDA_SUCCESS);
    PICTURES_GIVE(p.pixels = 1025, CUDA_ERROR_INVALID_VALUE);
    PICTURES_GIVE(p.t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B, CUDA_ERROR_NOT_SUPPORTED);
    CU(cuGetProcAddress("cuTensorMapEncodeIm2col", &f, 12000, 0));
    assert_non_null(f);
}

/* ---- streams and functions of later releases ---- */

static void later_queries(void **state)
{
    CUmodule m;
    CUstream s;
    CUdevice d = 7;
    CUstreamAttrValue v = {0}, got = {0};
    CUfunctionLoadingState loaded = CU_FUNCTION_LOADING_STATE_UNLOADED;
    CUmoduleLoadingMode mode;
    CUfunction f = load_scale(&m);
    const char *name, *kernel_name;
    int threads, kernel_threads;
    CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CU(cuStreamGetDevice(s, &d));
    assert_int_equal(d, 0);
    v.accessPolicyWindow.num_bytes = 4096;
    v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    CU(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
    CU(cuStreamGetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &got));
    assert_memory_equal(&got, &v, sizeof v.accessPolicyWindow);
    CU_GIVES(cuStreamGetAttribute(s, (CUstreamAttrID)99, &got), CUDA_ERROR_INVALID_VALUE);
    CU(cuFuncLoad(f));
    CU(cuFuncIsLoaded(&loaded, f));
    assert_int_equal(loaded, CU_FUNCTION_LOADING_STATE_LOADED);
    CU(cuModuleGetLoadingMode(&mode));
    CU(cuFuncGetName(&name, f));
    CU(cuKernelGetName(&kernel_name, (CUkernel)(void *)f));
    assert_string_equal(name, kernel_name);
    CU(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    CU(cuKernelGetAttribute(&kernel_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, (CUkernel)(void *)f, 0));
    assert_int_equal(threads, kernel_threads);
    CU(cuStreamDestroy(s));
    CU(cuModuleUnload(m));
}

/* ---- texture references ---- */

static const char texref_ptx[] = HEAD ".visible .global .texref t;\n.visible .entry none()\n{\n    ret;\n}\n";

/* The object that the reference t of the module is bound to. */
static CUtexObject bound_to(CUmodule m)
{
    CUtexObject object;
    CUdeviceptr p;
    CU(cuModuleGetGlobal(&p, NULL, m, "t"));
    CU(cuMemcpyDtoH(&object, p, sizeof object));
    return object;
}

static void reference_formats(void **state)
{
    CUDA_ARRAY_DESCRIPTOR d = {8, 8, CU_AD_FORMAT_FLOAT, 1};
    CUDA_RESOURCE_DESC r;
    CUmodule m;
    CUtexref t;
    CUarray a;
    CUdeviceptr p;
    CU(cuModuleLoadData(&m, texref_ptx));
    CU(cuModuleGetTexRef(&t, m, "t"));
    CU(cuArrayCreate(&a, &d));
    CU(cuMemAlloc(&p, 4096));
    CU(cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT));
    CU(cuTexRefSetFormat(t, CU_AD_FORMAT_UNSIGNED_INT16, 2));
    CU(cuTexRefSetAddress(NULL, t, p, 4096));
    CU(cuTexObjectGetResourceDesc(&r, bound_to(m)));
    assert_int_equal(r.resType, CU_RESOURCE_TYPE_LINEAR);
    assert_int_equal(r.res.linear.format, CU_AD_FORMAT_UNSIGNED_INT16);
    assert_int_equal(r.res.linear.numChannels, 2);
    CU(cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 4));
    CU(cuTexObjectGetResourceDesc(&r, bound_to(m)));
    assert_int_equal(r.res.linear.format, CU_AD_FORMAT_FLOAT);
    assert_int_equal(r.res.linear.numChannels, 4);
    CU_GIVES(cuTexRefSetAddress(NULL, (CUtexref)(void *)&r, p, 4096), CUDA_ERROR_INVALID_HANDLE);
    CU(cuModuleUnload(m));
    CU(cuArrayDestroy(a));
}

/* Each setting has its query, and the object that the variable is bound to has it, too. */
static void reference_settings(void **state)
{
    CUDA_ARRAY_DESCRIPTOR d = {8, 8, CU_AD_FORMAT_UNSIGNED_INT8, 4};
    CUDA_TEXTURE_DESC s;
    CUmodule m;
    CUtexref t;
    CUarray a, got;
    CUarray_format format;
    CUaddress_mode mode;
    CUfilter_mode filter;
    CUdeviceptr p;
    float color[4] = {1, 2, 3, 4}, back[4], least, most, bias;
    int channels, anisotropy;
    unsigned flags;
    CU(cuModuleLoadData(&m, texref_ptx));
    CU(cuModuleGetTexRef(&t, m, "t"));
    CU_GIVES(cuTexRefGetArray(&got, t), CUDA_ERROR_INVALID_VALUE);
    CU(cuArrayCreate(&a, &d));
    CU(cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT));
    CU(cuTexRefSetAddressMode(t, 1, CU_TR_ADDRESS_MODE_MIRROR));
    CU(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
    CU(cuTexRefSetFlags(t, CU_TRSF_NORMALIZED_COORDINATES));
    CU(cuTexRefSetMaxAnisotropy(t, 5));
    CU(cuTexRefSetBorderColor(t, color));
    CU(cuTexRefSetMipmapFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
    CU(cuTexRefSetMipmapLevelBias(t, 0.5f));
    CU(cuTexRefSetMipmapLevelClamp(t, 1, 3));
    CU(cuTexObjectGetTextureDesc(&s, bound_to(m)));
    assert_true(s.addressMode[0] == CU_TR_ADDRESS_MODE_CLAMP && s.addressMode[1] == CU_TR_ADDRESS_MODE_MIRROR);
    assert_true(s.filterMode == CU_TR_FILTER_MODE_LINEAR && s.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR);
    assert_true(s.flags == CU_TRSF_NORMALIZED_COORDINATES && s.maxAnisotropy == 5 && s.mipmapLevelBias == 0.5f);
    assert_true(s.minMipmapLevelClamp == 1 && s.maxMipmapLevelClamp == 3);
    assert_memory_equal(s.borderColor, color, sizeof color);
    CU(cuTexRefGetArray(&got, t));
    assert_ptr_equal(got, a);
    CU_GIVES(cuTexRefGetAddress(&p, t), CUDA_ERROR_INVALID_VALUE);
    CU(cuTexRefGetFormat(&format, &channels, t));
    assert_true(format == CU_AD_FORMAT_UNSIGNED_INT8 && channels == 4);
    CU(cuTexRefGetAddressMode(&mode, t, 1));
    CU_GIVES(cuTexRefGetAddressMode(&mode, t, 3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mode, CU_TR_ADDRESS_MODE_MIRROR);
    CU(cuTexRefGetFilterMode(&filter, t));
    assert_int_equal(filter, CU_TR_FILTER_MODE_LINEAR);
    CU(cuTexRefGetMipmapFilterMode(&filter, t));
    assert_int_equal(filter, CU_TR_FILTER_MODE_LINEAR);
    CU(cuTexRefGetFlags(&flags, t));
    assert_int_equal(flags, CU_TRSF_NORMALIZED_COORDINATES);
    CU(cuTexRefGetMaxAnisotropy(&anisotropy, t));
    assert_int_equal(anisotropy, 5);
    CU(cuTexRefGetBorderColor(back, t));
    assert_memory_equal(back, color, sizeof color);
    CU(cuTexRefGetMipmapLevelBias(&bias, t));
    CU(cuTexRefGetMipmapLevelClamp(&least, &most, t));
    assert_true(bias == 0.5f && least == 1 && most == 3);
    CU(cuModuleUnload(m));
    CU(cuArrayDestroy(a));
}

static const char fetch_ptx[] = HEAD
    ".visible .global .texref t;\n"
    ".visible .entry fetch(.param .u64 out, .param .f32 x)\n{\n"
    "    .reg .u64 %p;\n    .reg .f32 %f<5>;\n"
    "    ld.param.u64 %p, [out];\n    ld.param.f32 %f0, [x];\n"
    "    tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f0}];\n"
    "    st.global.f32 [%p], %f1;\n    ret;\n}\n";

/* What a kernel reads through the reference at x. */
static float fetched(CUmodule m, float x)
{
    CUfunction f;
    CUdeviceptr out;
    float got;
    CU(cuModuleGetFunction(&f, m, "fetch"));
    CU(cuMemAlloc(&out, sizeof got));
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&out, &x}, NULL));
    CU(cuMemcpyDtoH(&got, out, sizeof got));
    CU(cuMemFree(out));
    return got;
}

/* Settings of a reference act on the next launch: the guide's formulas for four texels 10, 20, 40, 80. */
static void reference_fetches(void **state)
{
    CUDA_ARRAY_DESCRIPTOR d = {4, 0, CU_AD_FORMAT_FLOAT, 1};
    float texels[4] = {10, 20, 40, 80}, border[4] = {-8, 0, 0, 0};
    CUmodule m;
    CUtexref t;
    CUarray a;
    CU(cuModuleLoadData(&m, fetch_ptx));
    CU(cuModuleGetTexRef(&t, m, "t"));
    CU(cuArrayCreate(&a, &d));
    CU(cuMemcpyHtoA(a, 0, texels, sizeof texels));
    CU(cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT));
    assert_true(fetched(m, 1.9f) == 20 && fetched(m, 9) == 80 && fetched(m, -1) == 10);
    CU(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
    assert_true(fetched(m, 2) == 30 && fetched(m, 1.75f) == 25 && fetched(m, 0) == 10);
    CU(cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_BORDER));
    CU(cuTexRefSetBorderColor(t, border));
    assert_true(fetched(m, 0) == 1 && fetched(m, 4) == 36 && fetched(m, 7) == -8);
    CU(cuTexRefSetFlags(t, CU_TRSF_NORMALIZED_COORDINATES));
    CU(cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_WRAP));
    assert_true(fetched(m, 1.5f) == 30 && fetched(m, 1) == 45);
    CU(cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_MIRROR));
    CU(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_POINT));
    assert_true(fetched(m, 1.1f) == 80 && fetched(m, -0.3f) == 20);
    CU(cuModuleUnload(m));
    CU(cuArrayDestroy(a));
}

/* A reference ends with its module, and its object too. */
static void references_end(void **state)
{
    CUDA_ARRAY_DESCRIPTOR d = {8, 8, CU_AD_FORMAT_FLOAT, 1};
    CUDA_RESOURCE_DESC r;
    CUmodule m;
    CUtexref t;
    CUarray a;
    CU(cuArrayCreate(&a, &d));
    CU(cuModuleLoadData(&m, texref_ptx));
    CU(cuModuleGetTexRef(&t, m, "t"));
    CU(cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT));
    CUtexObject object = bound_to(m);
    CU(cuTexObjectGetResourceDesc(&r, object));
    CU(cuModuleUnload(m));
    CU_GIVES(cuTexObjectGetResourceDesc(&r, object), CUDA_ERROR_INVALID_VALUE);
    CU(cuModuleLoadData(&m, texref_ptx));          /* it may have the address of the first one */
    CU_GIVES(cuTexRefSetFlags(t, 0), CUDA_ERROR_INVALID_HANDLE);
    CU(cuModuleUnload(m));
    CU(cuArrayDestroy(a));
}

/* ---- occupancy ---- */

static void occupancy(void **state)
{
    CUmodule m;
    CUfunction f = load_scale(&m);
    int blocks, block, grid, sms, best = 0;
    CU(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    CU(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
    for (int size = 32; size <= 1024; size += 32) {
        CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, size, 0));
        best = blocks * size > best ? blocks * size : best;
    }
    CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, block, 0));
    assert_int_equal(blocks * block, best);
    assert_int_equal(grid, blocks * sms);
    CU(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 100));
    assert_true(block <= 100);
}

/* ---- names ---- */

static void addresses_by_name(void **state)
{
    void *f = NULL;
    CUdriverProcAddressQueryResult status;
    CU(cuGetProcAddress("cuMemAlloc", &f, 11050, 0));
    assert_ptr_equal(f, dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"));
    CU(cuGetProcAddress("cuMemcpyHtoDAsync", &f, 11050, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
    assert_ptr_equal(f, dlsym(RTLD_DEFAULT, "cuMemcpyHtoDAsync_v2_ptsz"));
    CU(cuGetProcAddress_v2("cuGetProcAddress", &f, 12000, 0, &status));
    assert_ptr_equal(f, dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2"));
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SUCCESS);
    CU(cuGetProcAddress("cuGetProcAddress", &f, 11050, 0));
    assert_ptr_equal(f, dlsym(RTLD_DEFAULT, "cuGetProcAddress"));
    CU_GIVES(cuGetProcAddress_v2("cuNoSuchFunction", &f, 12000, 0, &status), CUDA_ERROR_NOT_FOUND);
    assert_null(f);
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CU_GIVES(cuGetProcAddress("cudaMalloc", &f, 12000, 0), CUDA_ERROR_NOT_FOUND);
}

/* libcuda.so.1 gives the functions of libcudart.so, however it is loaded. */
static void the_library_by_name(void **state)
{
    void *h = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(h);
    assert_ptr_equal(dlsym(h, "cuMemAlloc_v2"), dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"));
    assert_non_null(dlsym(h, "cuMemAlloc"));
    dlclose(h);
}

static void result_texts(void **state)
{
    const char *t;
    CU(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &t));
    assert_string_equal(t, "CUDA_ERROR_ILLEGAL_ADDRESS");
    CU(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &t));
    assert_string_equal(t, "out of memory");
    CU_GIVES(cuGetErrorString((CUresult)12345, &t), CUDA_ERROR_INVALID_VALUE);
    assert_null(t);
}

/* ---- both APIs ---- */

static void both_apis(void **state)
{
    CUmodule m;
    CUfunction f = load_scale(&m);
    CUcontext c, primary;
    CUdeviceptr p;
    cudaStream_t s;
    void *q;
    int n = N;
    unsigned char pad = 0;
    unsigned long long add = 2;
    void *args[] = {&q, &n, &pad, &add};
    OK(cudaMalloc(&q, N * 4));                     /* the runtime works in the current context */
    CU(cuCtxGetCurrent(&c));
    assert_ptr_equal(c, context);
    OK(cudaStreamCreate(&s));
    CU(cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, s, args, NULL));
    CU(cuStreamSynchronize(s));
    check_scaled((CUdeviceptr)(uintptr_t)q, 3, 2);
    add = 4;
    OK(cudaLaunchKernel(f, (dim3){3, 1, 1}, (dim3){128, 1, 1}, args, 0, s));
    check_scaled((CUdeviceptr)(uintptr_t)q, 3, 4);
    CU(cuMemAlloc(&p, 64));
    OK(cudaMemset((void *)(uintptr_t)p, 1, 64));
    OK(cudaFree((void *)(uintptr_t)p));
    CU(cuMemFree((CUdeviceptr)(uintptr_t)q));
    CU(cuCtxSetCurrent(NULL));
    OK(cudaMalloc(&q, 16));                        /* without one, the primary context becomes current */
    CU(cuCtxGetCurrent(&c));
    CU(cuDevicePrimaryCtxRetain(&primary, 0));
    assert_ptr_equal(c, primary);
    CU(cuDevicePrimaryCtxRelease(0));
    CU(cuCtxSetCurrent(context));
    CU_GIVES(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cudaGetLastError());                        /* errors of the driver API are not the runtime's last error */
}

#define WITH_CONTEXT(f) cmocka_unit_test_setup_teardown(f, new_context, end_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_initialised),
        WITH_CONTEXT(launch_with_pointers),
        WITH_CONTEXT(launch_with_buffer),
        WITH_CONTEXT(launch_with_attributes),
        WITH_CONTEXT(launch_clusters),
        WITH_CONTEXT(launch_errors),
        WITH_CONTEXT(fault_and_recovery),
        WITH_CONTEXT(logs_of_a_load),
        WITH_CONTEXT(damaged_files),
        WITH_CONTEXT(module_from_a_file),
        WITH_CONTEXT(linking),
        WITH_CONTEXT(linking_the_device_runtime),
        WITH_CONTEXT(constants_written),
        WITH_CONTEXT(context_stack),
        WITH_CONTEXT(other_context),
        WITH_CONTEXT(primary_context),
        WITH_CONTEXT(fills),
        WITH_CONTEXT(boxes),
        WITH_CONTEXT(pointers),
        WITH_CONTEXT(stream_ordered),
        WITH_CONTEXT(virtual_memory),
        WITH_CONTEXT(mappings_that_fail),
        WITH_CONTEXT(arrays),
        WITH_CONTEXT(texture_objects),
        WITH_CONTEXT(tensor_maps),
        WITH_CONTEXT(tensor_maps_of_pictures),
        WITH_CONTEXT(later_queries),
        WITH_CONTEXT(reference_formats),
        WITH_CONTEXT(reference_settings),
        WITH_CONTEXT(reference_fetches),
        WITH_CONTEXT(references_end),
        WITH_CONTEXT(occupancy),
        WITH_CONTEXT(addresses_by_name),
        WITH_CONTEXT(the_library_by_name),
        WITH_CONTEXT(both_apis),
        cmocka_unit_test(result_texts),
    };
    return finish("driver", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
