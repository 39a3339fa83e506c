/* The TLB of an SM. */
#include "memsys/tlb/tlb_l1.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/stats.h"

void tlb_l1_init(struct tlb_l1 *t, const struct tlb_l1_cfg *cfg, uint32_t sm, struct packet_queue *out,
                 uint64_t *count)
{
    *t = (struct tlb_l1){ .cfg = *cfg, .sm = sm, .out = out, .count = count };
    if (!cfg->entries)
        return;
    tags_init(&t->tags, cfg->entries / cfg->ways, cfg->ways, cfg->page_kb * 1024, TAGS_LRU, TAGS_LINEAR);
    t->miss = mem_zero(cfg->misses, sizeof *t->miss, "the TLB of an SM");
    t->sent = mem_zero(cfg->misses, sizeof *t->sent, "the TLB of an SM");
}

void tlb_l1_end(struct tlb_l1 *t)
{
    if (!t->cfg.entries)
        return;
    tags_end(&t->tags);
    free(t->miss);
    free(t->sent);
}

void tlb_l1_clear(struct tlb_l1 *t)
{
    if (t->cfg.entries)
        tags_clear(&t->tags);
}

void tlb_l1_settle(struct tlb_l1 *t, uint64_t until)
{
    if (until <= t->settled)
        return;
    t->count[STAT_TLB_L1_WAITED] += t->waiting * (until - t->settled);
    t->count[STAT_TLB_L1_BLOCKED] += t->blocked ? until - t->settled : 0;
    t->settled = until;
}

/* ---- look-ups ---- */

static struct tlb_miss *find_miss(struct tlb_l1 *t, uint64_t page)
{
    for (uint32_t i = 0; i < t->misses; i++)
        if (t->miss[i].page == page)
            return &t->miss[i];
    return NULL;
}

static struct tlb_miss *new_miss(struct tlb_l1 *t, uint64_t page, uint64_t now)
{
    struct tlb_miss *m = &t->miss[t->misses++];
    *m = (struct tlb_miss){ .page = page, .at = NEVER };
    t->sent[t->nsent++] = (struct tlb_request){ .at = now, .page = page, .count = t->count, .sm = t->sm };
    return m;
}

static void pass(struct tlb_l1 *t)
{
    packet_push(t->out, packet_pop(&t->asked));
}

/* The oldest request waits for its page. False: there is no room for it. */
static bool wait_for_page(struct tlb_l1 *t, uint64_t page, uint64_t now)
{
    struct tlb_miss *m = find_miss(t, page);
    if (m ? m->waiting.n == t->cfg.merges : t->misses == t->cfg.misses)
        return false;
    t->count[m ? STAT_TLB_L1_MERGED : STAT_TLB_L1_MISSES]++;
    m = m ? m : new_miss(t, page, now);
    packet_push(&m->waiting, packet_pop(&t->asked));
    t->waiting++;
    return true;
}

/* False: the oldest request cannot be looked up before a translation arrives. */
static bool look_up(struct tlb_l1 *t, uint64_t now)
{
    const struct packet *p = t->asked.head;
    uint64_t page = p->line & -(uint64_t)t->tags.line_bytes;
    if (p->kind >= MSG_ENGINE) {
        if (t->waiting)
            return false;
        pass(t);
        return true;
    }
    uint32_t i = tags_find(&t->tags, page);
    if (i == TAG_NONE)
        return wait_for_page(t, page, now);
    tags_touch(&t->tags, i);
    t->count[STAT_TLB_L1_HITS]++;
    pass(t);
    return true;
}

/* ---- translations ---- */

static void release(struct tlb_l1 *t, uint32_t i)
{
    struct tlb_miss *m = &t->miss[i];
    tags_allocate(&t->tags, tags_victim(&t->tags, m->page), m->page, 1);
    t->waiting -= m->waiting.n;
    while (m->waiting.n)
        packet_push(t->out, packet_pop(&m->waiting));
    t->misses--;
    memmove(m, m + 1, (t->misses - i) * sizeof *m);
    t->blocked = false;
}

void tlb_l1_translated(struct tlb_l1 *t, uint64_t page, uint64_t at)
{
    find_miss(t, page)->at = at;
}

const struct tlb_request *tlb_l1_sent(struct tlb_l1 *t, uint32_t *n)
{
    *n = t->nsent;
    t->nsent = 0;
    return t->sent;
}

/* ---- time ---- */

static uint64_t looked_up_at(const struct tlb_l1 *t)
{
    return t->asked.head->stamp[STAMP_L1] + t->cfg.latency;
}

bool tlb_l1_run(struct tlb_l1 *t, uint64_t now)
{
    uint32_t before = t->asked.n;
    tlb_l1_settle(t, now);
    for (uint32_t i = 0; i < t->misses;)
        if (t->miss[i].at <= now)
            release(t, i);
        else
            i++;
    for (uint32_t n = t->cfg.ports; n && !t->blocked && t->asked.n && looked_up_at(t) <= now; n--)
        t->blocked = !look_up(t, now);
    return t->asked.n < before;
}

uint64_t tlb_l1_next(const struct tlb_l1 *t, uint64_t after)
{
    uint64_t next = t->asked.n && !t->blocked ? looked_up_at(t) : NEVER;
    for (uint32_t i = 0; i < t->misses; i++)
        next = clock_earlier(next, t->miss[i].at);
    return next > after ? next : after + 1;
}
