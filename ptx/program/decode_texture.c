/*
 * Decoding of texture and surface instructions. A fetch is one step (ptx/texture/fetch.h). A surface access is a step
 * that computes the addresses, and a step that accesses global memory there.
 */
#include "ptx/program/decode.h"
#include "ptx/texture/fetch.h"

static uint16_t new_bounds(struct decoder *x)
{
    return (uint16_t)(x->p->mem_ids++ % (BOUNDS_CACHE / 2));
}

/* ---- geometry ---- */

static bool is_layered(const struct ptx_inst *in)
{
    uint8_t g = in->mod[PG_GEOM];
    return g == MOD(GEOM, A1D) || g == MOD(GEOM, A2D) || g == MOD(GEOM, ACUBE);
}

static bool is_cube(const struct ptx_inst *in)
{
    return in->mod[PG_GEOM] == MOD(GEOM, CUBE) || in->mod[PG_GEOM] == MOD(GEOM, ACUBE);
}

static uint8_t dims_of(const struct ptx_inst *in)
{
    switch (in->mod[PG_GEOM]) {
    case MOD(GEOM, 1D):
    case MOD(GEOM, A1D): return 1;
    case MOD(GEOM, 2D):
    case MOD(GEOM, A2D): return 2;
    default: return 3;
    }
}

/* The layer, if there is one, and the coordinates. */
static void set_coordinates(struct decoder *x, const struct ptx_operand *address, enum ptx_type t, operand *layer,
                            operand at[3])
{
    const struct ptx_operand *e = address->elem + 2;
    if (is_layered(x->in))
        *layer = decoder_source(x, e++, T_B32);
    for (unsigned d = 0; d < dims_of(x->in); d++)
        at[d] = decoder_source(x, &e[d], t);
}

/* ---- fetches ---- */

static void set_vector(struct decoder *x, const struct ptx_operand *o, enum ptx_type t, unsigned n, operand to[3])
{
    const struct ptx_operand *e = o->kind == OPD_VEC ? o->elem : o;
    for (unsigned d = 0; d < n; d++)
        to[d] = decoder_source(x, &e[d], t);
}

/* The operands after the address: level or gradients, then the offset. */
static void set_extras(struct decoder *x, struct tex_operands *t)
{
    const struct ptx_inst *in = x->in;
    unsigned dims = t->request.dims, k = 2;
    if (t->request.lod == TEX_LOD_LEVEL)
        t->level = decoder_source(x, in->opd[k].kind == OPD_VEC ? in->opd[k].elem : &in->opd[k], T_F32);
    if (t->request.lod == TEX_LOD_GRADIENT) {
        set_vector(x, &in->opd[k++], T_F32, dims, t->dx);
        set_vector(x, &in->opd[k], T_F32, dims, t->dy);
    }
    k += t->request.lod != TEX_LOD_BASE;
    t->has_offset = k < in->nopd && in->opd[k].kind != OPD_NONE;
    if (t->has_offset)
        set_vector(x, &in->opd[k], T_B32, dims, t->offset);
}

static void set_request(const struct ptx_inst *in, struct tex_request *r)
{
    uint8_t lod = in->mod[PG_LOD];
    r->dims = dims_of(in);
    r->layered = is_layered(in);
    r->cube = is_cube(in);
    r->integer = in->type[1] == T_S32;
    r->gather = in->op == OP_TLD4 ? (int8_t)(in->mod[PG_COMP] - MOD(COMP, R)) : -1;
    r->lod = lod == MOD(LOD, LEVEL) ? TEX_LOD_LEVEL : lod == MOD(LOD, GRAD) ? TEX_LOD_GRADIENT : TEX_LOD_BASE;
}

static void set_results(struct decoder *x, const struct ptx_operand *o, operand result[4])
{
    for (int i = 0; i < 4; i++) {
        const struct ptx_operand *e = i < o->n ? &o->elem[i] : NULL;
        result[i] = e && e->kind == OPD_REG ? decoder_reg(x, e->reg) : x->scratch;
    }
}

void decode_texture(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    const struct ptx_operand *address = &in->opd[1];
    struct tex_operands *t = arena_alloc(x->p->arena, sizeof *t);
    set_request(in, &t->request);
    t->type = in->type[0];
    t->texture = decoder_source(x, &address->elem[0], T_U64);
    t->has_sampler = address->elem[1].kind != OPD_NONE;
    if (t->has_sampler)
        t->sampler = decoder_source(x, &address->elem[1], T_U64);
    set_coordinates(x, address, t->request.integer ? T_B32 : T_F32, &t->layer, t->at);
    set_extras(x, t);
    set_results(x, &in->opd[0], t->result);
    struct dinst *d = decoder_add_counting_step(x);
    d->size = (uint8_t)ptx_type_size((enum ptx_type)in->type[0]);
    d->vec = (uint8_t)in->opd[0].n;
    d->target = d->size;
    d->space = SP_TEX;
    d->id = new_bounds(x);
    d->extra = t;
    d->fn = tex_run_fetch;
    decoder_guard(x, d);
}

void decode_texture_query(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    operand object = decoder_source(x, &in->opd[1].elem[0], T_U64);
    operand level = in->mod[PG_LOD] ? decoder_source(x, &in->opd[2], T_U32) : decoder_constant(x, 0, 4);
    struct dinst *d = decoder_add_counting_step(x);
    d->dst = in->opd[0].kind == OPD_REG ? decoder_reg(x, in->opd[0].reg) : x->scratch;
    d->src[0] = object;
    d->src[1] = level;
    d->imm = in->mod[PG_QUERY];
    d->id = new_bounds(x);
    d->fn = tex_run_query;
    decoder_guard(x, d);
}

/* ---- surfaces ---- */

