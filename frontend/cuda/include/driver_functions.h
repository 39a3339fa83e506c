/* make_cudaExtent() and its relatives: see driver_types.h. */
#include "driver_types.h"
