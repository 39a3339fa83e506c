/*
 * A memory partition: runs its slices and its DRAM channel in the order of real time. When an L2 edge and a memory edge
 * coincide, completed DRAM requests are collected first, then the L2 cycle runs, then the memory cycle: every crossing
 * takes the next edge of the other clock, which may be the same instant.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "memsys/l2/l2.h"
#include "memsys/xbar/xbar.h"

struct partition *partition_new(const struct partition_cfg *c, struct port **requests, struct port **replies,
                                uint64_t *count, struct hists *hists)
{
    struct partition *p = mem_zero(1, sizeof *p, "a memory partition");
    *p = (struct partition){
        .cfg = *c, .count = count, .hists = hists, .mem_next = c->walk ? 0 : NEVER, .drained = NEVER,
        .credits_until = NEVER,
        .dram = dram_new(&c->dram, count), .slice = mem_zero(c->slices, sizeof *p->slice, "L2 slices")
    };
    for (uint32_t n = 0; n <= LINE_SECTORS; n++) {
        uint32_t cycles = (n * SECTOR_BYTES + c->l2.bytes_per_cycle - 1) / c->l2.bytes_per_cycle;
        p->data_cycles[n] = cycles ? cycles : 1;
    }
    for (uint32_t i = 0; i < c->slices; i++)
        l2_init(&p->slice[i], p, i, requests[i], replies[i]);
    return p;
}

void partition_free(struct partition *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->cfg.slices; i++)
        l2_end(&p->slice[i]);
    dram_free(p->dram);
    free(p->slice);
    free(p);
}

void partition_record_order(struct partition *p, uint32_t slice, struct order_history *h)
{
    p->slice[slice].history = h;
}

void partition_observe(struct partition *p, partition_served *served, dram_observer *sent, void *ctx)
{
    p->served = served;
    p->served_ctx = ctx;
    dram_observe(p->dram, sent, ctx);
}

bool partition_stable(const struct partition *p, uint32_t slice, uint64_t line)
{
    return l2_coherence_stable(&p->slice[slice], line);
}

int partition_holder(const struct partition *p, uint32_t slice, uint64_t line)
{
    return l2_coherence_holder(&p->slice[slice], line);
}

void partition_take(struct partition *p, uint32_t slice, uint64_t line, const struct partition_probe *probe)
{
    l2_coherence_take(&p->slice[slice], line, probe);
    l2_wake(&p->slice[slice], p->l2_from);
}

/* Schedules a visit at this L2 cycle for the slices that wait for the DRAM queue. */
static void wake_waiters(struct partition *p, uint64_t l2)
{
    if (dram_full(p->dram))
        return;
    for (uint32_t w = p->dram_waiters; w; w &= w - 1)
        l2_wake(&p->slice[__builtin_ctz(w)], l2);
    p->dram_waiters = 0;
}

/* Collects the requests that DRAM has completed by memory cycle m. */
static void collect(struct partition *p, uint64_t m)
{
    const struct clocks *k = p->cfg.clocks;
    uint64_t token;
    bool write;
    while (dram_done(p->dram, m, &token, &write)) {
        struct l2_slice *s = &p->slice[token >> 40];
        if ((uint32_t)token == MSHR_NONE)
            continue;
        l2_fill(s, (uint32_t)token, token >> 32 & ALL_SECTORS, clock_convert(k, CLK_MEM, CLK_CORE, m));
        l2_wake(s, clock_convert(k, CLK_MEM, CLK_L2, m));
    }
    while (dram_clone_done(p->dram, m, &token))
        l2_copy_done(&p->slice[token >> 32], (uint32_t)token);
    if (p->dram_waiters)
        wake_waiters(p, clock_convert(k, CLK_MEM, CLK_L2, m));
    p->drained = m;
}

static void run_memory(struct partition *p, uint64_t m)
{
    uint64_t next = dram_run(p->dram, m);
    p->mem_next = p->cfg.walk ? m + 1 : next;
    if (p->dram_waiters)
        wake_waiters(p, clock_floor(p->cfg.clocks, CLK_MEM, CLK_L2, m) + 1);
}

