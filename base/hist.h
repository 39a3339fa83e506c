/*
 * Histograms of the statistics: one row per histogram in hist.def, buckets by powers of two (bucket b counts values v
 * with 2^(b-1) <= v < 2^b, bucket 0 counts zeros).
 */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <stdint.h>

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

static inline void hist_add(struct hists *s, enum hist_id i, uint64_t v)
{
    struct hist *h = &s->h[i];
    int b = v ? 64 - __builtin_clzll(v) : 0;
    h->n++;
    h->sum += v;
    h->max = v > h->max ? v : h->max;
    h->bucket[b < HIST_BUCKETS ? b : HIST_BUCKETS - 1]++;
}

void hists_merge(struct hists *to, const struct hists *from);

#endif
