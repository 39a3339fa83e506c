/* The L1 data cache: look-ups, misses, stores, fills. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/l1/l1_coherence.h"


void l1_init(struct l1 *l, const struct lsu_cfg *c, struct sender *send, struct retire *retire, uint64_t *count)
{
    *l = (struct l1){ .cfg = c, .send = send, .retire = retire, .count = count, .free_writeback = UINT32_MAX };
    size_t lines = c->l1_exists ? (size_t)c->l1.sets * c->l1.ways : 0;
    if (c->l1_exists)
        tags_init(&l->tags, c->l1.sets, c->l1.ways, LINE_BYTES, c->l1_replacement, c->l1_hash);
    l->data = mem_zero(lines, sizeof *l->data, "the lines of an L1");
    l->dirty = mem_zero(lines, sizeof *l->dirty, "the lines of an L1");
    l->entry = mem_zero(lines, sizeof *l->entry, "the lines of an L1");
    l->miss = mem_zero(c->l1.mshrs, sizeof *l->miss, "MSHR entries of an L1");
    mshr_init(&l->mshr, c->l1.mshrs, c->l1.merges);
}

void l1_end(struct l1 *l)
{
    tags_end(&l->tags);
    mshr_end(&l->mshr);
    free(l->data);
    free(l->dirty);
    free(l->entry);
    free(l->miss);
    free(l->writeback);
}

const struct cache_stats *l1_stats(const struct mem_op *op, enum mem_server s)
{
    if (s != SERVE_LOCAL)
        return &cache_stats[CACHE_STATS_L1_GLOBAL_LOAD];
    return &cache_stats[op->kind == MOP_STORE ? CACHE_STATS_L1_LOCAL_STORE : CACHE_STATS_L1_LOCAL_LOAD];
}

static enum access_type read_type(const struct mem_op *op, enum mem_server s)
{
    if (s != SERVE_LOCAL)
        return ACCESS_GLOBAL_LOAD;
    return op->kind == MOP_STORE ? ACCESS_LOCAL_STORE : ACCESS_LOCAL_LOAD;
}

/* Sectors rounded to the granularity of requests. */
static uint8_t widen(uint8_t sectors, uint32_t segment)
{
    if (segment <= SECTOR_BYTES)
        return sectors;
    if (segment >= LINE_BYTES)
        return sectors ? ALL_SECTORS : 0;
    return (uint8_t)((sectors & 3 ? 3 : 0) | (sectors & 12 ? 12 : 0));
}

static struct miss *filling(const struct l1 *l, uint32_t index)
{
    return l->tags.tag[index].pinned ? &l->miss[l->entry[index]] : NULL;
}

enum served l1_make_room(struct l1 *l, uint64_t line, uint32_t *index, uint64_t now)
{
    *index = tags_victim(&l->tags, line);
    if (*index == TAG_NONE)
        return BLOCKED_LINE;
    struct tag *t = &l->tags.tag[*index];
    if (t->state == L1_INVALID)
        return SERVED;
    if (t->state >= L1_COHERENT)
        return l1_coherence_evict(l->coherence, *index, now);
    if (t->dirty) {
        if (!sender_has_room(l->send))
            return BLOCKED_QUEUE;
        l1_write_back(l, *index, now);
    }
    l->count[STAT_L1_EVICTIONS]++;
    t->state = L1_INVALID;
    return SERVED;
}

void l1_clear(struct l1 *l)
{
    if (!l->cfg->l1_exists)
        return;
    tags_clear(&l->tags);
    memset(l->dirty, 0, (size_t)l->tags.sets * l->tags.ways * sizeof *l->dirty);
    l->dirty_lines = 0;
    l->has_global = false;
}

/* ---- misses ---- */

static void ask(struct l1 *l, uint32_t e, uint64_t line, uint8_t sectors, const struct mem_op *op, enum mem_server s,
                uint64_t now)
{
    l->miss[e].wait |= sectors;
    l->miss[e].touch |= sectors;
    sender_read(l->send, read_type(op, s), line, sectors, token_of(REPLY_L1, e), op->issued, now);
}

static void wait_for(struct l1 *l, uint32_t e, struct mem_op *op, const struct line_access *a, enum mem_server s)
{
    l->miss[e].touch |= a->sectors;
    if (op->kind != MOP_PREFETCH)
        mshr_add(&l->mshr, e, retire_waiter(l->retire, op, s, a));
}

/* Joins the accesses that wait for a line under way, asking for the sectors that nobody has asked for. */
static enum served join_miss(struct l1 *l, uint32_t index, struct mem_op *op, const struct line_access *a,
                             enum mem_server s, uint8_t need, uint64_t now)
{
    uint32_t e = l->entry[index];
    uint8_t more = need & (uint8_t)~(l->tags.tag[index].valid | l->miss[e].wait);
    if (!mshr_mergeable(&l->mshr, e))
        return BLOCKED_MSHR;
    if (more && !sender_has_room(l->send))
        return BLOCKED_QUEUE;
    if (more)
        ask(l, e, a->line, more, op, s, now);
    wait_for(l, e, op, a, s);
    l->count[more ? l1_stats(op, s)->misses : l1_stats(op, s)->merged]++;
    return SERVED;
}

