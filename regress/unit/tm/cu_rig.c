/* The random machine around commit units. */
#include "regress/unit/tm/cu_rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MAX_LOG = 32, PATIENCE = 20000 };

struct log { struct kilo_entry entry[MAX_LOG]; uint32_t n; };
struct tx {
    struct log set[2];               /* 0: reads, 1: writes */
    uint32_t answers, done;          /* units that have still to tell their outcome; that their writes are in memory */
    uint32_t landed[RIG_MAX_UNITS];  /* writes in memory */
    bool failed, over, committed;
};
struct warp {
    struct kilo_batch b;
    struct tx tx[KILO_LANES];
    uint64_t ready;                  /* commits from this cycle on */
    uint32_t asked;                  /* units that have not answered CU_ALLOC */
    bool refused, sent;
};
struct message { struct message *next; uint64_t at; enum kilo_kind kind; struct kilo_payload p; };
struct channel { struct message *first, *last; uint64_t at; };
struct reply { struct reply *next; uint64_t at /* cycle and unit */, lanes; enum kilo_kind kind; struct warp *w; };
struct access { uint64_t at; uint32_t address, value, token, unit; unsigned bytes; bool write; };

struct rig;
struct port { struct rig *r; uint32_t unit; };

struct rig {
    struct cu_rig_setup s;
    struct cu_rig_result *out;
    uint64_t random, now, next_cid, next[RIG_MAX_UNITS], progress;
    struct commit_unit *unit[RIG_MAX_UNITS];
    struct port port[RIG_MAX_UNITS];
    struct warp **slot, **all;       /* cores x batches; every one ever made */
    uint32_t made;
    struct channel *channel;         /* cores x units */
    struct reply *replies;           /* by arrival */
    struct access *access;
    uint32_t accesses, access_room;
    uint64_t *word_at;               /* cycle of the last access to a word: order is kept */
    uint64_t *word_cid;              /* its last writer */
    struct warp **by_cid;
    uint32_t *memory, *initial, unique;
};

static uint64_t rnd(struct rig *r, uint64_t n)
{
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    return n ? (r->random >> 11) % n : 0;
}

__attribute__((format(printf, 2, 3))) static void fail(struct rig *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!r->out->error[0])
        vsnprintf(r->out->error, RIG_ERROR, format, args);
    va_end(args);
}

static uint32_t unit_of(const struct rig *r, uint32_t address)
{
    return (address >> 2) % r->s.units;
}

static void merge(uint32_t *word, unsigned bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        if (bytes >> i & 1)
            *word = (*word & ~(UINT32_C(255) << 8 * i)) | (value & UINT32_C(255) << 8 * i);
}

static uint32_t entries_of(const struct rig *r, const struct log *l, uint32_t unit)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < l->n; k++)
        n += unit_of(r, l->entry[k].address) == unit;
    return n;
}

/* ---- what units call ---- */

static void check_landed(struct rig *r, const struct warp *w, unsigned lane, uint32_t unit)
{
    uint32_t n = entries_of(r, &w->tx[lane].set[1], unit);
    if (w->tx[lane].landed[unit] != n)
        fail(r, "commit ID %llu is told to be in memory with %u of %u writes",
             (unsigned long long)kilo_cid(&w->b, lane), w->tx[lane].landed[unit], n);
}

static void on_written(void *ctx, uint64_t cid, uint32_t address, uint32_t before)
{
    struct port *p = ctx;
    struct rig *r = p->r;
    struct warp *w = cid < r->next_cid ? r->by_cid[cid] : NULL;
    if (!w) {
        fail(r, "a write of nobody");
        return;
    }
    unsigned lane = 0;
    while (!(w->b.lanes >> lane & 1) || kilo_cid(&w->b, lane) != cid)
        lane++;
    w->tx[lane].landed[p->unit]++;
    if (!w->tx[lane].committed)
        fail(r, "commit ID %llu writes and has not passed", (unsigned long long)cid);
    if (r->word_cid[address >> 2] > cid)
        fail(r, "commit ID %llu writes after a younger one", (unsigned long long)cid);
    r->word_cid[address >> 2] = cid;
}

