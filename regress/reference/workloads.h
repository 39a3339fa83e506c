/*
 * The four workloads whose cycle counts were measured on the incumbent simulator (GPGPU-Sim 4.2, GTX480 settings):
 * vadd, gemm, bfs and reduce, on the same PTX (made by clang 14 for sm_35, beside this file), sizes and data. Each
 * checks its result on the host.
 */
#ifndef REGRESS_REFERENCE_WORKLOADS_H
#define REGRESS_REFERENCE_WORKLOADS_H

#include <stdbool.h>
#include <stdint.h>

struct workload {
    const char *name;
    uint64_t thread_instructions;        /* of all launches together, as the incumbent counts them */
    uint64_t gtx480_cycles;              /* of all launches together, 700 MHz */
    double gtx480_inst_per_s;            /* the incumbent's speed, thread instructions a host second */
};
enum { WORKLOADS = 4 };
extern const struct workload workloads[WORKLOADS];

struct workload_result { uint64_t cycles, thread_instructions; double seconds; bool correct; };

/*
 * Runs a workload on a new GPU. config: assignments and preset names, NULL at the end ("+gtx480-reference" loads a
 * preset, "key=value" sets a key). dir: where the PTX lies. Prints a message and exits when something cannot be set up.
 * stats: NULL or where the JSON statistics go (malloc'ed).
 */
struct workload_result workload_run(const char *name, const char *dir, const char *const *config, char **stats);

/* One warp that follows a chain of `n` pointers, each `stride` bytes on, `steps` times. Same conventions. */
struct workload_result chase_run(uint64_t n, uint64_t stride, uint64_t steps, const char *const *config, char **stats);

#endif
