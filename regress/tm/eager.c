/* The eager protocol at the SM (eager.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "regress/tm/eager.h"

enum { TICKETS = 4096 };

struct lane_words { uint64_t sent, waits; uint64_t key; };   /* slices that know the lane; that have not answered */

struct eager_warp {
    struct lane_words lane[TM_LANES];
    uint64_t lost, gone;             /* lanes that a unit voted against; that have been aborted in this attempt */
    bool checking;
};

struct eager_core;
struct ticket { uint64_t at; uint32_t slot; unsigned lane; struct eager_core *core; };

struct eager_core {
    struct tm_core *c;
    struct eager_shared *shared;
    struct eager_warp warp[EAGER_SLOTS];
    struct packet_queue out;
    struct ticket ticket[TICKETS];
    uint32_t tickets;
    uint64_t late, checks;           /* answers to attempts that were over */
};

struct eager_seen eager_seen;

/* ---- messages ---- */

static struct eager_payload *say(struct eager_core *k, enum eager_kind kind, uint32_t slice, uint32_t slot,
                                 uint64_t lanes, uint32_t words)
{
    struct packet *p = tm_packet(k->c, kind, slice, 8 * words);
    struct eager_payload *x = p->payload;
    p->vn = EAGER_NETWORK;
    x->attempt = tm_attempt(k->c, slot);
    x->slot = (uint16_t)slot;
    x->lanes = lanes;
    packet_push(&k->out, p);
    tm_run_at(k->c, tm_now(k->c));
    return x;
}

/* To every slice that knows some of the lanes. */
static void say_all(struct eager_core *k, enum eager_kind kind, uint32_t slot, uint64_t lanes)
{
    for (uint32_t s = 0; s < k->shared->slices; s++) {
        uint64_t there = 0;
        for (uint64_t m = lanes; m; m &= m - 1)
            there |= k->warp[slot].lane[__builtin_ctzll(m)].sent >> s & 1 ? m & -m : 0;
        if (there)
            say(k, kind, s, slot, there, 0);
    }
}

/* One word of each lane. Returns how many messages that took. */
static uint32_t announce_word(struct eager_core *k, enum eager_kind kind, uint32_t slot, const struct mem_op *op,
                              uint64_t lanes, uint32_t word, struct tm_load *load)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < k->shared->slices; s++) {
        uint64_t there = 0, address[TM_LANES];
        for (uint64_t m = lanes; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctzll(m);
            address[l] = (op->address[l] & ~UINT64_C(3)) + 4 * word;
            there |= tm_slice(k->c, address[l]) == s ? m & -m : 0;
        }
        if (!there)
            continue;
        struct eager_payload *x = say(k, kind, s, slot, there, (uint32_t)__builtin_popcountll(there));
        memcpy(x->address, address, sizeof address);
        x->load = load;
        for (uint64_t m = there; m; m &= m - 1)
            k->warp[slot].lane[__builtin_ctzll(m)].sent |= UINT64_C(1) << s;
        n++;
    }
    return n;
}

static uint32_t announce(struct eager_core *k, enum eager_kind kind, uint32_t slot, const struct mem_op *op,
                         uint64_t lanes, struct tm_load *load)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < (op->width + 3u) / 4; w++)
        n += announce_word(k, kind, slot, op, lanes, w, load);
    return n;
}

/* ---- accesses ---- */

static void attempt(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct eager_core *k = core;
    struct eager_warp *w = &k->warp[slot];
    w->lost = w->gone = 0;
    for (uint64_t m = lanes; m; m &= m - 1)
        w->lane[__builtin_ctzll(m)] = (struct lane_words){ 0 };
}

static void load(void *core, struct tm_load *l, uint64_t now)
{
    struct eager_core *k = core;
    if (!l->fetch)
        return;
    l->held = k->shared->bug != EAGER_READS_EARLY;
    l->waits += !l->held;
    l->protocol = announce(k, EAGER_READ, l->slot, l->fetch, l->fetch->lanes, l);
}

