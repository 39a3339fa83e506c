/*
 * The sampler. tex_plan finds the texels of a fetch and their weights: level of detail, face of a cube map, address
 * mode, filter. tex_combine turns the texels into the four results. Weights are multiples of 1/256, as the guide's
 * 9-bit fixed point; sums are in double and are rounded once.
 */
#include <math.h>

#include "ptx/lanes/half.h"
#include "ptx/texture/texture.h"

enum { ONE = 256 };                  /* a weight of 1 */

/* Of one dimension: two texels, -1 = the border, and the weight of the second in 1/256. */
struct axis { int64_t texel[2]; uint32_t weight; };

/* ---- one dimension ---- */

static uint8_t mode_of(const struct tex_sampler *s, const struct tex_request *r, unsigned d)
{
    if (r->cube)
        return TEX_CLAMP;
    bool repeats = s->wrap[d] == TEX_WRAP || s->wrap[d] == TEX_MIRROR;
    return repeats && (r->integer || !s->normalized) ? TEX_CLAMP : s->wrap[d];
}

/* The texel that the address mode gives for texel i of n. */
static int64_t inside(uint8_t mode, int64_t i, int64_t n)
{
    int64_t m = i % (2 * n);
    if (i >= 0 && i < n)
        return i;
    switch (mode) {
    case TEX_WRAP: return (i % n + n) % n;
    case TEX_MIRROR:
        m += m < 0 ? 2 * n : 0;
        return m < n ? m : 2 * n - 1 - m;
    case TEX_BORDER: return -1;
    default: return i < 0 ? 0 : n - 1;
    }
}

/* The coordinate in texels. NaN is 0; coordinates are limited to 2^40 texels. */
static double in_texels(float at, bool normalized, uint8_t mode, double n)
{
    static const double far = 1ull << 40;
    double x = normalized ? (double)at * n : (double)at, whole = floor((double)at);
    if (isnan(x) || (isinf(x) && (mode == TEX_WRAP || mode == TEX_MIRROR)))
        return 0;
    if (mode == TEX_WRAP)
        return fabs(x) < far ? x : 0;
    if (mode == TEX_MIRROR && fmod(whole, 2) != 0)
        return n * (whole + 1) - x;
    if (mode == TEX_MIRROR)
        return x - n * whole;
    return x < -far ? -far : x > far ? far : x;
}

static struct axis find_axis(const struct tex_sampler *s, const struct tex_request *r, unsigned d, float at, int64_t n,
                             bool linear)
{
    struct axis a = { .weight = 0 };
    uint8_t mode = mode_of(s, r, d);
    int64_t i = r->integer ? r->texel[d] : 0;
    if (!r->integer) {
        double x = in_texels(at, s->normalized || r->cube, mode, (double)n) - (linear ? 0.5 : 0);
        double whole = floor(x);
        i = (int64_t)whole;
        a.weight = linear ? (uint32_t)floor((x - whole) * ONE + 0.5) : 0;
    }
    i += r->offset[d];
    a.texel[0] = inside(mode, i, n);
    a.texel[1] = linear ? inside(mode, i + 1, n) : a.texel[0];
    return a;
}

/* ---- cube maps ---- */

/* The face, and the coordinates on it (guide, Cubemap Textures). Of equal coordinates x comes before y before z. */
static uint32_t find_face(const float at[3], float *s, float *t)
{
    float ax = fabsf(at[0]), ay = fabsf(at[1]), az = fabsf(at[2]);
    uint32_t face = ax >= ay && ax >= az ? 0 : ay >= az ? 2 : 4;
    double m = face == 0 ? at[0] : face == 2 ? at[1] : at[2];
    bool back = m < 0;
    double x = at[0], y = at[1], z = at[2], u, v;
    u = face == 0 ? (back ? z : -z) : face == 2 ? x : (back ? -x : x);
    v = face == 2 ? (back ? -z : z) : -y;
    m = fabs(m);
    *s = (float)((u / m + 1) / 2);
    *t = (float)((v / m + 1) / 2);
    return face + back;
}

/* ---- levels of detail ---- */

static double length(const float *v, const struct tex_image *i, const struct tex_sampler *s, unsigned dims)
{
    const struct tex_level *l = &i->level[0];
    double size[3] = { l->width, l->height, l->slices }, sum = 0;
    for (unsigned d = 0; d < dims; d++) {
        double x = s->normalized ? v[d] * size[d] : v[d];
        sum += x * x;
    }
    return sqrt(sum);
}

