/*
 * Captured atomics (access.h): operands are copied to the request, the rows of atom.c perform the operation on arrays
 * in the format of registers, and the reply's old values are copied to the destination registers.
 */
#include <stddef.h>
#include <string.h>

#include "ptx/exec/cluster.h"
#include "ptx/memory/mbarrier.h"

enum { OPERAND_BYTES = MEM_OPERAND_C };          /* the widest operand of a lane, vectors included */

/* A frame of registers for the rows of atom.c: an element is an array over the lanes, 128 bits are two of 64. */
struct operands {
    uint64_t address[LANES];
    uint8_t b[OPERAND_BYTES * LANES], c[OPERAND_BYTES * LANES], old[OPERAND_BYTES * LANES];
};

static unsigned array_bytes(const struct dinst *d)
{
    return d->size == 16 ? 8 : d->size;
}

#define EACH_LANE(COPY)                                                                                     \
    for (unsigned at = 0; at < width; at += part)                                                           \
        for (uint32_t m = mask; m; m &= m - 1) {                                                            \
            unsigned i = (unsigned)__builtin_ctz(m);                                                        \
            uint8_t *array = arrays + at * LANES + i * part, *lane = value + i * stride + at;               \
            COPY;                                                                                           \
        }
#define TO(BYTES) EACH_LANE(memcpy(array, lane, BYTES))
#define FROM(BYTES) EACH_LANE(memcpy(lane, array, BYTES))

/* Operands of `width` bytes, `stride` bytes from lane to lane, into the arrays of their parts. */
static void spread(uint8_t *arrays, uint8_t *value, unsigned stride, uint32_t mask, unsigned width, unsigned part)
{
    switch (part) {
    case 2: TO(2) break;
    case 4: TO(4) break;
    default: TO(8)
    }
}

static void gather(uint8_t *arrays, uint8_t *value, unsigned stride, uint32_t mask, unsigned width, unsigned part)
{
    switch (part) {
    case 2: FROM(2) break;
    case 4: FROM(4) break;
    default: FROM(8)
    }
}

static bool is_cas(const struct dinst *d)
{
    return d->in->mod[PG_ATOM] == MOD(ATOM, CAS);
}

static ptx_fn *row_of(const struct dinst *d)
{
    if (d->size == 16)
        return d->in->guard ? d->guarded : d->fn;
    return d->rounded;
}

/* All elements of the lanes in mask, in the order of functional mode. */
static void perform(struct half *h, const struct dinst *d, uint8_t space, struct operands *o)
{
    struct dinst one = *d;
    one.space = space;
    one.addr_size = 8;
    one.src[0] = offsetof(struct operands, address);
    h->l.base[0] = (char *)o;
    for (unsigned e = 0; e < d->vec; e++) {
        unsigned at = e * d->size;
        one.imm = at;
        one.src[1] = (operand)(offsetof(struct operands, b) + at * LANES);
        one.src[2] = (operand)(offsetof(struct operands, c) + at * LANES);
        one.dst = (operand)(offsetof(struct operands, old) + at * LANES);
        row_of(d)(&h->l, &one);
    }
}

/* The results of a test (mbarrier.c), 1 or 0, into the predicate register. */
static void write_tests(struct mem_op *op, unsigned k, uint32_t mask, const uint8_t *result, unsigned stride)
{
    uint32_t *out = (uint32_t *)(void *)(op->warp->half[k].regs + op->reg[0]);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        *out = (*out & ~(1u << i)) | (uint32_t)result[i * stride] << i;
    }
}

/* Old values, `stride` bytes from lane to lane, into the destination registers of one half of the warp. */
static void write_old(struct mem_op *op, unsigned k, uint32_t mask, const uint8_t *old, unsigned stride)
{
    unsigned part = array_bytes(op->d);
    if (ptx_is_mbarrier_test((enum ptx_op)op->d->in->op)) {
        write_tests(op, k, mask, old, stride);
        return;
    }
    for (unsigned at = 0; at < op->width; at += part) {
        uint32_t reg = op->size == 16 ? op->reg[0] + at * LANES : op->reg[at / part];
        char *out = op->warp->half[k].regs + reg;
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            memcpy(out + i * part, old + i * stride + at, part);
        }
    }
}

/* Performs it in the shared memory of a warp's block, at the offsets in the addresses; op->data gets the old values. */
static void perform_shared(struct mem_op *op, uint64_t lanes, struct warp *w, struct worker *worker)
{
    unsigned part = array_bytes(op->d);
    for (unsigned k = 0; k < MAX_HALVES; k++) {
        uint32_t mask = (uint32_t)(lanes >> LANES * k);
        struct half h = { .l.mask = mask, .warp = w, .worker = worker };
        uint8_t *data = mem_data(op, LANES * k);
        struct operands o;
        if (!mask)
            continue;
        for (unsigned i = 0; i < LANES; i++)
            o.address[i] = op->address[LANES * k + i] & CLUSTER_OFFSET_MASK;
        spread(o.b, data, MEM_WIDTH_MAX, mask, op->width, part);
        if (is_cas(op->d))
            spread(o.c, data + MEM_OPERAND_C, MEM_WIDTH_MAX, mask, op->width, part);
        perform(&h, op->d, SP_SHARED, &o);
        if (op->kind != MOP_RED)
            gather(o.old, data, MEM_WIDTH_MAX, mask, op->width, part);
    }
}

