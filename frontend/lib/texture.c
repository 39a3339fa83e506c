/* Texture and surface objects, and references to them from variables of modules. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/lib/texture_impl.h"

/* What the host described; for queries. */
struct described { simtx_resource resource; simtx_sampler sampler; simtx_array *array; };

/* ---- images ---- */

static simtx_status array_image(simtx_gpu *g, const simtx_resource *r, struct tex_image *i)
{
    if (!array_live(g, r->array))
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "%p is no array", (void *)r->array);
    *i = r->array->image;
    return SIMTX_OK;
}

/* A part of an array's levels and layers, perhaps with texels of another format and the same size. */
static simtx_status apply_view(simtx_gpu *g, const simtx_resource *r, struct tex_image *i)
{
    struct tex_format f = array_format(r->view_texel);
    uint32_t layers = r->last_layer - r->first_layer + 1, levels = r->last_level - r->first_level + 1;
    uint32_t faces = i->cube ? 6 : 1;
    if (!array_texel_ok(g, r->view_texel))
        return SIMTX_INVALID_ARGUMENT;
    bool fits = r->first_level <= r->last_level && r->last_level < i->levels && r->first_layer <= r->last_layer &&
                (!i->layered || r->last_layer < i->layers) && tex_texel_bytes(f) == tex_texel_bytes(i->format);
    if (!fits)
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "the resource view does not fit the array");
    i->format = f;
    i->levels = levels;
    memmove(&i->level[0], &i->level[r->first_level], levels * sizeof i->level[0]);
    for (uint32_t k = 0; i->layered && k < levels; k++)
        i->level[k].base += (uint64_t)r->first_layer * faces * i->level[k].slice_bytes;
    if (i->layered)
        i->layers = layers;
    return SIMTX_OK;
}

static simtx_status memory_image(simtx_gpu *g, const simtx_resource *r, struct tex_image *i)
{
    simtx_texture_limits l;
    uint64_t at = (uint64_t)(uintptr_t)r->pointer;
    bool linear = r->kind == SIMTX_RESOURCE_LINEAR;
    size_t rows = linear ? 1 : r->height, texel = r->texel.bits / 8 * r->texel.channels;
    simtx_texture_get_limits(g, &l);
    if (!array_texel_ok(g, r->texel))
        return SIMTX_INVALID_ARGUMENT;
    if (!r->width || !rows || r->width > (linear ? l.tex_1d_linear : l.tex_2d_linear[0]) || rows > l.tex_2d_linear[1])
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "a texture of %zu x %zu texels does not exist", r->width, rows);
    size_t pitch = linear ? r->width * texel : r->pitch, bytes = (rows - 1) * pitch + r->width * texel;
    if (at % l.alignment || (!linear && (pitch % l.pitch_alignment || pitch < r->width * texel ||
                                         pitch > l.tex_2d_linear[2])))
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT,
                        "the address %p or the pitch %zu of a texture is misaligned or wrong: "
                        "multiples of %u and %u bytes",
                        r->pointer, pitch, l.alignment, l.pitch_alignment);
    if (!simtx_mem_valid(g, r->pointer, bytes))
        return gpu_fail(g, SIMTX_INVALID_ADDRESS, "%p .. +%zu does not lie in one allocation", r->pointer, bytes);
    *i = (struct tex_image){ .format = array_format(r->texel), .dims = linear ? 1 : 2, .buffer = linear, .levels = 1,
                             .lo = at, .hi = at + bytes };
    i->level[0] = (struct tex_level){ .base = at, .width = (uint32_t)r->width, .height = (uint32_t)rows, .slices = 1,
                                      .pitch = (uint32_t)pitch };
    return SIMTX_OK;
}

static simtx_status find_image(simtx_gpu *g, const simtx_resource *r, struct tex_image *i)
{
    if (r->kind != SIMTX_RESOURCE_ARRAY)
        return memory_image(g, r, i);
    simtx_status s = array_image(g, r, i);
    return s || !r->view ? s : apply_view(g, r, i);
}

/* ---- samplers ---- */

static struct tex_sampler sampler_of(const simtx_sampler *s)
{
    struct tex_sampler t = { .linear = s->linear, .mip_linear = s->mip_linear, .normalized = s->normalized_coords,
                             .to_float = s->read_normalized, .srgb = s->srgb, .mip_bias = s->mip_bias,
                             .mip_min = s->mip_min, .mip_max = s->mip_max };
    for (int d = 0; d < 3; d++)
        t.wrap[d] = (uint8_t)s->address[d];
    memcpy(t.border, s->border, sizeof t.border);
    return t;
}