/* The level of detail in 1/256, between the clamps. Without a level it is 0, as there are no derivatives in a
 * kernel. */
static uint32_t find_level(const struct tex_image *i, const struct tex_sampler *s, const struct tex_request *r)
{
    double lod = 0, most = i->levels - 1, low = s->mip_min, high = s->mip_max;
    if (r->lod == TEX_LOD_LEVEL)
        lod = r->level;
    else if (r->lod == TEX_LOD_GRADIENT)
        lod = log2(fmax(length(r->dx, i, s, r->dims), length(r->dy, i, s, r->dims)));
    lod += s->mip_bias;
    lod = lod < low ? low : lod > high ? high : lod;
    lod = !(lod > 0) ? 0 : lod > most ? most : lod;
    return (uint32_t)floor(lod * ONE + 0.5);
}

/* ---- the texels ---- */

struct place { const struct tex_image *image; const struct tex_level *level; uint32_t slice; bool gather; };

static void add_tap(struct tex_plan *p, const struct place *at, int64_t x, int64_t y, int64_t z, double weight)
{
    bool border = x < 0 || y < 0 || z < 0;
    uint32_t slice = at->slice + (uint32_t)z, bytes = tex_texel_bytes(at->image->format);
    p->address[p->n] = border ? 0 : tex_address(at->level, (uint32_t)x * bytes, (uint32_t)y, slice);
    p->weight[p->n++] = weight;
}

static double weight_of(const struct axis *a, unsigned second)
{
    return (second ? a->weight : ONE - a->weight) / (double)ONE;
}

static void add_level(struct tex_plan *p, const struct place *at, const struct axis a[3], unsigned dims, bool linear,
                      double share)
{
    unsigned n = linear ? 1u << dims : 1;
    for (unsigned t = 0; t < n; t++) {
        unsigned x = t & 1, y = t >> 1 & 1, z = t >> 2 & 1;
        double w = linear ? weight_of(&a[0], x) * weight_of(&a[1], y) * weight_of(&a[2], z) : 1;
        add_tap(p, at, a[0].texel[x], a[1].texel[y], a[2].texel[z], w * share);
    }
}

/* Counter-clockwise from the lower left (PTX ISA, tld4). */
static void add_footprint(struct tex_plan *p, const struct place *at, const struct axis a[3])
{
    add_tap(p, at, a[0].texel[0], a[1].texel[1], 0, 1);
    add_tap(p, at, a[0].texel[1], a[1].texel[1], 0, 1);
    add_tap(p, at, a[0].texel[1], a[1].texel[0], 0, 1);
    add_tap(p, at, a[0].texel[0], a[1].texel[0], 0, 1);
}

static void plan_level(struct tex_plan *p, const struct tex_sampler *s, const struct tex_request *r,
                       const struct tex_image *i, uint32_t level, double share)
{
    const struct tex_level *l = &i->level[level];
    struct place at = { .image = i, .level = l, .gather = r->gather >= 0 };
    uint32_t layers = i->cube && !r->cube ? 6 * i->layers : i->layers;    /* faces read as layers, or cubes */
    uint32_t layer = r->layered ? (r->layer < layers ? r->layer : layers - 1) : 0;
    unsigned dims = r->cube ? 2 : r->dims;
    bool linear = at.gather || (s->linear && tex_reads_float(i, s) && !r->integer);
    float c[3] = { r->at[0], r->at[1], r->at[2] };
    at.slice = r->cube ? layer * 6 + find_face(r->at, &c[0], &c[1]) : layer;
    int64_t size[3] = { l->width, l->height, l->slices };
    struct axis a[3] = { { .weight = 0 }, { .weight = 0 }, { .weight = 0 } };
    for (unsigned d = 0; d < dims; d++)
        a[d] = find_axis(s, r, d, c[d], size[d], linear);
    if (at.gather)
        add_footprint(p, &at, a);
    else
        add_level(p, &at, a, dims, linear, share);
}