/* The slices share the DRAM queue: the one that accessed it last has the lowest priority. */
static void run_l2(struct partition *p, uint64_t n)
{
    const struct clocks *k = p->cfg.clocks;
    const struct l2_now t = { n, clock_convert(k, CLK_L2, CLK_CORE, n), clock_convert(k, CLK_L2, CLK_XBAR, n) };
    uint32_t slices = p->cfg.slices, first = p->next_slice;
    for (uint32_t j = 0; j < slices; j++) {
        struct l2_slice *s = &p->slice[first + j < slices ? first + j : first + j - slices];
        if (s->due <= n) {
            l2_run(s, &t);
            s->due = l2_next(s);
        }
    }
}

static uint64_t next_due(const struct partition *p)
{
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < p->cfg.slices; i++)
        next = p->slice[i].due < next ? p->slice[i].due : next;
    return next;
}

/* The core cycle in which the next L2 cycle with an event, or the next memory cycle, falls. */
static uint64_t next_core(const struct partition *p, uint64_t l2)
{
    const struct clocks *k = p->cfg.clocks;
    return clock_earlier(clock_floor(k, CLK_L2, CLK_CORE, l2), clock_floor(k, CLK_MEM, CLK_CORE, p->mem_next));
}

void partition_set_horizon(struct partition *p, uint64_t credits)
{
    p->credits_until = credits;
}

bool partition_has_credits(const struct partition *p, uint64_t n)
{
    uint64_t now = clock_floor(p->cfg.clocks, CLK_L2, CLK_XBAR, n);
    bool has = true;
    for (uint32_t i = 0; has && i < p->cfg.slices; i++) {
        const struct packet *next = p->slice[i].out[0].head;
        bool known = next && p->slice[i].reply->vns == 1;
        uint32_t flits = known ? xbar_flits(next->bytes, p->cfg.flit_bytes) : p->cfg.largest_packet;
        has = port_has_credits(p->slice[i].reply, now, flits);
    }
    return has;
}

uint64_t partition_run(struct partition *p, uint64_t until_l2, uint64_t until_mem)
{
    const struct clocks *k = p->cfg.clocks;
    for (uint32_t i = 0; i < p->cfg.slices; i++)
        p->slice[i].due = l2_next(&p->slice[i]);
    for (;;) {
        uint64_t n = next_due(p), m = p->mem_next;
        if (until_l2 > p->credits_until && n >= p->credits_until && !partition_has_credits(p, p->credits_until)) {
            until_l2 = p->credits_until;
            until_mem = clock_convert(k, CLK_L2, CLK_MEM, until_l2);
        }
        n = n < until_l2 ? n : NEVER;
        m = m < until_mem ? m : NEVER;
        if (n == NEVER && m == NEVER)
            break;
        assert(n >= p->l2_from);     /* no message arrives late */
        bool after = clock_before(k, CLK_L2, n, CLK_MEM, m);
        if (!after && p->drained != m)
            collect(p, m);
        else if (after || !clock_before(k, CLK_MEM, m, CLK_L2, n))
            run_l2(p, n);
        else
            run_memory(p, m);
    }
    p->l2_from = until_l2 > p->l2_from ? until_l2 : p->l2_from;
    p->credits_until = NEVER;
    for (uint32_t i = 0; i < p->cfg.slices; i++)
        l2_settle(&p->slice[i], until_l2);
    for (uint32_t i = 0; p->cfg.engine && i < p->cfg.slices; i++)
        l2_engine_settle(&p->slice[i], until_l2);
    dram_settle(p->dram, until_mem);
    return next_core(p, next_due(p));
}

uint64_t partition_next(const struct partition *p)
{
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < p->cfg.slices; i++)
        next = clock_earlier(next, l2_next(&p->slice[i]));
    return next_core(p, next);
}

