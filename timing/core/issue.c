/*
 * Issue: each cycle a scheduler selects one of its ready warps and issues its next instruction (two with dual issue).
 * An arithmetic instruction is executed at once; its registers are pending until the pipeline would have the result.
 * Where it is a sequence of machine instructions, each of them takes an issue slot of the scheduler, the later ones as
 * they become ready and before other instructions. A memory instruction goes to the load/store unit. A cycle without
 * issue is counted under a stall reason, which stays the same until the next event.
 */
#include "memsys/order/order_history.h"
#include "timing/core/combine.h"
#include "timing/core/sm_impl.h"

void issue_memory(struct sm *s, struct slot *w, struct mem_op *op)
{
    uint32_t loads = 0, stores = 0;
    lsu_issue(s->lsu, op, s->now, &loads, &stores);
    w->order.loads += loads;
    w->order.stores += stores;
    s->lsu_at = s->now;
}

/*
 * lanes: those whose guard predicate is true. The access may have none of them: parameters of calls, which are
 * registers on hardware, have already been accessed. Returns whether an access to shared memory is in flight.
 */
static bool execute_memory(struct sm *s, struct slot *w, const struct tinst *t, uint64_t lanes, struct mem_op *op)
{
    bool shared = op->served_by[SERVE_SHARED], combining = w->combining;
    w->combining = false;
    if (!op->lanes) {
        sm_give_op(s, op);
        if (lanes && t->ndst) {
            warp_set_pending(w, t, s->pending_words, false);
            sm_result(s, s->now + t->latency + s->cfg.stages, EVENT_ALU, w, t);
        }
        return false;
    }
    combine_drop_result(w, t, op);
    if (combining)
        combine_issued(s, w, t, op);
    op->sm_slot = w->index;
    op->issued = s->now;
    op->owner = (void *)(uintptr_t)t;
    if (sm_op_writes(op))
        warp_set_pending(w, t, s->pending_words, true);
    if (w->in_tx && tm_core_access(s->tm, op, s->now)) {
        s->lsu_at = s->now;
        return false;
    }
    if (op->kind == MOP_ATOM && s->cfg.thread_states) {
        w->atomics++;
        thread_states_account(s, w);
    }
    if (sm_op_acquires(t, op)) {
        w->order.acquires++;
        w->order.block_acquires += t->access.block;
    }
    w->order.shared += op->served_by[SERVE_SHARED] != 0;
    if (op->to_shared)
        copies_begin(s, w, op);
    if (op->kind == MOP_BULK)
        bulk_issued(s, w, op);
    if (t->copy_arrives)
        copies_arrive(s, w, op);
    pipe_memory(s, w, t, op);
    return shared;
}

/* The warp goes on; it waits for the product's group (copies.c). */
static void execute_product(struct sm *s, const struct slot *w, const struct tinst *t)
{
    uint64_t at = pipe_queue(s, w->sched, t);
    copies_begin_product(s, w, at + t->latency + s->cfg.stages);
}

static void execute_alu(struct sm *s, struct slot *w, const struct tinst *t)
{
    uint64_t at = pipe_take(s, w->sched, w, t);
    if (t->slots > 1)
        sched_begin_sequence(&s->sched[w->sched], t->slots, t->slot_gap, s->now);
    if (!t->ndst)
        return;
    warp_set_pending(w, t, s->pending_words, false);
    at += t->latency + s->cfg.stages;
    sm_result(s, at, EVENT_ALU, w, t);
    if (t->predicate[0])
        warp_delay_guards(s, w, t, at + s->cfg.guard_latency);
}

/* The maximum over the lanes, at most a millisecond (PTX ISA, nanosleep). */
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

/* The cycle in which the warps continue if this arrival completes the barrier: the barrier unit accepts one arrival
 * every core.barrier_interval cycles. */
static uint64_t arrive_at_barrier(struct sm *s, const struct tinst *t)
{
    uint64_t from = s->barrier_free > s->now ? s->barrier_free : s->now;
    s->barrier_free = from + s->cfg.barrier_interval;
    return s->barrier_free + t->latency;
}

/* Holds the warp after a control instruction: until the branch is resolved, the barrier completes, or the sleep
 * ends. */
