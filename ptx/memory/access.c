/*
 * Captures a memory instruction (access.h): the lanes' addresses, the memory that serves each lane, and the operands of
 * a store or an atomic. Bounds are checked as in mem_lanes.c: for all lanes at once against the region that this
 * instruction last accessed. If that fails, lanes are checked one by one; the first illegal one is the lane that
 * functional mode reports.
 */
#include "ptx/memory/access.h"

#include <string.h>

#include "ptx/exec/cluster.h"
#include "ptx/exec/control.h"
#include "ptx/isa/ops_check.h"
#include "ptx/matrix/matrix_rows.h"
#include "ptx/memory/async_copy.h"
#include "ptx/memory/async_store.h"
#include "ptx/memory/bulk_async.h"
#include "ptx/memory/tensor_async.h"
#include "ptx/memory/mem_table.h"
#include "ptx/texture/fetch.h"
#include "ptx/watch/watch.h"

/* The capture of one half of a warp. d: the instruction with the state space of these lanes (generic ones: sorted). */
struct capture {
    struct half *h;
    const struct dinst *d;
    struct mem_op *op;
    uint64_t *address;               /* of its lanes in op */
    uint64_t buffer;                 /* start of the launch's parameters, for accesses to them */
    bool write;
};

/* ---- fields from the instruction ---- */

static bool is_atomic(uint8_t kind)
{
    return kind == MOP_ATOM || kind == MOP_RED;
}

static void describe_order(struct mem_shape *s, const struct ptx_inst *in)
{
    uint8_t sem = ptx_inst_sem(in), cache = in->mod[PG_CACHE];
    s->order_strong = is_atomic(s->kind) || (sem && sem != MOD(SEM, WEAK));
    s->order_acquire = sem == MOD(SEM, ACQUIRE) || sem == MOD(SEM, ACQ_REL);
    s->order_release = sem == MOD(SEM, RELEASE) || sem == MOD(SEM, ACQ_REL);
    bool global = cache == MOD(CACHE, CG) || cache == MOD(CACHE, CV) || cache == MOD(CACHE, WT);
    s->path = s->order_strong || global || in->mod[PG_LEVEL] == MOD(LEVEL, L2) ? PATH_L2 : PATH_CACHED;
}

static uint8_t atomic_class(const struct ptx_inst *in)
{
    if (in->mod[PG_ATOM] == MOD(ATOM, EXCH))
        return ATOMIC_EXCH;
    if (in->mod[PG_ATOM] == MOD(ATOM, CAS))
        return ATOMIC_CAS;
    return ptx_type_class((enum ptx_type)in->type[0]) == 'f' ? ATOMIC_FLOAT : ATOMIC_INTEGER;
}

/* The destination registers, relative to half->regs: that memory moves when it grows. */
static void describe_registers(struct mem_op *op, const struct dinst *d)
{
    const struct half *h = &op->warp->half[0];
    uint32_t frame = (uint32_t)(h->l.base[0] - h->regs);
    const struct atom_vector *v = d->in->mod[PG_VEC] ? d->extra : NULL;
    unsigned count = d->in->op == OP_LDMATRIX ? (unsigned)matrix_count(d) : op->count;
    for (unsigned e = 0; e < count; e++) {
        operand o = op->kind == MOP_LOAD ? ((const operand *)d->extra)[e] : v ? v->result[e] : d->dst;
        op->reg[e] = frame + o;
    }
}

/* Stores of one element have the lanes' bytes adjacent, so that they can be copied together. */
void mem_describe(struct mem_shape *s, const struct dinst *d)
{
    s->kind = (uint8_t)ptx_mem_kind(d->in->op);
    s->size = d->size;
    s->count = d->vec;
    s->width = (uint8_t)(d->size * d->vec);
    s->reg_bytes = is_atomic(s->kind) ? d->size : (uint8_t)d->target;
    s->rows = d->in->op == OP_LDMATRIX || d->in->op == OP_STMATRIX;
    s->sign = s->kind == MOP_LOAD && ptx_type_class((enum ptx_type)d->in->type[0]) == 's';
    s->atomic_class = is_atomic(s->kind) || s->kind == MOP_BULK ? atomic_class(d->in) : 0;
    bool adjacent = s->kind == MOP_STORE && s->count == 1 && !ptx_is_async_store((enum ptx_op)d->in->op);
    s->stride = adjacent ? s->size : MEM_WIDTH_MAX;
    describe_order(s, d->in);
}

