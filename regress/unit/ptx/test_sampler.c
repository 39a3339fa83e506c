/*
 * The sampler against the formulas of the CUDA C++ Programming Guide (appendix Texture Fetching), computed a second
 * time with 113 bits of precision and one rounding at the end. Every address mode with every filter, dimension and
 * format, with random and chosen coordinates; layers, cube maps, levels of detail, gathers. The images are written
 * through a second statement of the block-linear layout.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ptx/texture/texture.h"

typedef __float128 exact;

enum { COORDINATES = 40 };

static uint64_t state = 88172645463325252u;

static uint64_t random64(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* ---- images ---- */

struct picture {
    struct tex_image image;
    uint8_t *memory;
    uint64_t bytes;
};

/* The layout in the divisions of the Tegra X1 Technical Reference Manual, with the block height of the level. */
static uint64_t place(const struct tex_level *l, bool tiled, uint32_t row_bytes, uint32_t x, uint32_t y)
{
    uint32_t gobs = (row_bytes + 63) / 64, rows = (l->height + 7) / 8, block = 1;
    if (!tiled)
        return (uint64_t)y * ((row_bytes + 31) / 32 * 32) + x;
    while (block < rows && block < 16)
        block *= 2;
    uint64_t gob = (uint64_t)(y / (8 * block)) * 512 * block * gobs + (uint64_t)(x / 64) * 512 * block +
                   y % (8 * block) / 8 * 512;
    return gob + x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}

static void add_levels(struct picture *p, uint32_t levels, uint32_t w, uint32_t h, uint32_t slices)
{
    uint32_t texel = tex_texel_bytes(p->image.format);
    bool deep = p->image.dims == 3;
    p->image.levels = levels;
    for (uint32_t k = 0; k < levels; k++) {
        struct tex_level *l = &p->image.level[k];
        *l = (struct tex_level){ .base = p->bytes, .width = w >> k ? w >> k : 1, .height = h >> k ? h >> k : 1,
                                 .slices = deep ? (slices >> k ? slices >> k : 1) : slices };
        p->bytes += tex_level_place(l, texel, p->image.dims > 1);
    }
    p->memory = aligned_alloc(512, (p->bytes + 511) / 512 * 512);
    for (uint32_t k = 0; k < levels; k++)
        p->image.level[k].base += (uint64_t)(uintptr_t)p->memory;
}

/* Channel c of a texel, as the test wants it: any bits, but of floats no NaN and no wide range of exponents. */
static uint32_t channel(const struct tex_image *i, uint32_t level, uint32_t x, uint32_t y, uint32_t z, unsigned c)
{
    uint32_t n = x * 2654435761u ^ (y * 40503u + 77) * 2246822519u;
    n ^= (z + 3) * 3266489917u ^ (level * 4 + c) * 668265263u;
    n ^= n >> 15;
    n *= 2246822519u;
    n ^= n >> 13;
    if (i->format.channel != TEX_FLOAT)
        return i->format.bits == 32 ? n : n & ((1u << i->format.bits) - 1);
    float f = (float)((int32_t)(n % 4096) - 2048) / 64;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (i->format.bits == 16) {          /* these values are halves exactly */
        _Float16 h = (_Float16)f;
        uint16_t b;
        memcpy(&b, &h, 2);
        return b;
    }
    return bits;
}

static void fill(struct picture *p)
{
    const struct tex_image *i = &p->image;
    uint32_t texel = tex_texel_bytes(i->format), size = i->format.bits / 8;
    for (uint32_t k = 0; k < i->levels; k++) {
        const struct tex_level *l = &i->level[k];
        uint8_t *level = (uint8_t *)(uintptr_t)l->base;
        for (uint32_t z = 0; z < l->slices; z++)
            for (uint32_t y = 0; y < l->height; y++)
                for (uint32_t x = 0; x < l->width; x++)
                    for (unsigned c = 0; c < i->format.channels; c++) {
                        uint32_t v = channel(i, k, x, y, z, c);
                        uint64_t at = z * l->slice_bytes + place(l, i->dims > 1, l->width * texel, x * texel, y);
                        memcpy(level + at + c * size, &v, size);
                    }
    }
}