static void hold_after_control(struct sm *s, struct slot *w, const struct tinst *t, uint64_t completes,
                               uint64_t sleep)
{
    if (w->ended || w->hold != SM_NO_HOLD)
        return;
    switch (t->kind) {
    case TINST_BRANCH:
    case TINST_CALL:
    case TINST_HOST:
    case TINST_EXIT: warp_hold(s, w, SM_STALL_BRANCH, s->now + t->latency); break;
    case TINST_BARRIER: warp_hold(s, w, SM_STALL_BARRIER, completes); break;
    case TINST_SLEEP: warp_hold(s, w, SM_STALL_SLEEP, s->now + sleep); break;
    default: break;
    }
}

/* With core.refetch: the next instruction is fetched when a unit has taken this one, or when its access to shared
 * memory has completed (on_done in sm.c). */
static void hold_until_fetched(struct sm *s, struct slot *w, const struct tinst *t, bool shared)
{
    if (!s->cfg.refetch || w->ended || w->hold != SM_NO_HOLD)
        return;
    if (shared)
        warp_hold(s, w, SM_STALL_FETCH, NEVER);
    else if (t->kind <= TINST_MEMORY)
        warp_hold(s, w, SM_STALL_FETCH, s->now + s->cfg.refetch);
    else
        warp_run_scalars(s, w);
}

/* In a transaction the fault may be caused by inconsistent reads: it is deferred until a validation. */
static void handle_fault(struct sm *s, struct slot *w, struct mem_op *op)
{
    if (op)
        sm_give_op(s, op);
    if (tx_fault(s, w))
        w->since = s->now + 1;
    else
        sm_take_fault(s, w);
}

/* Writes the state of the warp that ends here, and the instruction, to the timeline. */
static void trace_instruction(struct sm *s, struct slot *w)
{
    warp_trace(s, w, s->now);
    w->since = s->now;
    trace_issue(s->trace, w->index, w->step, warp_guard_lanes(w->warp, w->step), s->now);
}

static void observe_instruction(struct sm *s, struct slot *w)
{
    if (s->trace)
        trace_instruction(s, w);
    if (s->profile)
        sm_profile_issue(s, w);
}

/* It was executed by so many lanes. */
static void profile_executed(struct sm *s, const struct slot *w, uint64_t lanes, bool diverged)
{
    uint64_t *profile = sm_profile_row(s, w);
    profile[PROFILE_THREADS] += lanes;
    profile[PROFILE_DIVERGED] += diverged;
}

/* An instruction was executed by so many lanes. */
static void count_accesses(struct sm *s, const struct tinst *t, uint64_t lanes)
{
    s->count[t->lanes] += lanes;
    s->count[STAT_REGISTER_READS] += t->register_reads;
    s->count[STAT_REGISTER_WRITES] += t->register_writes;
}

static struct mem_op *new_op(struct sm *s, const struct slot *w, const struct tinst *t)
{
    struct mem_op *op = pool_take(&s->ops);
    op->profile = s->profile ? sm_profile_row(s, w) : NULL;
    op->fetch = t->fetch ? pool_take(&s->fetches) : NULL;
    if (op->fetch)
        tex_begin(op->fetch);
    return op;
}

/* membar is fence.sc (PTX ISA, membar). A proxy fence orders nothing with other threads. */
static void issue_fence(struct sm *s, const struct slot *w, const struct tinst *t, const struct step *st)
{
    const struct ptx_inst *in = st->d->in;
    bool sc = in->mod[PG_MEMBAR] || in->mod[PG_SEM] == MOD(SEM, SC);
    if (!t->access.release)
        return;
    if (t->acquires)
        lsu_acquire(s->lsu);
    lsu_fence(s->lsu, &(struct order_fence){
        .cycle = s->now, .lanes = st->lanes, .block = w->warp->block->linear, .slot = w->index, .warp = w->warp->index,
        .source = in->loc.line, .sem = (uint8_t)((sc ? ORDER_SEM_SC : 0) | (t->access.block ? ORDER_SEM_BLOCK : 0)) });
}

