/* Arrays, textures and surfaces of the runtime library: what its files share. */
#ifndef CUDART_TEXTURE_H
#define CUDART_TEXTURE_H

#include "frontend/cudart/cudart.h"

/* cudaArray_t and cudaMipmappedArray_t are arrays of the library. */
static inline simtx_array *rt_array(const void *a)
{
    return (simtx_array *)(uintptr_t)a;
}

/* The texel of a channel descriptor; false: there is no such texel. */
bool rt_texel(const struct cudaChannelFormatDesc *d, simtx_texel *t);
struct cudaChannelFormatDesc rt_channels(simtx_texel t);

#endif
