/*
 * What the pipelines need to know of an instruction, one entry per PTX instruction of a function, made from the
 * instruction table's unit and latency classes and the configured figures when a program first runs in timing mode.
 */
#ifndef TIMING_TINST_H
#define TIMING_TINST_H

#include "consistency/order.h"
#include "ptx/exec/exec.h"
#include "timing/core/sm_config.h"

enum pipe {
#define PIPE(id, ...) PIPE_##id,
#include "timing/pipe.def"
    PIPES
};
enum tinst_kind {
    TK_ALU, TK_MEMORY, TK_BRANCH,
    TK_CALL,                         /* of a function in PTX, and the return from one */
    TK_HOST,                         /* call of a function that the host runs (vprintf, malloc ...) */
    TK_EXIT, TK_BARRIER, TK_FENCE, TK_SLEEP, TK_TX
};

/* Vector accesses and calls may name more registers: they are `whole`. The first ones are in bit sets, too. */
enum { TINST_REGS = 16, TINST_WORDS = 2 };

struct tinst {
    uint8_t pipe, kind;
    uint8_t nsrc, ndst;
    bool whole;                      /* waits until no register of the warp is pending; its sources are not listed */
    bool ordered;                    /* the order policy is asked about `access` before it issues */
    bool acquires;                   /* what others stored: an acquire or fence of more than block scope */
    bool far;                        /* names registers that are not in the bit sets */
    uint16_t lanes;                  /* core cycles in which a pipeline of this width takes in a whole warp */
    uint32_t interval;               /* core cycles until the pipeline takes the next instruction */
    uint32_t latency;                /* core cycles until a dependent instruction may issue, all lanes done */
    struct order_access access;
    uint64_t names[TINST_WORDS], writes[TINST_WORDS];    /* bit sets of registers: all that it names; destinations */
    uint16_t reg[TINST_REGS];        /* sources, then destinations: number of the register in the warp's scoreboard */
};

struct tcode {                       /* of one function */
    const struct code *code;
    struct tinst *inst;              /* by PTX instruction index; [ninsts] = the return at the end */
    uint32_t ninsts, nregs;          /* nregs: scoreboard registers */
    uint64_t address;                /* of instruction 0 in the instruction cache */
};

struct tcode *tcode_new(const struct code *code, const struct sm_cfg *c, uint64_t address);
void tcode_free(struct tcode *t);
/* The name in the text of a scoreboard register that an instruction of the function names; NULL: it does not. */
const char *tcode_register(const struct tcode *t, const struct ptx_inst *in, uint16_t reg);

/* Where arithmetic goes on a machine that has pipelines of every kind, and the key of its latency. */
struct tinst_class { enum pipe pipe; enum config_key latency; };
struct tinst_class tinst_class(const struct ptx_inst *in);

/* All functions of a program, read by all SMs. Instructions lie one behind the other from `address`, functions at
 * lines. */
struct tprogram {
    struct tcode **of_func;          /* by ptx_func.index; NULL without a body */
    uint32_t nfuncs, max_regs;       /* max_regs: the most scoreboard registers of any function */
};
uint64_t tprogram_bytes(const struct program *p, const struct sm_cfg *c);    /* of instruction memory */
struct tprogram *tprogram_new(const struct program *p, const struct sm_cfg *c, uint64_t address);
void tprogram_free(struct tprogram *t);

#endif
