/* Removes instructions that another pass has made superfluous (combine_accesses.c, if_convert.c). */
#ifndef PTX_REMOVE_H
#define PTX_REMOVE_H

#include "ptx/program/flow.h"

/* A pass that changes instructions of a function and marks in `removed` those that become superfluous. */
struct remove_pass {
    void (*change)(void *ctx, uint32_t reach, bool *removed);
    void *ctx;
    const uint32_t *reach;       /* of each try, the largest first; ends with 0 */
};

/*
 * Applies the pass to a function with a body and instructions, and removes what it marks. If the function needs more
 * than `registers` 32-bit registers a thread then, the pass is applied to the old text with the next smaller reach;
 * after the last one the function keeps its old text.
 */
void remove_by_pass(struct ptx_func *f, const struct remove_pass *pass, uint32_t registers);

#endif
