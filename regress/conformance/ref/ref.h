/*
 * The reference: what one lane computes, written from the PTX ISA and from nothing else. Integers by __int128
 * or bit by bit, floating point by MPFR with one rounding into the target format. No code is shared with
 * ptx/lanes; only the vocabulary of types and modifiers (ptx/isa/types.h, ptx/program/ir.h) is.
 *
 * NaN results: f32 0x7fffffff, f16 and bf16 0x7fff; f64 the first NaN operand, quieted, else
 * 0xfff8000000000000.
 */
#ifndef REGRESS_CONFORMANCE_REF_H
#define REGRESS_CONFORMANCE_REF_H

#include "ptx/program/ir.h"

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

struct ref_lane {
    uint64_t src[4];         /* bits of the source operands in the order of the text; predicates 0 or 1 */
    bool carry;              /* CC.CF before the instruction */
};

struct ref_result {
    uint64_t d;              /* bits of the destination */
    bool q;                  /* second predicate destination */
    bool carry;              /* CC.CF after the instruction */
    bool approx;             /* d may be any value in [low, high], or the sign of a zero may differ */
    double low, high;
};

/* False when the reference knows no such instruction: a row of the table without vectors. */
bool ref_eval(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r);

/* The parts, by file. */
bool ref_int(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r);
bool ref_bits(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r);
bool ref_video(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r);
bool ref_float(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r);
bool ref_approx(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r);
bool ref_cvt(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r);
bool ref_compare(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r);

#define REF_HAS(in, g, e) ((in)->mod[PG_##g] == MOD(g, e))

static inline int ref_bits_of(uint8_t type) { return type == T_PRED ? 1 : 8 * ptx_type_size(type); }
static inline uint64_t ref_mask(int bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

/* An integer operand as a number. */
static inline s128 ref_value(uint8_t type, uint64_t bits)
{
    int n = ref_bits_of(type);
    bits &= ref_mask(n);
    if (ptx_type_class(type) == 's' && bits >> (n - 1) & 1)
        return (s128)bits - ((s128)1 << n);
    return (s128)bits;
}

static inline s128 ref_clamp(s128 v, s128 low, s128 high) { return v < low ? low : v > high ? high : v; }

/* The range of an integer type. */
static inline s128 ref_least(int bits, bool is_signed) { return is_signed ? -((s128)1 << (bits - 1)) : 0; }
static inline s128 ref_most(int bits, bool is_signed)
{
    return ((s128)1 << (is_signed ? bits - 1 : bits)) - 1;
}

/* Is the element type of a packed pair; T_NONE for other types. */
uint8_t ref_half_of(uint8_t type);

#endif
