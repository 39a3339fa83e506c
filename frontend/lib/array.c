/*
 * CUDA arrays: extents and formats are checked, their levels are placed in one allocation of device memory, and copies
 * translate between rows of bytes and their layout (ptx/texture/layout.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/lib/saved/saved.h"
#include "frontend/lib/texture_impl.h"

_Static_assert((int)SIMTX_CHANNEL_FLOAT == (int)TEX_FLOAT && (int)SIMTX_CHANNEL_UNSIGNED == (int)TEX_UNSIGNED,
               "the channels of the library and of the sampler have the same values");

bool array_texel_ok(simtx_gpu *g, simtx_texel t)
{
    bool channels = t.channels == 1 || t.channels == 2 || t.channels == 4;
    bool bits = t.bits == 16 || t.bits == 32 || (t.bits == 8 && t.kind != SIMTX_CHANNEL_FLOAT);
    if (channels && bits && t.kind <= SIMTX_CHANNEL_FLOAT)
        return true;
    gpu_fail(g, SIMTX_INVALID_ARGUMENT, "a texel of %u channels of %u bits does not exist", t.channels, t.bits);
    return false;
}

bool array_live(const simtx_gpu *g, const simtx_array *a)
{
    for (const struct simtx_array *b = g->arrays; b; b = b->next)
        if (a == b)
            return true;
    return false;
}

/* ---- extents ---- */

static bool within(const simtx_array_desc *d, size_t width, size_t height, size_t depth)
{
    return d->width <= width && d->height <= height && d->depth <= depth;
}

static bool cube_fits(const simtx_array_desc *d, const simtx_texture_limits *l)
{
    uint32_t most = d->layered ? l->tex_cube_layered[0] : l->tex_cube, cubes = d->layered ? l->tex_cube_layered[1] : 1;
    bool faces = d->layered ? d->depth && d->depth % 6 == 0 : d->depth == 6;
    return faces && d->width == d->height && within(d, most, most, (size_t)cubes * 6);
}

static bool extents_fit(const simtx_array_desc *d, const simtx_texture_limits *l)
{
    if (d->cubemap)
        return cube_fits(d, l);
    if (d->layered)
        return d->depth && (d->height ? within(d, l->tex_2d_layered[0], l->tex_2d_layered[1], l->tex_2d_layered[2])
                                      : within(d, l->tex_1d_layered[0], 0, l->tex_1d_layered[1]));
    if (d->depth)
        return d->height && within(d, l->tex_3d[0], l->tex_3d[1], l->tex_3d[2]);
    if (!d->height)
        return within(d, l->tex_1d, 0, 0);
    return d->gather ? within(d, l->tex_2d_gather[0], l->tex_2d_gather[1], 0)
                     : within(d, l->tex_2d[0], l->tex_2d[1], 0);
}

static uint32_t full_chain(const simtx_array_desc *d)
{
    size_t most = d->width > d->height ? d->width : d->height;
    most = !d->layered && !d->cubemap && d->depth > most ? d->depth : most;
    return most ? 64 - (uint32_t)__builtin_clzll(most) : 0;
}

static simtx_status check(simtx_gpu *g, const simtx_array_desc *d)
{
    simtx_texture_limits l;
    simtx_texture_get_limits(g, &l);
    if (!array_texel_ok(g, d->texel))
        return SIMTX_INVALID_ARGUMENT;
    if (!d->width || !extents_fit(d, &l))
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "an array of %zu x %zu x %zu texels%s%s does not exist", d->width,
                        d->height, d->depth, d->layered ? ", layered" : "", d->cubemap ? ", cube map" : "");
    if (d->gather && (d->depth || !d->height))
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "texture gather is for arrays with two dimensions");
    if (d->levels > TEX_LEVELS || d->levels > full_chain(d))
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "a mipmapped array of %zu x %zu x %zu texels has at most %u levels",
                        d->width, d->height, d->depth, full_chain(d));
    return SIMTX_OK;
}