static bool on_reply(void *ctx, enum kilo_kind kind, const struct kilo_batch *b, uint64_t lanes, uint64_t now)
{
    struct port *p = ctx;
    struct rig *r = p->r;
    if (!rnd(r, 5))
        return false;
    if (kind == KILO_CU_DONE_COMMIT)
        check_landed(r, (struct warp *)b, (unsigned)__builtin_ctzll(lanes), p->unit);
    struct reply *k = mem_zero(1, sizeof *k, "the rig"), **at = &r->replies;
    uint64_t arrives = now + 1 + rnd(r, r->s.delay);
    *k = (struct reply){ .at = arrives << 2 | p->unit, .lanes = lanes, .kind = kind, .w = (struct warp *)b };
    while (*at && (*at)->at >> 2 <= k->at >> 2)
        at = &(*at)->next;
    k->next = *at;
    *at = k;
    return true;
}

static void on_access(void *ctx, bool write, uint32_t address, unsigned bytes, uint32_t value, uint32_t token,
                      uint64_t now)
{
    struct port *p = ctx;
    struct rig *r = p->r;
    uint64_t at = now + 1 + rnd(r, r->s.delay), *last = &r->word_at[address >> 2];
    if (unit_of(r, address) != p->unit)
        fail(r, "unit %u accesses a word of another", p->unit);
    at = at > *last ? at : *last + 1;
    *last = at;
    r->access = mem_grow(r->access, r->accesses, &r->access_room, sizeof *r->access, "accesses");
    r->access[r->accesses++] = (struct access){ at, address, value, token, p->unit, bytes, write };
}

static uint32_t on_peek(void *ctx, uint32_t address)
{
    return ((struct port *)ctx)->r->memory[address >> 2];
}

static void on_poke(void *ctx, uint32_t address, unsigned bytes, uint32_t value, uint64_t now)
{
    merge(&((struct port *)ctx)->r->memory[address >> 2], bytes, value);
}

/* ---- core to unit ---- */

static void send(struct rig *r, uint32_t core, uint32_t unit, enum kilo_kind kind, const struct kilo_payload *p)
{
    struct channel *c = &r->channel[core * r->s.units + unit];
    struct message *m = mem_zero(1, sizeof *m, "the rig");
    uint64_t at = r->now + 1 + rnd(r, r->s.delay);
    *m = (struct message){ .at = at > c->at ? at : c->at, .kind = kind, .p = *p };
    c->at = m->at;
    if (c->first)
        c->last->next = m;
    else
        c->first = m;
    c->last = m;
}

static void send_lanes(struct rig *r, uint32_t unit, enum kilo_kind kind, const struct warp *w, uint64_t lanes)
{
    struct kilo_payload p = { .batch = &w->b, .lanes = lanes };
    if (lanes)
        send(r, w->b.sm, unit, kind, &p);
}

/* The i-th entry of a log that belongs to a unit. */
static bool nth_entry(const struct rig *r, const struct log *l, uint32_t unit, uint32_t i, struct kilo_entry *e)
{
    for (uint32_t k = 0; k < l->n; k++)
        if (unit_of(r, l->entry[k].address) == unit && !i--) {
            *e = l->entry[k];
            return true;
        }
    return false;
}

/* Entries of some lanes for a unit, packed. Returns the lanes that had any. */
static uint64_t send_logs(struct rig *r, uint32_t unit, enum kilo_kind kind, const struct warp *w, int set,
                          uint64_t lanes)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < MAX_LOG; i++) {
        struct kilo_payload p = { .batch = &w->b };
        for (uint64_t m = lanes; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            if (nth_entry(r, &w->tx[lane].set[set], unit, i, &p.entry[lane]))
                p.lanes |= UINT64_C(1) << lane;
        }
        if (!p.lanes)
            break;
        any |= p.lanes;
        send(r, w->b.sm, unit, kind, &p);
    }
    return any;
}

