/*
 * Two instructions as one step of the run loop: a 64-bit sum one of whose terms the instruction before computes for it
 * alone, as compilers address array elements (mul.wide, add.s64). The intermediate register is not written. Timing mode
 * executes the two instructions one by one.
 */
#include "ptx/lanes/kernel.h"
#include "ptx/program/code.h"

/* The step d[1] is the sum: its first source is the other term. */
#define PAIR(name, TA, TB, EXPR)                                                              \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        const TA *A = src_of(x, d, 0);                                                        \
        const TB *B = src_of(x, d, 1);                                                        \
        const uint64_t *C = src_of(x, d + 1, 0);                                              \
        uint64_t *D = dst_of(x, d + 1);                                                       \
        const uint32_t m = x->mask;                                                           \
        if (LIKELY(m == ALL_LANES)) {                                                         \
            SIMD for (int i = 0; i < LANES; i++) {                                            \
                TA a = A[i];                                                                  \
                TB b = B[i];                                                                  \
                D[i] = C[i] + (uint64_t)(EXPR);                                               \
            }                                                                                 \
        } else {                                                                              \
            SIMD for (int i = 0; i < LANES; i++) {                                            \
                TA a = A[i];                                                                  \
                TB b = B[i];                                                                  \
                uint64_t old = D[i], sum = C[i] + (uint64_t)(EXPR);                           \
                D[i] = m & lane_bit64[i] ? sum : old;                                         \
            }                                                                                 \
        }                                                                                     \
        return CONTROL_NEXT;                                                                  \
    }

PAIR(add_mul_wide_s32, int32_t, int32_t, (int64_t)a * b)
PAIR(add_mul_wide_u32, uint32_t, uint32_t, (uint64_t)a * b)
PAIR(add_shl_b64, uint64_t, uint32_t, b < 64 ? a << (b & 63) : 0)

ptx_fn *NAME(pick_pair)(const struct ptx_inst *in)
{
    if (in->op == OP_SHL && in->type[0] == T_B64)
        return add_shl_b64;
    if (in->op != OP_MUL || in->mod[PG_MULW] != MOD(MULW, WIDE))
        return NULL;
    return in->type[0] == T_S32 ? add_mul_wide_s32 : in->type[0] == T_U32 ? add_mul_wide_u32 : NULL;
}
