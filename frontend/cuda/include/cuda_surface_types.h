/* Surface functions of device code: see surface_functions.h. */
#include "surface_functions.h"
