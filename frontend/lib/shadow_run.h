/*
 * The shadow of a launch in timing mode (sim.shadow): the same launch first runs in functional mode on the same memory,
 * and its resulting memory is saved. After the timing run, device memory must be equal to it. A difference is either a
 * race in the program or a wrong value in the simulated memory system.
 */
#ifndef FRONTEND_SHADOW_RUN_H
#define FRONTEND_SHADOW_RUN_H

#include "frontend/lib/gpu.h"

struct shadow;

/* Runs the launches one after another, saves the resulting memory, and restores the memory. NULL when a launch cannot
 * run twice (it prints or allocates), or fails. */
struct shadow *shadow_run(simtx_gpu *g, const struct queued_launch *o, uint32_t n);
/* Compares device memory with the shadow and frees the shadow. False with a message on the first difference. A shadow
 * of NULL is equal to any memory. */
bool shadow_equal(struct shadow *s, const simtx_gpu *g, char *message, size_t size);

#endif
