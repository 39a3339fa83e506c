/*
 * Loads and stores of a warp, compiled once per vector width (ptx.mk names MEM_TABLE). The lanes' addresses are the
 * same (one access, broadcast), consecutive (one vector), or scattered. Bounds are checked for all lanes at once
 * against the allocation that this instruction last accessed; if that fails, each lane's allocation is looked up.
 *
 * Private memory (local, and parameters of functions) is interleaved by 4-byte word over the lanes, so that the same
 * offset in all lanes is one vector, as on hardware.
 */
#include <string.h>

#include "ptx/exec/exec.h"
#include "ptx/memory/mem_table.h"

#define INLINE static inline __attribute__((always_inline))

/* A linear region: the host address of its address 0, and the range of legal addresses. */
struct region { uint64_t host, lo, hi; };
#define AT(r, address) ((char *)(uintptr_t)((r).host + (address)))

INLINE void addresses(const struct lanes *x, const struct dinst *d, uint64_t imm, uint64_t *addr)
{
    if (d->addr_size == 8) {
        const uint64_t *a = lanes_at(x, d->src[0]);
        _Pragma("omp simd") for (int i = 0; i < LANES; i++) addr[i] = a[i] + imm;
    } else {
        const uint32_t *a = lanes_at(x, d->src[0]);
        _Pragma("omp simd") for (int i = 0; i < LANES; i++) addr[i] = (uint64_t)a[i] + imm;
    }
}

INLINE void classify(const uint64_t *addr, uint32_t mask, int first, uint64_t stride, bool *same, bool *consecutive)
{
    int shift = __builtin_ctzll(stride);     /* strides are powers of two */
    uint64_t a = addr[first], b = a - ((uint64_t)first << shift), other = 0, gap = 0;
    if (mask == UINT32_MAX) {
        _Pragma("omp simd reduction(|:other,gap)") for (int i = 0; i < LANES; i++)
        {
            other |= addr[i] ^ a;
            gap |= addr[i] ^ (b + ((uint64_t)i << shift));
        }
    } else {
        _Pragma("omp simd reduction(|:other,gap)") for (int i = 0; i < LANES; i++)
        {
            uint64_t on = 0 - (uint64_t)(mask >> i & 1);
            other |= (addr[i] ^ a) & on;
            gap |= (addr[i] ^ (b + ((uint64_t)i << shift))) & on;
        }
    }
    *same = !other;
    *consecutive = !gap;
}

enum mem_pattern MEM_ADDRESSES(const struct lanes *x, const struct dinst *d, uint64_t offset, uint32_t mask,
                               uint64_t *address)
{
    bool same, in_row;
    if (d->addr_size == 0) {
        for (int i = 0; i < LANES; i++)
            address[i] = (uint64_t)d->imm + offset;
        return MEM_PATTERN_SAME;
    }
    addresses(x, d, (uint64_t)d->imm + offset, address);
    classify(address, mask, __builtin_ctz(mask), d->size * d->vec, &same, &in_row);
    return same ? MEM_PATTERN_SAME : in_row ? MEM_PATTERN_CONSECUTIVE : MEM_PATTERN_SCATTERED;
}

/* Lowest and highest address, and all low bits that are set anywhere, over the active lanes. */
INLINE void extent(const uint64_t *addr, uint32_t mask, uint64_t *lo, uint64_t *hi, uint64_t *bits)
{
    uint64_t least = UINT64_MAX, most = 0, any = 0;
    for (int i = 0; i < LANES; i++) {
        uint64_t on = 0 - (uint64_t)(mask >> i & 1), a = addr[i];
        uint64_t low = a | ~on, high = a & on;
        least = low < least ? low : least;
        most = high > most ? high : most;
        any |= high;
    }
    *lo = least;
    *hi = most;
    *bits = any;
}

INLINE bool in_region(const struct region *r, uint64_t lo, uint64_t hi)
{
    return lo >= r->lo && hi <= r->hi && lo < hi;
}