static uint64_t touching(const struct rig *r, const struct warp *w, uint32_t unit, int set)
{
    uint64_t lanes = 0;
    struct kilo_entry e;
    for (uint64_t m = w->b.lanes; m; m &= m - 1)
        if (nth_entry(r, &w->tx[__builtin_ctzll(m)].set[set], unit, 0, &e))
            lanes |= m & -m;
    return lanes;
}

static void send_commit(struct rig *r, struct warp *w)
{
    w->sent = true;
    for (uint32_t u = 0; u < r->s.units; u++) {
        uint64_t any = send_logs(r, u, KILO_READ_SET, w, 0, w->b.lanes);
        any |= send_logs(r, u, KILO_WRITE_SET, w, 1, w->b.lanes);
        send_lanes(r, u, KILO_DONE_FILL, w, any);
        send_lanes(r, u, KILO_SKIP, w, w->b.lanes & ~any);
        for (uint64_t m = any; m; m &= m - 1)
            w->tx[__builtin_ctzll(m)].answers |= 1u << u;
    }
}

/* ---- transactions ---- */

static struct kilo_entry random_write(struct rig *r, uint32_t address)
{
    uint32_t value = ++r->unique * (rnd(r, 2) ? 65536 : 1);
    switch (rnd(r, 6)) {
    case 0: return (struct kilo_entry){ address | KILO_BYTE, (value & 255) | (uint32_t)rnd(r, 4) << 8 };
    case 1: return (struct kilo_entry){ address | KILO_HALF, (value & 0xffff) | (uint32_t)rnd(r, 2) << 16 };
    default: return (struct kilo_entry){ address, value };
    }
}

static void begin_tx(struct rig *r, struct tx *t)
{
    uint32_t reads = (uint32_t)rnd(r, r->s.reads + 1), writes = (uint32_t)rnd(r, r->s.writes + 1);
    if (!reads && !writes)
        reads = 1;
    for (uint32_t i = 0; i < reads; i++) {
        uint32_t word = (uint32_t)rnd(r, r->s.words);
        t->set[0].entry[t->set[0].n++] = (struct kilo_entry){ word << 2, r->memory[word] };
    }
    for (uint32_t i = 0; i < writes; i++) {
        uint32_t word = (uint32_t)rnd(r, r->s.words);
        if (t->set[0].n && rnd(r, 2))
            word = t->set[0].entry[rnd(r, t->set[0].n)].address >> 2;
        t->set[1].entry[t->set[1].n++] = random_write(r, word << 2);
    }
}

static void begin_warp(struct rig *r, uint32_t slot)
{
    struct warp *w = mem_zero(1, sizeof *w, "the rig");
    uint32_t n = 1 + (uint32_t)rnd(r, r->s.lanes);
    while ((uint32_t)__builtin_popcountll(w->b.lanes) < n)
        w->b.lanes |= UINT64_C(1) << rnd(r, 2 * r->s.lanes < 64 ? 2 * r->s.lanes : 64);
    w->b.sm = (uint16_t)(slot / r->s.batches);
    w->ready = r->now + rnd(r, 4 * r->s.delay);
    for (uint64_t m = w->b.lanes; m; m &= m - 1)
        begin_tx(r, &w->tx[__builtin_ctzll(m)]);
    r->out->begun += n;
    r->slot[slot] = w;
    r->all[r->made++] = w;
}

static bool ring_has_room(const struct rig *r, const struct warp *w)
{
    uint64_t last = r->next_cid + (unsigned)__builtin_popcountll(w->b.lanes) - 1;
    for (uint32_t u = 0; r->s.cfg.ring && !r->s.allocate && u < r->s.units; u++)
        if (last >= cu_oldest(r->unit[u]) + r->s.cfg.ring)
            return false;
    return true;
}

