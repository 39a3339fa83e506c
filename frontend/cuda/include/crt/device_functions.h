/* See device_functions.h. */
#ifndef SIMTX_CRT_DEVICE_FUNCTIONS_H
#define SIMTX_CRT_DEVICE_FUNCTIONS_H
#include "device_functions.h"
#endif