/* The region of the space for [lo, hi): for global memory the allocation around it, cached by instruction. */
INLINE bool find_region(struct half *h, const struct dinst *d, enum ptx_space space, bool write, uint64_t lo,
                        uint64_t hi, struct region *r)
{
    if (space == SP_SHARED) {
        *r = (struct region){ (uintptr_t)h->warp->block->shared, 0, h->warp->block->shared_bytes };
        return in_region(r, lo, hi);
    }
    if (space == SP_PARAM) {
        const struct launch *la = h->worker->launch;
        *r = (struct region){ (uintptr_t)la->param, 0, la->param_bytes };
        return in_region(r, lo, hi) && !write;
    }
    r->host = 0;
    r->lo = h->worker->bounds[d->id].lo;
    r->hi = h->worker->bounds[d->id].hi;
    if (__builtin_expect(in_region(r, lo, hi), 1))
        return true;
    const struct mem_range *m = devmem_find(h->worker->launch->mem, lo);
    if (!m || hi > m->hi || lo >= hi || (write && m->kind == MEM_CONSTANT))
        return false;
    r->lo = h->worker->bounds[d->id].lo = m->lo;
    r->hi = h->worker->bounds[d->id].hi = m->hi;
    return true;
}

/* The slow path, one lane at a time. It finds the lane at fault. */
static char *lane_pointer(struct half *h, const struct dinst *d, enum ptx_space space, uint64_t addr, unsigned width,
                          bool write)
{
    struct region r;
    if (addr & (width - 1) || !find_region(h, d, space, write, addr, addr + width, &r))
        return NULL;
    return AT(r, addr);
}

/* ---- loads ---- */

