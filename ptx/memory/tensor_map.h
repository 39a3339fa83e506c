/*
 * Tensor maps (PTX ISA 5.5.8): what a tensor copy needs to know of a tensor in global memory, of the box of its
 * elements that is copied, and of the place of these in shared memory. Programs treat a map as 128 opaque bytes, which
 * cuTensorMapEncodeTiled and ...Im2col fill in and tensormap.replace changes; the layout of the bytes is simtx's own.
 */
#ifndef PTX_TENSOR_MAP_H
#define PTX_TENSOR_MAP_H

#include <stdint.h>

enum { TENSOR_DIMS = 5, TENSOR_SPACE = TENSOR_DIMS - 2, TENSOR_BOX_MAX = 256, TENSOR_PIXELS_MAX = 1024,
       TENSOR_STEP_MAX = 8, TENSOR_MAP_ALIGN = 64 };
#define TENSOR_MAP_MAGIC UINT64_C(0x70616d786f727374)

/* Of an element, in the order of CUtensorMapDataType: X(enumerator, type in PTX, what a load does with it). */
#define TENSOR_TYPES(X)                                                                                     \
    X(U8, U8, 0) X(U16, U16, 0) X(U32, U32, 0) X(S32, S32, 0) X(U64, U64, 0) X(S64, S64, 0) X(F16, F16, 0)  \
    X(F32, F32, 0) X(F64, F64, 0) X(BF16, BF16, 0) X(F32_FTZ, F32, TENSOR_FLUSHES)                                    \
    X(TF32, F32, TENSOR_ROUNDS) X(TF32_FTZ, F32, TENSOR_FLUSHES | TENSOR_ROUNDS)
/* Subnormal numbers become zero; numbers become the nearest tf32, ties to even. */
enum { TENSOR_FLUSHES = 1, TENSOR_ROUNDS = 2 };
enum tensor_type {
#define X(e, t, changes) TENSOR_##e,
    TENSOR_TYPES(X)
#undef X
    TENSOR_TYPE_COUNT
};

/* The innermost dimension is the first; its elements are adjacent. */
struct tensor_map {
    uint64_t magic;                  /* TENSOR_MAP_MAGIC */
    uint64_t address;                /* of element 0, 0, ... a multiple of 16 */
    uint64_t stride[TENSOR_DIMS - 1];    /* bytes, of the second dimension and those after it; multiples of 16 */
    uint32_t last[TENSOR_DIMS];      /* elements - 1 */
    uint16_t box[TENSOR_DIMS];       /* elements of the tensor that the box spans, 1 to TENSOR_BOX_MAX */
    uint8_t step[TENSOR_DIMS];       /* of the elements in the box every n-th is copied; all of the first dimension */
    uint8_t rank, type;              /* dimensions; enum tensor_type */
    uint8_t span;                    /* bytes within which 16-byte chunks are swizzled: 0, 32, 64 or 128 */
    uint8_t nan;                     /* elements outside the tensor are NaN; 0: zero */
    uint8_t interleave;              /* 0 */
    /*
     * Of im2col: dimensions 1 to rank - 2 are those of a picture, and the box is box[1] pixels with box[0] channels
     * each, which follow one another in the rows of a window of each picture. The window of dimension 1 + i begins at
     * lower[i] and ends upper[i] elements after the end of the tensor; of its elements every step[1 + i]-th is a pixel.
     */
    uint8_t im2col;
    int16_t lower[TENSOR_SPACE], upper[TENSOR_SPACE];
    uint8_t unused[26];
};
_Static_assert(sizeof(struct tensor_map) == 128, "as CUtensorMap");

#endif
