/* Statistics as a table for people: of a GPU, or of a file that was written before. */
#ifndef FRONTEND_STATS_TEXT_H
#define FRONTEND_STATS_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "base/stats.h"

/* A kernel's launches together, or, as the last line, all of them. timed: some in timing mode. */
struct stats_line { const char *name; bool timed; const struct counters *counters; };

/* Text for free(); NULL: the host has no memory. n: with the total. hash: memory_hash, NULL = none. */
char *stats_text(const struct stats_line *lines, size_t n, unsigned warp_size, const char *hash);
/* The same of a file of --stats; NULL with a message in error when it is none. */
char *stats_file_text(const char *path, char *error, size_t size);

/* Parts: transactions (stats_tm.c); 1234567 as 1 234 567; a share in %, a dash when there is nothing to share. */
void print_transactions(FILE *f, const struct stats_line *lines, size_t n);
void print_grouped(FILE *f, int width, uint64_t n);
void print_share(FILE *f, double part, double all);

#endif
