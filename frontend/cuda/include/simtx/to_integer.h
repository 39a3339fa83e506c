/* A float to an integer by the host, as devices convert: toward zero, limited to the integer's range. A NaN becomes 0,
 * or 2^63 in 64 bits. */
#ifndef SIMTX_TO_INTEGER_H
#define SIMTX_TO_INTEGER_H

#include "simtx/keywords.h"

template <class T_> SIMTX_HOST T_ simtx_to_integer(float f)
{
    const bool has_sign = (T_)-1 < 0;
    const T_ top = (T_)((T_)1 << (sizeof(T_) * 8 - 1 - has_sign)), most = (T_)(top - 1 + top);
    if (f != f)
        return sizeof(T_) == 8 ? (T_)(1ull << 63) : T_(0);
    if (f >= (float)top * 2)
        return most;
    return f <= (has_sign ? -(float)top * 2 : 0.0f) ? (T_)(has_sign ? -most - 1 : 0) : (T_)f;
}

/* To 8 bits, on hosts and devices. */
SIMTX_BOTH signed char simtx_to_char(float f)
{
    return (signed char)(f != f ? 0 : f <= -128.0f ? -128 : f >= 127.0f ? 127 : (int)f);
}

SIMTX_BOTH unsigned char simtx_to_uchar(float f)
{
    return (unsigned char)(!(f > 0.0f) ? 0 : f >= 255.0f ? 255 : (int)f);
}

#endif
