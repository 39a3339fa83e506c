/* Surface reads and writes through objects; x counts bytes. Faces of cube maps are layers: 6 x layer + face. */
#ifndef __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#include "simtx/keywords.h"
#include "surface_types.h"

#if defined(__cplusplus) && defined(__CUDACC__)
namespace simtx_surf
{
/* Copies between a value and the registers of an access, whose sizes agree in the branch that is executed. */
template <class A_, class B_> SIMTX_DEV void copy(A_ *to, const B_ *from)
{
    __builtin_memcpy(to, from, sizeof(A_) < sizeof(B_) ? sizeof(A_) : sizeof(B_));
}
} // namespace simtx_surf

#define SIMTX_ARGS(...) __VA_ARGS__
/* One access of the size of T: geometry, boundary mode, coordinates in the instruction, inputs of the asm statement. */
#define SIMTX_SULD(geom, mode, at, inputs)                                                                         \
    if (sizeof(T_) == 1) {                                                                                         \
        unsigned short v;                                                                                          \
        asm volatile("suld.b." geom ".b8." mode " %0, [%[s], " at "];" : "=h"(v) : [s] "l"(s), SIMTX_ARGS inputs); \
        unsigned char c = (unsigned char)v;                                                                        \
        simtx_surf::copy(r, &c);                                                                                   \
    } else if (sizeof(T_) == 2) {                                                                                  \
        unsigned short v;                                                                                          \
        asm volatile("suld.b." geom ".b16." mode " %0, [%[s], " at "];"                                            \
                     : "=h"(v) : [s] "l"(s), SIMTX_ARGS inputs);                                                   \
        simtx_surf::copy(r, &v);                                                                                   \
    } else if (sizeof(T_) == 4) {                                                                                  \
        unsigned v;                                                                                                \
        asm volatile("suld.b." geom ".b32." mode " %0, [%[s], " at "];"                                            \
                     : "=r"(v) : [s] "l"(s), SIMTX_ARGS inputs);                                                   \
        simtx_surf::copy(r, &v);                                                                                   \
    } else if (sizeof(T_) == 8) {                                                                                  \
        unsigned v[2];                                                                                             \
        asm volatile("suld.b." geom ".v2.b32." mode " {%0, %1}, [%[s], " at "];"                                   \
                     : "=r"(v[0]), "=r"(v[1]) : [s] "l"(s), SIMTX_ARGS inputs);                                    \
        simtx_surf::copy(r, &v);                                                                                   \
    } else {                                                                                                       \
        unsigned v[4];                                                                                             \
        asm volatile("suld.b." geom ".v4.b32." mode " {%0, %1, %2, %3}, [%[s], " at "];"                           \
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : [s] "l"(s), SIMTX_ARGS inputs);            \
        simtx_surf::copy(r, &v);                                                                                   \
    }
