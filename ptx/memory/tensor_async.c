/*
 * cp.async.bulk.tensor: the operands of a lane and their checks, the walk through a box, and the copy of functional
 * mode, where the bytes are copied when the instruction executes.
 *
 * The swizzle (PTX ISA 5.5.6) permutes chunks of 16 bytes within a span of 32, 64 or 128 bytes of shared memory: the
 * number of the chunk in the span changes by an exclusive or with the low bits of the number of its 128-byte line.
 */
#include <string.h>

#include "base/num.h"
#include "ptx/exec/cluster.h"
#include "ptx/memory/bulk_check.h"
#include "ptx/memory/mbarrier.h"
#include "ptx/memory/mem_table.h"
#include "ptx/memory/tensor_async.h"
#include "ptx/program/decode.h"

/* BOX_MAX: more than any shared memory has. */
enum { BOX_ALIGN = 128, BOX_MAX = 1 << CLUSTER_RANK_AT, CHUNK = 16 };

static const struct { uint8_t type, changes; } types[TENSOR_TYPE_COUNT] = {
#define X(e, t, changes) [TENSOR_##e] = { T_##t, changes },
    TENSOR_TYPES(X)
#undef X
};

struct tensor_async {
    struct bulk_operand map, shared, object;
    operand at[TENSOR_DIMS], offset[TENSOR_SPACE], blocks;
    bool has_offsets;
    const struct dinst *reduction[TENSOR_TYPE_COUNT];    /* with that element type; NULL: the operation lacks it */
};

static uint32_t element_bytes(const struct tensor_map *m)
{
    return (uint32_t)ptx_type_size((enum ptx_type)types[m->type].type);
}

static bool is_float(unsigned type)
{
    return ptx_type_class((enum ptx_type)types[type].type) == 'f';
}

/* Elements that the box has in dimension i. */
static uint32_t box_count(const struct tensor_map *m, unsigned i)
{
    if (m->im2col)
        return i < 2 ? m->box[i] : 1;
    return (m->box[i] + m->step[i] - 1u) / m->step[i];
}

/* ---- the walk through the box ---- */

/* Lanes have CHUNK bytes, fewer if the row or the end of the tensor is not aligned to that; in reductions, one
 * element. */
static uint32_t lane_width(const struct tensor_copy *t, bool reduces)
{
    uint32_t bytes = element_bytes(&t->map), edges = (uint32_t)t->at[0] * bytes | (t->map.last[0] + 1u) * bytes | CHUNK;
    return reduces ? bytes : edges & -edges;
}

static void set_geometry(struct tensor_copy *t, bool reduces)
{
    uint64_t bytes = t->map.box[0] * element_bytes(&t->map);
    t->row = (uint32_t)bytes;
    for (unsigned i = 1; i < t->map.rank; i++)
        bytes *= box_count(&t->map, i);
    t->bytes = bytes < BOX_MAX ? (uint32_t)bytes : BOX_MAX;
    t->width = lane_width(t, reduces);
}

/* The window of im2col in dimension i. */
static int64_t window_end(const struct tensor_map *m, unsigned i)
{
    return m->last[i] + INT64_C(1) + m->upper[i - 1];
}

/* The coordinate n pixels after x; *lines: how many times the end of the window is passed. */
static int64_t pixel_after(const struct tensor_map *m, unsigned i, int64_t x, uint32_t n, uint32_t *lines)
{
    int64_t step = m->step[i], end = window_end(m, i), lower = m->lower[i - 1];
    int64_t first = x < end ? (end - x + step - 1) / step : 1, all = (end - lower + step - 1) / step;
    *lines = n < first ? 0 : 1 + (uint32_t)((n - first) / all);
    return n < first ? x + n * step : lower + (n - first) % all * step;
}

