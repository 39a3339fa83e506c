/* Texture and surface objects of both APIs. Each ends with the context in which it was made. */
#include "frontend/rt/rt.h"

static const void *key(uint64_t handle)
{
    return (const void *)(uintptr_t)handle;
}

static cudaError_t free_object(struct rt_device *d, uint64_t handle)
{
    bool surface = simtx_surface_get(d->gpu, handle, NULL);
    simtx_status s = surface ? simtx_surface_free(d->gpu, handle) : simtx_texture_free(d->gpu, handle);
    if (!s)
        ptrmap_remove(&d->objects, key(handle));
    return rt_status_error(s);
}

static cudaError_t track(uint64_t handle)
{
    struct rt_device *d = rt_current();
    if (ptrmap_put(&d->objects, key(handle), rt_context_current()))
        return cudaSuccess;
    (void)free_object(d, handle);
    return cudaErrorMemoryAllocation;
}

cudaError_t rt_texture_new(const simtx_resource *r, const simtx_sampler *s, uint64_t *handle)
{
    cudaError_t e = rt_status_error(simtx_texture_new(rt_current()->gpu, r, s, handle));
    return e ? e : track(*handle);
}

cudaError_t rt_surface_new(simtx_array *a, uint64_t *handle)
{
    cudaError_t e = rt_status_error(simtx_surface_new(rt_current()->gpu, a, handle));
    return e ? e : track(*handle);
}

cudaError_t rt_object_free(int device, uint64_t handle, bool surface)
{
    struct rt_device *d = &rt.device[device];
    bool known = ptrmap_get(&d->objects, key(handle));
    return known && simtx_surface_get(d->gpu, handle, NULL) == surface ? free_object(d, handle) : cudaErrorInvalidValue;
}

void rt_free_objects(int device, rt_context c)
{
    struct ptrmap *m = &rt.device[device].objects;
    for (size_t i = 0; i < m->cap; i++)
        while (m->slots[i].key && rt_belongs(m->slots[i].value, device, c))
            if (free_object(&rt.device[device], (uint64_t)(uintptr_t)m->slots[i].key))
                break;
}

/* ---- formats of resource views ---- */

static const simtx_channel channel_of_group[] = {SIMTX_CHANNEL_UNSIGNED, SIMTX_CHANNEL_SIGNED, SIMTX_CHANNEL_UNSIGNED,
                                                 SIMTX_CHANNEL_SIGNED, SIMTX_CHANNEL_UNSIGNED, SIMTX_CHANNEL_SIGNED,
                                                 SIMTX_CHANNEL_FLOAT, SIMTX_CHANNEL_FLOAT};
static const uint32_t bits_of_group[] = {8, 8, 16, 16, 32, 32, 16, 32};

/* The formats of resource views are groups of 1, 2 and 4 channels. */
bool rt_view_texel(unsigned format, simtx_texel *t)
{
    unsigned n = format - 1;
    if (n >= 3 * sizeof bits_of_group / sizeof *bits_of_group)
        return false;
    *t = (simtx_texel){channel_of_group[n / 3], bits_of_group[n / 3], 1u << n % 3};
    return true;
}

unsigned rt_view_format(const simtx_texel *t)
{
    unsigned group = 0;
    while (bits_of_group[group] != t->bits || channel_of_group[group] != t->kind)
        group++;
    return 1 + 3 * group + (unsigned)__builtin_ctz(t->channels);
}
