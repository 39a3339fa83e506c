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
template <class T> struct floats {
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
template <class T, enum cudaTextureReadMode mode> struct result { typedef T type; };
template <class T> struct result<T, cudaReadModeNormalizedFloat> {
    typedef typename floats<T>::type type;
};
} // namespace simtx_tex

#define SIMTX_ARGS(...) __VA_ARGS__
/* name, kind of texture, coordinates as parameters, coordinates as arguments */
#define SIMTX_TEX(name, kind, params, args)                                                             \
    template <class T> SIMTX_DEV typename simtx_tex::result<T, cudaReadModeElementType>::type name(     \
        texture<T, kind, cudaReadModeElementType> t, SIMTX_ARGS params)                                 \
    {                                                                                                   \
        T r;                                                                                            \
        __nv_tex_surf_handler("__" #name "_v2", (T *)nullptr, &r, t, SIMTX_ARGS args);                  \
        return r;                                                                                       \
    }                                                                                                   \
    template <class T> SIMTX_DEV typename simtx_tex::result<T, cudaReadModeNormalizedFloat>::type name( \
        texture<T, kind, cudaReadModeNormalizedFloat> t, SIMTX_ARGS params)                             \
    {                                                                                                   \
        typename simtx_tex::result<T, cudaReadModeNormalizedFloat>::type r;                             \
        __nv_tex_surf_handler("__" #name "_rmnf_v2", (T *)nullptr, &r, t, SIMTX_ARGS args);             \
        return r;                                                                                       \
    }
#define SIMTX_ITEX(name, params, args)                                                     \
    template <class T> SIMTX_DEV T name(cudaTextureObject_t t, SIMTX_ARGS params)          \
    {                                                                                      \
        T r;                                                                               \
        __nv_tex_surf_handler("__i" #name, &r, t, SIMTX_ARGS args);                        \
        return r;                                                                          \
    }                                                                                      \
    template <class T> SIMTX_DEV void name(T *r, cudaTextureObject_t t, SIMTX_ARGS params) \
    {                                                                                      \
        __nv_tex_surf_handler("__i" #name, r, t, SIMTX_ARGS args);                         \
    }
#define SIMTX_TEXTURES(name, kind, params, args) \
    SIMTX_TEX(name, kind, params, args) SIMTX_ITEX(name, params, args)

SIMTX_TEXTURES(tex1Dfetch, cudaTextureType1D, (int x), (x))
SIMTX_TEXTURES(tex1D, cudaTextureType1D, (float x), (x))
SIMTX_TEXTURES(tex2D, cudaTextureType2D, (float x, float y), (x, y))
SIMTX_TEXTURES(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z))
SIMTX_TEXTURES(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z))
SIMTX_TEXTURES(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
SIMTX_TEXTURES(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer))
SIMTX_TEXTURES(tex1DLod, cudaTextureType1D, (float x, float level), (x, level))
SIMTX_TEXTURES(tex2DLod, cudaTextureType2D, (float x, float y, float level), (x, y, level))
SIMTX_TEXTURES(tex3DLod, cudaTextureType3D, (float x, float y, float z, float level), (x, y, z, level))
#undef SIMTX_TEXTURES
#undef SIMTX_ITEX
#undef SIMTX_TEX
#undef SIMTX_ARGS
#endif

#endif
