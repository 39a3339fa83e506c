/*
 * Who waits for whom, for the report of a hang: loops on memory, and who would write it; barriers, and who does not
 * come; warps that never get their turn; and if these waits close a circle, the circle. Lanes that a loop waits for may
 * be lanes of the same warp, which the SIMT stack lets go on only behind the loop (Fung et al., MICRO 2011, Example 1).
 *
 * That a warp would write an address is read off its text: the stores and atomics behind its place, with the addresses
 * that its registers give now.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timing/machine/machine_impl.h"

enum {
    EXPLAINED_MAX = 24,                  /* waits that are told */
    CIRCLE_MAX = 8,                      /* warps of a circle */
    WRITES_MAX = 64,                     /* writes behind a place that are looked at */
    STILL = 10000,                       /* core cycles that no memory access takes */
    PLACE = 400, NAME = 160, WORDS = 600
};

enum wait_for { WAITS_NOT, WAITS_IN_LOOP, WAITS_AT_BARRIER, WAITS_FOR_TURN, WAITS_FOR_TM };

/* A resident warp and what it waits for. */
struct waiter_warp {
    struct warp *w;
    uint32_t sm, slot;
    enum wait_for what;
    uint64_t still;                      /* core cycles in which it did nothing */
    const struct code *code;             /* of the place that is told */
    const struct dinst *at;              /* the branch that closes the loop, the barrier, the instruction */
    const struct dinst *read;            /* the loop's first load or atomic; NULL = none */
    uint64_t address;                    /* of its first lane */
};

/* The write that would end the wait, and whose it is. */
struct writer { const struct waiter_warp *by; const struct dinst *write, *stands; int lane; bool stack; };

struct waits {
    struct machine *m;
    struct waiter_warp *of;
    uint32_t n, shown;
};

static void name_of(const struct waiter_warp *x, char *text, size_t size)
{
    const struct block *b = x->w->block;
    snprintf(text, size, "warp %u of block (%u,%u,%u) on SM %u", x->w->index, b->id[0], b->id[1], b->id[2], x->sm);
}

/* ---- what a warp waits for ---- */

/* The backward branch that closes the innermost loop around a place; NULL when it is in none. */
static const struct dinst *loop_end(const struct code *c, uint32_t pc)
{
    for (uint32_t i = pc; i < c->ninsts; i++) {
        const struct dinst *d = &c->insts[i];
        if (d->in && d->counts && d->in->op == OP_BRA && d->target <= pc)
            return d;
    }
    return NULL;
}

static bool reads(const struct dinst *d)
{
    return d->in && d->counts && (d->in->op == OP_LD || d->in->op == OP_ATOM) && mem_seen_by_threads(d);
}

static bool writes(const struct dinst *d)
{
    return d->in && d->counts && (d->in->op == OP_ST || d->in->op == OP_ATOM || d->in->op == OP_RED) &&
           mem_seen_by_threads(d);
}

/* What the loop looks at: its first load or atomic, and the address of its first lane. */
static void find_read(struct waiter_warp *x)
{
    int lane = __builtin_ctzll(simt_top(x->w)->mask);
    for (const struct dinst *d = &x->code->insts[x->at->target]; d < x->at && !x->read; d++)
        if (reads(d)) {
            x->read = d;
            x->address = mem_lane_address(x->w, d, lane);
        }
}

static void classify(const struct machine *m, struct waiter_warp *x)
{
    char words[WORDS];
    const struct simt_entry *e = simt_top(x->w);
    x->code = x->w->frame[e->frame].code;
    x->at = &x->code->insts[e->pc];
    if (x->w->state == WARP_BARRIER) {
        x->what = WAITS_AT_BARRIER;
        x->at -= e->pc > 0;                  /* it stands behind it */
    } else if (sm_tx_waits(m->sm[x->sm], x->slot, words, sizeof words)) {
        x->what = WAITS_FOR_TM;
        x->at -= x->w->state == WARP_TX && e->pc;
    } else if (x->w->state == WARP_READY && x->still >= STILL) {
        x->what = WAITS_FOR_TURN;
    } else if (x->w->state == WARP_READY && !m->dead && loop_end(x->code, e->pc)) {
        x->what = WAITS_IN_LOOP;
        x->at = loop_end(x->code, e->pc);
        find_read(x);
    }
}

