/*
 * The run loop of a warp: steps execute in order until one returns a control instruction, which then acts on the warp.
 * A step is a call through a pointer in the decoded instruction; regress/bench/dispatch.c compares this with a switch
 * and with tail calls (they differ by less than 10 %; the layout of the registers decides). With a SIMT stack, branches
 * and join markers are followed in the loop itself: a branch that all lanes take, or none, leaves the stack as it is;
 * else the entry of the lanes that go first continues, and where an entry ends the one below.
 */
#include "ptx/exec/cluster.h"
#include "ptx/exec/control.h"
#include "ptx/isa/ops_check.h"
#include "ptx/watch/watch.h"

static bool timed(const struct warp *w)
{
    return w->block->launch->timed;
}

static uint32_t lane_value(struct warp *w, operand o, int lane)
{
    return ((const uint32_t *)lanes_at(&w->half[lane / LANES].l, o))[lane % LANES];
}

/* The step that is executed after d, if d does not branch. */
static inline const struct dinst *next_step(const struct dinst *d)
{
    return (const struct dinst *)((const char *)d + d->next);
}

/* Executes steps from *at on until one returns a control code; both halves of a wide wavefront execute each step. */
static inline int run_steps(struct warp *w, const struct dinst **at)
{
    const struct dinst *d = *at;
    int r;
    if (warp_halves(w) == 1) {
        struct lanes *x = &w->half[0].l;
        while (!(r = d->run(x, d))) {
            r = (int)d->next_control;
            d = next_step(d);
            if (r)
                break;
        }
    } else
        while (!(r = run_halves(w, d)))
            d++;
    *at = d;
    return r;
}

/* The instruction was counted, but its lanes will execute it again. */
static void count_again(struct warp *w, uint64_t lanes)
{
    w->half[0].worker->count[STAT_WARP_INSTRUCTIONS]--;
    count_guarded_off(w, lanes);
}

/* Backward branch d was taken. */
static inline enum control_result looped(struct warp *w, const struct dinst *d)
{
    if (w->spin.wait) {
        w->spin.wait--;
        return CONTROL_CONTINUE;
    }
    return spin_check(w, d);
}

/* ---- control ---- */

static enum control_result control_branch(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct simt_entry *e = simt_top(w);
    uint64_t mask = e->mask, taken = guard_mask(w, d, mask);
    uint32_t next = (uint32_t)(d - c->insts) + 1;
    if (taken != mask)
        count_guarded_off(w, mask & ~taken);
    simt_branch(w, d->target, taken, next, d->reconverge);
    return taken && d->target < next ? looped(w, d) : CONTROL_CONTINUE;
}

/* A table branch is a series of two-way branches: lanes with the first lane's target branch, the others stay at it. */
static enum control_result control_table_branch(struct warp *w, const struct code *c, const struct dinst *d)
{
    const struct ptx_table *t = d->extra;
    uint64_t mask = simt_top(w)->mask, lanes = guard_mask(w, d, mask), same = 0;
    uint32_t here = (uint32_t)(d - c->insts);
    if (lanes != mask) {
        count_guarded_off(w, mask);
        simt_branch(w, here, lanes, here + 1, d->reconverge);
        return CONTROL_CONTINUE;
    }
    for (uint64_t m = lanes; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        uint32_t index = lane_value(w, d->src[0], lane);
        if (index >= (uint32_t)t->n) {
            fault_raise(w, d, FAULT_CALL, lane, 0, "brx.idx with index %u; the list '%s' has %d targets", index,
                        t->name, t->n);
            return CONTROL_STOP;
        }
        if (t->labels[index] == t->labels[lane_value(w, d->src[0], __builtin_ctzll(lanes))])
            same |= m & -m;
    }
    uint32_t pc = c->of_inst[t->labels[lane_value(w, d->src[0], __builtin_ctzll(lanes))]];
    count_guarded_off(w, lanes & ~same);
    simt_branch(w, pc, same, here, d->reconverge);
    return pc < here ? looped(w, d) : CONTROL_CONTINUE;
}