static void describe(struct mem_op *op, struct warp *w, const struct dinst *d)
{
    const struct mem_shape *s = d->shape;
    op->warp = w;
    op->d = d;
    op->kind = s->kind;
    op->path = s->path;
    op->width = s->width;
    op->size = s->size;
    op->count = s->count;
    op->reg_bytes = s->reg_bytes;
    op->sign = s->sign;
    op->rows = s->rows;
    op->order_acquire = s->order_acquire;
    op->order_release = s->order_release;
    op->order_strong = s->order_strong;
    op->atomic_class = s->atomic_class;
    op->stride = s->stride;
    op->remote = 0;
    op->to_data = op->no_data = op->last_use = op->noted = false;
    op->to_shared = d->in->op == OP_CP_ASYNC;
    op->completes = ptx_is_async_store((enum ptx_op)d->in->op);
    op->role = 0;
    op->attempt = 0;
    if (!op->to_shared && (op->kind == MOP_LOAD || op->kind == MOP_ATOM))
        describe_registers(op, d);
}

/* ---- addresses and their bounds ---- */

struct region { uint64_t lo, hi; };

static bool inside(uint64_t a, unsigned width, struct region r)
{
    return !(a & (width - 1)) && a >= r.lo && a + width <= r.hi && a + width > a;
}

/* The same for all lanes: bit 63 of a difference is set if an address is below or above. */
static bool scattered_inside(const uint64_t *a, uint32_t mask, struct region r, unsigned width)
{
    if (r.hi - r.lo < width)
        return false;
    uint64_t span = r.hi - r.lo - width, outside = 0, bits = 0;
    if (mask == UINT32_MAX) {
        _Pragma("omp simd reduction(|:outside,bits)") for (int i = 0; i < LANES; i++)
        {
            uint64_t at = a[i] - r.lo;
            outside |= at | (span - at);
            bits |= a[i];
        }
    } else {
        for (uint32_t m = mask; m; m &= m - 1) {
            uint64_t at = a[__builtin_ctz(m)] - r.lo;
            outside |= at | (span - at);
            bits |= a[__builtin_ctz(m)];
        }
    }
    return !(outside >> 63) && !(bits & (width - 1));
}

/* Of consecutive addresses only the first and the last are checked. */
static bool all_inside(const struct capture *c, uint32_t mask, struct region r, unsigned width)
{
    const uint64_t *first = &c->address[__builtin_ctz(mask)];
    switch (c->op->pattern) {
    case MEM_PATTERN_SAME: return inside(*first, width, r);
    case MEM_PATTERN_CONSECUTIVE:
        return inside(*first, width, r) && inside(c->address[31 - __builtin_clz(mask)], width, r);
    default: return scattered_inside(c->address, mask, r, width);
    }
}

static struct region region_of(const struct capture *c)
{
    const struct half *h = c->h;
    switch (c->d->space) {
    case SP_SHARED: return (struct region){ 0, h->warp->block->shared_bytes };
    case SP_PARAM: return (struct region){ c->buffer, c->buffer + (c->write ? 0 : h->worker->launch->param_bytes) };
    case SP_LOCAL:
    case SP_REG: return (struct region){ 0, h->warp->local_cap };
    default: return (struct region){ h->worker->bounds[c->d->id].lo, h->worker->bounds[c->d->id].hi };
    }
}

static bool is_linear(const struct dinst *d)
{
    return d->space != SP_SHARED && d->space != SP_PARAM && d->space != SP_LOCAL && d->space != SP_REG;
}

