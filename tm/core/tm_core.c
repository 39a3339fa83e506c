/*
 * Transactional memory at an SM, the same for every protocol: attempts, read and write sets of each lane, outcomes.
 * Doomed transactions are detected by the watchdog (KILO TM, section 4.2) and at faults: the warp stops, and the
 * protocol validates its read sets.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/core/tm_impl.h"

enum { STALE_ATTEMPTS = 16 };            /* aborts until a transaction that can never commit is reported */

/* ---- start and end ---- */

/* A plain store or atomic has performed on a copy in L1. */
static void written(void *ctx, uint64_t line, const uint64_t mask[2], const uint8_t *before, const uint8_t *after,
                    uint64_t now)
{
    struct tm_core *c = ctx;
    if (c->tm->active)
        oracle_plain(c->events, line, mask, before, after, now);
}

struct tm_core *tm_core_new(struct tm_gpu *t, uint16_t sm, struct lsu *lsu, const struct tm_calls *calls,
                            uint64_t *count, struct hists *hists)
{
    struct tm_core *c = mem_zero(1, sizeof *c, "an SM's transactional memory");
    *c = (struct tm_core){ .tm = t, .sm = sm, .lsu = lsu, .calls = *calls, .count = count, .hists = hists,
                           .run_at = NEVER };
    packet_pool_init(&c->pool, t->protocol->payload);
    tm_load_pool(&c->load);
    c->warp = mem_zero(t->warps, sizeof *c->warp, "warps' transactional state");
    c->events = t->oracle ? oracle_core(t->oracle, sm) : NULL;
    if (c->events)
        lsu_report_writes(lsu, &(struct retire_observer){ written, c });
    c->protocol = t->protocol->new_core(c, t->state);
    c->shared_protocol = t->shared_protocol ? t->shared_protocol->new_core(c) : NULL;
    if (c->shared_protocol)
        lsu_banks(lsu, &(struct lsu_banks){ c, tm_core_shared_access });
    t->core[sm] = c;
    t->cores[sm] = c->protocol;
    return c;
}

void tm_core_free(struct tm_core *c)
{
    if (!c)
        return;
    c->tm->protocol->free_core(c->protocol);
    tm_shared_free(c);
    for (uint32_t i = 0; i < c->tm->warps; i++)
        for (int l = 0; l < TM_LANES; l++) {
            free(c->warp[i].lane[l].reads.w);
            free(c->warp[i].lane[l].writes.w);
            free(c->warp[i].lane[l].shared_reads.w);
            free(c->warp[i].lane[l].shared_writes.w);
        }
    pool_end(&c->load);
    packet_pool_end(&c->pool);
    free(c->delta);
    free(c->request);
    free(c->warp);
    free(c);
}

void tm_core_warp_starts(struct tm_core *c, uint32_t slot, struct warp *w, uint64_t log)
{
    struct tm_warp *x = &c->warp[slot];
    x->warp = w;
    x->log = log;
    x->lanes_in = 0;
    x->token = x->granted = x->requested = x->waiting = false;
    x->aborting = x->validating = 0;
    x->fault_lane = -1;
    x->executed = x->aborts_in_row = 0;
    x->executing = 0;
    x->committing = x->lost = x->begin_waits_from = x->stalled = x->memory = x->held = 0;
    x->release = 0;
    x->running = false;
}

/* ---- attempts ---- */

/* The instructions executed since the last call are counted for the lanes that executed them. */
static void flush_executed(struct tm_warp *x)
{
    for (uint64_t m = x->executed ? x->executing : 0; m; m &= m - 1)
        x->lane[__builtin_ctzll(m)].instructions += x->executed;
    x->executed = 0;
}

