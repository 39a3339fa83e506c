/* Shared by array.c and texture.c: CUDA arrays. */
#ifndef FRONTEND_TEXTURE_IMPL_H
#define FRONTEND_TEXTURE_IMPL_H

#include "frontend/lib/gpu.h"
#include "frontend/lib/simtx_texture.h"
#include "ptx/texture/texture.h"

struct simtx_array {
    struct simtx_array *next;        /* of the GPU */
    simtx_array_desc desc;
    void *memory;                    /* device memory of all levels; of a level: NULL */
    struct simtx_array *parent;      /* of a level */
    struct simtx_array **level;      /* of a mipmapped array: those that simtx_array_level has returned */
    struct tex_image image;
};

/* False with a message: no format of texels. */
bool array_texel_ok(simtx_gpu *g, simtx_texel t);
/* Is this a live array or mipmapped array of the GPU? */
bool array_live(const simtx_gpu *g, const simtx_array *a);

static inline struct tex_format array_format(simtx_texel t)
{
    return (struct tex_format){ (uint8_t)t.kind, (uint8_t)t.bits, (uint8_t)t.channels };
}

#endif
