/* Rounding modes named by the API. */
#ifndef __DEVICE_TYPES_H__
#define __DEVICE_TYPES_H__
#include "host_defines.h"
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
#endif
