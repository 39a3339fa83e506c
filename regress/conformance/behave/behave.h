/*
 * Behaviour tests: memory, control flow, barriers, warp-wide instructions, address conversion. A test is the
 * body of a kernel and a function that says what each thread must have stored; the bodies and the
 * expectations are worked out by hand from the PTX ISA, or generated together where there is one test for
 * each width, space or operation.
 */
#ifndef REGRESS_CONFORMANCE_BEHAVE_H
#define REGRESS_CONFORMANCE_BEHAVE_H

#include <stdio.h>

#include "regress/conformance/device.h"

enum { BEHAVE_WORDS = 8, BEHAVE_BUFFER = 1 << 16 };

/*
 * A kernel t(out, buf) around `body`. There: %i the thread's number in the grid, %t = %tid.x, %o the address
 * of the thread's BEHAVE_WORDS 64-bit words (zero before), %b the address of a buffer of BEHAVE_BUFFER bytes,
 * filled with behave_fill(). Registers %h %r %d %f %e %p<64> (16, 32, 64 bits, f32, f64, predicates).
 */
struct behave_test {
    const char *name;
    const char *module;              /* text before the kernel: variables and functions; may be NULL */
    const char *body;
    uint32_t block, grid;            /* 0 means 64, 1 */
    /* What word k of thread i is; false = anything may be there. */
    bool (*expect)(uint32_t i, uint32_t k, uint64_t *word);
    simtx_fault_kind fault;          /* the launch must end with it */
    const char *printed;             /* device output must be this */
    const char *refused;             /* the module must not load, and the message has this in it */
    void (*check_buffer)(const unsigned char *buf, bool *ok);
    uint32_t dynamic_shared;
    /* Blocks of a cluster; 0: the launch has none. Tests with clusters also run in timing mode, unless `functional`:
     * there it is a hang. */
    uint32_t cluster;
    bool functional;
    bool simulated;                  /* not for a real GPU, whose tensor maps have another layout */
    /* Called before the launch, and after it to release what it made; buf: the buffer. */
    void (*prepare)(simtx_gpu *gpu, simtx_module *m, void *buf, bool end);
};

struct behave_count { int passed, failed, skipped; };
struct behave_ctx;                   /* the devices, and what was counted */

void behave_one(struct behave_ctx *x, const struct behave_test *t);
/*
 * Expected words as a table: words[i * BEHAVE_WORDS + k] of `threads` threads, mask says which words count.
 */
void behave_table(struct behave_ctx *x, const char *name, const char *module, const char *body,
                  uint32_t threads, const uint64_t *words, uint32_t mask);
unsigned char behave_fill(uint32_t at);          /* byte `at` of the buffer */

/*
 * Runs one of `parts` parts of them on each device and marks the FORM rows (by index) that their instructions belong
 * to. A real GPU skips those that expect a fault (its context is lost then), a refused module or output.
 */
struct behave_count behave_run(const struct device *dev, int ndev, bool *form_covered, int part, int parts);

/* Elements of matrices: the value of a pattern of bits; the nearest half of a float, ties to even. */
enum behave_kind { BEHAVE_HALF, BEHAVE_BRAIN, BEHAVE_TENSOR, BEHAVE_E4M3, BEHAVE_E5M2, BEHAVE_DOUBLE, BEHAVE_SIGNED,
                   BEHAVE_UNSIGNED, BEHAVE_BITS };
double behave_element(enum behave_kind k, uint64_t v, uint32_t bits);
uint32_t behave_half(float f);
/* The value of a sum in single precision before a product, and its bits after it: of a half, or of 32 bits. */
float behave_sum(uint32_t bits, bool half);
uint32_t behave_sum_bits(float s, bool half);
uint32_t behave_integer_sum(int64_t s, bool clamps);
/* Puts the low bits of v at bit `at` of the bytes. */
void behave_put_bits(unsigned char *to, size_t at, int bits, uint64_t v);

/* Random numbers below n, and bits of elements. Most floating-point numbers are below 2, so that sums are seldom
 * infinite or NaN. */
uint32_t behave_random(uint32_t *seed, uint32_t n);
uint32_t behave_random_bits(uint32_t *seed, int bits, bool integer);

/* Metadata of sparse products. The column within its chunk of stored element i, in a chunk with this nibble. */
int behave_chunk_column(int bits, uint8_t nibble, int i);
/* The word of a lane. `nibble` is that of each chunk of 16 rows; the selector names the
 * lanes of each group of four, `lanes` of them, that give metadata; others get `other`. */
enum { BEHAVE_CHUNKS = 64 };
uint32_t behave_metadata(int bits, int lane, int selector, int lanes, uint8_t (*nibble)[BEHAVE_CHUNKS], uint32_t other);

void behave_memory(struct behave_ctx *x);
void behave_atomics(struct behave_ctx *x);
void behave_wide(struct behave_ctx *x);
void behave_warp(struct behave_ctx *x);
void behave_control(struct behave_ctx *x);
void behave_system(struct behave_ctx *x);
void behave_texture(struct behave_ctx *x);
void behave_pairs(struct behave_ctx *x);
void behave_matrix(struct behave_ctx *x);
void behave_gemm(struct behave_ctx *x);
void behave_sparse(struct behave_ctx *x);
void behave_warpgroup(struct behave_ctx *x);
void behave_cluster(struct behave_ctx *x);
void behave_bulk(struct behave_ctx *x);

#endif
