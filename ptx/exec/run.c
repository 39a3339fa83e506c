/*
 * The run loop of a warp: steps one after another until one hands control over, then what control does. A step is a
 * call through a pointer in the decoded instruction; regress/bench/dispatch.c compares this with a switch and with
 * tail calls (all within a tenth of each other, the layout of registers decides).
 */
#include <string.h>

#include "ptx/exec/control.h"
#include "ptx/program/program.h"

enum { SPIN_MAX = 4096, SPIN_TRIES = 8 };

static bool independent(const struct warp *w)
{
    return w->block->launch->program->independent;
}

static bool timed(const struct warp *w)
{
    return w->block->launch->timed;
}

static uint32_t lane_value(struct warp *w, operand o, int lane)
{
    return ((const uint32_t *)lanes_at(&w->half[lane / LANES].l, o))[lane % LANES];
}

/* Executes steps from d on until one returns control; both halves of a wide wavefront go step by step together. */
static int run_steps(struct warp *w, uint64_t mask, const struct dinst **at)
{
    const struct dinst *d = *at;
    int r;
    if (warp_halves(w) == 1) {
        struct lanes *x = &w->half[0].l;
        x->mask = x->active = (uint32_t)mask;
        x->exist = (uint32_t)w->exist;
        while (!(r = d->fn(x, d)))
            d++;
        *at = d;
        return r;
    }
    set_masks(w, mask);
    while (!(r = run_halves(w, d)))
        d++;
    *at = d;
    return r;
}

/* The instruction was counted, but will be executed again by the lanes that come back to it. */
static void count_again(struct warp *w, uint64_t lanes)
{
    w->half[0].worker->counts.warp_instructions--;
    count_guarded_off(w, lanes);
}

/* ---- waiting loops ---- */

/* Four chains side by side; the bytes of registers and private memory come in multiples of 32. */
static uint64_t hash_words(uint64_t h, const void *at, size_t bytes)
{
    static const uint64_t odd = 0xff51afd7ed558ccdull;
    const uint64_t *p = at;
    uint64_t a = h, b = ~h, c = h * odd, d = h ^ odd;
    for (size_t k = 0; k < bytes / 8; k += 4) {
        a = (a ^ p[k]) * odd ^ a >> 29;
        b = (b ^ p[k + 1]) * odd ^ b >> 29;
        c = (c ^ p[k + 2]) * odd ^ c >> 29;
        d = (d ^ p[k + 3]) * odd ^ d >> 29;
    }
    return a ^ (b << 17 | b >> 47) ^ (c << 31 | c >> 33) ^ (d << 47 | d >> 17);
}

uint64_t warp_state(const struct warp *w)
{
    uint64_t h = w->exist ^ (uint64_t)w->attempt << 32;     /* a new attempt is no coming back to the state before */
    uint32_t local = 0;
    for (uint32_t i = 0; i < w->nentry; i++)
        h = ((h ^ w->entry[i].mask) * 0x9e3779b97f4a7c15ull ^ w->entry[i].pc) * 31 + w->entry[i].frame;
    for (uint32_t f = 0; f < w->nframe; f++) {
        const struct frame *fr = &w->frame[f];
        if (!fr->used)
            continue;
        for (uint32_t i = 0; i < warp_halves(w); i++)
            h = hash_words(h, w->half[i].regs + fr->reg_base, fr->code->frame_bytes - SCRATCH_BYTES * 5);
        uint32_t end = fr->local_base + fr->code->local_bytes;
        local = end > local ? end : local;
    }
    for (uint32_t i = 0; i < warp_halves(w) && local; i++)
        h = hash_words(h, w->half[i].local, (size_t)local * LANES);
    return h;
}

/*
 * Called at backward branches. A loop that comes back to the same branch in the same state, while this worker changed
 * no memory in between, waits for somebody else: the warp gives up its turn. Looking costs time, so it is
 * done rarely in loops that turned out to make progress.
 */
