/* The interface between the kernel of a litmus test (litmus_emit.c) and the host that launches it (litmus_run.c, and
 * for a real GPU regress/gpu/litmus_gpu.c). */
#ifndef FRONTEND_LITMUS_KERNEL_H
#define FRONTEND_LITMUS_KERNEL_H

#include <stdio.h>

#include "frontend/litmus/litmus.h"

enum {
    LITMUS_LANES = 32, LITMUS_TEMPS = 8,
    LITMUS_START_SHIFT = 13,         /* threads start at multiples of 2^13 cycles */
    LITMUS_NOISE_LINES = 4096,
    LITMUS_NOISE_STORES = 16         /* of a thread of noise, at most: less than a line */
};

/* A thread of a launch. role: of the test; number of threads: noise, to line `instance`; larger: it ends at once. */
struct litmus_lane { uint32_t role, instance, delay, warm; };

/*
 * What stands around the instructions of a test, as PTX text. `wait` and `noise` may use %t0 to %t3, %tw0, %wait,
 * %delay; noise also %a, %instance, %lane and %warm, and ends by a branch to END.
 */
struct litmus_harness {
    const char *parameters;          /* of the kernel, after `step` and before the offsets of the locations */
    const char *registers;           /* declarations */
    const char *head;                /* after the row of the table is read */
    const char *start;               /* before the branch to the role; may set %t0 to %t3 for `wait` */
    void (*wait)(FILE *f, int thread);       /* before the instructions of this thread of the test */
    void (*noise)(FILE *f, int role);        /* label R<role> and the noise */
    /* The PTX is compiled by an optimizer. Dependencies without an effect then go through values that it does not know,
     * registers %zero32 and %zero64, which are 0, and the predicate %never, which is false; weak loads of a
     * location are not merged. A loop that has gone back as often as %fuel says branches to the label UNFINISHED, which
     * `noise` defines. */
    bool optimized;
};

#define LITMUS_PTX_HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"
void litmus_emit_kernel(FILE *f, const struct litmus_test *t, const char *name, const struct litmus_harness *harness);

#endif
