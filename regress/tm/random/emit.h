/* The inside of the generator (gen.h): what writes a kernel's text, and operations on global memory. */
#ifndef REGRESS_TM_RANDOM_EMIT_H
#define REGRESS_TM_RANDOM_EMIT_H

#include <stdbool.h>

#include "regress/fuzz/random.h"
#include "regress/tm/random/gen.h"

struct gen {
    struct kernel *k;
    struct random r;
    uint32_t labels;
    bool in[MOST_THREADS];           /* threads of a block that execute what is generated now */
    uint64_t times;                  /* how often all threads together do */
    uint32_t rounds;                 /* how often a thread does */
    uint32_t reach;                  /* of shared memory: bytes from a quad of the table to the next */
    uint32_t base, rest;             /* offsets of the table and of what is behind it */
    uint32_t near_sum;               /* of a block's table */
};

void put(struct gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint32_t below(struct gen *g, uint32_t n);
void gen_begin(struct gen *g, uint32_t most_blocks, uint32_t most_threads);
uint32_t gen_sum(const uint32_t *table);

/* The address of a word of the global table into %rd<reg>: fixed, by thread, or by what another word holds. */
void gen_place(struct gen *g, unsigned reg, bool even);
/* One on global memory, inside a transaction. */
void gen_operation(struct gen *g);
/* What `once` generates, in a loop of one or more rounds, of the threads whose number has some bits. */
void gen_step(struct gen *g, void (*once)(struct gen *g));

/* ---- near.c ---- */
void gen_near(struct gen *g);

#endif