#define SIMTX_SUST(geom, mode, at, inputs)                                                                           \
    if (sizeof(T_) == 1) {                                                                                           \
        unsigned char c;                                                                                             \
        simtx_surf::copy(&c, &value);                                                                                \
        unsigned short v = c;                                                                                        \
        asm volatile("sust.b." geom ".b8." mode " [%[s], " at "], %0;"                                               \
                     : : "h"(v), [s] "l"(s), SIMTX_ARGS inputs : "memory");                                          \
    } else if (sizeof(T_) == 2) {                                                                                    \
        unsigned short v;                                                                                            \
        simtx_surf::copy(&v, &value);                                                                                \
        asm volatile("sust.b." geom ".b16." mode " [%[s], " at "], %0;"                                              \
                     : : "h"(v), [s] "l"(s), SIMTX_ARGS inputs : "memory");                                          \
    } else if (sizeof(T_) == 4) {                                                                                    \
        unsigned v;                                                                                                  \
        simtx_surf::copy(&v, &value);                                                                                \
        asm volatile("sust.b." geom ".b32." mode " [%[s], " at "], %0;"                                              \
                     : : "r"(v), [s] "l"(s), SIMTX_ARGS inputs : "memory");                                          \
    } else if (sizeof(T_) == 8) {                                                                                    \
        unsigned v[2];                                                                                               \
        simtx_surf::copy(&v, &value);                                                                                \
        asm volatile("sust.b." geom ".v2.b32." mode " [%[s], " at "], {%0, %1};"                                     \
                     : : "r"(v[0]), "r"(v[1]), [s] "l"(s), SIMTX_ARGS inputs : "memory");                            \
    } else {                                                                                                         \
        unsigned v[4];                                                                                               \
        simtx_surf::copy(&v, &value);                                                                                \
        asm volatile("sust.b." geom ".v4.b32." mode " [%[s], " at "], {%0, %1, %2, %3};"                             \
                     : : "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), [s] "l"(s), SIMTX_ARGS inputs : "memory");      \
    }
#define SIMTX_MODES(access, geom, at, inputs)                                                \
    switch (mode) {                                                                          \
    case cudaBoundaryModeClamp: access(geom, "clamp", at, inputs) break;                     \
    case cudaBoundaryModeZero: access(geom, "zero", at, inputs) break;                       \
    default: access(geom, "trap", at, inputs) break;                                         \
    }
/* name, geometry, coordinates in the instruction, as parameters, as inputs, as arguments */
#define SIMTX_SURFACE(name, geom, at, params, inputs, args)                                                          \
    template <class T_>                                                                                              \
    SIMTX_DEV void name##read(T_ *r, cudaSurfaceObject_t s, SIMTX_ARGS params,                                       \
                              enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                              \
    {                                                                                                                \
        static_assert(sizeof(T_) <= 16 && !(sizeof(T_) & (sizeof(T_) - 1)), "a surface access has 1 to 16 bytes");   \
        SIMTX_MODES(SIMTX_SULD, geom, at, inputs)                                                                    \
    }                                                                                                                \
    template <class T_>                                                                                              \
    SIMTX_DEV T_ name##read(cudaSurfaceObject_t s, SIMTX_ARGS params,                                                \
                           enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                 \
    {                                                                                                                \
        T_ r;                                                                                                        \
        name##read(&r, s, SIMTX_ARGS args, mode);                                                                    \
        return r;                                                                                                    \
    }                                                                                                                \
    template <class T_>                                                                                              \
    SIMTX_DEV void name##write(T_ value, cudaSurfaceObject_t s, SIMTX_ARGS params,                                   \
                               enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                             \
    {                                                                                                                \
        static_assert(sizeof(T_) <= 16 && !(sizeof(T_) & (sizeof(T_) - 1)), "a surface access has 1 to 16 bytes");   \
        SIMTX_MODES(SIMTX_SUST, geom, at, inputs)                                                                    \
    }

SIMTX_SURFACE(surf1D, "1d", "{%[x]}", (int x), ([x] "r"(x)), (x))
SIMTX_SURFACE(surf2D, "2d", "{%[x], %[y]}", (int x, int y), ([x] "r"(x), [y] "r"(y)), (x, y))
SIMTX_SURFACE(surf3D, "3d", "{%[x], %[y], %[z], %[z]}", (int x, int y, int z),
              ([x] "r"(x), [y] "r"(y), [z] "r"(z)), (x, y, z))
SIMTX_SURFACE(surf1DLayered, "a1d", "{%[layer], %[x]}", (int x, int layer),
              ([x] "r"(x), [layer] "r"(layer)), (x, layer))
SIMTX_SURFACE(surf2DLayered, "a2d", "{%[layer], %[x], %[y], %[y]}", (int x, int y, int layer),
              ([x] "r"(x), [y] "r"(y), [layer] "r"(layer)), (x, y, layer))
SIMTX_SURFACE(surfCubemap, "a2d", "{%[layer], %[x], %[y], %[y]}", (int x, int y, int layer),
              ([x] "r"(x), [y] "r"(y), [layer] "r"(layer)), (x, y, layer))
SIMTX_SURFACE(surfCubemapLayered, "a2d", "{%[layer], %[x], %[y], %[y]}", (int x, int y, int layer),
              ([x] "r"(x), [y] "r"(y), [layer] "r"(layer)), (x, y, layer))
#undef SIMTX_SURFACE
#undef SIMTX_MODES
#undef SIMTX_SUST
#undef SIMTX_SULD
#undef SIMTX_ARGS
#endif

#endif
