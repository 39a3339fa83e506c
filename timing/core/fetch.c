/*
 * Fetch: warps with space in their instruction buffer access the instruction cache round robin. A hit fills the buffer
 * some cycles later with a few instructions, at most to the end of the line; after a miss the warp waits for the line.
 * When the next instruction does not follow the last one in the code, the buffer is emptied, and instructions that are
 * still being fetched are dropped. With core.fetch_past_branch, fetch first continues on the fall-through path, which
 * costs bandwidth; a scheduler flushes the wrong path when it considers the warp, before the one that it issues from.
 */
#include "timing/core/sm_impl.h"

static uint64_t fetch_address(const struct sm *s, const struct slot *w)
{
    return w->code->address + (uint64_t)w->fetch * s->cfg.inst_bytes;
}

/* Number of instructions of the next fetch. */
static uint32_t fetch_size(const struct slot *w)
{
    return w->code->inst[w->fetch].fetched;
}

static bool wants(const struct sm *s, const struct slot *w)
{
    if (w->buffered + w->coming >= s->cfg.ibuffer)
        return false;
    bool waits = s->cfg.fetch_past_branch ? w->path == FETCH_TO_FLUSH : w->hold == SM_STALL_BRANCH;
    if (w->ended || w->missing || waits || w->fetch > w->code->ninsts)
        return false;
    return w->buffered + w->coming + fetch_size(w) <= s->cfg.ibuffer;
}

void fetch_consider(struct sm *s, struct slot *w)
{
    uint64_t bit = UINT64_C(1) << w->index % 64;
    if (s->cfg.perfect_fetch)
        return;
    if (wants(s, w)) {
        s->want[w->index / 64] |= bit;
        s->fetch_at = s->fetch_at < s->now ? s->fetch_at : s->now;
    } else {
        s->want[w->index / 64] &= ~bit;
    }
}

void fetch_start(struct sm *s, struct slot *w, uint32_t seq)
{
    w->epoch++;
    w->path = FETCH_RIGHT_PATH;
    s->sched[w->sched].to_flush &= ~w->bit;
    w->fetch = seq;
    w->buffered = s->cfg.perfect_fetch;
    w->coming = 0;
    w->missing = false;
}

static void flush_later(struct sm *s, struct slot *w)
{
    struct scheduler *c = &s->sched[w->sched];
    w->path = FETCH_TO_FLUSH;
    c->to_flush |= w->bit;
    c->at = c->at < s->now ? c->at : s->now;
}

void fetch_redirect(struct sm *s, struct slot *w, uint32_t next, uint32_t seq)
{
    bool wrong = w->buffered || w->coming;
    if (!s->cfg.fetch_past_branch || s->cfg.perfect_fetch) {
        fetch_start(s, w, seq);
        return;
    }
    fetch_start(s, w, next);
    w->path = FETCH_WRONG_PATH;
    if (wrong || next > w->code->ninsts)
        flush_later(s, w);
}

void fetch_flush(struct sm *s, unsigned k, uint64_t warps)
{
    for (uint64_t m = warps & s->sched[k].to_flush; m; m &= m - 1) {
        struct slot *w = &s->slot[(uint32_t)__builtin_ctzll(m) * s->cfg.schedulers + k];
        fetch_start(s, w, w->seq);
        fetch_consider(s, w);
    }
}

void fetch_arrived(struct sm *s, struct slot *w, const struct event *e)
{
    if (e->epoch != w->epoch)
        return;
    if (w->path == FETCH_WRONG_PATH) {
        flush_later(s, w);
        return;
    }
    w->coming -= (uint16_t)e->n;
    w->buffered += (uint16_t)e->n;
    if (w->set == SCHED_WAIT + SM_STALL_FETCH)
        warp_consider(s, w);
}

void fetch_line(struct sm *s, uint64_t line)
{
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        struct slot *w = &s->slot[i];
        if (w->warp && w->missing && fetch_address(s, w) / LINE_BYTES == line / LINE_BYTES) {
            w->missing = false;
            fetch_consider(s, w);
        }
    }
}

static void fetch_one(struct sm *s, struct slot *w)
{
    if (!lsu_fetch(s->lsu, fetch_address(s, w), s->now)) {
        w->missing = true;
        s->lsu_at = s->now;
    } else {
        struct event e = { .at = s->now + s->cfg.fetch_latency, .kind = EVENT_FETCHED, .warp = w->index };
        e.epoch = w->epoch;
        e.n = fetch_size(w);
        w->coming += (uint16_t)e.n;
        w->fetch += e.n;
        calendar_add(&s->calendar, s->now, &e);
    }
    fetch_consider(s, w);
}

static bool any_wants(const struct sm *s)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < s->want_words; i++)
        any |= s->want[i];
    return any;
}

/* The next slot, round robin, that needs a fetch; SM_SLOTS_MAX = none. */
static uint32_t next_wanting(const struct sm *s)
{
    uint32_t words = s->want_words, next = s->fetched_last + 1, from = next < words * 64 ? next : 0;
    uint64_t here = s->want[from / 64] >> from % 64;
    if (here)
        return from + (unsigned)__builtin_ctzll(here);
    if (words == 1)
        return s->want[0] ? (unsigned)__builtin_ctzll(s->want[0]) : SM_SLOTS_MAX;
    for (uint32_t i = 1; i <= words; i++) {
        uint32_t k = from / 64 + i < words ? from / 64 + i : from / 64 + i - words;
        if (s->want[k])
            return k * 64 + (unsigned)__builtin_ctzll(s->want[k]);
    }
    return SM_SLOTS_MAX;
}

void fetch_run(struct sm *s)
{
    uint32_t w = 0;
    for (uint32_t n = 0; n < s->cfg.fetches && (w = next_wanting(s)) != SM_SLOTS_MAX; n++) {
        s->fetched_last = w;
        fetch_one(s, &s->slot[w]);
    }
    s->fetch_at = any_wants(s) ? s->now + 1 : NEVER;
}
