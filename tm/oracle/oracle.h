/*
 * The oracle replays every committed transaction, in the protocol's commit order, on a shadow copy of memory. Each
 * value that the transaction has read must equal the shadow's, and at the end of the kernel memory must equal the
 * shadow. Plain stores and atomics of the same kernel enter the shadow when they are performed and mark their words as
 * mixed. A mismatch on a mixed word is weak isolation, which the protocols allow; any other is an error of the
 * protocol.
 *
 * Cores and partitions run in parallel: each appends its events to its own list, and the serial step between two
 * windows processes the lists. Commits are replayed in the order of their keys 1, 2, 3 ... Every key is reported
 * exactly once, as committed or not, in any order. A transaction enters the shadow in the cycle in which the last of
 * all keys up to its own is reported, a plain store in the cycle in which it is performed; but to a word of a
 * transaction whose outcome was reported before that cycle it enters after the transaction. So the results do not
 * depend on the cycles of the steps.
 */
#ifndef TM_ORACLE_H
#define TM_ORACLE_H

#include "tm/tm.h"

struct oracle;
struct oracle_events;                  /* the list of one core or slice */

struct oracle *oracle_new(enum oracle_mode mode, uint32_t cores, uint32_t slices);
void oracle_free(struct oracle *o);
/* Before the first run: keeps the value of each word after each commit of a kernel, for oracle_between. */
void oracle_keep_versions(struct oracle *o);
/* Before the first run: transactions are reported by oracle_ordered. Each read must be of the newest version that is
 * not after the snapshot, and no word may have two versions after a writer's snapshot. serialisable: the replay must
 * have the values read, too. */
void oracle_use_snapshots(struct oracle *o, bool serialisable);
/* Lists; valid as long as the oracle. All accesses to one line between two steps belong to one list, in their order. */
struct oracle_events *oracle_core(struct oracle *o, uint32_t core);
struct oracle_events *oracle_slice(struct oracle *o, uint32_t slice);

/* ---- events of a core ---- */
/* For messages: the lane of the attempt. cycle: core cycle of the outcome. */
struct oracle_who { uint16_t sm; uint32_t slot; uint8_t lane; uint64_t block; uint32_t thread; uint64_t cycle; };
/* The sets are copied. */
void oracle_committed(struct oracle_events *n, uint64_t key, const struct tm_lane *l, const struct oracle_who *who);
/* A transaction without writes that has no key (tm_decide_between). Needs oracle_keep_versions. */
void oracle_between(struct oracle_events *n, uint64_t newest, const struct tm_lane *l, const struct oracle_who *who);
/*
 * A transaction under snapshot isolation, without a key: it is replayed in ascending order of (order, commit), when no
 * transaction with a smaller order can follow (oracle_settled). It has read the version `snapshot` and has written
 * `commit`; versions of words are kept by these numbers. Needs oracle_use_snapshots.
 */
struct oracle_place {
    uint64_t order, commit, snapshot;
    uint32_t ticket;                 /* 0, or its number: it is replayed at its turn (oracle_turn), not by `order` */
};
void oracle_ordered(struct oracle_events *n, const struct oracle_place *p, const struct tm_lane *l,
                    const struct oracle_who *who);
/* An aborted attempt that had a key. */
void oracle_not_committed(struct oracle_events *n, uint64_t key, uint64_t cycle);

/* ---- events of a slice, in the order in which they are performed ---- */
/* A transaction's write is performed. before: the word's old value. cycle: a core cycle; cycles do not descend in a
 * list. */
void oracle_tx_write(struct oracle_events *n, uint64_t address, uint32_t before, uint64_t cycle);
/* A plain store or atomic is performed on these bytes of a line. before: the line; after: the new bytes; NULL for an
 * atomic, whose result is read from memory at the step. An event of a core, if it is performed on a copy in L1. */
void oracle_plain(struct oracle_events *n, uint64_t line, const uint64_t mask[2], const uint8_t *before,
                  const uint8_t *after, uint64_t cycle);
/* The same for an atomic that is performed on memory. memory: the line; its result is read there at the step. */
void oracle_atomic(struct oracle_events *n, uint64_t line, const uint64_t mask[2], const uint8_t *memory,
                   uint64_t cycle);

/* Serial, before oracle_step: transactions of oracle_ordered that are reported later have at least this order. */
void oracle_settled(struct oracle *o, uint64_t order);
/* Serial: the next transaction to be replayed is the one with this ticket, which may not have been reported yet.
 * Tickets are small numbers. */
void oracle_turn(struct oracle *o, uint32_t ticket);
/* Serial: processes all lists; every cycle before `now` has been simulated. */
void oracle_step(struct oracle *o, uint64_t now);
/* After a kernel, when memory is final. False: a violation, described in text (several lines). Adds to the counters.
 * The keys of the next kernel continue those of this one. */
bool oracle_finish(struct oracle *o, uint64_t *count, char *text, size_t size);
/* Has a violation been found so far? Then describes it in text. */
bool oracle_violated(const struct oracle *o, char *text, size_t size);

#endif
