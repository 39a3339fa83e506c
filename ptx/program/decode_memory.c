/*
 * Decoding of memory instructions: the address operand is split into register and displacement, the registers of the
 * elements are listed, and the executing function of functional mode is chosen. Timing mode captures these steps
 * (ptx/memory/access.h).
 */
#include <stddef.h>

#include "ptx/exec/cluster.h"
#include "ptx/program/decode.h"

/* The base, a register or a constant, goes to src[0] and the displacement to imm; the state space is resolved. */
static void set_address(struct decoder *x, struct dinst *d, const struct ptx_operand *o, enum ptx_space space)
{
    d->space = (uint8_t)space;
    d->imm = o->imm;
    d->addr_size = 0;
    if (o->has_reg) {
        d->addr_size = (uint8_t)decoder_reg_bytes(o->reg);
        d->src[0] = decoder_reg(x, o->reg);
        if (space == SP_PARAM && !x->f->is_entry)
            d->space = SP_LOCAL;
        return;
    }
    if (!o->has_var)
        return;
    const struct ptx_var *v = decoder_definition(o->var);
    d->imm += (int64_t)v->address;
    if (decoder_is_private(x->f, v)) {
        /* SP_REG marks private memory addressed from the frame of the function */
        d->space = space == SP_GENERIC ? SP_GENERIC : decoder_is_of_module(v) ? SP_LOCAL : SP_REG;
        if (space == SP_GENERIC)
            decoder_error(x, "a generic access to a private variable needs its address taken first");
    } else if (space == SP_GENERIC)
        d->space = v->space == SP_SHARED ? SP_SHARED : v->space == SP_PARAM ? SP_PARAM : SP_GLOBAL;
}

/* The step of an access to `count` elements of `size` bytes. Every memory instruction has a bounds cache entry. */
struct dinst *decoder_add_access(struct decoder *x, const struct ptx_operand *address, int size, int count)
{
    struct dinst *d = decoder_add_counting_step(x);
    d->size = (uint8_t)size;
    d->vec = (uint8_t)count;
    d->id = (uint16_t)(x->p->mem_ids++ % (BOUNDS_CACHE / 2));
    set_address(x, d, address, ptx_inst_space(x->in));
    return d;
}

struct dinst *decoder_add_wide_access(struct decoder *x, const struct ptx_operand *address, int size, int count)
{
    bool narrow = address->has_reg && decoder_reg_bytes(address->reg) == 4;
    operand wide = narrow ? decoder_resize(x, decoder_reg(x, address->reg), 4, 8, false) : 0;
    struct dinst *d = decoder_add_access(x, address, size, count);
    if (narrow) {
        d->src[0] = wide;
        d->addr_size = 8;
    }
    return d;
}

operand decoder_address(struct decoder *x, const struct ptx_operand *o, int64_t *displacement)
{
    *displacement = o->imm;
    if (o->has_reg) {
        operand reg = decoder_reg(x, o->reg);
        return decoder_reg_bytes(o->reg) == 4 ? decoder_resize(x, reg, 4, 8, false) : reg;
    }
    if (o->has_var)
        *displacement += (int64_t)decoder_definition(o->var)->address;
    return decoder_constant(x, 0, 8);
}

/* ---- loads and stores ---- */

/* A register that holds a memory operand may be wider than the type, never narrower. */
static int element_reg_bytes(const struct ptx_operand *o, enum ptx_type t)
{
    return o->kind == OPD_REG ? decoder_reg_bytes(o->reg) : decoder_storage_bytes(t);
}

operand *decoder_elements(struct decoder *x, const struct ptx_operand *o, bool load, int *n, int *bytes)
{
    enum ptx_type t = (enum ptx_type)x->in->type[0];
    const struct ptx_operand *elem = o->kind == OPD_VEC ? o->elem : o;
    *n = o->kind == OPD_VEC ? o->n : 1;
    *bytes = 0;
    for (int i = 0; i < *n; i++)
        if (elem[i].kind == OPD_REG && element_reg_bytes(&elem[i], t) > *bytes)
            *bytes = element_reg_bytes(&elem[i], t);
    if (!*bytes)
        *bytes = decoder_storage_bytes(t);
    operand *list = arena_alloc(x->p->arena, (size_t)*n * sizeof *list);
    for (int i = 0; i < *n; i++) {
        if (elem[i].kind == OPD_REG && element_reg_bytes(&elem[i], t) != *bytes)
            decoder_error(x, "the registers of a vector access must have the same width");
        if (elem[i].kind == OPD_REG)
            list[i] = decoder_reg(x, elem[i].reg);
        else if (load)
            list[i] = x->scratch;
        else if (elem[i].kind == OPD_SREG || elem[i].kind == OPD_VAR || elem[i].kind == OPD_FUNC)
            list[i] = decoder_source(x, &elem[i], t);
        else
            list[i] = decoder_immediate(x, &elem[i],
                                        decoder_storage_bytes(t) == *bytes ? t : *bytes == 8 ? T_B64 : T_B32);
    }
    return list;
}

