/*
 * Copies and fills.  A device address is a host address, so a copy is a memmove after two checks: a device
 * range must lie inside one allocation, and the kind must agree with the pointers.  A two- or
 * three-dimensional copy moves rows of bytes; the range checked extends from the first to the last byte.
 */
#include "frontend/cudart/rt.h"

#include <string.h>

#define MAX_PITCH ((size_t)2147483647)

enum place { PLACE_BAD, PLACE_PAGEABLE, PLACE_HOST, PLACE_DEVICE, PLACE_MANAGED };

static enum place place_of(const void *p, size_t bytes)
{
    static const enum place of_kind[] = {PLACE_DEVICE, PLACE_HOST, PLACE_MANAGED};
    int kind;
    struct rt_device *d = rt_owner(p);
    if (!p)
        return PLACE_BAD;
    if (!d)
        return PLACE_PAGEABLE;
    if (!simtx_mem_valid(d->gpu, p, bytes) || !simtx_mem_find(d->gpu, p, NULL, NULL, &kind))
        return PLACE_BAD;
    return of_kind[kind];
}

bool rt_range_ok(const void *p, size_t bytes)
{
    return place_of(p, bytes) != PLACE_BAD;
}

/* Registered host memory counts as device memory although it lies outside the device's address range. */
static bool device_side(const void *p, size_t bytes, enum place at)
{
    return at == PLACE_HOST || at == PLACE_DEVICE || at == PLACE_MANAGED ||
           simtx_mem_valid(rt_current()->gpu, p, bytes);
}

static bool host_side(enum place at)
{
    return at == PLACE_PAGEABLE || at == PLACE_HOST || at == PLACE_MANAGED;
}

/* Both ranges are valid memory, and `kind` agrees with the pointers. */
static cudaError_t check_copy(const void *dst, size_t dst_bytes, const void *src, size_t src_bytes,
                              enum cudaMemcpyKind kind)
{
    enum place to = place_of(dst, dst_bytes), from = place_of(src, src_bytes);
    bool fits = false;
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (to == PLACE_BAD || from == PLACE_BAD)
        return cudaErrorInvalidValue;
    switch (kind) {
    case cudaMemcpyHostToHost: fits = host_side(to) && host_side(from); break;
    case cudaMemcpyHostToDevice: fits = device_side(dst, dst_bytes, to) && host_side(from); break;
    case cudaMemcpyDeviceToHost: fits = host_side(to) && device_side(src, src_bytes, from); break;
    case cudaMemcpyDeviceToDevice:
        fits = device_side(dst, dst_bytes, to) && device_side(src, src_bytes, from);
        break;
    case cudaMemcpyDefault: fits = true; break;
    }
    return fits ? cudaSuccess : cudaErrorInvalidValue;
}

/* What goes from the host to device memory passes the copy engine; what stays on a device may take time in its DRAM. */
static void copy_row(void *dst, const void *src, size_t bytes)
{
    enum place to = place_of(dst, bytes), from = place_of(src, bytes);
    if (to == PLACE_DEVICE && from == PLACE_DEVICE && rt_owner(dst) == rt_owner(src)) {
        simtx_mem_copy(rt_owner(dst)->gpu, dst, src, bytes);
        return;
    }
    memmove(dst, src, bytes);
    if (to == PLACE_DEVICE && host_side(from))
        (void)simtx_copied(rt_owner(dst)->gpu, dst, bytes);      /* nothing waits, and the range is known to be right */
}

/* ---- linear ---- */

