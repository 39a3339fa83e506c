/* Formats and handles of arrays, which textures use, too. */
#ifndef LIBCUDA_CU_ARRAY_H
#define LIBCUDA_CU_ARRAY_H

#include "frontend/libcuda/cu.h"

static inline simtx_array *cu_array(CUarray a)
{
    return (simtx_array *)(void *)a;
}

/* False: no such format or number of channels. */
bool cu_texel(simtx_texel *t, CUarray_format format, unsigned channels);
CUarray_format cu_format(const simtx_texel *t);

/* cu_texture.c */
cudaError_t cu_texture_create(CUtexObject *out, const CUDA_RESOURCE_DESC *rd, const CUDA_TEXTURE_DESC *td,
                              const CUDA_RESOURCE_VIEW_DESC *vd);

#endif
