/*
 * The wait-for graph of a hang, for its report: warps that spin on memory, and the warp that would write it; warps at
 * barriers, and the warps that have not arrived; warps that are never scheduled; and a cycle in the graph, if there is
 * one. A loop may wait for lanes of its own warp, which the SIMT stack lets continue only after the loop (Fung et al.,
 * MICRO 2011, Example 1).
 *
 * Whether a warp would write an address is estimated from its code: the stores and atomics after its position, with the
 * addresses that its registers give now.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timing/machine/machine_impl.h"

enum {
    REPORTED_MAX = 24,                   /* waits in the report */
    CYCLE_MAX = 8,                       /* warps of a cycle */
    WRITES_MAX = 64,                     /* writes after a position that are examined */
    STALLED = 10000,                     /* core cycles; every memory access is shorter */
    POSITION = 400, NAME = 160, TEXT = 600
};

enum wait_kind { WAITS_NONE, WAITS_LOOP, WAITS_BARRIER, WAITS_ISSUE, WAITS_TM };

/* A resident warp and what it waits for. */
struct waiter_warp {
    struct warp *w;
    uint32_t sm, slot;
    enum wait_kind kind;
    uint64_t stalled;                    /* core cycles without an instruction */
    const struct code *code;             /* of the function of `at` */
    const struct dinst *at;              /* where it waits: the branch that closes the loop, the barrier ... */
    const struct dinst *read;            /* the loop's first load or atomic; NULL = none */
    uint64_t address;                    /* of the first lane of the read */
};

/* The write that would end a wait. position: where its lane is now; stack: below other lanes in the SIMT stack. */
struct writer { const struct waiter_warp *by; const struct dinst *write, *position; int lane; bool stack; };

struct waits {
    struct machine *m;
    struct waiter_warp *of;
    uint32_t n, reported;
};

static void name_of(const struct waiter_warp *x, char *text, size_t size)
{
    const struct block *b = x->w->block;
    snprintf(text, size, "warp %u of block (%u,%u,%u) on SM %u", x->w->index, b->id[0], b->id[1], b->id[2], x->sm);
}

/* ---- what a warp waits for ---- */

/* The backward branch that closes the innermost loop around a position; NULL = no loop. */
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
    return d->in && d->counts && (d->in->op == OP_LD || ptx_mem_kind(d->in->op) == MOP_ATOM) && mem_seen_by_threads(d);
}

static bool writes(const struct dinst *d)
{
    if (!d->in || !d->counts || ptx_is_mbarrier_test(d->in->op))
        return false;
    enum mem_op_kind kind = ptx_mem_kind(d->in->op);
    return (d->in->op == OP_ST || kind == MOP_ATOM || kind == MOP_RED) && mem_seen_by_threads(d);
}

/* The memory that the loop polls: its first load or atomic, and the address of the first lane. */
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
    char text[TEXT];
    const struct simt_entry *e = simt_top(x->w);
    x->code = x->w->frame[e->frame].code;
    x->at = &x->code->insts[e->pc];
    if (x->w->state == WARP_BARRIER) {
        x->kind = WAITS_BARRIER;
        x->at -= e->pc > 0;                  /* the program counter is after the barrier */
    } else if (sm_tx_waits(m->sm[x->sm], x->slot, text, sizeof text)) {
        x->kind = WAITS_TM;
        x->at -= x->w->state == WARP_TX && e->pc;
    } else if (x->w->state == WARP_READY && x->stalled >= STALLED) {
        x->kind = WAITS_ISSUE;
    } else if (x->w->state == WARP_READY && !m->dead && loop_end(x->code, e->pc)) {
        x->kind = WAITS_LOOP;
        x->at = loop_end(x->code, e->pc);
        find_read(x);
    }
}

static void collect(struct waits *x, const struct hang_detector *w)
{
    const struct machine *m = x->m;
    x->of = mem_zero((size_t)m->cfg.sms * m->cfg.sm.warps, sizeof *x->of, "a report of waiting warps");
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        for (uint32_t slot = 0; slot < m->cfg.sm.warps; slot++) {
            struct warp *warp = sm_warp(m->sm[i], slot);
            if (!warp || !warp->exist)
                continue;
            struct waiter_warp *node = &x->of[x->n++];
            *node = (struct waiter_warp){ .w = warp, .sm = i, .slot = slot,
                                          .stalled = w ? hang_detector_stalled(w, i, slot) : 0 };
            classify(m, node);
        }
}

