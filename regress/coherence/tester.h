/*
 * The random tester of the protocols that a configuration can name: runs of random accesses in small machines
 * (regress/coherence/rig.h). A violation ends the process with a message.
 */
#ifndef REGRESS_COHERENCE_TESTER_H
#define REGRESS_COHERENCE_TESTER_H

#include "regress/coherence/coverage.h"
#include "regress/coherence/rig.h"

enum { TESTER_PROTOCOLS = 3 };       /* the first two have the same home table */

struct tester {
    const char *name;
    struct rig_protocol states;
    const struct coverage_excuse *excuses;
    uint64_t runs, loads, late;      /* late: loads of a line that was invalidated in flight */
    uint64_t l1_seen[ROWS_MAX], home_seen[ROWS_MAX];
};

/* Protocol n: MESI with atomics at L1; at L2; write-through. */
void tester_open(struct tester *t, unsigned n);
/* One run in machine `size` of rig_sizes; in each of them. */
void tester_run_one(struct tester *t, unsigned size, uint64_t seed);
void tester_run(struct tester *t, uint64_t seed);

#endif
