/* Which rows of a protocol's tables have been executed. */
#ifndef REGRESS_COHERENCE_COVERAGE_H
#define REGRESS_COHERENCE_COVERAGE_H

#include "memsys/coherence/coherence.h"

/* Rows that few runs reach, and why; "*": all states or events. The list ends with a row without a state. */
struct coverage_excuse { bool home; const char *state, *event, *reason; };

/* The number of rows that are neither executed nor excused (excuses may be NULL). Rows that only stall an access are
 * not executed, and not counted. say: prints the rows that were not executed, and how many were. */
unsigned coverage_lacks(const struct coherence *p, const uint64_t *l1_seen, const uint64_t *home_seen,
                        const struct coverage_excuse *excuses, bool say);

#endif
