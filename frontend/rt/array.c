/* Arrays of both APIs, and copies with an array on one or both sides. A copy moves a box of whole texels. */
#include "frontend/rt/graph/graph.h"

#include <stdlib.h>

struct rt_array {
    int device;
    rt_context context;
};

static cudaError_t track(simtx_array *a)
{
    struct rt_array *r = malloc(sizeof *r);
    if (!r || !ptrmap_put(&rt.arrays, a, r)) {
        free(r);
        return cudaErrorMemoryAllocation;
    }
    *r = (struct rt_array){rt_thread.device, rt_context_current()};
    return cudaSuccess;
}

cudaError_t rt_array_new(const simtx_array_desc *d, simtx_array **out)
{
    simtx_gpu *gpu = rt_current()->gpu;
    simtx_array *a;
    cudaError_t e = rt_status_error(simtx_array_new(gpu, d, &a));
    if (e)
        return e;
    e = track(a);
    if (e)
        simtx_array_free(gpu, a);
    else
        *out = a;
    return e;
}

cudaError_t rt_array_free(simtx_array *a)
{
    struct rt_array *r = ptrmap_remove(&rt.arrays, a);
    if (!r)
        return cudaErrorInvalidResourceHandle;
    simtx_status s = simtx_array_free(rt.device[r->device].gpu, a);
    free(r);
    return rt_status_error(s);
}

void rt_free_arrays(int device, rt_context c)
{
    for (size_t i = 0; i < rt.arrays.cap; i++)
        while (rt.arrays.slots[i].key && rt_belongs(((struct rt_array *)rt.arrays.slots[i].value)->context, device, c))
            rt_array_free((simtx_array *)rt.arrays.slots[i].key);
}

/* The array may be a level of a mipmapped array, which is listed in the GPU and not in rt.arrays. */
bool rt_array_get(const simtx_array *a, simtx_array_desc *d)
{
    return a && simtx_array_get(rt_current()->gpu, a, d);
}

size_t rt_texel_bytes(const simtx_array_desc *d)
{
    return (size_t)d->texel.bits / 8 * d->texel.channels;
}

/* ---- copies ---- */

/* The box in texels; false when bytes are not whole texels. */
static bool region_of(simtx_box *b, const struct rt_side *s)
{
    simtx_array_desc d;
    if (!rt_array_get(s->array, &d))
        return false;
    size_t texel = rt_texel_bytes(&d);
    if (s->pos.x % texel || s->box.width % texel)
        return false;
    *b = (simtx_box){s->pos.x / texel, s->pos.y, s->pos.z, s->box.width / texel, s->box.height, s->box.depth};
    return true;
}

/* Device-to-device copies need device memory; the direction of the others must fit. */
static bool side_fits(const struct rt_side *memory, enum cudaMemcpyKind kind, bool to_array)
{
    bool too_big;
    size_t bytes = rt_box_bytes(&memory->box, &too_big);
    bool host = !rt_owner(memory->box.first);
    if (too_big || !memory->box.first || !rt_range_ok(memory->box.first, bytes))
        return false;
    switch (kind) {
    case cudaMemcpyHostToDevice: return to_array;
    case cudaMemcpyDeviceToHost: return !to_array;
    case cudaMemcpyDeviceToDevice: return !host;
    case cudaMemcpyHostToHost: return false;
    case cudaMemcpyDefault: return true;
    }
    return false;
}

static cudaError_t from_array(const struct rt_side *dst, const struct rt_side *src, enum cudaMemcpyKind kind)
{
    simtx_box b;
    if (!region_of(&b, src) || !side_fits(dst, kind, false))
        return cudaErrorInvalidValue;
    return rt_status_error(simtx_array_read(rt_current()->gpu, src->array, &b, dst->box.first, dst->box.pitch,
                                            dst->box.slice));
}

static cudaError_t to_array(const struct rt_side *dst, const struct rt_side *src, enum cudaMemcpyKind kind)
{
    simtx_box b;
    if (!region_of(&b, dst) || !side_fits(src, kind, true))
        return cudaErrorInvalidValue;
    return rt_status_error(simtx_array_write(rt_current()->gpu, dst->array, &b, src->box.first, src->box.pitch,
                                             src->box.slice));
}

static cudaError_t between_arrays(const struct rt_side *dst, const struct rt_side *src)
{
    simtx_box to, from;
    simtx_gpu *gpu = rt_current()->gpu;
    size_t pitch = src->box.width, slice = pitch * src->box.height;
    if (!region_of(&to, dst) || !region_of(&from, src))
        return cudaErrorInvalidValue;
    void *copy = malloc(slice * src->box.depth);
    if (!copy)
        return cudaErrorMemoryAllocation;
    simtx_status s = simtx_array_read(gpu, src->array, &from, copy, pitch, slice);
    if (!s)
        s = simtx_array_write(gpu, dst->array, &to, copy, pitch, slice);
    free(copy);
    return rt_status_error(s);
}

cudaError_t rt_copy_sides(const struct rt_side *dst, const struct rt_side *src, enum cudaMemcpyKind kind,
                          cudaStream_t stream)
{
    cudaError_t e;
    struct rt_op op = {.kind = RT_OP_COPY, .copy = {*dst, *src, kind}};
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    if (rt_captured(stream, &op, &e))
        return e;
    if (!dst->array && !src->array)
        return rt_copy_boxes(&dst->box, &src->box, kind);
    if (!dst->box.width || !dst->box.height || !dst->box.depth)
        return cudaSuccess;
    if (dst->array && src->array)
        return between_arrays(dst, src);
    return dst->array ? to_array(dst, src, kind) : from_array(dst, src, kind);
}
