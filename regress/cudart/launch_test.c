/* Registration, loading on first use, launches and their errors, with images registered by hand as compiled
 * host code does: bare PTX text, containers, machine code only, PTX that does not parse, two linked texts. */
#include "regress/cudart/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/fatbin/fatbin.h"

void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
int __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *, dim3 *,
                           int *);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);

#define HEAD ".version 7.5\n.target sm_70\n.address_size 64\n"

static const char kernels_ptx[] = HEAD
    ".global .align 4 .u32 counter = 5;\n"
    ".const .align 4 .u32 factor = 3;\n"
    /* out[i] = i * factor + add */
    ".visible .entry scale(.param .u64 out, .param .u32 add)\n{\n"
    "    .reg .b32 %r<8>;\n    .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [add];\n"
    "    mov.u32 %r2, %ctaid.x;\n    mov.u32 %r3, %ntid.x;\n    mov.u32 %r4, %tid.x;\n"
    "    mad.lo.s32 %r5, %r2, %r3, %r4;\n    ld.const.u32 %r6, [factor];\n"
    "    mad.lo.s32 %r7, %r5, %r6, %r1;\n"
    "    mul.wide.u32 %rd2, %r5, 4;\n    add.s64 %rd3, %rd1, %rd2;\n"
    "    st.global.u32 [%rd3], %r7;\n    ret;\n}\n"
    ".visible .entry count()\n{\n    .reg .b32 %r<2>;\n"
    "    atom.global.add.u32 %r1, [counter], 1;\n    ret;\n}\n"
    /* a load of 4 bytes at any address */
    ".visible .entry peek(.param .u64 at)\n{\n    .reg .b32 %r<2>;\n    .reg .b64 %rd<2>;\n"
    "    ld.param.u64 %rd1, [at];\n    ld.global.u32 %r1, [%rd1];\n    st.global.u32 [%rd1], %r1;\n    "
    "ret;\n}\n"
    ".visible .entry stop()\n{\n    trap;\n}\n"
    /* a barrier for more threads than there are */
    ".visible .entry wait()\n{\n    bar.sync 0, 128;\n    ret;\n}\n"
    ".visible .entry wild()\n{\n    .reg .b64 %rd<2>;\n    mov.u64 %rd1, 64;\n    { .reg .b32 t;\n"
    "    P: .callprototype ()_ ();\n    call %rd1, (), P;\n    }\n    ret;\n}\n"
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
    ".global .align 1 .b8 text[3] = {111, 107, 0};\n"
    ".visible .entry claim()\n{\n    .reg .b64 %rd<3>;\n    mov.u64 %rd1, text;\n"
    "    cvta.global.u64 %rd2, %rd1;\n    {\n    .param .b64 a;\n    .param .b64 b;\n    .param .b32 c;\n"
    "    .param .b64 d;\n    .param .b64 e;\n    st.param.b64 [a], %rd2;\n    st.param.b64 [b], %rd2;\n"
    "    st.param.b32 [c], 12;\n    st.param.b64 [d], %rd2;\n    st.param.b64 [e], 1;\n"
    "    call.uni __assertfail, (a, b, c, d, e);\n    }\n    ret;\n}\n"
    ".visible .entry empty()\n{\n    ret;\n}\n";

static const char broken_ptx[] = HEAD ".visible .entry broken()\n{\n    .reg .b32 %r<2>;\n    frobnicate.u32 "
                                      "%r1, 2;\n    mov.u32 %r1, %nosuch;\n"
                                      "    ret;\n}\n";

static const char caller_ptx[] = HEAD
    ".extern .func (.param .b32 r) helper(.param .b32 a);\n.global .align 4 .u32 answer;\n"
    ".visible .entry linked()\n{\n    .reg .b32 %r<2>;\n    {\n    .param .b32 p;\n    .param .b32 q;\n"
    "    st.param.b32 [p], 20;\n    call.uni (q), helper, (p);\n    ld.param.b32 %r1, [q];\n    }\n"
    "    st.global.u32 [answer], %r1;\n    ret;\n}\n";

static const char helper_ptx[] = HEAD ".visible .func (.param .b32 r) helper(.param .b32 a)\n{\n    .reg "
                                      ".b32 %r<3>;\n    ld.param.b32 %r1, [a];\n"
                                      "    add.s32 %r2, %r1, 22;\n    st.param.b32 [r], %r2;\n    ret;\n}\n";

