/* The L1 data cache: look-ups, misses, stores, fills. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/huge.h"
#include "memsys/l1/l1_coherence.h"


void l1_init(struct l1 *l, const struct l1_cfg *c, uint32_t segment, struct sender *send, struct retire *retire,
             uint64_t *count)
{
    *l = (struct l1){
        .cfg = c, .segment = segment, .send = send, .retire = retire, .count = count, .free_writeback = UINT32_MAX
    };
    size_t lines = (size_t)c->sets * c->ways;
    if (c->sets)
        tags_init(&l->tags, c->sets, c->ways, LINE_BYTES, c->replacement, c->hash);
    l->data = mem_alloc(lines, sizeof *l->data, "the lines of an L1");       /* bytes are read after a fill or store */
    l->dirty = huge_zero(lines, sizeof *l->dirty, "the lines of an L1");
    l->entry = huge_alloc(lines, sizeof *l->entry, "the lines of an L1");
    l->miss = huge_zero(c->mshrs, sizeof *l->miss, "MSHR entries of an L1");
    mshr_init(&l->mshr, c->mshrs, c->merges);
}

void l1_end(struct l1 *l)
{
    tags_end(&l->tags);
    mshr_end(&l->mshr);
    free(l->data);
    huge_free(l->dirty);
    huge_free(l->entry);
    huge_free(l->miss);
    free(l->writeback);
}