/* The access of a lane to another block of the cluster: whether that block is there is known when it arrives. */
static bool remote_inside(const struct capture *c, uint64_t a, unsigned width)
{
    const struct block *b = c->h->warp->block;
    return c->d->space == SP_SHARED && cluster_part(a) && !(a >> 32) && cluster_reaches(c->d) &&
           cluster_rank(b, a) < cluster_blocks(b->launch) && inside(a & CLUSTER_OFFSET_MASK, width, region_of(c));
}

/* One lane; for global memory the bounds cache gets the allocation of its address. */
static bool lane_inside(const struct capture *c, uint64_t a, unsigned width)
{
    struct region r = region_of(c);
    if (a & (width - 1))
        return false;
    if (remote_inside(c, a, width))
        return true;
    if (is_linear(c->d) && !inside(a, width, r)) {
        const struct mem_range *m = devmem_find(c->h->worker->launch->mem, a);
        if (!m || (c->write && !launch_may_write(c->h->worker->launch, m)))
            return false;
        r = (struct region){ m->lo, m->hi };
        c->h->worker->bounds[c->d->id].lo = m->lo;
        c->h->worker->bounds[c->d->id].hi = m->hi;
    }
    return inside(a, width, r);
}

static void wrap_addresses(const struct capture *c, uint32_t mask)
{
    if (!mem_wraps(c->d))
        return;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t *a = &c->address[__builtin_ctz(m)];
        if (*a >> 32)
            c->op->pattern = MEM_PATTERN_SCATTERED;
        *a = (uint32_t)*a;
    }
}

/* An illegal access of a lane. False: a fault was raised. True: check.memory tolerates it, and the lane is left out. */
static bool leave_out(const struct capture *c, const struct dinst *d, int lane, uint64_t address, unsigned width)
{
    if (fault_memory(c->h, d, lane, address, width, c->write))
        return false;
    c->op->outside |= 1ull << (lane + LANES * c->h->index);
    return true;
}

/* Removes the lanes that are left out from the mask; false: a fault was raised. */
static bool check_lanes(const struct capture *c, uint32_t *mask, unsigned width)
{
    if (__builtin_expect(all_inside(c, *mask, region_of(c), width), 1))
        return true;
    wrap_addresses(c, *mask);
    for (uint32_t m = *mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        if (lane_inside(c, c->address[i], width))
            continue;
        if (!leave_out(c, c->d, i, c->address[i] - c->buffer, width))
            return false;
        *mask &= ~(m & -m);
    }
    return true;
}

/* ---- spaces ---- */

static void serve(const struct capture *c, enum mem_server s, uint32_t lanes)
{
    c->op->served_by[s] |= (uint64_t)lanes << LANES * c->h->index;
}

/* The lanes that access other blocks. An address with the rank of the own block becomes one without. */
static uint32_t remote_lanes(const struct capture *c, uint32_t mask)
{
    const struct block *b = c->h->warp->block;
    uint32_t remote = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t *a = &c->address[__builtin_ctz(m)];
        if (!cluster_part(*a))
            continue;
        c->op->pattern = MEM_PATTERN_SCATTERED;
        if (cluster_rank(b, *a) == b->rank)
            *a &= CLUSTER_OFFSET_MASK;
        else
            remote |= m & -m;
    }
    return remote;
}

static bool capture_shared(const struct capture *c, uint32_t mask)
{
    if (!check_lanes(c, &mask, c->op->width))
        return false;
    uint32_t remote = cluster_reaches(c->d) ? remote_lanes(c, mask) : 0;
    if (remote)
        serve(c, SERVE_CLUSTER, remote);
    serve(c, SERVE_SHARED, mask & ~remote);
    return true;
}

static bool capture_param(const struct capture *c, uint32_t mask)
{
    if (!check_lanes(c, &mask, c->op->width))
        return false;
    serve(c, SERVE_CONST, mask);
    return true;
}

