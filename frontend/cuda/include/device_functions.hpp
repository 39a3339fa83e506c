/* See device_functions.h. */
#include "device_functions.h"
