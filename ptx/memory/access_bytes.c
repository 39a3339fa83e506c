/*
 * Performs captured loads and stores (access.h): copies bytes between a line, or the block's shared memory, and the
 * lanes' registers. A loaded element is extended to its register as its type requires. Lanes are in ascending order, so
 * of several stores to one address that of the highest lane wins.
 */
#include <string.h>

#include "ptx/matrix/matrix_rows.h"
#include "ptx/memory/access.h"
#include "ptx/memory/async_copy.h"
#include "ptx/memory/mbarrier.h"

__extension__ typedef unsigned __int128 wide_mask;

/* The bytes of an access: at `from` plus the lane's address (its low bits for a line) plus `at`. */
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

/* Writes half n of registers of 8 bytes. */
static void put_word(uint32_t *reg, const uint64_t *address, uint32_t mask, struct place p, unsigned n)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        memcpy(&reg[2 * i + n], p.from + (address[i] & p.low), 4);
    }
}

/* Writes elements [first, first + n) of the given lanes; the bytes of the first are at p.at. */
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

/* ---- the same or consecutive addresses: one value for all lanes, or one copy ---- */

#define SPREAD(TYPE)                                                                                        \
    {                                                                                                       \
        TYPE v, *out = reg;                                                                                 \
        memcpy(&v, from, sizeof v);                                                                         \
        for (int i = 0; mask == UINT32_MAX && i < LANES; i++)                                               \
            out[i] = v;                                                                                     \
        for (uint32_t m = mask == UINT32_MAX ? 0 : mask; m; m &= m - 1)                                     \
            out[__builtin_ctz(m)] = v;                                                                      \
    }

static void spread(void *reg, const uint8_t *from, uint32_t mask, unsigned size)
{
    switch (size) {
    case 2: SPREAD(uint16_t) break;
    case 4: SPREAD(uint32_t) break;
    default: SPREAD(uint64_t)
    }
}

/* Consecutive values; 4 bytes of 32 lanes is the most frequent case. */
static void copy_row(uint8_t *to, const uint8_t *from, unsigned bytes)
{
    if (bytes == LANES * 4)
        memcpy(to, from, LANES * 4);
    else
        memcpy(to, from, bytes);
}

/* Loads these lanes together if their pattern allows it; the bytes of the first are at p.at. */
static bool put_together(struct mem_op *op, uint64_t lanes, struct place p)
{
    unsigned first, n, size = op->size;
    if (op->pattern == MEM_PATTERN_SCATTERED || op->count > 1 || op->reg_bytes != size)
        return false;
    for (unsigned k = 0; k < MAX_HALVES; k++) {
        uint32_t mask = (uint32_t)(lanes >> LANES * k);
        if (!mask)
            continue;
        uint8_t *reg = (uint8_t *)op->warp->half[k].regs + op->reg[0];
        n = mem_run(mask, &first);
        const uint8_t *from = p.from + (op->address[LANES * k + first] & p.low);
        if (op->pattern == MEM_PATTERN_SAME)
            spread(reg, from, mask, size);
        else if (n)
            copy_row(reg + first * size, from, n * size);
        else
            put_of(size, size, false)(reg, op->address + LANES * k, mask, p);
    }
    return true;
}

static void keep_bytes(struct mem_op *op, uint64_t lanes, const uint8_t *line)
{
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        memcpy(mem_data(op, lane), line + (op->address[lane] & 127), op->width);
    }
}

void mem_load_data(struct mem_op *op, uint64_t lanes)
{
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint8_t line[128];
        memcpy(line + (op->address[lane] & 127), mem_data(op, lane), op->width);
        mem_load_line(op, m & -m, 0, line);
    }
}

void mem_load_line(struct mem_op *op, uint64_t lanes, unsigned piece, const uint8_t *line)
{
    if (op->to_data) {
        keep_bytes(op, lanes, line);
        return;
    }
    struct place p = { line, 127, 0 };
    bool words = op->width > 4 && lanes & op->served_by[SERVE_LOCAL];
    if (put_together(op, lanes, p))
        return;
    if (!words)
        put_elements(op, lanes, 0, op->count, p);
    else if (op->size <= 4)
        put_elements(op, lanes, piece * 4 / op->size, 4u / op->size, p);
    else
        for (unsigned k = 0; k < MAX_HALVES; k++)
            put_word((uint32_t *)(void *)(op->warp->half[k].regs + op->reg[piece / 2]), op->address + LANES * k,
                     (uint32_t)(lanes >> LANES * k), p, piece % 2);
}

