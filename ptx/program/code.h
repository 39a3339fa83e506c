/*
 * The decoded form of a function: an array of steps with operand offsets and executing functions resolved, a pool of
 * constants, and the sizes of the frame that a warp needs to execute it.
 */
#ifndef PTX_CODE_H
#define PTX_CODE_H

#include "ptx/program/flow.h"
#include "ptx/lanes/lanes.h"

/* What an executing function returns to the run loop: these, or the opcode of a control instruction. */
enum control { CONTROL_NEXT = 0, CONTROL_FAULT = OP_COUNT, CONTROL_JOIN, CONTROL_WARPSYNC };

/* A uniform move between a register or constant and the private memory of the frame, part of a call. */
struct call_value {
    operand value;           /* register or constant; for .param variables unused */
    uint32_t from, to;       /* byte offsets: in the caller's frame and in the callee's */
    uint32_t bytes;
    uint8_t reg_size;        /* bytes of the register; 0 = a .param variable at `from` */
};

struct call_site {
    struct ptx_func *target;         /* NULL for an indirect call */
    const struct builtin *builtin;   /* vprintf, malloc ...: executed on the host */
    struct call_value *arg, *ret;
    int narg, nret;
    operand pointer;                 /* indirect: the register with the function's address */
    const struct ptx_var *params, *rets;   /* indirect: of the prototype, laid out as in a function */
};

struct code {
    const struct ptx_func *func;
    struct flow *flow;
    struct dinst *insts;
    uint32_t ninsts;
    uint32_t *of_inst;               /* PTX instruction index -> index in insts; [func->ninsts] = the end */
    char *konst;                     /* constants, each an array over 32 lanes */
    uint32_t konst_bytes;
    uint32_t frame_bytes;            /* registers of one PTX warp */
    uint32_t class_base[RC_COUNT];   /* byte offset of each width class in the frame */
    uint32_t local_bytes;            /* private memory a lane: parameters, .param and .local variables */
    uint32_t *param_words;           /* its words that belong to .param variables, a bit each */
    bool uses_stack;                 /* a function, not a kernel, with alloca, stacksave or stackrestore */
    uint64_t sregs[SR_COUNT / 64 + 1];   /* special registers that it reads */
    /* of the function and all functions that it may call */
    bool recursive, indirect;        /* the call depth is not known before the run */
    bool serial;                     /* needs the one-thread order of blocks (manual, Order) */
    bool exclusive;                  /* one host thread even with --threads-relaxed: transactions, host functions */
    bool transactions;               /* tx_begin is reachable */
    bool host_functions;             /* printf, malloc and the like are reachable */
    bool grid_barrier;               /* the barrier of all blocks is reachable (program.c) */
    bool stack;                      /* alloca or stacksave is reachable: a lane has a stack (stack.c) */
    bool constants;                  /* names or reads .const variables */
    bool uses_dynamic;               /* dynamic shared memory */
    uint32_t local_total;            /* private memory a lane, calls included; the frame alone when recursive */
    uint32_t registers;              /* 32-bit registers a thread: the widest chain of calls */
    uint32_t shared_static;          /* bytes of .shared variables */
    uint32_t shared_end;             /* end of the last one's address: the same, or more if there are gaps */
};

/* Is the private memory that a lane needs known? If not, the lane gets a launch's stack_bytes in addition. */
static inline bool code_local_is_known(const struct code *c)
{
    return !c->recursive && !c->indirect && !c->stack;
}

struct program;

/* Byte offsets of special registers in the third operand bank, arrays of 32 lanes, by (register, component). */
uint32_t ptx_sreg_offset(enum ptx_sreg s, int comp);
uint32_t ptx_sreg_bank_bytes(void);
uint32_t ptx_sreg_used_bytes(const uint64_t *read);     /* up to the last of these registers (code.sregs) */

/*
 * Decodes a function with a body. Errors (an instruction without an executing function, a frame that does not fit) go
 * to d with their lines; returns false when there were any.
 */
bool code_decode(struct program *p, struct ptx_func *f, struct diag *d);
/* Places parameters and private variables of a function; returns the bytes of its frame of private memory. A kernel's
 * frame includes those of module scope (frame_place_module). */
uint64_t code_place_private(struct ptx_func *f, uint64_t module_bytes);
/* Sets param_words of a decoded function whose local_bytes are known. */
void code_mark_params(struct program *p, struct code *c);

/* Is this step a join marker: diverged lanes may meet before the next instruction? */
static inline bool code_is_join(const struct dinst *d)
{
    return d->stepping & STEPS_JOIN;
}

/* Private memory layout: word w of lane l lies at (w * 32 + l) * 4, so that equal offsets are one vector. */
static inline uint32_t *local_word(char *local, uint32_t byte, int lane)
{
    return (uint32_t *)(local + ((size_t)(byte >> 2) * LANES + (size_t)lane) * 4);
}

#endif