static void issue(struct sm *s, struct slot *w)
{
    const uint64_t *executed = &w->block->grid->worker.count[STAT_THREAD_INSTRUCTIONS], before = *executed;
    const struct tinst *t = w->inst;
    const struct tcode *code = w->code;
    struct resident_block *block = w->block;
    if (t->combine && combine_begin(s, w))
        return;
    if (s->observed)
        observe_instruction(s, w);
    struct mem_op *op = t->kind == TINST_MEMORY ? new_op(s, w, t) : NULL;
    uint64_t sleep = t->kind == TINST_SLEEP ? sleep_cycles(s, w) : 0;
    struct step st;
    s->count[t->issued]++;
    bool faulted = warp_step(w->warp, &st, op) == STEP_FAULT;
    count_accesses(s, t, *executed - before);
    if (s->profile)
        profile_executed(s, w, *executed - before, !faulted && st.diverged);
    if (faulted) {
        handle_fault(s, w, op);
        return;
    }
    if (s->cfg.thread_states && st.d->in)
        thread_states_locked(s, w, st.d->in->lock);
    if (w->in_tx)
        tx_executed(s, w, st.lanes);
    else if (t->kind == TINST_TX && w->tm)
        tx_begun(s, w, code, st.d);
    s->count[STAT_DIVERGED] += st.diverged;
    w->pending_code = code;
    w->buffered -= !s->cfg.perfect_fetch;
    bool shared = false;
    if (op)
        shared = execute_memory(s, w, t, st.lanes, op);
    else if (t->queued)
        execute_product(s, w, t);
    else if (t->kind == TINST_ALU)
        execute_alu(s, w, t);
    else if (t->kind == TINST_FENCE)
        issue_fence(s, w, t, &st);
    else if (t->kind == TINST_COPY && t->copy_commits)
        copies_commit(s, w, t);
    warp_advance(s, w);
    if (t->kind > TINST_MEMORY) {
        uint64_t completes = t->kind == TINST_BARRIER ? arrive_at_barrier(s, t)
                             : t->kind == TINST_COPY  ? s->now + 1      /* the barrier of a warpgroup */
                                                      : s->now + s->cfg.barrier_latency;
        hold_after_control(s, w, t, completes, sleep);
        thread_states_account(s, w);
        if (block->block && block->block->released)
            sm_block_release_barrier(s, block, completes);
        if (block->block && block->block->cluster_complete)
            sm_cluster_complete(s, block);
    }
    hold_until_fetched(s, w, t, shared);
    if (!w->ended) {
        fetch_consider(s, w);
        warp_consider(s, w);
        if (s->profile)
            sm_profile_next(s, w);
    }
    w->since = s->now + 1;
}

/* The warps that can issue now. If none can: *why gets the stall reasons of the ready ones, *again the cycle to
 * retry. */
static uint64_t issuable(struct sm *s, unsigned k, uint64_t among, uint32_t *why, uint64_t *again)
{
    struct scheduler *c = &s->sched[k];
    uint64_t can = 0;
    bool free_collector = s->cfg.collector && s->collector.nidle;     /* then every pipeline offers */
    for (uint32_t m = c->held & SCHED_READY; m; m &= m - 1) {
        unsigned p = (unsigned)__builtin_ctz(m);
        bool offers = free_collector || (p < PIPE_MEM && !s->cfg.collector && pipe_accepts(s, k, (enum pipe)p));
        if (c->set[p] & among && (offers || pipe_offers(s, k, (enum pipe)p, why, again)))
            can |= c->set[p] & among;
    }
    return can;
}

/* gto_unsafe_last: of the warps that can issue, those without unsafe accesses pending; all, if there are none. */
static uint64_t safe_first(struct sm *s, unsigned k, uint64_t can)
{
    bool (*unsafe_pending)(const void *, uint32_t) = s->cfg.order->unsafe_pending;
    uint64_t safe = can;
    for (uint64_t m = unsafe_pending ? can : 0; m; m &= m - 1)
        if (unsafe_pending(s->order_state, (uint32_t)__builtin_ctzll(m) * s->cfg.schedulers + k))
            safe &= ~(m & -m);
    s->count[STAT_UNSAFE_LAST] += safe && safe != can;
    return safe ? safe : can;
}

/* May the warp issue a second instruction in the same cycle? */
static bool issues_again(struct sm *s, unsigned k, const struct slot *w, unsigned first_pipe)
{
    uint32_t why = 0;
    uint64_t again = NEVER;
    if (first_pipe == PIPE_CTRL || s->fault || w->set >= SCHED_WAIT)
        return false;
    if (s->cfg.dual_different && w->set == first_pipe)
        return false;
    return pipe_offers(s, k, (enum pipe)w->set, &why, &again);
}

