/*
 * The attempts of a warp at the SM. A warp has one attempt at a time. It sends the next BEGIN when all lanes of the
 * last attempt have committed, or have aborted with nothing outstanding, and when the protocol for shared memory does
 * not stall the warp. So a stalled warp holds neither a snapshot nor precedence, for which other warps could wait. The
 * warp sends COMMIT_REQ after the last reply, and then the write sets. When these have been sent and COMMIT_OK has
 * arrived, read-only lanes commit, and PASS names the version slot for the writing lanes, which commit when their
 * version is published.
 */
#include "tm/sitm/sitm.h"

static const struct { enum stat packets, bytes; } COUNTERS[SITM_KINDS] = {
#define KIND(kind, counter) [SITM_##kind] = { STAT_MSG_SITM_##counter, STAT_MSG_SITM_##counter##_BYTES }
    KIND(BEGIN, BEGIN), KIND(SNAPSHOT, SNAPSHOT), KIND(TX_READ, READ), KIND(DATA, DATA), KIND(TX_WRITE, WRITE),
    KIND(WRITE_ACK, WRITE_ACK), KIND(EDGE_ACK, EDGE_ACK), KIND(COMMIT_REQ, COMMIT), KIND(COMMIT_OK, COMMIT),
    KIND(PASS, PASS), KIND(FAIL, PASS), KIND(CU_DONE, PASS), KIND(WRITTEN, COMMIT), KIND(COMMITTED, COMMIT),
    KIND(ABORTED, ABORTED), KIND(YIELD, BEGIN)
#undef KIND
};

static void count(struct sitm_core *x, const struct packet *p)
{
    tm_count(x->tm)[COUNTERS[p->kind - SITM_WIRE].packets]++;
    tm_count(x->tm)[COUNTERS[p->kind - SITM_WIRE].bytes] += p->bytes;
}

struct packet *sitm_packet(struct sitm_core *x, enum sitm_kind kind, uint32_t slice, uint32_t bytes)
{
    struct packet *p = tm_packet(x->tm, SITM_WIRE + kind, slice, bytes);
    count(x, p);
    packet_push(&x->kilo->out, p);
    tm_run_at(x->tm, tm_now(x->tm));
    return p;
}

static void send_message(struct sitm_core *x, const struct sitm_message *m, uint32_t slice)
{
    if (x->gpu->cfg.instant && m->kind != SITM_PASS && m->kind != SITM_FAIL) {
        sitm_instant_send(x, m);
        return;
    }
    struct packet *p = sitm_packet(x, m->kind, slice, sitm_message_bytes(m->kind, 0) - SITM_HEADER_BYTES);
    ((union sitm_payload *)p->payload)->message = *m;
}

/* ---- begin ---- */

static bool over(const struct sitm_attempt *a)
{
    return a->aborted == a->doomed;
}

static void begin(struct sitm_core *x, uint32_t slot)
{
    struct sitm_warp *w = &x->warp[slot];
    struct sitm_message m;
    sitm_attempt_next(&w->a, w->lanes, &x->gpu->rules, &m);
    m.warp = sitm_warp_number(x, slot);
    w->state = SITM_STATE_BEGIN;
    w->starving = m.starving;
    send_message(x, &m, 0);
}

/* Gives up precedence. While this warp has precedence, begins of other warps wait until it requests its commit; it is
 * stalled until some of those warps have committed. Without YIELD that is a deadlock. */
static void yield(struct sitm_core *x, uint32_t slot)
{
    struct sitm_warp *w = &x->warp[slot];
    if (!w->starving)
        return;
    w->starving = false;
    send_message(x, &(struct sitm_message){ .kind = SITM_YIELD, .warp = sitm_warp_number(x, slot) }, 0);
}

static void begin_if_possible(struct sitm_core *x, uint32_t slot)
{
    if (!tm_may_run(x->tm, slot))
        yield(x, slot);
    else if (over(&x->warp[slot].a))
        begin(x, slot);
}

void sitm_may_run(void *core, uint32_t slot, uint64_t now)
{
    struct kilo_core *k = core;
    sitm_progress(sitm_core(k), slot, now);
}

/* SNAPSHOT has arrived for lanes that were aborted after BEGIN was sent. For the manager they run, so the warp sends
 * ABORTED for them before the next BEGIN. */