/* The coordinates of a row in the dimensions after the first. */
static void row_coordinates(const struct tensor_copy *t, uint32_t row, int64_t *x)
{
    const struct tensor_map *m = &t->map;
    for (unsigned i = 1; i < m->rank; i++) {
        if (!m->im2col) {
            x[i] = t->at[i] + (int64_t)(row % box_count(m, i)) * m->step[i];
            row /= box_count(m, i);
        } else if (i < m->rank - 1u)
            x[i] = pixel_after(m, i, t->at[i], row, &row) + t->offset[i - 1];
        else
            x[i] = t->at[i] + (int64_t)row;
    }
}

/* The address of the row's first byte. *inside: its coordinates in all dimensions but the first are inside the
 * tensor. */
static uint64_t row_address(const struct tensor_copy *t, uint32_t row, bool *inside)
{
    const struct tensor_map *m = &t->map;
    uint64_t address = m->address + (uint64_t)t->at[0] * element_bytes(m);
    int64_t x[TENSOR_DIMS];
    row_coordinates(t, row, x);
    *inside = true;
    for (unsigned i = 1; i < m->rank; i++) {
        *inside &= x[i] >= 0 && x[i] <= m->last[i];
        address += (uint64_t)x[i] * m->stride[i - 1];
    }
    return address;
}

/* Of n lanes from this byte of the row on, those inside the tensor. */
static uint64_t lanes_inside(const struct tensor_copy *t, uint32_t byte, uint32_t n)
{
    int64_t bytes = element_bytes(&t->map), first = t->at[0] * bytes + byte;
    int64_t end = (t->map.last[0] + INT64_C(1)) * bytes;
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < n; i++)
        lanes |= (uint64_t)(first + i * t->width >= 0 && first + i * t->width < end) << i;
    return lanes;
}

uint32_t tensor_part(const struct tensor_copy *t, struct mem_op *op, uint32_t at)
{
    bool inside;
    uint32_t byte = at % t->row;
    uint64_t address = row_address(t, at / t->row, &inside) + byte;
    uint32_t line = BULK_PART - (uint32_t)(address & (BULK_PART - 1)), most = WARP_LANES * t->width;
    uint32_t rest = t->row - byte, n = rest < line ? rest : line;
    enum bulk_direction w = bulk_direction((enum ptx_op)t->d->in->op);
    n = (n < most ? n : most) / t->width;
    op->d = t->d;
    op->kind = w != BULK_SHARED_TO_GLOBAL ? MOP_LOAD : t->d->in->op == OP_TENSOR_REDUCE ? MOP_RED : MOP_STORE;
    op->lanes = inside ? lanes_inside(t, byte, n) : 0;
    op->width = op->size = (uint8_t)t->width;
    op->count = 1;
    op->stride = MEM_WIDTH_MAX;
    op->pattern = MEM_PATTERN_CONSECUTIVE;
    op->atomic_class = t->d->shape->atomic_class;
    for (uint32_t i = 0; i < n; i++)
        op->address[i] = address + i * t->width;
    return n * t->width;
}

static uint64_t swizzled(const struct tensor_copy *t, uint64_t address)
{
    return t->map.span ? address ^ (address >> 3 & (uint64_t)(t->map.span - CHUNK)) : address;
}

void tensor_part_data(const struct tensor_copy *t, struct mem_op *op, uint32_t at, const char *shared)
{
    for (uint64_t m = op->lanes; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctzll(m);
        uint64_t from = swizzled(t, t->shared + at + i * t->width) & CLUSTER_OFFSET_MASK;
        memcpy(mem_data(op, i), shared + from, t->width);
    }
}

/* The fill value of NaN has all bits set but the sign. */
static void fill(const struct tensor_copy *t, uint8_t *data)
{
    uint32_t bytes = element_bytes(&t->map);
    for (uint32_t b = 0; b < t->width; b++)
        data[b] = !t->map.nan ? 0 : b % bytes == bytes - 1 ? 0x7f : 0xff;
}