static struct surf_operands *surface_operands(struct decoder *x, const struct ptx_operand *address, int bytes)
{
    const struct ptx_inst *in = x->in;
    struct surf_operands *s = arena_alloc(x->p->arena, sizeof *s);
    s->surface = decoder_source(x, &address->elem[0], T_U64);
    set_coordinates(x, address, T_B32, &s->layer, s->at);
    s->dims = dims_of(in);
    s->layered = is_layered(in);
    s->bytes = (uint8_t)bytes;
    s->bound = in->mod[PG_BOUND];
    s->texels = in->mod[PG_SURF] == MOD(SURF, P);
    s->guarded = in->guard != NULL;
    s->guard = s->guarded ? decoder_reg(x, in->guard) : 0;
    s->guard_negated = in->guard_negated;
    return s;
}

/* The step that computes the addresses; returns them, and the lanes of the access in *lanes. */
static operand add_address(struct decoder *x, const struct surf_operands *s, operand *lanes)
{
    operand address = decoder_temporary(x);
    *lanes = decoder_temporary(x);
    struct dinst *d = decoder_add_step(x);
    d->dst = address;
    d->dst2 = *lanes;
    d->extra = s;
    d->id = new_bounds(x);
    d->fn = tex_run_surface_address;
    return address;
}

static struct dinst *add_global(struct decoder *x, operand address, int size, int count)
{
    struct dinst *d = decoder_add_counting_step(x);
    d->size = (uint8_t)size;
    d->vec = (uint8_t)count;
    d->id = new_bounds(x);
    d->space = SP_GLOBAL;
    d->src[0] = address;
    d->addr_size = 8;
    return d;
}

static void decode_surface_access(struct decoder *x, const struct ptx_operand *address, const struct ptx_operand *data)
{
    const struct ptx_inst *in = x->in;
    int n, reg_bytes, size = ptx_type_size((enum ptx_type)in->type[0]);
    operand lanes, *list = decoder_elements(x, data, in->op == OP_SULD, &n, &reg_bytes);
    struct surf_operands *s = surface_operands(x, address, size * n);
    if (in->op == OP_SULD) {
        s->nresult = (uint8_t)n;
        s->result_bytes = (uint8_t)reg_bytes;
        for (int i = 0; i < n; i++)
            s->result[i] = list[i];
    }
    operand at = add_address(x, s, &lanes);
    struct dinst *d = add_global(x, at, size, n);
    d->extra = list;
    d->target = (uint32_t)reg_bytes;
    d->fn = mem_select(x->p->isa, in, d);
    decoder_guard_by(d, lanes);
}

static void decode_surface_reduction(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    enum ptx_type t = (enum ptx_type)in->type[0];
    operand value = decoder_source(x, &in->opd[1], t), lanes;
    struct surf_operands *s = surface_operands(x, &in->opd[0], ptx_type_size(t));
    operand at = add_address(x, s, &lanes);
    struct dinst *d = add_global(x, at, ptx_type_size(t), 1);
    d->src[1] = value;
    struct ptx_inst number = *in;        /* .p adds without a type, which is the same for signed and unsigned */
    bool adds = in->mod[PG_ATOM] == MOD(ATOM, ADD);
    number.type[0] = adds && t == T_B32 ? T_U32 : in->type[0];
    d->fn = atom_select(&number, d);
    decoder_guard_by(d, lanes);
}

/* The stores of the five sizes of a texel, as elements of 1, 2 and 4 bytes from registers of 4 bytes. */
static void set_stores(struct decoder *x, struct surf_stores *all, const struct dinst *like, operand packed)
{
    operand *list = arena_alloc(x->p->arena, 4 * sizeof *list);
    for (unsigned e = 0; e < 4; e++)
        list[e] = packed + e * 4 * LANES;
    for (unsigned k = 0; k < 5; k++) {
        struct dinst *d = &all->of_bytes[k];
        *d = *like;
        d->size = (uint8_t)(k < 2 ? 1 << k : 4);
        d->vec = (uint8_t)(k < 2 ? 1 : 1 << (k - 2));
        d->target = 4;
        d->extra = list;
        d->rounded = mem_select(x->p->isa, x->in, d);
        d->fn = d->guarded = d->rounded;
        struct mem_shape *shape = arena_alloc(x->p->arena, sizeof *shape);
        mem_describe(shape, d);
        d->shape = shape;
    }
}

static void decode_formatted_store(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    struct surf_operands *s = surface_operands(x, &in->opd[0], 0);
    struct surf_stores *all = arena_alloc(x->p->arena, sizeof *all);
    const struct ptx_operand *e = in->opd[1].kind == OPD_VEC ? in->opd[1].elem : &in->opd[1];
    operand zero = decoder_constant(x, 0, 4), lanes;
    int n = in->opd[1].kind == OPD_VEC ? in->opd[1].n : 1;
    for (int c = 0; c < 4; c++)
        s->value[c] = c < n ? decoder_source(x, &e[c], T_B32) : zero;
    s->formatted = true;
    s->packed = decoder_temporary(x);
    operand at = add_address(x, s, &lanes);
    struct dinst *d = add_global(x, at, 4, 1);
    d->src[2] = s->surface;
    d->seq = (uint32_t)(in - x->f->insts);
    d->fn = tex_run_formatted_store;
    decoder_guard_by(d, lanes);
    set_stores(x, all, d, s->packed);
    d->extra = all;
}

void decode_surface(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    if (in->op == OP_SURED)
        decode_surface_reduction(x);
    else if (in->mod[PG_SURF] == MOD(SURF, P))
        decode_formatted_store(x);
    else if (in->op == OP_SULD)
        decode_surface_access(x, &in->opd[1], &in->opd[0]);
    else
        decode_surface_access(x, &in->opd[0], &in->opd[1]);
}
