/* Texture and surface objects of the driver API. */
#include "frontend/libcuda/cu_array.h"

#include <string.h>

/* ---- descriptions ---- */

static bool linear(simtx_resource *r, const CUDA_RESOURCE_DESC *d)
{
    *r = (simtx_resource){.kind = SIMTX_RESOURCE_LINEAR, .pointer = cu_pointer(d->res.linear.devPtr)};
    if (!cu_texel(&r->texel, d->res.linear.format, d->res.linear.numChannels))
        return false;
    r->width = d->res.linear.sizeInBytes / (r->texel.bits / 8 * r->texel.channels);
    return true;
}

static bool pitched(simtx_resource *r, const CUDA_RESOURCE_DESC *d)
{
    *r = (simtx_resource){.kind = SIMTX_RESOURCE_PITCH2D, .pointer = cu_pointer(d->res.pitch2D.devPtr),
                          .width = d->res.pitch2D.width, .height = d->res.pitch2D.height,
                          .pitch = d->res.pitch2D.pitchInBytes};
    return cu_texel(&r->texel, d->res.pitch2D.format, d->res.pitch2D.numChannels);
}

static bool resource(simtx_resource *r, const CUDA_RESOURCE_DESC *d)
{
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        *r = (simtx_resource){.kind = SIMTX_RESOURCE_ARRAY, .array = cu_array(d->res.array.hArray)};
        return true;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        *r = (simtx_resource){.kind = SIMTX_RESOURCE_ARRAY,
                              .array = (simtx_array *)(void *)d->res.mipmap.hMipmappedArray};
        return true;
    case CU_RESOURCE_TYPE_LINEAR: return linear(r, d);
    case CU_RESOURCE_TYPE_PITCH2D: return pitched(r, d);
    }
    return false;
}

/* 32-bit integers are never read as fractions. What is read as an integer is not filtered: unlike the runtime API, the
 * driver API accepts a linear filter for it. */
static void sampler(simtx_sampler *s, const CUDA_TEXTURE_DESC *d, const simtx_texel *t)
{
    bool fractions = !(d->flags & CU_TRSF_READ_AS_INTEGER) && t->kind != SIMTX_CHANNEL_FLOAT && t->bits < 32;
    bool real = fractions || t->kind == SIMTX_CHANNEL_FLOAT;
    *s = (simtx_sampler){
        .linear = real && d->filterMode == CU_TR_FILTER_MODE_LINEAR,
        .mip_linear = real && d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR,
        .normalized_coords = d->flags & CU_TRSF_NORMALIZED_COORDINATES,
        .read_normalized = fractions,
        .srgb = d->flags & CU_TRSF_SRGB,
        .mip_bias = d->mipmapLevelBias, .mip_min = d->minMipmapLevelClamp, .mip_max = d->maxMipmapLevelClamp,
        .max_anisotropy = d->maxAnisotropy,
        .seamless = d->flags & CU_TRSF_SEAMLESS_CUBEMAP,
    };
    for (int i = 0; i < 3; i++)
        s->address[i] = (simtx_address)d->addressMode[i];
    memcpy(s->border, d->borderColor, sizeof s->border);
}

static const simtx_texel *texel_of(simtx_resource *r)
{
    simtx_array_desc d;
    if (r->kind == SIMTX_RESOURCE_ARRAY && rt_array_get(r->array, &d))
        r->texel = d.texel;
    return &r->texel;
}

/* Views change the range of levels and layers; views with another format are not supported. */
static cudaError_t add_view(simtx_resource *r, const CUDA_RESOURCE_VIEW_DESC *v)
{
    if (!v)
        return cudaSuccess;
    if (v->format != CU_RES_VIEW_FORMAT_NONE)
        return cudaErrorNotSupported;
    r->view = true;
    r->view_texel = r->texel;
    r->first_level = v->firstMipmapLevel;
    r->last_level = v->lastMipmapLevel;
    r->first_layer = v->firstLayer;
    r->last_layer = v->lastLayer;
    return cudaSuccess;
}

cudaError_t cu_texture_create(CUtexObject *out, const CUDA_RESOURCE_DESC *rd, const CUDA_TEXTURE_DESC *td,
                              const CUDA_RESOURCE_VIEW_DESC *vd)
{
    simtx_resource r;
    simtx_sampler s;
    uint64_t handle;
    if (!resource(&r, rd))
        return cudaErrorInvalidValue;
    sampler(&s, td, texel_of(&r));
    cudaError_t e = add_view(&r, vd);
    if (!e)
        e = rt_texture_new(&r, &s, &handle);
    if (!e)
        *out = handle;
    return e;
}

CU_API CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *rd, const CUDA_TEXTURE_DESC *td,
                                  const CUDA_RESOURCE_VIEW_DESC *vd)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!out || !rd || !td))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : cu_texture_create(out, rd, td, vd));
}

CU_API CUresult cuTexObjectDestroy(CUtexObject t)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_object_free(rt_thread.device, t, false));
}

/* ---- queries ---- */

