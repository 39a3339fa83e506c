/* Libraries of the driver API, and their kernels, which launches take in place of functions. */
#include "frontend/libcuda/cu.h"
#include "frontend/libcuda/jit.h"

/* A library belongs to no context, so none need be current. */
cudaError_t cu_enter_library(CUlibrary l)
{
    cudaError_t e = rt_enter_driver();
    return e ? e : rt_library_ok(l) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* ---- loading ---- */

/* The library option says that the program keeps the image; simtx keeps its own copy. */
static bool valid_options(unsigned n, const CUlibraryOption *options)
{
    for (unsigned i = 0; i < n; i++)
        if (!options || (unsigned)options[i] >= CU_LIBRARY_NUM_OPTIONS)
            return false;
    return true;
}

static CUresult load(CUlibrary *out, const void *image, const char *path, const struct jit_logs *l, bool valid)
{
    cudaError_t e = rt_enter_driver();
    if (!e && (!out || (!image && !path) || !valid))
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_open_device(rt_thread.device);
    return cu_leave(e ? e : jit_load(&(struct jit_load){.library = out}, image, path, l));
}

CU_API CUresult cuLibraryLoadData(CUlibrary *out, const void *code, CUjit_option *options, void **values, unsigned n,
                                  CUlibraryOption *library_options, void **library_values, unsigned library_n)
{
    struct jit_logs l;
    bool valid = jit_logs(&l, n, options, values) && valid_options(library_n, library_options);
    return load(out, code, NULL, &l, valid);
}

CU_API CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, CUjit_option *options, void **values,
                                      unsigned n, CUlibraryOption *library_options, void **library_values,
                                      unsigned library_n)
{
    struct jit_logs l;
    bool valid = jit_logs(&l, n, options, values) && valid_options(library_n, library_options);
    return load(out, NULL, path, &l, valid);
}

CU_API CUresult cuLibraryUnload(CUlibrary l)
{
    cudaError_t e = cu_enter_library(l);
    return cu_leave(e ? e : rt_library_unload(l));
}

/* ---- contents ---- */

CU_API CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary l, const char *name)
{
    cudaError_t e = cu_enter_library(l);
    return cu_leave(e ? e : rt_library_kernel(l, name, out));
}

CU_API CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary l)
{
    cudaError_t e = cu_enter_library(l);
    return cu_leave(e ? e : rt_library_count(l, count));
}

CU_API CUresult cuLibraryEnumerateKernels(CUkernel *out, unsigned n, CUlibrary l)
{
    cudaError_t e = cu_enter_library(l);
    return cu_leave(e ? e : rt_library_kernels(l, out, n));
}

CU_API CUresult cuLibraryGetModule(CUmodule *out, CUlibrary l)
{
    cudaError_t e = rt_enter_context();
    if (!e && !rt_library_ok(l))
        e = cudaErrorInvalidResourceHandle;
    if (!e && !out)
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_library_module(l, out));
}

static CUresult variable(CUdeviceptr *address, size_t *bytes, CUlibrary l, const char *name, bool managed)
{
    void *p = NULL;
    cudaError_t e = rt_enter_context();
    if (!e && !rt_library_ok(l))
        e = cudaErrorInvalidResourceHandle;
    if (!e && (!name || (!address && !bytes)))
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_library_variable(l, name, managed, &p, bytes);
    if (!e && address)
        *address = cu_address(p);
    return cu_leave(e);
}

CU_API CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary l, const char *name)
{
    return variable(address, bytes, l, name, false);
}

CU_API CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary l, const char *name)
{
    return variable(address, bytes, l, name, true);
}

/* No device has functions with one address for host and device, so there is none of any name. */
CU_API CUresult cuLibraryGetUnifiedFunction(void **out, CUlibrary l, const char *name)
{
    cudaError_t e = cu_enter_library(l);
    if (!e && (!out || !name))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : cudaErrorSymbolNotFound);
}

/* ---- kernels ---- */

static cudaError_t enter_kernel(CUkernel k)
{
    cudaError_t e = rt_enter_driver();
    return e ? e : rt_library_kernel_ok(k) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CU_API CUresult cuKernelGetFunction(CUfunction *out, CUkernel k)
{
    CUfunction f = (CUfunction)(void *)k;
    cudaError_t e = cu_enter_function(&f);
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        *out = f;
    return cu_leave(e);
}

CU_API CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel k)
{
    cudaError_t e = enter_kernel(k);
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        *out = rt_kernel_library(k);
    return cu_leave(e);
}

/* A kernel of the runtime API has a function for each device; the one of the current device is meant. */
static cudaError_t function_on(CUkernel k, CUdevice device, CUfunction *f)
{
    if (device < 0 || device >= rt_device_count())
        return cudaErrorInvalidDevice;
    return rt_library_kernel_ok(k) ? rt_kernel_on(k, device, f) : rt_resolve(k, f);
}

CU_API CUresult cuKernelGetName(const char **name, CUkernel k)
{
    CUfunction f;
    cudaError_t e = rt_enter_driver();
    if (!e)
        e = function_on(k, rt_thread.device, &f);
    return cu_leave(e ? e : cu_function_name(name, f));
}

CU_API CUresult cuKernelGetParamInfo(CUkernel k, size_t i, size_t *offset, size_t *size)
{
    CUfunction f;
    cudaError_t e = rt_enter_driver();
    if (!e)
        e = function_on(k, rt_thread.device, &f);
    return cu_leave(e ? e : cu_function_parameter(f, i, offset, size));
}

CU_API CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel k, CUdevice device)
{
    CUfunction f;
    cudaError_t e = rt_enter_driver();
    if (!e && !value)
        e = cudaErrorInvalidValue;
    if (!e)
        e = function_on(k, device, &f);
    return cu_leave(e ? e : cu_function_attribute(value, attribute, f));
}

CU_API CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel k, CUdevice device)
{
    CUfunction f;
    cudaError_t e = rt_enter_driver();
    if (!e)
        e = function_on(k, device, &f);
    if (!e)
        e = rt_library_kernel_ok(k) ? rt_kernel_set(k, (int)attribute, value, device)
                                    : rt_function_set(f, (int)attribute, value);
    return cu_leave(e);
}

CU_API CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache config, CUdevice device)
{
    CUfunction f;
    cudaError_t e = rt_enter_driver();
    if (!e)
        e = function_on(k, device, &f);
    return cu_leave(e ? e : config > CU_FUNC_CACHE_PREFER_EQUAL ? cudaErrorInvalidValue : cudaSuccess);
}