static void try_commit(struct rig *r, struct warp *w)
{
    if (!w->b.first_cid) {
        if (!ring_has_room(r, w))
            return;
        w->b.first_cid = r->next_cid;
        for (int i = __builtin_popcountll(w->b.lanes); i; i--)
            r->by_cid[r->next_cid++] = w;
    }
    if (!r->s.allocate) {
        send_commit(r, w);
        return;
    }
    if (w->asked)
        return;
    w->refused = false;
    w->asked = r->s.units;
    for (uint32_t u = 0; u < r->s.units; u++)
        send_lanes(r, u, KILO_CU_ALLOC, w, w->b.lanes);
}

/* ---- unit to core ---- */

static void decide(struct rig *r, struct warp *w, unsigned lane)
{
    struct tx *t = &w->tx[lane];
    uint64_t bit = UINT64_C(1) << lane;
    t->over = true;
    t->committed = !t->failed;
    r->out->commits += !t->failed;
    r->out->aborts += t->failed;
    for (uint32_t u = 0; u < r->s.units; u++) {
        if ((touching(r, w, u, 0) | touching(r, w, u, 1)) & bit)
            send_lanes(r, u, t->failed ? KILO_FAIL : KILO_PASS, w, bit);
        if (!t->failed && touching(r, w, u, 1) & bit)
            t->done |= 1u << u;
    }
}

static void on_outcome(struct rig *r, struct warp *w, unsigned lane, uint32_t unit, bool failed)
{
    struct tx *t = &w->tx[lane];
    if (!(t->answers >> unit & 1))
        fail(r, "unit %u told an outcome that nobody waits for", unit);
    t->answers &= ~(1u << unit);
    t->failed |= failed;
    if (!t->answers)
        decide(r, w, lane);
}

static void on_done(struct rig *r, struct warp *w, unsigned lane, uint32_t unit)
{
    struct tx *t = &w->tx[lane];
    if (!(t->done >> unit & 1))
        fail(r, "unit %u told a commit that nobody waits for", unit);
    t->done &= ~(1u << unit);
}

static void take_reply(struct rig *r, const struct reply *k)
{
    uint32_t unit = (uint32_t)(k->at & 3);
    unsigned lane = (unsigned)__builtin_ctzll(k->lanes);
    switch (k->kind) {
    case KILO_CU_PASS: on_outcome(r, k->w, lane, unit, false); break;
    case KILO_CU_FAIL:
    case KILO_CU_HAZARD: on_outcome(r, k->w, lane, unit, true); break;
    case KILO_CU_DONE_COMMIT: on_done(r, k->w, lane, unit); break;
    case KILO_RESEND_READ:
    case KILO_RESEND_WRITE:
        send_logs(r, unit, k->kind == KILO_RESEND_READ ? KILO_RESENT_READ : KILO_RESENT_WRITE, k->w,
                  k->kind == KILO_RESEND_WRITE, k->lanes);
        send_lanes(r, unit, KILO_RESENT_DONE, k->w, k->lanes);
        break;
    case KILO_ALLOC_FAIL: k->w->refused = true; /* fall through */
    case KILO_ALLOC_PASS:
        if (!--k->w->asked && !k->w->refused)
            send_commit(r, k->w);
        break;
    default: fail(r, "unit %u sent a message of kind %d", unit, k->kind);
    }
}

/* ---- a cycle ---- */

static bool over(const struct warp *w)
{
    for (uint64_t m = w->b.lanes; m; m &= m - 1) {
        const struct tx *t = &w->tx[__builtin_ctzll(m)];
        if (!t->over || t->done)
            return false;
    }
    return w->sent;
}