static enum control_result control_return(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct simt_entry *e = simt_top(w);
    uint64_t lanes = d->in ? guard_mask(w, d, e->mask) : e->mask;
    if (d->in)
        count_guarded_off(w, e->mask & ~lanes);
    e->pc = (uint32_t)(d - c->insts) + (lanes != e->mask);
    if (!lanes)
        return CONTROL_CONTINUE;
    if (w->tx.open && e->frame == w->tx.begin_frame) {
        fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0,
                    "returns or exits inside a transaction: tx_commit is missing");
        return CONTROL_STOP;
    }
    if (e->frame == 0) {
        simt_exit(w, lanes);
        return CONTROL_CONTINUE;
    }
    call_leave(w, e->frame, lanes);
    simt_return(w, lanes);
    return CONTROL_CONTINUE;
}

/* These lanes leave the kernel at d; the others continue after it. */
static enum control_result exit_lanes(struct warp *w, const struct code *c, const struct dinst *d, uint64_t lanes)
{
    simt_top(w)->pc = (uint32_t)(d - c->insts) + 1;
    if (lanes && w->tx.open) {
        fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, "exits inside a transaction: tx_commit is missing");
        return CONTROL_STOP;
    }
    if (lanes)
        simt_exit(w, lanes);
    return CONTROL_CONTINUE;
}

static enum control_result control_exit(struct warp *w, const struct code *c, const struct dinst *d)
{
    uint64_t mask = simt_top(w)->mask, lanes = guard_mask(w, d, mask);
    count_guarded_off(w, mask & ~lanes);
    return exit_lanes(w, c, d, lanes);
}

/* The lanes that execute d; the group continues after it. */
static uint64_t pass(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct simt_entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    count_guarded_off(w, e->mask & ~lanes);
    e->pc = (uint32_t)(d - c->insts) + 1;
    return lanes;
}

static enum control_result control_call(struct warp *w, const struct code *c, const struct dinst *d)
{
    uint64_t lanes = pass(w, c, d);
    return !lanes || call_enter(w, d, lanes) ? CONTROL_CONTINUE : CONTROL_STOP;
}

static enum control_result control_trap(struct warp *w, const struct code *c, const struct dinst *d)
{
    uint64_t lanes = pass(w, c, d);
    if (!lanes)
        return CONTROL_CONTINUE;
    fault_raise(w, d, FAULT_TRAPPED, __builtin_ctzll(lanes), 0, "trap");
    return CONTROL_STOP;
}

static enum control_result control_barrier(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct simt_entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    count_guarded_off(w, e->mask & ~lanes);
    if (!lanes) {
        e->pc = (uint32_t)(d - c->insts) + 1;
        return CONTROL_CONTINUE;
    }
    if (w->tx.open) {
        fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, "a barrier inside a transaction, where none is allowed: "
                    "lanes that wait for their next attempt cannot come to it");
        return CONTROL_STOP;
    }
    e->pc = (uint32_t)(d - c->insts) + 1;
    bool runs = barrier_arrive(w, d, lanes) || (warp_independent(w) && w->state == WARP_READY);
    return runs ? CONTROL_CONTINUE : CONTROL_STOP;
}

static enum control_result inside_transaction(struct warp *w, const struct dinst *d)
{
    fault_raise(w, d, FAULT_TX, (int)w->tx.lane, 0, "a barrier of the cluster inside a transaction, where none is "
                "allowed");
    return CONTROL_STOP;
}

static enum control_result control_cluster_arrive(struct warp *w, const struct code *c, const struct dinst *d)
{
    uint64_t lanes = pass(w, c, d);
    if (lanes && w->tx.open)
        return inside_transaction(w, d);
    return !lanes || cluster_arrive(w, d, lanes) ? CONTROL_CONTINUE : CONTROL_STOP;
}

