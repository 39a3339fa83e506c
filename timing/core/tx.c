/*
 * Transactions on an SM: connects the warps (ptx/txn/txn.h) and pipelines with transactional memory
 * (tm/core/tm_core.h). A warp is stalled with SM_STALL_TX at tx_begin by concurrency control, at tx_commit until its
 * outcome is known, and before an abort or a validation until its outstanding accesses have completed.
 */
#include <string.h>

#include "timing/core/sm_impl.h"

bool tx_no_accesses(const struct sm *s, const struct slot *w)
{
    const struct order_warp *o = &w->order;
    return !w->nmem && !w->collecting && !o->loads && !o->stores && !o->shared && !lsu_warp_busy(s->lsu, w->index);
}

/* An event outside the cycle loop: advances the SM to the cycle of transactional memory. */
static void advance_to_now(struct sm *s)
{
    uint64_t now = tm_now(s->tm);
    s->now = now > s->now ? now : s->now;
    s->core_at = s->now < s->core_at ? s->now : s->core_at;
}

static uint32_t registers_of(const struct slot *w)
{
    return w->tx_begin ? txn_registers(w->tx_code, w->tx_begin) : 0;
}

/* ---- outcomes ---- */

/* The warp continues at its next instruction after `held` cycles. */
static void resume_after(struct sm *s, struct slot *w, uint64_t held)
{
    w->inst = NULL;
    if (held)
        warp_hold(s, w, SM_STALL_TX, s->now + held);
    else
        warp_wake(s, w);
    if (held)
        warp_consider(s, w);
}

/* After outcomes have been applied: ends the transaction, or begins a new attempt, or waits for further outcomes. */
static void after_outcome(struct sm *s, struct slot *w)
{
    if (w->warp->state == WARP_TX)
        return;
    if (!txn_lanes(w->warp)) {
        w->in_tx = false;
        thread_states_account(s, w);
        resume_after(s, w, tm_core_ended(s->tm, w->index, s->now));
        tx_trace_end(s, w);
    } else if (txn_attempt(w->warp) != w->attempt) {
        w->attempt = txn_attempt(w->warp);
        uint64_t held = tm_core_attempt(s->tm, w->index, false, registers_of(w), s->now);
        thread_states_attempt(s, w, held);
        resume_after(s, w, held);
        tx_trace_attempt(s, w);
    } else {
        resume_after(s, w, 0);
    }
}

static void abort_lanes(struct sm *s, struct slot *w, uint64_t lanes)
{
    s->restoring = w->index;
    txn_abort(w->warp, lanes);
}

void tx_decided(void *ctx, uint32_t slot, uint64_t commits, uint64_t aborts)
{
    struct sm *s = ctx;
    struct slot *w = &s->slot[slot];
    advance_to_now(s);
    thread_states_decided(s, w, commits, aborts);
    if (s->trace)
        tx_trace_outcome(s, w, commits, aborts);
    if (commits)
        txn_commit(w->warp, commits);
    if (aborts)
        abort_lanes(s, w, aborts);
    thread_states_account(s, w);
    after_outcome(s, w);
}

void tx_doomed(void *ctx, uint32_t slot)
{
    struct sm *s = ctx;
    struct slot *w = &s->slot[slot];
    advance_to_now(s);
    w->doomed = true;
    if (w->hold == SM_NO_HOLD || w->warp->state == WARP_TX)
        tx_try(s, w);
    if (w->hold == SM_NO_HOLD && !w->ended)
        warp_consider(s, w);
}

/* Aborted lanes need no validation. */
static void end_validation(struct sm *s, struct slot *w, uint64_t lanes)
{
    if (w->fault_lane >= 0 && lanes >> w->fault_lane & 1) {
        w->validate = false;
        w->fault_lane = -1;
    }
    w->validating = tm_core_validating(s->tm, w->index);
}

