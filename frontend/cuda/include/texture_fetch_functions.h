/* Texture fetches through references (tex2D(tex, x, y) ...) and objects (tex2D<T>(obj, x, y) ...).  clang
 * supplies the instructions through __nv_tex_surf_handler; this file defines the functions that programs call.  A fetch
 * in normalized-float mode returns floats. */
#ifndef __TEXTURE_FETCH_FUNCTIONS_H__
#define __TEXTURE_FETCH_FUNCTIONS_H__

#include "cuda_texture_types.h"
#include "simtx/keywords.h"

#if __cplusplus >= 201103L
namespace simtx_tex
{
template <class T_> struct floats {
    typedef float type;
};
template <> struct floats<char2> {
    typedef float2 type;
};
template <> struct floats<uchar2> {
    typedef float2 type;
};
template <> struct floats<short2> {
    typedef float2 type;
};
template <> struct floats<ushort2> {
    typedef float2 type;
};
template <> struct floats<char4> {
    typedef float4 type;
};
template <> struct floats<uchar4> {
    typedef float4 type;
};
template <> struct floats<short4> {
    typedef float4 type;
};
template <> struct floats<ushort4> {
    typedef float4 type;
};
template <class T_, enum cudaTextureReadMode mode> struct result { typedef T_ type; };
template <class T_> struct result<T_, cudaReadModeNormalizedFloat> {
    typedef typename floats<T_>::type type;
};
/* The vector of four of a channel's type: what a gather returns. */
template <class T_> struct four {
    typedef typename four<decltype(T_::x)>::type type;
};
#define SIMTX_FOUR(T, T4)   \
    template <> struct four<T> { \
        typedef T4 type;    \
    };
SIMTX_FOUR(char, char4)
SIMTX_FOUR(signed char, char4)
SIMTX_FOUR(unsigned char, uchar4)
SIMTX_FOUR(short, short4)
SIMTX_FOUR(unsigned short, ushort4)
SIMTX_FOUR(int, int4)
SIMTX_FOUR(unsigned int, uint4)
SIMTX_FOUR(float, float4)
#undef SIMTX_FOUR
} // namespace simtx_tex

#define SIMTX_ARGS(...) __VA_ARGS__
/* name, suffix of the built-in name, kind of texture, coordinates as parameters, coordinates as arguments */
#define SIMTX_TEX(name, kind, params, args)                                                             \
    template <class T_> SIMTX_DEV typename simtx_tex::result<T_, cudaReadModeElementType>::type name(   \
        texture<T_, kind, cudaReadModeElementType> t, SIMTX_ARGS params)                                \
    {                                                                                                   \
        T_ r;                                                                                           \
        __nv_tex_surf_handler("__" #name "_v2", (T_ *)nullptr, &r, t, SIMTX_ARGS args);                 \
        return r;                                                                                       \
    }                                                                                                   \
    template <class T_> SIMTX_DEV typename simtx_tex::result<T_, cudaReadModeNormalizedFloat>::type name( \
        texture<T_, kind, cudaReadModeNormalizedFloat> t, SIMTX_ARGS params)                            \
    {                                                                                                   \
        typename simtx_tex::result<T_, cudaReadModeNormalizedFloat>::type r;                            \
        __nv_tex_surf_handler("__" #name "_rmnf_v2", (T_ *)nullptr, &r, t, SIMTX_ARGS args);            \
        return r;                                                                                       \
    }
#define SIMTX_ITEX(name, suffix, params, args)                                             \
    template <class T_> SIMTX_DEV T_ name(cudaTextureObject_t t, SIMTX_ARGS params)        \
    {                                                                                      \
        T_ r;                                                                              \
        __nv_tex_surf_handler("__i" #name suffix, &r, t, SIMTX_ARGS args);                 \
        return r;                                                                          \
    }                                                                                      \
    template <class T_> SIMTX_DEV void name(T_ *r, cudaTextureObject_t t, SIMTX_ARGS params) \
    {                                                                                      \
        __nv_tex_surf_handler("__i" #name suffix, r, t, SIMTX_ARGS args);                  \
    }
#define SIMTX_TEXTURES(name, suffix, kind, params, args) \
    SIMTX_TEX(name, kind, params, args) SIMTX_ITEX(name, suffix, params, args)
/* The same at a level of detail, and with the derivatives of the coordinates: scalars or vectors V. */
#define SIMTX_LEVELS(name, kind, params, args)                                                 \
    SIMTX_TEXTURES(name, "", kind, (SIMTX_ARGS params), (SIMTX_ARGS args))                     \
    SIMTX_TEXTURES(name##Lod, "", kind, (SIMTX_ARGS params, float level), (SIMTX_ARGS args, level))
#define SIMTX_GRADIENTS(name, kind, params, args, V)                                                                \
    SIMTX_LEVELS(name, kind, params, args)                                                                          \
    SIMTX_TEXTURES(name##Grad, "_v2", kind, (SIMTX_ARGS params, V dPdx, V dPdy), (SIMTX_ARGS args, (const V *)&dPdx, \
                                                                                  (const V *)&dPdy))
#define SIMTX_GRADIENTS_1D(name, kind, params, args)                                     \
    SIMTX_LEVELS(name, kind, params, args)                                               \
    SIMTX_TEXTURES(name##Grad, "", kind, (SIMTX_ARGS params, float dPdx, float dPdy), (SIMTX_ARGS args, dPdx, dPdy))

SIMTX_TEXTURES(tex1Dfetch, "", cudaTextureType1D, (int x), (x))
SIMTX_GRADIENTS_1D(tex1D, cudaTextureType1D, (float x), (x))
SIMTX_GRADIENTS(tex2D, cudaTextureType2D, (float x, float y), (x, y), float2)
SIMTX_GRADIENTS(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z), float4)
SIMTX_GRADIENTS(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z), float4)
SIMTX_GRADIENTS_1D(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
SIMTX_GRADIENTS(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer), float2)
SIMTX_GRADIENTS(texCubemapLayered, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer),
                (x, y, z, layer), float4)
#undef SIMTX_GRADIENTS_1D
#undef SIMTX_GRADIENTS
#undef SIMTX_LEVELS

SIMTX_ITEX(tex2Dgather, "", (float x, float y, int component = 0), (x, y, component))
template <class T_>
SIMTX_DEV typename simtx_tex::four<T_>::type tex2Dgather(texture<T_, cudaTextureType2D, cudaReadModeElementType> t,
                                                        float x, float y, int component = 0)
{
    typename simtx_tex::four<T_>::type r;
    __nv_tex_surf_handler("__tex2Dgather_v2", (T_ *)nullptr, &r, t, x, y, component);
    return r;
}
template <class T_>
SIMTX_DEV float4 tex2Dgather(texture<T_, cudaTextureType2D, cudaReadModeNormalizedFloat> t, float x, float y,
                             int component = 0)
{
    float4 r;
    __nv_tex_surf_handler("__tex2Dgather_rmnf_v2", (T_ *)nullptr, &r, t, x, y, component);
    return r;
}
#undef SIMTX_TEXTURES
#undef SIMTX_ITEX
#undef SIMTX_TEX
#undef SIMTX_ARGS
#endif

#include "surface_functions.h"

#endif