static simtx_status check_sampler(simtx_gpu *g, const simtx_sampler *s, const struct tex_image *i)
{
    struct tex_sampler t = sampler_of(s);
    for (int d = 0; d < 3; d++)
        if ((unsigned)s->address[d] > SIMTX_ADDRESS_BORDER)
            return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "unknown address mode %d", (int)s->address[d]);
    if (s->read_normalized && i->format.bits == 32 && i->format.channel != TEX_FLOAT)
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "integers of 32 bits are not read as fractions");
    if ((s->linear || s->mip_linear) && !i->buffer && !tex_reads_float(i, &t))
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT,
                        "a linear filter needs floating point or integers read as fractions");
    if (i->levels > 1 && !s->normalized_coords)
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "a mipmapped array needs normalized coordinates");
    return SIMTX_OK;
}

/* ---- objects ---- */

static struct described *describe(struct tex_object *o)
{
    return o->owner = mem_zero(1, sizeof(struct described), "the description of a texture");
}

static struct tex_object *find(const simtx_gpu *g, uint64_t handle, bool surface)
{
    struct tex_object *o = tex_table_find(g->textures, handle);
    return o && o->surface == surface ? o : NULL;
}

simtx_status simtx_texture_new(simtx_gpu *g, const simtx_resource *r, const simtx_sampler *s, uint64_t *handle)
{
    struct tex_image i;
    simtx_status status = find_image(g, r, &i);
    if (!status)
        status = check_sampler(g, s, &i);
    if (status)
        return status;
    struct tex_object *o = tex_table_add(g->textures, false);
    struct described *d = describe(o);
    d->resource = *r;
    d->sampler = *s;
    o->image = i;
    o->sampler = sampler_of(s);
    *handle = o->handle;
    return SIMTX_OK;
}

static simtx_status remove_object(simtx_gpu *g, uint64_t handle, bool surface)
{
    struct tex_object *o = find(g, handle, surface);
    if (!o)
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "0x%llx is no %s object", (unsigned long long)handle,
                        surface ? "surface" : "texture");
    simtx_status s = timed_flush(g, NULL, NULL);
    if (s)
        return s;
    free(o->owner);
    tex_table_remove(g->textures, o);
    return SIMTX_OK;
}

simtx_status simtx_texture_free(simtx_gpu *g, uint64_t handle)
{
    return remove_object(g, handle, false);
}

bool simtx_texture_get(const simtx_gpu *g, uint64_t handle, simtx_resource *r, simtx_sampler *s)
{
    const struct tex_object *o = find(g, handle, false);
    const struct described *d = o ? o->owner : NULL;
    if (d && r)
        *r = d->resource;
    if (d && s)
        *s = d->sampler;
    return d;
}

simtx_status simtx_surface_new(simtx_gpu *g, simtx_array *a, uint64_t *handle)
{
    if (!array_live(g, a) || a->desc.levels || !a->desc.surface)
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "%p is no array for surface loads and stores", (void *)a);
    struct tex_object *o = tex_table_add(g->textures, true);
    describe(o)->array = a;
    o->image = a->image;
    *handle = o->handle;
    return SIMTX_OK;
}

simtx_status simtx_surface_free(simtx_gpu *g, uint64_t handle)
{
    return remove_object(g, handle, true);
}

bool simtx_surface_get(const simtx_gpu *g, uint64_t handle, simtx_array **a)
{
    const struct tex_object *o = find(g, handle, true);
    const struct described *d = o ? o->owner : NULL;
    if (d && a)
        *a = d->array;
    return d;
}

void texture_free_all(simtx_gpu *g)
{
    for (uint32_t i = 0; i < tex_table_size(g->textures); i++)
        if (tex_table_at(g->textures, i))
            free(tex_table_at(g->textures, i)->owner);
    tex_table_free(g->textures);
    g->textures = NULL;
}

/* ---- references ---- */

void *simtx_module_texref(simtx_module *m, const char *name, bool surface)
{
    for (struct ptx_module *q = m->program->module; q; q = q->next) {
        const struct ptx_var *v = ptx_find_var(q, name);
        v = v && v->def ? v->def : v;
        if (v && v->type == (surface ? T_SURFREF : T_TEXREF))
            return (void *)(uintptr_t)v->address;
    }
    return NULL;
}

simtx_status simtx_texref_bind(simtx_gpu *g, void *variable, uint64_t handle)
{
    simtx_status s = timed_flush(g, NULL, NULL);
    if (!s && handle && !tex_table_find(g->textures, handle))
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "0x%llx is no texture object", (unsigned long long)handle);
    if (!s)
        memcpy(variable, &handle, sizeof handle);
    return s;
}