static void granted(struct eager_core *k, struct tm_load *l, uint64_t now)
{
    if (--l->protocol)
        return;
    if (l->held)
        tm_fetch(k->c, l);
    else
        tm_load_part_done(k->c, l, now);
}

static void store(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now)
{
    announce(core, EAGER_WRITE, slot, op, lanes, NULL);
}

/* ---- the end of an attempt ---- */

static void ask(struct eager_core *k, uint32_t slot, uint64_t lanes, bool check)
{
    struct eager_warp *w = &k->warp[slot];
    w->checking = check;
    w->lost &= ~lanes;
    for (uint64_t m = lanes; m; m &= m - 1)
        w->lane[__builtin_ctzll(m)].waits = w->lane[__builtin_ctzll(m)].sent;
    say_all(k, check ? EAGER_CHECK : EAGER_PREPARE, slot, lanes);
}

static uint64_t unknown(const struct eager_core *k, uint32_t slot, uint64_t lanes)
{
    uint64_t none = 0;
    for (uint64_t m = lanes; m; m &= m - 1)
        none |= k->warp[slot].lane[__builtin_ctzll(m)].sent ? 0 : m & -m;
    return none;
}

static void commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct eager_core *k = core;
    uint64_t none = unknown(k, slot, lanes);
    ask(k, slot, lanes & ~none, false);
    for (uint64_t m = none; m; m &= m - 1)
        tm_decide(k->c, slot, (unsigned)__builtin_ctzll(m), true, 0, TM_CONFLICT, now);
}

static void validate(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct eager_core *k = core;
    uint64_t none = unknown(k, slot, lanes);
    k->checks++;
    ask(k, slot, lanes & ~none, true);
    if (none)
        tm_validated(k->c, slot, none, 0, now);
}

static void aborted(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct eager_core *k = core;
    say_all(k, EAGER_RELEASE, slot, lanes);
    k->warp[slot].gone |= lanes;
}

static void finish(struct eager_core *k, uint32_t slot, unsigned lane, uint64_t now)
{
    struct lane_words *l = &k->warp[slot].lane[lane];
    const struct tm_set *s = &tm_lane(k->c, slot, lane)->writes;
    uint64_t bit = UINT64_C(1) << lane;
    for (uint32_t i = 0; i < s->n; i++) {
        struct eager_payload *x = say(k, EAGER_VALUE, tm_slice(k->c, s->w[i].address), slot, bit, 1);
        x->address[lane] = s->w[i].address;
        x->value = s->w[i].value;
        x->bytes = s->w[i].bytes;
    }
    say_all(k, EAGER_FINISH, slot, bit);
    l->waits = l->sent;
    if (k->tickets == TICKETS)
        abort();
    k->ticket[k->tickets++] = (struct ticket){ now, slot, lane, k };
}

static void voted(struct eager_core *k, uint32_t slot, unsigned lane, uint64_t now)
{
    struct eager_warp *w = &k->warp[slot];
    uint64_t bit = UINT64_C(1) << lane, lost = w->lost & bit;
    if (w->checking) {
        tm_validated(k->c, slot, lost ^ bit, lost, now);
    } else if (lost) {
        aborted(k, slot, bit, now);
        tm_decide(k->c, slot, lane, false, 0, TM_CONFLICT, now);
    } else {
        finish(k, slot, lane, now);
    }
}

static void answered(struct eager_core *k, const struct packet *p, const struct eager_answer *a, uint64_t now)
{
    struct eager_warp *w = &k->warp[a->slot];
    w->lost |= a->lost & ~w->gone;
    k->late += (a->lanes & w->gone) != 0;
    for (uint64_t m = a->lanes & ~w->gone; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        w->lane[lane].waits &= ~(UINT64_C(1) << p->slice);
        if (w->lane[lane].waits)
            continue;
        if (p->kind == EAGER_VOTE)
            voted(k, a->slot, lane, now);
        else
            tm_decide(k->c, a->slot, lane, true, w->lane[lane].key, TM_CONFLICT, now);
    }
}

