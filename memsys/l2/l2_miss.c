/*
 * Misses: lines make room, requests wait for fills in an MSHR entry in the order of their coming, transfers wait for
 * the DRAM queue. Stores allocate a line. One that covers a sector in part makes it valid at once, unless
 * l2.write_fetch: its bytes are merged into device memory as they come, and the read of the rest of the sector, which
 * some GPUs make when it is asked for or evicted, is not modelled.
 *
 * Without an L2 every request makes its own DRAM access and performs when that is done, in order within its line; an
 * atomic reads DRAM, operates, and then writes it.
 */
#include <string.h>

#include "memsys/l2/l2.h"

static uint8_t partly_covered(const uint64_t mask[2])
{
    uint8_t sectors = 0;
    for (unsigned i = 0; i < LINE_SECTORS; i++) {
        uint32_t m = (uint32_t)(mask[i / 2] >> 32 * (i % 2));
        sectors |= (uint8_t)((m && ~m) << i);
    }
    return sectors;
}

uint8_t l2_needs(const struct slice *s, const struct packet *p)
{
    if (p->kind != MSG_WRITE)
        return p->sectors;
    return s->part->cfg.l2.write_fetch ? partly_covered(p->mask) : 0;
}

/* ---- the way to the DRAM queue ---- */

uint32_t l2_pieces(const struct slice *s, uint8_t sectors)
{
    const struct l2_cfg *c = &s->part->cfg.l2;
    return !c->sectored ? 1 : l2_sectors(c->merge_fills ? sectors & (uint8_t)~(sectors << 1) : sectors);
}

/* False when the miss queue is full. */
bool l2_send_line(struct slice *s, uint64_t line, uint8_t sectors, uint32_t entry, bool write, uint64_t now)
{
    const struct l2_cfg *c = &s->part->cfg.l2;
    if (s->transfers == s->transfer_places)
        return false;
    uint32_t at = s->transfer_head + s->transfers++;
    s->transfer[at < s->transfer_places ? at : at - s->transfer_places] = (struct l2_transfer){
        .line = line, .ready = now + s->part->cfg.dram.latency, .entry = entry, .write = write,
        .sectors = c->sectored ? sectors : ALL_SECTORS
    };
    if (entry != MSHR_NONE)
        s->miss[entry].outstanding += l2_pieces(s, sectors);
    return true;
}

/* Neighbouring sectors make one request, of whole bursts; with l2.merge_fills off each sector that is read makes its
 * own. */
static void push_piece(struct slice *s, const struct l2_transfer *x, uint8_t piece, const struct l2_now *t)
{
    struct partition *part = s->part;
    uint32_t burst = part->cfg.dram.burst_bytes;
    uint64_t from = x->line + (unsigned)__builtin_ctz(piece) * SECTOR_BYTES;
    uint64_t to = from + l2_sectors(piece) * SECTOR_BYTES;
    from -= from % burst;
    to += (burst - to % burst) % burst;
    uint64_t m = clock_convert(part->cfg.clocks, CLK_L2, CLK_MEM, t->l2);
    struct dram_request r = {
        .at = addrmap_decode(part->cfg.map, from), .bytes = (uint32_t)(to - from), .write = x->write,
        .token = (uint64_t)s->number << 40 | (uint64_t)piece << 32 | x->entry
    };
    hist_add(part->hists, HIST_DRAM_QUEUE, dram_queued(part->dram));
    dram_push(part->dram, m, &r);
    part->first = s->number + 1 == part->cfg.slices ? 0 : s->number + 1;
    if (m < part->mem_next)
        part->mem_next = m;
}

/* One request a cycle goes to the DRAM queue. */
bool l2_to_dram(struct slice *s, const struct l2_now *t)
{
    struct l2_transfer *x = &s->transfer[s->transfer_head];
    uint32_t me = UINT32_C(1) << s->number;
    if (!s->transfers || x->ready > t->l2)
        return false;
    s->part->dram_waiters &= ~me;
    if (dram_full(s->part->dram)) {
        s->part->dram_waiters |= me;
        return false;
    }
    uint8_t piece = x->sectors, low = (uint8_t)(x->sectors & -x->sectors);
    bool alone = x->entry != MSHR_NONE && s->part->cfg.l2.sectored && !s->part->cfg.l2.merge_fills;
    piece = alone ? low : piece & (uint8_t)~(piece + low);       /* else the lowest run of ones */
    push_piece(s, x, piece, t);
    if (x->entry != MSHR_NONE)
        s->miss[x->entry].queued = t->core;
    x->sectors &= (uint8_t)~piece;
    if (!x->sectors) {
        s->transfer_head = s->transfer_head + 1 == s->transfer_places ? 0 : s->transfer_head + 1;
        s->transfers--;
    }
    return true;
}

