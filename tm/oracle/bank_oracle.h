/*
 * The oracle for transactions on shared memory, for one resident block. An eager protocol lets an attempt own the words
 * that it has accessed until its outcome. So the order of outcomes of a block's commits must be a serial order. Each
 * commit is replayed at once on a shadow copy of the block's memory, where each value that it read must equal the
 * shadow's. When the block ends, all words of its memory must equal the shadow, since an aborted attempt may have left
 * a value in any word.
 *
 * Plain stores and atomics enter the shadow when they are performed. While attempts run, they mark their words as
 * mixed. A mismatch on a mixed word is weak isolation, which these protocols allow; any other is an error. When no
 * attempt runs any more, mixed words get their values from memory, and the marks are cleared. Otherwise the plain
 * stores by which programs initialise shared memory would disable the checks.
 *
 * If the same transactions also access global memory, the order of their keys there (struct oracle) must be consistent
 * with these commits: two commits that access the same word of shared memory, one of them writing, must have ascending
 * keys, also if a chain of commits without keys connects them. Then the order of the keys is a serial order for both
 * memories. Under snapshot isolation the snapshot of the second one must contain the first one's commit instead.
 */
#ifndef TM_BANK_ORACLE_H
#define TM_BANK_ORACLE_H

#include "tm/oracle/oracle.h"

struct bank_oracle;

struct bank_oracle *bank_oracle_new(enum oracle_mode mode);      /* NULL when off */
void bank_oracle_free(struct bank_oracle *o);
/* A block starts, with so many bytes of shared memory, all zero. Violations of earlier blocks are kept. */
void bank_oracle_start(struct bank_oracle *o, uint32_t bytes);
/*
 * Reports whether an attempt of the block runs; it runs until its commit has been reported or its memory has been
 * restored. Called when the first attempt starts, when the last one has ended, and at the start of a block. Without a
 * call the oracle assumes that attempts run. Takes time in proportion to the mixed words.
 */
void bank_oracle_running(struct bank_oracle *o, bool any, const uint8_t *memory);
/*
 * A lane commits; the order of the calls is the order of commits. Addresses of the sets are offsets in shared memory,
 * multiples of 4. key: of the commit in global memory, 0 = none; place: in its order of snapshots, NULL = none. The
 * sets are as in struct tm_lane: words read that the lane had not completely written itself, and words written, in
 * program order. If the lane had written a part of a word before it read the word, the value of the read includes the
 * own bytes, and `bytes` marks those that came from memory.
 */
void bank_oracle_commit(struct bank_oracle *o, const struct tm_set *reads, const struct tm_set *writes, uint64_t key,
                        const struct oracle_place *place, const struct oracle_who *who);
/* A plain store, atomic or red of these lanes has just been performed on the block's memory. */
void bank_oracle_plain(struct bank_oracle *o, const struct mem_op *op, uint64_t lanes, const uint8_t *memory);
/*
 * The block has ended: compares its memory, and adds the block's counts to the counters (tm.oracle.*). Words are those
 * that transactions accessed. Commits with a key are counted as transactions by the other oracle, and not here.
 */
void bank_oracle_end(struct bank_oracle *o, const uint8_t *memory, uint64_t *count);
/* Has a violation been found, in any block since the last bank_oracle_clear_findings? Then describes the first in text.
 * */
bool bank_oracle_violated(const struct bank_oracle *o, char *text, size_t size);
/* A run starts: drops the violations of the last one. */
void bank_oracle_clear_findings(struct bank_oracle *o);

#endif
