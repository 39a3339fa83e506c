/* Hardware cost: the bytes of the structures of transactional memory, from the configuration (tm/cost.def). */
#ifndef FRONTEND_COST_H
#define FRONTEND_COST_H

#include <stdbool.h>

#include "frontend/lib/simtx.h"

enum cost_place { COST_UNIT, COST_CORE, COST_GPU };  /* one in each commit unit, in each core, in the whole GPU */

struct cost_field { const char *name, *bits; };      /* bits: an expression (expr.h) over keys */

/* A structure: `entries` of the fields (names end at NULL), there when `when` holds; both are expressions. */
struct cost_row {
    const char *name, *what;
    enum cost_place place;
    const char *when, *entries;
    struct cost_field fields[6];
};

extern const struct cost_row cost_rows[];
extern const int cost_row_count;

/* bits: of an entry; bytes: of one copy. */
struct cost { bool present, bounded; double entries, bits, bytes, copies; };

struct cost cost_of_row(const simtx_config *c, const struct cost_row *row);
/* Bytes of one copy of a structure ("ring"), or of one entry of it ("ring.entry"); NaN when the configuration does not
 * have it, does not bound it, or there is no such structure. */
double cost_bytes(const simtx_config *c, const char *structure);

#endif
