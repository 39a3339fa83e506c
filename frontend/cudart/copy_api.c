/* Copies and fills of the runtime API. */
#include "frontend/cudart/cudart.h"

/* ---- linear ---- */

static cudaError_t copy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct rt_box to = rt_line(dst, bytes), from = rt_line(src, bytes);
    return rt_copy(&to, &from, kind, stream);
}

RT_API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                                   cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : copy(dst, src, bytes, kind, stream));
}

RT_API cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(dst, src, bytes, kind, NULL);
}

static bool on_device(const void *p, int device)
{
    return device >= 0 && device < rt_device_count() && rt_owner(p) == &rt.device[device];
}

static cudaError_t copy_peer(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
                             cudaStream_t stream)
{
    if (dst_device < 0 || dst_device >= rt_device_count() || src_device < 0 ||
        src_device >= rt_device_count())
        return cudaErrorInvalidDevice;
    if (bytes && (!on_device(dst, dst_device) || !on_device(src, src_device)))
        return cudaErrorInvalidValue;
    return copy(dst, src, bytes, cudaMemcpyDeviceToDevice, stream);
}

RT_API cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
                                       size_t bytes, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : copy_peer(dst, dst_device, src, src_device, bytes, stream));
}

RT_API cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(dst, dst_device, src, src_device, bytes, NULL);
}

/* ---- rows ---- */

static cudaError_t copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct rt_box to = {dst, dpitch, 0, width, height, 1}, from = {(void *)src, spitch, 0, width, height, 1};
    if (width > dpitch || width > spitch || dpitch > RT_MAX_PITCH || spitch > RT_MAX_PITCH)
        return cudaErrorInvalidPitchValue;
    return rt_copy(&to, &from, kind, stream);
}

RT_API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : copy_2d(dst, dpitch, src, spitch, width, height, kind, stream));
}

RT_API cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, NULL);
}

/* One side: pitched memory, or an array, whose positions and extents count texels. */
static cudaError_t side_of(struct rt_side *out, cudaArray_t array, struct cudaPitchedPtr p, struct cudaPos pos,
                           struct cudaExtent extent)
{
    *out = (struct rt_side){.array = (simtx_array *)(void *)array, .pos = pos};
    if (array)
        out->box = (struct rt_box){NULL, 0, 0, extent.width, extent.height, extent.depth};
    return array || rt_pitched_box(&out->box, p, pos, extent) ? cudaSuccess : cudaErrorInvalidPitchValue;
}

/* With an array on a side, the width of the extent and the positions in arrays count texels. */
cudaError_t rt_copy_parameters(struct rt_side *dst, struct rt_side *src, const struct cudaMemcpy3DParms *p)
{
    simtx_array_desc d;
    struct cudaExtent extent = p->extent;
    struct cudaPos to = p->dstPos, from = p->srcPos;
    cudaArray_t any = p->dstArray ? p->dstArray : p->srcArray;
    if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
        return cudaErrorInvalidValue;
    if (any && !rt_array_get((simtx_array *)(void *)any, &d))
        return cudaErrorInvalidValue;
    if (any)
        extent.width *= rt_texel_bytes(&d);
    if (p->dstArray)
        to.x *= rt_texel_bytes(&d);
    if (p->srcArray)
        from.x *= rt_texel_bytes(&d);
    cudaError_t e = side_of(dst, p->dstArray, p->dstPtr, to, extent);
    return e ? e : side_of(src, p->srcArray, p->srcPtr, from, extent);
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    struct rt_side to, from;
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    if (!p)
        return cudaErrorInvalidValue;
    cudaError_t e = rt_copy_parameters(&to, &from, p);
    return e ? e : rt_copy_sides(&to, &from, p->kind, stream);
}

RT_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : copy_3d(p, stream));
}

RT_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return cudaMemcpy3DAsync(p, NULL);
}

RT_API cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!p || !on_device(p->dstPtr.ptr, p->dstDevice) || !on_device(p->srcPtr.ptr, p->srcDevice)))
        e = cudaErrorInvalidValue;
    if (!e) {
        struct cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos, p->dstPtr,
                                      p->extent, cudaMemcpyDeviceToDevice};
        e = copy_3d(&q, stream);
    }
    return rt_leave(e);
}

RT_API cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    return cudaMemcpy3DPeerAsync(p, NULL);
}

/* ---- fills ---- */

RT_API cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream)
{
    struct rt_box b = rt_line(p, bytes);
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_fill(&b, (unsigned)value & 0xff, 1, stream));
}

RT_API cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
    return cudaMemsetAsync(p, value, bytes, NULL);
}

RT_API cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream)
{
    struct rt_box b = {p, pitch, 0, width, height, 1};
    cudaError_t e = rt_enter_gpu();
    if (!e && ((width > pitch && height > 1) || pitch > RT_MAX_PITCH))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_fill(&b, (unsigned)value & 0xff, 1, stream));
}

RT_API cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(p, pitch, value, width, height, NULL);
}

RT_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                                     cudaStream_t stream)
{
    struct rt_box b;
    cudaError_t e = rt_enter_gpu();
    if (!e && !rt_pitched_box(&b, p, (struct cudaPos){0, 0, 0}, extent))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_fill(&b, (unsigned)value & 0xff, 1, stream));
}

RT_API cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(p, value, extent, NULL);
}

/* ---- symbols ---- */

/* The address of `bytes` bytes at `offset` in a device variable. */
static cudaError_t inside_symbol(const void *symbol, size_t offset, size_t bytes, unsigned char **at)
{
    void *address;
    size_t size;
    cudaError_t e = rt_symbol(symbol, &address, &size);
    if (e)
        return e;
    if (offset > size || bytes > size - offset)
        return cudaErrorInvalidValue;
    *at = (unsigned char *)address + offset;
    return cudaSuccess;
}

RT_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind, cudaStream_t stream)
{
    unsigned char *at;
    cudaError_t e = rt_enter_gpu();
    if (!e && (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost))
        e = cudaErrorInvalidMemcpyDirection;
    if (!e)
        e = inside_symbol(symbol, offset, bytes, &at);
    return rt_leave(e ? e : copy(at, src, bytes, kind, stream));
}

RT_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind)
{
    return cudaMemcpyToSymbolAsync(symbol, src, bytes, offset, kind, NULL);
}

RT_API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind, cudaStream_t stream)
{
    unsigned char *at;
    cudaError_t e = rt_enter_gpu();
    if (!e && (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice))
        e = cudaErrorInvalidMemcpyDirection;
    if (!e)
        e = inside_symbol(symbol, offset, bytes, &at);
    return rt_leave(e ? e : copy(dst, at, bytes, kind, stream));
}

RT_API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset,
                                        enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromSymbolAsync(dst, symbol, bytes, offset, kind, NULL);
}

RT_API cudaError_t cudaGetSymbolAddress(void **out, const void *symbol)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !out)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_symbol(symbol, out, NULL));
}

RT_API cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !out)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_symbol(symbol, NULL, out));
}
