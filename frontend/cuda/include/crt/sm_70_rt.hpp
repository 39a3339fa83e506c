/* clang's wrapper includes this file; simtx/ defines the functions. */
#include "simtx/keywords.h"