/* A new entry; index: the line that lacks sectors, or TAG_NONE. */
static enum served new_miss(struct l1 *l, uint32_t index, struct mem_op *op, const struct line_access *a,
                            enum mem_server s, uint8_t need, uint64_t now)
{
    if (mshr_full(&l->mshr))
        return BLOCKED_MSHR;
    if (!sender_has_room(l->send))
        return BLOCKED_QUEUE;
    if (index == TAG_NONE) {
        enum served r = l1_make_room(l, a->line, &index, now);
        if (r != SERVED)
            return r;
        if (!sender_has_room(l->send))
            return BLOCKED_QUEUE;
        tags_place(&l->tags, index, a->line, s == SERVE_LOCAL ? L1_LOCAL : L1_GLOBAL);
        l->has_global |= s != SERVE_LOCAL;
    }
    tags_touch(&l->tags, index);
    uint32_t e = mshr_new(&l->mshr, a->line);
    l->tags.tag[index].pinned = true;
    l->entry[index] = e;
    l->miss[e] = (struct miss){ .index = index };
    ask(l, e, a->line, need & (uint8_t)~l->tags.tag[index].valid, op, s, now);
    wait_for(l, e, op, a, s);
    l->count[l1_stats(op, s)->misses]++;
    return SERVED;
}

static enum served serve_miss(struct l1 *l, uint32_t index, struct mem_op *op, const struct line_access *a,
                              enum mem_server s, uint8_t need, uint64_t now)
{
    enum served r = index != TAG_NONE && l->tags.tag[index].pinned ? join_miss(l, index, op, a, s, need, now)
                                                                   : new_miss(l, index, op, a, s, need, now);
    if (r == BLOCKED_LINE && l->cfg->l1_streaming && s == SERVE_GLOBAL)
        return l1_load_past(l, op, a, s, now);
    return op->kind == MOP_PREFETCH ? SERVED : r;        /* a prefetch that finds no room is forgotten */
}

/* Are all these sectors here, and no access in the queue before this one for any of them? */
static bool available(const struct l1 *l, uint32_t index, uint8_t sectors)
{
    const struct miss *m = filling(l, index);
    return !(sectors & ~l->tags.tag[index].valid) && !(m && sectors & m->touch);
}

/* The line's bytes are not needed any more: it goes without a write-back. */
static void discard(struct l1 *l, uint32_t index)
{
    struct tag *t = &l->tags.tag[index];
    l->dirty_lines -= t->dirty != 0;
    l->dirty[index][0] = l->dirty[index][1] = 0;
    t->dirty = 0;
    t->state = L1_INVALID;
}

enum served l1_load(struct l1 *l, struct mem_op *op, const struct line_access *a, enum mem_server s, uint64_t now)
{
    uint32_t i = tags_find(&l->tags, a->line);
    if (i == TAG_NONE || !available(l, i, a->sectors))
        return serve_miss(l, i, op, a, s, l->cfg->l1_sectored ? widen(a->sectors, l->cfg->segment) : ALL_SECTORS, now);
    tags_touch(&l->tags, i);
    l->count[l1_stats(op, s)->hits]++;
    if (op->kind != MOP_PREFETCH)
        retire_load(l->retire, op, a, s, l->data[i], now, now + l->cfg->l1.latency - 1);
    if (op->last_use && !l->tags.tag[i].pinned)
        discard(l, i);
    return SERVED;
}

enum served l1_load_past(struct l1 *l, struct mem_op *op, const struct line_access *a, enum mem_server s, uint64_t now)
{
    bool full = mshr_full(&l->mshr);
    if (full || !sender_has_room(l->send))
        return op->kind == MOP_PREFETCH ? SERVED : full ? BLOCKED_MSHR : BLOCKED_QUEUE;
    if (op->path == PATH_L2 && op->kind != MOP_PREFETCH)
        l1_drop(l, a->line);
    uint32_t e = mshr_new(&l->mshr, a->line);
    l->miss[e] = (struct miss){ .index = TAG_NONE };
    ask(l, e, a->line, widen(a->sectors, l->cfg->segment), op, s, now);
    wait_for(l, e, op, a, s);
    l->count[STAT_L1_BYPASSED] += s == SERVE_GLOBAL;
    return SERVED;
}

/* ---- stores ---- */

static void write_line(struct l1 *l, uint32_t index, const struct mem_op *op, uint64_t lanes, unsigned piece)
{
    struct tag *t = &l->tags.tag[index];
    uint64_t mask[2] = { 0 };
    mem_store_line(op, lanes, piece, l->data[index], mask);
    l->dirty_lines += !t->dirty;
    l->dirty[index][0] |= mask[0];
    l->dirty[index][1] |= mask[1];
    t->dirty |= line_sectors(mask);
}

