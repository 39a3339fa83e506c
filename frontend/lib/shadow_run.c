/* Copies of device memory before and after a functional run. */
#include "frontend/lib/shadow_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct piece { uint64_t lo, hi; char *bytes; };

struct shadow { struct piece *piece; uint32_t n, cap; };

static void add_piece(struct shadow *s, const struct mem_range *r)
{
    s->piece = mem_grow(s->piece, s->n, &s->cap, sizeof *s->piece, "a copy of device memory");
    struct piece *p = &s->piece[s->n++];
    *p = (struct piece){ .lo = r->lo, .hi = r->hi, .bytes = mem_alloc(r->hi - r->lo, 1, "a copy of device memory") };
    memcpy(p->bytes, (const void *)(uintptr_t)r->lo, r->hi - r->lo);
}

/* Copies all memory that kernels can write. */
static struct shadow *copy_memory(const simtx_gpu *g)
{
    struct shadow *s = mem_zero(1, sizeof *s, "a copy of device memory");
    const struct mem_range *below, *above;
    for (uint64_t at = 0;; at = above->lo) {
        devmem_around(g->mem, at, &below, &above);
        if (!above)
            return s;
        if (!above->freed && above->kind != MEM_PARAMETERS)
            add_piece(s, above);
    }
}

static void restore(const struct shadow *s)
{
    for (size_t i = 0; i < s->n; i++)
        memcpy((void *)(uintptr_t)s->piece[i].lo, s->piece[i].bytes, s->piece[i].hi - s->piece[i].lo);
}

static void end(struct shadow *s)
{
    for (size_t i = 0; s && i < s->n; i++)
        free(s->piece[i].bytes);
    if (s)
        free(s->piece);
    free(s);
}

static bool run(const struct queued_launch *o, uint32_t n)
{
    uint64_t uncounted[STAT_END] = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        struct launch la = o[i].la;
        la.progress = NULL;
        la.count = uncounted;
        la.checks = NULL;
        la.watched = false;
        if (!grid_run(&la))
            return false;
    }
    return true;
}

struct shadow *shadow_run(simtx_gpu *g, const struct queued_launch *o, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (o[i].kernel->code->exclusive)
            return NULL;
    struct shadow *before = copy_memory(g), *after = run(o, n) ? copy_memory(g) : NULL;
    restore(before);
    end(before);
    return after;
}

static void describe(const struct piece *p, const simtx_gpu *g, uint64_t at, uint64_t n, char *message, size_t size)
{
    const struct mem_range *r = devmem_find(g->mem, p->lo);
    snprintf(message, size,
             "device memory after this launch differs from functional mode: %llu bytes of the allocation %s%s0x%llx, "
             "first at byte %llu: 0x%02x, functionally 0x%02x; the program has a race, or the simulator an error "
             "(sim.shadow)",
             (unsigned long long)n, r && r->name ? r->name : "", r && r->name ? " at " : "at ",
             (unsigned long long)p->lo, (unsigned long long)at, ((const unsigned char *)(uintptr_t)p->lo)[at],
             (unsigned char)p->bytes[at]);
}

bool shadow_equal(struct shadow *s, const simtx_gpu *g, char *message, size_t size)
{
    bool equal = true;
    for (size_t i = 0; s && i < s->n && equal; i++) {
        const struct piece *p = &s->piece[i];
        const char *now = (const char *)(uintptr_t)p->lo;
        uint64_t bytes = p->hi - p->lo, first = 0, n = 0;
        equal = !memcmp(now, p->bytes, bytes);
        for (uint64_t k = bytes; !equal && k-- > 0;)
            if (now[k] != p->bytes[k]) {
                first = k;
                n++;
            }
        if (!equal)
            describe(p, g, first, n, message, size);
    }
    end(s);
    return equal;
}