/* Host addresses that stand for kernels and variables. */
static char scale, count, peek, stop, wait_bar, wild, claim, empty, missing, counter, factor;
static char broken, code_only, linked, answer;

static struct fatbin_wrapper wrappers[4];

static void add_function(void **h, const char *host, const char *name)
{
    __cudaRegisterFunction(h, host, (char *)name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

/* A container with one entry, in memory of the heap. */
static void *container(int kind, const char *text)
{
    size_t n = (strlen(text) + 8) / 8 * 8;
    struct fatbin_container_header h = {FATBIN_MAGIC, 1, 16, 64 + n};
    struct fatbin_entry_header e = {.kind = (uint16_t)kind,
                                    .version = 0x101,
                                    .header_size = 64,
                                    .size = n,
                                    .arch = 70,
                                    .major = 7,
                                    .minor = 5,
                                    .flags = 0x11};
    char *out = calloc(1, 80 + n);
    memcpy(out, &h, sizeof h);
    memcpy(out + 16, &e, sizeof e);
    memcpy(out + 80, text, strlen(text));
    return out;
}

static void **add_image(int i, const void *data, const void *more)
{
    wrappers[i] = (struct fatbin_wrapper){FATBIN_WRAPPER_MAGIC, more ? FATBIN_WRAPPER_LINKED : 1, data, more};
    return __cudaRegisterFatBinary(&wrappers[i]);
}

static void add_images(void)
{
    static const void *texts[3];
    void **h = add_image(0, kernels_ptx, NULL);
    add_function(h, &scale, "scale");
    add_function(h, &count, "count");
    add_function(h, &peek, "peek");
    add_function(h, &stop, "stop");
    add_function(h, &wait_bar, "wait");
    add_function(h, &wild, "wild");
    add_function(h, &claim, "claim");
    add_function(h, &empty, "empty");
    add_function(h, &missing, "missing");
    __cudaRegisterVar(h, &counter, "counter", "counter", 0, 4, 0, 0);
    __cudaRegisterVar(h, &factor, "factor", "factor", 0, 4, 1, 0);
    __cudaRegisterFatBinaryEnd(h);
    h = add_image(1, container(FATBIN_PTX, broken_ptx), NULL);
    add_function(h, &broken, "broken");
    h = add_image(2, container(FATBIN_CUBIN, "\177ELF"), NULL);
    add_function(h, &code_only, "code_only");
    texts[0] = container(FATBIN_PTX, caller_ptx);
    texts[1] = container(FATBIN_PTX, helper_ptx);
    h = add_image(3, NULL, texts);
    add_function(h, &linked, "linked");
    __cudaRegisterVar(h, &answer, "answer", "answer", 0, 4, 0, 0);
}

static cudaError_t launch(const void *f, unsigned grid, unsigned block, void **args)
{
    return cudaLaunchKernel(f, (dim3){grid, 1, 1}, (dim3){block, 1, 1}, args, 0, NULL);
}

/* ---- what stderr says ---- */

static int saved_stderr;
static FILE *captured;

static void capture_stderr(void)
{
    fflush(stderr);
    saved_stderr = dup(2);
    captured = tmpfile();
    dup2(fileno(captured), 2);
}

static const char *captured_stderr(void)
{
    static char text[8192];
    fflush(stderr);
    dup2(saved_stderr, 2);
    close(saved_stderr);
    rewind(captured);
    text[fread(text, 1, sizeof text - 1, captured)] = 0;
    fclose(captured);
    return text;
}

static void expect_said(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("stderr is \"%s\", expected \"%s\" in it", text, part);
}

/* ---- launches that work ---- */

static void runs(void **state)
{
    int *d, host[70], add = 100;
    void *args[] = {&d, &add};
    OK(cudaMalloc((void **)&d, sizeof host));
    OK(launch(&scale, 7, 10, args));
    OK(cudaGetLastError());
    OK(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 70; i++)
        assert_int_equal(host[i], i * 3 + 100);
}

static void pushed_configuration(void **state)
{
    dim3 grid, block;
    size_t shared;
    cudaStream_t s;
    assert_int_equal(__cudaPushCallConfiguration((dim3){3, 2, 1}, (dim3){4, 5, 6}, 7, NULL), 0);
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, &s));
    assert_int_equal(grid.x * 100 + grid.y * 10 + grid.z, 321);
    assert_int_equal(block.x * 100 + block.y * 10 + block.z, 456);
    assert_int_equal(shared, 7);
    assert_null(s);
    GIVES(__cudaPopCallConfiguration(&grid, &block, &shared, &s), cudaErrorMissingConfiguration);
}

