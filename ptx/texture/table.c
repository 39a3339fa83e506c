/* Texture and surface objects by handle; sampler states that are their own handles. */
#include <stdlib.h>

#include "base/alloc.h"
#include "ptx/texture/texture.h"

struct tex_table {
    struct tex_object **object;      /* by number; NULL: freed */
    uint32_t n, cap;
};

struct tex_table *tex_table_new(void)
{
    return mem_zero(1, sizeof(struct tex_table), "the table of textures");
}

void tex_table_free(struct tex_table *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->n; i++)
        free(t->object[i]);
    free(t->object);
    free(t);
}

struct tex_object *tex_table_add(struct tex_table *t, bool surface)
{
    struct tex_object *o = mem_zero(1, sizeof *o, "a texture object");
    t->object = mem_grow(t->object, t->n, &t->cap, sizeof *t->object, "the table of textures");
    o->surface = surface;
    o->handle = (surface ? TEX_HANDLE_SURFACE : TEX_HANDLE_TEXTURE) | (t->n + 1);
    t->object[t->n++] = o;
    return o;
}

struct tex_object *tex_table_find(const struct tex_table *t, uint64_t handle)
{
    uint64_t n = (handle & ~TEX_HANDLE_KIND) - 1;
    struct tex_object *o = n < t->n ? t->object[n] : NULL;
    return o && o->handle == handle ? o : NULL;
}

void tex_table_remove(struct tex_table *t, struct tex_object *o)
{
    uint64_t n = (o->handle & ~TEX_HANDLE_KIND) - 1;
    t->object[n] = NULL;
    free(o);
}

uint32_t tex_table_size(const struct tex_table *t)
{
    return t->n;
}

struct tex_object *tex_table_at(const struct tex_table *t, uint32_t n)
{
    return t->object[n];
}

uint64_t tex_sampler_encode(const struct tex_sampler_state *s)
{
    uint64_t h = TEX_HANDLE_SAMPLER | (uint64_t)s->linear << 8 | (uint64_t)s->unnormalized << 9;
    for (unsigned d = 0; d < 3; d++)
        h |= (uint64_t)s->wrap[d] << 2 * d;
    return h;
}

void tex_sampler_apply(uint64_t handle, struct tex_sampler *s)
{
    if (!handle)
        return;
    for (unsigned d = 0; d < 3; d++)
        s->wrap[d] = handle >> 2 * d & 3;
    s->linear = handle >> 8 & 1;
    s->normalized &= !(handle >> 9 & 1);
}
