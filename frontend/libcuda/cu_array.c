/* Arrays and mipmapped arrays of the driver API. Both are simtx_array, so the runtime API can use them, too. */
#include "frontend/libcuda/cu_array.h"

/* ---- formats ---- */

static const struct { CUarray_format format; simtx_channel kind; uint32_t bits; } formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, SIMTX_CHANNEL_UNSIGNED, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, SIMTX_CHANNEL_UNSIGNED, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, SIMTX_CHANNEL_UNSIGNED, 32},
    {CU_AD_FORMAT_SIGNED_INT8, SIMTX_CHANNEL_SIGNED, 8},
    {CU_AD_FORMAT_SIGNED_INT16, SIMTX_CHANNEL_SIGNED, 16},
    {CU_AD_FORMAT_SIGNED_INT32, SIMTX_CHANNEL_SIGNED, 32},
    {CU_AD_FORMAT_HALF, SIMTX_CHANNEL_FLOAT, 16},
    {CU_AD_FORMAT_FLOAT, SIMTX_CHANNEL_FLOAT, 32},
};

bool cu_texel(simtx_texel *t, CUarray_format format, unsigned channels)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].format != format)
            continue;
        *t = (simtx_texel){formats[i].kind, formats[i].bits, channels};
        return channels == 1 || channels == 2 || channels == 4;
    }
    return false;
}

CUarray_format cu_format(const simtx_texel *t)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].kind == t->kind && formats[i].bits == t->bits)
            return formats[i].format;
    return CU_AD_FORMAT_FLOAT;
}

/* ---- arrays ---- */

#define KNOWN_FLAGS \
    (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER | \
     CUDA_ARRAY3D_COLOR_ATTACHMENT)

static cudaError_t create(simtx_array **out, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels)
{
    simtx_array_desc a = {
        .width = d->Width, .height = d->Height, .depth = d->Depth, .levels = levels,
        .layered = d->Flags & CUDA_ARRAY3D_LAYERED, .cubemap = d->Flags & CUDA_ARRAY3D_CUBEMAP,
        .surface = d->Flags & CUDA_ARRAY3D_SURFACE_LDST, .gather = d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER,
    };
    if (d->Flags & ~(unsigned)KNOWN_FLAGS)
        return cudaErrorNotSupported;
    return cu_texel(&a.texel, d->Format, d->NumChannels) ? rt_array_new(&a, out) : cudaErrorInvalidValue;
}

CU_API CUresult cuArray3DCreate(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!out || !d))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : create((simtx_array **)(void *)out, d, 0));
}

CU_API CUresult cuArrayCreate(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d)
{
    CUDA_ARRAY3D_DESCRIPTOR whole = {0};
    if (d)
        whole = (CUDA_ARRAY3D_DESCRIPTOR){d->Width, d->Height, 0, d->Format, d->NumChannels, 0};
    return cuArray3DCreate(out, d ? &whole : NULL);
}

CU_API CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!out || !d || !levels))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : create((simtx_array **)(void *)out, d, levels));
}

CU_API CUresult cuArrayDestroy(CUarray a)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_array_free(cu_array(a)));
}

CU_API CUresult cuMipmappedArrayDestroy(CUmipmappedArray a)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_array_free((simtx_array *)(void *)a));
}

CU_API CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray a, unsigned level)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!out || !a))
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_status_error(simtx_array_level(rt_current()->gpu, (simtx_array *)(void *)a, level,
                                              (simtx_array **)(void *)out));
    return cu_leave(e);
}

static void describe(CUDA_ARRAY3D_DESCRIPTOR *out, const simtx_array_desc *a)
{
    *out = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = a->width, .Height = a->height, .Depth = a->depth, .Format = cu_format(&a->texel),
        .NumChannels = a->texel.channels,
        .Flags = (a->layered ? CUDA_ARRAY3D_LAYERED : 0u) | (a->cubemap ? CUDA_ARRAY3D_CUBEMAP : 0u) |
                 (a->surface ? CUDA_ARRAY3D_SURFACE_LDST : 0u) | (a->gather ? CUDA_ARRAY3D_TEXTURE_GATHER : 0u),
    };
}

CU_API CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray a)
{
    simtx_array_desc d;
    cudaError_t e = rt_enter_context();
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e && !rt_array_get(cu_array(a), &d))
        e = cudaErrorInvalidResourceHandle;
    if (!e)
        describe(out, &d);
    return cu_leave(e);
}

CU_API CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *out, CUarray a)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUresult r = out ? cuArray3DGetDescriptor(&d, a) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
        *out = (CUDA_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
    return r;
}

/* ---- sparse and planar arrays: no array of simtx is one, which is an invalid value for these queries ---- */

static CUresult no_such_array(void)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : cudaErrorInvalidValue);
}

CU_API CUresult cuArrayGetPlane(CUarray *plane, CUarray a, unsigned index)
{
    return no_such_array();
}

CU_API CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *out, CUarray a, CUdevice dev)
{
    return no_such_array();
}

CU_API CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *out, CUmipmappedArray a,
                                                      CUdevice dev)
{
    return no_such_array();
}

CU_API CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *out, CUarray a)
{
    return no_such_array();
}

CU_API CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *out, CUmipmappedArray a)
{
    return no_such_array();
}
