/*
 * A crew of host threads that works off lists of items, the same ones again and again. Each member has a list of its
 * own that it begins with, so that what the items touch stays in its caches, and then takes what is left of the
 * others' lists. A step ends when all items are done, not when all members have come: one that the host does not let
 * run holds nobody up.
 */
#ifndef TIMING_PARALLEL_H
#define TIMING_PARALLEL_H

#include <stdint.h>

struct crew;

/* Does item `item` of list `list`. Called by `member` in step `step` (numbers from 1, rising). */
typedef void crew_work(void *ctx, uint64_t step, uint32_t member, uint32_t list, uint32_t item);

/* n >= 1 members, the caller of crew_step is number 0, and n lists of items[i] items. */
struct crew *crew_new(uint32_t n, const uint32_t *items, crew_work *work, void *ctx);
void crew_free(struct crew *c);
/* Does every item of every list once. Everything done in earlier steps and by the caller before is visible to
 * whoever does an item, and everything done in this step is visible to the caller afterwards. */
void crew_step(struct crew *c);
uint64_t crew_steps(const struct crew *c);           /* number of the last one */

#endif
