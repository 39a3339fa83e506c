/*
 * Construction of an SM and its cycle loop. A cycle processes replies and performed accesses, a block start, the events
 * of the calendar (results, ends of waits, fetched instructions), issue by each scheduler, and fetch. Each part has a
 * cycle of its next event; cycles without events are only accounted for, under the last stall reason of each scheduler.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/huge.h"
#include "ptx/watch/watch.h"
#include "timing/core/sm_impl.h"

const struct sm_stall_info sm_stall_table[SM_STALLS] = {
#define STALL(id, name, class, of, meaning) { name, #class, meaning, STAT_STALL_##id },
#include "timing/stall.def"
};

const struct pipe_info pipe_table[PIPES] = {
#define PIPE(id, name, stall, one, meaning) { one, SM_STALL_##stall, STAT_INSTS_##id, STAT_LANES_##id },
#include "timing/pipe.def"
};

/* ---- calls of the load/store unit ---- */

static void acquired(struct sm *s, struct slot *w, const struct tinst *t)
{
    if (t->acquires)
        lsu_acquire(s->lsu);
    w->order.block_acquires -= t->access.block;
    warp_performed(s, w, 0, 0, 1);
}

/* The order policy may have waited for this access to shared memory. */
static void shared_performed(struct sm *s, struct slot *w)
{
    w->order.shared--;
    if (w->set == SCHED_WAIT + SM_STALL_ORDER)
        warp_consider(s, w);
}

static void on_done(void *ctx, struct mem_op *op, uint64_t at)
{
    struct sm *s = ctx;
    struct slot *w = &s->slot[op->sm_slot];
    const struct tinst *t = op->owner;
    bool acquire = sm_op_acquires(t, op), writes = sm_op_writes(op);
    if (op->role == MEM_ROLE_BULK) {
        bulk_part_done(s, op, at);
        return;
    }
    if (op->role) {
        tx_op_done(s, op, at);
        return;
    }
    if (w->atomics && op->kind == MOP_ATOM) {
        w->atomics--;
        thread_states_account(s, w);
    }
    if (op->served_by[SERVE_SHARED]) {
        shared_performed(s, w);
        if (s->cfg.refetch)
            sm_event(s, at + s->cfg.refetch_shared, EVENT_WAKE, w);
    }
    at += (uint64_t)s->cfg.mem_stages;
    if (op->kind == MOP_BULK) {
        bulk_begin(s, op);
        return;
    }
    if (op->warp->block->watch)
        watch_returned(op);
    if (op->combined && op->kind == MOP_ATOM) {
        mem_combined_results(op);
        at += t->tail;
    }
    if (op->to_shared) {
        copies_arrived(s, w, op, at);
        return;
    }
    if (t->copy_arrives) {
        copies_arrive_performed(s, w, op);
        return;
    }
    sm_give_op(s, op);
    if (at > s->now) {
        if (acquire)
            sm_result(s, at, EVENT_ACQUIRE, w, t);
        if (writes)
            sm_result(s, at, EVENT_MEM, w, t);
        return;
    }
    if (acquire)
        acquired(s, w, t);
    if (writes)
        warp_clear_pending(s, w, t, true);
}

static void on_performed(void *ctx, uint32_t sm_slot, bool store, uint64_t at)
{
    struct sm *s = ctx;
    struct slot *w = &s->slot[sm_slot];
    if (at > s->now)
        sm_event(s, at, store ? EVENT_STORE : EVENT_LOAD, w);
    else
        warp_performed(s, w, !store, store, 0);
}

static void on_wake(void *ctx, uint32_t sm_slot)
{
    struct sm *s = ctx;
    if (s->slot[sm_slot].warp)
        warp_performed(s, &s->slot[sm_slot], 0, 0, 0);
}

static void on_atomic(void *ctx, const struct mem_op *op, uint8_t *line, struct atom_payload *a)
{
    (void)ctx;
    mem_atomic_perform(op->warp->half[0].worker, (uint64_t)(uintptr_t)line, a);
}

