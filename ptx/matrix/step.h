/* Decoding of matrix instructions, shared by their files. */
#ifndef PTX_MATRIX_STEP_H
#define PTX_MATRIX_STEP_H

#include "ptx/program/decode.h"

/* A check that all lanes of the warp execute the step; CONTROL_FAULT if they do not. */
int matrix_all_lanes(struct lanes *l, const struct dinst *d);
/* Completes a step whose fn acts on the whole warp; src[3] must be free. */
void decode_matrix_step(struct decoder *x, struct dinst *d);
/* The registers of a fragment; returns their number. */
int matrix_operands(struct decoder *x, const struct ptx_operand *o, bool result, enum ptx_type t, operand *to);

#endif
