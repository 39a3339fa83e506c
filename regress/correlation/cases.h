/*
 * The cases of the comparison with GPGPU-Sim 4.2: a kernel, one launch of it, and what that simulator says (shapes.txt,
 * cycles.tsv). Inputs are made exactly as the notation at the top of shapes.txt says; buffers follow each other at
 * multiples of 256 bytes from a round address, as the preset's memory.packing places them.
 */
#ifndef REGRESS_CORRELATION_CASES_H
#define REGRESS_CORRELATION_CASES_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/lib/simtx.h"

enum { ARGS_MAX = 8, CASES_MAX = 64 };

struct correlation_arg { char kind; double a, b; };      /* as in the notation, "R:16641:21" */

struct correlation_case {
    char name[32], kernel[32], character[64];
    uint32_t grid[2], block[2], registers, nargs;
    struct correlation_arg arg[ARGS_MAX];
    uint64_t thread_instructions;        /* the incumbent's figures */
    uint64_t warm_cycles, cold_cycles;   /* copies by the host fill L2, or do not */
    double incumbent_seconds, simtx_seconds;
};

struct correlation_outcome { uint64_t cycles, thread_instructions; double seconds; };  /* of CPU time of the launch */

/* Reads DIR/shapes.txt and DIR/cycles.tsv; how many there are. Prints a message and exits when something is wrong. */
uint32_t cases_read(const char *dir, struct correlation_case *out);
/*
 * Runs a case on a new GPU: preset gtx480-reference, then config: assignments and preset names, NULL at the end
 * ("+NAME" loads a preset, "KEY=VALUE" sets a key).
 */
struct correlation_outcome case_run(const struct correlation_case *c, const char *dir, const char *const *config);
/* The same on a preset ("+NAME"); ended, if not NULL, is called after the launch, before the GPU is freed. */
struct correlation_outcome case_run_on(const struct correlation_case *c, const char *dir, const char *preset,
                                       const char *const *config, void (*ended)(simtx_gpu *, void *), void *context);

#endif
