/*
 * Executes one PTX instruction at a time, for timing mode (launch->timed), which decides when. The stack, control flow,
 * barriers and arithmetic are those of run.c and simt.c. Memory instructions are captured (ptx/memory/access.h), and
 * the memory system performs them later. Groups of independent lanes are switched as in functional mode: at the end of
 * a time slice of launch->quantum instructions, and when a loop repeats its state.
 */
#ifndef PTX_STEP_H
#define PTX_STEP_H

#include "ptx/memory/access.h"
#include "ptx/exec/exec.h"

enum step_result { STEP_OK, STEP_WAITS, STEP_ENDED, STEP_FAULT };

/* The instruction that was executed, for counters and pipelines. */
struct step {
    const struct dinst *d;           /* the counting step of the PTX instruction d->in; d->seq: its index */
    uint64_t active;                 /* lanes of the top entry, before the guard */
    uint64_t lanes;                  /* of these, those whose guard is true */
    bool diverged;                   /* a branch that its lanes took in different directions */
    bool jumped;                     /* the next instruction does not follow it in the text, so fetch restarts; false
                                        when the warp ended or waits */
};

void warp_settle(struct warp *w);    /* finds the next instruction, or the state in which there is none */

/*
 * The PTX instruction that the warp executes next; *code: its function. Pops finished paths and passes join markers.
 * NULL when the warp has ended or waits (w->state WARP_DONE, WARP_BARRIER, WARP_TX, WARP_FAULT). Repeated calls change
 * nothing. d->in is NULL for the return after a function's last instruction. block->released has the warps that need
 * no longer wait.
 */
static inline const struct dinst *warp_peek(struct warp *w, const struct code **code)
{
    if (!w->chosen)
        warp_settle(w);
    if (w->state != WARP_READY)
        return NULL;
    *code = w->here_code;
    return w->here;
}

/*
 * Executes the instruction of warp_peek; s->d->in is the instruction. A memory instruction (ld, st, atom, red on any
 * space; prefetch) is captured: steps that prepare operands execute, operands and addresses go to op (which must be
 * given; op->lanes is 0 when no lane's guard is true or all lanes were served at once), and the warp's pc advances.
 * Other instructions execute. The result is the warp's state afterwards: STEP_WAITS at a barrier until others arrive
 * and after tx_commit until outcomes are decided (txn.h), STEP_ENDED after the exit of the last lanes. nanosleep has no
 * effect here; timing mode delays it. tx_begin and tx_commit have no effect without launch->tm. The worker counts
 * as in functional mode. A barrier that some lanes of a diverged warp reach first may execute again, after the other
 * lanes; it is counted once.
 */
enum step_result warp_step(struct warp *w, struct step *s, struct mem_op *op);

/* Lanes of an instruction whose guard is true, without executing it. */
uint64_t warp_guard_lanes(struct warp *w, const struct dinst *d);

#endif
