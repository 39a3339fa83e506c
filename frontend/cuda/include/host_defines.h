/* The keywords of CUDA C++ as compiler attributes, for clang's CUDA mode; under any other compiler they are
 * empty. The guard name is part of the interface: clang's wrapper and common libraries test for it. */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#if defined(__CUDA__) && defined(__clang__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
/* clang has no managed variables. The host's copy of a device variable is in memory that simtx's devices share, so both
 * can be one: the section tells the runtime which variables are meant (cuda_runtime.h). */
#define __managed__ __attribute__((device, section("simtx_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
/* Clang has no attribute for the shape of a kernel's clusters. simtx-cc writes it as the first statement of the kernel
 * (frontend/cc/dialect.c), a pragma of PTX. Where it cannot (a macro of the program, plain clang), the runtime reads
 * the shape in the name of the section of the kernel's host function, so it is written in numbers, or macros, and PTX
 * alone does not have it. */
#define __cluster_shape(...) SIMTX_CLUSTER_SHAPE(__VA_ARGS__, 1, 1, 1)
#define SIMTX_CLUSTER_SHAPE(x, y, z, ...)                                                       \
    static_assert((x) > 0 && (y) > 0 && (z) > 0, "__cluster_dims__ takes positive numbers");    \
    __asm__ volatile(".pragma \"simtx.cluster %0, %1, %2\";" ::"n"(x), "n"(y), "n"(z));
#ifdef SIMTX_PTX_ONLY
#define __cluster_dims__(...) \
    _Pragma("GCC warning \"__cluster_dims__ is not in PTX (simtx): launch with the attribute cluster dimension\"")
#else
#define __cluster_dims__(...) __attribute__((section("simtx_cluster " SIMTX_TEXT_OF(__VA_ARGS__))))
#define SIMTX_TEXT_OF(...) #__VA_ARGS__
#endif
#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __device_builtin__
#define __device_builtin_texture_type__ __attribute__((device_builtin_texture_type))
#define __device_builtin_surface_type__ __attribute__((device_builtin_surface_type))
#define __cudart_builtin__
#define __nv_pure__ __attribute__((pure))
#define __nv_weak__ __attribute__((weak))
/* libstdc++ writes __attribute__((__noinline__)).  The macro must therefore be harmless between those
 * parentheses: there, an unknown attribute with an argument is ignored.  From clang 15 on, __noinline__ is a
 * keyword. */
#if __clang_major__ < 15
#define __noinline__ __declspec(noinline)
#endif
#else
#ifndef __host__
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __grid_constant__
#endif
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#endif

#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __thread__ __thread
#define __import__
#define __export__
#define __cdecl
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB

#ifdef __cplusplus
#define SIMTX_DEFAULT(v) = v
#else
#define SIMTX_DEFAULT(v)
#endif

#endif