static struct picture picture(struct tex_format f, uint8_t dims, uint32_t levels, uint32_t w, uint32_t h,
                              uint32_t slices)
{
    struct picture p = { .image = { .format = f, .dims = dims } };
    add_levels(&p, levels, w, h, slices);
    fill(&p);
    return p;
}

/* ---- the guide's formulas ---- */

struct wanted { const struct tex_image *i; const struct tex_sampler *s; const struct tex_request *r; uint32_t level; };

static bool reads_real(const struct wanted *w)
{
    struct tex_format f = w->i->format;
    return f.channel == TEX_FLOAT || (w->s->to_float && f.bits < 32);
}

/* A channel of a texel as a number: floating point, a fraction of the largest integer, or an integer. */
static exact value(const struct wanted *w, int64_t x, int64_t y, int64_t z, unsigned c)
{
    struct tex_format f = w->i->format;
    if (c >= f.channels)
        return c == 3;
    uint32_t v = channel(w->i, w->level, (uint32_t)x, (uint32_t)y, (uint32_t)z, c);
    if (f.channel == TEX_FLOAT && f.bits == 16) {
        _Float16 h;
        uint16_t b = (uint16_t)v;
        memcpy(&h, &b, 2);
        return (exact)(float)h;
    }
    if (f.channel == TEX_FLOAT) {
        float g;
        memcpy(&g, &v, 4);
        return g;
    }
    exact most = f.channel == TEX_SIGNED ? ((int64_t)1 << (f.bits - 1)) - 1 : ((int64_t)1 << f.bits) - 1, n = v;
    if (f.channel == TEX_SIGNED && v >> (f.bits - 1))
        n -= (exact)((int64_t)1 << f.bits);
    if (!reads_real(w))
        return n;
    return n / most < -1 ? -1 : n / most;
}

static exact whole(exact x)
{
    exact t = (exact)(int64_t)x;
    return t > x ? t - 1 : t;
}

/* The coordinate in texels after the address mode: of wrap and mirror the guide gives the formulas on [0, 1). */
static exact address(const struct wanted *w, unsigned d, float at, int64_t n)
{
    exact x = at;
    uint8_t mode = w->s->wrap[d];
    if (!w->s->normalized)
        return x;
    exact frac = x - whole(x);
    if (mode == TEX_WRAP)
        return n * frac;
    if (mode == TEX_MIRROR)
        return n * ((int64_t)whole(x) % 2 ? 1 - frac : frac);
    return n * x;
}

static int64_t index_of(const struct wanted *w, unsigned d, int64_t i, int64_t n)
{
    uint8_t mode = w->s->wrap[d];
    if (i >= 0 && i < n)
        return i;
    if (mode == TEX_BORDER)
        return -1;
    if (mode == TEX_WRAP && w->s->normalized)
        return ((i % n) + n) % n;
    return i < 0 ? 0 : n - 1;            /* clamp; of mirror, the texel beyond an end is the last one before it */
}

struct part { int64_t i; exact weight; };

/* The one or two texels of a dimension. */
static void parts(const struct wanted *w, unsigned d, int64_t n, bool linear, struct part p[2])
{
    if (w->r->integer) {
        p[0] = p[1] = (struct part){ index_of(w, d, (int64_t)w->r->texel[d] + w->r->offset[d], n), 1 };
        p[1].weight = 0;
        return;
    }
    exact x = address(w, d, w->r->at[d], n) - (linear ? (exact)0.5 : 0);
    exact alpha = whole((x - whole(x)) * 256 + (exact)0.5) / 256;        /* 8 bits of fraction, 1 is possible */
    int64_t i = (int64_t)whole(x) + w->r->offset[d];
    p[0] = (struct part){ index_of(w, d, i, n), linear ? 1 - alpha : 1 };
    p[1] = (struct part){ index_of(w, d, i + 1, n), linear ? alpha : 0 };
}