static enum control_result control_cluster_wait(struct warp *w, const struct code *c, const struct dinst *d)
{
    uint64_t lanes = pass(w, c, d);
    if (lanes && w->tx.open)
        return inside_transaction(w, d);
    bool runs = !lanes || cluster_wait(w, d, lanes) || (warp_independent(w) && w->state == WARP_READY);
    return runs ? CONTROL_CONTINUE : CONTROL_STOP;
}

/* The counting step of a group's next PTX instruction. */
static const struct dinst *instruction_at(const struct warp *w, const struct simt_entry *e)
{
    const struct dinst *d = &w->frame[e->frame].code->insts[e->pc];
    while (d->in && !d->counts)
        d++;
    return d;
}

static bool waits_at_warp_barrier(const struct warp *w, const struct simt_entry *e)
{
    const struct ptx_inst *in = instruction_at(w, e)->in;
    return e->waits == WAIT_LANES && in && in->op == OP_BAR && in->mod[PG_BAROP] == MOD(BAROP, WARP);
}

/*
 * Lanes may meet at different bar.warp.sync instructions. When all named lanes are at one, the groups at the others
 * are released, too.
 */
static bool meet_elsewhere(struct warp *w, uint64_t named)
{
    uint64_t there = simt_top(w)->mask;
    for (uint32_t i = 0; i < w->nentry; i++)
        if (waits_at_warp_barrier(w, &w->entry[i]))
            there |= w->entry[i].mask;
    if (named & w->exist & ~there)
        return false;
    for (uint32_t i = 0; i < w->nentry; i++) {
        struct simt_entry *e = &w->entry[i];
        if (i == w->current || !waits_at_warp_barrier(w, e) || !(e->mask & named))
            continue;
        e->pc = (uint32_t)(instruction_at(w, e) - w->frame[e->frame].code->insts) + 1;
        e->waits = WAIT_NONE;
    }
    return true;
}

/* Independent lanes: a .sync instruction executes when all existing lanes of its member mask have reached it. */
static enum control_result control_warpsync(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct simt_entry *e = simt_top(w);
    operand member = d->in->op == OP_BAR ? d->src[0] : d->src[d->target];
    uint64_t named = 0, lanes = guard_mask(w, d, e->mask);
    uint32_t here = (uint32_t)(d - c->insts);
    if (lanes != e->mask) {
        count_again(w, e->mask);
        simt_branch(w, c->of_inst[d->seq], lanes, here + 1, UINT32_MAX);
        return CONTROL_CONTINUE;
    }
    for (uint64_t m = e->mask; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        named |= (uint64_t)lane_value(w, member, lane) << (lane & ~(LANES - 1));
    }
    if (named & w->exist & ~e->mask && !(d->in->op == OP_BAR && meet_elsewhere(w, named))) {
        if (w->tx.open) {
            fault_raise(w, d, FAULT_TX, (int)w->tx.lane, 0,
                        "waits inside a transaction for lanes of its warp that cannot continue before it commits");
            return CONTROL_STOP;
        }
        count_again(w, e->mask);
        e->pc = c->of_inst[d->seq];      /* its first step: all groups share the scratch registers of width changes */
        e->waits = WAIT_LANES;
        return CONTROL_CONTINUE;
    }
    watch_lanes_meet(w, (named | e->mask) & w->exist);
    for (uint32_t i = 0; i < warp_halves(w); i++)
        if ((uint32_t)(e->mask >> LANES * i))
            d->guarded(&w->half[i].l, d);
    e->pc = here + 1;
    return CONTROL_CONTINUE;
}

/* nanosleep ends the warp's time slice; timing mode decides how long it takes. */
static enum control_result control_yield(struct warp *w, const struct code *c, const struct dinst *d)
{
    simt_top(w)->pc = (uint32_t)(d - c->insts) + 1;
    if (timed(w)) {
        simt_top(w)->yields++;
        return CONTROL_CONTINUE;
    }
    w->spin.wait = 0;
    if (spin_waits(w, d))
        return spin_yield(w, d);
    simt_top(w)->yields++;
    return w->tx.open ? CONTROL_CONTINUE : CONTROL_STOP;
}

