/*
 * Order in timing mode: kernels of a level of a graph run concurrently, and what follows on the stream waits for all of
 * them; launches with attributes on different streams run concurrently, too.
 */
#include "regress/cudart/test.h"
#include "frontend/cuda/include/cuda.h"

#define CU(call) assert_int_equal(call, CUDA_SUCCESS)

/* slow(word): counts to 2000, then stores 5; sum(words): words[0] = words[1] + words[2] */
static const char ptx[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".visible .entry slow(.param .u64 word)\n{\n    .reg .pred %p;\n    .reg .b32 %r<2>;\n    .reg .b64 %rd;\n"
    "    ld.param.u64 %rd, [word];\n    mov.u32 %r0, 0;\n"
    "L:\n    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 2000;\n    @%p bra L;\n"
    "    mov.u32 %r1, 5;\n    st.global.u32 [%rd], %r1;\n    ret;\n}\n"
    ".visible .entry sum(.param .u64 words)\n{\n    .reg .b32 %r<3>;\n    .reg .b64 %rd;\n"
    "    ld.param.u64 %rd, [words];\n    ld.global.u32 %r0, [%rd+4];\n    ld.global.u32 %r1, [%rd+8];\n"
    "    add.u32 %r2, %r0, %r1;\n    st.global.u32 [%rd], %r2;\n    ret;\n}\n";

static cudaGraphNode_t add(cudaGraph_t g, CUfunction f, int *word)
{
    cudaGraphNode_t node;
    void *args[] = {&word};
    struct cudaKernelNodeParams p = {f, {1, 1, 1}, {1, 1, 1}, 0, args, NULL};
    OK(cudaGraphAddKernelNode(&node, g, NULL, 0, &p));
    return node;
}

static void stream_follows_the_last_level(void **state)
{
    CUmodule module;
    CUfunction slow, sum;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStream_t s;
    int *words, got = 0;
    OK(cudaMalloc((void **)&words, 12));
    OK(cudaMemset(words, 0, 12));
    CU(cuModuleLoadData(&module, ptx));
    CU(cuModuleGetFunction(&slow, module, "slow"));
    CU(cuModuleGetFunction(&sum, module, "sum"));
    OK(cudaGraphCreate(&g, 0));
    add(g, slow, words + 1);
    add(g, slow, words + 2);
    OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(cudaStreamCreate(&s));
    void *args[] = {&words};
    OK(cudaGraphLaunch(x, s));
    OK(cudaLaunchKernel(sum, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(&got, words, sizeof got, cudaMemcpyDeviceToHost));
    assert_int_equal(got, 10);
}

/* Simulated time of a launch of slow on each of n streams, with cudaLaunchKernelExC. */
static float time_of(CUfunction slow, const cudaStream_t *s, int n, int *words)
{
    cudaEvent_t begin, end;
    float ms = 0;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(begin, 0));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        int *word = words + i;
        void *args[] = {&word};
        cudaLaunchConfig_t c = {.gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .stream = s[i]};
        OK(cudaLaunchKernelExC(&c, slow, args));
    }
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(end, 0));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

static void launches_with_attributes_run_concurrently(void **state)
{
    CUmodule module;
    CUfunction slow;
    cudaStream_t s[4];
    int *words;
    OK(cudaMalloc((void **)&words, sizeof s / sizeof *s * sizeof *words));
    CU(cuModuleLoadData(&module, ptx));
    CU(cuModuleGetFunction(&slow, module, "slow"));
    for (int i = 0; i < 4; i++)
        OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    float one = time_of(slow, s, 1, words), four = time_of(slow, s, 4, words);
    assert_true(one > 0 && four < 2 * one);
}

int main(void)
{
    setenv("SIMTX_SET", "sim.mode=timing", 1);
    const struct CMUnitTest tests[] = {TEST(stream_follows_the_last_level),
                                       TEST(launches_with_attributes_run_concurrently)};
    return finish("graph in timing mode", sizeof tests / sizeof *tests, cmocka_run_group_tests(tests, NULL, NULL));
}