static exact sampled(const struct wanted *w, unsigned c, uint32_t first_slice)
{
    const struct tex_level *l = &w->i->level[w->level];
    struct part p[3][2] = { { { 0, 1 }, { 0, 0 } }, { { 0, 1 }, { 0, 0 } }, { { 0, 1 }, { 0, 0 } } };
    int64_t size[3] = { l->width, l->height, l->slices };
    bool linear = w->s->linear && reads_real(w) && !w->r->integer;
    exact sum = 0;
    for (unsigned d = 0; d < w->r->dims; d++)
        parts(w, d, size[d], linear, p[d]);
    for (unsigned t = 0; t < 8; t++) {
        const struct part *x = &p[0][t & 1], *y = &p[1][t >> 1 & 1], *z = &p[2][t >> 2];
        exact weight = x->weight * y->weight * z->weight;
        bool border = x->i < 0 || y->i < 0 || z->i < 0;
        if (weight != 0)
            sum += weight * (border ? (exact)w->s->border[c] : value(w, x->i, y->i, z->i + first_slice, c));
    }
    return sum;
}

/* ---- comparison ---- */

static void fetch(const struct wanted *w, uint32_t out[4])
{
    struct tex_plan p;
    uint8_t texel[TEX_TAPS][TEX_TEXEL_MAX] = { { 0 } };
    tex_plan(w->i, w->s, w->r, &p);
    for (unsigned t = 0; t < p.n; t++)
        if (p.address[t])
            memcpy(texel[t], (const void *)(uintptr_t)p.address[t], tex_texel_bytes(w->i->format));
    tex_combine(w->i, w->s, &p, texel, out);
}

static uint32_t as_bits(const struct wanted *w, exact v)
{
    uint32_t bits;
    if (!reads_real(w))
        return (uint32_t)(int64_t)v;
    float f = (float)v;
    memcpy(&bits, &f, 4);
    return bits;
}

static void compare(const struct wanted *w, uint32_t first_slice)
{
    uint32_t got[4];
    fetch(w, got);
    for (unsigned c = 0; c < 4; c++) {
        uint32_t want = as_bits(w, sampled(w, c, first_slice));
        if (got[c] == want || (reads_real(w) && !(got[c] << 1) && !(want << 1)))     /* either zero */
            continue;
        float g, x;
        memcpy(&g, &got[c], 4);
        memcpy(&x, &want, 4);
        fail_msg("%u-D %s %s, modes %u %u %u, format %u/%u/%u, at %a %a %a: channel %u is %a (0x%x), expected %a "
                 "(0x%x)",
                 w->r->dims, w->s->linear ? "linear" : "point", w->s->normalized ? "normalized" : "in texels",
                 w->s->wrap[0], w->s->wrap[1], w->s->wrap[2], w->i->format.channel, w->i->format.bits,
                 w->i->format.channels, w->r->at[0], w->r->at[1], w->r->at[2], c, g, got[c], x, want);
    }
}

/* Coordinates: inside, on texel centres and edges, on thresholds of the weights, far outside. */
static float coordinate(unsigned k, bool normalized, int64_t n)
{
    static const float special[] = { 0, -0.0f, 0.5f, 1, -1, 0.25f, 1.5f, -0.5f, 2, -2, 3.75f, 0.501953125f, 1e-30f,
                                     -1e-30f, 0.998046875f, -7.125f };
    float size = normalized ? 1 : (float)n;
    if (k < sizeof special / sizeof *special)
        return special[k] * (normalized ? 1 : (float)n / 2);
    double r = (double)(random64() >> 11) / 0x1p53;
    return (float)((k % 3 ? r : r * 8 - 4) * (double)size);
}

