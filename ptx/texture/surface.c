/* Addresses of surface accesses; formatted stores; queries of textures and surfaces. */
#include <string.h>

#include "ptx/lanes/half.h"
#include "ptx/texture/fetch.h"

/* Where a lane accesses a surface: a byte of a row, the row, the slice. */
struct place { int64_t x, y, slice; };

static uint32_t word(const struct half *h, operand o, int lane)
{
    return ((const uint32_t *)lanes_at(&h->l, o))[lane];
}

static const char *mismatch(const struct tex_image *i, const struct surf_operands *s)
{
    struct tex_request r = { .dims = s->dims, .layered = s->layered };
    bool faces = i->cube && s->layered && s->dims == 2;
    return faces ? NULL : tex_mismatch(i, &r);
}

static struct place place_of(const struct half *h, const struct surf_operands *s, const struct tex_image *i, int lane)
{
    struct place p = { (int32_t)word(h, s->at[0], lane), 0, 0 };
    p.x *= s->texels ? tex_texel_bytes(i->format) : 1;
    if (s->dims > 1)
        p.y = (int32_t)word(h, s->at[1], lane);
    if (s->dims > 2)
        p.slice = (int32_t)word(h, s->at[2], lane);
    if (s->layered)
        p.slice = word(h, s->layer, lane);
    return p;
}

static int64_t clamped(int64_t v, int64_t most)
{
    return v < 0 ? 0 : v > most ? most : v;
}

/* Moves the place to the edge if the instruction says so. False: it is outside. */
static bool bring_inside(struct place *p, const struct tex_level *l, uint8_t bound, uint32_t row, uint32_t bytes)
{
    struct place q = { clamped(p->x, (int64_t)row - bytes), clamped(p->y, l->height - 1),
                       clamped(p->slice, l->slices - 1) };
    bool inside = q.x == p->x && q.y == p->y && q.slice == p->slice && bytes <= row;
    if (bound == MOD(BOUND, CLAMP))
        *p = q;
    return inside || (bound == MOD(BOUND, CLAMP) && bytes <= row);
}

/* Addresses one lane: 1 inside, 0 outside, -1 a fault. */
static int address_lane(struct half *h, const struct dinst *d, const struct surf_operands *s, int lane,
                        uint64_t *address, const struct tex_object **object)
{
    int at = lane + LANES * h->index;
    const struct tex_object *o = tex_find(h, d, lane, ((const uint64_t *)lanes_at(&h->l, s->surface))[lane], true);
    if (!o)
        return -1;
    const struct tex_level *l = &o->image.level[0];
    const char *why = mismatch(&o->image, s);
    uint32_t texel = tex_texel_bytes(o->image.format), bytes = s->bytes ? s->bytes : texel;
    struct place p = place_of(h, s, &o->image, lane);
    if (why) {
        fault_raise(h->warp, d, FAULT_TEXTURE, at, 0, "the instruction cannot access surface 0x%llx: %s",
                    (unsigned long long)o->handle, why);
        return -1;
    }
    bool inside = bring_inside(&p, l, s->bound, l->width * texel, bytes);
    if (!inside && s->bound == MOD(BOUND, TRAP)) {
        fault_raise(h->warp, d, FAULT_TEXTURE, at, 0,
                    "byte %lld of row %lld of slice %lld is outside the surface, which has rows of %u bytes, %u rows, "
                    "%u slices", (long long)p.x, (long long)p.y, (long long)p.slice,
                    l->width * texel, l->height, l->slices);
        return -1;
    }
    if (inside && p.x % bytes) {
        fault_raise(h->warp, d, FAULT_MISALIGNED, at, 0, "byte %lld of a row of the surface is no multiple of %u",
                    (long long)p.x, bytes);
        return -1;
    }
    *object = o;
    *address = inside ? tex_address(l, (uint32_t)p.x, (uint32_t)p.y, (uint32_t)p.slice) : 0;
    return inside;
}

static void clear_results(struct half *h, const struct surf_operands *s, int lane)
{
    for (unsigned e = 0; e < s->nresult; e++)
        memset((char *)lanes_at(&h->l, s->result[e]) + lane * s->result_bytes, 0, s->result_bytes);
}

/* ---- formatted stores ---- */

/* Integers keep their low bits; a half is rounded from single precision. */
static void pack(struct half *h, const struct surf_operands *s, struct tex_format f, int lane)
{
    uint8_t texel[TEX_TEXEL_MAX] = { 0 };
    unsigned bytes = f.bits / 8u;
    for (unsigned c = 0; c < f.channels; c++) {
        uint32_t v = word(h, s->value[c], lane);
        if (f.channel == TEX_FLOAT && f.bits == 16)
            v = f32_to_f16(f32_of(v));
        memcpy(texel + c * bytes, &v, bytes);
    }
    for (unsigned e = 0; e < 4; e++)
        memcpy((char *)lanes_at(&h->l, s->packed + e * 4 * LANES) + 4 * lane, texel + 4 * e, 4);
}

int tex_run_surface_address(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    const struct surf_operands *s = d->extra;
    uint64_t *address = lanes_at(l, d->dst);
    uint32_t on = s->guarded ? *(const uint32_t *)lanes_at(l, s->guard) : UINT32_MAX, inside = 0;
    on = (s->guard_negated ? ~on : on) & l->mask;
    for (uint32_t m = on; m; m &= m - 1) {
        int lane = __builtin_ctz(m), r;
        const struct tex_object *o;
        uint64_t at;
        r = address_lane(h, d, s, lane, &at, &o);
        if (r < 0)
            return CONTROL_FAULT;
        address[lane] = at;
        inside |= r ? m & -m : 0;
        if (!r)
            clear_results(h, s, lane);
        else if (s->formatted)
            pack(h, s, o->image.format, lane);
    }
    *(uint32_t *)lanes_at(l, d->dst2) = inside;
    return CONTROL_NEXT;
}

