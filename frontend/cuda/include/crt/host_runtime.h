/* What launches need: the runtime API declares it. */
#ifndef SIMTX_CRT_HOST_RUNTIME_H
#define SIMTX_CRT_HOST_RUNTIME_H
#include "cuda_runtime_api.h"
#endif