static void abort_doomed(struct sm *s, struct slot *w)
{
    w->doomed = false;
    uint64_t lanes = tm_core_take_aborts(s->tm, w->index, s->now);
    if (!lanes)
        return;
    end_validation(s, w, lanes);
    thread_states_decided(s, w, 0, lanes);
    if (s->trace)
        tx_trace_outcome(s, w, 0, lanes);
    abort_lanes(s, w, lanes);
    thread_states_account(s, w);
    after_outcome(s, w);
    if (w->warp->state == WARP_TX && w->hold == SM_NO_HOLD)
        warp_advance(s, w);
}

bool tx_try(struct sm *s, struct slot *w)
{
    if (!(w->doomed || w->validate) || !tx_no_accesses(s, w))
        return false;
    if (w->doomed)
        abort_doomed(s, w);
    else if (!tm_core_validating(s->tm, w->index)) {
        int lane = w->fault_lane;
        w->fault_lane = -1;
        w->validating = true;
        w->validate = false;
        warp_restart_wait(s, w);
        tm_core_validate(s->tm, w->index, lane, s->now);
    }
    return true;
}

void tx_reconsider(void *ctx, uint32_t slot)
{
    struct sm *s = ctx;
    struct slot *w = &s->slot[slot];
    advance_to_now(s);
    if (!tm_core_validating(s->tm, slot))
        w->validating = false;
    if (w->warp && !w->ended && w->hold == SM_NO_HOLD && w->set == SCHED_WAIT + SM_STALL_TX)
        warp_consider(s, w);
}

/* ---- instructions without lanes ---- */

static uint32_t to_turn(const struct sm *s, uint32_t cycles)
{
    uint32_t n = s->cfg.issue_in_turn ? s->cfg.schedulers : 1;
    return (cycles + n - 1) / n * n;
}

/* Cycles from the issue of an instruction to that of the next one, which depends on it. Without core.refetch each
 * instruction takes the time of an integer add. */
static uint32_t step_cycles(const struct sm *s, const struct tinst *t)
{
    const struct sm_cfg *c = &s->cfg;
    if (!c->refetch)
        return c->class[LC_INT_ADD].latency + (c->warp_size + c->simd_width - 1) / c->simd_width - 1 + c->stages;
    uint32_t scalars = t->scalars * c->class[LC_CTRL].latency, cycles = t->latency;
    bool shared = t->kind == TINST_MEMORY && t->access.kind == ORDER_SHARED;
    if (t->kind == TINST_ALU || t->kind == TINST_MEMORY)
        cycles = shared ? c->shared_latency + (t->access.reads ? (uint32_t)c->mem_stages : c->refetch_shared)
                        : c->refetch;
    return scalars + to_turn(s, t->kind == TINST_TX ? 0 : cycles);
}

struct walk { const struct sm *s; const struct tcode *code; uint32_t cycles; };

static void add_step(void *ctx, uint32_t seq)
{
    struct walk *x = ctx;
    x->cycles += step_cycles(x->s, &x->code->inst[seq]);
}

uint32_t tx_cycles_to_commit(void *ctx, uint32_t slot)
{
    struct sm *s = ctx;
    struct walk x = { s, s->slot[slot].code, 0 };
    return txn_steps_to_commit(s->slot[slot].warp, add_step, &x) ? x.cycles : 0;
}

/* ---- instructions ---- */

static bool may_begin(struct sm *s, struct slot *w)
{
    uint64_t lanes = warp_guard_lanes(w->warp, w->step);
    bool may = tm_core_may_begin(s->tm, w->index, (uint32_t)__builtin_popcountll(lanes), s->now);
    if (may == w->controlled) {
        w->controlled = !may;
        thread_states_account(s, w);
    }
    return may;
}

/* Accesses to private memory, which an abort restores, are performed one instruction at a time. */
static bool local_waits(const struct sm *s, const struct slot *w)
{
    uint8_t space = w->step->space;  /* SP_REG: variables of the frame */
    return w->has_local && (space == SP_LOCAL || space == SP_REG || space == SP_GENERIC) &&
           lsu_warp_busy(s->lsu, w->index);
}

