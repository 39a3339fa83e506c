/* Which rows of a protocol's tables have been executed. */
#ifndef REGRESS_COHERENCE_COVERAGE_H
#define REGRESS_COHERENCE_COVERAGE_H

#include "memsys/coherence/coherence.h"

/* Rows that no run can reach, and why; "*": all states or events. The list ends with a row without a state. */
struct coverage_excuse { bool home; const char *state, *event, *reason; };

/* The number of rows that are wrong: neither executed nor excused (excuses may be NULL), or both. Rows that only stall
 * an access are not executed, and not counted. say: prints them, and how many were executed. */
unsigned coverage_lacks(const struct coherence *p, const uint64_t *l1_seen, const uint64_t *home_seen,
                        const struct coverage_excuse *excuses, bool say);

#endif
