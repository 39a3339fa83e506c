/*
 * Transactions on the SIMT stack (txn.h). R is an ordinary entry that never runs. T is not popped while lanes of the
 * attempt are undecided; branches inside push entries above it. A lane that reaches its outermost tx_commit or aborts
 * leaves T and every entry above. When T is the top entry and has no lanes, all lanes have arrived and the warp waits.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/exec/control.h"
#include "ptx/txn/txn_state.h"

uint64_t txn_lanes(const struct warp *w)
{
    return w->tx.open ? w->txn->open : 0;
}

uint64_t txn_arrived(const struct warp *w)
{
    return w->tx.open ? w->txn->arrived : 0;
}

uint64_t txn_waiting(const struct warp *w)
{
    return w->tx.open ? w->entry[w->txn->retry].mask : 0;
}

uint64_t txn_passed(const struct warp *w)
{
    return w->tx.open ? w->txn->passed : 0;
}

uint32_t txn_attempt(const struct warp *w)
{
    return w->attempt;
}

void txn_free(struct warp *w)
{
    if (w->txn) {
        txn_undo_free(&w->txn->undo);
        check_discard(&w->txn->checks, UINT64_MAX);
        free(w->txn->checks.check);
    }
    free(w->txn);
}

static struct simt_entry *entry_t(struct warp *w)
{
    return &w->entry[w->txn->retry + 1];
}

/* ---- an attempt ---- */

void txn_serialise(struct warp *w)
{
    if (w->tx.open)
        w->txn->alone = true;
}

/* R's lanes become those of a new T: all, or the lowest in the serial variant and after txn_serialise. */
static void start_attempt(struct warp *w)
{
    struct txn *t = w->txn;
    struct simt_entry *r = &w->entry[t->retry];
    uint64_t lanes = w->block->launch->tm_serial || t->alone ? r->mask & -r->mask : r->mask;
    t->alone = false;
    r->mask &= ~lanes;
    t->open = lanes;
    t->arrived = t->nested = 0;
    w->attempt++;
    simt_push(w, lanes, r->pc, UINT32_MAX, r->frame);
}

/* The lanes leave the attempt's entries; an empty entry is popped when it is the top. */
static void leave_attempt(struct warp *w, uint64_t lanes)
{
    for (uint32_t i = w->txn->retry + 1; i < w->nentry; i++)
        w->entry[i].mask &= ~lanes;
}

static void pop_paths(struct warp *w)
{
    while (w->current > w->txn->retry + 1)
        simt_pop(w);
}

/* No lane runs: T has the lanes that wait for an outcome, at the step after the first tx_commit that was reached. */
static void wait_for_outcomes(struct warp *w)
{
    struct simt_entry *top = entry_t(w);
    top->mask = w->txn->open;
    top->pc = w->tx.done[0].pc;
    w->state = WARP_TX;
}

/* All lanes have committed: the entry below continues after tx_commit, in several paths if there were several. */
static void end_transaction(struct warp *w)
{
    const struct code *c = w->frame[w->tx.begin_frame].code;
    simt_pop(w);
    w->tx.open = false;
    simt_split(w, w->tx.done, w->tx.ndone, tx_reconvergence(c, &w->tx));
}

static void end_attempt(struct warp *w)
{
    pop_paths(w);
    simt_pop(w);
    if (simt_top(w)->mask)
        start_attempt(w);
    else
        end_transaction(w);
    w->state = WARP_READY;
    w->chosen = false;
}

/* ---- instructions ---- */

static struct txn *open_txn(struct warp *w)
{
    if (!w->txn)
        w->txn = mem_zero(1, sizeof *w->txn, "the transaction of a warp");
    struct txn *t = w->txn;
    t->passed = 0;
    t->alone = false;
    t->held_lane = -1;
    memset(t->depth, 0, sizeof t->depth);
    return t;
}

