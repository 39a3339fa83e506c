/* Settings of the host compiler: none are needed. */
#ifndef SIMTX_HOST_CONFIG_H
#define SIMTX_HOST_CONFIG_H
#include "host_defines.h"
#endif
