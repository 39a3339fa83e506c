/* Launches as before CUDA 4: the block, the shared memory and the bytes of the parameters are settings of the function,
 * which each launch takes. */
#include "frontend/libcuda/cu.h"

#include <stdlib.h>
#include <string.h>

struct rt_old_launch {
    dim3 block;
    unsigned shared, bytes;
    char parameters[CU_OLD_PARAMETERS];
};

/* The settings of a function, which are made at their first use. */
static cudaError_t enter(CUfunction *f, struct rt_old_launch **out)
{
    cudaError_t e = cu_enter_function(f);
    if (!e && !(*f)->old)
        (*f)->old = calloc(1, sizeof *(*f)->old);
    if (!e && !(*f)->old)
        e = cudaErrorMemoryAllocation;
    *out = e ? NULL : (*f)->old;
    return e;
}

CU_API CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z)
{
    struct rt_old_launch *o;
    cudaError_t e = enter(&f, &o);
    if (!e && (x <= 0 || y <= 0 || z <= 0))
        e = cudaErrorInvalidValue;
    if (!e)
        o->block = (dim3){(unsigned)x, (unsigned)y, (unsigned)z};
    return cu_leave(e);
}

CU_API CUresult cuFuncSetSharedSize(CUfunction f, unsigned bytes)
{
    struct rt_old_launch *o;
    cudaError_t e = enter(&f, &o);
    if (!e)
        o->shared = bytes;
    return cu_leave(e);
}

CU_API CUresult cuParamSetSize(CUfunction f, unsigned bytes)
{
    struct rt_old_launch *o;
    cudaError_t e = enter(&f, &o);
    if (!e && bytes > CU_OLD_PARAMETERS)
        e = cudaErrorInvalidValue;
    if (!e)
        o->bytes = bytes;
    return cu_leave(e);
}

CU_API CUresult cuParamSetv(CUfunction f, int offset, void *value, unsigned bytes)
{
    struct rt_old_launch *o;
    cudaError_t e = enter(&f, &o);
    if (!e && (offset < 0 || !value || bytes > CU_OLD_PARAMETERS || (unsigned)offset > CU_OLD_PARAMETERS - bytes))
        e = cudaErrorInvalidValue;
    if (!e)
        memcpy(o->parameters + offset, value, bytes);
    return cu_leave(e);
}

CU_API CUresult cuParamSeti(CUfunction f, int offset, unsigned value)
{
    return cuParamSetv(f, offset, &value, sizeof value);
}

CU_API CUresult cuParamSetf(CUfunction f, int offset, float value)
{
    return cuParamSetv(f, offset, &value, sizeof value);
}

/* A texture reference of a module is bound to its variable, so a launch need not name it. */
CU_API CUresult cuParamSetTexRef(CUfunction f, int unit, CUtexref r)
{
    cudaError_t e = cu_enter_function(&f);
    return cu_leave(e ? e : unit == CU_PARAM_TR_DEFAULT && r ? cudaSuccess : cudaErrorInvalidValue);
}

CU_API CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream s)
{
    struct rt_old_launch *o;
    cudaError_t e = enter(&f, &o);
    if (!e && (width <= 0 || height <= 0 || !o->block.x))
        e = cudaErrorInvalidValue;
    if (e)
        return cu_leave(e);
    struct rt_launch_config c = {.grid = {(unsigned)width, (unsigned)height, 1}, .block = o->block,
                                  .shared = o->shared, .stream = s};
    struct rt_args a = {.buffer = o->parameters, .bytes = o->bytes};
    return cu_leave(rt_launch(f, &c, &a));
}

CU_API CUresult cuLaunchGrid(CUfunction f, int width, int height)
{
    return cuLaunchGridAsync(f, width, height, NULL);
}

CU_API CUresult cuLaunch(CUfunction f)
{
    return cuLaunchGridAsync(f, 1, 1, NULL);
}