static void describe_array(CUDA_RESOURCE_DESC *d, simtx_array *a)
{
    simtx_array_desc desc;
    bool mipmapped = rt_array_get(a, &desc) && desc.levels;
    d->resType = mipmapped ? CU_RESOURCE_TYPE_MIPMAPPED_ARRAY : CU_RESOURCE_TYPE_ARRAY;
    d->res.array.hArray = (CUarray)(void *)a;
}

static void describe_resource(CUDA_RESOURCE_DESC *d, const simtx_resource *r)
{
    memset(d, 0, sizeof *d);
    if (r->kind == SIMTX_RESOURCE_ARRAY) {
        describe_array(d, r->array);
    } else if (r->kind == SIMTX_RESOURCE_LINEAR) {
        d->resType = CU_RESOURCE_TYPE_LINEAR;
        d->res.linear.devPtr = cu_address(r->pointer);
        d->res.linear.format = cu_format(&r->texel);
        d->res.linear.numChannels = r->texel.channels;
        d->res.linear.sizeInBytes = r->width * (r->texel.bits / 8 * r->texel.channels);
    } else {
        d->resType = CU_RESOURCE_TYPE_PITCH2D;
        d->res.pitch2D.devPtr = cu_address(r->pointer);
        d->res.pitch2D.format = cu_format(&r->texel);
        d->res.pitch2D.numChannels = r->texel.channels;
        d->res.pitch2D.width = r->width;
        d->res.pitch2D.height = r->height;
        d->res.pitch2D.pitchInBytes = r->pitch;
    }
}

static void describe_sampler(CUDA_TEXTURE_DESC *d, const simtx_sampler *s)
{
    *d = (CUDA_TEXTURE_DESC){
        .filterMode = s->linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
        .mipmapFilterMode = s->mip_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
        .flags = (s->normalized_coords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                 (s->read_normalized ? 0u : CU_TRSF_READ_AS_INTEGER) | (s->srgb ? CU_TRSF_SRGB : 0u) |
                 (s->seamless ? CU_TRSF_SEAMLESS_CUBEMAP : 0u),
        .mipmapLevelBias = s->mip_bias, .minMipmapLevelClamp = s->mip_min, .maxMipmapLevelClamp = s->mip_max,
        .maxAnisotropy = s->max_anisotropy,
    };
    for (int i = 0; i < 3; i++)
        d->addressMode[i] = (CUaddress_mode)s->address[i];
    memcpy(d->borderColor, s->border, sizeof d->borderColor);
}

CU_API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *d, CUtexObject t)
{
    simtx_resource r;
    simtx_sampler s;
    cudaError_t e = rt_enter_context();
    if (!e && (!d || !simtx_texture_get(rt_current()->gpu, t, &r, &s)))
        e = cudaErrorInvalidValue;
    if (!e)
        describe_resource(d, &r);
    return cu_leave(e);
}

CU_API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *d, CUtexObject t)
{
    simtx_resource r;
    simtx_sampler s;
    cudaError_t e = rt_enter_context();
    if (!e && (!d || !simtx_texture_get(rt_current()->gpu, t, &r, &s)))
        e = cudaErrorInvalidValue;
    if (!e)
        describe_sampler(d, &s);
    return cu_leave(e);
}

CU_API CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *d, CUtexObject t)
{
    simtx_resource r;
    cudaError_t e = rt_enter_context();
    if (!e && (!d || !simtx_texture_get(rt_current()->gpu, t, &r, NULL) || !r.view))
        e = cudaErrorInvalidValue;
    if (!e) {
        memset(d, 0, sizeof *d);
        d->format = (CUresourceViewFormat)rt_view_format(&r.view_texel);
        d->firstMipmapLevel = r.first_level;
        d->lastMipmapLevel = r.last_level;
        d->firstLayer = r.first_layer;
        d->lastLayer = r.last_layer;
    }
    return cu_leave(e);
}

CU_API CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *out, CUarray_format format, unsigned channels, CUdevice dev)
{
    simtx_texture_limits l;
    simtx_texel t;
    cudaError_t e = cu_enter_device(dev);
    if (!e && (!out || !cu_texel(&t, format, channels)))
        e = cudaErrorInvalidValue;
    if (!e) {
        simtx_texture_get_limits(rt.device[dev].gpu, &l);
        *out = l.tex_1d_linear;
    }
    return cu_leave(e);
}

/* ---- surfaces ---- */

CU_API CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *d)
{
    uint64_t handle;
    cudaError_t e = rt_enter_context();
    if (!e && (!out || !d || d->resType != CU_RESOURCE_TYPE_ARRAY))
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_surface_new(cu_array(d->res.array.hArray), &handle);
    if (!e)
        *out = handle;
    return cu_leave(e);
}

CU_API CUresult cuSurfObjectDestroy(CUsurfObject s)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_object_free(rt_thread.device, s, true));
}

CU_API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *d, CUsurfObject s)
{
    simtx_array *a;
    cudaError_t e = rt_enter_context();
    if (!e && (!d || !simtx_surface_get(rt_current()->gpu, s, &a)))
        e = cudaErrorInvalidValue;
    if (!e) {
        memset(d, 0, sizeof *d);
        describe_array(d, a);
    }
    return cu_leave(e);
}
