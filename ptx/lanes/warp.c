/*
 * Warp-level instructions (PTX ISA 9.7.9.6, 9.7.13): shfl, vote, match, redux, activemask. With a membermask the
 * executing lanes form groups of equal masks, because tiles of a warp may execute one instruction together. Each group
 * is independent; lanes that a mask names but that do not execute are not part of it. vote.sync.ballot gives the votes
 * of the executing lanes that the mask names: programs count the lanes below their own with masks that differ from lane
 * to lane.
 */
#include "ptx/lanes/kernel.h"

/* The source lane of each lane, and whether it lies in range. */
static inline uint32_t shfl_sources(int32_t *from, uint8_t mode, const uint32_t *B, const uint32_t *C)
{
    int32_t in_range[LANES] __attribute__((aligned(64)));
    SIMD for (int i = 0; i < LANES; i++) {
        int32_t b = B[i] & 31, seg = C[i] >> 8 & 31, c = C[i] & 31;
        int32_t max = (i & seg) | (c & ~seg), min = i & seg;
        int32_t up = i - b, down = i + b, bfly = i ^ b, idx = min | (b & ~seg);
        int32_t j = mode == MOD(SHFL, UP) ? up : mode == MOD(SHFL, DOWN) ? down :
                    mode == MOD(SHFL, BFLY) ? bfly : idx;
        int32_t ok = mode == MOD(SHFL, UP) ? -(j >= max) : -(j <= max);
        from[i] = ok ? j : i;
        in_range[i] = ok;
    }
    return pack32(in_range);
}

/* r[i] = a[from[i]], from[i] in 0..31; r may be a. */
static inline void gather32(uint32_t *r, const uint32_t *a, const int32_t *from)
{
#if defined __AVX512F__
    __m512i low = _mm512_load_si512(a), high = _mm512_load_si512(a + 16);
    for (int i = 0; i < LANES; i += 16)
        _mm512_store_si512(r + i, _mm512_permutex2var_epi32(low, _mm512_load_si512(from + i), high));
#elif defined __AVX2__
    const __m256i *v = (const __m256i *)a;
    __m256i v0 = v[0], v1 = v[1], v2 = v[2], v3 = v[3];
    for (int i = 0; i < LANES; i += 8) {         /* a lane from each quarter, then a choice by bits 3 and 4 */
        __m256i n = _mm256_load_si256((const __m256i *)(from + i));
        __m256 q0 = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(v0, n));
        __m256 q1 = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(v1, n));
        __m256 q2 = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(v2, n));
        __m256 q3 = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(v3, n));
        __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(n, 28));
        __m256 bit4 = _mm256_castsi256_ps(_mm256_slli_epi32(n, 27));
        q0 = _mm256_blendv_ps(q0, q1, bit3);
        q2 = _mm256_blendv_ps(q2, q3, bit3);
        _mm256_store_ps((float *)r + i, _mm256_blendv_ps(q0, q2, bit4));
    }
#else
    uint32_t t[LANES];
    memcpy(t, a, sizeof t);
    for (int i = 0; i < LANES; i++)
        r[i] = t[from[i]];
#endif
}

/* PTX leaves the value of a lane that does not execute undefined. It is 0 here: programs that sum over a whole warp of
 * which a part executes (faiss) rely on it. */
static inline int shfl_mode(struct lanes *x, const struct dinst *d, uint8_t mode)
{
    int32_t from[LANES] __attribute__((aligned(64)));
    uint32_t r[LANES] __attribute__((aligned(64)));
    uint32_t ok = shfl_sources(from, mode, src_of(x, d, 1), src_of(x, d, 2));
    if (LIKELY(x->mask == ALL_LANES)) {
        gather32(dst_of(x, d), src_of(x, d, 0), from);
    } else {
        gather32(r, src_of(x, d, 0), from);
        for (int i = 0; i < LANES; i++)
            r[i] = x->mask >> from[i] & 1 ? r[i] : 0;
        select32(dst_of(x, d), r, dst_of(x, d), x->mask);
    }
    if (d->imm & PRED_PAIR)
        put_pred(x, d->dst2, ok);
    return 0;
}

static int shfl_up(struct lanes *x, const struct dinst *d) { return shfl_mode(x, d, MOD(SHFL, UP)); }
static int shfl_down(struct lanes *x, const struct dinst *d) { return shfl_mode(x, d, MOD(SHFL, DOWN)); }
static int shfl_bfly(struct lanes *x, const struct dinst *d) { return shfl_mode(x, d, MOD(SHFL, BFLY)); }
static int shfl_idx(struct lanes *x, const struct dinst *d) { return shfl_mode(x, d, MOD(SHFL, IDX)); }

/* The lanes of `todo` whose membermask equals that of its lowest lane. */
static inline uint32_t next_group_of(const uint32_t *M, uint32_t todo)
{
    uint32_t first = M[__builtin_ctz(todo)];
    int32_t t[LANES] __attribute__((aligned(64)));
    SIMD for (int i = 0; i < LANES; i++)
        t[i] = M[i] == first ? -1 : 0;
    return pack32(t) & todo;
}

static inline uint32_t next_group(const struct lanes *x, const struct dinst *d, uint32_t todo)
{
    return next_group_of(src_of(x, d, 1), todo);
}

static inline void put_word(struct lanes *x, const struct dinst *d, uint32_t group, uint32_t value)
{
    uint32_t *D = dst_of(x, d);
    SIMD for (int i = 0; i < LANES; i++)
        D[i] = group & lane_bit32[i] ? value : D[i];
}

static inline void put_group_pred(struct lanes *x, operand o, uint32_t group, bool value)
{
    uint32_t *p = lanes_at(x, o);
    *p = value ? *p | group : *p & ~group;
}

