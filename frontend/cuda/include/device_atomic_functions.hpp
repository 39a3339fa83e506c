/* atomicAdd() and its relatives: see simtx/atomics.h. */
#include "simtx/atomics.h"
