/* The answer of every API function that simtx does not carry out. */
#ifndef CUDART_UNSUPPORTED_H
#define CUDART_UNSUPPORTED_H

#include <stdbool.h>

/* Returns cudaErrorNotSupported (or the sticky error) as the API would, and says the name unless *said. */
int rt_unsupported(const char *name, bool *said);

#endif