static void cancel(struct sitm_core *x, uint32_t slot, uint64_t now)
{
    struct sitm_warp *w = &x->warp[slot];
    w->cancelled = false;
    w->state = SITM_STATE_WAIT;
    sitm_loops_abort(x, slot, w->a.lanes);
    sitm_attempt_doom(&w->a, w->a.lanes, SITM_STAMPS);
    w->reported = w->a.lanes;
    sitm_progress(x, slot, now);
}

void sitm_attempt_wanted(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct kilo_core *k = core;
    struct sitm_core *x = sitm_core(k);
    struct sitm_warp *w = &x->warp[slot];
    kilo_log_attempt(core, slot, lanes, now);
    w->lanes = (uint32_t)lanes;
    w->number = tm_attempt(x->tm, slot);
    w->cancelled = w->state == SITM_STATE_BEGIN;
    if (w->cancelled && !tm_may_run(x->tm, slot))
        yield(x, slot);
    if (w->cancelled)
        return;
    w->state = SITM_STATE_WAIT;
    begin_if_possible(x, slot);
}

/* Lanes that SNAPSHOT does not name abort, and begin in the next attempt. */
static void snapshot(struct sitm_core *x, uint32_t slot, const struct sitm_message *m, uint64_t now)
{
    struct sitm_warp *w = &x->warp[slot];
    sitm_attempt_begin(&w->a, m);
    sitm_loops_begin(x, slot, m);
    if (w->cancelled) {
        cancel(x, slot, now);
        return;
    }
    w->reported = 0;
    w->state = SITM_STATE_RUN;
    if (w->lanes & ~m->lanes)
        tm_abort(x->tm, slot, w->lanes & ~m->lanes, w->number, TM_SITM_DRAIN, now);
    if (w->lanes & ~m->lanes)
        tm_no_backoff(x->tm, slot);
    tm_wake(x->tm, slot);
}

/* ---- aborts ---- */

static enum tm_reason reason_of(enum sitm_reason r)
{
    static const enum tm_reason reason[SITM_REASONS] = {
        [SITM_WRITE] = TM_SITM_WRITE, [SITM_TABLE] = TM_SITM_TABLE, [SITM_LOOP] = TM_SITM_LOOP,
        [SITM_STAMPS] = TM_SITM_DRAIN
    };
    return reason[r];
}

/* Lanes that the rules have doomed. Each call of tm_abort may start a new attempt of a lane. */
static void abort_doomed(struct sitm_core *x, uint32_t slot, uint64_t now)
{
    struct sitm_warp *w = &x->warp[slot];
    uint32_t number = w->number, lanes = w->a.doomed & ~w->reported;
    w->reported |= lanes;
    for (uint32_t r = 0; r < SITM_REASONS && w->number == number; r++)
        if (lanes & w->a.refused[r])
            tm_abort(x->tm, slot, lanes & w->a.refused[r], number, reason_of(r), now);
}

static void send_aborted(struct sitm_core *x, uint32_t slot)
{
    struct sitm_message m;
    while (sitm_attempt_aborted(&x->warp[slot].a, &m))
        send_message(x, &m, 0);
}

/* Lanes that have aborted for a reason outside the rules: a log that overflowed, a conflict on shared memory. */
void sitm_lanes_aborted(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct kilo_core *k = core;
    struct sitm_core *x = sitm_core(k);
    struct sitm_warp *w = &x->warp[slot];
    uint32_t others = (uint32_t)lanes & w->a.lanes & ~w->a.doomed;
    if (w->state != SITM_STATE_RUN && w->state != SITM_STATE_COMMIT)
        return;
    sitm_loops_abort(x, slot, (uint32_t)lanes & w->a.lanes);
    sitm_attempt_doom(&w->a, others, SITM_STAMPS);
    w->reported |= others;
    w->at_commit &= ~(uint32_t)lanes;
    sitm_progress(x, slot, now);
}

/* ---- commit ---- */

static uint32_t writing_lanes(struct sitm_core *x, uint32_t slot, uint32_t lanes)
{
    uint32_t some = 0;
    for (uint32_t rest = lanes; rest;) {
        uint32_t lane = sitm_lane(&rest);
        some |= tm_lane(x->tm, slot, lane)->writes.n ? UINT32_C(1) << lane : 0;
    }
    return some;
}