static bool loop_waits(struct warp *w, const struct dinst *d)
{
    if (!w->spin.tries) {
        w->spin.pc = d->seq;
        w->spin.hash = warp_state(w);
        w->spin.changes = w->half[0].worker->changes;
        w->spin.tries = 1;
        w->spin.seen = w->executed;
        return false;
    }
    if (d->seq != w->spin.pc && w->spin.tries++ < SPIN_TRIES)
        return false;                    /* another branch of the same loop, perhaps */
    bool same = d->seq == w->spin.pc && w->spin.changes == w->half[0].worker->changes && w->spin.hash == warp_state(w);
    w->spin.tries = same;
    w->spin.seen = w->executed;
    if (same) {
        w->spin.period = WARP_SPIN_FIRST;
        w->spinning = true;
        w->spin_at = d;
    } else {
        w->spin.wait = w->spin.period;
        w->spin.period = w->spin.period < SPIN_MAX ? w->spin.period * 4 : SPIN_MAX;
    }
    return same;
}

/*
 * The loop of the current group waits: with independent lanes all others of the warp that can run go first, until
 * each of them was found waiting since memory changed last.
 */
static enum after waiting(struct warp *w, const struct dinst *d)
{
    if (w->tx.open) {
        fault_raise(w, d, FAULT_DEADLOCK, (int)w->tx.lane, 0, "a transaction waits for something that only others can do");
        return STOP;
    }
    if (!independent(w) || simt_all_idle(w, w->half[0].worker->changes))
        return STOP;
    w->spinning = false;
    return GO_ON;
}

/*
 * Timing mode has its own way to see that nothing happens; a warp with a stack goes round its loop. Independent lanes
 * that come back in the same state let the warp's others go first.
 */
static void give_way(struct warp *w, const struct dinst *d)
{
    w->spin.changes = w->half[0].worker->changes;
    if (!independent(w)) {
        w->spin.wait = UINT32_MAX;
        return;
    }
    if (loop_waits(w, d))
        simt_all_idle(w, w->spin.changes);
    w->spinning = false;
    w->spin.wait = 0;
}

static enum after look_at_loop(struct warp *w, const struct dinst *d)
{
    if (timed(w)) {
        give_way(w, d);
        return GO_ON;
    }
    return loop_waits(w, d) ? waiting(w, d) : GO_ON;
}

static inline enum after came_back(struct warp *w, const struct dinst *d)
{
    if (w->spin.wait) {
        w->spin.wait--;
        return GO_ON;
    }
    return look_at_loop(w, d);
}

/* ---- control ---- */

static enum after do_branch(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct entry *e = simt_top(w);
    uint64_t mask = e->mask, taken = guard_mask(w, d, mask);
    uint32_t next = (uint32_t)(d - c->insts) + 1;
    if (taken != mask)
        count_guarded_off(w, mask & ~taken);
    simt_branch(w, d->target, taken, next, d->reconverge);
    return taken && d->target < next ? came_back(w, d) : GO_ON;
}

/* A table branch is a row of two-way branches: the lanes of the first lane's target go, the others come back here. */
static enum after do_table_branch(struct warp *w, const struct code *c, const struct dinst *d)
{
    const struct ptx_table *t = d->extra;
    uint64_t mask = simt_top(w)->mask, lanes = guard_mask(w, d, mask), same = 0;
    uint32_t here = (uint32_t)(d - c->insts);
    if (lanes != mask) {
        count_guarded_off(w, mask);
        simt_branch(w, here, lanes, here + 1, d->reconverge);
        return GO_ON;
    }
    for (uint64_t m = lanes; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        uint32_t index = lane_value(w, d->src[0], lane);
        if (index >= (uint32_t)t->n) {
            fault_raise(w, d, FAULT_CALL, lane, 0, "brx.idx with index %u; the list '%s' has %d targets", index,
                        t->name, t->n);
            return STOP;
        }
        if (t->labels[index] == t->labels[lane_value(w, d->src[0], __builtin_ctzll(lanes))])
            same |= m & -m;
    }
    uint32_t pc = c->of_inst[t->labels[lane_value(w, d->src[0], __builtin_ctzll(lanes))]];
    count_guarded_off(w, lanes & ~same);
    simt_branch(w, pc, same, here, d->reconverge);
    return pc < here ? came_back(w, d) : GO_ON;
}

