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
 * (frontend/cc/dialect.c), a pragma of PTX. Messages show the name and the line of the array. */
#define __cluster_shape(...)                                                                                  \
    {                                                                                                         \
        constexpr long long __cluster_dims__[] = {__VA_ARGS__}; /* in the body: parameters hide names */      \
        static_assert(sizeof __cluster_dims__ / 8 - 1 < 3, "__cluster_dims__ takes one to three numbers");    \
        static_assert(::simtx_cluster_fits(__cluster_dims__),                                                 \
                      "__cluster_dims__ takes positive numbers below 2^32");                                  \
        __asm__ volatile(".pragma \"simtx.cluster %0, %1, %2\";" ::"n"(::simtx_cluster_dim(__cluster_dims__, 0)), \
                         "n"(::simtx_cluster_dim(__cluster_dims__, 1)),                                       \
                         "n"(::simtx_cluster_dim(__cluster_dims__, 2)));                                      \
    }
template <unsigned long n> constexpr long long simtx_cluster_dim(const long long (&dims)[n], unsigned long i)
{
    return i < n ? dims[i] : 1;
}
template <unsigned long n> constexpr bool simtx_cluster_fits(const long long (&dims)[n], unsigned long i = 0)
{
    return i == n || (dims[i] > 0 && dims[i] <= 0xffffffff && simtx_cluster_fits(dims, i + 1));
}
/* Where simtx-cc cannot (a macro of the program, plain clang), the runtime reads the shape in the name of the section
 * of the kernel's host function. PTX alone does not have it. */
#ifdef SIMTX_PTX_ONLY
#define __cluster_dims__(...) \
    _Pragma("GCC warning \"__cluster_dims__ is not in PTX (simtx): launch with the attribute cluster dimension\"")
#else
#define __cluster_dims__(...) SIMTX_CLUSTER_TEXT(SIMTX_TEXT_OF(__VA_ARGS__))
#define SIMTX_TEXT_OF(...) #__VA_ARGS__
#define SIMTX_CLUSTER_TEXT(text) \
    __attribute__((section("simtx_cluster " text), annotate("simtx_cluster", ::simtx_check_cluster(text))))
/* True for the texts that the runtime can read (frontend/cudart/cluster_dims.c): one to three decimal numbers. */
constexpr bool simtx_cluster_numbers(const char *text, int most);
constexpr const char *simtx_skip_blanks(const char *text)
{
    return *text == ' ' ? simtx_skip_blanks(text + 1) : text;
}
constexpr bool simtx_cluster_number_ends(const char *text, int most)
{
    return !*text || (*text == ',' && most > 1 && simtx_cluster_numbers(simtx_skip_blanks(text + 1), most - 1));
}
constexpr bool simtx_cluster_digits(const char *text, int most, unsigned long long value)
{
    return *text >= '0' && *text <= '9' && value <= 0xffffffff
               ? simtx_cluster_digits(text + 1, most, value * 10 + (*text - '0'))
               : value && value <= 0xffffffff && simtx_cluster_number_ends(simtx_skip_blanks(text), most);
}
constexpr bool simtx_cluster_numbers(const char *text, int most)
{
    return *text != '0' && simtx_cluster_digits(text, most, 0);
}
constexpr int simtx_check_cluster(const char *text)
    __attribute__((diagnose_if(!simtx_cluster_numbers(text, 3),
                               "this __cluster_dims__ takes one to three positive decimal numbers below 2^32: simtx-cc "
                               "finds the kernel's body for other expressions only if the attribute is written at the "
                               "definition and not in a macro (docs/nvcc.md)",
                               "error")))
{
    return 0;
}
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
