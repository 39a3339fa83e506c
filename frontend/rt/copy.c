/*
 * Copies and fills.  A device address is a host address, so a copy is a memmove after two checks: a device
 * range must lie inside one allocation, and the kind must agree with the pointers.  A two- or
 * three-dimensional copy moves rows of bytes; the range checked extends from the first to the last byte.
 */
#include "frontend/rt/graph/graph.h"

#include <string.h>

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
    if (from == PLACE_DEVICE)
        simtx_before_copy_from_device(rt_owner(src)->gpu, (void *)src, bytes);
    memmove(dst, src, bytes);
    if (to == PLACE_DEVICE)
        simtx_mem_written(rt_owner(dst)->gpu, dst, bytes);
    if (to == PLACE_DEVICE && host_side(from))       /* no error: no launch is queued, and the range is valid */
        (void)simtx_after_copy_to_device(rt_owner(dst)->gpu, dst, bytes);
}

size_t rt_box_bytes(const struct rt_box *b, bool *too_big)
{
    size_t slices, rows, bytes;
    *too_big = __builtin_mul_overflow(b->depth - 1, b->slice, &slices) ||
               __builtin_mul_overflow(b->height - 1, b->pitch, &rows) ||
               __builtin_add_overflow(slices, rows, &bytes) ||
               __builtin_add_overflow(bytes, b->width, &bytes);
    return *too_big ? 0 : bytes;
}

static unsigned char *row(const struct rt_box *b, size_t y, size_t z)
{
    return b->first + z * b->slice + y * b->pitch;
}

cudaError_t rt_copy_boxes(const struct rt_box *dst, const struct rt_box *src, enum cudaMemcpyKind kind)
{
    bool big_dst, big_src;
    if (!dst->width || !dst->height || !dst->depth)
        return cudaSuccess;
    size_t dst_bytes = rt_box_bytes(dst, &big_dst), src_bytes = rt_box_bytes(src, &big_src);
    if (big_dst || big_src)
        return cudaErrorInvalidValue;
    cudaError_t e = check_copy(dst->first, dst_bytes, src->first, src_bytes, kind);
    for (size_t z = 0; !e && z < dst->depth; z++)
        for (size_t y = 0; y < dst->height; y++)
            copy_row(row(dst, y, z), row(src, y, z), dst->width);
    return e;
}

cudaError_t rt_copy(const struct rt_box *dst, const struct rt_box *src, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct rt_side to = {.box = *dst}, from = {.box = *src};
    return rt_copy_sides(&to, &from, kind, stream);
}

struct rt_box rt_line(const void *p, size_t bytes)
{
    return (struct rt_box){(unsigned char *)p, bytes, bytes, bytes, 1, 1};
}

bool rt_pitched_box(struct rt_box *b, struct cudaPitchedPtr p, struct cudaPos pos, struct cudaExtent extent)
{
    size_t end, slice, offset_z, offset_y, offset;
    if (!extent.width || !extent.height || !extent.depth) {
        *b = (struct rt_box){0};
        return true;
    }
    if (__builtin_add_overflow(pos.x, extent.width, &end) || end > p.pitch || p.pitch > RT_MAX_PITCH)
        return false;
    if (extent.depth > 1 || pos.z > 0)
        if (__builtin_add_overflow(pos.y, extent.height, &end) || end > p.ysize)
            return false;
    if (__builtin_mul_overflow(p.pitch, p.ysize, &slice) || __builtin_mul_overflow(pos.z, slice, &offset_z) ||
        __builtin_mul_overflow(pos.y, p.pitch, &offset_y) ||
        __builtin_add_overflow(offset_z, offset_y, &offset) || __builtin_add_overflow(offset, pos.x, &offset))
        return false;
    *b = (struct rt_box){p.ptr ? (unsigned char *)p.ptr + offset : NULL, p.pitch, slice,
                      extent.width, extent.height, extent.depth};
    return true;
}

/* ---- fills ---- */

/* A row of elements of 2 or 4 bytes. */
static void fill_row(unsigned char *p, unsigned value, unsigned element, size_t bytes)
{
    for (size_t i = 0; i + element <= bytes; i += element)
        memcpy(p + i, &value, element);
}

/* A value whose bytes are all equal is a fill of bytes. */
static bool same_bytes(unsigned value, unsigned element)
{
    unsigned first = value & 0xff;
    return element == 1 || (element == 2 && (value & 0xffff) == first * 0x101u) || value == first * 0x1010101u;
}

static void fill_rows(const struct rt_box *b, unsigned value, unsigned element)
{
    simtx_gpu *gpu = rt_current()->gpu;
    bool bytes = same_bytes(value, element);
    for (size_t z = 0; z < b->depth; z++)
        for (size_t y = 0; y < b->height; y++)
            if (bytes)
                simtx_mem_fill(gpu, row(b, y, z), (int)(value & 0xff), b->width);
            else {
                fill_row(row(b, y, z), value, element, b->width);
                simtx_mem_written(gpu, row(b, y, z), b->width);
            }
}

static cudaError_t fill_box(const struct rt_box *b, unsigned value, unsigned element)
{
    bool too_big;
    if (!b->width || !b->height || !b->depth)
        return cudaSuccess;
    size_t bytes = rt_box_bytes(b, &too_big);
    if (too_big || !device_side(b->first, bytes, place_of(b->first, bytes)))
        return cudaErrorInvalidValue;
    if ((uintptr_t)b->first % element || (b->height > 1 && b->pitch % element))
        return cudaErrorInvalidValue;
    struct rt_box line = rt_line(b->first, bytes);
    fill_rows(bytes == b->width * b->height * b->depth ? &line : b, value, element);
    return cudaSuccess;
}

cudaError_t rt_fill(const struct rt_box *b, unsigned value, unsigned element, cudaStream_t stream)
{
    cudaError_t e;
    struct rt_op op = {.kind = RT_OP_FILL, .fill = {*b, value, element}};
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    return rt_captured(stream, &op, &e) ? e : fill_box(b, value, element);
}