static enum after do_return(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct entry *e = simt_top(w);
    uint64_t lanes = d->in ? guard_mask(w, d, e->mask) : e->mask;
    if (d->in)
        count_guarded_off(w, e->mask & ~lanes);
    e->pc = (uint32_t)(d - c->insts) + (lanes != e->mask);
    if (!lanes)
        return GO_ON;
    if (w->tx.open && e->frame == w->tx.begin_frame) {
        fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, "returns or exits inside a transaction: tx_commit is missing");
        return STOP;
    }
    if (e->frame == 0) {
        simt_exit(w, lanes);
        return GO_ON;
    }
    call_leave(w, e->frame, lanes);
    simt_return(w, lanes);
    return GO_ON;
}

static enum after do_exit(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    count_guarded_off(w, e->mask & ~lanes);
    e->pc = (uint32_t)(d - c->insts) + 1;
    if (lanes && w->tx.open) {
        fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, "exits inside a transaction: tx_commit is missing");
        return STOP;
    }
    if (lanes)
        simt_exit(w, lanes);
    return GO_ON;
}

static enum after do_call(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    count_guarded_off(w, e->mask & ~lanes);
    e->pc = (uint32_t)(d - c->insts) + 1;
    return !lanes || call_enter(w, d, lanes) ? GO_ON : STOP;
}

static enum after do_trap(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    count_guarded_off(w, e->mask & ~lanes);
    e->pc = (uint32_t)(d - c->insts) + 1;
    if (!lanes)
        return GO_ON;
    fault_raise(w, d, FAULT_TRAPPED, __builtin_ctzll(lanes), 0, "trap");
    return STOP;
}

static enum after do_barrier(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    count_guarded_off(w, e->mask & ~lanes);
    if (!lanes) {
        e->pc = (uint32_t)(d - c->insts) + 1;
        return GO_ON;
    }
    if (w->tx.open) {
        fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, "a barrier inside a transaction, where none is allowed: "
                    "lanes that wait for their next attempt cannot come to it");
        return STOP;
    }
    e->pc = (uint32_t)(d - c->insts) + 1;
    return barrier_arrive(w, d, lanes) || (independent(w) && w->state == WARP_READY) ? GO_ON : STOP;
}

/* The PTX instruction at or behind a group's place: the one it waits for. */
static const struct dinst *instruction_at(const struct warp *w, const struct entry *e)
{
    const struct dinst *d = &w->frame[e->frame].code->insts[e->pc];
    while (d->in && !d->counts)
        d++;
    return d;
}

static bool waits_at_warp_barrier(const struct warp *w, const struct entry *e)
{
    const struct ptx_inst *in = instruction_at(w, e)->in;
    return e->waits == WAIT_LANES && in && in->op == OP_BAR && in->mod[PG_BAROP] == MOD(BAROP, WARP);
}

/* Lanes may meet at bar.warp.sync from different places: when all named ones stand at one, the others go on, too. */
static bool meet_elsewhere(struct warp *w, uint64_t named)
{
    uint64_t there = simt_top(w)->mask;
    for (uint32_t i = 0; i < w->nentry; i++)
        if (waits_at_warp_barrier(w, &w->entry[i]))
            there |= w->entry[i].mask;
    if (named & w->exist & ~there)
        return false;
    for (uint32_t i = 0; i < w->nentry; i++) {
        struct entry *e = &w->entry[i];
        if (i == w->current || !waits_at_warp_barrier(w, e) || !(e->mask & named))
            continue;
        e->pc = (uint32_t)(instruction_at(w, e) - w->frame[e->frame].code->insts) + 1;
        e->waits = WAIT_NOT;
    }
    return true;
}

/* Independent lanes: a .sync instruction is executed once all lanes of its member mask that still exist are there. */
static enum after do_warpsync(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct entry *e = simt_top(w);
    operand member = d->in->op == OP_BAR ? d->src[0] : d->src[d->target];
    uint64_t named = 0, lanes = guard_mask(w, d, e->mask);
    uint32_t here = (uint32_t)(d - c->insts);
    if (lanes != e->mask) {
        count_again(w, e->mask);
        simt_branch(w, c->of_inst[d->seq], lanes, here + 1, UINT32_MAX);
        return GO_ON;
    }
    for (uint64_t m = e->mask; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        named |= (uint64_t)lane_value(w, member, lane) << (lane & ~(LANES - 1));
    }
    if (named & w->exist & ~e->mask && !(d->in->op == OP_BAR && meet_elsewhere(w, named))) {
        if (w->tx.open) {
            fault_raise(w, d, FAULT_TX, (int)w->tx.lane, 0,
                        "waits inside a transaction for lanes of its warp that cannot go on before it commits");
            return STOP;
        }
        count_again(w, e->mask);
        e->pc = c->of_inst[d->seq];      /* from its start: the scratch of width changes is shared by all groups */
        e->waits = WAIT_LANES;
        return GO_ON;
    }
    for (uint32_t i = 0; i < warp_halves(w); i++)
        if ((uint32_t)(e->mask >> LANES * i))
            d->guarded(&w->half[i].l, d);
    e->pc = here + 1;
    return GO_ON;
}

