/*
 * Watched accesses: check.races finds data races in a block's shared memory, check.uninitialised reads of bytes that
 * nothing has written (manual, Checks). A block is watched if one of the keys is not off; else b->watch is NULL. Both
 * modes call watch_access when a memory instruction executes, before it accesses memory: functional mode from the step
 * that watch_step puts before the instruction's function, timing mode from mem_capture.
 *
 * Order between accesses (order.h) comes from barriers, from barriers of a warp and of a cluster, and from strong
 * accesses (PTX ISA, Memory Consistency Model: volatile, relaxed and stronger, atomics, barrier objects). A strong
 * write is a release and a strong read an acquire, with a fence or without: programs often leave fences out. What is
 * reported is therefore a race under any reading of the rules.
 */
#ifndef PTX_WATCH_H
#define PTX_WATCH_H

#include "ptx/memory/access.h"

struct watch;

/* The program will be watched: the steps of its memory instructions call watch_access. d->shape is set. */
void watch_step(struct dinst *d, struct mem_shape *shape);

void watch_start(struct block *b);               /* the block starts: sets b->watch */
void watch_free(struct watch *s);                /* NULL: nothing */

/* These lanes execute a memory instruction. CONTROL_FAULT, or CONTROL_NEXT. Without b->watch it has no effect. */
int watch_access(struct warp *w, const struct dinst *d, uint64_t lanes);
/* Timing mode: the values of a strong access have arrived. */
void watch_returned(const struct mem_op *op);

/* ---- synchronisation; without b->watch they have no effect ---- */
void watch_arrive(struct warp *w, uint32_t barrier);
void watch_complete(struct block *b, uint32_t barrier);      /* its waiting_mask still has the lanes that it releases */
void watch_lanes_meet(struct warp *w, uint64_t lanes);       /* independent lanes, at a .sync instruction */
void watch_cluster_arrive(struct warp *w);
void watch_cluster_complete(struct block *b);

#endif
