/* The protocols of tm/registry.def, in the order of the choices of tm.global and tm.shared. */
#include "tm/core/shared_protocol.h"

#define TM_GLOBAL(symbol, name) extern const struct tm_protocol symbol;
#include "tm/registry.def"
#undef TM_GLOBAL
#define TM_SHARED(symbol, name) extern const struct tm_shared_protocol symbol;
#include "tm/registry.def"
#undef TM_SHARED

const struct tm_protocol *const tm_protocols[] = {
    NULL,
#define TM_GLOBAL(symbol, name) &symbol,
#include "tm/registry.def"
#undef TM_GLOBAL
};

const struct tm_shared_protocol *const tm_shared_protocols[] = {
    NULL,
#define TM_SHARED(symbol, name) &symbol,
#include "tm/registry.def"
#undef TM_SHARED
};