static void begin(struct warp *w, uint64_t lanes)
{
    const struct simt_entry e = *simt_top(w);
    struct txn *t = open_txn(w);
    w->tx = (struct tx){ .open = true, .begin_pc = e.pc, .begin_frame = e.frame };
    t->begin_rpc = e.rpc;
    t->retry = w->nentry;
    simt_push(w, lanes, e.pc, UINT32_MAX, e.frame);
    txn_undo_begin(w);
    start_attempt(w);
}

static void nest(struct txn *t, uint64_t lanes)
{
    t->nested |= lanes;
    for (uint64_t m = lanes; m; m &= m - 1)
        t->depth[__builtin_ctzll(m)]++;
}

static void unnest(struct txn *t, uint64_t lanes)
{
    for (uint64_t m = lanes; m; m &= m - 1)
        if (!--t->depth[__builtin_ctzll(m)])
            t->nested &= ~(m & -m);
}

enum control_result txn_do_begin(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct simt_entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    uint32_t next = (uint32_t)(d - c->insts) + 1;
    count_guarded_off(w, e->mask & ~lanes);
    if (lanes && w->block->launch->program->independent) {
        fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, "transactions in timing mode need the SIMT stack");
        return CONTROL_STOP;
    }
    if (w->tx.open || !lanes) {
        if (lanes)
            nest(w->txn, lanes);
        e->pc = next;
        return CONTROL_CONTINUE;
    }
    /* lanes whose guard is false skip the transaction, as on the other side of a branch */
    simt_branch(w, next, lanes, next, UINT32_MAX);
    begin(w, lanes);
    return CONTROL_CONTINUE;
}

enum control_result txn_do_commit(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct txn *t = w->txn;
    struct simt_entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    count_guarded_off(w, e->mask & ~lanes);
    e->pc = (uint32_t)(d - c->insts) + 1;
    if (w->tx.open) {
        uint64_t inner = lanes & t->nested;
        unnest(t, inner);
        lanes &= ~inner;
    }
    if (!lanes)
        return CONTROL_CONTINUE;
    if (!tx_record_commit(w, c, d, lanes))
        return CONTROL_STOP;
    t->arrived |= lanes;
    leave_attempt(w, lanes);
    return CONTROL_CONTINUE;
}

bool txn_next_group(struct warp *w)
{
    const struct txn *t = w->txn;
    for (; w->current > t->retry + 1; simt_pop(w)) {
        struct simt_entry *e = simt_top(w);
        e->mask &= w->frame[e->frame].live;
        if (e->mask && (e->pc != e->rpc || e->rpc == UINT32_MAX))
            break;
    }
    const struct simt_entry *e = simt_top(w);
    if (!e->mask) {
        wait_for_outcomes(w);
        return false;
    }
    if (e->frame == w->tx.begin_frame && e->pc == t->begin_rpc)
        tx_ran_past(w, __builtin_ctzll(e->mask));
    return true;
}

/* ---- outcomes ---- */

void txn_commit(struct warp *w, uint64_t lanes)
{
    struct txn *t = w->txn;
    lanes &= txn_arrived(w);
    if (!lanes)
        return;
    w->half[0].worker->count[STAT_TRANSACTIONS] += (uint64_t)__builtin_popcountll(lanes);
    check_publish(w, &t->checks, lanes);
    t->passed |= lanes;
    t->open &= ~lanes;
    t->arrived &= ~lanes;
    entry_t(w)->mask &= ~lanes;
    if (!t->open)
        end_attempt(w);
}

/* The record of a tx_commit that has no lanes left is free for another one. */
static void remove_commits(struct tx *x, uint64_t lanes)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < x->ndone; k++) {
        x->done[k].mask &= ~lanes;
        if (x->done[k].mask)
            x->done[n++] = x->done[k];
    }
    x->ndone = n;
}

