/* Warps: the programs of their lanes, whose addresses and values depend on what they read, and their attempts. */
#include "base/num.h"
#include "base/random.h"
#include "regress/unit/sitm/sitm_impl.h"

/* ---- SMs: programs ---- */

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 32 | b) ^ UINT64_C(0x51ed270b93a7);
    return (uint32_t)(random_next(&x) >> 16);
}

static uint32_t thread_of(const struct model *m, uint32_t warp, uint32_t lane)
{
    return warp * m->setup->lanes + lane;
}

static uint32_t program(const struct model *m, uint32_t warp, uint32_t lane, uint32_t what)
{
    return mix((uint32_t)m->setup->seed + 977 * thread_of(m, warp, lane), 16 * m->warp[warp].lane[lane].number + what);
}

static uint32_t length_of(const struct model *m, uint32_t warp, uint32_t lane)
{
    return 1 + program(m, warp, lane, 0) % m->setup->accesses;
}

/* The lane's next access; its value, if it is a write. */
static struct sitm_access_done next_access(const struct model *m, uint32_t warp, uint32_t lane)
{
    const struct lane *l = &m->warp[warp].lane[lane];
    uint32_t how = program(m, warp, lane, 1 + l->position);
    return (struct sitm_access_done){ .write = how & 1, .word = mix(how, l->seed) % m->setup->words,
                                      .value = mix(l->seed, how ^ 0x1234) | 1 };
}

static const struct sitm_access_done *own_write(const struct sitm_txn *t, uint32_t word)
{
    for (uint32_t i = t->n; i-- > 0;)
        if (t->access[i].write && t->access[i].word == word)
            return &t->access[i];
    return NULL;
}

static void did(struct lane *l, struct sitm_access_done a)
{
    l->txn.access[l->txn.n++] = a;
    l->txn.writes |= a.write;
    l->seed = a.write ? l->seed : mix(l->seed, a.value);
    l->position++;
    l->waits = false;
}

/* ---- SMs: attempts ---- */

static uint32_t lanes_at_commit(const struct model *m, uint32_t warp)
{
    const struct warp *w = &m->warp[warp];
    uint32_t at = 0;
    for (uint32_t lane = 0; lane < m->setup->lanes; lane++)
        if (!w->lane[lane].waits && w->lane[lane].position == length_of(m, warp, lane))
            at |= (uint32_t)1 << lane;
    return at;
}

/* The warp attempt is over: lanes that did not commit begin again, or the next transaction begins. */
static void end_attempt(struct model *m, uint32_t warp)
{
    struct warp *w = &m->warp[warp];
    w->state = WARP_IDLE;
    if (w->want) {
        struct event *e = model_event(m, SM_BEGIN, m->now + model_draw(m, 4 * m->setup->delay));
        e->warp = warp;
        model_push(m, e);
        return;
    }
    for (uint32_t lane = 0; lane < m->setup->lanes; lane++)
        w->lane[lane].number++;
    model_start_warp(m, warp);
}

static void request_commit(struct model *m, uint32_t warp)
{
    struct warp *w = &m->warp[warp];
    struct sitm_message request;
    uint32_t writers = 0;
    for (uint32_t lane = 0; lane < m->setup->lanes; lane++)
        writers |= w->lane[lane].txn.writes ? (uint32_t)1 << lane : 0;
    sitm_attempt_commit(&w->attempt, writers, &request);
    w->state = WARP_COMMITS;
    w->committing = request.lanes;
    model_from_warp(m, &request);
}

static void progress(struct model *m, uint32_t warp)
{
    struct warp *w = &m->warp[warp];
    struct sitm_message out;
    if (w->state != WARP_RUNS)
        return;
    while (sitm_attempt_aborted(&w->attempt, &out)) {
        m->result->aborts[out.reason] += num_ones(out.lanes);
        model_graph_abort(m, warp, out.lanes);
        model_from_warp(m, &out);
    }
    if (w->attempt.aborted == w->attempt.lanes)
        end_attempt(m, warp);
    else if (sitm_attempt_may_commit(&w->attempt, lanes_at_commit(m, warp)))
        request_commit(m, warp);
}

