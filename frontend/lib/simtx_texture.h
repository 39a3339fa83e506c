/*
 * CUDA arrays, textures and surfaces of the library: what cudaMallocArray, cudaCreateTextureObject, cuArrayCreate,
 * cuTexRefSetArray and the like are built on. Extents are in texels, as in CUDA: height 0 = one dimension, depth 0 =
 * two; with layers, depth is their number, and a cube map has the six faces as layers (6 x layers with both flags).
 * A function that fails leaves its reason in simtx_last_message(). docs/textures.md describes what is supported.
 */
#ifndef SIMTX_TEXTURE_H
#define SIMTX_TEXTURE_H

#include "simtx.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum simtx_channel { SIMTX_CHANNEL_SIGNED, SIMTX_CHANNEL_UNSIGNED, SIMTX_CHANNEL_FLOAT } simtx_channel;
/* A texel: 1, 2 or 4 channels of 8, 16 or 32 bits; floating point has 16 or 32. */
typedef struct simtx_texel { simtx_channel kind; uint32_t bits, channels; } simtx_texel;

/* ---- arrays ---- */

typedef struct simtx_array simtx_array;
typedef struct simtx_array_desc {
    size_t width, height, depth;
    simtx_texel texel;
    bool layered, cubemap, surface, gather;      /* the flags cudaArrayLayered ... */
    uint32_t levels;                             /* 0: an array; else the levels of a mipmapped array */
} simtx_array_desc;

/* SIMTX_INVALID_ARGUMENT: wrong format, flags or extents; SIMTX_OUT_OF_MEMORY. Contents are zero. */
simtx_status simtx_array_new(simtx_gpu *g, const simtx_array_desc *d, simtx_array **out);
/* An array of a mipmapped array is freed with it. SIMTX_INVALID_ARGUMENT: no array of this GPU, or such a level. */
simtx_status simtx_array_free(simtx_gpu *g, simtx_array *a);
/* False: not a live array of this GPU (any pointer may be given). A level has its own extents, and levels = 0. */
bool simtx_array_get(const simtx_gpu *g, const simtx_array *a, simtx_array_desc *out);
/* A level of a mipmapped array, as an array that it owns; SIMTX_INVALID_ARGUMENT: no such level. */
simtx_status simtx_array_level(simtx_gpu *g, simtx_array *mipmapped, uint32_t level, simtx_array **out);

/* A box of texels of an array; z counts slices, layers or faces. Extents of 0 copy nothing. */
typedef struct simtx_box { size_t x, y, z, width, height, depth; } simtx_box;
/* Host or device memory with `pitch` bytes from row to row and `slice` from slice to slice. SIMTX_INVALID_ARGUMENT: the
 * box exceeds the array. The caller has checked the memory. */
simtx_status simtx_array_write(simtx_gpu *g, simtx_array *a, const simtx_box *b, const void *from, size_t pitch,
                               size_t slice);
simtx_status simtx_array_read(simtx_gpu *g, const simtx_array *a, const simtx_box *b, void *to, size_t pitch,
                              size_t slice);

/* ---- textures ---- */

typedef enum simtx_resource_kind { SIMTX_RESOURCE_ARRAY, SIMTX_RESOURCE_LINEAR, SIMTX_RESOURCE_PITCH2D }
    simtx_resource_kind;
typedef struct simtx_resource {
    simtx_resource_kind kind;
    simtx_array *array;              /* ARRAY; mipmapped arrays too */
    void *pointer;                   /* LINEAR, PITCH2D: device address */
    simtx_texel texel;
    size_t width, height, pitch;     /* texels (LINEAR too), rows, bytes */
    bool view;                       /* the rest is given: a resource view of an array */
    simtx_texel view_texel;
    uint32_t first_level, last_level, first_layer, last_layer;
} simtx_resource;

/* The values of enum cudaTextureAddressMode and CUaddress_mode. */
typedef enum simtx_address { SIMTX_ADDRESS_WRAP, SIMTX_ADDRESS_CLAMP, SIMTX_ADDRESS_MIRROR, SIMTX_ADDRESS_BORDER }
    simtx_address;
typedef struct simtx_sampler {
    simtx_address address[3];
    bool linear, mip_linear;         /* filters within a level, between levels */
    bool normalized_coords;
    bool read_normalized;            /* 8- and 16-bit integers are read as fractions */
    bool srgb;
    float border[4];
    float mip_bias, mip_min, mip_max;
    uint32_t max_anisotropy;         /* kept for queries; filters are isotropic */
    bool seamless;                   /* kept for queries; each face of a cube map is filtered alone */
} simtx_sampler;

/* SIMTX_INVALID_ARGUMENT: contradictory or wrong; SIMTX_INVALID_ADDRESS: memory that is not allocated or misaligned;
 * SIMTX_NOT_SUPPORTED. The handle is the value that kernels get. */
simtx_status simtx_texture_new(simtx_gpu *g, const simtx_resource *r, const simtx_sampler *s, uint64_t *handle);
simtx_status simtx_texture_free(simtx_gpu *g, uint64_t handle);
bool simtx_texture_get(const simtx_gpu *g, uint64_t handle, simtx_resource *r, simtx_sampler *s);
/* An array with the surface flag. */
simtx_status simtx_surface_new(simtx_gpu *g, simtx_array *a, uint64_t *handle);
simtx_status simtx_surface_free(simtx_gpu *g, uint64_t handle);
bool simtx_surface_get(const simtx_gpu *g, uint64_t handle, simtx_array **a);

/* ---- texture and surface references ---- */

/* The variable of a .texref or .surfref of a module; NULL: there is none of this name. */
void *simtx_module_texref(simtx_module *m, const char *name, bool surface);
/* The reference reads this object from the next launch on; 0 = none. Objects outlive their references' bindings. */
simtx_status simtx_texref_bind(simtx_gpu *g, void *variable, uint64_t handle);

/* ---- limits ---- */

/* The CUDA C++ Programming Guide's technical specifications for the compute capability of the GPU; texels. */
typedef struct simtx_texture_limits {
    uint32_t tex_1d, tex_1d_linear, tex_1d_layered[2], tex_2d[2], tex_2d_linear[3], tex_2d_gather[2], tex_2d_layered[3],
        tex_3d[3], tex_cube, tex_cube_layered[2];
    uint32_t surf_1d, surf_1d_layered[2], surf_2d[2], surf_2d_layered[3], surf_3d[3], surf_cube, surf_cube_layered[2];
    uint32_t alignment, pitch_alignment, surface_alignment;      /* bytes */
} simtx_texture_limits;
void simtx_texture_get_limits(const simtx_gpu *g, simtx_texture_limits *out);

#ifdef __cplusplus
}
#endif
#endif
