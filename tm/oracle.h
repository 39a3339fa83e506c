/*
 * The oracle: every committed transaction is replayed in the protocol's commit order on a shadow of memory; each value
 * that it read must be the one that the shadow has, and at the end of the kernel memory must be what the shadow is. Plain
 * stores and atomics of the same kernel enter the shadow when they are performed and mark their words as mixed: a
 * mismatch there is weak isolation, which the protocols allow; anywhere else it is an error of the protocol.
 *
 * Cores and partitions run side by side: each notes what it did in a list of its own, and the serial step between two
 * windows of the simulation takes them in. Commits are replayed by key; every key below the largest is reported exactly
 * once, as committed or as not.
 */
#ifndef TM_ORACLE_H
#define TM_ORACLE_H

#include "tm/tm.h"

struct oracle;
struct oracle_note;                  /* the list of one core or unit */

enum oracle_mode { ORACLE_OFF, ORACLE_ON, ORACLE_FULL };

struct oracle *oracle_new(enum oracle_mode mode, uint32_t cores, uint32_t slices);
void oracle_free(struct oracle *o);
/* Lists; valid as long as the oracle. */
struct oracle_note *oracle_core(struct oracle *o, uint32_t core);
struct oracle_note *oracle_slice(struct oracle *o, uint32_t slice);

/* ---- noted by a core ---- */
/* The sets are copied. who: for messages: SM, block, thread are looked up by the caller. */
struct oracle_who { uint16_t sm; uint32_t slot; uint8_t lane; uint64_t block; uint32_t thread; };
void oracle_committed(struct oracle_note *n, uint64_t key, const struct tm_lane *l, const struct oracle_who *who);
void oracle_not_committed(struct oracle_note *n, uint64_t key);  /* an aborted attempt that had a key */

/* ---- noted by a unit, in the order of their performance ---- */
/* A transaction's write is performed now: before is the word's old value. cycle: core cycles. */
void oracle_tx_write(struct oracle_note *n, uint64_t address, uint32_t before, uint64_t cycle);
/* A plain store or atomic is about to be performed on these bytes of a line; memory has the old ones. after: NULL for an
 * atomic, whose result is looked up at the step. */
void oracle_plain(struct oracle_note *n, uint64_t line, const uint64_t mask[2], const uint8_t *after, uint64_t cycle);

/* Serial: takes in all lists. */
void oracle_step(struct oracle *o, uint64_t now);
/* The kernel is over, memory is final. False: a violation, told in text (several lines). Adds to the counters. */
bool oracle_finish(struct oracle *o, uint64_t *count, char *text, size_t size);
/* A violation found so far? Then text. */
bool oracle_violated(const struct oracle *o, char *text, size_t size);

#endif