/* Timing mode without a TM protocol: transactions have no effect. */
static enum control_result ignore_tx(struct warp *w, const struct code *c, const struct dinst *d)
{
    uint64_t lanes = pass(w, c, d);
    if (!lanes || w->block->launch->code->transactions)
        return CONTROL_CONTINUE;
    fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, "tx_commit without tx_begin");
    return CONTROL_STOP;
}

static enum control_result control_tx_begin(struct warp *w, const struct code *c, const struct dinst *d)
{
    if (!timed(w))
        return tx_do_begin(w, c, d);
    return w->block->launch->tm ? txn_do_begin(w, c, d) : ignore_tx(w, c, d);
}

static enum control_result control_tx_commit(struct warp *w, const struct code *c, const struct dinst *d)
{
    if (!timed(w))
        return tx_do_commit(w, c, d);
    return w->block->launch->tm ? txn_do_commit(w, c, d) : ignore_tx(w, c, d);
}

static enum control_result control_join(struct warp *w, const struct code *c, const struct dinst *d)
{
    uint32_t at = (uint32_t)(d - c->insts);
    simt_top(w)->pc = at + (simt_top(w)->rpc != at);
    return CONTROL_CONTINUE;
}

/* Inlined into both users: a call here makes a branch-heavy kernel 5 % slower. */
static inline __attribute__((always_inline)) enum control_result control(struct warp *w, int r, const struct code *c,
                                                                const struct dinst *d)
{
    switch (r) {
#define CONTROL(id, decode, execute) case OP_##id: return control_##execute(w, c, d);
#include "ptx/isa/ops.def"
    case CONTROL_WARPSYNC: return control_warpsync(w, c, d);
    case CONTROL_JOIN: return control_join(w, c, d);
    default: return CONTROL_STOP;
    }
}

static inline bool next_group(struct warp *w)
{
    if (warp_independent(w))
        return w->tx.open ? simt_pick_lane(w, w->tx.lane) : simt_pick(w);
    const struct simt_entry *e = simt_top(w);
    if (w->tx.open && e->frame == w->tx.begin_frame && e->pc == e->rpc) {
        tx_ran_past(w, (int)w->tx.lane);
        return true;
    }
    return simt_settle(w);
}

/* What the lanes of the top entry have executed since they became its lanes. */
struct run {
    const struct code *code;
    uintptr_t end;                   /* the step where they reconverge with others; beyond all steps: nowhere */
    uint64_t mask;
    uint64_t before;                 /* w->executed then */
    uint64_t skipped;                /* branches that none of them took: their guard was false */
};

/* Begins a run of the top entry, whose code is c; returns its next step. */
static inline const struct dinst *begin_run(struct warp *w, struct run *u, const struct code *c)
{
    const struct simt_entry *e = simt_top(w);
    *u = (struct run){ c, (uintptr_t)c->insts + (uint64_t)e->rpc * sizeof *c->insts, e->mask, w->executed, 0 };
    set_masks(w, u->mask);
    return &c->insts[e->pc];
}

/* Counts what the run's lanes executed. */
static inline void end_run(struct warp *w, const struct run *u)
{
    uint64_t *c = w->half[0].worker->count, n = w->executed - u->before;
    c[STAT_WARP_INSTRUCTIONS] += n;
    c[STAT_THREAD_INSTRUCTIONS] += (n - u->skipped) * num_ones(u->mask);
}

enum follow { FOLLOW_ON, FOLLOW_PARTED, FOLLOW_CONTROL };

/*
 * The step after branch *at, if all lanes go there: ON. PARTED: the top entry is that of the lanes that go first.
 * CONTROL: nothing has been done.
 */