static void collect(struct waits *x, const struct hang_watch *w)
{
    const struct machine *m = x->m;
    x->of = mem_zero((size_t)m->cfg.sms * m->cfg.sm.warps, sizeof *x->of, "a report of waiting warps");
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        for (uint32_t slot = 0; slot < m->cfg.sm.warps; slot++) {
            struct warp *warp = sm_warp(m->sm[i], slot);
            if (!warp || !warp->exist)
                continue;
            struct waiter_warp *node = &x->of[x->n++];
            *node = (struct waiter_warp){ .w = warp, .sm = i, .slot = slot, .still = w ? hang_still(w, i, slot) : 0 };
            classify(m, node);
        }
}

static bool same_wait(const struct waiter_warp *a, const struct waiter_warp *b)
{
    return a->what == b->what && a->at == b->at && a->read == b->read && a->address == b->address;
}

/* ---- who would end it ---- */

/* Do lanes at this place come to a write of the address, as far as the text and their registers tell? */
static bool comes_to_write(struct writer *hit, struct warp *w, const struct code *c, uint32_t pc, uint64_t lanes,
                           uint64_t address)
{
    uint32_t looked = 0;
    for (uint32_t i = pc; i < c->ninsts && looked < WRITES_MAX; i++) {
        if (!writes(&c->insts[i]))
            continue;
        looked++;
        for (uint64_t l = lanes; l; l &= l - 1)
            if (mem_lane_address(w, &c->insts[i], __builtin_ctzll(l)) == address) {
                hit->write = &c->insts[i];
                hit->lane = __builtin_ctzll(l);
                return true;
            }
    }
    return false;
}

/* Lanes that go round in a loop come to what is behind it, unless they wait for the same. */
static bool would_write(struct writer *hit, const struct waiter_warp *by, const struct waiter_warp *x)
{
    struct warp *w = by->w;
    const struct simt_entry *top = simt_top(w);
    uint64_t seen = 0;
    for (uint32_t k = 0; k <= w->nentry; k++) {              /* the current entry, then the others from the top down */
        const struct simt_entry *e = k ? &w->entry[w->nentry - k] : top;
        bool loops = e == top && by->what == WAITS_IN_LOOP;
        uint64_t lanes = e->mask & w->exist & ~seen;
        uint32_t pc = loops ? (uint32_t)(by->at - by->code->insts) + 1 : e->pc;
        seen |= lanes;
        if (e->frame != top->frame || !lanes || (loops && by->address == x->address))
            continue;
        *hit = (struct writer){ .by = by, .stands = &by->code->insts[e->pc], .stack = e != top };
        if (comes_to_write(hit, w, by->code, pc, lanes, x->address))
            return true;
    }
    return false;
}

/* Lanes of the same warp, warps of the same block, then all others, which share no more than global memory with it. */
static bool find_writer(const struct waits *all, const struct waiter_warp *x, struct writer *hit)
{
    if (would_write(hit, x, x))
        return true;
    for (int own = 1; own >= 0; own--)
        for (uint32_t i = 0; i < all->n; i++) {
            const struct waiter_warp *by = &all->of[i];
            bool same = by->w->block == x->w->block;
            if (by != x && same == own && (same || !(x->address >> WINDOW_BITS)) && would_write(hit, by, x))
                return true;
        }
    return false;
}

/* The first warp of the block that has not come to the barrier and can still come. */
static const struct waiter_warp *missing_at_barrier(const struct waits *all, const struct waiter_warp *x)
{
    for (uint32_t i = 0; i < all->n; i++)
        if (all->of[i].w->block == x->w->block && all->of[i].what != WAITS_AT_BARRIER)
            return &all->of[i];
    return NULL;
}

