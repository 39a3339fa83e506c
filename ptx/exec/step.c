/*
 * One PTX instruction at a time (step.h). A PTX instruction is the steps from code->of_inst[i] on: perhaps a join
 * marker, width changes of operands, the counting step, width changes of results. As in the run loop, the group of
 * lanes is selected again only after control instructions and join markers, so both modes take the same paths.
 */
#include "ptx/exec/step.h"

#include "ptx/exec/control.h"

static inline const struct dinst *counting_step(const struct dinst *d)
{
    while (!(d->stepping & STEPS_HERE))
        d++;
    return d;
}

/* The first step after the PTX instruction of d; the return after the last instruction is the last step. */
static inline uint32_t step_after(const struct code *c, const struct dinst *d)
{
    return d->in ? c->of_inst[d->seq + 1] : c->ninsts;
}

/* Starts a time slice: with independent lanes the other groups run first (as in block.c). */
static void start_slice(struct warp *w)
{
    w->budget = (int64_t)w->block->launch->quantum;
}

void warp_settle(struct warp *w)
{
    w->chosen = false;
    while (w->state == WARP_READY) {
        if (w->half[0].worker->fault) {
            w->state = WARP_FAULT;
            return;
        }
        if (w->budget <= 0) {
            simt_top(w)->yields++;
            start_slice(w);
        }
        if (!(w->tx.open ? txn_next_group(w) : warp_next_group(w))) {
            if (w->state == WARP_READY)
                w->state = w->exist ? WARP_BARRIER : WARP_DONE;
            start_slice(w);
            return;
        }
        const struct simt_entry *e = simt_top(w);
        const struct code *c = w->frame[e->frame].code;
        if (!code_is_join(&c->insts[e->pc])) {
            w->chosen = true;
            w->here = counting_step(&c->insts[e->pc]);
            w->here_code = c;
            return;
        }
        warp_control(w, CONTROL_JOIN, c, &c->insts[e->pc]);
    }
}

uint64_t warp_guard_lanes(struct warp *w, const struct dinst *d)
{
    uint64_t mask = simt_top(w)->mask;
    return d->stepping & STEPS_GUARDED ? guard_mask(w, d, mask) : mask;
}

static inline int run_range(struct warp *w, const struct dinst **at, const struct dinst *end)
{
    int r = CONTROL_NEXT;
    for (; *at < end && !(r = run_halves(w, *at)); ++*at)
        ;
    return r;
}

static enum step_result state_of(struct warp *w)
{
    switch (w->state) {
    case WARP_DONE: return STEP_ENDED;
    case WARP_FAULT: return STEP_FAULT;
    case WARP_BARRIER:
    case WARP_TX: return STEP_WAITS;
    default: return STEP_OK;
    }
}

static enum step_result faulted(struct warp *w)
{
    w->state = WARP_FAULT;
    w->chosen = false;
    return STEP_FAULT;
}

/* Is the next instruction not the one after instruction d of c? A warp that waits resumes after d. */
static bool jumps(struct warp *w, const struct code *c, const struct dinst *d)
{
    const struct code *next_code;
    const struct dinst *next = warp_peek(w, &next_code);
    return next && (next_code != c || next->seq != d->seq + 1);
}

/* Advances past d: the lanes stay together unless others wait at a join marker. True: d's successor is not next. */
static inline bool advance(struct warp *w, const struct code *c, const struct dinst *d)
{
    uint32_t pc = step_after(c, d);
    simt_top(w)->pc = pc;
    if (!code_is_join(&c->insts[pc])) {
        w->here = counting_step(&c->insts[pc]);
        return false;
    }
    warp_settle(w);
    return jumps(w, c, d);
}

/* An access of the whole warp waits for all its lanes when they are independent. False: they wait. */
static bool lanes_met(struct warp *w, const struct code *c, struct step *s)
{
    bool all = s->lanes == s->active;
    if (!warp_independent(w) || !s->d->in->mod[PG_SYNC])
        return true;
    warp_control(w, CONTROL_WARPSYNC, c, s->d);
    const struct simt_entry *e = simt_top(w);
    return all && e->mask == s->active && &c->insts[e->pc] == s->d + 1;
}

static enum step_result step_memory(struct warp *w, const struct code *c, const struct dinst *from, struct step *s,
                                    struct mem_op *op)
{
    const struct dinst *d = from;
    if (run_range(w, &d, s->d) == CONTROL_FAULT)
        return faulted(w);
    if (from != s->d)                    /* an earlier step may have computed the guard (surfaces) */
        s->lanes = warp_guard_lanes(w, s->d);
    count(w, from, s->d, s->active);
    if (!lanes_met(w, c, s)) {
        s->lanes = op->lanes = 0;
        w->chosen = false;
        warp_settle(w);
        s->jumped = jumps(w, c, s->d);
        return w->half[0].worker->fault ? faulted(w) : state_of(w);
    }
    count_guarded_off(w, s->active & ~s->lanes);
    if (!mem_capture(w, s->d, s->lanes, op))
        return faulted(w);
    s->jumped = advance(w, c, s->d);
    return state_of(w);
}

static enum step_result step_control(struct warp *w, const struct code *c, int r, struct step *s)
{
    bool branch = r == OP_BRA || r == OP_BRX;
    w->chosen = false;
    warp_control(w, r, c, s->d);
    s->diverged = branch && simt_top(w)->mask != s->active;
    warp_settle(w);
    s->jumped = jumps(w, c, s->d);
    return w->half[0].worker->fault ? faulted(w) : state_of(w);
}

enum step_result warp_step(struct warp *w, struct step *s, struct mem_op *op)
{
    const struct code *c;
    const struct dinst *d = warp_peek(w, &c);
    if (!d)
        return state_of(w);
    const struct simt_entry *e = simt_top(w);
    const struct dinst *from = &c->insts[e->pc], *end = &c->insts[step_after(c, d)];
    uint64_t active = e->mask;
    *s = (struct step){ .d = d, .active = active, .lanes = active };
    if (d->stepping & STEPS_GUARDED)
        s->lanes = guard_mask(w, d, active);
    w->run_from = from->seq;
    if (w->tx.open) {
        w->tx.step_pc = e->pc;
        w->tx.step_entries = w->nentry;
    }
    set_masks(w, active);
    if (d->stepping & STEPS_MEMORY)
        return step_memory(w, c, from, s, op);
    const struct dinst *at = from;
    int r = run_range(w, &at, end);
    count(w, from, d, s->active);
    if (r == CONTROL_FAULT)
        return faulted(w);
    if (r)
        return step_control(w, c, r, s);
    s->jumped = advance(w, c, d);
    return state_of(w);
}
