/* See math_functions.h. */
#include "math_functions.h"
