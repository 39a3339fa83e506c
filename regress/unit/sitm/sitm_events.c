/* Events in a heap, in the order of time; messages to and from the manager, on the control links in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "regress/unit/sitm/sitm_impl.h"

void model_fail(struct model *m, const char *what, uint32_t number)
{
    if (!m->result->error[0])
        snprintf(m->result->error, SITM_ERROR, "%s %u", what, number);
}

uint32_t model_draw(struct model *m, uint32_t n)
{
    return (uint32_t)(random_next(&m->random) >> 33) % n;
}

/* ---- events ---- */

static bool earlier(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

void model_push(struct model *m, struct event *e)
{
    m->heap = mem_grow(m->heap, m->n, &m->cap, sizeof *m->heap, "events");
    uint32_t i = m->n++;
    for (; i && earlier(e, m->heap[(i - 1) / 2]); i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = e;
    m->live += e->kind != L2_EVICT;
}

struct event *model_pop(struct model *m)
{
    struct event *first = m->heap[0], *last = m->heap[--m->n];
    uint32_t i = 0;
    for (uint32_t child = 1; child < m->n; child = 2 * i + 1) {
        child += child + 1 < m->n && earlier(m->heap[child + 1], m->heap[child]);
        if (!earlier(m->heap[child], last))
            break;
        m->heap[i] = m->heap[child];
        i = child;
    }
    m->heap[i] = last;
    m->live -= first->kind != L2_EVICT;
    return first;
}

uint32_t model_delay(struct model *m, uint32_t slice)
{
    return (1 + model_draw(m, m->setup->delay)) * (slice ? 1 : m->setup->slow);
}

struct event *model_event(struct model *m, enum event_kind kind, uint64_t time)
{
    struct event *e = mem_alloc(1, sizeof *e, "an event");
    e->kind = (uint8_t)kind;
    e->time = time;
    e->sequence = m->sequence++;
    e->edges = NULL;
    return e;
}

/* Arrives after what was sent on the same link. */
uint64_t model_in_order(struct model *m, uint64_t *last, uint32_t slice)
{
    uint64_t time = m->now + model_delay(m, slice);
    *last = time > *last ? time : *last;
    return *last;
}

void model_free_event(struct event *e)
{
    free(e->edges);
    free(e);
}

uint32_t model_slice(const struct model *m, uint32_t word)
{
    return word % m->setup->rules.slices;
}

/* ---- manager ---- */

static void to_manager(struct model *m, const struct sitm_message *message, uint64_t time)
{
    struct event *e = model_event(m, MANAGER_MESSAGE, time);
    e->m = *message;
    if (message->kind == SITM_EDGE) {
        size_t bytes = message->edges * sizeof *message->edge;
        e->edges = bytes > sizeof e->edge ? mem_alloc(1, bytes, "edges") : NULL;
        e->m.edge = memcpy(e->edges ? e->edges : e->edge, message->edge, bytes);
    }
    model_push(m, e);
}

void model_from_warp(struct model *m, const struct sitm_message *message)
{
    to_manager(m, message, model_in_order(m, &m->ask[message->warp], 1));
}

void model_from_slice(struct model *m, uint32_t slice, const struct sitm_message *message)
{
    to_manager(m, message, model_in_order(m, &m->up[slice], slice));
}

static bool to_slices(enum sitm_kind kind)
{
    return kind == SITM_COPY || kind == SITM_PUBLISH || kind == SITM_RELEASE || kind == SITM_RESET;
}

void model_manager_message(struct model *m, const struct sitm_message *message)
{
    struct sitm_message out;
    sitm_manager_receive(&m->manager, message);
    while (sitm_manager_send(&m->manager, &out)) {
        bool all = to_slices(out.kind);
        for (uint32_t i = 0; i < (all ? m->setup->rules.slices : 1); i++) {
            uint64_t time = all ? model_in_order(m, &m->down[i], i) : m->now + model_delay(m, 1);
            struct event *e = model_event(m, all ? SLICE_CONTROL : SM_MESSAGE, time);
            e->m = out;
            e->slice = i;
            e->warp = out.warp;
            model_push(m, e);
        }
    }
}