/* ---- creation ---- */

static uint32_t halved(size_t n, uint32_t level)
{
    uint32_t m = (uint32_t)n >> level;
    return m ? m : 1;
}

static bool counts_slices(const simtx_array_desc *d)
{
    return d->layered || d->cubemap;
}

/* Sets the levels, with offsets from 0 as addresses; returns the bytes of all. */
static uint64_t place(struct tex_image *i, const simtx_array_desc *d)
{
    uint64_t at = 0;
    i->format = array_format(d->texel);
    i->dims = d->height ? (d->depth && !counts_slices(d) ? 3 : 2) : 1;
    i->layered = d->layered;
    i->cube = d->cubemap;
    i->layers = (uint32_t)(d->cubemap ? d->depth / 6 : d->layered ? d->depth : 0);
    i->levels = d->levels ? d->levels : 1;
    for (uint32_t k = 0; k < i->levels; k++) {
        struct tex_level *l = &i->level[k];
        uint32_t slices = counts_slices(d) ? (uint32_t)d->depth : halved(d->depth, k);
        *l = (struct tex_level){ .base = at, .width = halved(d->width, k), .height = halved(d->height, k),
                                 .slices = slices };
        at += (tex_level_place(l, tex_texel_bytes(i->format), i->dims > 1) + 511) / 512 * 512;
    }
    return at;
}

static void move_levels(struct tex_image *i, uint64_t base, uint64_t bytes)
{
    for (uint32_t k = 0; k < i->levels; k++)
        i->level[k].base += base;
    i->lo = base;
    i->hi = base + bytes;
}

static struct simtx_array *add(simtx_gpu *g, const simtx_array_desc *d, const struct tex_image *i)
{
    struct simtx_array *a = mem_zero(1, sizeof *a, "a CUDA array");
    a->desc = *d;
    a->image = *i;
    a->next = g->arrays;
    g->arrays = a;
    return a;
}

simtx_status simtx_array_new(simtx_gpu *g, const simtx_array_desc *d, simtx_array **out)
{
    struct tex_image i = { .dims = 0 };
    simtx_status s = check(g, d);
    if (s)
        return s;
    uint64_t bytes = place(&i, d);
    saved_excludes(g, "CUDA arrays");
    void *memory = devmem_alloc(g->mem, bytes, 512, MEM_DEVICE, "CUDA array");
    if (!memory)
        return gpu_fail(g, SIMTX_OUT_OF_MEMORY, "cannot allocate an array of %llu bytes", (unsigned long long)bytes);
    move_levels(&i, (uint64_t)(uintptr_t)memory, bytes);
    *out = add(g, d, &i);
    (*out)->memory = memory;
    if (d->levels)
        (*out)->level = mem_zero(d->levels, sizeof *(*out)->level, "the levels of a mipmapped array");
    return SIMTX_OK;
}

static void unlink_array(simtx_gpu *g, struct simtx_array *a)
{
    struct simtx_array **p = &g->arrays;
    while (*p != a)
        p = &(*p)->next;
    *p = a->next;
    free(a->level);
    free(a);
}

static void release(simtx_gpu *g, struct simtx_array *a)
{
    for (uint32_t k = 0; k < a->desc.levels; k++)
        if (a->level[k])
            unlink_array(g, a->level[k]);
    devmem_release(g->mem, a->memory);
    unlink_array(g, a);
}

simtx_status simtx_array_free(simtx_gpu *g, simtx_array *a)
{
    if (!array_live(g, a) || a->parent)
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "%p is no array that can be freed", (void *)a);
    simtx_status s = timed_flush(g, NULL, NULL);
    if (!s)
        release(g, a);
    return s;
}

void array_free_all(simtx_gpu *g)
{
    for (struct simtx_array *a = g->arrays; a; a = g->arrays) {
        while (a->parent)
            a = a->next;
        release(g, a);
    }
}

