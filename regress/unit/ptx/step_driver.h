/*
 * The simplest user of ptx/exec/step.h and ptx/memory/access.h: the warps of a block take turns of one instruction, and
 * every captured access is performed at once on device memory, line by line. Also what a test needs to run a kernel so,
 * or in functional mode, from its text.
 */
#ifndef REGRESS_STEP_DRIVER_H
#define REGRESS_STEP_DRIVER_H

#include "ptx/program/program.h"
#include "ptx/exec/step.h"

struct step_shape {
    uint32_t grid, block, warp_size;             /* blocks, threads of one, 32 or 64 */
    bool independent;
    uint32_t dynamic_shared;
    uint64_t quantum;                            /* 0 = 16384 */
    uint32_t sms;
};

/* A device with one program, and a launch of one of its kernels. */
struct step_gpu {
    struct devmem *mem;
    struct program *program;
    struct launch launch;
    uint64_t count[STAT_END];                    /* of the launch */
    char *param;
    uint64_t clock;                              /* steps so far; what %clock reads when stepped */
    char *printed;
    size_t printed_len;
};

/*
 * Sets up kernel `name` of the text; false with the parser's messages in *why (malloc'ed). Device addresses are the
 * same every time.
 */
bool step_gpu_open(struct step_gpu *g, const char *ptx, const char *name, const struct step_shape *s, char **why);
void step_gpu_close(struct step_gpu *g);
void *step_gpu_alloc(struct step_gpu *g, size_t bytes);

/* As grid_run, but stepped: its counters are in g->count, a fault in g->launch. */
bool step_run(struct step_gpu *g);
/* Performs all of a captured access. k: a worker for atomics. */
void step_perform(struct worker *k, struct mem_op *op);

#endif
