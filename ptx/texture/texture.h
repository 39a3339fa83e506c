/*
 * Textures and surfaces: images in device memory, the objects through which instructions access them, and the sampler.
 * The formulas are those of the CUDA C++ Programming Guide, appendix Texture Fetching; docs/textures.md lists them with
 * what the guide leaves open. A fetch is planned (which texels, with which weights), the texels are read by the caller,
 * and then combined: functional mode reads them at once, timing mode through the texture cache.
 */
#ifndef PTX_TEXTURE_H
#define PTX_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- images ---- */

enum tex_channel { TEX_SIGNED, TEX_UNSIGNED, TEX_FLOAT };
struct tex_format { uint8_t channel, bits, channels; };          /* enum tex_channel; bits of a channel: 8, 16 or 32 */

enum { TEX_LEVELS = 18, TEX_TAPS = 16, TEX_TEXEL_MAX = 16 };

/* A level of an image: slices (depths, layers or faces) of rows of texels. */
struct tex_level {
    uint64_t base;                   /* device address */
    uint32_t width, height, slices;  /* texels, rows; at least 1 */
    uint32_t pitch;                  /* bytes from row to row; tiled: of a row of GOBs, 64 bytes each */
    uint32_t block;                  /* tiled: GOBs of a block, one above the other; 0: rows of bytes */
    uint64_t slice_bytes;
};

struct tex_image {
    struct tex_format format;
    uint8_t dims;                    /* 1, 2 or 3; layers and faces do not count */
    bool layered, cube, buffer;      /* buffer: linear memory, read by texel number only */
    uint32_t layers;                 /* of a layered image; with `cube` they are cubes of six faces */
    uint32_t levels;
    struct tex_level level[TEX_LEVELS];
    uint64_t lo, hi;                 /* the device memory that holds all levels */
};

static inline uint32_t tex_texel_bytes(struct tex_format f)
{
    return f.bits / 8u * f.channels;
}

/* Sets pitch, block and slice_bytes of a level of this width, height and slices, tiled or not; returns its bytes. */
uint64_t tex_level_place(struct tex_level *l, uint32_t texel_bytes, bool tiled);
/* The address of byte `x` of a row. */
uint64_t tex_address(const struct tex_level *l, uint32_t x, uint32_t y, uint32_t slice);

/* ---- samplers and objects ---- */

enum tex_wrap { TEX_WRAP, TEX_CLAMP, TEX_MIRROR, TEX_BORDER };  /* the values of enum cudaTextureAddressMode */

struct tex_sampler {
    uint8_t wrap[3];                 /* enum tex_wrap, by dimension */
    bool linear, mip_linear;
    bool normalized;                 /* coordinates */
    bool to_float;                   /* integers are read as fractions of their largest value */
    bool srgb;
    float border[4];
    float mip_bias, mip_min, mip_max;
};

struct tex_object {
    uint64_t handle;
    bool surface;
    struct tex_image image;
    struct tex_sampler sampler;
    void *owner;                     /* for the library: the description it was made from */
};

/*
 * The objects of a GPU by handle. A handle has a kind in its upper four bits, so that it is no address; the handle of a
 * freed object is not given out again. Sampler states are encoded in their handles.
 */
#define TEX_HANDLE_TEXTURE 0x4000000000000000ull
#define TEX_HANDLE_SURFACE 0x5000000000000000ull
#define TEX_HANDLE_SAMPLER 0x6000000000000000ull
#define TEX_HANDLE_KIND 0xf000000000000000ull
struct tex_table;
struct tex_table *tex_table_new(void);
void tex_table_free(struct tex_table *t);
struct tex_object *tex_table_add(struct tex_table *t, bool surface);
struct tex_object *tex_table_find(const struct tex_table *t, uint64_t handle);    /* NULL: none or freed */
void tex_table_remove(struct tex_table *t, struct tex_object *o);
/* The n-th object, for loops over all; NULL where one was freed. */
uint32_t tex_table_size(const struct tex_table *t);
struct tex_object *tex_table_at(const struct tex_table *t, uint32_t n);

/* The state of a .samplerref in 64 bits; it replaces that of the texture. 0: the texture's own. */
struct tex_sampler_state { uint8_t wrap[3]; bool linear, unnormalized; };
uint64_t tex_sampler_encode(const struct tex_sampler_state *s);
void tex_sampler_apply(uint64_t handle, struct tex_sampler *s);

/* ---- fetches ---- */

/* What an instruction asks of one lane. */
struct tex_request {
    uint8_t dims;                    /* of the instruction: 1, 2, 3; a cube map has 3 */
    bool layered, cube, integer;     /* integer: texel numbers instead of coordinates */
    int8_t gather;                   /* tld4: the component, else -1 */
    uint32_t layer;
    float at[3];
    int32_t texel[3];
    int32_t offset[3];               /* in texels */
    enum { TEX_LOD_BASE, TEX_LOD_LEVEL, TEX_LOD_GRADIENT } lod;
    float level, dx[3], dy[3];
};

/* The texels of a fetch. address 0: the border. */
struct tex_plan {
    uint8_t n;
    int8_t gather;
    uint64_t address[TEX_TAPS];
    double weight[TEX_TAPS];         /* multiples of 2^-32, so that products with channels are exact */
};

/* Why the instruction cannot read the image, or NULL. */
const char *tex_mismatch(const struct tex_image *i, const struct tex_request *r);
void tex_plan(const struct tex_image *i, const struct tex_sampler *s, const struct tex_request *r, struct tex_plan *p);
/* The four results as 32 bits each: floats, or integers extended to 32 bits. Returns whether they are floats. */
bool tex_combine(const struct tex_image *i, const struct tex_sampler *s, const struct tex_plan *p,
                 const uint8_t texel[TEX_TAPS][TEX_TEXEL_MAX], uint32_t result[4]);
/* Are the results of reading this image floats? */
bool tex_reads_float(const struct tex_image *i, const struct tex_sampler *s);

#endif
