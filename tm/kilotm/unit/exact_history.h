/*
 * The exact last writer of every word: what a last writer history without limits would know. It is the history of
 * "perfect" hazard detection, and runs beside the others as their check. Writers that can cause no hazard any more are
 * dropped when the table is full, so it stays as small as the transactions in flight.
 */
#ifndef TM_KILOTM_EXACT_H
#define TM_KILOTM_EXACT_H

#include <stdbool.h>
#include <stdint.h>

struct exact_place { uint32_t word; uint64_t cid; };         /* cid 0 = empty */
struct exact { struct exact_place *place; uint32_t size, used; };

void exact_init(struct exact *e);
void exact_end(struct exact *e);
static inline bool exact_full(const struct exact *e) { return e->used > e->size / 2; }
/* Makes room: drops writers before `oldest`, and doubles the table when the others are many. */
void exact_rebuild(struct exact *e, uint64_t oldest);
/* A word gets a younger writer. Not while exact_full. */
void exact_insert(struct exact *e, uint32_t word, uint64_t cid);
/* The last writer of a word; 0 = none since it was dropped. */
uint64_t exact_lookup(const struct exact *e, uint32_t word);

#endif
