/* ldmatrix and stmatrix in timing mode: accesses to shared memory of the lanes that give the rows' addresses. */
#ifndef PTX_MATRIX_ROWS_H
#define PTX_MATRIX_ROWS_H

#include "ptx/memory/access.h"

/* Captures one half of a warp (mem_capture). False: a fault. */
bool matrix_capture(struct mem_op *op, struct half *h, const struct dinst *d);
/* The registers of a load into which matrix i goes are op->reg[i]. */
int matrix_count(const struct dinst *d);
/* Performs ldmatrix: writes the registers of all lanes. */
void matrix_load_rows(struct mem_op *op);

#endif
