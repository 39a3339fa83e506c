/*
 * Loads and stores of a warp, compiled once per vector width (ptx.mk names MEM_TABLE). The lanes' addresses are the
 * same (one access, broadcast), consecutive (one vector), or scattered. The addresses of the first and the last lane
 * tell which of the first two it can be. Bounds are checked for all lanes at once against the allocation that this
 * instruction last accessed; if that fails, each lane's allocation is looked up. A scattered load has no branch that
 * depends on the mask: lanes that do not execute read where the first one reads, and their registers keep their values.
 * Few lanes access one after another (few_lanes.h, indexed.h).
 *
 * Private memory (local, and parameters of functions) is interleaved by 4-byte word over the lanes, so that the same
 * offset in all lanes is one vector, as on hardware.
 */
#include <string.h>
#if defined __AVX512F__
#include <immintrin.h>
#endif

#include "base/num.h"
#include "ptx/exec/exec.h"
#include "ptx/lanes/select.h"
#include "ptx/memory/mem_table.h"

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

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

/* Do the lanes of the mask have the same address? Does each have that of the lane before it plus `stride`? */
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

INLINE bool in_region(const struct region *r, uint64_t lo, uint64_t hi)
{
    return lo >= r->lo && hi <= r->hi && lo < hi;
}

/* The region of the space that the instruction last accessed: for global memory an allocation. */
INLINE struct region last_region(const struct half *h, const struct dinst *d, enum ptx_space space, bool write)
{
    const struct launch *la = h->worker->launch;
    switch (space) {
    case SP_SHARED: return (struct region){ (uintptr_t)h->warp->block->shared, 0, h->warp->block->shared_bytes };
    case SP_PARAM: return (struct region){ (uintptr_t)la->param, 0, write ? 0 : la->param_bytes };
    default: return (struct region){ 0, h->worker->bounds[d->id].lo, h->worker->bounds[d->id].hi };
    }
}

/* Another region for [lo, hi): the allocation around it. */
static bool other_region(struct half *h, const struct dinst *d, bool write, uint64_t lo, uint64_t hi, struct region *r)
{
    const struct mem_range *m = devmem_find(h->worker->launch->mem, lo);
    if (!m || hi > m->hi || lo >= hi || (write && !launch_may_write(h->worker->launch, m)))
        return false;
    r->lo = h->worker->bounds[d->id].lo = m->lo;
    r->hi = h->worker->bounds[d->id].hi = m->hi;
    return true;
}

INLINE bool find_region(struct half *h, const struct dinst *d, enum ptx_space space, bool write, uint64_t lo,
                        uint64_t hi, struct region *r)
{
    *r = last_region(h, d, space, write);
    if (__builtin_expect(in_region(r, lo, hi), 1))
        return true;
    return space == SP_GLOBAL && other_region(h, d, write, lo, hi, r);
}

#include "ptx/memory/few_lanes.h"

/* The slow path, one lane at a time. It finds the lane at fault. */
static char *lane_pointer(struct half *h, const struct dinst *d, enum ptx_space space, uint64_t addr, unsigned width,
                          bool write)
{
    struct region r;
    if (addr & (width - 1) || !find_region(h, d, space, write, addr, addr + width, &r))
        return NULL;
    return AT(r, addr);
}

/* ---- what the addresses of the lanes have in common ---- */

INLINE bool all_same(const struct mem_access *a)
{
    uint64_t other = 0, same = a->from - a->imm;
    if (a->mask == UINT32_MAX) {
        _Pragma("omp simd reduction(|:other)") for (int i = 0; i < LANES; i++) other |= a->at[i] ^ same;
    } else {
        _Pragma("omp simd reduction(|:other)") for (int i = 0; i < LANES; i++)
            other |= a->mask & lane_bit64[i] ? a->at[i] ^ same : 0;
    }
    return !other;
}