static inline uint32_t mask_of(const struct lanes *x, const struct dinst *d, uint32_t group)
{
    return ((const uint32_t *)src_of(x, d, 1))[__builtin_ctz(group)];
}

static inline int vote_mode(struct lanes *x, const struct dinst *d, uint8_t mode, bool sync)
{
    uint32_t p = get_pred(x, d->src[0]) ^ (d->imm & PRED_NOT ? ALL_LANES : 0);
    for (uint32_t todo = x->mask, group; todo; todo &= ~group) {
        group = sync ? next_group(x, d, todo) : todo;
        uint32_t yes = p & group;
        if (mode == MOD(VOTE, BALLOT))
            put_word(x, d, group, sync ? p & x->mask & mask_of(x, d, group) : yes);
        else if (mode == MOD(VOTE, ALL))
            put_group_pred(x, d->dst, group, yes == group);
        else if (mode == MOD(VOTE, ANY))
            put_group_pred(x, d->dst, group, yes != 0);
        else
            put_group_pred(x, d->dst, group, yes == group || yes == 0);
    }
    return 0;
}

#define VOTE(name, mode)                                                                      \
    static int vote_##name(struct lanes *x, const struct dinst *d)                            \
    {                                                                                         \
        return vote_mode(x, d, MOD(VOTE, mode), false);                                       \
    }                                                                                         \
    static int vote_sync_##name(struct lanes *x, const struct dinst *d)                       \
    {                                                                                         \
        return vote_mode(x, d, MOD(VOTE, mode), true);                                        \
    }
VOTE(all, ALL)
VOTE(any, ANY)
VOTE(uni, UNI)
VOTE(ballot, BALLOT)

static inline uint64_t element(const void *A, int bytes, int i)
{
    return bytes == 4 ? ((const uint32_t *)A)[i] : ((const uint64_t *)A)[i];
}

static inline uint32_t equal_lanes(const void *A, int bytes, uint64_t v, uint32_t among)
{
    uint32_t m = 0;
    for (; among; among &= among - 1) {
        int i = __builtin_ctz(among);
        m |= (uint32_t)(element(A, bytes, i) == v) << i;
    }
    return m;
}

/* The destination may be the source: the values are copied first. */
static inline int match_mode(struct lanes *x, const struct dinst *d, int bytes, bool all)
{
    uint64_t A[LANES];
    memcpy(A, src_of(x, d, 0), (size_t)bytes * LANES);
    for (uint32_t todo = x->mask, group; todo; todo &= ~group) {
        group = next_group(x, d, todo);
        uint32_t left = group;
        do {
            uint32_t same = equal_lanes(A, bytes, element(A, bytes, __builtin_ctz(left)), left);
            if (all) {
                put_word(x, d, group, same == group ? group : 0);
                if (d->imm & PRED_PAIR)
                    put_group_pred(x, d->dst2, group, same == group);
                break;
            }
            put_word(x, d, same, same);
            left &= ~same;
        } while (left);
    }
    return 0;
}

static int match_any_32(struct lanes *x, const struct dinst *d) { return match_mode(x, d, 4, false); }
static int match_any_64(struct lanes *x, const struct dinst *d) { return match_mode(x, d, 8, false); }
static int match_all_32(struct lanes *x, const struct dinst *d) { return match_mode(x, d, 4, true); }
static int match_all_64(struct lanes *x, const struct dinst *d) { return match_mode(x, d, 8, true); }

static int activemask(struct lanes *x, const struct dinst *d)
{
    put_word(x, d, x->mask, x->active);
    return 0;
}

/* elect.sync: among the executing lanes of a mask the lowest leads. */
static int elect(struct lanes *x, const struct dinst *d)
{
    uint32_t leaders = 0;
    for (uint32_t todo = x->mask, group; todo; todo &= ~group) {
        group = next_group_of(src_of(x, d, 0), todo);
        uint32_t leader = (uint32_t)__builtin_ctz(group);
        put_word(x, d, group, leader);
        leaders |= 1u << leader;
    }
    if (d->imm & PRED_PAIR)
        put_pred(x, d->dst2, leaders);
    return 0;
}

/* EXPR combines the value so far, r, with a lane's, v. */
#define REDUX(name, T, EXPR)                                                                  \
    static int redux_##name(struct lanes *x, const struct dinst *d)                           \
    {                                                                                         \
        T A[LANES];                                                                           \
        memcpy(A, src_of(x, d, 0), sizeof A);                                                 \
        for (uint32_t todo = x->mask, group; todo; todo &= ~group) {                          \
            group = next_group(x, d, todo);                                                   \
            T r = A[__builtin_ctz(group)];                                                    \
            for (uint32_t left = group & (group - 1); left; left &= left - 1) {               \
                T v = A[__builtin_ctz(left)];                                                 \
                r = (EXPR);                                                                   \
            }                                                                                 \
            put_word(x, d, group, (uint32_t)r);                                               \
        }                                                                                     \
        return 0;                                                                             \
    }
REDUX(add, uint32_t, r + v)
REDUX(and, uint32_t, r & v)
REDUX(or, uint32_t, r | v)
REDUX(xor, uint32_t, r ^ v)
REDUX(min_u32, uint32_t, v < r ? v : r)
REDUX(max_u32, uint32_t, v > r ? v : r)
REDUX(min_s32, int32_t, v < r ? v : r)
REDUX(max_s32, int32_t, v > r ? v : r)

ptx_fn *NAME(select_warp)(uint64_t key)
{
    switch (key) {
#define WARP_FN(op, type, sel, fl, fn) case KEY(OP_##op, T_##type, 0, sel, fl): return fn;
#include "ptx/isa/ops.def"
    default:
        return NULL;
    }
}
