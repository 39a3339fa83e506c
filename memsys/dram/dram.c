/*
 * The DRAM controller. Requests wait in lists by bank and direction, oldest first. Each list records its oldest request
 * to the open row (its hit); bit masks over the banks record which lists have requests and which have hits.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "memsys/dram/dram_state.h"

static const enum stat FOUND_STAT[] = {
    [DRAM_ROW_HIT] = STAT_DRAM_ROW_HITS, [DRAM_ROW_MISS] = STAT_DRAM_ROW_MISSES,
    [DRAM_ROW_CONFLICT] = STAT_DRAM_ROW_CONFLICTS
};

static const enum stat COMMAND_STAT[DRAM_COMMANDS] = {
    [DRAM_ACT] = STAT_DRAM_ACTS, [DRAM_PRE] = STAT_DRAM_PRES, [DRAM_RD] = STAT_DRAM_READS, [DRAM_WR] = STAT_DRAM_WRITES,
    [DRAM_REF] = STAT_DRAM_REFS, [DRAM_CLONE] = STAT_DRAM_CLONES
};

struct dram *dram_new(const struct dram_cfg *c, uint64_t *count)
{
    struct dram *d = mem_zero(1, sizeof *d, "a DRAM channel");
    d->cfg = *c;
    d->count = count;
    d->words = (c->banks + 63) / 64;
    d->entry = mem_zero(c->queue, sizeof *d->entry, "the queue of a DRAM channel");
    d->list = mem_zero(c->banks, sizeof *d->list, "DRAM banks");
    fifo_init(&d->flight, sizeof(struct dram_flight), "outstanding DRAM requests");
    fifo_init(&d->cloned, sizeof(struct dram_flight), "outstanding row copies");
    d->copy = c->clone_cycles ? mem_zero(c->banks, sizeof *d->copy, "DRAM banks") : NULL;
    dram_timing_init(&d->timing, c);
    for (uint32_t i = 0; i < c->queue; i++)
        d->entry[i].next = i + 1 < c->queue ? i + 1 : DRAM_NONE;
    d->oldest = d->youngest = DRAM_NONE;
    for (uint32_t b = 0; b < c->banks; b++)
        d->list[b][DRAM_READS] = d->list[b][DRAM_WRITES] = (struct dram_list){ DRAM_NONE, DRAM_NONE, DRAM_NONE };
    d->high = c->queue / 2 ? c->queue / 2 : 1;
    d->low = c->queue / 8;
    d->refresh_due = c->refresh ? c->tREFI : NEVER;
    d->stale = true;
    return d;
}

void dram_free(struct dram *d)
{
    if (!d)
        return;
    dram_timing_end(&d->timing);
    free(d->entry);
    free(d->list);
    fifo_end(&d->flight);
    fifo_end(&d->cloned);
    free(d->copy);
    free(d);
}

bool dram_full(const struct dram *d)
{
    return d->queued == d->cfg.queue;
}

uint32_t dram_queued(const struct dram *d)
{
    return d->queued;
}

uint32_t dram_pending(const struct dram *d)
{
    return d->queued + d->flight.n + d->copies + d->cloned.n;
}

/* Requests and their lists */

static void set_bit(uint64_t *mask, uint32_t bank, bool on)
{
    uint64_t bit = 1ull << bank % 64;
    mask[bank / 64] = on ? mask[bank / 64] | bit : mask[bank / 64] & ~bit;
}

/* Sets the list's hit: its first request to the open row from `i` on. */
static void find_hit(struct dram *d, uint32_t bank, int direction, uint32_t i)
{
    while (i != DRAM_NONE && d->entry[i].r.at.row != d->timing.bank[bank].row)
        i = d->entry[i].next;
    d->list[bank][direction].hit = i;
    set_bit(d->hits[direction], bank, i != DRAM_NONE);
}

