// Wrong use of arrays, textures and surfaces: the error codes of the runtime API; and, in child processes, kernels that
// use a destroyed object, freed memory, an unbound reference, and a surface outside its extents, each of which must end
// in a launch failure with a message.
#define PROGRAM "texture_errors"
#include "child.h"
#include "../texture.h"

texture<float, cudaTextureType2D> never_bound;

__global__ void read_object(cudaTextureObject_t t, float *out) { *out = tex2D<float>(t, 1, 1); }
__global__ void read_memory(cudaTextureObject_t t, float *out) { *out = tex1Dfetch<float>(t, 1); }
__global__ void read_reference(float *out) { *out = tex2D(never_bound, 1, 1); }
__global__ void write_surface(cudaSurfaceObject_t s, int x) { surf2Dwrite(1.0f, s, x, 0); }

static cudaArray_t small_array(unsigned flags) { return make_array(std::vector<float>(64), 8, 8, 0, flags); }

static cudaTextureDesc plain() { return texture_desc(cudaAddressModeClamp, cudaFilterModePoint, false); }

static void destroyed_object() {
    cudaTextureObject_t t = make_texture(small_array(0), plain());
    CHECK(cudaDestroyTextureObject(t));
    read_object<<<1, 1>>>(t, device_zeros<float>(1));
    expect_error("a destroyed texture object", cudaErrorLaunchFailure, cudaDeviceSynchronize());
}

static void freed_memory() {
    float *memory = device_zeros<float>(64);
    cudaResourceDesc resource = {};
    cudaTextureDesc desc = {};
    cudaTextureObject_t t;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 256;
    CHECK(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    CHECK(cudaFree(memory));
    read_memory<<<1, 1>>>(t, device_zeros<float>(1));
    expect_error("memory of a texture that was freed", cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

static void unbound_reference() {
    read_reference<<<1, 1>>>(device_zeros<float>(1));
    expect_error("an unbound reference", cudaErrorLaunchFailure, cudaDeviceSynchronize());
}

static void surface_outside() {
    write_surface<<<1, 1>>>(make_surface(small_array(cudaArraySurfaceLoadStore)), 32);
    expect_error("a store outside a surface", cudaErrorLaunchFailure, cudaDeviceSynchronize());
}

static void surface_misaligned() {
    write_surface<<<1, 1>>>(make_surface(small_array(cudaArraySurfaceLoadStore)), 2);
    expect_error("a misaligned store to a surface", cudaErrorMisalignedAddress, cudaDeviceSynchronize());
}

static void expect_child(const char *what, void (*run)(), const char *mention) {
    Child child = run_child(run);
    expect_success(what, child);
    if (child.output.find(mention) == std::string::npos) {
        fail(what, 0, std::string(mention), child.output);
    }
}

static void arrays() {
    cudaChannelFormatDesc good = cudaCreateChannelDesc<float>();
    cudaChannelFormatDesc bad = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t a;
    cudaMipmappedArray_t m;
    expect_error("three channels", cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &bad, 8, 8));
    expect_error("no width", cudaErrorInvalidValue, cudaMallocArray(&a, &good, 0, 8));
    expect_error("too wide", cudaErrorInvalidValue, cudaMallocArray(&a, &good, 1 << 20, 8));
    expect_error("a cube map without six faces", cudaErrorInvalidValue,
                 cudaMalloc3DArray(&a, &good, make_cudaExtent(8, 8, 5), cudaArrayCubemap));
    expect_error("more levels than there are", cudaErrorInvalidValue,
                 cudaMallocMipmappedArray(&m, &good, make_cudaExtent(8, 8, 0), 5));
    a = small_array(0);
    std::vector<float> row(64);
    expect_error("a copy beyond the width", cudaErrorInvalidValue,
                 cudaMemcpy2DToArray(a, 16, 0, row.data(), 32, 32, 1, cudaMemcpyHostToDevice));
    expect_error("a copy beyond the height", cudaErrorInvalidValue,
                 cudaMemcpy2DToArray(a, 0, 6, row.data(), 32, 32, 3, cudaMemcpyHostToDevice));
    expect_error("a direction from the device", cudaErrorInvalidMemcpyDirection,
                 cudaMemcpy2DToArray(a, 0, 0, row.data(), 32, 32, 1, cudaMemcpyDeviceToHost));
    expect_error("a pitch below the width", cudaErrorInvalidPitchValue,
                 cudaMemcpy2DToArray(a, 0, 0, row.data(), 16, 32, 2, cudaMemcpyHostToDevice));
    CHECK(cudaFreeArray(a));
    expect_error("an array that was freed", cudaErrorInvalidValue, cudaFreeArray(a));
}

static void objects() {
    cudaResourceDesc resource = {};
    cudaTextureDesc desc = plain();
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = small_array(0);
    expect_error("a surface of an array without the flag", cudaErrorInvalidValue,
                 cudaCreateSurfaceObject(&s, &resource));
    expect_error("no texture object", cudaErrorInvalidValue, cudaDestroyTextureObject(12345));
    desc.filterMode = cudaFilterModeLinear;
    resource.res.array.array = make_array(std::vector<int>(64), 8, 8, 0, 0);
    expect_error("a linear filter of integers", cudaErrorInvalidValue,
                 cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = device_zeros<float>(64);
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = 5;
    resource.res.pitch2D.height = 2;
    resource.res.pitch2D.pitchInBytes = 20;
    expect_error("a misaligned pitch", cudaErrorInvalidValue, cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    resource.res.pitch2D.pitchInBytes = 1024;
    expect_error("memory beyond the allocation", cudaErrorInvalidValue,
                 cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    resource.res.pitch2D.pitchInBytes = 32;
    CHECK(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    cudaResourceDesc back;
    cudaTextureDesc how;
    CHECK(cudaGetTextureObjectResourceDesc(&back, t));
    CHECK(cudaGetTextureObjectTextureDesc(&how, t));
    expect_equal("pitch of the resource", 0, (size_t)32, back.res.pitch2D.pitchInBytes);
    expect_equal("filter of the texture", 0, (int)cudaFilterModeLinear, (int)how.filterMode);
    const textureReference *reference;
    expect_error("no reference", cudaErrorInvalidTexture, cudaGetTextureReference(&reference, &resource));
    CHECK(cudaGetTextureReference(&reference, &never_bound));
}

int main() {
    expect_child("destroyed object", destroyed_object, "no texture object");
    expect_child("freed memory", freed_memory, "was freed");
    expect_child("unbound reference", unbound_reference, "'never_bound' is not bound");
    expect_child("surface outside", surface_outside, "outside the surface");
    expect_child("surface misaligned", surface_misaligned, "no multiple of 4");
    arrays();
    objects();
    return pass();
}
