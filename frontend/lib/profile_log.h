/*
 * The profiles of a GPU's kernels (profile.file): sums over the launches of each kernel, written as JSON when the file
 * is closed. A kernel has its functions that were executed, with all their instructions: PTX line and text, line of the
 * source (.loc), and the figures of base/profile.def that are not 0.
 */
#ifndef FRONTEND_PROFILE_LOG_H
#define FRONTEND_PROFILE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/profile.h"
#include "ptx/program/program.h"

struct profile_log;

/* NULL with a message in error when the file cannot be written. gpu: its name. */
struct profile_log *profile_log_open(const char *path, const char *gpu, unsigned warp_size, char *error, size_t size);
/* The profile of the kernel, to which its launches are added. */
struct profile *profile_log_kernel(struct profile_log *l, const struct program *p, const struct ptx_func *kernel);
/* A launch of that kernel has ended after so many core cycles. */
void profile_log_launch(struct profile_log *l, const struct program *p, const struct ptx_func *kernel, uint64_t cycles);
/* The program is about to be freed. */
void profile_log_remove_program(struct profile_log *l, const struct program *p);
/* Writes the file. False with a message in error when that failed. */
bool profile_log_close(struct profile_log *l, char *error, size_t size);

#endif