/* A 128-bit register is accessed as two of 64 bits: its low halves lie before its high halves (lanes.h). */
static operand *split_elements(struct decoder *x, const operand *list, int *n, int *bytes)
{
    operand *parts = arena_alloc(x->p->arena, 2 * (size_t)*n * sizeof *parts);
    for (int i = 0; i < *n; i++) {
        parts[2 * i] = list[i];
        parts[2 * i + 1] = list[i] + LANES * sizeof(uint64_t);
    }
    *n *= 2;
    *bytes = 8;
    return parts;
}

/* n elements between memory and the registers of `list`, which are of reg_bytes. */
static void add_load_store(struct decoder *x, const struct ptx_operand *address, const operand *list, int n,
                           int reg_bytes)
{
    int size = ptx_type_size((enum ptx_type)x->in->type[0]);
    struct dinst *d = decoder_add_access(x, address, size == 16 ? 8 : size, n);
    d->extra = list;
    d->target = (uint32_t)reg_bytes;
    d->fn = mem_select(x->p->isa, x->in, d);
    decoder_guard(x, d);
}

void decode_load_store(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    bool load = ptx_mem_kind((enum ptx_op)in->op) == MOP_LOAD;
    const struct ptx_operand *data = load ? &in->opd[0] : &in->opd[1], *address = load ? &in->opd[1] : &in->opd[0];
    int n, bytes;
    operand *list = decoder_elements(x, data, load, &n, &bytes);
    if (in->type[0] == T_B128)
        list = split_elements(x, list, &n, &bytes);
    add_load_store(x, address, list, n, bytes);
}

/* Timing mode needs the addresses of a prefetch; it has no effect on values. */
void decode_prefetch(struct decoder *x)
{
    struct dinst *d = decoder_add_access(x, &x->in->opd[0], 1, 1);
    d->fn = decode_run_nothing;
    decoder_guard(x, d);
}

/* ---- atomics ---- */

/* Results go through a temporary of 512 bytes, which holds all elements; a 32-bit address may be among them. */
static void decode_vector_atomic(struct decoder *x, const struct ptx_operand *result, const struct ptx_operand *o)
{
    enum ptx_type t = (enum ptx_type)x->in->type[0];
    struct atom_vector *v = arena_alloc(x->p->arena, sizeof *v);
    if (x->in->op == OP_ATOM)
        v->result = arena_alloc(x->p->arena, result->n * sizeof *v->result);
    for (int i = 0; i < o[1].n; i++) {
        v->value[i] = decoder_source(x, &o[1].elem[i], t);
        if (v->result)
            v->result[i] = result->elem[i].kind == OPD_REG ? decoder_reg(x, result->elem[i].reg) : x->scratch;
    }
    operand all = decoder_temporary(x);
    struct dinst *d = decoder_add_wide_access(x, o, ptx_type_size(t), o[1].n);
    d->extra = v;
    d->dst2 = all;
    d->fn = atom_select(x->in, d);
    decoder_guard(x, d);
}

void decode_atomic(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    bool red = in->op == OP_RED;
    const struct ptx_operand *o = in->opd + (red ? 0 : 1);
    enum ptx_type t = (enum ptx_type)in->type[0];
    if (in->mod[PG_VEC]) {
        decode_vector_atomic(x, &in->opd[0], o);
        return;
    }
    operand a = decoder_source(x, &o[1], t);
    operand b = in->mod[PG_ATOM] == MOD(ATOM, CAS) ? decoder_source(x, &o[2], t) : 0;
    struct dinst *d = decoder_add_access(x, &o[0], ptx_type_size(t), 1);
    d->src[1] = a;
    d->src[2] = b;
    if (!red && in->opd[0].kind == OPD_REG)
        d->dst = decoder_reg(x, in->opd[0].reg);
    d->fn = atom_select(in, d);
    decoder_guard(x, d);
}

/* ---- no access: fences and the like, isspacep ---- */

int decode_run_nothing(struct lanes *l, const struct dinst *d)
{
    (void)l;
    (void)d;
    return CONTROL_NEXT;
}

void decode_nothing(struct decoder *x)
{
    struct dinst *d = decoder_add_counting_step(x);
    d->fn = decode_run_nothing;
    decoder_guard(x, d);
}

/* No cache reads policies: every one is 0. */
static int run_policy(struct lanes *l, const struct dinst *d)
{
    uint64_t *out = lanes_at(l, d->dst);
    for (uint32_t m = l->mask; m; m &= m - 1)
        out[__builtin_ctz(m)] = 0;
    return CONTROL_NEXT;
}

