/*
 * What the pipelines need to know of an instruction, one entry per PTX instruction of a function, made from the instruction table's unit and
 * latency classes and the configured figures when a kernel is first launched.
 */
#ifndef TIMING_TINST_H
#define TIMING_TINST_H

#include "ptx/exec.h"

struct simtx_config;

enum pipe { PIPE_SP, PIPE_INT, PIPE_SFU, PIPE_DP, PIPE_TENSOR, PIPE_MEM, PIPE_CTRL, PIPES };
enum tinst_kind { TK_ALU, TK_MEMORY, TK_BRANCH, TK_CALL, TK_EXIT, TK_BARRIER, TK_FENCE, TK_SLEEP, TK_TX };

enum { TINST_REGS = 16 };            /* vector accesses and calls may name more: `whole` waits for all of the warp's registers */

struct tinst {
    uint8_t pipe, kind;
    uint8_t nsrc, ndst;
    bool whole;                      /* waits until no register of the warp is pending */
    bool fence_cta;
    uint16_t latency, interval;      /* core cycles; interval at the pipeline's width for a whole warp */
    uint16_t reg[TINST_REGS];        /* sources, then destinations: number of the register in the warp's scoreboard */
};

struct tcode {                       /* of one function */
    const struct code *code;
    struct tinst *inst;              /* by PTX instruction index; [ninsts] = the return at the end */
    uint32_t nregs;                  /* scoreboard registers */
    uint64_t address;                /* of instruction 0 in the instruction cache */
};

struct tcode *tcode_new(const struct code *code, const struct simtx_config *config, uint64_t address);
void tcode_free(struct tcode *t);

#endif