static const struct tex_format formats[] = {
    { TEX_SIGNED, 8, 1 },   { TEX_SIGNED, 8, 2 },    { TEX_SIGNED, 8, 4 },    { TEX_SIGNED, 16, 1 },
    { TEX_SIGNED, 16, 2 },  { TEX_SIGNED, 16, 4 },   { TEX_SIGNED, 32, 1 },   { TEX_SIGNED, 32, 2 },
    { TEX_SIGNED, 32, 4 },  { TEX_UNSIGNED, 8, 1 },  { TEX_UNSIGNED, 8, 2 },  { TEX_UNSIGNED, 8, 4 },
    { TEX_UNSIGNED, 16, 1 }, { TEX_UNSIGNED, 16, 2 }, { TEX_UNSIGNED, 16, 4 }, { TEX_UNSIGNED, 32, 1 },
    { TEX_UNSIGNED, 32, 2 }, { TEX_UNSIGNED, 32, 4 }, { TEX_FLOAT, 16, 1 },   { TEX_FLOAT, 16, 2 },
    { TEX_FLOAT, 16, 4 },   { TEX_FLOAT, 32, 1 },    { TEX_FLOAT, 32, 2 },    { TEX_FLOAT, 32, 4 },
};
enum { FORMATS = sizeof formats / sizeof *formats };

static void set_border(struct tex_sampler *s, struct tex_format f)
{
    for (unsigned c = 0; c < 4; c++) {
        uint32_t n = f.channel == TEX_FLOAT || s->to_float ? 0 : c + 5;
        s->border[c] = (float)c / 4 + 0.125f;
        if (f.channel != TEX_FLOAT && !(s->to_float && f.bits < 32))
            memcpy(&s->border[c], &n, 4);            /* the border of integers is an integer's bits */
    }
}

/* The reference reads the border as a number. */
static struct tex_sampler with_number_border(struct tex_sampler s, struct tex_format f)
{
    for (unsigned c = 0; c < 4; c++) {
        uint32_t n;
        memcpy(&n, &s.border[c], 4);
        if (f.channel != TEX_FLOAT && !(s.to_float && f.bits < 32))
            s.border[c] = (float)n;
    }
    return s;
}

static void sweep(const struct picture *p, struct tex_sampler *s)
{
    const struct tex_level *l = &p->image.level[0];
    int64_t size[3] = { l->width, l->height, l->slices };
    for (unsigned k = 0; k < COORDINATES; k++) {
        struct tex_request r = { .dims = p->image.dims, .gather = -1 };
        for (unsigned d = 0; d < r.dims; d++)
            r.at[d] = coordinate(d ? (unsigned)(random64() % COORDINATES) : k, s->normalized, size[d]);
        struct tex_sampler t = with_number_border(*s, p->image.format);
        struct wanted want = { &p->image, &t, &r, 0 };
        uint32_t got[4];
        struct wanted have = { &p->image, s, &r, 0 };
        fetch(&have, got);
        if (memcmp(&t, s, sizeof t)) {               /* integers: compared with the border as a number */
            for (unsigned c = 0; c < 4; c++)
                assert_int_equal(got[c], as_bits(&want, sampled(&want, c, 0)));
        } else {
            compare(&want, 0);
        }
    }
}

/* Address modes of all dimensions, equal and mixed; normalized or not; point or linear; raw or as fractions. */
static void all_modes(const struct picture *p)
{
    for (unsigned m = 0; m < 64; m += p->image.dims == 3 ? 1 : p->image.dims == 2 ? 4 : 16)
        for (unsigned bits = 0; bits < 8; bits++) {
            struct tex_sampler s = { .wrap = { m >> 4 & 3, m >> 2 & 3, m & 3 }, .linear = bits & 1,
                                     .normalized = bits >> 1 & 1, .to_float = bits >> 2 & 1 };
            bool repeats = s.wrap[0] == TEX_WRAP || s.wrap[0] == TEX_MIRROR || s.wrap[1] == TEX_WRAP ||
                           s.wrap[1] == TEX_MIRROR || s.wrap[2] == TEX_WRAP || s.wrap[2] == TEX_MIRROR;
            if (repeats && !s.normalized)
                continue;                            /* they count as clamp then: tested apart */
            set_border(&s, p->image.format);
            sweep(p, &s);
        }
}

