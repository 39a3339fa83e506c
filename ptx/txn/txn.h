/*
 * Transactions of a warp in timing mode: what tx_begin, tx_commit, commits and aborts do to the SIMT stack, the
 * registers, the call frames and the private memory (Fung et al., "Hardware Transactional Memory for GPU
 * Architectures", MICRO 2011, section 4.1 and figure 3). A warp that opens a transaction gets two entries above the one
 * that it was in: R collects the lanes to be run again, T holds the lanes of the current attempt; branches inside push
 * onto T. When every lane of the attempt has either come to tx_commit or been aborted the warp waits (WARP_TX) until
 * somebody has decided the outcome of each; then R's lanes run again from behind tx_begin, or both entries go and the
 * warp goes on behind tx_commit. Who decides, and how, is not known here. Needs the SIMT stack: lanes that progress
 * independently have no R and T.
 */
#ifndef PTX_TXN_H
#define PTX_TXN_H

#include "ptx/exec/exec.h"

/*
 * launch->tm (set with launch->timed): tx_begin and tx_commit do what is said here; otherwise they do nothing.
 * launch->tm_serial: T takes one lane at a time, the lowest first, while the others wait in R (limit studies).
 */

/* Lanes of the attempt that is going on whose outcome is open; 0 = the warp is in no transaction. */
uint64_t txn_lanes(const struct warp *w);
/* Of these, the lanes that have come to tx_commit. All of them when w->state is WARP_TX. */
uint64_t txn_arrived(const struct warp *w);
/* Lanes that wait in R for their next attempt, or their first one when serial. */
uint64_t txn_waiting(const struct warp *w);
/* Lanes that have committed and wait for others of the transaction. */
uint64_t txn_passed(const struct warp *w);
/* Number of the attempt of this warp since it started; changes whenever T is filled anew. */
uint32_t txn_attempt(const struct warp *w);

/* The next attempt of the transaction takes one lane, the lowest of R, and the others stay there; it holds for one
 * attempt. To be called before the last open lane of the attempt that is going on is decided. */
void txn_serialise(struct warp *w);

/* Instructions from the warp's next one to a tx_commit, that included, on the way of a warp without lanes: branches
 * with a condition are not taken. 0 = it comes to none. */
uint32_t txn_steps_to_commit(const struct warp *w);

/*
 * Decide the outcome of lanes of the attempt, those of txn_lanes. Nothing of the lanes may be under way in the memory
 * system. A commit is legal for lanes of txn_arrived once w->state is WARP_TX; an abort is legal at any time between
 * two instructions: the lanes leave every entry above R, their call frames, registers and .local memory are as behind
 * tx_begin, and they wait in R. When the last open lane is decided the warp is WARP_READY again: at a new attempt, or
 * behind tx_commit. After either of them the caller asks warp_peek for the next instruction.
 */
void txn_commit(struct warp *w, uint64_t lanes);
void txn_abort(struct warp *w, uint64_t lanes);

/*
 * A step inside a transaction has returned STEP_FAULT: the fault is taken out of the worker and kept; the warp stands
 * again before the instruction, READY. Returns the lane that it is about, -1 when the warp is in no transaction (the
 * fault stays where it is) or the fault is one of the transaction itself (FAULT_TX, a barrier: never held). Then either
 * txn_abort of that lane, which forgets the fault, or txn_fault_again, which raises it for good.
 */
int txn_hold_fault(struct warp *w);
void txn_fault_again(struct warp *w);

/*
 * Registers, in 32-bit words a thread, that are live behind this tx_begin and may be written before a tx_commit: what
 * hardware or a compiler must save (section 4.3). d: the step of a tx_begin in c.
 */
uint32_t txn_registers(const struct code *c, const struct dinst *d);

#endif