void decode_policy(struct decoder *x)
{
    struct dinst *d = decoder_add_counting_step(x);
    if (x->in->opd[0].kind == OPD_REG)
        d->dst = decoder_reg(x, x->in->opd[0].reg);
    d->fn = run_policy;
    decoder_guard(x, d);
}

static bool is_of_other_block(struct lanes *l, uint64_t address)
{
    const struct block *b = half_of(l)->warp->block;
    return cluster_rank(b, address) != b->rank;
}

static int run_isspacep(struct lanes *l, const struct dinst *d)
{
    const uint64_t *a = lanes_at(l, d->src[0]);
    uint32_t *out = lanes_at(l, d->dst), r = 0;
    const struct launch *la = half_of(l)->worker->launch;
    bool cluster = d->in->mod[PG_SHAREDSUB] == MOD(SHAREDSUB, SHARED_CLUSTER);
    for (int i = 0; i < LANES; i++) {
        uint64_t window = a[i] >> WINDOW_BITS << WINDOW_BITS;
        bool in_param = a[i] - la->program->param_address < PARAM_MAX;
        const struct mem_range *m = window ? NULL : devmem_find(la->mem, a[i]);
        bool in_const = m && (m->kind == MEM_CONSTANT || m->kind == MEM_PARAMETERS) && !in_param;
        bool yes = d->space == SP_SHARED  ? window == WINDOW_SHARED && (cluster || !is_of_other_block(l, a[i]))
                   : d->space == SP_LOCAL ? window == WINDOW_LOCAL
                   : d->space == SP_PARAM ? in_param
                   : d->space == SP_CONST ? in_const
                                          : !window && !in_const && !in_param;
        r |= (uint32_t)yes << i;
    }
    *out = (*out & ~l->mask) | (r & l->mask);
    return CONTROL_NEXT;
}

void decode_isspacep(struct decoder *x)
{
    operand from = decoder_source(x, &x->in->opd[1], T_U64);
    struct dinst *d = decoder_add_counting_step(x);
    d->dst = x->in->opd[0].kind == OPD_REG ? decoder_reg(x, x->in->opd[0].reg) : x->scratch;
    d->src[0] = from;
    d->space = (uint8_t)ptx_inst_space(x->in);
    d->fn = run_isspacep;
    decoder_guard(x, d);
}

/* ---- addresses of the shared memory of a cluster: 4 or 8 bytes, of the window of shared memory or generic ---- */

static uint64_t address_at(const struct lanes *l, const struct dinst *d, int lane)
{
    const void *a = lanes_at(l, d->src[0]);
    return d->size == 8 ? ((const uint64_t *)a)[lane] : ((const uint32_t *)a)[lane];
}

static int run_mapa(struct lanes *l, const struct dinst *d)
{
    const uint32_t *rank = lanes_at(l, d->src[1]);
    void *out = lanes_at(l, d->dst);
    for (uint32_t m = l->mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        uint64_t to = cluster_map(address_at(l, d, i), rank[i]);
        if (d->size == 8)
            ((uint64_t *)out)[i] = to;
        else
            ((uint32_t *)out)[i] = (uint32_t)to;
    }
    return CONTROL_NEXT;
}

static int run_getctarank(struct lanes *l, const struct dinst *d)
{
    uint32_t *out = lanes_at(l, d->dst);
    for (uint32_t m = l->mask; m; m &= m - 1)
        out[__builtin_ctz(m)] = cluster_rank(half_of(l)->warp->block, address_at(l, d, __builtin_ctz(m)));
    return CONTROL_NEXT;
}

static struct dinst *add_address_step(struct decoder *x, ptx_fn *fn, operand from, operand rank)
{
    struct dinst *d = decoder_add_counting_step(x);
    d->dst = x->in->opd[0].kind == OPD_REG ? decoder_reg(x, x->in->opd[0].reg) : x->scratch;
    d->size = (uint8_t)ptx_type_size((enum ptx_type)x->in->type[0]);
    d->src[0] = from;
    d->src[1] = rank;
    d->fn = fn;
    decoder_guard(x, d);
    return d;
}

void decode_mapa(struct decoder *x)
{
    operand from = decoder_source(x, &x->in->opd[1], (enum ptx_type)x->in->type[0]);
    operand rank = decoder_source(x, &x->in->opd[2], T_U32);
    add_address_step(x, run_mapa, from, rank);
}

void decode_getctarank(struct decoder *x)
{
    operand from = decoder_source(x, &x->in->opd[1], (enum ptx_type)x->in->type[0]);
    add_address_step(x, run_getctarank, from, 0);
}