static inline enum follow follow_branch(struct warp *w, struct run *u, const struct dinst **at)
{
    const struct dinst *d = *at, *target = &u->code->insts[d->target];
    uint64_t taken = guard_mask(w, d, u->mask);
    if (!taken) {
        u->skipped++;
        *at = d + 1;
        return FOLLOW_ON;
    }
    if (target <= d && !w->spin.wait)
        return FOLLOW_CONTROL;
    w->spin.wait -= target <= d;
    *at = target;
    if (taken == u->mask)
        return FOLLOW_ON;
    count_guarded_off(w, u->mask & ~taken);
    simt_diverge(w, d->target, taken, (uint32_t)(d - u->code->insts) + 1, d->reconverge);
    return FOLLOW_PARTED;
}

static inline enum follow follow(struct warp *w, struct run *u, const struct dinst **at, int r)
{
    if (r == OP_BRA)
        return follow_branch(w, u, at);
    if (r != CONTROL_JOIN)
        return FOLLOW_CONTROL;
    *at += (uintptr_t)*at != u->end;
    return FOLLOW_ON;
}

/* The top entry has ended. True: the entry below, of the same frame, continues. False: simt_settle has to look. */
static inline bool reconverge(struct warp *w)
{
    struct simt_entry *top = simt_top(w), *below = top - 1;
    if (w->nentry < 2 || w->tx.open || below->frame != top->frame || below->pc == below->rpc)
        return false;
    uint64_t mask = below->mask & w->frame[below->frame].live & w->exist;
    if (!mask)
        return false;
    below->mask = mask;
    w->current = --w->nentry - 1;
    return true;
}

/*
 * Runs the top entry, and the next ones when its lanes part or reconverge, until a control instruction acts. False: the
 * stack or the time slice has to be looked at.
 */
static bool run_entries(struct warp *w, struct run *u, const struct dinst **at, int *r)
{
    const struct dinst *d = begin_run(w, u, w->frame[simt_top(w)->frame].code);
    bool stack = !warp_independent(w);
    for (;;) {
        d += stack && code_is_join(d) && (uintptr_t)d != u->end;
        const struct dinst *from = d;
        w->run_from = from->seq;
        if (d->stepping & STEPS_HOISTED)
            d = next_step(d);
        *r = run_steps(w, &d);
        count_steps(w, from, d);
        enum follow f = stack ? follow(w, u, &d, *r) : FOLLOW_CONTROL;
        *at = d;
        if (f == FOLLOW_CONTROL)
            return true;
        if (f == FOLLOW_ON && (uintptr_t)d != u->end && w->budget > 0)
            continue;
        end_run(w, u);
        if (f == FOLLOW_ON)
            simt_top(w)->pc = (uint32_t)(d - u->code->insts);
        if (w->budget <= 0 || (f == FOLLOW_ON && !reconverge(w)))
            return false;
        d = begin_run(w, u, u->code);
    }
}

static enum control_result run_group(struct warp *w)
{
    struct run u;
    const struct dinst *d;
    int r;
    if (!run_entries(w, &u, &d, &r))
        return CONTROL_CONTINUE;
    end_run(w, &u);
    return r == CONTROL_FAULT ? CONTROL_STOP : control(w, r, u.code, d);
}

void warp_run(struct warp *w)
{
    w->spinning = false;
    w->spin.changes = w->half[0].worker->changes;    /* changes by other warps are no progress of this one */
    if (w->spin.seen != w->executed)                 /* it has executed since the last check: the state is stale */
        w->spin.tries = 0;
    for (;;) {
        if (w->budget <= 0 && (!w->tx.open || launch_interrupted(w->block->launch))) {
            simt_top(w)->yields++;
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
        if (run_group(w) == CONTROL_STOP) {
            if (w->half[0].worker->fault)
                w->state = WARP_FAULT;
            return;
        }
    }
}

enum control_result warp_control(struct warp *w, int r, const struct code *c, const struct dinst *d)
{
    return control(w, r, c, d);
}

bool warp_next_group(struct warp *w)
{
    return next_group(w);
}
