/* __dp4a() and __dp2a(): see simtx/memory.h. */
#include "simtx/memory.h"