static bool run_cores(struct rig *r)
{
    bool busy = false;
    for (uint32_t i = 0; i < r->s.cores * r->s.batches; i++) {
        struct warp *w = r->slot[i];
        if (w && over(w))
            w = r->slot[i] = NULL;
        if (!w && r->out->begun < r->s.transactions)
            begin_warp(r, i);
        else if (w && !w->sent && r->now >= w->ready)
            try_commit(r, w);
        busy |= r->slot[i] != NULL;
    }
    return busy;
}

static bool deliver_messages(struct rig *r)
{
    bool busy = false;
    for (uint32_t i = 0; i < r->s.cores * r->s.units; i++) {
        struct channel *c = &r->channel[i];
        struct message *m = c->first;
        busy |= m != NULL;
        if (!m || m->at > r->now || !cu_take(r->unit[i % r->s.units], m->kind, &m->p, r->now))
            continue;
        r->next[i % r->s.units] = r->now;
        c->first = m->next;
        free(m);
        r->progress = r->now;
    }
    return busy;
}

static bool deliver_replies(struct rig *r)
{
    while (r->replies && r->replies->at >> 2 <= r->now) {
        struct reply *k = r->replies;
        r->replies = k->next;
        take_reply(r, k);
        free(k);
        r->progress = r->now;
    }
    return r->replies;
}

static bool perform(struct rig *r)
{
    for (uint32_t i = 0; i < r->accesses;) {
        struct access a = r->access[i];
        if (a.at > r->now) {
            i++;
            continue;
        }
        uint32_t before = r->memory[a.address >> 2];
        if (a.write)
            merge(&r->memory[a.address >> 2], a.bytes, a.value);
        r->access[i] = r->access[--r->accesses];
        cu_performed(r->unit[a.unit], a.token, before, (unsigned)rnd(r, 3), r->now);
        r->next[a.unit] = r->now;
        r->progress = r->now;
    }
    return r->accesses;
}

static bool run_units(struct rig *r)
{
    bool busy = false;
    for (uint32_t u = 0; u < r->s.units; u++) {
        if (r->next[u] <= r->now || r->s.every_cycle) {
            r->next[u] = cu_run(r->unit[u], r->now);
            r->out->runs++;
            if (r->next[u] <= r->now)
                fail(r, "unit %u wants to run in the past", u);
        }
        busy |= !cu_idle(r->unit[u]);
    }
    return busy;
}

static bool cycle(struct rig *r)
{
    bool busy = deliver_messages(r);
    busy |= perform(r);
    busy |= run_units(r);
    busy |= deliver_replies(r);
    busy |= run_cores(r);
    r->now++;
    if (r->now - r->progress > PATIENCE)
        fail(r, "nothing happens any more from cycle %llu on", (unsigned long long)r->progress);
    return busy && !r->out->error[0];
}

/* ---- the oracle ---- */

static int by_cid(const void *a, const void *b)
{
    const struct warp *const *x = a, *const *y = b;
    return (*x)->b.first_cid < (*y)->b.first_cid ? -1 : (*x)->b.first_cid > (*y)->b.first_cid;
}

static void replay(struct rig *r, const struct tx *t, uint64_t cid)
{
    for (uint32_t i = 0; i < t->set[0].n; i++) {
        struct kilo_entry e = t->set[0].entry[i];
        if (r->initial[e.address >> 2] != e.value)
            fail(r, "commit ID %llu read %x in word %u, which had %x", (unsigned long long)cid, e.value, e.address >> 2,
                 r->initial[e.address >> 2]);
    }
    for (uint32_t i = 0; i < t->set[1].n; i++) {
        uint32_t value;
        unsigned bytes = kilo_bytes(t->set[1].entry[i], &value);
        merge(&r->initial[t->set[1].entry[i].address >> 2], bytes, value);
    }
}