static void each_format(uint8_t dims, uint32_t w, uint32_t h, uint32_t d)
{
    for (unsigned f = 0; f < FORMATS; f++) {
        struct picture p = picture(formats[f], dims, 1, w, h, d);
        all_modes(&p);
        free(p.memory);
    }
}

static void one_dimension(void **unused)
{
    each_format(1, 13, 1, 1);
    each_format(1, 1, 1, 1);
}

static void two_dimensions(void **unused)
{
    each_format(2, 21, 19, 1);
    each_format(2, 1, 40, 1);
}

static void three_dimensions(void **unused)
{
    each_format(3, 7, 9, 5);
}

/* ---- what repeats only with normalized coordinates; integer coordinates; offsets ---- */

static void repeats_need_normalized(void **unused)
{
    struct picture p = picture(formats[21], 2, 1, 9, 6, 1);
    for (unsigned k = 0; k < 200; k++) {
        struct tex_sampler s = { .wrap = { TEX_WRAP, TEX_MIRROR }, .linear = k & 1 }, clamp = s;
        struct tex_request r = { .dims = 2, .gather = -1, .at = { coordinate(k % COORDINATES, false, 9),
                                                                  coordinate(7 * k % COORDINATES, false, 6) } };
        clamp.wrap[0] = clamp.wrap[1] = TEX_CLAMP;
        struct wanted a = { &p.image, &s, &r, 0 }, b = { &p.image, &clamp, &r, 0 };
        uint32_t x[4], y[4];
        fetch(&a, x);
        fetch(&b, y);
        assert_memory_equal(x, y, sizeof x);
    }
    free(p.memory);
}

static void texel_numbers(void **unused)
{
    for (unsigned f = 0; f < FORMATS; f++) {
        struct picture p = picture(formats[f], 3, 1, 6, 5, 4);
        for (unsigned k = 0; k < 300; k++) {
            struct tex_sampler s = { .wrap = { k & 1 ? TEX_CLAMP : TEX_BORDER, TEX_CLAMP, TEX_BORDER },
                                     .linear = true };
            struct tex_request r = { .dims = 3, .gather = -1, .integer = true };
            for (unsigned d = 0; d < 3; d++) {
                r.texel[d] = (int32_t)(random64() % 12) - 3;
                r.offset[d] = (int32_t)(random64() % 16) - 8;
            }
            struct wanted w = { &p.image, &s, &r, 0 };
            compare(&w, 0);
        }
        free(p.memory);
    }
}

static void offsets(void **unused)
{
    struct picture p = picture(formats[21], 2, 1, 9, 6, 1);
    for (unsigned k = 0; k < 400; k++) {
        struct tex_sampler s = { .wrap = { k & 2 ? TEX_WRAP : TEX_CLAMP, TEX_BORDER }, .linear = k & 1,
                                 .normalized = true, .border = { 3 } };
        struct tex_request r = { .dims = 2, .gather = -1, .at = { coordinate(k % COORDINATES, true, 9),
                                                                  coordinate(7 * k % COORDINATES, true, 6) } };
        r.offset[0] = (int32_t)(random64() % 16) - 8;
        r.offset[1] = (int32_t)(random64() % 16) - 8;
        struct wanted w = { &p.image, &s, &r, 0 };
        compare(&w, 0);
    }
    free(p.memory);
}

/* ---- layers, cube maps ---- */

static void layers(void **unused)
{
    struct picture p = picture(formats[23], 2, 1, 9, 6, 5);
    p.image.layered = true;
    p.image.layers = 5;
    for (unsigned k = 0; k < 300; k++) {
        struct tex_sampler s = { .wrap = { TEX_WRAP, TEX_CLAMP }, .linear = k & 1, .normalized = true };
        uint32_t layer = (uint32_t)(k % 9);
        struct tex_request r = { .dims = 2, .layered = true, .layer = layer, .gather = -1,
                                 .at = { coordinate(k % COORDINATES, true, 9),
                                         coordinate(3 * k % COORDINATES, true, 6) } };
        struct wanted w = { &p.image, &s, &r, 0 };
        compare(&w, layer < 5 ? layer : 4);
    }
    free(p.memory);
}