/* Cycles for which an attempt is held back: the back-off after aborts, and the restoring of registers. */
static uint64_t held_for(const struct tm_gpu *t, const struct tm_warp *x, bool first, uint32_t registers)
{
    uint64_t wait = first ? 0 : (uint64_t)t->cfg.backoff * x->aborts_in_row;
    wait = wait < t->cfg.backoff_max ? wait : t->cfg.backoff_max;
    return wait + (uint64_t)t->cfg.restore_cycles * registers;
}

static uint64_t deadline_from(const struct tm_gpu *t, uint64_t now)
{
    return t->cfg.watchdog ? now + t->cfg.watchdog : NEVER;
}

uint64_t tm_core_attempt(struct tm_core *c, uint32_t slot, bool first, uint32_t registers, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    uint64_t lanes = txn_lanes(x->warp), all = lanes | txn_waiting(x->warp);
    uint64_t held = held_for(c->tm, x, first, registers);
    c->now = now;
    if (first) {
        tm_begin_transaction(c, x, all, now);
        c->count[STAT_TX_RESTORED] += (uint64_t)registers * x->lanes_in;
    }
    flush_executed(x);
    x->attempt++;
    if (c->shared_protocol)
        held += tm_shared_attempt(c, slot, lanes, first, now);
    x->committing = 0;
    x->aborts_in_row = 0;
    x->deadline = deadline_from(c->tm, now + held);
    for (uint64_t m = lanes; m; m &= m - 1) {
        struct tm_lane *l = &x->lane[__builtin_ctzll(m)];
        tm_set_clear(&l->reads);
        tm_set_clear(&l->writes);
        l->instructions = 0;
        l->stale_by_atomic = false;
        l->start = now + held;
    }
    c->tm->protocol->attempt(c->protocol, slot, lanes, now);
    return held;
}

bool tm_core_begin_waits(const struct tm_core *c)
{
    return c->tm->protocol->begin_waits;
}

void tm_core_executed(struct tm_core *c, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    if (lanes != x->executing) {
        flush_executed(x);
        x->executing = lanes;
    }
    x->executed++;
}

bool tm_core_may_issue(struct tm_core *c, uint32_t slot, bool commit)
{
    return !c->tm->protocol->may_issue || c->tm->protocol->may_issue(c->protocol, slot, commit);
}

/* ---- accesses ---- */

/* Adds the words that a store writes to the lanes' write sets. */
static void add_writes(struct tm_core *c, struct tm_warp *x, struct mem_op *op, uint64_t lanes)
{
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        const uint8_t *data = mem_data(op, lane);
        uint64_t from = op->address[lane], end = from + op->width;
        for (uint64_t a = from & ~UINT64_C(3); a < end; a += 4) {
            uint32_t value = 0;
            uint8_t bytes = 0;
            for (unsigned b = 0; b < 4; b++)
                if (a + b >= from && a + b < end) {
                    value |= (uint32_t)data[a + b - from] << 8 * b;
                    bytes |= (uint8_t)(1u << b);
                }
            tm_set_add(&x->lane[lane].writes, a, value, bytes);
        }
    }
}

/* Atomics are performed at once. One on a word of the lane's read set makes the read set stale. */
static void note_atomic(struct tm_warp *x, const struct mem_op *op)
{
    for (uint64_t m = op->served_by[SERVE_GLOBAL]; m; m &= m - 1) {
        struct tm_lane *l = &x->lane[__builtin_ctzll(m)];
        uint32_t value = 0;
        l->stale_by_atomic |= tm_set_find(&l->reads, op->address[__builtin_ctzll(m)] & ~UINT64_C(3), &value) != 0;
    }
}

