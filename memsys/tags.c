/* Tag arrays: sets, search, replacement. */
#include <string.h>

#include "base/huge.h"
#include "base/num.h"
#include "memsys/tags.h"

void tags_init(struct tags *t, uint32_t sets, uint32_t ways, uint32_t line_bytes, enum tags_policy policy,
               enum tags_index index)
{
    *t = (struct tags){
        .sets = sets, .ways = ways, .line_bytes = line_bytes, .policy = policy, .index = index, .share = 1,
        .line_shift = (uint8_t)num_log2_up(line_bytes), .set_shift = (uint8_t)num_log2_up(sets)
    };
    t->direct = index == TAGS_LINEAR && (sets & (sets - 1)) == 0;
    t->tag = huge_zero((size_t)sets * ways, sizeof *t->tag, "the tags of a cache");
    t->line = huge_zero((size_t)sets * ways, sizeof *t->line, "the tags of a cache");
}

void tags_end(struct tags *t)
{
    huge_free(t->tag);
    huge_free(t->line);
    t->tag = NULL;
    t->line = NULL;
}

void tags_set_ways(struct tags *t, uint32_t ways)
{
    t->ways = ways;
}

void tags_share(struct tags *t, uint64_t base, unsigned bit, uint32_t share)
{
    t->base = base;
    t->share_bit = (uint8_t)bit;
    t->share = share;
    t->share_reciprocal = UINT64_MAX / share + 1;
    t->direct = false;
}

void tags_cut(struct tags *t, unsigned bit)
{
    t->direct = false;
    if (t->cuts && t->cut[t->cuts - 1].bit == bit + 1) {
        t->cut[t->cuts - 1].bit--;
        t->cut[t->cuts - 1].width++;
    } else if (t->cuts < TAG_CUTS) {
        t->cut[t->cuts].bit = (uint8_t)bit;
        t->cut[t->cuts++].width = 1;
    }
}

/* x / t->share, which is above 1: the product is exact while x < 2^64 / share (memsys/dram/addrmap.c). */
static inline uint64_t divide(const struct tags *t, uint64_t x)
{
    if (x >= t->share_reciprocal - 1)
        return x / t->share;
    __extension__ unsigned __int128 wide = (unsigned __int128)x * t->share_reciprocal;
    return (uint64_t)(wide >> 64);
}

/* The line's number, without the bits that are equal in all lines of the array. */
static uint64_t line_number(const struct tags *t, uint64_t line)
{
    uint64_t a = line - t->base;
    if (t->share > 1)
        a = divide(t, a >> t->share_bit) << t->share_bit | (a & ((UINT64_C(1) << t->share_bit) - 1));
    for (unsigned i = 0; i < t->cuts; i++) {
        uint64_t low = (UINT64_C(1) << t->cut[i].bit) - 1;
        a = (a >> t->cut[i].width & ~low) | (a & low);
    }
    return a >> t->line_shift;
}

/* Bits 7 to 11, xored with bits 13, 14, 15, 17 and 19; bit 12 chooses the half of 64 sets. */
static uint32_t fermi_set(const struct tags *t, uint64_t line)
{
    uint64_t lower = line >> 7 & 31, upper = (line >> 13 & 7) | (line >> 17 & 1) << 3 | (line >> 19 & 1) << 4;
    return (uint32_t)((lower ^ upper) | (t->sets == 64 ? (line >> 12 & 1) << 5 : 0));
}

uint32_t tags_hashed_set(const struct tags *t, uint64_t line)
{
    if (t->index == TAGS_FERMI)
        return fermi_set(t, line);
    uint64_t n = line_number(t, line);
    unsigned k = t->set_shift;
    if (t->index == TAGS_XOR && k) {     /* the low k bits become the xor of eight groups of k bits */
        n ^= 4 * k < 64 ? n >> 4 * k : 0;
        n ^= n >> 2 * k;
        n ^= n >> k;
    }
    return (t->sets & (t->sets - 1)) == 0 ? (uint32_t)n & (t->sets - 1) : (uint32_t)(n % t->sets);
}

uint32_t tags_victim(const struct tags *t, uint64_t line)
{
    uint32_t first = tags_set(t, line) * t->ways, oldest = TAG_NONE;
    for (uint32_t i = first; i < first + t->ways; i++) {
        if (!t->tag[i].state)
            return i;
        if (!t->tag[i].pinned && (oldest == TAG_NONE || t->tag[i].used < t->tag[oldest].used))
            oldest = i;
    }
    return oldest;
}

void tags_allocate(struct tags *t, uint32_t i, uint64_t line, uint8_t state)
{
    t->used = true;
    t->tag[i] = (struct tag){ .line = line, .used = ++t->clock, .state = state };
    t->line[i] = line;
}

void tags_clear(struct tags *t)
{
    if (t->used)
        memset(t->tag, 0, (size_t)t->sets * t->ways * sizeof *t->tag);
    t->used = false;
}
