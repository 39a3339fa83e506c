/* Several host threads with contexts of their own, several processes at once, children of fork: by the driver API. */
#include "regress/cudart/test.h"
#include "frontend/cuda/include/cuda.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 12, N = 500, PROCESSES = 3 };

/* out[i] = i * factor */
static const char ptx[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".visible .entry scale(.param .u64 out, .param .u32 n, .param .u32 factor)\n{\n"
    "    .reg .b32 %r<8>;\n    .reg .b64 %rd<4>;\n    .reg .pred %p;\n"
    "    mov.u32 %r2, %ctaid.x;\n    mov.u32 %r3, %ntid.x;\n    mov.u32 %r4, %tid.x;\n"
    "    mad.lo.s32 %r5, %r2, %r3, %r4;\n    ld.param.u32 %r6, [n];\n    setp.ge.u32 %p, %r5, %r6;\n"
    "    @%p bra DONE;\n    ld.param.u32 %r6, [factor];\n    mul.lo.s32 %r7, %r5, %r6;\n"
    "    ld.param.u64 %rd1, [out];\n    mul.wide.u32 %rd2, %r5, 4;\n    add.s64 %rd1, %rd1, %rd2;\n"
    "    st.global.u32 [%rd1], %r7;\nDONE:\n    ret;\n}\n";

/* 0, or the number of the step that failed. */
static int scale_once(CUfunction f, CUstream s, int factor)
{
    CUdeviceptr p;
    int n = N, out[N];
    void *args[] = {&p, &n, &factor};
    if (cuMemAlloc(&p, sizeof out))
        return 1;
    if (cuLaunchKernel(f, 4, 1, 1, 128, 1, 1, 0, s, args, NULL))
        return 2;
    if (cuMemcpyDtoHAsync(out, p, sizeof out, s) || cuStreamSynchronize(s))
        return 3;
    for (int i = 0; i < N; i++)
        if (out[i] != i * factor)
            return 4;
    return cuMemFree(p) ? 5 : 0;
}

static int scale_many(int factor)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUstream s;
    int failed = 0;
    if (cuInit(0) || cuCtxCreate(&c, 0, 0) || cuModuleLoadData(&m, ptx) || cuModuleGetFunction(&f, m, "scale") ||
        cuStreamCreate(&s, CU_STREAM_NON_BLOCKING))
        return 10;
    for (int i = 0; i < ROUNDS && !failed; i++)
        failed = scale_once(f, s, factor + i);
    return cuCtxDestroy(c) && !failed ? 11 : failed;
}

/* ---- threads ---- */

static void *own_context(void *arg)
{
    return (void *)(intptr_t)scale_many((int)(intptr_t)arg * 100);
}

static void threads_with_contexts(void **state)
{
    pthread_t t[THREADS];
    void *failed;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, own_context, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], &failed);
        assert_int_equal((intptr_t)failed, 0);
    }
}

/* A new thread has no context; the handle of another thread's can be made current in it. */
static CUcontext shared;

static void *other_thread(void *arg)
{
    CUcontext c = shared;
    CUdeviceptr p;
    bool ok = cuCtxGetCurrent(&c) == CUDA_SUCCESS && !c && cuMemAlloc(&p, 16) == CUDA_ERROR_INVALID_CONTEXT &&
              cuCtxSetCurrent(shared) == CUDA_SUCCESS && cuMemAlloc(&p, 16) == CUDA_SUCCESS;
    return (void *)(intptr_t)!ok;
}

static void a_context_in_two_threads(void **state)
{
    pthread_t t;
    void *failed;
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuCtxCreate(&shared, 0, 0), CUDA_SUCCESS);
    assert_int_equal(pthread_create(&t, NULL, other_thread, NULL), 0);
    pthread_join(t, &failed);
    assert_null(failed);
    assert_int_equal(cuCtxDestroy(shared), CUDA_SUCCESS);
}

/* ---- processes ---- */

static int status_of(pid_t child)
{
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* Children that start before their parent has used the device, and after. */
static void children(void)
{
    pid_t child[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (!child[i])
            _exit(scale_many(i + 1));
    }
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(status_of(child[i]), 0);
}

static void processes_before_use(void **state)
{
    children();
}

static void processes_after_use(void **state)
{
    assert_int_equal(scale_many(3), 0);
    children();
    assert_int_equal(scale_many(4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_before_use),
        cmocka_unit_test(threads_with_contexts),
        cmocka_unit_test(a_context_in_two_threads),
        cmocka_unit_test(processes_after_use),
    };
    return finish("processes", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
