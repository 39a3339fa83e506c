/* The choices of tm.global and tm.shared: "none" and the names of tm/registry.def. */
#include "tm/tm.h"

const char tm_global_choices[] = "none"
#define TM_GLOBAL(symbol, name) "|" name
#include "tm/registry.def"
#undef TM_GLOBAL
    ;

const char tm_shared_choices[] = "none"
#define TM_SHARED(symbol, name) "|" name
#include "tm/registry.def"
#undef TM_SHARED
    ;