static void write_results(struct mem_op *op, uint64_t lanes)
{
    for (unsigned k = 0; k < MAX_HALVES; k++)
        if ((uint32_t)(lanes >> LANES * k))
            write_old(op, k, (uint32_t)(lanes >> LANES * k), mem_data(op, LANES * k), MEM_WIDTH_MAX);
}

void mem_atomic_shared(struct mem_op *op, uint64_t lanes)
{
    perform_shared(op, lanes, op->warp, op->warp->half[0].worker);
    if (op->kind != MOP_RED)
        write_results(op, lanes);
}

/* ---- in another block of the cluster ---- */

/* A warp of that block as far as accesses to shared memory use it. */
static void perform_atomic(struct mem_op *op, uint64_t lanes, struct block *b)
{
    struct warp w = { .block = b };
    perform_shared(op, lanes, &w, b->worker);
}

void mem_cluster_perform(struct mem_op *op, uint64_t lanes, struct block *b)
{
    bool store = op->kind == MOP_STORE, atomic = op->kind == MOP_ATOM || op->kind == MOP_RED;
    if (atomic)
        perform_atomic(op, mem_legal(op, lanes), b);
    for (uint64_t m = atomic ? 0 : mem_legal(op, lanes); m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        char *at = b->shared + (op->address[lane] & CLUSTER_OFFSET_MASK);
        memcpy(store ? at : (char *)mem_data(op, lane), store ? (char *)mem_data(op, lane) : at, op->width);
    }
    b->worker->changes += store;
    if (op->completes)
        mbarrier_complete_lanes(op, lanes, b);
}

void mem_cluster_reply(struct mem_op *op, uint64_t lanes)
{
    if (op->kind == MOP_LOAD)
        mem_load_data(op, lanes);
    else if (op->kind == MOP_ATOM)
        write_results(op, lanes);
}

void mem_atomic_request(const struct mem_op *op, uint64_t lanes, struct atom_payload *a)
{
    bool cas = is_cas(op->d);
    a->d = op->d;
    for (unsigned k = 0; k < MAX_HALVES; k++)
        a->lanes[k] = (uint32_t)(lanes >> LANES * k);
    for (uint64_t m = lanes; m; m &= m - 1) {
        int i = __builtin_ctzll(m);
        a->offset[i] = op->address[i] & 127;
        memcpy(a->b[i], op->data[i], OPERAND_BYTES);
        if (cas)
            memcpy(a->c[i], op->data[i] + MEM_OPERAND_C, OPERAND_BYTES);
    }
}

/* The largest number of lanes that access one word of the line. */
static uint32_t most_at_one_word(const struct atom_payload *a)
{
    uint8_t n[32] = { 0 }, most = 0;
    for (unsigned k = 0; k < MAX_HALVES; k++)
        for (uint32_t m = a->lanes[k]; m; m &= m - 1) {
            uint8_t *at = &n[a->offset[LANES * k + (unsigned)__builtin_ctz(m)] / 4];
            most = ++*at > most ? *at : most;
        }
    return most;
}

uint32_t mem_atomic_perform(struct worker *k, uint64_t line, struct atom_payload *a)
{
    const struct dinst *d = a->d;
    unsigned part = array_bytes(d), width = (unsigned)d->size * d->vec;
    k->bounds[d->id].lo = line;                  /* checked at issue */
    k->bounds[d->id].hi = line + 128;
    for (unsigned q = 0; q < MAX_HALVES; q++) {
        uint32_t mask = a->lanes[q];
        struct half h = { .l.mask = mask, .worker = k };
        struct operands o;
        if (!mask)
            continue;
        for (unsigned i = 0; i < LANES; i++)
            o.address[i] = line + a->offset[LANES * q + i];
        spread(o.b, a->b[LANES * q], OPERAND_BYTES, mask, width, part);
        if (is_cas(d))
            spread(o.c, a->c[LANES * q], OPERAND_BYTES, mask, width, part);
        perform(&h, d, SP_GLOBAL, &o);
        gather(o.old, a->b[LANES * q], OPERAND_BYTES, mask, width, part);
    }
    return most_at_one_word(a);
}

void mem_atomic_mask(const struct atom_payload *a, uint64_t mask[2])
{
    unsigned width = (unsigned)a->d->size * a->d->vec;
    mask[0] = mask[1] = 0;
    for (unsigned q = 0; q < MAX_HALVES; q++)
        for (uint32_t m = a->lanes[q]; m; m &= m - 1) {
            unsigned first = a->offset[LANES * q + (unsigned)__builtin_ctz(m)];
            for (unsigned i = first; i < first + width; i++)
                mask[i / 64] |= UINT64_C(1) << i % 64;
        }
}

void mem_atomic_reply(struct mem_op *op, uint64_t lanes, const struct atom_payload *a)
{
    for (unsigned k = 0; k < MAX_HALVES; k++)
        write_old(op, k, (uint32_t)(lanes >> LANES * k), a->b[LANES * k], OPERAND_BYTES);
}
