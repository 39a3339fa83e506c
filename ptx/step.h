/*
 * One PTX instruction at a time, for timing mode, which decides when. The stack, control flow, barriers and arithmetic are those of run.c
 * and simt.c; memory instructions are not executed here but captured (ptx/access.h) and performed later by the memory system.
 */
#ifndef PTX_STEP_H
#define PTX_STEP_H

#include "ptx/access.h"
#include "ptx/exec.h"

enum step_result { STEP_OK, STEP_WAITS, STEP_ENDED, STEP_FAULT };

/* What was executed, for counting and for the pipelines. */
struct step {
    const struct dinst *d;           /* the counting step of the PTX instruction (d->in: the instruction, d->seq: its index) */
    uint64_t active;                 /* lanes at this point of the stack, before the guard */
    uint64_t lanes;                  /* of these, those whose guard passes */
    bool diverged;                   /* a branch on which they disagreed */
    bool jumped;                     /* the next instruction is not the one behind it in the text: fetch starts anew */
};

/*
 * The PTX instruction that the warp executes next: finished paths are popped and join markers passed. NULL when the warp has ended
 * or waits (w->state WARP_DONE, WARP_BARRIER). Calling it twice changes nothing. *code: the function it is in.
 */
const struct dinst *warp_peek(struct warp *w, const struct code **code);

/*
 * Executes the instruction of warp_peek. Memory instructions (ld, st, atom, red on any space; prefetch): steps that prepare operands run,
 * operands and addresses are captured into op (which must be given; op->lanes is 0 when no lane's guard passes) and the warp goes on
 * behind the instruction. Others are executed: s->d->in tells which (bar: STEP_WAITS until others arrive). tx_begin and tx_commit do
 * nothing here unless a transactional memory took them before. The launch's counts are kept as in functional mode.
 */
enum step_result warp_step(struct warp *w, struct step *s, struct mem_op *op);

/* Lanes of an instruction whose guard passes, without executing it. */
uint64_t warp_guard_lanes(struct warp *w, const struct dinst *d);

#endif
