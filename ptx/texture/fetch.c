/* Executes tex and tld4 in both modes: handles, coordinates, results. */
#include <string.h>

#include "ptx/lanes/half.h"
#include "ptx/texture/fetch.h"

/* ---- objects ---- */

static int lane_of_warp(const struct half *h, int lane)
{
    return lane + LANES * h->index;
}

uint64_t tex_handle_at(const struct half *h, uint64_t handle, const char **variable)
{
    const struct mem_range *m = handle & TEX_HANDLE_KIND ? NULL : devmem_find(h->worker->launch->mem, handle);
    *variable = NULL;
    if (!m || m->kind != MEM_VARIABLE || m->hi - handle < sizeof handle)
        return handle;
    *variable = m->name ? m->name : "";
    return *(const uint64_t *)(uintptr_t)handle;
}

/* The memory of the image is still allocated. */
static bool image_is_allocated(struct half *h, const struct dinst *d, const struct tex_image *i)
{
    struct worker *k = h->worker;
    if (i->lo >= k->bounds[d->id].lo && i->hi <= k->bounds[d->id].hi)
        return true;
    const struct mem_range *m = devmem_find(k->launch->mem, i->lo);
    if (!m || i->hi > m->hi)
        return false;
    k->bounds[d->id].lo = m->lo;
    k->bounds[d->id].hi = m->hi;
    return true;
}

const struct tex_object *tex_find(struct half *h, const struct dinst *d, int lane, uint64_t handle, bool surface)
{
    const char *variable, *kind = surface ? "surface" : "texture";
    uint64_t bound = tex_handle_at(h, handle, &variable);
    const struct tex_object *o = tex_table_find(h->worker->launch->textures, bound);
    int at = lane_of_warp(h, lane);
    if (o && o->surface == surface && image_is_allocated(h, d, &o->image))
        return o;
    if (o && o->surface == surface)
        fault_raise(h->warp, d, FAULT_FREED, at, o->image.lo, "the memory of %s 0x%llx was freed", kind,
                    (unsigned long long)bound);
    else if (variable && !bound)
        fault_raise(h->warp, d, FAULT_TEXTURE, at, handle, "the %s reference '%s' is not bound", kind, variable);
    else
        fault_raise(h->warp, d, FAULT_TEXTURE, at, 0, "0x%llx is no %s object: it was destroyed or never created",
                    (unsigned long long)bound, kind);
    return NULL;
}

/* ---- one lane ---- */

static uint32_t word(const struct half *h, operand o, int lane)
{
    return ((const uint32_t *)lanes_at(&h->l, o))[lane];
}

static uint64_t wide(const struct half *h, operand o, int lane)
{
    return ((const uint64_t *)lanes_at(&h->l, o))[lane];
}

static void fill_request(const struct half *h, const struct tex_operands *x, int lane, struct tex_request *r)
{
    *r = x->request;
    r->layer = r->layered ? word(h, x->layer, lane) : 0;
    for (unsigned d = 0; d < r->dims; d++) {
        uint32_t v = word(h, x->at[d], lane);
        r->texel[d] = r->integer ? (int32_t)v : 0;
        r->at[d] = r->integer ? 0 : f32_of(v);
        r->offset[d] = x->has_offset && !r->cube ? (int32_t)word(h, x->offset[d], lane) : 0;
        if (r->lod == TEX_LOD_GRADIENT) {
            r->dx[d] = f32_of(word(h, x->dx[d], lane));
            r->dy[d] = f32_of(word(h, x->dy[d], lane));
        }
    }
    if (r->lod == TEX_LOD_LEVEL)
        r->level = f32_of(word(h, x->level, lane));
}

/* The state of a lane's sampler; 0: the texture's own. False after a fault. */
static bool find_sampler(struct half *h, const struct dinst *d, int lane, uint64_t *state)
{
    const struct tex_operands *x = d->extra;
    const char *variable;
    *state = x->has_sampler ? tex_handle_at(h, wide(h, x->sampler, lane), &variable) : 0;
    if (!*state || (*state & TEX_HANDLE_KIND) == TEX_HANDLE_SAMPLER)
        return true;
    fault_raise(h->warp, d, FAULT_TEXTURE, lane_of_warp(h, lane), 0, "0x%llx is no sampler",
                (unsigned long long)*state);
    return false;
}

/* No address mode applies to linear memory: outside it is 0 (cudaCreateTextureObject). */
static void set_sampler(struct tex_sampler *s, const struct tex_object *o, uint64_t state)
{
    *s = o->sampler;
    tex_sampler_apply(state, s);
    if (o->image.buffer) {
        s->wrap[0] = TEX_BORDER;
        memset(s->border, 0, sizeof s->border);
    }
}