/* Is each lane's address that of the lane before plus 1 << shift? */
INLINE bool all_in_row(const struct mem_access *a, int shift)
{
    uint64_t gap = 0, row = a->from - a->imm - ((uint64_t)a->first << shift);
    if (a->mask == UINT32_MAX) {
        _Pragma("omp simd reduction(|:gap)") for (int i = 0; i < LANES; i++)
            gap |= a->at[i] ^ (row + ((uint64_t)i << shift));
    } else {
        _Pragma("omp simd reduction(|:gap)") for (int i = 0; i < LANES; i++)
            gap |= a->mask & lane_bit64[i] ? a->at[i] ^ (row + ((uint64_t)i << shift)) : 0;
    }
    return !gap;
}

/* Sets all of `a` but addr, in which 32-bit addresses are widened. There is an address register. */
INLINE void set_access(struct mem_access *a, const struct lanes *x, const struct dinst *d, unsigned width)
{
    a->mask = x->mask;
    a->first = __builtin_ctz(a->mask);
    a->last = 31 - __builtin_clz(a->mask);
    a->width = width;
    a->imm = (uint64_t)d->imm;
    a->at = lanes_at(x, d->src[0]);
    if (d->addr_size == 4) {
        addresses(x, d, 0, a->addr);
        a->at = a->addr;
    }
    a->from = a->at[a->first] + a->imm;
    a->to = a->at[a->last] + a->imm;
}

INLINE enum mem_pattern find_pattern(struct mem_access *a, const struct lanes *x, const struct dinst *d, unsigned width)
{
    if (d->addr_size == 0) {
        a->mask = x->mask;
        a->first = __builtin_ctz(a->mask);
        a->last = 31 - __builtin_clz(a->mask);
        a->width = width;
        a->from = a->to = (uint64_t)d->imm;
        return MEM_PATTERN_SAME;
    }
    set_access(a, x, d, width);
    if (a->from == a->to && all_same(a))
        return MEM_PATTERN_SAME;
    int shift = __builtin_ctz(width);        /* widths are powers of two */
    if (a->to - a->from == (uint64_t)(a->last - a->first) << shift && all_in_row(a, shift))
        return MEM_PATTERN_CONSECUTIVE;
    return MEM_PATTERN_SCATTERED;
}

/* The region of lanes from a->from to a->to, if they are aligned and may access it. */
INLINE bool row_region(const struct mem_access *a, struct half *h, const struct dinst *d, enum ptx_space space,
                       bool write, struct region *r)
{
    return !(a->from & (a->width - 1)) && find_region(h, d, space, write, a->from, a->to + a->width, r);
}

/*
 * Sets addr: lanes that do not execute get the address of the first that does. True if all are aligned and in the
 * region: bit 63 of a difference is set if an address is below or above.
 */
INLINE bool scatter_inside(struct mem_access *a, const struct region *r)
{
    uint64_t lo = r->lo, span = r->hi - r->lo - a->width, outside = 0, bits = 0;
    _Pragma("omp simd reduction(|:outside,bits)") for (int i = 0; i < LANES; i++)
    {
        uint64_t v = a->at[i] + a->imm;
        v = a->mask & lane_bit64[i] ? v : a->from;
        a->addr[i] = v;
        bits |= v;
        outside |= (v - lo) | (span - (v - lo));
    }
    return !(outside >> 63) && !(bits & (a->width - 1)) && r->hi - r->lo >= a->width;
}

bool MEM_INSIDE(struct lanes *x, const struct dinst *d, struct mem_access *a)
{
    if (d->addr_size == 0)
        return false;
    set_access(a, x, d, d->size);
    struct region r = last_region(half_of(x), d, (enum ptx_space)d->space, true);
    a->host = r.host;
    return scatter_inside(a, &r);
}

/* The region of scattered lanes: the last one, or another that holds them all. */
INLINE bool scatter_region(struct mem_access *a, struct half *h, const struct dinst *d, enum ptx_space space,
                           bool write, struct region *r)
{
    uint64_t lo = UINT64_MAX, hi = 0, bits = 0;
    *r = last_region(h, d, space, write);
    if (__builtin_expect(scatter_inside(a, r), 1))
        return true;
    for (int i = 0; i < LANES; i++) {
        lo = a->addr[i] < lo ? a->addr[i] : lo;
        hi = a->addr[i] > hi ? a->addr[i] : hi;
        bits |= a->addr[i];
    }
    return space == SP_GLOBAL && !(bits & (a->width - 1)) && other_region(h, d, write, lo, hi + a->width, r);
}