/* Lanes leave the frames of calls made inside; a frame without lanes is released with its stack entry. */
static void unwind_calls(struct warp *w, uint64_t lanes)
{
    uint32_t depth = w->frame[w->tx.begin_frame].depth;
    for (uint32_t i = 0; i < w->nframe; i++)
        if (w->frame[i].used && w->frame[i].depth > depth)
            w->frame[i].live &= ~lanes;
}

void txn_abort(struct warp *w, uint64_t lanes)
{
    struct txn *t = w->txn;
    lanes &= txn_lanes(w);
    if (!lanes)
        return;
    leave_attempt(w, lanes);
    unwind_calls(w, lanes);
    remove_commits(&w->tx, lanes);
    txn_undo_lanes(w, lanes);
    check_discard(&t->checks, lanes);
    for (uint64_t m = lanes & t->nested; m; m &= m - 1)
        t->depth[__builtin_ctzll(m)] = 0;
    t->nested &= ~lanes;
    t->open &= ~lanes;
    t->arrived &= ~lanes;
    w->tx.host_done &= ~lanes;
    w->entry[t->retry].mask |= lanes;
    if (t->held_lane >= 0 && lanes >> t->held_lane & 1)
        t->held_lane = -1;
    w->chosen = false;
    if (!t->open)
        end_attempt(w);
    else if (t->open == t->arrived && w->state == WARP_READY) {
        pop_paths(w);
        wait_for_outcomes(w);
    }
}

/* ---- faults ---- */

/* Rolls back the instruction that faulted: an indirect call may have entered some functions. */
static void roll_back_step(struct warp *w)
{
    while (w->nentry > w->tx.step_entries) {
        w->frame[simt_top(w)->frame].live = 0;
        simt_pop(w);
    }
    simt_top(w)->pc = w->tx.step_pc;
    w->state = WARP_READY;
    w->chosen = false;
}

static int fault_lane(const struct warp *w, const struct fault *f)
{
    const struct launch *la = w->block->launch;
    uint32_t thread = (f->thread[2] * la->block[1] + f->thread[1]) * la->block[0] + f->thread[0];
    return (int)(thread - w->index * la->warp_size);
}

int txn_hold_fault(struct warp *w)
{
    struct worker *k = w->half[0].worker;
    if (!w->tx.open || !k->fault || k->fault->kind == FAULT_TX || k->fault->kind == FAULT_BARRIER)
        return -1;
    struct txn *t = w->txn;
    t->held = *k->fault;
    t->held_lane = fault_lane(w, &t->held);
    k->fault = NULL;
    roll_back_step(w);
    return t->held_lane;
}

void txn_fault_again(struct warp *w)
{
    struct worker *k = w->half[0].worker;
    if (!w->tx.open || w->txn->held_lane < 0)
        return;
    w->txn->held_lane = -1;
    if (!k->fault) {
        k->fault_store = w->txn->held;
        k->fault = &k->fault_store;
    }
    w->state = WARP_FAULT;
    w->chosen = false;
}

/* The next step on a path that takes unconditional branches only. */
static uint32_t next_place(const struct dinst *d, uint32_t pc)
{
    return d->in && d->counts && d->in->op == OP_BRA && !d->in->guard ? d->target : pc + 1;
}

uint32_t txn_steps_to_commit(const struct warp *w, void (*visit)(void *ctx, uint32_t seq), void *ctx)
{
    const struct simt_entry *e = &w->entry[w->current];
    const struct code *c = w->frame[e->frame].code;
    uint32_t steps = 0, pc = e->pc;
    for (uint32_t i = 0; i < c->ninsts && pc < c->ninsts; i++) {
        const struct dinst *d = &c->insts[pc];
        steps += d->counts;
        if (visit && d->counts)
            visit(ctx, d->seq);
        if (d->in && d->counts && d->in->op == OP_TX_COMMIT)
            return steps;
        pc = next_place(d, pc);
    }
    return 0;
}

uint32_t txn_registers(const struct code *c, const struct dinst *d)
{
    (void)c;                         /* counted at decoding */
    return (uint32_t)d->imm;
}
