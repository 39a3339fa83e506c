/*
 * The pipelines: several units of each kind, shared by the schedulers or pinned to them; and optional operand
 * collectors. An instruction occupies a collector while its source registers are read, one read per bank and cycle, and
 * until its pipeline accepts it (Lindholm et al., IEEE Micro 2008; register r of warp w is in bank (r + w) mod banks).
 * Banks and pipelines are allocated in issue order, so all times are known at issue. Only memory instructions, which
 * may find the load/store unit's queue full, wait in a queue.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "timing/core/sm_impl.h"

void pipes_init(struct sm *s)
{
    const struct sm_cfg *c = &s->cfg;
    const uint32_t units[PIPES] = {
        [PIPE_SP] = c->sp_units, [PIPE_INT] = c->int_units, [PIPE_SFU] = c->sfu_units, [PIPE_DP] = c->dp_units,
        [PIPE_TENSOR] = c->tensor_units, [PIPE_MEM] = 1, [PIPE_CTRL] = 1
    };
    for (int p = 0; p < PIPES; p++) {
        s->pipe[p].n = units[p];
        s->pipe[p].pinned = c->pinned && units[p] == c->schedulers;
    }
    s->collector.unit = mem_zero(s->cfg.collectors, sizeof(uint64_t), "operand collectors");
    s->collector.bank = mem_zero(s->cfg.register_banks, sizeof(uint64_t), "register banks");
    s->collector.bank_mask = (c->register_banks & (c->register_banks - 1)) == 0 ? c->register_banks - 1 : 0;
    s->collector.cap = s->cfg.collectors;
    s->collector.idle = mem_zero(s->cfg.collectors, sizeof *s->collector.idle, "operand collectors");
    s->collector.queue = mem_zero(s->cfg.collectors, sizeof *s->collector.queue, "operand collectors");
}

void pipes_end(struct sm *s)
{
    free(s->collector.unit);
    free(s->collector.bank);
    free(s->collector.idle);
    free(s->collector.queue);
}

/* The unit of scheduler k: its own, or the unit that becomes free first. */
static unsigned first_unit(const struct pipeline *p, unsigned k)
{
    unsigned best = 0;
    if (p->pinned)
        return k;
    for (unsigned i = 1; i < p->n; i++)
        if (p->unit[i].free < p->unit[best].free)
            best = i;
    return best;
}

/* All units are occupied: while lanes still enter one, the stall reason is the issue width, else the busy unit. */
static void unit_stall(const struct sm *s, unsigned k, enum pipe p, uint32_t *why, uint64_t *again)
{
    const struct pipeline *q = &s->pipe[p];
    unsigned from = q->pinned ? k : 0, end = q->pinned ? k + 1 : q->n;
    bool lanes = false;
    for (unsigned i = from; i < end; i++) {
        lanes |= q->unit[i].lanes > s->now;
        *again = clock_earlier(*again, q->unit[i].lanes > s->now ? q->unit[i].lanes : q->unit[i].free);
    }
    *why |= 1u << (lanes ? SM_STALL_ISSUE_WIDTH : pipe_table[p].stall);
}

static bool collector_offers(struct sm *s, uint32_t *why, uint64_t *again)
{
    struct collector *c = &s->collector;
    uint64_t first = NEVER;
    if (c->nidle)
        return true;
    for (uint32_t i = s->cfg.collectors; i-- > 0;) {
        first = clock_earlier(first, c->unit[i]);
        if (c->unit[i] <= s->now)
            c->idle[c->nidle++] = i;
    }
    if (c->nidle)
        return true;
    *why |= 1u << SM_STALL_COLLECTOR;
    *again = clock_earlier(*again, first);
    return false;
}

bool pipe_offers(struct sm *s, unsigned k, enum pipe p, uint32_t *why, uint64_t *again)
{
    if (p == PIPE_CTRL)
        return true;
    if (s->cfg.collector)
        return collector_offers(s, why, again);
    if (!pipe_accepts(s, k, p)) {
        unit_stall(s, k, p, why, again);
        return false;
    }
    if (p == PIPE_MEM && !lsu_has_room(s->lsu)) {
        *why |= 1u << SM_STALL_MEM_QUEUE;
        return false;
    }
    return true;
}

