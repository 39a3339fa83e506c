/* Batches of copies, prefetches and discards. The copies of a batch run in its order, which is one of those that are
 * allowed; locations are hints for managed memory, of which there is one copy, and have no effect. */
#include "frontend/rt/graph/graph.h"

/* A batch cannot be captured, and not be on the legacy stream. */
static cudaError_t check_stream(cudaStream_t stream)
{
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    return !stream || stream == cudaStreamLegacy ? cudaErrorInvalidValue : rt_capture_forbids(stream);
}

static bool attributes_ok(enum cudaMemcpySrcAccessOrder order, unsigned flags)
{
    return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny &&
           !(flags & ~(unsigned)cudaMemcpyFlagPreferOverlapWithCompute);
}

/* The first of n indices is 0, each is greater than the one before, all are below count. */
static bool indices_ok(const size_t *index, size_t n, size_t count)
{
    for (size_t i = 0; i < n; i++)
        if (index[i] >= count || (i ? index[i] <= index[i - 1] : index[i] != 0))
            return false;
    return index && n;
}

static cudaError_t check_batch(const struct rt_batch *b)
{
    if (!b->dsts || !b->srcs || !b->sizes || !b->count || !b->attrs || !indices_ok(b->indices, b->nattrs, b->count))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < b->nattrs; i++)
        if (!attributes_ok(b->attrs[i].srcAccessOrder, b->attrs[i].flags))
            return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t rt_copy_batch(const struct rt_batch *b, size_t *failed, cudaStream_t stream)
{
    cudaError_t e = check_batch(b);
    *failed = SIZE_MAX;
    if (!e)
        e = check_stream(stream);
    for (size_t i = 0; !e && i < b->count; i++) {
        struct rt_box to = rt_line(b->dsts[i], b->sizes[i]), from = rt_line(b->srcs[i], b->sizes[i]);
        e = rt_copy(&to, &from, cudaMemcpyDefault, stream);
        if (e)
            *failed = i;
    }
    return e;
}

/* ---- three dimensions: lengths count elements, the texels of an array or else bytes ---- */

static bool element_of(const struct cudaMemcpy3DOperand *o, size_t *bytes)
{
    simtx_array_desc d;
    if (o->type == cudaMemcpyOperandTypePointer)
        return o->op.ptr.ptr != NULL;
    if (o->type != cudaMemcpyOperandTypeArray || !rt_array_get((simtx_array *)(void *)o->op.array.array, &d))
        return false;
    if (*bytes && *bytes != rt_texel_bytes(&d))
        return false;
    *bytes = rt_texel_bytes(&d);
    return true;
}

/* Rows and layers of length 0 are as long as the extent. */
static bool side_of(struct rt_side *s, const struct cudaMemcpy3DOperand *o, struct cudaExtent extent, size_t element)
{
    struct cudaPos none = {0, 0, 0};
    size_t width = extent.width * element;
    if (o->type == cudaMemcpyOperandTypeArray) {
        struct cudaOffset3D at = o->op.array.offset;
        *s = (struct rt_side){.array = (simtx_array *)(void *)o->op.array.array, .pos = {at.x * element, at.y, at.z},
                              .box = {NULL, 0, 0, width, extent.height, extent.depth}};
        return true;
    }
    size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : extent.width;
    size_t rows = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : extent.height;
    *s = (struct rt_side){0};
    return row <= RT_MAX_PITCH / element &&
           rt_pitched_box(&s->box, (struct cudaPitchedPtr){o->op.ptr.ptr, row * element, width, rows}, none,
                          (struct cudaExtent){width, extent.height, extent.depth});
}

static cudaError_t copy_op(const struct cudaMemcpy3DBatchOp *op, cudaStream_t stream)
{
    struct rt_side to, from;
    size_t element = 0;
    if (!attributes_ok(op->srcAccessOrder, op->flags) || !element_of(&op->dst, &element) ||
        !element_of(&op->src, &element))
        return cudaErrorInvalidValue;
    element = element ? element : 1;
    if (!op->extent.width || !op->extent.height || !op->extent.depth || op->extent.width > RT_MAX_PITCH / element ||
        !side_of(&to, &op->dst, op->extent, element) || !side_of(&from, &op->src, op->extent, element))
        return cudaErrorInvalidValue;
    return rt_copy_sides(&to, &from, cudaMemcpyDefault, stream);
}

cudaError_t rt_copy_batch_3d(const struct cudaMemcpy3DBatchOp *ops, size_t n, unsigned long long flags, size_t *failed,
                             cudaStream_t stream)
{
    *failed = SIZE_MAX;
    cudaError_t e = ops && n && !flags ? check_stream(stream) : cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < n; i++) {
        e = copy_op(&ops[i], stream);
        if (e)
            *failed = i;
    }
    return e;
}

/* ---- managed memory ---- */

static bool all_managed(void *const *p, const size_t *sizes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!sizes[i] || !rt_managed(p[i], sizes[i]))
            return false;
    return n > 0;
}

bool rt_location_ok(struct cudaMemLocation l)
{
    if (l.type == cudaMemLocationTypeDevice)
        return l.id >= 0 && l.id < rt_device_count();
    return l.type >= cudaMemLocationTypeHost && l.type <= cudaMemLocationTypeHostNumaCurrent;
}

cudaError_t rt_prefetch_batch(void *const *p, const size_t *sizes, size_t n, const struct cudaMemLocation *locations,
                              const size_t *indices, size_t nlocations, unsigned long long flags, cudaStream_t stream)
{
    if (flags || !p || !sizes || !locations || !indices_ok(indices, nlocations, n))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < nlocations; i++)
        if (!rt_location_ok(locations[i]))
            return cudaErrorInvalidValue;
    return all_managed(p, sizes, n) ? check_stream(stream) : cudaErrorInvalidValue;
}

/* Discarded memory has any contents until it is written: also those that it had. */
cudaError_t rt_discard_batch(void *const *p, const size_t *sizes, size_t n, unsigned long long flags,
                             cudaStream_t stream)
{
    return !flags && p && sizes && all_managed(p, sizes, n) ? check_stream(stream) : cudaErrorInvalidValue;
}