/* A warp that has the place that x waits for at tx_begin. */
static const struct waiter_warp *holder(const struct waits *all, const struct waiter_warp *x)
{
    uint32_t sm, slot;
    if (txn_lanes(x->w) || !tm_core_holder(sm_tm(all->m->sm[x->sm]), x->slot, &sm, &slot))
        return NULL;
    for (uint32_t i = 0; i < all->n; i++)
        if (all->of[i].sm == sm && all->of[i].slot == slot)
            return &all->of[i];
    return NULL;
}

static const struct waiter_warp *waits_for(const struct waits *all, const struct waiter_warp *x)
{
    struct writer hit;
    switch (x->what) {
    case WAITS_IN_LOOP: return x->read && find_writer(all, x, &hit) ? hit.by : NULL;
    case WAITS_AT_BARRIER: return missing_at_barrier(all, x);
    case WAITS_FOR_TM: return holder(all, x);
    default: return NULL;
    }
}

/* ---- words ---- */

static void tell_writer(const struct waits *all, const struct waiter_warp *x)
{
    char name[NAME], place[PLACE], stands[PLACE];
    struct writer hit;
    if (!find_writer(all, x, &hit)) {
        report_add(all->m, "      and no resident warp seems to come to a write of it");
        return;
    }
    name_of(hit.by, name, sizeof name);
    fault_describe(hit.by->code, hit.write, place, sizeof place);
    fault_describe(hit.by->code, hit.stands, stands, sizeof stands);
    report_add(all->m, "      lane %d of %s would write it at %s", hit.lane,
               hit.by == x ? "the same warp" : name, place);
    if (hit.stack && hit.by == x)
        report_add(all->m, "      but comes behind the loop in the SIMT stack, and stands at %s", stands);
    else if (hit.stack)
        report_add(all->m, "      but comes behind other lanes of its warp in the SIMT stack, and stands at %s",
                   stands);
}

static void tell_inside(const struct waits *all, const struct waiter_warp *x)
{
    char words[WORDS];
    if (!sm_tm(all->m->sm[x->sm]) || !txn_lanes(x->w))
        return;
    tm_core_say_inside(sm_tm(all->m->sm[x->sm]), x->slot, words, sizeof words);
    report_add(all->m, "      %s", words);
}

static void tell_loop(const struct waits *all, const struct waiter_warp *x)
{
    char name[NAME], place[PLACE];
    name_of(x, name, sizeof name);
    fault_describe(x->code, x->at, place, sizeof place);
    int lanes = __builtin_popcountll(simt_top(x->w)->mask);
    report_add(all->m, "  %s: %d lane%s in the loop that ends at %s", name, lanes, lanes == 1 ? " spins" : "s spin",
               place);
    tell_inside(all, x);
    if (!x->read) {
        report_add(all->m, "      which reads no memory that others could write");
        return;
    }
    fault_describe(x->code, x->read, place, sizeof place);
    report_add(all->m, "      on address 0x%" PRIx64 ", which it reads at %s", x->address, place);
    tell_writer(all, x);
}

/* Words on the warps of the block that are not at a barrier. */
static void list_missing(const struct block *b, char *text, size_t size)
{
    size_t n = 0;
    for (uint32_t i = 0; i < b->nwarps && n + 40 < size; i++) {
        const struct warp *w = &b->warps[i];
        if (w->state != WARP_BARRIER)
            n += (size_t)snprintf(text + n, size - n, "%s%u (%s)", n ? ", " : "for warps that are not there: ", i,
                                  w->state == WARP_DONE ? "ended" : "running");
    }
    if (!n)
        snprintf(text, size, "as all warps of its block do, at different barriers or for more threads than there are");
}

static void tell_barrier(const struct waits *all, const struct waiter_warp *x)
{
    char name[NAME], place[PLACE], missing[PLACE];
    name_of(x, name, sizeof name);
    fault_describe(x->code, x->at, place, sizeof place);
    list_missing(x->w->block, missing, sizeof missing);
    report_add(all->m, "  %s waits at %s %s", name, place, missing);
}

