/*
 * One PTX instruction at a time, for timing mode (launch->timed), which decides when. The stack, control flow,
 * barriers and arithmetic are those of run.c and simt.c; memory instructions are not executed here but captured
 * (ptx/memory/access.h) and performed later by the memory system. Independent lanes change places where they do in
 * functional mode: when a turn of launch->quantum instructions is over, and when a loop comes back in the same state.
 */
#ifndef PTX_STEP_H
#define PTX_STEP_H

#include "ptx/memory/access.h"
#include "ptx/exec/exec.h"

enum step_result { STEP_OK, STEP_WAITS, STEP_ENDED, STEP_FAULT };

/* What was executed, for counting and for the pipelines. */
struct step {
    const struct dinst *d;           /* the counting step of the PTX instruction d->in; d->seq: its index */
    uint64_t active;                 /* lanes at this point of the stack, before the guard */
    uint64_t lanes;                  /* of these, those whose guard passes */
    bool diverged;                   /* a branch on which they disagreed */
    bool jumped;                     /* the next instruction is not the one behind it in the text: fetch starts anew;
                                        false when the warp ended or waits */
};

void warp_settle(struct warp *w);    /* on to the next instruction, or to the state in which there is none */

/*
 * The PTX instruction that the warp executes next: finished paths are popped and join markers passed. NULL when the
 * warp has ended or waits (w->state WARP_DONE, WARP_BARRIER, WARP_TX, WARP_FAULT). Calling it twice changes nothing.
 * *code: the function it is in; d->in is NULL for the return behind its last instruction. block->released tells who
 * need no longer wait.
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
 * Executes the instruction of warp_peek. Memory instructions (ld, st, atom, red on any space; prefetch): steps that
 * prepare operands run, operands and addresses are captured into op (which must be given; op->lanes is 0 when no lane's
 * guard passes or all were served at once) and the warp goes on behind the instruction. Others are executed: s->d->in
 * tells which. The result is the warp's state behind it: STEP_WAITS at a barrier until others arrive and behind
 * tx_commit until outcomes are decided (txn.h), STEP_ENDED after the last lanes' exit. nanosleep does nothing; timing
 * makes something of it before. tx_begin and tx_commit do nothing without launch->tm. The launch's counts are kept as
 * in functional mode; a barrier that lanes of a diverged warp reach alone may come again after the others had their
 * turn, and is counted once.
 */
enum step_result warp_step(struct warp *w, struct step *s, struct mem_op *op);

/* Lanes of an instruction whose guard passes, without executing it. */
uint64_t warp_guard_lanes(struct warp *w, const struct dinst *d);

#endif
