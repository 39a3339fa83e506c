/* The transactions of a kernel, sorted by their first cycle, are compared pair by pair: two sorted sets are merged. */
#include "tm/core/pairs.h"

#include <stdlib.h>

#include "base/alloc.h"

/* Words are sorted and without repetition: those read, then those written. */
struct transaction { uint64_t from, to; uint32_t reads, writes; uint64_t *word; };
/* In a line of the host's cache of its own: cores run in parallel. */
struct list { _Alignas(64) struct transaction *at; uint32_t n, cap; };
struct pairs { uint32_t cores; struct list list[]; };

struct pairs *pairs_new(uint32_t cores)
{
    struct pairs *p = mem_aligned(_Alignof(struct pairs), sizeof *p + cores * sizeof *p->list,
                                  "lists of transactions");
    p->cores = cores;
    for (uint32_t i = 0; i < cores; i++)
        p->list[i] = (struct list){ .at = NULL };
    return p;
}

static void list_clear(struct list *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        free(l->at[i].word);
    l->n = 0;
}

void pairs_free(struct pairs *p)
{
    for (uint32_t i = 0; p && i < p->cores; i++) {
        list_clear(&p->list[i]);
        free(p->list[i].at);
    }
    free(p);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The addresses of a set; returns how many. */
static uint32_t addresses(const struct tm_set *s, uint64_t *word)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        word[i] = s->w[i].address;
    qsort(word, s->n, sizeof *word, by_number);
    for (uint32_t i = 0; i < s->n; i++)
        if (n == 0 || word[i] != word[n - 1])
            word[n++] = word[i];
    return n;
}

void pairs_committed(struct pairs *p, uint32_t core, const struct tm_lane *l, uint64_t now)
{
    struct list *all = &p->list[core];
    struct transaction t = { .from = l->first, .to = now };
    t.word = mem_alloc(l->reads.n + l->writes.n + 1, sizeof *t.word, "the sets of a transaction");
    t.reads = addresses(&l->reads, t.word);
    t.writes = addresses(&l->writes, t.word + t.reads);
    all->at = mem_grow(all->at, all->n, &all->cap, sizeof *all->at, "a list of transactions");
    all->at[all->n++] = t;
}

static bool have_common(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb)
{
    for (uint32_t i = 0, k = 0; i < na && k < nb;) {
        if (a[i] == b[k])
            return true;
        if (a[i] < b[k])
            i++;
        else
            k++;
    }
    return false;
}

static void count_pair(const struct transaction *a, const struct transaction *b, uint64_t *count)
{
    const uint64_t *aw = a->word + a->reads, *bw = b->word + b->reads;
    bool read_write = have_common(a->word, a->reads, bw, b->writes) || have_common(aw, a->writes, b->word, b->reads);
    bool write_write = have_common(aw, a->writes, bw, b->writes);
    count[STAT_TX_PAIRS]++;
    count[STAT_TX_PAIRS_CONFLICT] += read_write || write_write;
    count[STAT_TX_PAIRS_READ_WRITE] += read_write && !write_write;
    count[STAT_TX_PAIRS_WRITE_WRITE] += write_write && !read_write;
}

static int by_start(const void *a, const void *b)
{
    const struct transaction *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* All transactions in one array, by their first cycles. */
static struct transaction *sorted(const struct pairs *p, uint32_t *n)
{
    *n = 0;
    for (uint32_t i = 0; i < p->cores; i++)
        *n += p->list[i].n;
    struct transaction *all = mem_alloc(*n + 1, sizeof *all, "the transactions of a kernel");
    for (uint32_t i = 0, at = 0; i < p->cores; i++)
        for (uint32_t k = 0; k < p->list[i].n; k++)
            all[at++] = p->list[i].at[k];
    qsort(all, *n, sizeof *all, by_start);
    return all;
}

void pairs_finish(struct pairs *p, uint64_t *count)
{
    uint32_t n;
    struct transaction *all = sorted(p, &n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n && all[k].from < all[i].to; k++)
            count_pair(&all[i], &all[k], count);
    free(all);
    for (uint32_t i = 0; i < p->cores; i++)
        list_clear(&p->list[i]);
}
