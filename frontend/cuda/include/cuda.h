#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 11050
#include <stddef.h>
#include <stdint.h>
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
#endif
