// What the programs with textures share: arrays from host values, objects, the guide's weights.
#ifndef KERNELS_TEXTURE_H
#define KERNELS_TEXTURE_H

#include "check.h"

#include <cmath>

// A CUDA array with these extents (0 = absent) and the values of `texels`, slice by slice.
template <typename T>
static cudaArray_t make_array(const std::vector<T> &texels, size_t width, size_t height, size_t depth, unsigned flags) {
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(width, height, depth), flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<T *>(texels.data()), width * sizeof(T), width, height ? height : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height ? height : 1, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static inline cudaTextureDesc texture_desc(cudaTextureAddressMode address, cudaTextureFilterMode filter,
                                           bool normalized) {
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = address;
    desc.filterMode = filter;
    desc.normalizedCoords = normalized;
    return desc;
}

static inline cudaTextureObject_t make_texture(cudaArray_t array, const cudaTextureDesc &desc) {
    cudaResourceDesc resource = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

static inline cudaSurfaceObject_t make_surface(cudaArray_t array) {
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

// The weight of the second texel of a linear filter in 1/256, and the first texel, for coordinate x (guide, appendix
// Texture Fetching: 8 bits of fraction).
static inline int first_texel(double x) { return (int)std::floor(x - 0.5); }
static inline int weight_256(double x) { return (int)std::floor((x - 0.5 - std::floor(x - 0.5)) * 256 + 0.5); }
static inline int clamped(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

#endif
