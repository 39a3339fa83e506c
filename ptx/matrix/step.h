/* Decoding of matrix instructions, shared by their files. */
#ifndef PTX_MATRIX_STEP_H
#define PTX_MATRIX_STEP_H

#include "ptx/program/decode.h"

/* A check that all lanes of the warp are among those that execute the step; CONTROL_FAULT if they are not. */
int matrix_all_lanes(struct lanes *l, const struct dinst *d, uint32_t lanes);
/* Completes a step whose fn acts on the whole warp; src[3] must be free. */
void decode_matrix_step(struct decoder *x, struct dinst *d);
/* Its guard alone; with independent lanes the step waits for all lanes of the warp. */
void decode_matrix_guard(struct decoder *x, struct dinst *d);
/* The registers of a fragment; returns their number. */
int matrix_operands(struct decoder *x, const struct ptx_operand *o, bool result, enum ptx_type t, operand *to);

#endif
