/*
 * The obviously correct evaluator: interprets a parsed PTX kernel one lane at a time. Each thread runs alone
 * until it reaches a barrier or a warp-wide instruction; when all threads that take part stand there, it is
 * carried out. What an instruction computes comes from the conformance reference (ref.h). It knows what the
 * generator writes.
 */
#ifndef REGRESS_RANDOM_EVAL_H
#define REGRESS_RANDOM_EVAL_H

#include "ptx/program/ir.h"

struct eval_launch {
    uint32_t grid, block;
    const uint64_t *args;                        /* one per parameter of the kernel */
    int nargs;
};

/* Runs kernel `name`. False with a reason when the program does something that has no one answer, or does not
 * end. */
bool eval_run(struct ptx_module *m, const char *name, const struct eval_launch *l, char *why, size_t n);

#endif
