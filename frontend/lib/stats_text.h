/* Prints statistics as a table: of a GPU, or of a statistics file. */
#ifndef FRONTEND_STATS_TEXT_H
#define FRONTEND_STATS_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "base/stats.h"
#include "frontend/lib/stats_sample.h"

/* The sum of a kernel's launches, or in the last line of all launches. timed: some ran in timing mode. */
struct stats_line { const char *name; bool timed; const struct counters *counters; struct stats_sample sample; };

/* The table (malloc'ed); NULL = out of memory. n: lines, including the total. hash: memory_hash, NULL = none. */
char *stats_text(const struct stats_line *lines, size_t n, unsigned warp_size, const char *hash);

/* ---- statistics files (stats_read.c) ---- */
/* NULL with a message in error when it is not one. */
json_t *stats_file_load(const char *path, char *error, size_t size);
unsigned stats_file_warp_size(const json_t *root);
/* A line for each kernel, the sum of its launches, and last the total. The names belong to `root`. */
struct stats_table { struct stats_line *line; struct counters *counters; size_t n; };
struct stats_table stats_table_of(const json_t *root);
void stats_table_free(struct stats_table *t);
/* The table of a statistics file; NULL with a message in error when it is not one. */
char *stats_file_text(const char *path, char *error, size_t size);

/* Parts of the table: energy (stats_energy.c), transactions (stats_tm.c); 1234567 as "1 234 567"; part / all in %, "-"
 * when all is 0. */
void stats_print_energy(FILE *f, const struct stats_line *lines, size_t n);
void stats_print_transactions(FILE *f, const struct stats_line *lines, size_t n);
void stats_print_grouped(FILE *f, int width, uint64_t n);
void stats_print_share(FILE *f, double part, double all);

#endif
