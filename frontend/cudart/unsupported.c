/* One function for each row of unsupported.def.  They read no argument and are defined with none, so
 * the header with their prototypes is not included here.  The calling convention lets a function ignore its
 * arguments. */
#include "frontend/cudart/unsupported.h"

#define UNSUPPORTED(name)                                        \
    __attribute__((visibility("default"))) int name(void);       \
    int name(void)                                               \
    {                                                            \
        static bool said;                                        \
        return rt_unsupported(#name, &said);                     \
    }
#include "frontend/cudart/unsupported.def"
#undef UNSUPPORTED
