/*
 * The state of a warp's transaction in timing mode (txn.h), shared by the part of the SIMT stack (txn.c) and the part
 * that rolls back registers and private memory of an aborted lane (txn_undo.c). A warp allocates it at its first
 * tx_begin and uses it for all its transactions.
 */
#ifndef PTX_TXN_STATE_H
#define PTX_TXN_STATE_H

#include "ptx/exec/check.h"
#include "ptx/txn/txn.h"

/* A word of private memory that lanes of one half have stored to: the values before. */
struct txn_undo_row {
    uint32_t word, half, lanes;
    uint32_t old[LANES];
};

struct txn_undo {
    char *regs[MAX_HALVES];          /* registers of the frame of tx_begin */
    uint32_t *params[MAX_HALVES];    /* its .param words, 32 lanes each */
    uint32_t regs_cap, params_cap;   /* bytes, words */
    uint32_t cc[MAX_HALVES];
    uint32_t top[MAX_HALVES][LANES]; /* of the lanes' stacks */
    struct txn_undo_row *row;
    uint32_t rows, row_cap;
    uint32_t *row_of[MAX_HALVES];    /* by word of private memory: its row's number + 1 */
};

struct txn {
    uint64_t open, arrived, passed;  /* lanes: of the attempt, undecided; of these, at tx_commit; committed */
    uint64_t nested;                 /* lanes whose depth is not 0 */
    bool alone;                      /* the next attempt has one lane */
    uint32_t depth[LANES * MAX_HALVES];    /* open nested transactions */
    uint32_t retry;                  /* index of entry R; T is the next */
    uint32_t begin_rpc;              /* reconvergence point of the entry below R */
    int held_lane;                   /* of the fault below; -1: none is held */
    struct fault held;
    struct held_checks checks;       /* failed checks of undecided lanes */
    struct txn_undo undo;
};

/* txn_undo.c: saves the frame w->tx.begin_frame at tx_begin; rolls lanes back to it. */
void txn_undo_begin(struct warp *w);
void txn_undo_lanes(struct warp *w, uint64_t lanes);
void txn_undo_free(struct txn_undo *u);

#endif