/* Flushes and rounds the elements of a lane, of single precision. A tf32 has the upper 10 bits of the mantissa. */
static void change(const struct tensor_copy *t, uint8_t *data)
{
    const uint32_t exponent = 0x7f800000;
    uint8_t changes = types[t->map.type].changes;
    for (uint32_t b = 0; b < t->width; b += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, data + b, sizeof word);
        if (changes & TENSOR_FLUSHES && !(word & exponent))
            word &= 0x80000000;
        if (changes & TENSOR_ROUNDS && (word & exponent) != exponent)
            word = (word + 0xfff + (word >> 13 & 1)) & ~UINT32_C(0x1fff);
        memcpy(data + b, &word, sizeof word);
    }
}

void tensor_part_arrived(const struct tensor_copy *t, struct mem_op *op, uint32_t at, uint32_t n)
{
    uint64_t inside = op->lanes;
    op->kind = MOP_STORE;
    op->lanes = n / t->width < WARP_LANES ? (UINT64_C(1) << n / t->width) - 1 : UINT64_MAX;
    op->pattern = MEM_PATTERN_SCATTERED;
    for (uint32_t i = 0; i < n / t->width; i++) {
        op->address[i] = swizzled(t, t->shared + at + i * t->width);
        if (!(inside >> i & 1))
            fill(t, mem_data(op, i));
        else if (types[t->map.type].changes)
            change(t, mem_data(op, i));
    }
}

/* ---- the map ---- */

static uint32_t most_in_box(const struct tensor_map *m, unsigned i)
{
    return m->im2col && i == 1 ? TENSOR_PIXELS_MAX : TENSOR_BOX_MAX;
}

/* Is the window of im2col not empty? */
static bool has_window(const struct tensor_map *m, unsigned i)
{
    bool picture = m->im2col && i > 0 && i < m->rank - 1u;
    return !picture || window_end(m, i) > m->lower[i - 1];
}

static bool has_swizzle(const struct tensor_map *m)
{
    return !m->span || m->span == 32 || m->span == 64 || m->span == 128;
}

/* Dimensions after the second have no box in im2col. */
static bool is_dimension(const struct tensor_map *m, unsigned i)
{
    bool box = (m->im2col && i > 1) || (m->box[i] >= 1 && m->box[i] <= most_in_box(m, i));
    bool step = !i || (m->step[i] >= 1 && m->step[i] <= TENSOR_STEP_MAX && m->stride[i - 1] % CHUNK == 0);
    return box && step && has_window(m, i);
}

static bool is_map(const struct tensor_map *m)
{
    if (m->magic != TENSOR_MAP_MAGIC || m->address % CHUNK || m->rank < (m->im2col ? 3 : 1) || m->rank > TENSOR_DIMS ||
        m->type >= TENSOR_TYPE_COUNT || !has_swizzle(m))
        return false;
    for (unsigned i = 0; i < m->rank; i++)
        if (!is_dimension(m, i))
            return false;
    uint32_t row = m->box[0] * element_bytes(m);
    return row % CHUNK == 0 && (!m->span || row == m->span) && !m->interleave;
}

/* Words, because private memory has no more than these in one place: compilers that lack __grid_constant__ copy a map
 * that is a parameter there. */
static bool copy_map(const struct bulk_site *c, uint64_t address, struct tensor_map *m)
{
    uint32_t words[sizeof *m / sizeof(uint32_t)];
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        const char *word = mem_resolve(c->h, SP_GENERIC, address + i * sizeof *words, c->lane, sizeof *words, false);
        if (!word)
            return false;
        memcpy(&words[i], word, sizeof *words);
    }
    memcpy(m, words, sizeof *m);
    return true;
}