static bool same_wait(const struct waiter_warp *a, const struct waiter_warp *b)
{
    return a->kind == b->kind && a->at == b->at && a->read == b->read && a->address == b->address;
}

/* ---- the warp that would end it ---- */

/* Are they blocks of one cluster? */
static bool same_cluster(const struct block *a, const struct block *b)
{
    uint32_t blocks = cluster_blocks(a->launch);
    return a->launch == b->launch && a->order / blocks == b->order / blocks;
}

/* An address as all blocks of the cluster of b would write it: one of shared memory has the rank of its block. */
static uint64_t common_address(const struct block *b, uint64_t address)
{
    bool shared = address >> WINDOW_BITS == WINDOW_SHARED >> WINDOW_BITS;
    return shared ? cluster_map(address, cluster_rank(b, address)) : address;
}

static uint64_t polled_address(const struct waiter_warp *x)
{
    return common_address(x->w->block, x->address);
}

/* Would lanes at this position reach a write of the address, according to the code and their registers? */
static bool reaches_write(struct writer *hit, struct warp *w, const struct code *c, uint32_t pc, uint64_t lanes,
                           uint64_t address)
{
    uint32_t examined = 0;
    for (uint32_t i = pc; i < c->ninsts && examined < WRITES_MAX; i++) {
        if (!writes(&c->insts[i]))
            continue;
        examined++;
        for (uint64_t l = lanes; l; l &= l - 1)
            if (common_address(w->block, mem_lane_address(w, &c->insts[i], __builtin_ctzll(l))) == address) {
                hit->write = &c->insts[i];
                hit->lane = __builtin_ctzll(l);
                return true;
            }
    }
    return false;
}

/* Lanes that spin in a loop are assumed to leave it, unless they wait for the same address. */
static bool would_write(struct writer *hit, const struct waiter_warp *by, const struct waiter_warp *x)
{
    struct warp *w = by->w;
    const struct simt_entry *top = simt_top(w);
    uint64_t seen = 0;
    for (uint32_t k = 0; k <= w->nentry; k++) {              /* the current entry, then the others from the top down */
        const struct simt_entry *e = k ? &w->entry[w->nentry - k] : top;
        bool loops = e == top && by->kind == WAITS_LOOP;
        uint64_t lanes = e->mask & w->exist & ~seen;
        uint32_t pc = loops ? (uint32_t)(by->at - by->code->insts) + 1 : e->pc;
        seen |= lanes;
        if (e->frame != top->frame || !lanes || (loops && polled_address(by) == polled_address(x)))
            continue;
        *hit = (struct writer){ .by = by, .position = &by->code->insts[e->pc], .stack = e != top };
        if (reaches_write(hit, w, by->code, pc, lanes, polled_address(x)))
            return true;
    }
    return false;
}

/* Searches the lanes of the same warp, warps of the same block, then all others that can access the address: those of
 * the cluster for one of shared memory. */
static bool find_writer(const struct waits *all, const struct waiter_warp *x, struct writer *hit)
{
    if (would_write(hit, x, x))
        return true;
    for (int own = 1; own >= 0; own--)
        for (uint32_t i = 0; i < all->n; i++) {
            const struct waiter_warp *by = &all->of[i];
            bool same = by->w->block == x->w->block;
            bool can = !(x->address >> WINDOW_BITS) || same_cluster(by->w->block, x->w->block);
            if (by != x && same == own && can && would_write(hit, by, x))
                return true;
        }
    return false;
}

static bool waits_for_cluster(const struct warp *w)
{
    return w->entry[w->current].waits == WAIT_CLUSTER;
}

/* Has y not arrived at the barrier at which x waits, that of its cluster or one of its block? */
static bool misses(const struct waiter_warp *x, const struct waiter_warp *y)
{
    if (waits_for_cluster(x->w))
        return same_cluster(x->w->block, y->w->block) && y->w->exist & ~y->w->cluster_arrived;
    return x->w->block == y->w->block && (y->kind != WAITS_BARRIER || waits_for_cluster(y->w));
}

/* The first warp of the block, or of the cluster, that has not arrived at the barrier and has not ended. */
static const struct waiter_warp *missing_at_barrier(const struct waits *all, const struct waiter_warp *x)
{
    for (uint32_t i = 0; i < all->n; i++)
        if (misses(x, &all->of[i]))
            return &all->of[i];
    return NULL;
}

