/* The second level of the read-only caches. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/lsu/rocache.h"

void l15_init(struct l15 *c, const struct l15_cfg *cfg, struct sender *send, struct rocache *konst,
              struct rocache *inst, uint64_t *count)
{
    *c = (struct l15){ .cfg = *cfg, .send = send, .konst = konst, .inst = inst, .count = count };
    if (!cfg->sets)
        return;
    tags_init(&c->tags, cfg->sets, cfg->ways, LINE_BYTES, TAGS_LRU, TAGS_LINEAR);
    mshr_init(&c->mshr, cfg->mshrs, UINT32_MAX);
    c->data = mem_alloc((size_t)cfg->sets * cfg->ways, LINE_BYTES, "the lines of a read-only cache");
    konst->l15 = inst->l15 = c;
}

void l15_end(struct l15 *c)
{
    if (!c->cfg.sets)
        return;
    tags_end(&c->tags);
    mshr_end(&c->mshr);
    free(c->data);
}

void l15_clear(struct l15 *c)
{
    if (c->cfg.sets)
        tags_clear(&c->tags);
}

void l15_request(struct l15 *c, struct packet *p)
{
    packet_push(&c->asked, p);
}

static void complete_request(struct l15 *c, struct packet *p, uint64_t now)
{
    rocache_fill(p->type == ACCESS_CONST ? c->konst : c->inst, p, now);
    packet_free(&c->send->pool, p);
}

static void request_line(struct l15 *c, const struct packet *p, uint32_t e, uint64_t now)
{
    struct packet *r = sender_packet(c->send, MSG_READ, (enum access_type)p->type, p->line,
                                     sender_token(REPLY_L15, e), p->stamp[STAMP_ISSUE], now);
    r->sectors = ALL_SECTORS;
    sender_push_first(c->send, r);
}

/* False: it misses, and every MSHR entry is in use. */
static bool look_up(struct l15 *c, struct packet *p, uint64_t now)
{
    uint32_t i = tags_find(&c->tags, p->line);
    if (i != TAG_NONE) {
        tags_touch(&c->tags, i);
        c->count[STAT_L15_HITS]++;
        if (p->type == ACCESS_CONST)
            memcpy(p->data, c->data + (size_t)i * LINE_BYTES, LINE_BYTES);
        p->stamp[STAMP_FILL] = now + c->cfg.latency - c->cfg.look_up;
        packet_push(&c->hits, p);
        return true;
    }
    uint32_t e = mshr_find(&c->mshr, p->line);
    if (e == MSHR_NONE && mshr_full(&c->mshr))
        return false;
    c->count[e == MSHR_NONE ? STAT_L15_MISSES : STAT_L15_MERGED]++;
    if (e == MSHR_NONE)
        request_line(c, p, e = mshr_new(&c->mshr, p->line), now);
    mshr_add(&c->mshr, e, p);
    return true;
}

static uint64_t looked_up_at(const struct l15 *c)
{
    return c->asked.head->stamp[STAMP_L1] + c->cfg.look_up;
}

bool l15_run(struct l15 *c, uint64_t now)
{
    bool given = false;
    if (c->asked.n && looked_up_at(c) <= now) {
        struct packet *p = packet_pop(&c->asked);
        l15_settle(c, now);
        c->blocked = !look_up(c, p, now);
        c->blocked_from = now;
        if (c->blocked)
            packet_push_front(&c->asked, p);
    }
    for (; c->hits.n && c->hits.head->stamp[STAMP_FILL] <= now; given = true)
        complete_request(c, packet_pop(&c->hits), now);
    return given;
}

void l15_preload(struct l15 *c, uint64_t line)
{
    if (tags_find(&c->tags, line) == TAG_NONE)
        tags_allocate(&c->tags, tags_victim(&c->tags, line), line, 1);
}

void l15_fill(struct l15 *c, const struct packet *p, uint64_t now)
{
    uint32_t e = p->token & ((UINT32_C(1) << REPLY_SHIFT) - 1), i = tags_victim(&c->tags, p->line);
    tags_allocate(&c->tags, i, p->line, 1);
    if (p->type == ACCESS_CONST)
        memcpy(c->data + (size_t)i * LINE_BYTES, p->data, LINE_BYTES);
    for (struct packet *w; (w = mshr_take(&c->mshr, e));) {
        if (w->type == ACCESS_CONST)
            memcpy(w->data, p->data, LINE_BYTES);
        complete_request(c, w, now);
    }
    mshr_free(&c->mshr, e);
}

void l15_settle(struct l15 *c, uint64_t until)
{
    if (!c->blocked || until <= c->blocked_from)
        return;
    c->count[STAT_L15_BLOCKED] += until - c->blocked_from;
    c->blocked_from = until;
}

/* A request that waits for an MSHR entry is looked up again when a line arrives. */
uint64_t l15_next(const struct l15 *c, uint64_t after)
{
    uint64_t next = c->asked.n && !c->blocked ? looked_up_at(c) : NEVER;
    if (c->hits.n && c->hits.head->stamp[STAMP_FILL] < next)
        next = c->hits.head->stamp[STAMP_FILL];
    return next > after ? next : after + 1;
}
