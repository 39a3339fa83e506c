/*
 * Control links between the manager and the slices: a FIFO for each pair, without a limit of bandwidth. The crossbars
 * have no path between slices, and within a window host threads of different channels must not write each other's
 * state. So mail waits at its sender until the serial step after the window. That is before its arrival, since the
 * latency of a link is at least the length of a window. The manager reads mail in the order (cycle, slice, number).
 */
#include <stdlib.h>
#include <string.h>

#include "tm/sitm/sitm.h"

void sitm_mail_add(struct fifo *f, const struct sitm_message *m, uint64_t at, uint32_t source, bool end)
{
    struct sitm_mail *x = fifo_push(f);
    *x = (struct sitm_mail){ .at = at, .source = source, .end = end, .m = *m };
    x->m.edge = NULL;
    if (m->kind != SITM_EDGE || !m->edges)
        return;
    x->edge = mem_alloc(m->edges, sizeof *x->edge, "dependencies on a control link");
    memcpy(x->edge, m->edge, m->edges * sizeof *x->edge);
    x->m.edge = x->edge;
}

void sitm_mail_end(struct fifo *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        free(((struct sitm_mail *)fifo_at(f, i))->edge);
    fifo_end(f);
}

static uint64_t l2_cycle(const struct sitm_unit *u, uint64_t core)
{
    return clock_convert(u->home.clocks, CLK_CORE, CLK_L2, core);
}

/* Only the first mail of a queue needs this: `run` takes mail that has arrived, and returns when the rest is due. */
void sitm_wake(struct sitm_gpu *g, uint32_t slice, uint64_t at)
{
    struct sitm_unit *u = g->unit[slice];
    engine_runs(&u->home, l2_cycle(u, at));
    tm_touch_slice(g->tm, slice);
}

static int in_order(const void *a, const void *b)
{
    const struct sitm_mail *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->source < y->source ? -1 : x->source > y->source;
}

static void move(struct fifo *from, struct fifo *to)
{
    for (; from->n; fifo_pop(from))
        *(struct sitm_mail *)fifo_push(to) = *(struct sitm_mail *)fifo_front(from);
}

/* Merges the mail of all slices in the order (cycle, slice). Mail of one slice keeps its order; qsort is not stable. */
static void to_manager(struct sitm_gpu *g)
{
    struct fifo *in = sitm_manager_in(g->unit[0]->manager);
    uint32_t before = in->n;
    for (;;) {
        struct fifo *first = NULL;
        for (uint32_t s = 0; s < g->slices; s++) {
            struct fifo *f = &g->unit[s]->mail;
            if (f->n && (!first || in_order(fifo_front(f), fifo_front(first)) < 0))
                first = f;
        }
        if (!first)
            break;
        *(struct sitm_mail *)fifo_push(in) = *(struct sitm_mail *)fifo_front(first);
        fifo_pop(first);
    }
    if (in->n && !before)
        sitm_wake(g, 0, ((struct sitm_mail *)fifo_front(in))->at);
}

void sitm_links_step(struct sitm_gpu *g)
{
    to_manager(g);
    for (uint32_t s = 0; s < g->slices; s++) {
        struct fifo *mail = sitm_manager_mail(g->unit[0]->manager, s), *in = &g->unit[s]->in;
        bool first = mail->n && !in->n;
        move(mail, in);
        if (first)
            sitm_wake(g, s, ((struct sitm_mail *)fifo_front(in))->at);
    }
}
