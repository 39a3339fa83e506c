/*
 * Shared by the run loop of functional mode (run.c) and the stepping of timing mode (step.c): the masks of a warp, the
 * instruction counts, control instructions, waiting loops, transactions.
 */
#ifndef PTX_CONTROL_H
#define PTX_CONTROL_H

#include "base/num.h"
#include "ptx/exec/exec.h"

/* What a warp does after a control instruction. STOP: it waits, ended, faulted, or yields. */
enum control_result { CONTROL_CONTINUE, CONTROL_STOP };

static inline uint32_t warp_halves(const struct warp *w)
{
    return w->halves;
}

/* A predicate or other 32-lane mask operand, both halves together. */
static inline uint64_t warp_mask(struct warp *w, operand o)
{
    uint64_t m = *(const uint32_t *)lanes_at(&w->half[0].l, o);
    if (warp_halves(w) == 2)
        m |= (uint64_t)*(const uint32_t *)lanes_at(&w->half[1].l, o) << 32;
    return m;
}

static inline uint64_t guard_mask(struct warp *w, const struct dinst *d, uint64_t mask)
{
    uint64_t g = warp_mask(w, d->guard);
    return mask & (d->guard_negated ? ~g : g);
}

/* Sets the lanes that the next steps act on. */
static inline void set_masks(struct warp *w, uint64_t mask)
{
    for (uint32_t i = 0; i == 0 || i < warp_halves(w); i++) {
        struct lanes *x = &w->half[i].l;
        x->mask = x->active = (uint32_t)(mask >> LANES * i);
        x->exist = (uint32_t)(w->exist >> LANES * i);
    }
}

/* One step of all halves that have active lanes; both return the same value. */
static inline int run_halves(struct warp *w, const struct dinst *d)
{
    int r = CONTROL_NEXT;
    if (warp_halves(w) == 1)
        return d->fn(&w->half[0].l, d);
    for (uint32_t i = 0; i < warp_halves(w) && r != CONTROL_FAULT; i++)
        if (w->half[i].l.mask) {
            int q = d->fn(&w->half[i].l, d);
            r = q ? q : r;
        }
    return r;
}

/* The PTX instructions of the steps from..to were executed; returns their number. */
static inline uint64_t count_steps(struct warp *w, const struct dinst *from, const struct dinst *to)
{
    uint64_t n = to->seq + to->counts - from->seq;
    w->executed += n;
    w->budget -= (int64_t)n;
    return n;
}

/* The PTX instructions of the steps from..to were executed by the lanes of mask. */
static inline void count(struct warp *w, const struct dinst *from, const struct dinst *to, uint64_t mask)
{
    uint64_t *c = w->half[0].worker->count, n = count_steps(w, from, to);
    c[STAT_WARP_INSTRUCTIONS] += n;
    c[STAT_THREAD_INSTRUCTIONS] += n * num_ones(mask);
}

static inline void count_guarded_off(struct warp *w, uint64_t off)
{
    w->half[0].worker->count[STAT_THREAD_INSTRUCTIONS] -= num_ones(off);
}

static inline bool warp_independent(const struct warp *w)
{
    return w->block->launch->program->independent;
}

/* Executes control instruction d of c, whose step returned r (enum control, or the opcode). */
enum control_result warp_control(struct warp *w, int r, const struct code *c, const struct dinst *d);

/* Pops finished paths, or selects a group of independent lanes. False: no lanes are left, or all wait. */
bool warp_next_group(struct warp *w);

/* ---- waiting loops (spin.c) ---- */

/* Checks at backward branch d whether its loop waits, and yields then. */
enum control_result spin_check(struct warp *w, const struct dinst *d);
/* Does the loop of d wait: is the state that of the last check, with no memory changed since? */
bool spin_waits(struct warp *w, const struct dinst *d);
/* The current group waits: other independent groups run first, until all are found waiting. */
enum control_result spin_yield(struct warp *w, const struct dinst *d);

/* ---- transactions of functional mode, and what both modes need (tx_functional.c) ---- */

enum control_result tx_do_begin(struct warp *w, const struct code *c, const struct dinst *d);
enum control_result tx_do_commit(struct warp *w, const struct code *c, const struct dinst *d);
/* Records that lanes commit at tx_commit d. False: a fault was raised. */
bool tx_record_commit(struct warp *w, const struct code *c, const struct dinst *d, uint64_t lanes);
/* The step where lanes that committed at different places reconverge. */
uint32_t tx_reconvergence(const struct code *c, const struct tx *t);
/* Raises the fault of a lane that reaches the reconvergence point of a branch around tx_begin before its tx_commit. */
void tx_ran_past(struct warp *w, int lane);

/* ---- transactions of timing mode, if launch->tm (txn.c, txn_undo.c) ---- */

struct mem_op;
enum control_result txn_do_begin(struct warp *w, const struct code *c, const struct dinst *d);
enum control_result txn_do_commit(struct warp *w, const struct code *c, const struct dinst *d);
/* warp_next_group inside a transaction. False: all lanes have reached tx_commit and the warp waits (WARP_TX). */
bool txn_next_group(struct warp *w);
/* A store to .local memory was captured: saves the words that it will overwrite. */
void txn_save_stored(struct warp *w, const struct mem_op *op);

#endif