static void check_all(struct rig *r)
{
    char error[RIG_ERROR];
    qsort(r->all, r->made, sizeof *r->all, by_cid);
    for (uint32_t i = 0; i < r->made; i++)
        for (uint64_t m = r->all[i]->b.lanes; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            if (r->all[i]->tx[lane].committed)
                replay(r, &r->all[i]->tx[lane], kilo_cid(&r->all[i]->b, lane));
        }
    for (uint32_t i = 0; i < r->s.words; i++)
        if (r->initial[i] != r->memory[i])
            fail(r, "word %u has %x, not %x", i, r->memory[i], r->initial[i]);
    for (uint32_t u = 0; u < r->s.units; u++)
        if (!cu_consistent(r->unit[u], error, sizeof error))
            fail(r, "unit %u: %s", u, error);
}

/* ---- life ---- */

struct cu_rig_setup cu_rig_default(void)
{
    return (struct cu_rig_setup){
        .cfg = { .lwh_sets = 128, .lwh_ways = 4, .lwh_buckets = 1024, .lwh_arrays = 4, .granularity = 4, .bf_bits = 512,
                 .bf_functions = 4, .accounting = CU_BUFFERS_NEEDED, .resend = true, .input = 64, .ideal_latency = 9,
                 .limit = 8, .seed = 1 },
        .units = 3, .words = 64, .cores = 3, .batches = 3, .lanes = 4, .reads = 4, .writes = 3, .transactions = 1000,
        .delay = 40, .seed = 1,
    };
}

static void set_up(struct rig *r)
{
    const struct cu_rig_setup *s = &r->s;
    r->slot = mem_zero(s->cores * s->batches, sizeof *r->slot, "the rig");
    r->all = mem_zero(s->transactions + 1, sizeof *r->all, "the rig");
    r->channel = mem_zero(s->cores * s->units, sizeof *r->channel, "the rig");
    r->word_at = mem_zero(s->words, sizeof *r->word_at, "the rig");
    r->word_cid = mem_zero(s->words, sizeof *r->word_cid, "the rig");
    r->by_cid = mem_zero(s->transactions + 2 * KILO_LANES, sizeof *r->by_cid, "the rig");
    r->memory = mem_zero(s->words, sizeof *r->memory, "the rig");
    r->initial = mem_zero(s->words, sizeof *r->initial, "the rig");
    for (uint32_t i = 0; i < s->words; i++)
        r->memory[i] = r->initial[i] = i * 7;
    for (uint32_t u = 0; u < s->units; u++) {
        r->port[u] = (struct port){ r, u };
        struct cu_calls calls = { .ctx = &r->port[u], .reply = on_reply, .access = on_access, .peek = on_peek,
                                  .poke = on_poke, .written = on_written };
        r->unit[u] = cu_new(&s->cfg, &calls, r->out->count, &r->out->hists);
    }
}

static void tear_down(struct rig *r)
{
    for (uint32_t u = 0; u < r->s.units; u++)
        cu_free(r->unit[u]);
    for (uint32_t i = 0; i < r->made; i++)
        free(r->all[i]);
    for (uint32_t i = 0; i < r->s.cores * r->s.units; i++)
        for (struct message *m = r->channel[i].first, *next; m; m = next) {
            next = m->next;
            free(m);
        }
    for (struct reply *k = r->replies, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    void *arrays[] = { r->slot, r->all, r->channel, r->word_at, r->word_cid, r->by_cid,
                       r->memory, r->initial, r->access };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

void cu_rig_run(const struct cu_rig_setup *s, struct cu_rig_result *out)
{
    struct rig r = { .s = *s, .out = out, .random = s->seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .next_cid = 1 };
    *out = (struct cu_rig_result){ 0 };
    set_up(&r);
    while (cycle(&r))
        ;
    for (uint32_t u = 0; u < s->units; u++)
        cu_settle(r.unit[u], r.now);
    if (!out->error[0])
        check_all(&r);
    out->cycles = r.now;
    tear_down(&r);
}
