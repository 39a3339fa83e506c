/* Texture object fetches. */
#ifndef SIMTX_TEXTURE_INDIRECT_FUNCTIONS_H
#define SIMTX_TEXTURE_INDIRECT_FUNCTIONS_H
#include "cuda_texture_types.h"
#endif
