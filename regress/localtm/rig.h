/*
 * A machine with GPU-LocalTM for tests: one SM that has all instructions at hand, a PTX file, and a buffer of words,
 * the kernels' only parameter.
 */
#ifndef REGRESS_LOCALTM_RIG_H
#define REGRESS_LOCALTM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/lib/gpu.h"

enum { RIG_WORDS = 1024 };

struct rig {
    simtx_gpu *gpu;
    simtx_module *module;
    uint32_t *words;                 /* the kernels' parameter: device memory, the host's as well */
    uint64_t cycles;                 /* of the last run */
};

/* A preset, or several joined by +, with "key=value" settings, ended by NULL (the list itself may be NULL); file: of
 * PTX, in this folder. tm: instead of the protocol for global memory; NULL = none. */
void rig_open(struct rig *r, const char *presets, const char *const *settings, const char *file,
              const struct tm_protocol *tm);
void rig_close(struct rig *r);
/* Runs a kernel on zeroed words. */
void rig_run(struct rig *r, const char *kernel, uint32_t blocks, uint32_t threads);
/* Of all runs. */
uint64_t rig_count(const struct rig *r, enum stat s);
/* The text of a file; malloc'ed. */
char *rig_read(const char *path);

#endif