static void tell_turn(const struct waits *all, const struct waiter_warp *x)
{
    char name[NAME], place[PLACE];
    name_of(x, name, sizeof name);
    fault_describe(x->code, x->at, place, sizeof place);
    report_add(all->m, "  %s has not got its turn for %" PRIu64 " cycles, at %s", name, x->still, place);
}

static void tell_tm(const struct waits *all, const struct waiter_warp *x)
{
    char name[NAME], place[PLACE], words[WORDS];
    name_of(x, name, sizeof name);
    fault_describe(x->code, x->at, place, sizeof place);
    sm_tx_waits(all->m->sm[x->sm], x->slot, words, sizeof words);
    report_add(all->m, "  %s waits at %s", name, place);
    report_add(all->m, "      for %s", words);
}

/* One of those that wait for the same is told, and how many more there are. */
static void tell_waits(struct waits *all, enum wait_for what,
                       void (*tell)(const struct waits *all, const struct waiter_warp *x))
{
    for (uint32_t i = 0; i < all->n; i++) {
        uint32_t same = 0, first = 0;
        char words[32];
        if (all->of[i].what != what)
            continue;
        while (!same_wait(&all->of[first], &all->of[i]))
            first++;
        if (first < i || all->shown++ >= EXPLAINED_MAX)
            continue;
        tell(all, &all->of[i]);
        for (uint32_t k = i + 1; k < all->n; k++)
            same += same_wait(&all->of[k], &all->of[i]);
        snprintf(words, sizeof words, "do %u warps", same);
        if (same)
            report_add(all->m, "      and so %s more", same == 1 ? "does 1 warp" : words);
    }
}

/* ---- circles ---- */

/* Follows the waits from a warp on; a circle's warps go to `circle`. Returns how many there are, 0 = it ends. */
static uint32_t follow(const struct waits *all, const struct waiter_warp *x, const struct waiter_warp **circle)
{
    const struct waiter_warp *way[2 * CIRCLE_MAX];
    uint32_t n = 0;
    for (; x && n < 2 * CIRCLE_MAX; x = waits_for(all, x)) {
        for (uint32_t i = 0; i < n; i++)
            if (way[i] == x) {
                memcpy(circle, way + i, (n - i) * sizeof *way);
                return n - i;
            }
        way[n++] = x;
    }
    return 0;
}

static void tell_circle(const struct waits *all)
{
    const struct waiter_warp *circle[2 * CIRCLE_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < all->n && i < EXPLAINED_MAX && !n; i++)
        n = follow(all, &all->of[i], circle);
    if (!n)
        return;
    report_add(all->m, "  a circle of waiting:");
    for (uint32_t i = 0; i < n; i++) {
        char name[NAME], place[PLACE];
        name_of(circle[i], name, sizeof name);
        fault_describe(circle[i]->code, circle[i]->at, place, sizeof place);
        report_add(all->m, "      %s waits for %s, at %s", name,
                   n == 1 ? "lanes of its own" : i + 1 < n ? "the next one" : "the first one", place);
    }
    if (n == 1)
        report_add(all->m, "      Run with --simt independent, or write the loop so that lanes that succeed do their "
                           "work inside it (SIMTX_LOCK_DONE, simtx_tm.h)");
}

void hang_explain(struct machine *m, const struct hang_watch *w)
{
    struct waits all = { .m = m };
    collect(&all, w);
    tell_circle(&all);
    tell_waits(&all, WAITS_AT_BARRIER, tell_barrier);        /* who does not move at all comes first */
    tell_waits(&all, WAITS_FOR_TM, tell_tm);
    tell_waits(&all, WAITS_FOR_TURN, tell_turn);
    tell_waits(&all, WAITS_IN_LOOP, tell_loop);
    if (all.shown > EXPLAINED_MAX)
        report_add(m, "  and %u other waits", all.shown - EXPLAINED_MAX);
    free(all.of);
}
