#include "../nvToolsExtCuda.h"