/* ---- lines ---- */

void l2_forget_dirty(struct slice *s, uint32_t i)
{
    s->dirty_lines -= s->tags.tag[i].dirty != 0;
    s->tags.tag[i].dirty = 0;
    s->dirty[i / 64] &= ~(UINT64_C(1) << i % 64);
}

bool l2_write_back(struct slice *s, uint32_t i, uint64_t now)
{
    struct tag *g = &s->tags.tag[i];
    if (!l2_send_line(s, g->line, g->dirty, MSHR_NONE, true, now))
        return false;
    s->part->count[STAT_L2_WRITEBACKS] += s->part->cfg.l2.sectored ? l2_sectors(g->dirty) : (uint32_t)LINE_SECTORS;
    l2_forget_dirty(s, i);
    return true;
}

enum l2_blocked l2_make_room(struct slice *s, uint64_t line, uint32_t *i, const struct l2_now *t)
{
    uint32_t v = tags_victim(&s->tags, line);
    if (v == TAG_NONE)
        return L2_BLOCKED_SET;
    struct tag *g = &s->tags.tag[v];
    enum l2_blocked why = s->protocol && g->state ? l2_coherence_evict(s, v, t) : L2_SERVED;
    if (why)
        return why;
    if (g->state && g->dirty && !l2_write_back(s, v, t->l2))
        return L2_BLOCKED_MISS_QUEUE;
    s->part->count[STAT_L2_EVICTIONS] += g->state != 0;
    tags_allocate(&s->tags, v, line, 1);
    if (s->protocol)
        memset(&s->protocol[(size_t)v * s->words], 0, s->words * sizeof *s->protocol);
    *i = v;
    return L2_SERVED;
}

/* One line a cycle, while the partition flushes. */
bool l2_flush_line(struct slice *s, uint64_t now)
{
    if (!s->flushing || !s->dirty_lines || s->transfers == s->transfer_places)
        return false;
    uint32_t words = (s->tags.sets * s->tags.ways + 63) / 64;
    for (uint32_t k = 0; k < words; k++) {
        uint32_t w = s->flush_at + k < words ? s->flush_at + k : s->flush_at + k - words;
        for (uint64_t bits = s->dirty[w]; bits; bits &= bits - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (!s->tags.tag[i].pinned) {
                s->flush_at = w;
                return l2_write_back(s, i, now);
            }
        }
    }
    return false;
}

/* ---- MSHRs ---- */

/* Can the oldest request of the entry be performed now, as far as its data is concerned? */
static bool data_there(const struct slice *s, uint32_t e)
{
    const struct packet *p = mshr_first(&s->mshr, e);
    if (!p)
        return false;
    if (!s->tags.tag)
        return s->miss[e].arrived >= l2_pieces(s, p->sectors);
    return !(l2_needs(s, p) & ~s->tags.tag[s->mshr.entry[e].user].valid);
}

/* Puts the entry into the list of those that can perform. */
static void list_if_ready(struct slice *s, uint32_t e)
{
    if (s->miss[e].listed || !data_there(s, e))
        return;
    s->miss[e].listed = true;
    s->miss[e].next = MSHR_NONE;
    if (s->list_head == MSHR_NONE)
        s->list_head = e;
    else
        s->miss[s->list_tail].next = e;
    s->list_tail = e;
}

/* An entry for which nobody waits and nothing comes any more is done with. */
static void retire(struct slice *s, uint32_t e)
{
    if (s->mshr.entry[e].n || s->miss[e].outstanding)
        return;
    if (s->tags.tag)
        s->tags.tag[s->mshr.entry[e].user].pinned = false;
    mshr_free(&s->mshr, e);
}

/* Sectors that p makes the slice fetch, or without tags send for; i: its line. */
static uint8_t to_fetch(const struct slice *s, uint32_t i, const struct packet *p)
{
    if (!s->tags.tag)
        return p->sectors;
    uint8_t lacking = l2_needs(s, p) & (uint8_t)~s->tags.tag[i].valid;
    return !lacking || s->part->cfg.l2.sectored ? lacking : ALL_SECTORS;
}

/* p waits in the entry. The time of its look-up stays in the stamp until it is known when its line came. */
static void wait_in(struct slice *s, uint32_t e, struct packet *p, const struct l2_now *t)
{
    p->stamp[STAMP_DRAM_QUEUE] = t->core;
    mshr_add(&s->mshr, e, p);
    list_if_ready(s, e);
}