#define LOAD(MT, RT, NAME, SPACE)                                                                          \
    static int NAME(struct lanes *x, const struct dinst *d)                                                \
    {                                                                                                      \
        struct half *h = half_of(x);                                                                       \
        const operand *to = d->extra;                                                                      \
        const unsigned n = d->vec, width = n * (unsigned)sizeof(MT);                                       \
        const uint32_t mask = x->mask;                                                                     \
        const int first = __builtin_ctz(mask), last = 31 - __builtin_clz(mask);                            \
        uint64_t addr[LANES], lo, hi, bits;                                                                \
        bool same = true, consecutive = false;                                                             \
        struct region r;                                                                                   \
        if (d->addr_size) {                                                                                \
            addresses(x, d, (uint64_t)d->imm, addr);                                                       \
            classify(addr, mask, first, width, &same, &consecutive);                                       \
        } else                                                                                             \
            addr[first] = (uint64_t)d->imm;                                                                \
        if (same) {                                                                                        \
            uint64_t a = addr[first];                                                                      \
            if (a & (width - 1) || !find_region(h, d, SPACE, false, a, a + width, &r))                     \
                return mem_outside(x, d, addr, first, width, false, NAME);                                 \
            for (unsigned e = 0; e < n; e++) {                                                             \
                MT m;                                                                                      \
                memcpy(&m, AT(r, a + e * sizeof m), sizeof m);                                           \
                RT *out = lanes_at(x, to[e]), v = (RT)m;                                                   \
                if (mask == UINT32_MAX) {                                                                  \
                    _Pragma("omp simd") for (int i = 0; i < LANES; i++) out[i] = v;                        \
                } else {                                                                                   \
                    _Pragma("omp simd") for (int i = 0; i < LANES; i++) out[i] = mask >> i & 1 ? v : out[i]; \
                }                                                                                          \
            }                                                                                              \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        if (consecutive && !(addr[first] & (width - 1)) &&                                                 \
            find_region(h, d, SPACE, false, addr[first], addr[last] + width, &r)) {                        \
            uint64_t start = addr[first] - (uint64_t)first * width;                                        \
            const MT *p = (const MT *)AT(r, start);                                                    \
            bool whole = start >= r.lo && start + LANES * width <= r.hi && start + LANES * width > start;  \
            if (mask == UINT32_MAX && n == 1) {                                                            \
                RT *out = lanes_at(x, to[0]);                                                              \
                _Pragma("omp simd") for (int i = 0; i < LANES; i++) out[i] = (RT)p[i];                     \
                return CONTROL_NEXT;                                                                       \
            }                                                                                              \
            for (unsigned e = 0; e < n; e++) {                                                             \
                RT *out = lanes_at(x, to[e]);                                                              \
                if (whole) {                                                                               \
                    _Pragma("omp simd") for (int i = 0; i < LANES; i++)                                    \
                        out[i] = mask >> i & 1 ? (RT)p[i * n + e] : out[i];                                \
                } else {                                                                                   \
                    for (uint32_t m = mask; m; m &= m - 1)                                                 \
                        out[__builtin_ctz(m)] = (RT)p[(unsigned)__builtin_ctz(m) * n + e];                 \
                }                                                                                          \
            }                                                                                              \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        extent(addr, mask, &lo, &hi, &bits);                                                               \
        if (!(bits & (width - 1)) && find_region(h, d, SPACE, false, lo, hi + width, &r)) {                \
            for (unsigned e = 0; e < n; e++) {                                                             \
                RT *out = lanes_at(x, to[e]);                                                              \
                if (mask == UINT32_MAX)                                                                    \
                    for (int i = 0; i < LANES; i++)                                                        \
                        out[i] = (RT)((const MT *)AT(r, addr[i]))[e];                                  \
                else                                                                                       \
                    for (uint32_t m = mask; m; m &= m - 1)                                                 \
                        out[__builtin_ctz(m)] = (RT)((const MT *)AT(r, addr[__builtin_ctz(m)]))[e];    \
            }                                                                                              \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        for (uint32_t m = mask; m; m &= m - 1) {                                                           \
            int i = __builtin_ctz(m);                                                                      \
            const char *p = lane_pointer(h, d, SPACE, addr[i], width, false);                              \
            if (!p)                                                                                        \
                return mem_outside(x, d, addr, i, width, false, NAME);                                     \
            for (unsigned e = 0; e < n; e++)                                                               \
                ((RT *)lanes_at(x, to[e]))[i] = (RT)((const MT *)p)[e];                                    \
        }                                                                                                  \
        return CONTROL_NEXT;                                                                               \
    }

/* ---- stores: lanes in ascending order, so at one address the highest lane wins ---- */

#define STORE(MT, RT, NAME, SPACE)                                                                         \
    static int NAME(struct lanes *x, const struct dinst *d)                                                \
    {                                                                                                      \
        struct half *h = half_of(x);                                                                       \
        const operand *from = d->extra;                                                                    \
        const unsigned n = d->vec, width = n * (unsigned)sizeof(MT);                                       \
        const uint32_t mask = x->mask;                                                                     \
        const int first = __builtin_ctz(mask), last = 31 - __builtin_clz(mask);                            \
        uint64_t addr[LANES], lo, hi, bits;                                                                \
        bool same = true, consecutive = false;                                                             \
        struct region r;                                                                                   \
        h->worker->changes++;                                                                              \
        if (d->addr_size) {                                                                                \
            addresses(x, d, (uint64_t)d->imm, addr);                                                       \
            classify(addr, mask, first, width, &same, &consecutive);                                       \
        } else                                                                                             \
            addr[first] = (uint64_t)d->imm;                                                                \
        if (same) {                                                                                        \
            uint64_t a = addr[first];                                                                      \
            if (a & (width - 1) || !find_region(h, d, SPACE, true, a, a + width, &r))                      \
                return mem_outside(x, d, addr, first, width, true, NAME);                                  \
            for (unsigned e = 0; e < n; e++)                                                               \
                ((MT *)AT(r, a))[e] = (MT)((const RT *)lanes_at(x, from[e]))[last];                    \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        if (consecutive && !(addr[first] & (width - 1)) &&                                                 \
            find_region(h, d, SPACE, true, addr[first], addr[last] + width, &r)) {                         \
            MT *p = (MT *)AT(r, addr[first] - (uint64_t)first * width);                              \
            for (unsigned e = 0; e < n; e++) {                                                             \
                const RT *in = lanes_at(x, from[e]);                                                       \
                if (mask == UINT32_MAX) {                                                                  \
                    _Pragma("omp simd") for (int i = 0; i < LANES; i++) p[i * n + e] = (MT)in[i];          \
                } else {                                                                                   \
                    for (uint32_t m = mask; m; m &= m - 1)                                                 \
                        p[(unsigned)__builtin_ctz(m) * n + e] = (MT)in[__builtin_ctz(m)];                  \
                }                                                                                          \
            }                                                                                              \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        extent(addr, mask, &lo, &hi, &bits);                                                               \
        bool together = !(bits & (width - 1)) && find_region(h, d, SPACE, true, lo, hi + width, &r);       \
        for (uint32_t m = mask; m; m &= m - 1) {                                                           \
            int i = __builtin_ctz(m);                                                                      \
            char *p = together ? AT(r, addr[i]) : lane_pointer(h, d, SPACE, addr[i], width, true);       \
            if (!p)                                                                                        \
                return mem_outside(x, d, addr, i, width, true, NAME);                                      \
            for (unsigned e = 0; e < n; e++)                                                               \
                ((MT *)p)[e] = (MT)((const RT *)lanes_at(x, from[e]))[i];                                  \
        }                                                                                                  \
        return CONTROL_NEXT;                                                                               \
    }

/* ---- private memory: a word of all lanes is contiguous ---- */

#define PRIVATE_GET(MT, RT, word, byte, lane)                                                              \
    (sizeof(MT) == 8 ? (RT)(MT)((uint64_t)(word)[lane] | (uint64_t)(word)[LANES + (lane)] << 32)           \
                     : (RT)(MT)((word)[lane] >> (8 * ((byte)&3))))

#define PRIVATE_LOAD(MT, RT, NAME)                                                                         \
    static int NAME(struct lanes *x, const struct dinst *d)                                                \
    {                                                                                                      \
        struct half *h = half_of(x);                                                                       \
        const operand *to = d->extra;                                                                      \
        const unsigned n = d->vec, width = n * (unsigned)sizeof(MT);                                       \
        const uint32_t mask = x->mask;                                                                     \
        if (!d->addr_size) {                                                                               \
            uint64_t at = (uint64_t)d->imm;                                                                \
            if (d->space == SP_REG)                                                                        \
                at += (uint64_t)(h->frame_local - h->local) / LANES;                                       \
            if (at & (width - 1) || at >= h->warp->local_cap || at + width > h->warp->local_cap)           \
                return mem_outside(x, d, &at, 0, width, false, NAME);                                      \
            for (unsigned e = 0; e < n; e++, at += sizeof(MT)) {                                           \
                const uint32_t *w = local_word(h->local, (uint32_t)at, 0);                                  \
                RT *out = lanes_at(x, to[e]);                                                              \
                if (mask == UINT32_MAX) {                                                                  \
                    _Pragma("omp simd") for (int i = 0; i < LANES; i++)                                    \
                        out[i] = PRIVATE_GET(MT, RT, w, at, i);                                            \
                } else {                                                                                   \
                    for (uint32_t m = mask; m; m &= m - 1)                                                 \
                        out[__builtin_ctz(m)] = PRIVATE_GET(MT, RT, w, at, __builtin_ctz(m));              \
                }                                                                                          \
            }                                                                                              \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        uint64_t addr[LANES];                                                                              \
        addresses(x, d, (uint64_t)d->imm, addr);                                                           \
        for (uint32_t m = mask; m; m &= m - 1) {                                                           \
            int i = __builtin_ctz(m);                                                                      \
            uint64_t at = addr[i];                                                                         \
            if (at & (width - 1) || at >= h->warp->local_cap || at + width > h->warp->local_cap)           \
                return mem_outside(x, d, addr, i, width, false, NAME);                                     \
            for (unsigned e = 0; e < n; e++, at += sizeof(MT))                                             \
                ((RT *)lanes_at(x, to[e]))[i] = PRIVATE_GET(MT, RT, local_word(h->local, (uint32_t)at, 0), at, i); \
        }                                                                                                  \
        return CONTROL_NEXT;                                                                               \
    }

#define PRIVATE_PUT(MT, word, byte, lane, value)                                                           \
    do {                                                                                                   \
        if (sizeof(MT) == 8) {                                                                             \
            (word)[lane] = (uint32_t)(value);                                                              \
            (word)[LANES + (lane)] = (uint32_t)((uint64_t)(value) >> 32);                                  \
        } else if (sizeof(MT) == 4)                                                                        \
            (word)[lane] = (uint32_t)(value);                                                              \
        else {                                                                                             \
            unsigned sh = 8 * ((byte)&3);                                                                  \
            uint32_t ones = (sizeof(MT) == 1 ? 0xffu : 0xffffu) << sh;                                     \
            (word)[lane] = ((word)[lane] & ~ones) | (((uint32_t)(value) << sh) & ones);                    \
        }                                                                                                  \
    } while (0)

#define PRIVATE_STORE(MT, RT, NAME)                                                                        \
    static int NAME(struct lanes *x, const struct dinst *d)                                                \
    {                                                                                                      \
        struct half *h = half_of(x);                                                                       \
        const operand *from = d->extra;                                                                    \
        const unsigned n = d->vec, width = n * (unsigned)sizeof(MT);                                       \
        const uint32_t mask = x->mask;                                                                     \
        if (!d->addr_size) {                                                                               \
            uint64_t at = (uint64_t)d->imm;                                                                \
            if (d->space == SP_REG)                                                                        \
                at += (uint64_t)(h->frame_local - h->local) / LANES;                                       \
            if (at & (width - 1) || at >= h->warp->local_cap || at + width > h->warp->local_cap)           \
                return mem_outside(x, d, &at, 0, width, true, NAME);                                       \
            for (unsigned e = 0; e < n; e++, at += sizeof(MT)) {                                           \
                uint32_t *w = local_word(h->local, (uint32_t)at, 0);                                        \
                const RT *in = lanes_at(x, from[e]);                                                       \
                if (mask == UINT32_MAX) {                                                                  \
                    _Pragma("omp simd") for (int i = 0; i < LANES; i++) PRIVATE_PUT(MT, w, at, i, in[i]);  \
                } else {                                                                                   \
                    for (uint32_t m = mask; m; m &= m - 1) {                                               \
                        int i = __builtin_ctz(m);                                                          \
                        PRIVATE_PUT(MT, w, at, i, in[i]);                                                  \
                    }                                                                                      \
                }                                                                                          \
            }                                                                                              \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        uint64_t addr[LANES];                                                                              \
        addresses(x, d, (uint64_t)d->imm, addr);                                                           \
        for (uint32_t m = mask; m; m &= m - 1) {                                                           \
            int i = __builtin_ctz(m);                                                                      \
            uint64_t at = addr[i];                                                                         \
            if (at & (width - 1) || at >= h->warp->local_cap || at + width > h->warp->local_cap)           \
                return mem_outside(x, d, addr, i, width, true, NAME);                                      \
            for (unsigned e = 0; e < n; e++, at += sizeof(MT)) {                                           \
                uint32_t *w = local_word(h->local, (uint32_t)at, 0);                                       \
                PRIVATE_PUT(MT, w, at, i, ((const RT *)lanes_at(x, from[e]))[i]);                          \
            }                                                                                              \
        }                                                                                                  \
        return CONTROL_NEXT;                                                                               \
    }

/* Every (memory type, register type): memory no wider than the register. */
#define LOAD_TYPES(X)                                                                                      \
    X(uint8_t, uint16_t, u8_16) X(uint8_t, uint32_t, u8_32) X(uint8_t, uint64_t, u8_64)                    \
    X(int8_t, int16_t, s8_16) X(int8_t, int32_t, s8_32) X(int8_t, int64_t, s8_64)                          \
    X(uint16_t, uint16_t, u16_16) X(uint16_t, uint32_t, u16_32) X(uint16_t, uint64_t, u16_64)              \
    X(int16_t, int32_t, s16_32) X(int16_t, int64_t, s16_64)                                                \
    X(uint32_t, uint32_t, u32_32) X(uint32_t, uint64_t, u32_64) X(int32_t, int64_t, s32_64)                \
    X(uint64_t, uint64_t, u64_64)
#define STORE_TYPES(X)                                                                                     \
    X(uint8_t, uint16_t, u8_16) X(uint8_t, uint32_t, u8_32) X(uint8_t, uint64_t, u8_64)                    \
    X(uint16_t, uint16_t, u16_16) X(uint16_t, uint32_t, u16_32) X(uint16_t, uint64_t, u16_64)              \
    X(uint32_t, uint32_t, u32_32) X(uint32_t, uint64_t, u32_64) X(uint64_t, uint64_t, u64_64)

#define DEFINE_LOADS(MT, RT, S)                 \
    LOAD(MT, RT, ld_global_##S, SP_GLOBAL)      \
    LOAD(MT, RT, ld_shared_##S, SP_SHARED)      \
    LOAD(MT, RT, ld_param_##S, SP_PARAM)        \
    PRIVATE_LOAD(MT, RT, ld_private_##S)
#define DEFINE_STORES(MT, RT, S)                \
    STORE(MT, RT, st_global_##S, SP_GLOBAL)     \
    STORE(MT, RT, st_shared_##S, SP_SHARED)     \
    PRIVATE_STORE(MT, RT, st_private_##S)
LOAD_TYPES(DEFINE_LOADS)
STORE_TYPES(DEFINE_STORES)

#define LOAD_ROW(MT, RT, S)                                                                    \
    { sizeof(MT), sizeof(RT), (MT)-1 < 1, false,                                               \
      { ld_global_##S, ld_shared_##S, ld_param_##S, ld_private_##S } },
#define STORE_ROW(MT, RT, S)                                                                   \
    { sizeof(MT), sizeof(RT), false, true, { st_global_##S, st_shared_##S, NULL, st_private_##S } },

const struct mem_row MEM_TABLE[] = {
    LOAD_TYPES(LOAD_ROW) STORE_TYPES(STORE_ROW) { 0, 0, false, false, { NULL } }
};
