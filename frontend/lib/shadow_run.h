/*
 * The shadow of a timing launch (sim.shadow): the same launch runs functionally first, on the same memory, and what it leaves behind is
 * kept; after the timing run device memory must be the same. Holds for programs without races; a difference is either a race of
 * the program or a value that the memory system bound wrongly.
 */
#ifndef FRONTEND_SHADOW_H
#define FRONTEND_SHADOW_H

#include "frontend/lib/gpu.h"

struct shadow;

/* Runs the launches one after another on the memory as it is, and puts that back. NULL when one of them cannot be run twice (it prints
 * or allocates) or does not end well. */
struct shadow *shadow_run(simtx_gpu *g, const struct ordered *o, uint32_t n);
/* Compares and frees; NULL is equal to everything. False with a message that names the first difference. */
bool shadow_equal(struct shadow *s, const simtx_gpu *g, char *message, size_t size);

#endif
