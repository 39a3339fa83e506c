/* See host_defines.h. */
#ifndef SIMTX_CRT_HOST_DEFINES_H
#define SIMTX_CRT_HOST_DEFINES_H
#include "host_defines.h"
#endif
