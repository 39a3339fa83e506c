/*
 * Performing captured loads and stores (access.h): bytes between a line, or the block's shared memory, and the lanes' registers. A loaded
 * element is extended to its register as its type says; lanes are in ascending order, so of several stores to one place the last wins.
 */
#include <string.h>

#include "ptx/access.h"

/* Where bytes of an access lie: `from` plus the lane's address in it (only its low bits for a line) plus `at`. */
struct place { const uint8_t *from; uint64_t low; unsigned at; };

typedef void put_fn(void *reg, const uint64_t *address, uint32_t mask, struct place p);

#define PUT(MT, RT, NAME)                                                                                   \
    static void put_##NAME(void *reg, const uint64_t *address, uint32_t mask, struct place p)               \
    {                                                                                                       \
        RT *out = reg;                                                                                      \
        const uint8_t *from = p.from + p.at;                                                                \
        MT v;                                                                                               \
        if (mask == UINT32_MAX)                                                                             \
            for (int i = 0; i < LANES; i++) {                                                               \
                memcpy(&v, from + (address[i] & p.low), sizeof v);                                          \
                out[i] = (RT)v;                                                                             \
            }                                                                                               \
        else                                                                                                \
            for (uint32_t m = mask; m; m &= m - 1) {                                                        \
                memcpy(&v, from + (address[__builtin_ctz(m)] & p.low), sizeof v);                           \
                out[__builtin_ctz(m)] = (RT)v;                                                              \
            }                                                                                               \
    }

PUT(uint8_t, uint16_t, u8_16)
PUT(uint8_t, uint32_t, u8_32)
PUT(uint8_t, uint64_t, u8_64)
PUT(int8_t, int16_t, s8_16)
PUT(int8_t, int32_t, s8_32)
PUT(int8_t, int64_t, s8_64)
PUT(uint16_t, uint16_t, u16_16)
PUT(uint16_t, uint32_t, u16_32)
PUT(uint16_t, uint64_t, u16_64)
PUT(int16_t, int32_t, s16_32)
PUT(int16_t, int64_t, s16_64)
PUT(uint32_t, uint32_t, u32_32)
PUT(uint32_t, uint64_t, u32_64)
PUT(int32_t, int64_t, s32_64)
PUT(uint64_t, uint64_t, u64_64)

/* By bytes in memory, bytes of the register, and sign extension. */
static put_fn *put_of(unsigned size, unsigned reg_bytes, bool sign)
{
    static put_fn *const table[4][4][2] = {
        { { NULL }, { put_u8_16, put_s8_16 }, { put_u8_32, put_s8_32 }, { put_u8_64, put_s8_64 } },
        { { NULL }, { put_u16_16, put_u16_16 }, { put_u16_32, put_s16_32 }, { put_u16_64, put_s16_64 } },
        { { NULL }, { NULL }, { put_u32_32, put_u32_32 }, { put_u32_64, put_s32_64 } },
        { { NULL }, { NULL }, { NULL }, { put_u64_64, put_u64_64 } },
    };
    return table[__builtin_ctz(size)][__builtin_ctz(reg_bytes)][sign];
}

/* One word of the elements' registers, of 8 bytes each: the n-th half. */
static void put_word(uint32_t *reg, const uint64_t *address, uint32_t mask, struct place p, unsigned n)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        memcpy(&reg[2 * i + n], p.from + (address[i] & p.low), 4);
    }
}

/* Elements [first, first + n) of the given lanes, of which the place holds the first one's bytes at p.at. */
static void put_elements(struct mem_op *op, uint64_t lanes, unsigned first, unsigned n, struct place p)
{
    put_fn *put = put_of(op->size, op->reg_bytes, op->sign);
    for (unsigned k = 0; k < MAX_HALVES; k++) {
        uint32_t mask = (uint32_t)(lanes >> LANES * k);
        struct place e = p;
        for (unsigned i = first; mask && i < first + n; i++, e.at += op->size)
            put(op->warp->half[k].regs + op->reg[i], op->address + LANES * k, mask, e);
    }
}

void mem_load_line(struct mem_op *op, uint64_t lanes, unsigned piece, const uint8_t *line)
{
    struct place p = { line, 127, 0 };
    bool words = op->width > 4 && lanes & op->served_by[SERVE_LOCAL];
    if (!words)
        put_elements(op, lanes, 0, op->count, p);
    else if (op->size <= 4)
        put_elements(op, lanes, piece * 4 / op->size, 4u / op->size, p);
    else
        for (unsigned k = 0; k < MAX_HALVES; k++)
            put_word((uint32_t *)(void *)(op->warp->half[k].regs + op->reg[piece / 2]), op->address + LANES * k,
                     (uint32_t)(lanes >> LANES * k), p, piece % 2);
}

/* The bits [at, at + n) of a line's byte mask, n a power of two. */
static void mark_bytes(uint64_t mask[2], unsigned at, unsigned n)
{
    mask[at / 64] |= mask_all(n) << at % 64;
}

#define STORE_LANES(BYTES)                                                                                  \
    for (uint64_t m = lanes; m; m &= m - 1) {                                                               \
        int i = __builtin_ctzll(m);                                                                         \
        unsigned at = op->address[i] & 127;                                                                 \
        memcpy(line + at, op->data[i] + from, BYTES);                                                       \
        mark_bytes(mask, at, BYTES);                                                                        \
    }

void mem_store_line(const struct mem_op *op, uint64_t lanes, unsigned piece, uint8_t *line, uint64_t mask[2])
{
    bool words = op->width > 4 && lanes & op->served_by[SERVE_LOCAL];
    unsigned from = words ? 4 * piece : 0, n = words ? 4 : op->width;
    switch (n) {
    case 4: STORE_LANES(4) break;
    case 8: STORE_LANES(8) break;
    default: STORE_LANES(n)
    }
}

static void store_shared(struct mem_op *op, uint64_t lanes)
{
    char *shared = op->warp->block->shared;
    for (uint64_t m = lanes; m; m &= m - 1) {
        int i = __builtin_ctzll(m);
        memcpy(shared + op->address[i], op->data[i], op->width);
    }
}

void mem_perform_shared(struct mem_op *op)
{
    uint64_t lanes = op->served_by[SERVE_SHARED];
    struct place p = { (const uint8_t *)op->warp->block->shared, UINT64_MAX, 0 };
    switch (op->kind) {
    case MOP_LOAD: put_elements(op, lanes, 0, op->count, p); break;
    case MOP_STORE: store_shared(op, lanes); break;
    case MOP_ATOM:
    case MOP_RED: mem_atomic_shared(op, lanes); break;
    default: break;
    }
}