static void schedule_issue(struct model *m, uint32_t warp)
{
    if (m->warp[warp].issuing)
        return;
    m->warp[warp].issuing = true;
    struct event *e = model_event(m, SM_ISSUE, m->now + 1 + model_draw(m, m->setup->delay / 8 + 1));
    e->warp = warp;
    model_push(m, e);
}

static bool can_issue(const struct model *m, uint32_t warp, uint32_t lane)
{
    const struct warp *w = &m->warp[warp];
    return w->state == WARP_RUNS && (w->attempt.lanes & ~w->attempt.doomed) >> lane & 1 && !w->lane[lane].waits &&
           w->lane[lane].position < length_of(m, warp, lane);
}

/* The lane's next access needs a message to the word's slice; else it is done. */
static bool needs_message(struct model *m, uint32_t warp, uint32_t lane, struct sitm_access_done a)
{
    struct warp *w = &m->warp[warp];
    const struct sitm_access_done *own = own_write(&w->lane[lane].txn, a.word);
    if (a.write && !own && !w->attempt.exclusive && !m->setup->exact)
        return true;
    if (!a.write && !own)
        return true;
    a.value = a.write ? a.value : own->value;
    did(&w->lane[lane], a);
    return false;
}

static void send_access(struct model *m, uint32_t warp, struct sitm_access *access, bool write)
{
    struct warp *w = &m->warp[warp];
    uint32_t slice = model_slice(m, access->word[__builtin_ctz(access->lanes)]);
    access->group = w->attempt.group;
    access->snapshot = w->attempt.snapshot;
    access->exclusive = w->attempt.exclusive || m->setup->exact;
    sitm_attempt_send(&w->attempt, access->lanes);
    struct event *e = model_event(m, SLICE_ACCESS, m->now + model_delay(m, slice));
    e->warp = warp;
    e->slice = slice;
    e->write = write;
    e->access = *access;
    model_push(m, e);
}

/* One packet: the first lane that can issue, and those whose access is of the same kind at the same slice. */
void model_issue(struct model *m, uint32_t warp)
{
    struct warp *w = &m->warp[warp];
    struct sitm_access access = { 0 };
    bool write = false;
    w->issuing = false;
    uint32_t first = model_draw(m, m->setup->lanes);
    for (uint32_t i = 0; i < m->setup->lanes; i++) {
        uint32_t lane = (first + i) % m->setup->lanes;
        if (!can_issue(m, warp, lane))
            continue;
        struct sitm_access_done a = next_access(m, warp, lane);
        uint32_t slice = model_slice(m, a.word);
        if (access.lanes && (a.write != write || model_slice(m, access.word[__builtin_ctz(access.lanes)]) != slice))
            continue;
        if (!needs_message(m, warp, lane, a))
            continue;
        write = a.write;
        access.word[lane] = a.word;
        access.lanes |= (uint32_t)1 << lane;
        w->lane[lane].waits = !write;
        if (write)
            did(&w->lane[lane], a);
    }
    if (access.lanes)
        send_access(m, warp, &access, write);
    for (uint32_t lane = 0; lane < m->setup->lanes; lane++)
        if (can_issue(m, warp, lane))
            schedule_issue(m, warp);
    progress(m, warp);
}

void model_sm_reply(struct model *m, const struct event *e)
{
    struct warp *w = &m->warp[e->warp];
    sitm_attempt_reply(&w->attempt, &e->reply);
    for (uint32_t lanes = e->write ? 0 : e->reply.lanes; lanes;) {
        uint32_t lane = sitm_lane(&lanes);
        did(&w->lane[lane], (struct sitm_access_done){ .word = e->access.word[lane], .value = e->value[lane] });
    }
    schedule_issue(m, e->warp);
    progress(m, e->warp);
}

/* ---- SMs: messages of the manager ---- */

static void snapshot(struct model *m, uint32_t warp, const struct sitm_message *message)
{
    struct warp *w = &m->warp[warp];
    sitm_attempt_begin(&w->attempt, message);
    w->state = WARP_RUNS;
    for (uint32_t lane = 0; lane < m->setup->lanes; lane++) {
        struct lane *l = &w->lane[lane];
        l->position = l->seed = 0;
        l->waits = false;
        l->txn = (struct sitm_txn){ .snapshot = (uint64_t)message->epoch << 32 | message->version,
                                    .epoch = message->epoch, .thread = thread_of(m, warp, lane) };
    }
    m->result->exclusive += message->exclusive;
    model_graph_begin(m, warp);
    schedule_issue(m, warp);
}