/* The access of this lane is outside; no lane has performed. */
static NOINLINE int outside(struct lanes *x, const struct dinst *d, int lane, unsigned width, bool write,
                            ptx_fn *again)
{
    uint64_t addr[LANES];
    if (d->addr_size)
        addresses(x, d, (uint64_t)d->imm, addr);
    else
        addr[lane] = (uint64_t)d->imm;
    return mem_outside(x, d, addr, lane, width, write, again);
}

/* ---- loads ---- */

/*
 * A warp often reads the next row at the same distance from this one as this one from the last, too far apart for the
 * host's own prefetching: the line of its first and of its last lane are prefetched.
 */
INLINE void prefetch_next(struct half *h, const struct dinst *d, enum ptx_space space, uint64_t from, uint64_t span)
{
    uint64_t *last = &h->worker->bounds[d->id].from, step = from - *last;
    *last = from;
    if (space != SP_GLOBAL)
        return;
    __builtin_prefetch((const void *)(uintptr_t)(from + step));
    __builtin_prefetch((const void *)(uintptr_t)(from + span + step));
}

/*
 * Elements at a distance of 2, 4 or 8 bytes, such as one field of a struct by lane: the low bytes of wider elements.
 */
#define STRIDED(MT, RT, BITS, NAME)                                                                        \
    INLINE bool NAME(uint##BITS##_t *out, const struct mem_access *a, const struct region *r)              \
    {                                                                                                      \
        uint64_t step = (a->to - a->from) / (LANES - 1), end = a->from + step * LANES;                     \
        if (a->mask != UINT32_MAX || step > 8 || step <= a->width || step * (LANES - 1) != a->to - a->from || \
            !num_power_of_two(step) || a->from & (a->width - 1) || !in_region(r, a->from, end) ||           \
            !all_in_row(a, __builtin_ctzll(step)))                                                         \
            return false;                                                                                  \
        const char *p = AT(*r, a->from);                                                                   \
        switch (step) {                                                                                    \
        case 2: STRIDED_BY(2, MT, RT, BITS);                                                               \
        case 4: STRIDED_BY(4, MT, RT, BITS);                                                               \
        default: STRIDED_BY(8, MT, RT, BITS);                                                              \
        }                                                                                                  \
    }
#define STRIDED_BY(BYTES, MT, RT, BITS)                                                                    \
    _Pragma("omp simd") for (int i = 0; i < LANES; i++)                                                    \
        out[i] = (uint##BITS##_t)(RT)(MT)((const loose##BYTES *)(const void *)p)[i];                       \
    return true
typedef uint16_t loose2 __attribute__((aligned(1)));
typedef uint32_t loose4 __attribute__((aligned(1)));
typedef uint64_t loose8 __attribute__((aligned(1)));

/*
 * Scattered elements. The values are put together in host registers: a vector load that spans several smaller stores
 * would wait for them.
 */
#define GATHER(MT, RT, BITS, NAME)                                                                         \
    static void NAME(uint##BITS##_t *out, const char *from, const uint64_t *addr, uint32_t mask)           \
    {                                                                                                      \
        _Alignas(64) MT got[LANES];                                                                        \
        _Alignas(64) uint##BITS##_t wide[LANES];                                                           \
        GATHER_##MT(MT);                                                                                   \
        _Pragma("omp simd") for (int i = 0; i < LANES; i++) wide[i] = (uint##BITS##_t)(RT)got[i];          \
        select##BITS(out, wide, out, mask);                                                                \
    }
#define GATHER_VECTORS(MT, BYTES, LIST)                                                                    \
    typedef MT vector __attribute__((vector_size(BYTES)));                                                 \
    for (unsigned k = 0; k < LANES; k += BYTES / sizeof(MT))                                               \
        *(vector *)(void *)(got + k) = (vector){ LIST(MT, 0) }
#define GATHER_uint8_t(MT) GATHER_VECTORS(MT, 16, GATHER_16)
#define GATHER_int8_t(MT) GATHER_VECTORS(MT, 16, GATHER_16)
#define GATHER_uint16_t(MT) GATHER_VECTORS(MT, 32, GATHER_16)
#define GATHER_int16_t(MT) GATHER_VECTORS(MT, 32, GATHER_16)
#define GATHER_uint32_t(MT) GATHER_VECTORS(MT, 64, GATHER_16)
#define GATHER_int32_t(MT) GATHER_VECTORS(MT, 64, GATHER_16)
#define GATHER_uint64_t(MT) GATHER_VECTORS(MT, 64, GATHER_8)
#define GATHER_16(MT, i) GATHER_8(MT, i), GATHER_8(MT, (i) + 8)
#define GATHER_8(MT, i) GATHER_4(MT, i), GATHER_4(MT, (i) + 4)
#define GATHER_4(MT, i) GATHER_1(MT, i), GATHER_1(MT, (i) + 1), GATHER_1(MT, (i) + 2), GATHER_1(MT, (i) + 3)
#define GATHER_1(MT, i) *(const MT *)(const void *)(from + addr[k + (i)])

/* Executes a load or store for the lanes that are left after those of few_lanes.h. */
static NOINLINE int run_left(struct lanes *x, const struct dinst *d, uint32_t left, ptx_fn *fn)
{
    uint32_t all = x->mask;
    x->mask = left;
    int r = fn(x, d);
    x->mask = all;
    return r;
}

#include "ptx/memory/indexed.h"

/* ---- all lanes, one element each, 64-bit addresses: the common case, in which no register has to be saved ---- */

typedef uint64_t eight __attribute__((vector_size(64)));

INLINE bool all_zero(eight v)
{
#if defined __AVX512F__
    return !_mm512_test_epi64_mask((__m512i)v, (__m512i)v);
#else
    uint64_t any = 0;
    for (int i = 0; i < 8; i++)
        any |= v[i];
    return !any;
#endif
}

/* Is at[i] the first address plus i * step for every lane? */
INLINE bool all_in_steps(const uint64_t *at, uint64_t step)
{
    const eight *v = __builtin_assume_aligned(at, 64);
    eight gap = { 0 }, row = at[0] + step * (eight){ 0, 1, 2, 3, 4, 5, 6, 7 };
    for (int k = 0; k < LANES / 8; k++)
        gap |= v[k] ^ (row + (uint64_t)k * 8 * step);
    return all_zero(gap);
}

INLINE bool all_lanes(const struct lanes *x, const struct dinst *d)
{
    return x->mask == UINT32_MAX && d->vec == 1 && d->addr_size == 8;
}

/* Sets *to to the host address of lane 0 if the lanes access this many bytes from there on in the last region. */
INLINE bool full_pointer(const struct lanes *x, const struct dinst *d, enum ptx_space space, bool write, unsigned width,
                         uint64_t bytes, char **to)
{
    uint64_t from = *(const uint64_t *)lanes_at(x, d->src[0]) + (uint64_t)d->imm;
    struct region r = last_region(half_of((struct lanes *)x), d, space, write);
    *to = AT(r, from);
    return !(from & (width - 1)) && in_region(&r, from, from + bytes);
}

/* False: nothing was done. */
#define FULL_LOAD(MT, RT, NAME, SPACE)                                                                     \
    INLINE bool NAME(struct lanes *x, const struct dinst *d)                                               \
    {                                                                                                      \
        const uint64_t *at = lanes_at(x, d->src[0]);                                                       \
        uint64_t span = at[LANES - 1] - at[0];                                                             \
        RT *out = __builtin_assume_aligned(lanes_at(x, *(const operand *)d->extra), 64);                   \
        char *p;                                                                                           \
        if (!span) {                                                                                       \
            if (!all_in_steps(at, 0) || !full_pointer(x, d, SPACE, false, sizeof(MT), sizeof(MT), &p))     \
                return false;                                                                              \
            RT v = (RT)*(const MT *)(const void *)p;                                                       \
            _Pragma("omp simd") for (int i = 0; i < LANES; i++) out[i] = v;                                \
            return true;                                                                                   \
        }                                                                                                  \
        if (span != (LANES - 1) * sizeof(MT) || !all_in_steps(at, sizeof(MT)) ||                           \
            !full_pointer(x, d, SPACE, false, sizeof(MT), LANES * sizeof(MT), &p))                         \
            return false;                                                                                  \
        prefetch_next(half_of(x), d, SPACE, at[0] + (uint64_t)d->imm, span);                               \
        _Pragma("omp simd") for (int i = 0; i < LANES; i++) out[i] = (RT)((const MT *)(const void *)p)[i]; \
        return true;                                                                                       \
    }
#define FULL_STORE(MT, RT, NAME, SPACE)                                                                    \
    INLINE bool NAME(struct lanes *x, const struct dinst *d)                                               \
    {                                                                                                      \
        const uint64_t *at = lanes_at(x, d->src[0]);                                                       \
        const RT *in = __builtin_assume_aligned(lanes_at(x, *(const operand *)d->extra), 64);              \
        char *p;                                                                                           \
        if (at[LANES - 1] - at[0] != (LANES - 1) * sizeof(MT) || !all_in_steps(at, sizeof(MT)) ||          \
            !full_pointer(x, d, SPACE, true, sizeof(MT), LANES * sizeof(MT), &p))                          \
            return false;                                                                                  \
        half_of(x)->worker->changes++;                                                                     \
        _Pragma("omp simd") for (int i = 0; i < LANES; i++) ((MT *)(void *)p)[i] = (MT)in[i];              \
        return true;                                                                                       \
    }

/* The function of an instruction: by how many lanes execute. */
#define BY_LANES(NAME)                                                                                     \
    static int NAME(struct lanes *x, const struct dinst *d)                                                \
    {                                                                                                      \
        if (all_lanes(x, d))                                                                               \
            return full_##NAME(x, d) ? CONTROL_NEXT : any_##NAME(x, d);                                    \
        if (!few_lanes(x, d))                                                                              \
            return any_##NAME(x, d);                                                                       \
        uint32_t left = few_##NAME(x, d);                                                                  \
        return left ? run_left(x, d, left, any_##NAME) : CONTROL_NEXT;                                     \
    }

/* A parameter at a known place: one value for all lanes. */
#define PARAM_LOAD(MT, RT, BITS, NAME)                                                                     \
    static int NAME(struct lanes *x, const struct dinst *d)                                                \
    {                                                                                                      \
        const struct launch *la = half_of(x)->worker->launch;                                              \
        uint64_t at = (uint64_t)d->imm, end = at + sizeof(MT);                                             \
        if (d->addr_size || d->vec != 1 || at & (sizeof(MT) - 1) || at > end || end > la->param_bytes)     \
            return any_##NAME(x, d);                                                                       \
        uint##BITS##_t v = (uint##BITS##_t)(RT)*(const MT *)(const void *)(la->param + at);                \
        uint##BITS##_t *out = lanes_at(x, *(const operand *)d->extra);                                     \
        if (x->mask != UINT32_MAX)                                                                         \
            spread##BITS(out, v, x->mask);                                                                 \
        else                                                                                               \
            _Pragma("omp simd") for (int i = 0; i < LANES; i++) out[i] = v;                                \
        return CONTROL_NEXT;                                                                               \
    }

#define LOAD(MT, RT, BITS, S, NAME, SPACE)                                                                 \
    static NOINLINE int any_##NAME(struct lanes *x, const struct dinst *d)                                 \
    {                                                                                                      \
        struct half *h = half_of(x);                                                                       \
        const operand *to = d->extra;                                                                      \
        const unsigned n = d->vec, width = n * (unsigned)sizeof(MT);                                       \
        struct mem_access a;                                                                               \
        struct region r;                                                                                   \
        enum mem_pattern pattern = find_pattern(&a, x, d, width);                                          \
        if (pattern == MEM_PATTERN_SAME) {                                                                 \
            if (!row_region(&a, h, d, SPACE, false, &r))                                                   \
                return outside(x, d, a.first, width, false, any_##NAME);                                   \
            for (unsigned e = 0; e < n; e++) {                                                             \
                MT m;                                                                                      \
                memcpy(&m, AT(r, a.from + e * sizeof m), sizeof m);                                        \
                spread##BITS(lanes_at(x, to[e]), (RT)m, a.mask);                                           \
            }                                                                                              \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        if (pattern == MEM_PATTERN_CONSECUTIVE && a.mask == UINT32_MAX && n == 1 &&                        \
            row_region(&a, h, d, SPACE, false, &r)) {                                                      \
            const MT *p = (const MT *)AT(r, a.from);                                                       \
            prefetch_next(h, d, SPACE, a.from, a.to - a.from);                                             \
            RT *out = lanes_at(x, to[0]);                                                                  \
            _Pragma("omp simd") for (int i = 0; i < LANES; i++) out[i] = (RT)p[i];                         \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        r = last_region(h, d, SPACE, false);                                                               \
        if (n == 1 && sizeof(MT) < 8 && strided_##S(lanes_at(x, to[0]), &a, &r)) {                         \
            prefetch_next(h, d, SPACE, a.from, a.to - a.from);                                             \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        if (__builtin_expect(scatter_region(&a, h, d, SPACE, false, &r), 1)) {                             \
            for (unsigned e = 0; e < n; e++)                                                               \
                gather_##S(lanes_at(x, to[e]), AT(r, e * sizeof(MT)), a.addr, a.mask);                     \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        for (uint32_t m = a.mask; m; m &= m - 1) {                                                         \
            int i = __builtin_ctz(m);                                                                      \
            const char *p = lane_pointer(h, d, SPACE, a.addr[i], width, false);                            \
            if (!p)                                                                                        \
                return mem_outside(x, d, a.addr, i, width, false, any_##NAME);                             \
            for (unsigned e = 0; e < n; e++)                                                               \
                ((RT *)lanes_at(x, to[e]))[i] = (RT)((const MT *)p)[e];                                    \
        }                                                                                                  \
        return CONTROL_NEXT;                                                                               \
    }

/* ---- stores: lanes in ascending order, so at one address the highest lane wins ---- */

#define STORE(MT, RT, NAME, SPACE)                                                                         \
    static NOINLINE int any_##NAME(struct lanes *x, const struct dinst *d)                                 \
    {                                                                                                      \
        struct half *h = half_of(x);                                                                       \
        const operand *from = d->extra;                                                                    \
        const unsigned n = d->vec, width = n * (unsigned)sizeof(MT);                                       \
        struct mem_access a;                                                                               \
        struct region r;                                                                                   \
        enum mem_pattern pattern = find_pattern(&a, x, d, width);                                          \
        h->worker->changes++;                                                                              \
        if (pattern == MEM_PATTERN_SAME) {                                                                 \
            if (!row_region(&a, h, d, SPACE, true, &r))                                                    \
                return outside(x, d, a.first, width, true, any_##NAME);                                    \
            for (unsigned e = 0; e < n; e++)                                                               \
                ((MT *)AT(r, a.from))[e] = (MT)((const RT *)lanes_at(x, from[e]))[a.last];                 \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        if (pattern == MEM_PATTERN_CONSECUTIVE && a.mask == UINT32_MAX && n == 1 &&                        \
            row_region(&a, h, d, SPACE, true, &r)) {                                                       \
            MT *p = (MT *)AT(r, a.from);                                                                   \
            const RT *in = lanes_at(x, from[0]);                                                           \
            _Pragma("omp simd") for (int i = 0; i < LANES; i++) p[i] = (MT)in[i];                          \
            return CONTROL_NEXT;                                                                           \
        }                                                                                                  \
        bool together = scatter_region(&a, h, d, SPACE, true, &r);                                         \
        for (uint32_t m = a.mask; m; m &= m - 1) {                                                         \
            int i = __builtin_ctz(m);                                                                      \
            char *p = together ? AT(r, a.addr[i]) : lane_pointer(h, d, SPACE, a.addr[i], width, true);     \
            if (!p)                                                                                        \
                return mem_outside(x, d, a.addr, i, width, true, any_##NAME);                              \
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

/* Every (memory type, register type with its bits): memory no wider than the register. */
#define LOAD_TYPES(X)                                                                                      \
    X(uint8_t, uint16_t, 16, u8_16) X(uint8_t, uint32_t, 32, u8_32) X(uint8_t, uint64_t, 64, u8_64)                    \
    X(int8_t, int16_t, 16, s8_16) X(int8_t, int32_t, 32, s8_32) X(int8_t, int64_t, 64, s8_64)                          \
    X(uint16_t, uint16_t, 16, u16_16) X(uint16_t, uint32_t, 32, u16_32) X(uint16_t, uint64_t, 64, u16_64)              \
    X(int16_t, int32_t, 32, s16_32) X(int16_t, int64_t, 64, s16_64)                                                \
    X(uint32_t, uint32_t, 32, u32_32) X(uint32_t, uint64_t, 64, u32_64) X(int32_t, int64_t, 64, s32_64)                \
    X(uint64_t, uint64_t, 64, u64_64)
#define STORE_TYPES(X)                                                                                     \
    X(uint8_t, uint16_t, 16, u8_16) X(uint8_t, uint32_t, 32, u8_32) X(uint8_t, uint64_t, 64, u8_64)                    \
    X(uint16_t, uint16_t, 16, u16_16) X(uint16_t, uint32_t, 32, u16_32) X(uint16_t, uint64_t, 64, u16_64)              \
    X(uint32_t, uint32_t, 32, u32_32) X(uint32_t, uint64_t, 64, u32_64) X(uint64_t, uint64_t, 64, u64_64)

#define DEFINE_LOADS(MT, RT, BITS, S)                   \
    STRIDED(MT, RT, BITS, strided_##S)                  \
    GATHER(MT, RT, BITS, gather_##S)                    \
    FEW_LOAD(MT, RT, few_ld_global_##S, SP_GLOBAL)      \
    FULL_LOAD(MT, RT, full_ld_global_##S, SP_GLOBAL)    \
    LOAD(MT, RT, BITS, S, ld_global_##S, SP_GLOBAL)     \
    BY_LANES(ld_global_##S)                             \
    FEW_LOAD(MT, RT, few_ld_shared_##S, SP_SHARED)      \
    FULL_LOAD(MT, RT, full_ld_shared_##S, SP_SHARED)    \
    LOAD(MT, RT, BITS, S, ld_shared_##S, SP_SHARED)     \
    BY_LANES(ld_shared_##S)                             \
    LOAD(MT, RT, BITS, S, ld_param_##S, SP_PARAM)       \
    PARAM_LOAD(MT, RT, BITS, ld_param_##S)              \
    PRIVATE_LOAD(MT, RT, ld_private_##S)
#define DEFINE_STORES(MT, RT, BITS, S)                  \
    FEW_STORE(MT, RT, few_st_global_##S, SP_GLOBAL)     \
    FULL_STORE(MT, RT, full_st_global_##S, SP_GLOBAL)   \
    STORE(MT, RT, st_global_##S, SP_GLOBAL)             \
    BY_LANES(st_global_##S)                             \
    FEW_STORE(MT, RT, few_st_shared_##S, SP_SHARED)     \
    FULL_STORE(MT, RT, full_st_shared_##S, SP_SHARED)   \
    STORE(MT, RT, st_shared_##S, SP_SHARED)             \
    BY_LANES(st_shared_##S)                             \
    PRIVATE_STORE(MT, RT, st_private_##S)
LOAD_TYPES(DEFINE_LOADS)
STORE_TYPES(DEFINE_STORES)

#define LOAD_ROW(MT, RT, BITS, S)                                                              \
    { sizeof(MT), sizeof(RT), (MT)-1 < 1, false,                                               \
      { ld_global_##S, ld_shared_##S, ld_param_##S, ld_private_##S } },
#define STORE_ROW(MT, RT, BITS, S)                                                             \
    { sizeof(MT), sizeof(RT), false, true, { st_global_##S, st_shared_##S, NULL, st_private_##S } },

ptx_fn *const MEM_INDEXED[2][2] = { { indexed_u32_32, indexed_u32_64 }, { indexed_s32_32, indexed_s32_64 } };

const struct mem_row MEM_TABLE[] = {
    LOAD_TYPES(LOAD_ROW) STORE_TYPES(STORE_ROW) { 0, 0, false, false, { NULL } }
};