/* Every lane has words of its own in private memory, so bytes add up. */
static bool covers(const struct mem_op *op, const struct line_access *a, uint8_t sectors)
{
    unsigned bytes = op->width / mem_pieces(op, SERVE_LOCAL);
    return (unsigned)__builtin_popcountll(a->lanes) * bytes == SECTOR_BYTES * (unsigned)__builtin_popcount(sectors);
}

enum served l1_store_local(struct l1 *l, struct mem_op *op, const struct line_access *a, uint64_t now)
{
    struct line_access want = *a;
    if (!l->cfg->l1_sectored)
        want.sectors = ALL_SECTORS;
    uint32_t i = tags_find(&l->tags, a->line);
    bool whole = covers(op, a, want.sectors);
    bool behind = i != TAG_NONE && filling(l, i) && filling(l, i)->touch & want.sectors;
    if (behind || !(whole || (i != TAG_NONE && available(l, i, want.sectors))))
        return serve_miss(l, i, op, &want, SERVE_LOCAL, want.sectors, now);
    if (i == TAG_NONE) {
        enum served r = l1_make_room(l, a->line, &i, now);
        if (r != SERVED)
            return r;
        tags_place(&l->tags, i, a->line, L1_LOCAL);
    }
    l->tags.tag[i].valid |= want.sectors;
    tags_touch(&l->tags, i);
    write_line(l, i, op, a->lanes, a->piece);
    l->count[STAT_L1_LOCAL_STORE_HITS]++;
    return SERVED;
}

/* The line is gone; an entry that was to fill it goes on by itself. */
static void invalidate(struct l1 *l, uint32_t index)
{
    struct tag *t = &l->tags.tag[index];
    struct miss *m = filling(l, index);
    if (m) {
        m->index = TAG_NONE;
        m->have = t->valid;
        memcpy(m->data, l->data[index], LINE_BYTES);
    }
    t->state = L1_INVALID;
    t->pinned = false;
}

void l1_drop(struct l1 *l, uint64_t line)
{
    uint32_t i = l->cfg->l1_exists ? tags_find(&l->tags, line) : TAG_NONE;
    if (i != TAG_NONE)
        invalidate(l, i);
}

void l1_forget_global(struct l1 *l)
{
    for (uint32_t i = 0; l->has_global && i < l->tags.sets * l->tags.ways; i++)
        if (l->tags.tag[i].state == L1_GLOBAL)
            invalidate(l, i);
    l->has_global = false;
}

void l1_written_through(struct l1 *l, const struct packet *p)
{
    uint32_t i = l->cfg->l1_exists ? tags_find(&l->tags, p->line) : TAG_NONE;
    if (p->type == ACCESS_GLOBAL_STORE)
        l->count[i == TAG_NONE ? STAT_L1_STORE_MISSES : STAT_L1_STORE_HITS]++;
    if (i == TAG_NONE)
        return;
    const struct miss *m = filling(l, i);
    if (l->cfg->l1_store_update && !(m && m->touch & p->sectors))
        line_merge(l->data[i], p->data, p->mask);
    else
        invalidate(l, i);
}

/* ---- replies ---- */

void l1_copy_sectors(uint8_t *to, const uint8_t *from, uint8_t sectors)
{
    for (unsigned s = 0; s < LINE_SECTORS; s++)
        if (sectors >> s & 1)
            memcpy(to + SECTOR_BYTES * s, from + SECTOR_BYTES * s, SECTOR_BYTES);
}

static void perform(struct l1 *l, const struct miss *m, struct waiter *w, const uint8_t *line, uint64_t now)
{
    struct mem_op *op = w->op;
    if (op->kind == MOP_STORE)
        write_line(l, m->index, op, w->access.lanes, w->access.piece);
    else
        retire_load(l->retire, op, &w->access, w->server, line, now, now + 1);
    pool_give(&l->retire->waiters, w);
    retire_part(l->retire, op, now);
}

void l1_fill(struct l1 *l, const struct packet *p, uint64_t now)
{
    uint32_t e = p->token & ((UINT32_C(1) << REPLY_SHIFT) - 1);
    struct miss *m = &l->miss[e];
    struct tag *t = m->index == TAG_NONE ? NULL : &l->tags.tag[m->index];
    uint8_t *line = t ? l->data[m->index] : m->data, *have = t ? &t->valid : &m->have;
    l1_copy_sectors(line, p->data, p->sectors);
    *have |= p->sectors;
    m->wait &= (uint8_t)~p->sectors;
    for (struct waiter *w; (w = mshr_first(&l->mshr, e)) && !(w->access.sectors & ~*have);) {
        mshr_take(&l->mshr, e);
        perform(l, m, w, line, now);
    }
    if (m->wait)
        return;
    if (t)
        t->pinned = false;
    mshr_free(&l->mshr, e);
}
