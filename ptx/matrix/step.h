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

/* ---- metadata of sparse products (sparse.c) ---- */

enum { MATRIX_STORED = 64 };         /* stored elements of a row, at most */
struct matrix_metadata {
    operand word;
    uint8_t bits;                    /* of an element */
    uint8_t first, lanes;            /* of each four, the lanes that give it */
    bool ascending;                  /* indices of a chunk must ascend */
};
/* The metadata and its selector are operands o[0] and o[1]. */
void matrix_decode_metadata(struct decoder *x, struct matrix_metadata *m, const struct ptx_operand *o);
/* The columns of the stored elements of the 16 rows. False: a fault. */
bool matrix_stored_columns(const struct matrix_metadata *m, struct lanes *l, const struct dinst *d,
                           uint8_t (*columns)[MATRIX_STORED]);

/* Element i of a register, of a floating-point type; of an integer type, with .b1 0 or 1. */
float matrix_float(enum ptx_type t, uint32_t word, int i);
int32_t matrix_integer(enum ptx_type t, uint32_t word, int i);
/* An element of D: a NaN becomes 0x7fffffff. */
float matrix_quiet(float f);

/* A loop over products, compiled for wider vectors of the host, too. With ThreadSanitizer gcc also instruments the
 * resolver of the clones, which runs before the sanitizer is loaded. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ && !defined __SANITIZE_THREAD__
#define MATRIX_WIDE __attribute__((target_clones("arch=haswell", "default")))
#else
#define MATRIX_WIDE
#endif

#endif
