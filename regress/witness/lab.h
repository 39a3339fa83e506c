/*
 * A small GPU in timing mode for the witnesses: a kernel of blocks of one warp, two of which are the actors, on a block
 * of words that they share and one for what they saw.
 */
#ifndef REGRESS_WITNESS_LAB_H
#define REGRESS_WITNESS_LAB_H

#include "frontend/lib/gpu.h"

enum { LAB_WORDS = 1 << 14, LAB_SEEN = 64, LAB_PARAMS = 8 };

struct lab {
    simtx_gpu *gpu;
    simtx_module *module;
    uint32_t *words, *seen;          /* device memory, the host's as well */
    uint64_t cycles;                 /* of the last run */
    uint32_t threads;                /* of a block; 32 when the lab is opened */
};

/* settings: "key=value", ends with NULL; text: PTX with kernels of parameters (words, seen, eight numbers). plugins: of
 * the machine, or NULL. */
void lab_open(struct lab *l, const char *text, const char *const *settings, const struct machine_plugins *plugins);
void lab_close(struct lab *l);
/* Runs a kernel on zeroed words. */
void lab_run(struct lab *l, const char *kernel, uint32_t blocks, const uint32_t params[LAB_PARAMS]);
/* Statistics without what concerns only the host, as text (malloc'ed). */
char *lab_statistics(const struct lab *l);
/* Fails unless the statistics that `run` returns are the same cycle by cycle, with two host threads and with windows of
 * one cycle. host: a setting for the run; arg: passed on to it. */
void lab_check_host(char *(*run)(const char *host, const void *arg), const void *arg);

#endif