static enum lane_result read_map(const struct bulk_site *c, uint64_t address, struct tensor_map *m)
{
    unsigned want = (unsigned)ptx_tensor_dims(c->d->in);
    if (address % TENSOR_MAP_ALIGN)
        return bulk_misuse(c, FAULT_MISALIGNED, address, "a tensor map must be aligned to 64 bytes, and", "is not");
    if (address >> WINDOW_BITS == WINDOW_SHARED >> WINDOW_BITS)
        return bulk_misuse(c, FAULT_SPACE, address, "a tensor map cannot be in shared memory:", "");
    if (!copy_map(c, address, m))
        return bulk_misuse(c, FAULT_BOUNDS, address, "there is no memory for a tensor map at", "");
    if (!is_map(m))
        return bulk_misuse(c, FAULT_SPACE, address, "the bytes at", "are no valid tensor map");
    if (m->rank != want) {
        fault_raise(c->h->warp, c->d, FAULT_SPACE, c->lane + c->h->index * LANES, address,
                    "the tensor map at 0x%llx has %u dimension%s, and the instruction copies %u",
                    (unsigned long long)address, m->rank, m->rank == 1 ? "" : "s", want);
        return LANE_FAULT;
    }
    if (!m->im2col != !c->d->in->mod[PG_LOD])
        return bulk_misuse(c, FAULT_SPACE, address, "the mode of the instruction is not that of the tensor map at", "");
    return LANE_COPIES;
}

/* ---- the operands of a lane ---- */

static bool has_object(const struct dinst *d)
{
    return bulk_direction((enum ptx_op)d->in->op) == BULK_GLOBAL_TO_SHARED;
}

/* What lies inside the tensor is in allocations. A prefetch of memory that does not exist has no effect. */
static enum lane_result check_tensor(const struct bulk_site *c, const struct tensor_copy *t)
{
    struct mem_op op;
    bool prefetch = c->d->in->op == OP_TENSOR_PREFETCH;
    bool write = bulk_direction((enum ptx_op)c->d->in->op) == BULK_SHARED_TO_GLOBAL;
    for (uint32_t at = 0; at < t->bytes;) {
        at += tensor_part(t, &op, at);
        unsigned first = op.lanes ? (unsigned)__builtin_ctzll(op.lanes) : 0, n = num_ones(op.lanes);
        if (n && mem_resolve(c->h, SP_GLOBAL, op.address[first], c->lane, n * t->width, write))
            continue;
        for (uint64_t m = op.lanes; m; m &= m - 1)
            if (!mem_resolve(c->h, SP_GLOBAL, op.address[__builtin_ctzll(m)], c->lane, t->width, write))
                return prefetch ? LANE_LEFT_OUT
                                : bulk_illegal(c, SP_GLOBAL, op.address[__builtin_ctzll(m)], t->width, write);
    }
    return LANE_COPIES;
}

static enum lane_result check_type(const struct bulk_site *c, uint64_t map, struct tensor_copy *t)
{
    const struct tensor_async *x = c->d->extra;
    bool reduces = c->d->in->op == OP_TENSOR_REDUCE;
    t->d = reduces ? x->reduction[t->map.type] : c->d;
    return t->d ? LANE_COPIES : bulk_misuse(c, FAULT_SPACE, map, "the reduction does not take the element type of the "
                                            "tensor map at", "");
}

static enum lane_result check_size(const struct bulk_site *c, uint64_t map, const struct tensor_copy *t)
{
    return t->bytes < BOX_MAX ? LANE_COPIES
                              : bulk_misuse(c, FAULT_BOUNDS, map, "no shared memory has room for the box of the tensor "
                                            "map at", "");
}

static enum lane_result check_shared(const struct bulk_site *c, const struct tensor_copy *t)
{
    enum ptx_op op = (enum ptx_op)c->d->in->op;
    bool own = op != OP_TENSOR_LOAD && op != OP_TENSOR_MULTICAST;
    return op == OP_TENSOR_PREFETCH ? LANE_COPIES
                                    : bulk_check_shared(c, t->shared, t->bytes, BOX_ALIGN, own, has_object(c->d));
}

/* Offsets of im2col have 16, 8 or 5 bits (PTX ISA 5.5.3.4), so that those of a lane are 16 bits together. */
static int offset_bits(const struct dinst *d)
{
    return 16 / (ptx_tensor_dims(d->in) > 3 ? ptx_tensor_dims(d->in) - 2 : 1);
}

static uint16_t pack_offset(const struct dinst *d, int i, uint32_t offset)
{
    int bits = offset_bits(d);
    return (uint16_t)((offset & ((1u << bits) - 1)) << i * bits);
}

