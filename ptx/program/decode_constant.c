/*
 * The pool of constants of a function: immediates and addresses, each spread over the 32 lanes, so that every source
 * operand of a step is an array. Equal constants of one width share an entry.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/program/decode.h"

static uint32_t find(struct decoder *x, const void *bytes, int width, bool *found)
{
    uint64_t v = 0;
    memcpy(&v, bytes, (size_t)width);
    uint32_t mask = x->konst_hash_cap - 1;
    uint32_t i = (uint32_t)((v ^ v >> 29 ^ (uint64_t)width << 57) * 0x9e3779b97f4a7c15ull >> 40) & mask;
    for (; x->konst_hash[i]; i = (i + 1) & mask) {
        const char *at = x->konst + (x->konst_hash[i] - 1) / 16 * 16;
        uint64_t have = 0;
        memcpy(&have, at, (size_t)width);
        if ((int)((x->konst_hash[i] - 1) % 16) == width && have == v) {
            *found = true;
            return i;
        }
    }
    *found = false;
    return i;
}

static void rehash(struct decoder *x)
{
    uint32_t *old = x->konst_hash, old_cap = x->konst_hash_cap;
    x->konst_hash_cap = old_cap ? old_cap * 2 : 64;
    x->konst_hash = mem_zero(x->konst_hash_cap, sizeof *x->konst_hash, "the constants of a function");
    for (uint32_t k = 0; k < old_cap; k++)
        if (old[k]) {
            bool found;
            uint32_t i = find(x, x->konst + (old[k] - 1) / 16 * 16, (int)((old[k] - 1) % 16), &found);
            x->konst_hash[i] = old[k];
        }
    free(old);
}

/* Room for `size` more bytes; returns their offset. */
static uint32_t append(struct decoder *x, uint32_t size)
{
    uint32_t at = x->code->konst_bytes;
    if (at + size > x->konst_cap) {
        x->konst_cap = (at + size) * 2;
        x->konst = mem_resize(x->konst, x->konst_cap, 1, "the constants of a function");
    }
    x->code->konst_bytes += size;
    return at;
}

operand decoder_constant(struct decoder *x, uint64_t value, int width)
{
    bool found;
    int bytes = width ? width : 4;
    if (x->nkonst * 2 >= x->konst_hash_cap)
        rehash(x);
    uint32_t i = find(x, &value, bytes, &found);
    if (found)
        return OPERAND_CONST | (x->konst_hash[i] - 1) / 16 * 16;
    uint32_t at = append(x, (uint32_t)bytes * LANES);
    for (int l = 0; l < LANES; l++)
        memcpy(x->konst + at + (size_t)l * (size_t)bytes, &value, (size_t)bytes);
    x->konst_hash[i] = at + (uint32_t)bytes + 1;
    x->nkonst++;
    return OPERAND_CONST | at;
}

operand decoder_constant128(struct decoder *x, uint64_t lo, uint64_t hi)
{
    uint32_t at = append(x, 2 * LANES * sizeof lo);
    uint64_t *p = (uint64_t *)(void *)(x->konst + at);
    for (int l = 0; l < LANES; l++) {
        p[l] = lo;
        p[LANES + l] = hi;
    }
    return OPERAND_CONST | at;
}