static void symbols(void **state)
{
    int v = 0, *at;
    size_t n;
    OK(cudaMemcpyFromSymbol(&v, &counter, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(v, 5);
    OK(launch(&count, 2, 50, NULL));
    OK(cudaMemcpyFromSymbol(&v, &counter, 4, 0, cudaMemcpyDefault));
    assert_int_equal(v, 105);
    v = 11;
    OK(cudaMemcpyToSymbol(&factor, &v, 4, 0, cudaMemcpyHostToDevice));
    OK(cudaGetSymbolSize(&n, &factor));
    assert_int_equal(n, 4);
    OK(cudaGetSymbolAddress((void **)&at, &factor));
    OK(cudaMemcpy(&v, at, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(v, 11);
    GIVES(cudaMemcpyToSymbol(&factor, &v, 4, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpyToSymbol(&factor, &v, 5, 0, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpyToSymbol(&missing, &v, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
    GIVES(cudaMemcpyToSymbol(&factor, &v, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    OK(cudaDeviceReset());
    OK(cudaMemcpyFromSymbol(&v, &factor, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(v, 3); /* the initial value again */
}

static void linked_texts(void **state)
{
    int v = 0;
    OK(launch(&linked, 1, 1, NULL));
    OK(cudaMemcpyFromSymbol(&v, &answer, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(v, 42);
}

static void kernel_attributes(void **state)
{
    struct cudaFuncAttributes a;
    struct cudaDeviceProp p;
    int blocks;
    size_t bytes;
    OK(cudaGetDeviceProperties(&p, 0));
    OK(cudaFuncGetAttributes(&a, &scale));
    assert_true(a.numRegs > 0 && a.numRegs <= 255);
    assert_int_equal(a.sharedSizeBytes, 0);
    assert_int_equal(a.ptxVersion, 70);
    assert_true(a.maxThreadsPerBlock > 0 && a.maxThreadsPerBlock <= p.maxThreadsPerBlock);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &scale, 32, 0));
    assert_true(blocks >= 1 && blocks <= p.maxThreadsPerMultiProcessor / 32);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &scale, p.maxThreadsPerBlock, 0));
    assert_true(blocks >= 1 && blocks <= p.maxThreadsPerMultiProcessor / p.maxThreadsPerBlock);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &scale, 1, 32));
    assert_true(bytes > 0 && bytes <= p.sharedMemPerBlockOptin);
    GIVES(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &scale, 0, 0), cudaErrorInvalidValue);
    assert_int_equal(a.maxDynamicSharedSizeBytes, p.sharedMemPerBlock);
    OK(cudaFuncSetAttribute(&scale, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    OK(cudaFuncGetAttributes(&a, &scale));
    assert_int_equal(a.maxDynamicSharedSizeBytes, 1024);
    GIVES(cudaFuncSetAttribute(&scale, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30),
          cudaErrorInvalidValue);
    OK(cudaFuncSetCacheConfig(&scale, cudaFuncCachePreferShared));
    GIVES(cudaFuncGetAttributes(&a, &counter), cudaErrorInvalidDeviceFunction);
}

/* ---- launches that CUDA refuses ---- */

static void refused(void **state)
{
    struct cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    capture_stderr();
    GIVES(launch(&empty, 0, 1, NULL), cudaErrorInvalidConfiguration);
    GIVES(launch(&empty, 1, 0, NULL), cudaErrorInvalidConfiguration);
    GIVES(launch(&empty, 1, (unsigned)p.maxThreadsPerBlock + 1, NULL), cudaErrorInvalidConfiguration);
    GIVES(cudaLaunchKernel(&empty, (dim3){1, 65536, 1}, (dim3){1, 1, 1}, NULL, 0, NULL),
          cudaErrorInvalidConfiguration);
    GIVES(cudaLaunchKernel(&empty, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 1 << 30, NULL),
          cudaErrorInvalidValue);
    GIVES(cudaLaunchKernel(&empty, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, (cudaStream_t)&p),
          cudaErrorInvalidResourceHandle);
    expect_said(captured_stderr(), "launch rejected: empty: grid.x = 0");
    GIVES(launch("no kernel", 1, 1, NULL), cudaErrorInvalidDeviceFunction);
    GIVES(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
    capture_stderr();
    GIVES(launch(&missing, 1, 1, NULL), cudaErrorInvalidDeviceFunction);
    expect_said(captured_stderr(), "kernel missing is not in its device code");
    OK(launch(&empty, 1, 1, NULL));
    OK(cudaDeviceSynchronize());
}

static void code_that_does_not_load(void **state)
{
    capture_stderr();
    cudaError_t first = launch(&broken, 1, 1, NULL), second = launch(&broken, 1, 1, NULL);
    const char *said = captured_stderr();
    GIVES(first, cudaErrorInvalidPtx);
    GIVES(second, cudaErrorInvalidPtx);
    expect_said(said, "frobnicate");
    expect_said(said, "nosuch");                                         /* both lines at once */
    assert_null(strstr(strstr(said, "frobnicate") + 200, "frobnicate")); /* and not again */
    capture_stderr();
    GIVES(launch(&code_only, 1, 1, NULL), cudaErrorNoKernelImageForDevice);
    expect_said(captured_stderr(), "machine code for sm_70 only");
    OK(launch(&empty, 1, 1, NULL)); /* other images are not concerned */
}

/* ---- faults: reported once, returned by every call until the device is reset ---- */

static void expect_fault(const void *kernel, void **args, cudaError_t error)
{
    void *p;
    capture_stderr();
    cudaError_t at_launch = launch(kernel, 1, 1, args), seen = cudaGetLastError();
    cudaError_t at_sync = cudaDeviceSynchronize();
    const char *said = captured_stderr();
    OK(at_launch);
    OK(seen);
    GIVES(at_sync, error);
    assert_true(strlen(said) > 40);
    GIVES(cudaGetLastError(), error);
    GIVES(cudaGetLastError(), error); /* asking does not clear it */
    GIVES(cudaMalloc(&p, 10), error);
    GIVES(launch(&empty, 1, 1, NULL), error);
    GIVES(cudaPeekAtLastError(), error);
    OK(cudaDeviceReset());
    OK(cudaGetLastError());
    OK(launch(&empty, 1, 1, NULL));
    OK(cudaDeviceSynchronize());
}

static void illegal_address(void **state)
{
    char *d;
    OK(cudaMalloc((void **)&d, 64));
    d += 64;
    expect_fault(&peek, (void *[]){&d}, cudaErrorIllegalAddress);
    d = NULL;
    expect_fault(&peek, (void *[]){&d}, cudaErrorIllegalAddress);
}

static void freed_address(void **state)
{
    char *d;
    OK(cudaMalloc((void **)&d, 64));
    OK(cudaFree(d));
    expect_fault(&peek, (void *[]){&d}, cudaErrorIllegalAddress);
}

static void misaligned_address(void **state)
{
    char *d;
    OK(cudaMalloc((void **)&d, 64));
    d += 2;
    expect_fault(&peek, (void *[]){&d}, cudaErrorMisalignedAddress);
}

static void trap_instruction(void **state)
{
    expect_fault(&stop, NULL, cudaErrorLaunchFailure);
}

static void endless_barrier(void **state)
{
    expect_fault(&wait_bar, NULL, cudaErrorLaunchTimeout);
}

static void failed_assertion(void **state)
{
    expect_fault(&claim, NULL, cudaErrorAssert);
}

static void call_to_nowhere(void **state)
{
    expect_fault(&wild, NULL, cudaErrorInvalidPc);
}

static void stream_of_another_device(void **state)
{
    struct dim3 one = {1, 1, 1};
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaSetDevice(1));
    GIVES(cudaLaunchKernel(&empty, one, one, NULL, 0, s), cudaErrorInvalidResourceHandle);
    OK(launch(&empty, 1, 1, NULL));
    OK(cudaSetDevice(0));
    OK(cudaLaunchKernel(&empty, one, one, NULL, 0, s));
    OK(cudaStreamDestroy(s));
}

static void fault_is_of_one_device(void **state)
{
    OK(cudaSetDevice(1));
    capture_stderr();
    launch(&stop, 1, 1, NULL);
    captured_stderr();
    GIVES(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    OK(cudaSetDevice(0));
    OK(launch(&empty, 1, 1, NULL));
    OK(cudaDeviceSynchronize());
    GIVES(cudaSetDevice(1), cudaErrorLaunchFailure);
    OK(cudaDeviceReset());
}

/* ---- processes and shared objects ---- */

static int child_result(void)
{
    int *d, host[4], add = 0;
    void *args[] = {&d, &add};
    if (cudaMalloc((void **)&d, sizeof host) || launch(&scale, 1, 4, args) ||
        cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost))
        return 1;
    return host[3] == 9 ? 0 : 2;
}

/* A child of fork() has its own copy of the device, whatever the parent did before. */
static void fork_after_use(void **state)
{
    int status, v = 77;
    OK(launch(&count, 1, 1, NULL));
    pid_t child = fork();
    if (!child)
        _exit(child_result() || launch(&count, 1, 10, NULL));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    OK(cudaMemcpyFromSymbol(&v, &counter, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(v, 6);
}

/* Each thread has its own buffer and its own last error. */
static void *thread_body(void *arg)
{
    int *d, host[40], add = (int)(intptr_t)arg, bad = 0;
    void *args[] = {&d, &add};
    bad += cudaGetLastError() != cudaSuccess;
    if (add == 2)
        bad += launch(&empty, 0, 1, NULL) != cudaErrorInvalidConfiguration;
    for (int round = 0; round < 20; round++) {
        bad += cudaMalloc((void **)&d, sizeof host) != cudaSuccess;
        bad += launch(&scale, 4, 10, args) != cudaSuccess;
        bad += cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess;
        for (int i = 0; i < 40; i++)
            bad += host[i] != 3 * i + add;
        bad += cudaFree(d) != cudaSuccess;
    }
    bad += cudaGetLastError() != (add == 2 ? cudaErrorInvalidConfiguration : cudaSuccess);
    return (void *)(intptr_t)bad;
}

static void host_threads(void **state)
{
    pthread_t t[4];
    void *bad;
    cudaMalloc(NULL, 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, thread_body, (void *)(intptr_t)i), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], &bad);
        assert_int_equal((intptr_t)bad, 0);
    }
    GIVES(cudaGetLastError(), cudaErrorInvalidValue); /* of this thread, before the others */
}

/* With CUDA_LAUNCH_BLOCKING, read when a process starts to use the device, a launch returns its own error. */
static void blocking_launch(void **state)
{
    int status;
    pid_t child = fork();
    if (!child) {
        setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
        execl("/proc/self/exe", "launch_test", "blocking", (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), cudaErrorLaunchFailure & 0xff);
}

static void unregistered(void **state)
{
    static struct fatbin_wrapper w;
    static char host;
    w = (struct fatbin_wrapper){FATBIN_WRAPPER_MAGIC, 1, kernels_ptx, NULL};
    void **h = __cudaRegisterFatBinary(&w);
    add_function(h, &host, "empty");
    OK(launch(&host, 1, 1, NULL));
    __cudaUnregisterFatBinary(h);
    GIVES(launch(&host, 1, 1, NULL), cudaErrorInvalidDeviceFunction);
    OK(launch(&empty, 1, 1, NULL));
}

static void managed_variable(void **state)
{
    static struct fatbin_wrapper w;
    static int *host;
    w = (struct fatbin_wrapper){FATBIN_WRAPPER_MAGIC, 1, kernels_ptx, NULL};
    void **h = __cudaRegisterFatBinary(&w);
    __cudaRegisterManagedVar(h, (void **)&host, "counter", "counter", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(h);
    assert_non_null(host); /* set before any other call */
    assert_int_equal(*host, 5);
    __cudaUnregisterFatBinary(h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(runs),
        TEST(pushed_configuration),
        TEST(symbols),
        TEST(linked_texts),
        TEST(kernel_attributes),
        TEST(refused),
        TEST(code_that_does_not_load),
        TEST(illegal_address),
        TEST(freed_address),
        TEST(misaligned_address),
        TEST(trap_instruction),
        TEST(endless_barrier),
        TEST(failed_assertion),
        TEST(call_to_nowhere),
        TEST(stream_of_another_device),
        TEST(fault_is_of_one_device),
        TEST(fork_after_use),
        TEST(host_threads),
        TEST(blocking_launch),
        TEST(unregistered),
        TEST(managed_variable),
    };
    setenv("SIMTX_DEVICES", "2", 1);
    add_images();
    if (argc > 1) {
        capture_stderr();
        return launch(&stop, 1, 1, NULL) & 0xff;
    }
    return finish("launch", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
