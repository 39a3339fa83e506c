/*
 * The regions of device memory that a program has declared as versioned (memsys/versions). A region lies in one
 * allocation and is removed with it.
 */
#ifndef PTX_REGION_TABLE_H
#define PTX_REGION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct region { uint64_t lo, hi; };              /* [lo, hi) */

struct region_table {
    struct region *region;           /* in the order of their declaration */
    uint32_t n;
    uint64_t changes;                /* so far */
};

/* The declared region that overlaps [lo, hi); NULL = none does. */
const struct region *region_overlapping(const struct region_table *t, uint64_t lo, uint64_t hi);
void region_add(struct region_table *t, uint64_t lo, uint64_t hi);
void region_remove_within(struct region_table *t, uint64_t lo, uint64_t hi);
void region_table_end(struct region_table *t);

#endif
