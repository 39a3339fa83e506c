/* Initialisation, versions, results and their names, and the address of a function by its name. */
#include "frontend/libcuda/cu.h"
#include "frontend/session/env.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- results ---- */

/* The numbers of both APIs agree, except for errors that only the runtime API has. */
CUresult cu_result(cudaError_t e)
{
    static const struct { cudaError_t from; CUresult to; } only_runtime[] = {
        {cudaErrorInvalidConfiguration, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidPitchValue, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidMemcpyDirection, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidChannelDescriptor, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidTexture, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidFilterSetting, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidNormSetting, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidSymbol, CUDA_ERROR_NOT_FOUND},
        {cudaErrorInvalidDeviceFunction, CUDA_ERROR_INVALID_HANDLE},
    };
    for (size_t i = 0; i < sizeof only_runtime / sizeof *only_runtime; i++)
        if (only_runtime[i].from == e)
            return only_runtime[i].to;
    return (CUresult)e;
}

CUresult cu_leave(cudaError_t e)
{
    rt_unlock();
    return cu_result(e);
}

struct result_text {
    CUresult code;
    const char *name, *text;
};

static const struct result_text *find_result(CUresult code)
{
    static const struct result_text table[] = {
#define RESULT(name, text) {name, #name, text},
#include "frontend/libcuda/results.def"
#undef RESULT
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == code)
            return &table[i];
    return NULL;
}

CU_API CUresult cuGetErrorName(CUresult error, const char **text)
{
    const struct result_text *t = find_result(error);
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = t ? t->name : NULL;
    return t ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuGetErrorString(CUresult error, const char **text)
{
    const struct result_text *t = find_result(error);
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = t ? t->text : NULL;
    return t ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- initialisation ---- */

CU_API CUresult cuInit(unsigned flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    rt_lock();
    rt.initialised = true;
    rt_device_count();
    return cu_leave(cudaSuccess);
}

CU_API CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = RT_DRIVER_VERSION;
    return CUDA_SUCCESS;
}

/* ---- the address of a function ---- */

/* Names whose signature changed: the version of CUDA from which a suffix applies. The last row that applies counts. */
static const struct { const char *name; int version; const char *suffix; } changed[] = {
    {"cuGetProcAddress", 12000, "_v2"},
    {"cuStreamGetCaptureInfo", 11030, "_v2"},
    {"cuGraphInstantiate", 11000, "_v2"},
    {"cuGraphInstantiate", 12000, "WithFlags"},
    {"cuGraphExecUpdate", 12000, "_v2"},
    {"cuGraphKernelNodeGetParams", 12000, "_v2"},
    {"cuGraphKernelNodeSetParams", 12000, "_v2"},
    {"cuGraphAddKernelNode", 12000, "_v2"},
    {"cuGraphExecKernelNodeSetParams", 12000, "_v2"},
    {"cuStreamGetCaptureInfo", 12030, "_v3"},
    {"cuStreamUpdateCaptureDependencies", 12030, "_v2"},
    {"cuGraphAddDependencies", 12030, "_v2"},
    {"cuGraphRemoveDependencies", 12030, "_v2"},
    {"cuGraphGetEdges", 12030, "_v2"},
    {"cuGraphNodeGetDependencies", 12030, "_v2"},
    {"cuGraphNodeGetDependentNodes", 12030, "_v2"},
    {"cuGraphAddNode", 12030, "_v2"},
    {"cuMemcpyBatchAsync", 13000, "_v2"},
    {"cuMemcpy3DBatchAsync", 13000, "_v2"},
    {"cuMemPrefetchAsync", 13000, "_v2"},
    {"cuMemAdvise", 13000, "_v2"},
    {"cuStreamGetCtx", 12050, "_v2"},
    {"cuCtxCreate", 13000, "_v4"},
    {"cuDeviceGetUuid", 11040, "_v2"},
    {"cuTexRefSetAddress2D", 4010, "_v3"},
};

static const char *suffix_of(const char *name, int version)
{
    const char *suffix = NULL;
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        if (strcmp(changed[i].name, name))
            continue;
        if (!suffix)
            suffix = "";
        if (version >= changed[i].version)
            suffix = changed[i].suffix;
    }
    return suffix ? suffix : "_v2";
}

/* This library itself, which dlsym then searches. */
static void *own_handle(void)
{
    static void *handle;
    Dl_info info;
    if (!handle && dladdr((const void *)cuInit, &info))
        handle = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    return handle;
}

static void *find_function(const char *name, int version)
{
    char full[160];
    void *f = NULL;
    if (strncmp(name, "cu", 2) || !strncmp(name, "cuda", 4) || strlen(name) > 128)
        return NULL;
    snprintf(full, sizeof full, "%s%s", name, suffix_of(name, version));
    if (version >= 3020)
        f = dlsym(own_handle(), full);
    return f ? f : dlsym(own_handle(), name);
}

void cu_note_missing(const char *name)
{
    const char *verbose = getenv(SIMTX_ENV_VERBOSE);
    if (verbose && !strcmp(verbose, "1"))
        rt_say("the driver API has no %s", name);
}

static CUresult proc_address(const char *symbol, void **out, int version)
{
    if (!symbol || !out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = find_function(symbol, version);
    if (!*out)
        cu_note_missing(symbol);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CU_API CUresult cuGetProcAddress(const char *symbol, void **out, int version, cuuint64_t flags)
{
    return flags > 2 ? CUDA_ERROR_INVALID_VALUE : proc_address(symbol, out, version);
}

CU_API CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult *status)
{
    CUresult r = cuGetProcAddress(symbol, out, version, flags);
    if (status)
        *status = r ? CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND : CU_GET_PROC_ADDRESS_SUCCESS;
    return r;
}

/* Tables of functions that are not documented; programs go on without them. */
CU_API CUresult cuGetExportTable(const void **table, const CUuuid *id);
CU_API CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    if (table)
        *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}

CU_API CUresult cuProfilerStart(void)
{
    return cu_leave(rt_enter_context());
}

CU_API CUresult cuProfilerStop(void)
{
    return cu_leave(rt_enter_context());
}
