/* Texture and surface objects. */
#include "frontend/cudart/texture/rt_texture.h"

#include <string.h>

static cudaError_t set_view(simtx_resource *r, const struct cudaResourceViewDesc *v, simtx_texel own)
{
    r->view = true;
    r->view_texel = own;
    if (v->format >= cudaResViewFormatUnsignedBlockCompressed1)
        return cudaErrorNotSupported;
    if (v->format != cudaResViewFormatNone && !rt_view_texel((unsigned)v->format, &r->view_texel))
        return cudaErrorInvalidValue;
    r->first_level = v->firstMipmapLevel;
    r->last_level = v->lastMipmapLevel;
    r->first_layer = v->firstLayer;
    r->last_layer = v->lastLayer;
    return cudaSuccess;
}

static cudaError_t array_resource(const void *array, bool mipmapped, const struct cudaResourceViewDesc *view,
                                  simtx_resource *r)
{
    simtx_array_desc d;
    if (!rt_array_get(rt_array(array), &d) || (d.levels != 0) != mipmapped)
        return cudaErrorInvalidValue;
    *r = (simtx_resource){.kind = SIMTX_RESOURCE_ARRAY, .array = rt_array(array)};
    return view ? set_view(r, view, d.texel) : cudaSuccess;
}

static cudaError_t resource(const struct cudaResourceDesc *d, const struct cudaResourceViewDesc *view,
                            simtx_resource *r)
{
    bool memory = d->resType == cudaResourceTypeLinear || d->resType == cudaResourceTypePitch2D;
    simtx_texel t;
    if (memory && view)
        return cudaErrorInvalidValue;
    switch (d->resType) {
    case cudaResourceTypeArray: return array_resource(d->res.array.array, false, view, r);
    case cudaResourceTypeMipmappedArray: return array_resource(d->res.mipmap.mipmap, true, view, r);
    case cudaResourceTypeLinear:
        if (!rt_texel(&d->res.linear.desc, &t))
            return cudaErrorInvalidChannelDescriptor;
        *r = (simtx_resource){.kind = SIMTX_RESOURCE_LINEAR, .pointer = d->res.linear.devPtr, .texel = t,
                              .width = d->res.linear.sizeInBytes / (t.bits / 8 * t.channels)};
        return cudaSuccess;
    case cudaResourceTypePitch2D:
        if (!rt_texel(&d->res.pitch2D.desc, &t))
            return cudaErrorInvalidChannelDescriptor;
        *r = (simtx_resource){.kind = SIMTX_RESOURCE_PITCH2D, .pointer = d->res.pitch2D.devPtr, .texel = t,
                              .width = d->res.pitch2D.width, .height = d->res.pitch2D.height,
                              .pitch = d->res.pitch2D.pitchInBytes};
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

static simtx_sampler sampler(const struct cudaTextureDesc *d)
{
    simtx_sampler s = {.linear = d->filterMode == cudaFilterModeLinear,
                       .mip_linear = d->mipmapFilterMode == cudaFilterModeLinear,
                       .normalized_coords = d->normalizedCoords, .srgb = d->sRGB,
                       .read_normalized = d->readMode == cudaReadModeNormalizedFloat, .mip_bias = d->mipmapLevelBias,
                       .mip_min = d->minMipmapLevelClamp, .mip_max = d->maxMipmapLevelClamp,
                       .max_anisotropy = d->maxAnisotropy, .seamless = d->seamlessCubemap != 0};
    for (int i = 0; i < 3; i++)
        s.address[i] = (simtx_address)d->addressMode[i];
    memcpy(s.border, d->borderColor, sizeof s.border);
    return s;
}

static cudaError_t new_texture(cudaTextureObject_t *out, const struct cudaResourceDesc *d,
                               const struct cudaTextureDesc *t, const struct cudaResourceViewDesc *view)
{
    simtx_resource r;
    uint64_t handle;
    if (!out || !d || !t || (unsigned)t->filterMode > cudaFilterModeLinear ||
        (unsigned)t->readMode > cudaReadModeNormalizedFloat || (unsigned)t->mipmapFilterMode > cudaFilterModeLinear)
        return cudaErrorInvalidValue;
    cudaError_t e = resource(d, view, &r);
    simtx_sampler s = sampler(t);
    if (!e)
        e = rt_texture_new(&r, &s, &handle);
    if (!e)
        *out = handle;
    return e;
}

RT_API cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *out, const struct cudaResourceDesc *d,
                                              const struct cudaTextureDesc *t, const struct cudaResourceViewDesc *view)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : new_texture(out, d, t, view));
}

RT_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e || !object ? e : rt_object_free(rt_thread.device, object, false));
}

/* ---- queries ---- */