static cudaError_t copy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                        cudaStream_t stream)
{
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    if (!bytes)
        return cudaSuccess;
    cudaError_t e = check_copy(dst, bytes, src, bytes, kind);
    if (!e)
        copy_row(dst, src, bytes);
    return e;
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

/* A box of bytes in pitched memory. */
struct box {
    unsigned char *first;
    size_t pitch, slice;              /* distance in bytes between rows, between slices */
    size_t width, height, depth;
};

static size_t box_bytes(const struct box *b, bool *too_big)
{
    size_t slices, rows, bytes;
    *too_big = __builtin_mul_overflow(b->depth - 1, b->slice, &slices) ||
               __builtin_mul_overflow(b->height - 1, b->pitch, &rows) ||
               __builtin_add_overflow(slices, rows, &bytes) ||
               __builtin_add_overflow(bytes, b->width, &bytes);
    return *too_big ? 0 : bytes;
}

static unsigned char *row(const struct box *b, size_t y, size_t z)
{
    return b->first + z * b->slice + y * b->pitch;
}

static cudaError_t copy_box(const struct box *dst, const struct box *src, enum cudaMemcpyKind kind)
{
    bool big_dst, big_src;
    if (!dst->width || !dst->height || !dst->depth)
        return cudaSuccess;
    size_t dst_bytes = box_bytes(dst, &big_dst), src_bytes = box_bytes(src, &big_src);
    if (big_dst || big_src)
        return cudaErrorInvalidValue;
    cudaError_t e = check_copy(dst->first, dst_bytes, src->first, src_bytes, kind);
    for (size_t z = 0; !e && z < dst->depth; z++)
        for (size_t y = 0; y < dst->height; y++)
            copy_row(row(dst, y, z), row(src, y, z), dst->width);
    return e;
}

static cudaError_t fill_box(const struct box *b, int value)
{
    bool too_big;
    if (!b->width || !b->height || !b->depth)
        return cudaSuccess;
    size_t bytes = box_bytes(b, &too_big);
    if (too_big || !device_side(b->first, bytes, place_of(b->first, bytes)))
        return cudaErrorInvalidValue;
    simtx_gpu *gpu = rt_current()->gpu;
    if (bytes == b->width * b->height * b->depth)
        simtx_mem_fill(gpu, b->first, value, bytes);
    else
        for (size_t z = 0; z < b->depth; z++)
            for (size_t y = 0; y < b->height; y++)
                simtx_mem_fill(gpu, row(b, y, z), value, b->width);
    return cudaSuccess;
}

static cudaError_t copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct box to = {dst, dpitch, 0, width, height, 1}, from = {(void *)src, spitch, 0, width, height, 1};
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    if (width > dpitch || width > spitch || dpitch > MAX_PITCH || spitch > MAX_PITCH)
        return cudaErrorInvalidPitchValue;
    return copy_box(&to, &from, kind);
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

/* The box of `extent` bytes at `pos` in pitched memory; false when it exceeds the rows or slices. */
static bool pitched_box(struct box *b, struct cudaPitchedPtr p, struct cudaPos pos, struct cudaExtent extent)
{
    size_t end, slice, offset_z, offset_y, offset;
    if (!extent.width || !extent.height || !extent.depth) {
        *b = (struct box){0};
        return true;
    }
    if (__builtin_add_overflow(pos.x, extent.width, &end) || end > p.pitch || p.pitch > MAX_PITCH)
        return false;
    if (extent.depth > 1 || pos.z > 0)
        if (__builtin_add_overflow(pos.y, extent.height, &end) || end > p.ysize)
            return false;
    if (__builtin_mul_overflow(p.pitch, p.ysize, &slice) || __builtin_mul_overflow(pos.z, slice, &offset_z) ||
        __builtin_mul_overflow(pos.y, p.pitch, &offset_y) ||
        __builtin_add_overflow(offset_z, offset_y, &offset) || __builtin_add_overflow(offset, pos.x, &offset))
        return false;
    *b = (struct box){p.ptr ? (unsigned char *)p.ptr + offset : NULL, p.pitch, slice,
                      extent.width, extent.height, extent.depth};
    return true;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    struct box to, from;
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    if (!p || p->srcArray || p->dstArray)
        return cudaErrorInvalidValue;
    if (!pitched_box(&to, p->dstPtr, p->dstPos, p->extent) ||
        !pitched_box(&from, p->srcPtr, p->srcPos, p->extent))
        return cudaErrorInvalidPitchValue;
    return copy_box(&to, &from, p->kind);
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

static cudaError_t fill(const struct box *b, int value, cudaStream_t stream)
{
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    return fill_box(b, value);
}

RT_API cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream)
{
    struct box b = {p, 0, 0, bytes, 1, 1};
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : fill(&b, value, stream));
}

RT_API cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
    return cudaMemsetAsync(p, value, bytes, NULL);
}

RT_API cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream)
{
    struct box b = {p, pitch, 0, width, height, 1};
    cudaError_t e = rt_enter_gpu();
    if (!e && ((width > pitch && height > 1) || pitch > MAX_PITCH))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : fill(&b, value, stream));
}

RT_API cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(p, pitch, value, width, height, NULL);
}

RT_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                                     cudaStream_t stream)
{
    struct box b;
    cudaError_t e = rt_enter_gpu();
    if (!e && !pitched_box(&b, p, (struct cudaPos){0, 0, 0}, extent))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : fill(&b, value, stream));
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
