/*
 * Issue: each cycle a scheduler takes one of its ready warps and sends its next instruction, or two with dual issue, to
 * their pipelines. Arithmetic is executed at once and its registers stay pending until the pipeline would have the
 * result; memory instructions are captured and handed to the load/store unit. A cycle without issue has a reason,
 * which stays the same until something happens.
 */
#include "timing/core/sm_impl.h"

void issue_book(struct sm *s, struct scheduler *c, uint64_t until)
{
    if (until > c->since) {
        s->count[stall_table[c->reason].stat] += until - c->since;
        c->since = until;
    }
}

void issue_memory(struct sm *s, struct slot *w, struct mem_op *op)
{
    uint32_t loads = 0, stores = 0;
    lsu_issue(s->lsu, op, s->now, &loads, &stores);
    w->order.loads += loads;
    w->order.stores += stores;
    s->lsu_at = s->now;
}

/*
 * lanes: those whose guard passed. The instruction may have none of them left: parameters of calls, which are registers
 * on hardware, were accessed at once.
 */
static void execute_memory(struct sm *s, struct slot *w, const struct tinst *t, uint64_t lanes, struct mem_op *op)
{
    if (!op->lanes) {
        pool_give(&s->ops, op);
        if (lanes && t->ndst) {
            warp_set_pending(w, t, s->pending_words, false);
            sm_result(s, s->now + t->latency + s->cfg.stages, EV_ALU, w, t);
        }
        return;
    }
    op->sm_slot = w->index;
    op->issued = s->now;
    op->owner = (void *)(uintptr_t)t;
    if (sm_op_writes(op))
        warp_set_pending(w, t, s->pending_words, true);
    if (w->in_tx && tm_core_access(s->tm, op, s->now)) {
        s->lsu_at = s->now;
        return;
    }
    if (op->kind == MOP_ATOM && s->cfg.thread_states) {
        w->atomics++;
        states_book(s, w);
    }
    w->order.acquires += op->order_acquire && op->served_by[SERVE_GLOBAL];
    w->order.shared += op->served_by[SERVE_SHARED] != 0;
    pipe_memory(s, w, t, op);
}

static void execute_alu(struct sm *s, struct slot *w, const struct tinst *t)
{
    uint64_t at = pipe_take(s, w->sched, w, t);
    if (!t->ndst)
        return;
    warp_set_pending(w, t, s->pending_words, false);
    sm_result(s, at + t->latency + s->cfg.stages, EV_ALU, w, t);
}

/* The longest that any lane asks for, at most a millisecond (PTX ISA, nanosleep). */
static uint64_t sleep_cycles(const struct sm *s, struct slot *w)
{
    uint32_t ns = 0;
    for (uint64_t m = warp_guard_lanes(w->warp, w->step); m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        uint32_t v = ((const uint32_t *)lanes_at(&w->warp->half[lane / LANES].l, w->step->src[0]))[lane % LANES];
        ns = v > ns ? v : ns;
    }
    ns = ns < 1000000 ? ns : 1000000;
    return ((uint64_t)ns * s->cfg.core_mhz + 999) / 1000 + 1;
}

/* What the warp does behind the instruction: go on, or wait until control flow is known, others arrive, time has
 * passed. */
static void settle_control(struct sm *s, struct slot *w, const struct tinst *t, uint64_t sleep)
{
    if (w->ended || w->hold != NO_HOLD)
        return;
    switch (t->kind) {
    case TK_BRANCH:
    case TK_CALL:
    case TK_HOST:
    case TK_EXIT: warp_hold(s, w, ST_BRANCH, s->now + t->latency); break;
    case TK_BARRIER: warp_hold(s, w, ST_BARRIER, s->now + t->latency); break;
    case TK_SLEEP: warp_hold(s, w, ST_SLEEP, s->now + sleep); break;
    default: break;
    }
}

/* Inside a transaction the fault may be a doomed one's. */
static void faulted(struct sm *s, struct slot *w, struct mem_op *op)
{
    if (op)
        pool_give(&s->ops, op);
    if (tx_fault(s, w))
        w->since = s->now + 1;
    else
        sm_take_fault(s, w);
}