void tex_plan(const struct tex_image *i, const struct tex_sampler *s, const struct tex_request *r, struct tex_plan *p)
{
    uint32_t lod = i->levels > 1 ? find_level(i, s, r) : 0;
    bool between = s->mip_linear && tex_reads_float(i, s) && r->gather < 0 && lod % ONE;
    p->n = 0;
    p->gather = r->gather;
    if (!between) {
        plan_level(p, s, r, i, (lod + ONE / 2) / ONE, 1);
        return;
    }
    double share = lod % ONE / (double)ONE;
    plan_level(p, s, r, i, lod / ONE, 1 - share);
    plan_level(p, s, r, i, lod / ONE + 1, share);
}

const char *tex_mismatch(const struct tex_image *i, const struct tex_request *r)
{
    bool faces = i->cube && !r->cube && r->layered && r->dims == 2;
    if (i->buffer)
        return r->integer && r->dims == 1 && !r->layered ? NULL : "linear memory is read by texel number, in .1d";
    if (faces)
        return NULL;
    if (i->cube != r->cube)
        return i->cube ? "the image is a cube map" : "the image is no cube map";
    if (i->layered != r->layered)
        return i->layered ? "the image has layers" : "the image has no layers";
    if (!i->cube && i->dims != r->dims)
        return i->dims == 1 ? "the image has one dimension" : i->dims == 2 ? "the image has two dimensions"
                                                                            : "the image has three dimensions";
    return NULL;
}

/* ---- values ---- */

bool tex_reads_float(const struct tex_image *i, const struct tex_sampler *s)
{
    return i->format.channel == TEX_FLOAT || (s->to_float && i->format.bits < 32);
}

static uint32_t raw(const uint8_t *texel, struct tex_format f, unsigned c)
{
    uint32_t v = 0;
    for (unsigned b = 0; b < f.bits / 8u; b++)
        v |= (uint32_t)texel[c * f.bits / 8 + b] << 8 * b;
    return v;
}

static int32_t extended(uint32_t v, struct tex_format f)
{
    unsigned up = 32u - f.bits;
    return f.channel == TEX_SIGNED ? (int32_t)(v << up) >> up : (int32_t)v;
}

/* IEC 61966-2-1. */
static double from_srgb(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double as_real(const uint8_t *texel, const struct tex_image *i, const struct tex_sampler *s, unsigned c)
{
    struct tex_format f = i->format;
    uint32_t v = raw(texel, f, c);
    if (f.channel == TEX_FLOAT)
        return f.bits == 16 ? (double)f16_to_f32((uint16_t)v) : (double)f32_of(v);
    double most = f.channel == TEX_SIGNED ? (1 << (f.bits - 1)) - 1 : (1 << f.bits) - 1;
    double r = extended(v, f) / most;
    r = r < -1 ? -1 : r;
    return s->srgb && f.bits == 8 && f.channel == TEX_UNSIGNED && c < 3 ? from_srgb(r) : r;
}

/* A channel that the format does not have: alpha is 1, the others 0. */
static double real_channel(const struct tex_image *i, const struct tex_sampler *s, const struct tex_plan *p, unsigned t,
                           const uint8_t *texel, unsigned c)
{
    if (!p->address[t])
        return s->border[c];
    return c < i->format.channels ? as_real(texel, i, s, c) : c == 3;
}

/* The border of a texture of integers has the bits of an integer (cuda.h, CUDA_TEXTURE_DESC). */
static uint32_t whole_channel(const struct tex_image *i, const struct tex_sampler *s, const struct tex_plan *p,
                              unsigned t, const uint8_t *texel, unsigned c)
{
    if (!p->address[t])
        return f32_bits(s->border[c]);
    return c < i->format.channels ? (uint32_t)extended(raw(texel, i->format, c), i->format) : c == 3;
}

bool tex_combine(const struct tex_image *i, const struct tex_sampler *s, const struct tex_plan *p,
                 const uint8_t texel[TEX_TAPS][TEX_TEXEL_MAX], uint32_t result[4])
{
    bool real = tex_reads_float(i, s), gather = p->gather >= 0;
    for (unsigned c = 0; c < 4; c++) {
        unsigned from = gather ? (unsigned)p->gather : c, first = gather ? c : 0, end = gather ? c + 1 : p->n;
        double sum = -0.0;           /* the neutral element: a single texel keeps its sign */
        for (unsigned t = first; real && t < end; t++)
            if (p->weight[t] != 0)
                sum += p->weight[t] * real_channel(i, s, p, t, texel[t], from);
        result[c] = real ? f32_bits((float)sum) : whole_channel(i, s, p, first, texel[first], from);
    }
    return real;
}
