/* Histograms: the table and sums. */
#include "base/hist.h"

const struct hist_info hist_table[HIST_COUNT] = {
#define HIST(id, name, unit, meaning) [HIST_##id] = { name, unit, meaning },
#include "base/hist.def"
};

void hists_merge(struct hists *to, const struct hists *from)
{
    for (int i = 0; i < HIST_COUNT; i++) {
        struct hist *t = &to->h[i];
        const struct hist *f = &from->h[i];
        t->n += f->n;
        t->sum += f->sum;
        t->max = f->max > t->max ? f->max : t->max;
        for (int b = 0; b < HIST_BUCKETS; b++)
            t->bucket[b] += f->bucket[b];
    }
}
