/*
 * What the next instruction of a warp waits for. A warp is examined only after an event that it may have waited for. It
 * then moves to the set of warps that are ready for a pipeline, or to the set of its stall reason. The scoreboard
 * stalls an instruction while a register that it reads or writes is pending. Sources are read at issue, so
 * write-after-read hazards do not exist. A predicate may be pending longer for guards than for other uses.
 */
#include "timing/core/sm_impl.h"

/* ---- scoreboard ---- */

static inline void set_bit(uint64_t *set, uint32_t i)
{
    set[i / 64] |= UINT64_C(1) << i % 64;
}

static inline void clear_bit(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~(UINT64_C(1) << i % 64);
}

void warp_set_pending(struct slot *w, const struct tinst *t, uint32_t words, bool memory)
{
    uint64_t *set = w->pending + (memory ? words : 0);
    for (int k = 0; k < TINST_WORDS; k++)
        set[k] |= t->writes[k];
    for (unsigned i = t->nsrc; t->far_regs && i < t->nsrc + t->ndst; i++)
        set_bit(set, t->reg[i]);
    *(memory ? &w->nmem : &w->nalu) += 1;
    w->stops += t->stops;
}

/* A result is available: the warp may have waited for it, or its block for the end of the warp. */
static void result_available(struct sm *s, struct slot *w)
{
    if (w->set == SCHED_WAIT + SM_STALL_SCOREBOARD_MEM || w->set == SCHED_WAIT + SM_STALL_SCOREBOARD_ALU)
        warp_consider(s, w);
    else if (w->ended)
        sm_block_check_end(s, w->block);
}

void warp_clear_pending(struct sm *s, struct slot *w, const struct tinst *t, bool memory)
{
    uint64_t *set = w->pending + (memory ? s->pending_words : 0);
    for (int k = 0; k < TINST_WORDS; k++)
        set[k] &= ~t->writes[k];
    for (unsigned i = t->nsrc; t->far_regs && i < t->nsrc + t->ndst; i++)
        clear_bit(set, t->reg[i]);
    *(memory ? &w->nmem : &w->nalu) -= 1;
    w->stops -= t->stops;
    result_available(s, w);
}

void warp_delay_guards(struct sm *s, struct slot *w, const struct tinst *t, uint64_t at)
{
    for (int i = 0; i < 2; i++)
        if (t->predicate[i])
            w->guards_from[t->predicate[i] - 1] = at;
    w->nalu++;
    sm_result(s, at, EVENT_GUARDS, w, t);
}

void warp_guards_available(struct sm *s, struct slot *w)
{
    w->nalu--;
    result_available(s, w);
}

/* Does the instruction use a register of the set? */
static inline bool uses_any(const struct tinst *t, const uint64_t *set)
{
    uint64_t any = 0;
    for (unsigned k = 0; k < t->nwide; k++)
        any |= t->wide[k] & set[k];
    for (int k = 0; k < TINST_WORDS; k++)
        any |= t->uses[k] & set[k];
    for (unsigned i = 0; t->far_regs && i < (unsigned)t->nsrc + t->ndst; i++)
        any |= set[t->reg[i] / 64] >> t->reg[i] % 64 & 1;
    return any;
}

/* The stall reason, SM_STALLS = none. Registers of another function have other numbers: all of them must be
 * available. */
static enum sm_stall scoreboard(const struct sm *s, const struct slot *w)
{
    const struct tinst *t = w->inst;
    uint32_t words = s->pending_words;
    if (t->all_regs || w->pending_code != w->code)
        return w->nmem ? SM_STALL_SCOREBOARD_MEM : SM_STALL_SCOREBOARD_ALU;
    if (uses_any(t, w->pending + words))
        return SM_STALL_SCOREBOARD_MEM;
    bool guard = t->guard && w->guards_from[t->guard - 1] > s->now;
    return guard || uses_any(t, w->pending) ? SM_STALL_SCOREBOARD_ALU : SM_STALLS;
}

/* ---- order ---- */

