/* Hardware cost, computed from the rows of tm/cost.def. */
#include "frontend/cli/cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "frontend/paper/expr.h"

#define FIELD(name, bits) { name, bits }
#define COST(name, place, when, entries, what, ...) { name, what, COST_##place, when, entries, { __VA_ARGS__ } },
const struct cost_row cost_rows[] = {
#include "tm/cost.def"
#include "consistency/registry.def"
};
const int cost_row_count = sizeof cost_rows / sizeof *cost_rows;

static double no_name(struct expr_env *e, const char *name)
{
    snprintf(e->error, sizeof e->error, "%s is no configuration key", name);
    return NAN;
}

static const char *key_text(struct expr_env *e, const char *key)
{
    return simtx_config_get(e->ctx, key);
}

static int no_list(struct expr_env *e, const char *list, int i)
{
    return -1;
}

static bool no_config(struct expr_env *e, const char *config)
{
    return false;
}

static double value(const simtx_config *c, const char *expr)
{
    struct expr_env e = { .ctx = (void *)c, .name = no_name, .key = key_text, .member = no_list, .select = no_config };
    return expr_value(&e, expr);
}

static double copies(const simtx_config *c, enum cost_place place)
{
    switch (place) {
    case COST_SLICE: return value(c, "$dram.channels * $l2.slices");
    case COST_CORE: return value(c, "$gpu.sms");
    default: return 1;
    }
}

struct cost cost_of_row(const simtx_config *c, const struct cost_row *row)
{
    struct cost k = { .present = value(c, row->when) == 1, .copies = copies(c, row->place) };
    k.entries = value(c, row->entries);
    for (const struct cost_field *f = row->fields; f < row->fields + 6 && f->name; f++)
        k.bits += value(c, f->bits);
    k.bounded = k.entries > 0;
    k.bytes = ceil(k.entries * k.bits / 8);
    return k;
}

double cost_bytes(const simtx_config *c, const char *structure)
{
    size_t n = strcspn(structure, ".");
    for (int i = 0; i < cost_row_count; i++) {
        const struct cost_row *row = &cost_rows[i];
        if (strlen(row->name) != n || strncmp(row->name, structure, n))
            continue;
        struct cost k = cost_of_row(c, row);
        if (!k.present || !k.bounded)
            return NAN;
        return !strcmp(structure + n, ".entry") ? k.bits / 8 : structure[n] ? NAN : k.bytes;
    }
    return NAN;
}