static void record(struct model *m, uint32_t warp, const struct sitm_message *ok)
{
    for (uint32_t lanes = ok->lanes; lanes;) {
        uint32_t lane = sitm_lane(&lanes);
        struct sitm_txn *t = &m->warp[warp].lane[lane].txn;
        t->commit = t->writes ? (uint64_t)ok->epoch << 32 | ok->version : t->snapshot;
        t->stamp = m->setup->exact ? m->warp[warp].lane[lane].entered : ok->stamp[lane];
        if (m->history.n < SITM_MOST_TXNS)
            m->history.txn[m->history.n++] = *t;
        m->result->commits++;
    }
}

static void send_pass(struct model *m, uint32_t warp, const struct sitm_message *ok)
{
    struct warp *w = &m->warp[warp];
    uint32_t slices = 0;
    for (uint32_t lanes = ok->writers; lanes;) {
        const struct sitm_txn *t = &w->lane[sitm_lane(&lanes)].txn;
        for (uint32_t i = 0; i < t->n; i++)
            slices |= t->access[i].write ? (uint32_t)1 << model_slice(m, t->access[i].word) : 0;
    }
    w->passes = num_ones(slices);
    while (slices) {
        uint32_t slice = sitm_lane(&slices);
        struct event *e = model_event(m, SLICE_PASS, m->now + model_delay(m, slice));
        e->warp = warp;
        e->slice = slice;
        e->m = (struct sitm_message){ .kind = SITM_PASS, .group = ok->group, .lanes = ok->writers,
                                      .version = ok->version, .slot = ok->slot };
        model_push(m, e);
    }
}

static void commit_ok(struct model *m, uint32_t warp, const struct sitm_message *ok)
{
    struct warp *w = &m->warp[warp];
    record(m, warp, ok);
    model_graph_commit(m, warp, ok);
    sitm_attempt_committed(&w->attempt, ok->lanes);
    sitm_attempt_refused(&w->attempt, w->committing & ~ok->lanes);
    w->want &= ~ok->lanes;
    if (ok->writers)
        send_pass(m, warp, ok);
    else
        end_attempt(m, warp);
}

static void cu_done(struct model *m, uint32_t warp)
{
    struct warp *w = &m->warp[warp];
    if (!--w->passes)
        model_from_warp(m, &(struct sitm_message){ .kind = SITM_WRITTEN, .warp = warp, .group = w->attempt.group });
}

void model_sm_message(struct model *m, uint32_t warp, const struct sitm_message *message)
{
    switch (message->kind) {
    case SITM_SNAPSHOT:
        snapshot(m, warp, message);
        break;
    case SITM_EDGE_ACK:
        sitm_attempt_edges(&m->warp[warp].attempt, message);
        progress(m, warp);
        break;
    case SITM_COMMIT_OK:
        commit_ok(m, warp, message);
        break;
    case SITM_CU_DONE:
        cu_done(m, warp);
        break;
    default:
        end_attempt(m, warp);
    }
}

void model_begin(struct model *m, uint32_t warp)
{
    struct warp *w = &m->warp[warp];
    struct sitm_message out;
    sitm_attempt_next(&w->attempt, w->want, &m->setup->rules, &out);
    w->state = WARP_BEGINS;
    model_from_warp(m, &out);
}

/* The warp's next transaction: of the lanes that have one. */
void model_start_warp(struct model *m, uint32_t warp)
{
    struct warp *w = &m->warp[warp];
    w->want = w->lane[0].number < m->setup->transactions ? ((uint32_t)1 << m->setup->lanes) - 1 : 0;
    w->attempt.warp = warp;
    if (!w->want)
        return;
    struct event *e = model_event(m, SM_BEGIN, m->now + model_draw(m, 2 * m->setup->delay));
    e->warp = warp;
    model_push(m, e);
}
