/* The common body of the API functions that simtx does not implement. */
#ifndef CUDART_UNSUPPORTED_H
#define CUDART_UNSUPPORTED_H

#include <stdbool.h>

/* Returns cudaErrorNotSupported (or the sticky error) as the API would.  Prints the name once: *said is set. */
int rt_unsupported(const char *name, bool *said);

#endif