bool tm_core_access(struct tm_core *c, struct mem_op *op, uint64_t now)
{
    struct tm_warp *x = &c->warp[op->sm_slot];
    bool read_only = op->served_by[SERVE_TEXTURE] && !op->fetch;     /* a texture fetch is not transactional */
    uint64_t lanes = op->served_by[SERVE_GLOBAL] | (read_only ? op->served_by[SERVE_TEXTURE] : 0);
    c->now = now;
    op->attempt = c->shared_protocol ? x->attempt : 0;
    if (op->kind == MOP_ATOM || op->kind == MOP_RED)
        note_atomic(x, op);
    if (c->tm->protocol->plain || !lanes || (op->kind != MOP_LOAD && op->kind != MOP_STORE))
        return false;
    if (op->kind == MOP_LOAD)
        return tm_load_begin(c, op, lanes, now);
    add_writes(c, x, op, lanes);
    c->tm->protocol->store(c->protocol, op->sm_slot, op, lanes, now);
    op->lanes &= ~lanes;
    op->served_by[SERVE_GLOBAL] = op->served_by[SERVE_TEXTURE] = 0;
    if (op->lanes)
        return false;
    c->calls.op_free(c->calls.ctx, op);
    return true;
}

void tm_core_done(struct tm_core *c, struct mem_op *op, uint64_t now)
{
    c->now = now;
    if (op->role == TM_ROLE_RESTORE)
        c->calls.op_free(c->calls.ctx, op);
    else if (op->role == TM_ROLE_PROTOCOL)
        c->tm->protocol->done(c->protocol, op, now);
    else
        tm_load_fetched(c, op, now);
}

/* ---- outcomes ---- */

void tm_core_commit(struct tm_core *c, uint32_t slot, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    c->now = now;
    flush_executed(x);
    x->committing = now;
    if (c->shared_protocol && !c->tm->protocol->plain)
        x->release = c->tm->shared_protocol->commit(c->shared_protocol, slot, txn_lanes(x->warp), now);
    c->tm->protocol->commit(c->protocol, slot, txn_lanes(x->warp), now);
}

/* Commits write past the L1. Its copies of the written lines are stale and must be invalidated; under a coherence
 * protocol, their homes have done it. */
static void invalidate_copies(struct tm_core *c, const struct tm_set *writes)
{
    for (uint32_t i = 0; i < writes->n; i++)
        lsu_invalidate_line(c->lsu, writes->w[i].address);
}

static void count_commit(struct tm_core *c, const struct tm_lane *l, uint64_t now)
{
    c->count[STAT_TX_COMMITS]++;
    c->retried += l->aborts > 0;
    c->count[STAT_TX_WRITERS] += l->writes.n + l->shared_writes.n > 0;
    c->count[STAT_TX_READ_WORDS] += l->reads.n;
    c->count[STAT_TX_WRITE_WORDS] += l->writes.n;
    c->count[STAT_TX_INSTRUCTIONS] += l->instructions;
    hist_add(c->hists, HIST_TX_ABORTS, l->aborts);
    hist_add(c->hists, HIST_TX_READ_SET, l->reads.n + l->shared_reads.n);
    hist_add(c->hists, HIST_TX_WRITE_SET, l->writes.n + l->shared_writes.n);
    hist_add(c->hists, HIST_TX_DURATION, now - l->first);
    hist_add(c->hists, HIST_TX_LENGTH, l->instructions);
}

/* The outcome of an attempt; committing: cycle of its tx_commit, 0 = it has not reached one. */
static void count_attempt(struct tm_core *c, const struct tm_lane *l, uint64_t committing, bool commits, uint64_t now)
{
    uint64_t cycles = now > l->start ? now - l->start : 0;
    c->count[STAT_TX_ATTEMPT_CYCLES] += cycles;
    c->count[STAT_TX_COMMIT_CYCLES] += committing ? now - committing : 0;
    c->count[STAT_TX_ABORTED_CYCLES] += commits ? 0 : cycles;
}

static void count_abort(struct tm_core *c, struct tm_lane *l)
{
    c->count[STAT_TX_ABORTS]++;
    c->count[tm_reasons[l->why].count]++;
    c->count[STAT_TX_WASTED] += l->instructions;
    l->aborts++;
}

