/* Hand-written kernels for test_step.c: each `k` takes (.u64 in, .u64 out, .u64 sum), as those of regress/random do. */
#ifndef REGRESS_STEP_CASES_H
#define REGRESS_STEP_CASES_H

#include <stdbool.h>
#include <stdint.h>

struct step_case {
    const char *name, *ptx;
    uint32_t block;                  /* threads; 0 = 64 */
    const char *fault;               /* part of the fault's text; NULL: it runs to its end */
    const char *prints;              /* part of what it prints */
};

extern const struct step_case step_cases[];
extern const unsigned step_ncases;

#endif
