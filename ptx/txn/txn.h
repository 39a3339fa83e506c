/*
 * Transactions of a warp in timing mode: the effect of tx_begin, tx_commit, commits and aborts on the SIMT stack, the
 * registers, the call frames and the private memory (Fung et al., "Hardware Transactional Memory for GPU
 * Architectures", MICRO 2011, section 4.1 and figure 3). tx_begin pushes two entries: R collects the lanes to retry, T
 * has the lanes of the current attempt; branches inside push entries above T. When every lane of the attempt has
 * reached tx_commit or has aborted, the warp waits (WARP_TX) until the TM protocol has decided the outcome of each.
 * Then R's lanes retry from the step after tx_begin, or both entries are popped and the warp continues after tx_commit.
 * Requires the SIMT stack: independent lanes have no R and T.
 */
#ifndef PTX_TXN_H
#define PTX_TXN_H

#include "ptx/exec/exec.h"

/*
 * launch->tm (set with launch->timed) enables these effects; without it tx_begin and tx_commit have none.
 * launch->tm_serial: an attempt has one lane, the lowest, while the others wait in R (limit studies).
 */

/* Lanes of the current attempt whose outcome is undecided; 0 = the warp is in no transaction. */
uint64_t txn_lanes(const struct warp *w);
/* Of these, the lanes that have reached tx_commit. All of them when w->state is WARP_TX. */
uint64_t txn_arrived(const struct warp *w);
/* Lanes that wait in R for their next attempt, or their first one when serial. */
uint64_t txn_waiting(const struct warp *w);
/* Lanes that have committed and wait for other lanes of the transaction. */
uint64_t txn_passed(const struct warp *w);
/* Attempts of this warp since it started: a new one starts whenever R's lanes move to T. */
uint32_t txn_attempt(const struct warp *w);

/* The next attempt of the transaction, and only that, has one lane, the lowest of R. To be called before the last
 * undecided lane of the current attempt is decided. */
void txn_serialise(struct warp *w);

/* Instructions from the warp's next one to a tx_commit, inclusive, on the path of a warp without lanes, which takes no
 * conditional branch. 0 = that path has none. */
uint32_t txn_steps_to_commit(const struct warp *w, void (*visit)(void *ctx, uint32_t seq), void *ctx);

/*
 * Decide the outcome of lanes of txn_lanes. None of their accesses may be in flight in the memory system. A commit is
 * legal for lanes of txn_arrived once w->state is WARP_TX. An abort is legal at any time between two instructions: the
 * lanes leave every entry above R and wait in R; their call frames, registers and .local memory are rolled back to the
 * state after tx_begin. When the last undecided lane is decided, the warp is WARP_READY: at a new attempt, or after
 * tx_commit. The caller then calls warp_peek for the next instruction.
 */
void txn_commit(struct warp *w, uint64_t lanes);
void txn_abort(struct warp *w, uint64_t lanes);

/*
 * To be called when a step inside a transaction has returned STEP_FAULT: moves the fault from the worker to the
 * transaction and rolls the warp back to before the instruction, WARP_READY. Returns the lane that faulted. -1: the
 * fault stays in the worker, because the warp is in no transaction, or the transaction itself is at fault (FAULT_TX, a
 * barrier). Afterwards txn_abort of that lane discards the fault, or txn_fault_again raises it again.
 */
int txn_hold_fault(struct warp *w);
void txn_fault_again(struct warp *w);

/*
 * Registers, in 32-bit words a thread, that are live after this tx_begin and may be written before a tx_commit: what
 * hardware or a compiler must save (section 4.3). d: the step of a tx_begin in c.
 */
uint32_t txn_registers(const struct code *c, const struct dinst *d);

#endif
