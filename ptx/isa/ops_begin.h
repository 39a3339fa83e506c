/*
 * Start of an inclusion of ops.def: row macros that the includer has not defined expand to nothing. ops_end.h undefines
 * all of them. ops.def describes the rows; the file of ptx/lanes/ that defines a semantic row of lane functions
 * describes its arguments (int.c, logic.c, float.c ...).
 */
#ifndef OP
#define OP(id, text, groups, sig, unit, lat, doc)
#endif
#ifndef FORM
#define FORM(id, t1, t2, t3, groups, need, rnd)
#endif
#ifndef SIG
#define SIG(id, group, word, sig)
#endif
#ifndef SINCE
#define SINCE(id, sm, version)
#endif
#ifndef SINCE_ONLY
#define SINCE_ONLY(id, sm, version)
#endif
#ifndef SINCE_WORD
#define SINCE_WORD(id, group, word, sm, version)
#endif
#ifndef SINCE_TYPE
#define SINCE_TYPE(id, type, sm, version)
#endif
#ifndef MEMORY
#define MEMORY(id, kind, decode)
#endif
#ifndef CONTROL
#define CONTROL(id, decode, execute)
#endif
#ifndef REDUCED
#define REDUCED(id, reduce)
#endif
#ifndef STEP
#define STEP(id, decode)
#endif
#ifndef INT1
#define INT1(op, TD, TA, sel, fl, expr)
#endif
#ifndef INT2
#define INT2(op, TD, TA, sel, fl, expr)
#endif
#ifndef INT3
#define INT3(op, TD, TA, sel, fl, expr)
#endif
#ifndef INT2N
#define INT2N(op, bits, sel, fl, expr)
#endif
#ifndef INT3N
#define INT3N(op, bits, sel, fl, expr)
#endif
#ifndef INT4
#define INT4(op, T, expr)
#endif
#ifndef INT_UU
#define INT_UU(op, T, expr)
#endif
#ifndef PACKED2
#define PACKED2(op, T, TE, sel, fl, expr)
#endif
#ifndef DOT
#define DOT(op, TA, TB, sel, expr)
#endif
#ifndef CARRY2N
#define CARRY2N(op, bits, fl, r, cout)
#endif
#ifndef CARRY3N
#define CARRY3N(op, bits, sel, fl, r, cout)
#endif
#ifndef CARRY3
#define CARRY3(op, T, bits, sel, fl, r, cout)
#endif
#ifndef PRED1
#define PRED1(op, expr)
#endif
#ifndef PRED2
#define PRED2(op, expr)
#endif
#ifndef BIT1
#define BIT1(op, bits, expr)
#endif
#ifndef BIT2
#define BIT2(op, bits, expr)
#endif
#ifndef BIT3
#define BIT3(op, sel, fl, expr)
#endif
#ifndef SHIFT
#define SHIFT(op, T, expr)
#endif
#ifndef SELECT
#define SELECT(op, bits)
#endif
#ifndef SLCT3
#define SLCT3(bits, TC, fl, cond)
#endif
#ifndef PACK
#define PACK(T, E, n)
#endif
#ifndef LOGIC_FN
#define LOGIC_FN(op, t1, t2, sel, fl, fn)
#endif
#ifndef FLT32
#define FLT32(n, op, fl, expr)
#endif
#ifndef FLT32S
#define FLT32S(n, op, fl, expr)
#endif
#ifndef FLT64
#define FLT64(n, op, fl, expr)
#endif
#ifndef FBIT32
#define FBIT32(n, op, expr)
#endif
#ifndef FBIT64
#define FBIT64(n, op, expr)
#endif
#ifndef HALF
#define HALF(n, op, expr)
#endif
#ifndef HALF_BIT
#define HALF_BIT(op, expr)
#endif
#ifndef HALF_MINMAX
#define HALF_MINMAX(op, f)
#endif
#ifndef CMP_BITS
#define CMP_BITS(cmp, expr)
#endif
#ifndef CMP_ORDER
#define CMP_ORDER(cmp, expr)
#endif
#ifndef CMP_FLOAT
#define CMP_FLOAT(cmp, expr)
#endif
#ifndef CMP_FN
#define CMP_FN(op, type, fn)
#endif
#ifndef TEST32
#define TEST32(word, expr)
#endif
#ifndef TEST64
#define TEST64(word, expr)
#endif
#ifndef CVT1
#define CVT1(TD, TA, sel, fl, expr)
#endif
#ifndef CVT_FN
#define CVT_FN(TD, TA, fl, fn)
#endif
#ifndef WARP_FN
#define WARP_FN(op, type, sel, fl, fn)
#endif
#ifndef VIDEO_FN
#define VIDEO_FN(op, fn)
#endif
#ifndef CVT_II
#define CVT_II(TD, TA)
#endif
#ifndef CVT_FI
#define CVT_FI(TD, TA)
#endif
#ifndef CVT_PACK
#define CVT_PACK(T, bits, lo, hi)
#endif
#ifndef CVT_IF
#define CVT_IF(TA, TD)
#endif
