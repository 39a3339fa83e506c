/*
 * Misses: victims are evicted, requests wait for fills in an MSHR entry in order of arrival, transfers wait for the
 * DRAM queue. Stores allocate. Without l2.write_fetch, a store that covers a sector in part makes the sector valid at
 * once: its bytes are merged into device memory, and the fetch of the rest of the sector, which some GPUs make when it
 * is read or evicted, is not modelled.
 *
 * Without an L2 every request has a DRAM access of its own and performs when that completes, in order within its line;
 * an atomic reads DRAM, operates, and then writes it.
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

uint8_t l2_needs(const struct l2_slice *s, const struct packet *p)
{
    if (p->kind != MSG_WRITE)
        return p->sectors;
    return s->part->cfg.l2.write_fetch ? partly_covered(p->mask) : 0;
}

/* ---- the path to the DRAM queue ---- */

/* All sectors of the aligned blocks of `bytes` bytes that contain these sectors. */
static uint8_t blocks_of(uint8_t sectors, uint32_t bytes)
{
    if (bytes < 2 * SECTOR_BYTES)
        return sectors;
    if (bytes >= LINE_BYTES)
        return sectors ? ALL_SECTORS : 0;
    uint8_t even = (sectors | sectors >> 1) & 5;         /* the first sector of each pair */
    return even | (uint8_t)(even << 1);
}

/*
 * The number of DRAM requests for a transfer of these sectors: adjacent sectors are one; without l2.merge_fills, those
 * in an aligned block of `block` sectors.
 */
static uint32_t dram_requests(const struct l2_slice *s, uint8_t sectors, uint32_t block)
{
    const struct l2_cfg *c = &s->part->cfg.l2;
    if (!c->sectored)
        return 1;
    return c->merge_fills ? l2_sectors(sectors & (uint8_t)~(sectors << 1))
                          : l2_sectors(blocks_of(sectors, block * SECTOR_BYTES)) / block;
}

/* Sectors of a line to transfer. first: those that requests wait for, in DRAM requests of their own. block: as in
 * struct l2_transfer. */
struct fetch { uint8_t sectors, first, block; };

/* False when the miss queue is full. */
static bool send_transfer(struct l2_slice *s, uint64_t line, struct fetch f, uint32_t entry, bool write, uint64_t now)
{
    if (s->transfers == s->transfer_capacity)
        return false;
    if (!s->part->cfg.l2.sectored)
        f = (struct fetch){ ALL_SECTORS, ALL_SECTORS, 1 };
    uint32_t at = s->transfer_head + s->transfers++;
    uint8_t rest = f.sectors & (uint8_t)~f.first;
    s->transfer[at < s->transfer_capacity ? at : at - s->transfer_capacity] = (struct l2_transfer){
        .line = line, .ready = now + s->part->cfg.dram.latency, .entry = entry, .write = write,
        .sectors = f.sectors, .first = f.first, .block = f.block
    };
    if (entry != MSHR_NONE)
        s->miss[entry].outstanding += dram_requests(s, f.first, f.block) +
                                      (rest ? dram_requests(s, rest, f.block) : 0);
    return true;
}

/* False when the miss queue is full. */
bool l2_send_line(struct l2_slice *s, uint64_t line, uint8_t sectors, uint32_t entry, bool write, uint64_t now)
{
    return send_transfer(s, line, (struct fetch){ sectors, sectors, 1 }, entry, write, now);
}

/* Sends one DRAM request for these adjacent sectors, rounded up to whole bursts. */
static void push_piece(struct l2_slice *s, const struct l2_transfer *x, uint8_t piece, const struct l2_now *t)
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
    r.at.row = l2_dram_row(part, r.at.row);
    hist_add(part->hists, HIST_DRAM_QUEUE, dram_queued(part->dram));
    dram_push(part->dram, m, &r);
    part->next_slice = s->number + 1 == part->cfg.slices ? 0 : s->number + 1;
    if (m < part->mem_next)
        part->mem_next = m;
}