/* A byte mask from a word mask: every bit of `words` four times. */
static uint64_t bytes_of_words(uint64_t words)
{
    words = (words | words << 24) & 0x000000ff000000ff;
    words = (words | words << 12) & 0x000f000f000f000f;
    words = (words | words << 6) & 0x0303030303030303;
    words = (words | words << 3) & 0x1111111111111111;
    return words * 15;
}

/* Copies BYTES of each lane's data into the line; `marks` gets a bit for every UNIT bytes written. */
#define STORE_LANES(BYTES, UNIT, marks)                                                                     \
    for (uint64_t m = lanes; m; m &= m - 1) {                                                               \
        int i = __builtin_ctzll(m);                                                                         \
        unsigned at = op->address[i] & 127;                                                                 \
        memcpy(line + at, data + (unsigned)i * op->stride, BYTES);                                          \
        marks |= (__typeof__(marks))mask_all(BYTES / (UNIT)) << at / (UNIT);                                    \
    }

static void store_words(const struct mem_op *op, uint64_t lanes, unsigned from, unsigned bytes, uint8_t *line,
                        uint64_t mask[2])
{
    const uint8_t *data = (const uint8_t *)op->data + from;
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

/* Bits from to until - 1 of a mask of 64. */
static uint64_t bits(unsigned from, unsigned until)
{
    return from < until ? mask_all(until) & ~mask_all(from) : 0;
}

/* The bytes that the lanes of a store have together, from *first on, if they are consecutive; else 0. */
static unsigned row_of(const struct mem_op *op, uint64_t lanes, unsigned *first)
{
    bool row = lanes && op->pattern == MEM_PATTERN_CONSECUTIVE && op->stride == op->width;
    return row ? mem_run(lanes, first) * op->width : 0;
}

void mem_store_line(const struct mem_op *op, uint64_t lanes, unsigned piece, uint8_t *line, uint64_t mask[2])
{
    bool pieces = op->width > 4 && lanes & op->served_by[SERVE_LOCAL];
    unsigned from = pieces ? 4 * piece : 0, bytes = pieces ? 4 : op->width, first, row = row_of(op, lanes, &first);
    const uint8_t *data = (const uint8_t *)op->data + from;
    wide_mask marks = 0;
    if (row) {
        unsigned at = op->address[first] & 127;
        copy_row(line + at, data + first * op->stride, row);
        mask[0] |= bits(at, at + row);
        mask[1] |= bits(at > 64 ? at - 64 : 0, at + row > 64 ? at + row - 64 : 0);
        return;
    }
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

/* Copies BYTES of each lane's data; `changed` is set if memory had other bytes. */
#define STORE_SHARED(BYTES, changed)                                                                        \
    for (uint64_t m = lanes; m; m &= m - 1) {                                                               \
        unsigned i = (unsigned)__builtin_ctzll(m);                                                          \
        changed |= memcmp(shared + op->address[i], mem_data(op, i), BYTES) != 0;                            \
        memcpy(shared + op->address[i], mem_data(op, i), BYTES);                                            \
    }

static void store_shared(struct mem_op *op, uint64_t lanes)
{
    uint8_t *shared = (uint8_t *)op->warp->block->shared;
    unsigned first, row = lanes ? row_of(op, lanes, &first) : 0;
    bool changed = false;
    if (row) {
        changed = memcmp(shared + op->address[first], mem_data(op, first), row) != 0;
        copy_row(shared + op->address[first], mem_data(op, first), row);
    } else
        switch (op->width) {
        case 1: STORE_SHARED(1, changed) break;
        case 2: STORE_SHARED(2, changed) break;
        case 4: STORE_SHARED(4, changed) break;
        case 8: STORE_SHARED(8, changed) break;
        case 16: STORE_SHARED(16, changed) break;
        default: STORE_SHARED(32, changed)
        }
    op->warp->half[0].worker->changes += changed;        /* ends waiting loops */
}

void mem_perform_shared(struct mem_op *op)
{
    uint64_t all = op->served_by[SERVE_SHARED], lanes = mem_legal(op, all);
    struct place p = { (const uint8_t *)op->warp->block->shared, UINT64_MAX, 0 };
    switch (op->kind) {
    case MOP_LOAD:
        if (op->to_shared)
            async_copy_zeros(op);
        else if (op->d->in->op == OP_LDMATRIX)
            matrix_load_rows(op);
        else if (!put_together(op, lanes, p))
            put_elements(op, lanes, 0, op->count, p);
        break;
    case MOP_STORE: store_shared(op, lanes); break;
    case MOP_ATOM:
    case MOP_RED: mem_atomic_shared(op, lanes); break;
    default: break;
    }
    if (op->completes)
        mbarrier_complete_lanes(op, all, op->warp->block);
}
