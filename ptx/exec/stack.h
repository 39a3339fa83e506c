/* The stack of a lane: local memory that a function allocates at run time (alloca). */
#ifndef PTX_STACK_H
#define PTX_STACK_H

#include "ptx/exec/exec.h"

enum { STACK_ALIGN = 8 };            /* bytes: the least alignment, and alloca's without an operand */

/* Empties the stacks of a warp's lanes; local_cap is known. */
void stack_start(struct warp *w);
/* The lowest top of these lanes; local_cap for a kernel without stacks. A new frame must end there. */
uint32_t stack_lowest(const struct warp *w, uint64_t lanes);
/* At a call, for the new frame: saves the tops of its lanes. At a return of some of them: restores theirs. */
void stack_save_tops(struct warp *w, uint32_t frame);
void stack_restore_tops(struct warp *w, uint32_t frame, uint64_t lanes);

/* For one lane; false after a fault. `align` is a power of two, at least STACK_ALIGN; the result is h->top. */
bool stack_allocate(struct half *h, const struct dinst *d, int lane, uint64_t bytes, uint64_t align);
bool stack_restore(struct half *h, const struct dinst *d, int lane, uint64_t top);

#endif
