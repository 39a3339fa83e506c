/* Texture references and objects, surfaces; kernels/features has programs that use them. */
#include <cuda_runtime.h>

texture<float, cudaTextureType1D> tex_a;
texture<float4, cudaTextureType2D> tex_b;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> tex_c;

__global__ void textures(float *f, cudaTextureObject_t o)
{
    f[0] = tex1Dfetch(tex_a, 3) + tex2D(tex_b, 1.0f, 2.0f).x + tex2D(tex_c, 1.0f, 2.0f).y +
           tex2D<float>(o, 1.0f, 2.0f) + tex1Dfetch<float>(o, 3) + tex3D<float>(o, 1.0f, 2.0f, 3.0f);
}
