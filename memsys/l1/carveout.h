/*
 * The memory of an SM that L1 and shared memory divide among themselves (gpu.shared_carveouts): each launch takes as
 * much of it for shared memory as its resident blocks need, and the rest is L1 (CUDA C++ Programming Guide, compute
 * capability 7.x, shared memory). The sets of L1 stay, their ways change, as Jia et al. measured four sets (Dissecting
 * the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018, table 3.1).
 */
#ifndef MEMSYS_L1_CARVEOUT_H
#define MEMSYS_L1_CARVEOUT_H

#include "base/config/config.h"

enum { CARVEOUTS_MAX = 16 };

struct carveout { uint32_t shared_bytes, l1_ways; };
/* The possible divisions, ascending in shared memory; n = 0: both sizes are fixed. */
struct carveouts { uint32_t n; struct carveout choice[CARVEOUTS_MAX]; };

void carveouts_configure(struct carveouts *c, const struct simtx_config *config);
void carveouts_check(const struct simtx_config *config, struct diag *d);
/* The division with the least shared memory of at least so many bytes, or the most there is; only with n > 0. */
const struct carveout *carveouts_choose(const struct carveouts *c, uint64_t bytes);

#endif
