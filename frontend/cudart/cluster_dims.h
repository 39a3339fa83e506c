/* The shape that __cluster_dims__ gives a kernel. */
#ifndef CUDART_CLUSTER_DIMS_H
#define CUDART_CLUSTER_DIMS_H

#include <stddef.h>

#include "frontend/lib/simtx.h"

/* host: the host function of a kernel. False: it has no shape. Else the shape, or 0, 0, 0 if the text is not one to
 * three positive numbers; text: as the program writes it. */
bool cluster_dims_of(const void *host, simtx_dim3 *shape, char *text, size_t size);

#endif