static void issue_from(struct sm *s, unsigned k, struct slot *w)
{
    unsigned first_pipe = w->set;
    uint32_t n = 0;
    do
        issue(s, w);
    while (++n < s->cfg.issue && issues_again(s, k, w, first_pipe));
    s->count[STAT_DUAL_ISSUED] += n - 1;
}

static inline bool has_turn(const struct sm *s, unsigned k)
{
    return !s->cfg.issue_in_turn || s->now % s->cfg.schedulers == k;
}

static bool wait_for_issue(struct scheduler *c, uint64_t until)
{
    c->reason = SM_STALL_ISSUE_WIDTH;
    c->at = until;
    return false;
}

/* The ready warps whose next instruction is of the same kind as those that need this pipeline. */
static uint64_t of_kind(const struct scheduler *c, unsigned pipe)
{
    uint64_t warps = c->set[pipe];
    for (unsigned p = 0; pipe < PIPE_MEM && p < PIPE_MEM; p++)
        warps |= c->set[p];
    return warps;
}

/* Of the warps that can issue, those that have been ready longest. */
static uint64_t ready_first(const struct sm *s, unsigned k, uint64_t can)
{
    uint64_t first = 0, since = NEVER;
    for (uint64_t m = can; m; m &= m - 1) {
        uint64_t mine = s->slot[(uint32_t)__builtin_ctzll(m) * s->cfg.schedulers + k].since;
        first = mine < since ? m & -m : mine == since ? first | (m & -m) : first;
        since = clock_earlier(since, mine);
    }
    return first;
}

static struct slot *select_warp(struct sm *s, unsigned k, uint64_t can)
{
    struct scheduler *c = &s->sched[k];
    can = sched_first(c, can, s->now);
    if (c->policy == SCHED_GTO_UNSAFE_LAST)
        can = safe_first(s, k, can);
    if (c->policy == SCHED_READY_FIRST)
        can = ready_first(s, k, can);
    unsigned before = c->last, picked = sched_pick(c, can);
    if (c->to_flush)
        fetch_flush(s, k, sched_passed(c, picked, before));
    return &s->slot[picked * s->cfg.schedulers + k];
}

/* One instruction of each other kind (core.issue_kinds), of warps of `among`. */
static void issue_other_kinds(struct sm *s, unsigned k, uint64_t among, uint64_t can)
{
    uint32_t why = 0;
    uint64_t again = NEVER;
    for (;;) {
        struct slot *w = select_warp(s, k, can);
        among &= ~(of_kind(&s->sched[k], w->set) | w->bit);
        issue_from(s, k, w);
        can = s->fault ? 0 : issuable(s, k, among, &why, &again);
        if (!can)
            return;
        s->count[STAT_DUAL_ISSUED]++;
    }
}

bool issue_run(struct sm *s, unsigned k)
{
    struct scheduler *c = &s->sched[k];
    uint32_t why = 0;
    uint64_t again = NEVER, among, can;
    if (s->fault)
        return false;
    issue_account(s, c, s->now);
    among = sched_among(c);
    if (c->issue_free > s->now)
        return wait_for_issue(c, c->issue_free);
    can = issuable(s, k, among, &why, &again);
    if (!can) {
        if (c->to_flush)
            fetch_flush(s, k, UINT64_MAX);
        c->reason = (uint8_t)sched_reason(c, among, why);
        if (s->profile)
            sm_profile_stall_reason(s, k, among, (enum sm_stall)c->reason);
        c->at = again;
        s->mem_blocked |= why >> SM_STALL_MEM_QUEUE & 1;
        return false;
    }
    if (c->rest_at <= s->now) {
        sched_run_sequences(c, s->cfg.issue_interval, s->now);
        if (c->issue_free > s->now)
            return wait_for_issue(c, c->issue_free);
    }
    if (!has_turn(s, k)) {
        if (s->profile)
            sm_profile_stall_of(s, k, can);
        return wait_for_issue(c, s->now + 1);        /* until its turn another scheduler may take the pipeline */
    }
    if (s->cfg.issue_kinds)
        issue_other_kinds(s, k, among, can);
    else
        issue_from(s, k, select_warp(s, k, can));
    s->count[STAT_ISSUED_SLOTS]++;
    c->issue_free = s->now + s->cfg.issue_interval;
    c->since = s->now + 1;
    c->reason = SM_STALL_ISSUE_WIDTH;
    sched_attend(c, s->now + 1);
    return true;
}
