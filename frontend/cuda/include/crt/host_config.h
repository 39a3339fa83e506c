/* See host_config.h. */
#ifndef SIMTX_CRT_HOST_CONFIG_H
#define SIMTX_CRT_HOST_CONFIG_H
#include "host_config.h"
#endif