static uint16_t unpack_offset(const struct dinst *d, int i, uint32_t packed)
{
    int bits = offset_bits(d);
    return (uint16_t)(packed >> i * bits & ((1u << bits) - 1));
}

/* Sets the copy of a lane from its operands. */
static enum lane_result begin(const struct bulk_site *c, const struct tensor_lane *o, uint64_t map,
                              struct tensor_copy *t, struct bulk_lane *l)
{
    enum lane_result r = read_map(c, map, &t->map);
    if (r != LANE_COPIES || (r = check_type(c, map, t)) != LANE_COPIES)
        return r;
    memcpy(t->at, o->at, sizeof t->at);
    for (int i = 0; i < ptx_tensor_dims(c->d->in) - 2; i++)
        t->offset[i] = unpack_offset(c->d, i, o->offsets);
    t->shared = o->shared;
    set_geometry(t, c->d->in->op == OP_TENSOR_REDUCE);
    if ((r = check_size(c, map, t)) != LANE_COPIES)
        return r;
    *l = (struct bulk_lane){ .to = o->shared, .from = o->shared, .bytes = t->bytes, .object = o->object,
                             .blocks = o->blocks };
    r = o->empty ? LANE_LEFT_OUT : check_shared(c, t);
    if (r == LANE_COPIES)
        r = check_tensor(c, t);
    if (r == LANE_FAULT || !has_object(c->d))
        return r;
    l->empty = r == LANE_LEFT_OUT;
    l->to = l->empty ? l->object : l->to;
    return bulk_check_object(c, t->shared, l->object, c->d->in->op == OP_TENSOR_LOAD_CTA);
}

/* An address of the window of shared memory. */
static enum lane_result read_address(const struct bulk_site *c, struct bulk_operand x, uint32_t *address)
{
    uint64_t a = bulk_address(c->h, x, c->lane);
    *address = (uint32_t)a;
    return bulk_check_shared(c, a, 0, 1, false, false);
}

static enum lane_result read_operands(const struct bulk_site *c, struct tensor_lane *o)
{
    const struct tensor_async *x = c->d->extra;
    enum lane_result r = LANE_COPIES;
    *o = (struct tensor_lane){ .shared = 0 };
    for (int i = 0; i < ptx_tensor_dims(c->d->in); i++)
        o->at[i] = ((const int32_t *)lanes_at(&c->h->l, x->at[i]))[c->lane];
    for (int i = 0; x->has_offsets && i < ptx_tensor_dims(c->d->in) - 2; i++)
        o->offsets |= pack_offset(c->d, i, ((const uint16_t *)lanes_at(&c->h->l, x->offset[i]))[c->lane]);
    uint32_t object = 0;
    if (c->d->in->op != OP_TENSOR_PREFETCH)
        r = read_address(c, x->shared, &o->shared);
    if (r == LANE_COPIES && has_object(c->d))
        r = read_address(c, x->object, &object);
    o->object = object;
    return r == LANE_COPIES && has_object(c->d) ? bulk_blocks(c, x->blocks, o->object, &o->blocks) : r;
}

/* ---- functional mode ---- */

static void load(const struct bulk_site *c, const struct tensor_copy *t, struct block *to)
{
    struct mem_op op;
    for (uint32_t at = 0, n; at < t->bytes; at += n) {
        n = tensor_part(t, &op, at);
        for (uint64_t m = op.lanes; m; m &= m - 1)
            memcpy(mem_data(&op, (unsigned)__builtin_ctzll(m)),
                   (const void *)(uintptr_t)op.address[__builtin_ctzll(m)], t->width);
        tensor_part_arrived(t, &op, at, n);
        for (uint64_t m = op.lanes; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctzll(m);
            memcpy(to->shared + (op.address[i] & CLUSTER_OFFSET_MASK), mem_data(&op, i), t->width);
        }
    }
    c->h->worker->changes++;
}

static void reduce(const struct bulk_site *c, struct mem_op *op)
{
    struct atom_payload payload;
    mem_atomic_request(op, op->lanes, &payload);
    mem_atomic_perform(c->h->worker, op->address[__builtin_ctzll(op->lanes)] & ~(uint64_t)(BULK_PART - 1), &payload);
}

