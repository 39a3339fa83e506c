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
 * Applies the pass to a function with a body and instructions, and removes what it marks. If the function would
 * then need more than `registers` 32-bit registers a thread, its old instructions are restored, and the pass runs with
 * the next smaller reach. After the last reach the old instructions stay.
 */
void remove_by_pass(struct ptx_func *f, const struct remove_pass *pass, uint32_t registers);

#endif