static void describe_resource(const simtx_resource *r, struct cudaResourceDesc *d)
{
    simtx_array_desc a = {.levels = 0};
    struct cudaChannelFormatDesc c = rt_channels(r->texel);
    size_t texel = r->texel.bits / 8 * r->texel.channels;
    memset(d, 0, sizeof *d);
    if (r->kind == SIMTX_RESOURCE_LINEAR) {
        d->resType = cudaResourceTypeLinear;
        d->res.linear.devPtr = r->pointer;
        d->res.linear.desc = c;
        d->res.linear.sizeInBytes = r->width * texel;
    } else if (r->kind == SIMTX_RESOURCE_PITCH2D) {
        d->resType = cudaResourceTypePitch2D;
        d->res.pitch2D.devPtr = r->pointer;
        d->res.pitch2D.desc = c;
        d->res.pitch2D.width = r->width;
        d->res.pitch2D.height = r->height;
        d->res.pitch2D.pitchInBytes = r->pitch;
    } else {
        rt_array_get(r->array, &a);
        d->resType = a.levels ? cudaResourceTypeMipmappedArray : cudaResourceTypeArray;
        d->res.array.array = (cudaArray_t)(void *)r->array;
    }
}

RT_API cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *d, cudaTextureObject_t object)
{
    simtx_resource r;
    cudaError_t e = rt_enter_gpu();
    if (!e && (!d || !simtx_texture_get(rt_current()->gpu, object, &r, NULL)))
        e = cudaErrorInvalidValue;
    if (!e)
        describe_resource(&r, d);
    return rt_leave(e);
}

RT_API cudaError_t cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc *d, cudaTextureObject_t object)
{
    simtx_sampler s;
    cudaError_t e = rt_enter_gpu();
    if (!e && (!d || !simtx_texture_get(rt_current()->gpu, object, NULL, &s)))
        e = cudaErrorInvalidValue;
    if (e)
        return rt_leave(e);
    *d = (struct cudaTextureDesc){
        .filterMode = s.linear ? cudaFilterModeLinear : cudaFilterModePoint,
        .readMode = s.read_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType, .sRGB = s.srgb,
        .normalizedCoords = s.normalized_coords, .maxAnisotropy = s.max_anisotropy,
        .mipmapFilterMode = s.mip_linear ? cudaFilterModeLinear : cudaFilterModePoint, .mipmapLevelBias = s.mip_bias,
        .minMipmapLevelClamp = s.mip_min, .maxMipmapLevelClamp = s.mip_max, .seamlessCubemap = s.seamless};
    for (int i = 0; i < 3; i++)
        d->addressMode[i] = (enum cudaTextureAddressMode)s.address[i];
    memcpy(d->borderColor, s.border, sizeof d->borderColor);
    return rt_leave(cudaSuccess);
}

static const struct cudaResourceViewDesc no_view;

RT_API cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *d, cudaTextureObject_t object)
{
    simtx_resource r;
    cudaError_t e = rt_enter_gpu();
    if (!e && (!d || !simtx_texture_get(rt_current()->gpu, object, &r, NULL) || !r.view))
        e = cudaErrorInvalidValue;
    if (e)
        return rt_leave(e);
    *d = no_view;
    d->format = (enum cudaResourceViewFormat)rt_view_format(&r.view_texel);
    d->firstMipmapLevel = r.first_level;
    d->lastMipmapLevel = r.last_level;
    d->firstLayer = r.first_layer;
    d->lastLayer = r.last_layer;
    return rt_leave(cudaSuccess);
}

/* ---- surfaces ---- */

RT_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *d)
{
    uint64_t handle;
    cudaError_t e = rt_enter_gpu();
    if (!e && (!out || !d || d->resType != cudaResourceTypeArray))
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_surface_new(rt_array(d->res.array.array), &handle);
    if (!e)
        *out = handle;
    return rt_leave(e);
}

RT_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e || !object ? e : rt_object_free(rt_thread.device, object, true));
}

RT_API cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *d, cudaSurfaceObject_t object)
{
    simtx_array *a;
    cudaError_t e = rt_enter_gpu();
    if (!e && (!d || !simtx_surface_get(rt_current()->gpu, object, &a)))
        e = cudaErrorInvalidValue;
    if (!e) {
        simtx_resource r = {.kind = SIMTX_RESOURCE_ARRAY, .array = a};
        describe_resource(&r, d);
    }
    return rt_leave(e);
}

/* ---- with the structure of CUDA 11, which ends before the last field ---- */

#undef cudaCreateTextureObject
#undef cudaGetTextureObjectTextureDesc
enum { OLD = offsetof(struct cudaTextureDesc, seamlessCubemap) };

RT_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *d, const void *t,
                                           const struct cudaResourceViewDesc *view);
RT_API cudaError_t cudaGetTextureObjectTextureDesc(void *d, cudaTextureObject_t object);

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *d, const void *t,
                                    const struct cudaResourceViewDesc *view)
{
    struct cudaTextureDesc whole = {.seamlessCubemap = 0};
    if (t)
        memcpy(&whole, t, OLD);
    return cudaCreateTextureObject_v2(out, d, t ? &whole : NULL, view);
}

cudaError_t cudaGetTextureObjectTextureDesc(void *d, cudaTextureObject_t object)
{
    struct cudaTextureDesc whole;
    cudaError_t e = cudaGetTextureObjectTextureDesc_v2(d ? &whole : NULL, object);
    if (!e)
        memcpy(d, &whole, OLD);
    return e;
}
