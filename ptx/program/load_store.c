/* Operands and address ranges of loads and stores, for the passes that move accesses. */
#include "ptx/program/load_store.h"

int load_store_address(const struct ptx_inst *in)
{
    return in->op == OP_ST ? 0 : 1;
}

int load_store_data(const struct ptx_inst *in)
{
    return in->op == OP_ST ? 1 : 0;
}

int load_store_elements(const struct ptx_inst *in)
{
    const struct ptx_operand *data = &in->opd[load_store_data(in)];
    return data->kind == OPD_VEC ? data->n : 1;
}

struct load_store_range load_store_range(const struct ptx_inst *in, int64_t from)
{
    int64_t bytes = (int64_t)ptx_type_size((enum ptx_type)in->type[0]) * load_store_elements(in);
    return (struct load_store_range){ from, from + bytes };
}

bool load_store_overlap(struct load_store_range a, struct load_store_range b)
{
    return a.from < b.to && b.from < a.to;
}

/* The parameters of a function are in local memory. */
static uint8_t memory_of(uint8_t space)
{
    return space == MOD(SPACE, PARAM) ? MOD(SPACE, LOCAL) : space;
}

/* A generic address, which has no space, may be in every memory. */
bool load_store_same_memory(uint8_t a, uint8_t b)
{
    return !a || !b || memory_of(a) == memory_of(b);
}
