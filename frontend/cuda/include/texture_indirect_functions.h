/* Fetches through texture objects: with the others in texture_fetch_functions.h. */
#ifndef SIMTX_TEXTURE_INDIRECT_FUNCTIONS_H
#define SIMTX_TEXTURE_INDIRECT_FUNCTIONS_H
#include "texture_fetch_functions.h"
#endif
