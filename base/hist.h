/*
 * Histograms of the statistics: one row per histogram in hist.def, buckets by powers of two (bucket b counts values v
 * with 2^(b-1) <= v < 2^b, bucket 0 counts zeros).
 */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <stdint.h>

#include "base/num.h"

enum hist_id {
#define HIST(id, name, unit, meaning) HIST_##id,
#include "base/hist.def"
    HIST_COUNT
};

enum { HIST_BUCKETS = 24 };

struct hist { uint64_t n, sum, max, bucket[HIST_BUCKETS]; };
struct hists { struct hist h[HIST_COUNT]; };

struct hist_info { const char *name, *unit, *meaning; };
extern const struct hist_info hist_table[HIST_COUNT];

/* Adds the value v n times. */
static inline void hist_add_often(struct hists *s, enum hist_id i, uint64_t v, uint64_t n)
{
    struct hist *h = &s->h[i];
    uint32_t b = num_bits(v);
    h->n += n;
    h->sum += v * n;
    h->max = v > h->max ? v : h->max;
    h->bucket[b < HIST_BUCKETS ? b : HIST_BUCKETS - 1] += n;
}

static inline void hist_add(struct hists *s, enum hist_id i, uint64_t v)
{
    hist_add_often(s, i, v, 1);
}

void hists_merge(struct hists *to, const struct hists *from);

#endif