bool simtx_array_get(const simtx_gpu *g, const simtx_array *a, simtx_array_desc *out)
{
    bool live = array_live(g, a);
    if (live && out)
        *out = a->desc;
    return live;
}

simtx_status simtx_array_level(simtx_gpu *g, simtx_array *m, uint32_t level, simtx_array **out)
{
    if (!array_live(g, m) || level >= m->desc.levels)
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "%p is no mipmapped array with a level %u", (void *)m, level);
    if (!m->level[level]) {
        simtx_array_desc d = m->desc;
        struct tex_image i = m->image;
        d.levels = 0;
        d.width = halved(d.width, level);
        d.height = d.height ? halved(d.height, level) : 0;
        d.depth = d.depth && !counts_slices(&d) ? halved(d.depth, level) : d.depth;
        i.levels = 1;
        i.level[0] = m->image.level[level];
        m->level[level] = add(g, &d, &i);
        m->level[level]->parent = m;
    }
    *out = m->level[level];
    return SIMTX_OK;
}

/* ---- copies ---- */

static bool span_fits(size_t at, size_t n, size_t size)
{
    return at <= size && n <= size - at;
}

static bool box_fits(const struct tex_level *l, const simtx_box *b)
{
    return span_fits(b->x, b->width, l->width) && span_fits(b->y, b->height, l->height) &&
           span_fits(b->z, b->depth, l->slices);
}

/* Bytes of a row lie together up to the next multiple of 16. */
static void copy_row(const struct tex_level *l, uint32_t x, uint32_t y, uint32_t z, uint8_t *row, size_t bytes,
                     bool write)
{
    for (size_t done = 0, n; done < bytes; done += n) {
        uint32_t from = x + (uint32_t)done;
        uint8_t *at = (uint8_t *)(uintptr_t)tex_address(l, from, y, z);
        n = l->block ? 16 - from % 16 : bytes;
        n = n < bytes - done ? n : bytes - done;
        memcpy(write ? at : row + done, write ? row + done : at, n);
    }
}

static simtx_status copy(simtx_gpu *g, const simtx_array *a, const simtx_box *b, uint8_t *memory, size_t pitch,
                         size_t slice, bool write)
{
    if (!array_live(g, a) || a->desc.levels)
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "%p is no array", (const void *)a);
    const struct tex_level *l = &a->image.level[0];
    uint32_t bytes = tex_texel_bytes(a->image.format);
    if (!box_fits(l, b))
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "a copy of %zu x %zu x %zu texels exceeds the array", b->width,
                        b->height, b->depth);
    for (size_t z = 0; z < b->depth; z++)
        for (size_t y = 0; y < b->height; y++)
            copy_row(l, (uint32_t)b->x * bytes, (uint32_t)(b->y + y), (uint32_t)(b->z + z),
                     memory + z * slice + y * pitch, b->width * bytes, write);
    for (size_t z = 0; !write && z < b->depth; z++)
        for (size_t y = 0; y < b->height; y++)
            simtx_mem_written(g, memory + z * slice + y * pitch, b->width * bytes);
    return SIMTX_OK;
}

simtx_status simtx_array_write(simtx_gpu *g, simtx_array *a, const simtx_box *b, const void *from, size_t pitch,
                               size_t slice)
{
    simtx_status s = timed_flush(g, NULL, NULL);
    if (!s)
        s = copy(g, a, b, (uint8_t *)(uintptr_t)from, pitch, slice, true);
    const struct tex_level *l = s ? NULL : &a->image.level[0];
    bool any = l && b->width && b->height && b->depth;
    return any ? timed_copied(g, (void *)(uintptr_t)(l->base + b->z * l->slice_bytes), b->depth * l->slice_bytes) : s;
}

simtx_status simtx_array_read(simtx_gpu *g, const simtx_array *a, const simtx_box *b, void *to, size_t pitch,
                              size_t slice)
{
    simtx_status s = timed_flush(g, NULL, NULL);
    return s ? s : copy(g, a, b, to, pitch, slice, false);
}