static void on_fetched(void *ctx, uint64_t line, uint64_t at)
{
    struct sm *s = ctx;
    if (at > s->now)
        calendar_add(&s->calendar, s->now, &(struct event){ .at = at, .address = line, .kind = EVENT_LINE });
    else
        fetch_line(s, line);
}

static void on_message(void *ctx, struct packet *p, uint64_t now)
{
    struct sm *s = ctx;
    tm_core_message(s->tm, p, now);
}

static void on_replied(void *ctx, const struct packet *p)
{
    struct sm *s = ctx;
    if (s->trace)
        trace_request(s->trace, p);
}

/* ---- construction ---- */

enum { OPS_IN_CHUNK = 16, FETCHES_IN_CHUNK = 4 };

static void init_slots(struct sm *s)
{
    uint32_t n = s->cfg.warps;
    s->slot = mem_aligned(_Alignof(struct slot), n * sizeof *s->slot, "the warps of an SM");
    s->block = mem_zero(s->cfg.blocks, sizeof *s->block, "the blocks of an SM");
    for (uint32_t i = 0; i < n; i++) {
        s->slot[i] = (struct slot){
            .index = (uint16_t)i, .set = SCHED_NONE, .hold = SM_NO_HOLD,
            .sched = (uint8_t)(i % s->cfg.schedulers), .bit = UINT64_C(1) << i / s->cfg.schedulers,
        };
        s->free_slots[s->slot[i].sched] |= s->slot[i].bit;
    }
    s->nfree_slots = n;
    s->fetched_last = n - 1;
    s->want_words = (n + 63) / 64;
}

static void add_tm(struct sm *s, struct tm_gpu *tm)
{
    const struct tm_calls calls = {
        .ctx = s, .op_new = tx_op_new, .op_free = tx_op_free, .issue = tx_issue, .loaded = tx_loaded,
        .decided = tx_decided, .abort_pending = tx_doomed, .wake = tx_reconsider, .fault = tx_fault_again,
        .cycles_to_commit = tx_cycles_to_commit, .impossible = tx_impossible, .run_at = tx_at
    };
    s->tm = tm_core_new(tm, s->cfg.index, s->lsu, &calls, s->count, s->hists);
}

struct sm *sm_new(const struct sm_cfg *c, const struct lsu_cfg *lsu, struct tm_gpu *tm, struct port *out,
                  struct port *in, uint64_t *count, struct hists *hists)
{
    struct sm *s = huge_zero(1, sizeof *s, "an SM");
    s->cfg = *c;
    s->count = count;
    s->hists = hists;
    s->lsu_at = s->core_at = s->fetch_at = s->dispatch_at = s->tm_at = NEVER;
    s->horizon = (struct sm_horizon){ NEVER, NEVER, NEVER };
    init_slots(s);
    for (uint32_t k = 0; k < c->schedulers; k++) {
        sched_init(&s->sched[k], c->policy, c->active_warps, c->blocks);
        s->sched[k].patience = c->patience;
        s->sched[k].attentive = c->policy == SCHED_TWO_LEVEL || tm;      /* updates its active set; tx_poll */
        s->sched[k].at = NEVER;
    }
    fifo_init(&s->start, sizeof(struct block_start), "blocks that wait to start");
    pool_init(&s->ops, sizeof(struct mem_op), OPS_IN_CHUNK, "memory instructions");
    pool_init(&s->fetches, sizeof(struct tex_fetch), FETCHES_IN_CHUNK, "texture fetches");
    pipes_init(s);
    calendar_init(&s->calendar);
    if (c->order->new_state)
        s->order_state = c->order->new_state(&(struct order_site){
            .config = c->config, .count = count, .hists = hists, .warps = c->warps });
    const struct lsu_calls calls = {
        .ctx = s, .done = on_done, .performed = on_performed, .fetched = on_fetched, .atomic = on_atomic,
        .wake = on_wake, .replied = on_replied, .message = on_message, .remote_shared = sm_cluster_access,
        .bulk_part_acknowledged = bulk_part_acknowledged,
    };
    s->lsu = lsu_new(lsu, &calls, out, in, count, hists);
    if (c->order->stage)
        lsu_stage(s->lsu, c->order->stage, s->order_state);
    int check = config_choice(c->config, KEY_ORDER_CHECK);
    bool by_instruction = c->order->model && c->order->model != ORDER_MODEL_PTX;
    if (check == ORDER_CHECK_FULL || (by_instruction && check == ORDER_CHECK_ORDER))
        lsu_check_order(s->lsu, order_check_new(&(struct order_check_cfg){
            .model = c->order->model, .policy = c->order->name, .sm = lsu->sm,
            .seed = (uint64_t)config_int(c->config, KEY_SIM_SEED) }, c->warps));
    if (tm)
        add_tm(s, tm);
    if (*config_text(c->config, KEY_PROFILE_FILE))
        sm_profile_begin(s);
    s->observed = s->profile;
    return s;
}