/* Sets the times of these sectors. */
static void set_time(uint64_t time[LINE_SECTORS], uint8_t sectors, uint64_t now)
{
    for (unsigned i = 0; i < LINE_SECTORS; i++)
        if (sectors >> i & 1)
            time[i] = now;
}

/* The latest time of these sectors. */
static uint64_t latest(const uint64_t time[LINE_SECTORS], uint8_t sectors)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < LINE_SECTORS; i++)
        if (sectors >> i & 1 && time[i] > last)
            last = time[i];
    return last;
}

/* One request a cycle enters the DRAM queue. */
bool l2_send_to_dram(struct l2_slice *s, const struct l2_now *t)
{
    struct l2_transfer *x = &s->transfer[s->transfer_head];
    uint32_t me = UINT32_C(1) << s->number;
    if (x->ready > t->l2)
        return false;
    s->part->dram_waiters &= ~me;
    if (dram_full(s->part->dram)) {
        s->part->dram_waiters |= me;
        return false;
    }
    uint8_t piece = x->sectors & x->first ? x->sectors & x->first : x->sectors, low = (uint8_t)(piece & -piece);
    bool alone = x->entry != MSHR_NONE && s->part->cfg.l2.sectored && !s->part->cfg.l2.merge_fills;
    if (alone)
        piece &= blocks_of(low, x->block * SECTOR_BYTES);
    else
        piece &= (uint8_t)~(piece + low);                        /* the lowest run of ones */
    push_piece(s, x, piece, t);
    if (x->entry != MSHR_NONE)
        set_time(s->miss[x->entry].queued, piece, t->core);
    x->sectors &= (uint8_t)~piece;
    if (!x->sectors) {
        s->transfer_head = s->transfer_head + 1 == s->transfer_capacity ? 0 : s->transfer_head + 1;
        s->transfers--;
    }
    return true;
}

/* ---- lines ---- */

void l2_clear_dirty(struct l2_slice *s, uint32_t i)
{
    s->dirty_lines -= s->tags.tag[i].dirty != 0;
    s->tags.tag[i].dirty = 0;
    s->dirty[i / 64] &= ~(UINT64_C(1) << i % 64);
}

bool l2_write_back(struct l2_slice *s, uint32_t i, uint64_t now)
{
    struct tag *g = &s->tags.tag[i];
    if (!l2_send_line(s, g->line, g->dirty, MSHR_NONE, true, now))
        return false;
    s->part->count[STAT_L2_WRITEBACKS] += s->part->cfg.l2.sectored ? l2_sectors(g->dirty) : (uint32_t)LINE_SECTORS;
    l2_clear_dirty(s, i);
    return true;
}

enum l2_result l2_make_room(struct l2_slice *s, uint64_t line, uint32_t *i, const struct l2_now *t)
{
    uint32_t v = tags_victim(&s->tags, line);
    if (v == TAG_NONE)
        return L2_BLOCKED_SET;
    struct tag *g = &s->tags.tag[v];
    enum l2_result why = s->directory && g->state ? l2_coherence_evict(s, v, t) : L2_SERVED;
    if (why)
        return why;
    if (g->state && g->dirty && !l2_write_back(s, v, t->l2))
        return L2_BLOCKED_MISS_QUEUE;
    s->part->count[STAT_L2_EVICTIONS] += g->state != 0;
    tags_allocate(&s->tags, v, line, 1);
    if (s->directory)
        memset(&s->directory[(size_t)v * s->directory_words], 0, s->directory_words * sizeof *s->directory);
    *i = v;
    return L2_SERVED;
}

