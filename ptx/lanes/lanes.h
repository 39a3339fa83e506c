/*
 * Lane functions: the effect of an instruction on the 32 lanes of one PTX warp. Each register is an array over the
 * lanes (structure of arrays), and an instruction is one loop over them that the compiler vectorises. The functions are
 * compiled once per vector width of the host (lanes.mk); the width is chosen at start-up.
 *
 * Register storage, by type of the register: 16-bit (and 8-bit) uint16_t[32], 32-bit uint32_t[32], 64-bit uint64_t[32],
 * 128-bit uint64_t[2][32] (low halves, then high halves); a predicate is one uint32_t, bit i = lane i. All arrays
 * are 64-byte aligned except predicates (4-byte aligned). The allocator never lets a destination overlap a source
 * partially: they are the same array or disjoint.
 */
#ifndef PTX_LANES_H
#define PTX_LANES_H

#include <stdint.h>

#include "ptx/program/ir.h"

enum { LANES = 32 };

struct lanes {
    char *base[4];           /* [0] registers of the current frame, [1] constants of the current function,
                                [2] special registers of the warp, [3] wrapped addresses (mem_outside) */
    uint32_t mask;           /* lanes that execute this instruction; never 0 when a function is called */
    uint32_t active;         /* lanes of the warp at this point before the guard (activemask) */
    uint32_t exist;          /* lanes that were launched and have not exited */
    uint32_t cc;             /* condition-code carry flag CC.CF, bit per lane */
};

struct dinst;
struct mem_shape;
/* Executes one step. 0 = the next step follows; other values are control codes (code.h). */
typedef int ptx_fn(struct lanes *x, const struct dinst *d);

/* The location of an operand: a byte offset from base[0], or from another base by the two top bits. */
typedef uint32_t operand;
enum { OPERAND_BITS = 30 };
#define OPERAND_CONST   (1u << OPERAND_BITS)
#define OPERAND_SPECIAL (2u << OPERAND_BITS)
#define OPERAND_WRAPPED (3u << OPERAND_BITS)

/* The counting step of a PTX instruction, or the return after the last one; a memory instruction, which timing mode
 * captures; it has a guard; a join marker, where diverged lanes may meet; functional mode passes it over. */
enum dinst_stepping { STEPS_HERE = 1, STEPS_MEMORY = 2, STEPS_GUARDED = 4, STEPS_JOIN = 8, STEPS_HOISTED = 16 };

struct dinst {
    ptx_fn *run;             /* called by the run loop: fn, or a function for several steps (decode_pairs.c) */
    uint32_t next;           /* the step that the run loop executes after it: this many bytes further */
    uint32_t next_control;   /* that step only returns this control code and is not called; 0: it is called */
    ptx_fn *fn;              /* executes the step */
    ptx_fn *guarded;         /* called by a guard's function for the lanes whose guard is true */
    ptx_fn *rounded;         /* called by a wrapper function: rounding mode, generic address, vector */
    operand dst, dst2;       /* dst2: second destination (setp p|q, shfl d|p), or a scratch slot when not written */
    operand src[4];          /* in the order of the operands in the text */
    operand guard;
    uint8_t guard_negated;
    uint8_t size;            /* memory: bytes of an element */
    uint8_t vec;             /* memory: elements */
    uint8_t addr_size;       /* memory: bytes of the address register, 0 = the address is imm alone */
    uint8_t space;           /* memory: enum ptx_space */
    uint8_t stepping;        /* bits of enum dinst_stepping, most for timing mode (step.c) */
    uint16_t id;             /* memory: picks an entry of the bounds cache */
    uint32_t seq;            /* PTX instructions of the function before this one */
    uint8_t counts;          /* 1 for the step that executes a PTX instruction, 0 for width changes and join markers */
    uint8_t covers;          /* the number of steps that `run` executes */
    uint32_t target;         /* branch: step index of the target; memory: bytes of an element's register */
    uint32_t reconverge;     /* branch: step index where diverged lanes meet, UINT32_MAX = function end */
    int64_t imm;             /* memory: byte offset; others: by instruction */
    const struct ptx_inst *in;
    const void *extra;       /* vector operand lists, call descriptors ... */
    const struct mem_shape *shape;       /* memory: for timing mode (access.h) */
};

static inline void *lanes_at(const struct lanes *x, operand o)
{
    return x->base[o >> OPERAND_BITS] + (o & ((1u << OPERAND_BITS) - 1));
}

/* Vector widths the library was built for; each has the same functions and gives the same bits. */
enum lanes_isa { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_COUNT };
enum lanes_isa lanes_best_isa(void);             /* the widest that this host has */
const char *lanes_isa_name(enum lanes_isa isa);  /* "base", "avx2", "avx512" */
enum lanes_isa lanes_isa_find(const char *name); /* ISA_COUNT when unknown or not on this host */

/* The generic address where a state space starts: d->extra of cvta points to one. */
struct lanes_window { uint64_t base; };

/*
 * Conventions of the lane functions, for the decoder:
 *   src[]        the source operands in the order of the text, predicates included: setp p|q, a, b, c has c in
 *                src[2]; selp d, a, b, p has p in src[2]; shfl has a, b, c, membermask; vote has the predicate,
 *                membermask. A '!' before a predicate source is read from in->opd[]; the decoder ignores it
 *   dst, dst2    opd[0] and, for a pair d|p, opd[1]. dst2 is only written when in->opd[1] is a register. A
 *                destination '_' needs a scratch slot of full size
 *   immediates   lop3's table, the only operand 'i' here, is read from in; all others are constants in src[]
 *   mov pack     (in->opd[1] is OPD_VEC) elements in src[0 .. n-1]
 *   mov unpack   (in->opd[0] is OPD_VEC) source in src[0]; extra points to n `operand`s, scratch slots for '_'.
 *                8-bit elements live in 16-bit registers
 *   cvta         extra points to the struct lanes_window of the space, NULL for the identity
 *   cvt          an 8-bit result is left extended by zero or sign in its 16-bit register; tf32 is 32 bits
 *   imm, rounded and, for set, size are set by lanes_select; the decoder sets extra for the opcodes above
 */

/*
 * The function for an arithmetic, logic, conversion, comparison, move or warp-level (shfl, vote, match, activemask,
 * redux) instruction, or NULL when the table has none for this combination. Not for memory, control flow, barriers.
 * Sources have the storage width of the instruction's types: the decoder adds steps that change it.
 */
ptx_fn *lanes_select(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d);

/* Width changes of a register: from and to are 2, 4 or 8 bytes; sign: sign-extend. */
ptx_fn *lanes_resize(enum lanes_isa isa, int from, int to, bool sign);

/* A step that executes `in` and the 64-bit addition after it, whose second source is the result of `in`; or NULL. */
ptx_fn *lanes_pair(enum lanes_isa isa, const struct ptx_inst *in);

#endif
