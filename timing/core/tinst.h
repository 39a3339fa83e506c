/*
 * Timing instructions: the properties of an instruction that the SM needs, one entry per PTX instruction of a function.
 * They are derived from the unit and latency class in the instruction table and from the configuration when a program
 * first runs in timing mode.
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
    TINST_ALU, TINST_MEMORY, TINST_BRANCH,
    TINST_CALL,                      /* call of a PTX function, and return from one */
    TINST_HOST,                      /* call of a host function (vprintf, malloc ...) */
    TINST_EXIT, TINST_BARRIER,
    TINST_CLUSTER,                   /* the barrier of the cluster: does not use the barrier unit of the SM */
    TINST_FENCE, TINST_SLEEP, TINST_TX,
    TINST_COPY                       /* commits a group of asynchronous copies, or waits for groups (copies.c) */
};

/* How several lanes' atomic becomes one access (combine_rule.c). SUM: the value times the number of lanes; REDUCE: a
 * reduction of the lanes' values; RANK: as SUM, and each lane has a result. */
enum combine { COMBINE_NONE, COMBINE_SUM, COMBINE_REDUCE, COMBINE_RANK };

/* Vector accesses and calls may use more than TINST_REGS registers (`all_regs`). The first 64 * TINST_WORDS registers
 * are in bit sets. */
enum { TINST_REGS = 16, TINST_WORDS = 2 };

/* The kinds of groups: of cp.async; of bulk copies, until these are complete, and until they have read their sources;
 * of products of a warpgroup. */
enum sm_copy_ring { SM_COPY_ASYNC, SM_COPY_BULK, SM_COPY_BULK_READ, SM_COPY_PRODUCT, SM_COPY_RINGS };

struct tinst {
    uint8_t pipe, kind;
    uint8_t nsrc, ndst;
    bool all_regs;                   /* waits until no register of the warp is pending; its sources are not listed */
    bool ordered;                    /* the order policy decides on `access` before it issues */
    bool waits_for_shared;           /* for its warp's accesses to shared memory: an arrival at a cluster's barrier; a
                                        proxy fence, if the program has products of warpgroups: they read at issue */
    bool acquires;                   /* an acquire or a fence of more than block scope */
    bool stops;                      /* its warp does not issue until its result is available */
    bool fetch;                      /* reads a texture */
    bool drains;                     /* reads private memory at once: waits until its warp has no access outstanding */
    bool copy_commits, copy_waits;   /* TINST_COPY */
    uint8_t copy_ring;               /* TINST_COPY: enum sm_copy_ring */
    bool copies, copy_arrives;       /* TINST_MEMORY: cp.async and bulk copies; cp.async.mbarrier.arrive (copies.c) */
    uint32_t copy_left;              /* the latest groups that may still be in flight */
    bool far_regs;                   /* uses registers that are not in the bit sets */
    bool queued;                     /* TINST_ALU: an asynchronous product, which waits in the queue of a pipeline */
    uint8_t queue;                   /* its pipeline; `pipe` is PIPE_CTRL, which always accepts it */
    uint16_t nwide;                  /* words of `wide` */
    uint64_t *wide;                  /* its registers, if `queued`, as a bit set; they are in no other list */
    uint8_t register_reads, register_writes;     /* registers of 32 bits, each for 32 lanes; at most 255 */
    uint16_t issued, lanes;          /* enum stat: its pipeline's counters of warp instructions and of their lanes */
    uint16_t lane_cycles;            /* core cycles until all lanes of a warp have entered the pipeline */
    uint16_t fetched;                /* instructions of a fetch that begins here */
    uint16_t to_end;                 /* least number of cycles between its issue and the end of its warp */
    uint16_t slots;                  /* issue slots: machine instructions, one after the other */
    uint16_t slot_gap;               /* core cycles from one of them to the next */
    uint16_t slots_before;           /* combined atomics: of the slots, those before the access */
    uint8_t combine;                 /* enum combine */
    bool reduces;                    /* an atom that the assembler makes a red (combine_rule.c) */
    uint32_t lead, tail;             /* combined atomics: core cycles before the access; after it, until the results */
    uint32_t scalars;                /* instructions on the scalar unit that precede it (core.exec_mask) */
    uint32_t interval;               /* core cycles until the pipeline accepts the next instruction */
    uint32_t latency;                /* core cycles until a dependent instruction may issue, all lanes done */
    struct order_access access;
    uint64_t uses[TINST_WORDS], writes[TINST_WORDS];     /* bit sets of registers: all that it uses; destinations */
    uint16_t reg[TINST_REGS];        /* scoreboard numbers of the sources, then of the destinations */
    uint16_t guard, predicate[2];    /* core.guard_latency: 1 + the numbers, among the predicates, of its guard and of
                                        the predicates that it writes; 0 = none */
};

struct tcode {                       /* of one function */
    const struct code *code;
    struct tinst *inst;              /* by PTX instruction index; [ninsts] = the return at the end */
    uint32_t ninsts, nregs;          /* nregs: scoreboard registers */
    uint32_t npredicates;            /* of these */
    uint64_t address;                /* of instruction 0 in the instruction cache */
};

/* The PTX name of a scoreboard register that the instruction uses; NULL = it does not use the register. */
const char *tcode_register(const struct tcode *t, const struct ptx_inst *in, uint16_t reg);

/* The pipeline of an arithmetic instruction on a machine that has all kinds of pipelines, and its latency class. */
struct tinst_class { enum pipe pipe; enum config_key latency; };
struct tinst_class tinst_class(const struct ptx_inst *in);

/* The kind of sequence of machine instructions that an arithmetic instruction is; SEQ_NONE = it is one (sequence.c). */
enum sequence sequence_of(const struct ptx_inst *in);

/* All functions of a program, read by all SMs. Each function starts at an instruction line, the first at `address`. */
struct tprogram {
    struct tcode **of_func;          /* by ptx_func.index; NULL without a body */
    uint32_t nfuncs, max_regs;       /* max_regs: the most scoreboard registers of any function */
    uint32_t max_predicates;
};
uint64_t tprogram_bytes(const struct program *p, const struct sm_cfg *c);    /* of instruction memory */
struct tprogram *tprogram_new(const struct program *p, const struct sm_cfg *c, uint64_t address);
void tprogram_free(struct tprogram *t);

#endif