bool tx_may_issue(struct sm *s, struct slot *w, const struct tinst *t)
{
    bool may = true;
    if (w->validating)
        return false;
    if (w->in_tx && !tm_core_may_run(s->tm, w->index, s->now) && !w->doomed && !w->validate)
        return false;
    bool begins = t->kind == TINST_TX && w->step->in->op == OP_TX_BEGIN && !w->doomed && !w->validate;
    if (begins && (w->in_tx || !tm_core_begin_waits(s->tm) || tx_no_accesses(s, w)))
        return w->in_tx || may_begin(s, w);
    if (begins || w->doomed || w->validate)
        may = false;
    else if (t->kind == TINST_TX)
        may = tx_no_accesses(s, w) && (!w->in_tx || tm_core_may_issue(s->tm, w->index, true));
    else if (w->in_tx && t->kind == TINST_MEMORY)
        may = !local_waits(s, w) && tm_core_may_issue(s->tm, w->index, false);
    s->tx_waits |= !may;
    return may;
}

void tx_begun(struct sm *s, struct slot *w, const struct tcode *code, const struct dinst *d)
{
    if (w->in_tx || !txn_lanes(w->warp))
        return;
    w->in_tx = true;
    w->attempt = txn_attempt(w->warp);
    w->tx_begin = d;
    w->tx_code = code->code;
    thread_states_account(s, w);
    uint64_t held = tm_core_attempt(s->tm, w->index, true, registers_of(w), s->now);
    thread_states_attempt(s, w, held);
    if (held && w->hold == SM_NO_HOLD)
        warp_hold(s, w, SM_STALL_TX, s->now + held);
    tx_trace_attempt(s, w);
}

void tx_committing(struct sm *s, struct slot *w)
{
    w->validate = false;             /* the commit validates the reads */
    warp_hold(s, w, SM_STALL_TX, NEVER);
    warp_move(s, w, SCHED_WAIT + SM_STALL_TX);
    thread_states_account(s, w);
    if (s->trace)
        trace_tx_commit(s->trace, w->index, s->now);
    tm_core_commit(s->tm, w->index, s->now);
}

void tx_executed(struct sm *s, struct slot *w, uint64_t lanes)
{
    tm_core_executed(s->tm, w->index, lanes, s->now);
    if (tm_core_wants_validation(s->tm, w->index, s->now) && !w->validate && !w->validating) {
        w->validate = true;
        w->fault_lane = -1;
    }
}

bool tx_fault(struct sm *s, struct slot *w)
{
    int lane = w->in_tx ? txn_hold_fault(w->warp) : -1;
    if (lane < 0)
        return false;
    w->validate = true;
    w->fault_lane = lane;
    warp_advance(s, w);
    tx_try(s, w);
    if (w->hold == SM_NO_HOLD) {
        fetch_consider(s, w);
        warp_consider(s, w);
    }
    return true;
}

void tx_fault_again(void *ctx, uint32_t slot)
{
    struct sm *s = ctx;
    struct slot *w = &s->slot[slot];
    advance_to_now(s);
    txn_fault_again(w->warp);
    sm_take_fault(s, w);
}

void tx_impossible(void *ctx, uint32_t slot, unsigned lane, const struct dinst *at, const char *text)
{
    struct sm *s = ctx;
    struct slot *w = &s->slot[slot];
    advance_to_now(s);
    fault_raise(w->warp, at ? at : w->tx_begin, FAULT_TX, (int)lane, 0, "%s", text);
    sm_take_fault(s, w);
}

/* ---- accesses ---- */

struct mem_op *tx_op_new(void *ctx)
{
    struct sm *s = ctx;
    return pool_take(&s->ops);
}

void tx_op_free(void *ctx, struct mem_op *op)
{
    struct sm *s = ctx;
    pool_give(&s->ops, op);
}

