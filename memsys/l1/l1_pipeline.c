/* Accesses on their way to the look-up. */
#include <stdlib.h>

#include "base/alloc.h"
#include "memsys/l1/l1_pipeline.h"

void l1_pipeline_init(struct l1_pipeline *p, uint32_t stages)
{
    *p = (struct l1_pipeline){ .stages = stages };
    p->place = mem_zero(stages, sizeof *p->place, "the stages in front of an L1");
}

void l1_pipeline_end(struct l1_pipeline *p)
{
    free(p->place);
    *p = (struct l1_pipeline){ 0 };
}

static uint32_t place_of(const struct l1_pipeline *p, uint32_t i)
{
    return p->first + i < p->stages ? p->first + i : p->first + i - p->stages;
}

void l1_pipeline_enter(struct l1_pipeline *p, struct mem_op *op, const struct line_access *a, enum mem_server s,
                       uint32_t track, uint64_t now)
{
    p->place[place_of(p, p->n++)] = (struct l1_access){
        .op = op, .ready = now + p->stages - 1, .access = *a, .track = track, .server = (uint8_t)s
    };
    op->pending++;
}

void l1_pipeline_leave(struct l1_pipeline *p)
{
    p->first = place_of(p, 1);
    p->n--;
}

bool l1_pipeline_has(const struct l1_pipeline *p, uint64_t line)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->place[place_of(p, i)].access.line == line)
            return true;
    return false;
}
