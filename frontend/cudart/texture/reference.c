/*
 * Texture and surface references: host variables of type textureReference, registered with the device variables of the
 * same names. Binding makes an object of the resource and of the fields that the host variable has then, and writes its
 * handle to the device variable.
 */
#include "frontend/cudart/texture/rt_texture.h"

#include <stdint.h>

static simtx_sampler sampler(const struct textureReference *t, bool normalized_read)
{
    simtx_sampler s = {.linear = t->filterMode == cudaFilterModeLinear,
                       .mip_linear = t->mipmapFilterMode == cudaFilterModeLinear, .normalized_coords = t->normalized,
                       .read_normalized = normalized_read, .srgb = t->sRGB, .mip_bias = t->mipmapLevelBias,
                       .mip_min = t->minMipmapLevelClamp, .mip_max = t->maxMipmapLevelClamp,
                       .max_anisotropy = t->maxAnisotropy};
    for (int i = 0; i < 3; i++)
        s.address[i] = (simtx_address)t->addressMode[i];
    return s;
}

static uint64_t *bound(struct rt_reference *r)
{
    return &r->handle[rt_thread.device];
}

/* The reference gets another object, or none. The previous one may have ended with its context. */
static cudaError_t rebind(const void *host, struct rt_reference *r, uint64_t handle)
{
    void *variable;
    uint64_t old = *bound(r);
    cudaError_t e = rt_symbol(host, &variable, NULL);
    if (!e)
        e = rt_status_error(simtx_texref_bind(rt_current()->gpu, variable, handle));
    if (e) {
        rt_object_free(rt_thread.device, handle, r->surface);
        return e;
    }
    *bound(r) = handle;
    rt_object_free(rt_thread.device, old, r->surface);
    return cudaSuccess;
}

static cudaError_t bind_resource(const struct textureReference *t, const simtx_resource *resource, size_t offset)
{
    struct rt_reference *r = rt_reference(t, false);
    uint64_t handle;
    if (!r)
        return cudaErrorInvalidTexture;
    simtx_sampler s = sampler(t, r->normalized);
    cudaError_t e = rt_texture_new(resource, &s, &handle);
    if (!e)
        e = rebind(t, r, handle);
    if (!e)
        r->offset = offset;
    return e;
}

/* Memory is bound from the aligned address before it; *offset gets the distance, which the program adds. */
static cudaError_t bind_memory(size_t *offset, const struct textureReference *t, const void *p,
                               const struct cudaChannelFormatDesc *desc, size_t bytes, size_t width, size_t height,
                               size_t pitch)
{
    simtx_texture_limits l;
    simtx_resource r = {.kind = height ? SIMTX_RESOURCE_PITCH2D : SIMTX_RESOURCE_LINEAR, .height = height,
                        .pitch = pitch};
    void *base;
    size_t size;
    simtx_texture_get_limits(rt_current()->gpu, &l);
    if (!desc || !rt_texel(desc, &r.texel))
        return cudaErrorInvalidChannelDescriptor;
    if (!p || !simtx_mem_find(rt_current()->gpu, p, &base, &size, NULL))
        return cudaErrorInvalidValue;
    size_t off = (uintptr_t)p % l.alignment, texel = r.texel.bits / 8 * r.texel.channels;
    size_t left = (uintptr_t)base + size - (uintptr_t)p;
    if (off && (!offset || off % texel))
        return cudaErrorInvalidValue;
    r.pointer = (void *)((uintptr_t)p - off);
    r.width = height ? width + off / texel : (off + (bytes < left ? bytes : left)) / texel;
    if (!height && r.width > l.tex_1d_linear)
        r.width = l.tex_1d_linear;
    if (offset)
        *offset = off;
    return bind_resource(t, &r, off);
}

RT_API cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *t, const void *p,
                                   const struct cudaChannelFormatDesc *desc, size_t bytes)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : bind_memory(offset, t, p, desc, bytes, 0, 0, 0));
}

RT_API cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *t, const void *p,
                                     const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                                     size_t pitch)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !height)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : bind_memory(offset, t, p, desc, 0, width, height, pitch));
}

static cudaError_t bind_array(const struct textureReference *t, const void *array, bool mipmapped,
                              const struct cudaChannelFormatDesc *desc)
{
    simtx_array_desc d;
    simtx_resource r = {.kind = SIMTX_RESOURCE_ARRAY, .array = rt_array(array)};
    simtx_texel want;
    if (!rt_array_get(rt_array(array), &d) || (d.levels != 0) != mipmapped)
        return cudaErrorInvalidValue;
    if (!desc || !rt_texel(desc, &want))
        return cudaErrorInvalidChannelDescriptor;
    if (want.kind != d.texel.kind || want.bits != d.texel.bits || want.channels != d.texel.channels)
        return cudaErrorInvalidValue;
    return bind_resource(t, &r, 0);
}

RT_API cudaError_t cudaBindTextureToArray(const struct textureReference *t, cudaArray_const_t array,
                                          const struct cudaChannelFormatDesc *desc)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : bind_array(t, array, false, desc));
}

RT_API cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *t, cudaMipmappedArray_const_t array,
                                                   const struct cudaChannelFormatDesc *desc)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : bind_array(t, array, true, desc));
}

RT_API cudaError_t cudaUnbindTexture(const struct textureReference *t)
{
    cudaError_t e = rt_enter_gpu();
    struct rt_reference *r = e ? NULL : rt_reference(t, false);
    if (!e && !r)
        e = cudaErrorInvalidTexture;
    return rt_leave(e || !*bound(r) ? e : rebind(t, r, 0));
}

RT_API cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *t)
{
    cudaError_t e = rt_enter_gpu();
    const struct rt_reference *r = e ? NULL : rt_reference(t, false);
    if (!e && (!r || !offset))
        e = cudaErrorInvalidTexture;
    else if (!e && !r->handle[rt_thread.device])
        e = cudaErrorInvalidTextureBinding;
    if (!e)
        *offset = r->offset;
    return rt_leave(e);
}

RT_API cudaError_t cudaGetTextureReference(const struct textureReference **out, const void *symbol)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!out || !rt_reference(symbol, false)))
        e = cudaErrorInvalidTexture;
    if (!e)
        *out = symbol;
    return rt_leave(e);
}

/* ---- surfaces ---- */

static cudaError_t bind_surface(const struct surfaceReference *s, const void *array)
{
    struct rt_reference *r = rt_reference(s, true);
    uint64_t handle;
    if (!r)
        return cudaErrorInvalidSurface;
    cudaError_t e = rt_surface_new(rt_array(array), &handle);
    return e ? e : rebind(s, r, handle);
}

RT_API cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *s, cudaArray_const_t array,
                                          const struct cudaChannelFormatDesc *desc)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !desc)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : bind_surface(s, array));
}

RT_API cudaError_t cudaGetSurfaceReference(const struct surfaceReference **out, const void *symbol)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!out || !rt_reference(symbol, true)))
        e = cudaErrorInvalidSurface;
    if (!e)
        *out = symbol;
    return rt_leave(e);
}

/* ---- limits ---- */

RT_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *out, const struct cudaChannelFormatDesc *desc,
                                                        int device)
{
    simtx_texture_limits l;
    simtx_texel t;
    cudaError_t e = rt_enter();
    if (!e)
        e = rt_open_device(device);
    if (!e && (!out || !desc || !rt_texel(desc, &t)))
        e = cudaErrorInvalidValue;
    if (!e) {
        simtx_texture_get_limits(rt.device[device].gpu, &l);
        *out = l.tex_1d_linear;
    }
    return rt_leave(e);
}
