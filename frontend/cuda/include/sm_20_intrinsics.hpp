/* Device functions that stand for one instruction: see simtx/memory.h. */
#include "simtx/memory.h"
