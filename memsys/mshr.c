/* Miss-status holding registers: a hash table of entries, each with a list of targets. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/huge.h"
#include "memsys/mshr.h"

static uint32_t *bucket_of(const struct mshr *m, uint64_t line)
{
    return &m->bucket[(line >> 5) * UINT64_C(0x9e3779b97f4a7c15) >> m->shift];
}

void mshr_init(struct mshr *m, uint32_t entries, uint32_t merges)
{
    unsigned bits = 1;
    while (UINT32_C(1) << bits < 2 * entries)
        bits++;
    *m = (struct mshr){
        .entries = entries, .merges = merges, .shift = 64 - bits, .free_entry = MSHR_NONE, .free_target = MSHR_NONE
    };
    m->entry = huge_zero(entries, sizeof *m->entry, "MSHR entries");
    m->bucket = mem_alloc((size_t)1 << bits, sizeof *m->bucket, "MSHR entries");
    for (uint32_t i = 0; i < UINT32_C(1) << bits; i++)
        m->bucket[i] = MSHR_NONE;
}

void mshr_end(struct mshr *m)
{
    huge_free(m->entry);
    free(m->target);
    free(m->bucket);
    *m = (struct mshr){ 0 };
}

uint32_t mshr_find(const struct mshr *m, uint64_t line)
{
    uint32_t e = *bucket_of(m, line);
    while (e != MSHR_NONE && m->entry[e].line != line)
        e = m->entry[e].chain;
    return e;
}

uint32_t mshr_new(struct mshr *m, uint64_t line)
{
    if (mshr_full(m))
        return MSHR_NONE;
    uint32_t e = m->free_entry, *head = bucket_of(m, line);
    if (e == MSHR_NONE)
        e = m->touched++;
    else
        m->free_entry = m->entry[e].chain;
    m->entry[e] = (struct mshr_entry){
        .line = line, .first = MSHR_NONE, .last = MSHR_NONE, .chain = *head, .busy = true
    };
    *head = e;
    m->n++;
    return e;
}

static uint32_t target_new(struct mshr *m)
{
    if (m->free_target == MSHR_NONE)
        m->target = mem_grow_linked(m->target, &m->targets, &m->free_target, sizeof *m->target,
                                    offsetof(struct mshr_target, next), "MSHR targets");
    uint32_t i = m->free_target;
    m->free_target = m->target[i].next;
    return i;
}

bool mshr_add(struct mshr *m, uint32_t e, void *target)
{
    if (!mshr_mergeable(m, e))
        return false;
    uint32_t i = target_new(m);
    struct mshr_entry *x = &m->entry[e];
    m->target[i] = (struct mshr_target){ target, MSHR_NONE };
    if (x->n++)
        m->target[x->last].next = i;
    else
        x->first = i;
    x->last = i;
    return true;
}

void *mshr_first(const struct mshr *m, uint32_t e)
{
    return m->entry[e].n ? m->target[m->entry[e].first].what : NULL;
}

void *mshr_take(struct mshr *m, uint32_t e)
{
    struct mshr_entry *x = &m->entry[e];
    if (!x->n)
        return NULL;
    uint32_t i = x->first;
    x->first = m->target[i].next;
    x->n--;
    m->target[i].next = m->free_target;
    m->free_target = i;
    return m->target[i].what;
}

void mshr_free(struct mshr *m, uint32_t e)
{
    uint32_t *at = bucket_of(m, m->entry[e].line);
    while (*at != e)
        at = &m->entry[*at].chain;
    *at = m->entry[e].chain;
    m->entry[e].busy = false;
    m->entry[e].chain = m->free_entry;
    m->free_entry = e;
    m->n--;
}
