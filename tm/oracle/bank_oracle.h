/*
 * The oracle for transactions on shared memory, of one resident block. An eager protocol lets an attempt keep what it
 * has accessed until its outcome, so commits of a block, in the order of their outcomes, must be a serial order: every
 * commit is replayed at once on a shadow of the block's memory, where each value that it read must be the one that the
 * shadow has. When the block ends, its memory must be what the shadow is, in every word: an aborted attempt may have
 * left something where no commit has been.
 *
 * Plain stores and atomics enter the shadow when they are performed and, while attempts run, mark their words as mixed:
 * a mismatch there is weak isolation, which these protocols allow; anywhere else it is an error. When no attempt runs
 * any more, mixed words are taken from memory and the marks are gone: programs initialise shared memory by plain
 * stores, and these must not make the oracle blind.
 *
 * Where the same transactions reach global memory, too, their keys there (struct oracle) must be an order of these
 * commits as well: two that touch the same word of shared memory, one of them writing, must have ascending keys, also
 * where commits without a key lead from one to the other. Then the order of the keys is a serial order for both
 * memories.
 */
#ifndef TM_BANK_ORACLE_H
#define TM_BANK_ORACLE_H

#include "tm/oracle/oracle.h"

struct bank_oracle;

struct bank_oracle *bank_oracle_new(enum oracle_mode mode);      /* NULL when off */
void bank_oracle_free(struct bank_oracle *o);
/* A block comes: so many bytes of shared memory, all zero. Violations of those before it are kept. */
void bank_oracle_start(struct bank_oracle *o, uint32_t bytes);
/*
 * Does an attempt of the block run? It does until its commit has been reported or its memory has been put back. Told
 * at the start of an attempt, and when the last one is over (and, of a block that has none yet, behind its start);
 * until it is told the oracle takes it that attempts run. Takes the time of the mixed words.
 */
void bank_oracle_running(struct bank_oracle *o, bool any, const uint8_t *memory);
/*
 * A lane commits, in this call's order. Addresses of the sets are offsets in shared memory, multiples of 4. key: of the
 * commit in global memory, 0 = none. The sets are as in struct tm_lane: words read that the lane had not written in
 * full itself, words written, in program order; where a lane wrote a part of a word before it read the word, the read's
 * value has the own bytes merged in and `bytes` of the read tells those that came from memory.
 */
void bank_oracle_commit(struct bank_oracle *o, const struct tm_set *reads, const struct tm_set *writes, uint64_t key,
                        const struct oracle_who *who);
/* A plain store, atomic or red of these lanes has just been performed on the block's memory. */
void bank_oracle_plain(struct bank_oracle *o, const struct mem_op *op, uint64_t lanes, const uint8_t *memory);
/*
 * The block is over: compares its memory, and adds what the block did to the counters (tm.oracle.*). Words are those
 * that transactions accessed. Commits with a key are counted as transactions by the other oracle, and not here.
 */
void bank_oracle_end(struct bank_oracle *o, const uint8_t *memory, uint64_t *count);
/* A violation found so far, in any block since the last bank_oracle_forget? Then text, of the first. */
bool bank_oracle_violated(const struct bank_oracle *o, char *text, size_t size);
/* A run starts: violations of the last one have been told. */
void bank_oracle_forget(struct bank_oracle *o);

#endif
