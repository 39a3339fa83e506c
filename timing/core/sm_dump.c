/*
 * Describes what every resident warp waits for, for hang reports: its position in the PTX, and the register, barrier,
 * accesses or instruction line that it waits for.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "timing/core/sm_impl.h"

enum { LINE_MAX_BYTES = 1024, REASON_MAX_BYTES = 600 };

/* The instruction at which the warp waits; at a barrier or a commit, its program counter is already after it. */
static const struct dinst *position_of(const struct slot *w, const struct code **code)
{
    const struct warp *p = w->warp;
    const struct simt_entry *e = &p->entry[p->current];
    *code = p->frame[e->frame].code;
    if (w->step && p->state != WARP_TX)
        return w->step;
    bool after = e->pc && (e->waits == WAIT_BARRIER || e->waits == WAIT_CLUSTER || p->state == WARP_TX);
    return &(*code)->insts[e->pc - after];
}

static void describe_register(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    const struct tinst *t = w->inst;
    const uint64_t *alu = w->pending, *memory = alu + s->pending_words;
    if (t->all_regs || w->pending_code != w->code) {
        snprintf(buf, size, "all registers of the warp: %u loads and %u other results are pending", w->nmem, w->nalu);
        return;
    }
    if (t->queued) {
        snprintf(buf, size, "a register of its product, which is still being loaded or computed");
        return;
    }
    for (unsigned i = 0; i < (unsigned)t->nsrc + t->ndst; i++) {
        unsigned r = t->reg[i];
        bool m = memory[r / 64] >> r % 64 & 1, a = alu[r / 64] >> r % 64 & 1;
        if (!m && !a)
            continue;
        const char *name = w->step->in ? tcode_register(w->code, w->step->in, (uint16_t)r) : NULL;
        snprintf(buf, size, "register %s, which is still being %s", name ? name : "?", m ? "loaded" : "computed");
        return;
    }
    snprintf(buf, size, "the predicate that guards it");
}

static void describe_barrier(const struct slot *w, char *buf, size_t size)
{
    const struct warp *p = w->warp;
    const struct simt_entry *e = &p->entry[p->current];
    const struct barrier *b = &p->block->barriers[e->barrier % BLOCK_BARRIERS];
    if (w->waking)
        snprintf(buf, size, "the end of a barrier that is complete");
    else if (e->waits == WAIT_CLUSTER)
        snprintf(buf, size, "the barrier of the cluster: %u of the block's %u threads have arrived",
                 p->block->cluster_arrived, p->block->live_threads);
    else if (e->waits != WAIT_BARRIER)
        snprintf(buf, size, "other lanes of its warp");
    else if (e->barrier >= MAX_BARRIERS)
        snprintf(buf, size, "its warpgroup at wgmma.wait_group: %u of %u threads have arrived", b->arrived,
                 b->expected);
    else
        snprintf(buf, size, "barrier %u: %u of %u threads have arrived", e->barrier, b->arrived,
                 b->expected ? b->expected : p->block->live_threads);
}

static void describe_accesses(const struct slot *w, const char *what, char *buf, size_t size)
{
    const struct order_warp *o = &w->order;
    snprintf(buf, size, "its accesses%s: %u loads and %u stores have not performed", what, o->loads, o->stores);
}

static void describe_order(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    const struct order_warp *o = &w->order;
    snprintf(buf, size, "the consistency policy %s; %u loads and %u stores have not performed", s->cfg.order->name,
             o->loads, o->stores);
}

static void describe_ready(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    snprintf(buf, size, "%s (its scheduler: %s)", pipe_table[w->set].one,
             sm_stall_table[s->sched[w->sched].reason].name);
}

