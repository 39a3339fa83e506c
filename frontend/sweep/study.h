/*
 * A study: the file of `simtx sweep`, read and checked (study.c), and its grid (study_grid.c): every combination of the
 * values of its axes that no exclusion matches is a point (study_point.c), a row of the table of results
 * (study_table.c). Points with equal keys share a run of the batch.
 */
#ifndef FRONTEND_STUDY_H
#define FRONTEND_STUDY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "frontend/sweep/batch.h"

enum study_axis_kind {
    STUDY_PROGRAM,                   /* program and arguments */
    STUDY_CONFIG,                    /* presets or files */
    STUDY_OVERLAY,                   /* more of them; "" = none */
    STUDY_ARGUMENT,                  /* replaces {name} in the program's arguments */
    STUDY_KEY,                       /* a configuration key */
    STUDY_SEED                       /* sim.seed, and {seed} in the program's arguments */
};

struct study_axis {
    enum study_axis_kind kind;
    char *name;                      /* "program", "config", "overlay", the argument, the key, "seed" */
    char **value;
    uint32_t n, cap;
    bool listed;                     /* a column of the table: the file gives a list */
};

/* A combination is excluded when, for each condition, its value of the axis is one of these. */
struct study_condition { int axis; char **value; uint32_t n, cap; };
struct study_exclusion { struct study_condition *condition; uint32_t n, cap; };

struct study {
    char *name;
    struct study_axis *axis;
    uint32_t naxes, axes_cap;
    struct study_exclusion *exclusion;
    uint32_t nexclusions, exclusions_cap;
    char **column;
    uint32_t ncolumns, columns_cap;
    char *detail;                    /* sim.detail; NULL = none */
    char *restore;                   /* file of a saved state, with {NAME} as in arguments; NULL = none */
    bool timing;
    uint64_t cpu_seconds, memory;    /* limits of a run; 0 = none */
};

/* ---- study.c ---- */
/* NULL with all errors in *message (malloc'ed). */
struct study *study_read(const char *path, char **message);
void study_free(struct study *s);
/* Is this value the one that an exclusion names? For a program its name without arguments is enough. */
bool study_value_matches(const struct study_axis *a, const char *value, const char *pattern);

/* A point: the position of its value on each axis, and its run in the batch. */
struct study_point { uint32_t *at; int run; };

/* ---- study_point.c ---- */
bool study_point_is_excluded(const struct study *s, const struct study_point *p);
/* The words after "simtx", NULL at the end; *first: the position of the program's first argument. */
char **study_point_command(const struct study *s, const struct study_point *p, const char *program, int *first);
/* NULL with *message (malloc'ed) if the settings contradict each other. */
simtx_config *study_point_config(const struct study *s, const struct study_point *p, char **message);
/* The file of the saved state from which the run starts; malloc'ed. NULL: it starts from the beginning. */
char *study_point_state(const struct study *s, const struct study_point *p);
/* The point's values of the axes that have several. */
void study_point_print(const struct study *s, const struct study_point *p, FILE *f);

/* ---- study_grid.c ---- */
struct study_grid {
    const struct study *study;
    const char *programs;            /* folder of programs without a path */
    struct study_point *point;
    uint32_t npoints, cap, excluded;
    struct batch batch;
};

/* Makes points, runs and their keys; g->batch.folder must be set. false with *message (malloc'ed). */
bool study_grid_new(struct study_grid *g, char **message);
void study_grid_free(struct study_grid *g);
/* The points with the state of their runs; the commands of runs to do. */
void study_grid_list(const struct study_grid *g, FILE *f);
void study_grid_commands(const struct study_grid *g, FILE *f);

/* Writes FOLDER/results.csv and results.json; false after printing a message. */
bool study_table_write(const struct study_grid *g);

#endif
