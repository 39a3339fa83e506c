// The headers of small floating point types in a C++ file for the host alone: types, conversions and arithmetic.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <nvToolsExt.h>

#include <cstdio>
#include <vector>

int main()
{
    std::vector<__half> halves(3, __float2half(1.5f));
    halves[2] = halves[0] * __half(3.0f) + __int2half_rn(2);
    __half2 pair = __floats2half2_rn(1, 2) + __half2half2(halves[0]);
    __nv_bfloat16 b = __float2bfloat16(0.5f) - __int2bfloat16_rn(4);
    __nv_fp8_e4m3 e(17.0f);
    nvtxRangePush("conversions");
    nvtxRangePop();
    bool right = __half2float(halves[2]) == 6.5f && __high2float(pair) == 3.5f && __bfloat162float(b) == -3.5f &&
                 (float)e == 16.0f && sizeof(halves[0]) == 2;
    printf("%s\n", right ? "right" : "wrong");
    return !right;
}
