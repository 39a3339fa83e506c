/*
 * Microbenchmarks: PTX made on the spot, run in timing mode, and figures read from the statistics. What one more
 * repetition costs is the difference of two runs, so that launch, fetch and drain fall out.
 */
#ifndef REGRESS_MICRO_HARNESS_H
#define REGRESS_MICRO_HARNESS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { TEXT_MAX = 1 << 20, SETTINGS_MAX = 24 };

/* A kernel "k" with parameters (.u64 data, .u64 out), registers ready to use: %a0-%a9 .b64, %r0-%r63 .b32, %f0-%f63
 * .f32, %d0-%d63 .f64, %p0-%p3; %data and %out hold the parameters, %me the thread in the grid, %t2 that in the block.
 * mem: 16 KB of shared memory; table: 16 KB of constants, 0. */
struct text { char *at; size_t len; };
struct text *text_new(void);
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct shape { unsigned blocks, threads; };

struct run {
    json_t *stats;
    double cycles;
    uint64_t out[4];             /* the first words at %out when the kernel had ended */
    char *message;               /* NULL = it ran */
};
/*
 * Closes the kernel, runs it and frees the text. data: `bytes` of device memory, filled by `fill` (NULL = zero),
 * another 4 MB for out. settings: presets ("+name") and key=value, NULL at the end. run_end frees.
 */
struct run run_kernel(struct text *t, struct shape s, uint64_t bytes, void (*fill)(char *data, uint64_t bytes),
                      const char *const *settings);
double run_stat(const struct run *r, const char *name);      /* "l1.global_load.hits" of the total */
double figure_of(const json_t *stats, const char *name);   /* the same, of statistics */
double config_value(const char *const *settings, const char *key);
void run_end(struct run *r);

#endif