static uint64_t take_unit(struct pipeline *p, unsigned k, const struct tinst *t, uint64_t from)
{
    struct unit *u = &p->unit[first_unit(p, k)];
    from = from > u->free ? from : u->free;
    u->lanes = from + t->lane_cycles;
    u->free = from + t->interval;
    return from;
}

/* ---- operand collectors ---- */

static inline uint32_t bank_of(const struct sm *s, uint32_t reg, uint32_t slot)
{
    uint32_t mask = s->collector.bank_mask;
    return mask ? (reg + slot) & mask : (reg + slot) % s->cfg.register_banks;
}

/* Reads the source registers; returns the cycle in which all are read. */
static uint64_t read_sources(struct sm *s, const struct slot *w, const struct tinst *t)
{
    uint64_t done = s->now + 1;
    for (unsigned i = 0; i < t->nsrc; i++) {
        uint64_t *bank = &s->collector.bank[bank_of(s, t->reg[i], w->index)];
        uint64_t read = *bank > s->now ? *bank : s->now;
        s->count[STAT_BANK_CONFLICTS] += read - s->now;
        *bank = read + 1;
        done = read + 1 > done ? read + 1 : done;
    }
    return done;
}

uint64_t pipe_take(struct sm *s, unsigned k, const struct slot *w, const struct tinst *t)
{
    if (t->pipe == PIPE_CTRL)
        return s->now;
    if (!s->cfg.collector)
        return take_unit(&s->pipe[t->pipe], k, t, s->now);
    uint32_t c = s->collector.idle[--s->collector.nidle];
    return s->collector.unit[c] = take_unit(&s->pipe[t->pipe], k, t, read_sources(s, w, t));
}

uint64_t pipe_queue(struct sm *s, unsigned k, const struct tinst *t)
{
    struct pipeline *p = &s->pipe[t->queue];
    struct unit *u = &p->unit[first_unit(p, k)];
    uint64_t from = u->free > s->now ? u->free : s->now;
    u->free = from + t->interval;
    return from;
}

/* Fences must wait for an instruction in a collector: it counts as one access until it is in the load/store unit. */
static void count_collected(struct slot *w, const struct mem_op *op, uint32_t n)
{
    w->collecting += n;
    if (op->served_by[SERVE_GLOBAL] && mem_is_waited_for(op)) {
        w->order.loads += op->kind == MOP_STORE ? 0 : n;
        w->order.stores += op->kind == MOP_LOAD ? 0 : n;
    }
}

void pipe_memory(struct sm *s, struct slot *w, const struct tinst *t, struct mem_op *op)
{
    struct collector *c = &s->collector;
    if (!s->cfg.collector) {
        take_unit(&s->pipe[PIPE_MEM], w->sched, t, s->now);
        issue_memory(s, w, op);
        return;
    }
    uint32_t unit = c->idle[--c->nidle];
    uint64_t at = read_sources(s, w, t);
    c->unit[unit] = NEVER;
    c->queue[(c->head + c->n++) % c->cap] = (struct collected){ op, at, unit };
    count_collected(w, op, 1);
    if (c->n == 1)
        s->dispatch_at = at;
}

void pipe_dispatch(struct sm *s)
{
    struct collector *c = &s->collector;
    struct collected *m = &c->queue[c->head];
    if (!lsu_has_room(s->lsu)) {
        s->dispatch_at = NEVER;                  /* run_lsu tries again */
        return;
    }
    struct slot *w = &s->slot[m->op->sm_slot];
    c->unit[m->unit] = s->now;
    c->head = (c->head + 1) % c->cap;
    c->n--;
    count_collected(w, m->op, UINT32_MAX);
    issue_memory(s, w, m->op);
    m = &c->queue[c->head];
    s->dispatch_at = !c->n ? NEVER : m->at > s->now ? m->at : s->now + 1;
    for (uint32_t k = 0; k < s->cfg.schedulers; k++)
        s->sched[k].at = s->now;                 /* a collector is free */
}
