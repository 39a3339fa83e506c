/*
 * The interface of transactional-memory protocols for shared memory. They are eager: they detect conflicts and save old
 * values when the banks perform an access. tm.global and tm.shared are chosen independently; an attempt commits or
 * aborts in both memories. The common part (tm_core.c, shared_memory.c) does what every protocol needs: attempts, the
 * exact sets of every lane, aborts and outcomes, statistics, the oracle.
 *
 *   load/store unit: passes over the banks -> access -> lanes with a conflict: tm_abort; other lanes: performed
 *
 * A lane with a conflict leaves its attempt at once (GPU-LocalTM, section 3.1: its bit of the transaction conflict mask
 * is set); R of the SIMT stack holds the mask (ptx/txn/txn.h).
 */
#ifndef TM_BANKS_H
#define TM_BANKS_H

#include "tm/tm.h"

/* Resources that a block of a kernel with transactions needs in addition to the kernel's own. */
struct tm_block_resources {
    uint32_t threads;                /* maximum of threads of a block */
    uint32_t registers;              /* 32-bit registers of the SM for a block */
    uint32_t register_copies;        /* factor for the registers of a thread: 2 = each has a shadow */
    uint32_t shared;                 /* all bytes for a kernel with `shared` bytes; 0 = more than available */
    uint32_t shared_most;            /* maximum of bytes that a kernel may declare */
    uint32_t blocks;                 /* other limit of resident blocks; UINT32_MAX = none */
};

enum tm_block_limit { TM_LIMIT_THREADS, TM_LIMIT_SHARED, TM_LIMIT_REGISTERS, TM_LIMIT_BLOCKS };

/* Numbers of the newest commits that wrote a word, and that read or wrote it. */
struct tm_word_version { uint64_t written, accessed; };

/* A resident block, with the slots of its warps. */
struct tm_block {
    struct block *block;             /* ->shared: its bytes; shadow memory follows those of the kernel */
    uint32_t number;                 /* among the SM's resident blocks */
    uint32_t warps, bytes;           /* bytes: of shared memory, the kernel's own */
    uint32_t running;                /* warps in an attempt */
    uint32_t slot[1024 / 32];        /* warp slots by warp of the block */
    void *protocol;                  /* for the protocol */
    struct bank_oracle *oracle;      /* NULL = off */
    struct tm_word_version *version; /* by word, if the protocol for global memory has tm_protocol.snapshot */
    uint32_t versions_cap;
};

/* Result of an instruction: lanes with a conflict, and cycles for which the banks are busy after its passes. */
struct tm_access_result { uint64_t conflicts; uint32_t cycles; };

struct tm_shared_protocol {
    const char *name;
    bool (*check)(const struct simtx_config *c, char *error, size_t size);
    /* Resources of a block of so many warps, whose kernel declares `shared` bytes. */
    void (*resources)(const struct simtx_config *c, uint32_t shared, uint32_t warps, struct tm_block_resources *n);
    /* The reason of a limit of `resources`, appended to the message about it: as " (...)" or ": ...". NULL = none. */
    void (*explain_limit)(const struct simtx_config *c, enum tm_block_limit limit, const struct tm_block_resources *n,
                          char *text, size_t size);

    /* At an SM; `core` is the result of new_core. All cycles are core cycles. */
    void *(*new_core)(struct tm_core *c);
    void (*free_core)(void *core);
    /* A block starts (its memory is zero), and ends (no warp is in a transaction). b->protocol is kept for the next
     * block with the same number; free_core frees it. */
    void (*block_starts)(void *core, struct tm_block *b);
    void (*block_ends)(void *core, struct tm_block *b);
    /* May the warp begin a transaction? If not, tm_resume ends the wait. */
    bool (*may_begin)(void *core, uint32_t slot);
    /* May a running attempt issue? If not, tm_resume ends the wait. */
    bool (*may_run)(void *core, uint32_t slot);
    /* An attempt of these lanes starts; first: of a new transaction. Returns the cycles for which the warp stalls. */
    uint32_t (*attempt)(void *core, uint32_t slot, uint64_t lanes, bool first, uint64_t now);
    /* An instruction of a running attempt, its lanes in shared memory without those that have aborted. It has not been
     * performed yet. Returns the lanes with a conflict, whose memory the protocol has restored. It has saved the old
     * values of the words that the other lanes access. */
    struct tm_access_result (*access)(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);
    /* An instruction of a warp outside transactions, which is performed in any case. NULL = nothing to do. */
    void (*plain)(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);
    /* All lanes of the attempt are at tx_commit. Returns the cycles for releasing their words. */
    uint32_t (*commit)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* Does tx_commit release the words at once, before its cycles? NULL = no. */
    bool (*release_first)(const void *core);
    /* Lanes have committed: the protocol releases their words. Lanes abort, for any reason: it restores their memory,
     * unless it has done so. */
    void (*committed)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    void (*aborted)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* The attempt has ended, and these lanes retry; lost: those that had a conflict in shared memory. True: the next
     * attempt runs only the first of them. */
    bool (*serialise)(void *core, uint32_t slot, uint64_t lanes, uint64_t lost, uint64_t now);
    /* All lanes of the warp have committed. */
    void (*ended)(void *core, uint32_t slot, uint64_t now);
    /* Cycle `now`; returns the next cycle in which it acts without a call; NEVER. tm_run_at requests a cycle. */
    uint64_t (*run)(void *core, uint64_t now);
    /* For reports of hangs, as in tm.h. NULL = no text. */
    void (*describe)(const void *core, uint32_t slot, char *text, size_t size);
    void (*dump)(const void *core, void (*line)(void *ctx, const char *text), void *ctx);
};

extern const struct tm_shared_protocol *const tm_shared_protocols[];     /* by choice of tm.shared; NULL = none */

/* ---- for protocols ---- */
/* Ends the wait of a warp. The protocol calls it after may_run (of the attempt) or may_begin has become true. */
void tm_resume(struct tm_core *c, uint32_t slot, uint64_t now);
uint64_t tm_lanes_in(const struct tm_core *c, uint32_t slot);        /* lanes of a running attempt; 0 = none */
/* Of an attempt whose last lanes have aborted: cycles of the instructions from there to tx_commit in program order; 0 =
 * at it. */
uint32_t tm_cycles_to_commit(const struct tm_core *c, uint32_t slot);
/* Counts cycles in which may_run will return false as cycles of tx_begin. */
void tm_charge_begin(struct tm_core *c, uint32_t slot, uint32_t cycles);
/* Counts cycles of those that `attempt` returns as cycles of the program. */
void tm_charge_execution(struct tm_core *c, uint32_t slot, uint32_t cycles);
bool tm_committing(const struct tm_core *c, uint32_t slot);          /* its lanes are at tx_commit, without outcome */

#endif
