/*
 * A crew of host threads that do one piece of work together, again and again: member 0 is the caller, and a step ends when all
 * are through. What the others did in a step is visible to the caller after it, and the other way round before it.
 */
#ifndef TIMING_PARALLEL_H
#define TIMING_PARALLEL_H

#include <stdint.h>

struct crew;

typedef void crew_work(void *ctx, uint32_t member);

/* n >= 1 members; fewer when the host gives no more threads (crew_size tells). work is called once by each member in every step. */
struct crew *crew_new(uint32_t n, crew_work *work, void *ctx);
void crew_free(struct crew *c);
uint32_t crew_size(const struct crew *c);
void crew_step(struct crew *c);

#endif