struct oracle_who tm_who(const struct tm_core *c, uint32_t slot, unsigned lane, uint64_t now)
{
    const struct warp *w = c->warp[slot].warp;
    return (struct oracle_who){ .sm = c->sm, .slot = slot, .lane = (uint8_t)lane, .block = w->block->linear,
                                .thread = w->index * c->tm->lanes + lane, .cycle = now };
}

static void report_to_oracle(struct tm_core *c, uint32_t slot, unsigned lane, bool commits, uint64_t key, uint64_t now)
{
    const struct tm_lane *l = &c->warp[slot].lane[lane];
    if (!c->events || !key)
        return;
    if (commits) {
        struct oracle_who w = tm_who(c, slot, lane, now);
        oracle_committed(c->events, key, l, &w);
    } else
        oracle_not_committed(c->events, key, now);
}

static void commit_lane(struct tm_core *c, uint32_t slot, unsigned lane, uint64_t now)
{
    struct tm_lane *l = &c->warp[slot].lane[lane];
    invalidate_copies(c, &l->writes);
    c->warp[slot].commits++;
    count_commit(c, l, now);
    if (c->tm->pairs)
        pairs_committed(c->tm->pairs, c->sm, l, now);
    tm_count_lanes(c, -1, now);
}

/* True: the transaction can never commit. */
static bool abort_lane(struct tm_core *c, uint32_t slot, unsigned lane, enum tm_reason why)
{
    struct tm_lane *l = &c->warp[slot].lane[lane];
    l->why = why;
    count_abort(c, l);
    c->warp[slot].aborts_in_row = l->aborts;
    return l->stale_by_atomic && ++l->stale_attempts > STALE_ATTEMPTS;
}

/* The outcome, which the oracle knows. place: NULL, or of a commit under snapshot isolation. */
static void outcome(struct tm_core *c, uint32_t slot, unsigned lane, bool commits, uint64_t key,
                    const struct oracle_place *place, enum tm_reason why, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    uint64_t bit = UINT64_C(1) << lane;
    bool never = false;
    count_attempt(c, &x->lane[lane], x->committing, commits, now);
    if (commits)
        commit_lane(c, slot, lane, now);
    else
        never = abort_lane(c, slot, lane, why);
    if (c->shared_protocol && commits)
        tm_shared_committed(c, slot, lane, key, place, now);
    else if (c->shared_protocol)
        tm_shared_aborted(c, slot, bit, now);
    if (txn_lanes(x->warp) == bit)
        hist_add(c->hists, HIST_TX_COMMIT_TIME, now - x->committing);
    c->touched = true;
    c->calls.decided(c->calls.ctx, slot, commits ? bit : 0, commits ? 0 : bit);
    if (never)
        tm_impossible(c, slot, lane, NULL, "the transaction reads a word and then changes it by an atomic of its own: "
                      "what it has read is stale at every commit");
}

void tm_decide(struct tm_core *c, uint32_t slot, unsigned lane, bool commits, uint64_t key, enum tm_reason why,
               uint64_t now)
{
    report_to_oracle(c, slot, lane, commits, key, now);
    outcome(c, slot, lane, commits, key, NULL, why, now);
}

void tm_no_backoff(struct tm_core *c, uint32_t slot)
{
    c->warp[slot].aborts_in_row = 0;
}

void tm_decide_between(struct tm_core *c, uint32_t slot, unsigned lane, uint64_t newest, uint64_t now)
{
    const struct tm_lane *l = &c->warp[slot].lane[lane];
    struct oracle_who w = tm_who(c, slot, lane, now);
    if (c->events)
        oracle_between(c->events, newest, l, &w);
    outcome(c, slot, lane, true, 0, NULL, TM_VALIDATION, now);
}

void tm_decide_snapshot(struct tm_core *c, uint32_t slot, unsigned lane, const struct oracle_place *place, uint64_t now)
{
    struct oracle_who w = tm_who(c, slot, lane, now);
    if (c->events)
        oracle_ordered(c->events, place, &c->warp[slot].lane[lane], &w);
    outcome(c, slot, lane, true, 0, place, TM_VALIDATION, now);
}

