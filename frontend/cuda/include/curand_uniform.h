/* Random numbers in device code: see curand_kernel.h. */
#include "curand_kernel.h"