/* A warp that holds the token for which x waits at tx_begin. */
static const struct waiter_warp *holder(const struct waits *all, const struct waiter_warp *x)
{
    uint32_t sm, slot;
    if (txn_lanes(x->w) || !tm_core_token_holder(sm_tm(all->m->sm[x->sm]), x->slot, &sm, &slot))
        return NULL;
    for (uint32_t i = 0; i < all->n; i++)
        if (all->of[i].sm == sm && all->of[i].slot == slot)
            return &all->of[i];
    return NULL;
}

static const struct waiter_warp *waits_for(const struct waits *all, const struct waiter_warp *x)
{
    struct writer hit;
    switch (x->kind) {
    case WAITS_LOOP: return x->read && find_writer(all, x, &hit) ? hit.by : NULL;
    case WAITS_BARRIER: return missing_at_barrier(all, x);
    case WAITS_TM: return holder(all, x);
    default: return NULL;
    }
}

/* ---- the report ---- */

static void report_writer(const struct waits *all, const struct waiter_warp *x)
{
    char name[NAME], write[POSITION], position[POSITION];
    struct writer hit;
    if (!find_writer(all, x, &hit)) {
        machine_report_add(all->m, "      and no resident warp appears to reach a write of this address");
        return;
    }
    name_of(hit.by, name, sizeof name);
    fault_describe(hit.by->code, hit.write, write, sizeof write);
    fault_describe(hit.by->code, hit.position, position, sizeof position);
    machine_report_add(all->m, "      lane %d of %s would write it at %s", hit.lane,
                       hit.by == x ? "the same warp" : name, write);
    if (hit.stack)
        machine_report_add(all->m, "      but is below %s in the SIMT stack, at %s",
                           hit.by == x ? "the loop" : "other lanes of its warp", position);
}

static void report_inside(const struct waits *all, const struct waiter_warp *x)
{
    char text[TEXT];
    if (!sm_tm(all->m->sm[x->sm]) || !txn_lanes(x->w))
        return;
    tm_core_describe_attempt(sm_tm(all->m->sm[x->sm]), x->slot, text, sizeof text);
    machine_report_add(all->m, "      %s", text);
}

static void report_loop(const struct waits *all, const struct waiter_warp *x)
{
    char name[NAME], place[POSITION];
    name_of(x, name, sizeof name);
    fault_describe(x->code, x->at, place, sizeof place);
    int lanes = __builtin_popcountll(simt_top(x->w)->mask);
    machine_report_add(all->m, "  %s: %d lane%s in the loop that ends at %s", name, lanes,
                       lanes == 1 ? " spins" : "s spin", place);
    report_inside(all, x);
    if (!x->read) {
        machine_report_add(all->m, "      which reads no memory that other threads could write");
        return;
    }
    fault_describe(x->code, x->read, place, sizeof place);
    machine_report_add(all->m, "      on address 0x%" PRIx64 ", which it reads at %s", x->address, place);
    report_writer(all, x);
}

/* The warps of the block that are at none of its barriers. */
static void list_missing(const struct block *b, char *text, size_t size)
{
    size_t n = 0;
    for (uint32_t i = 0; i < b->nwarps && n + 60 < size; i++) {
        const struct warp *w = &b->warps[i];
        bool cluster = w->state == WARP_BARRIER && waits_for_cluster(w);
        if (w->state != WARP_BARRIER || cluster)
            n += (size_t)snprintf(text + n, size - n, "%s%u (%s)", n ? ", " : "for warps that have not arrived: ", i,
                                  cluster                 ? "waits for the cluster"
                                  : w->state == WARP_DONE ? "ended"
                                                          : "running");
    }
    if (!n)
        snprintf(text, size, "like all warps of its block, at different barriers or for more threads than exist");
}

static void name_missing(const struct waits *all, const struct waiter_warp *x, char *text, size_t size)
{
    char name[NAME];
    const struct waiter_warp *first = missing_at_barrier(all, x);
    if (first)
        name_of(first, name, sizeof name);
    snprintf(text, size, "for threads of its cluster that have not arrived%s%s", first ? ": first " : "",
             first ? name : "");
}

static void report_barrier(const struct waits *all, const struct waiter_warp *x)
{
    char name[NAME], place[POSITION], missing[POSITION];
    name_of(x, name, sizeof name);
    fault_describe(x->code, x->at, place, sizeof place);
    if (waits_for_cluster(x->w))
        name_missing(all, x, missing, sizeof missing);
    else
        list_missing(x->w->block, missing, sizeof missing);
    machine_report_add(all->m, "  %s waits at %s %s", name, place, missing);
}