/* Writes one dirty line a cycle back, while the partition flushes. */
bool l2_flush_line(struct l2_slice *s, uint64_t now)
{
    if (!s->dirty_lines || s->transfers == s->transfer_capacity)
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

/* Is the data of the oldest request of the entry available? */
static bool data_available(const struct l2_slice *s, uint32_t e)
{
    const struct packet *p = mshr_first(&s->mshr, e);
    if (!p)
        return false;
    if (!s->tags.tag)
        return s->miss[e].arrived >= dram_requests(s, p->sectors, 1);
    return !(l2_needs(s, p) & ~s->tags.tag[s->mshr.entry[e].user].valid);
}

/* Appends the entry to the list of performable ones. */
static void list_if_performable(struct l2_slice *s, uint32_t e)
{
    if (s->miss[e].listed || !data_available(s, e))
        return;
    s->miss[e].listed = true;
    s->miss[e].next = MSHR_NONE;
    if (s->performable_head == MSHR_NONE)
        s->performable_head = e;
    else
        s->miss[s->performable_tail].next = e;
    s->performable_tail = e;
}

/* Frees an entry without waiting requests and without DRAM requests in flight. */
static void free_if_done(struct l2_slice *s, uint32_t e)
{
    if (s->mshr.entry[e].n || s->miss[e].outstanding)
        return;
    if (s->tags.tag)
        s->tags.tag[s->mshr.entry[e].user].pinned = false;
    mshr_free(&s->mshr, e);
}

/*
 * The sectors of a DRAM request without l2.merge_fills: one; if l2.fetch_bytes and a burst both have several sectors,
 * as many as a burst.
 */
static uint8_t request_sectors(const struct partition_cfg *c)
{
    if (c->l2.fetch_bytes < 2 * SECTOR_BYTES || c->dram.burst_bytes < 2 * SECTOR_BYTES)
        return 1;
    return c->dram.burst_bytes < LINE_BYTES ? 2 : LINE_SECTORS;
}

/*
 * Sectors to fetch for p; i: its way; wanted: requested before. With l2.fetch_bytes the rest of each block is fetched
 * after the sectors that p needs and what their bursts transfer anyway.
 */
static struct fetch to_fetch(const struct l2_slice *s, uint32_t i, uint8_t wanted, const struct packet *p)
{
    const struct partition_cfg *c = &s->part->cfg;
    if (!s->tags.tag)
        return (struct fetch){ p->sectors, p->sectors, 1 };
    uint8_t here = s->tags.tag[i].valid | wanted, lacking = l2_needs(s, p) & (uint8_t)~here;
    if (!lacking || !c->l2.sectored)
        return lacking ? (struct fetch){ ALL_SECTORS, ALL_SECTORS, 1 } : (struct fetch){ 0 };
    uint8_t sectors = blocks_of(lacking, c->l2.fetch_bytes) & (uint8_t)~here;
    return (struct fetch){ sectors, blocks_of(lacking, c->dram.burst_bytes) & sectors, request_sectors(c) };
}

/* p waits in the entry. Its stamp holds the cycle of its look-up until l2_stamp_dram. */
static void wait_in(struct l2_slice *s, uint32_t e, struct packet *p, const struct l2_now *t)
{
    p->stamp[STAMP_DRAM_QUEUE] = t->core;
    mshr_add(&s->mshr, e, p);
    list_if_performable(s, e);
}

enum l2_result l2_merge_miss(struct l2_slice *s, uint32_t e, struct packet *p, const struct l2_now *t)
{
    struct mshr_entry *x = &s->mshr.entry[e];
    if (!mshr_mergeable(&s->mshr, e))
        return L2_BLOCKED_MERGES;
    struct fetch more = to_fetch(s, x->user, x->wanted, p);
    bool write = !s->tags.tag && p->kind == MSG_WRITE;
    if (more.sectors && !send_transfer(s, x->line, more, e, write, t->l2))
        return L2_BLOCKED_MISS_QUEUE;
    x->wanted |= more.sectors;
    p->found = more.sectors ? PACKET_FOUND_MISS : PACKET_FOUND_PENDING;
    s->part->count[more.sectors ? l2_stats(p)->misses : l2_stats(p)->merged]++;
    wait_in(s, e, p, t);
    return L2_SERVED;
}

enum l2_result l2_miss(struct l2_slice *s, uint32_t i, struct packet *p, const struct l2_now *t)
{
    if (mshr_full(&s->mshr))
        return L2_BLOCKED_MSHR;
    enum l2_result why = s->tags.tag && i == TAG_NONE ? l2_make_room(s, p->mapped, &i, t) : L2_SERVED;
    if (why)
        return why;
    if (s->transfers == s->transfer_capacity)
        return L2_BLOCKED_MISS_QUEUE;
    uint32_t e = mshr_new(&s->mshr, p->mapped);
    p->found = PACKET_FOUND_MISS;
    s->miss[e] = (struct l2_missing){ .next = MSHR_NONE };
    s->mshr.entry[e].user = i;
    struct fetch f = to_fetch(s, i, 0, p);
    s->mshr.entry[e].wanted = f.sectors;
    if (s->tags.tag)
        s->tags.tag[i].pinned = true;
    send_transfer(s, p->mapped, f, e, !s->tags.tag && p->kind == MSG_WRITE, t->l2);
    s->part->count[l2_stats(p)->misses]++;
    wait_in(s, e, p, t);
    return L2_SERVED;
}

void l2_fill(struct l2_slice *s, uint32_t e, uint8_t sectors, uint64_t core)
{
    struct l2_missing *m = &s->miss[e];
    set_time(m->filled, sectors, core);
    m->outstanding--;
    m->arrived++;
    if (s->tags.tag) {
        s->tags.tag[s->mshr.entry[e].user].valid |= sectors;
        s->part->count[STAT_L2_FILLS] += l2_sectors(sectors);
    }
    if (s->transaction && s->transaction[e].coherent) {
        if (!m->outstanding)
            l2_coherence_filled(s, e);
        return;
    }
    list_if_performable(s, e);
    free_if_done(s, e);
}

/* A request that was merged after these sectors had arrived has not waited for DRAM. */
void l2_stamp_dram(struct packet *p, const struct l2_missing *m, uint8_t sectors)
{
    uint64_t looked_up = p->stamp[STAMP_DRAM_QUEUE];
    uint64_t filled = latest(m->filled, sectors), queued = latest(m->queued, sectors);
    bool waited = filled > looked_up;
    p->stamp[STAMP_DRAM] = waited ? filled : 0;
    if (!waited)
        p->stamp[STAMP_DRAM_QUEUE] = 0;
    else if (queued > looked_up && queued <= filled)
        p->stamp[STAMP_DRAM_QUEUE] = queued;
}

/*
 * One waiting request a cycle performs; round robin over lines, since requests for one line may never end. It has
 * waited for the sectors that it and those before it in its line needed.
 */
bool l2_perform_waiting(struct l2_slice *s, const struct l2_now *t)
{
    uint32_t e = s->performable_head;
    struct packet *p = mshr_first(&s->mshr, e);
    bool writes_dram = !s->tags.tag && p->kind == MSG_ATOMIC;
    uint64_t *port_free = s->part->cfg.l2.fill_port ? &s->fill_free : &s->data_free;
    if ((s->copier && l2_held(s, p)) || l2_cannot_perform(s, p, *port_free, t->l2) ||
        (writes_dram && s->transfers == s->transfer_capacity)) {
        s->performable_blocked = true;
        return false;
    }
    s->performable_blocked = false;
    mshr_take(&s->mshr, e);
    s->miss[e].awaited |= s->tags.tag ? l2_needs(s, p) : ALL_SECTORS;
    l2_stamp_dram(p, &s->miss[e], s->miss[e].awaited);
    s->miss[e].arrived -= s->tags.tag ? 0 : dram_requests(s, p->sectors, 1);
    if (writes_dram)
        l2_send_line(s, p->mapped, p->sectors, MSHR_NONE, true, t->l2);
    l2_perform(s, port_free, s->mshr.entry[e].user, p, t);
    s->performable_head = s->miss[e].next;
    s->miss[e].listed = false;
    list_if_performable(s, e);
    free_if_done(s, e);
    return true;
}
