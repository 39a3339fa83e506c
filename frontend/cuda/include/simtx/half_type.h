/* The structs of a 16-bit floating type and its pair; no include guard, because cuda_fp16.h and cuda_bf16.h each
 * include it once.  They define
 *   SIMTX_H, SIMTX_H2           the names of the structs
 *   SIMTX_H_RAW, SIMTX_H2_RAW   the structs of their bits alone
 *   SIMTX_NS                    a namespace with to_f, from_f, from_d, from_i on bits, which gets make, make2, pack and
 *                               unpack. */
struct SIMTX_H {
    unsigned short __x;
    SIMTX_H() = default;
    SIMTX_MEMBER SIMTX_H(const SIMTX_H_RAW &r) : __x(r.x) {}
    SIMTX_MEMBER SIMTX_H(float f) : __x(SIMTX_NS::from_f(f)) {}
    SIMTX_MEMBER SIMTX_H(double d) : __x(SIMTX_NS::from_d(d)) {}
#define SIMTX_FROM(T_) \
    SIMTX_MEMBER SIMTX_H(T_ v) : __x(SIMTX_NS::from_i(v)) {}
    SIMTX_FROM(short)
    SIMTX_FROM(unsigned short)
    SIMTX_FROM(int)
    SIMTX_FROM(unsigned int)
    SIMTX_FROM(long)
    SIMTX_FROM(unsigned long)
    SIMTX_FROM(long long)
    SIMTX_FROM(unsigned long long)
#undef SIMTX_FROM
    SIMTX_MEMBER operator float() const { return SIMTX_NS::to_f(__x); }
    SIMTX_MEMBER operator SIMTX_H_RAW() const
    {
        SIMTX_H_RAW r = {__x};
        return r;
    }
#define SIMTX_TO(T_) \
    SIMTX_MEMBER explicit operator T_() const { return (T_)SIMTX_NS::to_f(__x); }
    SIMTX_MEMBER explicit operator bool() const { return (__x & 0x7fff) != 0; }
    SIMTX_TO(char)
    SIMTX_TO(signed char)
    SIMTX_TO(unsigned char)
    SIMTX_TO(short)
    SIMTX_TO(unsigned short)
    SIMTX_TO(int)
    SIMTX_TO(unsigned int)
    SIMTX_TO(long)
    SIMTX_TO(unsigned long)
    SIMTX_TO(long long)
    SIMTX_TO(unsigned long long)
#undef SIMTX_TO
};

struct __attribute__((aligned(4))) SIMTX_H2 {
    SIMTX_H x, y;
    SIMTX_H2() = default;
    SIMTX_MEMBER SIMTX_H2(const SIMTX_H &a, const SIMTX_H &b) : x(a), y(b) {}
    SIMTX_MEMBER SIMTX_H2(const SIMTX_H2_RAW &r) : x(SIMTX_H_RAW{r.x}), y(SIMTX_H_RAW{r.y}) {}
    SIMTX_MEMBER operator SIMTX_H2_RAW() const
    {
        SIMTX_H2_RAW r = {x.__x, y.__x};
        return r;
    }
};

namespace SIMTX_NS
{
SIMTX_BOTH SIMTX_H make(unsigned short bits)
{
    SIMTX_H h;
    h.__x = bits;
    return h;
}
SIMTX_BOTH SIMTX_H2 make2(SIMTX_H a, SIMTX_H b) { return SIMTX_H2(a, b); }
SIMTX_BOTH unsigned int pack(SIMTX_H2 v) { return v.x.__x | (unsigned int)v.y.__x << 16; }
SIMTX_BOTH SIMTX_H2 unpack(unsigned int u)
{
    return SIMTX_H2(make((unsigned short)u), make((unsigned short)(u >> 16)));
}
} // namespace SIMTX_NS
