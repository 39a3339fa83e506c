/* clang's wrapper includes this name; the functions stand in simtx/. */
#include "simtx/keywords.h"