void sm_set_trace(struct sm *s, struct trace_sm *w)
{
    s->trace = w;
    s->observed = s->trace || s->profile;
}

void sm_free(struct sm *s)
{
    if (!s)
        return;
    tm_core_free(s->tm);
    lsu_free(s->lsu);
    while (s->ngrids)
        sm_grid_end(s, s->grid[0]->grid);
    if (s->cfg.order->free_state)
        s->cfg.order->free_state(s->order_state);
    pool_end(&s->ops);
    pool_end(&s->fetches);
    for (uint32_t k = 0; k < s->cfg.schedulers; k++)
        sched_end(&s->sched[k]);
    pipes_end(s);
    calendar_end(&s->calendar);
    sm_profile_end(s);
    free(s->grid);
    free(s->copies);
    bulk_free(s);
    free(s->slot);
    free(s->block);
    huge_free(s->pending);
    huge_free(s->guards_from);
    fifo_end(&s->start);
    cnet_port_end(&s->port);
    free(s->ended);
    huge_free(s);
}

/* ---- a cycle ---- */

static void handle(struct sm *s, const struct event *e)
{
    struct slot *w = &s->slot[e->warp];
    switch (e->kind) {
    case EVENT_ALU: warp_clear_pending(s, w, e->inst, false); break;
    case EVENT_MEM: warp_clear_pending(s, w, e->inst, true); break;
    case EVENT_GUARDS: warp_guards_available(s, w); break;
    case EVENT_WAKE: warp_wake(s, w); break;
    case EVENT_FETCHED: fetch_arrived(s, w, e); break;
    case EVENT_LINE: fetch_line(s, e->address); break;
    case EVENT_LOAD: warp_performed(s, w, 1, 0, 0); break;
    case EVENT_STORE: warp_performed(s, w, 0, 1, 0); break;
    case EVENT_COPY: copies_end(s, w, e->address); break;
    case EVENT_PRODUCT: copies_product_end(s, w, (uint32_t)e->address); break;
    case EVENT_BULK: bulk_wake(s); break;
    case EVENT_BULK_PART: bulk_part_arrived(s, (struct mem_op *)(uintptr_t)e->address); break;
    case EVENT_TX: tx_op_over(s, (struct mem_op *)(uintptr_t)e->address); break;
    default: acquired(s, w, e->inst); break;
    }
}

static void run_calendar(struct sm *s)
{
    struct event e;
    for (uint32_t i = calendar_take(&s->calendar, s->now); i;) {
        i = calendar_read(&s->calendar, i, &e);
        if (e.at > s->now)
            calendar_add(&s->calendar, s->now, &e);
        else
            handle(s, &e);
    }
}

/* Warps that wait to read private memory at once: the end of their last private access is no event. */
static void poll_hosts(struct sm *s)
{
    s->hosts = 0;
    for (uint32_t k = 0; k < s->cfg.schedulers; k++)
        for (uint64_t m = s->sched[k].set[SCHED_WAIT + SM_STALL_DRAIN]; m; m &= m - 1) {
            struct slot *w = &s->slot[(uint32_t)__builtin_ctzll(m) * s->cfg.schedulers + k];
            if (w->inst->drains)
                warp_consider(s, w);
        }
}