static enum sm_stall order_stall(enum order_kind k)
{
    switch (k) {
    case ORDER_FENCE:
    case ORDER_FENCE_CTA: return SM_STALL_FENCE;
    case ORDER_BARRIER:
    case ORDER_EXIT: return SM_STALL_DRAIN;
    default: return SM_STALL_ORDER;
    }
}

void warp_performed(struct sm *s, struct slot *w, uint32_t loads, uint32_t stores, uint32_t acquires)
{
    w->order.loads -= loads;
    w->order.stores -= stores;
    w->order.acquires -= acquires;
    if (w->set == SCHED_WAIT + SM_STALL_ORDER || w->set == SCHED_WAIT + SM_STALL_FENCE ||
        w->set == SCHED_WAIT + SM_STALL_DRAIN)
        warp_consider(s, w);
    else if (w->ended)
        sm_block_check_end(s, w->block);
}

/* ---- sets of the scheduler ---- */

/* By the warp's own state. */
static inline unsigned own_set(const struct sm *s, const struct slot *w)
{
    enum sm_stall r;
    if (w->hold != SM_NO_HOLD)
        return SCHED_WAIT + w->hold;
    if (!w->buffered)
        return SCHED_WAIT + SM_STALL_FETCH;
    if (w->stops)
        return SCHED_WAIT + SM_STALL_SCOREBOARD_MEM;
    if (w->nalu + w->nmem && (r = scoreboard(s, w)) != SM_STALLS)
        return SCHED_WAIT + r;
    return w->inst->pipe;
}

/* The warp could issue: must the ordering policy, copies, transactions or the host permit it, too? */
static inline bool others_decide(const struct slot *w)
{
    return w->tm | w->inst->ordered | w->inst->drains | (w->inst->kind == TINST_COPY) |
           w->inst->copy_arrives | w->inst->copies | w->inst->waits_for_shared;
}

/* core.exit_past_stores: the exit does not wait; its block does, for the accesses that the SM has not sent to L2. In a
 * cluster an exit is an arrival at the cluster's barrier, so it waits. */
static bool exits_at_once(const struct sm *s, const struct slot *w)
{
    return s->cfg.exit_past_stores && w->inst->access.kind == ORDER_EXIT &&
           cluster_blocks(&w->block->grid->grid->launch) == 1;
}

static unsigned others_set(struct sm *s, struct slot *w)
{
    const struct tinst *t = w->inst;
    if (w->tm && (t->kind == TINST_TX || w->in_tx) && !tx_may_issue(s, w, t))
        return SCHED_WAIT + SM_STALL_TX;
    if (t->waits_for_shared && w->order.shared)
        return SCHED_WAIT + SM_STALL_ORDER;
    if (t->ordered && s->cfg.order->counts_lines >> t->access.kind & 1)
        w->order.next_lines = lsu_count_lines(s->lsu, w->warp, w->step, warp_guard_lanes(w->warp, w->step));
    if (t->ordered && !exits_at_once(s, w) &&
        !s->cfg.order->may_issue(s->order_state, w->index, &w->order, &t->access))
        return SCHED_WAIT + order_stall(t->access.kind);
    /* A copy does not enter the policy's stage, so no earlier access of its warp may be in the stage. */
    if (t->copies && s->cfg.order->stage && !order_none_outstanding(&w->order))
        return SCHED_WAIT + order_stall(t->access.kind);
    if ((t->kind == TINST_COPY || t->copy_arrives) && !copies_allow(s, w, t))
        return SCHED_WAIT + (t->copy_ring == SM_COPY_PRODUCT ? SM_STALL_SCOREBOARD_ALU : SM_STALL_SCOREBOARD_MEM);
    if (t->drains && (w->collecting || lsu_warp_busy(s->lsu, w->index))) {
        s->hosts++;
        return SCHED_WAIT + SM_STALL_DRAIN;
    }
    return t->pipe;
}

static const char *state_name(const struct slot *w)
{
    if (w->set == SCHED_WAIT + SM_STALL_TX)
        return tx_wait_name[w->tx_wait];
    return w->set < PIPES ? "ready" : sm_stall_table[w->set - SCHED_WAIT].name;
}