void l1_set_ways(struct l1 *l, uint32_t ways)
{
    l1_clear(l);
    tags_set_ways(&l->tags, ways);
    l->cursor = 0;
    if (l->coherence)
        l->coherence->cursor = 0;
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

/* Sectors rounded up to the granularity of requests. */
static uint8_t widen(uint8_t sectors, uint32_t segment)
{
    if (segment <= SECTOR_BYTES)
        return sectors;
    if (segment >= LINE_BYTES)
        return sectors ? ALL_SECTORS : 0;
    return (uint8_t)((sectors & 3 ? 3 : 0) | (sectors & 12 ? 12 : 0));
}

static struct l1_miss *filling(const struct l1 *l, uint32_t index)
{
    return l->tags.tag[index].pinned ? &l->miss[l->entry[index]] : NULL;
}

enum lsu_result l1_make_room(struct l1 *l, uint64_t line, uint32_t *index, uint64_t now)
{
    *index = tags_victim(&l->tags, line);
    if (*index == TAG_NONE)
        return LSU_BLOCKED_LINE;
    struct tag *t = &l->tags.tag[*index];
    if (t->state == L1_INVALID)
        return LSU_SERVED;
    if (t->state >= L1_COHERENT)
        return l1_coherence_evict(l->coherence, *index, now);
    if (t->dirty) {
        if (!sender_has_room(l->send))
            return LSU_BLOCKED_QUEUE;
        l1_write_back(l, *index, now);
    }
    l->count[STAT_L1_EVICTIONS]++;
    t->state = L1_INVALID;
    return LSU_SERVED;
}

void l1_clear(struct l1 *l)
{
    if (!l->tags.used)
        return;
    tags_clear(&l->tags);
    memset(l->dirty, 0, (size_t)l->tags.sets * l->tags.ways * sizeof *l->dirty);
    l->dirty_lines = 0;
    l->has_global = false;
}

/* ---- misses ---- */

static struct packet *request(struct l1 *l, uint32_t e, uint64_t line, uint8_t sectors, const struct mem_op *op,
                              enum mem_server s, uint64_t now)
{
    l->miss[e].requested |= sectors;
    l->miss[e].waited |= sectors;
    return sender_read(l->send, read_type(op, s), line, sectors, sender_token(REPLY_L1, e), op->issued, now);
}

static void append(struct l1 *l, uint32_t e, struct mem_op *op, const struct line_access *a, enum mem_server s)
{
    l->miss[e].waited |= a->sectors;
    if (op->kind != MOP_PREFETCH)
        mshr_add(&l->mshr, e, retire_waiter(l->retire, op, s, a));
}

/* Appends the access to the MSHR entry of a line in flight, and requests the sectors that have not been requested. */
static enum lsu_result join_miss(struct l1 *l, uint32_t index, struct mem_op *op, const struct line_access *a,
                                 enum mem_server s, uint8_t need, uint64_t now)
{
    uint32_t e = l->entry[index];
    uint8_t more = need & (uint8_t)~(l->tags.tag[index].valid | l->miss[e].requested);
    if (!mshr_mergeable(&l->mshr, e))
        return LSU_BLOCKED_MSHR;
    if (more && !sender_has_room(l->send))
        return LSU_BLOCKED_QUEUE;
    if (more)
        request(l, e, a->line, more, op, s, now);
    append(l, e, op, a, s);
    l->count[more ? l1_stats(op, s)->misses : l1_stats(op, s)->merged]++;
    return LSU_SERVED;
}

/* Allocates an MSHR entry; index: the way of the line, of which sectors are missing, or TAG_NONE. */
static enum lsu_result new_miss(struct l1 *l, uint32_t index, struct mem_op *op, const struct line_access *a,
                                enum mem_server s, uint8_t need, uint64_t now)
{
    if (mshr_full(&l->mshr))
        return LSU_BLOCKED_MSHR;
    if (!sender_has_room(l->send))
        return LSU_BLOCKED_QUEUE;
    if (index == TAG_NONE) {
        enum lsu_result r = l1_make_room(l, a->line, &index, now);
        if (r != LSU_SERVED)
            return r;
        if (!sender_has_room(l->send))
            return LSU_BLOCKED_QUEUE;
        tags_allocate(&l->tags, index, a->line, s == SERVE_LOCAL ? L1_LOCAL : L1_GLOBAL);
        l->has_global |= s != SERVE_LOCAL;
    }
    tags_touch(&l->tags, index);
    uint32_t e = mshr_new(&l->mshr, a->line);
    l->tags.tag[index].pinned = true;
    l->entry[index] = e;
    l->miss[e] = (struct l1_miss){ .index = index };
    request(l, e, a->line, need & (uint8_t)~l->tags.tag[index].valid, op, s, now);
    append(l, e, op, a, s);
    l->count[l1_stats(op, s)->misses]++;
    return LSU_SERVED;
}

static enum lsu_result serve_miss(struct l1 *l, uint32_t index, struct mem_op *op, const struct line_access *a,
                                  enum mem_server s, uint8_t need, uint64_t now)
{
    enum lsu_result r = index != TAG_NONE && l->tags.tag[index].pinned ? join_miss(l, index, op, a, s, need, now)
                                                                   : new_miss(l, index, op, a, s, need, now);
    if (r == LSU_BLOCKED_LINE && l->cfg->streaming && s == SERVE_GLOBAL)
        return l1_bypass(l, op, a, s, now);
    return op->kind == MOP_PREFETCH ? LSU_SERVED : r;        /* a prefetch that finds no free resource is dropped */
}

/* Are all these sectors valid, and does no older access wait for one of them? */
static bool available(const struct l1 *l, uint32_t index, uint8_t sectors)
{
    const struct l1_miss *m = filling(l, index);
    return !(sectors & ~l->tags.tag[index].valid) && !(m && sectors & m->waited);
}

/* Invalidates a line whose bytes are not needed any more, without a write-back. */
static void discard(struct l1 *l, uint32_t index)
{
    struct tag *t = &l->tags.tag[index];
    l->dirty_lines -= t->dirty != 0;
    l->dirty[index][0] = l->dirty[index][1] = 0;
    t->dirty = 0;
    t->state = L1_INVALID;
}

enum lsu_result l1_load(struct l1 *l, struct mem_op *op, const struct line_access *a, enum mem_server s, uint64_t now)
{
    uint32_t i = tags_find(&l->tags, a->line);
    if (i == TAG_NONE || !available(l, i, a->sectors))
        return serve_miss(l, i, op, a, s, l->cfg->sectored ? widen(a->sectors, l->segment) : ALL_SECTORS, now);
    tags_touch(&l->tags, i);
    l->count[l1_stats(op, s)->hits]++;
    if (op->kind != MOP_PREFETCH)
        retire_load(l->retire, op, a, s, l->data[i], now, now + l->cfg->latency - 1);
    if (op->last_use && !l->tags.tag[i].pinned)
        discard(l, i);
    return LSU_SERVED;
}

enum lsu_result l1_bypass(struct l1 *l, struct mem_op *op, const struct line_access *a, enum mem_server s, uint64_t now)
{
    bool full = mshr_full(&l->mshr);
    if (full || !sender_has_room(l->send))
        return op->kind == MOP_PREFETCH ? LSU_SERVED : full ? LSU_BLOCKED_MSHR : LSU_BLOCKED_QUEUE;
    if (op->path == PATH_L2 && op->kind != MOP_PREFETCH)
        l1_invalidate_line(l, a->line);
    uint32_t e = mshr_new(&l->mshr, a->line);
    l->miss[e] = (struct l1_miss){ .index = TAG_NONE };
    request(l, e, a->line, widen(a->sectors, l->segment), op, s, now)->noted = op->noted;
    append(l, e, op, a, s);
    l->count[STAT_L1_BYPASSED] += s == SERVE_GLOBAL;
    return LSU_SERVED;
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

/* Does the store write all bytes of the sectors? In private memory no two lanes write the same word. */
static bool covers(const struct mem_op *op, const struct line_access *a, uint8_t sectors)
{
    unsigned bytes = op->width / mem_pieces(op, SERVE_LOCAL);
    return (unsigned)__builtin_popcountll(a->lanes) * bytes == SECTOR_BYTES * (unsigned)__builtin_popcount(sectors);
}

bool l1_holds(const struct l1 *l, uint64_t line)
{
    return tags_find(&l->tags, line) != TAG_NONE;
}

enum lsu_result l1_store_local(struct l1 *l, struct mem_op *op, const struct line_access *a, uint64_t now)
{
    struct line_access want = *a;
    if (!l->cfg->sectored)
        want.sectors = ALL_SECTORS;
    uint32_t i = tags_find(&l->tags, a->line);
    bool whole = covers(op, a, want.sectors);
    bool waits = i != TAG_NONE && filling(l, i) && filling(l, i)->waited & want.sectors;
    if (waits || !(whole || (i != TAG_NONE && available(l, i, want.sectors))))
        return serve_miss(l, i, op, &want, SERVE_LOCAL, want.sectors, now);
    if (i == TAG_NONE) {
        enum lsu_result r = l1_make_room(l, a->line, &i, now);
        if (r != LSU_SERVED)
            return r;
        tags_allocate(&l->tags, i, a->line, L1_LOCAL);
    }
    l->tags.tag[i].valid |= want.sectors;
    tags_touch(&l->tags, i);
    write_line(l, i, op, a->lanes, a->piece);
    l->count[STAT_L1_LOCAL_STORE_HITS]++;
    return LSU_SERVED;
}

/* Invalidates the line, and detaches the MSHR entry that fills it. */
static void invalidate(struct l1 *l, uint32_t index)
{
    struct tag *t = &l->tags.tag[index];
    struct l1_miss *m = filling(l, index);
    if (m) {
        m->index = TAG_NONE;
        m->valid = t->valid;
        memcpy(m->data, l->data[index], LINE_BYTES);
    }
    t->state = L1_INVALID;
    t->pinned = false;
}

void l1_invalidate_line(struct l1 *l, uint64_t line)
{
    uint32_t i = l->cfg->sets ? tags_find(&l->tags, line) : TAG_NONE;
    if (i != TAG_NONE)
        invalidate(l, i);
}

void l1_invalidate_global(struct l1 *l)
{
    for (uint32_t i = 0; l->has_global && i < l->tags.sets * l->tags.ways; i++)
        if (l->tags.tag[i].state == L1_GLOBAL)
            invalidate(l, i);
    l->has_global = false;
}

void l1_write_through(struct l1 *l, const struct packet *p)
{
    uint32_t i = l->cfg->sets ? tags_find(&l->tags, p->line) : TAG_NONE;
    if (p->type == ACCESS_GLOBAL_STORE)
        l->count[i == TAG_NONE ? STAT_L1_STORE_MISSES : STAT_L1_STORE_HITS]++;
    if (i == TAG_NONE)
        return;
    const struct l1_miss *m = filling(l, i);
    if (l->cfg->store_hit == L1_STORE_UPDATE && !(m && m->waited & p->sectors))
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

static void perform(struct l1 *l, const struct l1_miss *m, struct retire_waiter *w, const uint8_t *line, uint64_t now)
{
    struct mem_op *op = w->op;
    if (op->kind == MOP_STORE)
        write_line(l, m->index, op, w->access.lanes, w->access.piece);
    else
        retire_load(l->retire, op, &w->access, w->server, line, now, now + 1);
    pool_give(&l->retire->waiters, w);
    retire_complete(l->retire, op, now);
}

static void keep_note(struct mem_op *op, uint64_t lanes, const struct packet *p)
{
    for (; lanes; lanes &= lanes - 1)
        memcpy(op->note[__builtin_ctzll(lanes)], p->mask, sizeof p->mask);
}

void l1_fill(struct l1 *l, const struct packet *p, uint64_t now)
{
    uint32_t e = p->token & ((UINT32_C(1) << REPLY_SHIFT) - 1);
    struct l1_miss *m = &l->miss[e];
    struct tag *t = m->index == TAG_NONE ? NULL : &l->tags.tag[m->index];
    uint8_t *line = t ? l->data[m->index] : m->data, *have = t ? &t->valid : &m->valid;
    l1_copy_sectors(line, p->data, p->sectors);
    *have |= p->sectors;
    m->requested &= (uint8_t)~p->sectors;
    for (struct retire_waiter *w; (w = mshr_first(&l->mshr, e)) && !(w->access.sectors & ~*have);) {
        mshr_take(&l->mshr, e);
        if (p->noted)
            keep_note(w->op, w->access.lanes, p);
        perform(l, m, w, line, now);
    }
    if (m->requested)
        return;
    if (t)
        t->pinned = false;
    mshr_free(&l->mshr, e);
}
