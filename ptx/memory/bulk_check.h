/*
 * Checks of what a lane of a bulk copy names: addresses of global and of shared memory, and the barrier object.
 */
#ifndef PTX_BULK_CHECK_H
#define PTX_BULK_CHECK_H

#include "ptx/exec/exec.h"

/* LANE_FAULT: a fault was raised. LANE_LEFT_OUT: an access is illegal, and check.memory tolerates it. */
enum lane_result { LANE_FAULT, LANE_LEFT_OUT, LANE_COPIES };

struct bulk_site {
    struct half *h;
    const struct dinst *d;
    int lane;
};

/* A fault whose report has the address between the texts. Returns LANE_FAULT. */
enum lane_result bulk_misuse(const struct bulk_site *c, enum fault_kind kind, uint64_t address, const char *before,
                             const char *after);
/* An illegal access to `bytes` bytes of a space. */
enum lane_result bulk_illegal(const struct bulk_site *c, enum ptx_space space, uint64_t address, unsigned bytes,
                              bool write);
/* Bytes of shared memory at an address of its window, a multiple of grain; own: of the executing block only. */
enum lane_result bulk_check_shared(const struct bulk_site *c, uint64_t address, uint32_t bytes, unsigned grain,
                                   bool own, bool write);
enum lane_result bulk_check_global(const struct bulk_site *c, uint64_t address, uint32_t bytes, bool write);
/* The barrier object must be in the memory of the block that gets the bytes, which are at `to`. */
enum lane_result bulk_check_object(const struct bulk_site *c, uint64_t to, uint64_t object, bool own);
/* A set of blocks of the cluster, by rank. */
enum lane_result bulk_check_blocks(const struct bulk_site *c, uint32_t blocks);

/* ---- bulk_async.c, for tensor copies, too ---- */

struct decoder;
struct bulk_operand { operand at; int64_t displacement; };
struct bulk_operand bulk_decode_address(struct decoder *x, const struct ptx_operand *o);
uint64_t bulk_address(const struct half *h, struct bulk_operand o, int lane);
/* The blocks that get the bytes: those of the mask operand with .multicast, else the block with the object. */
enum lane_result bulk_blocks(const struct bulk_site *c, operand mask, uint64_t object, uint16_t *blocks);
/* Functional mode: the block of the cluster with this rank, which gets bytes at `to`; NULL: it has exited, and a fault
 * was raised or tolerated. */
struct block *bulk_block(const struct bulk_site *c, uint32_t rank, uint64_t to, enum lane_result *r);

#endif
