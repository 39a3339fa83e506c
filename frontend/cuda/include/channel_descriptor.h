/* cudaCreateChannelDesc<T>(): the channel layout of a C++ type. */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#ifdef __cplusplus
namespace simtx_channel
{
template <class T_> struct kind;
#define SIMTX_KIND(T, k)                                   \
    template <> struct kind<T> {                           \
        static const enum cudaChannelFormatKind value = k; \
    };
SIMTX_KIND(char, cudaChannelFormatKindSigned)
SIMTX_KIND(signed char, cudaChannelFormatKindSigned)
SIMTX_KIND(unsigned char, cudaChannelFormatKindUnsigned)
SIMTX_KIND(short, cudaChannelFormatKindSigned)
SIMTX_KIND(unsigned short, cudaChannelFormatKindUnsigned)
SIMTX_KIND(int, cudaChannelFormatKindSigned)
SIMTX_KIND(unsigned int, cudaChannelFormatKindUnsigned)
SIMTX_KIND(long, cudaChannelFormatKindSigned)
SIMTX_KIND(unsigned long, cudaChannelFormatKindUnsigned)
SIMTX_KIND(float, cudaChannelFormatKindFloat)
#undef SIMTX_KIND
template <class T_, int n> static inline cudaChannelFormatDesc make()
{
    const int bits = (int)sizeof(T_) * 8;
    return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind<T_>::value);
}
} // namespace simtx_channel

template <class T_> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define SIMTX_DESC(name, T, n)                                             \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name>() \
    {                                                                      \
        return simtx_channel::make<T, n>();                                \
    }
#define SIMTX_DESCS(T, vec) \
    SIMTX_DESC(T, T, 1) SIMTX_DESC(vec##1, T, 1) SIMTX_DESC(vec##2, T, 2) SIMTX_DESC(vec##4, T, 4)
SIMTX_DESC(char, char, 1)
SIMTX_DESCS(signed char, char)
SIMTX_DESCS(unsigned char, uchar)
SIMTX_DESCS(short, short)
SIMTX_DESCS(unsigned short, ushort)
SIMTX_DESCS(int, int)
SIMTX_DESCS(unsigned int, uint)
SIMTX_DESCS(float, float)
#undef SIMTX_DESCS
#undef SIMTX_DESC

/* Half precision */
#define SIMTX_DESC(name, y, z, w)                                                       \
    static inline cudaChannelFormatDesc name()                                          \
    {                                                                                   \
        return cudaCreateChannelDesc(16, y, z, w, cudaChannelFormatKindFloat);          \
    }
SIMTX_DESC(cudaCreateChannelDescHalf, 0, 0, 0)
SIMTX_DESC(cudaCreateChannelDescHalf1, 0, 0, 0)
SIMTX_DESC(cudaCreateChannelDescHalf2, 16, 0, 0)
SIMTX_DESC(cudaCreateChannelDescHalf4, 16, 16, 16)
#undef SIMTX_DESC
#endif

#endif