/* The generic addresses of the kernel's parameters are the same in all launches, the buffers are not. */
static void find_parameters(const struct capture *c)
{
    const struct launch *la = c->h->worker->launch;
    if (la->program->param_address == (uint64_t)(uintptr_t)la->param)
        return;
    uint64_t moved = 0;
    for (int i = 0; i < LANES; i++) {
        uint64_t own = launch_parameter(la, c->address[i]);
        moved |= own ^ c->address[i];
        c->address[i] = own;
    }
    if (moved)
        c->op->pattern = MEM_PATTERN_SCATTERED;
}

static bool capture_global(const struct capture *c, uint32_t mask)
{
    find_parameters(c);
    if (!check_lanes(c, &mask, c->op->width))
        return false;
    bool konst = c->d->space == SP_CONST;
    serve(c, konst ? SERVE_CONST : c->op->d->in->mod[PG_NC] ? SERVE_TEXTURE : SERVE_GLOBAL, mask);
    return true;
}

/* Lanes whose private memory at these addresses is in half->local: .param variables, in functional mode all. */
static uint32_t on_host(const struct capture *c, uint32_t mask)
{
    const struct half *h = c->h;
    uint32_t lanes = 0;
    if (!h->local_device)
        return mask;
    if (!c->d->addr_size)
        return h->param_lanes[c->address[0] / 4] & mask;
    for (uint32_t m = mask; m; m &= m - 1)
        lanes |= h->param_lanes[c->address[__builtin_ctz(m)] / 4] & (m & -m);
    return lanes;
}

static bool capture_private(const struct capture *c, uint32_t mask)
{
    struct half *h = c->h;
    if (!check_lanes(c, &mask, c->op->width))
        return false;
    if (!mask)
        return true;
    uint32_t host = on_host(c, mask);
    c->op->on_host |= (uint64_t)host << LANES * h->index;
    if (!(mask & ~host))
        return true;
    uint64_t base = h->local_device;
    _Pragma("omp simd") for (uint64_t i = 0; i < LANES; i++)
    {
        uint64_t byte = c->address[i];
        c->address[i] = base + ((byte / 4 * LANES + i) * 4 | (byte & 3));
    }
    bool words = c->op->pattern == MEM_PATTERN_SAME && c->op->width == 4;
    c->op->pattern = words ? MEM_PATTERN_CONSECUTIVE : MEM_PATTERN_SCATTERED;
    serve(c, SERVE_LOCAL, mask & ~host);
    return true;
}

static bool capture_space(const struct capture *c, uint32_t mask)
{
    switch (c->d->space) {
    case SP_SHARED: return capture_shared(c, mask);
    case SP_PARAM: return capture_param(c, mask);
    case SP_LOCAL:
    case SP_REG: return capture_private(c, mask);
    default: return capture_global(c, mask);
    }
}

/* ---- generic addresses ---- */

static uint32_t lanes_in_window(const uint64_t *a, uint32_t mask, uint64_t window)
{
    uint32_t lanes = 0;
    for (int i = 0; i < LANES; i++)
        lanes |= (uint32_t)(a[i] >> WINDOW_BITS == window >> WINDOW_BITS) << i;
    return lanes & mask;
}

/* Captures the lanes of one window, with addresses relative to it; those of other lanes are not changed. */
static bool capture_window(const struct capture *c, uint64_t window, uint8_t space, uint32_t lanes)
{
    if (!lanes)
        return true;
    struct dinst d = *c->d;
    struct capture t = *c;
    uint64_t address[LANES];
    d.space = space;
    t.d = &d;
    t.address = address;
    for (int i = 0; i < LANES; i++)
        address[i] = c->address[i] - window;
    if (!capture_space(&t, lanes))
        return false;
    for (uint32_t m = lanes; m; m &= m - 1)
        c->address[__builtin_ctz(m)] = address[__builtin_ctz(m)];
    return true;
}

