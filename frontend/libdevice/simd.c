/*
 * SIMD within a 32-bit word: two 16-bit or four 8-bit lanes.  Lane operations on whole words use the usual
 * carry-free forms (operate on the low bits, correct the top bit with xor); the others are written lane by lane,
 * and the compiler optimises them.  Semantics: CUDA math API, "SIMD intrinsics".
 */
#include "device.h"

HELP int lane_s(u32 v, int i, int width) { return (i32)(v << (32 - width * (i + 1))) >> (32 - width); }
HELP int lane_u(u32 v, int i, int width) { return (int)(v >> width * i & ((1u << width) - 1)); }
HELP int clamp_to(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
HELP int abs_int(int v) { return v < 0 ? -v : v; }

/* One function for two lanes and one for four; `e` is an expression of the lanes x, y and the lane's limits. */
#define LANES(name, get, args, load_b, w, e) \
    NV int __nv_v##name args \
    { \
        const int width = w, smin = -(1 << (w - 1)), smax = (1 << (w - 1)) - 1, umax = (1 << w) - 1; \
        u32 result = 0; \
        for (int i = 0; i < 32 / w; i++) { \
            int x = get((u32)a, i, width), y = load_b(get, i); \
            (void)y, (void)smin, (void)smax, (void)umax; \
            result |= ((u32)(e) & (u32)umax) << w * i; \
        } \
        return (int)result; \
    }
#define LOAD_B(get, i) get((u32)b, i, width)
#define NO_B(get, i) 0
#define UNARY(name, get, e) \
    LANES(name##2, get, (int a), NO_B, 16, e) LANES(name##4, get, (int a), NO_B, 8, e)
#define BINARY(name, get, e) \
    LANES(name##2, get, (int a, int b), LOAD_B, 16, e) LANES(name##4, get, (int a, int b), LOAD_B, 8, e)

UNARY(abs, lane_s, abs_int(x))
UNARY(absss, lane_s, clamp_to(abs_int(x), smin, smax))
UNARY(neg, lane_s, -x)
UNARY(negss, lane_s, clamp_to(-x, smin, smax))
BINARY(add, lane_u, x + y)
BINARY(addss, lane_s, clamp_to(x + y, smin, smax))
BINARY(addus, lane_u, clamp_to(x + y, 0, umax))
BINARY(sub, lane_u, x - y)
BINARY(subss, lane_s, clamp_to(x - y, smin, smax))
BINARY(subus, lane_u, clamp_to(x - y, 0, umax))
BINARY(absdiffs, lane_s, abs_int(x - y))
BINARY(absdiffu, lane_u, abs_int(x - y))
BINARY(avgs, lane_s, (x + y + (x + y >= 0)) >> 1)
BINARY(avgu, lane_u, (x + y + 1) >> 1)
BINARY(haddu, lane_u, (x + y) >> 1)
BINARY(maxs, lane_s, x > y ? x : y)
BINARY(maxu, lane_u, x > y ? x : y)
BINARY(mins, lane_s, x < y ? x : y)
BINARY(minu, lane_u, x < y ? x : y)

#define COMPARE(rel, op, kind, get) \
    BINARY(cmp##rel##kind, get, x op y ? -1 : 0) \
    BINARY(set##rel##kind, get, x op y ? 1 : 0)
COMPARE(eq, ==, , lane_u)
COMPARE(ne, !=, , lane_u)
COMPARE(ge, >=, s, lane_s)
COMPARE(ge, >=, u, lane_u)
COMPARE(gt, >, s, lane_s)
COMPARE(gt, >, u, lane_u)
COMPARE(le, <=, s, lane_s)
COMPARE(le, <=, u, lane_u)
COMPARE(lt, <, s, lane_s)
COMPARE(lt, <, u, lane_u)

#define SUM_OF_DIFFERENCES(name, get, w) \
    NV int __nv_v##name(int a, int b) \
    { \
        int sum = 0; \
        for (int i = 0; i < 32 / w; i++) { \
            sum += abs_int(get((u32)a, i, w) - get((u32)b, i, w)); \
        } \
        return sum; \
    }
SUM_OF_DIFFERENCES(sads2, lane_s, 16)
SUM_OF_DIFFERENCES(sads4, lane_s, 8)
SUM_OF_DIFFERENCES(sadu2, lane_u, 16)
SUM_OF_DIFFERENCES(sadu4, lane_u, 8)