static const struct dinst *store_of(struct half *h, const struct dinst *d, int lane)
{
    const struct surf_stores *all = d->extra;
    const struct tex_object *o = tex_find(h, d, lane, ((const uint64_t *)lanes_at(&h->l, d->src[2]))[lane], true);
    return o ? &all->of_bytes[__builtin_ctz(tex_texel_bytes(o->image.format))] : NULL;
}

/* All lanes have surfaces with texels of one size. */
const struct dinst *tex_formatted_store(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    const struct dinst *one = NULL;
    for (uint64_t m = lanes; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        struct half *h = &w->half[lane / LANES];
        const struct dinst *mine = store_of(h, d, lane % LANES);
        if (mine && (!one || mine == one)) {
            one = mine;
            continue;
        }
        if (mine)
            fault_raise(w, d, FAULT_TEXTURE, lane, 0,
                        "the lanes of a warp store to surfaces with texels of different sizes");
        return NULL;
    }
    const struct surf_stores *all = d->extra;
    return one ? one : &all->of_bytes[2];
}

int tex_run_formatted_store(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    const struct dinst *one = tex_formatted_store(h->warp, d, (uint64_t)l->mask << LANES * h->index);
    return one ? one->rounded(l, one) : CONTROL_FAULT;
}

/* ---- queries ---- */

/* OpenCL's numbers of channel types and orders, as the PTX ISA names them. */
static uint32_t data_type(const struct tex_object *o)
{
    static const uint16_t types[3][3] = { { 0x10d7, 0x10d8, 0x10d9 }, { 0x10da, 0x10db, 0x10dc },
                                          { 0, 0x10dd, 0x10de } };
    static const uint16_t fractions[2][2] = { { 0x10d0, 0x10d1 }, { 0x10d2, 0x10d3 } };
    struct tex_format f = o->image.format;
    unsigned size = f.bits == 8 ? 0 : f.bits == 16 ? 1 : 2;
    if (o->sampler.to_float && f.channel != TEX_FLOAT && size < 2)
        return fractions[f.channel][size];
    return types[f.channel][size];
}

static uint32_t channel_order(const struct tex_format *f)
{
    return f->channels == 1 ? 0x10b0 : f->channels == 2 ? 0x10b2 : 0x10b5;
}

static uint32_t depth_of(const struct tex_image *i, const struct tex_level *l)
{
    return i->dims == 3 ? l->slices : 0;
}

static uint32_t image_attribute(const struct tex_object *o, uint8_t query, uint32_t level)
{
    const struct tex_image *i = &o->image;
    const struct tex_level *l = &i->level[level < i->levels ? level : i->levels - 1];
    switch (query) {
    case MOD(QUERY, WIDTH): return l->width;
    case MOD(QUERY, HEIGHT): return i->dims > 1 ? l->height : 0;
    case MOD(QUERY, DEPTH): return depth_of(i, l);
    case MOD(QUERY, ARRAY_SIZE): return i->layers;
    case MOD(QUERY, NUM_MIPMAP_LEVELS): return i->levels;
    case MOD(QUERY, CHANNEL_DATA_TYPE): return data_type(o);
    case MOD(QUERY, CHANNEL_ORDER): return channel_order(&i->format);
    case MOD(QUERY, MEMORY_LAYOUT): return l->block != 0;
    default: return o->sampler.normalized;
    }
}

static uint32_t sampler_attribute(const struct tex_sampler *s, uint8_t query)
{
    switch (query) {
    case MOD(QUERY, FILTER_MODE): return s->linear;
    case MOD(QUERY, ADDR_MODE_0): return s->wrap[0];
    case MOD(QUERY, ADDR_MODE_1): return s->wrap[1];
    case MOD(QUERY, ADDR_MODE_2): return s->wrap[2];
    default: return !s->normalized;
    }
}

static bool is_sampler_query(uint8_t q)
{
    return q == MOD(QUERY, FILTER_MODE) || q == MOD(QUERY, ADDR_MODE_0) || q == MOD(QUERY, ADDR_MODE_1) ||
           q == MOD(QUERY, ADDR_MODE_2) || q == MOD(QUERY, FORCE_UNNORMALIZED_COORDS);
}

/* A sampler's variable holds its state. */
static uint64_t sampler_state(const struct half *h, uint64_t handle)
{
    const char *variable;
    uint64_t v = tex_handle_at(h, handle, &variable);
    return (v & TEX_HANDLE_KIND) == TEX_HANDLE_SAMPLER ? v : 0;
}

int tex_run_query(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    uint8_t query = (uint8_t)d->imm;
    for (uint32_t m = l->mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        uint64_t handle = ((const uint64_t *)lanes_at(l, d->src[0]))[lane];
        uint64_t state = is_sampler_query(query) ? sampler_state(h, handle) : 0;
        struct tex_sampler s = { .normalized = true };
        const struct tex_object *o = state ? NULL : tex_find(h, d, lane, handle, d->in->op == OP_SUQ);
        if (!o && !state)
            return CONTROL_FAULT;
        if (o)
            s = o->sampler;
        tex_sampler_apply(state, &s);
        ((uint32_t *)lanes_at(l, d->dst))[lane] = is_sampler_query(query)
                                                      ? sampler_attribute(&s, query)
                                                      : image_attribute(o, query, word(h, d->src[1], lane));
    }
    return CONTROL_NEXT;
}
