/* The shared TLB and its page walkers. */
#include "memsys/tlb/tlb_l2.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/stats.h"

/* A page walk that will fill the TLB in cycle `done`. */
struct walk { uint64_t page, done; };

/* Equal servers, first come, first served. Every request takes equally long, so they become free in turn. */
struct servers { uint64_t *free_at; uint32_t n, next; };

struct tlb_l2 {
    struct tlb_l2_cfg cfg;
    struct tags tags;
    struct servers lookups, walkers;     /* lookups: cfg.ports servers, a cycle each; walkers: cfg.walkers */
    struct walk *walk;                   /* in the order in which they end */
    uint32_t walks, walk_cap;
    struct tlb_request *request;         /* by cycle, then by SM */
    uint32_t requests, request_cap;
};

static void servers_init(struct servers *s, uint32_t n)
{
    *s = (struct servers){ .free_at = mem_zero(n, sizeof *s->free_at, "the shared TLB"), .n = n };
}

/* The next server is busy for so many cycles from `now` on, or from when it is free. Returns its first cycle. */
static uint64_t servers_start(struct servers *s, uint64_t now, uint32_t cycles)
{
    uint64_t *at = &s->free_at[s->next], from = *at > now ? *at : now;
    *at = from + cycles;
    s->next = s->next + 1 < s->n ? s->next + 1 : 0;
    return from;
}

struct tlb_l2 *tlb_l2_new(const struct tlb_l2_cfg *cfg)
{
    struct tlb_l2 *t = mem_zero(1, sizeof *t, "the shared TLB");
    t->cfg = *cfg;
    if (cfg->entries)
        tags_init(&t->tags, cfg->entries / cfg->ways, cfg->ways, cfg->page_kb * 1024, TAGS_LRU, TAGS_LINEAR);
    servers_init(&t->lookups, cfg->ports);
    servers_init(&t->walkers, cfg->walkers);
    return t;
}

void tlb_l2_free(struct tlb_l2 *t)
{
    if (!t)
        return;
    if (t->cfg.entries)
        tags_end(&t->tags);
    free(t->lookups.free_at);
    free(t->walkers.free_at);
    free(t->walk);
    free(t->request);
    free(t);
}

void tlb_l2_clear(struct tlb_l2 *t)
{
    if (t->cfg.entries)
        tags_clear(&t->tags);
    t->walks = 0;
}

/* ---- walks ---- */

static void complete_walks(struct tlb_l2 *t, uint64_t now)
{
    uint32_t n = 0;
    for (; n < t->walks && t->walk[n].done <= now; n++)
        if (t->cfg.entries)
            tags_allocate(&t->tags, tags_victim(&t->tags, t->walk[n].page), t->walk[n].page, 1);
    t->walks -= n;
    if (n)                           /* the first walk allocates the array */
        memmove(t->walk, t->walk + n, t->walks * sizeof *t->walk);
}

static const struct walk *find_walk(const struct tlb_l2 *t, uint64_t page)
{
    for (uint32_t i = 0; i < t->walks; i++)
        if (t->walk[i].page == page)
            return &t->walk[i];
    return NULL;
}

static uint64_t walk(struct tlb_l2 *t, uint64_t page, uint64_t now, uint64_t *count)
{
    uint64_t from = servers_start(&t->walkers, now, t->cfg.walk_latency), done = from + t->cfg.walk_latency;
    count[STAT_TLB_WALK_WAITS] += from - now;
    t->walk = mem_grow(t->walk, t->walks, &t->walk_cap, sizeof *t->walk, "page walks");
    t->walk[t->walks++] = (struct walk){ page, done };
    return done;
}

/* ---- requests ---- */

/* Returns the cycle in which the translation is available. */
static uint64_t translate(struct tlb_l2 *t, const struct tlb_request *r)
{
    uint64_t page = r->page & -((uint64_t)t->cfg.page_kb * 1024), now = servers_start(&t->lookups, r->at, 1);
    r->count[STAT_TLB_L2_WAITED] += now - r->at;
    complete_walks(t, now);
    uint32_t i = t->cfg.entries ? tags_find(&t->tags, page) : TAG_NONE;
    if (i != TAG_NONE) {
        tags_touch(&t->tags, i);
        r->count[STAT_TLB_L2_HITS]++;
        return now;
    }
    const struct walk *w = find_walk(t, page);
    r->count[w ? STAT_TLB_L2_MERGED : STAT_TLB_L2_MISSES]++;
    return w ? w->done : walk(t, page, now, r->count);
}

static bool after(const struct tlb_request *a, const struct tlb_request *b)
{
    return a->at != b->at ? a->at > b->at : a->sm > b->sm;
}

void tlb_l2_receive(struct tlb_l2 *t, const struct tlb_request *r)
{
    t->request = mem_grow(t->request, t->requests, &t->request_cap, sizeof *t->request, "requests to the shared TLB");
    uint32_t i = t->requests++;
    for (; i && after(&t->request[i - 1], r); i--)
        t->request[i] = t->request[i - 1];
    t->request[i] = *r;
}

void tlb_l2_run(struct tlb_l2 *t, void (*reply)(void *ctx, const struct tlb_request *r, uint64_t at), void *ctx)
{
    for (uint32_t i = 0; i < t->requests; i++)
        reply(ctx, &t->request[i], translate(t, &t->request[i]) + t->cfg.latency);
    t->requests = 0;
}
