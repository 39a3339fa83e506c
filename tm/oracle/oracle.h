/*
 * The oracle: every committed transaction is replayed in the protocol's commit order on a shadow of memory; each value
 * that it read must be the one that the shadow has, and at the end of the kernel memory must be what the shadow is.
 * Plain stores and atomics of the same kernel enter the shadow when they are performed and mark their words as mixed: a
 * mismatch there is weak isolation, which the protocols allow; anywhere else it is an error of the protocol.
 *
 * Cores and partitions run side by side: each notes what it did in a list of its own, and the serial step between two
 * windows of the simulation takes them in. Commits are replayed by key: keys are 1, 2, 3 ..., and every key is reported
 * exactly once, as committed or as not, in any order. A transaction enters the shadow in the cycle in which the last of
 * all keys up to its own was reported, plain stores in the cycle in which they are performed, so what is found and
 * counted does not depend on when the steps are.
 */
#ifndef TM_ORACLE_H
#define TM_ORACLE_H

#include "tm/tm.h"

struct oracle;
struct oracle_note;                  /* the list of one core or unit */

struct oracle *oracle_new(enum oracle_mode mode, uint32_t cores, uint32_t slices);
void oracle_free(struct oracle *o);
/* Lists; valid as long as the oracle. All performances at one line belong in one list, in their order. */
struct oracle_note *oracle_core(struct oracle *o, uint32_t core);
struct oracle_note *oracle_slice(struct oracle *o, uint32_t slice);

/* ---- noted by a core ---- */
/* For messages: where the attempt ran. cycle: core cycle in which its outcome is known. */
struct oracle_who { uint16_t sm; uint32_t slot; uint8_t lane; uint64_t block; uint32_t thread; uint64_t cycle; };
/* The sets are copied. */
void oracle_committed(struct oracle_note *n, uint64_t key, const struct tm_lane *l, const struct oracle_who *who);
/* An aborted attempt that had a key. */
void oracle_not_committed(struct oracle_note *n, uint64_t key, uint64_t cycle);

/* ---- noted by a unit, in the order of their performance ---- */
/* A transaction's write is performed now: before is the word's old value. cycle: core cycles, not descending in a
 * list. */
void oracle_tx_write(struct oracle_note *n, uint64_t address, uint32_t before, uint64_t cycle);
/* A plain store or atomic is about to be performed on these bytes of a line; memory has the old ones. after: NULL for
 * an atomic, whose result is looked up at the step. */
void oracle_plain(struct oracle_note *n, uint64_t line, const uint64_t mask[2], const uint8_t *after, uint64_t cycle);

/* Serial: takes in all lists; every cycle before `now` has been simulated. */
void oracle_step(struct oracle *o, uint64_t now);
/* The kernel is over, memory is final. False: a violation, told in text (several lines). Adds to the counters.
 * Afterwards the oracle is ready for the next kernel, whose keys go on where these ended. */
bool oracle_finish(struct oracle *o, uint64_t *count, char *text, size_t size);
/* A violation found so far? Then text. */
bool oracle_violated(const struct oracle *o, char *text, size_t size);

#endif
