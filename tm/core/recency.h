/*
 * A recency bloom filter (KILO TM, section 4.5.2; WarpTM, MICRO 2013): sub-arrays, each with its own hash function,
 * have a bucket for a key, with the youngest stamp of its keys. The oldest of a key's buckets is the least aliased: the
 * result may be too young, but never too old.
 */
#ifndef TM_RECENCY_H
#define TM_RECENCY_H

#include <stdint.h>

#include "tm/core/h3.h"

enum { RECENCY_ARRAYS = 16 };

struct recency {
    uint32_t arrays, buckets;        /* buckets of a sub-array: any number */
    uint64_t *stamp;                 /* arrays x buckets; 0 = never written */
    struct h3 hash[RECENCY_ARRAYS];
};

/* bits: of the hash functions, whose results are taken modulo `buckets`; they have the numbers from `first` on (h3.h).
 * what: for the message if memory is exhausted (base/alloc.h). */
void recency_init(struct recency *r, uint32_t arrays, uint32_t buckets, unsigned bits, uint64_t seed, unsigned first,
                  const char *what);
void recency_end(struct recency *r);
void recency_clear(struct recency *r);
void recency_write(struct recency *r, uint32_t key, uint64_t stamp);
/* A stamp that is not older than the key's youngest one. */
uint64_t recency_last(const struct recency *r, uint32_t key);

#endif
