/*
 * Tensor copies (cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, PTX ISA 9.7.9.25.5): a thread copies a box of a
 * tensor in global memory to shared memory, or back. A tensor map tells where the tensor lies (tensor_map.h). In shared
 * memory the elements of the box are dense, and 16-byte chunks of a line may be swizzled. What the box has outside the
 * tensor is zero or NaN when it is loaded, and is not stored. In the mode im2col (PTX ISA 5.5.3.2) the rows of the box
 * are pixels of pictures: of a window of each picture, one after the other.
 *
 * The box is walked in parts: consecutive elements of a row that lie in one line of global memory. A part is a mem_op
 * whose lanes each have the same number of bytes; `at` is its place in the box as it lies in shared memory, unswizzled.
 */
#ifndef PTX_TENSOR_ASYNC_H
#define PTX_TENSOR_ASYNC_H

#include "ptx/memory/bulk_async.h"
#include "ptx/memory/tensor_map.h"

/* The operands of a lane of a captured mem_op; the address of the map is the lane's address. */
struct tensor_lane {
    int32_t at[TENSOR_DIMS];
    uint32_t shared, object : 31;
    bool empty : 1;
    uint16_t blocks, offsets;        /* offsets of im2col, of 16, 8 or 5 bits each: for 3, 4 or 5 dimensions */
};
_Static_assert(sizeof(struct tensor_lane) <= MEM_WIDTH_MAX, "it is the data of a lane");

struct tensor_copy {
    struct tensor_map map;           /* as it was when the copy began */
    const struct dinst *d;           /* of reductions: with the element type */
    int32_t at[TENSOR_DIMS];         /* coordinates of the first element of the box */
    uint16_t offset[TENSOR_SPACE];   /* of im2col: from a pixel to the element that is copied for it */
    uint32_t shared;                 /* address of the box in shared memory, with the rank of a block */
    uint32_t row, bytes;             /* of a row of the box, and of the box */
    uint32_t width;                  /* bytes of a lane of its parts */
};

/* Captures the lanes of one half of a warp (mem_capture). False: a fault. */
bool tensor_async_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask);

/*
 * The copy of a captured lane when it begins: reads the map and checks the operands again, as memory may have changed.
 * *l: the bytes of the box, its barrier object and blocks, as of a bulk copy; no bytes if the memory of the tensor has
 * gone since. False: a fault.
 */
bool tensor_copy_begin(struct tensor_copy *t, struct bulk_lane *l, const struct mem_op *op, unsigned lane);

/* Calls `wrote` for the memory that a lane's copy will write: its box in shared memory, or the parts of the box in
 * global memory. Without a valid map it calls nothing: the copy will fault. */
void tensor_async_writes(struct half *h, const struct dinst *d, int lane,
                         void (*wrote)(void *ctx, uint64_t to, uint32_t bytes), void *ctx);

/* The part at this place, in global memory: its `lanes` are those inside the tensor. Returns the bytes of the box that
 * it covers, lanes outside included. */
uint32_t tensor_part(const struct tensor_copy *t, struct mem_op *op, uint32_t at);
/* A part of n bytes that has been loaded becomes a store of all its lanes to shared memory: those outside get the fill
 * value. */
void tensor_part_arrived(const struct tensor_copy *t, struct mem_op *op, uint32_t at, uint32_t n);
/* Reads the lanes of a part from the shared memory of the block. */
void tensor_part_data(const struct tensor_copy *t, struct mem_op *op, uint32_t at, const char *shared);

#endif
