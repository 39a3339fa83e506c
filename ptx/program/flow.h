/*
 * Control and data flow of one function: basic blocks, immediate post-dominators (where divergent lanes reconverge),
 * and the allocation of PTX's unlimited virtual registers to slots.
 */
#ifndef PTX_FLOW_H
#define PTX_FLOW_H

#include "ptx/program/ir.h"

#define FLOW_NONE UINT32_MAX

struct flow_block {
    uint32_t first, end;         /* instructions [first, end) */
    uint32_t *succ;
    uint32_t nsucc, npred;       /* successors, predecessors */
    uint32_t ipdom;              /* block; FLOW_NONE = the function's end */
    bool joins;                  /* some divergent branch reconverges at its first instruction */
};

enum reg_class { RC_16, RC_32, RC_64, RC_128, RC_PRED, RC_COUNT };
enum reg_class ptx_reg_class(const struct ptx_reg *r);
int32_t ptx_reg_words(const struct ptx_reg *r);     /* 32-bit registers; 0: predicates have their own file */
int ptx_reg_class_bytes(enum reg_class c);          /* bytes of one lane; 4 for the mask of a predicate */

struct flow {
    struct flow_block *blocks;
    uint32_t nblocks;
    uint32_t *block_of;          /* by instruction */
    uint32_t *slot;              /* by register id: slot within its class; FLOW_NONE when never used */
    uint32_t slots[RC_COUNT];    /* slots needed of each class */
    uint32_t *place;             /* by register id: where it is stored: its slot, or for invariants its own place */
    uint32_t places[RC_COUNT];   /* places needed of each class */
    uint32_t *live_from, *live_to;   /* by register id: first and last instruction of its lifetime; FLOW_NONE = none */
    uint32_t *live;              /* by instruction: live 32-bit registers a thread (predicates are apart) */
    uint32_t registers;          /* the most of them */
    bool *unset;                 /* by register id: a thread may read it before writing it: it is 0 at the start */
    bool reads_unset;            /* some register is so */
    bool *invariant;             /* by register id: its value is launch-invariant (invariant.c) */
    const struct ptx_operand **alias;    /* by register id: the special register of which it is an alias, or NULL */
    bool *hoisted;               /* by instruction: the run loop of functional mode skips it */
    uint32_t *invariant_inst;    /* instructions that write such registers, each after those of its operands */
    uint32_t ninvariant;
};

/* Analyses a function with a body. The result is in the arena. */
struct flow *flow_analyse(const struct ptx_func *f, struct arena *arena);

/* Sets slot, slots, place, places, live_from, live_to, live and registers; part of flow_analyse (regalloc.c). */
void flow_allocate_registers(const struct ptx_func *f, struct flow *fl, struct arena *arena);

/* Sets invariant, alias, hoisted and invariant_inst, which only kernels have; part of flow_allocate_registers. */
void flow_find_invariants(const struct ptx_func *f, struct flow *fl, struct arena *arena);

/* Index of the instruction where lanes that diverge at branch `i` reconverge; FLOW_NONE = at the function's end. */
uint32_t flow_reconvergence(const struct flow *fl, uint32_t i);

/* Does every path from block `from` to the function's end pass through block `b`? */
bool flow_post_dominates(const struct flow *fl, uint32_t b, uint32_t from);

/*
 * 32-bit registers a thread that are live after the tx_begin at instruction `begin` and may be overwritten before the
 * outermost tx_commit (checkpoint.c); predicates are not counted.
 */
uint32_t flow_checkpoint_words(const struct ptx_func *f, const struct flow *fl, uint32_t begin);

/* The letter of operand position `k` in a signature (ops.h), 0 past the end. */
char ptx_sig_letter(const char *sig, int k);
/* Does the instruction end the lifetime of the values that its results had before? */
static inline bool ptx_inst_overwrites(const struct ptx_inst *in)
{
    return !in->guard || in->guard_covers;
}

/* Calls visit for every register that the instruction reads, then for every one that it writes. */
bool ptx_inst_reads(const struct ptx_inst *in, const struct ptx_reg *r);
bool ptx_inst_writes(const struct ptx_inst *in, const struct ptx_reg *r);
void ptx_inst_visit_regs(const struct ptx_inst *in, void (*visit)(void *ctx, struct ptx_reg *r, bool write), void *ctx);

#endif
