/* CUDA arrays: creation, queries, and copies (frontend/rt/array.c). */
#include "frontend/cudart/texture/rt_texture.h"

#include <stdlib.h>

#define ARRAY_FLAGS (cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather | \
                     cudaArrayColorAttachment)

/* ---- descriptions ---- */

bool rt_texel(const struct cudaChannelFormatDesc *d, simtx_texel *t)
{
    const int bits[4] = {d->x, d->y, d->z, d->w};
    unsigned n = 0;
    while (n < 4 && bits[n] && bits[n] == bits[0])
        n++;
    for (unsigned i = n; i < 4; i++)
        if (bits[i])
            return false;
    bool real = d->f == cudaChannelFormatKindFloat;
    bool kind = real || d->f == cudaChannelFormatKindSigned || d->f == cudaChannelFormatKindUnsigned;
    bool size = bits[0] == 16 || bits[0] == 32 || (bits[0] == 8 && !real);
    if (!kind || !size || n == 3 || n == 0)
        return false;
    *t = (simtx_texel){real ? SIMTX_CHANNEL_FLOAT : d->f == cudaChannelFormatKindSigned ? SIMTX_CHANNEL_SIGNED
                                                                                        : SIMTX_CHANNEL_UNSIGNED,
                       (uint32_t)bits[0], n};
    return true;
}

struct cudaChannelFormatDesc rt_channels(simtx_texel t)
{
    static const enum cudaChannelFormatKind kinds[] = {cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned,
                                                       cudaChannelFormatKindFloat};
    int b = (int)t.bits;
    return (struct cudaChannelFormatDesc){b, t.channels > 1 ? b : 0, t.channels > 2 ? b : 0, t.channels > 3 ? b : 0,
                                          kinds[t.kind]};
}

static unsigned flags_of(const simtx_array_desc *d)
{
    return (d->layered ? cudaArrayLayered : 0u) | (d->cubemap ? cudaArrayCubemap : 0u) |
           (d->surface ? cudaArraySurfaceLoadStore : 0u) | (d->gather ? cudaArrayTextureGather : 0u);
}

/* ---- creation ---- */

static cudaError_t new_array(simtx_array **out, const struct cudaChannelFormatDesc *desc, struct cudaExtent e,
                             unsigned flags, unsigned levels)
{
    simtx_array_desc d = {.width = e.width, .height = e.height, .depth = e.depth, .layered = flags & cudaArrayLayered,
                          .cubemap = flags & cudaArrayCubemap, .surface = flags & cudaArraySurfaceLoadStore,
                          .gather = flags & cudaArrayTextureGather, .levels = levels};
    if (!out || !desc || flags & ~(unsigned)ARRAY_FLAGS)
        return flags & cudaArraySparse ? cudaErrorNotSupported : cudaErrorInvalidValue;
    if (!rt_texel(desc, &d.texel))
        return cudaErrorInvalidChannelDescriptor;
    return rt_array_new(&d, out);
}

RT_API cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : new_array((simtx_array **)(void *)array, desc, extent, flags, 0));
}

RT_API cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                                   size_t height, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && flags & (cudaArrayLayered | cudaArrayCubemap))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : new_array((simtx_array **)(void *)array, desc, (struct cudaExtent){width, height, 0}, flags,
                                      0));
}

RT_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc,
                                            struct cudaExtent extent, unsigned levels, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !levels)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : new_array((simtx_array **)(void *)array, desc, extent, flags, levels));
}

RT_API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_const_t array, unsigned level)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!out || !rt_array_get(rt_array(array), NULL)))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_status_error(simtx_array_level(rt_current()->gpu, rt_array(array), level,
                                                              (simtx_array **)(void *)out)));
}

static cudaError_t free_array(const void *array, bool mipmapped)
{
    simtx_array_desc d;
    if (!array)
        return cudaSuccess;
    if (!rt_array_get(rt_array(array), &d) || (d.levels != 0) != mipmapped)
        return cudaErrorInvalidValue;
    return rt_array_free(rt_array(array)) ? cudaErrorInvalidValue : cudaSuccess;
}

RT_API cudaError_t cudaFreeArray(cudaArray_t array)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : free_array(array, false));
}

RT_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : free_array(array, true));
}

/* ---- queries ---- */

RT_API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                                    cudaArray_t array)
{
    simtx_array_desc d;
    cudaError_t e = rt_enter_gpu();
    if (!e && !rt_array_get(rt_array(array), &d))
        e = cudaErrorInvalidValue;
    if (!e && desc)
        *desc = rt_channels(d.texel);
    if (!e && extent)
        *extent = (struct cudaExtent){d.width, d.height, d.depth};
    if (!e && flags)
        *flags = flags_of(&d);
    return rt_leave(e);
}

RT_API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    simtx_array_desc d;
    cudaError_t e = rt_enter_gpu();
    if (!e && (!desc || !rt_array_get(rt_array(array), &d)))
        e = cudaErrorInvalidValue;
    if (!e)
        *desc = rt_channels(d.texel);
    return rt_leave(e);
}

/* ---- copies ---- */

