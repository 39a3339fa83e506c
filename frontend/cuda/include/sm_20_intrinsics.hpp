/* Device functions of one instruction each: see simtx/memory.h. */
#include "simtx/memory.h"