/* The guide's table of faces, with m the coordinate of largest magnitude. */
static unsigned face_of(const float a[3], exact *s, exact *t)
{
    exact x = a[0], y = a[1], z = a[2], ax = x < 0 ? -x : x, ay = y < 0 ? -y : y, az = z < 0 ? -z : z;
    if (ax > ay && ax > az) {
        *s = (x >= 0 ? -z : z) / ax;
        *t = -y / ax;
        return x < 0;
    }
    if (ay > ax && ay > az) {
        *s = x / ay;
        *t = (y >= 0 ? z : -z) / ay;
        return 2 + (y < 0);
    }
    *s = (z >= 0 ? x : -x) / az;
    *t = -y / az;
    return 4 + (z < 0);
}

static void cube_maps(void **unused)
{
    for (unsigned layered = 0; layered < 2; layered++) {
        struct picture p = picture(formats[21], 2, 1, 8, 8, layered ? 18 : 6);
        p.image.cube = true;
        p.image.layered = layered;
        p.image.layers = layered ? 3 : 1;
        for (unsigned k = 0; k < 2000; k++) {
            struct tex_sampler s = { .wrap = { TEX_WRAP, TEX_WRAP, TEX_WRAP }, .linear = k & 1, .normalized = true };
            struct tex_request r = { .dims = 3, .cube = true, .layered = layered, .layer = k % 3, .gather = -1 };
            exact u, v;
            for (unsigned d = 0; d < 3; d++)
                r.at[d] = (float)((double)(random64() % 20001) / 10000 - 1);
            bool tie = fabsf(r.at[0]) == fabsf(r.at[1]) || fabsf(r.at[1]) == fabsf(r.at[2]) ||
                       fabsf(r.at[0]) == fabsf(r.at[2]);
            if (tie)                                 /* the guide leaves the face open */
                continue;
            unsigned face = face_of(r.at, &u, &v);
            /* the same point of the face as a layer of a 2-D image, clamped */
            struct tex_sampler flat = { .wrap = { TEX_CLAMP, TEX_CLAMP }, .linear = k & 1, .normalized = true };
            struct tex_request on_face = { .dims = 2, .gather = -1,
                                           .at = { (float)((u + 1) / 2), (float)((v + 1) / 2) } };
            struct wanted have = { &p.image, &s, &r, 0 }, want = { &p.image, &flat, &on_face, 0 };
            uint32_t got[4];
            fetch(&have, got);
            uint32_t expected = as_bits(&want, sampled(&want, 0, (layered ? k % 3 * 6 : 0) + face));
            if (got[0] != expected)
                fail_msg("at %a %a %a (face %u): 0x%x, expected 0x%x", r.at[0], r.at[1], r.at[2], face, got[0],
                         expected);
        }
        free(p.memory);
    }
}

/* ---- levels of detail ---- */

