/* Read-only caches. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/lsu/rocache.h"

enum { AHEAD, DEMANDED };                                /* mshr_entry.user: prefetched, or does a warp wait? */

void rocache_init(struct rocache *c, const struct rocache_cfg *cfg, enum access_type type, struct sender *send,
                  struct retire *retire, uint64_t *count)
{
    *c = (struct rocache){ .cfg = *cfg, .type = type, .send = send, .retire = retire, .count = count };
    c->reply = type == ACCESS_CONST ? REPLY_CONST : type == ACCESS_TEXTURE ? REPLY_TEXTURE : REPLY_INST;
    c->server = type == ACCESS_CONST ? SERVE_CONST : SERVE_TEXTURE;
    c->stats = &cache_stats[type == ACCESS_CONST     ? CACHE_STATS_CONST
                            : type == ACCESS_TEXTURE ? CACHE_STATS_TEXTURE
                                                     : CACHE_STATS_INST];
    tags_init(&c->tags, cfg->sets, cfg->ways, cfg->line, TAGS_LRU, TAGS_LINEAR);
    mshr_init(&c->mshr, cfg->mshrs, UINT32_MAX);
    if (type == ACCESS_INST)
        return;
    c->data = mem_alloc((size_t)cfg->sets * cfg->ways + LINE_BYTES / cfg->line, cfg->line,
                        "the lines of a read-only cache");
}

void rocache_end(struct rocache *c)
{
    tags_end(&c->tags);
    mshr_end(&c->mshr);
    free(c->data);
    free(c->wanted);
}

void rocache_clear(struct rocache *c)
{
    tags_clear(&c->tags);
}

static inline uint64_t line_at(const struct rocache *c, uint64_t address)
{
    return address & -(uint64_t)c->cfg.line;
}

/* The address at which the LINE_BYTES around the cache's line would begin; only the cache's line may be accessed. */
static uint8_t *line_of(const struct rocache *c, uint32_t index, uint64_t line)
{
    return c->data + LINE_BYTES + (size_t)index * c->cfg.line - line % LINE_BYTES;
}

static uint8_t sectors_of(const struct rocache *c, uint64_t line)
{
    uint32_t n = c->cfg.line / SECTOR_BYTES;
    return (uint8_t)(((1u << n) - 1) << (line % LINE_BYTES / SECTOR_BYTES));
}

static uint32_t request(struct rocache *c, uint64_t line, uint64_t issued, uint64_t now)
{
    uint32_t e = mshr_new(&c->mshr, line);
    if (!c->l15) {
        sender_read(c->send, c->type, line, sectors_of(c, line), sender_token(c->reply, e), issued, now);
        return e;
    }
    l15_request(c->l15, sender_packet(c->send, MSG_READ, c->type, line, sender_token(c->reply, e), issued, now));
    return e;
}

enum lsu_result rocache_load(struct rocache *c, struct mem_op *op, const struct line_access *a, uint64_t now)
{
    uint64_t line = line_at(c, a->line);
    uint32_t i = tags_find(&c->tags, line);
    if (i != TAG_NONE) {
        tags_touch(&c->tags, i);
        c->count[c->stats->hits]++;
        retire_load(c->retire, op, a, c->server, line_of(c, i, line), now, now + c->cfg.latency - 1);
        return LSU_SERVED;
    }
    uint32_t e = mshr_find(&c->mshr, line);
    if (e == MSHR_NONE ? mshr_full(&c->mshr) : !mshr_mergeable(&c->mshr, e))
        return LSU_BLOCKED_MSHR;
    if (e == MSHR_NONE && !c->l15 && !sender_has_room(c->send))
        return LSU_BLOCKED_QUEUE;
    c->count[e == MSHR_NONE ? c->stats->misses : c->stats->merged]++;
    if (e == MSHR_NONE)
        e = request(c, line, op->issued, now);
    mshr_add(&c->mshr, e, retire_waiter(c->retire, op, c->server, a));
    return LSU_SERVED;
}

/* ---- instructions ---- */

static bool wanted(const struct rocache *c, uint64_t line)
{
    for (uint32_t i = 0; i < c->nwanted; i++)
        if (c->wanted[i] == line)
            return true;
    return false;
}

static void want(struct rocache *c, uint64_t line, uint64_t now)
{
    rocache_settle(c, now);
    c->wanted_since = now;
    c->wanted = mem_grow(c->wanted, c->nwanted, &c->wanted_cap, sizeof *c->wanted, "instruction lines to fetch");
    c->wanted[c->nwanted++] = line;
}

static bool missing(const struct rocache *c, uint64_t line)
{
    return tags_find(&c->tags, line) == TAG_NONE && mshr_find(&c->mshr, line) == MSHR_NONE;
}

bool rocache_fetch(struct rocache *c, uint64_t address, uint32_t ahead, uint64_t now)
{
    uint64_t line = line_at(c, address);
    uint32_t i = tags_find(&c->tags, line);
    if (i != TAG_NONE) {
        tags_touch(&c->tags, i);
        c->count[c->stats->hits]++;
        return true;
    }
    uint32_t e = mshr_find(&c->mshr, line);
    if (e != MSHR_NONE || wanted(c, line)) {
        c->count[c->stats->merged]++;
        if (e != MSHR_NONE)
            c->mshr.entry[e].user = DEMANDED;
        return false;
    }
    c->count[c->stats->misses]++;
    if (mshr_full(&c->mshr))
        want(c, line, now);
    else
        c->mshr.entry[request(c, line, now, now)].user = DEMANDED;
    for (uint32_t k = 1; k <= ahead && !mshr_full(&c->mshr); k++)
        if (missing(c, line + k * c->cfg.line))
            request(c, line + k * c->cfg.line, now, now);
    return false;
}

void rocache_settle(struct rocache *c, uint64_t until)
{
    if (!c->nwanted || until <= c->wanted_since)
        return;
    c->count[c->stats->blocked] += until - c->wanted_since;
    c->wanted_since = until;
}

/* An MSHR entry is free: requests the oldest line that waits for one. */
static void request_wanted(struct rocache *c, uint64_t now)
{
    if (!c->nwanted)
        return;
    rocache_settle(c, now);
    uint64_t line = c->wanted[0];
    memmove(c->wanted, c->wanted + 1, --c->nwanted * sizeof *c->wanted);
    c->mshr.entry[request(c, line, now, now)].user = DEMANDED;
}

/* ---- fills ---- */

static void place(struct rocache *c, uint64_t line, const struct packet *p)
{
    uint32_t i = tags_victim(&c->tags, line);
    tags_allocate(&c->tags, i, line, 1);
    if (c->data)
        memcpy(line_of(c, i, line) + line % LINE_BYTES, p->data + line % LINE_BYTES, c->cfg.line);
}

void rocache_fill(struct rocache *c, const struct packet *p, uint64_t now)
{
    uint32_t e = p->token & ((UINT32_C(1) << REPLY_SHIFT) - 1);
    uint64_t line = c->mshr.entry[e].line;
    place(c, line, p);
    for (struct retire_waiter *w; (w = mshr_take(&c->mshr, e));) {
        struct mem_op *op = w->op;
        retire_load(c->retire, op, &w->access, c->server, p->data, now, now + 1);
        pool_give(&c->retire->waiters, w);
        retire_complete(c->retire, op, now);
    }
    bool demanded = c->type == ACCESS_INST && c->mshr.entry[e].user == DEMANDED;
    mshr_free(&c->mshr, e);
    request_wanted(c, now);
    if (demanded)
        c->retire->calls.fetched(c->retire->calls.ctx, line, now);
}
