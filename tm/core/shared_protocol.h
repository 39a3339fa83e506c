/*
 * The interface of transactional-memory protocols at the banks of shared memory: eager ones, which find conflicts and
 * keep old values when an access is performed. It stands beside the one for global memory (tm.h): tm.global and
 * tm.shared are chosen independently, and an attempt commits or aborts in both. The core part (tm_core.c) does what
 * every protocol needs: who is in which attempt, the exact sets of every lane, aborts and outcomes, statistics, the
 * oracle.
 *
 *   load/store unit: passes of the banks -> struct tm_banks access -> lanes that lose: tm_abort, the others: performed
 *
 * A lane that loses is taken out of its attempt at once (GPU-LocalTM, section 3.1: its bit of the transaction conflict
 * mask is set); R of the SIMT stack holds the mask (ptx/txn/txn.h).
 */
#ifndef TM_BANKS_H
#define TM_BANKS_H

#include "tm/tm.h"

/* What a resident block of a kernel with transactions takes beside what the kernel itself does. */
struct banks_need {
    uint32_t threads;                /* most threads of a block */
    uint32_t registers;              /* 32-bit registers an SM that a block takes */
    uint32_t register_copies;        /* times the registers of a thread: 2 = every one has a shadow */
    uint32_t shared;                 /* bytes in all for the block's `shared` bytes; 0 = more than there is */
    uint32_t shared_most;            /* the most bytes that a kernel may declare so that it fits */
    uint32_t blocks;                 /* most resident blocks for other reasons; UINT32_MAX = any */
};

enum banks_limit { BANKS_THREADS, BANKS_SHARED, BANKS_REGISTERS, BANKS_BLOCKS };

/* A block that is resident, with the slots of its warps. */
struct tm_block {
    struct block *block;             /* ->shared: its bytes, shadow memory behind those of the kernel */
    uint32_t number;                 /* among the SM's resident blocks */
    uint32_t warps, bytes;           /* bytes: of shared memory, the kernel's own */
    uint32_t running;                /* warps in an attempt */
    uint32_t slot[1024 / 32];        /* warp slots by warp of the block */
    void *protocol;                  /* the protocol's */
    struct bank_oracle *oracle;      /* NULL = off */
};

/* What came of an instruction: lanes that lose, and cycles of the banks behind its passes. */
struct banks_result { uint64_t conflicts; uint32_t cycles; };

struct tm_banks {
    const char *name;
    bool (*check)(const struct simtx_config *c, char *error, size_t size);
    void (*need)(const struct simtx_config *c, uint32_t shared, uint32_t warps, struct banks_need *n);
    /* Where a limit of `need` comes from, behind the words that tell it: as " (...)" or ": ...". NULL = nothing to
     * say. */
    void (*explain)(const struct simtx_config *c, enum banks_limit limit, const struct banks_need *n, char *text,
                    size_t size);

    /* At an SM; `core` is what new_core returned. All cycles are core cycles. */
    void *(*new_core)(struct tm_core *c);
    void (*free_core)(void *core);
    /* A block comes (its memory is zero), and goes: nobody is in a transaction. b->protocol is kept for its successor
     * with the same number; free_core frees it. */
    void (*block_starts)(void *core, struct tm_block *b);
    void (*block_ends)(void *core, struct tm_block *b);
    /* May the warp open a transaction? Asked again after tm_wake. */
    bool (*may_begin)(void *core, uint32_t slot);
    /* May a running attempt issue? Asked again after tm_wake. */
    bool (*may_run)(void *core, uint32_t slot);
    /* An attempt of these lanes starts; first: the transaction does. Returns the cycles that the warp is held. */
    uint32_t (*attempt)(void *core, uint32_t slot, uint64_t lanes, bool first, uint64_t now);
    /* An instruction of a running attempt, its lanes of shared memory: which may go on? Nothing has been performed;
     * lanes that have lost before are not among them. The protocol has put back the memory of those that lose now, and
     * keeps the old values of what the others access. */
    struct banks_result (*access)(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);
    /* The same of a warp that is in no transaction: performed in any case. NULL = nothing to do. */
    void (*plain)(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);
    /* All lanes of the attempt are at tx_commit: the cycles that it will take to let go of what they have. */
    uint32_t (*commit)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* Lanes have committed: they let go of what they have. Or they are aborted, for whatever reason: memory is put back
     * unless it has been. */
    void (*committed)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    void (*aborted)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* The attempt is over and these lanes go on to the next one; lost: those that had a conflict here. Does it take but
     * the first of them? */
    bool (*alone)(void *core, uint32_t slot, uint64_t lanes, uint64_t lost, uint64_t now);
    /* The warp has left its transaction. */
    void (*ended)(void *core, uint32_t slot, uint64_t now);
    /* Cycle `now`; returns the next cycle in which it acts by itself; NEVER. tm_runs asks for one. */
    uint64_t (*run)(void *core, uint64_t now);
    /* For reports of hangs, as in tm.h. NULL = nothing to say. */
    void (*say)(const void *core, uint32_t slot, char *text, size_t size);
    void (*dump)(const void *core, void (*line)(void *ctx, const char *text), void *ctx);
};

extern const struct tm_banks *const tm_banks_protocols[];    /* by choice of tm.shared; NULL = none */

/* ---- for protocols ---- */
uint64_t tm_lanes_in(const struct tm_core *c, uint32_t slot);        /* lanes of a running attempt; 0 = none */
/* Of an attempt that lost its last lanes: instructions from there to tx_commit in program order; 0 = was there. */
uint32_t tm_steps_to_commit(const struct tm_core *c, uint32_t slot);
/* So many cycles for which may_run will say no are those of tx_begin. */
void tm_begins(struct tm_core *c, uint32_t slot, uint32_t cycles);
/* So many cycles of those that `attempt` returns are the program's, not the protocol's. */
void tm_executes(struct tm_core *c, uint32_t slot, uint32_t cycles);
bool tm_committing(const struct tm_core *c, uint32_t slot);          /* they are at tx_commit, and wait for outcomes */

#endif