static bool capture_generic(const struct capture *c, uint32_t mask)
{
    uint64_t any = 0;
    if (mask == UINT32_MAX) {
        _Pragma("omp simd reduction(|:any)") for (int i = 0; i < LANES; i++) any |= c->address[i];
    } else {
        for (uint32_t m = mask; m; m &= m - 1)
            any |= c->address[__builtin_ctz(m)];
    }
    if (!(any >> WINDOW_BITS))
        return capture_global(c, mask);
    uint32_t shared = lanes_in_window(c->address, mask, WINDOW_SHARED);
    uint32_t local = lanes_in_window(c->address, mask, WINDOW_LOCAL);
    bool ok = capture_window(c, 0, SP_GLOBAL, mask & ~(shared | local)) &&
              capture_window(c, WINDOW_SHARED, SP_SHARED, shared) && capture_window(c, WINDOW_LOCAL, SP_LOCAL, local);
    if (local && local != mask)
        c->op->pattern = MEM_PATTERN_SCATTERED;
    return ok;
}

static bool sorts_lanes(const struct dinst *d)
{
    return d->space == SP_GENERIC && d->addr_size == 8;
}

/* ---- atomics: as in atom.c, element by element; private memory is not legal ---- */

static bool atomic_lane_inside(const struct capture *c, uint64_t a, unsigned width)
{
    uint64_t window = a >> WINDOW_BITS;
    struct dinst d = *c->d;
    struct capture t = *c;
    t.d = &d;
    if (d.space != SP_GENERIC)
        return lane_inside(c, a, width);
    if (window && window != WINDOW_SHARED >> WINDOW_BITS)
        return false;
    d.space = window ? SP_SHARED : SP_GLOBAL;
    return lane_inside(&t, window ? a - WINDOW_SHARED : a, width);
}

/* Removes lanes that are left out from the mask, elements and lanes in the order of functional mode; false: a fault. */
static bool check_atomic(const struct capture *c, uint32_t *mask)
{
    const struct dinst *d = c->d;
    const uint64_t *a = c->address;
    wrap_addresses(c, *mask);
    for (uint32_t m = *mask; m && d->vec > 1; m &= m - 1)
        if (a[__builtin_ctz(m)] & (c->op->width - 1u))
            return !fault_memory(c->h, d, __builtin_ctz(m), a[__builtin_ctz(m)], c->op->width, true);
    for (unsigned e = 0; e < d->vec; e++)
        for (uint32_t m = *mask; m; m &= m - 1) {
            uint64_t at = a[__builtin_ctz(m)] + e * d->size;
            if (atomic_lane_inside(c, at, d->size))
                continue;
            if (!leave_out(c, d, __builtin_ctz(m), at, d->size))
                return false;
            *mask &= ~(m & -m);
        }
    return true;
}

static bool capture_atomic(const struct capture *c, uint32_t mask)
{
    if (!all_inside(c, mask, region_of(c), c->op->width) && !check_atomic(c, &mask))
        return false;
    if (!mask)
        return true;
    return c->d->space == SP_GENERIC ? capture_generic(c, mask) : capture_space(c, mask);
}

/* ---- prefetches: addresses outside every allocation are ignored, so is shared memory, which has no cache ---- */

static uint32_t lanes_inside(const struct capture *c, uint32_t mask)
{
    uint32_t lanes = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        if (lane_inside(c, c->address[__builtin_ctz(m)], 1))
            lanes |= m & -m;
    return lanes;
}

static void prefetch_private(const struct capture *c, uint32_t mask)
{
    const struct half *h = c->h;
    uint64_t frame = c->d->space == SP_REG ? (uint64_t)(h->frame_local - h->local) / LANES : 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        uint64_t byte = c->address[i] + frame;
        if (!h->local_device || !lane_inside(c, byte, 1) || h->param_lanes[byte / 4] >> i & 1)
            continue;
        c->address[i] = h->local_device + (byte / 4 * LANES + (unsigned)i) * 4;
        serve(c, SERVE_LOCAL, m & -m);
    }
}

static void capture_prefetch(const struct capture *c, uint32_t mask)
{
    struct dinst d = *c->d;
    struct capture t = *c;
    t.d = &d;
    uint32_t local = 0;
    if (d.space == SP_REG || d.space == SP_LOCAL)
        local = mask;
    else if (d.space == SP_GENERIC && (local = lanes_in_window(c->address, mask, WINDOW_LOCAL))) {
        d.space = SP_LOCAL;
        for (uint32_t m = local; m; m &= m - 1)
            c->address[__builtin_ctz(m)] -= WINDOW_LOCAL;
    }
    prefetch_private(&t, local);
    if (is_linear(c->d))
        serve(c, SERVE_GLOBAL, lanes_inside(c, mask & ~local));
}