/* ---- transactions: one lane after another, nothing else in between (manual, Transactions) ---- */

static void tx_next_lane(struct warp *w)
{
    struct tx *t = &w->tx;
    struct entry *e = simt_top(w);
    t->lane = (uint32_t)__builtin_ctzll(t->remaining);
    t->remaining &= t->remaining - 1;
    e->mask = 1ull << t->lane;
    e->pc = t->begin_pc;
}

static enum after do_tx_begin(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct tx *t = &w->tx;
    struct entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    uint32_t next = (uint32_t)(d - c->insts) + 1;
    count_guarded_off(w, e->mask & ~lanes);
    if (t->open || !lanes) {
        t->depth += t->open && lanes;
        e->pc = next;
        return GO_ON;
    }
    /* guarded off lanes go round the transaction as on the other side of a branch */
    if (lanes != e->mask) {
        simt_branch(w, (uint32_t)(d - c->insts), lanes, next, UINT32_MAX);
        return GO_ON;
    }
    *t = (struct tx){ .open = true, .remaining = lanes, .begin_pc = next, .begin_frame = e->frame };
    w->half[0].worker->counts.transactions += (uint64_t)__builtin_popcountll(lanes);
    tx_next_lane(w);
    return GO_ON;
}

/* The next join that post-dominates all places. */
uint32_t tx_place_to_meet(const struct code *c, const struct tx *t)
{
    const struct flow *fl = c->flow;
    uint32_t b = t->done[0].block, all = 0;
    while (b != FLOW_NONE && all < t->ndone) {
        b = fl->blocks[b].ipdom;
        for (all = 0; all < t->ndone && b != FLOW_NONE && fl->blocks[b].joins; all++)
            if (!flow_post_dominates(fl, b, t->done[all].block))
                break;
    }
    return b == FLOW_NONE ? UINT32_MAX : c->of_inst[fl->blocks[b].first];
}

bool tx_note_commit(struct warp *w, const struct code *c, const struct dinst *d, uint64_t lanes)
{
    struct tx *t = &w->tx;
    uint32_t next = (uint32_t)(d - c->insts) + 1, k = 0;
    if (!t->open || t->begin_frame != simt_top(w)->frame) {
        fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, t->open ? "tx_commit in another function than its tx_begin"
                                                                      : "tx_commit without tx_begin");
        return false;
    }
    while (k < t->ndone && t->done[k].pc != next)
        k++;
    if (k == sizeof t->done / sizeof *t->done) {
        fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, "a transaction with more than 4 places of tx_commit");
        return false;
    }
    if (k == t->ndone)
        t->done[t->ndone++] = (struct path){ .pc = next, .block = c->flow->block_of[d->seq] };
    t->done[k].mask |= lanes;
    return true;
}

static enum after do_tx_commit(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct tx *t = &w->tx;
    struct entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    uint32_t next = (uint32_t)(d - c->insts) + 1;
    count_guarded_off(w, e->mask & ~lanes);
    e->pc = next;
    if (!lanes)
        return GO_ON;
    if (t->open && t->depth) {
        t->depth--;
        return GO_ON;
    }
    if (!tx_note_commit(w, c, d, lanes))
        return STOP;
    if (t->remaining) {
        tx_next_lane(w);
        return GO_ON;
    }
    t->open = false;
    simt_split(w, t->done, t->ndone, tx_place_to_meet(c, t));
    return GO_ON;
}

/* nanosleep: another warp's turn; how long it takes is timing mode's. */
static enum after do_yield(struct warp *w, const struct code *c, const struct dinst *d)
{
    simt_top(w)->pc = (uint32_t)(d - c->insts) + 1;
    if (timed(w)) {
        simt_top(w)->turns++;
        return GO_ON;
    }
    w->spin.wait = 0;
    if (loop_waits(w, d))
        return waiting(w, d);
    simt_top(w)->turns++;
    return w->tx.open ? GO_ON : STOP;
}

