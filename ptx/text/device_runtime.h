/* Functions of CUDA's device runtime that simtx provides as PTX. */
#ifndef PTX_DEVICE_RUNTIME_H
#define PTX_DEVICE_RUNTIME_H

#include "ptx/program/ir.h"

/* The module with these functions if one of the n modules declares one of them as extern, else NULL. */
struct ptx_module *device_runtime_for(struct ptx_module *const *m, int n, struct diag *d);

#endif
