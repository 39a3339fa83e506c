/* One function for each row of unsupported.def. They read no argument and are defined with none. */
#include "frontend/libcuda/cu.h"

static CUresult not_supported(const char *name, bool *said)
{
    cudaError_t e = rt_enter_driver();
    return cu_leave(e ? e : rt_not_supported(name, said));
}

#define UNSUPPORTED(name)                  \
    CU_API CUresult name(void);            \
    CU_API CUresult name(void)             \
    {                                      \
        static bool said;                  \
        return not_supported(#name, &said);\
    }
#include "frontend/libcuda/unsupported.def"
#undef UNSUPPORTED