/* The load/store unit has room for an instruction. */
static void resume_memory(struct sm *s)
{
    for (uint32_t k = 0; s->mem_blocked && k < s->cfg.schedulers; k++)
        s->sched[k].at = s->now;
    s->mem_blocked = false;
    if (s->dispatch_at == NEVER && s->collector.n)
        s->dispatch_at = s->now;
}

static void run_lsu(struct sm *s)
{
    s->lsu_at = lsu_run(s->lsu, s->now);
    s->has_credits = false;
    if (lsu_has_room(s->lsu))
        resume_memory(s);
    if (s->bulk)
        bulk_run(s);
    if (s->hosts)
        poll_hosts(s);
    if (s->parked.first)
        tx_unpark(s);
    for (uint32_t i = 0; s->ending && i < s->cfg.blocks; i++)
        if (s->block[i].block)
            sm_block_check_end(s, &s->block[i]);
}

/* The schedulers that have an event, from s->first on; the one after the first to issue is first in the next cycle. */
static inline void run_schedulers(struct sm *s)
{
    uint32_t n = s->cfg.schedulers, first = s->first, next = n;
    for (uint32_t k = first; k < n; k++)
        if (s->sched[k].at <= s->now && issue_run(s, k) && next == n)
            next = k;
    for (uint32_t k = 0; k < first; k++)
        if (s->sched[k].at <= s->now && issue_run(s, k) && next == n)
            next = k;
    if (next < n)
        s->first = (uint8_t)(next + 1 < n ? next + 1 : 0);
}

static void run_cycle(struct sm *s)
{
    if (cnet_first(&s->port))
        sm_cluster_run(s);
    if (s->lsu_at <= s->now)
        run_lsu(s);
    if (sm_block_fits(s) && sm_block_next(s)->at <= s->now)
        sm_block_start(s);
    run_calendar(s);
    if (s->tx_waits)
        tx_poll(s);
    if (s->tm_at <= s->now) {
        s->tm_at = tm_core_run(s->tm, s->now);
        s->lsu_at = s->now;
    }
    if (s->dispatch_at <= s->now)
        pipe_dispatch(s);
    run_schedulers(s);
    if (s->fetch_at <= s->now)
        fetch_run(s);
    if (s->lsu_at <= s->now)
        s->lsu_at = lsu_next(s->lsu);
}

/* The cycle of the next event outside the load/store unit; all cycles before `from` have been run. */
static uint64_t core_next(const struct sm *s, uint64_t from)
{
    uint64_t at = clock_earlier(clock_earlier(s->fetch_at, s->dispatch_at), s->tm_at);
    for (uint32_t k = 0; k < s->cfg.schedulers; k++)
        at = clock_earlier(at, s->sched[k].at);
    if (sm_block_fits(s))
        at = clock_earlier(at, sm_block_next(s)->at);
    if (cnet_first(&s->port))
        at = clock_earlier(at, cnet_first(&s->port)->at);
    if (at > from)
        at = clock_earlier(at, calendar_next(&s->calendar, from - 1));
    return at > from ? at : from;
}

static uint64_t next_event(const struct sm *s)
{
    if (s->fault)
        return NEVER;
    uint64_t at = clock_earlier(s->lsu_at, s->core_at);
    return at > s->upto ? at : s->upto;
}

uint64_t sm_next(struct sm *s)
{
    s->lsu_at = lsu_next(s->lsu);
    return next_event(s);
}

static void visit_all(struct sm *s)
{
    s->lsu_at = s->fetch_at = s->now;
    if (s->tm)
        s->tm_at = s->now;
    for (uint32_t k = 0; k < s->cfg.schedulers; k++)
        s->sched[k].at = s->now;
}

/* Might it lack credits at the horizon? If not, it has enough until the load/store unit runs, which alone sends. */
static inline bool may_lack_credits(struct sm *s)
{
    s->has_credits = s->has_credits || sm_has_credits(s, s->horizon.credits);
    return !s->has_credits;
}

