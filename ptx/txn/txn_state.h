/*
 * What a warp keeps while it is in a transaction of timing mode (txn.h), shared by the stack's part (txn.c) and the
 * part that puts back what an aborted lane overwrote (txn_undo.c). It is made when a warp first meets a tx_begin and
 * used again for all that follow.
 */
#ifndef PTX_TXN_STATE_H
#define PTX_TXN_STATE_H

#include "ptx/txn/txn.h"

/* A word of private memory that lanes of one half have stored to: what they found there. */
struct undo_row {
    uint32_t word, half, lanes;
    uint32_t old[LANES];
};

struct undo {
    char *regs[MAX_HALVES];          /* registers of the frame of tx_begin */
    uint32_t *params[MAX_HALVES];    /* its .param words, 32 lanes each */
    uint32_t regs_cap, params_cap;   /* bytes, words */
    uint32_t cc[MAX_HALVES];
    struct undo_row *row;
    uint32_t rows, row_cap;
    uint32_t *row_of[MAX_HALVES];    /* by word of private memory: its row's number + 1 */
};

struct txn {
    uint64_t open, arrived, passed;  /* lanes: of the attempt, undecided; of these, at tx_commit; committed */
    uint64_t nested;                 /* lanes whose depth is not 0 */
    bool alone;                      /* the next attempt takes one lane */
    uint32_t depth[LANES * MAX_HALVES];    /* tx_begins met inside, less their tx_commits */
    uint32_t retry;                  /* the stack's entry R; T is the one above it */
    uint32_t begin_rpc;              /* where the entry below R meets others */
    int held_lane;                   /* of the fault below; -1: none is held */
    struct fault held;
    struct undo undo;
};

/* txn_undo.c: lanes of the transaction just begun, in the frame w->tx.begin_frame. */
void undo_begin(struct warp *w);
void undo_lanes(struct warp *w, uint64_t lanes);
void undo_free(struct undo *u);

#endif