static void levels(void **unused)
{
    struct picture p = picture(formats[21], 2, 6, 48, 32, 1);
    for (unsigned k = 0; k < 3000; k++) {
        struct tex_sampler s = { .wrap = { TEX_WRAP, TEX_MIRROR }, .linear = k & 1, .mip_linear = k & 2,
                                 .normalized = true, .mip_bias = k % 5 ? 0 : 0.75f, .mip_min = k % 7 ? 0 : 1.5f,
                                 .mip_max = k % 11 ? 9 : 3.25f };
        struct tex_request r = { .dims = 2, .gather = -1, .lod = TEX_LOD_LEVEL,
                                 .at = { coordinate(k % COORDINATES, true, 48),
                                         coordinate(3 * k % COORDINATES, true, 32) } };
        r.level = (float)((double)(random64() % 9001) / 1000 - 1.5);
        if (k % 4 == 0)
            r.level = (float)(int)r.level + 0.5f;
        exact lod = (exact)r.level + (exact)s.mip_bias;
        lod = lod < s.mip_min ? (exact)s.mip_min : lod > s.mip_max ? (exact)s.mip_max : lod;
        lod = lod < 0 ? 0 : lod > 5 ? 5 : lod;
        int64_t fixed = (int64_t)whole(lod * 256 + (exact)0.5);
        uint32_t got[4], low = (uint32_t)(fixed / 256), near = (uint32_t)((fixed + 128) / 256);
        struct wanted w = { &p.image, &s, &r, s.mip_linear ? low : near };
        exact v = sampled(&w, 0, 0), share = (exact)(fixed % 256) / 256;
        if (s.mip_linear && fixed % 256) {
            v *= 1 - share;
            w.level = low + 1;
            v += share * sampled(&w, 0, 0);
        }
        fetch(&w, got);
        uint32_t want = as_bits(&w, v);
        if (got[0] << 1 || want << 1)
            assert_int_equal(got[0], want);
    }
    free(p.memory);
}

/* A gradient of 2^n texels gives level n; without a level the first one is read. */
static void gradients(void **unused)
{
    struct picture p = picture(formats[21], 2, 6, 32, 32, 1);
    for (unsigned n = 0; n < 6; n++)
        for (unsigned axis = 0; axis < 4; axis++) {
            struct tex_sampler s = { .wrap = { TEX_CLAMP, TEX_CLAMP }, .normalized = true, .mip_max = 10 };
            struct tex_request r = { .dims = 2, .gather = -1, .lod = TEX_LOD_GRADIENT, .at = { 0.4f, 0.7f } };
            float *d = axis < 2 ? r.dx : r.dy;
            d[axis % 2] = ldexpf(1, (int)n) / 32;
            struct wanted w = { &p.image, &s, &r, n };
            compare(&w, 0);
            r.lod = TEX_LOD_BASE;
            w.level = 0;
            compare(&w, 0);
        }
    free(p.memory);
}

/* ---- gathers ---- */

static void gathers(void **unused)
{
    struct picture p = picture(formats[23], 2, 1, 9, 6, 1);
    static const int order[4][2] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
    for (unsigned k = 0; k < 400; k++) {
        struct tex_sampler s = { .wrap = { TEX_CLAMP, TEX_CLAMP }, .normalized = true };
        struct tex_request r = { .dims = 2, .gather = (int8_t)(k % 4),
                                 .at = { coordinate(k % COORDINATES, true, 9),
                                         coordinate(3 * k % COORDINATES, true, 6) } };
        struct wanted w = { &p.image, &s, &r, 0 };
        uint32_t got[4];
        fetch(&w, got);
        exact x = whole(address(&w, 0, r.at[0], 9) - (exact)0.5), y = whole(address(&w, 1, r.at[1], 6) - (exact)0.5);
        for (unsigned t = 0; t < 4; t++) {
            int64_t i = index_of(&w, 0, (int64_t)x + order[t][0], 9), j = index_of(&w, 1, (int64_t)y + order[t][1], 6);
            assert_int_equal(got[t], as_bits(&w, value(&w, i, j, 0, k % 4)));
        }
    }
    free(p.memory);
}

/* ---- sRGB ---- */

static void srgb(void **unused)
{
    struct picture p = picture((struct tex_format){ TEX_UNSIGNED, 8, 4 }, 1, 1, 256, 1, 1);
    struct tex_sampler s = { .wrap = { TEX_CLAMP }, .to_float = true, .srgb = true };
    for (unsigned x = 0; x < 256; x++) {
        struct tex_request r = { .dims = 1, .gather = -1, .at = { (float)x + 0.5f } };
        struct wanted w = { &p.image, &s, &r, 0 };
        uint32_t got[4];
        fetch(&w, got);
        for (unsigned c = 0; c < 4; c++) {
            long double v = channel(&p.image, 0, x, 0, 0, c) / 255.0L;
            long double linear = v <= 0.04045L ? v / 12.92L : powl((v + 0.055L) / 1.055L, 2.4L);
            float f;
            memcpy(&f, &got[c], 4);
            float want = (float)(c == 3 ? v : linear);
            assert_true(fabsf(f - want) <= want * 1.2e-7f);
        }
    }
    free(p.memory);
}

