/* ldmatrix and stmatrix in timing mode: accesses to shared memory of the lanes that give the rows' addresses. */
#ifndef PTX_MATRIX_ROWS_H
#define PTX_MATRIX_ROWS_H

#include "ptx/memory/access.h"

/* Captures the lanes of one half of a warp (mem_capture). False: a fault. */
bool matrix_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask);
/* The registers of a load into which matrix i goes are op->reg[i]. */
int matrix_count(const struct dinst *d);
/* Performs ldmatrix: writes the registers of the lanes that execute it. */
void matrix_load_rows(struct mem_op *op);

#endif