/* ---- operands of stores and atomics ---- */

/* Copies n bytes of each lane's element of a register to offset `to` of the lane's data. */
static void copy_values(struct mem_op *op, const struct half *h, operand from, unsigned reg_bytes, unsigned n,
                        uint32_t mask, unsigned to)
{
    const uint8_t *reg = lanes_at(&h->l, from);
    uint8_t *data = mem_data(op, LANES * h->index) + to;
    unsigned stride = op->stride;
    if (stride == n && reg_bytes == n) {
        memcpy(data, reg, LANES * n);
        return;
    }
#define COPY(BYTES)                                                                                         \
    for (uint32_t m = mask; m; m &= m - 1)                                                                  \
        memcpy(data + (unsigned)__builtin_ctz(m) * stride, reg + (unsigned)__builtin_ctz(m) * reg_bytes, BYTES)
    switch (n) {
    case 1: COPY(1); break;
    case 2: COPY(2); break;
    case 4: COPY(4); break;
    default: COPY(8); break;
    }
#undef COPY
}

static void copy_operand(struct mem_op *op, const struct half *h, operand from, uint32_t mask, unsigned to)
{
    if (op->size < 16) {
        copy_values(op, h, from, op->size, op->size, mask, to);
        return;
    }
    copy_values(op, h, from, 8, 8, mask, to);
    copy_values(op, h, from + LANES * sizeof(uint64_t), 8, 8, mask, to + 8);
}

static void capture_values(struct mem_op *op, const struct half *h, const struct dinst *d, uint32_t mask)
{
    const operand *store = op->kind == MOP_STORE ? d->extra : NULL;
    const struct atom_vector *v = !store && d->in->mod[PG_VEC] ? d->extra : NULL;
    for (unsigned e = 0; e < op->count; e++)
        if (store)
            copy_values(op, h, store[e], op->reg_bytes, op->size, mask, e * op->size);
        else
            copy_operand(op, h, v ? v->value[e] : d->src[1], mask, e * op->size);
    if (!store && d->in->mod[PG_ATOM] == MOD(ATOM, CAS))
        copy_operand(op, h, d->src[2], mask, MEM_OPERAND_C);
}

/* ---- the instruction ---- */

/* The start of the addresses of the instruction's space; those of prefetches are handled lane by lane. */
static uint64_t start_of_space(const struct half *h, const struct dinst *d)
{
    switch (d->space) {
    case SP_PARAM: return (uint64_t)(uintptr_t)h->worker->launch->param;
    case SP_REG: return (uint64_t)(h->frame_local - h->local) / LANES;
    default: return 0;
    }
}

static bool capture_half(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask)
{
    if (d->space == SP_TEX)
        return tex_capture(op, h, d, mask);
    if (op->to_shared)
        return async_copy_capture(op, h, d, mask);
    if (op->kind == MOP_BULK)
        return (ptx_is_tensor_copy((enum ptx_op)d->in->op) ? tensor_async_capture : bulk_async_capture)(op, h, d, mask);
    if (d->in->op == OP_LDMATRIX || d->in->op == OP_STMATRIX)
        return matrix_capture(op, h, d, mask);
    struct capture c = { .h = h, .d = d, .op = op, .address = op->address + LANES * h->index };
    uint64_t start = op->kind == MOP_PREFETCH ? 0 : start_of_space(h, d);
    c.buffer = d->space == SP_PARAM ? start : 0;
    c.write = op->kind == MOP_STORE || is_atomic(op->kind);
    op->pattern = mem_addresses[h->warp->isa](&h->l, d, start, mask, c.address);
    if (op->kind == MOP_PREFETCH) {
        op->pattern = MEM_PATTERN_SCATTERED;
        capture_prefetch(&c, mask);
        return true;
    }
    bool ok = is_atomic(op->kind) ? capture_atomic(&c, mask)
              : sorts_lanes(d)    ? capture_generic(&c, mask)
                                  : capture_space(&c, mask);
    if (ok && op->kind != MOP_LOAD)
        capture_values(op, h, d, mask);
    return ok && (!op->completes || async_store_capture(op, h, d, mask));
}