void warp_trace(struct sm *s, const struct slot *w, uint64_t until)
{
    if (w->set != SCHED_NONE && until > w->since)
        trace_state(s->trace, w->index, state_name(w), w->since, until);
}

static void trace_move(struct sm *s, struct slot *w, unsigned set)
{
    warp_trace(s, w, s->now);
    w->tx_wait = set == SCHED_WAIT + SM_STALL_TX ? (uint8_t)tx_waits_for(s, w) : 0;
}

static void observe_move(struct sm *s, struct slot *w, unsigned set)
{
    if (s->trace)
        trace_move(s, w, set);
    if (s->profile)
        sm_profile_move(s, w, set);
}

static inline void move_unobserved(struct sm *s, struct slot *w, unsigned set)
{
    struct scheduler *c = &s->sched[w->sched];
    sched_move(c, w->bit, w->set, set);
    w->set = (uint8_t)set;
    w->since = s->now;
    sched_attend(c, s->now);
}

static inline void move(struct sm *s, struct slot *w, unsigned set)
{
    if (set == w->set)
        return;
    if (s->observed)
        observe_move(s, w, set);
    move_unobserved(s, w, set);
}

void warp_move(struct sm *s, struct slot *w, unsigned set)
{
    move(s, w, set);
}

void warp_restart_wait(struct sm *s, struct slot *w)
{
    if (s->trace)
        warp_trace(s, w, s->now);
    if (w->since < s->now)
        w->since = s->now;
    if (s->trace && w->set == SCHED_WAIT + SM_STALL_TX)
        w->tx_wait = (uint8_t)tx_waits_for(s, w);
}

static __attribute__((noinline)) void move_by_others(struct sm *s, struct slot *w)
{
    move(s, w, others_set(s, w));
}

static __attribute__((noinline)) void move_observed(struct sm *s, struct slot *w, unsigned set)
{
    move(s, w, set);
}

/* The calls are the last of their path, so that the frequent one needs no stack frame: 1 % of host instructions. */
void warp_consider(struct sm *s, struct slot *w)
{
    unsigned set = own_set(s, w);
    if (set < SCHED_WAIT && others_decide(w)) {
        move_by_others(s, w);
    } else if (set != w->set) {
        if (s->observed)
            move_observed(s, w, set);
        else
            move_unobserved(s, w, set);
    }
}

void warp_hold(struct sm *s, struct slot *w, enum sm_stall why, uint64_t until)
{
    w->hold = (uint8_t)why;
    if (until != NEVER) {
        w->waking = true;
        sm_event(s, until, EVENT_WAKE, w);
    }
}

void warp_wake(struct sm *s, struct slot *w)
{
    w->hold = SM_NO_HOLD;
    w->waking = false;
    thread_states_account(s, w);
    if (!w->inst)
        warp_advance(s, w);
    if (w->ended)
        return;
    if (w->hold == SM_NO_HOLD)
        warp_run_scalars(s, w);
    fetch_consider(s, w);
    warp_consider(s, w);
}

void warp_run_scalars(struct sm *s, struct slot *w)
{
    if (w->scalars)
        warp_hold(s, w, SM_STALL_FETCH, s->now + (uint64_t)w->scalars * s->cfg.class[LC_CTRL].latency);
    w->scalars = 0;
}

void warp_advance(struct sm *s, struct slot *w)
{
    const struct code *code = NULL;
    const struct dinst *d = warp_peek(w->warp, &code);
    w->step = d;
    if (!d) {
        sm_take_fault(s, w);
        w->inst = NULL;
        if (w->warp->state == WARP_DONE)
            sm_block_warp_ended(s, w);
        else if (w->warp->state == WARP_TX)
            tx_committing(s, w);
        else
            warp_hold(s, w, SM_STALL_BARRIER, NEVER);
        return;
    }
    uint32_t next = w->seq + 1;
    w->seq = d->seq;
    if (code != w->code->code) {
        w->code = w->block->grid->grid->code->of_func[code->func->index];
        fetch_start(s, w, d->seq);
    } else if (d->seq != next) {
        fetch_redirect(s, w, next, d->seq);
    }
    w->inst = &w->code->inst[d->seq];
    w->scalars = w->inst->scalars;
}