static void describe_reason(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    if (w->set < PIPES) {
        describe_ready(s, w, buf, size);
        return;
    }
    if (w->combining && w->set == SCHED_WAIT + SM_STALL_SCOREBOARD_ALU) {
        snprintf(buf, size, "the lanes' values, which are still being combined");
        return;
    }
    switch (w->set - SCHED_WAIT) {
    case SM_STALL_SCOREBOARD_MEM:
    case SM_STALL_SCOREBOARD_ALU: describe_register(s, w, buf, size); break;
    case SM_STALL_BARRIER: describe_barrier(w, buf, size); break;
    case SM_STALL_FENCE: describe_accesses(w, " before the fence", buf, size); break;
    case SM_STALL_DRAIN: describe_accesses(w, "", buf, size); break;
    case SM_STALL_ORDER: describe_order(s, w, buf, size); break;
    case SM_STALL_FETCH:
        snprintf(buf, size, w->missing ? "the instruction line at 0x%" PRIx64 : "instruction fetch at 0x%" PRIx64,
                 w->code->address + (uint64_t)w->fetch * s->cfg.inst_bytes);
        break;
    case SM_STALL_TX: tx_describe(s, w, buf, size); break;
    default: snprintf(buf, size, "%s", sm_stall_table[w->set - SCHED_WAIT].meaning); break;
    }
}

bool sm_position(const struct sm *s, uint32_t slot, const struct code **code, const struct dinst **at, char *why,
                 size_t size)
{
    const struct slot *w = &s->slot[slot];
    if (!w->warp || w->ended)
        return false;
    *why = '\0';
    *at = position_of(w, code);
    describe_reason(s, w, why, size);
    return true;
}

/* Adds the warp's position and wait to `told`; true if they are there already. */
static bool was_told(const struct sm *s, const struct slot *w, struct sm_told *told)
{
    char why[REASON_MAX_BYTES];
    const struct code *code;
    const struct dinst *d;
    if (!sm_position(s, w->index, &code, &d, why, sizeof why))
        return false;
    uint64_t hash = hash_bytes(hash_bytes(HASH_START, &d, sizeof d), why, strlen(why));
    for (uint32_t i = 0; i < told->n; i++)
        if (told->wait[i] == hash)
            return true;
    if (told->n < sizeof told->wait / sizeof *told->wait)
        told->wait[told->n++] = hash;
    return false;
}

static void describe_running(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    char place[300], why[REASON_MAX_BYTES] = "";
    const struct code *code;
    const struct dinst *d = position_of(w, &code);
    fault_describe(code, d, place, sizeof place);
    describe_reason(s, w, why, sizeof why);
    snprintf(buf, size, "%d lanes at %s: waits since cycle %" PRIu64 " for %s",
             __builtin_popcountll(w->warp->entry[w->warp->current].mask & w->warp->exist), place, w->since, why);
}

static void describe_warp(const struct sm *s, const struct slot *w, char *buf, size_t size)
{
    const struct block *b = w->warp->block;
    size_t n = (size_t)snprintf(buf, size, "warp slot %u: block %" PRIu64 " (%u,%u,%u), warp %u of %u, ", w->index,
                                b->linear, b->id[0], b->id[1], b->id[2], w->warp->index, b->nwarps);
    if (n >= size)
        return;
    if (w->ended)
        snprintf(buf + n, size - n, "has ended; %u results, %u loads and %u stores are outstanding", w->nalu + w->nmem,
                 w->order.loads, w->order.stores);
    else
        describe_running(s, w, buf + n, size - n);
}

void sm_dump(const struct sm *s, struct sm_told *told, void (*line)(void *ctx, const char *text), void *ctx)
{
    char buf[LINE_MAX_BYTES];
    uint32_t more = 0;
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        if (!s->slot[i].warp)
            continue;
        if (was_told(s, &s->slot[i], told)) {
            more++;
            continue;
        }
        describe_warp(s, &s->slot[i], buf, sizeof buf);
        line(ctx, buf);
    }
    if (more) {
        snprintf(buf, sizeof buf, "%u more warp%s like one above", more, more == 1 ? " waits" : "s wait");
        line(ctx, buf);
    }
    if (bulk_describe(s, buf, sizeof buf))
        line(ctx, buf);
    if (s->start.n) {
        snprintf(buf, sizeof buf, "%u blocks wait to start", s->start.n);
        line(ctx, buf);
    }
}
