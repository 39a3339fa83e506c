/* The functions for launches are declared by the runtime API. */
#ifndef SIMTX_CRT_HOST_RUNTIME_H
#define SIMTX_CRT_HOST_RUNTIME_H
#include "cuda_runtime_api.h"
#endif
