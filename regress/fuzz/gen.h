/*
 * Random PTX for the fuzzers, drawn from the instruction table: one instruction with types, modifiers and
 * operands that mostly fit, and a whole kernel of such instructions. What the checks refuse is left out by
 * the caller, line by line; a kernel's loops are bounded by a counter except now and then.
 */
#ifndef FUZZ_GEN_H
#define FUZZ_GEN_H

#include <stddef.h>
#include <stdint.h>

#include "regress/fuzz/random.h"

/* One instruction as a line of text without newline; `here` and `labels` number the places L0 .. that exist.
 */
void gen_instruction(struct random *r, uint32_t here, uint32_t labels, char *out, size_t size);

/* A kernel `k(buffer)` of n instructions, each made from 6 bytes of `from`; malloc'ed text. */
char *gen_kernel(const uint8_t *from, size_t n);

#endif