static void message(void *core, struct packet *p, uint64_t now)
{
    struct eager_core *k = core;
    struct eager_answer a;
    memcpy(&a, p->data, sizeof a);
    if (p->kind == EAGER_GRANT)
        granted(k, a.load, now);
    else if (p->kind == EAGER_ABORT)
        tm_abort(k->c, a.slot, a.lanes, a.attempt, TM_CONFLICT, now);
    else if (a.attempt == tm_attempt(k->c, a.slot))
        answered(k, p, &a, now);
    else
        k->late++;
    packet_return(p);
}

static uint64_t run(void *core, uint64_t now)
{
    struct eager_core *k = core;
    if (k->out.n)
        tm_send(k->c, packet_pop(&k->out));
    return k->out.n ? now + 1 : UINT64_MAX;
}

static bool idle(const void *core)
{
    const struct eager_core *k = core;
    return !k->out.n && !k->tickets;
}

/* ---- the machine's ---- */

static int in_order(const void *a, const void *b)
{
    const struct ticket *x = a, *y = b;
    uint32_t p[] = { tm_sm(x->core->c), x->slot, x->lane }, q[] = { tm_sm(y->core->c), y->slot, y->lane };
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    for (int i = 0; i < 3; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* Keys of the oracle, to lanes to which all units agreed, in the order of that. */
static void step(void *shared, void *const *cores, uint32_t n, uint64_t now)
{
    struct eager_shared *s = shared;
    struct ticket all[TICKETS];
    uint32_t got = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct eager_core *k = cores[i];
        if (got + k->tickets > TICKETS)
            abort();
        memcpy(all + got, k->ticket, k->tickets * sizeof *all);
        got += k->tickets;
        k->tickets = 0;
    }
    qsort(all, got, sizeof *all, in_order);
    for (uint32_t i = 0; i < got; i++)
        all[i].core->warp[all[i].slot].lane[all[i].lane].key = ++s->commits;
}

static bool sound(void *shared, const uint64_t *count, char *error, size_t size)
{
    const struct eager_shared *s = shared;
    for (uint32_t i = 0; i < s->slices; i++)
        if (!eager_unit_empty(s->unit[i])) {
            snprintf(error, size, "the eager unit of slice %u still knows owners", i);
            return false;
        }
    return true;
}

static void *new_core(struct tm_core *c, void *shared)
{
    struct eager_core *k = mem_zero(1, sizeof *k, "the eager protocol");
    if (tm_slots(c) > EAGER_SLOTS)
        abort();
    k->c = c;
    k->shared = shared;
    return k;
}

static void free_core(void *core)
{
    const struct eager_core *k = core;
    eager_seen.late += k->late;
    eager_seen.checks += k->checks;
    free(core);
}

static void *new_gpu_state(struct tm_gpu *t, const struct simtx_config *c, enum eager_bug bug)
{
    struct eager_shared *s = mem_zero(1, sizeof *s, "the eager protocol");
    s->bug = bug;
    s->slices = tm_gpu_slices(t);
    s->sms = (uint32_t)config_int(c, KEY_GPU_SMS);
    return s;
}

#define NEW(bug) \
    static void *new_##bug(struct tm_gpu *t, const struct simtx_config *c) { return new_gpu_state(t, c, bug); }
NEW(EAGER_SOUND) NEW(EAGER_BLIND) NEW(EAGER_FORGETS) NEW(EAGER_READS_EARLY) NEW(EAGER_PLAIN_PASSES)

#define EAGER(bug) [bug] = { \
    .name = "eager", .payload = sizeof(struct eager_payload), .new_gpu_state = new_##bug, .free_gpu_state = free, \
    .engine = &eager_unit, .new_core = new_core, .free_core = free_core, .attempt = attempt, .load = load, \
    .store = store, .commit = commit, .aborted = aborted, .validate = validate, .message = message, .run = run, \
    .idle = idle, .consistent = sound, .step = step }
const struct tm_protocol toy_eager[] = {
    EAGER(EAGER_SOUND), EAGER(EAGER_BLIND), EAGER(EAGER_FORGETS), EAGER(EAGER_READS_EARLY), EAGER(EAGER_PLAIN_PASSES)
};