static void row_changed(struct dram *d, uint32_t bank)
{
    bool open = dram_is_open(&d->timing, bank);
    find_hit(d, bank, DRAM_READS, open ? d->list[bank][DRAM_READS].head : DRAM_NONE);
    find_hit(d, bank, DRAM_WRITES, open ? d->list[bank][DRAM_WRITES].head : DRAM_NONE);
}

static void insert(struct dram *d, uint32_t i)
{
    struct dram_entry *s = &d->entry[i];
    uint32_t bank = s->r.at.bank;
    struct dram_list *l = &d->list[bank][s->r.write];
    s->older = d->youngest;
    s->younger = s->next = DRAM_NONE;
    s->prev = l->tail;
    *(d->youngest == DRAM_NONE ? &d->oldest : &d->entry[d->youngest].younger) = i;
    *(l->tail == DRAM_NONE ? &l->head : &d->entry[l->tail].next) = i;
    d->youngest = l->tail = i;
    set_bit(d->any[s->r.write], bank, true);
    if (l->hit == DRAM_NONE && dram_is_open(&d->timing, bank))
        find_hit(d, bank, s->r.write, i);
    d->queued++;
    d->waiting[s->r.write]++;
}

static void remove_entry(struct dram *d, uint32_t i)
{
    struct dram_entry *s = &d->entry[i];
    uint32_t bank = s->r.at.bank;
    struct dram_list *l = &d->list[bank][s->r.write];
    *(s->older == DRAM_NONE ? &d->oldest : &d->entry[s->older].younger) = s->younger;
    *(s->younger == DRAM_NONE ? &d->youngest : &d->entry[s->younger].older) = s->older;
    *(s->prev == DRAM_NONE ? &l->head : &d->entry[s->prev].next) = s->next;
    *(s->next == DRAM_NONE ? &l->tail : &d->entry[s->next].prev) = s->prev;
    set_bit(d->any[s->r.write], bank, l->head != DRAM_NONE);
    find_hit(d, bank, s->r.write, s->next);
    d->queued--;
    d->waiting[s->r.write]--;
    s->next = d->free;
    d->free = i;
}

static void issue(struct dram *d, enum dram_command c, uint32_t bank, uint32_t row, uint64_t now)
{
    dram_timing_issue(&d->timing, c, bank, row, now);
    d->count[COMMAND_STAT[c]]++;
    d->from = now + 1;
    d->stale = true;
    if (c == DRAM_ACT || c == DRAM_PRE)
        row_changed(d, bank);
    if (d->sent)
        d->sent(d->sent_ctx, now, c, bank, row);
}

static void add_in_flight(struct dram *d, const struct dram_entry *s)
{
    *(struct dram_flight *)fifo_push(&d->flight) = (struct dram_flight){ d->data_end, s->r.token, s->r.write };
}

static void issue_column(struct dram *d, const struct dram_plan *p)
{
    struct dram_entry *s = &d->entry[p->entry];
    issue(d, p->command, p->bank, s->r.at.row, p->at);
    if (d->columns && d->last_write != s->r.write)
        d->count[STAT_DRAM_TURNS]++;
    d->last_write = s->r.write;
    dram_set_direction(d, s->r.write);
    d->count[STAT_DRAM_BUSY] += d->cfg.burst_cycles;
    d->data_end = p->at + (s->r.write ? d->cfg.tWL : d->cfg.tCL) + d->cfg.burst_cycles;
    d->columns++;
    d->batch++;
    if (--s->bursts)
        return;
    d->count[FOUND_STAT[s->found]]++;
    add_in_flight(d, s);
    remove_entry(d, p->entry);
}

static void issue_clone(struct dram *d, uint32_t bank, uint64_t now)
{
    issue(d, DRAM_CLONE, bank, d->copy[bank].row, now);
    set_bit(d->copying, bank, false);
    set_bit(d->claimed, bank, false);
    d->copies--;
    *(struct dram_flight *)fifo_push(&d->cloned) =
        (struct dram_flight){ now + d->cfg.clone_cycles, d->copy[bank].token, false };
}