static void issue(struct sm *s, struct slot *w)
{
    const struct tinst *t = w->inst;
    const struct tcode *code = w->code;
    struct resident *block = w->block;
    struct mem_op *op = t->kind == TK_MEMORY ? pool_take(&s->ops) : NULL;
    uint64_t sleep = t->kind == TK_SLEEP ? sleep_cycles(s, w) : 0;
    struct step st;
    s->count[pipe_table[t->pipe].issued]++;
    if (warp_step(w->warp, &st, op) == STEP_FAULT) {
        faulted(s, w, op);
        return;
    }
    if (s->cfg.thread_states && st.d->in)
        states_locked(s, w, st.d->in->lock);
    if (w->in_tx)
        tx_executed(s, w, st.lanes);
    else if (t->kind == TK_TX && w->tm)
        tx_begun(s, w, code, st.d);
    s->count[STAT_DIVERGED] += st.diverged;
    w->names = code;
    w->buffered -= !s->cfg.perfect_fetch;
    if (op)
        execute_memory(s, w, t, st.lanes, op);
    else if (t->kind == TK_ALU)
        execute_alu(s, w, t);
    else if (t->acquires)
        lsu_acquire(s->lsu);
    warp_advance(s, w);
    if (t->kind > TK_MEMORY) {
        settle_control(s, w, t, sleep);
        states_book(s, w);
        cta_release_barrier(s, block, s->now + t->latency);
    }
    if (!w->ended) {
        fetch_consider(s, w);
        warp_consider(s, w);
    }
    w->since = s->now + 1;
}

/* The same, for a timeline: what the warp did before ends here. */
static void issue_watched(struct sm *s, struct slot *w)
{
    const struct dinst *d = w->step;
    uint64_t lanes = warp_guard_lanes(w->warp, d);
    warp_watch(s, w, s->now);
    w->since = s->now;
    watch_issue(s->watch, w->index, d, lanes, s->now);
    issue(s, w);
}

static void issue_one(struct sm *s, struct slot *w)
{
    if (s->watch)
        issue_watched(s, w);
    else
        issue(s, w);
}

/* The warps that can issue now. If none can: what blocks those that are ready, and when to look again. */
static uint64_t issuable(struct sm *s, unsigned k, uint64_t among, uint32_t *why, uint64_t *again)
{
    struct scheduler *c = &s->sched[k];
    uint64_t can = 0;
    for (uint32_t m = c->held & READY_PLACES; m; m &= m - 1) {
        unsigned p = (unsigned)__builtin_ctz(m);
        if (c->set[p] & among && pipe_offers(s, k, (enum pipe)p, why, again))
            can |= c->set[p] & among;
    }
    return can;
}

/* May the warp issue a second instruction in the same cycle? */
static bool issues_again(struct sm *s, unsigned k, const struct slot *w, unsigned first_pipe)
{
    uint32_t why = 0;
    uint64_t again = NEVER;
    if (first_pipe == PIPE_CTRL || s->fault || w->place >= PLACE_WAIT)
        return false;
    if (s->cfg.dual_different && w->place == first_pipe)
        return false;
    return pipe_offers(s, k, (enum pipe)w->place, &why, &again);
}

static void issue_from(struct sm *s, unsigned k, struct slot *w)
{
    unsigned first_pipe = w->place;
    issue_one(s, w);
    for (uint32_t n = 1; n < s->cfg.issue && issues_again(s, k, w, first_pipe); n++) {
        s->count[STAT_DUAL_ISSUED]++;
        issue_one(s, w);
    }
    s->count[STAT_ISSUED_SLOTS]++;
}

bool issue_run(struct sm *s, unsigned k)
{
    struct scheduler *c = &s->sched[k];
    uint32_t why = 0;
    uint64_t again = NEVER, among, can;
    issue_book(s, c, s->now);
    among = sched_among(c);
    if (c->issue_free > s->now) {
        c->reason = ST_ISSUE_WIDTH;
        c->at = c->issue_free;
        return false;
    }
    can = issuable(s, k, among, &why, &again);
    if (!can) {
        c->reason = (uint8_t)sched_reason(c, among, why);
        c->at = again;
        s->mem_blocked |= why >> ST_MEM_QUEUE & 1;
        return false;
    }
    can = sched_first(c, can, s->now);
    issue_from(s, k, &s->slot[sched_pick(c, can) * s->cfg.schedulers + k]);
    c->issue_free = s->now + s->cfg.issue_interval;
    c->since = s->now + 1;
    c->at = s->now + 1;
    return true;
}