bool partition_idle(const struct partition *p)
{
    for (uint32_t i = 0; i < p->cfg.slices; i++)
        if (!l2_idle(&p->slice[i]))
            return false;
    return dram_pending(p->dram) == 0;
}

bool partition_flush(struct partition *p, uint64_t now, bool invalidate)
{
    bool clean = true;
    for (uint32_t i = 0; i < p->cfg.slices; i++) {
        struct l2_slice *s = &p->slice[i];
        clean &= !s->dirty_lines;
        if (s->dirty_lines && !s->flushing)
            l2_wake(s, now);
        s->flushing = s->dirty_lines > 0;
    }
    if (!clean || !partition_idle(p))
        return false;
    if (invalidate)
        partition_invalidate(p);
    return true;
}

uint64_t partition_flush_least(const struct partition *p)
{
    uint64_t lines = dram_queued(p->dram);
    for (uint32_t i = 0; i < p->cfg.slices; i++)
        lines += p->slice[i].dirty_lines + p->slice[i].transfers;
    return clock_floor(p->cfg.clocks, CLK_MEM, CLK_CORE, lines > 2 ? lines - 2 : 0);   /* cycles in part at both ends */
}

void partition_set_fetch(struct partition *p, uint32_t bytes)
{
    p->cfg.l2.fetch_bytes = bytes;
}

void partition_invalidate(struct partition *p)
{
    for (uint32_t i = 0; i < p->cfg.slices; i++)
        l2_clear(&p->slice[i]);
}

void partition_copied(struct partition *p, uint32_t slice, uint64_t line, uint8_t sectors)
{
    struct l2_slice *s = &p->slice[slice - p->cfg.channel * p->cfg.slices];
    if (!s->tags.tag)
        return;
    uint32_t i = tags_find(&s->tags, line);
    if (i == TAG_NONE) {
        i = tags_victim(&s->tags, line);
        if (s->directory && s->tags.tag[i].state && l2_coherence_state(s, s->tags.tag[i].line))
            return;
        l2_clear_dirty(s, i);
        tags_allocate(&s->tags, i, line, 1);
    }
    s->tags.tag[i].valid |= sectors;
    tags_touch(&s->tags, i);
}

void partition_forget(struct partition *p, uint32_t slice, uint64_t line)
{
    struct l2_slice *s = &p->slice[slice - p->cfg.channel * p->cfg.slices];
    uint32_t i = s->tags.tag ? tags_find(&s->tags, line) : TAG_NONE;
    if (i == TAG_NONE)
        return;
    l2_clear_dirty(s, i);
    s->tags.tag[i].state = 0;
}

bool partition_send(struct partition *p, uint32_t slice, struct packet *k, uint64_t now)
{
    struct l2_slice *s = &p->slice[slice - p->cfg.channel * p->cfg.slices];
    if (s->replies[k->vn] >= p->cfg.l2.reply_queue)
        return false;
    s->replies[k->vn]++;
    s->unsolicited_at = now;
    packet_push(&s->unsolicited, k);
    l2_wake(s, now + 1);
    return true;
}

struct packet *partition_packet(struct partition *p, uint32_t slice, unsigned kind, unsigned vn, uint64_t line,
                                uint16_t sm)
{
    struct packet *k = packet_new(&p->slice[slice - p->cfg.channel * p->cfg.slices].pool);
    k->kind = (uint8_t)kind;
    k->vn = (uint8_t)vn;
    k->line = k->mapped = line;
    k->sm = sm;
    k->slice = (uint16_t)slice;
    k->warp = UINT16_MAX;
    k->bytes = PACKET_HEADER;
    return k;
}

void partition_dump(const struct partition *p, void (*line)(void *ctx, const char *text), void *ctx)
{
    for (uint32_t i = 0; i < p->cfg.slices; i++)
        l2_dump(&p->slice[i], line, ctx);
    if (dram_pending(p->dram))
        dram_dump(p->dram, line, ctx);
}