/* A warp slot keeps its batch: messages in flight refer to the batch, and slices read the warp's number from it. */
static struct kilo_batch *batch_of_slot(struct sitm_core *x, uint32_t slot)
{
    struct kilo_warp *log = &x->kilo->warp[slot];
    if (!log->batch) {
        log->batch = kilo_batch_new(x->kilo);
        log->batch->b.slot = (uint16_t)slot;
    }
    return &log->batch->b;
}

/* The write sets are transferred as a batch of the log unit. */
static void transfer(struct sitm_core *x, uint32_t slot, uint64_t now)
{
    struct sitm_warp *w = &x->warp[slot];
    w->filled = !w->writers;
    if (!w->writers)
        return;
    batch_of_slot(x, slot)->lanes = w->writers;
    kilo_transfer_begin(x->kilo, slot, w->writers, now);
}

static void request(struct sitm_core *x, uint32_t slot, uint64_t now)
{
    struct sitm_warp *w = &x->warp[slot];
    struct sitm_message m;
    uint32_t lanes = w->a.lanes & ~w->a.aborted;
    w->state = SITM_STATE_REQUEST;
    w->writers = writing_lanes(x, slot, lanes);
    w->decided = false;
    sitm_attempt_commit(&w->a, w->writers, &m);
    send_message(x, &m, 0);
    transfer(x, slot, now);
}

void sitm_commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct kilo_core *k = core;
    struct sitm_core *x = sitm_core(k);
    x->warp[slot].at_commit = (uint32_t)lanes;
    x->warp[slot].state = SITM_STATE_COMMIT;
    sitm_progress(x, slot, now);
}

void sitm_progress(struct sitm_core *x, uint32_t slot, uint64_t now)
{
    struct sitm_warp *w = &x->warp[slot];
    send_aborted(x, slot);
    if (w->state == SITM_STATE_RUN || w->state == SITM_STATE_COMMIT)
        abort_doomed(x, slot, now);
    if (w->state == SITM_STATE_WAIT)
        begin_if_possible(x, slot);
    else if (w->state == SITM_STATE_COMMIT && sitm_attempt_may_commit(&w->a, w->at_commit))
        request(x, slot, now);
}

/* ---- outcome ---- */

static uint64_t version_number(uint32_t epoch, uint32_t version)
{
    return (uint64_t)epoch << 32 | version;
}

/* The snapshot contains version `snapshot` and those before it. */
uint64_t sitm_snapshot(const void *core, uint32_t slot)
{
    const struct kilo_core *k = core;
    const struct sitm_attempt *a = &sitm_core(k)->warp[slot].a;
    return version_number(a->epoch, a->snapshot);
}

static void commit_lane(struct sitm_core *x, uint32_t slot, unsigned lane, uint64_t now)
{
    const struct sitm_warp *w = &x->warp[slot];
    const struct oracle_place place = {
        .ticket = x->gpu->exact ? w->ok.stamp[lane] : 0,
        .order = version_number(w->ok.epoch, w->ok.stamp[lane]),
        .commit = version_number(w->ok.epoch, w->ok.writers >> lane & 1 ? w->ok.version : w->a.snapshot),
        .snapshot = version_number(w->ok.epoch, w->a.snapshot)
    };
    tm_decide_snapshot(x->tm, slot, lane, &place, now);
}

static void commit_lanes(struct sitm_core *x, uint32_t slot, uint32_t lanes, uint64_t now)
{
    while (lanes)
        commit_lane(x, slot, sitm_lane(&lanes), now);
}

/* PASS, or FAIL, to the slices that have words of the write sets. */
static void send_pass(struct sitm_core *x, uint32_t slot)
{
    struct sitm_warp *w = &x->warp[slot];
    const uint64_t *wrote = x->kilo->warp[slot].wrote;
    w->done = 0;
    for (uint32_t s = 0; s < x->gpu->slices; s++) {
        uint32_t here = 0;
        for (uint32_t rest = w->writers; rest;) {
            uint32_t lane = sitm_lane(&rest);
            here |= wrote[lane] >> s & 1 ? UINT32_C(1) << lane : 0;
        }
        struct sitm_message m = { .kind = here & w->ok.writers ? SITM_PASS : SITM_FAIL, .group = w->a.group,
                                  .warp = w->a.warp, .lanes = here & w->ok.writers, .version = w->ok.version,
                                  .slot = w->ok.slot };
        if (here)
            send_message(x, &m, s);
        w->done += m.kind == SITM_PASS;
    }
}