enum l2_blocked l2_join(struct slice *s, uint32_t e, struct packet *p, const struct l2_now *t)
{
    struct mshr_entry *x = &s->mshr.entry[e];
    if (!mshr_mergeable(&s->mshr, e))
        return L2_BLOCKED_MERGES;
    uint8_t more = to_fetch(s, x->user, p) & (uint8_t)(s->tags.tag ? ~x->wanted : ALL_SECTORS);
    bool write = !s->tags.tag && p->kind == MSG_WRITE;
    if (more && !l2_send_line(s, x->line, more, e, write, t->l2))
        return L2_BLOCKED_MISS_QUEUE;
    x->wanted |= more;
    p->found = more ? PACKET_FOUND_MISS : PACKET_FOUND_PENDING;
    s->part->count[more ? l2_stats(p)->misses : l2_stats(p)->merged]++;
    wait_in(s, e, p, t);
    return L2_SERVED;
}

enum l2_blocked l2_miss(struct slice *s, uint32_t i, struct packet *p, const struct l2_now *t)
{
    if (mshr_full(&s->mshr))
        return L2_BLOCKED_MSHR;
    enum l2_blocked why = s->tags.tag && i == TAG_NONE ? l2_make_room(s, p->mapped, &i, t) : L2_SERVED;
    if (why)
        return why;
    if (s->transfers == s->transfer_places)
        return L2_BLOCKED_MISS_QUEUE;
    uint32_t e = mshr_new(&s->mshr, p->mapped);
    p->found = PACKET_FOUND_MISS;
    s->miss[e] = (struct l2_missing){ .next = MSHR_NONE };
    s->mshr.entry[e].user = i;
    s->mshr.entry[e].wanted = to_fetch(s, i, p);
    if (s->tags.tag)
        s->tags.tag[i].pinned = true;
    l2_send_line(s, p->mapped, s->mshr.entry[e].wanted, e, !s->tags.tag && p->kind == MSG_WRITE, t->l2);
    s->part->count[l2_stats(p)->misses]++;
    wait_in(s, e, p, t);
    return L2_SERVED;
}

void l2_fill(struct slice *s, uint32_t e, uint8_t sectors, uint64_t core)
{
    struct l2_missing *m = &s->miss[e];
    m->filled = core;
    m->outstanding--;
    m->arrived++;
    if (s->tags.tag) {
        s->tags.tag[s->mshr.entry[e].user].valid |= sectors;
        s->part->count[STAT_L2_FILLS] += l2_sectors(sectors);
    }
    if (s->busy && s->busy[e].coherent) {
        if (!m->outstanding)
            l2_coherence_filled(s, e);
        return;
    }
    list_if_ready(s, e);
    retire(s, e);
}

/* A request that joined after its line came has not waited for DRAM. */
void l2_stamp_dram(struct packet *p, const struct l2_missing *m)
{
    uint64_t looked_up = p->stamp[STAMP_DRAM_QUEUE];
    bool waited = m->filled > looked_up;
    p->stamp[STAMP_DRAM] = waited ? m->filled : 0;
    if (!waited)
        p->stamp[STAMP_DRAM_QUEUE] = 0;
    else if (m->queued > looked_up && m->queued <= m->filled)
        p->stamp[STAMP_DRAM_QUEUE] = m->queued;
}

/* One waiting request a cycle is performed; lines take turns, since requests for one may never end. */
bool l2_perform_waiting(struct slice *s, const struct l2_now *t)
{
    uint32_t e = s->list_head;
    s->list_stuck = false;
    if (e == MSHR_NONE)
        return false;
    struct packet *p = mshr_first(&s->mshr, e);
    bool writes_dram = !s->tags.tag && p->kind == MSG_ATOMIC;
    if (l2_cannot_perform(s, p, t->l2) || (writes_dram && s->transfers == s->transfer_places)) {
        s->list_stuck = true;
        return false;
    }
    mshr_take(&s->mshr, e);
    l2_stamp_dram(p, &s->miss[e]);
    s->miss[e].arrived -= s->tags.tag ? 0 : l2_pieces(s, p->sectors);
    if (writes_dram)
        l2_send_line(s, p->mapped, p->sectors, MSHR_NONE, true, t->l2);
    l2_perform(s, s->mshr.entry[e].user, p, t);
    s->list_head = s->miss[e].next;
    s->miss[e].listed = false;
    list_if_ready(s, e);
    retire(s, e);
    return true;
}