static void store(const struct bulk_site *c, const struct tensor_copy *t)
{
    struct mem_op op;
    for (uint32_t at = 0, n; at < t->bytes; at += n) {
        n = tensor_part(t, &op, at);
        tensor_part_data(t, &op, at, c->h->warp->block->shared);
        if (op.kind == MOP_RED && op.lanes)
            reduce(c, &op);
        for (uint64_t m = op.kind == MOP_RED ? 0 : op.lanes; m; m &= m - 1)
            memcpy((void *)(uintptr_t)op.address[__builtin_ctzll(m)], mem_data(&op, (unsigned)__builtin_ctzll(m)),
                   t->width);
    }
    c->h->worker->changes++;
}

static enum lane_result copy(const struct bulk_site *c, const struct tensor_copy *t, const struct bulk_lane *l)
{
    enum lane_result r = LANE_COPIES;
    if (c->d->in->op == OP_TENSOR_STORE || c->d->in->op == OP_TENSOR_REDUCE)
        store(c, t);
    for (uint32_t m = l->blocks; m && r == LANE_COPIES; m &= m - 1) {
        struct block *to = bulk_block(c, (uint32_t)__builtin_ctz(m), l->to, &r);
        if (to && !l->empty)
            load(c, t, to);
        if (to)
            mbarrier_complete(to, l->object, l->bytes);
    }
    return r;
}

static int run_tensor(struct lanes *x, const struct dinst *d)
{
    struct half *h = half_of(x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        const struct bulk_site c = { h, d, __builtin_ctz(m) };
        const struct tensor_async *e = d->extra;
        struct tensor_lane o;
        struct tensor_copy t;
        struct bulk_lane l;
        enum lane_result r = read_operands(&c, &o);
        if (r == LANE_COPIES)
            r = begin(&c, &o, bulk_address(h, e->map, c.lane), &t, &l);
        if (r == LANE_COPIES)
            r = copy(&c, &t, &l);
        if (r == LANE_FAULT)
            return CONTROL_FAULT;
    }
    return CONTROL_NEXT;
}

/* ---- timing mode ---- */

bool tensor_async_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask)
{
    const struct tensor_async *x = d->extra;
    for (uint32_t m = mask; m; m &= m - 1) {
        const struct bulk_site c = { h, d, __builtin_ctz(m) };
        unsigned at = (unsigned)c.lane + LANES * h->index;
        struct tensor_lane o;
        struct tensor_copy t;
        struct bulk_lane l;
        enum lane_result r = read_operands(&c, &o);
        op->address[at] = bulk_address(h, x->map, c.lane);
        if (r == LANE_COPIES)
            r = begin(&c, &o, op->address[at], &t, &l);
        if (r == LANE_FAULT)
            return false;
        if (r != LANE_COPIES)
            continue;
        o.empty = l.empty;
        memcpy(mem_data(op, at), &o, sizeof o);
        op->lanes |= UINT64_C(1) << at;
    }
    return true;
}

bool tensor_copy_begin(struct tensor_copy *t, struct bulk_lane *l, const struct mem_op *op, unsigned lane)
{
    const struct bulk_site c = { &op->warp->half[lane / LANES], op->d, (int)(lane % LANES) };
    struct tensor_lane o;
    memcpy(&o, op->data[lane], sizeof o);
    enum lane_result r = begin(&c, &o, op->address[lane], t, l);
    if (r == LANE_LEFT_OUT)
        l->bytes = 0;                /* memory has changed since: nothing is copied */
    return r != LANE_FAULT;
}

/* ---- checks of written memory ---- */