/* In timing mode transactions are a protocol's (txn.h), or they do nothing. */
static enum after do_tx(struct warp *w, int r, const struct code *c, const struct dinst *d)
{
    if (!timed(w))
        return r == C_TX_BEGIN ? do_tx_begin(w, c, d) : do_tx_commit(w, c, d);
    if (w->block->launch->tm)
        return r == C_TX_BEGIN ? txn_do_begin(w, c, d) : txn_do_commit(w, c, d);
    struct entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    count_guarded_off(w, e->mask & ~lanes);
    e->pc = (uint32_t)(d - c->insts) + 1;
    if (!lanes || w->block->launch->code->transactions)
        return GO_ON;
    fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, "tx_commit without tx_begin");
    return STOP;
}

/* Inlined into both users: a call here costs a branch-heavy kernel a twentieth. */
static inline __attribute__((always_inline)) enum after control(struct warp *w, int r, const struct code *c,
                                                                const struct dinst *d)
{
    uint32_t at = (uint32_t)(d - c->insts);
    switch (r) {
    case C_BRA: return do_branch(w, c, d);
    case C_BRX: return do_table_branch(w, c, d);
    case C_CALL: return do_call(w, c, d);
    case C_RET: return do_return(w, c, d);
    case C_EXIT: return do_exit(w, c, d);
    case C_TRAP: return do_trap(w, c, d);
    case C_BARRIER: return do_barrier(w, c, d);
    case C_WARPSYNC: return do_warpsync(w, c, d);
    case C_TX_BEGIN:
    case C_TX_COMMIT: return do_tx(w, r, c, d);
    case C_YIELD: return do_yield(w, c, d);
    case C_JOIN:
        simt_top(w)->pc = at + (simt_top(w)->rpc != at);
        return GO_ON;
    default: return STOP;
    }
}

void tx_ran_past(struct warp *w, int lane)
{
    const struct entry *e = simt_top(w);
    fault_raise(w, &w->frame[e->frame].code->insts[e->pc], FAULT_TX, lane, 0,
                "a transaction begun by some lanes of a branch goes on behind it; put tx_commit on the same side as "
                "tx_begin");
}

static inline bool next_group(struct warp *w)
{
    if (independent(w))
        return w->tx.open ? simt_pick_lane(w, w->tx.lane) : simt_pick(w);
    const struct entry *e = simt_top(w);
    if (w->tx.open && e->frame == w->tx.begin_frame && e->pc == e->rpc) {
        tx_ran_past(w, (int)w->tx.lane);
        return true;
    }
    return simt_settle(w);
}

void warp_run(struct warp *w)
{
    w->spinning = false;
    w->spin.changes = w->half[0].worker->changes;    /* what others changed meanwhile is no progress of this warp */
    if (w->spin.seen != w->executed)                 /* but it may have read before, if it did not stop at the branch */
        w->spin.tries = 0;
    for (;;) {
        if (w->budget <= 0 && (!w->tx.open || launch_interrupted(w->block->launch))) {
            simt_top(w)->turns++;
            return;
        }
        if (!next_group(w)) {
            w->state = w->exist ? WARP_BARRIER : WARP_DONE;
            return;
        }
        if (w->half[0].worker->fault) {
            w->state = WARP_FAULT;
            return;
        }
        struct entry *e = simt_top(w);
        const struct code *c = w->frame[e->frame].code;
        const struct dinst *from = &c->insts[e->pc], *d = from;
        uint64_t mask = e->mask;
        w->run_from = from->seq;
        int r = run_steps(w, mask, &d);
        count(w, from, d, mask);
        if (r == C_FAULT) {
            w->state = WARP_FAULT;
            return;
        }
        if (control(w, r, c, d) == STOP) {
            if (w->half[0].worker->fault)
                w->state = WARP_FAULT;
            return;
        }
    }
}

enum after warp_control(struct warp *w, int r, const struct code *c, const struct dinst *d)
{
    return control(w, r, c, d);
}

bool warp_next_group(struct warp *w)
{
    return next_group(w);
}
