/* Surface reads and writes through references: the functions of objects on the reference's handle. */
#ifndef __SURFACE_FUNCTIONS_H__
#define __SURFACE_FUNCTIONS_H__

#include "cuda_texture_types.h"
#include "surface_indirect_functions.h"

#if defined(__cplusplus) && defined(__CUDACC__)
namespace simtx_surf
{
template <class S_> SIMTX_DEV cudaSurfaceObject_t object(S_ s)
{
    cudaSurfaceObject_t o;
    asm("mov.b64 %0, %1;" : "=l"(o) : "l"(s));
    return o;
}
} // namespace simtx_surf

#define SIMTX_ARGS(...) __VA_ARGS__
#define SIMTX_SURFACE(name, kind, params, args)                                                                        \
    template <class T_>                                                                                                \
    SIMTX_DEV void name##read(T_ *r, surface<void, kind> s, SIMTX_ARGS params,                                         \
                              enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                \
    {                                                                                                                  \
        name##read(r, simtx_surf::object(s), SIMTX_ARGS args, mode);                                                   \
    }                                                                                                                  \
    template <class T_>                                                                                                \
    SIMTX_DEV T_ name##read(surface<void, kind> s, SIMTX_ARGS params,                                                  \
                           enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                   \
    {                                                                                                                  \
        return name##read<T_>(simtx_surf::object(s), SIMTX_ARGS args, mode);                                           \
    }                                                                                                                  \
    template <class T_>                                                                                                \
    SIMTX_DEV void name##write(T_ value, surface<void, kind> s, SIMTX_ARGS params,                                     \
                               enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                               \
    {                                                                                                                  \
        name##write(value, simtx_surf::object(s), SIMTX_ARGS args, mode);                                              \
    }

SIMTX_SURFACE(surf1D, cudaSurfaceType1D, (int x), (x))
SIMTX_SURFACE(surf2D, cudaSurfaceType2D, (int x, int y), (x, y))
SIMTX_SURFACE(surf3D, cudaSurfaceType3D, (int x, int y, int z), (x, y, z))
SIMTX_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), (x, layer))
SIMTX_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), (x, y, layer))
SIMTX_SURFACE(surfCubemap, cudaSurfaceTypeCubemap, (int x, int y, int layer), (x, y, layer))
SIMTX_SURFACE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, (int x, int y, int layer), (x, y, layer))
#undef SIMTX_SURFACE
#undef SIMTX_ARGS
#endif

#endif
