/*
 * Captured atomics (access.h): operands to where they are performed, the operation by the rows of atom.c on arrays that look to them like
 * registers, and old values back into the destination registers.
 */
#include <stddef.h>
#include <string.h>

#include "ptx/access.h"

enum { OPERAND_BYTES = MEM_OPERAND_C };          /* the widest operand of a lane, vectors included */

/* What the rows take for a frame of registers: an element is an array over the lanes, 128 bits are two of 64. */
struct operands {
    uint64_t address[LANES];
    uint8_t b[OPERAND_BYTES * LANES], c[OPERAND_BYTES * LANES], old[OPERAND_BYTES * LANES];
};

static unsigned array_bytes(const struct dinst *d)
{
    return d->size == 16 ? 8 : d->size;
}

/* The operand of lane i, `width` bytes side by side, into the arrays or back. */
static void spread(uint8_t *arrays, const uint8_t *value, unsigned i, unsigned width, unsigned part)
{
    for (unsigned at = 0; at < width; at += part)
        memcpy(arrays + at * LANES + i * part, value + at, part);
}

static void gather(uint8_t *value, const uint8_t *arrays, unsigned i, unsigned width, unsigned part)
{
    for (unsigned at = 0; at < width; at += part)
        memcpy(value + at, arrays + at * LANES + i * part, part);
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

/* One lane's old values into the destination registers. */
static void write_old(struct mem_op *op, unsigned lane, const uint8_t *value)
{
    unsigned part = array_bytes(op->d), i = lane % LANES;
    char *regs = op->warp->half[lane / LANES].regs;
    if (op->size == 16) {
        spread((uint8_t *)regs + op->reg[0], value, i, 16, part);
        return;
    }
    for (unsigned e = 0; e < op->count; e++)
        memcpy(regs + op->reg[e] + i * part, value + e * part, part);
}

void mem_atomic_shared(struct mem_op *op, uint64_t lanes)
{
    unsigned part = array_bytes(op->d);
    for (unsigned k = 0; k < MAX_HALVES; k++) {
        struct half h = { .l.mask = (uint32_t)(lanes >> LANES * k), .warp = op->warp, .worker = op->warp->half[0].worker };
        struct operands o;
        uint8_t old[OPERAND_BYTES];
        if (!h.l.mask)
            continue;
        memcpy(o.address, op->address + LANES * k, sizeof o.address);
        for (uint32_t m = h.l.mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            spread(o.b, op->data[LANES * k + i], i, op->width, part);
            spread(o.c, op->data[LANES * k + i] + MEM_OPERAND_C, i, op->size, part);
        }
        perform(&h, op->d, SP_SHARED, &o);
        for (uint32_t m = h.l.mask; m && op->kind == MOP_ATOM; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            gather(old, o.old, i, op->width, part);
            write_old(op, LANES * k + i, old);
        }
    }
}

void mem_atomic_request(const struct mem_op *op, uint64_t lanes, struct atom_payload *a)
{
    bool cas = op->d->in->mod[PG_ATOM] == MOD(ATOM, CAS);
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

/* How many lanes name the most wanted word of the line. */
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
    k->bounds[d->id].lo = line;                  /* was checked where it was issued */
    k->bounds[d->id].hi = line + 128;
    for (unsigned q = 0; q < MAX_HALVES; q++) {
        struct half h = { .l.mask = a->lanes[q], .worker = k };
        struct operands o;
        for (uint32_t m = h.l.mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m), lane = LANES * q + i;
            o.address[i] = line + a->offset[lane];
            spread(o.b, a->b[lane], i, width, part);
            spread(o.c, a->c[lane], i, d->size, part);
        }
        if (h.l.mask)
            perform(&h, d, SP_GLOBAL, &o);
        for (uint32_t m = h.l.mask; m; m &= m - 1)
            gather(a->b[LANES * q + (unsigned)__builtin_ctz(m)], o.old, (unsigned)__builtin_ctz(m), width, part);
    }
    return most_at_one_word(a);
}

void mem_atomic_reply(struct mem_op *op, uint64_t lanes, const struct atom_payload *a)
{
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctzll(m);
        write_old(op, i, a->b[i]);
    }
}