static void report_no_issue(const struct waits *all, const struct waiter_warp *x)
{
    char name[NAME], place[POSITION];
    name_of(x, name, sizeof name);
    fault_describe(x->code, x->at, place, sizeof place);
    machine_report_add(all->m, "  %s has not been scheduled for %" PRIu64 " cycles, at %s", name, x->stalled, place);
}

static void report_tm(const struct waits *all, const struct waiter_warp *x)
{
    char name[NAME], place[POSITION], text[TEXT];
    name_of(x, name, sizeof name);
    fault_describe(x->code, x->at, place, sizeof place);
    sm_tx_waits(all->m->sm[x->sm], x->slot, text, sizeof text);
    machine_report_add(all->m, "  %s waits at %s", name, place);
    machine_report_add(all->m, "      for %s", text);
}

/* Reports each wait of a kind once, with the number of other warps that have the same wait. */
static void report_waits(struct waits *all, enum wait_kind kind,
                         void (*report)(const struct waits *all, const struct waiter_warp *x))
{
    for (uint32_t i = 0; i < all->n; i++) {
        uint32_t same = 0, first = 0;
        if (all->of[i].kind != kind)
            continue;
        while (!same_wait(&all->of[first], &all->of[i]))
            first++;
        if (first < i || all->reported++ >= REPORTED_MAX)
            continue;
        report(all, &all->of[i]);
        for (uint32_t k = i + 1; k < all->n; k++)
            same += same_wait(&all->of[k], &all->of[i]);
        if (same)
            machine_report_add(all->m, "      %u more warp%s the same wait", same, same == 1 ? " has" : "s have");
    }
}

/* ---- cycles ---- */

/* Follows the waits from a warp on. Returns the number of warps of a cycle and the warps in `cycle`; 0 = no cycle. */
static uint32_t follow(const struct waits *all, const struct waiter_warp *x, const struct waiter_warp **cycle)
{
    const struct waiter_warp *path[2 * CYCLE_MAX];
    uint32_t n = 0;
    for (; x && n < 2 * CYCLE_MAX; x = waits_for(all, x)) {
        for (uint32_t i = 0; i < n; i++)
            if (path[i] == x) {
                memcpy(cycle, path + i, (n - i) * sizeof *path);
                return n - i;
            }
        path[n++] = x;
    }
    return 0;
}

static void report_cycle(const struct waits *all)
{
    const struct waiter_warp *cycle[2 * CYCLE_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < all->n && i < REPORTED_MAX && !n; i++)
        n = follow(all, &all->of[i], cycle);
    if (!n)
        return;
    machine_report_add(all->m, "  cycle in the wait-for graph:");
    for (uint32_t i = 0; i < n; i++) {
        char name[NAME], place[POSITION];
        name_of(cycle[i], name, sizeof name);
        fault_describe(cycle[i]->code, cycle[i]->at, place, sizeof place);
        machine_report_add(all->m, "      %s waits for %s, at %s", name,
                           n == 1 ? "lanes of its own" : i + 1 < n ? "the next warp" : "the first warp", place);
    }
}

/* The next step if warps spin in a loop while the SIMT stack holds back lanes of theirs that may end the wait. */
static void report_lock_advice(const struct waits *all)
{
    uint32_t n = 0;
    const struct waiter_warp *first = NULL;
    for (uint32_t i = all->n; i-- > 0;)
        if (all->of[i].kind == WAITS_LOOP && !all->of[i].w->block->launch->program->independent &&
            fault_waits_for_own_lanes(all->of[i].w)) {
            first = &all->of[i];
            n++;
        }
    if (!n)
        return;
    char place[POSITION];
    fault_describe(first->code, first->at, place, sizeof place);
    machine_report_add(all->m, "  %u warp%s in a loop while the SIMT stack holds back other lanes of the same warp, at "
                       "%s", n, n == 1 ? " spins" : "s spin", place);
    machine_report_add(all->m, "  " FAULT_LOCK_ADVICE);
}

void hang_explain(struct machine *m, const struct hang_detector *w)
{
    struct waits all = { .m = m };
    collect(&all, w);
    report_lock_advice(&all);
    report_cycle(&all);
    report_waits(&all, WAITS_BARRIER, report_barrier);     /* first the warps that execute nothing */
    report_waits(&all, WAITS_TM, report_tm);
    report_waits(&all, WAITS_ISSUE, report_no_issue);
    report_waits(&all, WAITS_LOOP, report_loop);
    if (all.reported > REPORTED_MAX)
        machine_report_add(m, "  and %u other waits", all.reported - REPORTED_MAX);
    free(all.of);
}
