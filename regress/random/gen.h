/*
 * The generator: a random kernel from a seed, as lines of PTX. It is valid, ends, and has one answer whatever
 * the order of lanes, warps and blocks: shared and global memory are written in a thread's own part, or
 * exchanged across a barrier, or updated by commutative atomics; barriers and warp-wide instructions stand
 * where all threads come by.
 */
#ifndef REGRESS_RANDOM_GEN_H
#define REGRESS_RANDOM_GEN_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GEN_IN_BYTES = 4096,             /* random input, read only */
    GEN_OUT_BYTES = 1024,            /* output a thread */
    GEN_SUM_BYTES = 256              /* cells of atomics, shared by all threads */
};

/* A line can go by itself (LINE_DROP), or opens or closes a group that can go as a whole. */
enum gen_kind { LINE_FIXED, LINE_DROP, LINE_OPEN, LINE_CLOSE };
struct gen_line { char *text; enum gen_kind kind; };
struct gen_program {
    struct gen_line *line;
    int n, cap;
    uint32_t grid, block;
};

struct gen_program *gen_make(uint64_t seed);
struct gen_program *gen_make_plain(uint64_t seed);              /* never with transactions */
void gen_free(struct gen_program *g);
/* The program as text (malloc'ed) without the lines whose `gone` is set; gone may be NULL. */
char *gen_text(const struct gen_program *g, const bool *gone);

#endif