static void execute(struct dram *d, const struct dram_plan p)
{
    bool displaced = d->displaced[p.bank / 64] >> p.bank % 64 & 1;
    switch (p.command) {
    case DRAM_ACT:
        d->entry[p.entry].found = displaced ? DRAM_ROW_CONFLICT : DRAM_ROW_MISS;
        issue(d, DRAM_ACT, p.bank, d->entry[p.entry].r.at.row, p.at);
        break;
    case DRAM_PRE:
        set_bit(d->displaced, p.bank, p.entry != DRAM_NONE);
        issue(d, DRAM_PRE, p.bank, d->timing.bank[p.bank].row, p.at);
        break;
    case DRAM_REF:
        d->refresh_due += d->cfg.tREFI;
        issue(d, DRAM_REF, p.bank, 0, p.at);
        break;
    case DRAM_CLONE:
        issue_clone(d, p.bank, p.at);
        break;
    default:
        issue_column(d, &p);
    }
}

/*
 * Executes all cycles before `end`. The plan is computed after each command, and once after the requests that arrive in
 * a cycle, so the result does not depend on when the owner calls.
 */
static void advance(struct dram *d, uint64_t end)
{
    if (d->stale && d->from < end)
        dram_plan(d);
    while (!d->stale && d->plan.at < end) {
        execute(d, d->plan);
        dram_plan(d);
    }
}

void dram_settle(struct dram *d, uint64_t now)
{
    uint64_t end = d->queued || d->data_end > now ? now : d->data_end;
    if (end > d->accounted)
        d->count[STAT_DRAM_PENDING] += end - d->accounted;
    if (now > d->accounted)
        d->accounted = now;
}

void dram_push(struct dram *d, uint64_t now, const struct dram_request *r)
{
    advance(d, now);
    dram_settle(d, now);
    assert(!dram_full(d) && r->at.bank < d->cfg.banks);
    uint32_t i = d->free, bursts = (r->bytes + d->cfg.burst_bytes - 1) / d->cfg.burst_bytes;
    d->free = d->entry[i].next;
    d->entry[i] = (struct dram_entry){ .r = *r, .age = d->ages++, .columns = d->columns, .since = now,
                                .bursts = bursts ? bursts : 1 };
    insert(d, i);
    if (d->from < now)
        d->from = now;
    d->stale = d->stale || !dram_plan_valid(d, i);
}

void dram_clone(struct dram *d, uint64_t now, uint32_t bank, uint32_t row, uint64_t token)
{
    advance(d, now);
    assert(d->copy && !(d->copying[bank / 64] >> bank % 64 & 1));
    d->copy[bank] = (struct dram_copy){ d->ages++, d->columns, token, row };
    set_bit(d->copying, bank, true);
    d->copies++;
    if (d->from < now)
        d->from = now;
    d->stale = true;
}

bool dram_clone_done(struct dram *d, uint64_t now, uint64_t *token)
{
    const struct dram_flight *f = d->cloned.n ? fifo_front(&d->cloned) : NULL;
    if (!f || f->at > now)
        return false;
    *token = f->token;
    fifo_pop(&d->cloned);
    return true;
}

uint64_t dram_run(struct dram *d, uint64_t now)
{
    advance(d, now + 1);
    dram_settle(d, now);
    uint64_t next = d->stale ? d->from : d->plan.at;
    if (d->cloned.n && ((const struct dram_flight *)fifo_front(&d->cloned))->at < next)
        next = ((const struct dram_flight *)fifo_front(&d->cloned))->at;
    for (uint32_t i = 0; i < d->flight.n; i++) {
        const struct dram_flight *f = fifo_at(&d->flight, i);
        if (f->at > now)
            return f->at < next ? f->at : next;
    }
    return next;
}