/* The load/store unit's queue is full: with operand collectors this was not checked at issue. */
static void park(struct sm *s, struct slot *w, struct mem_op *op)
{
    op->next = NULL;
    if (s->parked.first)
        s->parked.last->next = op;
    else
        s->parked.first = op;
    s->parked.last = op;
    w->collecting++;
}

void tx_unpark(struct sm *s)
{
    while (s->parked.first && lsu_has_room(s->lsu)) {
        struct mem_op *op = s->parked.first;
        struct slot *w = &s->slot[op->sm_slot];
        s->parked.first = op->next;
        w->collecting--;
        issue_memory(s, w, op);
    }
}

void tx_issue(void *ctx, uint32_t slot, struct mem_op *op)
{
    struct sm *s = ctx;
    struct slot *w = &s->slot[slot];
    advance_to_now(s);
    w->order.shared += op->served_by[SERVE_SHARED] != 0;
    if (!s->parked.first && lsu_has_room(s->lsu))
        issue_memory(s, w, op);
    else
        park(s, w, op);
}

void tx_loaded(void *ctx, struct mem_op *op)
{
    struct sm *s = ctx;
    struct slot *w = &s->slot[op->sm_slot];
    const struct tinst *t = op->owner;
    advance_to_now(s);
    pool_give(&s->ops, op);
    sm_result(s, s->now + 1 + s->cfg.stages, EVENT_MEM, w, t);
}

void tx_op_done(struct sm *s, struct mem_op *op, uint64_t at)
{
    if (at > s->now) {
        struct event e = { .at = at, .kind = EVENT_TX, .warp = (uint16_t)op->sm_slot };
        e.address = (uint64_t)(uintptr_t)op;
        calendar_add(&s->calendar, s->now, &e);
    } else {
        tx_op_over(s, op);
    }
}

void tx_op_over(struct sm *s, struct mem_op *op)
{
    struct slot *w = &s->slot[op->sm_slot];
    if (op->served_by[SERVE_SHARED])
        w->order.shared--;
    tm_core_done(s->tm, op, s->now);
}

/* Warps that wait until none of their accesses is outstanding, which is no event. */
void tx_poll(struct sm *s)
{
    s->tx_waits = false;
    for (uint32_t k = 0; k < s->cfg.schedulers; k++)
        for (uint64_t m = s->sched[k].set[SCHED_WAIT + SM_STALL_TX]; m; m &= m - 1) {
            struct slot *w = &s->slot[(uint32_t)__builtin_ctzll(m) * s->cfg.schedulers + k];
            if (w->hold == SM_NO_HOLD && !tx_try(s, w))
                warp_consider(s, w);
        }
}

void tx_at(void *ctx, uint64_t cycle)
{
    struct sm *s = ctx;
    advance_to_now(s);
    s->tm_at = cycle < s->tm_at ? cycle : s->tm_at;
    s->core_at = cycle < s->core_at ? cycle : s->core_at;
    s->lsu_at = s->now;
}

void tx_private_write(void *ctx, uint64_t address, const void *bytes, unsigned n)
{
    struct sm *s = ctx;
    struct mem_op *op = pool_take(&s->ops);
    memset(op, 0, offsetof(struct mem_op, address));
    op->kind = MOP_STORE;
    op->lanes = op->served_by[SERVE_LOCAL] = mask_all(n / 4);    /* adjacent words, one per lane */
    op->width = op->size = op->stride = 4;
    op->count = 1;
    op->pattern = MEM_PATTERN_CONSECUTIVE;
    op->role = TM_ROLE_RESTORE;
    op->sm_slot = s->restoring;
    for (unsigned i = 0; i < n / 4; i++)
        op->address[i] = address + 4 * i;
    memcpy(mem_data(op, 0), bytes, n);
    lsu_background(s->lsu, op, s->now);
    s->lsu_at = s->now;
}