uint64_t sm_run(struct sm *s, uint64_t until, bool every_cycle, bool *reports)
{
    uint64_t sent = s->count[STAT_REQUESTS], reply = NEVER;
    s->nended = 0;
    while (!s->fault) {
        uint64_t at = every_cycle ? s->upto : clock_earlier(s->lsu_at, s->core_at);
        at = at > s->upto ? at : s->upto;        /* events of simulated cycles take place in the next one */
        if (until > s->horizon.credits && at >= s->horizon.credits && may_lack_credits(s))
            until = s->horizon.credits;
        if (at >= until)
            break;
        s->now = at;
        if (every_cycle)
            visit_all(s);
        run_cycle(s);
        s->upto = s->now + 1;
        s->core_at = core_next(s, s->upto);
        if (s->nended && s->horizon.after_end != NEVER)
            until = clock_earlier(until, s->ended[0].at + s->horizon.after_end);
        if (s->horizon.after_send != NEVER && reply == NEVER && s->count[STAT_REQUESTS] != sent)
            until = clock_earlier(until, reply = s->now + s->horizon.after_send);
    }
    s->upto = s->fault || s->upto > until ? s->upto : until;
    *reports |= s->nended || s->fault;
    return clock_earlier(next_event(s), reply);
}

void sm_set_horizon(struct sm *s, const struct sm_horizon *h)
{
    s->horizon = *h;
    s->has_credits = false;
}

bool sm_has_credits(const struct sm *s, uint64_t now)
{
    return lsu_has_credits(s->lsu, now);
}

/* A scheduler issues the last instructions of its warps one after the other. */
uint32_t sm_least_cycles(const struct sm *s, uint32_t enough)
{
    uint32_t turns = (s->live + s->cfg.schedulers - 1) / s->cfg.schedulers;
    uint32_t most = turns ? (turns - 1) * s->cfg.issue_interval : 0;
    for (uint32_t i = 0; s->live && most < enough && i < s->cfg.warps; i++) {
        const struct slot *w = &s->slot[i];
        if (w->warp && w->inst && !w->ended && w->inst->to_end > most)
            most = w->inst->to_end;
    }
    return most;
}

void sm_catch_up(struct sm *s, uint64_t until)
{
    s->upto = s->fault || s->upto > until ? s->upto : until;
    sm_account(s, s->upto);
    for (uint32_t k = 0; k < s->cfg.schedulers; k++)
        issue_account(s, &s->sched[k], s->upto);
    lsu_settle(s->lsu, s->upto);
}

/* ---- counters and state ---- */

void sm_account(struct sm *s, uint64_t until)
{
    uint64_t n = until - s->accounted;
    s->count[STAT_SM_CYCLES] += n;
    s->count[STAT_ISSUE_SLOTS] += n * s->cfg.schedulers;
    s->count[STAT_WARP_CYCLES] += n * s->live;
    s->count[STAT_ACTIVE_SM_CYCLES] += s->blocks ? n : 0;
    s->accounted = until;
}

const struct block_end *sm_ended(const struct sm *s, uint32_t *n)
{
    *n = s->nended;
    return s->ended;
}

const struct fault *sm_fault(const struct sm *s)
{
    return s->fault;
}

const struct grid *sm_fault_grid(const struct sm *s)
{
    return s->fault_grid;
}

uint64_t sm_fault_cycle(const struct sm *s)
{
    return s->fault ? s->now : NEVER;
}

struct warp *sm_warp(const struct sm *s, uint32_t slot)
{
    return s->slot[slot].warp;
}

bool sm_sleeps(const struct sm *s, uint32_t slot)
{
    const struct slot *w = &s->slot[slot];
    return w->hold == SM_STALL_SLEEP || (w->hold == SM_STALL_TX && w->waking);
}

uint64_t sm_running(const struct sm *s, enum stat figure)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->ngrids; i++)
        n += s->grid[i]->worker.count[figure];
    return n;
}

uint64_t sm_changes(const struct sm *s)
{
    uint64_t n = s->tm ? tm_core_retried(s->tm) : 0;
    for (uint32_t i = 0; i < s->ngrids; i++)
        n += s->grid[i]->worker.changes;
    return n;
}

struct lsu *sm_lsu(struct sm *s)
{
    return s->lsu;
}

struct tm_core *sm_tm(struct sm *s)
{
    return s->tm;
}
