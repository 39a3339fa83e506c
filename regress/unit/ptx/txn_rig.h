/*
 * A warp alone that a test steps by hand, whose accesses are performed at once, and of whose transactions the test
 * decides which lanes commit (ptx/txn/txn.h). The kernel's text is made of the pieces below.
 */
#ifndef REGRESS_TXN_RIG_H
#define REGRESS_TXN_RIG_H

#include "ptx/txn/txn.h"
#include "regress/unit/ptx/step_driver.h"

enum { IN_BYTES = 65536, LOCAL_BYTES = 1 << 20, STEPS_MAX = 100000 };

#define HEAD ".version 8.3\n.target sm_90\n.address_size 64\n"
/* %rd1 = in, %r1 = thread, %rd2 = its 256 bytes of in. */
#define KERNEL                                                                                              \
    ".visible .entry k(.param .u64 in)\n"                                                                   \
    "{ .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .b128 %q<2>;\n"         \
    "  .local .align 8 .b8 l[64];\n"                                                                        \
    "  ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 256; add.u64 %rd2, %rd1, %rd2;\n"
#define END "  ret; }\n"

/* One warp that a test steps by hand; in: the memory behind the parameter. */
struct bench {
    struct step_gpu gpu;
    struct worker worker[2];
    struct block *block;
    struct warp *w;
    uint32_t *in;
    char *local;
    struct mem_op op;
    struct step step;
};

/* Kernel `k` of the text; fails the test when it does not compile. */
void bench_open(struct bench *b, const char *ptx, uint32_t threads, uint32_t warp_size);
void bench_close(struct bench *b);
enum step_result bench_step(struct bench *b);
enum step_result bench_run(struct bench *b);          /* until the warp waits, ends or faults */
void bench_go_to(struct bench *b, enum ptx_op op);    /* until such an instruction is the next */

/* Fails unless these are the lanes that the txn_ functions tell. */
void expect_lanes(struct bench *b, uint64_t open, uint64_t arrived, uint64_t waiting, uint64_t passed);

/* The word at byte `at` of a thread's part of in. */
static inline uint32_t *word(struct bench *b, uint32_t thread, uint32_t at)
{
    return b->in + thread * 64 + at / 4;
}

#endif
