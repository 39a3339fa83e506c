/* Hardware cost: bytes of the structures of protocols and policies, computed from the configuration (tm/cost.def). */
#ifndef FRONTEND_COST_H
#define FRONTEND_COST_H

#include <stdbool.h>

#include "frontend/lib/simtx.h"

enum cost_place { COST_SLICE, COST_CORE, COST_GPU };  /* one per L2 slice, per core, per GPU */

struct cost_field { const char *name, *bits; };      /* bits: an expression (expr.h) over keys */

/* A structure of `entries` entries with these fields (the last name is NULL). It exists when `when` is true. `entries`
 * and `when` are expressions. */
struct cost_row {
    const char *name, *what;
    enum cost_place place;
    const char *when, *entries;
    struct cost_field fields[6];
};

extern const struct cost_row cost_rows[];
extern const int cost_row_count;

/* present: the configuration has the structure; bounded: its size is limited. bits: of an entry; bytes: of one copy. */
struct cost { bool present, bounded; double entries, bits, bytes, copies; };

struct cost cost_of_row(const simtx_config *c, const struct cost_row *row);
/* Bytes of one copy of a structure ("ring"), or of one of its entries ("ring.entry"). NaN when the structure is
 * unknown, not present or not bounded. */
double cost_bytes(const simtx_config *c, const char *structure);

#endif
