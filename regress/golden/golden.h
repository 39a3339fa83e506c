/*
 * Golden outputs: every program of programs.txt runs in every table of tables.txt that wants it, and the result must
 * equal the table's file in tables/. Everything is read from text files in one folder; the code names no program, no
 * machine and no figure.
 *
 *   grid.c      text files of rows and columns, hashes
 *   suite.c     the lists: programs, tables, figures, and what is left out
 *   run.c       one child process a run; its exit code, output and statistics become the cells of a row
 *   compare.c   rows against tables, and tables written anew
 *   golden.c    the command
 */
#ifndef REGRESS_GOLDEN_H
#define REGRESS_GOLDEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- grid.c ---- */

/* Cells of text; row 0 is the first line that is no comment. */
struct grid {
    const char **cell;
    int rows, columns;
    size_t cap;
};

/* false: there is no such file. Ends the process with a message when the file is malformed. */
bool grid_read(struct grid *g, const char *path, char separator);
const char *grid_at(const struct grid *g, int row, int column);
/* -1: none. By the first row, by the first column. */
int grid_column(const struct grid *g, const char *name);
int grid_row(const struct grid *g, const char *name);

/* Is the word in a list of words with commas or blanks between them? */
bool has_word(const char *list, const char *word);
/* Hash of a file in hexadecimal, "none" without the file. */
void file_hash(const char *path, char hash[17]);

/* Zeroed memory that stays until the end; text in such memory. */
void *keep(size_t size);
char *keep_text(const char *text, size_t n);
char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void free_kept(void);
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- suite.c ---- */

enum { FIXED_COLUMNS = 5 };              /* program, ptx, exit, output, memory; figures follow */

struct program {
    const char *name, *file;             /* file: of build/kernels, or PTX to be launched */
    const char *groups, *options, *functional, *timing;
    bool deterministic;                  /* memory does not depend on the order of threads */
    const char *ptx;
    char hash[17];
};

struct figure { const char *name, *kinds, *sum; };

struct table {
    const char *name, *options, *kinds, *groups;
    const char **column;                 /* names, the fixed ones first */
    const struct figure **figure;        /* of the columns after the fixed ones */
    int columns;
};

struct suite {
    const char *dir, *build;
    const char *extra;                   /* further options of every run */
    struct program *programs;
    struct table *tables;
    struct figure *figures;
    struct grid left_out;
    int nprograms, ntables, nfigures;
};

void suite_read(struct suite *s);
/* Does the table want this program? */
bool suite_wants(const struct suite *s, const struct table *t, const struct program *p);
/* Prints a line for each mistake in the lists; returns their number. */
int suite_mistakes(const struct suite *s);

/* ---- run.c ---- */

struct run {
    const struct table *table;
    const struct program *program;
    const char **cell;                   /* a row of the table */
    const char *error;                   /* why there is no row, or NULL */
    pid_t pid;
};

/* Runs all, `workers` at a time. */
void run_all(const struct suite *s, struct run *runs, int n, int workers);

/* ---- compare.c ---- */

struct counts { int passed, failed; };

/* Runs of one table, one after another in the array. */
void compare_table(const struct suite *s, const struct table *t, const struct run *runs, int n, struct counts *counts);
/* Writes the table with the runs' rows; those of other programs stay. false: nothing written, a run has no row. */
bool write_table(const struct suite *s, const struct table *t, const struct run *runs, int n);

#endif
