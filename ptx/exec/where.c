/*
 * Where the warps of an interrupted grid are, in functional mode: the positions with the most warps, for the message.
 * An interruption stops a warp between two time slices. In timing mode timing/machine/machine_hang.c writes the
 * message, also with what the warps wait for.
 */
#include "ptx/exec/exec.h"
#include "base/alloc.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 3 };

struct position { const struct code *code; const struct dinst *at; uint64_t warps; };

/* A warp is where its current lanes are. */
static bool find(const struct warp *w, struct position *p)
{
    if (w->state == WARP_DONE || w->state == WARP_FAULT || !w->exist || !w->nentry)
        return false;
    const struct simt_entry *e = &w->entry[w->current];
    p->code = w->frame[e->frame].code;
    p->at = w->spinning ? w->spin_at : fault_waiting_at(w, e);
    return true;
}

static int by_step(const void *a, const void *b)
{
    const struct position *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static int by_warps(const void *a, const void *b)
{
    const struct position *x = a, *y = b;
    return x->warps != y->warps ? (x->warps < y->warps) - (x->warps > y->warps) : by_step(a, b);
}

/* Merges equal positions; returns their number. */
static size_t merge(struct position *of, size_t n)
{
    size_t kept = 0;
    qsort(of, n, sizeof *of, by_step);
    for (size_t i = 0; i < n; i++)
        if (kept && of[kept - 1].at == of[i].at)
            of[kept - 1].warps++;
        else
            of[kept++] = of[i];
    qsort(of, kept, sizeof *of, by_warps);
    return kept;
}

void where_warps_are(struct launch *la, const struct worker *k, uint32_t n)
{
    size_t most = 1, found = 0;
    for (uint32_t i = 0; i < n; i++)
        most += (size_t)k[i].nleft * la->nwarps;
    struct position *of = mem_zero(most, sizeof *of, "the positions of warps");
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < k[i].nleft; j++)
            for (uint32_t w = 0; w < la->nwarps; w++)
                if (find(&k[i].left[j]->warps[w], &of[found]))
                    of[found++].warps = 1;
    size_t different = merge(of, found);
    la->where[0] = 0;
    for (size_t i = 0; i < different && i < SHOWN; i++) {
        char place[380];
        fault_describe(of[i].code, of[i].at, place, sizeof place);
        text_append(la->where, sizeof la->where, "  %" PRIu64 " of %zu warps at %s\n", of[i].warps, found, place);
    }
    free(of);
}
