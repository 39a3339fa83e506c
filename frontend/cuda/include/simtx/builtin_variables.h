/* threadIdx, blockIdx, blockDim and gridDim. Those of clang's __clang_cuda_builtin_vars.h cannot be copied, so
 * `auto t = threadIdx` is an error there; nvcc's are variables of type uint3 and dim3. A copy here reads the same
 * special registers, which do not change while a thread runs; it cannot be changed or assigned to, unlike nvcc's. A
 * uint3 or dim3 can: `uint3 t = threadIdx`. Clang's wrapper header defines the conversions. */
#ifndef __CUDA_BUILTIN_VARS_H
#define __CUDA_BUILTIN_VARS_H

struct uint3;
struct dim3;

#define SIMTX_COMPONENT(field, intrinsic)                                                                     \
    __declspec(property(get = simtx_get_##field)) unsigned int field;                                         \
    static inline __attribute__((always_inline, device)) unsigned int simtx_get_##field() { return intrinsic(); }

/* As in nvcc, no variable of a program has the type, and none of these has an address. */
#define SIMTX_BUILTIN_VARIABLE(name, sreg)                                      \
    struct __cuda_builtin_##name##_t {                                          \
        SIMTX_COMPONENT(x, __nvvm_read_ptx_sreg_##sreg##_x)                     \
        SIMTX_COMPONENT(y, __nvvm_read_ptx_sreg_##sreg##_y)                     \
        SIMTX_COMPONENT(z, __nvvm_read_ptx_sreg_##sreg##_z)                     \
        __attribute__((device)) operator dim3() const;                          \
        __attribute__((device)) operator uint3() const;                         \
        __cuda_builtin_##name##_t(const __cuda_builtin_##name##_t &) = default; \
                                                                                \
    private:                                                                    \
        __attribute__((device)) __cuda_builtin_##name##_t() = delete;           \
        __attribute__((device)) void operator=(const __cuda_builtin_##name##_t &) const = delete; \
        __attribute__((device)) __cuda_builtin_##name##_t *operator&() const = delete; \
    };                                                                          \
    extern const __attribute__((device, weak)) __cuda_builtin_##name##_t name;

SIMTX_BUILTIN_VARIABLE(threadIdx, tid)
SIMTX_BUILTIN_VARIABLE(blockIdx, ctaid)
SIMTX_BUILTIN_VARIABLE(blockDim, ntid)
SIMTX_BUILTIN_VARIABLE(gridDim, nctaid)

__attribute__((device)) const int warpSize = 32;

#undef SIMTX_COMPONENT
#undef SIMTX_BUILTIN_VARIABLE

#endif