/* ---- values that no arithmetic may touch ---- */

static void raw_bits(void **unused)
{
    struct picture p = picture((struct tex_format){ TEX_FLOAT, 32, 1 }, 1, 1, 8, 1, 1);
    static const uint32_t bits[] = { 0x80000000, 0x00000001, 0x7f800000, 0xff800000, 0x7f7fffff, 0x00800000,
                                     0x3f800001, 0 };
    memcpy(p.memory, bits, sizeof bits);
    for (unsigned x = 0; x < 8; x++) {
        struct tex_sampler s = { .wrap = { TEX_CLAMP } };
        struct tex_request r = { .dims = 1, .gather = -1, .integer = true, .texel = { (int32_t)x } };
        struct wanted w = { &p.image, &s, &r, 0 };
        uint32_t got[4];
        fetch(&w, got);
        assert_int_equal(got[0], bits[x]);
    }
    free(p.memory);
}

static void no_numbers(void **unused)
{
    struct picture p = picture(formats[21], 2, 3, 9, 6, 1);
    const float odd[] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f };
    for (unsigned k = 0; k < 5 * 5 * 16; k++) {
        struct tex_sampler s = { .wrap = { k & 3, k >> 2 & 3 }, .linear = k & 1, .normalized = k % 3, .mip_max = 3 };
        struct tex_request r = { .dims = 2, .gather = -1, .lod = TEX_LOD_LEVEL, .level = odd[k % 5],
                                 .at = { odd[k / 16 % 5], odd[k / 80 % 5] } };
        struct tex_plan plan;
        tex_plan(&p.image, &s, &r, &plan);
        for (unsigned t = 0; t < plan.n; t++)
            assert_true(!plan.address[t] || (plan.address[t] >= (uint64_t)(uintptr_t)p.memory &&
                                             plan.address[t] + 4 <= (uint64_t)(uintptr_t)p.memory + p.bytes));
    }
    free(p.memory);
}

/* Every byte of a level has a place of its own inside it. */
static void layout(void **unused)
{
    static const uint32_t sizes[][3] = { { 1, 1, 1 }, { 3, 5, 2 }, { 64, 8, 1 }, { 65, 9, 3 }, { 200, 130, 1 },
                                         { 16, 300, 1 } };
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (uint32_t texel = 1; texel <= 16; texel *= 2) {
            struct tex_level l = { .width = sizes[k][0], .height = sizes[k][1], .slices = sizes[k][2] };
            uint64_t bytes = tex_level_place(&l, texel, true);
            uint8_t *used = calloc(bytes, 1);
            for (uint32_t z = 0; z < l.slices; z++)
                for (uint32_t y = 0; y < l.height; y++)
                    for (uint32_t x = 0; x < l.width * texel; x++) {
                        uint64_t at = tex_address(&l, x, y, z);
                        assert_true(at < bytes);
                        assert_int_equal(at, z * l.slice_bytes + place(&l, true, l.width * texel, x, y));
                        assert_int_equal(used[at]++, 0);
                    }
            free(used);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout),         cmocka_unit_test(one_dimension), cmocka_unit_test(two_dimensions),
        cmocka_unit_test(three_dimensions), cmocka_unit_test(repeats_need_normalized), cmocka_unit_test(texel_numbers),
        cmocka_unit_test(offsets),        cmocka_unit_test(layers),        cmocka_unit_test(cube_maps),
        cmocka_unit_test(levels),         cmocka_unit_test(gradients),     cmocka_unit_test(gathers),
        cmocka_unit_test(srgb),           cmocka_unit_test(raw_bits),      cmocka_unit_test(no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
