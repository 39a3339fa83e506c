// A type whose arithmetic exists only in device code from sm_53 on, beside a host function that uses it.  nvcc does not
// check the host function during the device compilation; so does simtx-cc.  WITHOUT: compiled with -U__NVCC__.
#if defined(WITHOUT) == defined(__NVCC__)
#error "__NVCC__ does not follow -U__NVCC__"
#endif

struct Number {
    unsigned short bits;
    __host__ __device__ operator float() const { return bits; }
    __host__ __device__ operator int() const { return bits; }
};

#ifdef __CUDA_ARCH__
__device__ Number operator-(const Number &a, const Number &b) { return {(unsigned short)(a.bits - b.bits)}; }
#else
Number operator-(const Number &a, const Number &b) { return {(unsigned short)(a.bits - b.bits)}; }
#endif

Number difference(Number a, Number b) { return a - b; }

__global__ void subtract(Number *to, Number a, Number b) { *to = a - b; }