uint32_t tm_attempt(const struct tm_core *c, uint32_t slot)
{
    return c->warp[slot].attempt;
}

void tm_abort(struct tm_core *c, uint32_t slot, uint64_t lanes, uint32_t attempt, enum tm_reason why, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    if (!x->lanes_in || x->attempt != attempt)
        return;
    lanes &= txn_lanes(x->warp) & ~x->aborting;
    if (!lanes)
        return;
    x->aborting |= lanes;
    for (uint64_t m = lanes; m; m &= m - 1)
        x->lane[__builtin_ctzll(m)].why = why;
    c->now = now;
    c->touched = true;
    c->calls.abort_pending(c->calls.ctx, slot);
}

uint64_t tm_core_take_aborts(struct tm_core *c, uint32_t slot, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    uint64_t lanes = x->aborting & txn_lanes(x->warp);
    x->aborting = 0;
    flush_executed(x);
    for (uint64_t m = lanes; m; m &= m - 1) {
        struct tm_lane *l = &x->lane[__builtin_ctzll(m)];
        count_attempt(c, l, 0, false, now);
        count_abort(c, l);
    }
    if (lanes)
        x->aborts_in_row = x->lane[63 - __builtin_clzll(lanes)].aborts;
    if (lanes && c->shared_protocol)
        tm_shared_aborted(c, slot, lanes, now);
    if (lanes && c->tm->protocol->aborted)
        c->tm->protocol->aborted(c->protocol, slot, lanes, now);
    x->validating &= ~lanes;
    return lanes;
}

/* ---- doomed transactions ---- */

bool tm_core_wants_validation(const struct tm_core *c, uint32_t slot, uint64_t now)
{
    const struct tm_warp *x = &c->warp[slot];
    return x->lanes_in && now >= x->deadline && !x->validating && !x->committing;
}

bool tm_core_validating(const struct tm_core *c, uint32_t slot)
{
    return c->warp[slot].validating;
}

void tm_core_validate(struct tm_core *c, uint32_t slot, int fault_lane, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    c->now = now;
    x->fault_lane = fault_lane;
    x->validating = fault_lane < 0 ? txn_lanes(x->warp) : UINT64_C(1) << fault_lane;
    c->tm->protocol->validate(c->protocol, slot, x->validating, now);
}

bool tm_fault_held(const struct tm_core *c, uint32_t slot)
{
    return c->warp[slot].fault_lane >= 0;
}

void tm_unused_key(struct tm_core *c, uint64_t key, uint64_t now)
{
    if (c->events)
        oracle_not_committed(c->events, key, now);
}

void tm_validated(struct tm_core *c, uint32_t slot, uint64_t current, uint64_t stale, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    c->now = now;
    c->touched = true;
    current &= x->validating;
    stale &= x->validating;
    if (!(current | stale))
        return;
    x->validating &= ~(current | stale);
    x->deadline = deadline_from(c->tm, now);     /* an abort may start an attempt, which sets its own */
    if (stale)
        tm_abort(c, slot, stale, x->attempt, x->fault_lane < 0 ? TM_WATCHDOG : TM_ZOMBIE, now);
    if (x->validating)
        return;
    if (x->fault_lane >= 0 && !stale)
        c->calls.fault(c->calls.ctx, slot);
    x->fault_lane = -1;
    c->calls.wake(c->calls.ctx, slot);
}

void tm_impossible(struct tm_core *c, uint32_t slot, unsigned lane, const struct dinst *at, const char *what, ...)
{
    char text[400];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    c->calls.impossible(c->calls.ctx, slot, lane, at, text);
}

const struct tm_reason_row tm_reasons[TM_REASONS] = {
#define REASON(id, name, meaning) { name, STAT_TX_ABORT_##id },
#include "tm/reasons.def"
};

