/*
 * What a warp's next instruction waits for. A warp is looked at only when something happened that it may have waited
 * for: then it moves to the set of warps ready for a pipeline, or to that of the reason that holds it. The scoreboard
 * holds an instruction back while a register that it reads or writes is pending; sources are read at issue, so there is
 * no need to wait for readers.
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
    for (unsigned i = t->nsrc; t->far && i < t->nsrc + t->ndst; i++)
        set_bit(set, t->reg[i]);
    *(memory ? &w->nmem : &w->nalu) += 1;
}

void warp_clear_pending(struct sm *s, struct slot *w, const struct tinst *t, bool memory)
{
    uint64_t *set = w->pending + (memory ? s->pending_words : 0);
    for (int k = 0; k < TINST_WORDS; k++)
        set[k] &= ~t->writes[k];
    for (unsigned i = t->nsrc; t->far && i < t->nsrc + t->ndst; i++)
        clear_bit(set, t->reg[i]);
    *(memory ? &w->nmem : &w->nalu) -= 1;
    if (w->place == PLACE_WAIT + ST_SCOREBOARD_MEM || w->place == PLACE_WAIT + ST_SCOREBOARD_ALU)
        warp_consider(s, w);
    else if (w->ended)
        cta_check_end(s, w->block);
}

/* Is a register that the instruction names in the set? */
static inline bool names_any(const struct tinst *t, const uint64_t *set)
{
    uint64_t any = 0;
    for (int k = 0; k < TINST_WORDS; k++)
        any |= t->names[k] & set[k];
    for (unsigned i = 0; t->far && i < (unsigned)t->nsrc + t->ndst; i++)
        any |= set[t->reg[i] / 64] >> t->reg[i] % 64 & 1;
    return any;
}

/* The reason, STALLS when nothing is pending. Registers of another function have other numbers: all of them must be
 * there. */
static enum stall scoreboard(const struct slot *w, uint32_t words)
{
    const struct tinst *t = w->inst;
    if (t->whole || w->names != w->code)
        return w->nmem ? ST_SCOREBOARD_MEM : ST_SCOREBOARD_ALU;
    if (names_any(t, w->pending + words))
        return ST_SCOREBOARD_MEM;
    return names_any(t, w->pending) ? ST_SCOREBOARD_ALU : STALLS;
}

/* ---- order ---- */

static enum stall order_stall(enum order_kind k)
{
    switch (k) {
    case ORDER_FENCE:
    case ORDER_FENCE_CTA: return ST_FENCE;
    case ORDER_BARRIER:
    case ORDER_EXIT: return ST_DRAIN;
    default: return ST_ORDER;
    }
}

void warp_performed(struct sm *s, struct slot *w, uint32_t loads, uint32_t stores, uint32_t acquires)
{
    w->order.loads -= loads;
    w->order.stores -= stores;
    w->order.acquires -= acquires;
    if (w->place == PLACE_WAIT + ST_ORDER || w->place == PLACE_WAIT + ST_FENCE || w->place == PLACE_WAIT + ST_DRAIN)
        warp_consider(s, w);
    else if (w->ended)
        cta_check_end(s, w->block);
}

/* ---- places ---- */

static unsigned place_of(struct sm *s, struct slot *w)
{
    const struct tinst *t = w->inst;
    enum stall r;
    if (w->hold != NO_HOLD)
        return PLACE_WAIT + w->hold;
    if (!w->buffered)
        return PLACE_WAIT + ST_FETCH;
    if (w->nalu + w->nmem && (r = scoreboard(w, s->pending_words)) != STALLS)
        return PLACE_WAIT + r;
    if (w->tm && (t->kind == TK_TX || w->in_tx) && !tx_may_issue(s, w, t))
        return PLACE_WAIT + ST_TX;
    if (t->ordered && !s->cfg.order->may_issue(s->order_state, w->index, &w->order, &t->access))
        return PLACE_WAIT + order_stall(t->access.kind);
    if (t->kind == TK_HOST && (w->collecting || lsu_warp_busy(s->lsu, w->index))) {
        s->hosts++;
        return PLACE_WAIT + ST_DRAIN;
    }
    return t->pipe;
}

static const char *place_name(const struct slot *w)
{
    if (w->place == PLACE_WAIT + ST_TX)
        return tx_wait_name[w->tx_wait];
    return w->place < PIPES ? "ready" : stall_table[w->place - PLACE_WAIT].name;
}

void warp_watch(struct sm *s, const struct slot *w, uint64_t until)
{
    if (w->place != PLACE_NONE && until > w->since)
        watch_state(s->watch, w->index, place_name(w), w->since, until);
}

void warp_move(struct sm *s, struct slot *w, unsigned place)
{
    struct scheduler *c = &s->sched[w->sched];
    if (place == w->place)
        return;
    if (s->watch) {
        warp_watch(s, w, s->now);
        w->tx_wait = place == PLACE_WAIT + ST_TX ? (uint8_t)tx_waits_for(s, w) : 0;
    }
    sched_move(c, w->bit, w->place, place);
    w->place = (uint8_t)place;
    w->since = s->now;
    c->at = s->now;
}

void warp_renew(struct sm *s, struct slot *w)
{
    if (s->watch)
        warp_watch(s, w, s->now);
    if (w->since < s->now)
        w->since = s->now;
    if (s->watch && w->place == PLACE_WAIT + ST_TX)
        w->tx_wait = (uint8_t)tx_waits_for(s, w);
}

void warp_consider(struct sm *s, struct slot *w)
{
    warp_move(s, w, place_of(s, w));
}

void warp_hold(struct sm *s, struct slot *w, enum stall why, uint64_t until)
{
    w->hold = (uint8_t)why;
    if (until != NEVER) {
        w->waking = true;
        sm_event(s, until, EV_WAKE, w);
    }
}

void warp_wake(struct sm *s, struct slot *w)
{
    w->hold = NO_HOLD;
    w->waking = false;
    states_book(s, w);
    if (!w->inst)
        warp_advance(s, w);
    if (w->ended)
        return;
    fetch_consider(s, w);
    warp_consider(s, w);
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
            cta_warp_ended(s, w);
        else if (w->warp->state == WARP_TX)
            tx_committing(s, w);
        else
            warp_hold(s, w, ST_BARRIER, NEVER);
        return;
    }
    bool there = code == w->code->code;
    if (!there)
        w->code = w->block->grid->grid->code->of_func[code->func->index];
    if (!there || d->seq != w->seq + 1)
        fetch_start(s, w, d->seq);
    w->seq = d->seq;
    w->inst = &w->code->inst[d->seq];
}
