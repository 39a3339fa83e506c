/*
 * The exact last writer of every word, as in a last writer history without limits. "perfect" hazard detection uses it,
 * and the other histories are checked against it. When the table is full, writers that cannot cause a hazard any more
 * are dropped, so its size is that of the transactions in flight.
 */
#ifndef TM_KILO_EXACT_H
#define TM_KILO_EXACT_H

#include <stdbool.h>
#include <stdint.h>

struct exact_place { uint32_t word; uint64_t cid; };         /* cid 0 = empty */
struct exact { struct exact_place *place; uint32_t size, used; };

void exact_init(struct exact *e);
void exact_end(struct exact *e);
static inline bool exact_full(const struct exact *e) { return e->used > e->size / 2; }
/* Drops writers before `oldest`, and doubles the table if many others remain. */
void exact_rebuild(struct exact *e, uint64_t oldest);
/* Sets a younger writer of a word. Must not be called while exact_full. */
void exact_insert(struct exact *e, uint32_t word, uint64_t cid);
/* The last writer of a word; 0 = none, or dropped. */
uint64_t exact_lookup(const struct exact *e, uint32_t word);

#endif
