/*
 * Matrix instructions (PTX ISA, "Warp Level Matrix Instructions"): which shapes go with which types, how the elements
 * of a matrix are spread over the lanes of a warp, and what the instructions compute.
 *
 * Fragments. Let g = lane / 4, t = lane % 4, and E = the elements of a register (32 / bits of an element; 1 of f64).
 *   A (M x K)   register r holds row g + 8 (r mod M/8), columns 4E (r div M/8) + E t + 0 .. E-1
 *   B (K x N)   register r holds column g + 8 (r div K/4E), rows 4E (r mod K/4E) + E t + 0 .. E-1
 *   C, D        element i is in row g + 8 (i/2 mod M/8), column 8 (i/2 div M/8) + 2 t + i mod 2; two f16 a register
 * For mma these are the ISA's layouts, except m8n8k4 of f16, which has its own (product.c).
 */
#ifndef PTX_MATRIX_H
#define PTX_MATRIX_H

#include "ptx/program/ir.h"

struct matrix_shape { int m, n, k; };
struct matrix_shape matrix_shape(const struct ptx_inst *in);

/* The registers of each thread that hold the matrix at a position of the operands, and their type. */
struct matrix_registers { int n; enum ptx_type type; };
struct matrix_registers matrix_registers(const struct ptx_inst *in, int position);

/* ---- wmma: an instruction of wmma, or one of them at a position of its operands ---- */
enum wmma_matrix { WMMA_A, WMMA_B, WMMA_C, WMMA_D };
enum wmma_matrix wmma_matrix_at(const struct ptx_inst *in, int position);
enum ptx_type wmma_type(const struct ptx_inst *in, enum wmma_matrix m);
struct matrix_registers wmma_registers(const struct ptx_inst *in, int position);
const char *wmma_check(const struct ptx_inst *in);

/* Is it mma.m8n8k4 of f16, four products of eight lanes each? */
bool matrix_is_quads(const struct ptx_inst *in);

/* Bits of an element. */
int matrix_element_bits(enum ptx_type t);

/* Is the instruction's combination of shape, types and layouts legal? NULL, or a sentence for the message. */
const char *matrix_check(const struct ptx_inst *in);

/* The lanes of a group of four that give the metadata of a sparse product, one word each. */
int matrix_metadata_lanes(const struct ptx_inst *in);

/*
 * Its products in each warp, of a sparse product those of stored elements, and the products of f16 that take a tensor
 * core as long: NVIDIA A100 Tensor Core GPU Architecture (2020), table 1, has the throughput of each type, and twice
 * that for sparse products; NVIDIA H100 Tensor Core GPU Architecture (2022), table 2, that of e4m3 and e5m2.
 */
uint32_t matrix_work(const struct ptx_inst *in);
uint32_t matrix_products(const struct ptx_inst *in);

/* ---- ldmatrix, stmatrix: 8 rows of 16 bytes a matrix; row i of matrix m is rows[8 m + i] ---- */
enum { MATRIX_ROW_BYTES = 16 };
void matrix_to_registers(const uint8_t (*rows)[MATRIX_ROW_BYTES], int matrices, bool transposed, uint32_t lanes,
                         uint32_t *const reg[4]);
void matrix_from_registers(uint8_t (*rows)[MATRIX_ROW_BYTES], int matrices, bool transposed,
                           const uint32_t *const reg[4]);

#endif
