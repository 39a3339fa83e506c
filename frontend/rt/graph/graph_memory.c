/*
 * Allocations and frees as nodes of graphs. The memory exists from the creation of its allocation node to the end of
 * the last graph with the node, or until the program frees it; a free node has no effect when it runs.
 */
#include "frontend/rt/graph/graph.h"

static cudaError_t check_properties(const struct cudaMemPoolProps *props, size_t bytes)
{
    if (!bytes || props->allocType != cudaMemAllocationTypePinned || props->location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    if (props->location.id < 0 || props->location.id >= rt_device_count())
        return cudaErrorInvalidDevice;
    return props->handleTypes || props->location.id != rt_thread.device ? cudaErrorNotSupported : cudaSuccess;
}

static unsigned long long used(const struct rt_device *d)
{
    unsigned long long bytes = 0;
    for (size_t i = 0; i < d->allocs.cap; i++) {
        const struct rt_alloc *a = d->allocs.slots[i].key ? d->allocs.slots[i].value : NULL;
        bytes += a && a->graphs ? a->bytes : 0;
    }
    return bytes;
}

static unsigned long long highest(struct rt_device *d)
{
    unsigned long long now = used(d);
    if (d->graph_memory_high < now)
        d->graph_memory_high = now;
    return d->graph_memory_high;
}

cudaError_t rt_graph_add_alloc(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                               const struct cudaMemPoolProps *props, size_t bytes, void **p)
{
    void *base;
    cudaError_t e = check_properties(props, bytes);
    if (!e)
        e = rt_malloc(p, bytes, RT_ALLOC_DEVICE, 0, rt_current()->pool);
    if (e)
        return e;
    struct rt_op op = {.kind = RT_OP_ALLOC, .memory = {*p, bytes, rt_alloc_of(*p, NULL, &base)->id}};
    e = rt_graph_add(out, g, deps, n, &op);
    if (e)
        rt_free_device(*p);
    else
        highest(rt_current());
    return e;
}

cudaError_t rt_graph_add_free(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n, void *p)
{
    void *base = NULL;
    const struct rt_alloc *a = rt_alloc_of(p, NULL, &base);
    struct rt_op op = {.kind = RT_OP_FREE, .memory = {.p = p}};
    return a && a->graphs && base == p ? rt_graph_add(out, g, deps, n, &op) : cudaErrorInvalidValue;
}

static cudaError_t open_device(int device, struct rt_device **d)
{
    cudaError_t e = rt_open_device(device);
    *d = e ? NULL : &rt.device[device];
    return e;
}

cudaError_t rt_graph_memory_get(int device, int attribute, unsigned long long *value)
{
    struct rt_device *d;
    cudaError_t e = open_device(device, &d);
    if (e)
        return e;
    switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent:
    case cudaGraphMemAttrReservedMemCurrent: *value = used(d); return cudaSuccess;
    case cudaGraphMemAttrUsedMemHigh:
    case cudaGraphMemAttrReservedMemHigh: *value = highest(d); return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

/* Only the largest amounts can be set, and only to 0: counting starts again. */
cudaError_t rt_graph_memory_set(int device, int attribute, unsigned long long value)
{
    struct rt_device *d;
    cudaError_t e = open_device(device, &d);
    if (!e && (value || (attribute != cudaGraphMemAttrUsedMemHigh && attribute != cudaGraphMemAttrReservedMemHigh)))
        e = cudaErrorInvalidValue;
    if (!e)
        d->graph_memory_high = 0;
    return e;
}
