/* The C++ templates texture<> and surface<>. */
#ifndef __CUDA_TEXTURE_TYPES_H__
#define __CUDA_TEXTURE_TYPES_H__

#include "channel_descriptor.h"
#include "texture_types.h"
#include "surface_types.h"

#ifdef __cplusplus
template <class T_, int texType = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __device_builtin_texture_type__ texture : public textureReference {
    __host__ texture(int norm = 0, enum cudaTextureFilterMode fMode = cudaFilterModePoint,
                     enum cudaTextureAddressMode aMode = cudaAddressModeClamp)
        : textureReference()
    {
        init(norm, fMode, aMode, cudaCreateChannelDesc<T_>());
    }

    __host__ texture(int norm, enum cudaTextureFilterMode fMode, enum cudaTextureAddressMode aMode,
                     struct cudaChannelFormatDesc desc)
        : textureReference()
    {
        init(norm, fMode, aMode, desc);
    }

  private:
    __host__ void init(int norm, enum cudaTextureFilterMode fMode, enum cudaTextureAddressMode aMode,
                       struct cudaChannelFormatDesc desc)
    {
        normalized = norm;
        filterMode = fMode;
        addressMode[0] = addressMode[1] = addressMode[2] = aMode;
        channelDesc = desc;
    }
};

template <class T_, int dim = 1> struct __device_builtin_surface_type__ surface : public surfaceReference {
    __host__ surface() : surfaceReference() { channelDesc = cudaCreateChannelDesc<T_>(); }
};

template <int dim> struct __device_builtin_surface_type__ surface<void, dim> : public surfaceReference {
    __host__ surface() : surfaceReference() { channelDesc = cudaCreateChannelDesc<void>(); }
};
#endif

#endif