static void refuse_lanes(struct sitm_core *x, uint32_t slot, uint32_t lanes, uint64_t now)
{
    uint32_t overwritten = x->warp[slot].ok.overwritten;
    while (lanes) {
        uint32_t lane = sitm_lane(&lanes);
        tm_decide(x->tm, slot, lane, false, 0, overwritten >> lane & 1 ? TM_SITM_WRITE : TM_SITM_LOOP, now);
    }
}

/* COMMIT_OK has arrived and the write sets have been sent. Lanes that it does not name abort (sitm.decision). */
static void decided(struct sitm_core *x, uint32_t slot, uint64_t now)
{
    struct sitm_warp *w = &x->warp[slot];
    uint32_t lanes = w->a.lanes & ~w->a.aborted, readers = w->ok.lanes & ~w->ok.writers;
    if (!w->decided || !w->filled)
        return;
    send_pass(x, slot);
    sitm_attempt_committed(&w->a, w->ok.lanes);
    sitm_attempt_refused(&w->a, lanes & ~w->ok.lanes);
    w->state = w->ok.writers ? SITM_STATE_WRITE : SITM_STATE_NONE;
    if (!w->ok.writers)
        x->gpu->floor[sitm_warp_number(x, slot)] = UINT64_MAX;
    sitm_loops_commit(x, slot, w->ok.writers, w->ok.version);
    sitm_loops_commit(x, slot, readers, w->a.snapshot);
    sitm_loops_abort(x, slot, lanes & ~w->ok.lanes);
    refuse_lanes(x, slot, lanes & ~w->ok.lanes, now);
    commit_lanes(x, slot, readers, now);
}

void sitm_filled(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    struct sitm_core *x = sitm_core(k);
    x->warp[slot].filled = true;
    decided(x, slot, now);
}

static void commit_ok(struct sitm_core *x, uint32_t slot, const struct sitm_message *m, uint64_t now)
{
    struct sitm_warp *w = &x->warp[slot];
    w->ok = *m;
    w->decided = true;
    decided(x, slot, now);
}

static void cu_done(struct sitm_core *x, uint32_t slot)
{
    struct sitm_warp *w = &x->warp[slot];
    if (--w->done)
        return;
    w->state = SITM_STATE_PUBLISH;
    send_message(x, &(struct sitm_message){ .kind = SITM_WRITTEN, .warp = w->a.warp, .group = w->a.group }, 0);
}

static void committed(struct sitm_core *x, uint32_t slot, uint64_t now)
{
    struct sitm_warp *w = &x->warp[slot];
    w->state = SITM_STATE_NONE;
    x->gpu->floor[sitm_warp_number(x, slot)] = UINT64_MAX;
    commit_lanes(x, slot, w->ok.writers, now);
}

/* ---- messages ---- */

void sitm_message_arrived(struct sitm_core *x, const struct sitm_message *m, uint64_t now)
{
    uint32_t slot = m->warp - sitm_warp_number(x, 0);
    switch (m->kind) {
    case SITM_SNAPSHOT: snapshot(x, slot, m, now); break;
    case SITM_EDGE_ACK:
        sitm_attempt_edges(&x->warp[slot].a, m);
        sitm_progress(x, slot, now);
        break;
    case SITM_COMMIT_OK: commit_ok(x, slot, m, now); break;
    default: committed(x, slot, now); break;
    }
    tm_run_at(x->tm, now);
}

void sitm_receive(void *core, struct packet *p, uint64_t now)
{
    struct kilo_core *k = core;
    struct sitm_core *x = sitm_core(k);
    enum sitm_kind kind = p->kind - SITM_WIRE;
    count(x, p);
    if (kind == SITM_DATA || kind == SITM_WRITE_ACK) {
        sitm_reply(x, p, now);
        tm_run_at(x->tm, now);
        return;
    }
    struct sitm_message m = ((union sitm_payload *)p->payload)->message;
    packet_return(p);
    if (kind != SITM_CU_DONE) {
        sitm_message_arrived(x, &m, now);
        return;
    }
    cu_done(x, m.warp - sitm_warp_number(x, 0));
    tm_run_at(x->tm, now);
}
