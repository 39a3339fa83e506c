/* For finders that run random kernels of transactions (regress/tm/random) until a check fails. */
#ifndef REGRESS_MUTANTS_RANDOM_KERNELS_H
#define REGRESS_MUTANTS_RANDOM_KERNELS_H

#include "regress/mutants/finder.h"
#include "regress/tm/random/machines.h"

/* Runs the seed's kernel on this machine, for at most so many seconds of processor time. True: a check has failed. The
 * finding has the configuration, and the kernels and transactions so far. */
bool random_kernel_fails(enum memory memory, int machine, unsigned seed, unsigned seconds, struct finding *found);

#endif
