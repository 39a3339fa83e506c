/*
 * `simtx profile`: what a kernel does, by source line. view_read.c reads the profile that a run wrote
 * (profile.file), view_lines.c sums the instructions of each line, view_table.c prints the lines with the most stalls,
 * view_page.c writes a page with the text of the source, each line with its figures and its PTX instructions.
 */
#ifndef FRONTEND_PROFILE_VIEW_H
#define FRONTEND_PROFILE_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/profile.h"

/* ---- input ---- */

/* file: of the source; NULL = the PTX does not tell a line. */
struct view_inst {
    const char *ptx_file, *file, *text;
    uint32_t ptx_line, line;
    profile_row row;
};

struct view_kernel {
    const char *name;
    uint64_t launches, cycles;
    struct view_inst *inst;
    uint32_t n;
    bool has_lines;                  /* some instruction has a line of the source */
    profile_row total;
};

/* The texts belong to `root`. */
struct view_profile {
    json_t *root;
    const char *gpu;
    struct view_kernel *kernel;
    uint32_t n;
};

/* False with a message in error. */
bool view_read(struct view_profile *p, const char *path, char *error, size_t size);
void view_free(struct view_profile *p);

/* ---- names ---- */

bool view_selects(const struct view_kernel *k, const char *part);    /* does its name contain the part? NULL: yes */
const char *view_file_name(const char *path);                        /* without its folders */

/* ---- lines ---- */

/* The instructions of a line, or one of them; file: NULL = without a line of the source. */
struct view_line {
    const char *file;
    uint32_t line;
    const struct view_inst **inst;
    uint32_t n, cap;
    profile_row row;
};
struct view_lines { struct view_line *line; uint32_t n; };

enum view_by { VIEW_BY_LINE, VIEW_BY_INSTRUCTION };

/* The lines of the source of a kernel, in the order of their files and numbers; of a kernel without them the lines of
 * its PTX. Or its instructions, in their order. */
struct view_lines view_lines_of(const struct view_kernel *k, enum view_by by);
/* They, the most stalls first; free() the array. */
const struct view_line **view_hottest(const struct view_lines *l);
void view_lines_free(struct view_lines *l);

/* ---- figures of a row that are computed; NaN where there is nothing to divide by ---- */

uint64_t view_stalls(const uint64_t *row);     /* scheduler cycles */
/* The most frequent stall reason of a row, and its cycles; NULL: no stalls. */
const char *view_cause(const uint64_t *row, uint64_t *cycles);

enum view_column {
#define COLUMN(id, ...) VIEW_##id,
#include "frontend/profile_view/columns.def"
    VIEW_COLUMNS
};
struct view_column_info { const char *head, *meaning; int decimals; bool percent; };
extern const struct view_column_info view_columns[VIEW_COLUMNS];
double view_value(const uint64_t *row, enum view_column c);

/* ---- output ---- */

/* most: lines of a kernel, 0 = all. */
void view_table(const struct view_profile *p, const struct view_kernel *k, enum view_by by, uint32_t most, FILE *f);
/* only: kernels whose names contain it, NULL = all. folder: where source files are looked for, too; NULL = nowhere. */
void view_page(const struct view_profile *p, const char *title, const char *only, const char *folder, FILE *f);

#endif