const char *tm_core_reason(const struct tm_core *c, uint32_t slot, unsigned lane)
{
    return tm_reasons[c->warp[slot].lane[lane].why].name;
}

/* ---- time, messages ---- */

void tm_core_message(struct tm_core *c, struct packet *k, uint64_t now)
{
    c->now = now;
    c->tm->protocol->message(c->protocol, k, now);
}

uint64_t tm_core_run(struct tm_core *c, uint64_t now)
{
    c->now = now;
    c->run_at = NEVER;               /* tm_run_at may set it during the calls */
    uint64_t next = c->tm->protocol->run(c->protocol, now);
    if (c->shared_protocol)
        next = clock_earlier(next, c->tm->shared_protocol->run(c->shared_protocol, now));
    c->run_at = clock_earlier(c->run_at, next);
    return c->run_at;
}

void tm_run_at(struct tm_core *c, uint64_t at)
{
    if (at < c->run_at) {
        c->run_at = at;
        c->touched = true;
        c->calls.run_at(c->calls.ctx, at);
    }
}

uint64_t tm_core_retried(const struct tm_core *c)
{
    return c->retried;
}

bool tm_core_idle(const struct tm_core *c)
{
    return !c->loads && !packet_pool_used(&c->pool) && c->tm->protocol->idle(c->protocol);
}

/* ---- for protocols ---- */

struct tm_lane *tm_lane(struct tm_core *c, uint32_t slot, unsigned lane) { return &c->warp[slot].lane[lane]; }
uint16_t tm_sm(const struct tm_core *c) { return c->sm; }
uint64_t *tm_count(struct tm_core *c) { return c->count; }
const struct simtx_config *tm_config(const struct tm_core *c) { return c->tm->config; }
uint64_t tm_now(const struct tm_core *c) { return c->now; }
uint64_t tm_private(const struct tm_core *c, uint32_t slot) { return c->warp[slot].log; }
uint32_t tm_warp_lanes(const struct tm_core *c) { return c->tm->lanes; }
uint64_t tm_memory_base(const struct tm_core *c) { return c->tm->base; }

void tm_wake(struct tm_core *c, uint32_t slot)
{
    c->touched = true;
    c->calls.wake(c->calls.ctx, slot);
}

uint32_t tm_logs_queued(const struct tm_core *c) { return lsu_background_queued(c->lsu); }
bool tm_can_send(const struct tm_core *c) { return lsu_can_send(c->lsu); }
void tm_send(struct tm_core *c, struct packet *k) { lsu_send(c->lsu, k); }
uint32_t tm_slice(const struct tm_core *c, uint64_t address) { return lsu_slice(c->lsu, address); }
uint32_t tm_slices(const struct tm_core *c) { return c->tm->slices; }
uint32_t tm_slots(const struct tm_core *c) { return c->tm->warps; }

struct mem_op *tm_op_new(struct tm_core *c, uint32_t slot)
{
    struct mem_op *op = c->calls.op_new(c->calls.ctx);
    memset(op, 0, offsetof(struct mem_op, address));
    op->warp = c->warp[slot].warp;
    op->sm_slot = slot;
    op->role = TM_ROLE_PROTOCOL;
    return op;
}

void tm_op_free(struct tm_core *c, struct mem_op *op)
{
    c->calls.op_free(c->calls.ctx, op);
}

void tm_issue(struct tm_core *c, struct mem_op *op, uint64_t now)
{
    c->calls.issue(c->calls.ctx, op->sm_slot, op);
}

void tm_log(struct tm_core *c, struct mem_op *op, uint64_t now)
{
    lsu_background(c->lsu, op, now);
    c->calls.run_at(c->calls.ctx, now);
}

struct packet *tm_packet(struct tm_core *c, unsigned kind, uint32_t slice, uint32_t bytes)
{
    return lsu_packet(c->lsu, &c->pool, kind, slice, bytes, c->now);
}
