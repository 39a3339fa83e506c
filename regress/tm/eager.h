/*
 * A toy transactional memory for tests of the interface (tm/tm.h), with everything that KILO TM does not have:
 * conflicts are found when they happen. Words are owned, by readers or by a writer, at the unit of their L2 slice,
 * which learns of every access before it is performed, and tells the loser of a conflict, in whatever state its
 * transaction is. Beside conflicts units abort owners at random. A lane that comes to its commit asks all its units
 * whether it still owns what it accessed; from then on it cannot be aborted there. Then it sends its writes, and the
 * units write them, give its words back, and say that they are done. Plain stores and atomics abort the owners of their
 * line, or wait for those that commit. Its order of commits is two-phase locking's: that in which the last unit has
 * agreed.
 */
#ifndef REGRESS_TM_EAGER_H
#define REGRESS_TM_EAGER_H

#include "tm/tm.h"

enum { EAGER_NETWORK = 1, EAGER_SLOTS = 64 };

enum eager_bug {
    EAGER_SOUND,
    EAGER_BLIND,                     /* a writer does not see readers */
    EAGER_FORGETS,                   /* losers are not told, and their commits are agreed to */
    EAGER_READS_EARLY,               /* loads do not wait until they own their words */
    EAGER_PLAIN_PASSES               /* plain accesses do not care about owners */
};

enum eager_kind {
    EAGER_READ = MSG_ENGINE, EAGER_WRITE,          /* to the unit: lanes access words */
    EAGER_PREPARE, EAGER_CHECK,                  /* do they still own all? PREPARE: they commit */
    EAGER_VALUE, EAGER_FINISH,                   /* a word to be written; it was the last */
    EAGER_RELEASE,                               /* aborted */
    EAGER_GRANT, EAGER_VOTE, EAGER_DONE,         /* from the unit: answers to READ; PREPARE, CHECK; FINISH */
    EAGER_ABORT                                  /* unasked */
};

struct eager_payload {
    uint32_t attempt;
    uint16_t slot;
    uint64_t lanes;
    struct tm_load *load;
    uint64_t address[TM_LANES];
    uint32_t value;
    uint8_t bytes;
};

/* At packet->data. */
struct eager_answer { struct tm_load *load; uint64_t lanes, lost; uint32_t attempt, slot; };

/* What all machines so far have seen. */
struct eager_seen { uint64_t late, checks, unasked, killed, held_back, plain; };
extern struct eager_seen eager_seen;

struct eager_shared { enum eager_bug bug; uint64_t commits; struct eager_unit *unit[64]; uint32_t slices, sms; };

extern const struct engine_kind eager_unit;
bool eager_unit_empty(const struct eager_unit *u);
extern const struct tm_protocol toy_eager[];     /* by enum eager_bug */

#endif
