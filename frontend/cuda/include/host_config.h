/* Host compiler settings: none. */
#ifndef SIMTX_HOST_CONFIG_H
#define SIMTX_HOST_CONFIG_H
#include "host_defines.h"
#endif