void tensor_async_writes(struct half *h, const struct dinst *d, int lane,
                         void (*wrote)(void *ctx, uint64_t to, uint32_t bytes), void *ctx)
{
    const struct tensor_async *x = d->extra;
    const struct bulk_site c = { h, d, lane };
    enum bulk_direction way = bulk_direction((enum ptx_op)d->in->op);
    int dims = ptx_tensor_dims(d->in);
    struct tensor_copy t = { .d = d };
    struct mem_op op;
    if (way == BULK_GLOBAL_TO_L2 || !copy_map(&c, bulk_address(h, x->map, lane), &t.map) || !is_map(&t.map) ||
        t.map.rank != dims || !t.map.im2col != !d->in->mod[PG_LOD])
        return;
    for (int i = 0; i < dims; i++)
        t.at[i] = ((const int32_t *)lanes_at(&h->l, x->at[i]))[lane];
    set_geometry(&t, d->in->op == OP_TENSOR_REDUCE);
    if (way == BULK_GLOBAL_TO_SHARED) {
        wrote(ctx, bulk_address(h, x->shared, lane), t.bytes);
        return;
    }
    for (uint32_t at = 0; at < t.bytes;) {
        at += tensor_part(&t, &op, at);
        if (op.lanes)
            wrote(ctx, op.address[__builtin_ctzll(op.lanes)], num_ones(op.lanes) * t.width);
    }
}

/* ---- decoding ---- */

/* Bitwise operations are for integers, which have 32 or 64 bits in all reductions. */
static bool takes_type(const struct ptx_inst *in, unsigned type)
{
    uint8_t op = in->mod[PG_ATOM];
    bool bits = op == MOD(ATOM, AND) || op == MOD(ATOM, OR) || op == MOD(ATOM, XOR);
    return is_float(type) ? !bits : ptx_type_size((enum ptx_type)types[type].type) >= 4;
}

/* The step, as if the instruction had the element type. */
static const struct dinst *with_type(struct decoder *x, const struct dinst *d, unsigned type)
{
    struct ptx_inst *in = arena_alloc(x->p->arena, sizeof *in);
    struct dinst *typed = arena_alloc(x->p->arena, sizeof *typed);
    struct mem_shape *shape = arena_alloc(x->p->arena, sizeof *shape);
    *in = *x->in;
    in->type[0] = types[type].type;
    *typed = *d;
    typed->in = in;
    typed->size = (uint8_t)ptx_type_size((enum ptx_type)types[type].type);
    if (!takes_type(in, type) || !atom_select(in, typed))
        return NULL;
    mem_describe(shape, typed);
    typed->shape = shape;
    return typed;
}

void decode_tensor_async(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    bool loads = bulk_direction((enum ptx_op)in->op) == BULK_GLOBAL_TO_SHARED, reduces = in->op == OP_TENSOR_REDUCE;
    const struct ptx_operand *map = in->opd + loads, *offsets = map + 2 + loads;
    struct tensor_async *c = arena_alloc(x->p->arena, sizeof *c);
    if (in->tx)
        decoder_error(x, "an asynchronous copy inside a transaction is not supported");
    c->map = bulk_decode_address(x, map);
    for (int i = 0; i < map[1].n; i++)
        c->at[i] = decoder_source(x, &map[1].elem[i], T_S32);
    if (in->op != OP_TENSOR_PREFETCH)
        c->shared = bulk_decode_address(x, loads ? in->opd : map + 2);
    if (loads)
        c->object = bulk_decode_address(x, map + 2);
    c->has_offsets = in->mod[PG_LOD] == MOD(LOD, IM2COL);
    for (int i = 0; c->has_offsets && i < offsets->n; i++)
        c->offset[i] = decoder_source(x, &offsets->elem[i], T_U16);
    if (bulk_is_multicast((enum ptx_op)in->op))
        c->blocks = decoder_source(x, map + 4, T_U16);
    struct dinst *d = decoder_add_counting_step(x);
    d->extra = c;
    d->size = d->vec = 1;
    d->id = (uint16_t)(x->p->mem_ids++ % (BOUNDS_CACHE / 2));
    d->space = SP_GENERIC;
    for (unsigned type = 0; reduces && type < TENSOR_TYPE_COUNT; type++)
        c->reduction[type] = with_type(x, d, type);
    d->fn = run_tensor;
    decoder_guard(x, d);
}
