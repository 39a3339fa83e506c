/* The GPUs that a test runs on: one for each vector width of this machine, and a 64-lane one. */
#ifndef REGRESS_CONFORMANCE_DEVICE_H
#define REGRESS_CONFORMANCE_DEVICE_H

#include "frontend/lib/simtx.h"

/* real: not simulated; timed: in timing mode. */
struct device { simtx_gpu *gpu; char isa[16]; const char *simt; int warp_size; uint64_t hash; bool real, timed; };

/*
 * Fills at[] (room for `room`), warp size 32 with every width, then 64 with the widest; returns how many.
 * simt: "stack" or "independent". first: number of the first GPU in this process. Exits with a message when
 * there is none.
 */
int device_open(struct device *at, int room, int first, const char *simt);
/* One GPU in timing mode, of 8 SMs in groups of 5. Returns 1; 0 where GPUs are not simulated. */
int device_open_timed(struct device *at, int first, const char *simt);
void device_close(struct device *at, int n);

#endif
