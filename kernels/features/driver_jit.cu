// Both APIs in one program: a polynomial's PTX is written at run time, loaded and launched by the driver
// API on memory of the runtime; a kernel of this file is launched by cuLaunchKernel. Integers, compared
// with the host.
#define PROGRAM "driver_jit"
#include <cuda.h>
#include "../check.h"

#define CHECK_CU(call) expect_equal(#call, __LINE__, CUDA_SUCCESS, call)

__global__ void add_index(unsigned *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i] += i;
    }
}

// Horner's rule for p[i]: one mad for each coefficient.
static std::string polynomial(const std::vector<unsigned> &coefficients) {
    std::string text = ".version 6.0\n.target sm_50\n.address_size 64\n"
                       ".visible .entry polynomial(.param .u64 p, .param .u32 n)\n{\n"
                       "    .reg .b32 %r<6>;\n    .reg .b64 %rd<3>;\n    .reg .pred %q;\n"
                       "    mov.u32 %r1, %ctaid.x;\n    mov.u32 %r2, %ntid.x;\n    mov.u32 %r3, %tid.x;\n"
                       "    mad.lo.u32 %r1, %r1, %r2, %r3;\n    ld.param.u32 %r2, [n];\n"
                       "    setp.ge.u32 %q, %r1, %r2;\n    @%q bra END;\n    ld.param.u64 %rd1, [p];\n"
                       "    mul.wide.u32 %rd2, %r1, 4;\n    add.u64 %rd1, %rd1, %rd2;\n"
                       "    ld.global.u32 %r4, [%rd1];\n    mov.u32 %r5, 0;\n";
    for (unsigned c : coefficients) {
        text += "    mad.lo.u32 %r5, %r5, %r4, " + std::to_string(c) + ";\n";
    }
    return text + "    st.global.u32 [%rd1], %r5;\nEND:\n    ret;\n}\n";
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 2000, 1, 1 << 20);
    std::vector<unsigned> coefficients = {3, 1, 4, 1, 5, 9, 2, 6}, values(n), expected(n);
    unsigned *p = device_buffer<unsigned>(n);
    for (int i = 0; i < n; i++) {
        values[i] = i * 40503u;
    }
    CHECK(cudaMemcpy(p, values.data(), n * sizeof *p, cudaMemcpyHostToDevice));
    CUcontext context;
    CUmodule module;
    CUfunction function;
    cudaFunction_t own;
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *option_values[] = {log, (void *)sizeof log};
    CHECK_CU(cuCtxGetCurrent(&context));
    expect_true("the runtime's context is current", 0, context != nullptr);
    CHECK_CU(cuModuleLoadDataEx(&module, polynomial(coefficients).c_str(), 2, options, option_values));
    CHECK_CU(cuModuleGetFunction(&function, module, "polynomial"));
    void *args[] = {&p, &n};
    CHECK_CU(cuLaunchKernel(function, blocks_for(n, 64), 1, 1, 64, 1, 1, 0, NULL, args, NULL));
    CHECK(cudaGetFuncBySymbol(&own, (const void *)add_index));
    CHECK_CU(cuLaunchKernel(own, blocks_for(n, 64), 1, 1, 64, 1, 1, 0, NULL, args, NULL));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        unsigned v = 0;
        for (unsigned c : coefficients) {
            v = v * values[i] + c;
        }
        expected[i] = v + i;
    }
    expect_same("polynomial", expected, to_host(p, n));
    CHECK_CU(cuModuleUnload(module));
    return pass();
}