bool dram_done(struct dram *d, uint64_t now, uint64_t *token, bool *write)
{
    const struct dram_flight *f = d->flight.n ? fifo_front(&d->flight) : NULL;
    if (!f || f->at > now)
        return false;
    *token = f->token;
    *write = f->write;
    fifo_pop(&d->flight);
    return true;
}

static bool all_closed(const struct dram *d)
{
    uint64_t open = 0;
    for (uint32_t w = 0; w < d->words; w++)
        open |= d->timing.open[w];
    return !open;
}

bool dram_row_waits(const struct dram *d, uint32_t bank, uint32_t row)
{
    for (uint32_t i = d->list[bank][DRAM_WRITES].head; i != DRAM_NONE; i = d->entry[i].next)
        if (d->entry[i].r.at.row == row)
            return true;
    return false;
}

uint64_t dram_ready_at(const struct dram *d, enum dram_command c, uint32_t bank, uint64_t now)
{
    bool right = c == DRAM_REF ? all_closed(d) : dram_is_open(&d->timing, bank) == (c != DRAM_ACT && c != DRAM_CLONE);
    uint64_t ready = dram_timing_ready(&d->timing, c, bank);
    return !right ? NEVER : ready > now ? ready : now;
}

void dram_issue(struct dram *d, enum dram_command c, uint32_t bank, uint32_t row, uint64_t now)
{
    advance(d, now);
    assert(dram_ready_at(d, c, bank, now) == now);
    issue(d, c, bank, row, now);
}

void dram_observe(struct dram *d, dram_observer *sent, void *ctx)
{
    d->sent = sent;
    d->sent_ctx = ctx;
}

static void dump_bank(const struct dram *d, uint32_t bank, char *text, size_t size)
{
    uint32_t n[2] = { 0 }, hits[2] = { 0 };
    bool open = dram_is_open(&d->timing, bank);
    for (int w = DRAM_READS; w <= DRAM_WRITES; w++)
        for (uint32_t i = d->list[bank][w].head; i != DRAM_NONE; i = d->entry[i].next) {
            n[w]++;
            hits[w] += open && d->entry[i].r.at.row == d->timing.bank[bank].row;
        }
    int at = snprintf(text, size, "  bank %u: ", bank);
    at += open ? snprintf(text + at, size - (size_t)at, "row %u open, ", d->timing.bank[bank].row)
               : snprintf(text + at, size - (size_t)at, "closed, ");
    snprintf(text + at, size - (size_t)at, "%u reads (%u to the open row), %u writes (%u)", n[DRAM_READS],
             hits[DRAM_READS], n[DRAM_WRITES], hits[DRAM_WRITES]);
}

void dram_dump(const struct dram *d, void (*line)(void *ctx, const char *text), void *ctx)
{
    char text[160];
    snprintf(text, sizeof text, "DRAM: %u reads and %u writes queued, %u in flight or not collected, serving %s",
             d->waiting[DRAM_READS], d->waiting[DRAM_WRITES], d->flight.n,
             d->direction == DRAM_WRITES ? "writes" : "reads");
    line(ctx, text);
    if (d->oldest != DRAM_NONE) {
        const struct dram_entry *s = &d->entry[d->oldest];
        snprintf(text, sizeof text, "  oldest: %s of bank %u row %u, queued since memory cycle %llu",
                 s->r.write ? "write" : "read", s->r.at.bank, s->r.at.row, (unsigned long long)s->since);
        line(ctx, text);
    }
    if (!d->stale && d->plan.at != NEVER) {
        snprintf(text, sizeof text, "  next command: %s to bank %u at memory cycle %llu",
                 dram_command_names[d->plan.command], d->plan.bank, (unsigned long long)d->plan.at);
        line(ctx, text);
    }
    for (uint32_t b = 0; b < d->cfg.banks; b++)
        if (d->list[b][DRAM_READS].head != DRAM_NONE || d->list[b][DRAM_WRITES].head != DRAM_NONE) {
            dump_bank(d, b, text, sizeof text);
            line(ctx, text);
        }
}
