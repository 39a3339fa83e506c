/*
 * Performing captured loads and stores (access.h): bytes between a line, or the block's shared memory, and the lanes'
 * registers. A loaded element is extended to its register as its type says; lanes are in ascending order, so of several
 * stores to one place the last wins.
 */
#include <string.h>

#include "ptx/access.h"

__extension__ typedef unsigned __int128 wide_mask;

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

/* Every bit of `words` four times: the bytes of words. */
static uint64_t bytes_of_words(uint64_t words)
{
    words = (words | words << 24) & 0x000000ff000000ff;
    words = (words | words << 12) & 0x000f000f000f000f;
    words = (words | words << 6) & 0x0303030303030303;
    words = (words | words << 3) & 0x1111111111111111;
    return words * 15;
}

/* BYTES from each lane's data into the line; `marks` gets a bit for every UNIT bytes that were written. */
#define STORE_LANES(BYTES, UNIT, marks)                                                                     \
    for (uint64_t m = lanes; m; m &= m - 1) {                                                               \
        int i = __builtin_ctzll(m);                                                                         \
        unsigned at = op->address[i] & 127;                                                                 \
        memcpy(line + at, op->data[i] + from, BYTES);                                                       \
        marks |= (__typeof__(marks))mask_all(BYTES / (UNIT)) << at / (UNIT);                                    \
    }

static void store_words(const struct mem_op *op, uint64_t lanes, unsigned from, unsigned bytes, uint8_t *line,
                        uint64_t mask[2])
{
    uint32_t words = 0;
    switch (bytes) {
    case 4: STORE_LANES(4, 4, words) break;
    case 8: STORE_LANES(8, 4, words) break;
    case 16: STORE_LANES(16, 4, words) break;
    default: STORE_LANES(32, 4, words)
    }
    mask[0] |= bytes_of_words(words & 0xffff);
    mask[1] |= bytes_of_words(words >> 16);
}

void mem_store_line(const struct mem_op *op, uint64_t lanes, unsigned piece, uint8_t *line, uint64_t mask[2])
{
    bool pieces = op->width > 4 && lanes & op->served_by[SERVE_LOCAL];
    unsigned from = pieces ? 4 * piece : 0, bytes = pieces ? 4 : op->width;
    wide_mask marks = 0;
    if (bytes >= 4) {
        store_words(op, lanes, from, bytes, line, mask);
        return;
    }
    if (bytes == 1)
        STORE_LANES(1, 1, marks)
    else
        STORE_LANES(2, 1, marks)
    mask[0] |= (uint64_t)marks;
    mask[1] |= (uint64_t)(marks >> 64);
}

/* BYTES of each lane's data; `changed` becomes true where memory has others. */
#define STORE_SHARED(BYTES, changed)                                                                        \
    for (uint64_t m = lanes; m; m &= m - 1) {                                                               \
        int i = __builtin_ctzll(m);                                                                         \
        changed |= memcmp(shared + op->address[i], op->data[i], BYTES) != 0;                                \
        memcpy(shared + op->address[i], op->data[i], BYTES);                                                \
    }

static void store_shared(struct mem_op *op, uint64_t lanes)
{
    char *shared = op->warp->block->shared;
    bool changed = false;
    switch (op->width) {
    case 1: STORE_SHARED(1, changed) break;
    case 2: STORE_SHARED(2, changed) break;
    case 4: STORE_SHARED(4, changed) break;
    case 8: STORE_SHARED(8, changed) break;
    case 16: STORE_SHARED(16, changed) break;
    default: STORE_SHARED(32, changed)
    }
    op->warp->half[0].worker->changes += changed;        /* progress, for loops that wait */
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
