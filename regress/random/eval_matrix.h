/*
 * The evaluator's mma, ldmatrix, stmatrix and movmatrix: element by element, with the places that the PTX ISA gives for
 * element i of a fragment in a lane.
 */
#ifndef REGRESS_RANDOM_EVAL_MATRIX_H
#define REGRESS_RANDOM_EVAL_MATRIX_H

#include "ptx/program/ir.h"

enum { MATRIX_LANES = 32 };

/* The registers of operands 0 .. 3, by element of the operand and lane. */
struct matrix_values { uint64_t v[4][8][MATRIX_LANES]; };

/* D of mma into v[0]. False: the generator does not write this shape and type. */
bool matrix_product(const struct ptx_inst *in, struct matrix_values *m);
/* Matrices of 8 rows of 16 bytes: registers of v[o] from rows[8 * matrix + row], or the other way round. */
void matrix_load(struct matrix_values *m, int o, int matrices, bool transposed, char *const *rows);
void matrix_store(const struct matrix_values *m, int o, int matrices, bool transposed, char *const *rows);

#endif
