/* Profiles: the table of figures, rows, sums. */
#include "base/profile.h"

#include <stdlib.h>

#include "base/alloc.h"

const struct profile_info profile_table[PROFILE_FIGURES] = {
#define FIGURE(id, name, unit, meaning) [PROFILE_##id] = { name, unit, meaning },
#include "base/profile.def"
};

void profile_init(struct profile *p, uint32_t functions)
{
    p->function = mem_zero(functions, sizeof *p->function, "a profile");
    p->functions = functions;
}

void profile_end(struct profile *p)
{
    for (uint32_t i = 0; i < p->functions; i++)
        free(p->function[i].row);
    free(p->function);
    *p = (struct profile){ 0 };
}

profile_row *profile_rows(struct profile *p, uint32_t function, uint32_t rows)
{
    struct profile_function *f = &p->function[function];
    if (!f->row) {
        f->row = mem_zero(rows, sizeof *f->row, "the profile of a function");
        f->rows = rows;
    }
    return f->row;
}

void profile_add(struct profile *to, const struct profile *from)
{
    for (uint32_t i = 0; i < from->functions; i++) {
        const struct profile_function *f = &from->function[i];
        profile_row *row = f->row ? profile_rows(to, i, f->rows) : NULL;
        for (uint32_t k = 0; k < f->rows; k++)
            for (int j = 0; j < PROFILE_FIGURES; j++)
                row[k][j] += f->row[k][j];
    }
}