/* The object, the sampler and the texels of a lane's fetch; NULL after a fault. */
static const struct tex_object *plan_lane(struct half *h, const struct dinst *d, int lane, struct tex_sampler *s,
                                          struct tex_plan *p)
{
    const struct tex_operands *x = d->extra;
    struct tex_request r;
    uint64_t state;
    const struct tex_object *o = tex_find(h, d, lane, wide(h, x->texture, lane), false);
    if (!o)
        return NULL;
    fill_request(h, x, lane, &r);
    const char *why = tex_mismatch(&o->image, &r);
    if (why) {
        fault_raise(h->warp, d, FAULT_TEXTURE, lane_of_warp(h, lane), 0,
                    "the instruction cannot read texture 0x%llx: %s", (unsigned long long)o->handle, why);
        return NULL;
    }
    if (!find_sampler(h, d, lane, &state))
        return NULL;
    set_sampler(s, o, state);
    tex_plan(&o->image, s, &r, p);
    return o;
}

static void write_results(struct lanes *l, const struct tex_operands *x, int lane, const uint32_t v[4], bool real)
{
    for (unsigned c = 0; c < 4; c++) {
        uint16_t half = real ? f32_to_f16(f32_of(v[c])) : (uint16_t)v[c];
        if (x->type == T_F16)
            ((uint16_t *)lanes_at(l, x->result[c]))[lane] = half;
        else if (x->type == T_F16X2)
            ((uint16_t *)lanes_at(l, x->result[c / 2]))[2 * lane + (int)c % 2] = half;
        else
            ((uint32_t *)lanes_at(l, x->result[c]))[lane] = v[c];
    }
}

static void finish_lane(struct half *h, const struct dinst *d, int lane, const struct tex_object *o,
                        const struct tex_sampler *s, const struct tex_plan *p,
                        const uint8_t texel[TEX_TAPS][TEX_TEXEL_MAX])
{
    uint32_t v[4];
    bool real = tex_combine(&o->image, s, p, texel, v);
    write_results(&h->l, d->extra, lane, v, real);
}

/* ---- functional mode ---- */

int tex_run_fetch(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    for (uint32_t m = l->mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        uint8_t texel[TEX_TAPS][TEX_TEXEL_MAX];
        struct tex_sampler s;
        struct tex_plan p;
        const struct tex_object *o = plan_lane(h, d, lane, &s, &p);
        if (!o)
            return CONTROL_FAULT;
        for (unsigned t = 0; t < p.n; t++)
            if (p.address[t])
                memcpy(texel[t], (const void *)(uintptr_t)p.address[t], tex_texel_bytes(o->image.format));
        finish_lane(h, d, lane, o, &s, &p, texel);
    }
    return CONTROL_NEXT;
}

/* ---- timing mode ---- */

static uint32_t texels_of(const struct tex_plan *p)
{
    uint32_t n = 0;
    for (unsigned t = 0; t < p->n; t++)
        n += p->address[t] != 0;
    return n;
}

bool tex_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask)
{
    struct tex_fetch *f = op->fetch;
    for (uint32_t m = mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m), at = lane_of_warp(h, lane);
        struct tex_plan *p = &f->plan[at];
        f->object[at] = plan_lane(h, d, lane, &f->sampler[at], p);
        if (!f->object[at])
            return false;
        uint32_t n = texels_of(p), bytes = tex_texel_bytes(f->object[at]->image.format);
        f->left += n;
        f->quads += (p->n + 3u) / 4;
        f->quad_bytes = 4 * bytes > f->quad_bytes ? 4 * bytes : f->quad_bytes;
        f->lanes |= UINT64_C(1) << at;
        op->address[at] = p->address[0];
        if (n)
            op->served_by[SERVE_TEXTURE] |= UINT64_C(1) << at;
    }
    return true;
}

static void finish(struct mem_op *op)
{
    struct tex_fetch *f = op->fetch;
    for (uint64_t m = f->lanes; m; m &= m - 1) {
        int at = __builtin_ctzll(m);
        finish_lane(&op->warp->half[at / LANES], op->d, at % LANES, f->object[at], &f->sampler[at], &f->plan[at],
                    f->texel[at]);
    }
}

void tex_captured(struct mem_op *op)
{
    if (!op->fetch->left)
        finish(op);
}

void tex_arrived(struct mem_op *op, uint64_t block, unsigned shift, const uint8_t *line)
{
    struct tex_fetch *f = op->fetch;
    for (uint64_t m = op->served_by[SERVE_TEXTURE]; m; m &= m - 1) {
        int at = __builtin_ctzll(m);
        uint32_t bytes = tex_texel_bytes(f->object[at]->image.format);
        for (unsigned t = 0; t < f->plan[at].n; t++) {
            uint64_t a = f->plan[at].address[t];
            if (!a || a >> shift != block >> shift)
                continue;
            memcpy(f->texel[at][t], line + (a & 127), bytes);
            f->left--;
        }
    }
    if (!f->left)
        finish(op);
}
