/*
 * The profile of a kernel: the figures of profile.def for each instruction of the functions that it executed. An owner
 * (an SM for a running grid, the log of a kernel) has one of its own; profiles of the same program are added up.
 */
#ifndef BASE_PROFILE_H
#define BASE_PROFILE_H

#include <stdint.h>

enum profile_figure {
#define FIGURE(id, ...) PROFILE_##id,
#include "base/profile.def"
    PROFILE_FIGURES
};

struct profile_info { const char *name, *unit, *meaning; };
extern const struct profile_info profile_table[PROFILE_FIGURES];

/* The figures of an instruction, [PROFILE_FIGURES]. */
typedef uint64_t profile_row[PROFILE_FIGURES];

struct profile_function { profile_row *row; uint32_t rows; };    /* row: NULL until the function is executed */
struct profile { struct profile_function *function; uint32_t functions; };

/* functions: their number in the program. */
void profile_init(struct profile *p, uint32_t functions);
void profile_end(struct profile *p);
/* The rows of a function, by instruction; `rows` is the same in every call. */
profile_row *profile_rows(struct profile *p, uint32_t function, uint32_t rows);
void profile_add(struct profile *to, const struct profile *from);

#endif