/* An array is one side, and memory the other; only some directions go with an array. */
static cudaError_t copy_2d(bool to_array, const void *array, size_t x, size_t y, const void *memory, size_t pitch,
                           size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct rt_box box = {(unsigned char *)(uintptr_t)memory, pitch, pitch * height, width, height, 1};
    struct rt_side m = {.box = box}, a = {.box = box, .array = rt_array(array), .pos = {x, y, 0}};
    if ((unsigned)kind > cudaMemcpyDefault || kind == cudaMemcpyHostToHost ||
        kind == (to_array ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))
        return cudaErrorInvalidMemcpyDirection;
    if (!rt_array_get(a.array, NULL))
        return cudaErrorInvalidValue;
    if (height > 1 && pitch < width)
        return cudaErrorInvalidPitchValue;
    return to_array ? rt_copy_sides(&a, &m, kind, stream) : rt_copy_sides(&m, &a, kind, stream);
}

RT_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                                            size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : copy_2d(true, dst, x, y, src, pitch, width, height, kind, stream));
}

RT_API cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                       size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DToArrayAsync(dst, x, y, src, pitch, width, height, kind, NULL);
}

RT_API cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y,
                                              size_t width, size_t height, enum cudaMemcpyKind kind,
                                              cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : copy_2d(false, src, x, y, dst, pitch, width, height, kind, stream));
}

RT_API cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y,
                                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DFromArrayAsync(dst, pitch, src, x, y, width, height, kind, NULL);
}

/* `count` bytes from a position on: the rest of its row, then whole rows, then a part of a row. */
static cudaError_t copy_linear(bool to_array, const void *array, size_t x, size_t y, const void *memory, size_t count,
                               enum cudaMemcpyKind kind, cudaStream_t stream)
{
    simtx_array_desc d;
    if (!rt_array_get(rt_array(array), &d))
        return cudaErrorInvalidValue;
    size_t row = d.width * rt_texel_bytes(&d), done = 0;
    if (x >= row)
        return count ? cudaErrorInvalidValue : cudaSuccess;
    for (cudaError_t e; done < count; x = 0) {
        size_t left = count - done, n = row - x < left ? row - x : left, rows = x == 0 && left >= row ? left / row : 1;
        const unsigned char *at = (const unsigned char *)memory + done;
        e = copy_2d(to_array, array, x, y, at, row, n, rows, kind, stream);
        if (e)
            return e;
        done += n * rows;
        y += rows;
    }
    return cudaSuccess;
}

RT_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
                                          enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : copy_linear(true, dst, x, y, src, count, kind, stream));
}

RT_API cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
                                     enum cudaMemcpyKind kind)
{
    return cudaMemcpyToArrayAsync(dst, x, y, src, count, kind, NULL);
}

RT_API cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : copy_linear(false, src, x, y, dst, count, kind, stream));
}

RT_API cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                                       enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromArrayAsync(dst, src, x, y, count, kind, NULL);
}

RT_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src,
                                            size_t src_x, size_t src_y, size_t width, size_t height,
                                            enum cudaMemcpyKind kind)
{
    struct rt_box box = {.width = width, .height = height, .depth = 1};
    struct rt_side to = {box, rt_array(dst), {dst_x, dst_y, 0}}, from = {box, rt_array(src), {src_x, src_y, 0}};
    cudaError_t e = rt_enter_gpu();
    if (!e && (!rt_array_get(to.array, NULL) || !rt_array_get(from.array, NULL)))
        e = cudaErrorInvalidValue;
    if (!e && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        e = cudaErrorInvalidMemcpyDirection;
    return rt_leave(e ? e : rt_copy_sides(&to, &from, kind, NULL));
}

/* The bytes pass a buffer, so the arrays may have rows of different lengths. */
static cudaError_t copy_arrays(const void *dst, size_t dst_x, size_t dst_y, const void *src, size_t src_x, size_t src_y,
                               size_t count)
{
    void *bytes = malloc(count + 1);
    cudaError_t e = bytes ? copy_linear(false, src, src_x, src_y, bytes, count, cudaMemcpyDeviceToHost, NULL)
                          : cudaErrorMemoryAllocation;
    if (!e)
        e = copy_linear(true, dst, dst_x, dst_y, bytes, count, cudaMemcpyHostToDevice, NULL);
    free(bytes);
    return e;
}

RT_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src,
                                          size_t src_x, size_t src_y, size_t count, enum cudaMemcpyKind kind)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        e = cudaErrorInvalidMemcpyDirection;
    return rt_leave(e ? e : copy_arrays(dst, dst_x, dst_y, src, src_x, src_y, count));
}

/* ---- sparse and planar arrays: no array of simtx is one, which is an invalid value for these queries ---- */

static cudaError_t no_such_array(void)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : cudaErrorInvalidValue);
}

RT_API cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned index)
{
    return no_such_array();
}

RT_API cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaArray_t array,
                                                  int device)
{
    return no_such_array();
}

RT_API cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out,
                                                           cudaMipmappedArray_t array, int device)
{
    return no_such_array();
}

RT_API cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *out, cudaArray_t array)
{
    return no_such_array();
}

RT_API cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *out,
                                                         cudaMipmappedArray_t array)
{
    return no_such_array();
}
