/* Libraries of the runtime API: device code that a program loads itself, and handles of kernels, which launches and
 * queries take in place of host functions. */
#include "frontend/cuda/include/cuda.h"
#include "frontend/cudart/cudart.h"

/* ---- loading: the options have the numbers of the driver API ---- */

/* The result of a function of the driver API as the error of this one. */
static cudaError_t give(CUresult r)
{
    rt_lock();
    return rt_leave((cudaError_t)r);
}

/* A library is loaded first in the context of the device that the program has chosen. */
static cudaError_t open_device(void)
{
    return rt_leave(rt_enter_gpu());
}

RT_API cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, enum cudaJitOption *options, void **values,
                                       unsigned n, enum cudaLibraryOption *library_options, void **library_values,
                                       unsigned library_n)
{
    cudaError_t e = open_device();
    return e ? e : give(cuLibraryLoadData(out, code, (CUjit_option *)(void *)options, values, n,
                                          (CUlibraryOption *)(void *)library_options, library_values, library_n));
}

RT_API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path, enum cudaJitOption *options,
                                           void **values, unsigned n, enum cudaLibraryOption *library_options,
                                           void **library_values, unsigned library_n)
{
    cudaError_t e = open_device();
    return e ? e : give(cuLibraryLoadFromFile(out, path, (CUjit_option *)(void *)options, values, n,
                                              (CUlibraryOption *)(void *)library_options, library_values, library_n));
}

static cudaError_t enter_library(cudaLibrary_t l)
{
    cudaError_t e = rt_enter_gpu();
    return e ? e : rt_library_ok(l) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

RT_API cudaError_t cudaLibraryUnload(cudaLibrary_t l)
{
    cudaError_t e = enter_library(l);
    return rt_leave(e ? e : rt_library_unload(l));
}

/* ---- contents ---- */

RT_API cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t l, const char *name)
{
    cudaError_t e = enter_library(l);
    return rt_leave(e ? e : rt_library_kernel(l, name, out));
}

RT_API cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t l)
{
    cudaError_t e = enter_library(l);
    return rt_leave(e ? e : rt_library_count(l, count));
}

RT_API cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *out, unsigned n, cudaLibrary_t l)
{
    cudaError_t e = enter_library(l);
    return rt_leave(e ? e : rt_library_kernels(l, out, n));
}

static cudaError_t variable(void **address, size_t *bytes, cudaLibrary_t l, const char *name, bool managed)
{
    cudaError_t e = enter_library(l);
    if (!e && (!name || (!address && !bytes)))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_library_variable(l, name, managed, address, bytes));
}

RT_API cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t l, const char *name)
{
    return variable(address, bytes, l, name, false);
}

RT_API cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t l, const char *name)
{
    return variable(address, bytes, l, name, true);
}

/* No device has functions with one address for host and device, so there is none of any name. */
RT_API cudaError_t cudaLibraryGetUnifiedFunction(void **out, cudaLibrary_t l, const char *name)
{
    cudaError_t e = enter_library(l);
    if (!e && (!out || !name))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : cudaErrorSymbolNotFound);
}

/* ---- kernels ---- */

/* The handle of a kernel of the program is the address of its host function. */
RT_API cudaError_t cudaGetKernel(cudaKernel_t *out, const void *func)
{
    struct CUfunc_st *f;
    cudaError_t e = rt_enter_gpu();
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_kernel(func, &f);
    if (!e)
        *out = (cudaKernel_t)func;
    return rt_leave(e);
}

RT_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t k, enum cudaFuncAttribute attribute, int value,
                                                   int device)
{
    struct CUfunc_st *f;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = rt_open_device(device);
    if (!e && rt_library_kernel_ok(k))
        e = rt_kernel_set(k, (int)attribute, value, device);
    else if (!e)
        e = rt_kernel_of(k, device, &f) ? cudaErrorInvalidResourceHandle : rt_function_set(f, (int)attribute, value);
    return rt_leave(e);
}
