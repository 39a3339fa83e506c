/* The PTX of one combination: a kernel that runs it in four ways on each thread's record. */
#ifndef REGRESS_CONFORMANCE_KERNEL_TEXT_H
#define REGRESS_CONFORMANCE_KERNEL_TEXT_H

#include "regress/conformance/combo.h"

/* What a thread reads and writes; the kernel has one array of each as its two parameters. */
struct record_in { uint64_t src[4], carry, guard, sentinel, unused; };
struct record_out {
    uint64_t guarded, guarded_q;     /* under @guard: inactive lanes keep the sentinel (and the carry) */
    uint64_t plain, plain_q;         /* all lanes of the warp */
    uint64_t alias;                  /* the destination is source alias_source() too */
    uint64_t imm;                    /* source imm_source() is a constant */
    uint64_t unused[2];
};

int kernel_alias_source(const struct combo *c);   /* -1: none has the destination's register class */
int kernel_imm_source(const struct combo *c);     /* -1: no constant is tried */
void kernel_print_header(FILE *f);
void kernel_print(const struct combo *c, int index, uint64_t imm, FILE *f);   /* entry k<index> */

#endif