/* The pattern of both halves: theirs, if it is the same and one continues the other. */
static enum mem_pattern joined(const struct mem_op *op, uint8_t first, uint64_t lanes)
{
    uint32_t low = (uint32_t)lanes, high = (uint32_t)(lanes >> LANES), servers = 0;
    for (int s = 0; s < SERVERS; s++)
        servers += op->served_by[s] != 0;
    if (!low || !high)
        return (enum mem_pattern)op->pattern;
    if (first != op->pattern || servers != 1)
        return MEM_PATTERN_SCATTERED;
    unsigned i = (unsigned)__builtin_ctz(low), k = LANES + (unsigned)__builtin_ctz(high);
    uint64_t apart = op->pattern == MEM_PATTERN_SAME ? 0 : (uint64_t)op->width * (k - i);
    return op->address[k] - op->address[i] == apart ? (enum mem_pattern)op->pattern : MEM_PATTERN_SCATTERED;
}

/* Lanes outside read 0 and write nothing. */
static void clear_outside(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    for (uint32_t i = 0; i < w->halves; i++)
        mem_clear_results(&w->half[i].l, d, (uint32_t)(lanes >> LANES * i));
}

/* Lanes of .param words are served by the function of functional mode, after the checks of all lanes. */
static void perform_on_host(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    for (uint32_t i = 0; i < w->halves; i++) {
        struct lanes *x = &w->half[i].l;
        uint32_t all = x->mask;
        x->mask = (uint32_t)(lanes >> LANES * i);
        if (x->mask)
            (d->in->guard ? d->guarded : d->fn)(x, d);
        x->mask = all;
    }
}

bool mem_capture(struct warp *w, const struct dinst *d, uint64_t lanes, struct mem_op *op)
{
    uint8_t first = MEM_PATTERN_SCATTERED;
    if (d->in->op == OP_SUST && d->in->mod[PG_SURF] == MOD(SURF, P) && !(d = tex_formatted_store(w, d, lanes)))
        return false;
    if (w->block->watch && watch_access(w, d, lanes) == CONTROL_FAULT)
        return false;
    describe(op, w, d);
    memset(op->served_by, 0, sizeof op->served_by);
    op->lanes = op->on_host = op->outside = op->combined = 0;
    op->fragments = lanes;
    op->pattern = MEM_PATTERN_SCATTERED;
    for (uint32_t i = 0; i < w->halves; i++) {
        uint32_t mask = (uint32_t)(lanes >> LANES * i);
        first = op->pattern;
        if (mask && !capture_half(op, &w->half[i], d, mask))
            return false;
    }
    for (int s = 0; s < SERVERS; s++)
        op->lanes |= op->served_by[s];
    if (w->halves > 1)
        op->pattern = joined(op, first, lanes);
    if (d->space == SP_TEX)
        tex_captured(op);
    if (op->on_host)
        perform_on_host(w, d, op->on_host);
    if (op->outside)
        clear_outside(w, d, op->outside);
    if (w->tx.open && op->kind == MOP_STORE && op->served_by[SERVE_LOCAL])
        txn_save_stored(w, op);
    return true;
}

/* ---- for reports ---- */

bool mem_seen_by_threads(const struct dinst *d)
{
    return d->space == SP_GLOBAL || d->space == SP_SHARED || d->space == SP_GENERIC;
}

uint64_t mem_lane_address(const struct warp *w, const struct dinst *d, int lane)
{
    return mem_address(&w->half[lane / LANES].l, d, lane % LANES) + (d->space == SP_SHARED ? WINDOW_SHARED : 0);
}
